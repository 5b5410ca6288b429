//! Where positions lie in another table, or in one's own after a step that turns the board.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrayvec::ArrayVec;

use super::lanes::{Lanes, NONE, raise};
use crate::layout::{Layout, Placement, Rows};
use crate::material::Material;
use duchamp_chess::{Board, Color, Piece, Role, Square};
use duchamp_retro::Bits;

/// Squares of the pieces that a word fixes, in the order of `Layout::fixed`, the lane piece's last.
pub(super) type Squares = [u8; 8];

/// Backed-up values with one side to move: of all slices of a table, or of some.
#[derive(Debug, Default)]
pub(super) struct Side {
    slice_cells: usize,
    /// Where each slice begins in `cells`; `None` if it is not here.
    starts: Vec<Option<usize>>,
    pub(super) cells: Vec<u16>,
}

impl Side {
    /// All slices.
    pub(super) fn whole(layout: &Layout, cells: Vec<u16>) -> Side {
        let slice_cells = layout.slice_words() * 64;
        Side {
            slice_cells,
            starts: (0..layout.slices())
                .map(|n| Some(n * slice_cells))
                .collect(),
            cells,
        }
    }

    /// No slice yet.
    pub(super) fn empty(layout: &Layout) -> Side {
        Side {
            slice_cells: layout.slice_words() * 64,
            starts: vec![None; layout.slices()],
            cells: Vec::new(),
        }
    }

    /// Makes room for a slice; `None` if it is there.
    pub(super) fn add(&mut self, slice: usize) -> Option<Range<usize>> {
        if self.starts[slice].is_some() {
            return None;
        }
        let start = self.cells.len();
        self.starts[slice] = Some(start);
        self.cells.reserve_exact(self.slice_cells);
        self.cells.resize(start + self.slice_cells, NONE);
        Some(start..start + self.slice_cells)
    }

    /// The place of a cell of the table.
    #[inline]
    fn place(&self, cell: usize) -> Option<usize> {
        match self.starts[..] {
            [start] => start.map(|_| cell),
            _ => Some(self.starts[cell / self.slice_cells]? + cell % self.slice_cells),
        }
    }
}

/// A table in memory, by its stored sides.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) layout: Arc<Layout>,
    pub(super) sides: Vec<Side>,
}

/// Tables in memory.
pub(super) type Set = BTreeMap<Material, Loaded>;

/// What a piece of the one table is in the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    Gone,
    King(usize),
    Pawn(usize),
    Piece(usize),
}

/// The way from a table's pieces to the cells of a table that holds them after a change.
#[derive(Debug)]
pub(super) struct Route<'a> {
    side: &'a Side,
    layout: &'a Layout,
    /// 56 if colours are swapped, else 0.
    flip: u8,
    slots: ArrayVec<Slot, 8>,
    /// The lane piece's slot.
    bit_slot: Slot,
}

/// The cells of one placement by the lane piece's squares.
struct Line<'a> {
    base: usize,
    shift: usize,
    squares: &'a [u8; 64],
    /// A word as it lies in the array.
    plain: bool,
}

impl<'a> Route<'a> {
    /// The route to the position with these pieces (`None`: captured) and `turn` to move; the lane piece is the last.
    /// `None` if the table is not in the set.
    pub(super) fn new(men: &[Option<Piece>], turn: Color, set: &'a Set) -> Option<Route<'a>> {
        let mut board = Board::EMPTY;
        for (n, man) in men.iter().enumerate() {
            if let Some(man) = man {
                board.put(*man, Square::wrapping(n));
            }
        }
        let (material, swapped) = Material::of(&board);
        let table = set.get(&material)?;
        let swap = swapped || (material.is_symmetric() && turn == Color::Black);
        let side = if swap { !turn } else { turn };
        let side = side.index().min(table.sides.len() - 1);
        let layout = &*table.layout;
        let mut places: ArrayVec<Option<Piece>, 8> =
            layout.indexed_pieces().iter().copied().map(Some).collect();
        places.push(Some(layout.lane_piece()));
        let mut pawns = [0, layout.pawns().white()];
        let slots: ArrayVec<Slot, 8> = men
            .iter()
            .map(|man| {
                let Some(man) = man else { return Slot::Gone };
                let color = if swap { !man.color } else { man.color };
                match man.role {
                    Role::King => Slot::King(color.index()),
                    Role::Pawn => {
                        pawns[color.index()] += 1;
                        Slot::Pawn(pawns[color.index()] - 1)
                    }
                    role => {
                        let place = places
                            .iter()
                            .position(|&place| place == Some(Piece { color, role }));
                        let place = place.unwrap_or(0);
                        places[place] = None;
                        Slot::Piece(place)
                    }
                }
            })
            .collect();
        Some(Route {
            side: &table.sides[side],
            layout,
            flip: if swap { 56 } else { 0 },
            bit_slot: *slots.last()?,
            slots,
        })
    }

    /// Whether a word's cells are those of the same word in the other table: nothing is turned.
    pub(super) fn is_own(&self, layout: &Layout) -> bool {
        self.flip == 0 && self.layout.material() == layout.material()
    }

    /// The cells that it leads to.
    pub(super) fn cells(&self) -> &'a [u16] {
        &self.side.cells
    }

    #[inline]
    fn placement(&self, squares: &Squares) -> Placement {
        let mut placement = Placement {
            kings: [0; 2],
            pawns: [0; crate::pawns::MAX_PAWNS],
            pieces: [0; 6],
        };
        for (slot, square) in self.slots.iter().zip(squares) {
            let square = square ^ self.flip;
            match *slot {
                Slot::Gone => {}
                Slot::King(n) => placement.kings[n] = square,
                Slot::Pawn(n) => placement.pawns[n] = square,
                Slot::Piece(n) => placement.pieces[n] = square,
            }
        }
        placement
    }

    /// The backed-up value of one placement.
    #[inline]
    pub(super) fn backed_up(&self, squares: &Squares) -> u16 {
        let cell = self.layout.any_cell(&self.placement(squares));
        let place = cell.and_then(|cell| self.side.place(cell));
        place.map_or(NONE, |place| self.side.cells[place])
    }

    fn line(&self, squares: &Squares) -> Option<Line<'a>> {
        let placement = self.placement(squares);
        let men = self.layout.indexed_pieces().len();
        let (cell, symmetry, shift) = match self.bit_slot {
            Slot::King(1) if self.layout.rows() == Rows::WhiteKing => {
                let (slice, symmetry) = self.layout.pawns().find(&placement.pawns)?;
                let white = usize::from(symmetry.square(placement.kings[0]));
                ((slice * 64 + white) * 64, symmetry, 0)
            }
            Slot::Piece(bit) => {
                let (base, symmetry) = self.layout.base(&placement)?;
                let pieces = (0..=men).filter(|&n| n != bit);
                let cell = pieces.fold(base, |cell, n| {
                    cell + (usize::from(symmetry.square(placement.pieces[n])) << (6 * (men - n)))
                });
                (cell, symmetry, 6 * (men - bit))
            }
            _ => return None,
        };
        let turned = if self.flip == 0 {
            symmetry
        } else {
            symmetry.after_flip_ranks()
        };
        Some(Line {
            base: self.side.place(cell)?,
            shift,
            squares: turned.squares(),
            plain: turned.is_none() && shift == 0,
        })
    }

    /// The backed-up values of a placement for the lane piece's squares in a set; others are not looked at.
    #[inline]
    pub(super) fn backed(&self, squares: &Squares, set: u64) -> Lanes {
        let mut backed = [NONE; 64];
        let cells = &self.side.cells;
        match self.line(squares) {
            Some(line) if line.plain => {
                backed.copy_from_slice(&cells[line.base..line.base + 64]);
            }
            Some(line) => {
                for bit in Bits(set) {
                    backed[bit] = cells[line.base + (usize::from(line.squares[bit]) << line.shift)];
                }
            }
            None if self.bit_slot == Slot::Gone => {
                let backed_up = self.backed_up(squares);
                Bits(set).for_each(|bit| backed[bit] = backed_up);
            }
            // The lane piece is a king there, and fixes the row.
            None if matches!(self.bit_slot, Slot::King(_)) => {
                let mut squares = *squares;
                let last = self.slots.len() - 1;
                for bit in Bits(set) {
                    squares[last] = bit as u8;
                    backed[bit] = self.backed_up(&squares);
                }
            }
            None => {}
        }
        backed
    }

    /// Raises what the moves to a placement give, for the lane piece's squares in a set.
    #[inline]
    pub(super) fn raise(&self, best: &mut Lanes, squares: &Squares, set: u64) {
        match self.line(squares) {
            Some(line) if line.plain => {
                if let Some(backed) = self.side.cells[line.base..].first_chunk::<64>() {
                    raise(best, backed, set);
                }
            }
            _ => raise(best, &self.backed(squares, set), set),
        }
    }
}
