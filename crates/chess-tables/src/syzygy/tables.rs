//! The Syzygy files of some folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use duchamp_base::{Mapped, Wdl};
use duchamp_chess::Position;

use super::file::{Stored, SyzygyFile, SyzygyKind};
use super::numbering::MAX_MEN;
use crate::game::counts_code;
use crate::material::Material;

/// Why a position has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SyzygyError {
    /// The tables have no castling rights.
    #[error("Syzygy tables have no positions with castling rights")]
    Castling,
    /// More than seven men.
    #[error("Syzygy tables have at most {MAX_MEN} men")]
    TooManyMen,
    /// A file of this material is not there.
    #[error("no file {0}.{ext}", ext = .1.extension())]
    Missing(Material, SyzygyKind),
    /// A file of this material is damaged; [`SyzygyTables::take_faults`] says more.
    #[error("{0}.{ext} is damaged", ext = .1.extension())]
    Damaged(Material, SyzygyKind),
}

/// One file of a material.
#[derive(Debug, Default)]
struct Place {
    path: Option<PathBuf>,
    /// Opened when first probed; `None` if it cannot be read.
    file: OnceLock<Option<SyzygyFile>>,
}

/// The files of a material.
#[derive(Debug)]
struct Slot {
    material: Material,
    files: [Place; 2],
}

/// A slot by the counts of men on a board.
#[derive(Clone, Copy, Default, Debug)]
struct Code {
    counts: u64,
    slot: u16,
    swapped: bool,
}

/// The Syzygy files that lie in some folders. They are opened when they are first probed; probing takes no lock.
///
/// ```no_run
/// use duchamp_chess::Position;
/// use duchamp_chess_tables::{SyzygyTables, Wdl};
///
/// let tables = SyzygyTables::open(["/home/me/syzygy"]);
/// let position = Position::from_fen("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")?;
/// assert_eq!(tables.wdl(&position)?, Wdl::Win);
/// assert_eq!(tables.dtz(&position)?.0, 11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct SyzygyTables {
    slots: Vec<Slot>,
    /// Open addressing, a power of two places; empty ones have no counts.
    codes: Vec<Code>,
    largest: u32,
    counts: [usize; 2],
    faults: Mutex<Faults>,
}

/// What was found wrong with files, each fault once.
#[derive(Default, Debug)]
struct Faults {
    all: Vec<String>,
    /// How many of them were taken.
    taken: usize,
}

impl SyzygyTables {
    /// The files of these folders; where several hold one, that of the first. Missing folders hold none.
    #[must_use]
    pub fn open(folders: impl IntoIterator<Item = impl AsRef<Path>>) -> SyzygyTables {
        let mut tables = SyzygyTables::default();
        for folder in folders {
            for entry in fs::read_dir(folder.as_ref())
                .into_iter()
                .flatten()
                .flatten()
            {
                tables.find_file(entry.path());
            }
        }
        tables.list_codes();
        tables
    }

    /// Files in memory: of each its material, its kind and its bytes. Of files that cannot be read, or have more than seven
    /// men, [`SyzygyTables::take_faults`] tells.
    #[must_use]
    pub fn of_files(
        files: impl IntoIterator<Item = (Material, SyzygyKind, Vec<u8>)>,
    ) -> SyzygyTables {
        let mut tables = SyzygyTables::default();
        for (material, kind, bytes) in files {
            let name = format!("{material}.{}", kind.extension());
            if material.men() as usize > MAX_MEN {
                tables.report(format!("{name}: {}", SyzygyError::TooManyMen));
                continue;
            }
            let file = SyzygyFile::read(Mapped::from(bytes), material, kind);
            let file = file.map_err(|fault| tables.report(format!("{name}: {fault}")));
            let place = tables.add(material, kind, PathBuf::from(name));
            // One that is there already stays.
            let _ = place.file.set(file.ok());
        }
        tables.list_codes();
        tables
    }

    /// Lists the counts of men of all materials.
    fn list_codes(&mut self) {
        let places = (self.slots.len() * 4).next_power_of_two().max(4);
        self.codes = vec![Code::default(); places];
        for slot in 0..self.slots.len() {
            let material = self.slots[slot].material;
            for (swapped, material) in [(false, material), (true, material.flipped())] {
                let counts = counts_code(material);
                let mut at = self.hash(counts);
                while self.codes[at].counts != 0 && self.codes[at].counts != counts {
                    at = (at + 1) & (places - 1);
                }
                // Of a symmetric material the first.
                if self.codes[at].counts == 0 {
                    self.codes[at] = Code {
                        counts,
                        slot: slot as u16,
                        swapped,
                    };
                }
            }
        }
    }

    /// The folders of a path as UCI's `SyzygyPath` writes it: separated by `:` (on Windows `;`); none for an empty text and
    /// `<empty>`. A `;` separates everywhere.
    #[must_use]
    pub fn folders(path: &str) -> Vec<PathBuf> {
        if path == "<empty>" {
            return Vec::new();
        }
        let separators: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };
        let parts = path.split(separators).map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(PathBuf::from)
            .collect()
    }

    /// Adds a file of a folder if its name is that of a table.
    fn find_file(&mut self, path: PathBuf) {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let extension = path.extension().and_then(|extension| extension.to_str());
        let kind = SyzygyKind::ALL
            .into_iter()
            .find(|kind| extension == Some(kind.extension()));
        let (Some(stem), Some(kind)) = (stem, kind) else {
            return;
        };
        let Ok(material) = stem.parse::<Material>() else {
            return;
        };
        let known = material.name() == stem && (3..=MAX_MEN as u32).contains(&material.men());
        if known && path.is_file() {
            self.add(material, kind, path);
        }
    }

    /// Adds a file, unless there is one already.
    fn add(&mut self, material: Material, kind: SyzygyKind, path: PathBuf) -> &Place {
        let at = self.slots.iter().position(|slot| slot.material == material);
        let at = at.unwrap_or_else(|| {
            self.slots.push(Slot {
                material,
                files: Default::default(),
            });
            self.slots.len() - 1
        });
        let place = &mut self.slots[at].files[kind as usize];
        if place.path.is_none() {
            place.path = Some(path);
            self.counts[kind as usize] += 1;
            if kind == SyzygyKind::Wdl {
                self.largest = self.largest.max(material.men());
            }
        }
        place
    }

    /// The number of files of a kind that were found.
    #[must_use]
    pub fn count(&self, kind: SyzygyKind) -> usize {
        self.counts[kind as usize]
    }

    /// The most men of a table of results; 0 if there is none.
    #[must_use]
    pub fn largest(&self) -> u32 {
        self.largest
    }

    /// The materials that have files, and of which kinds.
    pub fn materials(&self) -> impl Iterator<Item = (Material, [bool; 2])> + '_ {
        let slots = self.slots.iter();
        slots.map(|slot| {
            let has = slot.files.each_ref().map(|place| place.path.is_some());
            (slot.material, has)
        })
    }

    /// What was found wrong with files since the last call, a line each: the file and the fault. Each fault comes once.
    pub fn take_faults(&self) -> Vec<String> {
        match self.faults.lock() {
            Ok(mut faults) => {
                let new = faults.all[faults.taken..].to_vec();
                faults.taken = faults.all.len();
                new
            }
            Err(_) => Vec::new(),
        }
    }

    /// Whether the checksum at the end of a material's file is right. All of the file is read.
    ///
    /// # Errors
    /// When there is no such file, or when it has no readable header.
    pub fn has_right_checksum(
        &self,
        material: Material,
        kind: SyzygyKind,
    ) -> Result<bool, SyzygyError> {
        let missing = SyzygyError::Missing(material, kind);
        let slot = self.slots.iter().find(|slot| slot.material == material);
        let slot = slot.ok_or(missing.clone())?;
        let place = &slot.files[kind as usize];
        if place.path.is_none() {
            return Err(missing);
        }
        let file = place.file.get();
        let file = file.unwrap_or_else(|| self.open_file(slot, kind));
        let file = file.as_ref();
        let file = file.ok_or(SyzygyError::Damaged(material, kind))?;
        Ok(file.has_right_checksum())
    }

    fn hash(&self, counts: u64) -> usize {
        let mixed = counts.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        // Of no codes at all, any place: there is none.
        mixed as usize & self.codes.len().wrapping_sub(1)
    }

    /// The slot of a board's men, and whether the board's colours are the other way round.
    #[inline]
    fn slot(&self, counts: u64) -> Option<(&Slot, bool)> {
        let mut at = self.hash(counts);
        loop {
            let code = self.codes.get(at)?;
            if code.counts == counts {
                return Some((&self.slots[usize::from(code.slot)], code.swapped));
            }
            if code.counts == 0 {
                return None;
            }
            at = (at + 1) & (self.codes.len() - 1);
        }
    }

    #[inline]
    fn find(
        &self,
        position: &Position,
        kind: SyzygyKind,
    ) -> Result<(Material, &SyzygyFile, bool), SyzygyError> {
        let Some((slot, swapped)) = self.slot(position.material_counts()) else {
            let men = position.board().men() as usize;
            return Err(if men > MAX_MEN {
                SyzygyError::TooManyMen
            } else {
                SyzygyError::Missing(Material::of(position.board()).0, kind)
            });
        };
        let place = &slot.files[kind as usize];
        let file = match place.file.get() {
            Some(file) => file,
            None => self.open_file(slot, kind),
        };
        let why = || match place.path {
            Some(_) => SyzygyError::Damaged(slot.material, kind),
            None => SyzygyError::Missing(slot.material, kind),
        };
        Ok((slot.material, file.as_ref().ok_or_else(why)?, swapped))
    }

    #[cold]
    fn open_file<'s>(&self, slot: &'s Slot, kind: SyzygyKind) -> &'s Option<SyzygyFile> {
        let place = &slot.files[kind as usize];
        place.file.get_or_init(|| {
            let path = place.path.as_ref()?;
            SyzygyFile::open(path, slot.material, kind)
                .map_err(|fault| self.report(format!("{}: {fault}", path.display())))
                .ok()
        })
    }

    fn report(&self, fault: String) {
        if let Ok(mut faults) = self.faults.lock()
            && !faults.all.contains(&fault)
            && faults.all.len() < 100
        {
            log::warn!("{fault}");
            faults.all.push(fault);
        }
    }

    #[cold]
    fn damaged(&self, material: Material, kind: SyzygyKind) -> SyzygyError {
        self.report(format!("{material}.{}: damaged blocks", kind.extension()));
        SyzygyError::Damaged(material, kind)
    }

    /// The stored result, captures aside.
    #[inline]
    pub(super) fn stored_wdl(&self, position: &Position) -> Result<Wdl, SyzygyError> {
        const KIND: SyzygyKind = SyzygyKind::Wdl;
        if position.board().men() == 2 {
            return Ok(Wdl::Draw);
        }
        let (material, file, swapped) = self.find(position, KIND)?;
        let value = file.wdl(position, swapped);
        value.map_err(|_| self.damaged(material, KIND))
    }

    /// The stored distance to zeroing, captures and pawn moves aside.
    pub(super) fn stored_dtz(
        &self,
        position: &Position,
        wdl: Wdl,
    ) -> Result<Stored<u16>, SyzygyError> {
        const KIND: SyzygyKind = SyzygyKind::Dtz;
        let (material, file, swapped) = self.find(position, KIND)?;
        let value = file.dtz(position, swapped, wdl);
        value.map_err(|_| self.damaged(material, KIND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables that were never opened answer like an empty folder.
    #[test]
    fn no_files_answer_nothing() {
        let position = Position::from_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1").expect("legal");
        let none: [&str; 0] = [];
        for tables in [SyzygyTables::default(), SyzygyTables::open(none)] {
            assert_eq!((tables.largest(), tables.count(SyzygyKind::Wdl)), (0, 0));
            let missing = tables.wdl(&position).expect_err("no file");
            assert_eq!(missing.to_string(), "no file KRvK.rtbw");
        }
    }

    #[test]
    fn a_fault_is_taken_once() {
        let tables = SyzygyTables::default();
        for _ in 0..2 {
            tables.report("broken".to_owned());
            tables.report("torn".to_owned());
        }
        assert_eq!(tables.take_faults(), ["broken", "torn"]);
        tables.report("torn".to_owned());
        assert_eq!(tables.take_faults(), Vec::<String>::new());
    }
}
