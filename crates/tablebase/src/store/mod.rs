//! The store: all tables of a folder, and those that only other folders have; shared by probing, generation and tools.
//!
//! Every key that may have a table has a slot. A slot's table appears when it is ready, without
//! a lock on the reading side; a damaged table is retired and a new version takes its place. Old versions
//! live as long as the [`Store`] (a prober may still be reading them).

mod folder;
mod table;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

pub(crate) use self::folder::Folder;
pub use self::folder::Unready;
use self::folder::{OpenError, Stamp};
use crate::format::{FormatError, Metric, SideCounts};
use crate::game::Game;
use crate::index::{Index, TableKey};
use duchamp_base::LockFile;

pub use table::{Table, read_through};

/// Folders tell the time of a change no better than this.
const COARSE: Duration = Duration::from_secs(2);

/// What a [`Store`] reports of its files on its own ([`Store::on_event`]).
#[derive(Clone, Debug)]
pub enum FileEvent<K> {
    /// A table was found damaged and is no longer used; the next generation that needs it generates it again.
    Damaged {
        /// The table.
        key: K,
        /// What was found, with the file's name, as a line for the user.
        text: String,
    },
}

/// A table of a folder, as [`Store::list`] gives it.
#[derive(Clone, Debug)]
pub struct TableInfo<K> {
    /// The key.
    pub key: K,
    /// Its files, the `.wdl` file first.
    pub files: Vec<FileInfo>,
}

/// A file of a table: its size and what its header says.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// What it holds.
    pub metric: Metric,
    /// Its length in bytes.
    pub bytes: u64,
    /// Counts and longest distances in plies with the first and with the second side to move; equal if the key is
    /// symmetric. The header of the `.wdl` file has the longest distances to mate.
    pub counts: [SideCounts; 2],
}

impl<K> TableInfo<K> {
    /// The file of a metric.
    #[must_use]
    pub fn file(&self, metric: Metric) -> Option<&FileInfo> {
        self.files.iter().find(|file| file.metric == metric)
    }

    /// Bytes of the file of a metric, 0 if there is none.
    #[must_use]
    pub fn bytes(&self, metric: Metric) -> u64 {
        self.file(metric).map_or(0, |file| file.bytes)
    }

    /// The counts in the `.wdl` file, with the first and with the second side to move.
    #[must_use]
    pub fn counts(&self) -> [SideCounts; 2] {
        self.file(Metric::Wdl)
            .map_or_else(Default::default, |file| file.counts)
    }
}

struct Version<G: Game> {
    table: Table<G>,
    retired: AtomicBool,
    next: OnceLock<Box<Version<G>>>,
}

struct Slot<G: Game> {
    key: G::Key,
    first: OnceLock<Box<Version<G>>>,
}

#[derive(Clone, Copy, Default)]
struct Place {
    /// One of [`Game::codes`]; 0 is none.
    code: u64,
    slot: u16,
    swapped: bool,
}

/// A key, its table if it is ready, and whether the sides are exchanged.
type ByCode<'s, G> = (<G as Game>::Key, Option<&'s Table<G>>, bool);

type Listener<K> = Box<dyn Fn(FileEvent<K>) + Send + Sync>;

/// All tables of a folder, and those that only other folders have; shared by probing, generation and tools.
///
/// Reading takes no lock. A table can be used from the moment its generation ends, in this process at once, in others
/// after [`Store::rescan`]. A damaged table is retired as soon as the damage is read, its file renamed to `.bad`; where that
/// cannot be, as in another folder, and where files are good but of another version, they are left alone until they change.
/// Good files beside them stay in use.
pub struct Store<G: Game> {
    folder: Folder<G>,
    /// Folders that are only read.
    others: Vec<Folder<G>>,
    slots: Vec<Slot<G>>,
    /// A hash table of slots; its length is a power of two.
    places: Box<[Place]>,
    /// Its length is two to this power.
    bits: u32,
    men: AtomicU32,
    listener: OnceLock<Listener<G::Key>>,
    /// What was found before anybody listened.
    untold: Mutex<Vec<FileEvent<G::Key>>>,
    /// Files of no use that stay where they are: they are told of once, and not opened again until they change.
    useless: Mutex<Vec<Useless<G::Key>>>,
    /// When the folders had changed last as they were looked through; `None` if they are to be looked through again.
    seen: Mutex<Option<Vec<Option<SystemTime>>>>,
}

/// A file of a key in a folder, while all of them are as they were.
#[derive(PartialEq, Eq)]
struct Useless<K> {
    folder: PathBuf,
    key: K,
    metric: Metric,
    stamp: Stamp,
}

impl<G: Game> Store<G> {
    /// Opens the tables of a folder, which may be missing or empty. Headers are checked now, blocks when they are first
    /// read. Damaged files are logged and set aside; this never fails.
    #[must_use]
    pub fn open(dir: &Path) -> Arc<Store<G>> {
        Store::open_with(dir, &[])
    }

    /// The same with tables of other folders, the first that has a table counting, where `dir` has none. Only `dir` is
    /// written to, and only its damaged files are set aside.
    #[must_use]
    pub fn open_with(dir: &Path, others: &[PathBuf]) -> Arc<Store<G>> {
        let keys = (G::MIN_MEN..=G::MAX_LARGE_MEN).flat_map(G::all);
        let keys: Vec<G::Key> = keys.filter(|&key| G::has_table(key)).collect();
        // Two codes a key: at most two thirds of the places are taken, and the whole stays in the nearest cache.
        let bits = (3 * keys.len()).next_power_of_two().trailing_zeros().max(1);
        let mut places = vec![Place::default(); 1 << bits];
        let mut slots = Vec::new();
        for key in keys {
            for (code, swapped) in G::codes(key).into_iter().zip([false, true]) {
                let mut at = place_of(code, bits);
                while places[at].code != 0 && places[at].code != code {
                    at = (at + 1) % places.len();
                }
                if places[at].code == 0 {
                    places[at] = Place {
                        code,
                        slot: slots.len() as u16,
                        swapped,
                    };
                }
            }
            slots.push(Slot {
                key,
                first: OnceLock::new(),
            });
        }
        let folder = Folder::new(dir);
        let tables = Store {
            folder,
            others: others.iter().map(|dir| Folder::new(dir)).collect(),
            slots,
            places: places.into(),
            bits,
            men: AtomicU32::new(0),
            listener: OnceLock::new(),
            untold: Mutex::default(),
            useless: Mutex::default(),
            seen: Mutex::default(),
        };
        tables.rescan();
        Arc::new(tables)
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Has `listener` called when damage is found, besides the log, on the thread that finds it; at once for what was
    /// found before. Only the first call has an effect.
    pub fn on_event(&self, listener: impl Fn(FileEvent<G::Key>) + Send + Sync + 'static) {
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        let listener = self.listener.get_or_init(|| Box::new(listener));
        untold.drain(..).for_each(listener);
    }

    /// Opens tables, and files of distances beside ready ones, that have appeared in the folder since; returns the
    /// number of tables that are new or have more files. It costs little while the folder is as it was.
    pub fn rescan(&self) -> usize {
        let unchanged = self.are_seen();
        let known = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        let useless: BTreeSet<G::Key> = known.iter().map(|it| it.key).collect();
        drop(known);
        let has = |key, metric| {
            let mut folders = self.folders().filter(|folder| folder.has(key, metric));
            folders.any(|folder| !self.useless(folder, key).contains(&metric))
        };
        let richer = |slot: &&Slot<G>| match live(slot) {
            None => has(slot.key, Metric::Wdl),
            Some(version) => Metric::DISTANCES
                .into_iter()
                .any(|metric| version.table.distances(metric).is_none() && has(slot.key, metric)),
        };
        // What is of no use may become so in its place, which the folder does not tell.
        let slots = self.slots.iter();
        let slots = slots.filter(|slot| !unchanged || useless.contains(&slot.key));
        let slots = slots.filter(richer);
        slots.filter(|slot| self.load(slot.key, None)).count()
    }

    /// Whether the folders were looked through before as they are now; if not, they are going to be.
    fn are_seen(&self) -> bool {
        let times: Vec<Option<SystemTime>> = self.folders().map(Folder::changed).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.as_ref() == Some(&times) {
            return true;
        }
        // The next change might have the same time as one just now.
        let is_past = |time: SystemTime| time.elapsed().is_ok_and(|age| age > COARSE);
        let past = times.iter().all(|time| time.is_none_or(is_past));
        *seen = past.then_some(times);
        false
    }

    /// Whether the table of a canonical key is ready.
    #[must_use]
    pub fn has(&self, key: G::Key) -> bool {
        self.table(key).is_some()
    }

    /// The folder and the others, in the order in which tables are looked for.
    fn folders(&self) -> impl Iterator<Item = &Folder<G>> {
        std::iter::once(&self.folder).chain(&self.others)
    }

    /// Whether the files of a table that is ready are another folder's, so that no file can be added to them.
    pub(crate) fn is_elsewhere(&self, key: G::Key) -> bool {
        self.table(key)
            .is_some_and(|table| table.folder() != Some(self.folder.path()))
    }

    /// Opens the files of a table in the first folder that has it.
    fn open_files(&self, key: G::Key) -> (Option<Table<G>>, Vec<OpenError>) {
        let mut errors = Vec::new();
        for folder in self.folders() {
            let (table, new) = folder.open_without(key, &self.useless(folder, key));
            errors.extend(new);
            if table.is_some() {
                return (table, errors);
            }
        }
        (None, errors)
    }

    /// The files of a key in a folder that are left alone.
    fn useless(&self, folder: &Folder<G>, key: G::Key) -> Vec<Metric> {
        let known = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        let of_key = known
            .iter()
            .filter(|it| it.key == key && it.folder == folder.path());
        let same = of_key.filter(|it| it.stamp == folder.stamp(key));
        same.map(|it| it.metric).collect()
    }

    /// Has a file of a key in a folder left alone until one of them changes; tells whether it was not yet.
    fn leave_alone(&self, folder: &Folder<G>, key: G::Key, metric: Metric) -> bool {
        let useless = Useless {
            folder: folder.path().to_owned(),
            key,
            metric,
            stamp: folder.stamp(key),
        };
        let mut known = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        let new = !known.contains(&useless);
        known.retain(|it| (it.key, it.metric) != (key, metric) || it.folder != useless.folder);
        known.push(useless);
        new
    }

    /// Whether the table of a canonical key is ready with a file of this metric.
    #[must_use]
    pub fn has_metric(&self, key: G::Key, metric: Metric) -> bool {
        self.table(key)
            .is_some_and(|table| table.file(metric).is_some())
    }

    /// The tables that are ready, fewer men first, then in the order of [`Game::all`].
    #[must_use]
    pub fn list(&self) -> Vec<TableInfo<G::Key>> {
        self.slots
            .iter()
            .filter_map(|slot| live(slot).map(|version| (slot.key, &version.table)))
            .map(|(key, table)| TableInfo {
                key,
                files: Metric::ALL
                    .into_iter()
                    .filter_map(|metric| {
                        let file = table.file(metric)?;
                        Some(FileInfo {
                            metric,
                            bytes: file.file_len(),
                            counts: file.header().counts,
                        })
                    })
                    .collect(),
            })
            .collect()
    }

    /// Tables that are not ready although files of them lie in the folder, with their state.
    #[must_use]
    pub fn unready(&self) -> Vec<(G::Key, Unready)> {
        let missing = self.slots.iter().filter(|slot| live(slot).is_none());
        missing
            .filter_map(|slot| Some((slot.key, self.folder.state(slot.key)?)))
            .collect()
    }

    /// Files that were found damaged and are kept as `.bad`, with nothing in their place, in order.
    #[must_use]
    pub fn damaged(&self) -> Vec<(G::Key, Metric)> {
        self.folder.damaged()
    }

    /// The most men of a ready table, 0 if there is none.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.men.load(Ordering::Relaxed)
    }

    pub(crate) fn folder(&self) -> &Folder<G> {
        &self.folder
    }

    /// The ready table of a canonical key.
    #[must_use]
    pub fn table(&self, key: G::Key) -> Option<&Table<G>> {
        live(self.slot(key)?).map(|version| &version.table)
    }

    /// The key for a position's [code](crate::Rules::code), its table if it is ready, and whether the sides are
    /// exchanged. The outer `None`: there is no such key.
    #[inline]
    #[must_use]
    pub fn by_code(&self, code: u64) -> Option<ByCode<'_, G>> {
        let mut at = place_of(code, self.bits);
        loop {
            let place = self.places[at];
            if place.code == code {
                let slot = &self.slots[usize::from(place.slot)];
                return Some((
                    slot.key,
                    live(slot).map(|version| &version.table),
                    place.swapped,
                ));
            }
            if place.code == 0 {
                return None;
            }
            at = (at + 1) & (self.places.len() - 1);
        }
    }

    fn slot(&self, key: G::Key) -> Option<&Slot<G>> {
        self.slots.iter().find(|slot| slot.key == key)
    }

    /// Makes a table ready, unless the slot has a live one.
    pub(crate) fn publish(&self, table: Table<G>) {
        let key = table.index.key();
        let Some(slot) = self.slot(key) else {
            return;
        };
        let mut version = Box::new(Version {
            table,
            retired: AtomicBool::new(false),
            next: OnceLock::new(),
        });
        let mut place = &slot.first;
        loop {
            match place.set(version) {
                Ok(()) => break,
                Err(back) => version = back,
            }
            let Some(there) = place.get() else { return };
            if !there.retired.load(Ordering::Acquire) {
                return;
            }
            place = &there.next;
        }
        self.men.fetch_max(key.men(), Ordering::Relaxed);
    }

    /// Opens the files of a key and makes its table ready, in place of one that has fewer of
    /// them; damage is reported and set aside, under the caller's lock if it holds one. Tells whether there
    /// is a new version.
    pub(crate) fn load(&self, key: G::Key, lock: Option<&LockFile>) -> bool {
        let (table, errors) = self.open_files(key);
        let mut set_aside = None;
        for error in errors {
            // Another version may be at hand, too: its files are not renamed, nor is what only others may read.
            let (path, renamed) = match &error {
                OpenError::Damaged { path, source } => (path, !source.is_of_another_version()),
                OpenError::Io { path, source } if source.kind() == ErrorKind::PermissionDenied => {
                    (path, false)
                }
                OpenError::Io { .. } => {
                    log::warn!("{error}");
                    // The next rescan tries again.
                    *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    continue;
                }
            };
            let folder = self
                .folders()
                .find(|folder| path.parent() == Some(folder.path()));
            let gone = renamed
                && path.parent() == Some(self.folder.path())
                && *set_aside.get_or_insert_with(|| self.set_aside(key, lock));
            let metric = error.metric().unwrap_or(Metric::Wdl);
            if gone || folder.is_some_and(|folder| self.leave_alone(folder, key, metric)) {
                self.report(key, error.to_string());
            }
        }
        let Some(table) = table else { return false };
        let files = |table: &Table<G>| {
            let files = Metric::ALL.into_iter();
            files.filter(|&metric| table.file(metric).is_some()).count()
        };
        if self
            .table(key)
            .is_some_and(|old| files(old) >= files(&table))
        {
            return false;
        }
        self.replace(table);
        true
    }

    /// Retires a table in which damage was found; the first finder reports it.
    #[cold]
    pub(crate) fn retire(&self, key: G::Key, error: &FormatError) {
        let Some(version) = self.slot(key).and_then(live) else {
            return;
        };
        if !version.retired.swap(true, Ordering::AcqRel) {
            let origin = version.table.folder().unwrap_or(self.folder.path());
            let path = origin.join(format!("{key}.*"));
            self.report(key, format!("{}: {error}", path.display()));
            let own = origin == self.folder.path();
            if !(own && self.set_aside(key, None))
                && let Some(folder) = self.folders().find(|folder| folder.path() == origin)
            {
                let mut bad = folder.bad(key);
                if bad.is_empty() {
                    // They contradict each other.
                    bad = Metric::ALL.to_vec();
                }
                for metric in bad {
                    self.leave_alone(folder, key, metric);
                }
            }
            // Intact files stay in use: the `.wdl` file without a damaged file of distances, those of other folders.
            self.load(key, None);
        }
    }

    /// Retires a good table so that a new one can take its place.
    pub(crate) fn replace(&self, table: Table<G>) {
        if let Some(version) = self.slot(table.index.key()).and_then(live) {
            version.retired.store(true, Ordering::Release);
        }
        self.publish(table);
    }

    /// Renames the damaged files of a key, if no process generates it and the folder allows it. Tells
    /// whether any was.
    fn set_aside(&self, key: G::Key, lock: Option<&LockFile>) -> bool {
        let done = match lock {
            Some(lock) => self.folder.set_aside(key, lock),
            None => self.folder.lock(key).and_then(|lock| {
                lock.map_or(Ok(Vec::new()), |lock| self.folder.set_aside(key, &lock))
            }),
        };
        match done {
            Ok(paths) => {
                for path in &paths {
                    log::warn!("{}: set aside as .bad", path.display());
                }
                !paths.is_empty()
            }
            Err(error) => {
                let path = self.folder.path().display();
                log::warn!("{path}: cannot be set aside: {error}");
                false
            }
        }
    }

    fn report(&self, key: G::Key, text: String) {
        log::warn!("{text}");
        let event = FileEvent::Damaged { key, text };
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        match self.listener.get() {
            Some(listener) => {
                drop(untold);
                listener(event);
            }
            None => untold.push(event),
        }
    }
}

impl<G: Game> std::fmt::Debug for Store<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("folder", &self.folder)
            .field("largest", &self.largest())
            .finish_non_exhaustive()
    }
}

/// The version in use: the last one unless it is retired.
#[inline]
fn live<G: Game>(slot: &Slot<G>) -> Option<&Version<G>> {
    let mut version = slot.first.get()?;
    while version.retired.load(Ordering::Relaxed) {
        version = version.next.get()?;
    }
    Some(version)
}

#[inline]
fn place_of(code: u64, bits: u32) -> usize {
    (code.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
}
