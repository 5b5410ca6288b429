//! What is known of single placements of the kings just after a promotion.

use super::exits::{Exit, Kind, Mover};
use super::rows::{Kings, Rows};
use super::scene::{Map, Scene};
use duchamp_chess::{Bitboard, Square};

/// A promotion: the structure without the pawn, the square, and who promotes.
type Promotion = (Scene, Square, Mover);

/// What is known after one promotion, whatever the new piece, the opponent to move.
pub(super) struct Spots {
    /// The attacker wins.
    pub(super) won: Rows,
    /// He cannot win.
    pub(super) held: Rows,
    /// Given up for now.
    pub(super) tired: Rows,
    /// When something was last added.
    pub(super) born: u64,
    /// How often something was asked.
    effort: u32,
}

/// All promotions about which something was asked.
#[derive(Default)]
pub(super) struct Promotions {
    /// Boxed, so that the map stays small when it grows.
    spots: Map<Promotion, Box<Spots>>,
}

/// What has been found out about a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spot {
    Won,
    Held,
    Tired,
}

impl Promotions {
    pub(super) fn get(&self, scene: Scene, square: Square, mover: Mover) -> Option<&Spots> {
        self.spots.get(&(scene, square, mover)).map(Box::as_ref)
    }

    /// Memory in use, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.spots.len() * size_of::<(Promotion, Spots)>()
    }

    /// What is known about the promotion that an exit is.
    pub(super) fn of(&self, exit: &Exit) -> Option<&Spots> {
        match exit.kind {
            Kind::Promotion(square) => self.get(exit.to, square, exit.mover),
            Kind::King(_) | Kind::Pawn { .. } => None,
        }
    }

    /// How often an exit was asked about, as a price.
    pub(super) fn effort(&self, exit: &Exit) -> u32 {
        self.of(exit)
            .map_or(0, |spots| 2 * (32 - spots.effort.leading_zeros()))
    }

    pub(super) fn add(
        &mut self,
        exit: &Exit,
        square: Square,
        kings: Kings,
        spot: Spot,
        clock: u64,
    ) {
        let spots = self
            .spots
            .entry((exit.to, square, exit.mover))
            .or_insert_with(|| {
                Box::new(Spots {
                    won: Rows::EMPTY,
                    held: Rows::EMPTY,
                    tired: Rows::EMPTY,
                    born: 0,
                    effort: 0,
                })
            });
        spots.effort += 1;
        spots.born = clock;
        let rows = match spot {
            Spot::Won => &mut spots.won,
            Spot::Held => &mut spots.held,
            Spot::Tired => &mut spots.tired,
        };
        rows[kings.attacker] |= Bitboard::of(kings.defender);
    }

    /// What was given up may be asked again. Whether there was anything.
    pub(super) fn rouse(&mut self, clock: u64) -> bool {
        let mut any = false;
        for spots in self.spots.values_mut() {
            if spots.tired != Rows::EMPTY {
                spots.tired = Rows::EMPTY;
                spots.born = clock;
                any = true;
            }
        }
        any
    }
}
