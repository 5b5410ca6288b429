//! A list of names that processes share, and that knows whether a process is the only one left.
//!
//! Each process that has joined holds a shared lock on the list's file, which dies with it. Whoever joins, looks or leaves
//! first takes the turn, a lock beside the file; so nobody comes or goes while one finds itself alone.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::lock::{LockFile, open};
use fs4::{FileExt, TryLockError};

/// The first line of a list.
const SIGNATURE: &str = "shared list 1";

/// A list is no longer than this, in bytes.
const MOST: u64 = 1 << 20;

/// How long the turn is waited for, and how often it is asked for.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(5);

/// A list that this process has joined, until dropped.
#[derive(Debug)]
pub struct SharedList {
    file: File,
    path: PathBuf,
}

impl SharedList {
    /// Joins those who share the list at `path`; makes the list if there is none.
    ///
    /// # Errors
    /// When the file cannot be made; when something else stands in its place, which is left as it is; when another
    /// process keeps the turn for 20 s.
    pub fn join(path: &Path) -> io::Result<SharedList> {
        let _turn = turn(path)?;
        let mut file = open(path)?;
        read(&mut file)?;
        FileExt::lock_shared(&file)?;
        Ok(SharedList {
            file,
            path: path.to_owned(),
        })
    }

    /// Changes the list. `change` is told whether no other process has joined; none joins or leaves meanwhile.
    ///
    /// # Errors
    /// When the list cannot be read or written; when another process keeps the turn for 20 s. Then nothing was changed.
    pub fn edit(&mut self, change: impl FnOnce(&mut BTreeSet<String>, bool)) -> io::Result<()> {
        let _turn = turn(&self.path)?;
        self.change(change).map(|_| ())
    }

    /// Changes the list and leaves. Whoever leaves an empty list alone removes its file.
    ///
    /// # Errors
    /// As [`SharedList::edit`].
    pub fn leave(mut self, change: impl FnOnce(&mut BTreeSet<String>, bool)) -> io::Result<()> {
        let _turn = turn(&self.path)?;
        if self.change(change)? {
            fs::remove_file(&self.path)?;
        }
        Ok(())
    }

    /// Changes the list in the turn; whether it is empty and nobody else's.
    fn change(&mut self, change: impl FnOnce(&mut BTreeSet<String>, bool)) -> io::Result<bool> {
        let before = read(&mut self.file)?;
        let alone = self.is_alone()?;
        let mut names = before.clone();
        change(&mut names, alone);
        if names != before {
            let mut text = format!("{SIGNATURE}\n");
            names.iter().for_each(|name| text.extend([name, "\n"]));
            self.file.set_len(0)?;
            self.file.rewind()?;
            self.file.write_all(text.as_bytes())?;
        }
        Ok(alone && names.is_empty())
    }

    /// Whether no other process holds the list. A shared lock that becomes exclusive may be lost on the way: the turn keeps
    /// others from taking advantage.
    fn is_alone(&self) -> io::Result<bool> {
        FileExt::unlock(&self.file)?;
        let alone = match FileExt::try_lock(&self.file) {
            Ok(()) => FileExt::unlock(&self.file).map(|()| true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        };
        FileExt::lock_shared(&self.file)?;
        alone
    }
}

/// Waits for the turn at a list.
fn turn(path: &Path) -> io::Result<LockFile> {
    let start = Instant::now();
    loop {
        if let Some(turn) = LockFile::try_acquire_beside(path)? {
            return Ok(turn);
        }
        if start.elapsed() > PATIENCE {
            let text = format!("{}: another process does not let go", path.display());
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        sleep(POLL);
    }
}

/// The names in a file, which is a list or empty.
fn read(file: &mut File) -> io::Result<BTreeSet<String>> {
    let mut text = String::new();
    file.rewind()?;
    Read::by_ref(file).take(MOST).read_to_string(&mut text)?;
    let mut lines = text.lines();
    match lines.next() {
        None | Some(SIGNATURE) => Ok(lines.map(str::to_owned).collect()),
        Some(_) => {
            let text = "the file in place of a list of temporary files is none: remove it";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
        }
    }
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
        first.leave(|_, alone| assert!(!alone)).expect("left");
        assert_eq!(look(&mut second), (set(&["a", "b"]), true));
        second.leave(|names, _| names.clear()).expect("left");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_list_outlives_those_who_do_not_leave() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.list");
        let mut first = SharedList::join(&path).expect("made");
        first.edit(|names, _| *names = set(&["a"])).expect("edited");
        drop(first);
        let mut next = SharedList::join(&path).expect("joined");
        assert_eq!(look(&mut next), (set(&["a"]), true));
        next.leave(|_, _| ()).expect("left");
        assert!(path.is_file());
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
