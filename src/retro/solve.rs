//! The level loop: all values of one slice, by sets.
//!
//! After K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986, and R. Wu and
//! D. F. Beal, "A Memory Efficient Retrograde Algorithm and Its Application to Chinese Chess
//! Endgames". One player's wins are found at a time; call him the winner. For n = 1, 2, 3, ... plies
//!
//! - **losses in n**: *candidates* are the open positions of the loser that can move into a win in
//!   n - 1 just found, or whose last way out of the slice became a loss now. A candidate is lost if all
//!   its moves lead to wins already found. "All moves lead into W" is the complement of "some move leads
//!   outside W", so this proof is an un-move too: of the set of everything not yet won.
//! - **wins in n**: the open positions of the winner from which he can move into a loss in n - 1 just
//!   found, or leave the slice with that value: one un-move of the newest losses;
//!
//! Where only mates end the game the wins are odd and the losses even, and every second pass finds
//! nothing to do; where a capture of the loser ends the count both parities occur.
//!
//! Exits carry values and come due at their level; a candidate whose worst exit is not yet due is
//! tried again when it is. What is left when nothing is due any more is drawn.
//!
//! A side's wins do not depend on the other side's, so the two searches are made one after the other
//! and share nothing but the array of values.

use super::cell::Cell;
use super::pass::{Chunk, Losses, Mates, SHARED_FROM, Wins, each_chunk, reaches};
use super::sets::{Layer, RowSet, mark_words};
use super::slice::{Seed, Side, Slice};
use crate::base::{Cancelled, Control};
use rayon::prelude::*;

/// Where the values of one side to move go.
#[derive(Debug)]
pub struct Half<'a, C> {
    /// 64 values a word. Void positions get a draw.
    pub cells: &'a mut [[C; 64]],
    /// The legal positions.
    pub legal: &'a mut [u64],
}

/// Why a slice was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A distance does not fit into a [`Cell`].
    #[error("a distance is longer than the table can say")]
    TooLong,
}

/// Finds the value of every position of a slice.
///
/// Runs on the current rayon pool; the result does not depend on its size.
///
/// # Errors
/// When cancelled, or when a distance is too long for the [`Cell`].
///
/// # Panics
/// If the halves have not the slice's length.
pub fn solve<S: Slice>(
    slice: &S,
    halves: [Half<'_, S::Cell>; 2],
    control: &Control,
) -> Result<(), Halt> {
    let shape = Shape::of(slice);
    let mut players = halves.map(|half| Player::new(half, shape));
    for side in Side::ALL {
        players[side.index()].seed(slice, side);
    }
    let mut spare = Layer::new(shape.rows, shape.row_words, shape.shift);
    for winner in Side::ALL {
        chase(slice, winner, &mut players, &mut spare, control)?;
    }
    for player in &mut players {
        for (cells, done) in player.cells.iter_mut().zip(&player.done) {
            S::Cell::write(cells, !done, S::Cell::DRAW);
        }
    }
    Ok(())
}

/// Sizes of a slice, and of the chunks in which passes are shared out.
#[derive(Clone, Copy, Debug)]
struct Shape {
    rows: usize,
    row_words: usize,
    /// Rows of a chunk: `1 << shift`, at most 64.
    shift: u32,
}

impl Shape {
    fn of<S: Slice>(slice: &S) -> Shape {
        let row_words = slice.row_words();
        // About 512 words a chunk.
        let shift = 9u32.saturating_sub(row_words.trailing_zeros()).min(6);
        Shape {
            rows: slice.rows(),
            row_words,
            shift,
        }
    }

    fn words(self) -> usize {
        self.rows * self.row_words
    }

    fn chunk_rows(self) -> usize {
        1 << self.shift
    }
}

/// The positions with one side to move.
struct Player<'a, C> {
    shape: Shape,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    /// Positions without exits that are lost if no move is left.
    mated_if_stuck: Vec<u64>,
    /// Legal positions none of whose exits holds the draw.
    can_lose: Vec<u64>,
    /// Solved positions.
    done: Vec<u64>,
    /// In the search at hand: legal and not yet won, or not yet lost, as the player's part is.
    open: Vec<u64>,
    /// What the last pass found.
    newest: Layer,
    /// By [`Cell::slot`], the rows of each chunk that hold an exit of that value; empty if none does.
    due: Vec<Vec<u64>>,
    /// By row, the best exit that loses.
    latest_loss: Vec<C>,
}

impl<'a, C: Cell> Player<'a, C> {
    fn new(half: Half<'a, C>, shape: Shape) -> Player<'a, C> {
        let words = shape.words();
        assert!(
            half.cells.len() == words && half.legal.len() == words,
            "halves must have the slice's length"
        );
        Player {
            shape,
            cells: half.cells,
            legal: half.legal,
            mated_if_stuck: vec![0; words],
            can_lose: vec![0; words],
            done: vec![0; words],
            open: vec![0; words],
            newest: Layer::new(shape.rows, shape.row_words, shape.shift),
            due: vec![Vec::new(); C::SLOTS],
            latest_loss: vec![C::NONE; shape.rows],
        }
    }

    /// Asks the slice for its positions and exits.
    fn seed<S: Slice<Cell = C>>(&mut self, slice: &S, side: Side) {
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let arrays = self
            .cells
            .chunks_mut(rows * words)
            .zip(self.legal.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.mated_if_stuck.chunks_mut(rows * words))
            .zip(self.can_lose.chunks_mut(rows * words));
        let arrays = arrays.zip(self.latest_loss.chunks_mut(rows)).enumerate();
        let chunks = arrays.map(
            |(i, ((((cells, legal), mated_if_stuck), can_lose), latest_loss))| SeedChunk {
                first_row: i * rows,
                cells,
                legal,
                mated_if_stuck,
                can_lose,
                latest_loss,
            },
        );
        let seeded = |due: &mut Vec<u64>, mut chunk: SeedChunk<'_, C>| {
            due.resize(C::SLOTS, 0);
            (0..chunk.latest_loss.len()).for_each(|row| chunk.seed(slice, side, row, words, due));
            let slots = due.iter_mut().enumerate();
            slots
                .filter(|(_, rows)| **rows != 0)
                .map(|(slot, rows)| (slot, std::mem::take(rows)))
                .collect::<Vec<_>>()
        };
        let found: Vec<_> = if self.shape.words() >= SHARED_FROM {
            let chunks = chunks.collect::<Vec<_>>().into_par_iter();
            chunks.map_init(Vec::new, seeded).collect()
        } else {
            let mut due = Vec::new();
            chunks.map(|chunk| seeded(&mut due, chunk)).collect()
        };
        let count = found.len();
        for (chunk, slots) in found.into_iter().enumerate() {
            for (slot, rows) in slots {
                let due = &mut self.due[slot];
                due.resize(count, 0);
                due[chunk] = rows;
            }
        }
    }

    /// Whether some exit has this value.
    fn has_exits(&self, value: Option<C>) -> bool {
        value.is_some_and(|value| !self.due[value.slot()].is_empty())
    }

    /// The chunks that have something to do, and how many words that are. Empties `newest`.
    fn chunks<'b>(&'b mut self, visit: &'b RowSet, due: Option<C>) -> (Vec<Chunk<'b, C>>, usize) {
        self.newest.clear();
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let marks = rows * mark_words(words);
        let due = due.map_or(&[][..], |value| &self.due[value.slot()]);
        let arrays = self
            .cells
            .chunks_mut(rows * words)
            .zip(self.done.chunks_mut(rows * words))
            .zip(self.open.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.newest.words.chunks_mut(rows * words))
            .zip(self.newest.marks.chunks_mut(marks))
            .zip(&mut self.newest.rows.chunks);
        let mut work = 0;
        let mut chunks = Vec::new();
        for (i, (((((cells, done), open), newest), marks), found)) in arrays.enumerate() {
            let visit = visit.chunks[i];
            let due = due.get(i).copied().unwrap_or(0);
            if visit | due != 0 {
                work += (visit | due).count_ones() as usize * words;
                chunks.push(Chunk {
                    first_row: i * rows,
                    row_words: words,
                    cells,
                    done,
                    open,
                    newest,
                    marks,
                    found,
                    visit,
                    due,
                });
            }
        }
        (chunks, work)
    }
}

/// A chunk of a player's rows at the start.
struct SeedChunk<'a, C> {
    first_row: usize,
    cells: &'a mut [[C; 64]],
    legal: &'a mut [u64],
    mated_if_stuck: &'a mut [u64],
    can_lose: &'a mut [u64],
    latest_loss: &'a mut [C],
}

impl<C: Cell> SeedChunk<'_, C> {
    /// Asks the slice for a row and notes in `due`, by slot, when its exits come due.
    fn seed<S: Slice<Cell = C>>(
        &mut self,
        slice: &S,
        side: Side,
        row: usize,
        words: usize,
        due: &mut [u64],
    ) {
        let range = row * words..(row + 1) * words;
        let exits = &mut self.cells[range.clone()];
        exits.fill([C::NONE; 64]);
        let seed = Seed {
            legal: &mut self.legal[range.clone()],
            lost_if_stuck: &mut self.mated_if_stuck[range.clone()],
            exits,
        };
        slice.seed(side, self.first_row + row, seed);
        for word in range {
            let cells = &self.cells[word];
            let exits = !C::equal(cells, C::NONE);
            self.mated_if_stuck[word] &= self.legal[word] & !exits;
            self.can_lose[word] = self.legal[word];
            if exits == 0 {
                continue;
            }
            self.can_lose[word] &= !C::at_least(cells, C::DRAW);
            let mut rest = exits & !C::equal(cells, C::DRAW);
            while rest != 0 {
                let value = cells[rest.trailing_zeros() as usize];
                rest &= !C::equal(cells, value);
                due[value.slot()] |= 1 << row;
                if value < C::DRAW {
                    self.latest_loss[row] = self.latest_loss[row].max(value);
                }
            }
        }
    }
}

/// Finds all wins of one player and the losses that go with them. `spare` is room for a layer.
fn chase<S: Slice>(
    slice: &S,
    side: Side,
    players: &mut [Player<'_, S::Cell>; 2],
    spare: &mut Layer,
    control: &Control,
) -> Result<(), Halt> {
    let [first, second] = players;
    let (winner, loser) = if side == Side::First {
        (first, second)
    } else {
        (second, first)
    };
    let shape = winner.shape;
    winner.open.copy_from_slice(winner.legal);
    for (open, (can_lose, done)) in loser
        .open
        .iter_mut()
        .zip(loser.can_lose.iter().zip(&loser.done))
    {
        *open = can_lose & !done;
    }
    winner.newest.clear();
    let mut visit = RowSet::new(shape.rows, shape.shift);
    mates(slice, side, winner, loser, &mut visit);
    let mut plies = 1;
    loop {
        control.check()?;
        let (win, loss) = (S::Cell::win(plies), S::Cell::loss(plies));
        // The losses first: they ask for the wins before this ply. The wins ask for the losses before
        // this ply, which wait in `spare`.
        visit.clear();
        for row in winner.newest.rows.iter() {
            slice.sources(side.other(), row, &mut visit);
        }
        std::mem::swap(&mut loser.newest, spare);
        if loss.is_none() && reaches(slice, side.other(), &winner.newest, &visit, &loser.open) {
            return Err(Halt::TooLong);
        }
        let latest = std::mem::take(&mut loser.latest_loss);
        let chunks = loser.chunks(&visit, loss);
        if let Some(code) = loss {
            let pass = Losses {
                slice,
                mover: side.other(),
                wins: &winner.newest,
                not_won: &winner.open,
                latest: &latest,
                code,
            };
            each_chunk(shape.row_words, chunks, &pass);
        }
        loser.latest_loss = latest;
        visit.clear();
        for row in spare.rows.iter() {
            slice.sources(side, row, &mut visit);
        }
        if win.is_none() && reaches(slice, side, spare, &visit, &winner.open) {
            return Err(Halt::TooLong);
        }
        let chunks = winner.chunks(&visit, win);
        if let Some(code) = win {
            let pass = Wins {
                slice,
                mover: side,
                losses: spare,
                code,
            };
            each_chunk(shape.row_words, chunks, &pass);
        }
        plies += 1;
        if loser.newest.rows.is_empty() && winner.newest.rows.is_empty() {
            // Nothing is new: go on where the next exit comes due.
            let due = |&plies: &u16| {
                winner.has_exits(S::Cell::win(plies)) || loser.has_exits(S::Cell::loss(plies))
            };
            match (plies..S::Cell::SLOTS as u16).find(due) {
                Some(next) => plies = next,
                None => return Ok(()),
            }
        }
    }
}

/// Finds the mates: positions of the loser without moves that are lost by that.
fn mates<S: Slice>(
    slice: &S,
    side: Side,
    winner: &Player<'_, S::Cell>,
    loser: &mut Player<'_, S::Cell>,
    visit: &mut RowSet,
) {
    let shape = winner.shape;
    for (row, words) in loser.mated_if_stuck.chunks(shape.row_words).enumerate() {
        if words.iter().any(|&word| word != 0) {
            visit.add(row);
        }
    }
    let candidates = std::mem::take(&mut loser.mated_if_stuck);
    let pass = Mates {
        slice,
        mover: side.other(),
        candidates: &candidates,
        not_won: &winner.open,
    };
    each_chunk(shape.row_words, loser.chunks(visit, None), &pass);
}
