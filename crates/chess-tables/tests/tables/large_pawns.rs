//! Large tables with pawns, solved slice by slice: what the path of tables in memory gives.

use super::large::{Error, folders, generate, options};
use super::read;
use super::small_chess::SmallChess;
use duchamp_base::{Control, SharedList};
use duchamp_chess_tables::{Chess, GenerateOptions, Material, Metric, Step};
use duchamp_tablebase::{GenerateError, Summary};
use std::fs;
use std::path::Path;

/// One pawn of either side, solved in little memory; two, with and without en passant; promotions into large tables.
const NAMES: [&str; 6] = ["KRvKP", "KRPvK", "KBvKP", "KNPvK", "KPPvK", "KPvKP"];

const ENDS: [&str; 4] = ["wdl", "dtm", "dtc", "dtz"];

fn all() -> GenerateOptions {
    options(&[Metric::Dtm, Metric::Dtc, Metric::Dtz])
}

fn large(folder: &Path, names: &[&str], options: &GenerateOptions) -> Summary<Material> {
    let control = Control::new(2);
    generate::<SmallChess<3>>(folder, names, options, &control, &mut |_| {}).expect("made")
}

fn ordinary(folder: &Path, names: &[&str]) {
    let control = Control::new(2);
    generate::<Chess>(folder, names, &all(), &control, &mut |_| {}).expect("made");
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

fn assert_same_folders(folder: &Path, other: &Path) {
    assert_eq!(files(folder), files(other));
    for name in files(folder) {
        assert!(read(folder, &name) == read(other, &name), "{name}");
    }
}

#[test]
fn large_tables_with_pawns_are_the_ordinary_ones_byte_for_byte() {
    let [folder, whole] = folders();
    let (folder, whole) = (folder.path(), whole.path());
    large(folder, &NAMES, &all());
    ordinary(whole, &NAMES);
    assert_same_folders(folder, whole);
    let again = large(folder, &NAMES, &all());
    assert!(again.made.is_empty());
    // A single file that is missing: what it needs is solved again and not written.
    fs::remove_file(folder.join("KPPvK.dtz")).expect("removed");
    let made = large(folder, &["KPPvK"], &all()).made;
    assert_eq!(made.len(), 1);
    assert!(made[0].dtz_bytes > 0 && made[0].wdl_bytes == 0);
    assert_same_folders(folder, whole);
}

/// Stopped wherever it is, it goes on from the files that are there.
#[test]
fn a_stopped_generation_goes_on() {
    let [_, whole] = folders();
    let options = options(&[Metric::Dtz]);
    let control = Control::new(2);
    generate::<Chess>(whole.path(), &["KPPvK"], &options, &control, &mut |_| {}).expect("made");
    let [folder, _] = folders();
    for stop in [1, 7] {
        let control = Control::new(1);
        let mut solved = 0;
        let stopped: Result<_, Error> = generate::<SmallChess<3>>(
            folder.path(),
            &["KPPvK"],
            &options,
            &control,
            &mut |progress| {
                let large = progress.key.men() == 4;
                solved += usize::from(large && progress.step == Step::Solved);
                if solved >= stop {
                    control.cancel();
                }
            },
        );
        assert!(
            matches!(stopped, Err(GenerateError::Cancelled(_))),
            "{stopped:?}"
        );
        let left = files(folder.path());
        assert!(!left.iter().any(|name| name.ends_with("part")), "{left:?}");
    }
    large(folder.path(), &["KPPvK"], &options);
    assert_same_folders(folder.path(), whole.path());
}

/// Values that were left for larger tables stay as long as another run may read them, and go with the last one, also if
/// that one was killed.
#[test]
fn no_run_removes_what_another_may_read() {
    let [folder, whole] = folders();
    let (folder, whole) = (folder.path(), whole.path());
    ordinary(whole, &["KRPvK"]);
    let other = SharedList::join(&folder.join("temporary.list")).expect("joined");
    large(folder, &["KRPvK"], &all());
    for name in ["KQRvK.sub", "KRNvK.dtz.sub", "KPvK.sub", "temporary.list"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
    drop(other);
    // A list names no files but these.
    let diary = folder.join("diary.sub");
    fs::write(&diary, "dear diary").expect("written");
    let mut list = SharedList::join(&folder.join("temporary.list")).expect("joined");
    let names = ["diary.sub", "../diary", "KRPvK.wdl"].map(str::to_owned);
    list.edit(|list, _| list.extend(names)).expect("edited");
    drop(list);
    large(folder, &["KRPvK"], &all());
    fs::remove_file(diary).expect("still there");
    assert_same_folders(folder, whole);
}

/// What other processes need stays, and is all that they need.
#[test]
fn each_table_may_have_a_process_of_its_own() {
    let [folder, whole] = folders();
    let keeping = GenerateOptions {
        keep_subs: true,
        ..all()
    };
    let only = GenerateOptions {
        only: true,
        ..keeping.clone()
    };
    let refused = generate::<SmallChess<3>>(
        folder.path(),
        &["KRPvK"],
        &only,
        &Control::new(1),
        &mut |_| {},
    );
    let Err(GenerateError::Alone { missing, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(missing.contains(&"KPvK.sub".to_owned()), "{missing:?}");
    large(
        folder.path(),
        &["KPvK", "KQRvK", "KRRvK", "KRBvK", "KRNvK"],
        &keeping,
    );
    let made = large(folder.path(), &["KRPvK"], &only).made;
    assert_eq!(made.len(), 1);
    ordinary(whole.path(), &["KRPvK"]);
    for end in ENDS {
        let name = format!("KRPvK.{end}");
        assert!(
            read(folder.path(), &name) == read(whole.path(), &name),
            "{name}"
        );
    }
    for name in ["KRPvK.sub", "KRPvK.dtz.sub", "KPvK.sub"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
}

/// Values of another table, or damaged ones, are not taken.
#[test]
fn damaged_values_are_generated_again() {
    let [folder, whole] = folders();
    let keeping = GenerateOptions {
        keep_subs: true,
        ..all()
    };
    large(folder.path(), &["KQRvK"], &keeping);
    let path = folder.path().join("KQRvK.sub");
    let mut bytes = fs::read(&path).expect("there");
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    fs::write(&path, &bytes).expect("written");
    large(folder.path(), &["KRPvK"], &all());
    ordinary(whole.path(), &["KRPvK"]);
    for end in ENDS {
        let name = format!("KRPvK.{end}");
        assert!(
            read(folder.path(), &name) == read(whole.path(), &name),
            "{name}"
        );
    }
}
