//! The staged move picker: generates each kind of moves only when it is needed, as most nodes are cut off after the first
//! move or two.
//!
//! The stages: hash move, good captures, quiet moves, bad captures. Captures are ordered by MVV and capture history,
//! quiet moves by their histories.

use super::history::{Context, History, QuietHistory};
use super::threats::lesser_attacks;
use arrayvec::ArrayVec;
use duchamp_chess::{Bitboard, Move, MoveList, Position, Role};

/// Piece values for ordering captures, pawn to king; a king is never captured.
const CAPTURED_VALUE: [i32; 6] = [100, 310, 330, 500, 950, 0];

/// The order value by which a good capture may lose a centipawn.
const ORDER_PER_LOSS: i32 = 4;

/// What a quiet move of a knight, bishop, rook or queen may lose by exchange and still be ordered up as a check, in centipawns.
const CHECK_LOSS: i32 = 35;

/// The order value of a knight's or bishop's, a rook's and a queen's flight from an attack by a lesser piece; a move into one costs
/// 95 % of it.
const FLIGHT: [i32; 3] = [7000, 12_500, 25_000];

/// The order value of a move with its place in the list, below: the greatest names the first of the best moves.
#[derive(Clone, Copy)]
struct Rank(i32);

impl Rank {
    const PLACES: i32 = 256;
    /// The highest order value; all that are sums of histories and bonuses fit 20 bits.
    const HIGHEST: i32 = i32::MAX / Rank::PLACES;

    #[inline]
    const fn new(order: i32, at: usize) -> Rank {
        debug_assert!(-Rank::HIGHEST <= order && order <= Rank::HIGHEST);
        Rank(order * Rank::PLACES + (Rank::PLACES - 1 - at as i32))
    }

    #[inline]
    const fn order(self) -> i32 {
        self.0.div_euclid(Rank::PLACES)
    }

    #[inline]
    const fn at(self) -> usize {
        (Rank::PLACES - 1 - self.0.rem_euclid(Rank::PLACES)) as usize
    }

    /// The same at another place.
    #[inline]
    const fn moved(self, at: usize) -> Rank {
        Rank::new(self.order(), at)
    }

    #[inline]
    const fn raise(&mut self, by: i32) {
        self.0 += by * Rank::PLACES;
    }
}

/// Where quiet moves of one kind of piece are in danger.
#[derive(Clone, Copy)]
struct Danger {
    /// What the opponent's lesser pieces attack.
    attacked: Bitboard,
    /// The order value of a move that neither leaves nor enters such a square, that leaves one, that enters one, and that does
    /// both: a table, since branches are guessed wrongly here.
    worth: [i32; 4],
}

impl Danger {
    const NONE: Danger = Danger::new(Bitboard::EMPTY, 0);

    const fn new(attacked: Bitboard, flight: i32) -> Danger {
        let entering = flight * 95 / 100;
        Danger {
            attacked,
            worth: [0, flight, -entering, flight - entering],
        }
    }

    /// What it adds to the order value of a move.
    #[inline]
    fn of(&self, mv: Move) -> i32 {
        let [leaves, enters] = [mv.from(), mv.to()].map(|at| usize::from(self.attacked.has(at)));
        self.worth[leaves + 2 * enters]
    }
}

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
    order: ArrayVec<Rank, 256>,
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
                    for (at, &mv) in self.moves.iter().enumerate() {
                        let order = capture_order(position, history, mv);
                        self.order.push(Rank::new(order, at));
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
        let quiet_history = history.quiets(position, context);
        if self.check_bonus == 0 {
            for (at, &mv) in self.moves.iter().enumerate() {
                let order = quiet_history.of(position, mv);
                self.order.push(Rank::new(order, at));
            }
        } else {
            self.order_by_threats(position, &quiet_history);
        }
        if let Some(low_ply) = history.low_ply(context.ply) {
            let weight = self.low_ply_weight / (1 + context.ply as i32);
            for (rank, &mv) in self.order.iter_mut().zip(&self.moves) {
                rank.raise(low_ply.of(mv) * weight / 1024);
            }
        }
        let killer = self.moves.iter().position(|&mv| Some(mv) == self.killer);
        if let Some(killer) = killer {
            self.order[killer] = Rank::new(Rank::HIGHEST, killer);
        }
    }

    /// Orders quiet moves by their histories, flight from lesser pieces and checks.
    fn order_by_threats(&mut self, position: &Position, quiet_history: &QuietHistory<'_>) {
        let dangers = dangers(position);
        let check_squares = position.check_squares();
        // Few give check. What they lose is asked afterwards: a call would have the loop keep all it needs in memory.
        let mut checks: ArrayVec<u8, 256> = ArrayVec::new();
        for (at, &mv) in self.moves.iter().enumerate() {
            let role = position.moved_role(mv).index();
            let order = quiet_history.of(position, mv) + dangers[role].of(mv);
            self.order.push(Rank::new(order, at));
            if check_squares[role].has(mv.to()) {
                checks.push(at as u8);
            }
        }
        for at in checks.into_iter().map(usize::from) {
            if position.see_ge(self.moves[at], -CHECK_LOSS) {
                self.order[at].raise(self.check_bonus);
            }
        }
    }

    /// The best remaining move, by partial selection sort: most lists are left early.
    fn take_best(&mut self) -> Option<(Move, i32)> {
        while self.next < self.moves.len() {
            let next = self.next;
            // Without a branch: compilers make vectors of it.
            let left = self.order[next..].iter();
            let most = Rank(left.fold(i32::MIN, |most, rank| most.max(rank.0)));
            let best = most.at();
            self.moves.swap(next, best);
            self.order[best] = self.order[next].moved(best);
            self.next += 1;
            let mv = self.moves[next];
            if Some(mv) != self.hash_move {
                return Some((mv, most.order()));
            }
        }
        None
    }
}

/// For each role where its quiet moves are in danger.
fn dangers(position: &Position) -> [Danger; Role::ALL.len()] {
    let [by_pawns, by_minors, by_rooks] = lesser_attacks(position);
    let mut dangers = [Danger::NONE; Role::ALL.len()];
    dangers[Role::Knight.index()] = Danger::new(by_pawns, FLIGHT[0]);
    dangers[Role::Bishop.index()] = Danger::new(by_pawns, FLIGHT[0]);
    dangers[Role::Rook.index()] = Danger::new(by_minors, FLIGHT[1]);
    dangers[Role::Queen.index()] = Danger::new(by_rooks, FLIGHT[2]);
    dangers
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_keep_order_and_place() {
        for order in [-Rank::HIGHEST, -407_256, -1, 0, 1, 407_256, Rank::HIGHEST] {
            for at in [0, 1, 255] {
                let rank = Rank::new(order, at);
                assert_eq!((rank.order(), rank.at()), (order, at));
                let moved = rank.moved(7);
                assert_eq!((moved.order(), moved.at()), (order, 7));
            }
            // Of equals the first is the greatest.
            assert!(Rank::new(order, 0).0 > Rank::new(order, 1).0);
        }
        let mut rank = Rank::new(-5, 9);
        rank.raise(12);
        assert_eq!((rank.order(), rank.at()), (7, 9));
    }

    #[test]
    fn dangers_are_left_and_entered() {
        let position = Position::from_fen("4k3/8/3p4/8/2N5/8/8/4K3 w - - 0 1").expect("a position");
        let knight = dangers(&position)[Role::Knight.index()];
        let worth = |uci| knight.of(position.parse_uci(uci).expect("a legal move"));
        assert_eq!([worth("c4e5"), worth("c4e3")], [-FLIGHT[0] * 95 / 100, 0]);
    }
}
