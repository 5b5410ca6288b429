//! Men and rules in words, for reports and messages.

use super::Taken;
use super::squares::name_squares;
use crate::chess::{Bitboard, Color, Piece, Position, Role, Square};

/// All kinds of men of some sides that can be taken.
pub(super) fn kinds(colors: &[Color]) -> impl Iterator<Item = Piece> {
    colors.iter().flat_map(|&color| {
        let roles = Role::ALL.into_iter().filter(|role| *role != Role::King);
        roles.map(move |role| Piece { color, role })
    })
}

/// A man's kind in words: `white pawn`.
pub(super) fn name_piece(piece: Piece) -> String {
    format!("{:?} {:?}", piece.color, piece.role).to_lowercase()
}

/// A man of the start in words: `White's pawn`, with its square if there are several of the kind.
pub(super) fn name_man(start: &Position, square: Square) -> String {
    let Some(piece) = start.at(square) else {
        return square.to_string();
    };
    let role = format!("{:?}", piece.role).to_lowercase();
    let from = match start.of(piece.color, piece.role).many() {
        true => format!(" from {square}"),
        false => String::new(),
    };
    format!("{:?}'s {role}{from}", piece.color)
}

pub(super) fn name_taken(start: &Position, taken: &[Taken]) -> String {
    let has_all = |colors: &[Color]| kinds(colors).all(|kind| taken.contains(&Taken::Kind(kind)));
    if has_all(&Color::ALL) {
        return "a man".into();
    }
    let mut names = Vec::new();
    let whole = Color::ALL.into_iter().find(|color| has_all(&[*color]));
    names.extend(whole.map(|color| format!("a man of {color:?}'s")));
    for one in taken {
        match one {
            Taken::Kind(kind) if whole == Some(kind.color) => {}
            Taken::Kind(kind) => names.push(format!("a {}", name_piece(*kind))),
            Taken::Man(square) => names.push(name_man(start, *square)),
        }
    }
    names.join(" or ")
}

/// ` on e4`; nothing for all squares.
pub(super) fn on(squares: Bitboard) -> String {
    match squares {
        Bitboard::FULL => String::new(),
        squares => format!(" on {}", name_squares(squares)),
    }
}
