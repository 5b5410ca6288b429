//! Generating un-moves: moves taken back from a position whose past is unknown. [`UnMove`] defines them.

use super::{Bitboard, Color, Move, Position, Rank, Role, Square, UnMove, attacks};

/// What can have been captured.
const CAPTURED: [Role; 5] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];

/// All un-moves of a position, in no particular order. [`UnMove`] defines what they are.
///
/// ```
/// use duchamp_chess::{Position, unmoves};
///
/// let position = Position::from_fen("8/8/8/8/8/2k5/8/KQ6 b - - 0 1")?;
/// for unmove in unmoves(&position) {
///     let before = position.unplay(unmove);
///     assert_eq!(before.play(unmove.mv).board(), position.board());
/// }
/// # Ok::<(), duchamp_chess::FenError>(())
/// ```
#[must_use]
pub fn unmoves(position: &Position) -> Vec<UnMove> {
    let mut all = Vec::new();
    for_each(position, |unmove| all.push(unmove));
    all
}

/// The number of sequences of `depth` un-moves: [`perft`](crate::perft) backwards.
#[must_use]
pub fn retro_perft(position: &Position, depth: u32) -> u64 {
    let mut count = 0;
    match depth {
        0 => count = 1,
        1 => for_each(position, |_| count += 1),
        _ => for_each(position, |unmove| {
            count += retro_perft(&position.unplay(unmove), depth - 1)
        }),
    }
    count
}

/// Calls `show` with every un-move of a position, in the order of [`unmoves`] and without a list.
pub fn for_each(position: &Position, show: impl FnMut(UnMove)) {
    Generator::new(position, show).run();
}

/// What stays the same while the un-moves of one position are generated.
struct Generator<'a, F> {
    position: &'a Position,
    /// The side that has just moved.
    mover: Color,
    occupied: Bitboard,
    /// What the other side may have lost.
    losable: arrayvec::ArrayVec<Role, 5>,
    /// The pieces of the mover that can have been pawns, given the number of pawns and pieces.
    promotable: arrayvec::ArrayVec<Role, 4>,
    show: F,
}

impl<'a, F: FnMut(UnMove)> Generator<'a, F> {
    fn new(position: &'a Position, show: F) -> Self {
        let mover = !position.turn();
        let count = |color, role| position.of(color, role).count();
        let other = position.turn();
        let full = position.color(other).count() >= 16;
        // Pawns and promoted pieces, which began as the eight pawns.
        let pawns = |color| {
            count(color, Role::Pawn)
                + CAPTURED
                    .iter()
                    .map(|&r| surplus(r, count(color, r)))
                    .sum::<u32>()
        };
        let losable = CAPTURED.into_iter().filter(|&role| {
            let free = role != Role::Pawn && surplus(role, count(other, role) + 1) == 0;
            !full && (free || pawns(other) < 8)
        });
        let promotable = Role::PROMOTIONS.into_iter().filter(|&role| {
            let was_surplus = surplus(role, count(mover, role)) > 0;
            was_surplus || pawns(mover) < 8
        });
        Generator {
            position,
            mover,
            occupied: position.occupied(),
            losable: losable.collect(),
            promotable: promotable.collect(),
            show,
        }
    }

    fn run(&mut self) {
        let position = self.position;
        if let Some(ep) = position.ep_square() {
            let (from, to) = match self.mover {
                Color::White => (ep.offset(0, -1), ep.offset(0, 1)),
                Color::Black => (ep.offset(0, 1), ep.offset(0, -1)),
            };
            if let (Some(from), Some(to)) = (from, to) {
                self.quiet(Move::normal(from, to), Role::Pawn);
            }
            return;
        }
        let mut men = position.color(self.mover) - position.castling().rooks();
        if position.castling().of(self.mover).any() {
            men = men - position.king(self.mover).into();
        }
        for to in men {
            match position.role_at(to) {
                Some(Role::Pawn) => self.pawn(to),
                Some(role) => {
                    self.piece(to, role);
                    if to.rank() == super::back_rank(position.turn())
                        && self.promotable.contains(&role)
                    {
                        self.promotion(to, role);
                    }
                }
                None => {}
            }
        }
    }

    fn piece(&mut self, to: Square, role: Role) {
        for from in attacks::of(role, self.mover, to, self.occupied) - self.occupied {
            let mv = Move::normal(from, to);
            self.quiet(mv, role);
            self.capturing(mv, role);
        }
    }

    /// The squares behind and diagonally behind a pawn of the mover, on ranks where pawns stand.
    fn behind(&self, to: Square) -> (Bitboard, Bitboard) {
        let back_ranks = Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8);
        let straight = match self.mover {
            Color::White => Bitboard::from(to).down(),
            Color::Black => Bitboard::from(to).up(),
        };
        let free = !(back_ranks | self.occupied);
        (straight & free, attacks::pawn(!self.mover, to) & free)
    }

    fn pawn(&mut self, to: Square) {
        let (one, diagonal) = self.behind(to);
        for from in one {
            self.quiet(Move::normal(from, to), Role::Pawn);
            if to.rank()
                == (if self.mover == Color::White {
                    Rank::R4
                } else {
                    Rank::R5
                })
            {
                for start in self.behind(from).0 {
                    self.double_step(start, from, to);
                }
            }
        }
        for from in diagonal {
            self.capturing(Move::normal(from, to), Role::Pawn);
            self.en_passant(from, to);
        }
    }

    fn promotion(&mut self, to: Square, role: Role) {
        let (one, diagonal) = self.behind(to);
        for from in one {
            self.quiet(Move::promote(from, to, role), Role::Pawn);
        }
        for from in diagonal {
            self.capturing(Move::promote(from, to, role), Role::Pawn);
        }
    }

    /// A double step, unless it would have left an en-passant square that the position lacks.
    fn double_step(&mut self, from: Square, passed: Square, to: Square) {
        let position = self.position;
        let pawns = attacks::pawn(self.mover, passed) & position.of(!self.mover, Role::Pawn);
        if !pawns
            .into_iter()
            .any(|pawn| position.is_ep_legal(pawn, passed))
        {
            self.quiet(Move::normal(from, to), Role::Pawn);
        }
    }

    fn en_passant(&mut self, from: Square, to: Square) {
        let (rank, step) = match self.mover {
            Color::White => (Rank::R6, 1),
            Color::Black => (Rank::R3, -1),
        };
        if to.rank() != rank || !self.losable.contains(&Role::Pawn) {
            return;
        }
        let (Some(start), Some(captured)) = (to.offset(0, step), to.offset(0, -step)) else {
            return;
        };
        if self.occupied.has(start) || self.occupied.has(captured) {
            return;
        }
        let unmove = UnMove {
            mv: Move::en_passant(from, to),
            captured: Some(Role::Pawn),
        };
        let before = (self.occupied ^ to.into()) | from.into() | captured.into();
        if self.is_legal(unmove.mv, Role::Pawn, before, Some((Role::Pawn, captured)))
            && self.position.unplay(unmove).can_have_passed(to)
        {
            (self.show)(unmove);
        }
    }

    /// A move that captured nothing, by a piece that was a `role`.
    fn quiet(&mut self, mv: Move, role: Role) {
        let before = (self.occupied ^ mv.to().into()) | mv.from().into();
        if self.is_legal(mv, role, before, None) {
            (self.show)(UnMove { mv, captured: None });
        }
    }

    /// A move that captured anything, by a piece that was a `role`.
    fn capturing(&mut self, mv: Move, role: Role) {
        let before = self.occupied | mv.from().into();
        let back_rank = matches!(mv.to().rank(), Rank::R1 | Rank::R8);
        for i in 0..self.losable.len() {
            let captured = self.losable[i];
            if captured == Role::Pawn && back_rank {
                continue;
            }
            if self.is_legal(mv, role, before, Some((captured, mv.to()))) {
                (self.show)(UnMove {
                    mv,
                    captured: Some(captured),
                });
            }
        }
    }

    /// Whether the earlier position, with the squares `before` occupied, has no fault: the side that
    /// was not to move is not in check, and at most two pieces give check to the mover.
    fn is_legal(
        &self,
        mv: Move,
        role: Role,
        before: Bitboard,
        captured: Option<(Role, Square)>,
    ) -> bool {
        let position = self.position;
        let (from, to) = (mv.from(), mv.to());
        let other = !self.mover;
        let king = position.king(other);
        if attacks::of(role, self.mover, from, before).has(king) {
            return false;
        }
        let movers = position.color(self.mover) - to.into();
        if (position.attackers_to(king, before) & movers).any() {
            return false;
        }
        let own_king = if role == Role::King {
            from
        } else {
            position.king(self.mover)
        };
        let mut checkers =
            (position.attackers_to(own_king, before) & position.color(other)).count();
        if let Some((role, square)) = captured {
            checkers += u32::from(attacks::of(role, other, square, before).has(own_king));
        }
        checkers <= 2
    }
}

/// How many of `count` pieces must have been pawns.
fn surplus(role: Role, count: u32) -> u32 {
    match role {
        Role::Knight | Role::Bishop | Role::Rook => count.saturating_sub(2),
        Role::Queen => count.saturating_sub(1),
        Role::Pawn | Role::King => 0,
    }
}
