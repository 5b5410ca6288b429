//! Quiescence search: captures, promotions and check evasions until the position is quiet.

use super::move_picker::{Kind, MovePicker};
use super::params::MAX_PLY;
use super::proof_bounds::ScoreBounds;
use super::tt::{Entry, TtBound};
use super::worker::{Worker, no_moves};
use duchamp_base::Plies;
use duchamp_chess::{Move, Position, Role};
use duchamp_eval::Score;

/// Piece values of futility pruning in quiescence and of reductions.
#[inline]
fn piece_value(role: Role) -> i32 {
    [100, 330, 340, 520, 1000, 0][role.index()]
}

/// What a capture or promotion wins at most, in centipawns.
#[inline]
pub(super) fn gain(position: &Position, mv: Move) -> i32 {
    let promoted = |role| piece_value(role) - piece_value(Role::Pawn);
    position.captured(mv).map_or(0, piece_value) + mv.promotion().map_or(0, promoted)
}

/// Captures searched when not in check and not giving check.
const MAX_CAPTURES: usize = 3;

impl Worker<'_> {
    /// The quiescence search score: captures and promotions, and all evasions in check.
    pub(super) fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
    ) -> Score {
        if PV {
            self.clear_pv(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if self.is_over() {
            return Score::DRAW;
        }
        if self.is_draw(position, ply) {
            return Score::DRAW;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY {
            return if in_check {
                Score::DRAW
            } else {
                self.evaluate(position)
            };
        }

        let mut least = -Score::INFINITE;
        if alpha < Score::DRAW && self.can_repeat(position, ply) {
            (alpha, least) = (Score::DRAW, Score::DRAW);
            if alpha >= beta {
                return alpha;
            }
        }

        let entry = self.shared.tt.probe(position.key(), ply);
        let mut tt_pv = PV;
        if let Some(entry) = entry {
            tt_pv |= entry.pv;
            if !PV && causes_cutoff(&entry, beta) {
                return entry.score;
            }
        }
        if self.may_probe_tables(position)
            && let Some(score) = self.probe_tables(position, ply, alpha, beta)
        {
            return score;
        }
        let mut proven = ScoreBounds::NONE;
        if self.may_prove(position) {
            proven = self.proven(position, ply, 0);
            match proven.narrow(alpha, beta) {
                Ok(window) => (alpha, beta) = window,
                Err(score) => return score,
            }
        }

        let mut best = -Score::INFINITE;
        let mut raw_eval = None;
        let mut futility = best;
        if !in_check {
            let eval = match entry.and_then(|e| e.eval) {
                Some(eval) => eval,
                None => self.evaluate(position),
            };
            raw_eval = Some(eval);
            best = self.correct(position, ply, eval);
            if let Some(entry) = entry
                && !entry.score.is_decisive()
                && causes_cutoff(&entry, best + 1)
            {
                best = entry.score;
            }
            best = proven.clamp(best);
            if best >= beta {
                if entry.is_none() {
                    self.store(position, ply, None, best, raw_eval, TtBound::Lower, tt_pv);
                }
                return best;
            }
            alpha = alpha.max(best);
            futility = best + self.params().qs_futility;
        }

        let hash_move = entry
            .and_then(|e| e.mv)
            .filter(|&mv| position.is_legal(mv) && (in_check || position.is_noisy(mv)));
        self.stack_mut(ply).threats = duchamp_chess::Bitboard::EMPTY;
        let context = self.context(ply);
        let mut picker = if in_check {
            MovePicker::all(hash_move, None)
        } else {
            MovePicker::noisy(hash_move, 0)
        };
        let mut best_move = None;
        let mut move_count = 0;

        loop {
            // One evasion avoids mate: skip quiet evasions and losing captures.
            if in_check && !best.is_loss() {
                picker.skip_quiets();
            }
            let Some((mv, kind)) = picker.next(position, &self.thread.memory().history, &context)
            else {
                break;
            };
            move_count += 1;
            self.prefetch(position, mv);
            if in_check {
                if kind == Kind::Bad && !best.is_loss() {
                    break;
                }
            } else if !best.is_loss() {
                let late = move_count > MAX_CAPTURES && mv.promotion().is_none();
                let reach = futility + gain(position, mv);
                // Whether it gives check is the dearest question.
                if (late || reach.min(futility) <= alpha) && !position.gives_check(mv) {
                    if late {
                        break;
                    }
                    if reach <= alpha {
                        best = best.max(reach);
                        continue;
                    }
                    if !position.see_ge(mv, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
            }
            let mut child = *position;
            self.enter(position, &mut child, ply, mv);
            let score = -self.quiesce::<PV>(&child, ply + 1, -beta, -alpha);
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
        }
        if in_check && move_count == 0 {
            return no_moves(position, ply);
        }
        if best >= beta && !best.is_decisive() && !beta.is_decisive() {
            best = Score((best.0 + beta.0) / 2);
        }
        best = proven.clamp(best);
        let bound = if best >= beta {
            TtBound::Lower
        } else {
            TtBound::Upper
        };
        self.store(position, ply, best_move, best, raw_eval, bound, tt_pv);
        best.max(least)
    }

    #[allow(clippy::too_many_arguments)] // the fields of an entry, in one line at the call
    fn store(
        &self,
        position: &Position,
        ply: usize,
        mv: Option<duchamp_chess::Move>,
        score: Score,
        eval: Option<Score>,
        bound: TtBound,
        pv: bool,
    ) {
        let entry = Entry {
            mv,
            score,
            eval,
            depth: 0,
            bound,
            pv,
        };
        self.shared.tt.store(position.key(), ply, entry);
    }
}

/// Whether the entry's bound decides on which side of `bound` (usually beta) the score lies.
#[inline]
pub(super) fn causes_cutoff(entry: &Entry, bound: Score) -> bool {
    if entry.score >= bound {
        entry.bound.is_lower()
    } else {
        entry.bound.is_upper()
    }
}

/// Mate distance pruning: the window between being mated now and mating next ply; empty if `alpha >= beta`.
#[inline]
pub(super) fn mate_distance_pruning(alpha: Score, beta: Score, ply: usize) -> (Score, Score) {
    let mated = Score::mated_in(Plies(ply as u16));
    let mates = Score::mate_in(Plies(ply as u16 + 1));
    (alpha.max(mated), beta.min(mates))
}
