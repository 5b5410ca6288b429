//! The folder of tables: names, opening, writing, setting aside.
//!
//! A material has two files, `KRPvKR.wdl` and `KRPvKR.dtm`, and while somebody makes it a lock,
//! `KRPvKR.lock`. A damaged file becomes `KRPvKR.wdl.bad`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::{Container, FormatError, Metric};
use super::format_dtm::{self, DtmFile};
use super::format_wdl::{Outcome, Word};
use super::layout::{Index, Layout};
use super::material::Material;
use super::wdl_file::WdlFile;
use crate::base::files::{self, AtomicFile};
use crate::base::{LockFile, Mapped};

/// Why a table could not be opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    /// The file could not be read.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no good table.
    #[error("{path}: {source}", path = .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: FormatError,
    },
}

/// The two files of a material, open.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) layout: Arc<Layout>,
    pub(super) wdl: WdlFile,
    pub(super) dtm: DtmFile,
}

impl Table {
    /// A table from its files' bytes.
    pub(super) fn new(
        layout: Arc<Layout>,
        wdl: Container,
        dtm: Container,
    ) -> Result<Table, (Metric, FormatError)> {
        check_header(&layout, &wdl, Metric::Wdl).map_err(|error| (Metric::Wdl, error))?;
        check_header(&layout, &dtm, Metric::Dtm).map_err(|error| (Metric::Dtm, error))?;
        let wdl = WdlFile::new(wdl, &layout)
            .ok_or((Metric::Wdl, FormatError::Header("another table's")))?;
        Ok(Table {
            layout,
            wdl,
            dtm: DtmFile::new(dtm),
        })
    }

    /// The number of the stored side for an index.
    #[inline]
    fn side(&self, index: Index) -> usize {
        index
            .side
            .index()
            .min(usize::from(self.wdl.header().sides) - 1)
    }

    /// Win, draw or loss of a cell.
    #[inline]
    pub(super) fn outcome(&self, index: Index) -> Result<Outcome, FormatError> {
        self.wdl.outcome(
            self.side(index),
            (index.cell >> 6) as usize,
            (index.cell & 63) as u32,
        )
    }

    /// `k` of a cell that is won in `2k + 1` plies; `Ok(None)` if it is not won.
    pub(super) fn win(&self, index: Index) -> Result<Option<u8>, FormatError> {
        self.dtm.win(
            &self.wdl,
            self.side(index),
            (index.cell >> 6) as usize,
            (index.cell & 63) as u32,
        )
    }

    /// All words of a stored side; what is void has any value.
    pub(super) fn words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        self.wdl.side_words(side)
    }

    /// `k` of all wins of a stored side, 64 cells a word; other cells are 0.
    pub(super) fn wins(&self, side: usize) -> Result<Vec<u8>, FormatError> {
        let blocks = self.dtm.container().side_blocks();
        let mut cells = Vec::with_capacity(self.layout.words() * 64);
        for block in side * blocks..(side + 1) * blocks {
            cells.extend(self.dtm.decode(&self.wdl, block)?);
        }
        Ok(cells)
    }
}

fn check_header(layout: &Layout, file: &Container, metric: Metric) -> Result<(), FormatError> {
    let header = file.header();
    // Of `.wdl` files there are two forms: `WdlFile::new` looks.
    let form = metric == Metric::Wdl || header.block_words == format_dtm::BLOCK_WORDS;
    let fits = header.metric == metric
        && form
        && header.material == layout.material().name()
        && usize::from(header.sides) == layout.sides().len()
        && header.words == layout.words() as u64;
    if fits {
        Ok(())
    } else {
        Err(FormatError::Header("another table's"))
    }
}

/// Opens a table from the bytes of its two files and reads all of both: the number of its wins.
///
/// What the folder of tables does with files, for checks and fuzzing without files.
///
/// # Errors
/// When anything in the bytes is wrong.
pub fn read_through(material: Material, wdl: Vec<u8>, dtm: Vec<u8>) -> Result<u64, FormatError> {
    let (wdl, dtm) = (
        Container::open(Mapped::from(wdl))?,
        Container::open(Mapped::from(dtm))?,
    );
    let table =
        Table::new(Arc::new(Layout::new(material)), wdl, dtm).map_err(|(_, error)| error)?;
    let mut wins = 0;
    for side in 0..table.layout.sides().len() {
        let words = table.words(side)?;
        wins += words
            .iter()
            .map(|word| u64::from(word.won.count_ones()))
            .sum::<u64>();
        let lengths = table.wins(side)?;
        for (number, word) in words.iter().enumerate().step_by(97) {
            let bit = number as u32 % 64;
            let index = Index {
                side: table.layout.sides()[side],
                cell: number as u64 * 64 + u64::from(bit),
            };
            // The direct ways of reading agree with reading everything, or the file is wrong.
            let won = table.outcome(index)? == Outcome::Win;
            let length = table.win(index)?;
            let told = won
                .then(|| lengths.get(number * 64 + bit as usize).copied())
                .flatten();
            if won != (word.won >> bit & 1 != 0) || length != told {
                return Err(FormatError::Header("cells"));
            }
        }
    }
    Ok(wins)
}

/// The folder that holds the tables.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(path: &Path) -> Folder {
        Folder(path.to_owned())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, material: Material, metric: Metric) -> PathBuf {
        self.0.join(format!("{material}.{}", metric.name()))
    }

    fn lock_path(&self, material: Material) -> PathBuf {
        self.0.join(format!("{material}.lock"))
    }

    /// Whether both files of a material are there, whatever is in them.
    pub(super) fn has(&self, material: Material) -> bool {
        Metric::ALL
            .iter()
            .all(|&metric| self.file(material, metric).is_file())
    }

    /// What lies in the folder of a material that is not ready, in words; `None` if nothing does.
    pub(super) fn state(&self, material: Material) -> Option<String> {
        let lock = self.lock_path(material);
        if lock.is_file() {
            return Some(match LockFile::try_acquire(&lock) {
                Ok(None) => format!(
                    "being made by {}",
                    self.lock_holder(material).unwrap_or_default()
                ),
                _ => "its maker died".to_owned(),
            });
        }
        let with = |ending: &str| {
            let file = |metric| {
                self.0
                    .join(format!("{material}.{}{ending}", Metric::name(metric)))
            };
            Metric::ALL.iter().any(|&metric| file(metric).is_file())
        };
        if with(".bad") {
            Some("damaged, set aside as .bad".to_owned())
        } else {
            with("").then(|| "incomplete".to_owned())
        }
    }

    /// The lock on a material; `Ok(None)` while another process holds it.
    pub(super) fn lock(&self, material: Material) -> io::Result<Option<LockFile>> {
        LockFile::try_acquire(&self.lock_path(material))
    }

    /// Who holds the lock on a material, in words.
    pub(super) fn lock_holder(&self, material: Material) -> Option<String> {
        LockFile::holder(&self.lock_path(material))
    }

    /// Opens the two files of a material; `Ok(None)` if one is not there.
    pub(super) fn open(&self, material: Material) -> Result<Option<Table>, OpenError> {
        let Some(wdl) = self.open_file(material, Metric::Wdl)? else {
            return Ok(None);
        };
        let Some(dtm) = self.open_file(material, Metric::Dtm)? else {
            return Ok(None);
        };
        let layout = Arc::new(Layout::new(material));
        Table::new(layout, wdl, dtm)
            .map(Some)
            .map_err(|(metric, source)| {
                let path = self.file(material, metric);
                OpenError::Damaged { path, source }
            })
    }

    fn open_file(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Container>, OpenError> {
        let path = self.file(material, metric);
        let bytes = match Mapped::open(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(OpenError::Io { path, source }),
        };
        Container::open(bytes)
            .map(Some)
            .map_err(|source| OpenError::Damaged { path, source })
    }

    /// Writes one file of a material whose lock the caller holds.
    pub(super) fn write(&self, material: Material, metric: Metric, bytes: &[u8]) -> io::Result<()> {
        let mut file = AtomicFile::create(&self.file(material, metric))?;
        file.write_all(bytes)?;
        file.commit()
    }

    /// Removes what killed writers left of a material whose lock the caller holds.
    pub(super) fn sweep(&self, material: Material) {
        for metric in Metric::ALL {
            files::sweep_parts(&self.file(material, metric));
        }
    }

    /// Renames the damaged files of a material to `.bad`, under its lock. Reads every block of both
    /// files first: in the meantime another process may have replaced them by good ones. Tells
    /// what was set aside.
    pub(super) fn set_aside(
        &self,
        material: Material,
        _lock: &LockFile,
    ) -> io::Result<Vec<PathBuf>> {
        let mut aside = Vec::new();
        for metric in Metric::ALL {
            let path = self.file(material, metric);
            if path.is_file() && !self.is_whole(material, metric) {
                let mut bad = path.clone().into_os_string();
                bad.push(".bad");
                fs::rename(&path, &bad)?;
                aside.push(path);
            }
        }
        Ok(aside)
    }

    /// Whether a file opens, fits its material and has no damaged block.
    fn is_whole(&self, material: Material, metric: Metric) -> bool {
        let Ok(Some(file)) = self.open_file(material, metric) else {
            return false;
        };
        check_header(&Layout::new(material), &file, metric).is_ok()
            && (0..file.blocks()).all(|block| file.block(block).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::super::solve::solve;
    use super::super::solved::{Solved, SubTables};
    use super::super::wdl_file::Form;
    use super::*;
    use crate::base::{Control, checksum, checksum32};

    struct NoTables;

    impl SubTables for NoTables {
        fn get(&self, _: Material) -> Result<Arc<Solved>, String> {
            Err("none".to_owned())
        }
    }

    /// Puts right checksums into a damaged file, so that what lies behind them is tested.
    fn seal(bytes: &mut [u8]) {
        let number = |bytes: &[u8], at: usize| {
            bytes[at..]
                .first_chunk()
                .map_or(0, |x| u64::from_le_bytes(*x)) as usize
        };
        let index = number(bytes, 40);
        for at in (index..bytes.len().saturating_sub(15)).step_by(16) {
            let start = number(bytes, at);
            let length = number(bytes, at + 8) & 0xFFFF_FFFF;
            if let Some(block) = start
                .checked_add(length)
                .and_then(|end| bytes.get(start..end))
            {
                let sum = checksum32(block);
                bytes[at + 12..at + 16].copy_from_slice(&sum.to_le_bytes());
            }
        }
        if let Some(index) = bytes.get(index..) {
            let sum = checksum(index);
            bytes[56..64].copy_from_slice(&sum.to_le_bytes());
        }
        let sum = checksum(&bytes[..144]);
        bytes[144..152].copy_from_slice(&sum.to_le_bytes());
    }

    /// Damage behind good checksums (nothing but intent makes it) gives errors or other values, no panic.
    #[test]
    fn sealed_damage_does_not_panic() {
        for form in [Form::Direct, Form::Coded] {
            damage(form);
        }
    }

    fn damage(form: Form) {
        let material: Material = "KRvK".parse().expect("a material");
        let control = Control::new(1);
        let solved = solve(material, &NoTables, &control).expect("no sub-tables needed");
        let encoded = encode::encode_as(form, &solved, &control).expect("encoded");
        let wins = read_through(material, encoded.wdl.clone(), encoded.dtm.clone());
        assert!(wins.is_ok_and(|wins| wins >= 21_959));
        let mut state = 9_u64;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % n
        };
        for round in 0..3000 {
            let (mut wdl, mut dtm) = (encoded.wdl.clone(), encoded.dtm.clone());
            for _ in 0..=random(3) {
                let file = if round % 2 == 0 { &mut wdl } else { &mut dtm };
                let at = if random(2) == 0 {
                    random(file.len())
                } else {
                    random(160)
                };
                file[at] = random(256) as u8;
            }
            seal(&mut wdl);
            seal(&mut dtm);
            let _ = read_through(material, wdl, dtm);
        }
    }
}
