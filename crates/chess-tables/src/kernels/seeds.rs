//! One row of a slice at the start: which cells are positions, which are checks, and what their exits
//! are worth.
//!
//! All is done for one word at a time. Where the lane piece takes no part in an exit, the values after
//! it are a line of another table, one for each of its squares. Where it captures, one value serves
//! all its squares; where it is captured, the values are a line over the squares of the piece that takes
//! it. Many words of a row need the same lines, so those of the indexed pieces' captures are kept.
//!
//! En passant: a double step beside enemy pawns is valued by one ply of look-ahead, the better of
//! the table's value and the capture's. A stalemate of the table is no draw if the capture is legal,
//! for then the capture is forced.

use super::super::layout::{Layout, Rows};
use super::super::legality::{Fixed, RowChecks};
use super::super::pawns::MAX_PAWNS;
use super::exits::{Exits, PROMOTIONS};
use super::remap::{Kind, PieceIndex, SLOTS, Squares, raise};
use arrayvec::ArrayVec;
use duchamp_chess::{Color, Piece, Role, Square, attacks};
use duchamp_retro::{Bits, Cell};
use duchamp_tablebase::Worth;

/// A row with one side to move, and the word of it that is being described.
pub(crate) struct Seeds<'w, 'a, W: Worth> {
    exits: &'w Exits<'a, W>,
    layout: &'a Layout,
    mover: Color,
    checks: RowChecks,
    /// Lines by [`Seeds::keep`].
    lines: Vec<Lines<W::Cell>>,
    /// Where the king can take the lane piece.
    king_steps: ArrayVec<KingStep, 8>,
    /// The word's number in its slice, then what it fixes.
    word: usize,
    fixed: Fixed,
    squares: Squares,
    legal: u64,
    values: [W::Cell; 64],
}

/// Lines of values for all squares of one piece, by the squares of other indexed pieces; made when first needed.
struct Lines<C> {
    made: Vec<u64>,
    lines: Vec<[C; 64]>,
}

/// A step of the king onto the lane piece's square.
struct KingStep {
    to: u8,
    /// Where the row begins that it leads to, and how the board is turned into it.
    cell: usize,
    turned: &'static [u8; 64],
}

/// What is said of a word: the positions, those in check, and what their exits are worth.
pub(crate) type Described<'s, C> = (u64, u64, &'s [C; 64]);

impl<'w, 'a, W: Worth> Seeds<'w, 'a, W> {
    /// The row `row` of `slice` with `mover` to move.
    pub(crate) fn new(
        exits: &'w Exits<'a, W>,
        mover: Color,
        slice: usize,
        row: usize,
    ) -> Seeds<'w, 'a, W> {
        let layout = exits.layout;
        let word = row * layout.row_words();
        let fixed = layout.fixed(slice * layout.slice_words() + word);
        let mut squares = [0; SLOTS];
        for (slot, piece) in squares.iter_mut().zip(&fixed.pieces) {
            *slot = piece.1.index() as u8;
        }
        let mut seeds = Seeds {
            exits,
            layout,
            mover,
            checks: layout.row_checks(&fixed),
            lines: Vec::new(),
            king_steps: ArrayVec::new(),
            word,
            fixed,
            squares,
            legal: 0,
            values: [W::Cell::NONE; 64],
        };
        if layout.rows() == Rows::Pairs && layout.lane_piece().color != mover {
            seeds.find_king_steps();
        }
        seeds
    }

    /// Finds the places after the king's captures of the lane piece.
    fn find_king_steps(&mut self) {
        let king = self.mover.index();
        let Some(plan) = &self.exits.plans[self.exits.number(self.taking_lane_piece())] else {
            return;
        };
        let from = self.fixed.pieces[king].1;
        let mut squares = self.squares;
        for to in attacks::king(from) {
            squares[king] = to.index() as u8;
            if let Some((cell, turned)) = plan.row(&squares) {
                self.king_steps.push(KingStep {
                    to: to.index() as u8,
                    cell,
                    turned,
                });
            }
        }
    }

    /// Captures of the lane piece, not by a pawn that promotes.
    fn taking_lane_piece(&self) -> Kind {
        Kind {
            mover: self.mover,
            captured: Some(self.exits.lane_piece()),
            promoted: None,
        }
    }

    /// Describes word `number` of the row; `None` if it holds no position.
    pub(crate) fn word(&mut self, number: usize) -> Option<Described<'_, W::Cell>> {
        let layout = self.layout;
        let men = layout.indexed_pieces().len();
        let first = self.fixed.pieces.len() - men;
        let mut occupied = self.checks.occupied();
        for i in 0..men {
            let square = (number >> (6 * (men - 1 - i)) & 63) as u8;
            if occupied >> square & 1 != 0 {
                return None;
            }
            occupied |= 1 << square;
            self.squares[first + i] = square;
            self.fixed.pieces[first + i].1 = Square::wrapping(square.into());
        }
        self.fixed.occupied = duchamp_chess::Bitboard(occupied);
        self.legal = layout.legal_in(&self.checks, &self.fixed, self.mover);
        if self.legal == 0 {
            return None;
        }
        let check = self.legal & layout.attacked_in(&self.checks, &self.fixed, self.mover).0;
        self.values = [W::Cell::NONE; 64];
        self.word = self.word / layout.row_words() * layout.row_words() + number;
        self.find_exits(first);
        Some((self.legal, check, &self.values))
    }

    fn find_exits(&mut self, first_indexed_piece: usize) {
        for i in 0..self.fixed.pieces.len() {
            let (piece, from) = self.fixed.pieces[i];
            if piece.color != self.mover {
                continue;
            }
            if i >= first_indexed_piece {
                self.captures_by_indexed_piece(i as PieceIndex, piece, from);
            } else {
                self.captures_by(i as PieceIndex, piece, from);
            }
            if piece.role == Role::Pawn {
                self.pushes(i as PieceIndex, from);
            }
        }
        if self.layout.lane_piece().color == self.mover {
            self.captures_by_lane_piece(first_indexed_piece);
        }
    }

    /// Captures by an indexed piece.
    fn captures_by_indexed_piece(&mut self, index: PieceIndex, piece: Piece, from: Square) {
        let attacked = attacks::of(piece.role, piece.color, from, self.fixed.occupied);
        let lane_piece = self.exits.lane_piece();
        for j in 0..self.fixed.pieces.len() {
            let (enemy, at) = self.fixed.pieces[j];
            if enemy.color != self.mover && enemy.role != Role::King && attacked.has(at) {
                let cells = self.legal & !attacks::between(from, at).0;
                if cells != 0 {
                    self.squares[usize::from(index)] = at.index() as u8;
                    let (kind, number) = self.ready(j as PieceIndex, index, lane_piece);
                    raise(&mut self.values, &self.lines[kind].lines[number], cells);
                    self.squares[usize::from(index)] = from.index() as u8;
                }
            }
        }
        let taken = self.layout.lane_piece();
        let cells = self.legal & attacked.0;
        if cells == 0 || taken.color == self.mover {
            return;
        }
        if taken.role != Role::King {
            let (kind, number) = self.ready(lane_piece, index, index);
            raise(&mut self.values, &self.lines[kind].lines[number], cells);
        }
    }

    /// Has the line ready of what it is worth when `taker`, an indexed piece or the lane piece, takes
    /// `captured`, for each square of the piece `free`. The taker's square is already its new one.
    fn ready(
        &mut self,
        captured: PieceIndex,
        taker: PieceIndex,
        free: PieceIndex,
    ) -> (usize, usize) {
        let kind = Kind {
            mover: self.mover,
            captured: Some(captured),
            promoted: None,
        };
        let (place, number) = self.keep(captured, taker);
        let lines = &mut self.lines[place];
        if lines.made[number / 64] >> (number % 64) & 1 == 0 {
            lines.made[number / 64] |= 1 << (number % 64);
            let line = &mut lines.lines[number];
            self.exits.line(kind, &self.squares, free, !0, line);
        }
        (place, number)
    }

    /// Where a line is kept: among the lines of one kind, by the squares of the indexed pieces but one:
    /// the one captured, or if that is the lane piece or a pawn, the one who captures it, whose new
    /// square is given by that.
    fn keep(&mut self, captured: PieceIndex, taker: PieceIndex) -> (usize, usize) {
        let men = self.layout.indexed_pieces().len();
        let (count, first) = (self.fixed.pieces.len(), self.fixed.pieces.len() - men);
        let captures_indexed_piece = (first..count).contains(&usize::from(captured));
        // All who take the same indexed piece share their lines.
        let (kind, without) = if captures_indexed_piece {
            (usize::from(captured), captured)
        } else {
            (
                (count + 1) * (1 + usize::from(taker)) + usize::from(captured),
                taker,
            )
        };
        let number = (first..count)
            .filter(|&index| index != usize::from(without))
            .fold(0, |number, index| {
                number << 6 | usize::from(self.squares[index])
            });
        if self.lines.len() <= kind {
            self.lines.resize_with(kind + 1, || Lines {
                made: Vec::new(),
                lines: Vec::new(),
            });
        }
        let lines = &mut self.lines[kind];
        if lines.lines.is_empty() {
            let count = 1 << (6 * men.saturating_sub(1));
            lines.lines = vec![[W::Cell::NONE; 64]; count];
            lines.made = vec![0; count.div_ceil(64)];
        }
        (kind, number)
    }

    /// Captures by a king or a pawn.
    fn captures_by(&mut self, index: PieceIndex, piece: Piece, from: Square) {
        let attacked = attacks::of(piece.role, piece.color, from, self.fixed.occupied);
        for j in 0..self.fixed.pieces.len() {
            let (enemy, at) = self.fixed.pieces[j];
            if enemy.color != self.mover && enemy.role != Role::King && attacked.has(at) {
                self.moved(index, piece, at, Some(j as PieceIndex), self.legal);
            }
        }
        let lane_piece = self.layout.lane_piece();
        let cells = self.legal & attacked.0;
        if cells == 0 || lane_piece.color == self.mover || lane_piece.role == Role::King {
            return;
        }
        if piece.role == Role::King {
            self.king_takes_lane_piece(cells);
            return;
        }
        let last = cells & LAST_RANKS;
        for (cells, roles) in [(cells & !last, &[None][..]), (last, &PROMOTIONS.map(Some))] {
            for role in roles.iter().filter(|_| cells != 0) {
                let kind = Kind {
                    promoted: role.map(|role| (index, role)),
                    ..self.taking_lane_piece()
                };
                self.exits
                    .line(kind, &self.squares, index, cells, &mut self.values);
            }
        }
    }

    fn king_takes_lane_piece(&mut self, cells: u64) {
        let kind = self.taking_lane_piece();
        let Some(plan) = &self.exits.plans[self.exits.number(kind)] else {
            return;
        };
        let pieces = &plan.pieces[..plan.piece_count];
        for step in &self.king_steps {
            if cells >> step.to & 1 == 0 {
                continue;
            }
            let number = pieces.iter().fold(0, |number, &index| {
                let square = self.squares[usize::from(index)];
                number << 6 | usize::from(step.turned[usize::from(square & 63)])
            });
            if let Some((code, cursed)) = plan.at(step.cell | number) {
                let value = &mut self.values[usize::from(step.to)];
                *value = (*value).max(W::converting(code, cursed));
            }
        }
    }

    /// Captures by the lane piece.
    fn captures_by_lane_piece(&mut self, first_indexed_piece: usize) {
        let lane_piece = self.exits.lane_piece();
        let piece = self.layout.lane_piece();
        for j in 0..self.fixed.pieces.len() {
            let (enemy, at) = self.fixed.pieces[j];
            if enemy.color == self.mover || enemy.role == Role::King {
                continue;
            }
            // Not a pawn: it goes where it comes from.
            let from = attacks::of(piece.role, piece.color, at, self.fixed.occupied).0 & self.legal;
            if from == 0 {
                continue;
            }
            self.squares[usize::from(lane_piece)] = at.index() as u8;
            let kind = Kind {
                mover: self.mover,
                captured: Some(j as PieceIndex),
                promoted: None,
            };
            let value = if j >= first_indexed_piece && piece.role != Role::King {
                let (place, number) = self.ready(j as PieceIndex, lane_piece, lane_piece);
                Some(self.lines[place].lines[number][at.index()])
            } else {
                self.exits.converting(kind, &self.squares)
            };
            if let Some(value) = value {
                raise_to(&mut self.values, value, from);
            }
        }
    }

    /// Pushes of a pawn, promotions among them.
    fn pushes(&mut self, index: PieceIndex, from: Square) {
        let (step, start) = if self.mover == Color::White {
            (1, 1)
        } else {
            (-1, 6)
        };
        let piece = Piece {
            color: self.mover,
            role: Role::Pawn,
        };
        let Some(one) = from
            .offset(0, step)
            .filter(|&to| !self.fixed.occupied.has(to))
        else {
            return;
        };
        let cells = self.legal & !(1 << one.index());
        if matches!(one.rank().index(), 0 | 7) {
            self.moved(index, piece, one, None, cells);
        } else {
            self.pushed(index, one, cells);
        }
        let two = one
            .offset(0, step)
            .filter(|&to| from.rank().index() == start && !self.fixed.occupied.has(to));
        if let Some(two) = two {
            let cells = cells & !(1 << two.index());
            let takers: Vec<PieceIndex> = (0..self.fixed.pieces.len() as PieceIndex)
                .filter(|&m| self.can_take_passing(m, two))
                .collect();
            if takers.is_empty() {
                self.pushed(index, two, cells);
            } else {
                self.double_step(index, one, two, &takers, cells);
            }
        }
    }

    /// Whether a piece is an enemy pawn beside `square`.
    fn can_take_passing(&self, index: PieceIndex, square: Square) -> bool {
        let (piece, at) = self.fixed.pieces[usize::from(index)];
        piece.color != self.mover
            && piece.role == Role::Pawn
            && (at.offset(1, 0) == Some(square) || at.offset(-1, 0) == Some(square))
    }

    /// A double step over `passed` that gives en-passant rights, cell by cell.
    fn double_step(
        &mut self,
        index: PieceIndex,
        passed: Square,
        to: Square,
        takers: &[PieceIndex],
        cells: u64,
    ) {
        let exits = self.exits;
        let (mover, lane_piece, from) = (
            self.mover,
            usize::from(exits.lane_piece()),
            self.squares[usize::from(index)],
        );
        for bit in Bits(cells) {
            self.squares[lane_piece] = bit as u8;
            self.squares[usize::from(index)] = to.index() as u8;
            let Some(pushed) = exits.pushed(mover, &self.squares) else {
                continue;
            };
            let mut taken: Option<W::Cell> = None;
            for &taker in takers {
                let mut after = self.squares;
                after[usize::from(taker)] = passed.index() as u8;
                let kind = Kind {
                    mover: !mover,
                    captured: Some(index),
                    promoted: None,
                };
                let Some(value) = exits.converting(kind, &after) else {
                    continue;
                };
                taken = taken.max(Some(value));
            }
            let best = with_en_passant(pushed, taken, || exits.is_stuck(!mover, &self.squares));
            raise_to(&mut self.values, W::push(best), 1 << bit);
        }
        self.squares[usize::from(index)] = from;
    }

    /// Values the arrival of a fixed piece on `to` at the given cells, as every piece that it can
    /// become; the piece captured, if any, is not the lane piece.
    fn moved(
        &mut self,
        index: PieceIndex,
        piece: Piece,
        to: Square,
        captured: Option<PieceIndex>,
        cells: u64,
    ) {
        if cells == 0 {
            return;
        }
        let lane_piece = self.exits.lane_piece();
        let from = std::mem::replace(&mut self.squares[usize::from(index)], to.index() as u8);
        let promotes = piece.role == Role::Pawn && matches!(to.rank().index(), 0 | 7);
        let roles: &[Option<Role>] = if promotes {
            &PROMOTIONS.map(Some)
        } else {
            &[None]
        };
        for &role in roles {
            let kind = Kind {
                mover: self.mover,
                captured,
                promoted: role.map(|role| (index, role)),
            };
            if kind == Kind::push(self.mover) {
                if let Some(plan) = &self.exits.pushes[self.mover.index()] {
                    let values = &mut self.values;
                    plan.line(&self.squares, lane_piece, cells, |bit, own, cursed| {
                        values[bit] = values[bit].max(W::push(W::stored(own, cursed)));
                    });
                }
            } else {
                self.exits
                    .line(kind, &self.squares, lane_piece, cells, &mut self.values);
            }
        }
        self.squares[usize::from(index)] = from;
    }

    /// A push inside the table: all else stays, so the values are a word of another slice.
    fn pushed(&mut self, index: PieceIndex, to: Square, cells: u64) {
        let layout = self.exits.layout;
        let mut pawns = [0; MAX_PAWNS];
        let first = layout.first_pawn();
        for (i, slot) in pawns[..layout.pawns().pawns()].iter_mut().enumerate() {
            *slot = if first + i == usize::from(index) {
                to.index() as u8
            } else {
                self.squares[first + i]
            };
        }
        let Some(plan) = &self.exits.pushes[self.mover.index()] else {
            return;
        };
        match layout.pawns().find(&pawns) {
            Some((slice, symmetry)) if symmetry.is_none() && plan.flip == 0 => {
                let word = self.word + slice * layout.slice_words();
                let (after, cells) = (plan.word(word), cells & !plan.void(word));
                let cursed = plan.cursed(word);
                for (set, is) in [(cells & !cursed, false), (cells & cursed, true)] {
                    if set != 0 {
                        let with = after.map(|own| W::push(W::stored(own, is)));
                        raise(&mut self.values, &with, set);
                    }
                }
            }
            _ => self.moved(
                index,
                Piece {
                    color: self.mover,
                    role: Role::Pawn,
                },
                to,
                None,
                cells,
            ),
        }
    }
}

/// The first and the last rank.
const LAST_RANKS: u64 = 0xFF00_0000_0000_00FF;

/// Raises the values where `cells` has a bit to at least `with`.
#[inline(always)]
fn raise_to<C: Cell>(values: &mut [C; 64], with: C, cells: u64) {
    for bit in Bits(cells) {
        values[bit] = values[bit].max(with);
    }
}

/// The value of a position with an en-passant right, for who has it: `table` without that right, `taken` the best
/// capture, if there is a legal one. Who has no other move must take; a table takes that for stalemate.
fn with_en_passant<C: Cell>(table: C, taken: Option<C>, is_stuck: impl FnOnce() -> bool) -> C {
    match taken {
        None => table,
        Some(taken) if taken < C::DRAW && table == C::DRAW && is_stuck() => taken,
        Some(taken) => table.max(taken),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_retro::Code;

    #[test]
    fn who_must_take_en_passant_takes_best() {
        let (draw, loss, win) = (Code::DRAW, Code::loss(8), Code::win(9));
        let stuck = |taken: &[Code]| {
            let best = taken.iter().copied().max();
            with_en_passant(draw, best, || true)
        };
        assert_eq!(stuck(&[]), draw);
        assert_eq!(stuck(&[loss]), loss);
        // Of two captures the better one counts, whichever comes first.
        assert_eq!((stuck(&[draw, loss]), stuck(&[loss, draw])), (draw, draw));
        assert_eq!((stuck(&[win, loss]), stuck(&[loss, win])), (win, win));
        // With other moves nobody need take.
        assert_eq!(with_en_passant(draw, Some(loss), || false), draw);
        assert_eq!(
            with_en_passant(loss, Some(draw), || unreachable!("no draw")),
            draw
        );
    }
}
