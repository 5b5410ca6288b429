//! Stopping the freezer anywhere loses nothing: the same call goes on and ends with the same values.

use duchamp_base::{Control, Gauge};
use duchamp_chess::{Bitboard, Color, NoOracle, Position};
use duchamp_proofs::freezer::{
    FreezeError, FreezeJob, FreezeLimits, Goal, Restricted, Rules, TableReport, solve,
};
use duchamp_retro::Halt;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// Bishop and knight against a king that is kept on the upper half; half a million entries, and mates of many levels.
fn rules() -> Rules {
    let start = Position::from_fen("5k2/5N2/5K2/5B2/8/8/8/8 w - - 0 1").expect("a position");
    let mut rules = Rules::free(start, Color::White, Goal::Win);
    rules.tables.max_men = 0;
    for man in &mut rules.men {
        man.allowed = Bitboard(!0 << 32);
    }
    rules
}

/// Rook and pawn against a queen with captures followed: some boxes, the largest of which are left out if few entries
/// are allowed.
fn chained() -> Rules {
    let start = Position::from_fen("8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1").expect("a position");
    let mut rules = Rules::free(start, Color::White, Goal::Draw);
    rules.tables.max_men = 0;
    rules.chain = 2;
    for man in &mut rules.men {
        man.allowed &= Bitboard(0x00FF_FFFF_00FF_FFFF);
    }
    rules
}

/// One call, stopped as soon as the share of exits that is known reaches `until`.
fn run(folder: Option<&Path>, until: Option<f64>) -> Result<Restricted, FreezeError> {
    run_with(rules, FreezeLimits::default(), folder, until)
}

fn run_with(
    rules: fn() -> Rules,
    limits: FreezeLimits,
    folder: Option<&Path>,
    until: Option<f64>,
) -> Result<Restricted, FreezeError> {
    let (control, gauge) = (Control::new(1), Gauge::default());
    let job = FreezeJob {
        limits,
        control: &control,
        folder,
        started: &|_, _| {},
        gauge: &gauge,
    };
    thread::scope(|scope| {
        let work = scope.spawn(|| solve(rules(), Arc::new(NoOracle), &job));
        while !work.is_finished() {
            if until.is_some_and(|until| gauge.share().is_some_and(|share| share >= until)) {
                control.cancel();
            }
            thread::yield_now();
        }
        work.join().expect("no panic")
    })
}

#[test]
fn stopped_work_goes_on() {
    let whole: Vec<TableReport> = run(None, None).expect("solved").reports();
    let folder = tempfile::tempdir().expect("a folder");
    let mut kinds = Vec::new();
    for until in [0.0, 0.1, 0.5, 0.9, 1.0, 1.0] {
        match run(Some(folder.path()), Some(until)) {
            Err(FreezeError::Halt(Halt::Cancelled(_))) => {}
            // Too fast for the stop.
            Ok(frozen) => assert_eq!(frozen.reports(), whole),
            Err(error) => panic!("{error}"),
        }
        for file in std::fs::read_dir(folder.path()).expect("a folder") {
            let path = file.expect("a file").path();
            kinds.push(path.extension().expect("a kind").to_owned());
        }
    }
    assert!(kinds.iter().any(|kind| kind == "exits"), "{kinds:?}");
    let frozen = run(Some(folder.path()), None).expect("solved");
    assert_eq!(frozen.reports(), whole);
}

#[test]
fn damaged_work_is_done_again() {
    let whole = run(None, None).expect("solved").reports();
    let folder = tempfile::tempdir().expect("a folder");
    for until in [0.5, 1.0] {
        let _stopped = run(Some(folder.path()), Some(until));
        for file in std::fs::read_dir(folder.path()).expect("a folder") {
            let path = file.expect("a file").path();
            let mut bytes = std::fs::read(&path).expect("readable");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x55;
            bytes.truncate(bytes.len() - usize::from(until < 1.0));
            std::fs::write(&path, bytes).expect("writable");
        }
        let frozen = run(Some(folder.path()), None).expect("solved");
        assert_eq!(frozen.reports(), whole);
    }
}

/// With another limit boxes get other numbers; what was kept under the old one is not taken for them.
#[test]
fn kept_boxes_are_told_apart_by_the_limit() {
    let limited = |entries| FreezeLimits {
        entries,
        ..FreezeLimits::default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = Vec::new();
    for entries in [3_000, 3_000_000] {
        let limits = limited(entries);
        let _stopped = run_with(chained, limits, Some(folder.path()), Some(1.0));
        let found = run_with(chained, limits, Some(folder.path()), None).expect("solved");
        let fresh = run_with(chained, limits, None, None).expect("solved");
        assert_eq!(found.reports(), fresh.reports(), "{entries}");
        seen.push(fresh.reports().len());
    }
    seen.dedup();
    assert!(seen.len() > 1, "{seen:?}");
}
