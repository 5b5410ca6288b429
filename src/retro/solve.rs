//! The level loop: all values of one slice, by sets.
//!
//! After K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986, and R. Wu and
//! D. F. Beal, "A Memory Efficient Retrograde Algorithm and Its Application to Chinese Chess
//! Endgames". One player's wins are found at a time; call him the winner. For k = 0, 1, 2, ...
//!
//! - **wins in 2k + 1**: the open positions of the winner from which he can move into a loss in 2k
//!   just found, or leave the slice with that value: one un-move of the newest losses;
//! - **losses in 2k + 2**: *candidates* are the open positions of the loser that can move into a win
//!   just found, or whose last way out of the slice became a loss now. A candidate is lost if all its
//!   moves lead to wins already found. "All moves lead into W" is the complement of "some move leads
//!   outside W", so this proof is an un-move too: of the set of everything not yet won.
//!
//! Exits carry values and come due at their level; a candidate whose worst exit is not yet due is
//! tried again when it is. What is left when nothing is due any more is drawn.
//!
//! A side's wins do not depend on the other side's, so the two searches are made one after the other
//! and share nothing but the array of values.

use super::Code;
use super::bytes;
use super::pass::{Chunk, Losses, Mates, SHARED_FROM, Wins, each_chunk};
use super::sets::{Layer, RowSet, mark_words};
use super::slice::{Seed, Side, Slice};
use crate::base::{Cancelled, Control};
use rayon::prelude::*;

/// Where the values of one side to move go.
#[derive(Debug)]
pub struct Half<'a> {
    /// 64 [`Code`] bytes a word. Void positions get a draw.
    pub codes: &'a mut [[u8; 64]],
    /// The legal positions.
    pub legal: &'a mut [u64],
}

/// Why a slice was not solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A distance does not fit into a [`Code`].
    #[error("a distance is longer than a byte can say")]
    TooLong,
}

/// Finds the value of every position of a slice.
///
/// Runs on the current rayon pool; the result does not depend on its size.
///
/// # Errors
/// When cancelled, or when a distance is too long for a [`Code`].
///
/// # Panics
/// If the halves have not the slice's length.
pub fn solve<S: Slice>(slice: &S, halves: [Half<'_>; 2], control: &Control) -> Result<(), Halt> {
    let shape = Shape::of(slice);
    let mut players = halves.map(|half| Player::new(half, shape));
    for side in Side::ALL {
        players[side.index()].seed(slice, side);
    }
    for winner in Side::ALL {
        chase(slice, winner, &mut players, control)?;
    }
    for player in &mut players {
        for (codes, done) in player.codes.iter_mut().zip(&player.done) {
            bytes::write(codes, !done, Code::DRAW.0);
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
struct Player<'a> {
    shape: Shape,
    codes: &'a mut [[u8; 64]],
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
    /// The rows that hold an exit of some value: by chunk, then by code.
    due: Vec<[u64; 256]>,
    /// The codes that any exit has.
    present: [bool; 256],
    /// By row, the greatest code of an exit that loses.
    latest_loss: Vec<u8>,
}

impl<'a> Player<'a> {
    fn new(half: Half<'a>, shape: Shape) -> Player<'a> {
        let words = shape.words();
        assert!(
            half.codes.len() == words && half.legal.len() == words,
            "halves must have the slice's length"
        );
        Player {
            shape,
            codes: half.codes,
            legal: half.legal,
            mated_if_stuck: vec![0; words],
            can_lose: vec![0; words],
            done: vec![0; words],
            open: vec![0; words],
            newest: Layer::new(shape.rows, shape.row_words, shape.shift),
            due: vec![[0; 256]; shape.rows.div_ceil(shape.chunk_rows())],
            present: [false; 256],
            latest_loss: vec![0; shape.rows],
        }
    }

    /// Asks the slice for its positions and exits.
    fn seed<S: Slice>(&mut self, slice: &S, side: Side) {
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let arrays = self
            .codes
            .chunks_mut(rows * words)
            .zip(self.legal.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.mated_if_stuck.chunks_mut(rows * words))
            .zip(self.can_lose.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.latest_loss.chunks_mut(rows))
            .zip(&mut self.due)
            .enumerate();
        let chunks = arrays.map(
            |(i, (((((codes, legal), mated_if_stuck), can_lose), latest_loss), due))| SeedChunk {
                first_row: i * rows,
                codes,
                legal,
                mated_if_stuck,
                can_lose,
                latest_loss,
                due,
                present: [false; 256],
            },
        );
        let seeded = |mut chunk: SeedChunk<'_>| {
            (0..chunk.latest_loss.len()).for_each(|row| chunk.seed(slice, side, row, words));
            chunk.present
        };
        let join = |mut a: [bool; 256], b: [bool; 256]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
            a
        };
        self.present = if self.shape.words() >= SHARED_FROM {
            chunks
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(seeded)
                .reduce(|| [false; 256], join)
        } else {
            chunks.map(seeded).fold([false; 256], join)
        };
    }

    /// The chunks that have something to do, and how many words that are. Empties `newest`.
    fn chunks<'b>(&'b mut self, visit: &'b RowSet, due: Option<Code>) -> (Vec<Chunk<'b>>, usize) {
        self.newest.clear();
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let marks = rows * mark_words(words);
        let due = due.filter(|code| self.present[usize::from(code.0)]);
        let arrays = self
            .codes
            .chunks_mut(rows * words)
            .zip(self.done.chunks_mut(rows * words))
            .zip(self.open.chunks_mut(rows * words));
        let arrays = arrays
            .zip(self.newest.words.chunks_mut(rows * words))
            .zip(self.newest.marks.chunks_mut(marks))
            .zip(&mut self.newest.rows.chunks);
        let mut work = 0;
        let mut chunks = Vec::new();
        for (i, (((((codes, done), open), newest), marks), found)) in arrays.enumerate() {
            let visit = visit.chunks[i];
            let due = due.map_or(0, |code| self.due[i][usize::from(code.0)]);
            if visit | due != 0 {
                work += (visit | due).count_ones() as usize * words;
                chunks.push(Chunk {
                    first_row: i * rows,
                    row_words: words,
                    codes,
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
struct SeedChunk<'a> {
    first_row: usize,
    codes: &'a mut [[u8; 64]],
    legal: &'a mut [u64],
    mated_if_stuck: &'a mut [u64],
    can_lose: &'a mut [u64],
    latest_loss: &'a mut [u8],
    due: &'a mut [u64; 256],
    present: [bool; 256],
}

impl SeedChunk<'_> {
    /// Asks the slice for a row and notes when its exits come due.
    fn seed<S: Slice>(&mut self, slice: &S, side: Side, row: usize, words: usize) {
        let range = row * words..(row + 1) * words;
        let exits = &mut self.codes[range.clone()];
        exits.fill([0; 64]);
        let seed = Seed {
            legal: &mut self.legal[range.clone()],
            lost_if_stuck: &mut self.mated_if_stuck[range.clone()],
            exits,
        };
        slice.seed(side, self.first_row + row, seed);
        for word in range {
            let codes = &self.codes[word];
            let exits = bytes::at_least(codes, 1);
            self.mated_if_stuck[word] &= self.legal[word] & !exits;
            self.can_lose[word] = self.legal[word];
            if exits == 0 {
                continue;
            }
            self.can_lose[word] &= !bytes::at_least(codes, Code::DRAW.0);
            let mut rest = exits & !bytes::equal(codes, Code::DRAW.0);
            while rest != 0 {
                let code = codes[rest.trailing_zeros() as usize];
                rest &= !bytes::equal(codes, code);
                self.due[usize::from(code)] |= 1 << row;
                self.present[usize::from(code)] = true;
                if code < Code::DRAW.0 {
                    self.latest_loss[row] = self.latest_loss[row].max(code);
                }
            }
        }
    }
}

/// Finds all wins of one player and the losses that go with them.
fn chase<S: Slice>(
    slice: &S,
    side: Side,
    players: &mut [Player<'_>; 2],
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
    each_chunk(shape.row_words, loser.chunks(&visit, None), &pass);
    let mut k = 0u8;
    loop {
        control.check()?;
        let fits = k <= Code::MAX_WIN;
        if !fits && !loser.newest.rows.is_empty() {
            return Err(Halt::TooLong);
        }
        visit.clear();
        for row in loser.newest.rows.iter() {
            slice.sources(side, row, &mut visit);
        }
        let code = if fits { Code::win(k) } else { return Ok(()) };
        let pass = Wins {
            slice,
            mover: side,
            losses: &loser.newest,
            code,
        };
        each_chunk(shape.row_words, winner.chunks(&visit, Some(code)), &pass);
        visit.clear();
        for row in winner.newest.rows.iter() {
            slice.sources(side.other(), row, &mut visit);
        }
        let code = Code::loss(k + 1);
        let latest = std::mem::take(&mut loser.latest_loss);
        let chunks = loser.chunks(&visit, Some(code));
        let pass = Losses {
            slice,
            mover: side.other(),
            wins: &winner.newest,
            not_won: &winner.open,
            latest: &latest,
            code,
        };
        each_chunk(shape.row_words, chunks, &pass);
        loser.latest_loss = latest;
        k += 1;
        if loser.newest.rows.is_empty() {
            // Nothing is new: go on where the next exit comes due.
            let due = |&k: &u8| {
                winner.present[usize::from(Code::win(k).0)]
                    || (k < Code::MAX_LOSS && loser.present[usize::from(k) + 1])
            };
            match (k..=Code::MAX_WIN).find(due) {
                Some(next) => k = next,
                None => return Ok(()),
            }
        }
    }
}
