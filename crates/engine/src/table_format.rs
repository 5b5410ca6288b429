//! The format of tables that are asked for, and the folder of those that other programs read.

use super::event::Trouble;
use duchamp_base::files::AtomicFile;
use duchamp_chess_tables::{Material, Store, SyzygyExporter, SyzygyKind, SyzygyTables};
use std::path::{Path, PathBuf};

/// The files that a request for tables writes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TableFormat {
    /// Our own: results and distances to mate.
    #[default]
    Own,
    /// Syzygy files only.
    Syzygy,
    /// Both.
    Both,
}

impl TableFormat {
    /// All formats, in the order of [`TableFormat::NAMES`].
    pub const ALL: [TableFormat; 3] = [TableFormat::Own, TableFormat::Syzygy, TableFormat::Both];

    /// Their names, as users write them.
    pub const NAMES: [&'static str; 3] = ["own", "syzygy", "both"];

    /// Whether files of our own are written.
    pub(super) fn writes_own(self) -> bool {
        self != TableFormat::Syzygy
    }
}

/// The name of the folder beside our own tables.
const FOLDER: &str = "syzygy";

/// Where new Syzygy files go.
#[derive(Clone, Debug)]
pub(super) struct SyzygyTarget {
    /// The folder, which exists and can be written to.
    pub(super) folder: PathBuf,
    /// Whether the engine reads the files of this folder, being one of its path.
    pub(super) is_read: bool,
    pub(super) exporter: SyzygyExporter,
}

impl SyzygyTarget {
    /// Where the Syzygy files of a format go, if it has such; see [`SyzygyTarget::find`].
    pub(super) fn of(
        format: TableFormat,
        path: &str,
        own: &Path,
    ) -> Result<Option<SyzygyTarget>, Trouble> {
        if format == TableFormat::Own {
            return Ok(None);
        }
        let target = SyzygyTarget::find(path, own);
        target.map(Some).map_err(|(folder, error)| {
            let folder = folder.display();
            let reason = format!(
                "Syzygy files cannot be written to {folder}: {error}; set SyzygyPath to a folder that can be written to"
            );
            Trouble::Generation { reason }
        })
    }

    /// The first of the `path`'s folders that can be written to; without one, a folder in that of our own tables. It is
    /// created.
    ///
    /// # Errors
    /// When none can be written to: the last one, and why.
    fn find(path: &str, own: &Path) -> Result<SyzygyTarget, (PathBuf, std::io::Error)> {
        let folders = SyzygyTables::folders(path);
        let of_path = folders.into_iter().map(|folder| (folder, true));
        let mut last = None;
        for (folder, is_read) in of_path.chain([(own.join(FOLDER), false)]) {
            match open(&folder) {
                Ok(exporter) => {
                    return Ok(SyzygyTarget {
                        folder,
                        is_read,
                        exporter,
                    });
                }
                Err(error) => last = Some((folder, error)),
            }
        }
        Err(last.unwrap_or_else(|| (own.to_owned(), std::io::ErrorKind::NotFound.into())))
    }

    /// Whether a table has not both files there.
    pub(super) fn lacks(&self, table: Material) -> bool {
        let is_there = |kind| self.exporter.path(table, kind).is_file();
        !SyzygyKind::ALL.into_iter().all(is_there)
    }

    /// The store whose locks and unfinished files lie beside the Syzygy files, as those of `tb export` do.
    pub(super) fn store(&self) -> std::sync::Arc<Store> {
        Store::open(&self.folder)
    }
}

/// An exporter to a folder to which a file can be written.
fn open(folder: &Path) -> std::io::Result<SyzygyExporter> {
    let exporter = SyzygyExporter::new(folder)?;
    // It is removed when it is dropped.
    AtomicFile::create(&folder.join("writable"))?;
    Ok(exporter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_that_can_be_written_to_is_taken() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let own = home.path().join("tables");
        let file = home.path().join("file");
        std::fs::write(&file, "no folder").expect("written");
        let good = home.path().join("new/syzygy");
        let path = format!("{};{}", file.display(), good.display());
        let target = SyzygyTarget::find(&path, &own).expect("one can be written to");
        assert_eq!((target.folder, target.is_read), (good.clone(), true));
        let entries = std::fs::read_dir(&good).expect("created");
        assert_eq!(entries.count(), 0);
        for path in [String::new(), file.display().to_string()] {
            let target = SyzygyTarget::find(&path, &own).expect("one can be written to");
            assert_eq!((target.folder, target.is_read), (own.join(FOLDER), false));
        }
        let (folder, _) = SyzygyTarget::find("", &file).expect_err("no folder");
        assert_eq!(folder, file.join(FOLDER));
    }
}
