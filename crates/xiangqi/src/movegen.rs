//! Legal moves, as sets of squares by the piece that moves.
//!
//! A move is checked for leaving the king in check only where it can: moves of the king, all moves out of check, and moves
//! that leave or enter a square which matters to the king. These squares are the lines from the king to enemy chariots,
//! cannons and the enemy king (to enter one matters only if there is a cannon, for which it makes a screen), and the legs of
//! enemy horses near by.

use super::attacks;
use super::{Bitboard, Move, Position, Role, Square};
use arrayvec::ArrayVec;

/// Legal moves of a position: no position has more than 119 ways to move (2 x 17 for chariots and cannons each, 2 x 8 for
/// horses, 2 x 4 for elephants and advisors each, 5 x 3 for pawns, 4 for the king, which is 119).
pub type Moves = ArrayVec<Move, 120>;

/// What matters to the king of the side to move.
struct Guard {
    king: Square,
    in_check: bool,
    /// To leave one of these may open an attack.
    leaving: Bitboard,
    /// To enter one of these may make a screen.
    entering: Bitboard,
}

impl Guard {
    fn new(position: &Position) -> Guard {
        let us = position.turn();
        let board = position.board();
        let occupied = board.occupied();
        let king = position.king(us);
        let of = |role| board.of(!us, role);
        let mut leaving = Bitboard::EMPTY;
        let mut entering = Bitboard::EMPTY;
        let cannons = of(Role::Cannon);
        let lines = of(Role::Chariot) | of(Role::King) | cannons;
        if (attacks::cross(king) & lines).any() {
            for direction in 0..4 {
                let ray = attacks::ray(direction, king);
                let sliders = ray & lines;
                let farthest = if direction < 2 {
                    sliders.last()
                } else {
                    sliders.first()
                };
                if let Some(farthest) = farthest {
                    let between = ray - attacks::ray(direction, farthest);
                    leaving |= between;
                    if (ray & cannons).any() {
                        entering |= between - occupied;
                    }
                }
            }
        }
        if (attacks::horse_to(king, Bitboard::EMPTY) & of(Role::Horse)).any() {
            leaving |= attacks::legs(king);
        }
        Guard {
            king,
            in_check: position.in_check(),
            leaving,
            entering,
        }
    }
}

impl Position {
    /// Calls `show` with each piece that can move and the set of its legal targets, pieces from a0 on.
    #[inline]
    fn for_each_piece(&self, mut show: impl FnMut(Square, Bitboard) -> bool) {
        let guard = Guard::new(self);
        for from in self.board().color(self.turn()) {
            let targets = self.targets(from, &guard);
            if targets.any() && !show(from, targets) {
                return;
            }
        }
    }

    #[inline]
    fn targets(&self, from: Square, guard: &Guard) -> Bitboard {
        let board = self.board();
        let Some(piece) = board.at(from) else {
            return Bitboard::EMPTY;
        };
        let reached = attacks::moves(piece.role, piece.color, from, board.occupied());
        let targets = reached - board.color(piece.color);
        let suspects = if guard.in_check || from == guard.king || guard.leaving.has(from) {
            targets
        } else {
            targets & guard.entering
        };
        let mut legal = targets;
        for to in suspects {
            if !self.keeps_king(Move { from, to }, guard.king) {
                legal ^= to.into();
            }
        }
        legal
    }

    /// Whether the king of the side to move is safe after a move that is otherwise right.
    fn keeps_king(&self, mv: Move, king: Square) -> bool {
        let occupied = (self.board().occupied() ^ mv.from.into()) | mv.to.into();
        let king = if mv.from == king { mv.to } else { king };
        let attackers = self.attackers(king, !self.turn(), occupied);
        (attackers - mv.to.into()).is_empty()
    }

    /// All legal moves, in the order of the squares from which they start.
    #[must_use]
    pub fn legal_moves(&self) -> Moves {
        let mut moves = Moves::new();
        self.for_each_piece(|from, targets| {
            moves.extend(targets.into_iter().map(|to| Move { from, to }));
            true
        });
        moves
    }

    /// The number of legal moves.
    #[must_use]
    pub fn count_legal_moves(&self) -> u32 {
        let mut count = 0;
        self.for_each_piece(|_, targets| {
            count += targets.count();
            true
        });
        count
    }

    /// Whether there is a legal move. A side without one has lost, in check (mate) or not (stalemate).
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        let mut found = false;
        self.for_each_piece(|_, _| {
            found = true;
            false
        });
        found
    }

    /// Whether a move is legal here.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let own = self.board().color(self.turn());
        own.has(mv.from) && self.targets(mv.from, &Guard::new(self)).has(mv.to)
    }
}
