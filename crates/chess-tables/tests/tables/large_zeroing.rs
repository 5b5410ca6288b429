//! Distances to zeroing of large tables and their export as Syzygy files: what the path of tables in memory gives.

use super::small_chess::{Generates, SmallChess};
use super::{material, read};
use duchamp_base::Control;
use duchamp_chess_tables::{Chess, GenerateOptions, Material, Metric, SyzygyExporter};
use duchamp_tablebase::{GenerateError, Generator, Store, Summary};
use std::fs;
use std::path::Path;

type Made = Result<Summary<Material>, GenerateError<Material>>;

fn options(export_only: bool) -> GenerateOptions {
    GenerateOptions {
        metrics: vec![Metric::Dtz],
        export_only,
        ..GenerateOptions::default()
    }
}

/// Generates tables and exports them to the same folder.
fn export<G: Generates>(folder: &Path, names: &[&str], options: &GenerateOptions) -> Made {
    let store = Store::<G>::open(folder);
    let keys: Vec<Material> = names.iter().map(|name| material(name)).collect();
    let exporter = SyzygyExporter::new(folder).expect("a folder");
    let generator = Generator::new(&store).exporting(&exporter);
    G::run(generator, &keys, options, &Control::new(2), &mut |_| {})
}

fn assert_same(folder: &Path, other: &Path, name: &str, ends: &[&str]) {
    for end in ends {
        let file = format!("{name}.{end}");
        assert!(read(folder, &file) == read(other, &file), "{file}");
    }
}

/// The names in a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Two men of each side, like men on the board's last places, symmetric tables, draws alone.
#[test]
fn large_tables_and_their_exports_are_the_ordinary_ones_byte_for_byte() {
    const NAMES: [&str; 6] = ["KQvKR", "KBNvK", "KBBvK", "KNNvK", "KRvKR", "KNvKN"];
    let [folder, whole] = [0; 2].map(|_| tempfile::tempdir().expect("a folder"));
    let (folder, whole) = (folder.path(), whole.path());
    let made = export::<SmallChess<3>>(folder, &NAMES, &options(false)).expect("made");
    export::<Chess>(whole, &NAMES, &options(false)).expect("made");
    for name in NAMES {
        assert_same(folder, whole, name, &["wdl", "dtz", "rtbw", "rtbz"]);
        let made = made.made.iter().find(|made| made.key == material(name));
        let made = made.expect("made");
        assert!(made.dtz_bytes > 0 && made.exported.len() == 2, "{name}");
        let size = fs::metadata(folder.join(format!("{name}.rtbz"))).expect("there");
        assert_eq!(made.exported[1], size.len(), "{name}");
    }
    assert_eq!(files(folder), files(whole));
    let again = export::<SmallChess<3>>(folder, &NAMES, &options(false)).expect("nothing to do");
    assert!(again.made.is_empty());
}

/// Nothing but the export is written, and only what is missing of it.
#[test]
fn a_large_table_is_exported_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let made = export::<SmallChess<3>>(folder, &["KQvKR"], &options(true)).expect("made");
    assert_eq!(made.made.len(), 3);
    let expected = ["KQvK", "KQvKR", "KRvK"].map(|name| ["rtbw", "rtbz"].map(|end| (name, end)));
    let expected = expected.as_flattened().iter();
    let expected: Vec<String> = expected
        .map(|(name, end)| format!("{name}.{end}"))
        .collect();
    assert_eq!(files(folder), expected);
    let before = read(folder, "KQvKR.rtbz");
    fs::remove_file(folder.join("KQvKR.rtbz")).expect("removed");
    let made = export::<SmallChess<3>>(folder, &["KQvKR"], &options(true)).expect("made");
    assert_eq!((made.made.len(), made.found), (1, 2));
    assert!(read(folder, "KQvKR.rtbz") == before);
}

#[test]
fn an_export_that_takes_more_memory_than_is_allowed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = GenerateOptions {
        memory: Some(100),
        ..options(true)
    };
    let made = export::<SmallChess<3>>(folder.path(), &["KQvKR"], &options);
    let Err(GenerateError::Memory { needed, .. }) = made else {
        panic!("{made:?}")
    };
    assert!(needed > 100 && files(folder.path()).is_empty());
}
