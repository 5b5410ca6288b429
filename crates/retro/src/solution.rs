//! A solved slice in memory of its own: the short way for games that fit there.

use super::cell::Cell;
use super::halt::Halt;
use super::slice::{Side, Slice};
use super::solve::{Half, solve};
use duchamp_base::{Control, Value};

/// The values of a slice: what [`solve_in_memory`] finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<C> {
    cells: [Vec<[C; 64]>; 2],
    legal: [Vec<u64>; 2],
}

/// Finds the value of every position of a slice and keeps the values in memory.
///
/// A position takes one cell and one bit; during the run the solver takes five more bits for every two positions (one
/// with each side to move), and room for the exits. [`solve`] works in memory of the caller and can keep the exits in a
/// file; [`solve_scrolled`](super::solve_scrolled) keeps all but the sets in a file.
///
/// # Errors
/// When `control` is cancelled, or when a distance is too long for the [`Cell`].
///
/// # Examples
/// ```
/// use duchamp_retro::lists::{Lists, ListedPosition};
/// use duchamp_retro::{Cell, Code, Control, Plies, Side, Value, solve_in_memory};
///
/// // A pile of stones: a move takes one stone, or two; who cannot move has lost.
/// let pile = |stones: u32| ListedPosition {
///     lost_if_stuck: true,
///     moves: (1..=2).filter_map(|taken| stones.checked_sub(taken)).collect(),
///     ..ListedPosition::LEGAL
/// };
/// let piles: Vec<ListedPosition<Code>> = (0..10).map(pile).collect();
/// let solution = solve_in_memory(&Lists::new([piles.clone(), piles]), &Control::new(1))?;
///
/// assert_eq!(solution.value(Side::First, 9), Some(Value::Loss(Plies(6))));
/// assert_eq!(solution.value(Side::Second, 8), Some(Value::Win(Plies(5))));
/// assert_eq!(solution.value(Side::First, 10), None); // no such position
/// # Ok::<(), duchamp_retro::Halt>(())
/// ```
pub fn solve_in_memory<S: Slice>(slice: &S, control: &Control) -> Result<Solution<S::Cell>, Halt> {
    let words = slice.rows() * slice.row_words();
    let mut cells = [0, 1].map(|_| vec![[S::Cell::NONE; 64]; words]);
    let mut legal = [0, 1].map(|_| vec![0; words]);
    let [first, second] = &mut cells;
    let [first_legal, second_legal] = &mut legal;
    let halves = [
        Half {
            cells: first,
            legal: first_legal,
        },
        Half {
            cells: second,
            legal: second_legal,
        },
    ];
    solve(slice, halves, None, control)?;
    Ok(Solution { cells, legal })
}

impl<C: Cell> Solution<C> {
    /// The value of a position with `side` to move; `None` if the position is void or out of range.
    #[must_use]
    #[inline]
    pub fn value(&self, side: Side, position: usize) -> Option<Value> {
        let (word, bit) = (position / 64, position % 64);
        let legal = *self.legal[side.index()].get(word)? >> bit & 1 != 0;
        legal.then(|| self.cells[side.index()][word][bit].value())
    }

    /// All values with `side` to move, 64 a word. Void positions hold a draw.
    #[must_use]
    #[inline]
    pub fn cells(&self, side: Side) -> &[[C; 64]] {
        &self.cells[side.index()]
    }

    /// The legal positions with `side` to move, one bit each.
    #[must_use]
    #[inline]
    pub fn legal(&self, side: Side) -> &[u64] {
        &self.legal[side.index()]
    }
}
