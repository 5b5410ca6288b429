//! Locks between processes, as files that say who holds them.
//!
//! The lock is the operating system's (`flock` and its like), so it dies with the process that holds
//! it, however that process ends; the file left behind is no lock. The text inside (process id, host,
//! start) is for people and for messages only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::open::open_regular;
use fs4::{FileExt, TryLockError};

/// How the text of a lock begins.
const SIGNATURE: &[u8] = b"pid ";

/// A lock held by this process until dropped.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    path: PathBuf,
}

impl LockFile {
    /// Takes the lock at `path` if nobody holds it: `Ok(None)` when somebody does.
    ///
    /// # Errors
    /// When the file cannot be made, as in a read-only folder; when something else stands in its place: a link, a
    /// folder, a file that is no lock. That is left as it is.
    pub fn try_acquire(path: &Path) -> io::Result<Option<LockFile>> {
        loop {
            let mut file = open(path)?;
            match FileExt::try_lock(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The last holder may have removed the file between our opening and our locking it:
            // then we hold the lock of a file that nobody will find, and try again.
            if !same_file(&file, path) {
                continue;
            }
            if !is_lock(&mut file)? {
                let text = format!("{} is no lock of this program: remove it", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
            }
            let mut lock = LockFile {
                file,
                path: path.to_owned(),
            };
            lock.sign()?;
            return Ok(Some(lock));
        }
    }

    /// Takes the lock of a file, which stands beside it: its name with `.lock`.
    ///
    /// # Errors
    /// As [`LockFile::try_acquire`].
    pub fn try_acquire_beside(file: &Path) -> io::Result<Option<LockFile>> {
        let mut path = file.as_os_str().to_owned();
        path.push(".lock");
        LockFile::try_acquire(Path::new(&path))
    }

    /// Whether somebody holds the lock at `path`. Leaves the file as it is: a lock that a killed process left still tells
    /// where to look for what it was writing.
    #[must_use]
    pub fn is_held(path: &Path) -> bool {
        let Ok(file) = open_regular(path) else {
            return false;
        };
        match FileExt::try_lock_shared(&file) {
            Err(TryLockError::WouldBlock) => true,
            Ok(()) => {
                let _ = FileExt::unlock(&file);
                false
            }
            Err(TryLockError::Error(_)) => false,
        }
    }

    /// Who holds the lock at `path`, as the file names it; `None` if it names nobody.
    #[must_use]
    pub fn holder(path: &Path) -> Option<String> {
        let mut text = String::new();
        open_regular(path)
            .ok()?
            .take(200)
            .read_to_string(&mut text)
            .ok()?;
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn sign(&mut self) -> io::Result<()> {
        let start = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| time.as_secs());
        let host = gethostname::gethostname();
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(SIGNATURE)?;
        writeln!(
            self.file,
            "{} host {} start {start}",
            std::process::id(),
            host.to_string_lossy()
        )
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Removed while still locked, see `try_acquire`. Where an open file cannot be removed
        // (Windows) it stays, unlocked and harmless.
        let _ = fs::remove_file(&self.path);
        let _ = FileExt::unlock(&self.file);
    }
}

/// Opens the file of a lock, or makes it. A link is not followed: it might lead to anything.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    match options.open(path) {
        Ok(file) if file.metadata()?.is_file() && !is_link(path) => Ok(file),
        // A link gives an error of its own on every system.
        Err(error) if !is_link(path) && !path.is_dir() => Err(error),
        _ => {
            let text = format!(
                "{} must be a lock and is no file: remove it",
                path.display()
            );
            Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
        }
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
}

/// Whether an open file is a lock or empty, so that it may be written over.
fn is_lock(file: &mut File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.rewind()?;
    Read::by_ref(file)
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut start)?;
    Ok(SIGNATURE.starts_with(&start))
}

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.lock");
        let lock = LockFile::try_acquire(&path)
            .expect("no error")
            .expect("free");
        assert!(LockFile::try_acquire(&path).expect("no error").is_none());
        let holder = LockFile::holder(&path).expect("signed");
        assert!(
            holder.starts_with(&format!("pid {} host ", std::process::id())),
            "{holder}"
        );
        drop(lock);
        assert!(!path.exists());
        assert!(LockFile::try_acquire(&path).expect("no error").is_some());
    }

    #[test]
    fn looking_at_a_lock_leaves_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.lock");
        assert!(!LockFile::is_held(&path) && !path.exists());
        let lock = LockFile::try_acquire(&path).expect("no error");
        assert!(lock.is_some() && LockFile::is_held(&path));
        drop(lock);
        fs::write(&path, "pid 1 host there start 2\n").expect("written");
        assert!(!LockFile::is_held(&path) && path.exists());
    }

    #[test]
    fn nothing_else_is_written_over() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.lock");
        fs::write(&path, "a letter").expect("written");
        let error = LockFile::try_acquire(&path).expect_err("no lock");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("readable"), b"a letter");
        fs::remove_file(&path).expect("removed");
        fs::create_dir(&path).expect("created");
        assert!(LockFile::try_acquire(&path).is_err());
        assert_eq!(LockFile::holder(&path), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [path, diary] = ["a.lock", "diary"].map(|name| folder.path().join(name));
        for text in ["", "pid 1 host elsewhere start 0\n", "a letter"] {
            fs::write(&diary, text).expect("written");
            let _ = fs::remove_file(&path);
            std::os::unix::fs::symlink(&diary, &path).expect("linked");
            let error = LockFile::try_acquire(&path).expect_err("a link");
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
            assert_eq!(fs::read(&diary).expect("readable"), text.as_bytes());
        }
        fs::remove_file(&path).expect("removed");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &path).expect("linked");
        assert!(LockFile::try_acquire(&path).is_err());
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn a_dead_holders_file_is_no_lock() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.lock");
        fs::write(&path, "pid 1 host elsewhere start 0\n").expect("written");
        assert!(LockFile::try_acquire(&path).expect("no error").is_some());
    }
}
