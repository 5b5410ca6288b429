//! The fast verification against the slow one: on good tables and on tables with one wrong value.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::run::ChessAudit;
use crate::{
    Chess, GenerateOptions, Generator, Material, Metric, Solved, Store, Verified, Verifier,
    VerifyOptions, parse_specs,
};
use duchamp_base::{Control, Gauge};
use duchamp_retro::{Bits, Code};
use duchamp_tablebase::{AllSubs, Audit, Form, Index, solve, write_table};

fn verify(dir: &Path, material: Material, fast: bool) -> Verified {
    let options = VerifyOptions {
        fast,
        ..VerifyOptions::default()
    };
    let store = Store::open(dir);
    let verifier = Verifier::new(&store);
    let verified = verifier.verify(&[material], &options, &Control::new(1), &mut |_| {});
    verified.expect("verified").remove(0)
}

/// Writes the files of a table in place of those that are there.
fn write(dir: &Path, solved: &Solved) {
    write_table::<Chess>(Form::Direct, solved, dir, &Control::new(1)).expect("written");
}

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// Generates tables.
fn make(dir: &Path, materials: &[Material], options: &GenerateOptions) -> Arc<Store> {
    let store = Store::open(dir);
    let made = Generator::new(&store).run(materials, options, &Control::new(1), &mut |_| {});
    made.expect("made");
    store
}

/// Ways to change a value; `None`: this one cannot be changed so.
const CHANGES: [fn(Code) -> Option<Code>; 8] = [
    |code| (code.is_win() && code.0 > 130).then(|| Code(code.0 - 1)),
    |code| (code.is_win() && code.0 < 255).then(|| Code(code.0 + 1)),
    |code| code.is_win().then_some(Code::DRAW),
    |code| code.is_win().then_some(Code::loss(3)),
    |code| code.is_loss().then_some(Code::DRAW),
    |code| code.is_loss().then_some(Code::win(4)),
    |code| (code == Code::DRAW).then_some(Code::win(2)),
    |code| (code == Code::DRAW).then_some(Code::loss(2)),
];

/// Writes a table with one value changed, or (`change` too large) two of them swapped; returns whether that was
/// possible.
fn damage(dir: &Path, solved: &Solved, change: usize, random: &mut Random) -> bool {
    let layout = Arc::clone(solved.index());
    let mut sides: Vec<Vec<Code>> = layout
        .stored_sides()
        .iter()
        .map(|&side| solved.side(side).codes.to_vec())
        .collect();
    let side = random.below(sides.len());
    let to_move = layout.stored_sides()[side];
    let start = random.below(layout.words());
    let cells = (0..layout.words()).flat_map(|n| {
        let word = (start + n) % layout.words();
        let kept = Index::legal(&*layout, to_move, word) & Index::canonical(&*layout, word);
        Bits(kept).map(move |bit| word * 64 + bit)
    });
    let codes = &mut sides[side];
    let mut cells = cells.skip(random.below(64));
    match CHANGES.get(change) {
        Some(change) => {
            let Some((cell, code)) = cells.find_map(|cell| Some((cell, change(codes[cell])?)))
            else {
                return false;
            };
            codes[cell] = code;
        }
        None => {
            let Some(first) = cells.next() else {
                return false;
            };
            let Some(second) = cells.find(|&cell| {
                // Lengths of losses are not in the files.
                let both_lost = codes[cell].is_loss() && codes[first].is_loss();
                codes[cell] != codes[first] && !both_lost
            }) else {
                return false;
            };
            codes.swap(first, second);
        }
    }
    let damaged = Solved::from_codes(layout, sides);
    write(dir, &damaged);
    true
}

/// Damages tables in turn, in each of these ways, and has the damage found, by the slow verification too.
fn damage_all(
    materials: &[Material],
    changes: impl Fn(usize) -> Vec<usize>,
    slow: impl Fn(Material) -> bool,
) {
    let dir = tempfile::tempdir().expect("a folder");
    let control = Control::new(1);
    make(dir.path(), materials, &GenerateOptions::default());
    let mut random = Random(88_172_645_463_325_252);
    for (n, &material) in materials.iter().enumerate() {
        assert_eq!(verify(dir.path(), material, true).errors, 0, "{material}");
        let subs = AllSubs::<Chess>::new(material, &control).expect("solved");
        let solved = solve::<Chess>(material, &subs, &control).expect("solved");
        for change in changes(n) {
            if !damage(dir.path(), &solved, change, &mut random) {
                continue;
            }
            let fast = verify(dir.path(), material, true);
            assert!(fast.errors > 0, "{material}, change {change}");
            if slow(material) {
                let slow = verify(dir.path(), material, false);
                assert!(slow.errors > 0, "{material}, change {change}");
                assert_eq!(slow.positions, fast.positions);
            }
        }
        // As it was, for tables whose moves lead to it.
        write(dir.path(), &solved);
    }
}

/// What is brought from the shelf or from files, slice by slice, is what is in memory otherwise.
#[test]
fn small_tables_pass_as_large_ones() {
    let dir = tempfile::tempdir().expect("a folder");
    let control = Control::new(1);
    let materials = parse_specs("KPvK KQPvK KPPvK KPvKP").expect("materials");
    let options = GenerateOptions {
        metrics: Metric::DISTANCES.to_vec(),
        ..GenerateOptions::default()
    };
    let store = make(dir.path(), &materials, &options);
    for (metric, names) in [
        (Metric::Dtm, "KPvK KQPvK"),
        (Metric::Dtc, "KPvK KPvKP"),
        (Metric::Dtz, "KPvK KPPvK"),
    ] {
        for material in parse_specs(names).expect("materials") {
            let wrong = AtomicU64::new(0);
            let counts = [material.men() - 1, 4].map(|small| {
                let mut audit = ChessAudit::new(&store, metric, dir.path()).with_small(small);
                let gauge = Gauge::default();
                let counts = audit.verify(material, false, (&gauge, &control), &|_, _, _| {
                    wrong.fetch_add(1, Ordering::Relaxed);
                });
                assert_eq!(gauge.share(), Some(1.0), "{material} {metric:?}");
                counts.expect("verified")
            });
            assert_eq!(wrong.into_inner(), 0, "{material} {metric:?}");
            assert_eq!(counts[0], counts[1], "{material} {metric:?}");
        }
    }
}

#[test]
fn damage_is_found() {
    let materials = parse_specs("3 KRvKN KBBvK KRvKR KRvKP KPvKP").expect("materials");
    let all = 0..=CHANGES.len();
    damage_all(
        &materials,
        |n| {
            if n < 5 {
                all.clone().collect()
            } else {
                vec![n % all.end(), 8]
            }
        },
        |material| material.men() == 3,
    );
}

/// Every table of three and four men, every change, both ways to verify.
#[test]
#[ignore = "takes an hour of processor time, nearly all of it for the slow verification"]
fn damage_to_any_table_is_found_by_both() {
    let materials = parse_specs("all4").expect("materials");
    damage_all(&materials, |_| (0..=CHANGES.len()).collect(), |_| true);
}
