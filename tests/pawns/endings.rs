//! Proofs about pawn endings from practice and literature (`tests/data/pawn_endings.csv`).

use std::sync::Arc;

use crate::common::pawns::{structures, tables};
use crate::common::rows;
use duchamp_chess::{Color, NoOracle, Position, Square};
use duchamp_proofs::pawns::{Prover, WinStatus};

#[test]
fn positions_of_the_suite_are_not_contradicted() {
    let mut exact = 0;
    for row in rows(include_str!("../data/pawn_endings.csv")) {
        if row["verified"] != "exact" {
            continue;
        }
        let fen = row["fen"];
        let position = Position::from_fen(fen).expect(fen);
        let me = position.turn();
        let verdicts = [me, !me].map(|attacker| {
            let mut prover = Prover::new(tables().oracle());
            prover
                .prove(&position, attacker, structures(400))
                .expect("a pawn ending")
        });
        let value = match verdicts {
            [WinStatus::Won(_), _] => "win",
            [_, WinStatus::Won(_)] => "loss",
            [WinStatus::NotWon, WinStatus::NotWon] => "draw",
            _ => continue,
        };
        assert_eq!(value, row["result_stm"], "{fen}");
        exact += 1;
    }
    assert!(exact >= 15, "only {exact} are proved");
}

#[test]
fn fine_70_has_one_winning_move() {
    let position =
        Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("a position");
    let mut prover = Prover::new(tables().oracle());
    let verdict = prover.prove(&position, Color::White, structures(3_000));
    assert!(matches!(verdict, Some(WinStatus::Won(_))), "{verdict:?}");
    for mv in position.legal_moves() {
        let verdict = prover.prove(&position.play(mv), Color::White, structures(3_000));
        let expected = position.san(mv) == "Kb1";
        assert_eq!(
            matches!(verdict, Some(WinStatus::Won(_))),
            expected,
            "{}",
            position.san(mv)
        );
        assert_eq!(
            verdict == Some(WinStatus::NotWon),
            !expected,
            "{}",
            position.san(mv)
        );
    }
}

#[test]
fn fine_70_has_the_published_corresponding_squares() {
    let position =
        Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("a position");
    let mut prover = Prover::new(tables().oracle());
    prover.prove_all(&position, Color::White, structures(1_000));
    let pairs = prover.zugzwangs(&position, Color::White);
    use Square::*;
    for pair in [
        (C4, B6),
        (D3, C7),
        (C3, B7),
        (D2, C8),
        (C2, B8),
        (B3, C7),
        (D1, C7),
    ] {
        assert!(pairs.contains(&pair), "{pair:?} is missing in {pairs:?}");
    }
}

#[test]
fn lockocks_position_is_won() {
    let fen = "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1";
    let position = Position::from_fen(fen).expect("a position");
    let mut prover = Prover::new(tables().oracle());
    let mut ask = |attacker| prover.prove(&position, attacker, structures(3_000));
    let verdict = ask(Color::White);
    assert!(matches!(verdict, Some(WinStatus::Won(_))), "{verdict:?}");
    assert_eq!(ask(Color::Black), Some(WinStatus::NotWon));
}

/// White queens and checks six times before he takes the pawn on b4, the last queen, and wins with his last pawn. That is more
/// than a few moves of kings and queen without a capture, and no reason to give up.
#[test]
fn a_win_may_begin_with_many_checks() {
    let fen = "8/6P1/8/8/1p6/pP6/1k6/5K2 w - - 0 1";
    let position = Position::from_fen(fen).expect("a position");
    let mut prover = Prover::new(tables().oracle());
    let verdict = prover.prove(&position, Color::White, structures(500));
    assert!(matches!(verdict, Some(WinStatus::Won(_))), "{verdict:?}");
}

#[test]
fn positions_that_are_none_of_ours_are_declined() {
    let mut prover = Prover::new(Arc::new(NoOracle));
    let mut ask = |fen: &str| {
        prover.prove(
            &Position::from_fen(fen).expect(fen),
            Color::White,
            structures(100),
        )
    };
    assert_eq!(ask("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1"), None);
    assert_eq!(ask("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"), None);
    assert_eq!(
        ask("4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        Some(WinStatus::NotWon)
    );
}

#[test]
fn lockocks_position_has_the_published_corresponding_squares() {
    let fen = "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1";
    let position = Position::from_fen(fen).expect("a position");
    let mut prover = Prover::new(tables().oracle());
    // The placements near the kings are asked first: what they teach settles the others.
    prover.prove(&position, Color::White, structures(3_000));
    prover.prove_all(&position, Color::White, structures(3_000));
    let pairs = prover.zugzwangs(&position, Color::White);
    use Square::*;
    for pair in [(D4, F6), (E3, G5), (D3, G6), (C3, G7), (E2, H5)] {
        assert!(pairs.contains(&pair), "{pair:?} is missing in {pairs:?}");
    }
}
