//! Table files that are whole but untrue: whatever they say, probing ends, and with an error where values contradict each other.

use crate::damage::copy;
use duchamp_base::{Control, Value};
use duchamp_chess::Position;
use duchamp_chess_tables::{GenerateOptions, Generator, Prober, Store, parse_specs, seal};
use duchamp_tablebase::Unready;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// A folder with the tables of a queen or a rook against the bare king, and all that they need.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    generate(&Prober::open(folder.path()), "KQK KRK");
    folder
}

fn generate(tables: &Prober, specs: &str) {
    Generator::new(tables.store())
        .run(
            &parse_specs(specs).expect("a list"),
            &GenerateOptions::default(),
            &Control::new(1),
            &mut |_| {},
        )
        .expect("generated");
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("a file");
    change(&mut bytes);
    seal(&mut bytes);
    fs::write(path, bytes).expect("written");
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn queen(turn: &str) -> Position {
    Position::from_fen(&format!("8/8/8/8/8/2k5/8/KQ6 {turn} - - 0 1")).expect("legal")
}

/// Of the two blocks of a `.wdl` file, one a side, the second stands for both: every position is lost.
fn all_lost(bytes: &mut Vec<u8>) {
    let index = u64_at(bytes, 40) as usize;
    let start = u64_at(bytes, index) as usize;
    let length = |n: usize| {
        let at = index + 8 + 3 * n;
        usize::from(bytes[at]) | usize::from(bytes[at + 1]) << 8 | usize::from(bytes[at + 2]) << 16
    };
    let block = bytes[start + length(0)..][..length(1)].to_vec();
    let mut group = bytes[index..].to_vec();
    group[..8].copy_from_slice(&200_u64.to_le_bytes());
    let second = [group[11], group[12], group[13]];
    group[8..11].copy_from_slice(&second);
    bytes.truncate(200);
    bytes.extend([&block[..], &block[..]].concat());
    let index = bytes.len() as u64;
    bytes.extend(group);
    let length = bytes.len() as u64;
    bytes[40..48].copy_from_slice(&index.to_le_bytes());
    bytes[48..56].copy_from_slice(&length.to_le_bytes());
}

/// Both sides lost everywhere: a loss is found by its moves, which all lead to losses.
#[test]
fn values_that_contradict_each_other_are_an_error() {
    let folder = folder();
    let file = |ending: &str| folder.path().join(format!("KQvK.{ending}"));
    edit(&file("wdl"), all_lost);
    let sum = fs::read(file("wdl")).expect("a file")[192..200].to_vec();
    edit(&file("dtm"), |bytes| bytes[184..192].copy_from_slice(&sum));
    let tables = Prober::open(folder.path());
    let error = tables.probe(&queen("w")).expect_err("no value");
    assert!(error.to_string().contains("contradict"), "{error}");
    assert!(
        tables.probe(&queen("w")).is_err(),
        "and it is not used again"
    );
    tables.store().rescan();
    assert!(tables.probe(&queen("w")).is_err(), "nor opened again");
    assert_eq!(
        tables
            .probe(&Position::from_fen("8/8/8/8/8/2k5/8/KR6 b - - 0 1").expect("legal"))
            .map(Value::wdl),
        Ok(duchamp_base::Wdl::Loss)
    );
}

/// A file of distances that says it holds neither wins nor losses is no file of distances.
#[test]
fn distances_that_hold_nothing_are_refused() {
    let folder = folder();
    edit(&folder.path().join("KQvK.dtm"), |bytes| {
        // The coded form, with no class of any side.
        bytes[12..16].copy_from_slice(&4096_u32.to_le_bytes());
        bytes[176..180].copy_from_slice(&3_u32.to_le_bytes());
    });
    let tables = Prober::open(folder.path());
    assert!(tables.probe(&queen("w")).is_err());
}

/// A damaged table of a folder that is only read is told of once, left where it is, and used again when it has changed;
/// whether a block (byte 200) or the header is damaged, and also if the folder lies in the own one.
#[test]
fn damage_in_another_folder_does_not_come_back() {
    for (byte, within) in [(200, false), (200, true), (60, false), (60, true)] {
        let good = folder();
        let (own, beside) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let other = if within { &own } else { &beside }.path().join("old");
        fs::create_dir(&other).expect("a folder");
        copy(good.path(), &other);
        let path = other.join("KQvK.wdl");
        let mut bytes = fs::read(&path).expect("a file");
        bytes[byte] ^= 1;
        fs::write(&path, &bytes).expect("written");
        let store = Store::open_with(own.path(), std::slice::from_ref(&other));
        let tables = Prober::new(store);
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&told);
        tables
            .store()
            .on_event(move |event| heard.lock().expect("no panic").push(format!("{event:?}")));
        for _ in 0..3 {
            assert!(tables.probe(&queen("w")).is_err());
            assert_eq!(tables.store().rescan(), 0);
        }
        {
            let told = told.lock().expect("no panic");
            assert_eq!(told.len(), 1, "{byte}: {told:?}");
            let place = other.display().to_string();
            assert!(told[0].contains(&place), "{told:?}");
        }
        assert!(path.is_file());
        fs::copy(good.path().join("KQvK.wdl"), &path).expect("copied");
        let later = SystemTime::now() + Duration::from_secs(5);
        let file = fs::File::options()
            .append(true)
            .open(&path)
            .expect("a file");
        file.set_modified(later).expect("a time");
        assert_eq!(tables.store().rescan(), 1);
        assert!(tables.probe(&queen("w")).is_ok());
    }
}

/// Beside a damaged file one that cannot be read now (here for want of rights) keeps its name. The superuser reads
/// everything, so for him there is nothing to see.
#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_not_taken_for_damaged() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let [wdl, dtm] = ["wdl", "dtm"].map(|ending| folder.path().join(format!("KQvK.{ending}")));
    let mut bytes = fs::read(&dtm).expect("a file");
    bytes[200] ^= 1;
    fs::write(&dtm, &bytes).expect("written");
    let tables = Prober::open(folder.path());
    fs::set_permissions(&wdl, fs::Permissions::from_mode(0o0)).expect("rights");
    assert!(tables.probe(&queen("w")).is_err());
    assert!(wdl.is_file() && !dtm.is_file());
}

/// Files of another version are told of and left to that version.
#[test]
fn files_of_another_version_stay() {
    let folder = folder();
    let path = folder.path().join("KQvK.wdl");
    edit(&path, |bytes| {
        bytes[8..10].copy_from_slice(&77_u16.to_le_bytes())
    });
    let tables = Prober::open(folder.path());
    assert!(tables.probe(&queen("w")).is_err());
    assert!(path.is_file() && !folder.path().join("KQvK.wdl.bad").exists());
    let unready = tables.store().unready();
    assert!(
        unready
            .iter()
            .any(|(_, state)| *state == Unready::OtherVersion),
        "{unready:?}"
    );
    // Generation takes their place.
    generate(&tables, "KQK");
    assert!(tables.probe(&queen("w")).is_ok());
}
