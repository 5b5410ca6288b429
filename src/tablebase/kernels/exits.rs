//! The moves that leave a slice: captures, promotions and pawn pushes, valued by the tables or
//! slices that they lead into.
//!
//! All is done for one word at a time. Where the bit man takes no part in a move, the values after
//! it are a line of another table, one for each of his squares. Where he captures, one value serves
//! all his squares; where he is captured, each square has its own.
//!
//! En passant: a double step beside enemy pawns is valued by one ply of look-ahead, the better of
//! the table's value and the capture's. A stalemate of the table is no draw if the capture is legal,
//! for then the capture is forced.

use super::super::layout::{Layout, MAX_PIECES, Rows};
use super::super::legality::Fixed;
use super::super::material::Material;
use super::super::pawns::MAX_PAWNS;
use super::plan::{Kind, MAX_MEN, Man, Plan, Squares, View};
use super::worth::Worth;
use crate::chess::{Board, ByColor, Color, Piece, Position, Role, Setup, Square, attacks};
use crate::retro::{Bits, Cell, bytes};

/// The exits of a material.
#[derive(Debug)]
pub(crate) struct Exits<'a, W: Worth> {
    layout: &'a Layout,
    /// The kind of each man, the bit man last.
    men: Vec<Piece>,
    /// By [`Exits::number`], into finished tables.
    plans: Vec<Option<Plan<'a, u8>>>,
    /// By the colour that moves, into earlier slices of the same table.
    pushes: [Option<Plan<'a, W::Cell>>; 2],
}

/// Roles that a pawn may become, by number from 1 in [`Exits::number`].
const PROMOTIONS: [Role; 4] = Role::PROMOTIONS;

impl<'a, W: Worth> Exits<'a, W> {
    /// The exits of a table whose done slices are `own`; `sub` finds the finished tables.
    pub(crate) fn new(
        layout: &'a Layout,
        own: View<'a, W::Cell>,
        sub: &dyn Fn(Material) -> Option<View<'a, u8>>,
    ) -> Exits<'a, W> {
        let mut men: Vec<Piece> = layout.fixed(0).men.iter().map(|man| man.0).collect();
        men.push(layout.bit_man());
        let mut exits = Exits {
            layout,
            plans: Vec::new(),
            pushes: [const { None }; 2],
            men,
        };
        let count = exits.men.len();
        exits
            .plans
            .resize_with((count + 2) * (1 + 4 * count), || None);
        for kind in exits.kinds() {
            let number = exits.number(kind);
            exits.plans[number] = exits.plan(kind, sub);
        }
        if layout.pawns().pawns() > 0 {
            exits.pushes = Color::ALL.map(|mover| exits.plan(Kind::push(mover), |_| Some(own)));
        }
        exits
    }

    /// All kinds of exits that these men have.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for mover in Color::ALL {
            let capturable = |&m: &Man| {
                self.men[usize::from(m)].color != mover
                    && self.men[usize::from(m)].role != Role::King
            };
            let captures = (0..self.men.len() as Man)
                .filter(capturable)
                .map(Some)
                .chain([None]);
            for captured in captures {
                if captured.is_some() {
                    kinds.push(Kind {
                        mover,
                        captured,
                        promoted: None,
                    });
                }
                for (pawn, _) in self
                    .men
                    .iter()
                    .enumerate()
                    .filter(|(_, m)| m.color == mover && m.role == Role::Pawn)
                {
                    kinds.extend(PROMOTIONS.map(|role| Kind {
                        mover,
                        captured,
                        promoted: Some((pawn as Man, role)),
                    }));
                }
            }
        }
        kinds
    }

    /// The place of a kind's plan.
    #[inline]
    fn number(&self, kind: Kind) -> usize {
        let count = self.men.len();
        let captured = kind
            .captured
            .map_or(count + kind.mover.index(), usize::from);
        let promoted = kind.promoted.map_or(0, |(pawn, role)| {
            1 + 4 * usize::from(pawn) + (role.index() - 1)
        });
        captured * (1 + 4 * count) + promoted
    }

    /// How the men are placed in the table that a kind of exit leads into. `None` if that table is
    /// not at hand.
    fn plan<V>(
        &self,
        kind: Kind,
        view: impl FnOnce(Material) -> Option<View<'a, V>>,
    ) -> Option<Plan<'a, V>> {
        let after = |m: usize| match kind.promoted {
            Some((pawn, role)) if usize::from(pawn) == m => Piece {
                role,
                ..self.men[m]
            },
            _ => self.men[m],
        };
        let left: Vec<usize> = (0..self.men.len())
            .filter(|&m| kind.captured.map(usize::from) != Some(m))
            .collect();
        let mut counts = ByColor([[0; 5]; 2]);
        for &m in left.iter().filter(|&&m| after(m).role != Role::King) {
            counts[after(m).color][after(m).role.index()] += 1;
        }
        let (material, mut swapped) = Material::of_counts(counts);
        let view = view(material)?;
        let mut turn = if swapped { kind.mover } else { !kind.mover };
        if view.white_only && turn == Color::Black {
            turn = Color::White;
            swapped = !swapped;
        }
        let color = |c: Color| if swapped { !c } else { c };
        let mut free: Vec<usize> = left;
        let mut take = |piece: Piece| {
            let at = free.iter().position(|&m| {
                after(m)
                    == Piece {
                        color: color(piece.color),
                        role: piece.role,
                    }
            })?;
            Some(free.remove(at) as Man)
        };
        let king = |color| Piece {
            color,
            role: Role::King,
        };
        let kings = [take(king(Color::White))?, take(king(Color::Black))?];
        let (mut pawns, mut pieces) = ([0; MAX_PAWNS], [0; MAX_PIECES]);
        let slices = view.layout.pawns();
        for (i, slot) in pawns[..slices.pawns()].iter_mut().enumerate() {
            *slot = take(Piece {
                color: if i < slices.white() {
                    Color::White
                } else {
                    Color::Black
                },
                role: Role::Pawn,
            })?;
        }
        let bit_man = (view.layout.rows() == Rows::Pairs).then(|| view.layout.bit_man());
        let mut piece_count = 0;
        for &piece in view.layout.word_men().iter().chain(&bit_man) {
            pieces[piece_count] = take(piece)?;
            piece_count += 1;
        }
        Some(Plan {
            view,
            flip: if swapped { 56 } else { 0 },
            turn: turn.index(),
            kings,
            pawns,
            pawn_count: slices.pawns(),
            pieces,
            piece_count,
        })
    }

    /// The bit man's place among the men.
    fn bit_man(&self) -> Man {
        self.men.len() as Man - 1
    }

    /// Raises `values` to what the exits of `mover` give at the legal cells of a word.
    pub(crate) fn value(
        &self,
        mover: Color,
        fixed: &Fixed,
        word: usize,
        legal: u64,
        values: &mut [W::Cell; 64],
    ) {
        let mut squares = [0; MAX_MEN];
        for (slot, man) in squares.iter_mut().zip(&fixed.men) {
            *slot = man.1.index() as u8;
        }
        let mut word = Word {
            exits: self,
            mover,
            fixed,
            word,
            legal,
            squares,
            values,
        };
        for (i, &(man, from)) in fixed.men.iter().enumerate() {
            if man.color == mover {
                word.captures_by(i as Man, man, from);
                if man.role == Role::Pawn {
                    word.pushes(i as Man, from);
                }
            }
        }
        if self.layout.bit_man().color == mover {
            word.captures_by_bit_man();
        }
    }
}

/// One word whose exits are being valued.
struct Word<'w, 'a, W: Worth> {
    exits: &'w Exits<'a, W>,
    mover: Color,
    fixed: &'w Fixed,
    /// Its number.
    word: usize,
    legal: u64,
    squares: Squares,
    values: &'w mut [W::Cell; 64],
}

impl<W: Worth> Word<'_, '_, W> {
    /// Captures by a man whose square is fixed.
    fn captures_by(&mut self, man: Man, piece: Piece, from: Square) {
        let attacked = attacks::of(piece.role, piece.color, from, self.fixed.occupied);
        for (j, &(enemy, at)) in self.fixed.men.iter().enumerate() {
            if enemy.color != self.mover && enemy.role != Role::King && attacked.has(at) {
                let cells = self.legal & !attacks::between(from, at).0;
                self.moved(man, piece, at, Some(j as Man), cells);
            }
        }
        let bit_man = self.exits.layout.bit_man();
        let cells = self.legal & attacked.0;
        if cells != 0 && bit_man.color != self.mover && bit_man.role != Role::King {
            let last = if piece.role == Role::Pawn {
                cells & LAST_RANKS
            } else {
                0
            };
            for (cells, roles) in [(cells & !last, &[None][..]), (last, &PROMOTIONS.map(Some))] {
                for role in roles.iter().filter(|_| cells != 0) {
                    let kind = Kind {
                        mover: self.mover,
                        captured: Some(self.exits.bit_man()),
                        promoted: role.map(|role| (man, role)),
                    };
                    self.exits
                        .line(kind, &self.squares, man, cells, self.values);
                }
            }
        }
    }

    /// Captures by the bit man.
    fn captures_by_bit_man(&mut self) {
        let bit_man = self.exits.bit_man();
        let piece = self.exits.layout.bit_man();
        for (j, &(enemy, at)) in self.fixed.men.iter().enumerate() {
            if enemy.color != self.mover && enemy.role != Role::King {
                // Not a pawn: it goes where it comes from.
                let from =
                    attacks::of(piece.role, piece.color, at, self.fixed.occupied).0 & self.legal;
                if from != 0 {
                    self.squares[usize::from(bit_man)] = at.index() as u8;
                    let kind = Kind {
                        mover: self.mover,
                        captured: Some(j as Man),
                        promoted: None,
                    };
                    if let Some(value) = self.exits.converting(kind, &self.squares) {
                        raise_to(self.values, value, from);
                    }
                }
            }
        }
    }

    /// Pushes of a pawn, promotions among them.
    fn pushes(&mut self, man: Man, from: Square) {
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
            self.moved(man, piece, one, None, cells);
        } else {
            self.pushed(man, one, cells);
        }
        let two = one
            .offset(0, step)
            .filter(|&to| from.rank().index() == start && !self.fixed.occupied.has(to));
        if let Some(two) = two {
            let cells = cells & !(1 << two.index());
            let takers: Vec<Man> = (0..self.fixed.men.len() as Man)
                .filter(|&m| self.can_take_passing(m, two))
                .collect();
            if takers.is_empty() {
                self.pushed(man, two, cells);
            } else {
                self.double_step(man, one, two, &takers, cells);
            }
        }
    }

    /// Whether a man is an enemy pawn beside `square`.
    fn can_take_passing(&self, man: Man, square: Square) -> bool {
        let (piece, at) = self.fixed.men[usize::from(man)];
        piece.color != self.mover
            && piece.role == Role::Pawn
            && (at.offset(1, 0) == Some(square) || at.offset(-1, 0) == Some(square))
    }

    /// A double step over `passed` that gives en-passant rights, cell by cell.
    fn double_step(&mut self, man: Man, passed: Square, to: Square, takers: &[Man], cells: u64) {
        let exits = self.exits;
        let (mover, bit_man, from) = (
            self.mover,
            usize::from(exits.bit_man()),
            self.squares[usize::from(man)],
        );
        for bit in Bits(cells) {
            self.squares[bit_man] = bit as u8;
            self.squares[usize::from(man)] = to.index() as u8;
            let Some(mut best) = exits.pushed(mover, &self.squares) else {
                continue;
            };
            let mut stalemate = None;
            for &taker in takers {
                let mut after = self.squares;
                after[usize::from(taker)] = passed.index() as u8;
                let kind = Kind {
                    mover: !mover,
                    captured: Some(man),
                    promoted: None,
                };
                let Some(value) = exits.converting(kind, &after) else {
                    continue;
                };
                if value < Cell::DRAW
                    && best == Cell::DRAW
                    && *stalemate.get_or_insert_with(|| exits.is_stuck(!mover, &self.squares))
                {
                    best = value;
                }
                best = best.max(value);
            }
            raise_to(self.values, W::push(best), 1 << bit);
        }
        self.squares[usize::from(man)] = from;
    }

    /// Values the arrival of a fixed man on `to` at the given cells, as every man that it can
    /// become; the man captured, if any, is not the bit man.
    fn moved(&mut self, man: Man, piece: Piece, to: Square, captured: Option<Man>, cells: u64) {
        if cells == 0 {
            return;
        }
        let bit_man = self.exits.bit_man();
        let from = std::mem::replace(&mut self.squares[usize::from(man)], to.index() as u8);
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
                promoted: role.map(|role| (man, role)),
            };
            if kind == Kind::push(self.mover) {
                if let Some(plan) = &self.exits.pushes[self.mover.index()] {
                    let values = &mut *self.values;
                    plan.line(&self.squares, bit_man, cells, |bit, value, _| {
                        values[bit] = values[bit].max(W::push(value));
                    });
                }
            } else {
                self.exits
                    .line(kind, &self.squares, bit_man, cells, self.values);
            }
        }
        self.squares[usize::from(man)] = from;
    }

    /// A push inside the table: all else stays, so the values are a word of another slice.
    fn pushed(&mut self, man: Man, to: Square, cells: u64) {
        let layout = self.exits.layout;
        let mut pawns = [0; MAX_PAWNS];
        let first = layout.first_pawn();
        for (i, slot) in pawns[..layout.pawns().pawns()].iter_mut().enumerate() {
            *slot = if first + i == usize::from(man) {
                to.index() as u8
            } else {
                self.squares[first + i]
            };
        }
        match layout.pawns().find(&pawns) {
            Some((slice, symmetry)) if symmetry.is_none() => {
                let word = self.word % layout.slice_words() + slice * layout.slice_words();
                if let Some(plan) = &self.exits.pushes[self.mover.index()] {
                    let (after, cells) = (plan.word(word), cells & !plan.void(word));
                    raise(self.values, after.map(W::push), cells);
                }
            }
            _ => self.moved(
                man,
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

impl<W: Worth> Exits<'_, W> {
    /// What a capture or promotion is worth; `None` if it is illegal.
    fn converting(&self, kind: Kind, squares: &Squares) -> Option<W::Cell> {
        let plan = self.plans[self.number(kind)].as_ref()?;
        let (code, cursed) = plan.at(plan.view.layout.any_cell(&plan.placement(squares))?)?;
        Some(W::converting(code, cursed))
    }

    /// The value after a push, as the side then to move sees it; `None` if the push is illegal.
    fn pushed(&self, mover: Color, squares: &Squares) -> Option<W::Cell> {
        let plan = self.pushes[mover.index()].as_ref()?;
        let (value, _) = plan.at(plan.view.layout.any_cell(&plan.placement(squares))?)?;
        Some(value)
    }

    /// Raises the values of some cells to what a capture or promotion gives. The cells are squares
    /// of the bit man, and after the exit those of the man `free`: himself, or who captures him.
    fn line(
        &self,
        kind: Kind,
        squares: &Squares,
        free: Man,
        cells: u64,
        values: &mut [W::Cell; 64],
    ) {
        let Some(plan) = &self.plans[self.number(kind)] else {
            return;
        };
        if let Some(word) = plan.straight(squares, free) {
            let cells = cells & !plan.void(word);
            let cursed = plan.view.cursed[plan.turn].map_or(0, |set| set[word]);
            if cursed == 0 {
                raise(
                    values,
                    plan.word(word).map(|code| W::converting(code, false)),
                    cells,
                );
                return;
            }
        }
        plan.line(squares, free, cells, |bit, code, cursed| {
            values[bit] = values[bit].max(W::converting(code, cursed));
        });
    }

    /// Whether a side has no legal move (en passant aside), by the rules of the chess room.
    fn is_stuck(&self, turn: Color, squares: &Squares) -> bool {
        let mut board = Board::EMPTY;
        for (&man, &square) in self.men.iter().zip(squares) {
            board.put(man, Square::wrapping(square.into()));
        }
        let position = Position::from_setup(&Setup {
            board,
            turn,
            ..Setup::EMPTY
        });
        position.is_ok_and(|position| position.legal_moves().is_empty())
    }
}

/// Raises the values where `cells` has a bit to those of `with`.
#[inline(always)]
fn raise<C: Cell>(values: &mut [C; 64], with: [C; 64], cells: u64) {
    if cells == 0 {
        return;
    }
    let mask = bytes::spread(cells);
    for ((value, with), mask) in values.iter_mut().zip(with).zip(mask) {
        *value = (*value).max(if mask == 0 { C::NONE } else { with });
    }
}

/// Raises the values where `cells` has a bit to at least `with`.
#[inline(always)]
fn raise_to<C: Cell>(values: &mut [C; 64], with: C, cells: u64) {
    for bit in Bits(cells) {
        values[bit] = values[bit].max(with);
    }
}
