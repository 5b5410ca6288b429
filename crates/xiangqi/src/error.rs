//! What can be wrong with a position.

use super::{Color, Piece, Role, Square};
use std::fmt;

/// Why a board with a side to move is no legal position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// A side without a king.
    #[error("{0} has no king; each side needs exactly one")]
    NoKing(Color),
    /// A side with more than one king.
    #[error("{0} has {1} kings; each side needs exactly one")]
    Kings(Color, u32),
    /// More pieces of a kind than a side starts with; nothing promotes in xiangqi.
    #[error("{color} has {count} {role}s, and at most {most} are possible", color = .0.color, count = .1, role = .0.role, most = .0.role.most())]
    TooMany(Piece, u32),
    /// A piece on a square that its kind never reaches.
    #[error("the {color} {role} on {at} cannot stand there: {rule}", color = .0.color, role = .0.role, at = .1, rule = Rule(*.0, *.1))]
    Misplaced(Piece, Square),
    /// Nothing stands between the kings on their file.
    #[error(
        "the kings on {0} and {1} face each other; one of them must leave the file or a piece stand between them"
    )]
    KingsFacing(Square, Square),
    /// The side to move could take the king.
    #[error("{mover} is to move and can take the king on {king}; let {other} move, or put an end to the check", mover = !*.0, king = .1, other = .0)]
    CheckAgainstMover(Color, Square),
}

/// Where a misplaced piece may stand, in words.
struct Rule(Piece, Square);

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule(Piece { color, role }, square) = *self;
        let (zone, behind, before) = match (color, role) {
            (Color::Red, Role::King) => ("d0 to f2", "", ""),
            (Color::Black, Role::King) => ("d7 to f9", "", ""),
            (Color::Red, Role::Advisor) => ("d0 f0 e1 d2 f2", "", ""),
            (Color::Black, Role::Advisor) => ("d9 f9 e8 d7 f7", "", ""),
            (Color::Red, Role::Elephant) => ("c0 g0 a2 e2 i2 c4 g4", "", ""),
            (Color::Black, Role::Elephant) => ("c9 g9 a7 e7 i7 c5 g5", "", ""),
            (Color::Red, _) => ("", "rank 3", "ranks 3 and 4"),
            (Color::Black, _) => ("", "rank 6", "ranks 6 and 5"),
        };
        let lost = match color {
            Color::Red => square.rank() < 3,
            Color::Black => square.rank() > 6,
        };
        match role {
            Role::King => write!(f, "a king stays in its palace, {zone}"),
            Role::Advisor => write!(f, "an advisor stays on {zone}"),
            Role::Elephant => write!(
                f,
                "an elephant does not cross the river and stays on {zone}"
            ),
            _ if lost => write!(
                f,
                "a pawn never moves back, so it never stands behind {behind}, where it starts"
            ),
            _ => write!(
                f,
                "before it crosses the river ({before}) a pawn stays on its file, a, c, e, g or i"
            ),
        }
    }
}
