//! Chess in which tables of few men are large ones.

use duchamp_base::Control;
use duchamp_chess_tables::{
    Chess, GenerateError, GenerateOptions, Layout, Material, Metric, Progress, Summary,
};
use duchamp_retro::{Code, Side, Slice};
use duchamp_tablebase::{Game, Gather, Generator, View, Worth};

/// Chess with tables of so many men in memory, and large ones of one more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallChess<const MEN: u32>;

/// A chess whose tables can be generated. To run a generator is much code, and compiling it takes long: that of ordinary
/// chess is compiled already, in the library.
pub(crate) trait Generates: Game<Key = Material, Index = Layout> {
    /// As [`Generator::run`].
    fn run(
        generator: Generator<'_, Self>,
        keys: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError>;
}

impl Generates for Chess {
    fn run(
        generator: Generator<'_, Chess>,
        keys: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError> {
        duchamp_chess_tables::Generator::from(generator).run(keys, options, control, progress)
    }
}

impl<const MEN: u32> Generates for SmallChess<MEN> {
    fn run(
        generator: Generator<'_, SmallChess<MEN>>,
        keys: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError> {
        generator.run(keys, options, control, progress)
    }
}

impl<const MEN: u32> Game for SmallChess<MEN> {
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
