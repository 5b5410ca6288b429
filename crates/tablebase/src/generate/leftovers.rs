//! The files that large tables leave for larger ones and that nobody asked to keep: values of large tables, and snapshots
//! of small ones.
//!
//! Runs of several processes in one folder read each other's. So their names stand in a list beside them, which a run joins
//! before it looks what is there ([`SharedList`]), and only a run that is alone removes any: also what stopped runs left.
//!
//! A run of small tables may read snapshots, too, and joins where there is a list. It removes what is listed only if a run of
//! large tables has ended beside it and has left that to it; else a stopped run of large tables may still go on.

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

/// In the list: a run of large tables has ended and could not remove what is listed, as it was not alone.
const ENDED: &str = "ended";

/// The metrics in which large tables leave values.
const METRICS: [Metric; 2] = [Metric::Dtm, Metric::Dtz];

/// What this run and others leave for larger tables.
pub(super) struct Leftovers<'s, G: Game> {
    site: Site<'s, G>,
    list: SharedList,
    /// The tables whose values this run is to keep.
    kept: BTreeSet<G::Key>,
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
        let kept = BTreeSet::new();
        Ok(Leftovers { site, list, kept })
    }

    /// The same for a run that leaves nothing, if there is a list.
    pub(super) fn join_others(site: Site<'s, G>) -> Option<Leftovers<'s, G>> {
        if !site.store().dir().join(LIST).is_file() {
            return None;
        }
        let joined = Leftovers::join(site);
        // It can do without.
        joined.map_err(|error| log::warn!("{error}")).ok()
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
        if options.keep_subs {
            self.kept.extend(all.union(&below));
        }
        let site = self.site;
        self.edit(|names, _| {
            names.remove(ENDED);
            if !options.keep_subs && !options.only {
                names.extend(made);
                let snapshot = |key: &G::Key| site.sub(*key, Metric::Dtm);
                below.retain(|key| pawns && !G::is_large(*key) && !snapshot(key).is_file());
                names.extend(below.into_iter().map(|key| name(key, Metric::Dtm)));
            }
        });
    }

    /// Removes the files of large tables that none of these needs, nor another run.
    pub(super) fn drop_unneeded(&mut self, to_come: &[&(G::Key, Missing)]) {
        let site = self.site;
        let is_needed = |key: G::Key| {
            let mut parents = to_come.iter().map(|table| table.0);
            parents.any(|parent| parent == key || parent.children().contains(&key))
        };
        self.edit(|names, alone| {
            names.retain(|name| {
                let large = of_name::<G::Key>(name).filter(|(key, _)| G::is_large(*key));
                let unneeded = large.is_some_and(|(key, _)| !is_needed(key));
                !(alone && unneeded && remove(site, name))
            });
        });
    }

    /// Removes all if no other run is at work here; else the last one is to do it.
    pub(super) fn drop_all(mut self) {
        let (site, keeps) = (self.site, !self.kept.is_empty());
        self.edit(|names, alone| {
            names.retain(|name| !(alone && remove(site, name)));
            if !names.is_empty() && !keeps {
                names.insert(ENDED.to_owned());
            }
        });
    }

    /// Removes all if no other run is at work here, and one of large tables has left that to this one.
    pub(super) fn drop_ended(mut self) {
        let site = self.site;
        self.edit(|names, alone| {
            if names.contains(ENDED) {
                names.retain(|name| !(alone && remove(site, name)));
            }
        });
    }

    /// Changes the list, from which it strikes first what this run is to keep: another one may have listed it since.
    fn edit(&mut self, change: impl FnOnce(&mut BTreeSet<String>, bool)) {
        let kept = &self.kept;
        let edited = self.list.edit(|names, alone| {
            names.retain(|name| of_name(name).is_none_or(|(key, _)| !kept.contains(&key)));
            change(names, alone);
        });
        // What is not on the list stays, which does no harm.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Key, Mock};
    use crate::store::Store;
    use std::path::Path;

    /// What a run announces of this table.
    fn announce(leftovers: &mut Leftovers<'_, Mock>, name: &str, keep_subs: bool) {
        let missing = Missing {
            files: Vec::new(),
            export: false,
            subs: BTreeSet::from([Metric::Dtm]),
            count: false,
        };
        let options = GenerateOptions {
            keep_subs,
            ..GenerateOptions::default()
        };
        leftovers.announce([(Key::of(name), missing)].iter(), &options);
    }

    fn write(folder: &Path, name: &str) {
        std::fs::write(folder.join(name), "values").expect("written");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.collect()
    }

    /// Another run lists the same table, and ends first or last.
    #[test]
    fn what_is_to_be_kept_stays() {
        for keeper_ends_first in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::<Mock>::open(folder.path());
            let site = Site::new(&store);
            let mut keeper = Leftovers::join(site).expect("joined");
            announce(&mut keeper, "a-b", true);
            let mut other = Leftovers::join(site).expect("joined");
            announce(&mut other, "a-b", false);
            write(folder.path(), "a-b.sub");
            let (first, last) = match keeper_ends_first {
                true => (keeper, other),
                false => (other, keeper),
            };
            first.drop_all();
            last.drop_all();
            assert_eq!(names(folder.path()), ["a-b.sub"]);
        }
    }

    /// What a run of small tables may read stays until it ends, and goes then if nobody else needs it.
    #[test]
    fn small_tables_are_read_to_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::<Mock>::open(folder.path());
        let site = Site::new(&store);
        assert!(Leftovers::join_others(site).is_none());
        let mut large = Leftovers::join(site).expect("joined");
        announce(&mut large, "a", false);
        write(folder.path(), "a.sub");
        let small = Leftovers::join_others(site).expect("a list");
        large.drop_all();
        assert!(folder.path().join("a.sub").is_file());
        small.drop_ended();
        assert!(names(folder.path()).is_empty());
        // A run of large tables that was stopped goes on with what it has.
        let mut large = Leftovers::join(site).expect("joined");
        announce(&mut large, "a", false);
        write(folder.path(), "a.sub");
        drop(large);
        Leftovers::join_others(site).expect("a list").drop_ended();
        assert!(folder.path().join("a.sub").is_file());
    }
}
