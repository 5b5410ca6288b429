//! The laws that a [`Slice`] must obey, tested on samples: the first test of each game.
//!
//! [`check`] needs nothing but the slice. [`check_moves`] compares the slice with moves that other code generates, so
//! that a rule that both [`Slice::unmove`] and [`Slice::stuck`] forget is found, too.

use super::cell::Cell;
use super::sets::{Layer, RowSet, RowWords};
use super::slice::{Seed, Side, Slice};
use duchamp_base::Random;

/// A law that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// A mate candidate or an exit on a number that is no legal position.
    #[error("{side:?} row {row}: a void position has a mark or an exit")]
    Void {
        /// The side to move.
        side: Side,
        /// The row.
        row: usize,
    },
    /// [`Slice::unmove`] finds a move out of a row that [`Slice::sources`] does not name.
    #[error("{side:?} row {to}: a move from row {from} is not among its sources")]
    Source {
        /// The side that moves.
        side: Side,
        /// Where the move comes from.
        from: usize,
        /// Where it goes.
        to: usize,
    },
    /// [`Slice::unmove`] and [`Slice::stuck`] disagree whether a move exists.
    #[error("{side:?} position {from} to {to}: un-move says {unmove}, move says {moves}", moves = !unmove)]
    Inverse {
        /// The side that moves.
        side: Side,
        /// The position moved from.
        from: usize,
        /// The position moved to.
        to: usize,
        /// What un-moving says.
        unmove: bool,
    },
    /// A list of moves handed in differs from what un-moving finds.
    #[error("{side:?} position {to}: un-moves {found:?}, the rules say {expected:?}")]
    Moves {
        /// The side that moves.
        side: Side,
        /// The position moved to.
        to: usize,
        /// The positions that un-moving finds.
        found: Vec<usize>,
        /// The positions that the list gives.
        expected: Vec<usize>,
    },
}

/// The legal positions of both sides.
fn legal<S: Slice>(slice: &S) -> Result<[Vec<u64>; 2], Broken> {
    let n = slice.row_words();
    let mut legal = [vec![0; slice.rows() * n], vec![0; slice.rows() * n]];
    for side in Side::ALL {
        for row in 0..slice.rows() {
            let (mut stuck, mut exits) = (vec![0; n], vec![[S::Cell::NONE; 64]; n]);
            let words = &mut legal[side.index()][row * n..(row + 1) * n];
            slice.seed(
                side,
                row,
                Seed {
                    legal: words,
                    lost_if_stuck: &mut stuck,
                    exits: &mut exits,
                },
            );
            for ((&word, stuck), exits) in words.iter().zip(stuck).zip(exits) {
                if (stuck | !S::Cell::equal(&exits, S::Cell::NONE)) & !word != 0 {
                    return Err(Broken::Void { side, row });
                }
            }
        }
    }
    Ok(legal)
}

/// Tests the laws on about `samples` positions: un-moves and moves are inverse both ways, sources are complete, void
/// numbers have neither mark nor exit. The positions are chosen at random by `seed`; equal seeds choose the same.
///
/// The slice is seeded once in full, and each sample un-moves into every sixteenth row or more: small slices take
/// milliseconds. A slice that passes can still describe other rules than intended; see [`check_moves`].
///
/// # Errors
/// The first law found broken.
///
/// # Examples
/// ```
/// use duchamp_retro::{Code, laws};
/// use duchamp_retro::lists::{Lists, ListedPosition};
///
/// let lost = ListedPosition::<Code> { lost_if_stuck: true, ..ListedPosition::LEGAL };
/// let wins = ListedPosition::<Code> { moves: vec![0], ..ListedPosition::LEGAL };
/// let slice = Lists::new([vec![wins], vec![lost]]);
/// assert_eq!(laws::check(&slice, 100, 1), Ok(()));
/// ```
pub fn check<S: Slice>(slice: &S, samples: usize, seed: u64) -> Result<(), Broken> {
    let legal = legal(slice)?;
    sample(slice, &legal, samples, seed, |side, to, found| {
        // Each un-move is a move ...
        let (n, mut open) = (slice.row_words(), vec![0; legal[0].len()]);
        open[to / 64] = 1 << (to % 64);
        let moves = |from: usize| {
            let mut candidates = RowWords::new(n);
            candidates.add(from / 64 % n, 1 << (from % 64));
            slice.stuck(side, from / 64 / n, &mut candidates, &open);
            let mut left = 0;
            candidates.drain(|_, set| left |= set);
            left == 0
        };
        for &from in found {
            if !moves(from) {
                return Err(Broken::Inverse {
                    side,
                    from,
                    to,
                    unmove: true,
                });
            }
        }
        // ... and each move is an un-move, for positions near it.
        let legal = &legal[side.index()];
        for near in 0..200 {
            let from = (to + near * near * 31) % (legal.len() * 64);
            if legal[from / 64] >> (from % 64) & 1 != 0 && moves(from) && !found.contains(&from) {
                return Err(Broken::Inverse {
                    side,
                    from,
                    to,
                    unmove: false,
                });
            }
        }
        Ok(())
    })
}

/// Tests un-moves against moves that other code generates: `sources(side, to)` returns all positions from which `side`
/// can move to `to` inside the slice, in ascending order. `samples` and `seed` as in [`check`].
///
/// # Errors
/// The first difference.
pub fn check_moves<S: Slice>(
    slice: &S,
    samples: usize,
    seed: u64,
    sources: impl Fn(Side, usize) -> Vec<usize>,
) -> Result<(), Broken> {
    let legal = legal(slice)?;
    sample(slice, &legal, samples, seed, |side, to, found| {
        let expected = sources(side, to);
        if expected == found {
            Ok(())
        } else {
            Err(Broken::Moves {
                side,
                to,
                found: found.to_vec(),
                expected,
            })
        }
    })
}

/// Calls `test` with random positions and all legal positions that un-moving finds for them.
fn sample<S: Slice>(
    slice: &S,
    legal: &[Vec<u64>; 2],
    samples: usize,
    seed: u64,
    mut test: impl FnMut(Side, usize, &[usize]) -> Result<(), Broken>,
) -> Result<(), Broken> {
    let (n, cells) = (slice.row_words(), legal[0].len() * 64);
    let mut random = Random::new(seed);
    let mut into = RowWords::new(n);
    for _ in 0..samples {
        let side = *random.pick(&Side::ALL);
        let to = random.below(cells);
        let (word, bit) = (to / 64, 1u64 << (to % 64));
        if legal[side.other().index()][word] & bit == 0 {
            continue;
        }
        let mut set = Layer::new(slice.rows(), n, 0);
        set.set(word / n, word % n, bit);
        let mut named = RowSet::new(slice.rows(), 0);
        slice.sources(side, word / n, &mut named);
        let mut found = Vec::new();
        for row in 0..slice.rows() {
            // Rows that are not named must have no move: try some of them too.
            if !named.has(row) && row % 16 != word % 16 {
                continue;
            }
            slice.unmove(side, row, &set, &mut into);
            let before = found.len();
            into.drain(|at, bits| {
                let at = row * n + at;
                found.extend(
                    super::sets::Bits(bits & legal[side.index()][at]).map(|bit| at * 64 + bit),
                );
            });
            if !named.has(row) && found.len() > before {
                return Err(Broken::Source {
                    side,
                    from: row,
                    to: word / n,
                });
            }
        }
        found.sort_unstable();
        test(side, to, &found)?;
    }
    Ok(())
}
