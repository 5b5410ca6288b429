//! A solved restricted table: the value of every position in it.

use super::board::position;
use super::layout::TableLayout;
use duchamp_base::{Plies, Value};
use duchamp_chess::{Color, Piece, Position, Square};
use duchamp_retro::{Bits, Cell, Wide};

/// Legal positions and values of both sides to move, White first.
pub(super) type Values = ([Vec<u64>; 2], [Vec<[Wide; 64]>; 2]);

/// A restricted table with its values.
#[derive(Debug)]
pub(super) struct Solved {
    /// Restricted tables are numbered in the order in which they were solved.
    pub(super) number: usize,
    pub(super) layout: TableLayout,
    /// The number of pieces of each kind, as positions count them; 0 if no placement is legal.
    pub(super) material: u64,
    /// Whose lower bounds the values are.
    pub(super) bound: Color,
    /// By side to move, White first.
    pub(super) legal: [Vec<u64>; 2],
    pub(super) cells: [Vec<[Wide; 64]>; 2],
}

/// Counts of one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Legal positions won for the side to move.
    pub won: u64,
    /// Neither.
    pub drawn: u64,
    /// Lost for the side to move.
    pub lost: u64,
}

/// What is in a restricted table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableReport {
    /// Its pieces, White's first, such as `KRPvKQ`.
    pub men: String,
    /// Placements of the pieces on their squares, for one side to move.
    pub entries: u64,
    /// Pawn structures.
    pub structures: usize,
    /// White to move, Black to move. Identical pieces count once for each order.
    pub counts: [Counts; 2],
    /// The longest win of the bound side in plies, with a position as FEN.
    pub longest: Option<(Plies, String)>,
}

impl Solved {
    /// A restricted table with the legal positions and values of both sides to move.
    pub(super) fn new(
        number: usize,
        layout: TableLayout,
        bound: Color,
        (legal, cells): Values,
    ) -> Solved {
        let mut solved = Solved {
            number,
            layout,
            material: 0,
            bound,
            legal,
            cells,
        };
        solved.material = solved
            .any()
            .map_or(0, |position| position.material_counts());
        solved
    }

    /// Where each piece stands, and the value of a position as the side to move sees it, if it lies in the restricted table. Of several ways to tell identical pieces apart
    /// the one that is best for the bound side.
    pub(super) fn locate(&self, position: &Position) -> Option<(Vec<Square>, Value)> {
        if position.material_counts() != self.material || position.has_castling_rights() {
            return None;
        }
        let turn = position.turn();
        let mut best: Option<(Vec<Square>, Value)> = None;
        let rank = |value: Value| {
            if turn == self.bound {
                value.rank()
            } else {
                -value.rank()
            }
        };
        self.layout.assign(position.board(), &mut |squares, word| {
            let bit = squares[self.layout.bit].index();
            if self.legal[turn.index()][word] >> bit & 1 == 0 {
                return;
            }
            let value = self.cells[turn.index()][word][bit].value();
            if best
                .as_ref()
                .is_none_or(|(_, most)| rank(value) > rank(*most))
            {
                best = Some((squares.to_vec(), value));
            }
        });
        best
    }

    /// The value as the side to move sees it. A right to capture en passant is not taken into account.
    pub(super) fn value(&self, position: &Position) -> Option<Value> {
        self.locate(position).map(|(_, value)| value)
    }

    /// The pieces of the restricted table by square.
    pub(super) fn men(&self, squares: &[Square]) -> [u8; 64] {
        self.layout.men_by_square(squares)
    }

    /// The position with a number.
    fn position(&self, turn: Color, number: usize) -> Option<Position> {
        let place = self.layout.place(number / 64)?;
        let mut board = self.layout.board(&place);
        board.put(self.layout.bit_man(), Square::new(number % 64));
        position(board, turn)
    }

    /// Some legal position of the restricted table; `None` if there is none.
    fn any(&self) -> Option<Position> {
        Color::ALL.into_iter().find_map(|turn| {
            let legal = &self.legal[turn.index()];
            let word = legal.iter().position(|&word| word != 0)?;
            self.position(turn, word * 64 + legal[word].trailing_zeros() as usize)
        })
    }

    /// Counts and the longest win.
    pub(super) fn report(&self, bound: Color) -> TableReport {
        let mut counts = [Counts::default(); 2];
        let mut longest: Option<(u16, Color, usize)> = None;
        for turn in Color::ALL {
            let counts = &mut counts[turn.index()];
            let words = self.legal[turn.index()]
                .iter()
                .zip(&self.cells[turn.index()]);
            for (word, (&legal, cells)) in words.enumerate() {
                let won = Wide::above(cells, Wide::DRAW) & legal;
                let drawn = Wide::equal(cells, Wide::DRAW) & legal;
                let lost = legal & !won & !drawn;
                counts.won += u64::from(won.count_ones());
                counts.drawn += u64::from(drawn.count_ones());
                counts.lost += u64::from(lost.count_ones());
                for bit in Bits(if turn == bound { won } else { lost }) {
                    let plies = cells[bit].value().plies().map_or(0, |plies| plies.0);
                    if longest.is_none_or(|(most, ..)| plies > most) {
                        longest = Some((plies, turn, word * 64 + bit));
                    }
                }
            }
        }
        let longest = longest.and_then(|(plies, turn, number)| {
            Some((Plies(plies), self.position(turn, number)?.fen()))
        });
        TableReport {
            men: self.name(),
            entries: self.layout.entries(),
            structures: self.layout.structures.all.len(),
            counts,
            longest,
        }
    }

    fn name(&self) -> String {
        name(&self.layout)
    }
}

/// The pieces of a restricted table, White's first, kings first.
pub(super) fn name(layout: &TableLayout) -> String {
    material_name(layout.men.iter().map(|man| man.piece).collect())
}

/// The name of some pieces.
pub(super) fn material_name(mut pieces: Vec<Piece>) -> String {
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.role));
    let of = |color| {
        let pieces = pieces.iter().filter(|piece| piece.color == color);
        pieces.map(|piece| piece.role.upper()).collect::<String>()
    };
    format!("{}v{}", of(Color::White), of(Color::Black))
}
