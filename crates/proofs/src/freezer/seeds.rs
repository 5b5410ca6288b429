//! ExitTable of single positions: which positions may have one, and the best that a position has.

use super::exit_value::ExitEvaluator;
use super::layout::{Placement, TableLayout};
use super::rules::Verdict;
use super::structures::{may_be_passed, steps};
use duchamp_chess::{Bitboard, Color, Position, Role, attacks};
use duchamp_retro::{Cell, Wide};

/// A verdict as the value of a move that leads to it: one ply.
pub(super) fn exit_cell(verdict: Verdict, mover: Color) -> Wide {
    let cell = match verdict {
        Verdict::Draw => Some(Wide::DRAW),
        verdict if verdict == Verdict::won_for(mover) => <Wide as Cell>::win(1),
        _ => <Wide as Cell>::loss(1),
    };
    cell.unwrap_or(Wide::DRAW)
}

/// The best verdict among the exits of a position, for the side to move; `None`: there is no exit.
pub(super) fn best_exit(
    layout: &TableLayout,
    evaluator: &ExitEvaluator<'_>,
    position: &Position,
    men: &[u8; 64],
) -> Option<Verdict> {
    let mover = position.turn();
    let mut best: Option<Verdict> = None;
    for mv in position.legal_moves() {
        if let Some(finding) = evaluator.exit(layout, position, men, mv) {
            let verdict = finding.verdict;
            best = Some(best.map_or(verdict, |best| best.worse_for(verdict, !mover)));
            if best == Some(Verdict::won_for(mover)) {
                break;
            }
        }
    }
    best
}

/// Squares of the lane piece for which a piece of `mover` may have a move out of the restricted table; more than there are.
pub(super) fn may_leave(
    layout: &TableLayout,
    evaluator: &ExitEvaluator<'_>,
    mover: Color,
    place: &Placement,
) -> u64 {
    let bit = layout.bit_man();
    let occupied = place.occupied;
    let takeable = place.colors[(!mover).index()] - king_square(layout, !mover, place);
    let target = bit.color != mover && bit.role != Role::King;
    let mut squares = Bitboard::EMPTY;
    for (digit, &from) in layout.digits.iter().zip(&place.at) {
        if digit.piece.color != mover {
            continue;
        }
        let reach = attacks::of(digit.piece.role, mover, from, occupied);
        let out = reach - occupied - layout.men[digit.man].allowed;
        if ((reach & takeable) | out).any() {
            return !0;
        }
        if target {
            squares |= reach;
        }
    }
    if bit.color == mover {
        for square in takeable | (!layout.men[layout.bit].allowed - occupied) {
            squares |= attacks::of(bit.role, mover, square, occupied);
        }
    }
    let structure = &layout.structures.all[place.structure];
    let enemies = structure.colors[(!mover).index()];
    for (&man, &from) in layout.pawns.iter().zip(&structure.squares) {
        if layout.men[man].piece.color != mover {
            continue;
        }
        let takes = attacks::pawn(mover, from);
        let promotes = from.relative(mover).rank().index() == 6;
        let leaves = steps(mover, from, occupied).into_iter().any(|to| {
            !layout.men[man].allowed.has(to)
                || mover == evaluator.rules.bound && may_be_passed(mover, from, to, enemies)
        });
        if (takes & takeable).any() || promotes || leaves {
            return !0;
        }
        if target {
            squares |= takes;
        }
    }
    squares.0
}

/// The square of a king as a set; nothing if it is the lane piece.
fn king_square(layout: &TableLayout, color: Color, place: &Placement) -> Bitboard {
    layout
        .king(color, place)
        .map_or(Bitboard::EMPTY, Bitboard::from)
}
