//! Won and lost cells, whose lengths a file may hold, and how its header says which it holds.

use super::super::coded::Planes;
use super::super::container::Header;
use super::super::form::CODED_WORDS;
use super::super::metric::Metric;
use duchamp_base::Plies;

/// The lowest byte of [`Header::coding`] in the coded form; above it, what is held.
const CODED: u32 = 3;

/// The first byte of a group of the coded form, to zeroing, that omits immediate wins.
pub(crate) const OMITS: u8 = 1;

/// Won or lost cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Wins = 0,
    Losses = 1,
}

impl Class {
    /// Both, in the order in which a block has them.
    pub(crate) const ALL: [Class; 2] = [Class::Wins, Class::Losses];

    /// The number that stands for so many plies.
    pub(crate) fn number(self, metric: Metric, plies: u16) -> u16 {
        match self {
            _ if metric.spec().odd_wins => plies / 2,
            Class::Wins => plies.saturating_sub(1),
            Class::Losses => plies,
        }
    }

    /// The plies that a number stands for.
    pub(super) fn plies(self, metric: Metric, number: u16) -> Plies {
        let odd = u16::from(self == Class::Wins);
        Plies(if metric.spec().odd_wins {
            number.saturating_mul(2).saturating_add(odd)
        } else {
            number.saturating_add(odd)
        })
    }

    /// The cells of the class.
    pub(super) fn cells(self, planes: Planes) -> u64 {
        match self {
            Class::Wins => planes.won,
            Class::Losses => planes.lost,
        }
    }
}

/// Which lengths a file holds, by the number of the stored side and by [`Class`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holdings(pub(crate) [[bool; 2]; 2]);

impl Holdings {
    /// All wins.
    pub(super) const WINS: Holdings = Holdings([[true, false]; 2]);

    /// Whether of each winner the wins or the losses against him are held, of `sides` stored sides.
    fn are_enough(self, sides: usize) -> bool {
        (0..sides).all(|winner| {
            let loser = (sides - 1) - winner;
            self.has(winner, Class::Wins) || self.has(loser, Class::Losses)
        })
    }

    /// Whether a class of a side is held.
    #[inline]
    pub(crate) fn has(self, side: usize, class: Class) -> bool {
        self.0[side][class as usize]
    }

    /// As [`Header::coding`] has it in the coded form.
    pub(crate) fn coding(self) -> u32 {
        let bits = self.0.iter().flatten().enumerate();
        bits.fold(CODED, |coding, (n, &held)| {
            coding | u32::from(held) << (8 + n)
        })
    }

    /// Whether the form of a file of distances is known.
    pub(crate) fn knows(header: &Header) -> bool {
        Holdings::of(header).is_some()
    }

    /// What a file of distances holds, and whether it is coded; `None` if its form is not known.
    pub(super) fn of(header: &Header) -> Option<(Holdings, bool)> {
        let spec = header.metric.spec();
        let packed = header.coding == spec.coding && header.block_words == spec.block_words;
        if packed {
            return Some((Holdings::WINS, false));
        }
        let bit = |n: usize| header.coding >> (8 + n) & 1 != 0;
        let holdings = Holdings([[bit(0), bit(1)], [bit(2), bit(3)]]);
        let coded = header.block_words == CODED_WORDS && holdings.coding() == header.coding;
        // What is not held is found from the other class, so of each winner one must be.
        (coded && holdings.are_enough(usize::from(header.sides))).then_some((holdings, true))
    }
}
