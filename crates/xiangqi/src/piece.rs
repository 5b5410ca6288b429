//! Kinds of pieces, and the three alphabets in which they are written.

use super::Color;
use std::fmt;

/// A kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Role {
    /// One step straight, inside the palace.
    King = 0,
    /// One step diagonally, inside the palace.
    Advisor = 1,
    /// Two steps diagonally over an empty square (the eye), on its own side of the river.
    Elephant = 2,
    /// One step straight to an empty square (the leg), then one diagonally outwards.
    Horse = 3,
    /// Any way straight, as the rook of chess.
    Chariot = 4,
    /// Moves as a chariot; captures over exactly one piece of either side (the screen).
    Cannon = 5,
    /// One step forward; beyond the river also sideways.
    Pawn = 6,
}

impl Role {
    /// All seven, king first.
    pub const ALL: [Role; 7] = [
        Role::King,
        Role::Advisor,
        Role::Elephant,
        Role::Horse,
        Role::Chariot,
        Role::Cannon,
        Role::Pawn,
    ];

    /// 0 to 6, in the order of [`Role::ALL`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// How many of this kind a side has at the start, which is the most that it can have.
    #[must_use]
    pub const fn most(self) -> u32 {
        match self {
            Role::King => 1,
            Role::Pawn => 5,
            _ => 2,
        }
    }

    /// The capital letter in an alphabet.
    #[must_use]
    pub const fn letter(self, letters: Letters) -> char {
        let all = match letters {
            Letters::Uci => b"KABNRCP",
            Letters::Wxf => b"KAEHRCP",
            Letters::WuBeal => b"KAEHCGP",
        };
        all[self as usize] as char
    }

    /// The kind that a letter of either case names. [`Letters::Uci`] and [`Letters::Wxf`] do not contradict each other, so
    /// either reads both.
    #[must_use]
    pub const fn from_letter(letter: char, letters: Letters) -> Option<Role> {
        let paper = matches!(letters, Letters::WuBeal);
        Some(match letter.to_ascii_lowercase() {
            'k' => Role::King,
            'a' => Role::Advisor,
            'e' => Role::Elephant,
            'b' if !paper => Role::Elephant,
            'h' => Role::Horse,
            'n' if !paper => Role::Horse,
            'r' if !paper => Role::Chariot,
            'c' if paper => Role::Chariot,
            'c' => Role::Cannon,
            'g' if paper => Role::Cannon,
            'p' => Role::Pawn,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Role::King => "king",
            Role::Advisor => "advisor",
            Role::Elephant => "elephant",
            Role::Horse => "horse",
            Role::Chariot => "chariot",
            Role::Cannon => "cannon",
            Role::Pawn => "pawn",
        }
    }
}

/// The English name in lower case.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which letters name the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Letters {
    /// K A B N R C P, as UCI and UCCI engines write: B is the elephant, N the horse.
    #[default]
    Uci,
    /// K A E H R C P, as the World Xiangqi Federation and xboard write.
    Wxf,
    /// K A E H C G P, as Wu & Beal write: **C is the chariot**, G (gunner) the cannon.
    WuBeal,
}

/// A piece of a side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// Its side.
    pub color: Color,
    /// Its kind.
    pub role: Role,
}

impl Piece {
    /// The number of different pieces.
    pub const COUNT: usize = 14;

    /// 0 to 13: `7 * color + role`.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        7 * self.color as usize + self.role as usize
    }

    /// The piece of an index below 14.
    #[must_use]
    #[inline]
    pub const fn from_index(index: usize) -> Option<Piece> {
        if index >= Piece::COUNT {
            return None;
        }
        Some(Piece {
            color: Color::ALL[index / 7],
            role: Role::ALL[index % 7],
        })
    }

    /// The letter of its role, a capital for Red and a small letter for Black.
    #[must_use]
    pub const fn letter(self, letters: Letters) -> char {
        let capital = self.role.letter(letters);
        match self.color {
            Color::Red => capital,
            Color::Black => capital.to_ascii_lowercase(),
        }
    }

    /// The piece of a letter; [`Role::from_letter`] says which letters are read.
    #[must_use]
    pub const fn from_letter(letter: char, letters: Letters) -> Option<Piece> {
        match Role::from_letter(letter, letters) {
            Some(role) => Some(Piece {
                color: if letter.is_ascii_uppercase() {
                    Color::Red
                } else {
                    Color::Black
                },
                role,
            }),
            None => None,
        }
    }
}
