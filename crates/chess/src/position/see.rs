//! Static exchange evaluation: what a sequence of captures on one square wins or loses.

use super::super::{Bitboard, Color, Move, MoveKind, Role, Square, attacks};
use super::Position;

/// What the exchange counts for a piece, in centipawns, by role; the king is never lost.
pub const VALUES: [i32; 6] = [100, 320, 330, 500, 950, 0];

impl Position {
    /// Whether a legal move wins at least `threshold` centipawns on its target square, both sides
    /// capturing with their least valuable piece as long as it pays. Pins count while the pinning
    /// piece stands; castling wins nothing.
    ///
    /// ```
    /// use duchamp_chess::Position;
    ///
    /// let position = Position::from_fen("4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1")?;
    /// let capture = position.parse_uci("d1d6").unwrap();
    /// assert!(!position.see_ge(capture, 0)); // a rook for a pawn
    /// # Ok::<(), duchamp_chess::FenError>(())
    /// ```
    #[must_use]
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.kind() == MoveKind::Castling {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let captured = self.captured(mv).map_or(0, |role| VALUES[role.index()]);
        let moved = self.moved_role(mv);
        let (gained, at_risk) = match mv.promotion() {
            Some(role) => (VALUES[role.index()] - VALUES[0], role),
            None => (0, moved),
        };
        // What is left after the move, and after its piece is lost for nothing.
        let mut balance = captured + gained - threshold;
        if balance < 0 {
            return false;
        }
        balance -= VALUES[at_risk.index()];
        if balance >= 0 {
            return true;
        }
        let mut occupied = (self.occupied() - from.into()) | to.into();
        if mv.kind() == MoveKind::EnPassant {
            occupied = occupied - Square::at(to.file(), from.rank()).into();
        }
        self.exchange(to, occupied, balance)
    }

    /// The recaptures: whether the side that has just moved to `to` comes out at 0 or better.
    /// `balance` is below 0, what it has if its piece is taken and the exchange ends.
    fn exchange(&self, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
        let board = &self.board;
        let (diagonal, straight) = (board.diagonal_sliders(), board.straight_sliders());
        let mut attackers = self.attackers_to(to, occupied);
        let mut side = self.turn;
        loop {
            side = !side;
            attackers &= occupied;
            let mut own = attackers & board.color(side);
            if own.any() {
                own = own - self.pins(side, occupied, to);
            }
            let Some(role) = Role::ALL
                .into_iter()
                .find(|&role| (own & board.role(role)).any())
            else {
                // Nobody can take back: the other side keeps what it has.
                return side != self.turn;
            };
            if role == Role::King {
                // The king may capture only what nobody defends any more.
                let defended = (attackers & board.color(!side)).any();
                return (side == self.turn) != defended;
            }
            if let Some(from) = (own & board.role(role)).first() {
                occupied ^= from.into();
            }
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
            // The balance as `side` sees it, if its capturing piece is lost in turn.
            balance = -balance - 1 - VALUES[role.index()];
            if balance >= 0 {
                // It is ahead even then.
                return side == self.turn;
            }
        }
    }

    /// The pieces of a side that are pinned to its king by pieces still standing, and so cannot capture
    /// on `to`; pieces on the line through king and `to` can.
    fn pins(&self, side: Color, occupied: Bitboard, to: Square) -> Bitboard {
        let board = &self.board;
        let king = self.king(side);
        let enemies = board.color(!side) & occupied;
        let aligned = attacks::bishop_rays(king) & board.diagonal_sliders()
            | attacks::rook_rays(king) & board.straight_sliders();
        let mut pinned = Bitboard::EMPTY;
        for slider in aligned & enemies {
            let blockers = attacks::between(king, slider) & occupied;
            if blockers.any() && !blockers.many() {
                pinned |= blockers;
            }
        }
        (pinned & board.color(side)) - attacks::line(king, to)
    }
}
