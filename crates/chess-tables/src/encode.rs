//! From a solved table to the bytes of its files.

use super::format::{FormatError, Header, Metric, SideCounts};
use super::format_distance::{self, Encoder};
use super::format_wdl::Word;
use super::layout::Layout;
use super::values::Part;
use super::wdl_file::WdlFile;
use duchamp_base::{Cancelled, Value};
use duchamp_retro::{Bits, Cell};

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

/// One file of a table in memory.
#[cfg(test)]
#[derive(Debug)]
pub(super) struct EncodedFile {
    /// What it tells.
    pub(super) metric: Metric,
    /// Its contents.
    pub(super) parts: Vec<Vec<u8>>,
}

/// The `.wdl` and `.dtm` file of a table with this form of the first.
#[cfg(test)]
pub(super) fn encode_as(
    form: super::wdl_file::Form,
    values: &impl super::values::Values,
    control: &duchamp_base::Control,
) -> Result<[EncodedFile; 2], EncodeError> {
    use super::stream::{open_wdl, write_distances, write_wdl_as};
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("file");
    let wdl = write_wdl_as(form, values, &path, control)?;
    let open = open_wdl(&wdl, values.layout())?;
    let dtm = write_distances(Metric::Dtm, values, &open, &path, control)?;
    drop(open);
    let encoded = |file: duchamp_base::files::WholeFile, metric| {
        file.commit()?;
        let parts = vec![std::fs::read(&path)?];
        Ok::<_, EncodeError>(EncodedFile { metric, parts })
    };
    Ok([encoded(wdl, Metric::Wdl)?, encoded(dtm, Metric::Dtm)?])
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
