//! A list of names that processes share, and that knows whether a process is the only one left.
//!
//! Each process that has joined holds a shared lock on a file beside the list (`.users`), which dies with it. Whoever joins,
//! looks or leaves first takes the turn, another lock beside it (`.lock`); so nobody comes or goes while one finds itself
//! alone.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::files::{sweep_parts, write_atomic};
use super::lock::{LockFile, open};
use super::open::read_text;
use fs4::{FileExt, TryLockError};

/// The first line of a list.
const SIGNATURE: &str = "shared list 1";

/// A list is no longer than this, in bytes.
const MOST: u64 = 1 << 20;

/// How long the turn is waited for, and how often it is asked for.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(5);

/// A list that this process has joined, until dropped: nothing is left of an empty list when the last process leaves.
#[derive(Debug)]
pub struct SharedList {
    path: PathBuf,
    /// Locked, shared.
    users: File,
}

impl SharedList {
    /// Joins those who share the list at `path`, which need not exist; removes what killed writers left of it.
    ///
    /// # Errors
    /// When no files can be made beside it; when something else stands in its place, which is left as it is; when another
    /// process keeps the turn for 20 s.
    pub fn join(path: &Path) -> io::Result<SharedList> {
        let _turn = turn(path)?;
        sweep_parts(path);
        read(path)?;
        let users = open(&users(path))?;
        FileExt::lock_shared(&users)?;
        Ok(SharedList {
            path: path.to_owned(),
            users,
        })
    }

    /// Changes the list. `change` is told whether no other process has joined; none joins or leaves meanwhile.
    ///
    /// # Errors
    /// When the list cannot be read or written; when another process keeps the turn for 20 s. Then nothing was changed.
    pub fn edit(&mut self, change: impl FnOnce(&mut BTreeSet<String>, bool)) -> io::Result<()> {
        let _turn = turn(&self.path)?;
        let before = read(&self.path)?;
        let mut names = before.clone();
        change(&mut names, self.is_alone()?);
        if names == before {
            Ok(())
        } else if names.is_empty() {
            fs::remove_file(&self.path)
        } else {
            let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
            write_atomic(&self.path, format!("{SIGNATURE}\n{lines}").as_bytes())
        }
    }

    /// Whether no other process has joined. A shared lock that becomes exclusive may be lost on the way: the turn keeps
    /// others from taking advantage.
    fn is_alone(&self) -> io::Result<bool> {
        FileExt::unlock(&self.users)?;
        let alone = match FileExt::try_lock(&self.users) {
            Ok(()) => FileExt::unlock(&self.users).map(|()| true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        };
        FileExt::lock_shared(&self.users)?;
        alone
    }
}

impl Drop for SharedList {
    fn drop(&mut self) {
        // Where that fails an empty file stays, which does no harm.
        if let Ok(_turn) = turn(&self.path)
            && self.is_alone().is_ok_and(|alone| alone)
        {
            let _ = fs::remove_file(users(&self.path));
        }
    }
}

/// The file whose lock those hold who have joined.
fn users(path: &Path) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(".users");
    path.into()
}

/// Waits for the turn at a list.
fn turn(path: &Path) -> io::Result<LockFile> {
    let start = Instant::now();
    loop {
        if let Some(turn) = LockFile::try_acquire_beside(path)? {
            return Ok(turn);
        }
        if start.elapsed() > PATIENCE {
            let text = format!("{}: another process holds its lock", path.display());
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        sleep(POLL);
    }
}

/// The names in a list; none if it has no file.
fn read(path: &Path) -> io::Result<BTreeSet<String>> {
    let text = match read_text(path, MOST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        text => text?,
    };
    let mut lines = text.lines();
    if lines.next() == Some(SIGNATURE) {
        return Ok(lines.map(str::to_owned).collect());
    }
    let text = "no list of temporary files: remove it";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    /// What those who have joined find.
    fn look(list: &mut SharedList) -> (BTreeSet<String>, bool) {
        let mut found = None;
        let looked = list.edit(|names, alone| found = Some((names.clone(), alone)));
        looked.expect("no error");
        found.expect("a list")
    }

    #[test]
    fn the_last_clears_the_list() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.list");
        let mut first = SharedList::join(&path).expect("made");
        assert_eq!(look(&mut first), (set(&[]), true));
        let mut second = SharedList::join(&path).expect("joined");
        let added = first.edit(|names, alone| {
            assert!(!alone);
            names.extend(set(&["a", "b"]));
        });
        added.expect("no error");
        assert_eq!(look(&mut second), (set(&["a", "b"]), false));
        drop(first);
        assert_eq!(look(&mut second), (set(&["a", "b"]), true));
        second.edit(|names, _| names.clear()).expect("edited");
        drop(second);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_list_outlives_those_who_do_not_clear_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.list");
        let mut first = SharedList::join(&path).expect("made");
        first.edit(|names, _| *names = set(&["a"])).expect("edited");
        drop(first);
        let mut next = SharedList::join(&path).expect("joined");
        assert_eq!(look(&mut next), (set(&["a"]), true));
        drop(next);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(path.is_file());
    }

    #[test]
    fn what_a_killed_writer_left_goes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.list");
        fs::write(folder.path().join("a.list.1x.part"), "").expect("written");
        drop(SharedList::join(&path).expect("joined"));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn nothing_else_is_taken_for_a_list() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.list");
        fs::write(&path, "a letter\n").expect("written");
        let error = SharedList::join(&path).expect_err("no list");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("readable"), b"a letter\n");
    }
}
