//! The restricted table: which placements there are, and their numbers.
//!
//! Sixty-four positions a word: the bits are the squares of one chosen piece (the one with the most squares), the word's
//! number says where the others stand, in mixed radix, the pawns together as one digit. A piece that may stand on few squares makes
//! the restricted table small. Identical pieces are told apart, so a placement has a number for each order of them that their rules
//! allow; they get the same value if the rules are the same.

use super::structures::{Pawn, Structures};
use duchamp_chess::{Bitboard, Board, Color, Piece, Role, Square, attacks};
use std::ops::Range;

/// Words of a row.
pub(super) const ROW: usize = 64;

/// The most pieces of a restricted table.
pub const MOST_MEN: usize = 10;

/// A piece of a restricted table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Man {
    pub(super) piece: Piece,
    /// Where the rules let it stand.
    pub(super) allowed: Bitboard,
    /// Whose rules these are, among the pieces of the start; `None` for a piece that was promoted.
    pub(super) rule: Option<usize>,
}

/// A piece other than the lane piece.
#[derive(Clone, Debug)]
pub(super) struct Digit {
    pub(super) man: usize,
    pub(super) piece: Piece,
    pub(super) squares: Vec<Square>,
    set: Bitboard,
    numbers: [u8; 64],
    pub(super) stride: usize,
}

impl Digit {
    /// How many words further a position is if this piece stands on another of its squares.
    #[inline]
    pub(super) fn shift(&self, word: usize, from: Square, to: Square) -> usize {
        word + self.stride * usize::from(self.numbers[to.index()])
            - self.stride * usize::from(self.numbers[from.index()])
    }

    /// Its squares as a set.
    #[inline]
    pub(super) fn set(&self) -> Bitboard {
        self.set
    }
}

/// A restricted table of placements and their numbers.
#[derive(Clone, Debug)]
pub(super) struct TableLayout {
    pub(super) men: Vec<Man>,
    /// The lane piece: a piece or king.
    pub(super) bit: usize,
    /// The squares of the lane piece.
    pub(super) bit_squares: Bitboard,
    pub(super) digits: Vec<Digit>,
    /// The pieces that are pawns, in the order of the structures.
    pub(super) pawns: Vec<usize>,
    pub(super) structures: Structures,
    pub(super) words: usize,
}

/// The pieces of a word, all but the lane piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// By digit.
    pub(super) at: [Square; MOST_MEN],
    pub(super) structure: usize,
    pub(super) colors: [Bitboard; 2],
    pub(super) occupied: Bitboard,
}

/// Why there is no restricted table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LayoutError {
    /// Too many structures.
    #[error("the pawns can form more than a million structures: restrict them")]
    Structures,
    /// More than can be numbered.
    #[error("the rules leave more than {MOST_ENTRIES} placements: restrict more pieces")]
    Placements,
    /// No square is left.
    #[error("no square is left for {0}")]
    NoSquare(String),
}

/// More placements than this are refused.
pub(super) const MOST_ENTRIES: u64 = 1 << 36;

impl TableLayout {
    /// The restricted table of some pieces whose pawns start in one of several structures, and whose pieces on any of the squares of
    /// `from`. Kings may start on the squares `checked` even if a pawn that never moves guards them.
    pub(super) fn new(
        men: Vec<Man>,
        from: &[Bitboard],
        starts: &[Vec<Square>],
        checked: Bitboard,
        bound: Color,
    ) -> Result<TableLayout, LayoutError> {
        let pawns: Vec<usize> = (0..men.len())
            .filter(|&i| men[i].piece.role == Role::Pawn)
            .collect();
        let list: Vec<Pawn> = pawns
            .iter()
            .map(|&i| Pawn {
                color: men[i].piece.color,
                allowed: men[i].allowed,
            })
            .collect();
        let structures = Structures::new(&list, starts, bound).ok_or(LayoutError::Structures)?;
        let fixed: Vec<Option<Square>> = (0..pawns.len()).map(|i| structures.fixed(i)).collect();
        let mut pieces = Vec::new();
        for (i, man) in men.iter().enumerate() {
            if man.piece.role != Role::Pawn {
                let squares = man.allowed - hindered(man.piece, &list, &fixed, checked);
                let squares = reached(man.piece, from[i] & squares, squares, &fixed);
                if squares.is_empty() {
                    return Err(LayoutError::NoSquare(man.piece.to_char().to_string()));
                }
                pieces.push((i, squares));
            }
        }
        // Few squares first: the last digits and the lane piece get the most.
        pieces.sort_by_key(|&(i, squares)| (squares.count(), std::cmp::Reverse(i)));
        let (bit, bit_squares) = pieces
            .pop()
            .ok_or_else(|| LayoutError::NoSquare("the kings".into()))?;
        let mut stride = 1;
        let mut digits = Vec::new();
        for &(man, set) in pieces.iter().rev() {
            let squares: Vec<Square> = set.into_iter().collect();
            let mut numbers = [0; 64];
            for (number, square) in squares.iter().enumerate() {
                numbers[square.index()] = number as u8;
            }
            let count = squares.len();
            digits.push(Digit {
                man,
                piece: men[man].piece,
                squares,
                set,
                numbers,
                stride,
            });
            stride *= count;
        }
        let words = stride as u64 * structures.all.len() as u64;
        if words > MOST_ENTRIES / 64 {
            return Err(LayoutError::Placements);
        }
        Ok(TableLayout {
            men,
            bit,
            bit_squares,
            digits,
            pawns,
            structures,
            words: words as usize,
        })
    }

    /// Placements with either side to move: allowed squares multiplied, clashes and illegal ones counted in.
    pub(super) fn entries(&self) -> u64 {
        self.words as u64 * u64::from(self.bit_squares.count())
    }

    /// Where a piece may stand.
    pub(super) fn squares(&self, man: usize) -> Bitboard {
        if man == self.bit {
            return self.bit_squares;
        }
        if let Some(digit) = self.digits.iter().find(|digit| digit.man == man) {
            return digit.set;
        }
        let pawn = self.pawns.iter().position(|&pawn| pawn == man);
        pawn.map_or(Bitboard::EMPTY, |pawn| {
            let structures = self.structures.all.iter();
            structures
                .map(|structure| structure.squares[pawn])
                .collect()
        })
    }

    /// Words between two structures.
    pub(super) fn structure_stride(&self) -> usize {
        self.words / self.structures.all.len()
    }

    /// Rows of a slice.
    pub(super) fn rows(&self) -> usize {
        self.words.div_ceil(ROW)
    }

    /// The pieces by square; a square where none stands says anything.
    pub(super) fn men_by_square(&self, squares: &[Square]) -> [u8; 64] {
        let mut men = [0; 64];
        for (man, square) in squares.iter().enumerate().take(self.men.len()) {
            men[square.index()] = man as u8;
        }
        men
    }

    pub(super) fn bit_man(&self) -> Piece {
        self.men[self.bit].piece
    }

    /// The words of a range with their pieces, without those where two stand on one square.
    pub(super) fn places(&self, words: Range<usize>) -> Places<'_> {
        let mut rest = words.start % self.structure_stride();
        let mut numbers = [0; MOST_MEN];
        for (digit, number) in self.digits.iter().zip(&mut numbers).rev() {
            *number = (rest / digit.stride) as u8;
            rest %= digit.stride;
        }
        Places {
            layout: self,
            structure: words.start / self.structure_stride(),
            numbers,
            words,
        }
    }

    /// The pieces of a word; `None` if two stand on one square.
    pub(super) fn place(&self, word: usize) -> Option<Placement> {
        self.places(word..word + 1).next().map(|(_, place)| place)
    }

    /// The board of a word without the lane piece.
    pub(super) fn board(&self, place: &Placement) -> Board {
        let mut board = Board::EMPTY;
        for (digit, square) in self.digits.iter().zip(place.at) {
            board.put(digit.piece, square);
        }
        let squares = &self.structures.all[place.structure].squares;
        for (&man, &square) in self.pawns.iter().zip(squares) {
            board.put(self.men[man].piece, square);
        }
        board
    }

    /// Shows each way in which the pieces of a board can be those of the restricted table: where each piece stands, and the word. There are
    /// several if identical pieces may stand on different squares.
    pub(super) fn assign(&self, board: &Board, show: &mut impl FnMut(&[Square], usize)) {
        if board.men() as usize == self.men.len() {
            let mut squares = Vec::with_capacity(self.men.len());
            self.assign_rest(board, board.occupied(), &mut squares, show);
        }
    }

    fn assign_rest(
        &self,
        board: &Board,
        free: Bitboard,
        squares: &mut Vec<Square>,
        show: &mut impl FnMut(&[Square], usize),
    ) {
        let Some(man) = self.men.get(squares.len()) else {
            if let Some(word) = self.word(squares) {
                show(squares, word);
            }
            return;
        };
        for square in free & board.of(man.piece.color, man.piece.role) & man.allowed {
            squares.push(square);
            self.assign_rest(board, free - square.into(), squares, show);
            squares.pop();
        }
    }

    /// The word of pieces that stand on these squares; `None` if one of them stands where it cannot.
    pub(super) fn word(&self, squares: &[Square]) -> Option<usize> {
        let pawns: Vec<Square> = self.pawns.iter().map(|&man| squares[man]).collect();
        let structure = self.structures.find(&pawns)?;
        let mut word = structure * self.structure_stride();
        for digit in &self.digits {
            let square = squares[digit.man];
            if !digit.set.has(square) {
                return None;
            }
            word += digit.stride * usize::from(digit.numbers[square.index()]);
        }
        self.bit_squares.has(squares[self.bit]).then_some(word)
    }
}

/// The squares that a piece can get to from some of them without a capture.
fn reached(piece: Piece, from: Bitboard, squares: Bitboard, fixed: &[Option<Square>]) -> Bitboard {
    let walls: Bitboard = fixed.iter().flatten().copied().collect();
    let mut reached = from;
    let mut newest = from;
    while newest.any() {
        let next = newest.into_iter().fold(Bitboard::EMPTY, |next, square| {
            next | attacks::of(piece.role, piece.color, square, walls)
        });
        newest = (next & squares) - reached;
        reached |= newest;
    }
    reached
}

/// An iterator over words and the pieces that stand there.
#[derive(Debug)]
pub(super) struct Places<'a> {
    layout: &'a TableLayout,
    words: Range<usize>,
    structure: usize,
    /// By digit, which of its squares.
    numbers: [u8; MOST_MEN],
}

impl Places<'_> {
    /// The pieces of the word at hand.
    fn here(&self) -> Option<Placement> {
        let mut colors = self.layout.structures.all[self.structure].colors;
        let mut occupied = colors[0] | colors[1];
        let mut at = [Square::A1; MOST_MEN];
        for (i, digit) in self.layout.digits.iter().enumerate() {
            let square = digit.squares[usize::from(self.numbers[i])];
            if occupied.has(square) {
                return None;
            }
            occupied |= square.into();
            colors[digit.piece.color.index()] |= square.into();
            at[i] = square;
        }
        Some(Placement {
            at,
            structure: self.structure,
            colors,
            occupied,
        })
    }

    /// On to the next word.
    fn step(&mut self) {
        for (digit, number) in self.layout.digits.iter().zip(&mut self.numbers) {
            *number += 1;
            if usize::from(*number) < digit.squares.len() {
                return;
            }
            *number = 0;
        }
        self.structure += 1;
    }
}

impl Iterator for Places<'_> {
    type Item = (usize, Placement);

    fn next(&mut self) -> Option<(usize, Placement)> {
        while let Some(word) = self.words.next() {
            let here = self.here();
            self.step();
            if let Some(place) = here {
                return Some((word, place));
            }
        }
        None
    }
}

/// Squares on which a piece never stands: those of pawns that never move, and for a king those that they guard, unless it
/// may be there from the start.
fn hindered(piece: Piece, pawns: &[Pawn], fixed: &[Option<Square>], checked: Bitboard) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    for (pawn, square) in pawns.iter().zip(fixed) {
        let Some(square) = *square else { continue };
        squares |= square.into();
        if piece.role == Role::King && piece.color != pawn.color {
            squares |= attacks::pawn(pawn.color, square) - checked;
        }
    }
    squares
}
