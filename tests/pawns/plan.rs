//! Plans of proved wins: played through against several defenders, legal moves by cozy-chess, values by tables and by provers
//! that never saw the plan.

use std::sync::Arc;
use std::time::Duration;

use crate::common::pawns::{Limited, fen, placements, scatter, structures, tables};
use crate::common::{Random, rows};
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Color, Move, NoOracle, Position};
use duchamp_proofs::pawns::{Budget, Guide, PlanEnd, Prover, Spent, Unplanned, WinPlan, WinStatus};

const FINE_70: &str = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
const LOCKOCK: &str = "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1";
/// A loss, one with a right to capture en passant, a breakthrough, a race.
const MORE: [&str; 4] = [
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/1K6 b - - 0 1",
    "8/8/8/8/2kpP3/8/8/7K b - e3 0 1",
    "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1",
    "8/P5k1/8/8/8/8/1K5p/8 w - - 0 1",
];

/// Variations of a plan.
const LINES: usize = 12;

/// A proved win with its plan.
struct Won {
    prover: Prover,
    guide: Guide,
    plan: WinPlan,
    position: Position,
}

/// The legal moves as another library gives them.
fn legal(position: &Position) -> Vec<Move> {
    let board = cozy_chess::Board::from_fen(&position.fen(), false).expect("a position");
    let mut moves = Vec::new();
    board.generate_moves(|set| {
        moves.extend(set.into_iter().map(|mv| mv.to_string()));
        false
    });
    let read = |text: &String| position.parse_uci(text).expect("a legal move");
    moves.iter().map(read).collect()
}

/// The prover of one side without tables that already know the position.
fn prover(position: &Position) -> Prover {
    let men = position.occupied().count();
    Prover::new(match men <= 4 {
        true => Arc::new(NoOracle),
        false => tables().oracle(),
    })
}

/// A position's plan if a side is proved to win it.
fn plan(fen: &str) -> Option<Won> {
    let position = Position::from_fen(fen).expect(fen);
    for winner in [position.turn(), !position.turn()] {
        let mut prover = prover(&position);
        for position in legal(&position).into_iter().map(|mv| position.play(mv)) {
            prover.prove(&position, winner, structures(1_000));
        }
        prover.prove(&position, winner, structures(1_000));
        let budget = Budget {
            steps: Some(5),
            ..structures(2_000)
        };
        let Ok(guide) = Guide::new(&mut prover, &position, winner, None) else {
            continue;
        };
        if let Ok(plan) = prover.plan(&position, winner, LINES, budget) {
            return Some(Won {
                prover,
                guide,
                plan,
                position,
            });
        }
    }
    None
}

/// All wins and losses of the list that are proved, and some more.
fn wins() -> Vec<(String, Won)> {
    let list = rows(include_str!("../data/pawn_endings.csv"));
    let exact = list.iter().filter(|row| row["verified"] == "exact");
    let decided = exact.filter(|row| row["result_stm"] != "draw");
    let mut fens: Vec<String> = decided.map(|row| row["fen"].to_owned()).collect();
    fens.extend([FINE_70, LOCKOCK].into_iter().chain(MORE).map(String::from));
    let found = fens.into_iter();
    found
        .map(|fen| {
            let won = plan(&fen).unwrap_or_else(|| panic!("{fen} has no plan"));
            (fen, won)
        })
        .collect()
}

impl Won {
    fn plies(&self, position: &Position) -> Option<Plies> {
        self.guide.plies(&self.prover, position)
    }

    /// The move of the plan's in a position, by its number.
    fn shown(&self, at: Option<usize>, mv: Move) -> Option<usize> {
        let mut next = match at {
            Some(number) => self.plan.moves[number].next.iter(),
            None => self.plan.first.iter(),
        };
        next.find(|&&number| self.plan.moves[number].mv == mv)
            .copied()
    }

    /// Plays the plan against a defender who is shown the replies and what each is worth; returns the plies played.
    fn play(&self, fen: &str, mut defend: impl FnMut(&[(Move, u16, bool)]) -> Move) -> u16 {
        let winner = self.plan.winner;
        let mut position = self.position;
        let mut left = self.plan.plies.0;
        // The place in the plan as long as it is followed.
        let mut place = Some(None);
        for played in 0.. {
            let told = format!("{fen}: {} after {played} plies", position.fen());
            let moves = legal(&position);
            let mv = if position.turn() == winner {
                let shown = place.and_then(|at: Option<usize>| match at {
                    Some(number) => self.plan.moves[number].next.first(),
                    None => self.plan.first.first(),
                });
                match shown {
                    Some(&number) => self.plan.moves[number].mv,
                    None => self.guide.answer(&self.prover, &position).expect(&told),
                }
            } else {
                let rated = moves.iter().map(|&mv| {
                    let after = position.play(mv);
                    // Every reply is proved lost, whether the plan shows it or not.
                    let plies = self.plies(&after).expect(&told);
                    let shown = place.is_some_and(|at| self.shown(at, mv).is_some());
                    (mv, plies.0, shown)
                });
                let rated: Vec<_> = rated.collect();
                defend(&rated)
            };
            assert!(moves.contains(&mv), "{told}: {mv:?}");
            place = place.and_then(|at| self.shown(at, mv)).map(Some);
            position = position.play(mv);
            let plies = self.plies(&position).expect(&told);
            assert!(plies.0 < left, "{told}: {mv:?} {left} {plies:?}");
            left = plies.0;
            if let Some(number) = place.flatten() {
                assert_eq!(self.plan.moves[number].plies, plies, "{told}");
                match self.plan.moves[number].end {
                    Some(PlanEnd::AsAfter(other)) => {
                        assert_eq!(self.plan.moves[other].after.key(), position.key(), "{told}");
                        place = Some(Some(other));
                    }
                    Some(_) => return played + 1,
                    None => {}
                }
            }
            if self.is_decided(&position, &told) {
                return played + 1;
            }
        }
        unreachable!()
    }

    /// Whether a position is decided: mate, a promotion that is proved to win, or a won position of the tables. Before that
    /// it is proved to be won, by the tables if they have it.
    fn is_decided(&self, position: &Position, told: &str) -> bool {
        let winner = self.plan.winner;
        if let Some(wdl) = tables().oracle().wdl(position) {
            let won = if position.turn() == winner { wdl } else { -wdl };
            assert_eq!(won, Wdl::Win, "{told}");
            if self.position.occupied().count() > 4 {
                return true;
            }
        }
        if position.is_checkmate() {
            return true;
        }
        let promoted = self.prover.promoted(position, winner);
        if promoted.is_some() && position.turn() != winner {
            assert!(matches!(promoted, Some(WinStatus::Won(_))), "{told}");
            return true;
        }
        let known = self.prover.known(position, winner);
        if let Some(known) = known {
            assert!(matches!(known, WinStatus::Won(_)), "{told}: {known:?}");
        }
        // The other side has promoted and is not taken.
        let taken = |mv: Move| position.is_capture(mv) && self.plies(&position.play(mv)).is_some();
        promoted.is_some() && !legal(position).into_iter().any(taken)
    }
}

#[test]
fn plans_win_against_every_defender() {
    let mut rng = Random::new(20_261_125);
    let wins = wins();
    let mut shown = 0;
    for (fen, won) in &wins {
        assert!(!won.plan.moves.is_empty(), "{fen}");
        let longest = |rated: &[(Move, u16, bool)]| {
            rated.iter().max_by_key(|reply| reply.1).expect("a reply").0
        };
        let plies = won.play(fen, longest);
        assert!(plies <= won.plan.plies.0, "{fen}: {plies}");
        for game in 0..20 {
            won.play(fen, |rated| {
                // Half of the games stay in the plan as long as they can.
                let kept: Vec<_> = rated
                    .iter()
                    .filter(|reply| reply.2 || game % 2 == 0)
                    .collect();
                shown += kept.len();
                match kept[..] {
                    [] => rng.pick(rated).0,
                    _ => rng.pick(&kept).0,
                }
            });
        }
    }
    println!("{} plans", wins.len());
    assert!(wins.len() >= 18 && shown > 1_000, "{} {shown}", wins.len());
}

/// Random positions of four men, planned without tables: every ply is won by the tables, promotions that end a line too.
#[test]
fn plans_of_random_positions_are_won_by_the_tables() {
    let mut rng = Random::new(20_261_125);
    let (mut planned, mut unplanned) = (0, 0);
    while planned < 80 {
        let men = *rng.pick(&["KkPp", "KkPp", "KkPP", "Kkpp"]);
        let turn = *rng.pick(&['w', 'b']);
        let fen = fen(&scatter(&mut rng, men), turn);
        let Ok(position) = Position::from_fen(&fen) else {
            continue;
        };
        let wdl = tables().oracle().wdl(&position).expect("a table");
        if wdl == Wdl::Draw || legal(&position).is_empty() {
            continue;
        }
        let Some(won) = plan(&fen) else {
            unplanned += 1;
            continue;
        };
        planned += 1;
        won.play(&fen, |rated| rng.pick(rated).0);
        won.play(&fen, |rated| {
            let longest = rated.iter().max_by_key(|reply| reply.1);
            longest.expect("a reply").0
        });
    }
    println!("{unplanned} without a plan");
    assert!(unplanned < 8, "{unplanned}");
}

/// Every line of a plan holds together, cut replies are legal and lost, and marks of only moves are those of a prover that
/// never saw the plan, and of the tables.
#[test]
fn plans_are_sound_move_by_move() {
    let (mut only, mut settled) = (0, 0);
    for (fen, won) in wins() {
        let plan = &won.plan;
        let mut other = prover(&won.position);
        for (number, mv) in plan.moves.iter().enumerate() {
            let before = mv
                .parent
                .map_or(won.position, |parent| plan.moves[parent].after);
            let told = format!("{fen}: {} {}", mv.before.fen(), mv.before.san(mv.mv));
            assert!(
                mv.before == before && mv.after == before.play(mv.mv),
                "{told}"
            );
            let moves = legal(&mv.before);
            assert!(moves.contains(&mv.mv), "{told}");
            assert_eq!(mv.by_winner, before.turn() == plan.winner, "{told}");
            assert_eq!(mv.end.is_some(), mv.next.is_empty(), "{told}");
            for &next in &mv.next {
                assert!(
                    next > number && plan.moves[next].parent == Some(number),
                    "{told}"
                );
                assert!(plan.moves[next].plies < mv.plies, "{told}");
            }
            if mv.end.is_none() && mv.by_winner {
                let shown = mv.next.iter().map(|&next| plan.moves[next].mv);
                let mut all: Vec<Move> = shown.chain(mv.others.iter().copied()).collect();
                let mut legal = legal(&mv.after);
                all.sort_unstable();
                legal.sort_unstable();
                assert_eq!(all, legal, "{told}: all replies are shown or named");
            }
            let Some(claim) = mv.only else { continue };
            let rest = moves
                .iter()
                .filter(|rest| (rest.from(), rest.to()) != (mv.mv.from(), mv.mv.to()));
            let verdicts: Vec<Option<bool>> = rest
                .map(|rest| wins_after(&mut other, &mv.before.play(*rest), plan.winner))
                .collect();
            only += usize::from(claim);
            if claim {
                assert!(
                    !verdicts.contains(&Some(true)),
                    "{told} is not the only move"
                );
                settled += usize::from(verdicts.iter().all(Option::is_some));
            } else {
                let refuted = verdicts.iter().all(|verdict| *verdict == Some(false));
                assert!(!refuted, "{told} is the only move");
            }
        }
    }
    println!("{only} only moves, {settled} of them settled by the other prover");
    assert!(only > 50 && settled > 30, "{only} {settled}");
}

/// Whether `winner` wins, the other side to move, by the rules, the tables or a prover; `None` if these do not tell.
fn wins_after(prover: &mut Prover, position: &Position, winner: Color) -> Option<bool> {
    if legal(position).is_empty() {
        return Some(position.is_checkmate());
    }
    if let Some(wdl) = tables().oracle().wdl(position) {
        return Some(wdl == Wdl::Loss);
    }
    let budget = Budget {
        steps: Some(20),
        ..structures(2_000)
    };
    match prover.prove(position, winner, budget)? {
        WinStatus::Won(_) => Some(true),
        WinStatus::NotWon => Some(false),
        WinStatus::Open => None,
    }
}

/// Corresponding squares named by a plan are mutual zugzwangs that the prover knows, and the other king is on none of them
/// after his reply.
#[test]
fn the_other_king_fails_to_reach_the_squares_named() {
    let mut named = 0;
    for (fen, won) in wins() {
        for mv in won
            .plan
            .moves
            .iter()
            .filter(|mv| !mv.corresponding.is_empty())
        {
            let told = format!("{fen}: {}", mv.after.fen());
            let king = mv.after.king(won.plan.winner);
            let pairs = won.prover.zugzwangs(&mv.after, won.plan.winner);
            for &square in &mv.corresponding {
                assert!(pairs.contains(&(king, square)), "{told}: {square}");
                named += 1;
            }
            // A pawn move leads to other pawns, whose squares are others.
            let king = mv.after.king(!won.plan.winner);
            for reply in legal(&mv.after)
                .into_iter()
                .filter(|reply| reply.from() == king)
            {
                let after = mv.after.play(reply);
                let other = after.king(!won.plan.winner);
                assert!(!mv.corresponding.contains(&other), "{told}: {reply:?}");
            }
        }
    }
    assert!(named > 50, "{named}");
}

#[test]
fn fine_70_is_planned_as_published() {
    let won = plan(FINE_70).expect("a proved win");
    let plan = &won.plan;
    let main: Vec<&_> =
        std::iter::successors(plan.first.first(), |at| plan.moves[**at].next.first())
            .map(|at| &plan.moves[*at])
            .collect();
    let san = |at: usize| main[at].before.san(main[at].mv);
    assert_eq!((san(0).as_str(), main[0].only), ("Kb1", Some(true)));
    let squares: Vec<String> = main[0]
        .corresponding
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        squares.contains(&"a7".to_owned()) && main[0].is_zugzwang(),
        "{squares:?}"
    );
    // The other side's choice: pawns are taken on either wing.
    let taken = |square: &str| {
        let takes = plan
            .moves
            .iter()
            .filter(|mv| mv.by_winner && mv.before.is_capture(mv.mv));
        takes.filter(|mv| mv.mv.to().to_string() == square).count()
    };
    assert!(taken("a5") > 0 && taken("f5") > 0, "{plan:?}");
}

#[test]
fn what_cannot_be_planned_is_said() {
    let position = Position::from_fen(FINE_70).expect("a position");
    let mut prover = prover(&position);
    let mut plan = |winner, lines, budget| prover.plan(&position, winner, lines, budget);
    let reason = plan(Color::White, 8, structures(1_000)).err();
    assert_eq!(reason, Some(Unplanned::NotWon), "nothing is proved yet");
    prover.prove(&position, Color::White, structures(1_000));
    let mut plan = |winner, lines, budget| prover.plan(&position, winner, lines, budget);
    let reason = plan(Color::Black, 8, structures(1_000)).err();
    assert_eq!(reason, Some(Unplanned::NotWon), "the other side loses");
    let late = Budget {
        time: Some(Duration::ZERO),
        ..structures(2_000)
    };
    let reason = plan(Color::White, 8, late).err();
    assert_eq!(reason, Some(Unplanned::Spent(Spent::Time)));
    // Without steps nothing is worked out for marks of only moves: they are not claimed.
    let idle = Budget {
        steps: Some(0),
        ..structures(2_000)
    };
    for lines in [1, 3] {
        let found = plan(Color::White, lines, idle).expect("a plan");
        let ends = found.moves.iter().filter(|mv| mv.next.is_empty()).count();
        assert_eq!((found.lines, ends), (lines, lines));
    }
}

/// Distances are those of best play by both sides, over all placements of the kings: a move ahead by cozy-chess's moves; and
/// what has a distance is what the tables call won.
#[test]
fn distances_are_those_of_best_play() {
    let below = || Arc::new(Limited(tables().clone(), 2));
    for pawns in [
        &[('P', "e2")][..],
        &[('P', "a5")],
        &[('P', "d4"), ('p', "d5")],
        &[('P', "e2"), ('p', "d4")],
        &[('P', "b5"), ('p', "c6")],
    ] {
        let pawns: Vec<_> = pawns
            .iter()
            .map(|(man, square)| (*man, square.parse().expect("a square")))
            .collect();
        let all = placements(&pawns);
        let mut prover = Prover::new(below());
        prover.prove_all(&all[0].1, Color::White, structures(3_000));
        let guide = Guide::new(&mut prover, &all[0].1, Color::White, None).expect("a guide");
        let plies = |position: &Position| guide.plies(&prover, position).map(|plies| plies.0);
        let mut won = 0;
        for (fen, position) in &all {
            let wdl = tables().oracle().wdl(position).expect(fen);
            let attacking = position.turn() == Color::White;
            let expected = if attacking { Wdl::Win } else { Wdl::Loss };
            let found = plies(position);
            assert_eq!(
                found.is_some(),
                wdl == expected,
                "{fen}: {wdl:?}, {found:?}"
            );
            won += usize::from(found.is_some());
            let after: Vec<Option<u16>> = legal(position)
                .iter()
                .map(|mv| plies(&position.play(*mv)))
                .collect();
            let best = match attacking {
                true => after.iter().flatten().min().map(|plies| plies + 1),
                false if after.is_empty() => position.is_checkmate().then_some(0),
                false => after
                    .into_iter()
                    .collect::<Option<Vec<u16>>>()
                    .and_then(|all| all.into_iter().max())
                    .map(|plies| plies + 1),
            };
            assert_eq!(found, best, "{fen}");
        }
        assert!(won > 100, "{pawns:?}: {won}");
    }
}
