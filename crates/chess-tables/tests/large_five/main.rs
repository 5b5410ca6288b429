//! Tables of five men as large ones: coded files, slices of many rows, cursed wins. A program of its own, which no other test
//! command compiles: `cargo test --release -p duchamp-chess-tables --test large_five`.

#[path = "../tables/small_chess.rs"]
mod small_chess;

use duchamp_base::Control;
use duchamp_chess_tables::{Chess, GenerateOptions, Material, Metric, SyzygyExporter};
use duchamp_tablebase::{Counting, Generator, Store, side_stats};
use small_chess::{Generates, SmallChess};
use std::fs;
use std::path::Path;

fn material(name: &str) -> Material {
    name.parse().expect("a material")
}

/// Generates a table with all that it needs, and exports it to the same folder if asked to.
fn generate<G: Generates>(folder: &Path, name: &str, metrics: &[Metric], export: bool) {
    let store = Store::<G>::open(folder);
    let options = GenerateOptions {
        metrics: metrics.to_vec(),
        ..GenerateOptions::default()
    };
    let exporter = SyzygyExporter::new(folder).expect("a folder");
    let generator = Generator::new(&store);
    let generator = match export {
        true => generator.exporting(&exporter),
        false => generator,
    };
    let keys = [material(name)];
    let made = G::run(generator, &keys, &options, &Control::new(2), &mut |_| {});
    made.expect("made");
}

/// All files of one folder are in the other, with the same bytes.
fn assert_same_folders(folder: &Path, other: &Path) {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(folder), names(other));
    for name in names(folder) {
        let read = |folder: &Path| fs::read(folder.join(&name)).expect("a file");
        assert!(read(folder) == read(other), "{name:?}");
    }
}

#[test]
fn large_tables_of_five_men_are_the_ordinary_ones_byte_for_byte() {
    let [folder, whole] = [0; 2].map(|_| tempfile::tempdir().expect("a folder"));
    let metrics = [Metric::Dtm, Metric::Dtz];
    generate::<SmallChess<4>>(folder.path(), "KRPvKR", &metrics, false);
    generate::<Chess>(whole.path(), "KRPvKR", &metrics, false);
    assert_same_folders(folder.path(), whole.path());
}

/// Cursed wins and blessed losses, and like men.
#[test]
fn cursed_wins_of_large_tables_are_those_of_ordinary_ones() {
    let [folder, whole] = [0; 2].map(|_| tempfile::tempdir().expect("a folder"));
    generate::<SmallChess<4>>(folder.path(), "KBBvKN", &[Metric::Dtz], true);
    generate::<Chess>(whole.path(), "KBBvKN", &[Metric::Dtz], true);
    let store = Store::<Chess>::open(whole.path());
    let (key, counting) = (material("KBBvKN"), Counting::Once);
    let stats = side_stats(&store, key, Metric::Dtz, counting, &Control::new(2));
    let stats = stats.expect("made");
    let spoilt = stats.map(|side| side.counts.cursed + side.counts.blessed);
    assert!(spoilt.iter().all(|&count| count > 0), "{spoilt:?}");
    assert_same_folders(folder.path(), whole.path());
}
