//! Cells in another order, in arrays that are used again.

use std::io;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use duchamp_base::{Buffer, Room};
use rayon::prelude::*;

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

/// A dimension of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    /// Its numbers.
    pub(super) size: usize,
    /// How far neighbours are apart in the old order.
    pub(super) step: usize,
}

/// Numbers of a line: those of the innermost dimension of the old order.
const LINE: usize = 64;

/// Copies an array into another order of its dimensions: the new one, outermost first. The innermost of the old order has 64
/// numbers.
///
/// Lines are read whole and written whole, in squares of 64 of them, so that each passes the cache once.
pub(super) fn rearrange(from: &[u8], into: &mut [u8], dims: &[Dim]) {
    let line = dims.iter().position(|dim| dim.step == 1);
    let line = line.expect("the old order has an innermost dimension");
    let (outer, inner) = (&dims[..line], &dims[line + 1..]);
    let Some((last, middle)) = inner.split_last() else {
        let lines = into.as_chunks_mut::<LINE>().0.par_iter_mut();
        let lines = lines.with_min_len(1 << 12).enumerate();
        lines.for_each(|(n, line)| line.copy_from_slice(&from[offset(outer, n)..][..LINE]));
        return;
    };
    let block: usize = inner.iter().map(|dim| dim.size).product();
    // Pieces of work for all threads, also where the line is outermost.
    let blocks = into.len() / (LINE * block);
    let pieces = if blocks < 64 { 32 } else { 1 };
    let rows = (block / last.size).div_ceil(pieces);
    let into = into.par_chunks_mut(LINE * block).enumerate();
    into.for_each(|(n, into)| {
        let first = offset(outer, n);
        let mut pieces: Vec<Vec<&mut [u8]>> = Vec::new();
        for lane in into.chunks_mut(block) {
            for (n, piece) in lane.chunks_mut(rows * last.size).enumerate() {
                if n == pieces.len() {
                    pieces.push(Vec::with_capacity(LINE));
                }
                pieces[n].push(piece);
            }
        }
        let pieces = pieces.into_par_iter().enumerate();
        pieces.for_each(|(n, mut lanes)| {
            for row in 0..lanes[0].len() / last.size {
                let start = first + offset(middle, n * rows + row);
                transpose(&from[start..], *last, &mut lanes, row * last.size);
            }
        });
    });
}

/// Where the `n`th element of some dimensions, the last one innermost, is in the old order.
fn offset(dims: &[Dim], mut n: usize) -> usize {
    let mut at = 0;
    for dim in dims.iter().rev() {
        at += n % dim.size * dim.step;
        n /= dim.size;
    }
    at
}

/// Writes lines a step apart as columns: of each lane the numbers from `to` on.
fn transpose(from: &[u8], lines: Dim, lanes: &mut [&mut [u8]], to: usize) {
    let mut square = [[0u8; LINE]; LINE];
    for start in (0..lines.size).step_by(LINE) {
        let count = LINE.min(lines.size - start);
        for i in 0..count {
            let line = &from[(start + i) * lines.step..][..LINE];
            for (column, &byte) in square.iter_mut().zip(line) {
                column[i] = byte;
            }
        }
        for (lane, column) in lanes.iter_mut().zip(&square) {
            lane[to + start..][..count].copy_from_slice(&column[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_dimensions() {
        let sizes = [5, 64, 70, 64];
        let steps = [64 * 70 * 64, 70 * 64, 64, 1];
        let len = 5 * 64 * 70 * 64;
        let from: Vec<u8> = (0..len)
            .map(|n: usize| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        for order in [
            [0, 1, 2, 3],
            [3, 0, 1, 2],
            [1, 3, 2, 0],
            [0, 3, 2, 1],
            [2, 1, 3, 0],
            [1, 2, 3, 0],
        ] {
            let dims = order.map(|n: usize| Dim {
                size: sizes[n],
                step: steps[n],
            });
            let mut into = vec![0; len];
            rearrange(&from, &mut into, &dims);
            for (n, &byte) in into.iter().enumerate() {
                assert_eq!(byte, from[offset(&dims, n)], "{order:?} {n}");
            }
        }
    }
}
