//! The board of the toy: its positions, how its pieces move, and check.

use duchamp_retro::Side;

/// What stands on a square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Kind {
    King,
    Rook,
    Pawn,
}

/// A position: pieces in any order, the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    pub(crate) pieces: Vec<(Side, Kind, u8)>,
    pub(crate) turn: Side,
}

pub(crate) fn counts(position: &Position, kind: Kind) -> [u8; 2] {
    Side::ALL.map(|side| {
        let pieces = position.pieces.iter();
        pieces
            .filter(|piece| (piece.0, piece.1) == (side, kind))
            .count() as u8
    })
}

/// The position with the sides exchanged and the board turned.
pub(crate) fn exchange(position: &Position) -> Position {
    let pieces = position.pieces.iter();
    Position {
        turn: position.turn.other(),
        pieces: pieces
            .map(|&(side, kind, square)| (side.other(), kind, square ^ 12))
            .collect(),
    }
}

/// The squares that a piece reaches from a square, one ray after another.
pub(crate) fn rays(kind: Kind, square: u8) -> Vec<Vec<u8>> {
    let (file, rank) = ((square % 4) as i8, (square / 4) as i8);
    let straight = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let (directions, steps) = match kind {
        Kind::King => ([straight, diagonal].concat(), 1),
        Kind::Rook => (straight.to_vec(), 3),
        Kind::Pawn => return Vec::new(),
    };
    let ray = |(dx, dy): (i8, i8)| {
        let squares = (1..=steps).map(move |n| (file + n * dx, rank + n * dy));
        let inside = squares.take_while(|(x, y)| (0..4).contains(x) && (0..4).contains(y));
        inside.map(|(x, y)| (4 * y + x) as u8).collect()
    };
    directions.into_iter().map(ray).collect()
}

pub(crate) fn at(position: &Position, square: u8) -> Option<(Side, Kind)> {
    let mut pieces = position.pieces.iter();
    pieces
        .find(|piece| piece.2 == square)
        .map(|piece| (piece.0, piece.1))
}

pub(crate) fn in_check(position: &Position, side: Side) -> bool {
    let attacks = |&(owner, kind, from): &(Side, Kind, u8)| {
        owner != side
            && rays(kind, from).iter().any(|ray| {
                let first = ray.iter().find_map(|&square| at(position, square));
                first == Some((side, Kind::King))
            })
    };
    position.pieces.iter().any(attacks)
}

/// Whether a placement can be: the side that has just moved is not in check.
pub(crate) fn is_legal(position: &Position) -> bool {
    !in_check(position, position.turn.other())
}
