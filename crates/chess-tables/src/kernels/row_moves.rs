//! The moves of one slice, by rows of words: all that the solver needs but the exits.
//!
//! White is the first side. A word's bits are the squares of the lane piece, so
//! - its moves are fills inside the word;
//! - another piece's moves take whole words along its rays, less the bits of the squares passed: there
//!   the lane piece would stand in the way;
//! - a king's step takes words from a row to another, turned by the symmetry between them.
//!
//! Moves are *gathered*: an un-move reads what a position can move to. Where both kings stand on the
//! diagonal this is what makes the duplicates of a position come out right without any special case.
//!
//! Nothing here depends on what the exits are worth, so these large functions are compiled once for all metrics.

use super::fill;
use super::rays::Rays;
use super::sweeps::{DENSE, passable, sweep};
use crate::layout::{Layout, MAX_PIECES, Rows};
use crate::symmetry::Symmetry;
use arrayvec::ArrayVec;
use duchamp_chess::{Color, Role, Square, attacks};
use duchamp_retro::{BLOCK, Bits, Layer, RowSet, RowWords, Work, full, widest};

/// The pieces of a slice and their ways.
pub(crate) struct RowMoves<'a> {
    layout: &'a Layout,
    /// Squares of the pawns.
    pawns: u64,
    /// The indexed pieces' place in the word number and their ways, by colour.
    indexed_pieces: [ArrayVec<IndexedPiece, MAX_PIECES>; 2],
}

/// A piece whose square is in the word number.
struct IndexedPiece {
    /// Where in the word number.
    shift: u32,
    role: Role,
    rays: &'static Rays,
}

/// The word number of a row with the square at `shift` replaced.
#[inline]
fn with_square(word: usize, shift: u32, square: u8) -> usize {
    word & !(63 << shift) | usize::from(square) << shift
}

/// The numbers of `men` indexed pieces after a symmetry.
#[inline(always)]
fn turned(word: usize, men: usize, squares: &[u8; 64]) -> usize {
    (0..men).fold(0, |turned, i| {
        turned | usize::from(squares[word >> (6 * i) & 63]) << (6 * i)
    })
}

/// The word that stands for `word`: of two that differ by an exchange of identical pieces (`ALIKE`), the
/// one with the pieces in ascending order.
#[inline(always)]
pub(crate) fn place<const ALIKE: bool>(word: usize) -> usize {
    if ALIKE && word >> 6 > word & 63 {
        (word & 63) << 6 | word >> 6
    } else {
        word
    }
}

/// The blocks of a group of 64 words in which some word is marked, by number in the row.
#[inline(always)]
fn blocks(group: usize, marks: u64) -> impl Iterator<Item = usize> {
    const COUNT: usize = 64 / BLOCK;
    (0..COUNT)
        .filter(move |block| marks >> (BLOCK * block) & 0xFF != 0)
        .map(move |block| group * COUNT + block)
}

/// [`RowMoves::unmove`] as a piece of work.
struct Unmove<'s, 'a> {
    moves: &'s RowMoves<'a>,
    mover: Color,
    row: usize,
    to: &'s Layer,
    into: &'s mut RowWords,
}

impl Work for Unmove<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.moves
            .unmove_any(self.mover, self.row, self.to, self.into);
    }
}

/// [`RowMoves::stuck`] as a piece of work.
struct Stuck<'s, 'a> {
    moves: &'s RowMoves<'a>,
    mover: Color,
    row: usize,
    candidates: &'s mut RowWords,
    open: &'s [u64],
}

impl Work for Stuck<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.moves
            .stuck_any(self.mover, self.row, self.candidates, self.open);
    }
}

impl<'a> RowMoves<'a> {
    /// The moves in the slice with this number.
    pub(crate) fn new(slice: usize, layout: &'a Layout) -> RowMoves<'a> {
        let pawns = layout
            .pawns()
            .squares(slice)
            .iter()
            .fold(0, |set, &s| set | 1 << s);
        let mut indexed_pieces = [ArrayVec::new(), ArrayVec::new()];
        for (i, man) in layout.indexed_pieces().iter().rev().enumerate() {
            indexed_pieces[man.color.index()].push(IndexedPiece {
                shift: 6 * i as u32,
                role: man.role,
                rays: Rays::of(man.role),
            });
        }
        RowMoves {
            layout,
            pawns,
            indexed_pieces,
        }
    }

    /// As [`Slice::sources`](duchamp_retro::Slice::sources).
    pub(crate) fn sources(&self, mover: Color, row: usize, rows: &mut RowSet) {
        if self.moves_inside(mover) {
            rows.add(row);
        }
        // Steps can be taken back: where a step leads to, one comes from.
        self.steps(mover, row, |from, _| rows.add(from));
    }

    /// As [`Slice::unmove`](duchamp_retro::Slice::unmove). Wider vectors only where groups are swept.
    pub(crate) fn unmove(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        if self.layout.indexed_pieces().is_empty() {
            return self.unmove_word(mover, row, to, into);
        }
        if self.layout.halves() {
            return self.unmove_any(mover, row, to, into);
        }
        widest(Unmove {
            moves: self,
            mover,
            row,
            to,
            into,
        });
    }

    /// The same where there are indexed pieces.
    #[inline(always)]
    fn unmove_any(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        match (self.layout.indexed_pieces().len(), self.layout.halves()) {
            (1, _) => self.unmove_row::<1, false>(mover, row, to, into),
            (2, false) => self.unmove_row::<2, false>(mover, row, to, into),
            (2, true) => self.unmove_row::<2, true>(mover, row, to, into),
            (3, _) => self.unmove_row::<3, false>(mover, row, to, into),
            _ => self.unmove_row::<4, false>(mover, row, to, into),
        }
    }

    /// As [`Slice::stuck`](duchamp_retro::Slice::stuck).
    pub(crate) fn stuck(&self, mover: Color, row: usize, candidates: &mut RowWords, open: &[u64]) {
        if self.layout.indexed_pieces().is_empty() {
            return self.stuck_word(mover, row, candidates, open);
        }
        if self.layout.halves() {
            return self.stuck_any(mover, row, candidates, open);
        }
        widest(Stuck {
            moves: self,
            mover,
            row,
            candidates,
            open,
        });
    }

    /// The same where there are indexed pieces.
    #[inline(always)]
    fn stuck_any(&self, mover: Color, row: usize, candidates: &mut RowWords, open: &[u64]) {
        match (self.layout.indexed_pieces().len(), self.layout.halves()) {
            (1, _) => self.stuck_row::<1, false>(mover, row, candidates, open),
            (2, false) => self.stuck_row::<2, false>(mover, row, candidates, open),
            (2, true) => self.stuck_row::<2, true>(mover, row, candidates, open),
            (3, _) => self.stuck_row::<3, false>(mover, row, candidates, open),
            _ => self.stuck_row::<4, false>(mover, row, candidates, open),
        }
    }

    /// Kings (but for a king that is the lane piece) and pawns of a row.
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

    /// Whether `color` has a piece that moves inside a row.
    fn moves_inside(&self, color: Color) -> bool {
        self.layout.lane_piece().color == color || !self.indexed_pieces[color.index()].is_empty()
    }

    /// Un-moves into a row of one word: no indexed pieces.
    #[inline(always)]
    fn unmove_word(&self, mover: Color, row: usize, to: &Layer, into: &mut RowWords) {
        let lane_piece = self.layout.lane_piece();
        let here = to.word(row, 0);
        let mut found = 0;
        if here != 0 && lane_piece.color == mover {
            found = fill::moves(lane_piece.role, here, !self.row_occupied(row));
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

    /// Un-moves into a row of `N` indexed pieces; `ALIKE` as [`Layout::halves`] says.
    #[inline(always)]
    fn unmove_row<const N: usize, const ALIKE: bool>(
        &self,
        mover: Color,
        row: usize,
        to: &Layer,
        into: &mut RowWords,
    ) {
        let (found, marked) = into.parts();
        let (found, marked) = (&mut found[..1 << (6 * N)], &mut marked[..1 << (6 * N - 6)]);
        if self.moves_inside(mover)
            && let Some((sets, marks)) = to.row(row)
        {
            let lane_piece = self.layout.lane_piece();
            for (group, &marks) in marks.iter().enumerate() {
                if marks == 0 {
                    continue;
                }
                let occupied = (0..N - 1).fold(self.row_occupied(row), |set, i| {
                    set | 1 << (group >> (6 * i) & 63)
                });
                // Where identical pieces are exchanged, what is found may lie in another group.
                let dense = !ALIKE && marks.count_ones() >= DENSE;
                if dense {
                    let at = group * 64..group * 64 + 64;
                    if let ([set], [found]) =
                        (sets[at.clone()].as_chunks().0, found[at].as_chunks_mut().0)
                    {
                        self.unmove_group(mover, occupied, set, found);
                        marked[group] = !0;
                    }
                    if N == 1 {
                        continue;
                    }
                }
                for inner in Bits(marks) {
                    let word = group << 6 | inner;
                    let (set, occupied) = (sets[word], occupied | 1 << inner);
                    let mut add = |word: usize, bits: u64| {
                        let word = place::<ALIKE>(word);
                        found[word & ((1 << (6 * N)) - 1)] |= bits;
                        marked[word >> 6 & ((1 << (6 * N - 6)) - 1)] |= 1 << (word & 63);
                    };
                    if lane_piece.color == mover && !dense {
                        add(word, fill::moves(lane_piece.role, set, !occupied));
                    }
                    for man in &self.indexed_pieces[mover.index()] {
                        if dense && man.shift == 0 {
                            continue;
                        }
                        let from = (word >> man.shift & 63) as u8;
                        man.rays.walk(from, occupied, set, |from, bits| {
                            add(with_square(word, man.shift, from), bits);
                            bits
                        });
                    }
                }
            }
        }
        let mut direct = ArrayVec::<_, 8>::new();
        self.steps(mover, row, |next, symmetry| {
            let Some((sets, marks)) = to.row(next) else {
                return;
            };
            if symmetry.is_none() {
                direct.push((sets.as_chunks::<BLOCK>().0, marks));
                return;
            }
            let back = symmetry.inverse().squares();
            for (group, (sets, &marks)) in sets.as_chunks::<64>().0.iter().zip(marks).enumerate() {
                if marks == 0 {
                    continue;
                }
                let outer = turned(group, N - 1, back);
                for inner in Bits(marks) {
                    let word = place::<ALIKE>(outer << 6 | usize::from(back[inner & 63]));
                    found[word & ((1 << (6 * N)) - 1)] |= symmetry.undo(sets[inner & 63]);
                    marked[word >> 6 & ((1 << (6 * N - 6)) - 1)] |= 1 << (word & 63);
                }
            }
        });
        let found = found.as_chunks_mut::<BLOCK>().0;
        for (group, marked) in marked.iter_mut().enumerate() {
            let marks = direct.iter().fold(0, |all, (_, marks)| all | marks[group]);
            *marked |= marks;
            for at in blocks(group, marks) {
                let block = &mut found[at];
                for (sets, _) in &direct {
                    *block = std::array::from_fn(|i| block[i] | sets[at][i]);
                }
            }
        }
    }

    /// Un-moves of the lane piece and of the indexed piece by which the words of a group differ; `occupied` are the
    /// squares of the others.
    #[inline(always)]
    fn unmove_group(&self, mover: Color, occupied: u64, sets: &[u64; 64], found: &mut [u64; 64]) {
        let passable = passable(occupied);
        let lane_piece = self.layout.lane_piece();
        if lane_piece.color == mover {
            let blocks = sets.as_chunks::<BLOCK>().0.iter();
            let blocks = blocks.zip(passable.as_chunks::<BLOCK>().0);
            for ((set, passable), found) in blocks.zip(found.as_chunks_mut::<BLOCK>().0) {
                let free = passable.map(|pass| pass & !occupied);
                let moved = fill::block_moves(lane_piece.role, set, &free);
                *found = std::array::from_fn(|i| found[i] | moved[i]);
            }
        }
        for man in &self.indexed_pieces[mover.index()] {
            if man.shift == 0 {
                sweep(man.role, sets, &passable, found);
            }
        }
    }

    /// As [`RowMoves::stuck`], for a row of one word: no indexed pieces.
    #[inline(always)]
    fn stuck_word(&self, mover: Color, row: usize, candidates: &mut RowWords, open: &[u64]) {
        let (words, _) = candidates.parts();
        let stuck = &mut words[0];
        let lane_piece = self.layout.lane_piece();
        if lane_piece.color == mover {
            *stuck &= !fill::moves(lane_piece.role, open[row], !self.row_occupied(row));
        }
        self.steps(mover, row, |next, symmetry| {
            if *stuck != 0 {
                *stuck &= !symmetry.undo(open[next]);
            }
        });
    }

    /// As [`RowMoves::stuck`], with `N` indexed pieces.
    #[inline(always)]
    fn stuck_row<const N: usize, const ALIKE: bool>(
        &self,
        mover: Color,
        row: usize,
        candidates: &mut RowWords,
        open: &[u64],
    ) {
        let words = 1 << (6 * N);
        let (sets, marks) = candidates.parts();
        let (sets, marks) = (&mut sets[..words], &mut marks[..words / 64]);
        let here = &open[row * words..][..words];
        let (mut direct, mut turns) = (ArrayVec::<_, 8>::new(), ArrayVec::<_, 8>::new());
        self.steps(mover, row, |next, symmetry| {
            let next = &open[next * words..][..words];
            if symmetry.is_none() {
                direct.push(next.as_chunks::<BLOCK>().0);
            } else {
                turns.push((next, symmetry));
            }
        });
        for (group, marks) in marks.iter_mut().enumerate() {
            // The king's steps that turn nothing first: a block of words at once.
            let mut left = 0;
            for at in blocks(group, std::mem::take(marks)) {
                let block = &mut sets.as_chunks_mut::<BLOCK>().0[at];
                for next in &direct {
                    *block = std::array::from_fn(|i| block[i] & !next[at][i]);
                }
                left |= full(block) << (BLOCK * at % 64);
            }
            *marks = left;
            let occupied = (0..N - 1).fold(self.row_occupied(row), |set, i| {
                set | 1 << (group >> (6 * i) & 63)
            });
            for inner in Bits(left) {
                let word = group << 6 | inner;
                let occupied = occupied | 1 << inner;
                sets[word] =
                    self.stuck_among::<N, ALIKE>(mover, word, occupied, sets[word], here, &turns);
            }
        }
    }

    /// Keeps the candidates of a word without moves but for the king's steps that turn nothing.
    #[inline(always)]
    fn stuck_among<const N: usize, const ALIKE: bool>(
        &self,
        mover: Color,
        word: usize,
        occupied: u64,
        mut stuck: u64,
        here: &[u64],
        turns: &[(&[u64], Symmetry)],
    ) -> u64 {
        let mask = (1 << (6 * N)) - 1;
        let lane_piece = self.layout.lane_piece();
        if lane_piece.color == mover {
            stuck &= !fill::moves(lane_piece.role, here[word], !occupied);
        }
        for (next, symmetry) in turns {
            if stuck == 0 {
                return 0;
            }
            let to = place::<ALIKE>(turned(word, N, symmetry.squares()));
            stuck &= !symmetry.undo(next[to & mask]);
        }
        for man in &self.indexed_pieces[mover.index()] {
            if stuck == 0 {
                return 0;
            }
            let from = (word >> man.shift & 63) as u8;
            man.rays.walk(from, occupied, stuck, |to, bits| {
                let bits = bits & stuck;
                let to = place::<ALIKE>(with_square(word, man.shift, to));
                let free = bits & here[to & mask];
                stuck &= !free;
                bits & !free
            });
        }
        stuck
    }
}
