//! Distances to zeroing of a table that was solved in little memory, read part by part for files.

use rayon::prelude::*;

use super::distance::{DistanceError, count, finish, may_have_traps, trapped};
use super::spilled::SpilledTable;
use super::view::View;
use super::waves::Subs;
use super::worth::ToZeroing;
use crate::format::SideCounts;
use crate::game::Game;
use crate::index::Index;
use crate::values::{Part, Values};
use crate::write::{DistanceWriter, EncodeError};
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Gauge};
use duchamp_retro::{Side, Wide};

/// Hands the distances to zeroing of a table to `listener` and, if there is one, to the writer of its file; either side's
/// in the order of its words. `subs` must know their cursed wins; `gauge` counts words.
pub(crate) fn tell_spilled<G: Game>(
    table: &SpilledTable<G::Index, Wide>,
    mut writer: Option<DistanceWriter<'_, G::Index>>,
    subs: &Subs<G>,
    (gauge, control): (&Gauge, &Control),
    listener: &mut dyn FnMut(Side, Part<'_, Wide>),
) -> Result<Option<WholeFile>, DistanceError<G::Key>> {
    let index = &**table.index();
    let own = View {
        index,
        codes: [&[]; 2],
        void: [&[]; 2],
        cursed: [None; 2],
        first_only: false,
    };
    let sub = |child| subs.get(&child).map(|table| View::of(table));
    let exits = G::exits::<ToZeroing>(index, own, &sub);
    let find_traps = writer.is_some() && may_have_traps::<G>(own, subs);
    let (words, row_words, stride) = (index.words(), index.row_words(), table.stride());
    let sides = index.stored_sides();
    gauge.start((words * sides.len()) as u64);
    let mut counts = [SideCounts::default(); 2];
    for (side, &color) in sides.iter().enumerate() {
        for start in (0..words).step_by(stride * rayon::current_num_threads()) {
            let end = words.min(start + stride * rayon::current_num_threads());
            let strides: Vec<usize> = (start..end).step_by(stride).collect();
            let read = strides.into_par_iter().map(|first| {
                control.check()?;
                let (mut void, mut cells) = (Vec::new(), Vec::new());
                let words = first..end.min(first + stride);
                table.read_whole(color, words, &mut void, &mut cells)?;
                let part = Part {
                    void: &void,
                    cells: &cells,
                };
                let counted = count(index, first, part, true).0;
                Ok((void, cells, counted))
            });
            let read = read.collect::<Result<Vec<_>, EncodeError>>()?;
            let mut traps = Vec::new();
            if find_traps {
                let rows = start / row_words..end / row_words;
                traps =
                    trapped::<G>(index, &exits, color, rows, control).map_err(EncodeError::from)?;
            }
            for (void, cells, counted) in &read {
                counts[side].add(counted);
                let part = Part { void, cells };
                if let Some(writer) = &mut writer {
                    writer.push(side, part, &traps)?;
                }
                listener(color, part);
            }
            gauge.add((end - start) as u64);
        }
    }
    if sides.len() == 1 {
        counts[1] = counts[0];
    }
    let file = writer.map(|writer| finish(writer, index.key(), counts));
    file.transpose()
}
