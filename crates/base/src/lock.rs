//! Locks between processes, as files that say who holds them.
//!
//! The lock is the operating system's (`flock` and its like), so it dies with the process that holds
//! it, however that process ends; the file left behind is no lock. The text inside (process id, host,
//! start) is for people and for messages only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fs4::{FileExt, TryLockError};

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
    /// When the file cannot be made, as in a read-only folder.
    pub fn try_acquire(path: &Path) -> io::Result<Option<LockFile>> {
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)?;
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
            let mut lock = LockFile {
                file,
                path: path.to_owned(),
            };
            lock.sign()?;
            return Ok(Some(lock));
        }
    }

    /// Who holds the lock at `path`, as the file names it; `None` if it names nobody.
    #[must_use]
    pub fn holder(path: &Path) -> Option<String> {
        let mut text = String::new();
        File::open(path)
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
        writeln!(
            self.file,
            "pid {} host {} start {start}",
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

#[cfg(unix)]
fn same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
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
    fn a_dead_holders_file_is_no_lock() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.lock");
        fs::write(&path, "pid 1 host elsewhere start 0\n").expect("written");
        assert!(LockFile::try_acquire(&path).expect("no error").is_some());
    }
}
