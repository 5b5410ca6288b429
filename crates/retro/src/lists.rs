//! A slice from plain lists of moves: for small games, and to test the solver.
//!
//! Memory and time are per move, not per set: a game of many millions of positions needs a [`Slice`] of its own.

use super::cell::Cell;
use super::sets::{Bits, Layer, RowSet, RowWords};
use super::slice::{Seed, Side, Slice};

/// A position of a [`Lists`] slice. [`ListedPosition::LEGAL`] and [`ListedPosition::VOID`] are to be filled in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPosition<C> {
    /// Whether the position exists; numbers that are no position are void.
    pub legal: bool,
    /// Whether the side to move has lost if there is no move and no exit; otherwise the position is drawn then.
    pub lost_if_stuck: bool,
    /// Where its moves lead: numbers of positions with the other side to move. Moves to void numbers are ignored.
    pub moves: Vec<u32>,
    /// The value of the best exit for the side to move, counted before the move; [`Cell::NONE`] if there is no exit.
    pub exit: C,
}

/// A slice given node by node; see the [crate's example](crate#example).
#[derive(Clone, Debug)]
pub struct Lists<C> {
    nodes: [Vec<ListedPosition<C>>; 2],
    rows: usize,
    row_words: usize,
    /// By side to move and row of the target: the rows that moves come from.
    sources: [Vec<Vec<u32>>; 2],
}

impl<C: Cell> Lists<C> {
    /// The slice of these positions, First to move and Second to move. The two lists may differ in length. Moves to
    /// numbers that are no legal position of the other side are dropped.
    #[must_use]
    pub fn new(nodes: [Vec<ListedPosition<C>>; 2]) -> Lists<C> {
        Lists::in_rows(1, nodes)
    }

    /// The same in rows of so many words.
    pub(crate) fn in_rows(row_words: usize, mut nodes: [Vec<ListedPosition<C>>; 2]) -> Lists<C> {
        let row_cells = 64 * row_words;
        let rows = nodes
            .iter()
            .map(|side| side.len().div_ceil(row_cells))
            .max()
            .unwrap_or(0)
            .max(1);
        let legal = [0, 1].map(|side: usize| {
            nodes[side]
                .iter()
                .map(|node| node.legal)
                .collect::<Vec<_>>()
        });
        let mut sources = [vec![Vec::new(); rows], vec![Vec::new(); rows]];
        for side in Side::ALL {
            let targets = &legal[side.other().index()];
            for (number, node) in nodes[side.index()].iter_mut().enumerate() {
                node.moves
                    .retain(|&to| targets.get(to as usize) == Some(&true));
                for &to in &node.moves {
                    let (from, to) = ((number / row_cells) as u32, to as usize / row_cells);
                    let list = &mut sources[side.index()][to];
                    if list.last() != Some(&from) {
                        list.push(from);
                    }
                }
            }
        }
        Lists {
            nodes,
            rows,
            row_words,
            sources,
        }
    }

    /// The positions with `side` to move.
    #[must_use]
    #[inline]
    pub fn nodes(&self, side: Side) -> &[ListedPosition<C>] {
        &self.nodes[side.index()]
    }

    fn word_nodes(&self, side: Side, word: usize) -> &[ListedPosition<C>] {
        let nodes = &self.nodes[side.index()];
        &nodes[(word * 64).min(nodes.len())..(word * 64 + 64).min(nodes.len())]
    }

    /// The positions of a word with a move into a set.
    fn movers(&self, side: Side, word: usize, among: u64, has: impl Fn(u32) -> bool) -> u64 {
        let nodes = self.word_nodes(side, word);
        let moves = |&bit: &usize| {
            nodes
                .get(bit)
                .is_some_and(|node| node.moves.iter().any(|&to| has(to)))
        };
        Bits(among).filter(moves).fold(0, |set, bit| set | 1 << bit)
    }
}

impl<C: Cell> Slice for Lists<C> {
    type Cell = C;

    fn rows(&self) -> usize {
        self.rows
    }

    fn row_words(&self) -> usize {
        self.row_words
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, C>) {
        for word in 0..self.row_words {
            let nodes = self.word_nodes(side, row * self.row_words + word);
            for (bit, node) in nodes.iter().enumerate().filter(|(_, node)| node.legal) {
                seed.legal[word] |= 1 << bit;
                seed.lost_if_stuck[word] |= u64::from(node.lost_if_stuck) << bit;
                seed.exits[word][bit] = node.exit;
            }
        }
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        for &source in &self.sources[mover.index()][row] {
            rows.add(source as usize);
        }
    }

    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        let has = |p: u32| {
            let word = p as usize / 64;
            to.word(word / self.row_words, word % self.row_words) >> (p % 64) & 1 != 0
        };
        for word in 0..self.row_words {
            let found = self.movers(mover, row * self.row_words + word, !0, has);
            if found != 0 {
                into.add(word, found);
            }
        }
    }

    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        let (words, _) = candidates.parts();
        for (word, candidates) in (row * self.row_words..).zip(words) {
            *candidates &= !self.movers(mover, word, *candidates, |p| {
                open[p as usize / 64] >> (p % 64) & 1 != 0
            });
        }
    }
}

impl<C: Cell> ListedPosition<C> {
    /// A legal position without moves and exits, drawn: to be filled in.
    pub const LEGAL: ListedPosition<C> = ListedPosition {
        legal: true,
        lost_if_stuck: false,
        moves: Vec::new(),
        exit: C::NONE,
    };

    /// A number that is no position.
    pub const VOID: ListedPosition<C> = ListedPosition {
        legal: false,
        lost_if_stuck: false,
        moves: Vec::new(),
        exit: C::NONE,
    };
}
