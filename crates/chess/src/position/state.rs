//! What a position holds, and what can be read off it without generating moves.

use super::super::{Bitboard, Board, Castling, Color, Piece, Role, Setup, Square, attacks};
use super::keys;

/// A legal position: each side has one king, and the side that has just moved is not in check.
///
/// A position is a value of about 200 bytes, and [`Position::play`] returns a new one. It keeps its hash key, checkers
/// and pinned pieces up to date. It does not store its past; [`Game`](crate::Game) does.
///
/// # Examples
/// ```
/// use duchamp_chess::{Color, Position, Role, Square};
///
/// let position = Position::from_fen("4k3/8/8/8/8/8/4R3/4K3 b - - 3 40")?;
/// assert_eq!(position.turn(), Color::Black);
/// assert!(position.in_check());
/// assert_eq!(position.of(Color::White, Role::Rook).first(), Some(Square::E2));
/// assert_eq!(position.halfmove_clock(), 3);
/// # Ok::<(), duchamp_chess::FenError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Position {
    pub(super) board: Board,
    pub(super) keys: keys::Keys,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) castling: Castling,
    pub(super) halfmove_clock: u16,
    pub(super) fullmoves: u16,
    pub(super) turn: Color,
    pub(super) ep: Option<Square>,
}

impl Position {
    /// The start position of ordinary chess.
    #[must_use]
    pub fn start() -> Position {
        Position::from_setup(&Setup::start()).expect("the start position is legal")
    }

    /// The setup of this position: all that a FEN says. Its en-passant square is set only if a capture is legal.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            board: self.board,
            turn: self.turn,
            castling: self.castling,
            ep: self.ep,
            halfmoves: self.halfmove_clock,
            fullmoves: self.fullmoves,
        }
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Who stands where.
    #[must_use]
    #[inline]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// All squares with a piece.
    #[must_use]
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        self.board.occupied()
    }

    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.board.color(color)
    }

    /// All pieces of a kind, both colours.
    #[must_use]
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.board.role(role)
    }

    /// The pieces of a side and kind.
    #[must_use]
    #[inline]
    pub const fn of(&self, color: Color, role: Role) -> Bitboard {
        self.board.of(color, role)
    }

    /// The piece on a square.
    #[must_use]
    #[inline]
    pub const fn at(&self, square: Square) -> Option<Piece> {
        self.board.at(square)
    }

    /// The kind of piece on a square.
    #[must_use]
    #[inline]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        self.board.role_at(square)
    }

    /// Where a side's king stands.
    #[must_use]
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::wrapping(self.board.of(color, Role::King).0.trailing_zeros() as usize)
    }

    /// The enemy pieces that give check.
    #[must_use]
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[must_use]
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that are pinned to their king.
    #[must_use]
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Where the side to move can capture en passant; `None` if no such capture is legal.
    #[must_use]
    #[inline]
    pub const fn ep_square(&self) -> Option<Square> {
        self.ep
    }

    /// Who may still castle.
    #[must_use]
    #[inline]
    pub const fn castling(&self) -> Castling {
        self.castling
    }

    /// Whether anyone may still castle.
    #[must_use]
    #[inline]
    pub const fn has_castling_rights(&self) -> bool {
        !self.castling.is_empty()
    }

    /// Plies since the last capture or pawn move, for the 50-move rule ([`FIFTY_MOVES`](crate::FIFTY_MOVES) plies).
    #[must_use]
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move to be played, from 1.
    #[must_use]
    #[inline]
    pub const fn fullmoves(&self) -> u16 {
        self.fullmoves
    }

    /// A key of all that matters for what can be played: pieces, turn, castling rights, and the
    /// en-passant square if a capture there is legal. Not the clocks.
    #[must_use]
    #[inline]
    pub const fn key(&self) -> u64 {
        self.keys.all
    }

    /// A key of the pawns of both sides.
    #[must_use]
    #[inline]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.pawns
    }

    /// A key of one side's king and pieces.
    #[must_use]
    #[inline]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawns[color.index()]
    }

    /// A key of how many pieces of each kind there are; different for different counts, all bits mixed.
    #[must_use]
    #[inline]
    pub const fn material_key(&self) -> u64 {
        keys::material_key(self.keys.material)
    }

    /// How many pieces of each kind there are: four bits for each [`Piece::index`], lowest first.
    #[must_use]
    #[inline]
    pub const fn material_counts(&self) -> u64 {
        self.keys.material
    }

    /// The pieces of both sides that attack a square, with `occupied` in the way of sliders. A piece off
    /// `occupied` still counts as an attacker unless the caller masks it out.
    #[must_use]
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let board = &self.board;
        attacks::pawn(Color::White, square) & board.of(Color::Black, Role::Pawn)
            | attacks::pawn(Color::Black, square) & board.of(Color::White, Role::Pawn)
            | attacks::knight(square) & board.role(Role::Knight)
            | attacks::king(square) & board.role(Role::King)
            | attacks::bishop(square, occupied) & board.diagonal_sliders()
            | attacks::rook(square, occupied) & board.straight_sliders()
    }

    /// All squares that a side attacks, `occupied` in the way of sliders.
    #[must_use]
    #[inline]
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        self.board.attacked_by(color, occupied)
    }

    /// The men that are neither kings nor pawns; none in a pawn ending.
    #[inline]
    #[must_use]
    pub fn pieces(&self) -> Bitboard {
        self.occupied() - (self.role(Role::King) | self.role(Role::Pawn))
    }

    /// Whether neither side can ever give mate: bare kings, one minor piece, or bishops of one
    /// square colour only.
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        let mating = board.role(Role::Pawn) | board.straight_sliders();
        if mating.any() {
            return false;
        }
        let minors = board.role(Role::Knight) | board.role(Role::Bishop);
        let bishops = board.role(Role::Bishop);
        !minors.many()
            || bishops == minors
                && ((bishops & Bitboard::DARK).is_empty() || (bishops - Bitboard::DARK).is_empty())
    }
}

/// Two positions are equal if all that a FEN can say of them is, clocks included.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.setup() == other.setup()
    }
}

impl Eq for Position {}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.fen())
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.fen())
    }
}
