//! Distances to conversion and zeroing against those to mate.

use super::material;
use duchamp_base::{Control, Value};
use duchamp_chess_tables::{Chess, Layout, Material, Metric, Solved, solve};
use duchamp_retro::{Bits, Side, Wide};
use duchamp_tablebase::{CellId, Index, Part, Rules, SubTables, solve_distances};
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Default)]
struct Memory(HashMap<Material, Arc<Solved>>);

impl SubTables<Layout> for Memory {
    fn get(&self, material: Material) -> Option<Arc<Solved>> {
        self.0.get(&material).cloned()
    }
}

impl Memory {
    /// Solves a table to mate and to zeroing, with all that it needs.
    fn add(&mut self, material: Material) -> Arc<Solved> {
        for child in material.children() {
            if !self.0.contains_key(&child) {
                self.add(child);
            }
        }
        let control = Control::new(1);
        let solved = Arc::new(solve(material, self, &control).expect("solved"));
        self.distances(Metric::Dtz, &solved, &mut |_, _| {});
        assert!(solved.knows_cursed());
        self.0.insert(material, Arc::clone(&solved));
        solved
    }

    fn distances(
        &self,
        metric: Metric,
        solved: &Solved,
        each: &mut dyn FnMut(Side, Part<'_, Wide>),
    ) {
        let control = Control::new(1);
        solve_distances::<Chess>(metric, solved, self, &control, each).expect("solved");
    }
}

/// Who wins does not depend on what is counted, and no distance is longer than that to mate.
#[test]
fn distances_agree_with_those_to_mate() {
    let mut memory = Memory::default();
    for name in ["KRvKN", "KPvKP", "KPPvK"] {
        let solved = memory.add(material(name));
        for metric in [Metric::Dtc, Metric::Dtz] {
            let mut at = [0; 2];
            let mut seen = 0_u64;
            memory.distances(metric, &solved, &mut |side, part| {
                for (n, cells) in part.cells.iter().enumerate() {
                    for bit in Bits(!part.void[n]) {
                        let cell = ((at[side.index()] + n) * 64 + bit) as u64;
                        let at = CellId { side, cell };
                        let to_mate = solved.get(at).expect("a position").value();
                        let value = cells[bit].value();
                        let shorter = match (value, to_mate) {
                            (Value::Draw, Value::Draw) => true,
                            (Value::Win(a), Value::Win(b)) => a <= b,
                            (Value::Loss(a), Value::Loss(b)) => a <= b,
                            _ => false,
                        };
                        if !shorter {
                            let position = Chess::position(solved.index(), at);
                            let fen = position.map(|position| position.fen());
                            panic!("{name} {metric:?} {fen:?} {value:?} {to_mate:?}");
                        }
                        seen += 1;
                    }
                }
                at[side.index()] += part.void.len();
            });
            let sides = solved.index().stored_sides().iter();
            let legal = sides.flat_map(|&side| solved.side(side).void.iter());
            let legal: u64 = legal.map(|void| u64::from(void.count_zeros())).sum();
            assert_eq!(seen, legal, "{name} {metric:?}");
        }
    }
}

/// Where only half of the words are solved, what later exits read of the other half is there too:
/// a table that promotes into this one may put either of two identical pieces first.
#[test]
fn like_men_hold_the_same_on_each_others_squares() {
    let mut memory = Memory::default();
    let solved = memory.add(material("KNNNvK"));
    let layout = solved.index();
    let mut seen = 0;
    memory.distances(Metric::Dtc, &solved, &mut |_, part| {
        let rows = part.cells.chunks(Index::row_words(&**layout));
        for (cells, void) in rows.zip(part.void.chunks(Index::row_words(&**layout))) {
            for (high, low) in (0..64).flat_map(|high| (0..high).map(move |low| (high, low))) {
                let (a, b) = (high << 6 | low, low << 6 | high);
                assert_eq!((cells[a], void[a]), (cells[b], void[b]));
                seen += Bits(!void[a]).count();
            }
        }
    });
    assert!(seen > 1_000_000, "{seen}");
}
