//! The table machinery with chess's tables: solving in little memory, distances, both forms of files, damage,
//! snapshots, lists of tables, and the path of large tables.

mod counted;
mod distances;
mod forms;
mod large;
mod large_pawns;
mod large_zeroing;
mod memory;
mod sampled;
mod sealed;
mod small_chess;
mod snapshots;
mod specs;
mod spilled;
mod wrong_values;

use std::path::Path;

use duchamp_base::Control;
use duchamp_chess_tables::{Chess, Layout, Material, Solved, solve_below};
use duchamp_tablebase::{Form, Values, write_table};

fn material(name: &str) -> Material {
    name.parse().expect("a material")
}

/// The table of a material, solved to mate with all that it needs.
fn solve(material: Material) -> Solved {
    let control = Control::new(1);
    let subs = solve_below(material, &control).expect("solved");
    duchamp_chess_tables::solve(material, &subs, &control).expect("solved")
}

/// The bytes of a table's `.wdl` and `.dtm` file.
fn encode(form: Form, values: &impl Values<Index = Layout>) -> [Vec<u8>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    write_table::<Chess>(form, values, folder.path(), &Control::new(1)).expect("written");
    let name = values.index().material().name();
    ["wdl", "dtm"].map(|end| read(folder.path(), &format!("{name}.{end}")))
}

fn read(folder: &Path, file: &str) -> Vec<u8> {
    std::fs::read(folder.join(file)).expect("a file")
}

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }
}
