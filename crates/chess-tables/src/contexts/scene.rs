//! What the rules of chess imply for the 64 positions of a word, as sets of the lane piece's squares.
//!
//! Which positions are legal needs no storing, and which pieces hang shows most of what a capture
//! would change: a value that cannot be guessed from the neighbours alone becomes likely.

use arrayvec::ArrayVec;

use crate::kernels::fill;
use crate::layout::{Layout, Rows};
use crate::legality::Fixed;
use duchamp_chess::{Bitboard, Color, File, Piece, Role, Square, attacks};

/// Pieces other than kings whose safety is looked at: all of a table of six men.
pub(super) const MAX_TARGETS: usize = 4;

/// The sets of one word that do not depend on who is to move.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// The lane piece's squares that are free of other pieces and leave the kings apart.
    free: u64,
    /// Per colour: where its king is attacked.
    checked: [u64; 2],
    /// Per piece other than the kings: where it is attacked and not defended, and attacked and defended.
    pub(super) hanging: ArrayVec<[u64; 2], MAX_TARGETS>,
    /// Where the way of a pawn to promotion is under attack.
    pub(super) path: u64,
}

impl Scene {
    /// The legal positions with `side` to move, symmetric duplicates included.
    #[inline]
    pub(super) fn legal(&self, side: Color) -> u64 {
        self.free & !self.checked[(!side).index()]
    }

    /// Where `side` is in check.
    #[inline]
    pub(super) fn check(&self, side: Color) -> u64 {
        self.checked[side.index()]
    }
}

/// Makes the scenes of words that follow each other.
pub(super) struct Scenes<'a> {
    layout: &'a Layout,
    fixed: Fixed,
    /// What each fixed piece attacks while the lane piece is away.
    attacks: ArrayVec<Bitboard, 8>,
    /// If the words of a block differ by the square of their last piece only: what the others occupy, whether
    /// two of them share a square, and what they attack while it is away.
    others: Option<(Bitboard, bool, ArrayVec<Bitboard, 8>)>,
}

impl<'a> Scenes<'a> {
    /// The scenes of a block that begins with this word; if its words have a piece other than kings and pawns, a
    /// block is one round of the last of them through all squares.
    pub(super) fn new(layout: &'a Layout, first: usize) -> Scenes<'a> {
        let fixed = layout.fixed(first);
        let mut scenes = Scenes {
            layout,
            fixed,
            attacks: ArrayVec::new(),
            others: None,
        };
        if !layout.indexed_pieces().is_empty()
            && let Some((_, others)) = scenes.fixed.pieces.split_last()
        {
            let (mut occupied, mut clash) = (Bitboard::EMPTY, false);
            for &(_, square) in others {
                clash |= occupied.has(square);
                occupied |= square.into();
            }
            let attack = |&(man, square): &(Piece, Square)| {
                attacks::of(man.role, man.color, square, occupied)
            };
            scenes.others = Some((occupied, clash, others.iter().map(attack).collect()));
        }
        scenes
    }

    /// The scene of a word of the block; `None` if two fixed pieces share a square.
    #[inline]
    pub(super) fn scene(&mut self, word: usize) -> Option<Scene> {
        self.attacks.clear();
        if let Some((occupied, clash, attacks)) = &self.others {
            let square = Square::wrapping(word % 64);
            let (last, _) = self.fixed.pieces.split_last_mut()?;
            last.1 = square;
            if *clash || occupied.has(square) {
                return None;
            }
            self.fixed.occupied = *occupied | square.into();
            for (&(man, from), &attack) in self.fixed.pieces.iter().zip(attacks) {
                // The piece in question may end a line, but only one that reaches it.
                let same = !attack.has(square)
                    || matches!(man.role, Role::King | Role::Knight | Role::Pawn);
                self.attacks.push(if same {
                    attack
                } else {
                    attacks::of(man.role, man.color, from, self.fixed.occupied)
                });
            }
        } else {
            self.fixed = self.layout.fixed(word);
            if self.fixed.clash {
                return None;
            }
        }
        for &(man, from) in &self.fixed.pieces[self.attacks.len()..] {
            self.attacks
                .push(attacks::of(man.role, man.color, from, self.fixed.occupied));
        }
        Some(self.look())
    }

    fn look(&self) -> Scene {
        let (layout, fixed) = (self.layout, &self.fixed);
        let kings_only = layout.rows() == Rows::WhiteKing;
        let free = !fixed.occupied.0 & if kings_only { !self.attacks[0].0 } else { !0 };
        let white = self.on_fixed(0, Color::Black);
        let black = if kings_only {
            self.on_lane_piece(Color::White)
        } else {
            self.on_fixed(1, Color::White)
        };
        let mut hanging = ArrayVec::new();
        let mut add = |attacked: u64, defended: u64| {
            // More pieces than a table can have are not looked at.
            let _ = hanging.try_push([attacked & !defended, attacked & defended]);
        };
        for man in layout.first_pawn()..fixed.pieces.len() {
            let color = fixed.pieces[man].0.color;
            add(self.on_fixed(man, !color), self.on_fixed(man, color));
        }
        if !kings_only {
            let color = layout.lane_piece().color;
            add(self.on_lane_piece(!color), self.on_lane_piece(color));
        }
        let pawns = layout.first_pawn()..layout.first_pawn() + layout.pawns().pawns();
        Scene {
            free,
            checked: [white, black],
            hanging,
            path: pawns.fold(0, |set, pawn| set | self.on_path(pawn)),
        }
    }

    /// Where a fixed piece is attacked (or, by its own colour, defended).
    #[inline]
    fn on_fixed(&self, target: usize, by: Color) -> u64 {
        let square = self.fixed.pieces[target].1;
        let mut set = Bitboard::EMPTY;
        for (&(man, from), attacks) in self.fixed.pieces.iter().zip(&self.attacks) {
            if man.color == by && attacks.has(square) {
                // The lane piece may stand between; a leaper has nothing between.
                set |= !attacks::between(from, square);
            }
        }
        let lane_piece = self.layout.lane_piece();
        // The attack of any piece but a pawn goes both ways.
        if lane_piece.color == by && lane_piece.role != Role::Pawn {
            set |= attacks::of(lane_piece.role, by, square, self.fixed.occupied);
        }
        set.0
    }

    /// Where the other side attacks a square that a pawn has before it.
    #[inline]
    fn on_path(&self, pawn: usize) -> u64 {
        let (man, square) = self.fixed.pieces[pawn];
        let path = way(man.color, square);
        let mut set = 0;
        for (&(other, from), &attacks) in self.fixed.pieces.iter().zip(&self.attacks) {
            if other.color != man.color {
                for hit in attacks & path {
                    set |= !attacks::between(from, hit).0;
                }
            }
        }
        let lane_piece = self.layout.lane_piece();
        if lane_piece.color != man.color {
            set |= fill::moves(lane_piece.role, path.0, !self.fixed.occupied.0);
        }
        set
    }

    /// Where the lane piece is attacked (or defended).
    #[inline]
    fn on_lane_piece(&self, by: Color) -> u64 {
        let men = self.fixed.pieces.iter().zip(&self.attacks);
        men.filter(|((man, _), _)| man.color == by)
            .fold(0, |set, (_, attacks)| set | attacks.0)
    }
}

/// The squares that a pawn has before it.
fn way(color: Color, pawn: Square) -> Bitboard {
    let index = pawn.index() as u32;
    // From a2 to a8, and from h1 to h7; moved along, they stay on one file.
    let ahead = match color {
        Color::White => (Bitboard::file(File::A).0 << 8).checked_shl(index),
        Color::Black => (Bitboard::file(File::H).0 >> 8).checked_shr(63 - index),
    };
    Bitboard(ahead.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;

    #[test]
    fn the_way_of_a_pawn_lies_before_it() {
        for pawn in Square::ALL {
            let [white, black] = Color::ALL.map(|color| way(color, pawn));
            for square in Square::ALL {
                let on = |ahead: bool| square.file() == pawn.file() && ahead;
                assert_eq!(white.has(square), on(square.rank() > pawn.rank()));
                assert_eq!(black.has(square), on(square.rank() < pawn.rank()));
            }
        }
    }

    #[test]
    fn legal_positions_are_those_of_the_layout() {
        for material in [3, 4].iter().flat_map(|&men| Material::all(men)) {
            let layout = Layout::new(material);
            for word in (0..layout.words()).step_by(if layout.words() > 5000 { 43 } else { 3 }) {
                let scene = Scenes::new(&layout, word / 64 * 64).scene(word);
                for side in Color::ALL {
                    let legal = scene.as_ref().map_or(0, |scene| scene.legal(side));
                    assert_eq!(legal, layout.legal(side, word), "{material} {word}");
                }
            }
        }
    }
}
