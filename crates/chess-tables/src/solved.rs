//! A finished table in memory, and where the solver finds those it depends on.

use super::layout::{Index, Layout};
use super::material::Material;
use duchamp_base::{Buffer, Cancelled};
use duchamp_chess::Color;
use duchamp_retro::Code;
use std::sync::{Arc, OnceLock};

/// One side to move of a finished table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolvedSide {
    /// A bit for every cell that is no legal position with this side to move. Symmetric twins of a
    /// legal position are not void.
    pub void: Buffer<u64>,
    /// A [`Code`] for every cell, 64 a word; meaningless where void. Twins hold the same value.
    pub codes: Buffer<u8>,
}

impl SolvedSide {
    /// The 64 values of a word.
    #[must_use]
    #[inline]
    pub fn word(&self, word: usize) -> &[u8; 64] {
        let (words, _) = self.codes.as_chunks::<64>();
        &words[word]
    }

    /// The cells of a word that are won for the side to move.
    #[must_use]
    pub fn won(&self, word: usize) -> u64 {
        mask(self.word(word), |code| code > Code::DRAW.0) & !self.void[word]
    }

    /// The cells of a word that are lost for the side to move.
    #[must_use]
    pub fn lost(&self, word: usize) -> u64 {
        mask(self.word(word), |code| code < Code::DRAW.0) & !self.void[word]
    }
}

/// A bit for each byte that passes.
#[inline]
pub(crate) fn mask(bytes: &[u8; 64], pass: impl Fn(u8) -> bool) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |set, &byte| set << 1 | u64::from(pass(byte)))
}

/// A finished table: every position's value with its distance to mate in plies.
#[derive(Clone, Debug)]
pub struct Solved {
    layout: Arc<Layout>,
    sides: Vec<SolvedSide>,
    /// Once known: per side the cells that the 50-move rule spoils or saves, `None` if there are none.
    cursed: OnceLock<[Option<Buffer<u64>>; 2]>,
}

impl Solved {
    /// A table of sides that are complete, twins included: what the solver makes.
    pub(crate) fn new(layout: Arc<Layout>, sides: Vec<SolvedSide>) -> Solved {
        debug_assert_eq!(sides.len(), layout.sides().len());
        Solved {
            layout,
            sides,
            cursed: OnceLock::new(),
        }
    }

    /// A table of the values of its legal canonical cells, 64 a word, for each of
    /// [`Layout::sides`]; what the other cells hold does not matter: void cells are marked, twins
    /// get the value of the cell that [`Layout::canonical`] keeps.
    ///
    /// # Panics
    /// If the number or length of the arrays is not the layout's.
    #[must_use]
    pub fn from_codes(layout: Arc<Layout>, codes: Vec<Vec<u8>>) -> Solved {
        assert_eq!(
            codes.len(),
            layout.sides().len(),
            "one array for each side to move"
        );
        let sides = codes.into_iter().zip(layout.sides());
        let sides = sides.map(|(mut codes, &side)| {
            assert_eq!(codes.len() as u64, layout.cells(), "64 values a word");
            layout.fill_twins(&mut codes);
            SolvedSide {
                void: (0..layout.words())
                    .map(|word| !layout.legal(side, word))
                    .collect::<Vec<_>>()
                    .into(),
                codes: codes.into(),
            }
        });
        Solved {
            sides: sides.collect(),
            layout,
            cursed: OnceLock::new(),
        }
    }

    /// How the cells are numbered.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.layout.material()
    }

    /// The values with `side` to move, in the colours of the material. A symmetric material holds
    /// White's only, and answers with it for both.
    #[must_use]
    #[inline]
    pub fn side(&self, side: Color) -> &SolvedSide {
        &self.sides[side.index().min(self.sides.len() - 1)]
    }

    /// A bit for every cell whose win is cursed, or whose loss is blessed, by the 50-move rule (its
    /// distance to zeroing is above 100 plies); `None` if there are none or it is not known.
    #[must_use]
    pub fn cursed(&self, side: Color) -> Option<&[u64]> {
        self.cursed.get()?[side.index().min(self.sides.len() - 1)].as_deref()
    }

    /// Whether the cells that the 50-move rule spoils are known.
    #[must_use]
    pub fn knows_cursed(&self) -> bool {
        self.cursed.get().is_some()
    }

    /// Makes them known; what is known already stays.
    pub(super) fn set_cursed(&self, cursed: [Option<Buffer<u64>>; 2]) {
        let _ = self.cursed.set(cursed);
    }

    /// The value of a cell; `None` where it is no legal position.
    #[must_use]
    #[inline]
    pub fn get(&self, index: Index) -> Option<Code> {
        let side = self.side(index.side);
        let (word, bit) = ((index.cell >> 6) as usize, index.cell & 63);
        let void = side.void.get(word)? >> bit & 1 != 0;
        (!void).then(|| Code(side.codes[index.cell as usize]))
    }
}

/// Why a table could not be solved.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A smaller table that this one depends on could not be had.
    #[error("{material} needs the table {child}: {reason}")]
    Missing {
        /// The table to be solved.
        material: Material,
        /// The table that it needs.
        child: Material,
        /// What went wrong.
        reason: String,
    },
    /// The scratch folder has no room for a table, or cannot be written to.
    #[error("no room in the scratch folder for {material}: {source}")]
    Scratch {
        /// The table.
        material: Material,
        /// What the system says.
        source: std::io::Error,
    },
    /// A distance is longer than a byte can say.
    #[error("{0} has longer wins than a byte can say")]
    TooLong(Material),
    /// Two metrics do not agree on who wins, which no right solver does.
    #[error("{0}: distances in two metrics contradict each other")]
    Contradiction(Material),
}

/// Where the solver finds the tables that a material depends on.
pub trait SubTables: Sync {
    /// The finished table of a canonical material, one of [`Material::children`].
    ///
    /// # Errors
    /// A text for the user if it cannot be had.
    fn get(&self, material: Material) -> Result<Arc<Solved>, String>;
}
