//! Threats: pieces attacked by less valuable ones, or not defended enough.

use super::context::{Context, pawn_attacks};
use super::pieces::pushes;
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, Color, Role, attacks};

/// Counts what `us` threatens.
pub(super) fn threats<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color) {
    let them = !us;
    let position = context.position;
    let by = &context.attacked_by[us];
    let enemies = position.color(them) - context.kings[them].into();
    let officers = enemies - context.pawns[them];
    // Squares the enemy holds firmly: by a pawn, or twice while we come only once.
    let held =
        context.pawn_attacks(them) | (context.attacked_twice[them] & !context.attacked_twice[us]);
    let weak = enemies & !held & context.attacked[us];
    let defended = officers & held;

    let safe_pawns = context.pawns[us] & (!context.attacked[them] | context.attacked[us]);
    let (left, right) = pawn_attacks(us, safe_pawns);
    each(
        tally,
        us,
        position,
        (left | right) & officers,
        THREAT_BY_PAWN,
        1,
    );
    if (weak | defended).any() {
        let minors = by[Role::Knight.index()] | by[Role::Bishop.index()];
        each(
            tally,
            us,
            position,
            (weak | defended) & minors,
            THREAT_BY_MINOR,
            0,
        );
        each(
            tally,
            us,
            position,
            weak & by[Role::Rook.index()],
            THREAT_BY_ROOK,
            0,
        );
        if (weak & by[Role::King.index()]).any() {
            tally.add(us, THREAT_BY_KING.one(), 1);
        }
        let hanging = weak & (!context.attacked[them] | (officers & context.attacked_twice[us]));
        tally.add(us, HANGING.one(), hanging.count() as i32);
    }

    let stops = pushes(context, us)
        & !context.pawn_attacks(them)
        & (context.attacked[us] | !context.attacked[them]);
    let (left, right) = pawn_attacks(us, stops);
    let pushed = (left | right) & officers & !context.pawn_attacks(us);
    tally.add(us, THREAT_BY_PUSH.one(), pushed.count() as i32);

    let contested = context.attacked[us] & context.attacked[them] & !held;
    tally.add(us, CONTESTED.one(), contested.count() as i32);
}

/// Counts safe squares from which the enemy's only queen could be attacked next.
pub(super) fn queen_hunt<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color) {
    let queens = context.position.of(!us, Role::Queen);
    let Some(queen) = queens.first() else { return };
    if queens.many() {
        return;
    }
    let by = &context.attacked_by[us];
    let safe = !context.pawns[us]
        & !context.pawn_attacks(!us)
        & (!context.attacked[!us] | context.attacked_twice[us]);
    let knights = by[Role::Knight.index()] & attacks::knight(queen) & safe;
    tally.add(us, QUEEN_HUNT.at(0), knights.count() as i32);
    let diagonal = by[Role::Bishop.index()] & attacks::bishop(queen, context.occupied);
    let straight = by[Role::Rook.index()] & attacks::rook(queen, context.occupied);
    let sliders = (diagonal | straight) & safe & context.attacked_twice[us];
    tally.add(us, QUEEN_HUNT.at(1), sliders.count() as i32);
}

/// Counts a set of pieces by role, `first` being the role of the group's first term.
#[inline]
fn each<T: Tracer>(
    tally: &mut TermSum<T>,
    us: Color,
    position: &duchamp_chess::Position,
    pieces: Bitboard,
    group: Group,
    first: usize,
) {
    for square in pieces {
        let role = position.role_at(square).unwrap_or(Role::Pawn).index();
        tally.add(us, group.at(role - first), 1);
    }
}
