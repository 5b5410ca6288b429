//! Random small rule sets against a slow reference solver that shares nothing with the freezer: it plays cozy-chess's moves placement
//! by placement. And against endgame tables: no bound is wrong where no rule assumes anything.

mod homes;
mod random;
mod slow;

use std::sync::Arc;

use crate::common::Random;
use crate::common::pawns::{Limited, fen, scatter, tables};
use duchamp_base::{Control, Gauge, Plies, Value, Wdl};
use duchamp_chess::{Board, Color, Oracle, Position, Role, Setup};
use duchamp_proofs::freezer::{
    FreezeJob, FreezeLimits, Goal, Proof, Restricted, Rules, Verdict, solve,
};
use random::{Shape, random_rules, random_start, restrained};
use slow::{Seen, Slow};

/// Returns invented values for some positions, so that every value occurs where the true tables are all draws.
struct Fable {
    men: u32,
    salt: u64,
}

impl Oracle for Fable {
    fn max_men(&self) -> u32 {
        self.men
    }

    fn wdl(&self, position: &Position) -> Option<Wdl> {
        if position.occupied().count() > self.men {
            return None;
        }
        let mut hash = self.salt;
        let turn = position.turn() as u64;
        hash = Random::new(hash ^ position.color(Color::White).0 ^ turn).next_u64();
        for role in Role::ALL {
            hash = Random::new(hash ^ position.role(role).0).next_u64();
        }
        match hash % 9 {
            0 | 1 => Some(Wdl::Win),
            2 => Some(Wdl::CursedWin),
            3 | 4 => Some(Wdl::Draw),
            5 => Some(Wdl::BlessedLoss),
            6 | 7 => Some(Wdl::Loss),
            _ => None,
        }
    }

    fn dtm(&self, _: &Position) -> Option<Value> {
        None
    }
}

fn freeze(rules: &Rules, oracle: Arc<dyn Oracle>) -> Restricted {
    let job = FreezeJob {
        limits: FreezeLimits::default(),
        control: &Control::new(2),
        folder: None,
        started: &|_, _| {},
        gauge: &Gauge::default(),
    };
    solve(rules.clone(), oracle, &job).expect("solved")
}

/// Rules in words, for whoever looks into a difference.
fn words(rules: &Rules) -> String {
    let mut text = format!(
        "{} bound {:?} goal {:?} tables {} chain {}\n",
        rules.start.fen(),
        rules.bound,
        rules.goal,
        rules.tables.max_men,
        rules.chain
    );
    for man in &rules.men {
        let squares: Vec<_> = man.allowed.into_iter().map(|s| s.to_string()).collect();
        text += &format!("{:?} {}: {}\n", man.piece, man.square, squares.join(" "));
        text += &format!("  {:?}\n", man.outside);
    }
    text + &format!("{:?}\n{:?}\n", rules.captures, rules.promotions)
}

/// The reference value as the freezer states it.
fn told(value: homes::Value) -> Value {
    match value {
        None => Value::Draw,
        Some((true, plies)) => Value::Win(Plies(plies)),
        Some((false, plies)) => Value::Loss(Plies(plies)),
    }
}

/// The best for the bound side of what is known of one position.
fn best_for_bound(rules: &Rules, turn: Color, values: &[homes::Value]) -> Option<Value> {
    let ours = turn == rules.bound;
    let rank = |value: &Value| if ours { value.rank() } else { -value.rank() };
    values.iter().map(|&value| told(value)).max_by_key(rank)
}

/// Compares every placement of every box, and the moves of some. Gives the number of placements.
fn compare(rules: &Rules, frozen: &Restricted, slow: &Slow<'_>, rng: &mut Random) -> usize {
    let mut count = 0;
    for home in &slow.homes {
        for (number, (board, value)) in home.boards().enumerate() {
            count += 1;
            let position = slow::position(board);
            let values = slow.values(board);
            let expected = best_for_bound(rules, position.turn(), &values);
            let found = frozen.value(&position).map(|known| known.value);
            assert_eq!(found, expected, "{}\n{}", position.fen(), words(rules));
            if values.len() == 1 && rng.below(30) == 0 {
                assert_eq!(found, Some(told(value)));
                for (mv, worth) in home.exits(number) {
                    let mv = position.parse_uci(&mv.to_string()).expect("legal");
                    let worth = match (worth, position.turn() == rules.bound) {
                        (0, _) => Value::Draw,
                        (1, true) | (-1, false) => Value::Win(Plies(1)),
                        _ => Value::Loss(Plies(1)),
                    };
                    let found = frozen.move_value(&position, mv).map(|known| known.value);
                    let fen = position.fen();
                    assert_eq!(found, Some(worth), "{fen} {mv:?}\n{}", words(rules));
                }
            }
        }
    }
    count
}

/// Random placements of the men of the start: those in no box have no value.
fn compare_outside(rules: &Rules, frozen: &Restricted, slow: &Slow<'_>, rng: &mut Random) {
    let men: String = rules.men.iter().map(|man| man.piece.to_char()).collect();
    for _ in 0..50 {
        let fen = fen(&scatter(rng, &men), *rng.pick(&['w', 'b']));
        if let (Ok(position), Ok(board)) = (Position::from_fen(&fen), fen.parse()) {
            let known = frozen.value(&position).map(|known| known.value);
            let expected = best_for_bound(rules, position.turn(), &slow.values(&board));
            assert_eq!(known, expected, "{fen}\n{}", words(rules));
        }
    }
}

/// Whether the goal is reached says the same as the value of the start.
fn compare_proof(rules: &Rules, frozen: &Restricted) {
    let known = frozen.value(&rules.start).expect("the start is in the box");
    let ours = if rules.start.turn() == rules.bound {
        known.value.rank()
    } else {
        -known.value.rank()
    };
    let expected = match (rules.goal, ours.signum()) {
        (_, 1) => Proof::Proved(Verdict::won_for(rules.bound)),
        (Goal::Draw, 0) => Proof::Proved(Verdict::Draw),
        _ => Proof::NotProved,
    };
    assert_eq!(frozen.proof(), expected, "{}", words(rules));
}

/// What has to come up in every run.
const KINDS: [&str; 12] = [
    "answer",
    "capture rule",
    "contradicted assumption",
    "double step that could be passed",
    "outside rule",
    "promoted man can be taken",
    "promotion rule",
    "recapture",
    "second recapture",
    "smaller box",
    "stalemate after a double step",
    "table",
];

/// Compares so many rule sets with the reference solver.
fn compare_rules(count: usize, seed: u64) {
    let mut rng = Random::new(seed);
    let (mut placements, mut boxes, mut sets) = (0, 0, 0);
    let mut seen = Seen::default();
    // What is rare may take some more.
    let all_seen = |seen: &Seen| KINDS.iter().all(|what| seen.0.contains_key(what));
    while sets < count || !all_seen(&seen) && sets < 6 * count {
        let chain = if rng.below(3) == 0 { 2 } else { 0 };
        let shape = Shape {
            men: if chain > 0 { 5 } else { 6 },
            placements: if chain > 0 { 400 } else { 3000 },
            assumptions: rng.below(4) > 0,
            chain,
        };
        let rules = random_rules(&mut rng, shape);
        if rules.start.ep_square().is_some() {
            continue;
        }
        let fable = Fable {
            men: rng.below(6) as u32,
            salt: rng.next_u64(),
        };
        let Some(slow) = Slow::solve(&rules, &fable, 60_000) else {
            continue;
        };
        let men = fable.men;
        let salt = fable.salt;
        let frozen = freeze(&rules, Arc::new(Fable { men, salt }));
        placements += compare(&rules, &frozen, &slow, &mut rng);
        compare_outside(&rules, &frozen, &slow, &mut rng);
        compare_proof(&rules, &frozen);
        boxes += slow.homes.len();
        sets += 1;
        for (what, times) in &slow.seen.0 {
            *seen.0.entry(what).or_default() += times;
        }
    }
    eprintln!("{sets} rule sets, {boxes} boxes, {placements} placements: no difference");
    let mut list: Vec<_> = seen.0.iter().collect();
    list.sort();
    eprintln!("{list:?}");
    for what in KINDS {
        assert!(seen.0.contains_key(what), "{what} never came up");
    }
}

/// Every placement of the men of a start on squares where the rules let them stand, either side to move, if legal.
fn placements(rules: &Rules, show: &mut impl FnMut(&Position)) {
    fn put(rules: &Rules, board: &mut Board, man: usize, show: &mut impl FnMut(&Position)) {
        let Some(rule) = rules.men.get(man) else {
            for turn in Color::ALL {
                let setup = Setup {
                    board: *board,
                    turn,
                    ..Setup::EMPTY
                };
                if let Ok(position) = Position::from_setup(&setup) {
                    show(&position);
                }
            }
            return;
        };
        for square in rule.allowed - board.occupied() {
            board.put(rule.piece, square);
            put(rules, board, man + 1, show);
            board.take(square);
        }
    }
    let mut board = Board::EMPTY;
    put(rules, &mut board, 0, show);
}

/// Holds the values of random rules that assume nothing against tables of as many men. Gives how many positions were
/// compared, and in how many the box said as much as the table.
fn compare_with_truth(rules: &Rules, oracle: Arc<dyn Oracle>, truth: &dyn Oracle) -> [u64; 2] {
    let frozen = freeze(rules, oracle);
    let mut count = [0; 2];
    placements(rules, &mut |position| {
        let Some(known) = frozen.value(position) else {
            return;
        };
        let exact = truth.wdl(position).expect("a table");
        let ours = |wdl: Wdl| {
            (wdl as i8
                * if position.turn() == rules.bound {
                    1
                } else {
                    -1
                })
            .signum()
        };
        let (bound, exact) = (ours(known.value.wdl()), ours(exact));
        let fen = position.fen();
        assert!(
            bound <= exact,
            "{fen}: {bound} but in truth {exact}\n{}",
            words(rules)
        );
        count[0] += 1;
        count[1] += u64::from(bound == exact);
    });
    count
}

#[test]
fn rules_that_assume_nothing_never_claim_too_much() {
    let mut rng = Random::new(3);
    let mut sum = [0; 2];
    for _ in 0..100 {
        let men = 3 + rng.below(2);
        let start = random_start(&mut rng, men);
        let shape = Shape {
            men,
            placements: 4000,
            assumptions: false,
            chain: 2,
        };
        let rules = restrained(&mut rng, start, shape);
        let oracle = Limited(tables().clone(), rng.below(4) as u32);
        let count = compare_with_truth(&rules, Arc::new(oracle), tables());
        sum = [sum[0] + count[0], sum[1] + count[1]];
    }
    eprintln!(
        "{} positions, {} values as in the tables, none above",
        sum[0], sum[1]
    );
    assert!(sum[1] > sum[0] / 10);
}

#[test]
fn random_rules_agree_with_a_slow_reference() {
    compare_rules(300, 1);
}

#[test]
#[ignore = "takes minutes"]
fn many_random_rules_agree_with_a_slow_reference() {
    let number = |name: &str, or| std::env::var(name).map_or(or, |text| text.parse().expect(name));
    compare_rules(
        number("DUCHAMP_RULES", 10_000),
        number("DUCHAMP_SEED", 2) as u64,
    );
}
