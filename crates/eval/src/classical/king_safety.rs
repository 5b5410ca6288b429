//! King safety: attackers of the king zone and safe checks.
//!
//! The danger of a king is summed first and then squared, as attackers help each other.

use super::context::Context;
use super::shelter::{file_set, files_around};
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, Color, Role, Square, attacks};

/// Counts the king danger of `us`, unless too few pieces attack its zone; returns whether it did.
pub(super) fn king_danger<T: Tracer>(
    context: &Context<'_>,
    tally: &mut TermSum<T>,
    us: Color,
) -> bool {
    let them = !us;
    let queens = context.position.of(them, Role::Queen);
    if context.king_attackers[us] < if queens.any() { 1 } else { 2 } {
        return false;
    }
    tally.endanger(us, DANGER.one(), 1);
    if queens.is_empty() {
        tally.endanger(us, DANGER_NO_QUEEN.one(), 1);
    }
    let by = &context.attacked_by[us];
    let weak = context.attacked[them]
        & !context.attacked_twice[us]
        & (!context.attacked[us] | by[Role::King.index()] | by[Role::Queen.index()]);
    tally.endanger(
        us,
        DANGER_WEAK.one(),
        (weak & context.king_zone[us]).count() as i32,
    );
    checks(context, tally, us, weak);

    let pinned = context.pinned[us].count() as i32;
    tally.endanger(us, DANGER_PINNED.one(), pinned);
    for file in files_around(context.kings[us]) {
        if (context.pawns[us] & file_set(file)).is_empty() {
            let open = (context.pawns[them] & file_set(file)).is_empty();
            tally.endanger(us, DANGER_FILE.at(usize::from(open)), 1);
        }
    }
    let flank = flank(context, us);
    let attacks = flank & context.attacked[them];
    let twice = attacks & context.attacked_twice[them];
    tally.endanger(
        us,
        DANGER_FLANK.one(),
        (attacks.count() + twice.count()) as i32,
    );
    tally.endanger(
        us,
        DANGER_DEFENCE.one(),
        (flank & context.attacked[us]).count() as i32,
    );
    if (by[Role::Knight.index()] & context.king_zone[us]).any() {
        tally.endanger(us, DANGER_KNIGHT.one(), 1);
    }
    true
}

/// Counts safe checks by role, and unsafe checks.
fn checks<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color, weak: Bitboard) {
    let them = !us;
    let king = context.kings[us];
    let through = context.occupied ^ context.position.of(us, Role::Queen);
    let straight = attacks::rook(king, through);
    let diagonal = attacks::bishop(king, through);
    let free = !context.position.color(them);
    let safe = free & (!context.attacked[us] | (weak & context.attacked_twice[them]));
    let mut unsafe_checks = 0;
    for (role, lines) in [
        (Role::Knight, attacks::knight(king)),
        (Role::Bishop, diagonal),
        (Role::Rook, straight),
        (Role::Queen, straight | diagonal),
    ] {
        let from = lines & context.attacked_by[them][role.index()] & free;
        if from.is_empty() {
            continue;
        }
        // A queen that gives herself for the king's own guard is no danger.
        let good = if role == Role::Queen {
            from & safe & !context.attacked_by[us][Role::Queen.index()]
        } else {
            from & safe
        };
        if good.any() {
            tally.endanger(
                us,
                DANGER_CHECK.at(role.index() - 1),
                1 + i32::from(good.many()),
            );
        } else if role != Role::Queen {
            unsafe_checks += from.count() as i32;
        }
    }
    tally.endanger(us, DANGER_UNSAFE_CHECK.one(), unsafe_checks);
}

/// Counts a king without any pawn on its side of the board.
pub(super) fn pawnless_flank<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color) {
    let pawns = context.position.role(Role::Pawn);
    if (pawns & flank_files(context.kings[us])).is_empty() {
        tally.add(us, PAWNLESS_FLANK.one(), 1);
    }
}

/// The files around the king, on the own five ranks.
fn flank(context: &Context<'_>, us: Color) -> Bitboard {
    let camp = match us {
        Color::White => Bitboard(0x0000_00FF_FFFF_FFFF),
        Color::Black => Bitboard(0xFFFF_FFFF_FF00_0000),
    };
    flank_files(context.kings[us]) & camp
}

/// The king's side of the board: four files.
fn flank_files(king: Square) -> Bitboard {
    match king.index() & 7 {
        0..=2 => Bitboard(0x0F0F_0F0F_0F0F_0F0F),
        3 | 4 => Bitboard(0x3C3C_3C3C_3C3C_3C3C),
        _ => Bitboard(0xF0F0_F0F0_F0F0_F0F0),
    }
}
