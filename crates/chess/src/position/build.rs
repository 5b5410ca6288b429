//! From a setup to a position: what can be wrong, and what may be overlooked.

use super::super::castling::back_rank;
use super::super::{Bitboard, Board, Castling, Color, Piece, Rank, Role, Setup, Square, attacks};
use super::{Position, keys};
use std::fmt;
use std::ops::BitOr;

/// A set of things that can be wrong with a setup.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Faults(u16);

impl Faults {
    /// Nothing.
    pub const NONE: Faults = Faults(0);
    /// White has no king or several.
    pub const WHITE_KING: Faults = Faults(1);
    /// Black has no king or several.
    pub const BLACK_KING: Faults = Faults(1 << 1);
    /// A side has more than 16 pieces.
    pub const TOO_MANY_MEN: Faults = Faults(1 << 2);
    /// A pawn stands on the first or the last rank.
    pub const BACK_RANK_PAWN: Faults = Faults(1 << 3);
    /// The side that is not to move is in check.
    pub const OPPOSITE_CHECK: Faults = Faults(1 << 4);
    /// A side has more than eight pawns, or more pieces than its promoted pawns can account for.
    pub const MATERIAL: Faults = Faults(1 << 5);
    /// More pieces give check than one move can let.
    pub const CHECKERS: Faults = Faults(1 << 6);
    /// A castling right without its king or rook.
    pub const CASTLING: Faults = Faults(1 << 7);
    /// An en-passant square that no double step can have passed.
    pub const EN_PASSANT: Faults = Faults(1 << 8);

    /// The faults that [`Position::from_setup_forgiving`] can overlook: odd material and checkers
    /// stay as they are, false castling rights and en-passant squares are dropped.
    pub const FORGIVABLE: Faults =
        Faults(Self::MATERIAL.0 | Self::CHECKERS.0 | Self::CASTLING.0 | Self::EN_PASSANT.0);

    const NAMES: [(Faults, &str); 9] = [
        (Self::WHITE_KING, "White does not have exactly one king"),
        (Self::BLACK_KING, "Black does not have exactly one king"),
        (Self::TOO_MANY_MEN, "a side has more than 16 pieces"),
        (
            Self::BACK_RANK_PAWN,
            "a pawn stands on the first or last rank",
        ),
        (
            Self::OPPOSITE_CHECK,
            "the side that is not to move is in check",
        ),
        (
            Self::MATERIAL,
            "a side has more pieces than promotions can explain",
        ),
        (Self::CHECKERS, "more than two pieces give check"),
        (Self::CASTLING, "a castling right lacks its king or rook"),
        (
            Self::EN_PASSANT,
            "no pawn can just have passed the en-passant square",
        ),
    ];

    /// Whether all of `other` are in this set.
    #[must_use]
    pub const fn contains(self, other: Faults) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set without `other`.
    #[must_use]
    pub const fn without(self, other: Faults) -> Faults {
        Faults(self.0 & !other.0)
    }

    fn add(&mut self, fault: Faults, present: bool) {
        if present {
            self.0 |= fault.0;
        }
    }
}

impl BitOr for Faults {
    type Output = Faults;
    fn bitor(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (_, name) in Faults::NAMES
            .iter()
            .filter(|(fault, _)| self.contains(*fault))
        {
            if !first {
                f.write_str("; ")?;
            }
            first = false;
            f.write_str(name)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Faults({self})")
    }
}

/// A setup that is no legal position, with all that is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(pub Faults);

impl Position {
    /// The position of a setup. An en-passant square where nothing can capture is fine (and
    /// dropped) as long as a pawn can have passed it.
    ///
    /// # Errors
    /// If the setup has any fault.
    pub fn from_setup(setup: &Setup) -> Result<Position, PositionError> {
        Position::from_setup_forgiving(setup, Faults::NONE)
    }

    /// The position of a setup, overlooking those of `forgiven` that are [`Faults::FORGIVABLE`].
    ///
    /// ```
    /// use duchamp_chess::{Faults, Position, Setup};
    ///
    /// // No black pawn stands on e5.
    /// let setup: Setup = "4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1".parse()?;
    /// assert_eq!(Position::from_setup(&setup).unwrap_err().0, Faults::EN_PASSANT);
    /// let position = Position::from_setup_forgiving(&setup, Faults::EN_PASSANT)?;
    /// assert_eq!(position.ep_square(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the setup has any other fault.
    pub fn from_setup_forgiving(
        setup: &Setup,
        forgiven: Faults,
    ) -> Result<Position, PositionError> {
        let overlooked = Faults(forgiven.0 & Faults::FORGIVABLE.0);
        let check = |faults: Faults| match faults.without(overlooked) {
            Faults::NONE => Ok(()),
            rest => Err(PositionError(rest)),
        };
        let board_faults = board_faults(setup);
        if !board_faults.without(Faults::MATERIAL).is_empty() {
            // Without one king each nothing below makes sense.
            return Err(PositionError(board_faults.without(overlooked)));
        }
        let mut position = Position::place(setup);
        let mut faults = board_faults;
        let attackers = position.attackers_to(position.king(!setup.turn), position.occupied());
        faults.add(
            Faults::OPPOSITE_CHECK,
            (attackers & position.color(setup.turn)).any(),
        );
        faults.add(Faults::CHECKERS, position.checkers.count() > 2);
        let castling = sound_castling(setup, &position);
        faults.add(Faults::CASTLING, castling != setup.castling);
        let ep = setup.ep.filter(|&square| position.can_have_passed(square));
        faults.add(Faults::EN_PASSANT, ep != setup.ep);
        check(faults)?;
        for color in Color::ALL {
            for rook in castling.of(color) {
                position.keys.all ^= keys::castling(color, rook);
            }
        }
        position.castling = castling;
        if let Some(square) = ep {
            position.offer_ep(square);
        }
        Ok(position)
    }

    /// The pieces, the turn and the clocks of a setup, no rights.
    fn place(setup: &Setup) -> Position {
        let mut position = Position {
            board: Board::EMPTY,
            keys: keys::Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling: Castling::NONE,
            halfmove_clock: setup.halfmoves,
            fullmoves: setup.fullmoves.max(1),
            turn: setup.turn,
            ep: None,
        };
        for square in setup.board.occupied() {
            if let Some(piece) = setup.board.at(square) {
                position.add(piece, square);
            }
        }
        if setup.turn == Color::Black {
            position.keys.all ^= keys::NUMBERS.black_to_move;
        }
        position.find_checkers();
        position
    }
}

/// What is wrong with the pieces alone.
fn board_faults(setup: &Setup) -> Faults {
    let board = &setup.board;
    let mut faults = Faults::NONE;
    for (color, king) in [
        (Color::White, Faults::WHITE_KING),
        (Color::Black, Faults::BLACK_KING),
    ] {
        let count = |role| board.of(color, role).count();
        faults.add(king, count(Role::King) != 1);
        faults.add(Faults::TOO_MANY_MEN, board.color(color).count() > 16);
        let promoted: u32 = [
            (Role::Knight, 2),
            (Role::Bishop, 2),
            (Role::Rook, 2),
            (Role::Queen, 1),
        ]
        .into_iter()
        .map(|(role, first)| count(role).saturating_sub(first))
        .sum();
        faults.add(Faults::MATERIAL, count(Role::Pawn) + promoted > 8);
    }
    let back_ranks = Bitboard::rank(Rank::R1) | Bitboard::rank(Rank::R8);
    faults.add(
        Faults::BACK_RANK_PAWN,
        (board.role(Role::Pawn) & back_ranks).any(),
    );
    faults
}

/// The castling rights that have king and rook on the back rank, one rook on either side.
fn sound_castling(setup: &Setup, position: &Position) -> Castling {
    let mut rooks = Bitboard::EMPTY;
    for color in Color::ALL {
        let king = position.king(color);
        if king.rank() != back_rank(color) {
            continue;
        }
        let candidates = setup.castling.of(color) & position.of(color, Role::Rook);
        for short in [false, true] {
            let mut side = candidates
                .into_iter()
                .filter(|&rook| (rook > king) == short);
            if let (Some(rook), None) = (side.next(), side.next()) {
                rooks |= rook.into();
            }
        }
    }
    Castling(rooks)
}

impl Position {
    /// Whether an enemy pawn can just have passed a square by its double step: it stands before it,
    /// the way behind is free, and the side to move was not in check before that step.
    pub(crate) fn can_have_passed(&self, square: Square) -> bool {
        let us = self.turn;
        let (rank, back, forth) = match us {
            Color::White => (Rank::R6, 1, -1),
            Color::Black => (Rank::R3, -1, 1),
        };
        let (Some(start), Some(pawn)) = (square.offset(0, back), square.offset(0, forth)) else {
            return false;
        };
        let occupied = self.occupied();
        if square.rank() != rank
            || self.at(pawn)
                != Some(Piece {
                    color: !us,
                    role: Role::Pawn,
                })
            || occupied.has(square)
            || occupied.has(start)
        {
            return false;
        }
        let before = (occupied ^ pawn.into()) | start.into();
        let men = self.color(!us) - pawn.into();
        let king = self.king(us);
        (self.attackers_to(king, before) & men).is_empty() && !attacks::pawn(!us, start).has(king)
    }
}
