//! Passed pawns: what depends on more than pawns, such as kings, blockers and free ways.

use super::context::{Context, distance, forward, rank};
use super::pawns::{PawnEntry, ahead};
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, Color, Role, Square, attacks};

/// Counts the passed pawns of a side.
pub(super) fn passed<T: Tracer>(
    context: &Context<'_>,
    pawns: &PawnEntry,
    tally: &mut TermSum<T>,
    us: Color,
) {
    let them = !us;
    let position = context.position;
    let alone = context.piece_points(them) == 0;
    for square in pawns.passed[us] {
        let rank = rank(us, square);
        let here = Bitboard::of(square);
        let path = ahead(us, here);
        let Some(stop) = forward(us, here).first() else {
            continue;
        };
        tally.add(
            us,
            PASSED_OWN_KING.at(rank),
            distance(context.kings[us], stop),
        );
        tally.add(
            us,
            PASSED_ENEMY_KING.at(rank),
            distance(context.kings[them], stop),
        );
        if !context.occupied.has(stop) {
            tally.add(us, PASSED_FREE.at(rank), 1);
            if !context.attacked[them].has(stop) || context.pawn_attacks(us).has(stop) {
                tally.add(us, PASSED_SAFE.at(rank), 1);
            }
        }
        if (path & (position.color(them) | context.attacked[them])).is_empty() {
            tally.add(us, PASSED_RUNS.at(rank), 1);
        }
        if rank >= 2 {
            behind(context, tally, us, square);
        }
        if alone && is_unstoppable(context, us, square, path) {
            tally.add(us, UNSTOPPABLE.one(), 1);
        }
    }
}

/// Counts rooks and queens behind the pawn.
fn behind<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color, square: Square) {
    let rear = ahead(!us, Bitboard::of(square));
    let heavy = context.position.board().straight_sliders() & rear;
    if heavy.is_empty() {
        return;
    }
    let seen = heavy & attacks::rook(square, context.occupied);
    if (seen & context.position.color(us)).any() {
        tally.add(us, PASSED_PUSHED.one(), 1);
    } else if (seen & context.position.color(!us)).any() {
        tally.add(us, PASSED_HELD.one(), 1);
    }
}

/// Whether the enemy, who has only king and pawns, is too late to catch the pawn: rule of the square.
fn is_unstoppable(context: &Context<'_>, us: Color, square: Square, path: Bitboard) -> bool {
    if (path & context.occupied).any() {
        return false;
    }
    let last = Square::at(
        square.file(),
        if us == Color::White {
            duchamp_chess::Rank::R8
        } else {
            duchamp_chess::Rank::R1
        },
    );
    // A pawn on its second rank may take two steps at once.
    let steps = (7 - rank(us, square).max(2)) as i32;
    let late = i32::from(context.position.turn() != us);
    distance(context.kings[!us], last) - late > steps
        && context.position.of(!us, Role::Pawn).is_empty()
        || distance(context.kings[!us], last) - late > steps + 1
}
