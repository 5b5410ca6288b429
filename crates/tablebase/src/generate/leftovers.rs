//! The files that large tables leave for larger ones and that nobody asked to keep: values of large tables, and snapshots
//! of small ones.
//!
//! Runs of several processes in one folder read each other's. So their names stand in a list beside them, which a run joins
//! before it looks what is there ([`SharedList`]), and only a run that is alone removes any: also what stopped runs left.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::large_plan::Missing;
use super::report::{GenerateError, GenerateOptions};
use super::site::Site;
use super::subs::all_below;
use crate::format::Metric;
use crate::game::Game;
use crate::index::TableKey;
use crate::solve::sub_ending;
use duchamp_base::{SharedList, files};

/// The list's name.
const LIST: &str = "temporary.list";

/// The metrics in which large tables leave values.
const METRICS: [Metric; 2] = [Metric::Dtm, Metric::Dtz];

/// What this run and others leave for larger tables.
pub(super) struct Leftovers<'s, G: Game> {
    site: Site<'s, G>,
    list: SharedList,
}

impl<'s, G: Game> Leftovers<'s, G> {
    /// From here on no other run removes what this one may read.
    ///
    /// # Errors
    /// When the folder or the list cannot be made.
    pub(super) fn join(site: Site<'s, G>) -> Result<Leftovers<'s, G>, GenerateError<G::Key>> {
        let dir = site.store().dir();
        let list = files::create_folder(dir).and_then(|()| SharedList::join(&dir.join(LIST)));
        let list = list.map_err(|source| GenerateError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        Ok(Leftovers { site, list })
    }

    /// Lists what generating these tables will leave that is not to be kept, and strikes out what is.
    pub(super) fn announce<'m>(
        &mut self,
        tables: impl Iterator<Item = &'m (G::Key, Missing)>,
        options: &GenerateOptions,
    ) {
        let (mut made, mut below) = (BTreeSet::new(), BTreeSet::new());
        let (mut all, mut pawns) = (BTreeSet::new(), false);
        for (key, missing) in tables {
            pawns |= key.pawns() > 0;
            made.extend(missing.subs.iter().map(|&metric| name(*key, metric)));
            below.extend(all_below(*key));
            all.insert(*key);
        }
        let edited = self.list.edit(|names, _| {
            if options.keep_subs {
                all.extend(below);
                names.retain(|name| of_name(name).is_none_or(|(key, _)| !all.contains(&key)));
            } else if !options.only {
                names.extend(made);
                let snapshot = |key: &G::Key| self.site.sub(*key, Metric::Dtm);
                below.retain(|key| pawns && !G::is_large(*key) && !snapshot(key).is_file());
                names.extend(below.into_iter().map(|key| name(key, Metric::Dtm)));
            }
        });
        // What is not on the list stays, which does no harm.
        self.warn(edited);
    }

    /// Removes the files of large tables that none of these needs, nor another run.
    pub(super) fn drop_unneeded(&mut self, to_come: &[(G::Key, Missing)]) {
        let site = self.site;
        let is_needed = |key: G::Key| {
            to_come.iter().any(|(parent, missing)| {
                *parent == key || !missing.is_empty() && parent.children().contains(&key)
            })
        };
        let edited = self.list.edit(|names, alone| {
            names.retain(|name| {
                let large = of_name::<G::Key>(name).filter(|(key, _)| G::is_large(*key));
                let unneeded = large.is_some_and(|(key, _)| !is_needed(key));
                !(alone && unneeded && remove(site, name))
            });
        });
        self.warn(edited);
    }

    /// Removes all if no other run is at work here.
    pub(super) fn drop_all(mut self) {
        let site = self.site;
        let edited = self
            .list
            .edit(|names, alone| names.retain(|name| !(alone && remove(site, name))));
        self.warn(edited);
    }

    fn warn(&self, edited: std::io::Result<()>) {
        if let Err(error) = edited {
            let path = self.site.store().dir().join(LIST);
            log::warn!("{}: {error}", path.display());
        }
    }
}

/// The name of the file with a large table's values in a metric, or of a small table's snapshot.
fn name<K: TableKey>(key: K, metric: Metric) -> String {
    format!("{key}.{}", sub_ending(metric))
}

/// The table and the metric of a file of the list; `None` for what no run of ours has put there.
fn of_name<K: TableKey>(text: &str) -> Option<(K, Metric)> {
    let (key, _) = text.split_once('.')?;
    let key = key.parse().ok()?;
    let metric = METRICS.into_iter().find(|&m| name(key, m) == text)?;
    Some((key, metric))
}

/// Removes a file of the list; whether it is gone. A name that is none of ours goes from the list only.
fn remove<G: Game>(site: Site<'_, G>, text: &str) -> bool {
    let path: Option<PathBuf> = of_name(text).map(|(key, metric)| site.sub(key, metric));
    path.is_none_or(|path| match std::fs::remove_file(path) {
        Ok(()) => true,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    })
}
