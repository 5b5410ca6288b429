//! Whole tables in memory, read from their files: one value of a metric a cell, with the losses and the
//! wins at once that files leave out.
//!
//! Uses the rules of chess and the numbering of cells, nothing of the solver: verification and
//! statistics stand on this.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use rayon::prelude::*;

use super::format::{FormatError, Metric};
use super::format_distance::block_words;
use super::layout::{Index, Layout};
use super::material::Material;
use super::probe::{before_move, ends_at_once};
use super::store::Table;
use super::tables::counts_key;
use duchamp_base::{Cancelled, Control, Plies, Value};
use duchamp_chess::{Board, Color, Faults, MoveKind, Position, Setup};
use duchamp_retro::Wide;

/// Words that a thread takes at a time.
const CHUNK: usize = 256;

/// One table.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) layout: Arc<Layout>,
    pub(super) metric: Metric,
    /// [`Position::material_counts`] of its positions, colours as in the material.
    key: u64,
    /// Per stored side a [`Wide`] a cell. What is void has any value.
    cells: Vec<Vec<u16>>,
    /// Per stored side and block of the file, whether wins at once are left out.
    left_out: Vec<Vec<bool>>,
}

/// Lost in an unknown number of plies: the value of a lost cell until [`Dense::fill_in`].
const LOST: Wide = Wide::loss(Wide::LONGEST);

impl Dense {
    /// Reads a table, which has a file of the metric; lengths of losses and of wins at once are not known
    /// until [`Dense::fill_in`].
    pub(super) fn read(table: &Table, metric: Metric) -> Result<Dense, FormatError> {
        let file = table
            .distances(metric)
            .ok_or(FormatError::Header("metric"))?;
        let (mut sides, mut left_out) = (Vec::new(), Vec::new());
        for side in 0..table.layout.sides().len() {
            let words = table.words(side)?;
            let mut cells = table.wins(file, side)?;
            for (word, cells) in words.iter().zip(cells.chunks_exact_mut(64)) {
                for (bit, cell) in cells.iter_mut().enumerate() {
                    *cell = if word.won >> bit & 1 != 0 {
                        Wide::win((*cell).min(Wide::LONGEST)).0
                    } else if word.lost >> bit & 1 != 0 {
                        LOST.0
                    } else {
                        Wide::DRAW.0
                    };
                }
            }
            sides.push(cells);
            let blocks = file.container().side_blocks();
            let blocks = (side * blocks..(side + 1) * blocks).map(|n| file.leaves_out(n));
            left_out.push(blocks.collect::<Result<_, _>>()?);
        }
        Ok(Dense {
            layout: Arc::clone(&table.layout),
            metric,
            key: counts_key(table.layout.material()),
            cells: sides,
            left_out,
        })
    }

    /// The value of a cell.
    pub(super) fn get(&self, index: Index) -> Value {
        let side = index.side.index().min(self.cells.len() - 1);
        Wide(self.cells[side][index.cell as usize]).value()
    }

    /// Works out what the file leaves out, from the values that moves lead to: wins at once, and the
    /// length of every loss. `wrong` is told of lost cells with a move that does not lose.
    pub(super) fn fill_in(
        &mut self,
        all: &DenseSet,
        control: &Control,
        wrong: &(dyn Fn(&Position) + Sync),
    ) -> Result<(), Cancelled> {
        let block = block_words(self.metric) as usize * 64;
        if self.left_out.iter().flatten().any(|&left_out| left_out) {
            // Of what a move leads to only the result is asked, so the order does not matter.
            self.revise(all, control, &|reader, side, index, value| {
                let left_out = &reader.me.left_out[side];
                if !matches!(value, Value::Win(_)) || !left_out[index.cell as usize / block] {
                    return None;
                }
                let position = legal_position(&reader.me.layout, index)?;
                let at_once = ends_at_once(reader.me.metric, &position, |after| {
                    Ok::<_, Infallible>(matches!(reader.value(after), Value::Loss(_)))
                });
                matches!(at_once, Ok(true)).then_some(Wide::win(1))
            })?;
        }
        // Whoever is to move after a loser's move wins, so no loss is read here.
        self.revise(all, control, &|reader, _, index, value| {
            if value != LOST.value() {
                return None;
            }
            let position = legal_position(&reader.me.layout, index)?;
            match reader.by_moves(&position) {
                Value::Loss(Plies(plies)) => Some(Wide::loss(plies.min(Wide::LONGEST))),
                _ => {
                    wrong(&position);
                    None
                }
            }
        })
    }

    /// Gives cells new values: `new` is asked for each, given its stored side and value, and may read
    /// the other side's values, and of its own side what is not changed.
    fn revise(
        &mut self,
        all: &DenseSet,
        control: &Control,
        new: &(dyn Fn(&Reader<'_>, usize, Index, Value) -> Option<Wide> + Sync),
    ) -> Result<(), Cancelled> {
        for side in 0..self.cells.len() {
            let color = self.layout.sides()[side];
            let mut cells = std::mem::take(&mut self.cells[side]);
            // A table with one side is read while it is written to.
            let before = if self.cells.len() == 1 {
                Some(cells.clone())
            } else {
                None
            };
            let reader = Reader {
                me: self,
                mine: before.as_deref(),
                all,
            };
            let chunks = cells.par_chunks_mut(CHUNK * 64).enumerate();
            let done = chunks.try_for_each(|(chunk, cells)| {
                control.check()?;
                for (n, cell) in cells.iter_mut().enumerate() {
                    let index = Index {
                        side: color,
                        cell: (chunk * CHUNK * 64 + n) as u64,
                    };
                    if let Some(value) = new(&reader, side, index, Wide(*cell).value()) {
                        *cell = value.0;
                    }
                }
                Ok(())
            });
            self.cells[side] = cells;
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
    pub(super) mine: Option<&'a [u16]>,
    pub(super) all: &'a DenseSet,
}

impl Reader<'_> {
    /// The value of a position, en passant included.
    ///
    /// # Panics
    /// If a table that a move leads to is not in the set: callers have put all of them there.
    pub(super) fn value(&self, position: &Position) -> Value {
        if position.ep_square().is_none() {
            return self.stored(position);
        }
        // The stored value holds for all moves but en passant; if there are no others it means nothing.
        let mut best = None;
        let mut others = false;
        for mv in position.legal_moves() {
            if mv.kind() == MoveKind::EnPassant {
                let after = self.value(&position.play(mv));
                best = better(best, before_move(self.me.metric, position, mv, after));
            } else {
                others = true;
            }
        }
        if others {
            best = better(best, self.stored(position));
        }
        best.unwrap_or(Value::Draw)
    }

    fn stored(&self, position: &Position) -> Value {
        let own = position.material_counts() == self.me.key;
        let (table, swapped) = if own {
            (self.me, false)
        } else {
            let (material, swapped) = Material::of(position.board());
            if material == Material::BARE {
                return Value::Draw;
            }
            (&self.all[&material], swapped)
        };
        let index = table
            .layout
            .locate_as(position.board(), position.turn(), swapped);
        let index = index.expect("a legal position of this material has a cell");
        match self.mine {
            Some(cells) if own => Wide(cells[index.cell as usize]).value(),
            _ => table.get(index),
        }
    }

    /// The value that the moves of a position give it: mate and stalemate included.
    pub(super) fn by_moves(&self, position: &Position) -> Value {
        let mut best = None;
        for mv in position.legal_moves() {
            let after = self.value(&position.play(mv));
            best = better(best, before_move(self.me.metric, position, mv, after));
        }
        best.unwrap_or(if position.in_check() {
            Value::Loss(Plies(0))
        } else {
            Value::Draw
        })
    }
}

/// The better of two values for the side to move.
pub(super) fn better(best: Option<Value>, value: Value) -> Option<Value> {
    Some(match best {
        Some(best) if best.rank() >= value.rank() => best,
        _ => value,
    })
}
