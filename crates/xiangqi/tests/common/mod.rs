//! Random positions for the tests of this crate.

#![allow(dead_code)]

pub(crate) use duchamp_base::Random;
use duchamp_xiangqi::{Bitboard, Board, Color, Move, Piece, Position, Role, Square, zone};

/// Plays random games of at most `plies` plies until `count` positions have been shown, each with the one before it and the move
/// that led to it.
pub(crate) fn random_walks(
    rng: &mut Random,
    count: usize,
    plies: usize,
    mut show: impl FnMut(&Position, Option<(&Position, Move)>),
) {
    let mut shown = 0;
    while shown < count {
        let mut position = Position::start();
        show(&position, None);
        shown += 1;
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() || shown >= count {
                break;
            }
            let mv = *rng.pick(&moves);
            let next = position.play(mv);
            show(&next, Some((&position, mv)));
            shown += 1;
            position = next;
        }
    }
}

/// A legal position of kings and random pieces on random squares, few or many, close together or not.
pub(crate) fn random_placement(rng: &mut Random) -> Position {
    loop {
        let mut board = Board::EMPTY;
        let density = 1 + rng.below(6);
        for piece in (0..Piece::COUNT).filter_map(Piece::from_index) {
            for _ in 0..piece.role.most() {
                let free = zone(piece.color, piece.role) - board.occupied();
                let wanted = piece.role == Role::King || rng.below(6) < density;
                if wanted && free.any() {
                    let free: Vec<Square> = free.into_iter().collect();
                    board.put(piece, *rng.pick(&free));
                }
            }
        }
        if let Ok(position) = Position::new(board, Color::ALL[rng.below(2)]) {
            return position;
        }
    }
}

/// The board is consistent and the position legal.
pub(crate) fn validate(position: &Position) {
    let again = Position::new(*position.board(), position.turn()).expect("legal");
    let again = again.with_counters(position.halfmoves(), position.fullmoves());
    assert_eq!(again, *position);
    let mut occupied = Bitboard::EMPTY;
    for square in Square::ALL {
        let Some(piece) = position.at(square) else {
            continue;
        };
        occupied |= square.into();
        assert!(position.board().of(piece.color, piece.role).has(square));
        assert!(position.board().color(piece.color).has(square));
        assert!(position.board().role(piece.role).has(square));
    }
    assert_eq!(occupied, position.board().occupied());
}
