//! Material, piece-square tables and imbalance.

use super::context::Context;
use crate::terms::{KNIGHT_PAWNS, MATERIAL, ROOK_PAWNS, SQUARE, Term};
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Color, Role, Square};

/// The piece-square term: symmetric in files.
#[inline]
fn square_term(color: Color, role: Role, square: Square) -> Term {
    let square = square.relative(color).index();
    let file = square & 7;
    SQUARE.at(role.index() * 32 + (square >> 3) * 4 + file.min(7 - file))
}

/// Counts a piece: material and piece-square table.
#[inline]
pub(super) fn piece<T: Tracer>(tally: &mut TermSum<T>, color: Color, role: Role, square: Square) {
    if role != Role::King {
        tally.add(color, MATERIAL.at(role.index()), 1);
    }
    tally.add(color, square_term(color, role, square), 1);
}

/// Counts the imbalance of knights and rooks by the number of pawns (Kaufman).
pub(super) fn imbalance<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color) {
    let pawns = context.pawns[us].count() as i32 - 5;
    let count = |role| context.position.of(us, role).count() as i32;
    tally.add(us, KNIGHT_PAWNS.one(), count(Role::Knight) * pawns);
    tally.add(us, ROOK_PAWNS.one(), count(Role::Rook) * pawns);
}
