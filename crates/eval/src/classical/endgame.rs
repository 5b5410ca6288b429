//! Endgames: scale factor, complexity and mop-up evaluation.

use super::context::{Context, distance};
use crate::terms::COMPLEXITY;
use crate::trace::{TermSum, Tracer};
use crate::weights::WEIGHTS;
use duchamp_chess::{Bitboard, Color, Rank, Role, Square};

/// The scale of an endgame score that counts in full.
pub const FULL_SCALE: i32 = 64;

/// The scale factor of the endgame score, 0 to [`FULL_SCALE`], when `strong` is ahead.
pub(super) fn scale(context: &Context<'_>, strong: Color) -> i32 {
    let weak = !strong;
    let pawns = context.pawns[strong].count() as i32;
    let (ours, theirs) = (context.piece_points(strong), context.piece_points(weak));
    if pawns == 0 {
        return without_pawns(context, strong, ours, theirs);
    }
    if is_wrong_corner(context, strong, ours, theirs) {
        return 0;
    }
    let bishops = [strong, weak].map(|c| context.position.of(c, Role::Bishop));
    if bishops.iter().all(|b| b.any() && !b.many()) && is_opposite(bishops[0], bishops[1]) {
        return if ours == 3 && theirs == 3 {
            let ahead = pawns - context.pawns[weak].count() as i32;
            (14 + 8 * ahead.max(0)).min(FULL_SCALE)
        } else {
            (34 + 3 * pawns).min(FULL_SCALE)
        };
    }
    (40 + 6 * pawns).min(FULL_SCALE)
}

/// Counts how hard the endgame is for the side that is ahead by `score`, but never so much that it
/// falls behind, and returns the corrected score.
pub(super) fn complexity<T: Tracer>(
    context: &Context<'_>,
    tally: &mut TermSum<T>,
    strong: Color,
    score: i32,
) -> i32 {
    let pawns = context.position.role(Role::Pawn);
    let wings = [pawns & QUEEN_SIDE, pawns - QUEEN_SIDE];
    let [one, other] = context.kings.0.map(|king| king.index() as i32);
    let files = ((one & 7) - (other & 7)).abs();
    let ranks = ((one >> 3) - (other >> 3)).abs();
    let pieces = context.occupied.count() - pawns.count() - 2;
    let counts = [
        1,
        pawns.count() as i32,
        i32::from(wings[0].any() && wings[1].any()),
        i32::from(pieces == 0),
        files - ranks,
    ];
    let weight = |i: usize| WEIGHTS[COMPLEXITY.at(i).0 as usize].endgame();
    let bonus: i32 = (0..5).map(|i| weight(i) * counts[i]).sum();
    let sign = score.signum();
    if bonus < -score.abs() {
        return 0;
    }
    for (i, &count) in counts.iter().enumerate() {
        tally
            .tracer
            .term(strong, COMPLEXITY.at(i), count * sign.abs());
    }
    score + sign * bonus
}

/// Files a to d.
const QUEEN_SIDE: Bitboard = Bitboard(0x0F0F_0F0F_0F0F_0F0F);

/// Without pawns, a small advantage in pieces seldom wins.
fn without_pawns(context: &Context<'_>, strong: Color, ours: i32, theirs: i32) -> i32 {
    let count = |role| context.position.of(strong, role).count() as i32;
    if ours == 3 * count(Role::Knight) && ours <= 6 {
        // Two knights alone cannot force mate.
        return 0;
    }
    if ours - theirs > 3 {
        FULL_SCALE
    } else if ours < 5 {
        0
    } else if theirs <= 3 {
        8
    } else {
        16
    }
}

/// Rook pawns and a bishop that does not hold their corner (or nothing), against a king that is in it.
fn is_wrong_corner(context: &Context<'_>, strong: Color, ours: i32, theirs: i32) -> bool {
    let bishops = context.position.of(strong, Role::Bishop);
    if theirs != 0 || ours != 3 * bishops.count() as i32 {
        return false;
    }
    let pawns = context.pawns[strong];
    let (a, h) = (
        Bitboard(0x0101_0101_0101_0101),
        Bitboard(0x8080_8080_8080_8080),
    );
    let file = if (pawns - a).is_empty() {
        0
    } else if (pawns - h).is_empty() {
        7
    } else {
        return false;
    };
    let rank = if strong == Color::White {
        Rank::R8
    } else {
        Rank::R1
    };
    let corner = Square::wrapping(rank.index() * 8 + file);
    let holds = if Bitboard::DARK.has(corner) {
        bishops & Bitboard::DARK
    } else {
        bishops - Bitboard::DARK
    };
    holds.is_empty() && distance(context.kings[!strong], corner) <= 1
}

fn is_opposite(one: Bitboard, other: Bitboard) -> bool {
    (one & Bitboard::DARK).is_empty() != (other & Bitboard::DARK).is_empty()
}

/// Mop-up evaluation: the bonus of pieces against a bare king for driving it to the edge, or, with bishop
/// and knight, to the corner of the bishop's colour; 0 elsewhere. White's view.
pub(super) fn mop_up(context: &Context<'_>) -> i32 {
    for strong in Color::ALL {
        let weak = !strong;
        if context.position.color(weak).many() {
            continue;
        }
        let worth = context.piece_points(strong);
        if worth < 5 || (worth == 6 && !can_mate_with_two(context, strong)) {
            return 0;
        }
        let king = context.kings[weak];
        let near = 14 - 2 * distance(context.kings[strong], king);
        let bishops = context.position.of(strong, Role::Bishop);
        let drive = if worth == 6 && bishops.any() && !bishops.many() {
            7 - to_corner(king, bishops)
        } else {
            edge(king)
        };
        let bonus = 300 + 20 * drive + 6 * near;
        return if strong == Color::White {
            bonus
        } else {
            -bonus
        };
    }
    0
}

/// Bishop and knight, or bishops of both colours.
fn can_mate_with_two(context: &Context<'_>, strong: Color) -> bool {
    let bishops = context.position.of(strong, Role::Bishop);
    let knights = context.position.of(strong, Role::Knight).count();
    let both = (bishops & Bitboard::DARK).any() && (bishops - Bitboard::DARK).any();
    knights == 1 || both || context.pawns[strong].any()
}

/// 0 in the centre to 6 in a corner.
fn edge(king: Square) -> i32 {
    let (file, rank) = (king.index() as i32 & 7, king.index() as i32 >> 3);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

/// Steps, along ranks and files, to the nearer corner of the bishop's colour: at most 7.
fn to_corner(king: Square, bishops: Bitboard) -> i32 {
    let corners = if (bishops & Bitboard::DARK).any() {
        [Square::A1, Square::H8]
    } else {
        [Square::A8, Square::H1]
    };
    let steps = |to: Square| {
        let (a, b) = (king.index() as i32, to.index() as i32);
        ((a & 7) - (b & 7)).abs() + ((a >> 3) - (b >> 3)).abs()
    };
    corners.map(steps).into_iter().min().unwrap_or(0)
}
