//! All tables of a folder, shared by search, generation and tools.
//!
//! Every material of up to [`MAX_MEN`] men has a slot. A slot's table appears when it is ready, without
//! a lock on the reading side; a damaged table is retired and a new version takes its place. Old versions
//! live as long as the [`Tables`] (a prober may still be reading them).

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::format::{FormatError, Metric, SideCounts};
use super::material::Material;
use super::store::{Folder, OpenError, Table};
use duchamp_base::LockFile;
use duchamp_chess::{Color, Piece, Role};

/// The most men of any table.
pub const MAX_MEN: u32 = 5;

/// Of materials without pawns some may have as many men as this, made only when named.
pub const LARGEST_MEN: u32 = 6;

/// Places of the hash table of slots; a power of two, four times the number of keys.
const PLACES: usize = 1024;

/// What [`Tables`] tells about its files between the lines.
#[derive(Clone, Debug)]
pub enum FileEvent {
    /// A table was found damaged and is no longer used; it will be made again by the next generation.
    Damaged {
        /// The table.
        material: Material,
        /// What was found, with the file's name.
        text: String,
    },
}

/// A table of a folder, for `tb list`.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// The material.
    pub material: Material,
    /// Its files, the `.wdl` file first.
    pub files: Vec<FileInfo>,
}

/// A file of a table.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// What it tells.
    pub metric: Metric,
    /// Its length.
    pub bytes: u64,
    /// Counts and longest distances with White (the stronger side) to move, and with Black; equal if the material is
    /// symmetric. The `.wdl` file tells the longest distances to mate.
    pub counts: [SideCounts; 2],
}

impl TableInfo {
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

    /// What the `.wdl` file counts.
    #[must_use]
    pub fn counts(&self) -> [SideCounts; 2] {
        self.file(Metric::Wdl)
            .map_or_else(Default::default, |file| file.counts)
    }
}

struct Version {
    table: Table,
    retired: AtomicBool,
    next: OnceLock<Box<Version>>,
}

struct Slot {
    material: Material,
    first: OnceLock<Box<Version>>,
}

#[derive(Clone, Copy, Default)]
struct Place {
    /// [`duchamp_chess::Position::material_counts`]; 0 (no kings) is none.
    key: u64,
    slot: u16,
    swapped: bool,
}

type Listener = Box<dyn Fn(FileEvent) + Send + Sync>;

/// All tables of a folder.
pub struct Tables {
    folder: Folder,
    slots: Vec<Slot>,
    places: Box<[Place; PLACES]>,
    men: AtomicU32,
    listener: OnceLock<Listener>,
}

impl Tables {
    /// The tables of a folder, which may be missing or empty: the good files are ready at once.
    #[must_use]
    pub fn open(dir: &Path) -> Arc<Tables> {
        let mut slots = Vec::new();
        let mut places = Box::new([Place::default(); PLACES]);
        let materials = (3..=LARGEST_MEN).flat_map(Material::all);
        for material in materials.filter(|&material| material.has_table()) {
            for swapped in [false, true] {
                let key = counts_key(if swapped {
                    material.flipped()
                } else {
                    material
                });
                let mut at = place_of(key);
                while places[at].key != 0 && places[at].key != key {
                    at = (at + 1) % PLACES;
                }
                if places[at].key == 0 {
                    places[at] = Place {
                        key,
                        slot: slots.len() as u16,
                        swapped,
                    };
                }
            }
            slots.push(Slot {
                material,
                first: OnceLock::new(),
            });
        }
        let folder = Folder::new(dir);
        let tables = Tables {
            folder,
            slots,
            places,
            men: AtomicU32::new(0),
            listener: OnceLock::new(),
        };
        tables.rescan();
        Arc::new(tables)
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.path()
    }

    /// Where damage is told, besides the log; set once, later calls do nothing.
    pub fn on_event(&self, listener: impl Fn(FileEvent) + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    /// Opens tables that have appeared since, and files of distances that have appeared beside ready
    /// ones; tells how many tables are new or richer.
    pub fn rescan(&self) -> usize {
        let richer = |slot: &&Slot| match live(slot) {
            None => self.folder.has(slot.material, Metric::Wdl),
            Some(version) => Metric::DISTANCES.into_iter().any(|metric| {
                version.table.distances(metric).is_none() && self.folder.has(slot.material, metric)
            }),
        };
        let slots = self.slots.iter().filter(richer);
        slots.filter(|slot| self.load(slot.material, None)).count()
    }

    /// Whether the table of a canonical material is ready.
    #[must_use]
    pub fn has(&self, material: Material) -> bool {
        self.table(material).is_some()
    }

    /// Whether the table of a canonical material is ready with a file of this metric.
    #[must_use]
    pub fn has_metric(&self, material: Material, metric: Metric) -> bool {
        self.table(material)
            .is_some_and(|table| table.file(metric).is_some())
    }

    /// The tables that are ready, in order of men and name.
    #[must_use]
    pub fn list(&self) -> Vec<TableInfo> {
        self.slots
            .iter()
            .filter_map(|slot| live(slot).map(|version| (slot.material, &version.table)))
            .map(|(material, table)| TableInfo {
                material,
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

    /// Tables that are not ready although something of them lies in the folder, with their state in words.
    #[must_use]
    pub fn unready(&self) -> Vec<(Material, String)> {
        let missing = self.slots.iter().filter(|slot| live(slot).is_none());
        missing
            .filter_map(|slot| Some((slot.material, self.folder.state(slot.material)?)))
            .collect()
    }

    /// The most men of a ready table, 0 if there is none.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.men.load(Ordering::Relaxed)
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn table(&self, material: Material) -> Option<&Table> {
        live(self.slot(material)?).map(|version| &version.table)
    }

    /// The ready table for [`duchamp_chess::Position::material_counts`], and whether its White is the position's Black.
    /// The outer `None`: there is no such material.
    #[inline]
    pub(super) fn by_counts(&self, counts: u64) -> Option<(Material, Option<&Table>, bool)> {
        let mut at = place_of(counts);
        loop {
            let place = self.places[at];
            if place.key == counts {
                let slot = &self.slots[usize::from(place.slot)];
                return Some((
                    slot.material,
                    live(slot).map(|version| &version.table),
                    place.swapped,
                ));
            }
            if place.key == 0 {
                return None;
            }
            at = (at + 1) % PLACES;
        }
    }

    fn slot(&self, material: Material) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.material == material)
    }

    /// Makes a table ready, unless the slot has a live one.
    pub(super) fn publish(&self, table: Table) {
        let material = table.layout.material();
        let Some(slot) = self.slot(material) else {
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
        self.men.fetch_max(material.men(), Ordering::Relaxed);
    }

    /// Opens the files of a material and makes its table ready, in place of one that has fewer of
    /// them; damage is reported and set aside, under the caller's lock if it holds one. Tells whether there
    /// is a new version.
    pub(super) fn load(&self, material: Material, lock: Option<&LockFile>) -> bool {
        let (table, errors) = self.folder.open(material);
        let mut damaged = false;
        for error in errors {
            match error {
                OpenError::Io { path, source } => log::warn!("{}: {source}", path.display()),
                error @ OpenError::Damaged { .. } => {
                    self.report(material, error.to_string());
                    damaged = true;
                }
            }
        }
        if damaged {
            self.set_aside(material, lock);
        }
        let Some(table) = table else { return false };
        let files = |table: &Table| {
            let files = Metric::ALL.into_iter();
            files.filter(|&metric| table.file(metric).is_some()).count()
        };
        if self
            .table(material)
            .is_some_and(|old| files(old) >= files(&table))
        {
            return false;
        }
        self.replace(table);
        true
    }

    /// Retires a table in which damage was found; the first finder reports it.
    #[cold]
    pub(super) fn retire(&self, material: Material, error: &FormatError) {
        let Some(version) = self.slot(material).and_then(live) else {
            return;
        };
        if !version.retired.swap(true, Ordering::AcqRel) {
            let path = self.folder.file(material, Metric::Wdl);
            self.report(
                material,
                format!("{}: {error}", path.with_extension("*").display()),
            );
            // What is left of it is used on: the `.wdl` file without a damaged file of distances.
            if self.set_aside(material, None) {
                self.load(material, None);
            }
        }
    }

    /// Retires a good table so that a new one can take its place.
    pub(super) fn replace(&self, table: Table) {
        if let Some(version) = self.slot(table.layout.material()).and_then(live) {
            version.retired.store(true, Ordering::Release);
        }
        self.publish(table);
    }

    /// Renames the damaged files of a material, if nobody is making it and the folder allows it. Tells
    /// whether any was.
    fn set_aside(&self, material: Material, lock: Option<&LockFile>) -> bool {
        let done = match lock {
            Some(lock) => self.folder.set_aside(material, lock),
            None => self.folder.lock(material).and_then(|lock| {
                lock.map_or(Ok(Vec::new()), |lock| {
                    self.folder.set_aside(material, &lock)
                })
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

    fn report(&self, material: Material, text: String) {
        log::warn!("{text}");
        if let Some(listener) = self.listener.get() {
            listener(FileEvent::Damaged { material, text });
        }
    }
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables")
            .field("folder", &self.folder)
            .field("largest", &self.largest())
            .finish_non_exhaustive()
    }
}

/// The version in use: the last one unless it is retired.
#[inline]
fn live(slot: &Slot) -> Option<&Version> {
    let mut version = slot.first.get()?;
    while version.retired.load(Ordering::Relaxed) {
        version = version.next.get()?;
    }
    Some(version)
}

#[inline]
fn place_of(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

/// As [`duchamp_chess::Position::material_counts`] tells it.
pub(super) fn counts_key(material: Material) -> u64 {
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];
    let mut key = 0;
    for color in Color::ALL {
        for role in roles {
            key |= u64::from(material.count(color, role)) << (4 * Piece { color, role }.index());
        }
    }
    key
}
