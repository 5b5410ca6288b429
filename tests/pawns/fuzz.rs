//! Random pawn endings through the prover, and random lines from them: nothing panics, no two proofs contradict each other,
//! and none contradicts a move, a mate or a stalemate that another library finds.

use std::sync::Arc;
use std::time::Duration;

use crate::common::Random;
use crate::common::pawns::{fen, scatter};
use cozy_chess::{Board, GameStatus};
use duchamp_chess::{Color, NoOracle, Position};
use duchamp_proofs::pawns::{Budget, Prover, WinStatus};

/// Little enough that most proofs stay unfinished: half-known bounds are what may go wrong.
fn budget(prover: &Prover, rng: &mut Random) -> Budget {
    Budget {
        structures: prover.structures() + rng.below(12),
        time: Some(Duration::from_millis(20)),
        steps: None,
    }
}

/// What the two provers say about a position, with a small budget; `None` if they decline it.
fn ask(provers: &mut [Prover; 2], position: &Position, rng: &mut Random) -> Option<[WinStatus; 2]> {
    let [white, black] = provers;
    let before = [
        white.known(position, Color::White)?,
        black.known(position, Color::Black)?,
    ];
    let (budget_white, budget_black) = (budget(white, rng), budget(black, rng));
    let after = [
        white.prove(position, Color::White, budget_white)?,
        black.prove(position, Color::Black, budget_black)?,
    ];
    for (before, after) in before.into_iter().zip(after) {
        let settled = !matches!(before, WinStatus::Open);
        let same = matches!(
            (before, after),
            (WinStatus::Won(_), WinStatus::Won(_)) | (WinStatus::NotWon, WinStatus::NotWon)
        );
        assert!(
            !settled || same,
            "{}: {before:?}, then {after:?}",
            position.fen()
        );
    }
    let both = matches!(after, [WinStatus::Won(_), WinStatus::Won(_)]);
    assert!(!both, "{}: both sides win", position.fen());
    Some(after)
}

/// Plays a random line and proves each position. Returns how many verdicts were held against a move or an end.
fn walk(provers: &mut [Prover; 2], start: &str, rng: &mut Random) -> usize {
    let mut board: Board = start.parse().expect(start);
    let mut held: Option<[WinStatus; 2]> = None;
    let mut checked = 0;
    for _ in 0..24 {
        let text = board.to_string();
        let position = Position::from_fen(&text).expect(&text);
        let mover = position.turn();
        if board.status() != GameStatus::Ongoing {
            let mate = board.status() == GameStatus::Won;
            if let Some(verdicts) = held {
                // Who could not win has mated, or who had won has not.
                let [winner, loser] = [!mover, mover].map(|side| verdicts[side as usize]);
                assert!(!(mate && winner == WinStatus::NotWon), "{text}");
                assert!(!(mate && matches!(loser, WinStatus::Won(_))), "{text}");
                checked += 1;
            }
            if let Some(now) = ask(provers, &position, rng) {
                let won = |side: Color| matches!(now[side as usize], WinStatus::Won(_));
                assert!(!won(mover) && (mate || !won(!mover)), "{text}: {now:?}");
                assert!(
                    !mate || now[!mover as usize] != WinStatus::NotWon,
                    "{text}: {now:?}"
                );
            }
            return checked;
        }
        let now = ask(provers, &position, rng);
        if let (Some(before), Some(now)) = (held, now) {
            // The side that has moved cannot have won by it what it could not win; nor can a move change a loss.
            let [moved, other] =
                [!mover, mover].map(|side| (before[side as usize], now[side as usize]));
            assert!(
                !matches!(moved, (WinStatus::NotWon, WinStatus::Won(_))),
                "{text}: {before:?}, {now:?}"
            );
            assert!(
                !matches!(other, (WinStatus::Won(_), WinStatus::NotWon)),
                "{text}: {before:?}, {now:?}"
            );
            checked += 1;
        }
        held = now;
        let mut moves = Vec::new();
        board.generate_moves(|some| {
            moves.extend(some);
            false
        });
        board.play_unchecked(*rng.pick(&moves));
    }
    checked
}

/// So many positions with up to `pawns` pawns, and a line from each.
fn fuzz(seed: u64, count: usize, pawns: usize) -> usize {
    let mut rng = Random::new(seed);
    let mut checked = 0;
    for _ in 0..count {
        let mut men = "Kk".to_string();
        for _ in 0..1 + rng.below(pawns) {
            men.push(*rng.pick(&['P', 'p']));
        }
        let text = fen(&scatter(&mut rng, &men), *rng.pick(&['w', 'b']));
        if Position::from_fen(&text).is_err() || text.parse::<Board>().is_err() {
            continue;
        }
        let mut provers = [(); 2].map(|()| Prover::new(Arc::new(NoOracle)));
        checked += walk(&mut provers, &text, &mut rng);
    }
    checked
}

#[test]
fn random_lines_contradict_no_proof() {
    let checked = fuzz(5, 150, 8);
    assert!(checked > 500, "{checked}");
}

/// Environment: `DUCHAMP_LINES`, how many (20,000 if not set).
#[test]
#[ignore = "takes minutes"]
fn many_random_lines_contradict_no_proof() {
    let lines = std::env::var("DUCHAMP_LINES").map_or(20_000, |n| n.parse().expect("a number"));
    println!(
        "{} positions of {lines} lines, no contradiction",
        fuzz(6, lines, 12)
    );
}
