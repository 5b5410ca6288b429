//! Distances to zeroing of a large table that was solved slice by slice, read part by part for its file.

use rayon::prelude::*;

use super::distance::{DistanceError, count, finish};
use super::sliced::SlicedTable;
use crate::format::SideCounts;
use crate::index::Index;
use crate::values::{Part, Values};
use crate::write::{DistanceWriter, EncodeError};
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Gauge};

/// Writes the file of a table's distances to zeroing; `gauge` counts words.
pub(crate) fn write_sliced<I: Index>(
    table: &SlicedTable<I>,
    mut writer: DistanceWriter<'_, I>,
    (gauge, control): (&Gauge, &Control),
) -> Result<WholeFile, DistanceError<I::Key>> {
    let index = &**table.kept.index();
    let (words, stride) = (index.words(), table.kept.stride());
    let sides = index.stored_sides();
    gauge.start((words * sides.len()) as u64);
    let mut counts = [SideCounts::default(); 2];
    let step = stride * rayon::current_num_threads();
    for (side, counts) in counts.iter_mut().enumerate().take(sides.len()) {
        let mut traps = &table.traps[side][..];
        for start in (0..words).step_by(step) {
            let end = words.min(start + step);
            let strides: Vec<usize> = (start..end).step_by(stride).collect();
            let read = strides.into_par_iter().map(|first| {
                control.check()?;
                let (mut void, mut cells) = (Vec::new(), Vec::new());
                let words = first..end.min(first + stride);
                table.kept.read_words(side, words, &mut void, &mut cells)?;
                let part = Part {
                    void: &void,
                    cells: &cells,
                };
                let counted = count(index, first, part, true).0;
                Ok((void, cells, counted))
            });
            let read = read.collect::<Result<Vec<_>, EncodeError>>()?;
            let here = traps.partition_point(|&word| word < end);
            for (void, cells, counted) in &read {
                counts.add(counted);
                writer.push(side, Part { void, cells }, &traps[..here])?;
            }
            traps = &traps[here..];
            gauge.add((end - start) as u64);
        }
    }
    if sides.len() == 1 {
        counts[1] = counts[0];
    }
    finish(writer, index.key(), counts)
}
