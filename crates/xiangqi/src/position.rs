//! Positions: legal and playable.

use super::attacks;
use super::{Bitboard, Board, Color, Move, Piece, PositionError, Role, Square, zone};

/// A legal position: each side has one king, every piece stands where its kind can get, the kings do not face each other, and
/// the side that is not to move is not in check.
///
/// Two positions are equal if boards, sides to move and both counters are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
    turn: Color,
    kings: [Square; 2],
    halfmoves: u16,
    fullmoves: u16,
}

impl Position {
    /// The position of a board with a side to move; counters as at the start of a game.
    ///
    /// ```
    /// use duchamp_xiangqi::{Board, Color, Piece, Position, Role, Square};
    ///
    /// let mut board = Board::EMPTY;
    /// let king = |color| Piece { color, role: Role::King };
    /// board.put(king(Color::Red), Square::at(4, 0).unwrap());
    /// board.put(king(Color::Black), Square::at(4, 9).unwrap());
    /// let error = Position::new(board, Color::Red).unwrap_err();
    /// assert!(error.to_string().starts_with("the kings on e0 and e9 face each other"));
    /// ```
    ///
    /// # Errors
    /// If the position is not legal.
    pub fn new(board: Board, turn: Color) -> Result<Position, PositionError> {
        let king = |color| {
            let kings = board.of(color, Role::King);
            match (kings.first(), kings.count()) {
                (Some(king), 1) => Ok(king),
                (None, _) => Err(PositionError::NoKing(color)),
                (_, count) => Err(PositionError::Kings(color, count)),
            }
        };
        let kings = [king(Color::Red)?, king(Color::Black)?];
        for piece in (0..Piece::COUNT).filter_map(Piece::from_index) {
            let pieces = board.of(piece.color, piece.role);
            if pieces.count() > piece.role.most() {
                return Err(PositionError::TooMany(piece, pieces.count()));
            }
            if let Some(square) = (pieces - zone(piece.color, piece.role)).first() {
                return Err(PositionError::Misplaced(piece, square));
            }
        }
        let position = Position {
            board,
            turn,
            kings,
            halfmoves: 0,
            fullmoves: 1,
        };
        let [red, black] = kings;
        if attacks::chariot(red, board.occupied()).has(black) {
            return Err(PositionError::KingsFacing(red, black));
        }
        if position.is_attacked(!turn) {
            return Err(PositionError::CheckAgainstMover(
                !turn,
                position.king(!turn),
            ));
        }
        Ok(position)
    }

    /// The same with other counters.
    #[must_use]
    pub fn with_counters(mut self, halfmoves: u16, fullmoves: u16) -> Position {
        self.halfmoves = halfmoves;
        self.fullmoves = fullmoves;
        self
    }

    /// The board.
    #[must_use]
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The piece on a square.
    #[must_use]
    #[inline]
    pub const fn at(&self, square: Square) -> Option<Piece> {
        self.board.at(square)
    }

    /// The square of a king.
    #[must_use]
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        self.kings[color as usize]
    }

    /// Plies since the last capture.
    #[must_use]
    pub const fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the move, from 1, one more after each move of Black.
    #[must_use]
    pub const fn fullmoves(&self) -> u16 {
        self.fullmoves
    }

    /// [`Board::material_counts`].
    #[must_use]
    pub fn material_counts(&self) -> u64 {
        self.board.material_counts()
    }

    /// The position after a legal move. What it returns for another is no legal position.
    #[must_use]
    #[inline]
    pub fn play(&self, mv: Move) -> Position {
        let mut next = *self;
        let captured = next.board.remove(mv.to);
        if let Some(piece) = next.board.remove(mv.from) {
            next.board.put(piece, mv.to);
            if piece.role == Role::King {
                next.kings[piece.color.index()] = mv.to;
            }
        }
        next.halfmoves = match captured {
            Some(_) => 0,
            None => self.halfmoves.saturating_add(1),
        };
        next.fullmoves = self
            .fullmoves
            .saturating_add(u16::from(self.turn == Color::Black));
        next.turn = !self.turn;
        next
    }

    /// The position before a move that the other side has just played, and that captured a piece of this kind or none;
    /// see [`unmoves`](crate::unmoves). What it returns for other moves is no legal position.
    #[must_use]
    #[inline]
    pub fn unplay(&self, mv: Move, captured: Option<Role>) -> Position {
        let mut before = *self;
        if let Some(piece) = before.board.remove(mv.to) {
            before.board.put(piece, mv.from);
            if piece.role == Role::King {
                before.kings[piece.color.index()] = mv.from;
            }
        }
        if let Some(role) = captured {
            let color = self.turn;
            before.board.put(Piece { color, role }, mv.to);
        }
        before.halfmoves = match captured {
            Some(_) => 0,
            None => self.halfmoves.saturating_sub(1),
        };
        let earlier = u16::from(self.turn == Color::Red);
        before.fullmoves = self.fullmoves.saturating_sub(earlier).max(1);
        before.turn = !self.turn;
        before
    }

    /// What a move captures.
    #[must_use]
    #[inline]
    pub const fn captured(&self, mv: Move) -> Option<Piece> {
        self.board.at(mv.to)
    }

    /// Whether a move captures.
    #[must_use]
    #[inline]
    pub const fn is_capture(&self, mv: Move) -> bool {
        self.board.occupied().has(mv.to)
    }

    /// Whether a legal move gives check.
    #[must_use]
    pub fn gives_check(&self, mv: Move) -> bool {
        self.play(mv).in_check()
    }

    /// Whether the side to move is in check.
    #[must_use]
    #[inline]
    pub fn in_check(&self) -> bool {
        self.is_attacked(self.turn)
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        let occupied = self.board.occupied();
        self.attackers(self.king(self.turn), !self.turn, occupied)
    }

    #[inline]
    fn is_attacked(&self, color: Color) -> bool {
        let occupied = self.board.occupied();
        self.attackers(self.king(color), !color, occupied).any()
    }

    /// The pieces of a side that could take a king of the other side on `king`, if the squares `occupied` were. The enemy
    /// king counts as one of them where both face each other.
    #[inline]
    pub(crate) fn attackers(&self, king: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let board = &self.board;
        let of = |role| board.of(by, role);
        let mut attackers = (attacks::horse_to(king, occupied) & of(Role::Horse))
            | (attacks::pawn_to(by, king) & of(Role::Pawn));
        let lines = of(Role::Chariot) | of(Role::King);
        let cross = attacks::cross(king);
        if (cross & lines).any() {
            attackers |= attacks::chariot(king, occupied) & lines;
        }
        if (cross & of(Role::Cannon)).any() {
            attackers |= attacks::cannon(king, occupied) & of(Role::Cannon);
        }
        attackers
    }
}
