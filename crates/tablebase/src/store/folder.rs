//! The folder of tables: names, opening, writing, setting aside.
//!
//! A key has the file `KRPvKR.wdl` and beside it any of the files of distances `KRPvKR.dtm`,
//! `KRPvKR.dtc`, `KRPvKR.dtz`; while a process generates it the lock, `KRPvKR.lock`. A damaged file becomes
//! `KRPvKR.wdl.bad`. A file of distances goes with one `.wdl` file, whose checksum it tells.

use std::fs;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::table::{Table, check_header};
use crate::format::{Container, FormatError, Metric};
use crate::game::Game;
use crate::index::Index;
use duchamp_base::files;
use duchamp_base::{LockFile, Mapped};

/// Why a table could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
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

/// The folder that holds the tables.
#[derive(Clone, Debug)]
pub(crate) struct Folder<G> {
    path: PathBuf,
    game: PhantomData<G>,
}

impl<G: Game> Folder<G> {
    pub(crate) fn new(path: &Path) -> Folder<G> {
        Folder {
            path: path.to_owned(),
            game: PhantomData,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, key: G::Key, metric: Metric) -> PathBuf {
        self.path.join(format!("{key}.{}", metric.name()))
    }

    fn lock_path(&self, key: G::Key) -> PathBuf {
        self.path.join(format!("{key}.lock"))
    }

    /// Whether a file of a key is there, whatever is in it.
    pub(crate) fn has(&self, key: G::Key, metric: Metric) -> bool {
        self.file(key, metric).is_file()
    }

    /// What lies in the folder of a key that is not ready, in words; `None` if nothing does.
    pub(crate) fn state(&self, key: G::Key) -> Option<String> {
        let lock = self.lock_path(key);
        if lock.is_file() {
            return Some(match LockFile::try_acquire(&lock) {
                Ok(None) => format!(
                    "being made by {}",
                    self.lock_holder(key).unwrap_or_default()
                ),
                _ => "its maker died".to_owned(),
            });
        }
        let with = |ending: &str| {
            let file = |metric| {
                self.path
                    .join(format!("{key}.{}{ending}", Metric::name(metric)))
            };
            Metric::ALL.iter().any(|&metric| file(metric).is_file())
        };
        if with(".bad") {
            Some("damaged, set aside as .bad".to_owned())
        } else {
            with("").then(|| "incomplete".to_owned())
        }
    }

    /// The lock on a key; `Ok(None)` while another process holds it.
    pub(crate) fn lock(&self, key: G::Key) -> io::Result<Option<LockFile>> {
        LockFile::try_acquire(&self.lock_path(key))
    }

    /// Who holds the lock on a key, in words.
    pub(crate) fn lock_holder(&self, key: G::Key) -> Option<String> {
        LockFile::holder(&self.lock_path(key))
    }

    /// Opens the files of a key: what can be used of them, and what is wrong with the others.
    pub(crate) fn open(&self, key: G::Key) -> (Option<Table<G>>, Vec<OpenError>) {
        let mut errors = Vec::new();
        let damaged = |metric, source| OpenError::Damaged {
            path: self.file(key, metric),
            source,
        };
        let wdl = match self.open_file(key, Metric::Wdl) {
            Ok(None) => return (None, errors),
            Ok(Some(wdl)) => Table::new(Arc::new(G::Index::new(key)), wdl)
                .map_err(|source| damaged(Metric::Wdl, source)),
            Err(error) => Err(error),
        };
        let mut table = match wdl {
            Ok(table) => table,
            Err(error) => return (None, vec![error]),
        };
        for metric in Metric::DISTANCES {
            let added = match self.open_file(key, metric) {
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

    fn open_file(&self, key: G::Key, metric: Metric) -> Result<Option<Container>, OpenError> {
        let path = self.file(key, metric);
        let bytes = match Mapped::open(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(OpenError::Io { path, source }),
        };
        Container::open(bytes)
            .map(Some)
            .map_err(|source| OpenError::Damaged { path, source })
    }

    /// Removes what killed writers left of a key whose lock the caller holds.
    pub(crate) fn sweep(&self, key: G::Key) {
        for metric in Metric::ALL {
            files::sweep_parts(&self.file(key, metric));
        }
    }

    /// Renames the damaged files of a key to `.bad`, under its lock. Reads every block of its
    /// files first: in the meantime another process may have replaced them by good ones. Tells
    /// what was set aside.
    pub(crate) fn set_aside(&self, key: G::Key, _lock: &LockFile) -> io::Result<Vec<PathBuf>> {
        let mut aside = Vec::new();
        for metric in Metric::ALL {
            let path = self.file(key, metric);
            if path.is_file() && !self.is_whole(key, metric) {
                let mut bad = path.clone().into_os_string();
                bad.push(".bad");
                fs::rename(&path, &bad)?;
                aside.push(path);
            }
        }
        Ok(aside)
    }

    /// Whether a file opens, fits its key and, if it holds distances, a whole `.wdl` file
    /// beside it, and has no damaged block.
    fn is_whole(&self, key: G::Key, metric: Metric) -> bool {
        let Ok(Some(file)) = self.open_file(key, metric) else {
            return false;
        };
        let stray = metric != Metric::Wdl
            && matches!(self.open_file(key, Metric::Wdl),
                Ok(Some(wdl)) if wdl.sum() != file.header().wdl_sum && wdl.check_all().is_ok());
        !stray
            && check_header::<G>(&G::Index::new(key), &file, metric).is_ok()
            && file.check_all().is_ok()
    }
}
