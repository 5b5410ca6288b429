//! The pawns of a restricted table: all structures that can come up without a capture, and the pawn moves between them.
//!
//! Pawns that block each other simply never get anywhere, so a blocked position has few structures, often one.

use duchamp_chess::{Bitboard, Color, Square, attacks};
use std::collections::HashMap;

/// More structures than this are refused.
const MOST: usize = 1 << 20;

/// A pawn of a restricted table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pawn {
    pub(super) color: Color,
    /// Where the rules let it stand.
    pub(super) allowed: Bitboard,
}

/// A pawn move from one structure to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    /// The other structure.
    pub(super) structure: u32,
    /// Squares that have to be empty of pieces: where the pawn goes, and what it passes.
    pub(super) way: Bitboard,
}

/// One structure.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// By pawn, in the order of the restricted table.
    pub(super) squares: Vec<Square>,
    pub(super) colors: [Bitboard; 2],
    /// By colour of the pawn: moves to later structures.
    pub(super) forth: [Vec<Push>; 2],
    /// By colour of the pawn: the structures that moves lead here from.
    pub(super) back: [Vec<u32>; 2],
    /// Whether a double step of the side that is not bound may just have led here and may be taken en passant.
    pub(super) passed: bool,
}

/// All structures of a restricted table.
#[derive(Clone, Debug)]
pub(super) struct Structures {
    pub(super) all: Vec<Structure>,
    numbers: HashMap<Vec<Square>, u32>,
}

impl Structures {
    /// All that `pawns` can come to from some first structures. The bound side never makes a double step that could be
    /// taken en passant: leaving out a move of its own is sound. `None` if there are too many.
    pub(super) fn new(pawns: &[Pawn], starts: &[Vec<Square>], bound: Color) -> Option<Structures> {
        let mut structures = Structures {
            all: Vec::new(),
            numbers: HashMap::new(),
        };
        for start in starts {
            structures.number(start.clone(), pawns);
        }
        let mut next = 0;
        while next < structures.all.len() {
            if structures.all.len() > MOST {
                return None;
            }
            structures.expand(next, pawns, bound);
            next += 1;
        }
        Some(structures)
    }

    /// The number of a structure, known or new.
    fn number(&mut self, squares: Vec<Square>, pawns: &[Pawn]) -> u32 {
        if let Some(&number) = self.numbers.get(&squares) {
            return number;
        }
        let mut colors = [Bitboard::EMPTY; 2];
        for (pawn, &square) in pawns.iter().zip(&squares) {
            colors[pawn.color.index()] |= square.into();
        }
        let number = self.all.len() as u32;
        self.numbers.insert(squares.clone(), number);
        self.all.push(Structure {
            squares,
            colors,
            forth: [Vec::new(), Vec::new()],
            back: [Vec::new(), Vec::new()],
            passed: false,
        });
        number
    }

    /// Finds the pawn moves of a structure.
    fn expand(&mut self, from: usize, pawns: &[Pawn], bound: Color) {
        for (i, pawn) in pawns.iter().enumerate() {
            let Structure {
                squares, colors, ..
            } = &self.all[from];
            let occupied = colors[0] | colors[1];
            let (square, others) = (squares[i], colors[(!pawn.color).index()]);
            let squares = squares.clone();
            for target in steps(pawn.color, square, occupied) {
                let double = target.file() == square.file()
                    && target.rank().index().abs_diff(square.rank().index()) == 2;
                let way = Bitboard::from(target) | attacks::between(square, target);
                let passable = double && (beside(target) & others).any();
                if !pawn.allowed.has(target) || passable && pawn.color == bound {
                    continue;
                }
                let mut later = squares.clone();
                later[i] = target;
                let to = self.number(later, pawns);
                self.all[to as usize].passed |= passable;
                let color = pawn.color.index();
                self.all[from].forth[color].push(Push { structure: to, way });
                self.all[to as usize].back[color].push(from as u32);
            }
        }
    }

    /// The number of a structure, given as the squares of its pawns in the order of the restricted table.
    pub(super) fn find(&self, squares: &[Square]) -> Option<usize> {
        self.numbers.get(squares).map(|&number| number as usize)
    }

    /// The square on which a pawn stands in every structure, if it never moves.
    pub(super) fn fixed(&self, pawn: usize) -> Option<Square> {
        let mut squares = self.all.iter().map(|structure| structure.squares[pawn]);
        let first = squares.next()?;
        squares.all(|square| square == first).then_some(first)
    }
}

/// Whether a move is a double step of a pawn of `color` that an enemy pawn beside it could take, if nothing forbids it.
pub(super) fn may_be_passed(color: Color, from: Square, to: Square, enemies: Bitboard) -> bool {
    let double = from.relative(color).rank().index() == 1 && to.relative(color).rank().index() == 3;
    double && from.file() == to.file() && (beside(to) & enemies).any()
}

/// The squares to the left and right.
fn beside(square: Square) -> Bitboard {
    let square = Bitboard::from(square);
    square.east() | square.west()
}

/// Where a pawn can step to, short of promotion, among pawns.
pub(super) fn steps(color: Color, square: Square, occupied: Bitboard) -> Vec<Square> {
    let forth = match color {
        Color::White => 1,
        Color::Black => -1,
    };
    let free = |square: &Square| !occupied.has(*square);
    let one = square
        .offset(0, forth)
        .filter(|to| to.relative(color).rank().index() < 7)
        .filter(free);
    let two = one
        .filter(|_| square.relative(color).rank().index() == 1)
        .and_then(|one| one.offset(0, forth))
        .filter(free);
    one.into_iter().chain(two).collect()
}
