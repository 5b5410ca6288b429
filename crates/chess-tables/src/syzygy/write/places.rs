//! Where the cells of our tables stand in the order of a Syzygy file.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::OnceLock;

use duchamp_chess::{Color, Role};
use duchamp_retro::Bits;

use super::super::numbering::{Lead, MAX_MEN, Man, Numbering};
use super::arranged::{Arranged, Dim, Spare, rearrange};
use super::values::leading_file;
use crate::layout::{Layout, Rows};
use crate::pairs::KingPairs;
use crate::pawns::MAX_PAWNS;
use crate::symmetry::Symmetry;

/// Cells of a side that are put in another order, at most.
pub(super) const MOST_ARRANGED: u64 = 1 << 30;

/// No cell: no position.
const NO_ROW: u32 = u32::MAX;

/// A layout as the order of Syzygy files reads it: rows by the squares of the kings.
#[derive(Debug)]
pub(super) struct Cells<'l> {
    layout: &'l Layout,
    /// By White's and Black's king: row and symmetry; with pawns [`Symmetry::NONE`].
    rows: Vec<(u32, Symmetry)>,
    files: Vec<usize>,
}

impl<'l> Cells<'l> {
    /// By slice: the file of the leading pawn, 0 to 3; 0 without pawns.
    pub(super) fn leading_files(&self) -> &[usize] {
        &self.files
    }

    pub(super) fn new(layout: &'l Layout) -> Cells<'l> {
        let pairs = if layout.pawns().pawns() > 0 {
            KingPairs::all()
        } else {
            layout.pairs()
        };
        let row = |kings: usize| {
            let step = pairs.find((kings >> 6) as u8, (kings & 63) as u8);
            step.map_or((NO_ROW, Symmetry::NONE), |step| {
                (step.row.into(), step.symmetry)
            })
        };
        Cells {
            layout,
            rows: (0..64 * 64).map(row).collect(),
            files: (0..layout.slices())
                .map(|slice| leading_file(layout, slice))
                .collect(),
        }
    }
}

/// The indices of a sub-table one after another, each with the cell of its position.
#[derive(Debug)]
pub(super) struct Places<'c> {
    cells: &'c Cells<'c>,
    groups: Vec<Group>,
    /// Groups by factor, the one that counts singly first.
    by_factor: Vec<usize>,
    len: u64,
    /// Where in the list of men the kings, the pawns (White's first) and the pieces stand.
    kings: [usize; 2],
    pawns: Vec<usize>,
    pieces: Vec<usize>,
    /// By place in the list of men: how far the cells of neighbouring squares of a piece are apart; `None` for kings and
    /// pawns.
    steps: [Option<usize>; 8],
    men: usize,
    /// The same of rows.
    row_step: usize,
    slice_cells: usize,
    /// By slice: its first cell, if its cells are there.
    places: Vec<Option<usize>>,
}

/// A group of men that makes one digit.
#[derive(Debug)]
struct Group {
    /// Its first man, and how many there are.
    first: usize,
    len: usize,
    factor: u64,
    size: usize,
    /// The squares of its men by digit: real ones of the leading group, of others those that the groups before leave.
    squares: Cow<'static, [u8]>,
    /// Squares that its men cannot have, before the first.
    skipped: u8,
    /// Which of its men moves from digit to digit; `None` for pawns.
    moving: Option<usize>,
    /// By digit: that man's square or number, and whether another man of the group stands elsewhere than before.
    moves: Vec<(u8, bool)>,
}

impl<'c> Places<'c> {
    pub(super) fn new(cells: &'c Cells<'c>, numbering: &Numbering, file: usize) -> Places<'c> {
        let layout = cells.layout;
        let men = numbering.men();
        let more_pawns = |n: usize, man: Man| n > 0 && man.is_pawn();
        let mut groups = Vec::new();
        let mut first = 0;
        for (n, group) in numbering.groups().iter().enumerate() {
            let len = usize::from(group.len);
            let squares = if n == 0 {
                Cow::Borrowed(leading_squares(numbering, file))
            } else {
                Cow::Owned(combinations(len, group.size as usize))
            };
            // Of three leaders the last, of other like men the first.
            let moving = (!men[first].is_pawn()).then_some(if n == 0 { len - 1 } else { 0 });
            groups.push(Group {
                first,
                len,
                factor: group.factor,
                size: group.size as usize,
                moves: moving.map_or_else(Vec::new, |moving| moves(&squares, len, moving)),
                squares,
                skipped: if more_pawns(n, men[first]) { 8 } else { 0 },
                moving,
            });
            first += len;
        }
        let mut by_factor: Vec<usize> = (0..groups.len()).collect();
        by_factor.sort_by_key(|&n| (groups[n].factor, groups[n].size > 1));
        let mut free: Vec<usize> = (0..men.len()).collect();
        let mut take = |man: Man| {
            let at = free.iter().position(|&place| men[place] == man);
            free.remove(at.expect("the men of the material"))
        };
        let kings = Color::ALL.map(|color| take(Man::new(color, Role::King)));
        let pawns = (0..layout.pawns().pawns()).map(|n| {
            let white = n < layout.pawns().white();
            let color = if white { Color::White } else { Color::Black };
            take(Man::new(color, Role::Pawn))
        });
        let pawns = pawns.collect();
        let lane = (layout.rows() == Rows::Pairs).then(|| layout.lane_piece());
        let pieces = layout.indexed_pieces().iter().copied().chain(lane);
        let pieces = pieces.map(|piece| take(Man::new(piece.color, piece.role)));
        let pieces: Vec<usize> = pieces.collect();
        Places {
            steps: steps(&pieces),
            men: men.len(),
            cells,
            groups,
            by_factor,
            len: numbering.len(),
            kings,
            pawns,
            pieces,
            row_step: 1 << (6 * (layout.indexed_pieces().len() + 1)),
            slice_cells: layout.slice_words() * 64,
            places: (0..layout.slices())
                .map(|slice| Some(slice * layout.slice_words() * 64))
                .collect(),
        }
    }

    /// Number of indices.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Cells in the order of the indices, as far as rows and the squares of pieces go: from now on [`read`](Self::read)
    /// takes these. So indices side by side are found side by side, where else each would come from a cache line of its own.
    ///
    /// Slices that are not `wanted` are left out. Tables that are too large for a second copy stay as they are.
    pub(super) fn arrange<'v>(
        &mut self,
        values: &'v [u8],
        wanted: impl Fn(usize) -> bool,
        spare: &Spare,
    ) -> Arranged<'v> {
        if self.pieces.is_empty() || values.len() as u64 > MOST_ARRANGED {
            return Arranged::Not(values);
        }
        // Rows, and each piece by its place in the list of men.
        let rows = self.slice_cells >> (6 * self.pieces.len());
        let own = |&place: &usize| (Some(place), 64, self.steps[place].unwrap_or(0));
        let old: Vec<_> = std::iter::once((None, rows, self.row_step))
            .chain(self.pieces.iter().map(own))
            .collect();
        let mut new = old.clone();
        new.sort_by_key(|dim| Reverse(dim.0.map_or_else(|| self.row_rank(), |at| self.rank(at))));
        let slices: Vec<usize> = (0..values.len() / self.slice_cells)
            .filter(|&slice| wanted(slice))
            .collect();
        let len = slices.len() * self.slice_cells;
        if new == old {
            return Arranged::Not(values);
        }
        let Ok(mut arranged) = spare.take(len) else {
            return Arranged::Not(values);
        };
        let mut step = 1;
        for &(place, size, _) in new.iter().rev() {
            match place {
                Some(place) => self.steps[place] = Some(step),
                None => self.row_step = step,
            }
            step *= size;
        }
        self.places = vec![None; values.len() / self.slice_cells];
        let dims: Vec<Dim> = new
            .iter()
            .map(|&(_, size, step)| Dim { size, step })
            .collect();
        let into = arranged[..len].chunks_mut(self.slice_cells);
        for (place, (&slice, into)) in slices.iter().zip(into).enumerate() {
            let from = &values[slice * self.slice_cells..][..self.slice_cells];
            rearrange(from, into, &dims);
            self.places[slice] = Some(place * self.slice_cells);
        }
        Arranged::Copy(arranged, len)
    }

    /// How slowly the square of a man moves from index to index: the rank of his group, and whether another man of it
    /// moves first.
    fn rank(&self, place: usize) -> (usize, bool) {
        let has = |group: &Group| (group.first..group.first + group.len).contains(&place);
        let Some(at) = self.groups.iter().position(has) else {
            return (self.groups.len(), true);
        };
        let rank = self.by_factor.iter().position(|&n| n == at);
        let group = &self.groups[at];
        let moves = group.moving.map(|moving| group.first + moving) == Some(place);
        (rank.unwrap_or(self.groups.len()), !moves)
    }

    /// The same of the row, which is that of the kings.
    fn row_rank(&self) -> (usize, bool) {
        let [white, black] = self.kings.map(|place| self.rank(place));
        white.min(black)
    }

    /// Appends the bytes of the cells of a range of indices; `any` where there is no position.
    pub(super) fn read(&self, range: Range<u64>, values: &[u8], any: u8, into: &mut Vec<u8>) {
        let mut digits = [0usize; MAX_MEN];
        let mut rest = range.start;
        for &n in &self.by_factor {
            let size = self.groups[n].size as u64;
            digits[n] = (rest % size) as usize;
            rest /= size;
        }
        let inner = self.by_factor[0];
        let mut line = Line {
            places: self,
            inner,
            values,
            any,
            into,
        };
        let mut left = range.end - range.start;
        while left > 0 {
            let count = left.min((self.groups[inner].size - digits[inner]) as u64);
            line.read(&digits, count as usize);
            left -= count;
            digits[inner] = 0;
            for &n in &self.by_factor[1..] {
                digits[n] += 1;
                if digits[n] < self.groups[n].size {
                    break;
                }
                digits[n] = 0;
            }
        }
    }

    /// The cell of a placement.
    #[inline]
    fn cell(&self, squares: &[u8; 8]) -> Option<usize> {
        let (base, symmetry) = self.base(squares)?;
        let turned = symmetry.squares();
        let pieces = self.pieces.iter().map(|&place| {
            let square = turned[usize::from(squares[place & 7] & 63)];
            usize::from(square) * self.steps[place & 7].unwrap_or(0)
        });
        Some(base + pieces.sum::<usize>())
    }

    /// The first cell of a placement's row, and the symmetry into it.
    #[inline]
    fn base(&self, squares: &[u8; 8]) -> Option<(usize, Symmetry)> {
        let of = |place: usize| squares[place & 7];
        let [white, black] = self.kings.map(of);
        let layout = self.cells.layout;
        if self.pawns.is_empty() {
            let (row, symmetry) =
                self.cells.rows[usize::from(white & 63) << 6 | usize::from(black & 63)];
            return (row != NO_ROW).then(|| (row as usize * self.row_step, symmetry));
        }
        let mut pawns = [0; MAX_PAWNS];
        for (slot, &place) in pawns.iter_mut().zip(&self.pawns) {
            *slot = of(place);
        }
        let (slice, symmetry) = layout.pawns().find(&pawns)?;
        let first = self.places[slice]?;
        let turned = symmetry.squares();
        let [white, black] =
            [white, black].map(|square| usize::from(turned[usize::from(square & 63)]));
        if layout.rows() == Rows::WhiteKing {
            return Some((first + (white << 6 | black), Symmetry::NONE));
        }
        let (row, _) = self.cells.rows[white << 6 | black];
        (row != NO_ROW).then(|| (first + row as usize * self.row_step, symmetry))
    }
}

/// By place in the list of men: the steps of a table as it is.
fn steps(pieces: &[usize]) -> [Option<usize>; 8] {
    let mut steps = [None; 8];
    for (n, &place) in pieces.iter().rev().enumerate() {
        steps[place] = Some(1 << (6 * n));
    }
    steps
}

/// Reads indices that differ in the digit of one group only.
struct Line<'p, 'v> {
    places: &'p Places<'p>,
    inner: usize,
    values: &'v [u8],
    any: u8,
    into: &'v mut Vec<u8>,
}

impl Line<'_, '_> {
    /// `count` indices from these digits on.
    fn read(&mut self, digits: &[usize; MAX_MEN], count: usize) {
        let groups = &self.places.groups;
        let group = &groups[self.inner];
        let mut squares = [0u8; 8];
        let mut before = Taken::default();
        for (n, group) in groups[..self.inner].iter().enumerate() {
            group.put(digits[n], &mut squares, &mut before);
        }
        let free = if group.first == 0 {
            std::array::from_fn(|number| number as u8)
        } else {
            before.all_free()
        };
        let end = digits[self.inner] + count;
        let mut digit = digits[self.inner];
        while digit < end {
            // As far as one man moves up the board and the groups behind stay where they are.
            let mut taken = before;
            group.put(digit, &mut squares, &mut taken);
            for (n, group) in groups.iter().enumerate().skip(self.inner + 1) {
                group.put(digits[n], &mut squares, &mut taken);
            }
            let mut steps = 1;
            if let Some(moving) = group.moving {
                steps = self.steps(digit..end, moving, &squares, &free);
            } else {
                self.push(&squares);
            }
            digit += steps;
        }
    }

    #[inline]
    fn push(&mut self, squares: &[u8; 8]) {
        let cell = self.places.cell(squares);
        let byte = cell.map_or(self.any, |cell| self.values[cell]);
        self.into.push(byte);
    }

    /// Reads as many indices as differ in the square of one man only, of which there are some at least; gives their
    /// number. `free` has the squares by number.
    #[inline]
    fn steps(
        &mut self,
        digits: Range<usize>,
        moving: usize,
        squares: &[u8; 8],
        free: &[u8; 64],
    ) -> usize {
        let group = &self.places.groups[self.inner];
        let man = group.first + moving;
        let square = squares[man & 7];
        let behind = &squares[(group.first + group.len) & 7..self.places.men];
        // Where it would take another man's square, that man makes room.
        let limit = behind.iter().copied().filter(|&other| other > square);
        let limit = limit.min().unwrap_or(64);
        let moves = &group.moves[digits];
        let square_of = |&(number, _): &(u8, bool)| free[usize::from(number & 63)];
        let mut last = square;
        let more = moves[1..].iter().take_while(|&step| {
            let square = square_of(step);
            let goes_on = !step.1 && square > last && square < limit;
            last = square;
            goes_on
        });
        let steps = 1 + more.count();
        let moves = &moves[..steps];
        let mut squares = *squares;
        if let Some(own) = self.places.steps[man & 7] {
            let Some((base, symmetry)) = self.places.base(&squares) else {
                self.into.extend(std::iter::repeat_n(self.any, steps));
                return steps;
            };
            let turned = symmetry.squares();
            let others = self.places.pieces.iter().filter(|&&place| place != man);
            let base = others.fold(base, |number, &place| {
                let square = turned[usize::from(squares[place & 7] & 63)];
                number + usize::from(square) * self.places.steps[place & 7].unwrap_or(0)
            });
            let bytes = moves.iter().map(|step| {
                let square = turned[usize::from(square_of(step) & 63)];
                self.values[base + usize::from(square) * own]
            });
            self.into.extend(bytes);
        } else {
            for step in moves {
                squares[man & 7] = square_of(step);
                self.push(&squares);
            }
        }
        steps
    }
}

/// Squares that men stand on, in ascending order.
#[derive(Clone, Copy, Default, Debug)]
struct Taken {
    squares: [u8; 8],
    len: usize,
}

impl Taken {
    /// The free square with this number.
    #[inline(always)]
    fn free(&self, mut number: u8) -> u8 {
        for &square in &self.squares[..self.len & 7] {
            number += u8::from(number >= square);
        }
        number
    }

    /// The free squares by number.
    #[inline]
    fn all_free(&self) -> [u8; 64] {
        let mut all = [0; 64];
        let mut taken = 0u64;
        for &square in &self.squares[..self.len & 7] {
            taken |= 1 << (square & 63);
        }
        for (slot, square) in all.iter_mut().zip(Bits(!taken)) {
            *slot = square as u8;
        }
        all
    }

    #[inline(always)]
    fn add(&mut self, square: u8) {
        let mut at = self.len & 7;
        self.len += 1;
        while at > 0 && self.squares[at - 1] > square {
            self.squares[at] = self.squares[at - 1];
            at -= 1;
        }
        self.squares[at] = square;
    }
}

impl Group {
    /// Puts the men on the squares that a digit says.
    #[inline(always)]
    fn put(&self, digit: usize, squares: &mut [u8; 8], taken: &mut Taken) {
        let own = &self.squares[digit * self.len..][..self.len];
        let leading = self.first == 0;
        for (i, &number) in own.iter().enumerate() {
            let square = if leading {
                number
            } else {
                taken.free(number + self.skipped)
            };
            squares[(self.first + i) & 7] = square;
        }
        for i in 0..self.len {
            taken.add(squares[(self.first + i) & 7]);
        }
    }
}

/// The sets of `len` numbers in the order of their digits, each in ascending order.
fn combinations(len: usize, count: usize) -> Vec<u8> {
    let mut set: Vec<u8> = (0..len as u8).collect();
    let mut all = Vec::with_capacity(len * count);
    for _ in 0..count {
        all.extend(&set);
        // The least number that can grow does, those below it begin anew.
        let grows = (0..len).find(|&i| i + 1 == len || set[i] + 1 < set[i + 1]);
        if let Some(i) = grows {
            set[i] += 1;
            for (below, number) in set[..i].iter_mut().enumerate() {
                *number = below as u8;
            }
        }
    }
    all
}

/// By digit: the square of one man, and whether the others changed theirs.
fn moves(squares: &[u8], len: usize, moving: usize) -> Vec<(u8, bool)> {
    let others = |digit: usize| {
        let own = &squares[digit * len..][..len];
        let own = own.iter().enumerate();
        own.filter(move |&(n, _)| n != moving)
            .map(|(_, &square)| square)
    };
    (0..squares.len() / len)
        .map(|digit| {
            let starts = digit > 0 && !others(digit).eq(others(digit - 1));
            (squares[digit * len + moving], starts)
        })
        .collect()
}

/// The squares of the leading men by digit, made once for each kind of leading group.
fn leading_squares(numbering: &Numbering, file: usize) -> &'static [u8] {
    static ALL: [OnceLock<Vec<u8>>; 64] = [const { OnceLock::new() }; 64];
    let kind = match numbering.lead() {
        Lead::Three => 0,
        Lead::Kings => 1,
        Lead::Pawns => 4 * usize::from(numbering.groups()[0].len) + file,
    };
    ALL[kind].get_or_init(|| find_leading_squares(numbering, file))
}

/// Of all placements with a digit any one.
fn find_leading_squares(numbering: &Numbering, file: usize) -> Vec<u8> {
    let group = numbering.groups()[0];
    let len = usize::from(group.len);
    let mut all = vec![0; len * group.size as usize];
    let mut found = vec![false; group.size as usize];
    let pawns = numbering.lead() == Lead::Pawns;
    let mut squares = vec![0u8; len];
    for number in 0..64usize.pow(len as u32) {
        for (i, square) in squares.iter_mut().enumerate() {
            *square = (number >> (6 * i) & 63) as u8;
        }
        // Like men in one order are enough.
        let sorted = squares.windows(2).all(|pair| pair[0] < pair[1]);
        let differ = (1..len).all(|i| !squares[..i].contains(&squares[i]));
        if !differ || (pawns && !(sorted && squares.iter().all(|&s| (8..56).contains(&s)))) {
            continue;
        }
        let Some(digit) = numbering.leading_digit(&squares, file) else {
            continue;
        };
        if !found[digit] {
            found[digit] = true;
            let (normal, _) = numbering.normal_leaders(&squares);
            all[digit * len..][..len].copy_from_slice(&normal[..len]);
        }
    }
    debug_assert!(found.iter().all(|&found| found));
    all
}
