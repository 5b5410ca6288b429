//! Files that are either whole or absent.
//!
//! An [`AtomicFile`] is written under a temporary name in the same folder (`NAME.xxxxxx.part`), synced and
//! then renamed. A process killed at any time leaves at most a `.part` file, which
//! [`sweep_parts`] removes.

use super::mapped::Mapped;
pub use super::open::{open_append, open_regular, read_limited, read_text};
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Free bytes on the disk of a folder, which need not exist yet; `None` if the system does not say.
#[must_use]
pub fn free_space(folder: &Path) -> Option<u64> {
    let absolute = std::path::absolute(folder).ok()?;
    let existing = absolute.ancestors().find(|path| path.is_dir())?;
    fs4::available_space(existing).ok()
}

/// The ending of unfinished files.
const PART: &str = ".part";

/// A file that appears under its name only by [`AtomicFile::commit`].
#[derive(Debug)]
pub struct AtomicFile {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will be named `target`. Its folder must exist.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn create(target: &Path) -> io::Result<AtomicFile> {
        let (folder, name) = split(target)?;
        let temporary = tempfile::Builder::new()
            .prefix(&format!("{name}."))
            .suffix(PART)
            .permissions_like_new_files()
            .tempfile_in(folder)?;
        Ok(AtomicFile {
            temporary,
            target: target.to_owned(),
        })
    }

    /// Writes bytes over the first ones, for what is known only at the end.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn rewrite_start(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.temporary.as_file_mut();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytes)
    }

    /// The file with all its contents, which can be read from now on.
    #[must_use]
    pub fn whole(self) -> WholeFile {
        WholeFile(self)
    }

    /// Syncs the contents to the disk and gives the file its name, replacing an old one. Where the folder cannot be synced,
    /// which is logged, the file is there but might not outlast a power cut.
    ///
    /// # Errors
    /// When the disk is full or fails; then nothing is left and an old file stays as it was.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary
            .persist(&self.target)
            .map_err(|error| error.error)?;
        let folder = folder_of(&self.target);
        if let Err(error) = sync_folder(folder) {
            log::warn!("{}: cannot be synced: {error}", folder.display());
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_file_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file_mut().flush()
    }
}

/// An [`AtomicFile`] that is written and has not got its name yet.
#[derive(Debug)]
pub struct WholeFile(AtomicFile);

impl WholeFile {
    /// Maps the contents.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    pub fn map(&self) -> io::Result<Mapped> {
        Mapped::open(self.0.temporary.path())
    }

    /// The length in bytes.
    ///
    /// # Errors
    /// When the system reports none.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.0.temporary.as_file().metadata()?.len())
    }

    /// As [`AtomicFile::commit`].
    ///
    /// # Errors
    /// As there.
    pub fn commit(self) -> io::Result<()> {
        self.0.commit()
    }
}

/// Fails if a file of this name, which somebody chose, could not be written: its folder is missing or read-only, or
/// something else than a file has the name, a folder, a pipe or a device, which is not to be replaced.
///
/// # Errors
/// Then.
pub fn check_target(target: &Path) -> io::Result<()> {
    check_place(target)?;
    AtomicFile::create(target).map(drop)
}

/// Fails where no file can be: something else has the name, or the folder does not exist.
fn check_place(target: &Path) -> io::Result<()> {
    if fs::metadata(target).is_ok_and(|data| !data.is_file()) {
        let text = "what has this name is no regular file: choose another one";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    let folder = folder_of(target);
    if !folder.exists() {
        let text = format!("the folder {} does not exist", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    }
    Ok(())
}

/// Writes a whole file at once.
///
/// # Errors
/// When something else than a file has the name, or the folder does not exist; as [`AtomicFile::create`] and [`AtomicFile::commit`].
pub fn write_atomic(target: &Path, bytes: &[u8]) -> io::Result<()> {
    check_place(target)?;
    let mut file = AtomicFile::create(target)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Makes a folder, with those above it, unless it is there.
///
/// # Errors
/// When the system refuses, or when something else has that name.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    if fs::metadata(folder).is_ok_and(|data| !data.is_dir()) {
        let text = "what has this name is no folder: choose another one";
        return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
    }
    fs::create_dir_all(folder)
}

/// Whether both paths lead to one file, which is there or is to be in a folder that is there.
#[must_use]
pub fn are_one(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let name = path.file_name()?;
            Some(folder_of(path).canonicalize().ok()?.join(name))
        })
    };
    one == other || place(one).is_some_and(|place_of_one| place(other) == Some(place_of_one))
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in `folder` last through a power cut. A no-op where folders cannot be synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Removes what killed writers of `target` left. Only for the holder of the lock on `target`.
pub fn sweep_parts(target: &Path) {
    let Ok((folder, name)) = split(target) else {
        return;
    };
    let prefix = format!("{name}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let Some(found) = found.to_str() else {
            continue;
        };
        if found.starts_with(&prefix) && found.ends_with(PART) {
            // Whatever cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn split(target: &Path) -> io::Result<(&Path, &str)> {
    let name = target.file_name().and_then(|name| name.to_str());
    name.map(|name| (folder_of(target), name))
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))
}

/// `tempfile` makes files that only their owner may read; tables are for everybody.
trait LikeNewFiles {
    fn permissions_like_new_files(&mut self) -> &mut Self;
}

impl LikeNewFiles for tempfile::Builder<'_, '_> {
    fn permissions_like_new_files(&mut self) -> &mut Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The process's umask still applies.
            self.permissions(fs::Permissions::from_mode(0o666));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_that_of_the_nearest_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = folder.path().join("not").join("there");
        assert!(free_space(&missing).is_some_and(|bytes| bytes > 0));
        assert!(!missing.exists());
    }

    #[test]
    fn appears_only_when_committed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let target = folder.path().join("a.tbl");
        let mut file = AtomicFile::create(&target).expect("created");
        file.write_all(b"new").expect("written");
        assert!(!target.exists());
        file.commit().expect("committed");
        assert_eq!(fs::read(&target).expect("readable"), b"new");
        drop(AtomicFile::create(&target).expect("created"));
        assert_eq!(
            fs::read_dir(folder.path()).expect("readable").count(),
            1,
            "an abandoned file is removed"
        );
    }

    #[test]
    fn sweeps_only_its_own_parts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["a.tbl.1x.part", "ab.tbl.1x.part", "a.tbl"] {
            fs::write(folder.path().join(name), b"").expect("written");
        }
        sweep_parts(&folder.path().join("a.tbl"));
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .expect("readable")
            .map(|e| e.expect("entry").file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["a.tbl", "ab.tbl.1x.part"]);
    }
}
