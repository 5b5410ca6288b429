//! One step back from a set of positions.

use super::sets::{Layer, RowSet, RowWords};
use super::shape::Shape;
use super::slice::{Side, Slice};

/// The positions with `mover` to move from which a move inside the slice leads into `set`, positions with the opponent
/// to move; a bit each, all rows. Void numbers may be among them.
///
/// # Panics
/// If `set` does not have the slice's length.
#[must_use]
pub fn before<S: Slice>(slice: &S, mover: Side, set: &[u64]) -> Vec<u64> {
    let shape = Shape::of(slice);
    assert_eq!(set.len(), shape.words(), "a bit for every position");
    let mut layer = Layer::new(shape.rows, shape.row_words, shape.shift);
    layer.replace(set);
    let mut rows = RowSet::new(shape.rows, shape.shift);
    for row in layer.rows.iter() {
        slice.sources(mover, row, &mut rows);
    }
    let mut found = RowWords::new(shape.row_words);
    let mut all = vec![0; shape.words()];
    for row in rows.iter() {
        slice.unmove(mover, row, &layer, &mut found);
        found.drain(|word, bits| all[row * shape.row_words + word] = bits);
    }
    all
}
