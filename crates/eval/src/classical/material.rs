//! Which men there are and where they stand.

use super::context::Context;
use crate::terms::{KNIGHT_PAWNS, MATERIAL, ROOK_PAWNS, SQUARE, Term};
use crate::trace::{Tally, Tracer};
use duchamp_chess::{Color, Role, Square};

/// The term of a man on a square: left and right are the same.
#[inline]
fn square_term(color: Color, role: Role, square: Square) -> Term {
    let square = square.relative(color).index();
    let file = square & 7;
    SQUARE.at(role.index() * 32 + (square >> 3) * 4 + file.min(7 - file))
}

/// Counts a man: its worth and its place.
#[inline]
pub(super) fn man<T: Tracer>(tally: &mut Tally<T>, color: Color, role: Role, square: Square) {
    if role != Role::King {
        tally.add(color, MATERIAL.at(role.index()), 1);
    }
    tally.add(color, square_term(color, role, square), 1);
}

/// Counts knights, which like many pawns, and rooks, which like few.
pub(super) fn imbalance<T: Tracer>(context: &Context<'_>, tally: &mut Tally<T>, us: Color) {
    let pawns = context.pawns[us].count() as i32 - 5;
    let count = |role| context.position.of(us, role).count() as i32;
    tally.add(us, KNIGHT_PAWNS.one(), count(Role::Knight) * pawns);
    tally.add(us, ROOK_PAWNS.one(), count(Role::Rook) * pawns);
}
