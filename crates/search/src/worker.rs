//! One search thread: its histories, its stack, its counters.

use super::correction::{Correction, Slots};
use super::history::{Context, History, NO_MOVE, moved_piece, piece_to};
use super::params::{MAX_PLY, Params};
use super::root_move::RootMove;
use super::root_proofs::RootProof;
use super::shared::Shared;
use arrayvec::ArrayVec;
use bytemuck::{Pod, Zeroable};
use duchamp_base::{Buffer, Plies};
use duchamp_chess::{Bitboard, FIFTY_MOVES, Game, Move, Position, Role};
use duchamp_eval::{Evaluator, Score};
use std::sync::atomic::Ordering::Relaxed;

/// Stack entries before the root, so that "six plies ago" always exists.
const BEFORE_ROOT: usize = 6;

/// What a thread learns, in one piece of memory.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Memory {
    pub(super) history: History,
    pub(super) correction: Correction,
}

/// What a thread keeps from one search to the next.
pub(super) struct ThreadData {
    /// One, in pages that are looked up fast.
    memory: Buffer<Memory>,
    pub(super) evaluator: Box<dyn Evaluator>,
    /// The average score of the last search.
    pub(super) last_score: Option<Score>,
}

impl ThreadData {
    pub(super) fn new(evaluator: Box<dyn Evaluator>) -> ThreadData {
        ThreadData {
            memory: Buffer::in_huge_pages(1),
            evaluator,
            last_score: None,
        }
    }

    pub(super) fn clear(&mut self) {
        bytemuck::write_zeroes(self.memory_mut());
        self.last_score = None;
    }

    #[inline]
    pub(super) fn memory(&self) -> &Memory {
        &self.memory[0]
    }

    #[inline]
    pub(super) fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory[0]
    }
}

/// The stack entry of one ply.
#[derive(Clone, Copy, Default)]
pub(super) struct StackEntry {
    /// Corrected static evaluation; `None` in check.
    pub(super) eval: Option<Score>,
    /// The current move; `None` for a null move.
    pub(super) mv: Option<Move>,
    /// Its piece and target square ([`piece_to`]).
    pub(super) moved: Option<u16>,
    /// Whether it captures or promotes.
    pub(super) noisy: bool,
    /// Its move count, from 1.
    pub(super) number: usize,
    /// The excluded move of a singular extension search.
    pub(super) excluded: Option<Move>,
    /// The killer: the last quiet move that caused a beta cutoff at this ply.
    pub(super) killer: Option<Move>,
    /// Beta cutoffs at this ply since its grandparent was entered.
    pub(super) cutoffs: u32,
    /// Double extensions on the path to this ply.
    pub(super) doubles: u32,
    /// The reduction, in plies, of the current move.
    pub(super) reduction: i32,
    /// Reversible plies: since the last capture, pawn move or null move.
    pub(super) reversible: u16,
    /// Where the correction history of the position is.
    pub(super) slots: Slots,
    /// Squares attacked by the side not to move.
    pub(super) threats: Bitboard,
}

/// One search thread.
pub(super) struct Worker<'a> {
    pub(super) id: usize,
    pub(super) shared: &'a Shared<'a>,
    pub(super) thread: &'a mut ThreadData,
    pub(super) root: Position,
    pub(super) root_moves: Vec<RootMove>,
    /// Iteration, in plies.
    pub(super) root_depth: i32,
    /// The last iteration that was finished.
    pub(super) finished_depth: i32,
    pub(super) seldepth: usize,
    /// No null moves before this ply, during a verification search.
    pub(super) null_from: usize,
    pub(super) stopped: bool,
    pub(super) nodes: u64,
    tbhits: u64,
    /// Short proof attempts at positions about which nothing was proved.
    pub(super) glances: u64,
    /// The proof of the root, continued between iterations.
    pub(super) proof: Option<&'a mut RootProof>,
    check_at: u64,
    stack: Vec<StackEntry>,
    pv: Vec<ArrayVec<Move, MAX_PLY>>,
    /// Keys of the game and of the path, the present position last.
    keys: Vec<u64>,
    /// How many of `keys` belong to the game, the root included.
    game_keys: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        id: usize,
        shared: &'a Shared<'a>,
        thread: &'a mut ThreadData,
        game: &Game,
        root_moves: Vec<RootMove>,
    ) -> Worker<'a> {
        let root = *game.current();
        thread.evaluator.reset(&root);
        let mut stack = vec![StackEntry::default(); BEFORE_ROOT + MAX_PLY + 3];
        stack[BEFORE_ROOT].reversible = root.halfmove_clock();
        stack[BEFORE_ROOT].slots = Slots::of(&root);
        enter_game(&mut stack[..BEFORE_ROOT], game);
        let mut path = game.keys().to_vec();
        path.reserve(MAX_PLY + 1);
        Worker {
            id,
            shared,
            thread,
            root,
            root_moves,
            root_depth: 0,
            finished_depth: 0,
            seldepth: 0,
            null_from: 0,
            stopped: false,
            nodes: 0,
            tbhits: 0,
            glances: 0,
            proof: None,
            check_at: shared.nodes_left().min(shared.timer.patience()),
            stack,
            pv: vec![ArrayVec::new(); MAX_PLY + 2],
            keys: path,
            game_keys: game.keys().len(),
        }
    }

    /// The tunable numbers.
    #[inline]
    pub(super) fn params(&self) -> &'a Params {
        &self.shared.tuning.params
    }

    pub(super) fn is_main(&self) -> bool {
        self.id == 0
    }

    #[inline]
    pub(super) fn stack(&self, ply: usize) -> &StackEntry {
        &self.stack[ply + BEFORE_ROOT]
    }

    #[inline]
    pub(super) fn stack_mut(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + BEFORE_ROOT]
    }

    /// The stack entry `back` plies before `ply`; six exist before the root.
    #[inline]
    pub(super) fn stack_before(&self, ply: usize, back: usize) -> &StackEntry {
        &self.stack[ply + BEFORE_ROOT - back]
    }

    /// What the quiet histories depend on at `ply`.
    #[inline]
    pub(super) fn context(&self, ply: usize) -> Context {
        Context {
            threats: self.stack(ply).threats,
            earlier: [1, 2, 3, 4, 6]
                .map(|back| self.stack_before(ply, back).moved.unwrap_or(NO_MOVE)),
            ply,
        }
    }

    /// [`piece_to`] of the moves 1 and 2 plies ago.
    #[inline]
    pub(super) fn last_moves(&self, ply: usize) -> [Option<u16>; 2] {
        [1, 2].map(|back| self.stack_before(ply, back).moved)
    }

    /// Starts fetching the transposition table entry after a move. Early, before it is known whether the move is
    /// pruned: memory takes longer than what lies between [`Worker::enter`] and the child's probe.
    #[inline]
    pub(super) fn prefetch(&self, position: &Position, mv: Move) {
        self.shared.tt.prefetch(position.key_after(mv));
    }

    /// Plays a move of the position at `ply` on `child`, a copy of it. (In place, as a position that
    /// is returned is copied once more, and reading back what was just written stalls.)
    #[inline]
    pub(super) fn enter(
        &mut self,
        position: &Position,
        child: &mut Position,
        ply: usize,
        mv: Move,
    ) {
        let ss = &mut self.stack[ply + BEFORE_ROOT];
        ss.mv = Some(mv);
        ss.moved = Some(piece_to(moved_piece(position, mv), mv) as u16);
        ss.noisy = position.is_noisy(mv);
        let reversible = ss.reversible.saturating_add(1);
        child.advance(mv);
        self.descend(position, ply, Some(mv), child, reversible);
    }

    /// Plays a null move at `ply`.
    pub(super) fn enter_null(&mut self, position: &Position, child: &mut Position, ply: usize) {
        let ss = self.stack_mut(ply);
        ss.mv = None;
        ss.moved = None;
        ss.noisy = false;
        child.advance_null();
        self.shared.tt.prefetch(child.key());
        self.descend(position, ply, None, child, 0);
    }

    #[inline]
    fn descend(
        &mut self,
        position: &Position,
        ply: usize,
        mv: Option<Move>,
        child: &Position,
        reversible: u16,
    ) {
        let slots = Slots::of(child);
        let moves = self.last_moves(ply + 1);
        self.thread.memory().correction.prefetch(slots, moves);
        self.thread.evaluator.push(position, mv, child);
        self.keys.push(child.key());
        self.nodes += 1;
        let next = &mut self.stack[ply + 1 + BEFORE_ROOT];
        next.slots = slots;
        next.reversible = if child.halfmove_clock() == 0 {
            0
        } else {
            reversible
        };
    }

    /// Undoes `enter` or `enter_null`.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.keys.pop();
        self.thread.evaluator.pop();
    }

    /// Whether the search is over: stopped, out of time or nodes. Checks the clock from time to time ([`Timer::patience`](super::time::Timer::patience)).
    #[inline]
    pub(super) fn is_over(&mut self) -> bool {
        if self.nodes >= self.check_at {
            self.check_limits();
        }
        self.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        self.publish();
        let mut next = self.nodes + self.shared.timer.patience();
        // The first iteration is always finished, so that there is a move and a line.
        if self.is_main() {
            if self.root_depth > 1 {
                self.stopped |= self.shared.control.is_stopped()
                    || self.shared.proved.load(Relaxed)
                    || self.shared.nodes() >= self.shared.node_limit
                    || self.shared.timer.is_over();
            }
            let left = self.shared.nodes_left();
            if self.nodes < left {
                next = next.min(left);
            }
        } else {
            self.stopped |= self.shared.done.load(Relaxed);
        }
        self.check_at = next;
    }

    /// Publishes the counters to the other threads.
    pub(super) fn publish(&self) {
        let counters = &self.shared.counters[self.id];
        counters.nodes.store(self.nodes, Relaxed);
        counters.tbhits.store(self.tbhits, Relaxed);
    }

    pub(super) fn count_tbhit(&mut self) {
        self.tbhits += 1;
    }

    /// Whether the position at `ply` is drawn by repetition, by the 50-move rule or by insufficient
    /// material. Within the tree one repetition is enough.
    #[inline]
    pub(super) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmove_clock() >= FIFTY_MOVES {
            // Mate comes before the 50-move rule.
            return !position.is_checkmate();
        }
        self.is_repetition(ply) || position.is_insufficient_material()
    }

    fn is_repetition(&self, ply: usize) -> bool {
        let last = self.keys.len() - 1;
        let key = self.keys[last];
        let back = usize::from(self.stack(ply).reversible).min(last);
        let mut in_game = 0;
        for plies in (4..=back).step_by(2) {
            let at = last - plies;
            if self.keys[at] == key {
                if at >= self.game_keys {
                    return true;
                }
                in_game += 1;
                if in_game == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the side to move has a move that repeats a position of the tree (an upcoming repetition), and so a draw.
    #[inline]
    pub(super) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let last = self.keys.len() - 1;
        // The root belongs to the game.
        let back = usize::from(self.stack(ply).reversible).min(ply.saturating_sub(1));
        position.can_repeat(&self.keys[last - back..last])
    }

    /// The raw static evaluation, before correction history.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        let score = self.thread.evaluator.evaluate(position);
        match &self.shared.handicap {
            Some(handicap) => handicap.add_noise(position, score),
            None => score,
        }
    }

    /// The static evaluation as the search uses it: with the correction history, and damped towards 0 as the
    /// halfmove clock grows and as men go.
    #[inline]
    pub(super) fn correct(&self, position: &Position, ply: usize, raw_eval: Score) -> Score {
        let correction = self.thread.memory().correction.of(
            self.stack(ply).slots,
            position.turn(),
            self.last_moves(ply),
            self.params(),
        );
        Score::eval(damped(position, raw_eval).0 + correction)
    }

    pub(super) fn clear_pv(&mut self, ply: usize) {
        self.pv[ply].clear();
    }

    /// The PV of `ply` is now `mv` followed by the PV one ply deeper.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.pv.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        for &mv in lower[0].iter().take(MAX_PLY - 1) {
            line.push(mv);
        }
    }

    /// Keys of the game up to the root.
    pub(super) fn game_keys(&self) -> &[u64] {
        &self.keys[..self.game_keys]
    }

    pub(super) fn pv(&self, ply: usize) -> &[Move] {
        &self.pv[ply]
    }
}

/// Enters what a game moved last in the stack before the root, for the histories of the first plies.
fn enter_game(before_root: &mut [StackEntry], game: &Game) {
    let moves = game.moved().iter().zip(game.moves()).rev();
    for (entry, (&piece, &mv)) in before_root.iter_mut().rev().zip(moves) {
        entry.moved = Some(piece_to(piece, mv) as u16);
    }
}

/// A static evaluation, damped towards 0 as the halfmove clock grows and as men go.
#[inline]
fn damped(position: &Position, eval: Score) -> Score {
    let by_clock = eval.0 * (220 - i32::from(position.halfmove_clock().min(FIFTY_MOVES))) / 220;
    Score(by_clock * (668 + 397 * worth(position) / ALL_WORTH) / 1024)
}

/// How far corrections move an evaluation; 0 if that is not known.
#[inline]
pub(super) fn correction_size(position: &Position, raw: Option<Score>, corrected: Score) -> i32 {
    raw.map_or(0, |raw| (corrected - damped(position, raw)).abs())
}

/// The [`worth`] of the men at the start.
const ALL_WORTH: i32 = 9700;

/// What both sides' men but for the kings are worth, in centipawns; pawns count double, since much can be won as long as there are many.
#[inline]
fn worth(position: &Position) -> i32 {
    let values = [
        (Role::Pawn, 200),
        (Role::Knight, 320),
        (Role::Bishop, 330),
        (Role::Rook, 500),
        (Role::Queen, 950),
    ];
    let of_role = |(role, value)| value * position.role(role).count() as i32;
    values.into_iter().map(of_role).sum()
}

/// Whether the side to move has non-pawn material.
#[inline]
pub(super) fn has_pieces(position: &Position) -> bool {
    let us = position.turn();
    (position.color(us) - position.of(us, Role::Pawn)).many()
}

/// The mate or stalemate score of a node without legal moves.
#[inline]
pub(super) fn no_moves(position: &Position, ply: usize) -> Score {
    if position.in_check() {
        Score::mated_in(Plies(ply as u16))
    } else {
        Score::DRAW
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_eval::material;

    /// The last move stands nearest to the root; what is older than the stack is left out.
    #[test]
    fn the_last_moves_of_a_game_come_before_the_root() {
        let entered = |sans: &[&str]| {
            let mut game = Game::new(Position::start());
            for san in sans {
                game.push(game.current().parse_san(san).expect("a legal move"));
            }
            let mut stack = [StackEntry::default(); BEFORE_ROOT];
            enter_game(&mut stack, &game);
            stack.map(|entry| entry.moved.map(|moved| moved % 64))
        };
        assert_eq!(entered(&[]), [None; BEFORE_ROOT]);
        assert_eq!(entered(&["e4", "e5"])[4..], [Some(28), Some(36)]);
        let long = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6"];
        let squares = [21, 42, 33, 40, 24, 45].map(Some);
        assert_eq!(entered(&long), squares);
    }

    #[test]
    fn a_thread_that_is_cleared_has_learnt_nothing() {
        let mut thread = ThreadData::new(material()());
        let position = Position::start();
        let mv = position.legal_moves()[3];
        let context = Context {
            threats: Bitboard::EMPTY,
            earlier: [5; 5],
            ply: 0,
        };
        let moves = [Some(3), Some(4)];
        let (slots, turn) = (Slots::of(&position), position.turn());
        let learnt = |thread: &ThreadData| {
            let history = &thread.memory().history;
            [
                history.quiets(&position, &context).of(&position, mv),
                history.low_ply(0).map_or(0, |near_root| near_root.of(mv)),
                history.capture(&position, mv),
                thread
                    .memory()
                    .correction
                    .of(slots, turn, moves, &Params::default()),
            ]
        };
        let history = &mut thread.memory_mut().history;
        history.update_quiet(&position, &context, mv, 1000);
        history.update_capture(&position, mv, 1000);
        for _ in 0..100 {
            thread
                .memory_mut()
                .correction
                .learn(slots, turn, moves, 1280, 400);
        }
        thread.last_score = Some(Score(7));
        assert!(learnt(&thread).iter().all(|&number| number > 0));
        thread.clear();
        assert_eq!((learnt(&thread), thread.last_score), ([0; 4], None));
    }
}
