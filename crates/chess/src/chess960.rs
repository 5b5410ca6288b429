//! The 960 start positions, by Scharnagl's numbers.

use super::{Bitboard, Castling, Color, File, Piece, Rank, Role, Setup, Square};

/// Where the two knights go among five free squares, by number 0 to 9 (Scharnagl's table).
const KNIGHTS: [(usize, usize); 10] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (1, 2),
    (1, 3),
    (1, 4),
    (2, 3),
    (2, 4),
    (3, 4),
];

impl Setup {
    /// The Chess960 start position of a Scharnagl number, 0 to 959 (518 is ordinary chess); `None` above.
    ///
    /// ```
    /// use duchamp_chess::{Position, Setup};
    ///
    /// let position = Position::from_setup(&Setup::chess960(0).unwrap())?;
    /// assert_eq!(position.fen(), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    /// # Ok::<(), duchamp_chess::PositionError>(())
    /// ```
    #[must_use]
    pub fn chess960(number: u16) -> Option<Setup> {
        let row = back_row(number)?;
        let mut setup = Setup::EMPTY;
        let mut rooks = Bitboard::EMPTY;
        for (file, role) in File::ALL.into_iter().zip(row) {
            for (color, back, front) in [
                (Color::White, Rank::R1, Rank::R2),
                (Color::Black, Rank::R8, Rank::R7),
            ] {
                setup
                    .board
                    .put(Piece { color, role }, Square::at(file, back));
                setup.board.put(
                    Piece {
                        color,
                        role: Role::Pawn,
                    },
                    Square::at(file, front),
                );
                if role == Role::Rook {
                    rooks |= Square::at(file, back).into();
                }
            }
        }
        setup.castling = Castling::new(rooks);
        Some(setup)
    }
}

/// The pieces of the back rank, file a first.
fn back_row(number: u16) -> Option<[Role; 8]> {
    if number >= 960 {
        return None;
    }
    let n = usize::from(number);
    let mut row = [None; 8];
    row[n % 4 * 2 + 1] = Some(Role::Bishop);
    row[n / 4 % 4 * 2] = Some(Role::Bishop);
    let fill = |row: &mut [Option<Role>; 8], nth: usize, role| {
        if let Some(free) = row.iter_mut().filter(|r| r.is_none()).nth(nth) {
            *free = Some(role);
        }
    };
    fill(&mut row, n / 16 % 6, Role::Queen);
    let (first, second) = KNIGHTS[n / 96];
    // The second knight's place is counted before the first is put.
    fill(&mut row, second, Role::Knight);
    fill(&mut row, first, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        fill(&mut row, 0, role);
    }
    Some(row.map(|role| role.unwrap_or(Role::Rook)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use std::collections::HashSet;

    #[test]
    fn all_960_are_different_and_legal() {
        let fens: HashSet<String> = (0..960)
            .map(|n| {
                Position::from_setup(&Setup::chess960(n).expect("below 960"))
                    .expect("legal")
                    .shredder_fen()
            })
            .collect();
        assert_eq!(fens.len(), 960);
        assert!(Setup::chess960(960).is_none());
    }

    #[test]
    fn known_numbers() {
        let row = |n| {
            let board = Setup::chess960(n).expect("below 960").board.to_string();
            board[board.len() - 8..].to_string()
        };
        assert_eq!(row(518), "RNBQKBNR");
        assert_eq!(row(0), "BBQNNRKR");
        assert_eq!(row(959), "RKRNNQBB");
    }
}
