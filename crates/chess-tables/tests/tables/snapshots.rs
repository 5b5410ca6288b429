//! Snapshots: what larger tables need of a solved one, kept for other runs.

use super::{material, read};
use duchamp_base::Control;
use duchamp_chess_tables::{GenerateError, GenerateOptions, Generator, Metric, Store, Summary};
use std::fs;
use std::path::Path;

fn generate(
    folder: &Path,
    name: &str,
    options: &GenerateOptions,
) -> Result<Summary, GenerateError> {
    let store = Store::open(folder);
    Generator::new(&store).run(&[material(name)], options, &Control::new(1), &mut |_| {})
}

/// A table generated alone from snapshots is the one generated in one run; a snapshot with any byte wrong is refused by
/// its name.
#[test]
fn a_table_is_made_of_good_snapshots_only() {
    let (folder, whole) = (tempfile::tempdir(), tempfile::tempdir());
    let (folder, whole) = (folder.expect("a folder"), whole.expect("a folder"));
    let all = GenerateOptions {
        metrics: Metric::ALL.to_vec(),
        ..GenerateOptions::default()
    };
    let keeping = GenerateOptions {
        keep_subs: true,
        ..all.clone()
    };
    let alone = GenerateOptions {
        only: true,
        ..all.clone()
    };
    generate(whole.path(), "KRvKR", &all).expect("made");
    generate(folder.path(), "KRvK", &keeping).expect("made");
    let path = folder.path().join("KRvK.sub");
    let good = read(folder.path(), "KRvK.sub");
    let assert_refused = |bytes: &[u8], what: &str| {
        fs::write(&path, bytes).expect("written");
        match generate(folder.path(), "KRvKR", &alone) {
            Err(GenerateError::Alone { missing, .. }) => assert_eq!(missing, ["KRvK.sub"]),
            other => panic!("{what}: {other:?}"),
        }
    };
    for at in (0..good.len())
        .step_by(1 + good.len() / 150)
        .chain(good.len() - 8..good.len())
    {
        let mut bad = good.clone();
        bad[at] ^= 4;
        assert_refused(&bad, &format!("byte {at}"));
    }
    for length in [0, 7, 39, 40, good.len() - 1] {
        assert_refused(&good[..length], &format!("length {length}"));
    }
    // Another table's.
    generate(
        whole.path(),
        "KQvK",
        &GenerateOptions {
            force: true,
            ..keeping
        },
    )
    .expect("made");
    assert_refused(&read(whole.path(), "KQvK.sub"), "KQvK");
    fs::write(&path, &good).expect("written");
    let made = generate(folder.path(), "KRvKR", &alone).expect("made");
    assert_eq!(made.made.len(), 1);
    for end in ["wdl", "dtm", "dtc", "dtz"] {
        let file = format!("KRvKR.{end}");
        assert!(
            read(folder.path(), &file) == read(whole.path(), &file),
            "{file}"
        );
    }
}
