//! The restricted table as a slice for the solver: how whole words of positions move.
//!
//! Moving another piece than the lane piece moves whole words, minus the bits on squares that it passes; moving the lane piece
//! stays inside the word. What leaves the restricted table comes in as exits, see `seeds.rs`.

use super::exits::ExitTable;
use super::layout::{Placement, ROW, TableLayout};
use super::rules::Verdict;
use super::seeds::exit_cell;
use duchamp_chess::{Bitboard, Color, Role, Square, attacks};
use duchamp_retro::{Cell, Layer, RowSet, RowWords, Seed, Side, Slice, Wide};

/// White is the first side.
pub(super) fn color(side: Side) -> Color {
    match side {
        Side::First => Color::White,
        Side::Second => Color::Black,
    }
}

/// A restricted table with the values of its exits.
pub(super) struct Frame<'a> {
    pub(super) layout: &'a TableLayout,
    pub(super) exits: &'a ExitTable,
    /// The bound side.
    pub(super) bound: Color,
}

impl Frame<'_> {
    fn words(&self, row: usize) -> std::ops::Range<usize> {
        row * ROW..(row * ROW + ROW).min(self.layout.words)
    }

    /// Positions that are lost without a move: checks; and for the bound side stalemates that a capture en passant,
    /// which the restricted table does not know, would have to break.
    fn lost_if_stuck(&self, mover: Color, place: &Placement) -> u64 {
        let passed = self.layout.structures.all[place.structure].passed;
        if passed && mover == self.bound {
            return !0;
        }
        self.layout.hits(!mover, place)
    }

    /// Writes the exits of a word.
    fn exits(&self, mover: Color, word: usize, legal: u64, cells: &mut [Wide; 64]) {
        let half = &self.exits.halves[mover.index()];
        let (low, high) = (half.low[word], half.high[word]);
        for (set, verdict) in [
            (low & !high, Verdict::lost_for(mover)),
            (high & !low, Verdict::Draw),
            (low & high, Verdict::won_for(mover)),
        ] {
            Wide::write(cells, set & legal, exit_cell(verdict, mover));
        }
    }
}

impl TableLayout {
    /// The positions of a word from which a move of `mover` inside the restricted table leads into a set, given word by word. Stops
    /// looking once `wanted` is found. What comes out may hold void positions.
    fn moving(
        &self,
        mover: Color,
        (word, place): (usize, &Placement),
        wanted: u64,
        get: impl Fn(usize) -> u64,
    ) -> u64 {
        let mut found = 0;
        let bit = self.bit_man();
        if bit.color == mover {
            for to in Bitboard(get(word)) {
                found |= attacks::of(bit.role, mover, to, place.occupied).0;
            }
        }
        for (digit, &from) in self.digits.iter().zip(&place.at) {
            if digit.piece.color != mover {
                continue;
            }
            if found & wanted == wanted {
                return found;
            }
            let reach = attacks::of(digit.piece.role, mover, from, place.occupied);
            for to in (reach & digit.set()) - place.occupied {
                let there = get(digit.shift(word, from, to));
                found |= there & !attacks::between(from, to).0;
            }
        }
        for push in &self.structures.all[place.structure].forth[mover.index()] {
            if (push.way & place.occupied).is_empty() {
                let to = word % self.structure_stride()
                    + push.structure as usize * self.structure_stride();
                found |= get(to) & !push.way.0;
            }
        }
        found
    }

    /// Rows from which a move of `mover` may lead into the row of a word.
    fn name_sources(&self, mover: Color, word: usize, place: &Placement, rows: &mut RowSet) {
        if self.bit_man().color == mover {
            rows.add(word / ROW);
        }
        for (digit, &to) in self.digits.iter().zip(&place.at) {
            if digit.piece.color == mover {
                let reach = attacks::of(digit.piece.role, mover, to, place.occupied);
                for from in (reach & digit.set()) - place.occupied {
                    rows.add(digit.shift(word, to, from) / ROW);
                }
            }
        }
        for &from in &self.structures.all[place.structure].back[mover.index()] {
            let from = word % self.structure_stride() + from as usize * self.structure_stride();
            rows.add(from / ROW);
        }
    }

    /// The squares of the lane piece for which `attacker` attacks the enemy king.
    pub(super) fn hits(&self, attacker: Color, place: &Placement) -> u64 {
        let bit = self.bit_man();
        if bit.color != attacker && bit.role == Role::King {
            return self.attacked(attacker, place).0;
        }
        let Some(king) = self.king(!attacker, place) else {
            return 0;
        };
        let mut hits = Bitboard::EMPTY;
        if bit.color == attacker {
            hits |= attacks::of(bit.role, attacker, king, place.occupied);
        }
        let pawns = self.structures.all[place.structure].colors[attacker.index()];
        if (attacks::pawn(!attacker, king) & pawns).any() {
            return !0;
        }
        for (digit, &from) in self.digits.iter().zip(&place.at) {
            if digit.piece.color == attacker
                && attacks::of(digit.piece.role, attacker, from, place.occupied).has(king)
            {
                hits |= !attacks::between(from, king);
            }
        }
        hits.0
    }

    /// The squares that the pieces of a word other than the lane piece attack.
    fn attacked(&self, attacker: Color, place: &Placement) -> Bitboard {
        let pawns = self.structures.all[place.structure].colors[attacker.index()];
        let mut squares = attacks::pawns(attacker, pawns);
        for (digit, &from) in self.digits.iter().zip(&place.at) {
            if digit.piece.color == attacker {
                squares |= attacks::of(digit.piece.role, attacker, from, place.occupied);
            }
        }
        squares
    }

    /// The king of a colour, if it is not the lane piece.
    pub(super) fn king(&self, color: Color, place: &Placement) -> Option<Square> {
        let mut digits = self.digits.iter().zip(place.at);
        let king = |digit: &super::layout::Digit| {
            digit.piece.role == Role::King && digit.piece.color == color
        };
        digits.find_map(|(digit, at)| king(digit).then_some(at))
    }

    /// The squares of the lane piece on which positions of a word with `mover` to move are legal.
    pub(super) fn legal(&self, mover: Color, place: &Placement) -> u64 {
        (self.bit_squares - place.occupied).0 & !self.hits(mover, place)
    }
}

impl Slice for Frame<'_> {
    type Cell = Wide;

    fn rows(&self) -> usize {
        self.layout.rows()
    }

    fn row_words(&self) -> usize {
        ROW
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, Wide>) {
        let mover = color(side);
        for (word, place) in self.layout.places(self.words(row)) {
            let i = word % ROW;
            let legal = self.layout.legal(mover, &place);
            seed.legal[i] = legal;
            seed.lost_if_stuck[i] = legal & self.lost_if_stuck(mover, &place);
            self.exits(mover, word, legal, &mut seed.exits[i]);
        }
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        for (word, place) in self.layout.places(self.words(row)) {
            self.layout.name_sources(color(mover), word, &place, rows);
        }
    }

    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        let get = |word: usize| {
            if to.has_row(word / ROW) {
                to.word(word / ROW, word % ROW)
            } else {
                0
            }
        };
        for (word, place) in self.layout.places(self.words(row)) {
            let found = self.layout.moving(color(mover), (word, &place), !0, get);
            if found != 0 {
                into.add(word % ROW, found);
            }
        }
    }

    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        let (words, _) = candidates.parts();
        for (word, place) in self.layout.places(self.words(row)) {
            let candidates = &mut words[word % ROW];
            if *candidates != 0 {
                let get = |word: usize| open[word];
                *candidates &= !self
                    .layout
                    .moving(color(mover), (word, &place), *candidates, get);
            }
        }
    }
}
