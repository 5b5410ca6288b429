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
    /// By side to move and row of the target: the rows that moves come from.
    sources: [Vec<Vec<u32>>; 2],
}

impl<C: Cell> Lists<C> {
    /// The slice of these positions, First to move and Second to move. The two lists may differ in length. Moves to
    /// numbers that are no legal position of the other side are dropped.
    #[must_use]
    pub fn new(mut nodes: [Vec<ListedPosition<C>>; 2]) -> Lists<C> {
        let rows = nodes
            .iter()
            .map(|side| side.len().div_ceil(64))
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
                    let list = &mut sources[side.index()][to as usize / 64];
                    if list.last() != Some(&(number as u32 / 64)) {
                        list.push(number as u32 / 64);
                    }
                }
            }
        }
        Lists {
            nodes,
            rows,
            sources,
        }
    }

    /// The positions with `side` to move.
    #[must_use]
    #[inline]
    pub fn nodes(&self, side: Side) -> &[ListedPosition<C>] {
        &self.nodes[side.index()]
    }

    fn row_nodes(&self, side: Side, row: usize) -> &[ListedPosition<C>] {
        let nodes = &self.nodes[side.index()];
        &nodes[(row * 64).min(nodes.len())..(row * 64 + 64).min(nodes.len())]
    }

    /// The positions of a row with a move into a set.
    fn movers(&self, side: Side, row: usize, among: u64, has: impl Fn(u32) -> bool) -> u64 {
        let nodes = self.row_nodes(side, row);
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
        1
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, C>) {
        for (bit, node) in self
            .row_nodes(side, row)
            .iter()
            .enumerate()
            .filter(|(_, node)| node.legal)
        {
            seed.legal[0] |= 1 << bit;
            seed.lost_if_stuck[0] |= u64::from(node.lost_if_stuck) << bit;
            seed.exits[0][bit] = node.exit;
        }
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        for &source in &self.sources[mover.index()][row] {
            rows.add(source as usize);
        }
    }

    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        into.add(
            0,
            self.movers(mover, row, !0, |p| {
                to.word(p as usize / 64, 0) >> (p % 64) & 1 != 0
            }),
        );
    }

    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        let (words, _) = candidates.parts();
        words[0] &= !self.movers(mover, row, words[0], |p| {
            open[p as usize / 64] >> (p % 64) & 1 != 0
        });
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
