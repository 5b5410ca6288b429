//! The folder of tables: names, opening, writing, setting aside.
//!
//! A material has the file `KRPvKR.wdl` and beside it any of the files of distances `KRPvKR.dtm`,
//! `KRPvKR.dtc`, `KRPvKR.dtz`; while somebody makes it a lock, `KRPvKR.lock`. A damaged file becomes
//! `KRPvKR.wdl.bad`. A file of distances goes with one `.wdl` file, whose checksum it tells.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::format::{Container, FormatError, Metric};
use super::format_distance::{self, DistanceFile};
use super::format_wdl::{Outcome, Word};
use super::layout::{Index, Layout};
use super::material::Material;
use super::wdl_file::WdlFile;
use duchamp_base::files;
use duchamp_base::{LockFile, Mapped, Plies};

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

/// The files of a material, open.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) layout: Arc<Layout>,
    pub(super) wdl: WdlFile,
    /// By metric, in the order of [`Metric::DISTANCES`].
    distances: [Option<DistanceFile>; 3],
    /// By stored side: whether the 50-move rule spoils some of its wins, and saves some of its losses.
    spoilt: [(bool, bool); 2],
}

impl Table {
    /// A table from its `.wdl` file.
    pub(super) fn new(layout: Arc<Layout>, wdl: Container) -> Result<Table, FormatError> {
        check_header(&layout, &wdl, Metric::Wdl)?;
        let wdl = WdlFile::new(wdl, &layout).ok_or(FormatError::Header("form"))?;
        Ok(Table {
            layout,
            wdl,
            distances: [None, None, None],
            spoilt: [(false, false); 2],
        })
    }

    /// Adds a file of distances.
    pub(super) fn add(&mut self, metric: Metric, file: Container) -> Result<(), FormatError> {
        check_header(&self.layout, &file, metric)?;
        if file.header().wdl_sum != self.wdl.sum() {
            return Err(FormatError::Header("goes with another .wdl file"));
        }
        if metric == Metric::Dtz {
            let counts = &file.header().counts;
            self.spoilt = counts.map(|side| (side.cursed > 0, side.blessed > 0));
        }
        if let Some(at) = Metric::DISTANCES.iter().position(|&m| m == metric) {
            self.distances[at] = Some(DistanceFile::new(file));
        }
        Ok(())
    }

    /// The file of distances of a metric.
    #[inline]
    pub(super) fn distances(&self, metric: Metric) -> Option<&DistanceFile> {
        let at = (metric as usize).checked_sub(1)?;
        self.distances[at].as_ref()
    }

    /// The file of a metric.
    pub(super) fn file(&self, metric: Metric) -> Option<&Container> {
        match metric {
            Metric::Wdl => Some(self.wdl.container()),
            _ => self.distances(metric).map(DistanceFile::container),
        }
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

    /// Whether a cell of this outcome may be spoilt or saved by the 50-move rule, as far as is known.
    #[inline]
    pub(super) fn is_spoilt(&self, index: Index, outcome: Outcome) -> bool {
        let (cursed, blessed) = self.spoilt[self.side(index)];
        match outcome {
            Outcome::Win => cursed,
            Outcome::Draw => false,
            Outcome::Loss => blessed,
        }
    }

    /// Whether the length of a cell's win is told only if no move ends it at once
    /// ([`ends_at_once`](super::probe::ends_at_once)).
    #[inline]
    pub(super) fn leaves_out(
        &self,
        file: &DistanceFile,
        index: Index,
    ) -> Result<bool, FormatError> {
        let word = (index.cell >> 6) as usize;
        file.leaves_out(file.block_of(self.side(index), word))
    }

    /// The length of a cell's win, which must not be [left out](Self::leaves_out); `Ok(None)` if it is
    /// not won.
    pub(super) fn win(
        &self,
        file: &DistanceFile,
        index: Index,
    ) -> Result<Option<Plies>, FormatError> {
        file.win(
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

    /// The plies of all wins of a stored side that are not [left out](Self::leaves_out), 64 cells a
    /// word; cells that are no wins are 0.
    pub(super) fn wins(&self, file: &DistanceFile, side: usize) -> Result<Vec<u16>, FormatError> {
        let blocks = file.container().side_blocks();
        let decoded: Vec<Vec<u16>> = (side * blocks..(side + 1) * blocks)
            .into_par_iter()
            .map(|block| file.decode(&self.wdl, block))
            .collect::<Result<_, _>>()?;
        Ok(decoded.concat())
    }
}

fn check_header(layout: &Layout, file: &Container, metric: Metric) -> Result<(), FormatError> {
    let header = file.header();
    // Of `.wdl` files there are two forms: `WdlFile::new` looks.
    let form = metric == Metric::Wdl || header.block_words == format_distance::block_words(metric);
    let fits = header.metric == metric
        && form
        && header.material == layout.material().name()
        && usize::from(header.sides) == layout.sides().len()
        && header.words == layout.words() as u64;
    if !fits {
        return Err(FormatError::Header("another table's"));
    }
    if metric != Metric::Wdl && header.coding != format_distance::coding(metric) {
        return Err(FormatError::Coding(header.coding));
    }
    Ok(())
}

/// Opens a table from the bytes of its `.wdl` file and one of distances and reads all of both: the
/// number of its wins.
///
/// What the folder of tables does with files, for checks and fuzzing without files.
///
/// # Errors
/// When anything in the bytes is wrong.
pub fn read_through(
    material: Material,
    wdl: Vec<u8>,
    metric: Metric,
    distances: Vec<u8>,
) -> Result<u64, FormatError> {
    let wdl = Container::open(Mapped::from(wdl))?;
    let mut table = Table::new(Arc::new(Layout::new(material)), wdl)?;
    table.add(metric, Container::open(Mapped::from(distances))?)?;
    let file = table
        .distances(metric)
        .ok_or(FormatError::Header("metric"))?;
    let mut wins = 0;
    for side in 0..table.layout.sides().len() {
        let words = table.words(side)?;
        wins += words
            .iter()
            .map(|word| u64::from(word.won.count_ones()))
            .sum::<u64>();
        let lengths = table.wins(file, side)?;
        for (number, word) in words.iter().enumerate().step_by(97) {
            let bit = number as u32 % 64;
            let index = Index {
                side: table.layout.sides()[side],
                cell: number as u64 * 64 + u64::from(bit),
            };
            // The direct ways of reading agree with reading everything, or the file is wrong.
            let won = table.outcome(index)? == Outcome::Win;
            let length = table.win(file, index)?.map(|plies| plies.0);
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

    /// Whether a file of a material is there, whatever is in it.
    pub(super) fn has(&self, material: Material, metric: Metric) -> bool {
        self.file(material, metric).is_file()
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

    /// Opens the files of a material: what can be used of them, and what is wrong with the others.
    pub(super) fn open(&self, material: Material) -> (Option<Table>, Vec<OpenError>) {
        let mut errors = Vec::new();
        let damaged = |metric, source| OpenError::Damaged {
            path: self.file(material, metric),
            source,
        };
        let wdl = match self.open_file(material, Metric::Wdl) {
            Ok(None) => return (None, errors),
            Ok(Some(wdl)) => Table::new(Arc::new(Layout::new(material)), wdl)
                .map_err(|source| damaged(Metric::Wdl, source)),
            Err(error) => Err(error),
        };
        let mut table = match wdl {
            Ok(table) => table,
            Err(error) => return (None, vec![error]),
        };
        for metric in Metric::DISTANCES {
            let added = match self.open_file(material, metric) {
                Ok(None) => Ok(()),
                Ok(Some(file)) => table
                    .add(metric, file)
                    .map_err(|source| damaged(metric, source)),
                Err(error) => Err(error),
            };
            errors.extend(added.err());
        }
        (Some(table), errors)
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

    /// Writes one file of a material from its parts.
    #[cfg(test)]
    pub(super) fn write(
        &self,
        material: Material,
        metric: Metric,
        parts: &[Vec<u8>],
    ) -> io::Result<()> {
        fs::write(self.file(material, metric), parts.concat())
    }

    /// Removes what killed writers left of a material whose lock the caller holds.
    pub(super) fn sweep(&self, material: Material) {
        for metric in Metric::ALL {
            files::sweep_parts(&self.file(material, metric));
        }
    }

    /// Renames the damaged files of a material to `.bad`, under its lock. Reads every block of its
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

    /// Whether a file opens, fits its material and, if it holds distances, a whole `.wdl` file
    /// beside it, and has no damaged block.
    fn is_whole(&self, material: Material, metric: Metric) -> bool {
        let Ok(Some(file)) = self.open_file(material, metric) else {
            return false;
        };
        let stray = metric != Metric::Wdl
            && matches!(self.open_file(material, Metric::Wdl),
                Ok(Some(wdl)) if wdl.sum() != file.header().wdl_sum && wdl.check_all().is_ok());
        !stray
            && check_header(&Layout::new(material), &file, metric).is_ok()
            && file.check_all().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::super::format::seal;
    use super::super::solve::solve;
    use super::super::solved::{Solved, SubTables};
    use super::super::wdl_file::Form;
    use super::*;
    use duchamp_base::Control;

    struct NoTables;

    impl SubTables for NoTables {
        fn get(&self, _: Material) -> Result<Arc<Solved>, String> {
            Err("none".to_owned())
        }
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
        let files = encode::encode_as(form, &solved, &control).expect("encoded");
        let [wdl, dtm] = files.map(|file| file.parts.concat());
        let wins = read_through(material, wdl.clone(), Metric::Dtm, dtm.clone());
        assert!(wins.is_ok_and(|wins| wins >= 21_959));
        let mut state = 9_u64;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % n
        };
        for round in 0..3000 {
            let (mut wdl, mut dtm) = (wdl.clone(), dtm.clone());
            for _ in 0..=random(3) {
                let file = if round % 2 == 0 { &mut wdl } else { &mut dtm };
                let at = if random(2) == 0 {
                    random(file.len())
                } else {
                    random(208)
                };
                file[at] = random(256) as u8;
            }
            seal(&mut wdl);
            // The checksum of the `.wdl` file that the other tells is its header's last field.
            let sum: [u8; 8] = wdl[192..200].try_into().expect("eight bytes");
            dtm[184..192].copy_from_slice(&sum);
            seal(&mut dtm);
            let _ = read_through(material, wdl, Metric::Dtm, dtm);
        }
    }
}
