//! What a generation would do, worked out without generating or writing anything.

use super::budget::Budget;
use super::plan::{GenerationPlan, Source};
use super::report::GenerateOptions;
use super::site::Site;
use super::{fitting, large_plan};
use crate::closure::in_order;
use crate::game::Game;
use crate::index::TableKey;

/// What a [`Generator`](crate::Generator) would do for some targets. Where it makes a run for each of several primary
/// metrics, a table counts once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forecast<K> {
    /// Tables that would get files.
    pub generate: Vec<K>,
    /// Tables that have all requested files.
    pub present: Vec<K>,
    /// Present tables that would be solved once more, without being written, because a table to be generated needs them
    /// in memory.
    pub again: Vec<K>,
    /// Present tables of which only the files would be read, because a table to be generated needs their results
    /// ([`Game::SUBS_FROM_FILES`](crate::Game::SUBS_FROM_FILES)).
    pub read: Vec<K>,
    /// The most bytes of values that tables hold at one time while others need them, if one table after another is
    /// solved. What exceeds the memory allowed goes to scratch files. Large tables are not counted.
    pub held: u64,
}

impl<K> Default for Forecast<K> {
    fn default() -> Forecast<K> {
        Forecast {
            generate: Vec::new(),
            present: Vec::new(),
            again: Vec::new(),
            read: Vec::new(),
            held: 0,
        }
    }
}

impl<K: PartialEq> Forecast<K> {
    /// Of two runs one after another over the same tables.
    pub(super) fn with(mut self, later: Forecast<K>) -> Forecast<K> {
        self.present.retain(|key| later.present.contains(key));
        for (all, more) in [
            (&mut self.generate, later.generate),
            (&mut self.again, later.again),
            (&mut self.read, later.read),
        ] {
            let new: Vec<K> = more.into_iter().filter(|key| !all.contains(key)).collect();
            all.extend(new);
        }
        let (generate, again) = (&self.generate, &mut self.again);
        again.retain(|key| !generate.contains(key));
        self.read
            .retain(|key| !generate.contains(key) && !again.contains(key));
        self.held = self.held.max(later.held);
        self
    }
}

/// The forecast for `targets`.
pub(super) fn forecast<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
) -> Forecast<G::Key> {
    let large = large_plan::plan(site, targets, options);
    let (small, of_small) = large_plan::small::<G>(&large, targets, options);
    let mut plan: GenerationPlan<G> = fitting::plan(site, &small, &of_small);
    let mut forecast = Forecast {
        present: plan.present(),
        generate: Vec::new(),
        again: Vec::new(),
        read: Vec::new(),
        held: 0,
    };
    // With `only`, tables that are not targets count as present for the plan.
    forecast.present.retain(|&key| site.is_there(key, options));
    if options.count_only {
        // Of no table a file is asked for; what nothing is held of is solved.
        let held = |&key: &G::Key| site.store().has(key) || site.has_snapshot(key, options);
        (forecast.present, forecast.again) = forecast.present.into_iter().partition(held);
    }
    let (mut held, unlimited) = (0, Budget::new(1 << 62));
    while let Some(job) = plan.next(&unlimited, 1, true) {
        // Else what is written is a snapshot for large tables only.
        let lacks = || options.force || !site.is_there(job.key, options);
        let list = match (job.write, job.source) {
            (true, _) if lacks() => &mut forecast.generate,
            (false, Source::Files) => &mut forecast.read,
            _ => &mut forecast.again,
        };
        list.push(job.key);
        held += plan.values(job.key);
        forecast.held = forecast.held.max(held);
        for key in plan.solved(job.key) {
            held -= plan.values(key);
        }
    }
    for (key, missing) in large {
        let list = if missing.is_empty() {
            &mut forecast.present
        } else if missing.files.is_empty() && !missing.export {
            &mut forecast.again
        } else {
            &mut forecast.generate
        };
        list.push(key);
    }
    forecast
}

/// The most bytes that large tables take at one time besides their files, if one after another is solved: `scratch` of the
/// one at work, and what it and those before it have left (`left`) for it and those to come.
pub fn most_at_once<K: TableKey>(
    tables: &[K],
    scratch: impl Fn(K) -> u64,
    left: impl Fn(K) -> u64,
) -> u64 {
    let order = in_order(tables.iter().copied());
    let needs: Vec<Vec<K>> = order.iter().map(|key| key.children()).collect();
    let last = |key: &K| needs.iter().rposition(|needs| needs.contains(key));
    let last: Vec<usize> = order.iter().map(|key| last(key).unwrap_or(0)).collect();
    let left: Vec<u64> = order.iter().map(|key| left(*key)).collect();
    let at = |n: usize| {
        let kept = (0..=n).filter(|&before| last[before] >= n && last[before] > before);
        scratch(order[n]) + kept.map(|before| left[before]).sum::<u64>()
    };
    (0..order.len()).map(at).max().unwrap_or(0)
}
