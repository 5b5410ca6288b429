//! One slice of a chess table as the solver sees it: [`retro::Slice`](crate::retro::Slice).
//!
//! White is the first side. A word's bits are the squares of the bit man, so
//! - his moves are fills inside the word;
//! - another man's moves take whole words along his rays, less the bits of the squares passed: there
//!   the bit man would stand in the way;
//! - a king's step takes words from a row to another, turned by the symmetry between them.
//!
//! Moves are *gathered*: an un-move asks what a position can move to. Where both kings stand on the
//! diagonal this is what makes the twins of a position come out right without any special case.

use super::kernels::exits::Exits;
use super::kernels::fill;
use super::kernels::rays::Rays;
use super::kernels::worth::Worth;
use super::layout::{Layout, MAX_PIECES, Rows};
use super::symmetry::Symmetry;
use crate::chess::{Color, Square, attacks};
use crate::retro::{Bits, Layer, RowSet, RowWords, Seed, Side, Slice};
use arrayvec::ArrayVec;

/// A slice of a table.
pub(crate) struct ChessSlice<'a, W: Worth> {
    layout: &'a Layout,
    slice: usize,
    /// Squares of the pawns.
    pawns: u64,
    /// The word men's place in the word number and their ways, by colour.
    word_men: [ArrayVec<WordMan, MAX_PIECES>; 2],
    exits: &'a Exits<'a, W>,
}

/// A man whose square is in the word number.
struct WordMan {
    /// Where in the word number.
    shift: u32,
    rays: &'static Rays,
}

/// The colour of a side.
pub(crate) const fn color(side: Side) -> Color {
    match side {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}

/// The word number of a row with the square at `shift` replaced.
#[inline]
fn with_square(word: usize, shift: u32, square: u8) -> usize {
    word & !(63 << shift) | usize::from(square) << shift
}

impl<'a, W: Worth> ChessSlice<'a, W> {
    pub(crate) fn new(
        layout: &'a Layout,
        slice: usize,
        exits: &'a Exits<'a, W>,
    ) -> ChessSlice<'a, W> {
        let pawns = layout
            .pawns()
            .squares(slice)
            .iter()
            .fold(0, |set, &s| set | 1 << s);
        let mut word_men = [ArrayVec::new(), ArrayVec::new()];
        for (i, man) in layout.word_men().iter().rev().enumerate() {
            word_men[man.color.index()].push(WordMan {
                shift: 6 * i as u32,
                rays: Rays::of(man.role),
            });
        }
        ChessSlice {
            layout,
            slice,
            pawns,
            word_men,
            exits,
        }
    }

    /// Kings (but for a king that is the bit man) and pawns of a row.
    #[inline]
    fn row_occupied(&self, row: usize) -> u64 {
        match self.layout.rows() {
            Rows::Pairs => {
                let [white, black] = self.layout.pairs().kings(row);
                self.pawns | 1 << white | 1 << black
            }
            Rows::WhiteKing => self.pawns | 1 << row,
        }
    }

    /// The word men's squares in a word number.
    #[inline]
    fn word_occupied(&self, word: usize) -> u64 {
        (0..self.layout.word_men().len()).fold(0, |set, i| set | 1 << (word >> (6 * i) & 63))
    }

    /// The word number that a symmetry turns `word` into.
    #[inline]
    fn turned(&self, word: usize, squares: &[u8; 64]) -> usize {
        (0..self.layout.word_men().len()).fold(0, |turned, i| {
            turned | usize::from(squares[word >> (6 * i) & 63]) << (6 * i)
        })
    }

    /// Rows that a king's step of `color` leads to, with the symmetry.
    #[inline(always)]
    fn steps(&self, color: Color, row: usize, mut f: impl FnMut(usize, Symmetry)) {
        match self.layout.rows() {
            Rows::Pairs => self
                .layout
                .pairs()
                .steps(color, row)
                .iter()
                .for_each(|step| f(step.row.into(), step.symmetry)),
            Rows::WhiteKing if color == Color::White => {
                attacks::king(Square::wrapping(row))
                    .into_iter()
                    .for_each(|to| f(to.index(), Symmetry::NONE));
            }
            Rows::WhiteKing => {}
        }
    }

    /// Whether `color` has a man that moves inside a row.
    fn moves_inside(&self, color: Color) -> bool {
        self.layout.bit_man().color == color || !self.word_men[color.index()].is_empty()
    }

    /// Un-moves into a row of one word: no word men.
    #[inline(always)]
    fn unmove_word(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        let bit_man = self.layout.bit_man();
        let here = to.word(row, 0);
        let mut found = 0;
        if here != 0 && bit_man.color == mover {
            found = fill::moves(bit_man.role, here, !self.row_occupied(row));
        }
        self.steps(mover, row, |next, symmetry| {
            let set = to.word(next, 0);
            found |= if symmetry.is_none() {
                set
            } else {
                symmetry.undo(set)
            };
        });
        into.add(0, found);
    }

    /// Un-moves into a row of 64 words: one word man, who is the word number.
    #[inline(always)]
    fn unmove_row64(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        let Some((found, marks)) = into.row64() else {
            return;
        };
        let mut marked = *marks;
        if let Some((words, here)) = to.row64(row).filter(|row| row.1 != 0) {
            let occupied = self.row_occupied(row);
            let bit_man = self.layout.bit_man();
            if bit_man.color == mover {
                marked |= here;
                for word in Bits(here) {
                    found[word & 63] |=
                        fill::moves(bit_man.role, words[word & 63], !(occupied | 1 << word));
                }
            }
            if let [man] = &self.word_men[mover.index()][..] {
                for word in Bits(here) {
                    man.rays
                        .walk(word as u8, occupied, words[word & 63], |from, bits| {
                            found[usize::from(from & 63)] |= bits;
                            marked |= 1 << from;
                            bits
                        });
                }
            }
        }
        self.steps(mover, row, |next, symmetry| {
            let Some((words, there)) = to.row64(next).filter(|row| row.1 != 0) else {
                return;
            };
            if symmetry.is_none() {
                marked |= there;
                for word in Bits(there) {
                    found[word & 63] |= words[word & 63];
                }
            } else {
                marked |= symmetry.undo(there);
                let back = symmetry.inverse().squares();
                for word in Bits(there) {
                    found[usize::from(back[word & 63] & 63)] |= symmetry.undo(words[word & 63]);
                }
            }
        });
        *marks = marked;
    }

    /// Un-moves into a row of any length.
    fn unmove_row(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        let occupied = self.row_occupied(row);
        let bit_man = self.layout.bit_man();
        to.for_each(row, |word, set| {
            let all = self.word_occupied(word) | occupied;
            if bit_man.color == mover {
                into.add(word, fill::moves(bit_man.role, set, !all));
            }
            for man in &self.word_men[mover.index()] {
                man.rays
                    .walk((word >> man.shift & 63) as u8, all, set, |from, bits| {
                        into.add(with_square(word, man.shift, from), bits);
                        bits
                    });
            }
        });
        self.steps(mover, row, |next, symmetry| {
            let back = symmetry.inverse().squares();
            to.for_each(next, |word, set| {
                into.add(self.turned(word, back), symmetry.undo(set))
            });
        });
    }
}

impl<W: Worth> Slice for ChessSlice<'_, W> {
    type Cell = W::Cell;

    fn rows(&self) -> usize {
        self.layout.row_count()
    }

    fn row_words(&self) -> usize {
        self.layout.row_words()
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, W::Cell>) {
        let words = self.layout.row_words();
        let first = (self.slice * self.layout.row_count() + row) * words;
        for word in 0..words {
            let fixed = self.layout.fixed(first + word);
            if fixed.clash {
                continue;
            }
            let legal = self.layout.legal_of(&fixed, color(side));
            if legal != 0 {
                seed.legal[word] = legal;
                seed.lost_if_stuck[word] = legal & self.layout.attacked(&fixed, color(side)).0;
                self.exits.value(
                    color(side),
                    &fixed,
                    first + word,
                    legal,
                    &mut seed.exits[word],
                );
            }
        }
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        if self.moves_inside(color(mover)) {
            rows.add(row);
        }
        // Steps can be taken back: where a step leads to, one comes from.
        self.steps(color(mover), row, |from, _| rows.add(from));
    }

    #[inline(always)]
    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        match self.layout.row_words() {
            1 => self.unmove_word(color(mover), row, to, into),
            64 => self.unmove_row64(color(mover), row, to, into),
            _ => self.unmove_row(color(mover), row, to, into),
        }
    }

    #[inline(always)]
    fn stuck(&self, mover: Side, row: usize, word: usize, candidates: u64, open: &[u64]) -> u64 {
        let mover = color(mover);
        let words = self.layout.row_words();
        let mut stuck = candidates;
        // The king first: his steps are the cheapest to look up.
        self.steps(mover, row, |next, symmetry| {
            if stuck != 0 {
                let to = if symmetry.is_none() {
                    word
                } else {
                    self.turned(word, symmetry.squares())
                };
                stuck &= !symmetry.undo(open[next * words + to]);
            }
        });
        if stuck == 0 || !self.moves_inside(mover) {
            return stuck;
        }
        let here = &open[row * words..(row + 1) * words];
        let all = self.row_occupied(row) | self.word_occupied(word);
        if self.layout.bit_man().color == mover {
            stuck &= !fill::moves(self.layout.bit_man().role, here[word], !all);
        }
        for man in &self.word_men[mover.index()] {
            if stuck == 0 {
                return 0;
            }
            man.rays
                .walk((word >> man.shift & 63) as u8, all, stuck, |to, bits| {
                    let bits = bits & stuck;
                    let free = bits & here[with_square(word, man.shift, to)];
                    stuck &= !free;
                    bits & !free
                });
        }
        stuck
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::plan::View;
    use super::super::kernels::worth::ToMate;
    use super::*;
    use crate::chess::{Position, Setup};
    use crate::retro::laws;
    use crate::tablebase::Index;
    use std::collections::HashMap;

    /// Runs `test` on a slice without any sub-tables: its exits have no value.
    fn with_slice(name: &str, slice: usize, test: impl FnOnce(&Layout, &ChessSlice<'_, ToMate>)) {
        let layout = Layout::new(name.parse().expect("a material"));
        let (codes, void) = (vec![0; layout.words() * 64], vec![!0; layout.words()]);
        let own = View {
            layout: &layout,
            codes: [&codes; 2],
            void: [&void; 2],
            cursed: [None; 2],
            white_only: false,
        };
        let exits = Exits::new(&layout, own, &|_| None);
        test(&layout, &ChessSlice::new(&layout, slice, &exits));
    }

    #[test]
    fn slices_obey_the_laws() {
        for (name, slice) in [
            ("KQvK", 0),
            ("KNvK", 0),
            ("KBNvK", 0),
            ("KQvKR", 0),
            ("KBvKN", 0),
            ("KPvK", 5),
            ("KRvKP", 11),
            ("KPvKP", 700),
            ("KPPvK", 300),
        ] {
            with_slice(name, slice, |_, chess| {
                laws::check(chess, 60, 99).unwrap_or_else(|broken| panic!("{name}: {broken}"))
            });
        }
    }

    /// Where a table has no symmetries inside a slice, the moves of the chess room lead from cell to
    /// cell exactly as the un-moves of the words say.
    #[test]
    fn words_move_as_the_rules_say() {
        for (name, slice) in [("KRvKP", 13), ("KNvKP", 8), ("KPvKP", 555), ("KPPvK", 200)] {
            with_slice(name, slice, |layout, chess| {
                let (first, cells) = (slice * layout.slice_words() * 64, layout.slice_words() * 64);
                let mut sources: [HashMap<usize, Vec<usize>>; 2] = Default::default();
                for side in Side::ALL {
                    let turn = color(side);
                    for from in 0..cells {
                        let cell = (first + from) as u64;
                        let Some((board, _)) = layout.place(Index {
                            side: Color::White,
                            cell,
                        }) else {
                            continue;
                        };
                        let Ok(position) = Position::from_setup(&Setup {
                            board,
                            turn,
                            ..Setup::EMPTY
                        }) else {
                            continue;
                        };
                        for m in position.legal_moves() {
                            let (kind, after) = (position.moved_role(m), position.play(m));
                            if kind == crate::chess::Role::Pawn || position.is_capture(m) {
                                continue;
                            }
                            let to = layout
                                .locate_as(after.board(), Color::White, false)
                                .expect("the same men");
                            sources[side.index()]
                                .entry(to.cell as usize - first)
                                .or_default()
                                .push(from);
                        }
                    }
                }
                let expected = |side: Side, to: usize| {
                    sources[side.index()].get(&to).cloned().unwrap_or_default()
                };
                laws::check_moves(chess, 300, 4711, expected)
                    .unwrap_or_else(|broken| panic!("{name}: {broken}"));
            });
        }
    }
}
