//! Chess in which tables of few men are large ones.

use duchamp_chess_tables::{Chess, Layout, Material, Metric};
use duchamp_retro::{Code, Side, Slice};
use duchamp_tablebase::{Game, Gather, View, Worth};

/// Chess with tables of so many men in memory, and large ones of one more. Its rules (`sampled.rs`) may lie to those who
/// verify: stalemate is lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallChess<const MEN: u32, const LIES: bool = false>;

impl<const MEN: u32, const LIES: bool> Game for SmallChess<MEN, LIES> {
    const ID: u8 = Chess::ID;
    const NAME: &'static str = Chess::NAME;
    const METRICS: &'static [Metric] = Chess::METRICS;
    const MAX_MEN: u32 = MEN;
    const MAX_LARGE_MEN: u32 = MEN + 1;
    const TRIVIAL: Option<Material> = Chess::TRIVIAL;

    type Key = Material;
    type Index = Layout;
    type Exits<'a, W: Worth> = <Chess as Game>::Exits<'a, W>;

    fn exits<'a, W: Worth>(
        index: &'a Layout,
        own: View<'a, Layout, W::Own>,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
    ) -> Self::Exits<'a, W> {
        Chess::exits::<W>(index, own, sub)
    }

    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Self::Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        Chess::slice::<W>(exits, slice)
    }

    fn gather<'a>(
        index: &'a Layout,
        slice: usize,
        side: Side,
        row: usize,
        own: bool,
        sub: &dyn Fn(Material) -> Option<&'a Layout>,
        each: &mut dyn FnMut(Gather<Material>),
    ) {
        Chess::gather(index, slice, side, row, own, sub, each);
    }

    fn all(men: u32) -> Vec<Material> {
        Chess::all(men)
    }

    fn codes(key: Material) -> [u64; 2] {
        Chess::codes(key)
    }
}
