//! The path of large tables, which are solved and written in little memory: in a chess whose large tables are small.

use super::small_chess::{Generates, SmallChess};
use super::{material, read};
use duchamp_base::{Control, LockFile};
use duchamp_chess_tables::{Chess, GenerateOptions, Made, Material, Metric, Progress, Step};
use duchamp_tablebase::{Game, GenerateError, Generator, Store, Summary};
use std::fs;
use std::path::Path;

pub(super) type Error = GenerateError<Material>;

pub(super) fn options(metrics: &[Metric]) -> GenerateOptions {
    GenerateOptions {
        metrics: metrics.to_vec(),
        ..GenerateOptions::default()
    }
}

/// Everything that large tables have.
fn all() -> GenerateOptions {
    options(&[Metric::Dtm, Metric::Dtc])
}

pub(super) fn generate<G: Generates>(
    folder: &Path,
    names: &[&str],
    options: &GenerateOptions,
    control: &Control,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary<Material>, Error> {
    let store = Store::<G>::open(folder);
    let keys: Vec<Material> = names.iter().map(|name| material(name)).collect();
    G::run(Generator::new(&store), &keys, options, control, progress)
}

/// Generates as large tables.
fn large(folder: &Path, names: &[&str], options: &GenerateOptions) -> Summary<Material> {
    let control = Control::new(2);
    generate::<SmallChess<3>>(folder, names, options, &control, &mut |_| {}).expect("made")
}

/// Generates as ordinary tables.
fn ordinary(folder: &Path, names: &[&str]) -> Summary<Material> {
    generate::<Chess>(folder, names, &all(), &Control::new(2), &mut |_| {}).expect("made")
}

fn assert_same_files(folder: &Path, other: &Path, name: &str) {
    for end in ["wdl", "dtm", "dtc"] {
        let file = format!("{name}.{end}");
        assert!(read(folder, &file) == read(other, &file), "{file}");
    }
}

/// Nothing but tables lies in the folder: no locks, no unfinished files.
fn assert_tidy(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let end = entry.path().extension().map(|end| end.to_owned());
        let is_table = end.is_some_and(|end| end == "wdl" || end == "dtm" || end == "dtc");
        assert!(is_table, "{:?}", entry.file_name());
    }
}

pub(super) fn folders() -> [tempfile::TempDir; 2] {
    [0; 2].map(|_| tempfile::tempdir().expect("a folder"))
}

fn bytes(made: &Made) -> [u64; 3] {
    [made.wdl_bytes, made.dtm_bytes, made.dtc_bytes]
}

/// Two men of each side, two identical pieces, a symmetric table, mates, stalemates and draws alone.
#[test]
fn large_tables_are_the_ordinary_ones_byte_for_byte() {
    const NAMES: [&str; 5] = ["KQvKR", "KBNvK", "KNNvK", "KRvKR", "KNvKN"];
    let [folder, whole] = folders();
    assert!(SmallChess::<3>::is_large(material("KQvKR")) && !Chess::is_large(material("KQvKR")));
    let made = large(folder.path(), &NAMES, &all()).made;
    let expected = ordinary(whole.path(), &NAMES).made;
    for name in NAMES {
        assert_same_files(folder.path(), whole.path(), name);
        let of = |made: &[Made]| {
            let made = made.iter().find(|made| made.key == material(name));
            let made = made.expect("made");
            (made.counts, bytes(made))
        };
        assert_eq!(of(&made), of(&expected), "{name}");
    }
    assert_tidy(folder.path());
    // All that they need was generated as ordinary tables before.
    let large_ones = made.iter().map(|made| made.key.men() > 3);
    assert!(large_ones.is_sorted());
    assert_eq!(made.len(), expected.len());
}

/// The share of all work, and of the table's, grows from step to step and ends at one.
#[test]
fn progress_tells_a_true_share() {
    const NAMES: [&str; 2] = ["KQvKR", "KBNvK"];
    let [folder, _] = folders();
    let mut told: Vec<Progress> = Vec::new();
    let control = Control::new(1);
    let made =
        generate::<SmallChess<3>>(folder.path(), &NAMES, &all(), &control, &mut |progress| {
            told.push(progress.clone());
        });
    let made = made.expect("made").made.len();
    assert!(told.iter().all(|progress| progress.total == made));
    assert!(
        told.iter()
            .all(|progress| (0.0..=1.0).contains(&progress.share))
    );
    let last = told.last().expect("told");
    assert_eq!((&last.step, last.done), (&Step::Ready, made));
    assert!(last.share == 1.0 && last.part == 1.0, "{last:?}");
    assert_eq!(last.left, std::time::Duration::ZERO);
    // From the last small table on nothing goes back; at each step there is more done than at the one before.
    let first = told.iter().position(|progress| progress.key.men() == 4);
    let large = &told[first.expect("a large table")..];
    assert!(large.is_sorted_by(|a, b| a.share <= b.share), "{large:?}");
    assert!(large[0].share > 0.0 && large[0].share < 1.0);
    for name in NAMES {
        let own: Vec<&Progress> = large
            .iter()
            .filter(|progress| progress.key == material(name))
            .collect();
        let mut steps: Vec<(&Step, f64)> = own.iter().map(|p| (&p.step, p.part)).collect();
        // Told again while it lasts.
        steps.dedup_by_key(|(step, _)| *step);
        let (names, parts): (Vec<&Step>, Vec<f64>) = steps.into_iter().unzip();
        let pass = [&Step::Solving, &Step::Solved];
        assert_eq!(
            names,
            [&pass[..], &pass, &[&Step::Ready]].concat(),
            "{name}"
        );
        assert!(parts.is_sorted_by(|a, b| a < b), "{name} {parts:?}");
        assert!(own.is_sorted_by(|a, b| a.part <= b.part), "{name}");
    }
}

/// A large table takes days: its watchers hear of it while it is at work, and can stop it.
#[test]
fn a_table_at_work_is_told_again() {
    let [folder, whole] = folders();
    let control = Control::new(1);
    let mut times = 0;
    let made = generate::<SmallChess<3>>(
        folder.path(),
        &["KQvKR"],
        &all(),
        &control,
        &mut |progress| {
            if progress.key == material("KQvKR") && progress.step == Step::Solving {
                times += 1;
                match times {
                    1 => control.pause(),
                    3 => control.resume(),
                    _ => {}
                }
            }
        },
    );
    made.expect("made");
    assert!(times >= 3);
    ordinary(whole.path(), &["KQvKR"]);
    assert_same_files(folder.path(), whole.path(), "KQvKR");
}

#[test]
fn what_is_there_stays_and_what_is_missing_is_made() {
    let [folder, whole] = folders();
    let made = large(folder.path(), &["KQvKR"], &options(&[Metric::Dtm])).made;
    let [wdl, dtm, dtc] = bytes(made.last().expect("made"));
    assert!(wdl > 0 && dtm > 0 && dtc == 0);
    let made = large(folder.path(), &["KQvKR"], &all()).made;
    let [wdl, dtm, dtc] = bytes(made.last().expect("made"));
    assert!(wdl == 0 && dtm == 0 && dtc > 0);
    fs::remove_file(folder.path().join("KQvKR.dtm")).expect("removed");
    let made = large(folder.path(), &["KQvKR"], &all()).made;
    assert_eq!(made.len(), 1);
    let [wdl, dtm, dtc] = bytes(&made[0]);
    assert!(wdl == 0 && dtm > 0 && dtc == 0);
    ordinary(whole.path(), &["KQvKR"]);
    assert_same_files(folder.path(), whole.path(), "KQvKR");
    let summary = large(folder.path(), &["KQvKR"], &all());
    assert_eq!((summary.made.len(), summary.found), (0, 3));
    assert_tidy(folder.path());
}

/// Stopped as it begins to solve for the first or the second time, it leaves whole files, and goes on where it was.
#[test]
fn a_stopped_generation_goes_on() {
    let [_, whole] = folders();
    ordinary(whole.path(), &["KQvKR"]);
    for (stop, left) in [(1, [false; 3]), (2, [true, true, false])] {
        let [folder, _] = folders();
        let control = Control::new(1);
        let mut passes = 0;
        let mut last = None;
        let stopped = generate::<SmallChess<3>>(
            folder.path(),
            &["KQvKR"],
            &all(),
            &control,
            &mut |progress| {
                if progress.key == material("KQvKR") {
                    let step = Some(progress.step.clone());
                    passes += u8::from(step == Some(Step::Solving) && last != step);
                    last = step;
                    if passes == stop {
                        control.cancel();
                    }
                }
            },
        );
        assert!(
            matches!(stopped, Err(GenerateError::Cancelled(_))),
            "{stopped:?}"
        );
        assert_tidy(folder.path());
        let there = |end: &str| folder.path().join(format!("KQvKR.{end}")).is_file();
        assert_eq!(["wdl", "dtm", "dtc"].map(there), left);
        large(folder.path(), &["KQvKR"], &all());
        assert_same_files(folder.path(), whole.path(), "KQvKR");
    }
}

/// Another process generates the table: it is waited for, and cancelling ends the wait.
#[test]
fn a_lock_is_waited_for() {
    let [folder, whole] = folders();
    ordinary(whole.path(), &["KQvKR"]);
    let lock = || {
        let lock = LockFile::try_acquire(&folder.path().join("KQvKR.lock"));
        lock.expect("no error").expect("free")
    };
    let run = |control: &Control, waiting: &mut dyn FnMut(&str)| {
        let mut steps = Vec::new();
        let result = generate::<SmallChess<3>>(
            folder.path(),
            &["KQvKR"],
            &all(),
            control,
            &mut |progress| {
                if let Step::Waiting(holder) = &progress.step {
                    waiting(holder);
                }
                if progress.key == material("KQvKR") {
                    steps.push(progress.step.clone());
                }
            },
        );
        (result, steps)
    };
    // Cancelled.
    let held = lock();
    let control = Control::new(1);
    let (stopped, steps) = run(&control, &mut |holder| {
        assert!(
            holder.contains(&format!("pid {}", std::process::id())),
            "{holder}"
        );
        control.cancel();
    });
    assert!(
        matches!(stopped, Err(GenerateError::Cancelled(_))),
        "{stopped:?}"
    );
    assert!(matches!(steps[..], [Step::Waiting(_)]), "{steps:?}");
    drop(held);
    // Made by its holder meanwhile.
    let mut held = Some(lock());
    let (made, steps) = run(&Control::new(1), &mut |_| {
        for end in ["wdl", "dtm", "dtc"] {
            let file = format!("KQvKR.{end}");
            fs::copy(whole.path().join(&file), folder.path().join(&file)).expect("copied");
        }
        held = None;
    });
    let made = made.expect("made");
    assert_eq!((made.made.len(), made.shared), (0, 1));
    assert!(
        matches!(steps[..], [Step::Waiting(_), Step::Ready]),
        "{steps:?}"
    );
    // Not made: its holder died.
    for end in ["wdl", "dtm", "dtc"] {
        fs::remove_file(folder.path().join(format!("KQvKR.{end}"))).expect("removed");
    }
    let mut held = Some(lock());
    let (made, _) = run(&Control::new(1), &mut |_| held = None);
    assert_eq!(made.expect("made").made.len(), 1);
    assert_same_files(folder.path(), whole.path(), "KQvKR");
    assert_tidy(folder.path());
}

#[test]
fn too_little_memory_is_told_before_anything_is_made() {
    let [folder, _] = folders();
    let options = GenerateOptions {
        memory: Some(8),
        ..all()
    };
    let control = Control::new(1);
    let made =
        generate::<SmallChess<3>>(folder.path(), &["KQvKR"], &options, &control, &mut |_| {
            panic!("nothing is begun")
        });
    let Err(GenerateError::Memory {
        key,
        needed,
        allowed,
    }) = made
    else {
        panic!("{made:?}")
    };
    assert_eq!((key, allowed), (material("KQvKR"), 8));
    assert!(needed > allowed);
}
