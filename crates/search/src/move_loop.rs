//! Trying the moves of a node: which to skip, how deep to look at the others.

use super::history::{mover, piece_to};
use super::move_picker::{Kind, MovePicker};
use super::node::{Node, Tried};
use super::params::{PLY, late_move_limit};
use super::worker::{Frame, Worker, has_pieces, no_moves};
use duchamp_chess::{Move, Position};
use duchamp_eval::Score;

/// What a node knows about the move it is about to search.
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// 1 for the first.
    pub(super) number: usize,
    pub(super) quiet: bool,
    /// All its histories together.
    pub(super) history: i32,
    /// Its reduction before adjustments, in 1024ths of a ply.
    pub(super) reduction: i32,
}

/// What to do with a move.
enum Verdict {
    Search,
    Skip,
    /// Skip it and all quiet moves after it.
    SkipQuiets,
}

impl Worker<'_> {
    /// Searches the moves; the score of the best, fail-soft.
    pub(super) fn try_moves<const PV: bool>(&mut self, node: &Node<'_>) -> Score {
        let &Node {
            position,
            ply,
            beta,
            ..
        } = node;
        let mut alpha = node.alpha;
        let mut best = -Score::INFINITE;
        let mut best_move = None;
        let mut tried = Tried::default();
        let mut number = 0;
        let killer = self.frame(ply).killer;
        let mut picker = MovePicker::all(node.hash_move, killer);
        picker.prefer(self.params().order_check, self.params().order_near_root);
        let pieces = has_pieces(position);

        while let Some((mv, kind)) = picker.next(position, &self.thread.history, &node.context) {
            if node.excluded == Some(mv) {
                continue;
            }
            number += 1;
            let candidate = self.candidate(node, mv, number);
            if pieces && !best.is_loss() {
                match self.judge::<PV>(node, &candidate, kind, alpha, best) {
                    Verdict::Search => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }
            let extension = match self.extend::<PV>(node, mv) {
                Extension::By(plies) => plies,
                Extension::MultiCut(score) => return score,
            };
            if self.stopped {
                return Score::DRAW;
            }
            self.frame_mut(ply + 1).doubles = self.frame(ply).doubles + u32::from(extension > 1);

            let mut child = *position;
            self.frame_mut(ply).number = number;
            self.enter(position, &mut child, ply, mv);
            let score = self.search_move::<PV>(node, &candidate, &child, extension, alpha, best);
            self.leave();
            if self.stopped {
                return Score::DRAW;
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.update_pv(ply, mv);
                    }
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

        if number == 0 {
            return if node.excluded.is_some() {
                node.alpha
            } else {
                no_moves(position, ply)
            };
        }
        if best >= beta && !best.is_decisive() && !beta.is_decisive() {
            best = Score((best.0 * node.depth + beta.0) / (node.depth + 1));
        }
        if best_move.is_none() {
            self.reward_previous_move(node);
        }
        self.conclude(node, best, best_move, &tried, PV && best_move.is_some());
        best
    }

    fn candidate(&self, node: &Node<'_>, mv: Move, number: usize) -> Candidate {
        let quiet = !node.position.is_noisy(mv);
        let history = &self.thread.history;
        Candidate {
            mv,
            number,
            quiet,
            history: if quiet {
                history
                    .quiets(node.position, &node.context)
                    .of(node.position, mv)
            } else {
                history.capture(node.position, mv)
            },
            reduction: self.shared.tuning.reductions.of(node.depth, number),
        }
    }

    /// Whether a move deserves a search at all; never asked before one move has escaped mate.
    fn judge<const PV: bool>(
        &self,
        node: &Node<'_>,
        candidate: &Candidate,
        kind: Kind,
        alpha: Score,
        best: Score,
    ) -> Verdict {
        let &Candidate {
            mv,
            number,
            quiet,
            history,
            reduction,
        } = candidate;
        if best == -Score::INFINITE {
            return Verdict::Search;
        }
        let (depth, params) = (node.depth, self.params());
        if quiet && !PV && number >= late_move_limit(depth, node.improving) {
            return Verdict::SkipQuiets;
        }
        let left = (depth - (reduction - history * PLY / params.lmr_history / 2) / PLY).max(0);
        if quiet {
            if depth <= 6 && history < -params.history_prune * depth {
                return Verdict::SkipQuiets;
            }
            let futile = node.static_eval
                + params.futility_base
                + params.futility_growth * left
                + history / params.futility_history;
            if left <= 8 && !node.in_check && futile <= alpha && !alpha.is_decisive() {
                return Verdict::SkipQuiets;
            }
            if !node.position.see_ge(mv, -params.see_quiet * left * left) {
                return Verdict::Skip;
            }
        } else if kind != Kind::Good
            && depth <= 10
            && !node.position.see_ge(
                mv,
                -params.see_noisy * depth - history / params.see_noisy_history,
            )
        {
            return Verdict::Skip;
        }
        Verdict::Search
    }

    /// Whether the hash move is so much better than all others that it deserves more depth
    /// (singular), or the others are so good that there is a cutoff without it (multi-cut).
    fn extend<const PV: bool>(&mut self, node: &Node<'_>, mv: Move) -> Extension {
        let Some(entry) = node.entry else {
            return Extension::By(0);
        };
        let ply = node.ply;
        let singular = node.hash_move == Some(mv)
            && node.excluded.is_none()
            && node.depth >= 6 + i32::from(node.tt_pv)
            && entry.depth >= node.depth - 3
            && entry.bound.is_lower()
            && !entry.score.is_decisive()
            && ply < 2 * self.root_depth as usize;
        if !singular {
            return Extension::By(0);
        }
        let params = self.params();
        let (double, triple) = (params.singular_double, params.singular_triple);
        let width = node.depth + node.depth * i32::from(node.tt_pv && !PV) / 2;
        let width = width * params.singular_width / PLY;
        let bound = entry.score - width;
        self.frame_mut(ply).excluded = Some(mv);
        let score = self.node::<false>(
            node.position,
            ply,
            (node.depth - 1) / 2,
            bound - 1,
            bound,
            node.cut_node,
        );
        self.frame_mut(ply).excluded = None;
        if score < bound {
            let doubles = self.frame(ply).doubles;
            let twice = !PV && score < bound - double && doubles <= 10;
            let thrice = twice && !node.hash_noisy && score < bound - triple;
            Extension::By(1 + i32::from(twice) + i32::from(thrice))
        } else if !PV && score >= node.beta && !score.is_decisive() {
            Extension::MultiCut(score)
        } else if entry.score >= node.beta {
            Extension::By(-2 - i32::from(!PV))
        } else if node.cut_node {
            Extension::By(-2)
        } else {
            Extension::By(0)
        }
    }

    /// Searches a move that has been entered: reduced and with a zero window first, deeper and
    /// wider if it turns out better than expected.
    pub(super) fn search_move<const PV: bool>(
        &mut self,
        node: &Node<'_>,
        candidate: &Candidate,
        child: &Position,
        extension: i32,
        alpha: Score,
        best: Score,
    ) -> Score {
        let ply = node.ply + 1;
        let mut depth = node.depth - 1 + extension;
        let mut score = Score::DRAW;
        let full = if node.depth >= 2 && candidate.number > 1 {
            let reduction = self.reduction::<PV>(node, candidate, child);
            let reduced = (depth - reduction / PLY).clamp(1, depth.max(1) + i32::from(PV));
            self.frame_mut(node.ply).reduction = (depth - reduced).max(0);
            score = -self.node::<false>(child, ply, reduced, -alpha - 1, -alpha, true);
            self.frame_mut(node.ply).reduction = 0;
            if score > alpha && reduced < depth && !self.stopped {
                depth += i32::from(score > best + self.params().deeper + 2 * depth);
                depth -= i32::from(score < best + self.params().shallower);
                if reduced < depth {
                    score =
                        -self.node::<false>(child, ply, depth, -alpha - 1, -alpha, !node.cut_node);
                }
                if candidate.quiet {
                    self.learn_reduced(node, candidate.mv, depth, score > alpha);
                }
            }
            false
        } else {
            !PV || candidate.number > 1
        };
        if full {
            score = -self.node::<false>(child, ply, depth, -alpha - 1, -alpha, !node.cut_node);
        }
        if PV && (candidate.number == 1 || score > alpha) {
            score = -self.node::<true>(child, ply, depth, -node.beta, -alpha, false);
        }
        score
    }

    /// A reduced move was searched again: its continuation histories learn the result.
    fn learn_reduced(&mut self, node: &Node<'_>, mv: Move, depth: i32, good: bool) {
        let bonus = self.params().bonus(depth);
        let man = piece_to(mover(node.position, mv), mv);
        self.thread.history.update_continuation(
            &node.context,
            man,
            if good { bonus } else { -bonus },
        );
    }

    /// By how much to reduce the depth of a late move, in 1024ths of a ply.
    fn reduction<const PV: bool>(
        &self,
        node: &Node<'_>,
        candidate: &Candidate,
        child: &Position,
    ) -> i32 {
        let params = self.params();
        let mut r = candidate.reduction;
        if candidate.quiet {
            r -= candidate.history * PLY / params.lmr_history;
        } else {
            r -= params.lmr_capture + candidate.history * PLY / params.lmr_capture_history;
        }
        if PV {
            r -= params.lmr_pv;
        }
        if node.tt_pv {
            r -= params.lmr_tt_pv;
        }
        if node.cut_node {
            r += params.lmr_cut;
        }
        if !node.improving {
            r += params.lmr_worse;
        }
        if node.hash_noisy {
            r += params.lmr_hash_noisy;
        }
        if child.in_check() {
            r -= params.lmr_check;
        }
        if let Some(raw_eval) = node.raw_eval {
            r -= (node.static_eval - raw_eval).abs() * params.lmr_correction;
        }
        if self.frame(node.ply + 1).cutoffs > 3 {
            r += params.lmr_cutoffs;
        }
        r
    }

    /// No move here was good enough, so the opponent's last move was a good one.
    fn reward_previous_move(&mut self, node: &Node<'_>) {
        if node.ply > 0 {
            self.update_previous_move(node.ply, self.params().bonus(node.depth) / 2);
        }
    }

    /// The opponent's last move, one of its first choices, is refuted at once.
    pub(super) fn penalize_previous_move(&mut self, node: &Node<'_>) {
        if node.ply > 1 && self.frame(node.ply - 1).number <= 3 {
            let malus = self.params().malus(node.depth) * self.params().blame_early / PLY;
            self.update_previous_move(node.ply, -malus);
        }
    }

    /// Rewards or blames the move that led to this ply, if it was quiet, in the continuation memories.
    fn update_previous_move(&mut self, ply: usize, bonus: i32) {
        let &Frame { moved, noisy, .. } = self.frame(ply - 1);
        if let (Some(moved), false) = (moved, noisy) {
            let context = self.context(ply - 1);
            let history = &mut self.thread.history;
            history.update_continuation(&context, usize::from(moved), bonus);
        }
    }
}

/// How much deeper to search the hash move.
enum Extension {
    /// So many plies; negative for less deep.
    By(i32),
    /// There is a cutoff already.
    MultiCut(Score),
}
