//! Percentages of won positions counted over a whole index, as the early papers count them.
//!
//! A table's index has cells for symmetric duplicates and for placements with two pieces on one square. The usual
//! counts omit both; percentages printed in the 1980s may not.

use rayon::prelude::*;

use super::layout::Layout;
use super::material::Material;
use super::sides::side as side_of;
use crate::aliases::{ProbeError, Store};
use duchamp_chess::{Color, Piece, Role};
use duchamp_tablebase::CellId;
use duchamp_tablebase::FormatError;

/// Words that a thread takes at a time.
const CHUNK: usize = 1024;

/// Counts of the cells of an index with one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Census {
    /// Legal positions that are won for the side to move, symmetric duplicates counted each.
    pub won: u64,
    /// Legal positions, symmetric duplicates counted each.
    pub legal: u64,
    /// Placements with two or more pieces on one square, but none on a king's, that would be legal otherwise.
    pub coinciding: u64,
}

impl Census {
    /// Wins among the legal positions, in percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        100.0 * self.won as f64 / self.legal.max(1) as f64
    }

    /// The same wins among legal and coinciding placements, in percent.
    #[must_use]
    pub fn percent_with_coinciding(&self) -> f64 {
        100.0 * self.won as f64 / (self.legal + self.coinciding).max(1) as f64
    }

    pub(super) fn add(self, other: Census) -> Census {
        Census {
            won: self.won + other.won,
            legal: self.legal + other.legal,
            coinciding: self.coinciding + other.coinciding,
        }
    }
}

/// Which placements a census counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regard {
    /// All.
    All,
    /// Those in which the two bishops of a side stand on squares of different colours.
    OppositeBishops,
}

/// The census of some words; `won` returns the won cells of a word, duplicates included.
pub(super) fn of_words(
    layout: &Layout,
    side: Color,
    words: std::ops::Range<usize>,
    regard: Regard,
    won: impl Fn(usize) -> u64 + Sync,
) -> Census {
    let chunks = words.len().div_ceil(CHUNK);
    (0..chunks)
        .into_par_iter()
        .map(|chunk| {
            let first = words.start + chunk * CHUNK;
            let each = |word: usize| {
                let regarded = match regard {
                    Regard::All => !0,
                    Regard::OppositeBishops => layout.opposite_bishops(word),
                };
                let count = |set: u64| u64::from((set & regarded).count_ones());
                let legal = layout.legal(side, word);
                Census {
                    won: count(won(word) & legal),
                    legal: count(legal),
                    coinciding: count(layout.coinciding(side, word)),
                }
            };
            (first..words.end.min(first + CHUNK))
                .map(each)
                .fold(Census::default(), Census::add)
        })
        .reduce(Census::default, Census::add)
}

/// The census of a table with `side` to move, from its `.wdl` file, on the threads of the current rayon pool.
///
/// # Errors
/// When the table is missing or damaged.
pub fn census(
    store: &Store,
    material: Material,
    side: Color,
    regard: Regard,
) -> Result<Census, ProbeError> {
    let table = store.table(material).ok_or(ProbeError::Missing(material))?;
    let damaged = |source: FormatError| ProbeError::Damaged {
        key: material,
        source,
    };
    let stored = side.index().min(table.index.sides().len() - 1);
    let words = table.words(stored).map_err(damaged)?;
    let layout = &table.index;
    let color = layout.sides()[stored];
    Ok(of_words(layout, color, 0..layout.words(), regard, |word| {
        let kept = layout.canonical(word);
        let mut won = words[word].won & kept;
        let mut duplicates = layout.legal(color, word) & !kept;
        while duplicates != 0 {
            let cell = word as u64 * 64 + u64::from(duplicates.trailing_zeros());
            let bit = duplicates & duplicates.wrapping_neg();
            duplicates &= duplicates - 1;
            let at = CellId {
                side: side_of(color),
                cell,
            };
            let duplicate = layout
                .place(at)
                .and_then(|(board, turn)| layout.locate_as(&board, turn, false));
            if let Some(duplicate) = duplicate
                && words[(duplicate.cell >> 6) as usize].won >> (duplicate.cell & 63) & 1 != 0
            {
                won |= bit;
            }
        }
        won
    }))
}

/// The dark squares, a1 among them.
const DARK: u64 = 0xAA55_AA55_AA55_AA55;

impl Layout {
    /// The cells of a word in which no side has two bishops on squares of one colour.
    fn opposite_bishops(&self, word: usize) -> u64 {
        let fixed = self.fixed(word);
        let shades = |piece: Piece| {
            let squares = fixed.pieces.iter().filter(move |man| man.0 == piece);
            squares.map(|man| DARK >> man.1.index() & 1 != 0)
        };
        let lane_piece = self.lane_piece();
        let mut cells = !0;
        for color in Color::ALL {
            let bishop = Piece {
                color,
                role: Role::Bishop,
            };
            let dark = shades(bishop).filter(|&dark| dark).count();
            let light = shades(bishop).count() - dark;
            if dark > 1 || light > 1 {
                return 0;
            }
            if lane_piece == bishop {
                cells &= if dark > 0 { !DARK } else { !0 };
                cells &= if light > 0 { DARK } else { !0 };
            }
        }
        cells
    }

    /// The cells of a word in which two pieces share a square and that would else be legal with
    /// `side` to move; pieces never stand on a king's square.
    pub(super) fn coinciding(&self, side: Color, word: usize) -> u64 {
        let fixed = self.fixed(word);
        let kings = self.first_pawn();
        let royal = fixed.pieces[..kings]
            .iter()
            .fold(0u64, |set, man| set | 1 << man.1.index());
        if fixed.pieces[kings..]
            .iter()
            .any(|man| royal >> man.1.index() & 1 != 0)
        {
            return 0;
        }
        let safe = !self.attacked(&fixed, !side).0 & !royal;
        if fixed.clash {
            safe
        } else {
            safe & fixed.occupied.0
        }
    }
}
