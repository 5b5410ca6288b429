//! What solved values hold, counted part by part: nothing is encoded or written.

use rayon::prelude::*;

use super::encode::{EncodeError, grade};
use crate::format::SideCounts;
use crate::index::Index;
use crate::values::{PartRoom, Values};
use duchamp_base::{Control, Gauge};

/// Words that a thread reads at a time, at least.
const PIECE: usize = 1 << 13;

/// Counts the values of a table by side to move, as the headers of its files would. Works on the threads of the current
/// pool.
///
/// # Errors
/// When cancelled, or when values cannot be read from their scratch file.
pub(crate) fn count_values(
    values: &impl Values,
    (gauge, control): (&Gauge, &Control),
) -> Result<[SideCounts; 2], EncodeError> {
    let index = values.index();
    let words = index.words();
    let sides = index.stored_sides();
    gauge.start((words * sides.len()) as u64);
    let step = PIECE.next_multiple_of(values.stride());
    let mut counts = [SideCounts::default(); 2];
    for (counts, &side) in counts.iter_mut().zip(sides) {
        *counts = (0..words.div_ceil(step))
            .into_par_iter()
            .map_init(PartRoom::default, |room, piece| {
                control.check()?;
                let range = piece * step..words.min((piece + 1) * step);
                gauge.add(range.len() as u64);
                let part = values.read(side, range.clone(), room)?;
                Ok(grade(&**index, range.start, part).1)
            })
            .try_reduce(SideCounts::default, |mut sum, part| {
                sum.add(&part);
                Ok::<_, EncodeError>(sum)
            })?;
    }
    if sides.len() == 1 {
        counts[1] = counts[0];
    }
    Ok(counts)
}
