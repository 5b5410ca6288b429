//! Move-ordering memory: how well moves did in earlier nodes of this thread.
//!
//! Every counter moves by "gravity" towards a bonus: `h += b - h |b| / MAX`, so it stays within
//! ±MAX and forgets slowly. Five memories:
//!
//! - quiet: side, whether the start and the target square are attacked by the enemy, from, to;
//! - pawn: pawn structure, man, to;
//! - capture: man, to, captured role;
//! - near the root: ply, from, to, within one search;
//! - continuation: man and target of an earlier move (1, 2, 4 and 6 plies ago), man and target.

use duchamp_chess::{Bitboard, Color, Move, Piece, Position, Role};

/// The limit of every counter.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// Pawn structures told apart.
const PAWN_SLOTS: usize = 512;
/// Plies from the root with a memory of their own.
const NEAR_ROOT: usize = 4;
/// Man and square as one number.
pub(super) const PIECE_TO: usize = 12 * 64;

/// `man * 64 + square`.
#[inline]
pub(super) fn piece_to(piece: Piece, mv: Move) -> usize {
    piece.index() * 64 + mv.to().index()
}

/// Whether the man of a [`piece_to`] is a pawn.
#[inline]
pub(super) fn is_pawn(piece_to: usize) -> bool {
    piece_to / 64 % Role::ALL.len() == Role::Pawn.index()
}

/// `from * 64 + to`.
#[inline]
fn from_to(mv: Move) -> usize {
    mv.from().index() * 64 + mv.to().index()
}

/// The man that a legal move moves.
#[inline]
pub(super) fn mover(position: &Position, mv: Move) -> Piece {
    Piece {
        color: position.turn(),
        role: position.moved_role(mv),
    }
}

/// A counter pulled towards ±[`HISTORY_MAX`].
#[inline]
fn pull(counter: &mut i16, bonus: i32) {
    let h = i32::from(*counter);
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    *counter = (h + bonus - h * bonus.abs() / HISTORY_MAX) as i16;
}

/// What orders a quiet move at a node, gathered once a node.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Squares that the side not to move attacks.
    pub(super) threats: Bitboard,
    /// [`piece_to`] of the moves 1, 2, 4 and 6 plies ago; `None` for null moves and before the
    /// root.
    pub(super) earlier: [Option<u16>; 4],
    /// Plies from the root.
    pub(super) ply: usize,
}

/// No memory.
static NOTHING: [i16; PIECE_TO] = [0; PIECE_TO];

/// The parts of the memories that the quiet moves of one position share.
pub(super) struct Quiets<'a> {
    quiet: &'a [[i16; 4096]],
    threats: Bitboard,
    pawn: &'a [i16; PIECE_TO],
    continuation: [&'a [i16; PIECE_TO]; 4],
}

impl Quiets<'_> {
    /// The order of a move: all its memories together, within ±6 [`HISTORY_MAX`]; the far continuations count half.
    #[inline]
    pub(super) fn of(&self, position: &Position, mv: Move) -> i32 {
        let man = piece_to(mover(position, mv), mv);
        let (block, slot) = History::quiet_slot(position.turn(), self.threats, mv);
        let near = [self.quiet[block][slot], self.pawn[man]].map(i32::from);
        let after = self.continuation.map(|memory| i32::from(memory[man]));
        near[0] + near[1] + after[0] + after[1] + (after[2] + after[3]) / 2
    }
}

/// The memory of one ply near the root.
#[derive(Clone, Copy)]
pub(super) struct NearRoot<'a>(&'a [i16; 4096]);

impl NearRoot<'_> {
    /// The memory of a quiet move.
    #[inline]
    pub(super) fn of(self, mv: Move) -> i32 {
        i32::from(self.0[from_to(mv)])
    }
}

/// Weights of the four continuation memories when bonuses are given, in 128ths.
const CONTINUATION_WEIGHTS: [i32; 4] = [128, 112, 64, 40];

/// All memories of a thread.
pub(super) struct History {
    quiet: Vec<[i16; 4096]>,
    pawn: Vec<[i16; PIECE_TO]>,
    capture: Vec<[i16; 6]>,
    continuation: Vec<[i16; PIECE_TO]>,
    near_root: Vec<[i16; 4096]>,
}

impl History {
    pub(super) fn new() -> History {
        History {
            quiet: vec![[0; 4096]; 8],
            pawn: vec![[0; PIECE_TO]; PAWN_SLOTS],
            capture: vec![[0; 6]; PIECE_TO],
            continuation: vec![[0; PIECE_TO]; PIECE_TO],
            near_root: vec![[0; 4096]; NEAR_ROOT],
        }
    }

    pub(super) fn clear(&mut self) {
        self.quiet.iter_mut().for_each(|h| h.fill(0));
        self.pawn.iter_mut().for_each(|h| h.fill(0));
        self.capture.iter_mut().for_each(|h| h.fill(0));
        self.continuation.iter_mut().for_each(|h| h.fill(0));
        self.begin_search();
    }

    /// Forgets what belongs to one root.
    pub(super) fn begin_search(&mut self) {
        self.near_root.iter_mut().for_each(|h| h.fill(0));
    }

    /// What quiet moves did at this ply of this search; `None` far from the root.
    #[inline]
    pub(super) fn near_root(&self, ply: usize) -> Option<NearRoot<'_>> {
        self.near_root.get(ply).map(NearRoot)
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

    /// What the memories say about the quiet moves of a position.
    #[inline]
    pub(super) fn quiets(&self, position: &Position, context: &Context) -> Quiets<'_> {
        Quiets {
            quiet: &self.quiet,
            threats: context.threats,
            pawn: &self.pawn[History::pawn_slot(position)],
            continuation: context.earlier.map(|earlier| match earlier {
                Some(earlier) => &self.continuation[usize::from(earlier)],
                None => &NOTHING,
            }),
        }
    }

    /// The memory of a capture or promotion.
    #[inline]
    pub(super) fn capture(&self, position: &Position, mv: Move) -> i32 {
        let man = piece_to(mover(position, mv), mv);
        i32::from(self.capture[man][captured_index(position, mv)])
    }

    /// Rewards (or blames, if negative) a quiet move in all its memories.
    pub(super) fn update_quiet(
        &mut self,
        position: &Position,
        context: &Context,
        mv: Move,
        bonus: i32,
    ) {
        self.update_butterfly(position.turn(), context.threats, mv, bonus);
        if let Some(memory) = self.near_root.get_mut(context.ply) {
            pull(&mut memory[from_to(mv)], bonus);
        }
        let man = piece_to(mover(position, mv), mv);
        self.update_pawn(position, man, bonus);
        self.update_continuation(context, man, bonus);
    }

    /// Rewards or blames a quiet move of `color` in the from-to memory alone.
    pub(super) fn update_butterfly(
        &mut self,
        color: Color,
        threats: Bitboard,
        mv: Move,
        bonus: i32,
    ) {
        let (block, slot) = History::quiet_slot(color, threats, mv);
        pull(&mut self.quiet[block][slot], bonus);
    }

    /// Rewards or blames a man on its target among the pawns of a position.
    pub(super) fn update_pawn(&mut self, position: &Position, man: usize, bonus: i32) {
        pull(&mut self.pawn[History::pawn_slot(position)][man], bonus);
    }

    /// Rewards or blames the man on its target after the earlier moves.
    pub(super) fn update_continuation(&mut self, context: &Context, man: usize, bonus: i32) {
        for (earlier, share) in context.earlier.into_iter().zip(CONTINUATION_WEIGHTS) {
            if let Some(earlier) = earlier {
                let counter = &mut self.continuation[usize::from(earlier)][man];
                pull(counter, bonus * share / 128);
            }
        }
    }

    /// Rewards or blames a capture or promotion.
    pub(super) fn update_capture(&mut self, position: &Position, mv: Move, bonus: i32) {
        let man = piece_to(mover(position, mv), mv);
        pull(&mut self.capture[man][captured_index(position, mv)], bonus);
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
            pull(&mut h, 2000);
        }
        assert!(i32::from(h) <= HISTORY_MAX && i32::from(h) > HISTORY_MAX * 9 / 10);
        for _ in 0..1000 {
            pull(&mut h, -HISTORY_MAX * 3);
        }
        assert_eq!(i32::from(h), -HISTORY_MAX);
    }

    #[test]
    fn rewards_reach_the_moves_they_name() {
        let position = Position::start();
        let mut history = History::new();
        let context = Context {
            threats: Bitboard::EMPTY,
            earlier: [Some(5), None, Some(9), None],
            ply: 9,
        };
        let moves = position.legal_moves();
        history.update_quiet(&position, &context, moves[3], 1000);
        assert!(history.quiets(&position, &context).of(&position, moves[3]) > 3000);
        assert_eq!(
            history.quiets(&position, &context).of(&position, moves[4]),
            0
        );
        history.clear();
        assert_eq!(
            history.quiets(&position, &context).of(&position, moves[3]),
            0
        );
    }
}
