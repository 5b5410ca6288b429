//! The staged move picker: generates each kind of moves only when it is needed, as most nodes are cut off after the first
//! move or two.
//!
//! The stages: hash move, good captures, quiet moves, bad captures. Captures are ordered by MVV and capture history,
//! quiet moves by their histories.

use super::history::{Context, History};
use arrayvec::ArrayVec;
use duchamp_chess::{Bitboard, Move, MoveList, Position, Role, attacks};

/// Piece values for ordering captures, pawn to king; a king is never captured.
const CAPTURED_VALUE: [i32; 6] = [100, 310, 330, 500, 950, 0];

/// The order value by which a good capture may lose a centipawn.
const ORDER_PER_LOSS: i32 = 4;

/// What a quiet move of a knight, bishop, rook or queen may lose by exchange and still be ordered up as a check, in centipawns.
const CHECK_LOSS: i32 = 35;

/// The order value of a knight's or bishop's, a rook's and a queen's flight from an attack by a lesser piece; a move into one costs
/// 95 % of it.
const FLIGHT: [i32; 3] = [7000, 12_500, 25_000];

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

/// The stage of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The hash move.
    Hash,
    /// A good capture or promotion: SEE at least the threshold.
    Good,
    /// Neither capture nor promotion.
    Quiet,
    /// A bad capture or promotion: it loses material by SEE.
    Bad,
}

/// The moves of one node.
pub(super) struct MovePicker {
    stage: Stage,
    hash_move: Option<Move>,
    /// The killer move, the first of the quiet moves.
    killer: Option<Move>,
    /// The SEE threshold of good captures; `None`: a margin that depends on the capture's order value.
    threshold: Option<i32>,
    moves: MoveList,
    order: ArrayVec<i32, 256>,
    next: usize,
    bad: ArrayVec<Move, 64>,
    bad_next: usize,
    quiets: bool,
    /// The ordering bonus of a quiet move that gives check.
    check_bonus: i32,
    /// Weight of the low-ply history, divided by ply + 1, in 1024ths.
    low_ply_weight: i32,
}

impl MovePicker {
    /// All legal moves. `hash_move` must be legal.
    pub(super) fn all(hash_move: Option<Move>, killer: Option<Move>) -> MovePicker {
        MovePicker::with(hash_move, killer, None, true)
    }

    /// Captures and promotions with a SEE of at least `threshold` centipawns. `hash_move` must be legal
    /// and comes first, of whatever kind it is.
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
            low_ply_weight: 0,
        }
    }

    /// Sets the ordering bonus of quiet checks, unless 0 also that of flight from lesser pieces, and the weight of the low-ply
    /// history in 1024ths, which is divided by ply + 1.
    pub(super) fn prefer(&mut self, checks: i32, low_ply: i32) {
        self.check_bonus = checks;
        self.low_ply_weight = low_ply;
    }

    /// No more quiet moves from now on.
    pub(super) fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    /// The next move and its stage.
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
                        let threshold = self.threshold.unwrap_or(-order / ORDER_PER_LOSS);
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
        let quiet_history = history.quiets(position, context);
        let low_ply = history.low_ply(context.ply);
        let low_ply_weight = self.low_ply_weight / (1 + context.ply as i32);
        let lesser = match self.check_bonus {
            0 => [(Bitboard::EMPTY, 0); Role::ALL.len()],
            _ => lesser_attacks(position),
        };
        for &mv in &self.moves {
            let order = if Some(mv) == self.killer {
                i32::MAX
            } else {
                let role = position.moved_role(mv).index();
                let checks = checks[role].has(mv.to()) && position.see_ge(mv, -CHECK_LOSS);
                let (attacked, flight) = lesser[role];
                let flees = flight * i32::from(attacked.has(mv.from()));
                let walks_into = flight * 95 / 100 * i32::from(attacked.has(mv.to()));
                quiet_history.of(position, mv) + flees - walks_into
                    + i32::from(checks) * self.check_bonus
                    + low_ply.map_or(0, |low_ply| low_ply.of(mv) * low_ply_weight / 1024)
            };
            self.order.push(order);
        }
    }

    /// The best remaining move, by partial selection sort: most lists are left early.
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

/// For each role the squares that the opponent's lesser pieces attack, and the order value of leaving one of them.
fn lesser_attacks(position: &Position) -> [(Bitboard, i32); Role::ALL.len()] {
    let them = !position.turn();
    let attacks = |role: Role| {
        let squares = position.of(them, role).into_iter();
        squares
            .map(|square| attacks::of(role, them, square, position.occupied()))
            .fold(Bitboard::EMPTY, |all, some| all | some)
    };
    let by_pawns = attacks::pawns(them, position.of(them, Role::Pawn));
    let by_minors = by_pawns | attacks(Role::Knight) | attacks(Role::Bishop);
    let by_rooks = by_minors | attacks(Role::Rook);
    let mut lesser = [(Bitboard::EMPTY, 0); Role::ALL.len()];
    lesser[Role::Knight.index()] = (by_pawns, FLIGHT[0]);
    lesser[Role::Bishop.index()] = (by_pawns, FLIGHT[0]);
    lesser[Role::Rook.index()] = (by_minors, FLIGHT[1]);
    lesser[Role::Queen.index()] = (by_rooks, FLIGHT[2]);
    lesser
}

/// MVV plus capture history; queen promotions count as capturing a queen.
fn capture_order(position: &Position, history: &History, mv: Move) -> i32 {
    let victim = position
        .captured(mv)
        .map_or(0, |r| CAPTURED_VALUE[r.index()]);
    let promotion = match mv.promotion() {
        Some(Role::Queen) => CAPTURED_VALUE[Role::Queen.index()],
        // Rarely better than the queen.
        Some(_) => -CAPTURED_VALUE[Role::Queen.index()],
        None => 0,
    };
    (victim + promotion) * 7 / 4 + history.capture(position, mv) / 16
}
