//! What a large table takes of memory and needs of other tables, looked at before anything is done.

use std::path::PathBuf;

use super::budget::Needs;
use super::export::Exporter;
use super::large_plan::{self, Missing};
use super::report::{GenerateError, GenerateOptions};
use super::site::Site;
use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{sliced_workspace, workspace};
use duchamp_base::Control;
use duchamp_retro::Wide;

/// Bytes that an export has in memory of its scratch files, at least.
pub(super) const WINDOW: u64 = 64 << 20;

/// Bytes of the sub-tables of a large table that lie in memory, for files of these metrics.
pub(super) fn sub_values<G: Game>(key: G::Key, metrics: &[Metric]) -> u64 {
    let subs = key.children().into_iter();
    subs.filter(|&child| !G::is_large(child))
        .map(|child| Needs::of(&G::Index::new(child), metrics).values)
        .sum()
}

/// Bytes of memory that solving and exporting a large table takes without its sub-tables.
pub(super) fn work<G: Game>(
    key: G::Key,
    threads: usize,
    exporter: Option<&dyn Exporter<G>>,
) -> u64 {
    let index = G::Index::new(key);
    let export = exporter.map_or(0, |exporter| exporter.least_memory(&index) + WINDOW);
    let work = match key.pawns() {
        0 => workspace(&index, size_of::<Wide>(), threads),
        _ => sliced_workspace::<G>(&index, threads),
    };
    work.max(export)
}

/// Bytes of memory without which a large table with files of these metrics cannot be solved on so many threads.
#[must_use]
pub fn large_memory<G: Game>(key: G::Key, metrics: &[Metric], threads: usize) -> u64 {
    held_subs::<G>(key, metrics) + work::<G>(key, threads, None)
}

/// Bytes of its sub-tables that must lie in memory. Those of a table with pawns may lie in scratch files.
fn held_subs<G: Game>(key: G::Key, metrics: &[Metric]) -> u64 {
    let subs = sub_values::<G>(key, metrics);
    match key.pawns() {
        0 => subs,
        _ => subs.min(WINDOW),
    }
}

/// Memory in MiB that a large table takes: sub-tables, and bitmaps and buffers to solve it or what its export takes.
fn needed<G: Game>(
    key: G::Key,
    options: &GenerateOptions,
    threads: usize,
    exporter: Option<&dyn Exporter<G>>,
) -> u64 {
    let bytes = held_subs::<G>(key, &options.metrics) + work(key, threads, exporter);
    bytes.div_ceil(1 << 20)
}

/// Refuses what does not fit into memory, and what cannot be exported.
pub(super) fn check<G: Game>(
    site: Site<'_, G>,
    keys: impl Iterator<Item = G::Key>,
    options: &GenerateOptions,
    control: &Control,
) -> Result<(), GenerateError<G::Key>> {
    let allowed = options.allowed(control.threads());
    let keys: Vec<G::Key> = keys.collect();
    if site.exporter().is_some()
        && let Some(key) = keys.iter().find(|key| key.pawns() > 0)
    {
        return Err(GenerateError::System(format!(
            "{key} has pawns and {} men: such a table is not exported",
            key.men()
        )));
    }
    for key in keys {
        let needed = needed::<G>(key, options, control.threads(), site.exporter());
        if needed > allowed {
            return Err(GenerateError::Memory {
                key,
                needed,
                allowed,
            });
        }
    }
    Ok(())
}

/// Refuses tables that need what is not there, where nothing else is to be generated.
pub(super) fn check_alone<'m, G: Game>(
    site: Site<'_, G>,
    tables: impl Iterator<Item = &'m (G::Key, Missing)>,
    options: &GenerateOptions,
) -> Result<(), GenerateError<G::Key>> {
    let mut coming = Vec::new();
    for (key, missing) in tables {
        let small = key.children().into_iter();
        let small =
            small.filter(|&child| !G::is_large(child) && !site.has_snapshot(child, options));
        let small = small.map(|child| site.sub(child, Metric::Dtm));
        let large = large_plan::needed_subs(site, *key, missing).into_iter();
        let large = large.filter(|(child, metric, _)| {
            !coming.contains(child) && !large_plan::has_sub(site, *child, *metric)
        });
        let paths: Vec<PathBuf> = small.chain(large.map(|sub| sub.2)).collect();
        let names = paths.iter().filter_map(|path| path.file_name());
        let missing: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        if !missing.is_empty() {
            return Err(GenerateError::Alone {
                key: *key,
                missing,
                path: site.store().dir().to_owned(),
            });
        }
        coming.push(*key);
    }
    Ok(())
}
