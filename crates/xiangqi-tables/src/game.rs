//! Xiangqi as a game of [`duchamp_tablebase`]: names, numbering and slices of its tables.

use duchamp_retro::{Code, Slice};
use duchamp_tablebase::{Game, Metric, TableKey, View, Worth};

use crate::kernels::exits::Exits;
use crate::kernels::slice::XiangqiSlice;
use crate::layout::Layout;
use crate::material::Material;

/// Attackers of a table at most.
pub(crate) const MOST_ATTACKERS: u32 = 4;

/// Xiangqi as a [`Game`] with [`Rules`](duchamp_tablebase::Rules). First is Red, the attacker of a [`Material`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Xiangqi;

impl TableKey for Material {
    fn men(&self) -> u32 {
        Material::men(self)
    }

    fn pawns(&self) -> u32 {
        Material::pawns(self)
    }

    fn is_symmetric(&self) -> bool {
        false
    }

    fn children(&self) -> Vec<Material> {
        Material::children(self)
    }
}

impl Game for Xiangqi {
    const ID: u8 = 1;
    const NAME: &'static str = "xiangqi";
    const METRICS: &'static [Metric] = &[Metric::Wdl, Metric::Dtm, Metric::Dtc];
    const PRIMARY: &'static [Metric] = &[Metric::Dtc, Metric::Dtm];
    const EXAMPLE: &'static str = "cp-aaee";
    const SUBS_FROM_FILES: bool = true;
    /// Two kings, four defenders of each side, four attackers.
    const MAX_MEN: u32 = 2 + 8 + MOST_ATTACKERS;
    const TRIVIAL: Option<Material> = None;

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
        XiangqiSlice::new(slice, exits)
    }

    fn all(men: u32) -> Vec<Material> {
        let mut all = Material::all(men);
        all.retain(|material| material.attackers() <= MOST_ATTACKERS);
        all
    }

    fn codes(key: Material) -> [u64; 2] {
        [key.code(false), key.code(true)]
    }

    fn has_table(key: Material) -> bool {
        key.attackers() <= MOST_ATTACKERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_tablebase::laws;

    #[test]
    fn xiangqi_obeys_the_laws_of_tables() {
        let names = [
            "c-k", "h-ae", "p-a", "pp-e", "cp-k", "gg-a", "ahp-ee", "egpp-a",
        ];
        for name in names {
            let key: Material = name.parse().expect("a material");
            laws::check::<Xiangqi>(key, 4_000, 5)
                .unwrap_or_else(|broken| panic!("{name}: {broken}"));
        }
    }
}
