//! Tables solved in little memory are those of the fast way.

use super::{encode, material};
use duchamp_base::Control;
use duchamp_chess_tables::{
    Layout, Material, Solved, solve, solve_below, solve_spilled, solve_spilled_long,
};
use duchamp_tablebase::{Form, Index, PartRoom, SubTables, Values};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Solves what is requested, once.
#[derive(Default)]
struct Memory(Mutex<HashMap<Material, Arc<Solved>>>);

impl SubTables<Layout> for Memory {
    fn get(&self, material: Material) -> Option<Arc<Solved>> {
        let made = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = made().get(&material) {
            return Some(Arc::clone(table));
        }
        let table = solve(material, self, &Control::new(1)).ok()?;
        let table = Arc::new(table);
        made().insert(material, Arc::clone(&table));
        Some(table)
    }
}

/// All tables of four men without pawns: the values of the fast way, in one byte and in two.
#[test]
fn little_memory_gives_the_same_tables() {
    let memory = Memory::default();
    let folder = tempfile::tempdir().expect("a folder");
    let control = Control::new(1);
    for material in Material::all(4).into_iter().filter(|m| m.pawns() == 0) {
        let fast = memory.get(material).expect("solved");
        let slow = solve_spilled(material, &memory, folder.path(), &control);
        let slow = slow.expect("solved");
        let wide = solve_spilled_long(material, &memory, folder.path(), &control);
        let wide = wide.expect("solved");
        let layout = slow.index();
        let (mut room, mut wide_room) = (PartRoom::default(), PartRoom::default());
        for &side in layout.stored_sides() {
            for first in (0..Index::words(&**layout)).step_by(700) {
                let words = first..Index::words(&**layout).min(first + 700);
                let part = slow.read(side, words.clone(), &mut room).expect("readable");
                let wide = wide
                    .read(side, words.clone(), &mut wide_room)
                    .expect("readable");
                let mut none = PartRoom::default();
                let expected = fast.read(side, words, &mut none).expect("in memory");
                assert!(part.void == expected.void, "{material}");
                for (n, (cells, expected)) in part.cells.iter().zip(expected.cells).enumerate() {
                    for bit in (0..64).filter(|bit| part.void[n] >> bit & 1 == 0) {
                        assert_eq!(cells[bit], expected[bit], "{material} {n} {bit}");
                        assert_eq!(wide.cells[n][bit].value(), cells[bit].value());
                    }
                }
            }
        }
    }
}

/// Solved in little memory with two bytes a value and written as read: the files of the fast way.
#[test]
fn the_same_files_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let control = Control::new(1);
    for name in ["KQvK", "KRvKN", "KBNvK", "KRvKR", "KNNvK"] {
        let material = material(name);
        let subs = solve_below(material, &control).expect("solved");
        let fast = solve(material, &subs, &control).expect("solved");
        let slow = solve_spilled_long(material, &subs, folder.path(), &control);
        let slow = slow.expect("solved");
        for form in [Form::Coded, Form::Direct] {
            assert!(
                encode(form, &slow) == encode(form, &fast),
                "{name} {form:?}"
            );
        }
    }
}
