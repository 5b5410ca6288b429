//! Whole tables in memory, read from their files: one code a cell, losses worked out.
//!
//! Uses the rules of chess and the numbering of cells, nothing of the solver: verification and
//! statistics stand on this.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::format::FormatError;
use super::layout::{Index, Layout};
use super::material::Material;
use super::store::Table;
use super::tables::counts_key;
use crate::base::{Cancelled, Control};
use crate::chess::{Board, Color, Faults, MoveKind, Position, Setup};
use crate::retro::Code;

/// Words that a thread takes at a time.
const CHUNK: usize = 256;

/// One table.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) layout: Arc<Layout>,
    /// [`Position::material_counts`] of its positions, colours as in the material.
    key: u64,
    /// Per stored side a [`Code`] a cell. What is void has any code.
    codes: Vec<Vec<u8>>,
}

impl Dense {
    /// Reads a table; losses are [`Code::LOWEST`] until [`Dense::fill_losses`].
    pub(super) fn read(table: &Table) -> Result<Dense, FormatError> {
        let mut codes = Vec::new();
        for side in 0..table.layout.sides().len() {
            let words = table.words(side)?;
            let mut cells = table.wins(side)?;
            for (word, cells) in words.iter().zip(cells.chunks_exact_mut(64)) {
                for (bit, cell) in cells.iter_mut().enumerate() {
                    *cell = if word.won >> bit & 1 != 0 {
                        Code::win((*cell).min(Code::MAX_WIN)).0
                    } else if word.lost >> bit & 1 != 0 {
                        Code::LOWEST.0
                    } else {
                        Code::DRAW.0
                    };
                }
            }
            codes.push(cells);
        }
        Ok(Dense {
            layout: Arc::clone(&table.layout),
            key: counts_key(table.layout.material()),
            codes,
        })
    }

    /// The code of a cell.
    pub(super) fn get(&self, index: Index) -> Code {
        let side = index.side.index().min(self.codes.len() - 1);
        Code(self.codes[side][index.cell as usize])
    }

    /// Works out the length of every loss from the wins that its moves lead to. `wrong` is told of lost
    /// cells with a move that does not lead to a win of the other side.
    pub(super) fn fill_losses(
        &mut self,
        all: &DenseSet,
        control: &Control,
        wrong: &(dyn Fn(&Position) + Sync),
    ) -> Result<(), Cancelled> {
        for side in 0..self.codes.len() {
            let color = self.layout.sides()[side];
            let layout = Arc::clone(&self.layout);
            let mut codes = std::mem::take(&mut self.codes[side]);
            // Whoever is to move after a loser's move wins: read from this table's other side, or, in a table
            // with one side, from the cells that are no losses and so not written here.
            let before = if self.codes.len() == 1 {
                Some(codes.clone())
            } else {
                None
            };
            let reader = Reader {
                me: self,
                mine: before.as_deref(),
                all,
            };
            let done =
                codes
                    .par_chunks_mut(CHUNK * 64)
                    .enumerate()
                    .try_for_each(|(chunk, cells)| {
                        control.check()?;
                        for (n, cell) in cells.iter_mut().enumerate() {
                            let index = Index {
                                side: color,
                                cell: (chunk * CHUNK * 64 + n) as u64,
                            };
                            if !Code(*cell).is_loss() {
                                continue;
                            }
                            let Some(position) = legal_position(&layout, index) else {
                                continue;
                            };
                            match reader.longest_loss(&position) {
                                Some(code) => *cell = code.0,
                                None => wrong(&position),
                            }
                        }
                        Ok(())
                    });
            self.codes[side] = codes;
            done?;
        }
        Ok(())
    }
}

/// The position of a cell; `None` if it is void or a twin of another.
pub(super) fn legal_position(layout: &Layout, index: Index) -> Option<Position> {
    let (board, turn) = layout.place(index)?;
    let position = position_of(board, turn)?;
    (layout.locate_as(position.board(), turn, false)? == index).then_some(position)
}

/// A position without rights; `None` if it is illegal.
pub(super) fn position_of(board: Board, turn: Color) -> Option<Position> {
    let setup = Setup {
        board,
        turn,
        ..Setup::EMPTY
    };
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).ok()
}

/// Tables in memory by material.
pub(super) type DenseSet = BTreeMap<Material, Dense>;

/// Looks positions up in a table that is being worked on and in finished ones.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) me: &'a Dense,
    /// The only side of a symmetric table while it is taken out of `me`.
    pub(super) mine: Option<&'a [u8]>,
    pub(super) all: &'a DenseSet,
}

impl Reader<'_> {
    /// The value of a position, en passant included.
    ///
    /// # Panics
    /// If a table that a move leads to is not in the set: callers have put all of them there.
    pub(super) fn value(&self, position: &Position) -> Code {
        if position.ep_square().is_none() {
            return self.stored(position);
        }
        // The stored value holds for all moves but en passant; if there are no others it means nothing.
        let mut best = None;
        let mut others = false;
        for mv in position.legal_moves() {
            if mv.kind() == MoveKind::EnPassant {
                best = best.max(Some(self.value(&position.play(mv)).before_move()));
            } else {
                others = true;
            }
        }
        if others {
            best = best.max(Some(self.stored(position)));
        }
        best.unwrap_or(Code::DRAW)
    }

    fn stored(&self, position: &Position) -> Code {
        let own = position.material_counts() == self.me.key;
        let (table, swapped) = if own {
            (self.me, false)
        } else {
            let (material, swapped) = Material::of(position.board());
            if material == Material::BARE {
                return Code::DRAW;
            }
            (&self.all[&material], swapped)
        };
        let index = table
            .layout
            .locate_as(position.board(), position.turn(), swapped);
        let index = index.expect("a legal position of this material has a cell");
        match self.mine {
            Some(codes) if own => Code(codes[index.cell as usize]),
            _ => table.get(index),
        }
    }

    /// The value that the moves of a position give it: mate and stalemate included.
    pub(super) fn by_moves(&self, position: &Position) -> Code {
        let best = position
            .legal_moves()
            .iter()
            .map(|&mv| self.value(&position.play(mv)).before_move())
            .max();
        best.unwrap_or(if position.in_check() {
            Code::LOWEST
        } else {
            Code::DRAW
        })
    }

    /// The value of a position that is lost; `None` if its moves say otherwise.
    fn longest_loss(&self, position: &Position) -> Option<Code> {
        let mut best = None;
        for mv in position.legal_moves() {
            let code = self.value(&position.play(mv));
            if !code.is_win() {
                return None;
            }
            best = best.max(Some(code.before_move()));
        }
        best.or_else(|| position.in_check().then_some(Code::LOWEST))
    }
}
