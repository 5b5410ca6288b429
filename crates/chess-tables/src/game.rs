//! Chess as a game of [`duchamp_tablebase`]: names, numbering and slices of its tables.

use duchamp_chess::{Color, Piece, Role};
use duchamp_retro::{Code, Side, Slice};
use duchamp_tablebase::{Game, Gather, Metric, TableKey, View, Worth};

use crate::domain::ChessSlice;
use crate::gathers;
use crate::kernels::exits::Exits;
use crate::layout::Layout;
use crate::material::Material;
use crate::sides::color;

/// The most pieces, kings included, of tables that are solved in memory: 5.
pub const MAX_MEN: u32 = Chess::MAX_MEN;

/// The most pieces, kings included, of any table: 6. Those of six are generated one at a time, when named.
pub const MAX_LARGE_MEN: u32 = Chess::MAX_LARGE_MEN;

/// Chess as a [`Game`] with [`Rules`](duchamp_tablebase::Rules). First is White, the stronger side of a [`Material`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chess;

impl TableKey for Material {
    fn men(&self) -> u32 {
        Material::men(self)
    }

    fn pawns(&self) -> u32 {
        Material::pawns(self)
    }

    fn is_symmetric(&self) -> bool {
        Material::is_symmetric(self)
    }

    fn children(&self) -> Vec<Material> {
        Material::children(self)
    }
}

impl Game for Chess {
    const ID: u8 = 0;
    const NAME: &'static str = "chess";
    const METRICS: &'static [Metric] = &Metric::ALL;
    const MAX_MEN: u32 = 5;
    /// Generated only when named.
    const MAX_LARGE_MEN: u32 = 6;
    const TRIVIAL: Option<Material> = Some(Material::BARE);

    type Key = Material;
    type Index = Layout;
    type Exits<'a, W: Worth> = Exits<'a, W>;

    fn exits<'a, W: Worth>(
        index: &'a Layout,
        own: View<'a, Layout, W::Own>,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
    ) -> Exits<'a, W> {
        Exits::new(index, own, sub)
    }

    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        ChessSlice::new(slice, exits)
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
        gathers::gather(index, slice, color(side), row, own, sub, each);
    }

    fn all(men: u32) -> Vec<Material> {
        Material::all(men)
    }

    fn codes(key: Material) -> [u64; 2] {
        [counts_code(key), counts_code(key.flipped())]
    }
}

/// As [`duchamp_chess::Position::material_counts`] gives it.
pub(crate) fn counts_code(material: Material) -> u64 {
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let mut code = 0;
    for color in Color::ALL {
        for role in roles {
            code |= u64::from(material.count(color, role)) << (4 * Piece { color, role }.index());
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::FIFTY_MOVES;
    use duchamp_tablebase::laws;

    #[test]
    fn chess_obeys_the_laws_of_tables() {
        let names = [
            "KQvK", "KBBvK", "KRvKR", "KBvKN", "KPvK", "KRvKP", "KPvKP", "KPPvK",
        ];
        for name in names {
            let key: Material = name.parse().expect("a material");
            laws::check::<Chess>(key, 20_000, 5).unwrap_or_else(|broken| panic!("{broken}"));
        }
    }

    #[test]
    fn the_metric_has_the_rule_of_chess() {
        assert_eq!(Metric::Dtz.spec().draw_after, Some(FIFTY_MOVES));
    }
}
