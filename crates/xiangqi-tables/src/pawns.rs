//! Pawns cut a table into slices: by the ranks they have reached, which they never leave backwards.
//!
//! A pawn stands in one of six *zones*: the ten squares before the river, or one of the five ranks beyond. A slice
//! fixes the zones of the pawns; inside it a pawn's place is a digit.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::geometry::FILES;

/// Pawns of a side at most.
pub(crate) const MAX_PAWNS: usize = 5;
/// Zones of a pawn.
const ZONES: usize = 6;
/// Places in a zone: ten before the river, nine beyond.
pub(crate) const PLACES: usize = 10;

/// The zones of the sliced pawns, ascending.
pub(crate) type Zones = ArrayVec<u8, MAX_PAWNS>;

/// The zone and the place in it of a pawn on a square; `None` where no red pawn stands.
#[inline(always)]
pub(crate) const fn zone_of(square: u8) -> Option<(u8, u8)> {
    let (file, rank) = (square % FILES, square / FILES);
    match rank {
        3 | 4 if file.is_multiple_of(2) => Some((0, file / 2 * 2 + rank - 3)),
        5..=9 => Some((rank - 4, file)),
        _ => None,
    }
}

/// The square of a place in a zone; `None` if there is none.
#[inline(always)]
pub(crate) const fn square_of(zone: u8, place: u8) -> Option<u8> {
    match (zone, place) {
        (0, 0..=9) => Some((3 + place % 2) * FILES + place / 2 * 2),
        (1..=5, 0..=8) => Some((zone + 4) * FILES + place),
        _ => None,
    }
}

/// The slices of so many pawns.
#[derive(Clone, Debug)]
pub(crate) struct PawnSlices {
    pawns: usize,
    slices: Vec<Zones>,
    /// By the zones as digits: the slice.
    numbers: Vec<u16>,
    /// Pawns that have gone farther first: a wave leads to earlier ones only.
    waves: Vec<Range<usize>>,
}

impl PawnSlices {
    pub(crate) fn new(pawns: usize) -> PawnSlices {
        let mut slices = Vec::new();
        for number in 0..ZONES.pow(pawns as u32) {
            let zones = digits(number, pawns);
            if zones.is_sorted() {
                slices.push(zones);
            }
        }
        let gone = |zones: &Zones| zones.iter().map(|&zone| usize::from(zone)).sum::<usize>();
        slices.sort_by_key(|zones| std::cmp::Reverse(gone(zones)));
        let mut numbers = vec![u16::MAX; ZONES.pow(pawns as u32)];
        for (slice, zones) in slices.iter().enumerate() {
            numbers[place_of(zones)] = slice as u16;
        }
        let mut waves = Vec::new();
        let mut start = 0;
        for wave in slices.chunk_by(|a, b| gone(a) == gone(b)) {
            waves.push(start..start + wave.len());
            start += wave.len();
        }
        PawnSlices {
            pawns,
            slices,
            numbers,
            waves,
        }
    }

    /// The number of pawns.
    pub(crate) fn pawns(&self) -> usize {
        self.pawns
    }

    /// The number of slices, 1 without pawns.
    pub(crate) fn len(&self) -> usize {
        self.slices.len()
    }

    /// The waves of slices.
    pub(crate) fn waves(&self) -> &[Range<usize>] {
        &self.waves
    }

    /// The zones of a slice.
    #[inline(always)]
    pub(crate) fn zones(&self, slice: usize) -> &Zones {
        &self.slices[slice]
    }

    /// The slice of ascending zones.
    #[inline(always)]
    pub(crate) fn find(&self, zones: &Zones) -> usize {
        usize::from(self.numbers[place_of(zones)])
    }
}

fn digits(mut number: usize, count: usize) -> Zones {
    let mut zones = Zones::new();
    for _ in 0..count {
        zones.push((number % ZONES) as u8);
        number /= ZONES;
    }
    zones
}

#[inline(always)]
fn place_of(zones: &Zones) -> usize {
    let digits = zones.iter().rev();
    digits.fold(0, |number, &zone| number * ZONES + usize::from(zone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{PAWN_SQUARES, SQUARES, bit};

    #[test]
    fn places_and_squares_agree() {
        for square in 0..SQUARES as u8 {
            let found = zone_of(square);
            assert_eq!(found.is_some(), PAWN_SQUARES & bit(square) != 0);
            if let Some((zone, place)) = found {
                assert_eq!(square_of(zone, place), Some(square));
            }
        }
    }

    #[test]
    fn waves_lead_to_earlier_ones() {
        for pawns in 0..=3 {
            let slices = PawnSlices::new(pawns);
            for slice in 0..slices.len() {
                assert_eq!(slices.find(slices.zones(slice)), slice);
                for i in 0..pawns {
                    let mut zones = slices.zones(slice).clone();
                    if zones[i] == 5 {
                        continue;
                    }
                    zones[i] += 1;
                    zones.sort_unstable();
                    let wave = |slice| slices.waves().iter().position(|w| w.contains(&slice));
                    assert!(wave(slices.find(&zones)) < wave(slice));
                }
            }
        }
    }
}
