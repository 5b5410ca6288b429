//! Stopping the freezer anywhere loses nothing: the same call goes on and ends with the same values.

use duchamp::base::{Control, Gauge};
use duchamp::chess::{Bitboard, Color, NoOracle, Position};
use duchamp::freezer::{BoxReport, FreezeError, Frozen, Goal, Job, Limits, Rules, solve};
use duchamp::retro::Halt;
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

/// One call, stopped as soon as the share of exits that is known reaches `until`.
fn run(folder: Option<&Path>, until: Option<f64>) -> Result<Frozen, FreezeError> {
    let (control, gauge) = (Control::new(1), Gauge::default());
    let job = Job {
        limits: Limits::default(),
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
    let whole: Vec<BoxReport> = run(None, None).expect("solved").reports();
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
