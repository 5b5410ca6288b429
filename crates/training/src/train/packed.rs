//! A training position in 32 bytes, as the side to move sees it.
//!
//! Black to move is turned round: ranks flipped and colours swapped, so that the pieces of the side to move always go up the board.
//! A network looks at nothing else, so positions that differ in colours only are one position here.

use duchamp_base::checksum;
use duchamp_chess::{Bitboard, Board, Color, Faults, Piece, Position, Role, Setup, Square};
use duchamp_eval::Evaluator;
use duchamp_eval::network::{Inputs, Threats};

/// A training position: board, search score and game result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packed {
    occupied: u64,
    /// Four bits for each piece in the order of squares: the role, and 8 for the opponent's.
    men: [u8; 16],
    score: i16,
    /// The squares of the mover's king and of the opponent's.
    kings: [u8; 2],
    half_points: u8,
}

const THEIRS: u8 = 8;

/// Instead of half points.
const NO_RESULT: u8 = 255;

/// The role of each code; two are not in use.
const ROLES: [Role; 8] = {
    use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
    [Pawn, Knight, Bishop, Rook, Queen, King, King, King]
};

impl Packed {
    /// Packs a position with a king each and at most 32 pieces; score, in hundredths of a pawn, and half points are the
    /// mover's.
    #[must_use]
    pub fn new(board: &Board, turn: Color, score: i16, half_points: u8) -> Packed {
        let mut packed = Packed {
            occupied: 0,
            men: [0; 16],
            score,
            kings: [0; 2],
            half_points,
        };
        let mut squares = board.occupied();
        if turn == Color::Black {
            squares = squares.flip_ranks();
        }
        packed.occupied = squares.0;
        for (number, square) in squares.into_iter().take(32).enumerate() {
            let Some(piece) = board.at(square.relative(turn)) else {
                continue;
            };
            let theirs = piece.color != turn;
            if piece.role == Role::King {
                packed.kings[usize::from(theirs)] = square.index() as u8;
            }
            let man = piece.role.index() as u8 | if theirs { THEIRS } else { 0 };
            packed.men[number / 2] |= man << (number % 2 * 4);
        }
        packed
    }

    /// A position without a game result.
    #[must_use]
    pub fn without_result(board: &Board, turn: Color, score: i16) -> Packed {
        Packed::new(board, turn, score, NO_RESULT)
    }

    /// The search score, in centipawns.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// Changes the score.
    pub(super) fn set_score(&mut self, score: i16) {
        self.score = score;
    }

    /// The same position with another score and half points.
    #[cfg(test)]
    pub(super) fn relabelled(self, score: i16, half_points: u8) -> Packed {
        Packed {
            score,
            half_points,
            ..self
        }
    }

    /// The game result for the side to move: 0, 0.5 or 1; `None` for a position without a game result.
    #[must_use]
    #[inline]
    pub fn result(&self) -> Option<f32> {
        (self.half_points != NO_RESULT).then_some(f32::from(self.half_points) / 2.0)
    }

    /// The number of pieces.
    #[must_use]
    pub fn men(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// A hash of the position from the view of the side to move.
    #[must_use]
    pub fn key(&self) -> u64 {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..].copy_from_slice(&self.men);
        checksum(&bytes)
    }

    /// A hash of position, score and result.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.key() ^ u64::from(self.score as u16) << 8 ^ u64::from(self.half_points)
    }

    /// The board with the mover as White.
    #[must_use]
    pub fn board(&self) -> Board {
        let mut board = Board::EMPTY;
        for (square, piece) in self.each() {
            board.put(piece, square);
        }
        board
    }

    /// The position with the mover as White and no rights to castle; `None` if there is no such position.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        let setup = Setup {
            board: self.board(),
            ..Setup::EMPTY
        };
        Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).ok()
    }

    /// What an evaluation says of it, in centipawns; `None` if there is no such position.
    pub(super) fn evaluated_by(&self, evaluator: &mut dyn Evaluator) -> Option<i32> {
        let position = self.position()?;
        evaluator.reset(&position);
        Some(evaluator.evaluate(&position).0)
    }

    /// All pieces with their squares, the side to move as White.
    #[inline]
    fn each(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let squares = Bitboard(self.occupied).into_iter();
        squares.enumerate().map(|(number, square)| {
            let man = self.men[(number / 2) & 15] >> (number % 2 * 4) & 15;
            let color = if man < THEIRS {
                Color::White
            } else {
                Color::Black
            };
            let role = ROLES[usize::from(man % THEIRS)];
            (square, Piece { color, role })
        })
    }

    /// Writes each piece's feature in both perspectives, the side to move's first; returns the number of pieces.
    #[inline]
    pub fn features(&self, inputs: &Inputs, out: &mut [[u16; 2]; 32]) -> usize {
        let king = |side: Color| Square::wrapping(usize::from(self.kings[side.index()]));
        let [us, them] = Color::ALL.map(|side| inputs.view(side, king(side)));
        let threats = if inputs.has_threats() {
            Threats::on(&self.board())
        } else {
            Threats::NONE
        };
        for ((square, piece), out) in self.each().zip(out) {
            let feature = threats.feature(piece, square);
            *out = [us, them].map(|view| view.index(feature) as u16);
        }
        self.men().min(32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_into_32_bytes_and_back() {
        assert_eq!(size_of::<Packed>(), 32);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("a legal position");
            let packed = Packed::new(position.board(), Color::White, -123, 0);
            assert_eq!(packed.board(), *position.board());
            assert_eq!((packed.score(), packed.result()), (-123, Some(0.0)));
            assert_eq!(packed.men(), position.board().men() as usize);
        }
    }

    #[test]
    fn colours_make_no_difference() {
        let white = Position::from_fen("8/5k2/8/8/2R5/4K3/4P3/8 w - - 0 1").expect("legal");
        let black = Position::from_fen("8/4p3/4k3/2r5/8/8/5K2/8 b - - 0 1").expect("legal");
        let packed = Packed::new(white.board(), Color::White, 50, 2);
        assert_eq!(packed, Packed::new(black.board(), Color::Black, 50, 2));
        assert_ne!(
            packed.key(),
            Packed::new(white.board(), Color::Black, 50, 2).key()
        );
    }

    #[test]
    fn features_are_those_of_the_engine() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
        let position = Position::from_fen(fen).expect("legal");
        let packed = Packed::new(position.board(), position.turn(), 0, 1);
        for kings in [1, 8] {
            let shape = crate::train::Shape::new(32, 1, kings, true).expect("possible");
            for shape in [shape.clone(), shape.threats(true)] {
                let mut features = [[0; 2]; 32];
                let men = packed.features(shape.inputs(), &mut features);
                for (half, side) in [Color::Black, Color::White].into_iter().enumerate() {
                    let mut ours: Vec<_> = features[..men]
                        .iter()
                        .map(|f| usize::from(f[half]))
                        .collect();
                    let mut theirs: Vec<_> =
                        shape.inputs().active(position.board(), side).collect();
                    ours.sort_unstable();
                    theirs.sort_unstable();
                    assert_eq!(ours, theirs);
                }
            }
        }
    }
}
