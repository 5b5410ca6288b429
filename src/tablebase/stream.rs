//! The files of a table too large for memory: its values are read part by part, and blocks are written
//! as they come. The files are those of `encode`, byte for byte.

use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::encode::{DistanceTarget, EncodeError, grade, header, usable};
use super::format::{BlockWriter, Container, FormatError, Metric, SideCounts};
use super::format_distance::Encoder;
use super::format_wdl::Word;
use super::values::{Part, PartRoom, Values};
use super::wdl_file::{Form, SideEncoder, WdlFile};
use crate::base::{Control, Mapped};
use crate::chess::Color;

/// Strides that each thread works on before their blocks are written.
const ABREAST: usize = 2;

/// Writes the `.wdl` file of a table from its values to mate, and opens it. Works on the threads of
/// the current pool; the result does not depend on their number.
pub(super) fn write_wdl(
    values: &impl Values,
    path: &Path,
    control: &Control,
) -> Result<WdlFile, EncodeError> {
    write_wdl_as(Form::of(values.layout()), values, path, control)
}

/// The same with this form of the file.
fn write_wdl_as(
    form: Form,
    values: &impl Values,
    path: &Path,
    control: &Control,
) -> Result<WdlFile, EncodeError> {
    let layout = values.layout();
    let size = form.block_words() as usize;
    let mut writer = BlockWriter::create(path)?;
    let mut counts = [SideCounts::default(); 2];
    for (n, &color) in layout.sides().iter().enumerate() {
        let coder = learnt(form, values, color);
        let work = |room: &mut PartRoom<_>, words: Range<usize>| {
            let part = values.read(color, words.clone(), room)?;
            let (graded, counts) = grade(layout, words.start, part);
            let groups = graded.chunks(size).zip(words.step_by(size));
            let blocks = groups.map(|(words, first)| coder.block(first, words));
            Ok((blocks.collect::<Vec<_>>(), counts))
        };
        in_order(values, size, control, work, |(blocks, part)| {
            counts[n].add(&part);
            blocks.iter().try_for_each(|block| writer.push(block))?;
            Ok(())
        })?;
    }
    if layout.sides().len() == 1 {
        counts[1] = counts[0];
    }
    let header = header(layout, Metric::Wdl, form.block_words(), counts, 0);
    writer.finish(&header)?;
    let container = Container::open(Mapped::open(path)?)?;
    Ok(WdlFile::new(container, layout).ok_or(FormatError::Header("form"))?)
}

/// Writes a file of distances beside the `.wdl` file of a table: what it counts.
pub(super) fn write_distances(
    metric: Metric,
    values: &impl Values,
    wdl: &WdlFile,
    path: &Path,
    control: &Control,
) -> Result<[SideCounts; 2], EncodeError> {
    let layout = values.layout();
    let target = DistanceTarget {
        metric,
        layout,
        wdl,
    };
    let size = target.header(Default::default()).block_words as usize;
    let mut writer = BlockWriter::create(path)?;
    let mut counts = [SideCounts::default(); 2];
    for (n, &color) in layout.sides().iter().enumerate() {
        let work = |room: &mut PartRoom<_>, words: Range<usize>| {
            let mut encoder = Encoder::new();
            let encoder = usable(&mut encoder)?;
            let part = values.read(color, words.clone(), room)?;
            let (_, counts) = grade(layout, words.start, part);
            let pieces = part.void.chunks(size).zip(part.cells.chunks(size));
            let blocks = pieces
                .zip(words.step_by(size))
                .map(|((void, cells), first)| {
                    target.block(n, first, Part { void, cells }, encoder)
                });
            Ok((blocks.collect::<Result<Vec<_>, EncodeError>>()?, counts))
        };
        in_order(values, size, control, work, |(blocks, part)| {
            counts[n].add(&part);
            blocks.iter().try_for_each(|block| writer.push(block))?;
            Ok(())
        })?;
    }
    if layout.sides().len() == 1 {
        counts[1] = counts[0];
    }
    writer.finish(&target.header(counts))?;
    Ok(counts)
}

/// The encoder of a side, which has learnt from some of its words.
fn learnt<'a, V: Values>(form: Form, values: &'a V, color: Color) -> SideEncoder<'a> {
    let layout = values.layout();
    // Rooms by the stride that they hold: samples are taken in order, so one is read for many.
    let rooms: Mutex<Vec<(usize, PartRoom<V::Cell>)>> = Mutex::default();
    let words_of = |words: Range<usize>| -> Vec<Word> {
        let (first, stride) = (words.start, words.start / values.stride());
        let mut free = rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let at = free.iter().position(|room| room.0 == stride);
        let at = at.or(free.len().checked_sub(1));
        let (_, mut room) = at.map(|at| free.swap_remove(at)).unwrap_or_default();
        drop(free);
        // Where values cannot be read, the pass over all of them will tell.
        let part = values.read(color, words, &mut room).ok();
        let graded = part.map(|part| grade(layout, first, part).0);
        let mut free = rooms.lock().unwrap_or_else(PoisonError::into_inner);
        free.push((stride, room));
        graded.unwrap_or_default()
    };
    SideEncoder::new(form, layout, color, words_of)
}

/// Calls `work` for all words of a side, whole strides and blocks of `size` words at a time, on several
/// threads, and hands what it makes to `take` in order.
fn in_order<V: Values, T: Send>(
    values: &V,
    size: usize,
    control: &Control,
    work: impl Fn(&mut PartRoom<V::Cell>, Range<usize>) -> Result<T, EncodeError> + Sync,
    mut take: impl FnMut(T) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let words = values.layout().words();
    let step = values.stride().max(size);
    let batch = step * ABREAST * rayon::current_num_threads();
    for start in (0..words).step_by(batch) {
        let end = words.min(start + batch);
        let parts: Vec<usize> = (start..end).step_by(step).collect();
        let made: Vec<T> = parts
            .into_par_iter()
            .map_init(PartRoom::default, |room, first| {
                control.check()?;
                work(room, first..end.min(first + step))
            })
            .collect::<Result<_, EncodeError>>()?;
        made.into_iter().try_for_each(&mut take)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::encode::{EncodedFile, encode_as};
    use super::super::kernels::worth::ToMateLong;
    use super::super::material::Material;
    use super::super::solve::solve;
    use super::super::solved::{Solved, SubTables};
    use super::super::spilled::spill;
    use super::*;
    use std::sync::Arc;

    /// Solves everything that is asked for.
    struct Fresh;

    impl SubTables for Fresh {
        fn get(&self, material: Material) -> Result<Arc<Solved>, String> {
            let table = solve(material, self, &Control::new(1)).map_err(|error| error.to_string());
            table.map(Arc::new)
        }
    }

    /// Solved in little memory with two bytes a value and written as read: the files of the fast way.
    #[test]
    fn the_same_files_byte_for_byte() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let control = Control::new(1);
        for name in ["KQvK", "KRvKN", "KBNvK", "KRvKR", "KNNvK"] {
            let material: Material = name.parse().expect(name);
            let fast = solve(material, &Fresh, &control).expect("solved");
            let slow = spill::<ToMateLong>(material, &Fresh, folder.path(), &control);
            let slow = slow.expect("solved");
            let [wdl, dtm] = ["wdl", "dtm"].map(|end| folder.path().join(format!("{name}.{end}")));
            for form in [Form::Coded, Form::Direct] {
                let file = write_wdl_as(form, &slow, &wdl, &control).expect("written");
                write_distances(Metric::Dtm, &slow, &file, &dtm, &control).expect("written");
                let files = encode_as(form, &fast, &control).expect("encoded");
                let bytes = |file: &EncodedFile| file.parts.concat();
                for (file, path) in files.iter().zip([&wdl, &dtm]) {
                    assert!(
                        std::fs::read(path).expect("there") == bytes(file),
                        "{name} {form:?}"
                    );
                }
            }
        }
    }
}
