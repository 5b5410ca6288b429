//! Which cells are positions at all, and which are checks: 64 cells at a time.

use super::layout::{Layout, Rows};
use arrayvec::ArrayVec;
use duchamp_chess::{Bitboard, Color, Piece, Role, Square, attacks};

/// What a word fixes, decoded: everything but the lane piece.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    /// The pieces with their squares: kings (White's first; without Black's if it is the lane piece),
    /// pawns (White's first), indexed pieces.
    pub(crate) pieces: ArrayVec<(Piece, Square), 8>,
    /// Their squares.
    pub(crate) occupied: Bitboard,
    /// Whether two of them share a square.
    pub(crate) clash: bool,
}

impl Layout {
    /// Decodes a word number.
    pub(crate) fn fixed(&self, word: usize) -> Fixed {
        let (slice, inside) = (word / self.slice_words(), word % self.slice_words());
        let (row, number) = (inside / self.row_words(), inside % self.row_words());
        let mut fixed = Fixed {
            pieces: ArrayVec::new(),
            occupied: Bitboard::EMPTY,
            clash: false,
        };
        let mut add = |color, role, square: u8| {
            let square = Square::wrapping(square.into());
            fixed.clash |= fixed.occupied.has(square);
            fixed.occupied |= square.into();
            fixed.pieces.push((Piece { color, role }, square));
        };
        match self.rows() {
            Rows::Pairs => {
                let [white, black] = self.pairs().kings(row);
                add(Color::White, Role::King, white);
                add(Color::Black, Role::King, black);
            }
            Rows::WhiteKing => add(Color::White, Role::King, row as u8),
        }
        for (i, &square) in self.pawns().squares(slice).iter().enumerate() {
            add(
                if i < self.pawns().white() {
                    Color::White
                } else {
                    Color::Black
                },
                Role::Pawn,
                square,
            );
        }
        let n = self.indexed_pieces().len();
        for (i, man) in self.indexed_pieces().iter().enumerate() {
            add(
                man.color,
                man.role,
                (number >> (6 * (n - 1 - i)) & 63) as u8,
            );
        }
        fixed
    }

    /// The cells of a word that are legal positions with `side` to move (duplicates included).
    #[must_use]
    pub fn legal(&self, side: Color, word: usize) -> u64 {
        let fixed = self.fixed(word);
        if fixed.clash {
            0
        } else {
            self.legal_of(&fixed, side)
        }
    }

    /// The same of a decoded word without a clash.
    pub(crate) fn legal_of(&self, fixed: &Fixed, side: Color) -> u64 {
        let mut free = !fixed.occupied;
        if self.rows() == Rows::WhiteKing {
            free = free - attacks::king(fixed.pieces[0].1);
        }
        (free - self.attacked(fixed, !side)).0
    }

    /// The lane piece's squares for which the king of `owner` is attacked (kings aside).
    pub(crate) fn attacked(&self, fixed: &Fixed, owner: Color) -> Bitboard {
        let men = fixed
            .pieces
            .iter()
            .filter(|(man, _)| man.color != owner && man.role != Role::King);
        if self.rows() == Rows::WhiteKing && owner == Color::Black {
            return men.fold(Bitboard::EMPTY, |set, &(man, square)| {
                set | attacks::of(man.role, man.color, square, fixed.occupied)
            });
        }
        let king = fixed.pieces[owner.index()].1;
        let mut set = Bitboard::EMPTY;
        for &(man, square) in men {
            if attacks::of(man.role, man.color, square, fixed.occupied).has(king) {
                // The lane piece may stand between; a leaper has nothing between.
                set |= !attacks::between(square, king);
            }
        }
        let lane_piece = self.lane_piece();
        if lane_piece.color != owner && lane_piece.role != Role::King {
            set |= attacks::of(lane_piece.role, lane_piece.color, king, fixed.occupied);
        }
        set
    }
}

/// What the words of a row share in finding checks: who stands where but for the indexed pieces.
#[derive(Clone, Debug)]
pub(crate) struct RowChecks {
    occupied: Bitboard,
    /// Whether a pawn checks, by the colour of the king.
    pawn: [bool; 2],
    /// For each piece fixed, the squares from which it would check the enemy king, if no indexed piece
    /// stood between.
    reach: ArrayVec<Bitboard, 8>,
}

impl RowChecks {
    /// Squares of kings and pawns; all if two of them share one.
    pub(crate) fn occupied(&self) -> u64 {
        self.occupied.0
    }
}

impl Layout {
    /// What the row of a decoded word has in common.
    pub(crate) fn row_checks(&self, fixed: &Fixed) -> RowChecks {
        let men = &fixed.pieces[..fixed.pieces.len() - self.indexed_pieces().len()];
        let mut checks = RowChecks {
            occupied: Bitboard::EMPTY,
            pawn: [false; 2],
            reach: ArrayVec::new(),
        };
        for &(_, square) in men {
            if checks.occupied.has(square) {
                checks.occupied = !Bitboard::EMPTY;
                return checks;
            }
            checks.occupied |= square.into();
        }
        if self.rows() == Rows::WhiteKing {
            return checks;
        }
        for &(man, square) in &fixed.pieces {
            let king = men[(!man.color).index()].1;
            checks.reach.push(match man.role {
                Role::King => Bitboard::EMPTY,
                Role::Pawn => {
                    let pawn = attacks::of(man.role, man.color, square, checks.occupied);
                    checks.pawn[(!man.color).index()] |= pawn.has(king);
                    Bitboard::EMPTY
                }
                role => attacks::of(role, man.color, king, checks.occupied),
            });
        }
        checks
    }

    /// As [`Layout::legal_of`], for a word of a row that is known.
    #[inline]
    pub(crate) fn legal_in(&self, checks: &RowChecks, fixed: &Fixed, side: Color) -> u64 {
        if self.rows() == Rows::WhiteKing {
            return self.legal_of(fixed, side);
        }
        (!fixed.occupied - self.attacked_in(checks, fixed, !side)).0
    }

    /// As [`Layout::attacked`], for a word of a row that is known.
    #[inline]
    pub(crate) fn attacked_in(&self, checks: &RowChecks, fixed: &Fixed, owner: Color) -> Bitboard {
        if self.rows() == Rows::WhiteKing {
            return self.attacked(fixed, owner);
        }
        if checks.pawn[owner.index()] {
            return !Bitboard::EMPTY;
        }
        let king = fixed.pieces[owner.index()].1;
        let mut set = Bitboard::EMPTY;
        for (&(man, square), reach) in fixed.pieces.iter().zip(&checks.reach) {
            if man.color != owner && reach.has(square) {
                let between = attacks::between(square, king);
                if !(between & fixed.occupied).any() {
                    set |= !between;
                }
            }
        }
        let lane_piece = self.lane_piece();
        if lane_piece.color != owner {
            set |= attacks::of(lane_piece.role, lane_piece.color, king, fixed.occupied);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;
    use duchamp_chess::{Position, Setup};
    use duchamp_retro::Side;
    use duchamp_tablebase::CellId;

    /// The words agree with the rules of the chess room.
    #[test]
    fn legal_cells_are_legal_positions() {
        for material in [3, 4].iter().flat_map(|&men| Material::all(men)) {
            let layout = Layout::new(material);
            for word in (0..layout.words()).step_by(if layout.words() > 5000 { 401 } else { 13 }) {
                for side in Color::ALL {
                    let (legal, fixed) = (layout.legal(side, word), layout.fixed(word));
                    for bit in 0..64u64 {
                        let cell = word as u64 * 64 + bit;
                        // A symmetric material has no cells for Black; place White's and turn.
                        let Some((board, _)) = layout.place(CellId {
                            side: Side::First,
                            cell,
                        }) else {
                            assert_eq!(legal >> bit & 1, 0, "{material} {cell}");
                            continue;
                        };
                        let setup = Setup {
                            board,
                            turn: side,
                            ..Setup::EMPTY
                        };
                        let position = Position::from_setup(&setup);
                        assert_eq!(
                            legal >> bit & 1 != 0,
                            position.is_ok(),
                            "{material} {side:?}\n{board}"
                        );
                        if let Ok(position) = position {
                            assert_eq!(
                                layout.attacked(&fixed, side).0 >> bit & 1 != 0,
                                position.in_check()
                            );
                        }
                    }
                }
            }
        }
    }
}
