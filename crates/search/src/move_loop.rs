//! The move loop of a node: pruning at shallow depth, extensions, late move reductions, principal variation search.

use super::history::{LOW_PLIES, moved_piece, piece_to};
use super::move_picker::{Kind, MovePicker};
use super::node::{Node, Tried};
use super::params::{PLY, late_move_count};
use super::quiesce::gain;
use super::tt::TtBound;
use super::worker::{StackEntry, Worker, has_pieces, no_moves};
use duchamp_chess::{Move, Position};
use duchamp_eval::Score;

/// The move about to be searched.
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Its move count, from 1.
    pub(super) number: usize,
    pub(super) quiet: bool,
    /// The sum of its histories.
    pub(super) history: i32,
    /// Its reduction before adjustments, in 1024ths of a ply.
    pub(super) reduction: i32,
}

/// Whether shallow-depth pruning skips a move.
enum PruneDecision {
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
        let killer = self.stack(ply).killer;
        let mut picker = MovePicker::all(node.hash_move, killer);
        picker.prefer(self.params().order_check, self.params().order_near_root);
        let pieces = has_pieces(position);

        loop {
            // Late move pruning, before quiet moves are generated for nothing.
            let enough = number + 1 >= late_move_count(node.depth, node.improving, node.tt_pv);
            if !PV && enough && pieces && !best.is_loss() {
                picker.skip_quiets();
            }
            let Some((mv, kind)) =
                picker.next(position, &self.thread.memory().history, &node.context)
            else {
                break;
            };
            if node.excluded == Some(mv) {
                continue;
            }
            number += 1;
            self.prefetch(position, mv);
            let candidate = self.candidate(node, mv, number);
            if pieces && !best.is_loss() {
                match self.prune_move(node, &candidate, kind, alpha, &mut best) {
                    PruneDecision::Search => {}
                    PruneDecision::Skip => continue,
                    PruneDecision::SkipQuiets => {
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
            self.stack_mut(ply + 1).doubles = self.stack(ply).doubles + u32::from(extension > 1);

            let mut child = *position;
            self.stack_mut(ply).number = number;
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
        best = node.proven.clamp(best);
        // That all moves but one fail low says nothing of the move before.
        if best_move.is_none() && node.excluded.is_none() {
            self.reward_previous_move(node);
        }
        self.finish_node(node, best, best_move, &tried, PV && best_move.is_some());
        best
    }

    /// A move about to be searched, with what its place and histories say.
    pub(super) fn candidate(&self, node: &Node<'_>, mv: Move, number: usize) -> Candidate {
        let quiet = !node.position.is_noisy(mv);
        let history = &self.thread.memory().history;
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

    /// Pruning at shallow depth: history and futility pruning of quiet moves that do not give check, and SEE pruning. Not called
    /// before one move has avoided mate. What a futile move might have reached raises `best`.
    fn prune_move(
        &self,
        node: &Node<'_>,
        candidate: &Candidate,
        kind: Kind,
        alpha: Score,
        best: &mut Score,
    ) -> PruneDecision {
        let &Candidate {
            mv,
            quiet,
            history,
            reduction,
            ..
        } = candidate;
        let (depth, params) = (node.depth, self.params());
        let left = (depth - (reduction - history * PLY / params.lmr_history / 2) / PLY).max(0);
        if quiet {
            let hopeless = depth <= 6 && history < -params.history_prune * depth;
            let futile = node.static_eval
                + params.futility_base
                + params.futility_growth * left
                + history / params.futility_history;
            let is_futile = left <= 8 && !node.in_check && futile <= alpha && !alpha.is_decisive();
            // Whether it gives check is the dearest question.
            if (hopeless || is_futile) && !node.position.gives_check(mv) {
                // What it could have brought at most bounds the score of the node.
                if !hopeless && !best.is_decisive() && !futile.is_decisive() {
                    *best = (*best).max(futile);
                }
                return self.skipped(node, mv);
            }
            if !node.position.see_ge(mv, -params.see_quiet * left * left) {
                return PruneDecision::Skip;
            }
        } else if kind != Kind::Good
            && depth <= 10
            && !node.position.see_ge(
                mv,
                -params.see_noisy * depth - history / params.see_noisy_history,
            )
        {
            return PruneDecision::Skip;
        }
        PruneDecision::Search
    }

    /// What a hopeless or futile quiet move that gives no check means for the quiet moves behind it: theirs is no better, unless this move stands
    /// where it does for another reason.
    fn skipped(&self, node: &Node<'_>, mv: Move) -> PruneDecision {
        let is_early = node.ply < LOW_PLIES || self.stack(node.ply).killer == Some(mv);
        if is_early {
            PruneDecision::Skip
        } else {
            PruneDecision::SkipQuiets
        }
    }

    /// Singular extension: extends the hash move if all others are much worse; multi-cut if one of the others fails high
    /// over beta too; negative extensions otherwise.
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
        let double = if node.hash_noisy {
            params.singular_double
        } else {
            params.singular_quiet
        };
        let triple = params.singular_triple;
        let width = node.depth + node.depth * i32::from(node.tt_pv && !PV) / 2;
        let width = width * params.singular_width / PLY;
        let bound = entry.score - width;
        self.stack_mut(ply).excluded = Some(mv);
        let score = self.node::<false>(
            node.position,
            ply,
            (node.depth - 1) / 2,
            bound - 1,
            bound,
            node.cut_node,
        );
        self.stack_mut(ply).excluded = None;
        if score < bound {
            let doubles = self.stack(ply).doubles;
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

    /// Searches a move that has been played: with late move reduction and a null window first, then re-searched at full
    /// depth and with the full window if it raises alpha.
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
            self.stack_mut(node.ply).reduction = (depth - reduced).max(0);
            score = -self.node::<false>(child, ply, reduced, -alpha - 1, -alpha, true);
            self.stack_mut(node.ply).reduction = 0;
            if score > alpha && reduced < depth && !self.stopped {
                depth += i32::from(score > best + self.params().deeper + 2 * depth);
                depth -= i32::from(score < best + self.params().shallower);
                if reduced < depth {
                    score =
                        -self.node::<false>(child, ply, depth, -alpha - 1, -alpha, !node.cut_node);
                }
                if candidate.quiet {
                    self.update_after_research(node, candidate.mv, depth, score > alpha);
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

    /// Updates the continuation histories of a reduced move after its re-search.
    fn update_after_research(&mut self, node: &Node<'_>, mv: Move, depth: i32, good: bool) {
        let bonus = self.params().bonus(depth);
        let piece_to = piece_to(moved_piece(node.position, mv), mv);
        self.thread.memory_mut().history.update_continuation(
            &node.context,
            piece_to,
            if good { bonus } else { -bonus },
        );
    }

    /// The late move reduction, in 1024ths of a ply.
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
            r -= params.lmr_capture + gain(node.position, candidate.mv);
            r -= candidate.history * PLY / params.lmr_capture_history;
        }
        if PV {
            r -= params.lmr_pv;
        }
        if node.tt_pv {
            r -= params.lmr_tt_pv;
            if let Some(entry) = node.entry
                && entry.bound != TtBound::None
            {
                let more = if entry.score > node.alpha { -1 } else { 1 };
                r += more * params.lmr_tt_pv_score;
            }
        }
        if node.cut_node {
            r += params.lmr_cut;
        }
        if !node.improving {
            r += params.lmr_worse;
            if !node.in_check {
                r += (node.decline.min(200) - 30) * params.lmr_decline;
            }
        }
        if node.hash_noisy {
            r += params.lmr_hash_noisy;
        }
        if child.in_check() {
            r -= params.lmr_check;
        }
        r -= node.correction * params.lmr_correction;
        if self.stack(node.ply + 1).cutoffs > 3 {
            r += params.lmr_cutoffs;
        }
        r
    }

    /// Fail low: gives a bonus to the opponent's previous move.
    fn reward_previous_move(&mut self, node: &Node<'_>) {
        if node.ply > 0 {
            self.update_previous_move(node.ply, self.params().bonus(node.depth) / 2);
        }
    }

    /// Transposition table cutoff: gives a malus to the opponent's previous move if it was one of the first three.
    pub(super) fn penalize_previous_move(&mut self, node: &Node<'_>) {
        if node.ply > 1 && self.stack(node.ply - 1).number <= 3 {
            let malus = self.params().malus(node.depth) * self.params().blame_early / PLY;
            self.update_previous_move(node.ply, -malus);
        }
    }

    /// Updates the continuation histories of the move that led to this ply, if it was quiet.
    fn update_previous_move(&mut self, ply: usize, bonus: i32) {
        let &StackEntry { moved, noisy, .. } = self.stack(ply - 1);
        if let (Some(moved), false) = (moved, noisy) {
            let context = self.context(ply - 1);
            let history = &mut self.thread.memory_mut().history;
            history.update_continuation(&context, usize::from(moved), bonus);
        }
    }
}

/// The extension of the hash move.
enum Extension {
    /// By so many plies; negative for a reduction.
    By(i32),
    /// Multi-cut: the node is cut off with this score.
    MultiCut(Score),
}
