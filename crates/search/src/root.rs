//! The root: iterative deepening, aspiration windows, MultiPV.

use super::info::Bound;
use super::limits::{Limits, SearchOptions};
use super::move_picker::MovePicker;
use super::node::Node;
use super::params::MAX_PLY;
use super::proof_bounds::ScoreBounds;
use super::report::Reporter;
use super::root_move::RootMove;
use super::threats::threats;
use super::time::IterationStats;
use super::worker::{Worker, correction_size};
use duchamp_eval::Score;
use std::cmp::Reverse;

/// Iterations between the scores whose difference tells whether it falls.
const EARLIER: usize = 4;

/// The change of score from one iteration to the next that counts as none.
const CALM: i32 = 8;

/// The targets that end a search besides time and nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Iterations.
    pub(super) depth: i32,
    /// A mate in at most so many moves.
    pub(super) mate: Option<u32>,
    /// Principal variations (MultiPV).
    pub(super) multipv: usize,
}

impl Goal {
    /// What a request asks for.
    pub(super) fn of(limits: &Limits, options: &SearchOptions) -> Goal {
        let depth = limits.depth.map(|plies| plies.clamp(1, MAX_PLY as u32));
        Goal {
            depth: depth.map_or(MAX_PLY as i32, |plies| plies as i32),
            mate: limits.mate,
            multipv: options.multipv,
        }
    }
}

impl Worker<'_> {
    /// Iterative deepening until the goal is reached or the search is stopped. Afterwards
    /// `root_moves` is in order, each line as of its last finished search.
    pub(super) fn iterate(&mut self, goal: &Goal, mut reporter: Option<&mut Reporter<'_>>) {
        let lines = goal.multipv.clamp(1, self.root_moves.len());
        let mut stable = 0;
        let mut finished: Vec<RootMove> = Vec::new();
        let mut scores: Vec<Score> = Vec::new();
        for depth in 1..=goal.depth.min(MAX_PLY as i32 - 1) {
            self.root_depth = depth;
            self.order_root_moves();
            for mv in &mut self.root_moves {
                (mv.score, mv.bound) = (-Score::INFINITE, Bound::Exact);
            }
            for line in 0..lines {
                self.seldepth = 0;
                self.aspiration_search(depth, line, reporter.as_deref_mut());
                self.root_moves[..=line].sort_by_key(|m| Reverse(m.score));
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                self.root_moves = discard_aborted_iteration(
                    finished,
                    std::mem::take(&mut self.root_moves),
                    lines,
                );
                break;
            }
            stable = match finished.first() {
                Some(best) if best.mv == self.root_moves[0].mv => stable + 1,
                _ => 0,
            };
            finished.clone_from(&self.root_moves);
            scores.push(self.root_moves[0].score);
            self.finished_depth = depth;
            self.publish();
            if let Some(reporter) = reporter.as_deref_mut() {
                reporter.lines(self, depth, lines);
                if self.found_mate(goal) || self.should_stop(stable, &scores) {
                    break;
                }
                if let Some(proof) = self.proof.as_deref_mut()
                    && proof.work(&self.root, self.shared)
                {
                    // The searcher begins again with what is proved.
                    break;
                }
            }
        }
        self.thread.last_score = self.root_moves[0].average;
        self.publish();
    }

    /// Orders the root moves behind the best ones: first those that were best, the latest first, then all others as at any
    /// other node. Moves late in the list are searched less deep.
    fn order_root_moves(&mut self) {
        let root = self.root;
        self.stack_mut(0).threats = threats(&root);
        let context = self.context(0);
        let mut picker = MovePicker::all(self.shared.hash_move(&root), None);
        picker.prefer(self.params().order_check, self.params().order_near_root);
        let mut order = Vec::with_capacity(self.root_moves.len());
        while let Some((mv, _)) = picker.next(&root, &self.thread.memory().history, &context) {
            order.push(mv);
        }
        let known = self
            .root_moves
            .iter()
            .take_while(|root_move| root_move.score > -Score::INFINITE)
            .count();
        // Finding the place of a move is expensive: once for each move, not at each comparison.
        self.root_moves[known..].sort_by_cached_key(|root_move| {
            let place = order.iter().position(|&mv| mv == root_move.mv);
            (Reverse(root_move.best_at), place)
        });
    }

    /// Whether the requested mate is found.
    fn found_mate(&self, goal: &Goal) -> bool {
        let moves = self.root_moves[0].score.mate_moves();
        match (goal.mate, moves) {
            (Some(requested), Some(moves)) => moves > 0 && moves as u32 <= requested,
            _ => false,
        }
    }

    /// Whether not to begin another iteration; `scores` are those of the iterations so far.
    fn should_stop(&self, stable: u32, scores: &[Score]) -> bool {
        let best = &self.root_moves[0];
        let changes = scores.windows(2).rev();
        let calm = changes.take_while(|pair| (pair[1] - pair[0]).abs() <= CALM);
        let stats = IterationStats {
            best_move_effort: best.nodes as f64 / self.nodes.max(1) as f64,
            best_move_stability: stable,
            calm: calm.count() as u32,
            score: best.score,
            earlier: scores[scores.len().saturating_sub(1 + EARLIER)],
            last_move: self.thread.last_score.unwrap_or(best.score),
        };
        // A single legal move, or a mate that deeper searches did not shorten.
        let mate = best.score.mate_plies().map(|plies| i32::from(plies.0));
        let clear = self.root_moves.len() == 1 || mate.is_some_and(|m| m + 4 < self.root_depth);
        let hurry = clear && !self.shared.analyse;
        self.shared.timer.is_enough(&stats, hurry)
            || self.shared.control.is_stopped()
            || self.shared.nodes() >= self.shared.node_limit.min(self.shared.soft_nodes)
    }

    /// Aspiration search: a window around the average score, widened on fail low and fail high.
    fn aspiration_search(
        &mut self,
        depth: i32,
        line: usize,
        mut reporter: Option<&mut Reporter<'_>>,
    ) {
        let expected = self.root_moves[line].average;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        let mut width = self.params().aspiration;
        if let Some(expected) = expected
            && depth >= 4
            && !expected.is_decisive()
        {
            width += expected.0.abs() / 400;
            alpha = (expected - width).max(-Score::INFINITE);
            beta = (expected + width).min(Score::INFINITE);
        }
        let mut lowered = 0;
        loop {
            let score = self.search_root(
                (depth - lowered).max(1),
                line,
                (alpha, beta),
                reporter.as_deref_mut(),
            );
            self.root_moves[line..].sort_by_key(|m| Reverse(m.score));
            if self.stopped {
                return;
            }
            if alpha == -Score::INFINITE && beta == Score::INFINITE {
                // No window is wider.
                break;
            }
            if score <= alpha {
                beta = Score((alpha.0 + beta.0) / 2);
                alpha = (score - width).max(-Score::INFINITE);
                lowered = 0;
            } else if score >= beta {
                alpha = alpha.max(beta - width);
                beta = (score + width).min(Score::INFINITE);
                if !score.is_decisive() {
                    lowered = (lowered + 1).min(3);
                }
            } else {
                break;
            }
            if let Some(reporter) = reporter.as_deref_mut()
                && reporter.is_long(self)
            {
                reporter.line(self, depth, line);
            }
            width += width / 2;
            if score.is_decisive() || width > 900 {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// One search of the root moves from index `line` on (the ones before it have their PVs already).
    fn search_root(
        &mut self,
        depth: i32,
        line: usize,
        (mut alpha, beta): (Score, Score),
        mut reporter: Option<&mut Reporter<'_>>,
    ) -> Score {
        let position = self.root;
        self.clear_pv(0);
        let in_check = position.in_check();
        let raw_eval = (!in_check).then(|| self.evaluate(&position));
        let static_eval = raw_eval.map(|raw_eval| self.correct(&position, 0, raw_eval));
        let ss = self.stack_mut(0);
        ss.eval = static_eval;
        ss.threats = threats(&position);
        self.stack_mut(1).killer = None;
        self.stack_mut(1).cutoffs = 0;
        self.stack_mut(2).cutoffs = 0;
        let mut node = Node {
            position: &position,
            ply: 0,
            depth,
            alpha,
            beta,
            cut_node: false,
            in_check,
            entry: None,
            hash_move: Some(self.root_moves[line].mv),
            hash_noisy: position.is_noisy(self.root_moves[line].mv),
            tt_pv: true,
            excluded: None,
            proven: ScoreBounds::NONE,
            raw_eval,
            static_eval: static_eval.unwrap_or(Score::DRAW),
            correction: correction_size(&position, raw_eval, static_eval.unwrap_or(Score::DRAW)),
            eval: static_eval.unwrap_or(Score::DRAW),
            improving: true,
            decline: 0,
            context: self.context(0),
        };
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = super::node::Tried::default();
        for index in line..self.root_moves.len() {
            let mv = self.root_moves[index].mv;
            let number = index - line + 1;
            if let Some(reporter) = reporter.as_deref_mut() {
                reporter.current(self, depth, mv, number);
            }
            let candidate = self.candidate(&node, mv, number);
            let nodes = self.nodes;
            let mut child = position;
            self.enter(&position, &mut child, 0, mv);
            node.alpha = alpha;
            let score = self.search_move::<true>(&node, &candidate, &child, 0, alpha, best);
            self.leave();
            let spent = self.nodes - nodes;
            self.root_moves[index].nodes += spent;
            if self.stopped {
                return best;
            }
            self.update_root_move(index, number == 1, score, alpha, beta);
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            if best_move != Some(mv) {
                tried.add(mv, candidate.quiet);
            }
        }
        // Of moves that the user chose the best one says nothing of the position.
        if line == 0 && !self.shared.chosen_moves {
            self.finish_node(&node, best, best_move, &tried, best_move.is_some());
        }
        best
    }

    /// Stores the result of the search of a root move.
    fn update_root_move(
        &mut self,
        index: usize,
        first: bool,
        score: Score,
        alpha: Score,
        beta: Score,
    ) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let root_move = &mut self.root_moves[index];
        if !first && score <= alpha {
            // Failed low: not better than the best move.
            root_move.score = -Score::INFINITE;
            return;
        }
        root_move.score = score;
        root_move.bound = if score >= beta {
            Bound::Lower
        } else if score <= alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        root_move.seldepth = seldepth;
        root_move.average = Some(match root_move.average {
            // A mate and an evaluation have no mean.
            Some(average) if !average.is_decisive() && !score.is_decisive() => {
                Score((score.0 + average.0) / 2)
            }
            _ => score,
        });
        if score > alpha {
            root_move.best_at = depth;
            let line = self.pv(1).to_vec();
            let pv = &mut self.root_moves[index].pv;
            pv.truncate(1);
            pv.extend(line);
        }
    }
}

/// The root moves after an aborted iteration: those of the last finished one, except that a best move which was found
/// better in the aborted one is kept.
fn discard_aborted_iteration(
    finished: Vec<RootMove>,
    broken: Vec<RootMove>,
    lines: usize,
) -> Vec<RootMove> {
    let Some(old) = finished.first() else {
        return broken;
    };
    let new = &broken[0];
    let improved = new.score > -Score::INFINITE && new.bound != Bound::Upper;
    if lines > 1 || !improved || new.mv == old.mv && new.bound != Bound::Exact {
        let mut kept = finished;
        for root_move in &mut kept {
            if let Some(b) = broken.iter().find(|b| b.mv == root_move.mv) {
                root_move.nodes = b.nodes;
            }
        }
        return kept;
    }
    let mut broken = broken;
    if broken[0].bound == Bound::Lower && !broken[0].score.is_decisive() {
        // A lower bound is reported as the score: there is no time to resolve it.
        broken[0].bound = Bound::Exact;
    }
    broken
}
