//! An interior node of the tree, step by step: draws and mate distance pruning, transposition table, tablebases and
//! proofs, static evaluation, pruning before the moves (`prune`), the move loop (`move_loop`), and the updates of
//! histories and transposition table.

use super::correction::is_informative;
use super::history::{Context, NO_MOVE, is_pawn};
use super::params::MAX_PLY;
use super::proof_bounds::ScoreBounds;
use super::quiesce::{causes_cutoff, mate_distance_pruning};
use super::threats::threats;
use super::tt::{Entry, TtBound};
use super::worker::{Worker, correction_size};
use duchamp_chess::{Bitboard, Move, Position};
use duchamp_eval::Score;

/// The state of a node, shared by the steps of its search.
pub(super) struct Node<'p> {
    pub(super) position: &'p Position,
    pub(super) ply: usize,
    /// Plies left to search.
    pub(super) depth: i32,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// Whether this is an expected cut node.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    pub(super) entry: Option<Entry>,
    /// The move of the transposition table entry, if it is legal here.
    pub(super) hash_move: Option<Move>,
    pub(super) hash_noisy: bool,
    pub(super) tt_pv: bool,
    /// The excluded move of a singular extension search.
    pub(super) excluded: Option<Move>,
    /// What tables of results and proofs say.
    pub(super) proven: ScoreBounds,
    /// Static evaluation before corrections; `None` in check.
    pub(super) raw_eval: Option<Score>,
    /// Corrected static evaluation; of an earlier ply when in check.
    pub(super) static_eval: Score,
    /// How far corrections move the evaluation; 0 in check, before pruning, and where the evaluation is not known.
    pub(super) correction: i32,
    /// `static_eval`, or the transposition table's score where its bound is tighter.
    pub(super) eval: Score,
    /// Whether the side to move is better off than at its last move.
    pub(super) improving: bool,
    /// How much worse off it is, in centipawns, negative if better off; 0 in check and where that is not known.
    pub(super) decline: i32,
    pub(super) context: Context,
}

impl Node<'_> {
    /// Compares the static evaluation with that at the side's last move.
    #[inline]
    fn compare(&mut self, before: Option<Score>) {
        self.decline = before.map_or(0, |before| before - self.static_eval);
        self.improving = self.decline < 0;
    }
}

impl Worker<'_> {
    /// The score of a position searched to `depth` plies, within or outside (`alpha`, `beta`).
    pub(super) fn node<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        alpha: Score,
        beta: Score,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiesce::<PV>(position, ply, alpha, beta);
        }
        if PV {
            self.clear_pv(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if self.is_over() {
            return Score::DRAW;
        }
        let excluded = self.stack(ply).excluded;
        if excluded.is_none() && self.is_draw(position, ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return if position.in_check() {
                Score::DRAW
            } else {
                self.evaluate(position)
            };
        }
        let (mut alpha, beta) = mate_distance_pruning(alpha, beta, ply);
        let mut least = -Score::INFINITE;
        if alpha < Score::DRAW && excluded.is_none() && self.can_repeat(position, ply) {
            (alpha, least) = (Score::DRAW, Score::DRAW);
        }
        if alpha >= beta {
            return alpha;
        }

        let entry = self.shared.tt.probe(position.key(), ply);
        let hash_move = entry.and_then(|e| e.mv).filter(|&mv| position.is_legal(mv));
        let mut node = Node {
            position,
            ply,
            depth: depth.min(MAX_PLY as i32 - 1),
            alpha,
            beta,
            cut_node,
            in_check: position.in_check(),
            entry,
            hash_move,
            hash_noisy: hash_move.is_some_and(|mv| position.is_noisy(mv)),
            tt_pv: PV || entry.is_some_and(|e| e.pv),
            excluded,
            proven: ScoreBounds::NONE,
            raw_eval: None,
            static_eval: Score::DRAW,
            correction: 0,
            eval: Score::DRAW,
            improving: false,
            decline: 0,
            context: Context {
                threats: Bitboard::EMPTY,
                earlier: [NO_MOVE; 5],
                ply,
            },
        };
        if !PV
            && excluded.is_none()
            && let Some(score) = self.hash_cutoff(&node)
        {
            return score;
        }
        // Most likely the first to be searched; fetched while this node is evaluated.
        if let Some(mv) = hash_move {
            self.prefetch(position, mv);
        }
        if excluded.is_none()
            && self.may_probe_tables(position)
            && let Some(score) = self.probe_tables(position, ply, alpha, beta)
        {
            return score;
        }
        if excluded.is_none() && self.may_probe_results(position, node.depth) {
            match self.probe_results(&mut node) {
                Ok(bounds) => node.proven = bounds,
                Err(score) => return score,
            }
        }
        if excluded.is_none() && node.proven == ScoreBounds::NONE && self.may_prove(position) {
            node.proven = self.proven(position, ply, node.depth);
            match node.proven.narrow(alpha, beta) {
                Ok((alpha, beta)) => (node.alpha, node.beta) = (alpha, beta),
                Err(score) => return score,
            }
        }
        let score = self.expand::<PV>(&mut node);
        node.proven.clamp(score).max(least)
    }

    /// Searches a node that neither transposition table, tables nor proofs cut off.
    fn expand<const PV: bool>(&mut self, node: &mut Node<'_>) -> Score {
        self.evaluate_statically(node);
        if !PV && let Some(score) = self.prune(node) {
            return score;
        }
        // A search without the hash move is one of the same node, which has them.
        if node.excluded.is_none() {
            self.stack_mut(node.ply).threats = threats(node.position);
        }
        node.context = self.context(node.ply);
        node.correction = correction_size(node.position, node.raw_eval, node.static_eval);
        let free = node.excluded.is_none() && node.hash_move.is_none();
        if free && node.depth >= 6 && (PV || node.cut_node) {
            // Internal iterative reduction: without a hash move the move order is poor; the shallower search stores one.
            node.depth -= 1;
        }
        self.try_moves::<PV>(node)
    }

    /// The score of a transposition table cutoff, if there is one.
    fn hash_cutoff(&mut self, node: &Node<'_>) -> Option<Score> {
        let entry = node.entry?;
        let high = entry.score >= node.beta;
        // A cutoff that contradicts the expected node type is taken at large depth only.
        let enough = entry.depth >= node.depth + i32::from(high)
            && (node.cut_node == high || node.depth > 5)
            // Close to the 50-move rule, scores that were found on other paths are not reliable.
            && node.position.halfmove_clock() < 90;
        if !enough || !causes_cutoff(&entry, node.beta) {
            return None;
        }
        if high
            && let Some(mv) = node.hash_move
            && !node.hash_noisy
        {
            self.stack_mut(node.ply).threats = threats(node.position);
            let context = self.context(node.ply);
            let bonus = self.params().bonus(node.depth) / 2;
            self.thread
                .memory_mut()
                .history
                .update_quiet(node.position, &context, mv, bonus);
        }
        if high {
            self.penalize_previous_move(node);
        }
        Some(entry.score)
    }

    /// Evaluates the node statically.
    fn evaluate_statically(&mut self, node: &mut Node<'_>) {
        let (position, ply) = (node.position, node.ply);
        let before = self
            .stack_before(ply, 2)
            .eval
            .or(self.stack_before(ply, 4).eval);
        self.stack_mut(ply + 1).killer = None;
        self.stack_mut(ply + 2).cutoffs = 0;
        self.stack_mut(ply + 1).doubles = self.stack(ply).doubles;
        if node.in_check {
            self.stack_mut(ply).eval = None;
            node.static_eval = before.unwrap_or(Score::DRAW);
            node.eval = node.static_eval;
            return;
        }
        if node.excluded.is_some()
            && let Some(eval) = self.stack(ply).eval
        {
            node.raw_eval = node.entry.and_then(|e| e.eval);
            node.static_eval = eval;
            node.eval = eval;
            node.compare(before);
            return;
        }
        let raw_eval = match node.entry.and_then(|e| e.eval) {
            Some(eval) => eval,
            None => {
                let eval = self.evaluate(position);
                if node.entry.is_none() {
                    let entry = Entry {
                        mv: None,
                        score: Score::DRAW,
                        eval: Some(eval),
                        depth: -1,
                        bound: TtBound::None,
                        pv: node.tt_pv,
                    };
                    self.shared.tt.store(position.key(), ply, entry);
                }
                eval
            }
        };
        node.raw_eval = Some(raw_eval);
        node.static_eval = self.correct(position, ply, raw_eval);
        node.eval = node.static_eval;
        node.compare(before);
        if let Some(entry) = node.entry
            && !entry.score.is_decisive()
            && causes_cutoff(&entry, node.static_eval + 1)
        {
            node.eval = entry.score;
        }
        self.stack_mut(ply).eval = Some(node.static_eval);
        self.update_from_eval_difference(node);
    }

    /// Updates the histories of the previous move, if it was quiet, by the static evaluation difference.
    fn update_from_eval_difference(&mut self, node: &Node<'_>) {
        let last = *self.stack_before(node.ply, 1);
        let (Some(mv), Some(piece_to), Some(before)) = (last.mv, last.moved, last.eval) else {
            return;
        };
        if last.noisy {
            return;
        }
        let params = self.params();
        let gain = (params.gain_loss - before.0 - node.static_eval.0).clamp(-200, 200);
        let (by_squares, by_pawns) = (gain * params.gain_weight, gain * params.gain_pawn);
        let position = node.position;
        let history = &mut self.thread.memory_mut().history;
        history.update_butterfly(!position.turn(), last.threats, mv, by_squares);
        // A pawn move changes the pawn key, so its entry would not be found again; a node that is searched anew teaches nothing new.
        let piece_to = usize::from(piece_to);
        if !is_pawn(piece_to) && node.entry.is_none() {
            history.update_pawn(position, piece_to, by_pawns);
        }
    }

    /// Updates histories and correction history, and stores the node in the transposition table; `best_move` is set if
    /// the score rose above alpha.
    pub(super) fn finish_node(
        &mut self,
        node: &Node<'_>,
        best: Score,
        best_move: Option<Move>,
        tried: &Tried,
        exact: bool,
    ) {
        if let Some(mv) = best_move
            && best >= node.beta
        {
            self.update_histories(node, mv, best, tried);
        }
        if node.excluded.is_some() {
            return;
        }
        let bound = if best >= node.beta {
            TtBound::Lower
        } else if exact {
            TtBound::Exact
        } else {
            TtBound::Upper
        };
        let entry = Entry {
            mv: best_move,
            score: best,
            eval: node.raw_eval,
            depth: node.depth,
            bound,
            pv: node.tt_pv,
        };
        self.shared.tt.store(node.position.key(), node.ply, entry);
        if !node.in_check
            && !best.is_decisive()
            && !best_move.is_some_and(|mv| node.position.is_noisy(mv))
            && is_informative(
                best,
                node.static_eval,
                bound == TtBound::Lower,
                bound == TtBound::Upper,
            )
        {
            let (slots, moves) = (self.stack(node.ply).slots, self.last_moves(node.ply));
            let taught = node.depth * self.params().correction_speed;
            self.thread.memory_mut().correction.learn(
                slots,
                node.position.turn(),
                moves,
                taught,
                best - node.static_eval,
            );
        }
    }

    /// Gives a bonus to the move that caused a beta cutoff and a malus to those searched before it.
    fn update_histories(&mut self, node: &Node<'_>, mv: Move, best: Score, tried: &Tried) {
        let depth = node.depth + i32::from(best > node.beta + 60);
        let (bonus, malus) = (self.params().bonus(depth), self.params().malus(depth));
        let position = node.position;
        self.stack_mut(node.ply).cutoffs += 1;
        let history = &mut self.thread.memory_mut().history;
        if position.is_noisy(mv) {
            history.update_capture(position, mv, bonus);
        } else {
            // A cutoff by the first move at low depth carries little information.
            if node.depth > 3 || !tried.quiets.is_empty() {
                history.update_quiet(position, &node.context, mv, bonus);
            }
            for &other in &tried.quiets {
                history.update_quiet(position, &node.context, other, -malus);
            }
        }
        for &other in &tried.noisy {
            history.update_capture(position, other, -malus);
        }
        if !position.is_noisy(mv) {
            self.stack_mut(node.ply).killer = Some(mv);
        }
    }
}

/// The searched moves of a node that were not the best.
#[derive(Default)]
pub(super) struct Tried {
    pub(super) quiets: arrayvec::ArrayVec<Move, 32>,
    pub(super) noisy: arrayvec::ArrayVec<Move, 32>,
}

impl Tried {
    /// Adds a move, while there is room.
    #[inline]
    pub(super) fn add(&mut self, mv: Move, quiet: bool) {
        let list = if quiet {
            &mut self.quiets
        } else {
            &mut self.noisy
        };
        let _ = list.try_push(mv);
    }
}
