//! Hands out the moves of a node, the most promising first, making each kind only when it is
//! needed: most nodes are done after the first move or two.
//!
//! A state machine of stages: the hash move, captures that do not lose material, quiet moves,
//! captures that do. The order within a stage is by history.

use super::history::{Context, History};
use arrayvec::ArrayVec;
use duchamp_chess::{Move, MoveList, Position, Role};

/// What captured men are worth for ordering, pawn to king; a king is never captured.
const VICTIM: [i32; 6] = [100, 310, 330, 500, 950, 0];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    HashMove,
    GenerateCaptures,
    Captures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Where a move came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The hash table.
    Hash,
    /// A capture or promotion that wins or keeps material.
    Good,
    /// Neither capture nor promotion.
    Quiet,
    /// A capture or promotion that loses material.
    Bad,
}

/// The moves of one node.
pub(super) struct MovePicker {
    stage: Stage,
    hash_move: Option<Move>,
    /// The move tried before all other quiet ones.
    killer: Option<Move>,
    /// Captures must win at least this by static exchange to be good; `None`: a margin that grows
    /// with the capture's history.
    threshold: Option<i32>,
    moves: MoveList,
    order: ArrayVec<i32, 256>,
    next: usize,
    bad: ArrayVec<Move, 64>,
    bad_next: usize,
    quiets: bool,
    /// What a quiet move that gives check is worth in the order.
    check_bonus: i32,
    /// Weight of the memory of moves near the root, divided by one more than the plies to it, in 1024ths.
    near_root: i32,
}

impl MovePicker {
    /// All legal moves. `hash_move` must be legal.
    pub(super) fn all(hash_move: Option<Move>, killer: Option<Move>) -> MovePicker {
        MovePicker::with(hash_move, killer, None, true)
    }

    /// Captures and promotions that win at least `threshold` centipawns. `hash_move` must be legal
    /// and is handed out first whatever it is.
    pub(super) fn noisy(hash_move: Option<Move>, threshold: i32) -> MovePicker {
        MovePicker::with(hash_move, None, Some(threshold), false)
    }

    fn with(
        hash_move: Option<Move>,
        killer: Option<Move>,
        threshold: Option<i32>,
        quiets: bool,
    ) -> MovePicker {
        MovePicker {
            stage: if hash_move.is_some() {
                Stage::HashMove
            } else {
                Stage::GenerateCaptures
            },
            hash_move,
            killer,
            threshold,
            moves: MoveList::new(),
            order: ArrayVec::new(),
            next: 0,
            bad: ArrayVec::new(),
            bad_next: 0,
            quiets,
            check_bonus: 0,
            near_root: 0,
        }
    }

    /// Has quiet checks come earlier by so much, and what was good near the root by so many 1024ths of its memory, divided
    /// by one more than the plies to it.
    pub(super) fn prefer(&mut self, checks: i32, near_root: i32) {
        self.check_bonus = checks;
        self.near_root = near_root;
    }

    /// No more quiet moves from now on.
    pub(super) fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    /// The next move and where it came from.
    pub(super) fn next(
        &mut self,
        position: &Position,
        history: &History,
        context: &Context,
    ) -> Option<(Move, Kind)> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::GenerateCaptures;
                    return self.hash_move.map(|mv| (mv, Kind::Hash));
                }
                Stage::GenerateCaptures => {
                    position.captures(&mut self.moves);
                    for &mv in &self.moves {
                        self.order.push(capture_order(position, history, mv));
                    }
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.take_best() {
                    Some((mv, order)) => {
                        let threshold = self.threshold.unwrap_or(-order / 24);
                        if position.see_ge(mv, threshold) {
                            return Some((mv, Kind::Good));
                        }
                        if self.threshold.is_none() && !self.bad.is_full() {
                            self.bad.push(mv);
                        }
                    }
                    None => self.stage = Stage::GenerateQuiets,
                },
                Stage::GenerateQuiets => {
                    if self.quiets {
                        self.generate_quiets(position, history, context);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.quiets.then(|| self.take_best()).flatten() {
                    Some((mv, _)) => return Some((mv, Kind::Quiet)),
                    None => self.stage = Stage::BadCaptures,
                },
                Stage::BadCaptures => match self.bad.get(self.bad_next) {
                    Some(&mv) => {
                        self.bad_next += 1;
                        return Some((mv, Kind::Bad));
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    fn generate_quiets(&mut self, position: &Position, history: &History, context: &Context) {
        self.moves.clear();
        self.order.clear();
        self.next = 0;
        position.quiets(&mut self.moves);
        let checks = position.check_squares();
        let memory = history.quiets(position, context);
        let near_root = history.near_root(context.ply);
        let near_weight = self.near_root / (1 + context.ply as i32);
        for &mv in &self.moves {
            let order = if Some(mv) == self.killer {
                i32::MAX
            } else {
                let checks = checks[position.moved_role(mv).index()].has(mv.to());
                memory.of(position, mv)
                    + i32::from(checks) * self.check_bonus
                    + near_root.map_or(0, |near| near.of(mv) * near_weight / 1024)
            };
            self.order.push(order);
        }
    }

    /// The best move left, by selection: most lists are left early, so sorting would be waste.
    fn take_best(&mut self) -> Option<(Move, i32)> {
        while self.next < self.moves.len() {
            // Two passes without a branch in the first: compilers make vectors of it.
            let left = &self.order[self.next..];
            let most = left.iter().fold(i32::MIN, |most, &order| most.max(order));
            let first = left.iter().position(|&order| order == most);
            let best = self.next + first.unwrap_or(0);
            self.moves.swap(self.next, best);
            self.order.swap(self.next, best);
            let mv = self.moves[self.next];
            let order = self.order[self.next];
            self.next += 1;
            if Some(mv) != self.hash_move {
                return Some((mv, order));
            }
        }
        None
    }
}

/// The most valuable victim first, corrected by history; queen promotions with the queens.
fn capture_order(position: &Position, history: &History, mv: Move) -> i32 {
    let victim = position.captured(mv).map_or(0, |r| VICTIM[r.index()]);
    let promotion = match mv.promotion() {
        Some(Role::Queen) => VICTIM[Role::Queen.index()],
        // Rarely better than the queen.
        Some(_) => -VICTIM[Role::Queen.index()],
        None => 0,
    };
    (victim + promotion) * 7 / 4 + history.capture(position, mv) / 16
}
