//! Where the pawns of a slice promote to: the tables and slices that must be at hand.

use crate::layout::Layout;
use crate::material::Material;
use crate::pawns::{MAX_PAWNS, PawnSquares};
use duchamp_chess::{Board, Color, Piece, Role, Square};

/// Where a pawn promotes to without capturing.
pub(super) struct Promotion {
    pub(super) material: Material,
    /// The number of the side to move, if both are stored.
    pub(super) side: usize,
    /// The pawns that are left.
    pub(super) pawns: PawnSquares,
}

/// All such of one slice.
pub(super) fn promotions(layout: &Layout, slice: usize) -> Vec<Promotion> {
    let mut found = Vec::new();
    let fixed = layout.fixed(slice * layout.slice_words());
    let pieces = fixed
        .pieces
        .iter()
        .map(|piece| piece.0)
        .chain([layout.lane_piece()]);
    let pieces: Vec<Piece> = pieces.collect();
    for (n, &(pawn, square)) in fixed.pieces.iter().enumerate() {
        let last = square.relative(pawn.color).index() >= 48;
        if pawn.role != Role::Pawn || !last {
            continue;
        }
        for role in Role::PROMOTIONS {
            let mut board = Board::EMPTY;
            for (place, &piece) in pieces.iter().enumerate() {
                let piece = if place == n {
                    Piece { role, ..pawn }
                } else {
                    piece
                };
                board.put(piece, Square::wrapping(place));
            }
            let (material, swapped) = Material::of(&board);
            let (flip, turn) = if swapped {
                (56, pawn.color)
            } else {
                (0, !pawn.color)
            };
            // Pawns of the table's White first.
            let mut pawns: PawnSquares = [0; MAX_PAWNS];
            let white = if swapped { Color::Black } else { Color::White };
            let left = |color| {
                let men = fixed.pieces.iter().enumerate();
                men.filter(move |(place, man)| {
                    *place != n
                        && man.0
                            == Piece {
                                color,
                                role: Role::Pawn,
                            }
                })
            };
            for (place, (_, man)) in pawns.iter_mut().zip(left(white).chain(left(!white))) {
                *place = man.1.index() as u8 ^ flip;
            }
            found.push(Promotion {
                material,
                side: turn.index(),
                pawns,
            });
        }
    }
    found
}
