//! The files of a solved table: its values are read part by part, and blocks are written as they come, so
//! that neither values nor files need be in memory.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::coders::{Coders, Samples};
use super::encode::{DistanceTarget, EncodeError, grade, header, usable};
use crate::format::{
    BlockWriter, Container, Encoder, Form, FormatError, Header, Metric, SideCounts, SideEncoder,
    WdlFile,
};
use crate::game::Game;
use crate::index::Index;
use crate::store::Folder;
use crate::values::{Part, PartRoom, Values};
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Gauge};
use duchamp_retro::Side;

/// Pieces that each thread works on before their blocks are written.
const ABREAST: usize = 4;

/// Words of a piece at least: half a megabyte of bytes.
const PIECE: usize = 1 << 13;

/// Writes the `.wdl` and the `.dtm` file of a table from its values to mate into a folder, in place of what is there
/// under these names; no lock is taken. [`Index::form`](crate::Index::form) is what generation writes.
///
/// Works on the threads of the current pool; the result does not depend on their number.
///
/// # Errors
/// When cancelled, or when a file cannot be written.
pub fn write_table<G: Game>(
    form: Form,
    values: &impl Values<Index = G::Index>,
    dir: &Path,
    control: &Control,
) -> Result<(), EncodeError> {
    let key = values.index().key();
    let [wdl, dtm] =
        [Metric::Wdl, Metric::Dtm].map(|metric| Folder::<G>::new(dir).file(key, metric));
    let gauge = Gauge::default();
    let steering = (&gauge, control);
    let file = write_wdl_as::<G>(form, values, &wdl, steering)?;
    let open = open_wdl(&file, values.index())?;
    let (to_mate, _) = write_distances::<G>(Metric::Dtm, values, &open, &dtm, steering)?;
    drop(open);
    file.commit()?;
    Ok(to_mate.commit()?)
}

/// The progress of an encoder (words of all sides), and its control.
type Steering<'a> = (&'a Gauge, &'a Control);

/// Writes the `.wdl` file of a table from its values in a primary metric; `path` is the name that it will have.
/// Works on the threads of the current pool; the result does not depend on their number.
pub(crate) fn write_wdl<G: Game>(
    values: &impl Values<Index = G::Index>,
    path: &Path,
    steering: Steering<'_>,
) -> Result<WholeFile, EncodeError> {
    write_wdl_as::<G>(values.index().form(), values, path, steering)
}

/// The same with this form of the file.
fn write_wdl_as<G: Game>(
    form: Form,
    values: &impl Values<Index = G::Index>,
    path: &Path,
    steering: Steering<'_>,
) -> Result<WholeFile, EncodeError> {
    let index = values.index();
    let sides = index.stored_sides().iter();
    let coders: Vec<_> = sides
        .map(|&color| learnt(form, values, color, steering.1))
        .collect();
    let size = form.block_words() as usize;
    let block = |(): &mut (), side: usize, first: usize, part: Part<'_, _>| {
        let (words, counts) = grade(&**index, first, part);
        Ok((coders[side].block(first, &words), counts))
    };
    let (writer, mut counts) = write_blocks(values, size, path, steering, || (), block)?;
    if G::PRIMARY.len() > 1 {
        // The same file whichever metric was solved first.
        for side in &mut counts {
            (side.longest_win, side.longest_loss) = (0, 0);
        }
    }
    let header = Header {
        coding: form.coding(),
        ..header(G::ID, &**index, (Metric::Wdl, form.block_words()), counts)
    };
    Ok(writer.finish(&header)?)
}

/// Opens a `.wdl` file that was just written.
pub(crate) fn open_wdl<I: Index>(
    file: &WholeFile,
    index: &Arc<I>,
) -> Result<WdlFile<I>, EncodeError> {
    let container = Container::open(file.map()?)?;
    Ok(WdlFile::new(container, index).ok_or(FormatError::Header("form"))?)
}

/// Writes a file of distances that goes with the `.wdl` file of a table; returns what it counts, too.
pub(crate) fn write_distances<G: Game>(
    metric: Metric,
    values: &impl Values<Index = G::Index>,
    wdl: &WdlFile<G::Index>,
    path: &Path,
    steering: Steering<'_>,
) -> Result<(WholeFile, [SideCounts; 2]), EncodeError> {
    let index = values.index();
    // Where there is one primary metric the `.wdl` file has counted its values.
    let counted = G::PRIMARY == [metric];
    let grades = |first, part: Part<'_, _>| match counted {
        true => SideCounts::default(),
        false => grade(&**index, first, part).1,
    };
    let target = DistanceTarget {
        game: G::ID,
        metric,
        index: &**index,
        wdl,
    };
    let coders = target
        .is_coded()
        .then(|| Coders::learn(metric, values, steering.1));
    let held = coders.as_ref().map(|coders| coders.held);
    let size = target.header(held, Default::default()).block_words as usize;
    let (writer, counts) = match &coders {
        Some(coders) => {
            let block = |(): &mut (), side: usize, first, part: Part<'_, _>| {
                Ok((coders.of_values(side, first, part), grades(first, part)))
            };
            write_blocks(values, size, path, steering, || (), block)?
        }
        None => {
            let block = |encoder: &mut std::io::Result<Encoder>, side, first, part: Part<'_, _>| {
                let bytes = target.block(side, first, part, usable(encoder)?)?;
                Ok((bytes, grades(first, part)))
            };
            write_blocks(values, size, path, steering, Encoder::new, block)?
        }
    };
    let counts = if counted { wdl.header().counts } else { counts };
    Ok((writer.finish(&target.header(held, counts))?, counts))
}

/// Writes the blocks of all sides, each of `size` words: `block` makes one from its side, first word and
/// values, with what `tool` made for its thread. Adds up what it counts.
fn write_blocks<V: Values, T>(
    values: &V,
    size: usize,
    path: &Path,
    (gauge, control): Steering<'_>,
    tool: impl Fn() -> T + Sync,
    block: impl Fn(
        &mut T,
        usize,
        usize,
        Part<'_, V::Cell>,
    ) -> Result<(Vec<u8>, SideCounts), EncodeError>
    + Sync,
) -> Result<(BlockWriter, [SideCounts; 2]), EncodeError> {
    let index = values.index();
    let words = index.words();
    let mut writer = BlockWriter::create(path)?;
    gauge.start((words * index.stored_sides().len()) as u64);
    let mut counts = [SideCounts::default(); 2];
    // Whole blocks; whole strides, too, where they are powers of two.
    let step = values.stride().max(PIECE).next_multiple_of(size);
    let batch = step * ABREAST * rayon::current_num_threads();
    for (side, &color) in index.stored_sides().iter().enumerate() {
        let blocks_of = |(room, tool): &mut (PartRoom<V::Cell>, T), range: Range<usize>| {
            control.check()?;
            let part = values.read(color, range.clone(), room)?;
            let pieces = part.void.chunks(size).zip(part.cells.chunks(size));
            let blocks = range.step_by(size).zip(pieces).map(|(first, piece)| {
                let (void, cells) = piece;
                block(tool, side, first, Part { void, cells })
            });
            blocks.collect::<Result<Vec<_>, EncodeError>>()
        };
        for start in (0..words).step_by(batch) {
            let end = words.min(start + batch);
            let parts: Vec<usize> = (start..end).step_by(step).collect();
            let made: Vec<Vec<(Vec<u8>, SideCounts)>> = parts
                .into_par_iter()
                .map_init(
                    || (PartRoom::default(), tool()),
                    |room, first| blocks_of(room, first..end.min(first + step)),
                )
                .collect::<Result<_, EncodeError>>()?;
            for (block, part) in made.into_iter().flatten() {
                writer.push(&block)?;
                counts[side].add(&part);
            }
            gauge.add((end - start) as u64);
        }
    }
    if index.stored_sides().len() == 1 {
        counts[1] = counts[0];
    }
    Ok((writer, counts))
}

/// The encoder of a side, which has learnt from some of its words.
fn learnt<'a, V: Values>(
    form: Form,
    values: &'a V,
    color: Side,
    control: &Control,
) -> SideEncoder<'a, V::Index> {
    let index = values.index();
    let samples = Samples::new(values, color, control);
    let words_of = |words: Range<usize>| {
        let first = words.start;
        let graded = samples.read(words, |part| grade(&**index, first, part).0);
        graded.unwrap_or_default()
    };
    SideEncoder::new(form, &**index, color, words_of)
}
