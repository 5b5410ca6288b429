//! Folders with files of another version, damaged files, files of other folders, and other processes at work.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use duchamp_base::{Control, LockFile};
use duchamp_tablebase::{GenerateOptions, Generator, Metric, Prober, Step, Store, seal};

use crate::game::Toy;
use crate::{copied, files, key, positions};

fn options(metrics: &[Metric]) -> GenerateOptions {
    GenerateOptions {
        metrics: metrics.to_vec(),
        ..GenerateOptions::default()
    }
}

fn generate(store: &Store<Toy>, name: &str, options: &GenerateOptions) {
    let made = Generator::new(store).run(&[key(name)], options, &Control::new(1), &mut |_| {});
    made.expect("generated");
}

/// Makes a file one of another version.
fn age(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[8..10].copy_from_slice(&77_u16.to_le_bytes());
    seal(&mut bytes);
    fs::write(path, bytes).expect("written");
}

/// They do not stop a generation that was not asked for them.
#[test]
fn files_of_another_version_stay_beside_new_ones() {
    let folder = copied();
    let good = files(folder.path());
    for metric in Metric::ALL {
        age(&folder.path().join(format!("KRvK.{}", metric.name())));
    }
    let store = Store::<Toy>::open(folder.path());
    assert!(!store.has(key("KRvK")));
    generate(&store, "KRvK", &options(&[Metric::Dtm]));
    let has = |metric| store.has_metric(key("KRvK"), metric);
    assert_eq!(Metric::ALL.map(has), [true, true, false, false]);
    let after = files(folder.path());
    let is_good = |ending: &str| {
        let name = format!("KRvK.{ending}");
        after[&name] == good[&name]
    };
    assert_eq!(["wdl", "dtm", "dtc"].map(is_good), [true, true, false]);
    // Asked for, they are replaced.
    generate(&store, "KRvK", &options(&Metric::DISTANCES));
    assert!(files(folder.path()) == good);
}

/// Not even if the own folder has a file of that name, which is of another version.
#[test]
fn no_file_is_added_to_a_table_of_another_folder() {
    let other = copied();
    for ending in ["dtc", "dtz"] {
        fs::remove_file(other.path().join(format!("KRvK.{ending}"))).expect("removed");
    }
    let before = files(other.path());
    let own = tempfile::tempdir().expect("a folder");
    let old = own.path().join("KRvK.wdl");
    fs::write(&old, &before["KRvK.wdl"]).expect("written");
    age(&old);
    let store = Store::<Toy>::open_with(own.path(), &[other.path().to_owned()]);
    assert!(store.has_metric(key("KRvK"), Metric::Dtm));
    generate(&store, "KRvK", &options(&Metric::DISTANCES));
    let alone = Store::<Toy>::open(own.path());
    for metric in Metric::ALL {
        assert!(store.has_metric(key("KRvK"), metric));
        assert!(alone.has_metric(key("KRvK"), metric));
    }
    assert!(files(other.path()) == before);
}

/// A damaged file of distances cannot be set aside: results and the other distances stay in use.
#[test]
fn a_damaged_file_leaves_those_beside_it_in_use() {
    let other = copied();
    let path = other.path().join("KRvKR.dtm");
    let good = fs::read(&path).expect("a file");
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    fs::write(&path, &bad).expect("written");
    let own = tempfile::tempdir().expect("a folder");
    let store = Store::<Toy>::open_with(own.path(), &[other.path().to_owned()]);
    let prober = Prober::new(&store);
    let mut of_table = positions(key("KRvKR"));
    assert!(of_table.any(|position| prober.value(&position, Metric::Dtm).is_err()));
    assert!(!store.has_metric(key("KRvKR"), Metric::Dtm));
    for position in positions(key("KRvKR")).step_by(50) {
        assert!(prober.wdl(&position).is_ok());
        assert!(prober.value(&position, Metric::Dtc).is_ok());
    }
    assert_eq!(store.rescan(), 0);
    fs::write(&path, &good).expect("written");
    let file = fs::File::options().append(true).open(&path);
    let later = SystemTime::now() + Duration::from_secs(5);
    file.expect("a file").set_modified(later).expect("a time");
    assert_eq!(store.rescan(), 1);
    assert!(store.has_metric(key("KRvKR"), Metric::Dtm));
}

#[cfg(unix)]
#[test]
fn an_unchanged_folder_is_not_looked_through() {
    let folder = copied();
    let past = SystemTime::now() - Duration::from_secs(60);
    let turn_back = || {
        let dir = fs::File::open(folder.path()).expect("a folder");
        dir.set_modified(past).expect("a time");
    };
    let path = folder.path().join("KRvK.wdl");
    let bytes = fs::read(&path).expect("a file");
    fs::remove_file(&path).expect("removed");
    turn_back();
    let store = Store::<Toy>::open(folder.path());
    assert!(!store.has(key("KRvK")));
    fs::write(&path, bytes).expect("written");
    turn_back();
    assert_eq!(store.rescan(), 0);
    fs::write(folder.path().join("news"), "").expect("written");
    assert_eq!(store.rescan(), 1);
}

/// A table that another process generates is not waited for as long as there are others.
#[test]
fn large_tables_are_shared_out() {
    let names = ["KRvKR", "KRRvK"];
    let counted = GenerateOptions {
        count_only: true,
        ..GenerateOptions::default()
    };
    for taken in names {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::<Toy>::open(folder.path());
        let lock = LockFile::try_acquire(&folder.path().join(format!("{taken}.lock")));
        let mut lock = lock.expect("no error");
        let mut ready = Vec::new();
        let made = Generator::new(&store).run(
            &names.map(key),
            &counted,
            &Control::new(1),
            &mut |progress| match progress.step {
                Step::Waiting(_) => drop(lock.take()),
                Step::Ready => ready.push(progress.key.to_string()),
                _ => {}
            },
        );
        assert_eq!(made.expect("counted").made.len(), 2);
        assert_eq!(ready.last().map(String::as_str), Some(taken), "{ready:?}");
    }
}

/// What was counted on and is gone is named, with what to do.
#[test]
fn a_snapshot_that_vanishes_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::<Toy>::open(folder.path());
    let keeping = GenerateOptions {
        keep_subs: true,
        ..options(&[Metric::Dtm])
    };
    generate(&store, "KRvK", &keeping);
    let path = folder.path().join("KRvK.sub");
    assert!(path.is_file());
    let made = Generator::new(&store).run(
        &[key("KRRvK")],
        &options(&[Metric::Dtm]),
        &Control::new(1),
        &mut |_| {
            let _ = fs::remove_file(&path);
        },
    );
    let error = made.expect_err("nothing to read").to_string();
    assert!(error.ends_with("KRvK.sub is gone: start again"), "{error}");
}
