//! How often each rule was used, and what tables said of it.

use super::rules::RuleId;
use duchamp_chess::Position;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What became of a rule.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Usage {
    /// Moves that it decided.
    pub used: u64,
    /// Those that a table could check; only assumptions are checked.
    pub checked: u64,
    /// Those that a table contradicted, to the disadvantage of the bound side. The table's word counted.
    pub contradicted: u64,
    /// One of them, as FEN.
    pub example: Option<String>,
}

/// Counts by rule, for many threads.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<Row>);

#[derive(Debug, Default)]
struct Row {
    used: AtomicU64,
    checked: AtomicU64,
    contradicted: AtomicU64,
    example: Mutex<Option<String>>,
}

impl Tally {
    /// For so many rules.
    pub(super) fn new(rules: usize) -> Tally {
        Tally((0..rules).map(|_| Row::default()).collect())
    }

    /// A rule decided a move; the position is one that a table contradicted.
    pub(super) fn used(&self, rule: RuleId, checked: bool, contradicted: Option<&Position>) {
        let Some(row) = self.0.get(usize::from(rule.0)) else {
            return;
        };
        row.used.fetch_add(1, Ordering::Relaxed);
        row.checked.fetch_add(u64::from(checked), Ordering::Relaxed);
        if let Some(position) = contradicted {
            row.contradicted.fetch_add(1, Ordering::Relaxed);
            let mut example = row.example.lock().unwrap_or_else(PoisonError::into_inner);
            // The least of all, so that threads do not matter.
            let fen = position.fen();
            if example.as_ref().is_none_or(|old| fen < *old) {
                *example = Some(fen);
            }
        }
    }

    /// Goes on from counts taken earlier.
    pub(super) fn set(&self, usage: Vec<Usage>) {
        for (row, usage) in self.0.iter().zip(usage) {
            row.used.store(usage.used, Ordering::Relaxed);
            row.checked.store(usage.checked, Ordering::Relaxed);
            row.contradicted
                .store(usage.contradicted, Ordering::Relaxed);
            *row.example.lock().unwrap_or_else(PoisonError::into_inner) = usage.example;
        }
    }

    /// The counts by rule.
    pub(super) fn usage(&self) -> Vec<Usage> {
        let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let row = |row: &Row| Usage {
            used: count(&row.used),
            checked: count(&row.checked),
            contradicted: count(&row.contradicted),
            example: row
                .example
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        };
        self.0.iter().map(row).collect()
    }
}
