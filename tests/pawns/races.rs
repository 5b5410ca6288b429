//! Pawn races, where both sides promote: proofs with few tables against tables of more men.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::common::Random;
use crate::common::pawns::{Limited, tables};
use duchamp_base::Wdl;
use duchamp_chess::{Color, Oracle, Piece, Position, Role, Setup, Square};
use duchamp_chess_tables::Prober;
use duchamp_proofs::pawns::{Budget, Prover, WinStatus};

/// Kings and so many pawns of both sides on random squares, those of the pawns at most `far` steps from promoting.
fn scatter(rng: &mut Random, white: usize, black: usize, far: usize) -> Option<Position> {
    let mut setup = Setup::EMPTY;
    let mut put = |color, role, square: usize| {
        let square = Square::new(square);
        let free = setup.board.at(square).is_none();
        if free {
            setup.board.put(Piece { color, role }, square);
        }
        free
    };
    let mut free = put(Color::White, Role::King, rng.below(64));
    free &= put(Color::Black, Role::King, rng.below(64));
    for (color, count) in [(Color::White, white), (Color::Black, black)] {
        for _ in 0..count {
            let steps = 1 + rng.below(far);
            let rank = match color {
                Color::White => 7 - steps,
                Color::Black => steps,
            };
            free &= put(color, Role::Pawn, 8 * rank + rng.below(8));
        }
    }
    setup.turn = [Color::White, Color::Black][rng.below(2)];
    Position::from_setup(&setup).ok().filter(|_| free)
}

/// How many verdicts of a prover with tables of fewer men were right, and how many questions it left open.
fn compare(
    tables: &Prober,
    men: u32,
    positions: impl Iterator<Item = Position>,
    budget: impl Fn(&Prover) -> Budget,
) -> (usize, usize) {
    let mut provers = [(); 2].map(|()| Prover::new(Arc::new(Limited(tables.clone(), men))));
    let (mut right, mut open) = (0, 0);
    for position in positions {
        let value = tables.wdl(&position).expect("a table");
        for attacker in [Color::White, Color::Black] {
            let prover = &mut provers[attacker as usize];
            let verdict = prover.prove(&position, attacker, budget(prover));
            let value = if attacker == position.turn() {
                value
            } else {
                -value
            };
            let proved = match verdict.expect("a pawn ending") {
                WinStatus::Won(_) => value == Wdl::Win,
                WinStatus::NotWon => value <= Wdl::Draw,
                WinStatus::Open => {
                    open += 1;
                    continue;
                }
            };
            assert!(proved, "{} {attacker:?}: {verdict:?}", position.fen());
            right += 1;
        }
    }
    (right, open)
}

#[test]
fn races_of_four_men_without_tables_of_four_men_agree_with_them() {
    let tables = tables().clone();
    let mut rng = Random::new(11);
    let positions = (0..1_500).filter_map(|round| {
        let (white, black) = [(1, 1), (2, 0)][round % 2];
        scatter(&mut rng, white, black, 3)
    });
    let (right, open) = compare(&tables, 3, positions, |prover| Budget {
        structures: prover.structures() + 30,
        time: None,
        steps: None,
    });
    assert!(right > 1_500 && 5 * open < right, "{right} {open}");
}

/// Needs tables of five men in the folder that DUCHAMP_TABLES names.
#[test]
#[ignore = "needs tables of five men; takes minutes"]
fn races_of_five_men_without_tables_of_five_men_agree_with_them() {
    let folder = std::env::var("DUCHAMP_TABLES").expect("DUCHAMP_TABLES names a folder");
    let tables = Prober::open(Path::new(&folder));
    let mut rng = Random::new(12);
    let positions = (0..6_000).filter_map(|round| {
        let (white, black) = [(2, 1), (1, 2), (3, 0)][round % 3];
        scatter(&mut rng, white, black, 2 + round % 4)
    });
    let (right, open) = compare(&tables, 4, positions, |prover| Budget {
        structures: prover.structures() + 1_000,
        time: Some(Duration::from_millis(100)),
        steps: None,
    });
    println!("{right} right, {open} open");
    assert!(right > 3 * open, "{right} {open}");
}
