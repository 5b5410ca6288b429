//! Histories: move ordering statistics of one thread.
//!
//! Every counter is updated with "gravity": `h += b - h |b| / MAX`, so it stays within ±MAX. Five histories:
//!
//! - butterfly (quiet moves): side, whether the enemy attacks the from and the to square, from, to;
//! - pawn: pawn structure, piece, to;
//! - capture: piece, to, captured role;
//! - low ply: ply, from, to, within one search;
//! - continuation: piece and to of an earlier move (1, 2, 3, 4 and 6 plies ago), piece and to.

use bytemuck::{Pod, Zeroable};
use duchamp_chess::{Bitboard, Color, Move, Piece, Position, Role};

/// The limit of every counter.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// Entries of the pawn history.
const PAWN_SLOTS: usize = 512;
/// Plies from the root with a low-ply history.
pub(super) const LOW_PLIES: usize = 4;
/// Pieces times squares: the range of [`piece_to`].
pub(super) const PIECE_TO: usize = 12 * 64;

/// Piece and target square as one number: `piece * 64 + square`.
#[inline]
pub(super) fn piece_to(piece: Piece, mv: Move) -> usize {
    piece.index() * 64 + mv.to().index()
}

/// Whether the piece of a [`piece_to`] is a pawn.
#[inline]
pub(super) fn is_pawn(piece_to: usize) -> bool {
    piece_to / 64 % Role::ALL.len() == Role::Pawn.index()
}

/// `from * 64 + to`.
#[inline]
fn from_to(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The piece that a legal move moves.
#[inline]
pub(super) fn moved_piece(position: &Position, mv: Move) -> Piece {
    Piece {
        color: position.turn(),
        role: position.moved_role(mv),
    }
}

/// Updates a counter by a bonus with gravity, within ±[`HISTORY_MAX`].
#[inline]
fn update(counter: &mut i16, bonus: i32) {
    let h = i32::from(*counter);
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    *counter = (h + bonus - h * bonus.abs() / HISTORY_MAX) as i16;
}

/// What the quiet histories of a node depend on.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Squares attacked by the side not to move.
    pub(super) threats: Bitboard,
    /// [`piece_to`] of the moves 1, 2, 3, 4 and 6 plies ago; [`NO_MOVE`] for null moves and before the game.
    pub(super) earlier: [u16; 5],
    /// Plies from the root.
    pub(super) ply: usize,
}

/// In place of a [`piece_to`], where there was no move. The continuation history after it stays 0.
pub(super) const NO_MOVE: u16 = PIECE_TO as u16;

/// The histories of the quiet moves of one position.
pub(super) struct QuietHistory<'a> {
    quiet: &'a [[i16; 4096]],
    threats: Bitboard,
    pawn: &'a [i16; PIECE_TO],
    continuation: [&'a [i16; PIECE_TO]; 5],
}

impl QuietHistory<'_> {
    /// The sum of the histories of a move, within ±5.5 [`HISTORY_MAX`]; continuations from 3 plies ago on count half.
    #[inline]
    pub(super) fn of(&self, position: &Position, mv: Move) -> i32 {
        let piece_to = piece_to(moved_piece(position, mv), mv);
        let (block, slot) = History::quiet_slot(position.turn(), self.threats, mv);
        let near = [self.quiet[block][slot], self.pawn[piece_to]].map(i32::from);
        let after = self.continuation.map(|memory| i32::from(memory[piece_to]));
        near[0] + near[1] + after[0] + after[1] + (after[2] + after[3] + after[4]) / 2
    }
}

/// The low-ply history of one ply.
#[derive(Clone, Copy)]
pub(super) struct LowPlyHistory<'a>(&'a [i16; 4096]);

impl LowPlyHistory<'_> {
    /// The low-ply history of a quiet move.
    #[inline]
    pub(super) fn of(self, mv: Move) -> i32 {
        i32::from(self.0[from_to(mv)])
    }
}

/// Weights of the five continuation histories in updates, in 128ths.
const CONTINUATION_WEIGHTS: [i32; 5] = [128, 112, 48, 64, 40];

/// All histories of a thread: two MiB, which begin as zeros.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct History {
    quiet: [[i16; 4096]; 8],
    pawn: [[i16; PIECE_TO]; PAWN_SLOTS],
    capture: [[i16; 6]; PIECE_TO],
    continuation: [[i16; PIECE_TO]; PIECE_TO + 1],
    low_ply: [[i16; 4096]; LOW_PLIES],
}

impl History {
    /// Begins a search: clears the low-ply history, which belongs to one root, and forgets a quarter of the butterfly history.
    pub(super) fn begin(&mut self) {
        self.low_ply.iter_mut().for_each(|h| h.fill(0));
        for counter in self.quiet.as_flattened_mut() {
            *counter -= *counter / 4;
        }
    }

    /// The low-ply history of this ply; `None` from ply [`LOW_PLIES`] on.
    #[inline]
    pub(super) fn low_ply(&self, ply: usize) -> Option<LowPlyHistory<'_>> {
        self.low_ply.get(ply).map(LowPlyHistory)
    }

    #[inline]
    fn quiet_slot(color: Color, threats: Bitboard, mv: Move) -> (usize, usize) {
        let (from, to) = (mv.from(), mv.to());
        let block =
            color.index() * 4 + usize::from(threats.has(from)) * 2 + usize::from(threats.has(to));
        (block, from_to(mv))
    }

    #[inline]
    fn pawn_slot(position: &Position) -> usize {
        position.pawn_key() as usize % PAWN_SLOTS
    }

    /// The histories of the quiet moves of a position.
    #[inline]
    pub(super) fn quiets(&self, position: &Position, context: &Context) -> QuietHistory<'_> {
        QuietHistory {
            quiet: &self.quiet,
            threats: context.threats,
            pawn: &self.pawn[History::pawn_slot(position)],
            continuation: context
                .earlier
                .map(|earlier| &self.continuation[usize::from(earlier)]),
        }
    }

    /// The capture history of a capture or promotion.
    #[inline]
    pub(super) fn capture(&self, position: &Position, mv: Move) -> i32 {
        let piece_to = piece_to(moved_piece(position, mv), mv);
        i32::from(self.capture[piece_to][captured_index(position, mv)])
    }

    /// Updates all histories of a quiet move by a bonus (malus if negative).
    pub(super) fn update_quiet(
        &mut self,
        position: &Position,
        context: &Context,
        mv: Move,
        bonus: i32,
    ) {
        self.update_butterfly(position.turn(), context.threats, mv, bonus);
        if let Some(memory) = self.low_ply.get_mut(context.ply) {
            update(&mut memory[from_to(mv)], bonus);
        }
        let piece_to = piece_to(moved_piece(position, mv), mv);
        self.update_pawn(position, piece_to, bonus);
        self.update_continuation(context, piece_to, bonus);
    }

    /// Updates the butterfly history of a quiet move of `color`.
    pub(super) fn update_butterfly(
        &mut self,
        color: Color,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let (block, slot) = History::quiet_slot(color, threats, mv);
        update(&mut self.quiet[block][slot], bonus);
    }

    /// Updates the pawn history of a piece and target.
    pub(super) fn update_pawn(&mut self, position: &Position, piece_to: usize, bonus: i32) {
        update(
            &mut self.pawn[History::pawn_slot(position)][piece_to],
            bonus,
        );
    }

    /// Updates the continuation histories of a piece and target.
    pub(super) fn update_continuation(&mut self, context: &Context, piece_to: usize, bonus: i32) {
        for (earlier, weight) in context.earlier.into_iter().zip(CONTINUATION_WEIGHTS) {
            if earlier != NO_MOVE {
                let counter = &mut self.continuation[usize::from(earlier)][piece_to];
                update(counter, bonus * weight / 128);
            }
        }
    }

    /// Updates the capture history.
    pub(super) fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        let piece_to = piece_to(moved_piece(position, mv), mv);
        update(
            &mut self.capture[piece_to][captured_index(position, mv)],
            bonus,
        );
    }
}

/// What is captured, as an index; a promotion without capture counts as the king, whom nothing else
/// captures.
#[inline]
fn captured_index(position: &Position, mv: Move) -> usize {
    position.captured(mv).unwrap_or(Role::King).index()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_counters_within_limits() {
        let mut h = 0i16;
        for _ in 0..1000 {
            update(&mut h, 2000);
        }
        assert!(i32::from(h) <= HISTORY_MAX && i32::from(h) > HISTORY_MAX * 9 / 10);
        for _ in 0..1000 {
            update(&mut h, -HISTORY_MAX * 3);
        }
        assert_eq!(i32::from(h), -HISTORY_MAX);
    }

    #[test]
    fn a_new_search_forgets_a_quarter_of_the_butterfly_history() {
        let mut history = bytemuck::zeroed_box::<History>();
        history.quiet[3][5] = -16_384;
        history.low_ply[0][5] = 9;
        history.pawn[1][2] = 800;
        history.begin();
        let left = [
            history.quiet[3][5],
            history.low_ply[0][5],
            history.pawn[1][2],
        ];
        assert_eq!(left, [-12_288, 0, 800]);
    }

    #[test]
    fn updates_reach_the_moves_they_name() {
        let position = Position::start();
        let mut memory = bytemuck::zeroed_box::<History>();
        let history = &mut *memory;
        let context = Context {
            threats: Bitboard::EMPTY,
            earlier: [5, NO_MOVE, NO_MOVE, 9, NO_MOVE],
            ply: 9,
        };
        let moves = position.legal_moves();
        history.update_quiet(&position, &context, moves[3], 1000);
        assert!(history.continuation[PIECE_TO].iter().all(|&h| h == 0));
        assert!(history.quiets(&position, &context).of(&position, moves[3]) > 3000);
        assert_eq!(
            history.quiets(&position, &context).of(&position, moves[4]),
            0
        );
    }
}
