//! Cells in another order, in arrays that are used again.

use std::io;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use duchamp_base::{Buffer, Room};

/// Cells as [`Places`](super::places::Places) read them.
#[derive(Debug)]
pub(super) enum Arranged<'v> {
    /// As they were.
    Not(&'v [u8]),
    /// So many of them in the order of the indices.
    Copy(Buffer<u8>, usize),
}

/// Arrays that wait to be used again: memory from the system costs as much as filling it.
#[derive(Default, Debug)]
pub(super) struct Spare(Mutex<Vec<Buffer<u8>>>);

impl Spare {
    fn arrays(&self) -> MutexGuard<'_, Vec<Buffer<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An array of at least so many bytes, whatever they are.
    pub(super) fn take(&self, len: usize) -> io::Result<Buffer<u8>> {
        let mut arrays = self.arrays();
        let fitting = arrays.iter().position(|array| array.len() >= len);
        let found = fitting.map(|at| arrays.swap_remove(at));
        // Others are too short for this table.
        let short = found.is_none().then(|| arrays.pop()).flatten();
        drop((arrays, short));
        found.map_or_else(|| Room::Heap.zeros(len), Ok)
    }

    /// Gives back what [`Places::arrange`](super::places::Places::arrange) took.
    pub(super) fn give(&self, arranged: Arranged<'_>) {
        if let Arranged::Copy(array, _) = arranged {
            self.arrays().push(array);
        }
    }
}

impl Deref for Arranged<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Arranged::Not(values) => values,
            Arranged::Copy(values, len) => &values[..*len],
        }
    }
}
