//! The slow verification and that of large samples: on good tables and on ones with one wrong value.

use super::{material, solve};
use duchamp_base::Control;
use duchamp_chess_tables::{
    Chess, GenerateOptions, Generator, Metric, Solved, Store, Verified, Verifier, VerifyOptions,
    seal,
};
use duchamp_retro::{Code, Side};
use duchamp_tablebase::{CellId, Form, Index, Rules, write_table};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// More than any table here has: each group of its positions is drawn once.
const ALL: u64 = 1 << 24;

/// Verifies a table, all of it or a sample.
fn verify(dir: &Path, name: &str, metric: Metric, sample: Option<u64>) -> Verified {
    let store = Store::open(dir);
    let options = VerifyOptions {
        metrics: vec![metric],
        sample,
        ..VerifyOptions::default()
    };
    let verifier = Verifier::new(&store);
    let results = verifier.verify(&[material(name)], &options, &Control::new(1), &mut |_| {});
    results.expect("verified").remove(0)
}

/// Writes KRvK with one legal cell of `side` changed, in both forms, and verifies it one by one and by groups.
fn verify_with(side: Side, change: impl Fn(Code) -> Option<Code>) -> Vec<Verified> {
    let material = material("KRvK");
    let control = Control::new(1);
    let solved = solve(material);
    let layout = Arc::clone(solved.index());
    let mut codes: Vec<Vec<Code>> = layout
        .stored_sides()
        .iter()
        .map(|&side| solved.side(side).codes.to_vec())
        .collect();
    let changed = (0..Index::cells(&*layout)).find_map(|cell| {
        Chess::position(&layout, CellId { side, cell })?;
        let code = codes[side.index()][cell as usize];
        Some((cell, change(code)?))
    });
    if let Some((cell, code)) = changed {
        codes[side.index()][cell as usize] = code;
    }
    let solved = Solved::from_codes(layout, codes);
    let mut results = Vec::new();
    for form in [Form::Direct, Form::Coded] {
        let dir = tempfile::tempdir().expect("a folder");
        write_table::<Chess>(form, &solved, dir.path(), &control).expect("written");
        for sample in [None, Some(ALL)] {
            results.push(verify(dir.path(), "KRvK", Metric::Dtm, sample));
        }
    }
    results
}

#[test]
fn right_tables_pass_and_wrong_values_are_found() {
    let right = verify_with(Side::First, |_| None);
    for one in &right {
        assert_eq!(one.errors, 0, "{:?}", one.first);
        // By groups, too, all positions once each.
        assert_eq!(one.positions, right[0].positions);
    }
    let wrong = |side, change: fn(Code) -> Option<Code>| {
        for wrong in verify_with(side, change) {
            assert!(wrong.errors > 0);
        }
    };
    wrong(Side::First, |code| {
        (code == Code::win(5)).then_some(Code::win(6))
    });
    wrong(Side::First, |code| {
        (code == Code::win(6)).then_some(Code::win(5))
    });
    wrong(Side::First, |code| code.is_win().then_some(Code::DRAW));
    wrong(Side::Second, |code| {
        (code == Code::DRAW).then_some(Code::loss(3))
    });
    wrong(Side::Second, |code| code.is_loss().then_some(Code::DRAW));
}

/// Where a file holds the lengths of losses, a small sample compares them, too.
#[test]
fn a_small_sample_finds_wrong_lengths_of_losses() {
    let control = Control::new(1);
    let dir = tempfile::tempdir().expect("a folder");
    let mut wrong_lengths = 0;
    for name in ["KRvKB", "KRvKN", "KQvKR", "KQvKB"] {
        let key = material(name);
        let options = GenerateOptions::default();
        let store = Store::open(dir.path());
        let made = Generator::new(&store).run(&[key], &options, &control, &mut |_| {});
        made.expect("the tables that it needs");
        let errors = |table: &Solved| {
            for ending in ["wdl", "dtm"] {
                let _ = fs::remove_file(dir.path().join(format!("{name}.{ending}")));
            }
            write_table::<Chess>(Form::Coded, table, dir.path(), &control).expect("written");
            let store = Store::open(dir.path());
            let table = store.table(key).expect("ready");
            let holds = |side| table.holds(Metric::Dtm, side).expect("a file")[1];
            let held = (0..2).any(holds);
            held.then(|| verify(dir.path(), name, Metric::Dtm, Some(1_000)).errors)
        };
        let right = solve(key);
        let Some(none) = errors(&right) else {
            continue;
        };
        assert_eq!(none, 0, "{name}");
        // Every third loss is two plies longer.
        let codes = right.index().stored_sides().iter().map(|&side| {
            let codes = right.side(side).codes.iter().enumerate();
            let wrong = codes.map(|(at, &code)| match code {
                Code(1..100) if at % 3 == 0 => Code(code.0 + 1),
                code => code,
            });
            wrong.collect()
        });
        let wrong = Solved::from_codes(Arc::clone(right.index()), codes.collect());
        // Few positions may be lost where a file holds those.
        wrong_lengths += errors(&wrong).unwrap_or(0);
    }
    assert!(wrong_lengths > 0);
}

/// Each number that a header counts is compared with the positions, by both verifiers.
#[test]
fn wrong_counts_are_found() {
    let dir = tempfile::tempdir().expect("a folder");
    let options = GenerateOptions {
        metrics: vec![Metric::Dtz],
        ..GenerateOptions::default()
    };
    let store = Store::open(dir.path());
    let made =
        Generator::new(&store).run(&[material("KPvK")], &options, &Control::new(1), &mut |_| {});
    made.expect("made");
    let files = ["wdl", "dtz"].map(|ending| dir.path().join(format!("KPvK.{ending}")));
    let good = [0, 1].map(|n| fs::read(&files[n]).expect("a file"));
    let errors = |change: &dyn Fn(&mut [Vec<u8>; 2])| {
        let mut bytes = good.clone();
        change(&mut bytes);
        let [wdl, dtz] = &mut bytes;
        seal(wdl);
        dtz[184..192].copy_from_slice(&wdl[192..200]);
        seal(dtz);
        (files.iter().zip(&bytes))
            .for_each(|(file, bytes)| fs::write(file, bytes).expect("written"));
        [false, true].map(|fast| {
            let options = VerifyOptions {
                metrics: vec![Metric::Dtz],
                fast,
                ..VerifyOptions::default()
            };
            let store = Store::open(dir.path());
            let found = Verifier::new(&store).verify(
                &[material("KPvK")],
                &options,
                &Control::new(1),
                &mut |_| {},
            );
            found.expect("verified").remove(0).errors
        })
    };
    assert_eq!(errors(&|_| ()), [0, 0]);
    // Won, drawn, lost; cursed and blessed; the longest win and loss.
    for side in [64, 120] {
        for number in [0, 8, 16, 32, 40, 48, 50] {
            let one_more = |bytes: &mut [Vec<u8>; 2]| bytes[1][side + number] ^= 1;
            assert_eq!(errors(&one_more), [1, 1], "{side} {number}");
        }
        let exchanged = |bytes: &mut [Vec<u8>; 2]| {
            let won: [u8; 8] = bytes[0][side..side + 8].try_into().expect("eight bytes");
            bytes[0].copy_within(side + 8..side + 16, side);
            bytes[0][side + 8..side + 16].copy_from_slice(&won);
        };
        assert_eq!(errors(&exchanged), [1, 1], "{side}");
    }
}

/// With pawns, en passant, identical sides, draws by lack of material, and in all metrics.
#[test]
fn large_samples_of_right_tables_pass() {
    const SAMPLE: u64 = 70_000;
    let dir = tempfile::tempdir().expect("a folder");
    let names = ["KPvKP", "KBNvK"];
    let options = GenerateOptions {
        metrics: Metric::DISTANCES.to_vec(),
        ..GenerateOptions::default()
    };
    let store = Store::open(dir.path());
    let keys = names.map(material);
    let made = Generator::new(&store).run(&keys, &options, &Control::new(2), &mut |_| {});
    made.expect("made");
    let passes = |name: &str, metric, sides: u64| {
        let result = verify(dir.path(), name, metric, Some(SAMPLE));
        assert_eq!(result.errors, 0, "{name}: {:?}", result.first);
        let share = result.positions as f64 / (sides * SAMPLE) as f64;
        assert!(
            result.sampled && (0.7..1.4).contains(&share),
            "{name}: {share}"
        );
        result.positions
    };
    let symmetric = Metric::DISTANCES.map(|metric| passes("KPvKP", metric, 1));
    // The same ones in each run.
    assert_eq!(symmetric, [symmetric[0]; 3]);
    passes("KBNvK", Metric::Dtm, 2);
}
