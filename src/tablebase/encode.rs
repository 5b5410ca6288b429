//! From a solved table to the bytes of its files.

use rayon::prelude::*;

use super::format::{Container, FormatError, Header, Metric, SideCounts, assemble, frame};
use super::format_distance::{self, Encoder};
use super::format_wdl::Word;
use super::layout::Layout;
use super::values::{Part, PartRoom, Values};
use super::wdl_file::{Form, SideEncoder, WdlFile};
use crate::base::{Cancelled, Control, Mapped, Value};
use crate::retro::{Bits, Cell};

/// Why a table could not be encoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum EncodeError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("compression or scratch failed: {0}")]
    System(#[from] std::io::Error),
    #[error("the encoder does not read what it wrote: {0}")]
    Format(#[from] FormatError),
}

/// One file of a table.
#[derive(Debug)]
pub(super) struct EncodedFile {
    /// What it tells.
    pub(super) metric: Metric,
    /// Its contents: header, blocks and index, not put together since they may be large.
    pub(super) parts: Vec<Vec<u8>>,
}

/// The `.wdl` and `.dtm` file of a table with this form of the first.
#[cfg(test)]
pub(super) fn encode_as(
    form: Form,
    values: &impl Values,
    control: &Control,
) -> Result<[EncodedFile; 2], EncodeError> {
    let wdl = encode_wdl(form, values, control)?;
    let dtm = encode_dtm(values, &wdl, control)?;
    Ok([EncodedFile::of_wdl(wdl), dtm])
}

impl EncodedFile {
    /// A `.wdl` file just encoded.
    pub(super) fn of_wdl(wdl: WdlFile) -> EncodedFile {
        EncodedFile {
            metric: Metric::Wdl,
            parts: vec![wdl.into_container().into_bytes()],
        }
    }

    /// A file of these blocks.
    pub(super) fn new(header: &Header, blocks: Vec<Vec<u8>>) -> EncodedFile {
        let (head, index) = frame(header, &blocks);
        let mut parts = blocks;
        parts.insert(0, head);
        parts.push(index);
        EncodedFile {
            metric: header.metric,
            parts,
        }
    }

    /// Its length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

/// Encodes the `.wdl` file of a table from its values to mate, and opens it. Works on the threads of the
/// current pool; the result does not depend on their number.
pub(super) fn encode_wdl(
    form: Form,
    values: &impl Values,
    control: &Control,
) -> Result<WdlFile, EncodeError> {
    let layout = values.layout();
    let size = form.block_words() as usize;
    let mut blocks = Vec::new();
    let mut counts = [SideCounts::default(); 2];
    for (n, &color) in layout.sides().iter().enumerate() {
        // Where values cannot be read, the pass over all of them will tell.
        let words_of = |range: std::ops::Range<usize>| {
            let (mut room, first) = (PartRoom::default(), range.start);
            let part = values.read(color, range, &mut room).ok();
            part.map_or(Vec::new(), |part| grade(layout, first, part).0)
        };
        let coder = SideEncoder::new(form, layout, color, words_of);
        let chunks: Vec<(Vec<u8>, SideCounts)> = (0..layout.words().div_ceil(size))
            .into_par_iter()
            .map_init(PartRoom::default, |room, chunk| {
                control.check()?;
                let first = chunk * size;
                let range = first..layout.words().min(first + size);
                let part = values.read(color, range, room)?;
                let (words, counts) = grade(layout, first, part);
                Ok((coder.block(first, &words), counts))
            })
            .collect::<Result<_, EncodeError>>()?;
        for (block, part) in chunks {
            counts[n].add(&part);
            blocks.push(block);
        }
    }
    if layout.sides().len() == 1 {
        counts[1] = counts[0];
    }
    let header = header(layout, Metric::Wdl, form.block_words(), counts, 0);
    let container = Container::open(Mapped::from(assemble(&header, &blocks)))?;
    Ok(WdlFile::new(container, layout).ok_or(FormatError::Header("form"))?)
}

/// Encodes the `.dtm` file of a table beside its `.wdl` file.
pub(super) fn encode_dtm(
    values: &impl Values,
    wdl: &WdlFile,
    control: &Control,
) -> Result<EncodedFile, EncodeError> {
    let layout = values.layout();
    let target = DistanceTarget {
        metric: Metric::Dtm,
        layout,
        wdl,
    };
    let counts = wdl.header().counts;
    let header = target.header(counts);
    let mut blocks = Vec::new();
    for (side, &color) in layout.sides().iter().enumerate() {
        let new: Vec<Vec<u8>> = (0..header.side_blocks())
            .into_par_iter()
            .map_init(
                || (Encoder::new(), PartRoom::default()),
                |(encoder, room), block| {
                    control.check()?;
                    let first = block * header.block_words as usize;
                    let range = first..first + header.words_in_block(block);
                    let part = values.read(color, range, room)?;
                    target.block(side, first, part, usable(encoder)?)
                },
            )
            .collect::<Result<_, EncodeError>>()?;
        blocks.extend(new);
    }
    Ok(EncodedFile::new(&header, blocks))
}

/// A file of distances to be encoded beside a `.wdl` file.
#[derive(Clone, Copy, Debug)]
pub(super) struct DistanceTarget<'a> {
    pub(super) metric: Metric,
    pub(super) layout: &'a Layout,
    pub(super) wdl: &'a WdlFile,
}

impl DistanceTarget<'_> {
    pub(super) fn header(&self, counts: [SideCounts; 2]) -> Header {
        let block_words = format_distance::block_words(self.metric);
        header(
            self.layout,
            self.metric,
            block_words,
            counts,
            self.wdl.sum(),
        )
    }

    /// Encodes one block of a stored side from its values, the first of which are those of word `first`;
    /// all wins are told.
    pub(super) fn block<C: Cell>(
        &self,
        side: usize,
        first: usize,
        part: Part<'_, C>,
        encoder: &mut Encoder,
    ) -> Result<Vec<u8>, EncodeError> {
        self.block_telling(true, (side, first), part, encoder)
    }

    /// The same; unless `all` wins are told, those at once are left out to zeroing.
    pub(super) fn block_telling<C: Cell>(
        &self,
        all: bool,
        (side, first): (usize, usize),
        part: Part<'_, C>,
        encoder: &mut Encoder,
    ) -> Result<Vec<u8>, EncodeError> {
        let legal: Vec<u64> = legal_words(self.layout, first, part.void).collect();
        // The places of wins are counted in what a reader will see.
        let won = match self.wdl {
            WdlFile::Direct(_) => {
                let mut won = Vec::with_capacity(legal.len());
                let each = |word: Word| won.push(word.won);
                self.wdl.read_words(side, first, legal.len(), each)?;
                won
            }
            // There what is void is read as drawn.
            WdlFile::Coded(_) => {
                let cells = legal.iter().zip(part.cells);
                cells
                    .map(|(legal, cells)| legal & C::above(cells, C::DRAW))
                    .collect()
            }
        };
        let words = won.into_iter().zip(legal);
        let plies_of = |cell: usize| plies(part.cells[cell / 64][cell % 64]);
        Ok(encoder.encode(self.metric, words, plies_of, all)?)
    }
}

pub(super) fn header(
    layout: &Layout,
    metric: Metric,
    block_words: u32,
    counts: [SideCounts; 2],
    wdl_sum: u64,
) -> Header {
    Header {
        material: layout.material().name(),
        metric,
        sides: layout.sides().len() as u8,
        words: layout.words() as u64,
        block_words,
        counts,
        coding: format_distance::coding(metric),
        wdl_sum,
    }
}

/// The cells of words from `first` on that are positions, of symmetric twins the one that is asked for.
fn legal_words<'a>(
    layout: &'a Layout,
    first: usize,
    void: &'a [u64],
) -> impl Iterator<Item = u64> + 'a {
    void.iter().enumerate().map(move |(n, &void)| match !void {
        0 => 0,
        legal => legal & layout.canonical(first + n),
    })
}

/// The length of a value, 0 for a draw.
fn plies<C: Cell>(cell: C) -> u16 {
    cell.value().plies().unwrap_or_default().0
}

/// What words from `first` on hold, and how much of it.
pub(super) fn grade<C: Cell>(
    layout: &Layout,
    first: usize,
    part: Part<'_, C>,
) -> (Vec<Word>, SideCounts) {
    let mut counts = SideCounts::default();
    let mut longest: (Option<C>, C) = (None, C::NONE);
    let words = legal_words(layout, first, part.void)
        .zip(part.cells)
        .map(|(legal, cells)| {
            let won = C::above(cells, C::DRAW) & legal;
            let lost = !C::at_least(cells, C::DRAW) & legal;
            counts.won += u64::from(won.count_ones());
            counts.lost += u64::from(lost.count_ones());
            counts.drawn += u64::from((legal & !won & !lost).count_ones());
            counts.void += u64::from((!legal).count_ones());
            // The cells are looked at one by one only where a word holds something longer.
            let longer = match longest.0 {
                Some(win) => won & !C::at_least(cells, win),
                None => won,
            };
            for bit in Bits(longer) {
                longest.0 = Some(longest.0.map_or(cells[bit], |win| win.min(cells[bit])));
            }
            for bit in Bits(lost & C::above(cells, longest.1)) {
                longest.1 = longest.1.max(cells[bit]);
            }
            Word {
                won,
                lost,
                void: !legal,
            }
        })
        .collect();
    counts.longest_win = longest.0.map_or(0, plies);
    counts.longest_loss = match longest.1.value() {
        Value::Loss(plies) => plies.0,
        _ => 0,
    };
    (words, counts)
}

/// The encoder of a thread, or why there is none.
pub(super) fn usable(encoder: &mut std::io::Result<Encoder>) -> Result<&mut Encoder, EncodeError> {
    encoder
        .as_mut()
        .map_err(|error| std::io::Error::from(error.kind()).into())
}
