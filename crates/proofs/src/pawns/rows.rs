//! Sets of king placements: 64 words, one for each square of the attacker's king, whose bits are squares of the
//! defender's king.

use std::ops::{Index, IndexMut};

use duchamp_chess::{Bitboard, Square};

/// A set of placements of both kings.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Rows([Bitboard; 64]);

impl Rows {
    pub(super) const EMPTY: Rows = Rows([Bitboard::EMPTY; 64]);

    /// Row by row.
    pub(super) fn by(mut row: impl FnMut(Square) -> Bitboard) -> Rows {
        let mut rows = Rows::EMPTY;
        for (place, rows) in rows.0.iter_mut().enumerate() {
            *rows = row(Square::wrapping(place));
        }
        rows
    }

    /// Works out every row anew from itself and the same rows of others; whether any changed. The loop becomes one of
    /// vectors if `row` is a few operations on bits.
    #[inline]
    pub(super) fn update<const N: usize>(
        &mut self,
        others: [&Rows; N],
        row: impl Fn(Bitboard, [Bitboard; N]) -> Bitboard,
    ) -> bool {
        let mut changed = Bitboard::EMPTY;
        for place in 0..64 {
            let before = self.0[place];
            let now = row(before, others.map(|rows| rows.0[place]));
            changed |= before ^ now;
            self.0[place] = now;
        }
        changed.any()
    }

    #[inline]
    pub(super) fn has(&self, kings: Kings) -> bool {
        self[kings.attacker].has(kings.defender)
    }

    /// The placements from which the attacker's king steps into the set; whether he may is not asked.
    pub(super) fn attacker_steps(&self) -> Rows {
        // Along the ranks first, then along the files; the king's own square is not among the steps.
        let mut beside = Rows::EMPTY;
        for rank in 0..8 {
            let (from, to) = (&self.0[8 * rank..][..8], &mut beside.0[8 * rank..][..8]);
            for file in 0..8 {
                let west = if file > 0 {
                    from[file - 1]
                } else {
                    Bitboard::EMPTY
                };
                let east = if file < 7 {
                    from[file + 1]
                } else {
                    Bitboard::EMPTY
                };
                to[file] = west | east;
            }
        }
        let mut steps = beside.clone();
        for place in 0..56 {
            steps.0[place] |= self.0[place + 8] | beside.0[place + 8];
            steps.0[place + 8] |= self.0[place] | beside.0[place];
        }
        steps
    }
}

impl Index<Square> for Rows {
    type Output = Bitboard;
    #[inline]
    fn index(&self, attacker: Square) -> &Bitboard {
        &self.0[attacker.index()]
    }
}

impl IndexMut<Square> for Rows {
    #[inline]
    fn index_mut(&mut self, attacker: Square) -> &mut Bitboard {
        &mut self.0[attacker.index()]
    }
}

/// Where the two kings stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Kings {
    pub(super) attacker: Square,
    pub(super) defender: Square,
}

/// The squares one king's step from some square of a set, each square's own left out.
#[inline]
pub(super) fn neighbours(set: Bitboard) -> Bitboard {
    let beside = set.east() | set.west();
    let three = beside | set;
    beside | three.up() | three.down()
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::attacks;

    #[test]
    fn steps_are_the_kings() {
        for square in Square::ALL {
            assert_eq!(neighbours(Bitboard::of(square)), attacks::king(square));
            let defender = Bitboard::of(square.flip_rank());
            let set = Rows::by(|king| {
                if king == square {
                    defender
                } else {
                    Bitboard::EMPTY
                }
            });
            let steps = set.attacker_steps();
            for king in Square::ALL {
                let expected = attacks::king(square).has(king);
                assert_eq!(steps[king] == defender, expected, "{king} to {square}");
                assert_eq!(steps[king].any(), expected);
            }
        }
    }
}
