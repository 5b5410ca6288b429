//! What is wrong with the positions of a table.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::format::SideCounts;
use crate::rules::Rules;
use duchamp_base::Value;

/// Errors of one table.
#[derive(Default)]
pub(super) struct Errors {
    count: AtomicU64,
    first: Mutex<Option<String>>,
}

impl Errors {
    pub(super) fn add(&self, text: impl FnOnce() -> String) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(text);
    }

    /// Their number, and the first in words for the user.
    pub(super) fn into_parts(self) -> (u64, Option<String>) {
        let first = self.first.into_inner();
        let first = first.unwrap_or_else(PoisonError::into_inner);
        (self.count.into_inner(), first)
    }
}

/// The longest distance that a header stores.
pub(super) fn longest(counts: &[SideCounts; 2]) -> u16 {
    let sides = counts.iter();
    sides
        .map(|side| side.longest_win.max(side.longest_loss))
        .max()
        .unwrap_or(0)
}

/// Compares what was counted of a side with what the headers of the file and of the `.wdl` file beside it store.
pub(super) fn compare_counts<K: Display>(
    key: K,
    found: &SideCounts,
    (told, results): (&SideCounts, &SideCounts),
    errors: &Errors,
) {
    let numbers = |side: &SideCounts| [side.won, side.drawn, side.lost];
    let (found_numbers, told_numbers) = (numbers(found), numbers(told));
    if numbers(results) != found_numbers {
        errors.add(|| {
            format!(
                "{key}: won, drawn and lost are {found_numbers:?}, but the .wdl file stores {:?}",
                numbers(results)
            )
        });
    }
    let more = |side: &SideCounts| {
        let longest = [side.longest_win, side.longest_loss].map(u64::from);
        [side.cursed, side.blessed, longest[0], longest[1]]
    };
    if told_numbers != found_numbers || more(told) != more(found) {
        errors.add(|| {
            format!(
                "{key}: won, drawn, lost; cursed, blessed, longest win and loss are {found_numbers:?}, {:?}, \
                 but the file stores {told_numbers:?}, {:?}",
                more(found),
                more(told)
            )
        });
    }
}

/// Compares the stored value of a position with its moves.
pub(super) fn compare<G: Rules>(
    position: &G::Position,
    told: Value,
    found: Value,
    longest: u16,
    errors: &Errors,
) {
    if told != found {
        errors.add(|| {
            format!(
                "{}: {told:?} by the table, {found:?} by its moves",
                G::notation(position)
            )
        });
    } else if told.plies().is_some_and(|plies| plies.0 > longest) {
        errors.add(|| {
            format!(
                "{}: {told:?} is longer than the file's longest",
                G::notation(position)
            )
        });
    }
}
