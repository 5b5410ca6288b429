//! One slice of a chess table as the solver sees it: [`retro::Slice`](duchamp_retro::Slice).

use super::kernels::exits::Exits;
use super::kernels::row_moves::{RowMoves, place};
use super::kernels::seeds::Seeds;
use super::sides::color;
use duchamp_retro::{Layer, RowSet, RowWords, Seed, Side, Slice};
use duchamp_tablebase::Worth;

/// A slice of a table.
pub(crate) struct ChessSlice<'e, 'a, W: Worth> {
    slice: usize,
    moves: RowMoves<'a>,
    exits: &'e Exits<'a, W>,
}

impl<'e, 'a, W: Worth> ChessSlice<'e, 'a, W> {
    pub(crate) fn new(slice: usize, exits: &'e Exits<'a, W>) -> ChessSlice<'e, 'a, W> {
        ChessSlice {
            slice,
            moves: RowMoves::new(slice, exits.layout),
            exits,
        }
    }
}

impl<W: Worth> Slice for ChessSlice<'_, '_, W> {
    type Cell = W::Cell;

    fn rows(&self) -> usize {
        self.exits.layout.row_count()
    }

    fn row_words(&self) -> usize {
        self.exits.layout.row_words()
    }

    fn seed(&self, side: Side, row: usize, seed: Seed<'_, W::Cell>) {
        let mut seeds = Seeds::new(self.exits, color(side), self.slice, row);
        for word in 0..self.exits.layout.row_words() {
            if self.exits.layout.halves() && place::<true>(word) != word {
                continue;
            }
            if let Some((legal, checks, exits)) = seeds.word(word) {
                seed.legal[word] = legal;
                seed.lost_if_stuck[word] = checks;
                seed.exits[word] = *exits;
            }
        }
    }

    fn sources(&self, mover: Side, row: usize, rows: &mut RowSet) {
        self.moves.sources(color(mover), row, rows);
    }

    fn unmove(&self, mover: Side, row: usize, to: &Layer, into: &mut RowWords) {
        self.moves.unmove(color(mover), row, to, into);
    }

    fn stuck(&self, mover: Side, row: usize, candidates: &mut RowWords, open: &[u64]) {
        self.moves.stuck(color(mover), row, candidates, open);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use duchamp_chess::{Color, Position, Setup};
    use duchamp_retro::{Code, laws};
    use duchamp_tablebase::{CellId, ToMate, View};
    use std::collections::HashMap;

    /// Runs `test` on a slice without any sub-tables: its exits have no value.
    fn with_slice(
        name: &str,
        slice: usize,
        test: impl FnOnce(&Layout, &ChessSlice<'_, '_, ToMate>),
    ) {
        let layout = Layout::new(name.parse().expect("a material"));
        let (codes, void) = (
            vec![Code::LOWEST; layout.words() * 64],
            vec![!0; layout.words()],
        );
        let own = View {
            index: &layout,
            codes: [&codes; 2],
            void: [&void; 2],
            cursed: [None; 2],
            first_only: false,
        };
        let exits = Exits::new(&layout, own, &|_| None);
        test(&layout, &ChessSlice::new(slice, &exits));
    }

    #[test]
    fn slices_obey_the_laws() {
        for (name, slice) in [
            ("KQvK", 0),
            ("KNvK", 0),
            ("KBNvK", 0),
            ("KBBvKN", 0),
            ("KQvKR", 0),
            ("KBvKN", 0),
            ("KPvK", 5),
            ("KRvKP", 11),
            ("KPvKP", 700),
            ("KPPvK", 300),
        ] {
            with_slice(name, slice, |_, chess| {
                laws::check(chess, 60, 99).unwrap_or_else(|broken| panic!("{name}: {broken}"))
            });
        }
    }

    /// Where a table has no symmetries inside a slice, the moves of the chess room lead from cell to
    /// cell exactly as the un-moves of the words say.
    #[test]
    fn words_move_as_the_rules_say() {
        for (name, slice) in [("KRvKP", 13), ("KNvKP", 8), ("KPvKP", 555), ("KPPvK", 200)] {
            with_slice(name, slice, |layout, chess| {
                let (first, cells) = (slice * layout.slice_words() * 64, layout.slice_words() * 64);
                let mut sources: [HashMap<usize, Vec<usize>>; 2] = Default::default();
                for side in Side::ALL {
                    let turn = color(side);
                    for from in 0..cells {
                        let cell = (first + from) as u64;
                        let Some((board, _)) = layout.place(CellId {
                            side: Side::First,
                            cell,
                        }) else {
                            continue;
                        };
                        let Ok(position) = Position::from_setup(&Setup {
                            board,
                            turn,
                            ..Setup::EMPTY
                        }) else {
                            continue;
                        };
                        for m in position.legal_moves() {
                            let (kind, after) = (position.moved_role(m), position.play(m));
                            if kind == duchamp_chess::Role::Pawn || position.is_capture(m) {
                                continue;
                            }
                            let to = layout
                                .locate_as(after.board(), Color::White, false)
                                .expect("the same pieces");
                            sources[side.index()]
                                .entry(to.cell as usize - first)
                                .or_default()
                                .push(from);
                        }
                    }
                }
                let expected = |side: Side, to: usize| {
                    sources[side.index()].get(&to).cloned().unwrap_or_default()
                };
                laws::check_moves(chess, 300, 4711, expected)
                    .unwrap_or_else(|broken| panic!("{name}: {broken}"));
            });
        }
    }
}
