//! Pruning before the move loop: razoring, reverse futility pruning, null move pruning, ProbCut.
//!
//! Not in PV nodes nor with decisive scores; in check only ProbCut from the transposition table.

use super::move_picker::MovePicker;
use super::node::Node;
use super::params::{PLY, Params};
use super::threats::lesser_attacks;
use super::tt::{Entry, TtBound};
use super::worker::{Worker, has_pieces};
use duchamp_chess::{Position, Role};
use duchamp_eval::Score;

impl Worker<'_> {
    /// The score of a node that is pruned.
    pub(super) fn prune(&mut self, node: &mut Node<'_>) -> Option<Score> {
        if node.excluded.is_some() {
            return None;
        }
        let cut = if node.in_check {
            None
        } else {
            self.hindsight(node);
            self.razor(node)
                .or_else(|| self.reverse_futility(node))
                .or_else(|| self.null_move(node))
                .or_else(|| self.prob_cut(node))
        };
        cut.or_else(|| hash_prob_cut(node, self.params()))
    }

    /// Hindsight depth adjustment: deeper after a large reduction if the opponent's move worsened the static evaluation of the side
    /// to move, shallower if it improved it much.
    fn hindsight(&mut self, node: &mut Node<'_>) {
        let last = self.stack_before(node.ply, 1);
        let (reduction, theirs) = (last.reduction, last.eval);
        let Some(theirs) = theirs else { return };
        let sum = node.static_eval.0 + theirs.0;
        if reduction >= 3 && sum < 0 {
            node.depth += 1;
        } else if reduction >= 2 && node.depth >= 2 && sum > self.params().hindsight {
            node.depth -= 1;
        }
    }

    /// Razoring: far below alpha, drops into quiescence search.
    fn razor(&mut self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let margin = params.razor_base + params.razor_growth * node.depth * node.depth;
        if node.depth > 4 || node.alpha.is_decisive() || node.eval + margin >= node.alpha {
            return None;
        }
        let score = self.quiesce::<false>(node.position, node.ply, node.alpha, node.alpha + 1);
        (score <= node.alpha && !score.is_decisive()).then_some(score)
    }

    /// Reverse futility pruning: far above beta.
    fn reverse_futility(&self, node: &Node<'_>) -> Option<Score> {
        let params = self.params();
        let worsening = self
            .stack_before(node.ply, 1)
            .eval
            .is_some_and(|theirs| node.static_eval.0 > -theirs.0);
        // A ply more adds more than the one before.
        let plies = (node.depth - i32::from(node.improving)).max(0);
        let growth = params.rfp_margin * plies * (7 + plies) / 13;
        let margin = (growth - params.rfp_worsening * i32::from(worsening)).max(0);
        let surplus = node.eval - (node.beta + margin);
        let safe = node.depth <= params.rfp_depth
            && !node.tt_pv
            && surplus >= 0
            && !node.eval.is_decisive()
            && !node.beta.is_loss()
            && (node.hash_move.is_none() || node.hash_noisy)
            // Counted only where it decides.
            && (surplus >= 2 * params.rfp_threat
                || surplus >= params.rfp_threat * threatened(node.position).min(2));
        safe.then(|| Score((node.eval.0 + 2 * node.beta.0) / 3))
    }

    /// Null move pruning, with a verification search at high depth.
    fn null_move(&mut self, node: &Node<'_>) -> Option<Score> {
        let &Node {
            position,
            ply,
            depth,
            beta,
            ..
        } = node;
        let params = self.params();
        let worth = node.cut_node
            && depth >= 2
            && self.stack_before(ply, 1).mv.is_some()
            && node.eval >= beta
            && node.static_eval >= beta - 18 * depth + params.null_margin
            && !beta.is_loss()
            && ply >= self.null_from
            && has_pieces(position);
        if !worth {
            return None;
        }
        let reduction = (params.null_base + params.null_depth * depth) / PLY
            + ((node.eval - beta) / params.null_eval).min(6);
        let verify_depth = params.null_verify_depth;
        let mut child = *position;
        self.enter_null(position, &mut child, ply);
        let score =
            -self.node::<false>(&child, ply + 1, depth - reduction, -beta, -beta + 1, false);
        self.leave();
        if self.stopped {
            return Some(Score::DRAW);
        }
        if score < beta {
            return None;
        }
        // Unproved wins are not returned.
        let score = if score.is_win() { beta } else { score };
        if self.null_from > 0 || depth < verify_depth {
            return Some(score);
        }
        // Zugzwang is possible: verify without null moves for some plies.
        self.null_from = ply + (3 * (depth - reduction).max(1) / 4) as usize;
        let verified = self.node::<false>(position, ply, depth - reduction, beta - 1, beta, false);
        self.null_from = 0;
        if self.stopped {
            return Some(Score::DRAW);
        }
        (verified >= beta).then_some(score)
    }

    /// ProbCut: a good capture that beats beta by a margin at reduced depth.
    fn prob_cut(&mut self, node: &Node<'_>) -> Option<Score> {
        let &Node {
            position,
            ply,
            depth,
            beta,
            ..
        } = node;
        let params = self.params();
        let margin = params.probcut_margin;
        let target = beta + margin - params.probcut_improving * i32::from(node.improving);
        let hopeless = node
            .entry
            .is_some_and(|e| e.depth >= depth - 3 && e.bound != TtBound::None && e.score < target);
        if depth < 5 || beta.is_decisive() || target.is_decisive() || hopeless {
            return None;
        }
        let hash_move = node.hash_move.filter(|_| node.hash_noisy);
        let mut picker = MovePicker::noisy(hash_move, target - node.static_eval);
        while let Some((mv, _)) =
            picker.next(position, &self.thread.memory().history, &node.context)
        {
            let mut child = *position;
            self.enter(position, &mut child, ply, mv);
            let mut score = -self.quiesce::<false>(&child, ply + 1, -target, -target + 1);
            if score >= target && depth > 5 {
                score = -self.node::<false>(
                    &child,
                    ply + 1,
                    depth - 4,
                    -target,
                    -target + 1,
                    !node.cut_node,
                );
            }
            self.leave();
            if self.stopped {
                return Some(Score::DRAW);
            }
            if score >= target {
                let entry = Entry {
                    mv: Some(mv),
                    score,
                    eval: node.raw_eval,
                    depth: depth - 3,
                    bound: TtBound::Lower,
                    pv: node.tt_pv,
                };
                self.shared.tt.store(position.key(), ply, entry);
                let gain = if score.is_decisive() {
                    score
                } else {
                    score - margin / 2
                };
                return Some(gain.max(beta));
            }
        }
        None
    }
}

/// How many pieces of the side to move are attacked by lesser ones.
fn threatened(position: &Position) -> i32 {
    let of = |role| position.of(position.turn(), role);
    let heavy = of(Role::Rook) | of(Role::Queen);
    let pieces = heavy | of(Role::Knight) | of(Role::Bishop);
    let [by_pawns, by_minors, by_rooks] = lesser_attacks(position);
    let hit = by_pawns & pieces | by_minors & heavy | by_rooks & of(Role::Queen);
    hit.count() as i32
}

/// ProbCut from the transposition table: a lower bound far above beta, from a search of nearly this depth.
fn hash_prob_cut(node: &Node<'_>, params: &Params) -> Option<Score> {
    let entry = node.entry?;
    // The fewer plies are missing, the less it must be above beta.
    let missing = (node.depth - entry.depth).clamp(0, 4);
    let target = node.beta + params.probcut_hash * (missing + 1) / 5;
    let enough = entry.bound.is_lower()
        && entry.depth >= node.depth - 4
        && entry.score >= target
        && !entry.score.is_decisive()
        && !node.beta.is_decisive();
    enough.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_attacked_by_lesser_ones_are_counted() {
        let count = |fen| threatened(&Position::from_fen(fen).expect("a position"));
        assert_eq!(count("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1"), 1);
        assert_eq!(count("4k3/8/8/3b4/4N3/8/8/4K3 w - - 0 1"), 0);
        assert_eq!(count("3rk3/8/8/8/3Q4/8/8/4K3 w - - 0 1"), 1);
    }
}
