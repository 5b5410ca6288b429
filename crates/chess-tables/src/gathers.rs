//! Where promotions and pushes lead from a row, as sums of cell numbers ([`Gather`]): for tables that are solved without
//! their sub-tables of as many men in memory.
//!
//! Promotions that capture lead to a table of fewer men and are not among them, nor is anything en passant.

use super::layout::{Layout, MAX_PIECES, Placement, Rows};
use super::material::Material;
use super::pawns::MAX_PAWNS;
use super::sides::side;
use duchamp_chess::{ByColor, Color, Piece, Role};
use duchamp_tablebase::{Gather, NOWHERE};

/// The pieces of a row: those that it fixes with their squares, the others by the part of a cell number that they are.
struct Row<'a> {
    layout: &'a Layout,
    mover: Color,
    /// Kings, pawns, indexed pieces, lane piece.
    pieces: Vec<Piece>,
    /// Squares of kings and pawns.
    squares: Vec<u8>,
}

/// What a pawn does.
#[derive(Clone, Copy)]
struct Step {
    /// The pawn's place among the pieces, where it goes and what it becomes.
    pawn: usize,
    to: u8,
    becomes: Role,
    /// The square that a double step passes.
    passes: Option<u8>,
}

/// Calls `each` for the moves of a row's pawns that [`Game::gather`](duchamp_tablebase::Game::gather) names.
pub(super) fn gather<'a>(
    layout: &'a Layout,
    slice: usize,
    mover: Color,
    row: usize,
    own: bool,
    sub: &dyn Fn(Material) -> Option<&'a Layout>,
    each: &mut dyn FnMut(Gather<Material>),
) {
    let fixed = layout.fixed(slice * layout.slice_words() + row * layout.row_words());
    let known = layout.first_pawn() + layout.pawns().pawns();
    let pieces = fixed.pieces.iter().map(|piece| piece.0);
    let squares = fixed.pieces[..known].iter();
    let row = Row {
        layout,
        mover,
        pieces: pieces.chain([layout.lane_piece()]).collect(),
        squares: squares.map(|piece| piece.1.index() as u8).collect(),
    };
    let steps = |pawn: usize| Layout::pawn_steps(row.squares[pawn], mover);
    for pawn in (layout.first_pawn()..known).filter(|&pawn| row.pieces[pawn].color == mover) {
        let (one, two) = steps(pawn);
        let step = |to, becomes, passes| Step {
            pawn,
            to,
            becomes,
            passes,
        };
        if matches!(one >> 3, 0 | 7) {
            for role in Role::PROMOTIONS {
                row.gather(step(one, role, None), sub, each);
            }
        } else if own {
            let own = |_| Some(layout);
            row.gather(step(one, Role::Pawn, None), &own, each);
            if let Some(two) = two {
                row.gather(step(two, Role::Pawn, Some(one)), &own, each);
            }
        }
    }
}

impl Layout {
    /// Where a pawn's single and double step go.
    fn pawn_steps(from: u8, color: Color) -> (u8, Option<u8>) {
        let (step, start) = match color {
            Color::White => (8, 1),
            Color::Black => (-8, 6),
        };
        let ahead = |square: u8| square.wrapping_add_signed(step);
        let one = ahead(from);
        (one, (from >> 3 == start).then(|| ahead(one)))
    }

    /// The slices that pawn moves lead to from a slice; of a table that stores one side to move, also those with the
    /// colours exchanged.
    pub(crate) fn pushes_lead_to(&self, slice: usize) -> Vec<usize> {
        let pawns = self.pawns();
        let mut found = Vec::new();
        let squares = pawns.squares(slice);
        for pawn in 0..squares.len() {
            let color = if pawn < pawns.white() {
                Color::White
            } else {
                Color::Black
            };
            let (one, two) = Layout::pawn_steps(squares[pawn], color);
            for to in [Some(one), two].into_iter().flatten() {
                let mut moved = squares.to_vec();
                moved[pawn] = to;
                found.extend(pawns.find(&moved).map(|found| found.0));
                if self.material().is_symmetric() {
                    let (white, black) = moved.split_at(pawns.white());
                    let turned: Vec<u8> = black.iter().chain(white).map(|s| s ^ 56).collect();
                    found.extend(pawns.find(&turned).map(|found| found.0));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Row<'_> {
    /// The piece after a step.
    fn after(&self, piece: usize, step: Step) -> Piece {
        match piece == step.pawn {
            true => Piece {
                role: step.becomes,
                ..self.pieces[piece]
            },
            false => self.pieces[piece],
        }
    }

    fn gather<'a>(
        &self,
        step: Step,
        sub: &dyn Fn(Material) -> Option<&'a Layout>,
        each: &mut dyn FnMut(Gather<Material>),
    ) {
        if step
            .passes
            .is_some_and(|passed| self.squares.contains(&passed))
        {
            return;
        }
        let mut counts = ByColor([[0; 5]; 2]);
        for piece in (0..self.pieces.len()).map(|piece| self.after(piece, step)) {
            if piece.role != Role::King {
                counts[piece.color][piece.role.index()] += 1;
            }
        }
        let (material, mut swapped) = Material::of_counts(counts);
        let Some(layout) = sub(material) else {
            return;
        };
        let mut turn = if swapped { self.mover } else { !self.mover };
        if material.is_symmetric() && turn == Color::Black {
            turn = Color::White;
            swapped = !swapped;
        }
        let flip = if swapped { 56 } else { 0 };
        let mut squares = self.squares.clone();
        squares[step.pawn] = step.to;
        let Some(order) = self.order(layout, swapped, step) else {
            return;
        };
        let into = Into {
            row: self,
            layout,
            flip,
            order,
            squares,
            step,
        };
        if let Some(gather) = into.gather(Gather {
            child: material,
            side: side(turn),
            base: 0,
            digits: vec![[0; 64]; self.layout.indexed_pieces().len()],
            lane: [0; 64],
        }) {
            each(gather);
        }
    }

    /// Which pieces come to the places of another table: kings, pawns, indexed pieces, lane piece.
    fn order(&self, layout: &Layout, swapped: bool, step: Step) -> Option<Vec<usize>> {
        let mut free: Vec<usize> = (0..self.pieces.len()).collect();
        let mut take = |piece: Piece| {
            let color = if swapped { !piece.color } else { piece.color };
            let wanted = Piece { color, ..piece };
            let at = free
                .iter()
                .position(|&piece| self.after(piece, step) == wanted)?;
            Some(free.remove(at))
        };
        let king = |color| Piece {
            color,
            role: Role::King,
        };
        let pawn = |n| Piece {
            color: if n < layout.pawns().white() {
                Color::White
            } else {
                Color::Black
            },
            role: Role::Pawn,
        };
        let pawns = (0..layout.pawns().pawns()).map(pawn);
        let lane_piece = (layout.rows() == Rows::Pairs).then(|| layout.lane_piece());
        let pieces = layout.indexed_pieces().iter().copied().chain(lane_piece);
        let all = Color::ALL.map(king).into_iter().chain(pawns).chain(pieces);
        all.map(&mut take).collect()
    }
}

/// A step into another table.
struct Into<'r, 'a> {
    row: &'r Row<'r>,
    layout: &'a Layout,
    flip: u8,
    order: Vec<usize>,
    squares: Vec<u8>,
    step: Step,
}

impl Into<'_, '_> {
    /// The row's place in the table where the lane piece, if it is a king, stands on `lane`; and the symmetry into it.
    fn base(&self, lane: u8) -> Option<(usize, super::symmetry::Symmetry)> {
        let square = |piece: usize| self.squares.get(piece).copied().unwrap_or(lane) ^ self.flip;
        let mut placement = Placement {
            kings: [square(self.order[0]), square(self.order[1])],
            pawns: [0; MAX_PAWNS],
            pieces: [0; MAX_PIECES],
        };
        let pawns = &self.order[2..2 + self.layout.pawns().pawns()];
        for (slot, &pawn) in placement.pawns.iter_mut().zip(pawns) {
            *slot = square(pawn);
        }
        self.layout.base(&placement)
    }

    fn gather(&self, mut gather: Gather<Material>) -> Option<Gather<Material>> {
        let lane_piece = self.row.pieces.len() - 1;
        let pieces = &self.order[2 + self.layout.pawns().pawns()..];
        if self.row.layout.rows() == Rows::WhiteKing {
            // Each square of Black's king is a row of its own.
            for (lane, cell) in (0..).zip(&mut gather.lane) {
                *cell = match self.base(lane) {
                    Some((base, symmetry)) if Some(lane) != self.step.passes => {
                        let promoted = pieces
                            .iter()
                            .map(|_| symmetry.square(self.step.to ^ self.flip));
                        base + promoted.map(usize::from).sum::<usize>()
                    }
                    _ => NOWHERE,
                };
            }
            return Some(gather);
        }
        let (base, symmetry) = self.base(0)?;
        gather.base = base;
        let known = self.squares.len();
        for (n, &piece) in pieces.iter().enumerate() {
            let shift = 6 * (pieces.len() - 1 - n);
            let place = |square: u8| usize::from(symmetry.square(square ^ self.flip)) << shift;
            let steps = if piece == self.step.pawn {
                gather.base += place(self.step.to);
                continue;
            } else if piece == lane_piece {
                &mut gather.lane
            } else {
                &mut gather.digits[piece - known]
            };
            for (square, step) in (0..).zip(steps) {
                *step = match self.step.passes {
                    Some(passed) if passed == square => NOWHERE,
                    _ => place(square),
                };
            }
        }
        Some(gather)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Position, Square};
    use duchamp_tablebase::{CellId, TableKey};
    use std::collections::HashMap;

    /// All cells that the sums lead to are those of the positions after the moves, up to symmetric duplicates.
    #[test]
    fn sums_lead_where_moves_lead() {
        for (name, own) in [
            ("KRPvK", true),
            ("KPvKR", true),
            ("KNvKP", true),
            ("KPPvK", false),
            ("KPvKP", false),
            ("KPvK", true),
        ] {
            let layout = Layout::new(name.parse().expect("a material"));
            let children: HashMap<Material, Layout> = (layout.material().children().into_iter())
                .map(|child| (child, Layout::new(child)))
                .collect();
            let men = layout.material().men();
            let sub = |key: Material| children.get(&key).filter(|_| key.men() == men);
            let step = (layout.slices() * layout.row_count() / 400).max(1);
            let mut found = 0;
            for n in (0..layout.slices() * layout.row_count()).step_by(step) {
                let (slice, row) = (n / layout.row_count(), n % layout.row_count());
                for &turn in layout.sides() {
                    gather(&layout, slice, turn, row, own, &sub, &mut |gather| {
                        let target = children.get(&gather.child).unwrap_or(&layout);
                        found += compare(&layout, (slice, row, turn), &gather, target);
                    });
                }
            }
            assert!(found > 100, "{name}: {found}");
        }
    }

    /// The number of legal positions of a row whose cell of `gather` is that of a position after a pawn's step.
    fn compare(
        layout: &Layout,
        (slice, row, turn): (usize, usize, Color),
        gather: &Gather<Material>,
        target: &Layout,
    ) -> usize {
        let mut found = 0;
        for word in 0..layout.row_words() {
            let first = slice * layout.slice_words() + row * layout.row_words() + word;
            for bit in 0..64 {
                let digit = gather.digits.first().map_or(0, |digit| digit[word]);
                if digit == NOWHERE || gather.lane[bit] == NOWHERE {
                    continue;
                }
                let cell = (gather.base + digit + gather.lane[bit]) as u64;
                let at = CellId {
                    side: gather.side,
                    cell,
                };
                let (legal, mask) = (
                    target.legal(crate::sides::color(at.side), at.word()),
                    at.bit(),
                );
                let from = CellId {
                    side: side(turn),
                    cell: (first * 64 + bit) as u64,
                };
                let Some((board, _)) = layout.place(from) else {
                    continue;
                };
                let Ok(position) = Position::from_setup(&duchamp_chess::Setup {
                    board,
                    turn,
                    ..duchamp_chess::Setup::EMPTY
                }) else {
                    continue;
                };
                let mut after = position.legal_moves().into_iter().filter_map(|mv| {
                    let is_pawn = position.moved_role(mv) == Role::Pawn;
                    let next = position.play(mv);
                    (is_pawn && !position.is_capture(mv)).then_some(next)
                });
                let reached = after.any(|next| {
                    let there = target.place(at);
                    there.is_some_and(|(board, turn)| {
                        target.locate(next.board(), next.turn()) == target.locate(&board, turn)
                    })
                });
                assert_eq!(reached, legal >> mask & 1 != 0, "{position:?} {gather:?}");
                found += usize::from(reached);
            }
        }
        found
    }

    #[test]
    fn slices_lead_to_those_of_their_pushes() {
        let layout = Layout::new("KPvKP".parse().expect("a material"));
        for slice in 0..layout.slices() {
            let wave = layout
                .pawns()
                .waves()
                .iter()
                .find(|wave| wave.contains(&slice));
            let start = wave.expect("a wave").start;
            let leads_to = layout.pushes_lead_to(slice);
            assert!(leads_to.iter().all(|&to| to < start));
            assert!(leads_to.len() <= 8);
        }
        let square = |name: &str| name.parse::<Square>().expect("a square").index() as u8;
        let find =
            |squares: [&str; 2]| layout.pawns().find(&squares.map(square)).expect("placed").0;
        let leads_to = layout.pushes_lead_to(find(["a2", "c6"]));
        for to in [["a3", "c6"], ["a4", "c6"], ["a2", "c5"]] {
            assert!(leads_to.contains(&find(to)), "{to:?}");
        }
        assert!(layout.material().is_symmetric() && TableKey::men(&layout.material()) == 4);
    }
}
