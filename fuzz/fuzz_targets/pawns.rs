//! Proofs about any pawn ending with little work: they agree with each other and with those of the next positions. The
//! first bytes choose the side to move and how much work, each later one a piece and its square.
#![no_main]

use duchamp_chess::{Board, Castling, Color, NoOracle, Piece, Position, Role, Setup, Square};
use duchamp_proofs::pawns::{Budget, Prover, WinStatus};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use std::time::Duration;

fuzz_target!(|bytes: &[u8]| {
    let [turn, work, men @ ..] = bytes else {
        return;
    };
    let mut board = Board::EMPTY;
    for (i, byte) in men.iter().take(18).enumerate() {
        let role = if i < 2 { Role::King } else { Role::Pawn };
        let color = Color::ALL[if i < 2 { i } else { usize::from(byte >> 7) }];
        let square = Square::wrapping(usize::from(*byte));
        if board.at(square).is_none() {
            board.put(Piece { color, role }, square);
        }
    }
    let setup = Setup {
        board,
        turn: Color::ALL[usize::from(turn & 1)],
        castling: Castling::NONE,
        ..Setup::EMPTY
    };
    let Ok(position) = Position::from_setup(&setup) else {
        return;
    };
    let mut provers = [(); 2].map(|()| Prover::new(Arc::new(NoOracle)));
    let mut ask = |position: &Position| {
        let verdict = |attacker: Color| {
            let prover = &mut provers[attacker as usize];
            let budget = Budget {
                structures: prover.structures() + usize::from(work % 16),
                time: Some(Duration::from_millis(10)),
                steps: None,
            };
            prover.prove(position, attacker, budget)
        };
        let [white, black] = Color::ALL.map(verdict);
        let verdicts = [white?, black?];
        assert!(!matches!(verdicts, [WinStatus::Won(_), WinStatus::Won(_)]));
        Some(verdicts)
    };
    let before = ask(&position).expect("kings and pawns without a right to capture en passant");
    let (mover, other) = (position.turn() as usize, !position.turn() as usize);
    for mv in position.legal_moves() {
        let after = position.play(mv);
        let Some(now) = ask(&after) else { continue };
        let won = |verdict| matches!(verdict, WinStatus::Won(_));
        assert!(!(before[mover] == WinStatus::NotWon && (won(now[mover]) || after.is_checkmate())));
        assert!(!(won(before[other]) && now[other] == WinStatus::NotWon));
    }
});
