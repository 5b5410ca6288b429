//! A box without rules is the whole ending: its values are those of the table.

use crate::common::Random;
use crate::common::pawns::{fen, scatter, tables};
use duchamp_base::{Control, Gauge, Wdl};
use duchamp_chess::{Color, Oracle, Position};
use duchamp_chess_tables::{GenerateOptions, Generator, Prober, parse_specs};
use duchamp_proofs::freezer::{FreezeJob, FreezeLimits, Goal, Restricted, Rules, solve};

/// Solves an ending without rules; it needs tables with fewer men, and for those that promotions lead to.
fn free(start: &str, bound: Color, tables: &Prober, threads: usize) -> Restricted {
    let start = Position::from_fen(start).expect("a position");
    let mut rules = Rules::free(start, bound, Goal::Win);
    rules.tables.max_men = start.occupied().count();
    let job = FreezeJob {
        limits: FreezeLimits {
            memory: 8 << 30,
            entries: u64::MAX,
        },
        control: &Control::new(threads),
        folder: None,
        started: &|_, _| {},
        gauge: &Gauge::default(),
    };
    solve(rules, tables.oracle(), &job).expect("solved")
}

/// Compares random placements with the table, with or without the 50-move rule. Returns their number.
fn compare(frozen: &Restricted, men: &str, tables: &Prober, count: usize) -> usize {
    let mut rng = Random::new(0xF2EE);
    let mut compared = 0;
    for _ in 0..count {
        let text = fen(&scatter(&mut rng, men), *rng.pick(&['w', 'b']));
        let Ok(position) = Position::from_fen(&text) else {
            continue;
        };
        if let Some(known) = frozen.value(&position) {
            let wdl = match tables.wdl(&position).expect("a table") {
                Wdl::CursedWin => Wdl::Win,
                Wdl::BlessedLoss => Wdl::Loss,
                wdl => wdl,
            };
            assert_eq!(known.value.wdl(), wdl, "{text}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn endings_of_four_men_are_their_tables() {
    let tables = tables();
    let all = parse_specs("KQKR KRKP KBPK").expect("a list");
    let made = Generator::new(tables.store()).run(
        &all,
        &GenerateOptions::default(),
        &Control::new(2),
        &mut |_| {},
    );
    made.expect("made");
    let [white, black] = Color::ALL;
    for (start, men, bound) in [
        ("8/8/8/3k1r2/8/8/2Q5/K7 w - - 0 1", "KQkr", white),
        ("8/3p4/8/4k3/8/8/8/KR6 b - - 0 1", "KRkp", white),
        ("8/3p4/8/4k3/8/8/8/KR6 b - - 0 1", "KRkp", black),
        ("8/8/8/4k3/8/8/7P/KB6 w - - 0 1", "KBPk", black),
    ] {
        let frozen = free(start, bound, tables, 2);
        let compared = compare(&frozen, men, tables, 60_000);
        assert!(compared > 1_500, "{men}: {compared}");
    }
}

#[test]
#[ignore = "half a thousand million entries, minutes, and DUCHAMP_TABLES has to name a folder with KRBvKR"]
fn an_ending_of_five_men_is_its_table() {
    let folder = std::env::var_os("DUCHAMP_TABLES").expect("DUCHAMP_TABLES");
    let tables = Prober::open(folder.as_ref());
    let frozen = free(
        "8/8/8/3k4/8/1r6/8/K1RB4 w - - 0 1",
        Color::White,
        &tables,
        2,
    );
    let report = &frozen.reports()[0];
    // The published longest win to conversion is 59 moves.
    let longest = report.longest.as_ref().expect("wins");
    assert_eq!(longest.0.moves(), 59);
    assert!(compare(&frozen, "KRBkr", &tables, 3_000_000) > 500_000);
}
