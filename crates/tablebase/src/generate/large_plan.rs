//! Which large tables are generated, in which order, and what each of them leaves for others.
//!
//! A promotion leads into a table of as many pieces, so a large table may need large ones. Those come first and leave
//! their values in a file (`.sub`), which is removed when no table to come needs it any more (`leftovers.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::report::GenerateOptions;
use super::site::Site;
use crate::closure::{closure, in_order};
use crate::format::Metric;
use crate::game::Game;
use crate::index::TableKey;
use crate::solve::LargeSubs;

/// What is to be generated of a large table.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    pub(super) files: Vec<Metric>,
    /// Whether it is to be exported.
    pub(super) export: bool,
    /// The metrics in which its values are to be left for larger tables.
    pub(super) subs: BTreeSet<Metric>,
    /// Whether its values to mate are to be counted.
    pub(super) count: bool,
}

impl Missing {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.export && self.subs.is_empty() && !self.count
    }

    /// Whether distances to mate are needed.
    pub(super) fn to_mate(&self) -> bool {
        let to_mate = |metric: &Metric| matches!(metric, Metric::Wdl | Metric::Dtm);
        self.files.iter().any(to_mate) || self.subs.contains(&Metric::Dtm) || self.count
    }

    /// Whether distances to zeroing are needed.
    pub(super) fn zeroing(&self) -> bool {
        self.export || self.files.contains(&Metric::Dtz) || self.subs.contains(&Metric::Dtz)
    }

    /// The metrics of the values that are needed of the large tables that this one leads to.
    fn needs(&self) -> impl Iterator<Item = Metric> + use<> {
        let to_mate = self.to_mate() || self.files.contains(&Metric::Dtc);
        let zeroing = self.zeroing();
        let both = [(Metric::Dtm, to_mate), (Metric::Dtz, zeroing)];
        both.into_iter().filter(|need| need.1).map(|need| need.0)
    }
}

/// The files that are missing of a large table.
pub(super) fn missing<G: Game>(
    site: Site<'_, G>,
    key: G::Key,
    options: &GenerateOptions,
) -> Missing {
    let exporter = site.exporter();
    let mut subs = BTreeSet::new();
    if options.keep_subs {
        let wanted = [Metric::Dtm, Metric::Dtz].into_iter();
        subs.extend(
            wanted.filter(|metric| *metric == Metric::Dtm || options.metrics.contains(metric)),
        );
        subs.retain(|&metric| !has_sub(site, key, metric));
    }
    Missing {
        files: site.lacking(key, options),
        export: exporter.is_some_and(|exporter| options.force || exporter.lacks(key)),
        subs,
        count: false,
    }
}

/// Whether a table's values are in its file.
pub(super) fn has_sub<G: Game>(site: Site<'_, G>, key: G::Key, metric: Metric) -> bool {
    let path = site.sub(key, metric);
    path.is_file() && LargeSubs::<G>::is_good(key, metric, &path)
}

/// The large ones of `targets` with the large tables that they need, in the order of generation; all targets, if they
/// are only counted.
fn large_tables<G: Game>(targets: &[G::Key], options: &GenerateOptions) -> Vec<G::Key> {
    let wanted = targets.iter().copied();
    let wanted = wanted.filter(|&key| options.count_only || G::is_large(key));
    in_order(closure(wanted, |child| !options.only && G::is_large(child)))
}

/// What is to be done for the large ones of `targets`, in order.
pub(super) fn plan<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
) -> Vec<(G::Key, Missing)> {
    let keys = large_tables::<G>(targets, options);
    let mut plan: BTreeMap<usize, Missing> = BTreeMap::new();
    let mut wanted: BTreeMap<G::Key, BTreeSet<Metric>> = BTreeMap::new();
    for (n, &key) in keys.iter().enumerate().rev() {
        let mut missing = missing(site, key, options);
        missing.count = options.count_only && targets.contains(&key);
        missing.subs.extend(wanted.remove(&key).unwrap_or_default());
        let metrics: Vec<Metric> = missing.needs().filter(|_| !missing.is_empty()).collect();
        for child in key
            .children()
            .into_iter()
            .filter(|&child| G::is_large(child))
        {
            let of_child = wanted.entry(child).or_default();
            let lacks = |metric: &&Metric| !has_sub(site, child, **metric);
            of_child.extend(metrics.iter().filter(lacks));
        }
        plan.insert(n, missing);
    }
    keys.into_iter().zip(plan.into_values()).collect()
}

/// The other tables that are to be generated before the large ones of a plan, those of `targets` and those that it needs,
/// and the options for them.
pub(super) fn small<G: Game>(
    large: &[(G::Key, Missing)],
    targets: &[G::Key],
    options: &GenerateOptions,
) -> (Vec<G::Key>, GenerateOptions) {
    let mut small: Vec<G::Key> = targets.to_vec();
    small.retain(|&key| !options.count_only && !G::is_large(key));
    let mut of_small = options.clone();
    if !options.only {
        let children = large.iter().flat_map(|table| table.0.children());
        small.extend(children.filter(|&child| !G::is_large(child)));
        // A table with pawns reads its sub-tables one by one.
        let mut to_do = large.iter().filter(|(_, missing)| !missing.is_empty());
        of_small.keep_subs |= to_do.any(|(key, _)| key.pawns() > 0);
    }
    (small, of_small)
}

/// The files with values of large tables that a key needs.
pub(super) fn needed_subs<G: Game>(
    site: Site<'_, G>,
    key: G::Key,
    missing: &Missing,
) -> Vec<(G::Key, Metric, PathBuf)> {
    let children = key
        .children()
        .into_iter()
        .filter(|&child| G::is_large(child));
    let metrics: Vec<Metric> = missing.needs().collect();
    let both = children.flat_map(|child| metrics.iter().map(move |&metric| (child, metric)));
    both.map(|(child, metric)| (child, metric, site.sub(child, metric)))
        .collect()
}
