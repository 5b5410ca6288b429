//! Un-moves of any position: each leads to a sound position whose move leads back. The first bytes
//! choose pieces and squares, so that most inputs are positions.
#![no_main]

use duchamp_chess::{Board, Castling, Color, Piece, Position, Role, Setup, Square, unmoves};
use libfuzzer_sys::fuzz_target;

fn timeless(position: &Position) -> Setup {
    Setup {
        halfmoves: 0,
        fullmoves: 1,
        ..position.setup()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [turn, ep, men @ ..] = bytes else { return };
    let mut board = Board::EMPTY;
    for (i, pair) in men.chunks_exact(2).take(32).enumerate() {
        // The first two pieces are the kings.
        let role = if i < 2 {
            Role::King
        } else {
            Role::ALL[usize::from(pair[0] >> 1) % 5]
        };
        let color = Color::ALL[if i < 2 { i } else { usize::from(pair[0] & 1) }];
        let square = Square::wrapping(usize::from(pair[1]));
        if board.at(square).is_none() {
            board.put(Piece { color, role }, square);
        }
    }
    let turn = Color::ALL[usize::from(turn & 1)];
    let ep = (*ep < 64).then(|| Square::wrapping(usize::from(*ep)));
    let setup = Setup {
        board,
        turn,
        ep,
        castling: Castling::NONE,
        ..Setup::EMPTY
    };
    let Ok(position) = Position::from_setup(&setup) else {
        return;
    };
    for unmove in unmoves(&position) {
        let before = position.unplay(unmove);
        Position::from_setup(&before.setup()).expect("legal");
        before.validate().expect("consistent");
        assert!(before.is_legal(unmove.mv));
        assert_eq!(timeless(&before.play(unmove.mv)), timeless(&position));
    }
});
