//! What the side not to move attacks.

use duchamp_chess::{Bitboard, Position, Role, attacks};

/// Squares attacked by pawns of the side not to move, by these and minor pieces, by all these and rooks.
#[inline]
pub(super) fn lesser_attacks(position: &Position) -> [Bitboard; 3] {
    let them = !position.turn();
    let by = |role: Role| {
        let squares = position.of(them, role).into_iter();
        squares
            .map(|square| attacks::of(role, them, square, position.occupied()))
            .fold(Bitboard::EMPTY, |all, some| all | some)
    };
    let by_pawns = attacks::pawns(them, position.of(them, Role::Pawn));
    let by_minors = by_pawns | by(Role::Knight) | by(Role::Bishop);
    [by_pawns, by_minors, by_minors | by(Role::Rook)]
}

/// Squares attacked by the side not to move.
#[inline]
pub(super) fn threats(position: &Position) -> Bitboard {
    position.attacked_by(!position.turn(), position.occupied())
}
