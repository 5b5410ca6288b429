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

use super::book::{Array, Book};
use super::cell::Cell;
use super::halt::Halt;
use super::pass::{Chunk, Losses, Wins, each_chunk, reaches};
use super::sets::{Layer, RowSet, mark_words};
use super::shape::Shape;
use super::slice::{Side, Slice};
use duchamp_base::{Control, Scroll};

/// The caller's memory for the values of one side to move: [`Slice::rows`] times [`Slice::row_words`] words.
#[derive(Debug)]
pub struct Half<'a, C> {
    /// 64 values a word; position `p` is `cells[p / 64][p % 64]`. Void positions get a draw.
    pub cells: &'a mut [[C; 64]],
    /// The legal positions, one bit each: what [`Seed::legal`](super::Seed::legal) described.
    pub legal: &'a mut [u64],
}

/// Finds the value of every position of a slice. What the halves held before does not matter. The exits are kept in
/// `scroll`, an empty scratch file, if it is given, else in memory.
///
/// The function runs on the current rayon pool (feature `parallel`); the result does not depend on its size.
/// [`solve_in_memory`](super::solve_in_memory) does the same with memory of its own.
///
/// # Errors
/// When `control` is cancelled, when a distance is too long for the [`Cell`], or when `scroll` cannot be written.
///
/// # Panics
/// If a half does not have the slice's length.
pub fn solve<S: Slice>(
    slice: &S,
    halves: [Half<'_, S::Cell>; 2],
    scroll: Option<&Scroll>,
    control: &Control,
) -> Result<(), Halt> {
    let shape = Shape::of(slice);
    let books = halves.map(|half| Array::new(half.cells, half.legal, scroll, shape));
    solve_in(slice, shape, books, control)?;
    Ok(())
}

/// The state of a run of [`solve_in_stages`] that stopped between two levels. Together with the cells found so far it
/// is all that another run needs to go on; a caller may write it to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Whose wins are being found.
    pub winner: Side,
    /// The next level, in plies.
    pub plies: u16,
    /// By side to move, the positions that are open in this search.
    pub open: [Vec<u64>; 2],
    /// By side to move, what the last level found.
    pub newest: [Vec<u64>; 2],
}

/// Like [`solve`], but calls `stop` before each level, and stops there with the state of the run if it returns true.
/// `from` is the state of an earlier run to go on from; the halves must then hold what that run left in them. Returns
/// `None` when the slice is solved. The exits are kept in memory.
///
/// # Errors
/// As [`solve`].
///
/// # Panics
/// If the halves or what an earlier search left have not the slice's length.
pub fn solve_in_stages<S: Slice>(
    slice: &S,
    halves: [Half<'_, S::Cell>; 2],
    from: Option<&Standing>,
    stop: &dyn Fn() -> bool,
    control: &Control,
) -> Result<Option<Standing>, Halt> {
    let shape = Shape::of(slice);
    let books = halves.map(|half| {
        let book = Array::new(half.cells, half.legal, None, shape);
        if from.is_some() { book.begun() } else { book }
    });
    let (_, standing) = solve_until(slice, shape, books, from, stop, control)?;
    Ok(standing)
}

/// Finds the value of every position; gives back the books with the results.
pub(super) fn solve_in<S: Slice, B: Book<S::Cell>>(
    slice: &S,
    shape: Shape,
    books: [B; 2],
    control: &Control,
) -> Result<[B; 2], Halt> {
    let (books, _) = solve_until(slice, shape, books, None, &|| false, control)?;
    Ok(books)
}

/// Finds the value of every position, from where an earlier search stopped, until `stop` says so.
fn solve_until<S: Slice, B: Book<S::Cell>>(
    slice: &S,
    shape: Shape,
    books: [B; 2],
    from: Option<&Standing>,
    stop: &dyn Fn() -> bool,
    control: &Control,
) -> Result<([B; 2], Option<Standing>), Halt> {
    let mut players = books.map(|book| Player::new(book, shape));
    for side in Side::ALL {
        players[side.index()].book.seed(slice, side, control)?;
    }
    let mut begin = None;
    if let Some(standing) = from {
        for (player, side) in players.iter_mut().zip(Side::ALL) {
            player.open.copy_from_slice(&standing.open[side.index()]);
            player.newest.replace(&standing.newest[side.index()]);
        }
        begin = Some((standing.winner, standing.plies));
    }
    let mut spare = Layer::new(shape.rows, shape.row_words, shape.shift);
    for winner in Side::ALL {
        if begin.is_some_and(|(side, _)| side != winner) {
            continue;
        }
        let level = begin.take().map(|(_, plies)| plies);
        let stopped = chase(
            slice,
            winner,
            &mut players,
            &mut spare,
            (level, stop),
            control,
        )?;
        if let Some(plies) = stopped {
            let of = |take: fn(&Player<B>) -> &[u64]| [0, 1].map(|i| take(&players[i]).to_vec());
            let standing = Standing {
                winner,
                plies,
                open: of(|player| &player.open),
                newest: of(|player| player.newest.all()),
            };
            return Ok((players.map(|player| player.book), Some(standing)));
        }
    }
    Ok((players.map(|player| player.book), None))
}

/// The positions with one side to move.
struct Player<B> {
    shape: Shape,
    book: B,
    /// In the search at hand: legal and not yet won; or without waiting exits and not yet lost, as
    /// the player's part is.
    open: Vec<u64>,
    /// What the last pass found.
    newest: Layer,
}

impl<B> Player<B> {
    fn new(book: B, shape: Shape) -> Player<B> {
        Player {
            shape,
            book,
            open: vec![!0; shape.words()],
            newest: Layer::new(shape.rows, shape.row_words, shape.shift),
        }
    }

    /// The chunks that have something to do for a value, and how many words that are. Empties `newest`.
    fn chunks<'b, C: Cell>(
        &'b mut self,
        visit: &RowSet,
        value: C,
    ) -> (Vec<Chunk<'b, B::Page<'b>>>, usize)
    where
        B: Book<C>,
    {
        self.newest.clear();
        let (rows, words) = (self.shape.chunk_rows(), self.shape.row_words);
        let marks = rows * mark_words(words);
        let arrays = self
            .book
            .pages(value)
            .zip(self.open.chunks_mut(rows * words))
            .zip(self.newest.words.chunks_mut(rows * words))
            .zip(self.newest.marks.chunks_mut(marks))
            .zip(&mut self.newest.rows.chunks);
        let mut work = 0;
        let mut chunks = Vec::new();
        for (i, (((((due, page), open), newest), marks), found)) in arrays.enumerate() {
            let visit = visit.chunks[i];
            if visit | due != 0 {
                work += (visit | due).count_ones() as usize * words;
                chunks.push(Chunk {
                    first_row: i * rows,
                    row_words: words,
                    page,
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

/// Finds all wins of one player and the losses that go with them, from a level on if an earlier search got there.
/// `spare` is room for a layer. Tells the level at which it was stopped, if it was.
fn chase<S: Slice, B: Book<S::Cell>>(
    slice: &S,
    side: Side,
    players: &mut [Player<B>; 2],
    spare: &mut Layer,
    (level, stop): (Option<u16>, &dyn Fn() -> bool),
    control: &Control,
) -> Result<Option<u16>, Halt> {
    let [first, second] = players;
    let (winner, loser) = if side == Side::First {
        (first, second)
    } else {
        (second, first)
    };
    let shape = winner.shape;
    let mut visit = RowSet::new(shape.rows, shape.shift);
    let mut plies = level.unwrap_or(1);
    if level.is_none() {
        winner.book.legal(&mut winner.open, control)?;
        // The second time what is open are the positions that the loser has not won himself.
        loser.book.keep_inside(&mut loser.open)?;
        winner.newest.clear();
        // Mates.
        losses(slice, side, winner, loser, (&visit, S::Cell::NONE), control)?;
    }
    loop {
        if stop() {
            return Ok(Some(plies));
        }
        let (win, loss) = (S::Cell::win(plies), S::Cell::loss(plies));
        // The losses first: they read the wins before this ply. The wins read the losses before
        // this ply, which wait in `spare`.
        visit.clear();
        for row in winner.newest.rows.iter() {
            slice.sources(side.other(), row, &mut visit);
        }
        std::mem::swap(&mut loser.newest, spare);
        match loss {
            Some(loss) => losses(slice, side, winner, loser, (&visit, loss), control)?,
            None if reaches(slice, side.other(), &winner.newest, &visit, &loser.open) => {
                return Err(Halt::TooLong);
            }
            None => loser.newest.clear(),
        }
        visit.clear();
        for row in spare.rows.iter() {
            slice.sources(side, row, &mut visit);
        }
        match win {
            Some(win) => {
                let pass = Wins {
                    slice,
                    mover: side,
                    losses: spare,
                };
                each_chunk(shape.row_words, winner.chunks(&visit, win), &pass, control)?;
            }
            None if reaches(slice, side, spare, &visit, &winner.open) => {
                return Err(Halt::TooLong);
            }
            None => winner.newest.clear(),
        }
        plies += 1;
        if loser.newest.rows.is_empty() && winner.newest.rows.is_empty() {
            // Nothing is new: go on where the next exit comes due.
            let due = |&plies: &u16| {
                S::Cell::win(plies).is_some_and(|value| winner.book.has_exits(value))
                    || S::Cell::loss(plies).is_some_and(|value| loser.book.has_exits(value))
            };
            match (plies..S::Cell::SLOTS as u16).find(due) {
                Some(next) => plies = next,
                None => return Ok(None),
            }
        }
    }
}

/// Finds the losses of one value; `visit` are the rows from which the winner's newest wins can be reached.
fn losses<S: Slice, B: Book<S::Cell>>(
    slice: &S,
    side: Side,
    winner: &Player<B>,
    loser: &mut Player<B>,
    (visit, value): (&RowSet, S::Cell),
    control: &Control,
) -> Result<(), Halt> {
    let pass = Losses {
        slice,
        mover: side.other(),
        wins: &winner.newest,
        not_won: &winner.open,
    };
    let chunks = loser.chunks(visit, value);
    each_chunk(winner.shape.row_words, chunks, &pass, control)
}
