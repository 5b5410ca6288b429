//! From a solved table to the bytes of its files.

use crate::format::{
    CODED_WORDS, Class, ClassPart, Encoder, FormatError, Header, Holdings, Metric, SideCounts,
    WdlFile, Word,
};
use crate::index::Index;
use crate::values::Part;
use duchamp_base::{Cancelled, Value};
use duchamp_retro::{Bits, Cell};

/// Why a table could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A codec failed, or a file could not be written or read.
    #[error("compression or scratch failed: {0}")]
    System(#[from] std::io::Error),
    /// What was just written cannot be read.
    #[error("the encoder does not read what it wrote: {0}")]
    Format(#[from] FormatError),
}

/// A file of distances to be encoded beside a `.wdl` file.
#[derive(Debug)]
pub(crate) struct DistanceTarget<'a, I> {
    /// The number of the game.
    pub(crate) game: u8,
    pub(crate) metric: Metric,
    pub(crate) index: &'a I,
    pub(crate) wdl: &'a WdlFile<I>,
}

impl<I: Index> DistanceTarget<'_, I> {
    /// Whether distances are coded, like results.
    pub(crate) fn is_coded(&self) -> bool {
        self.index.codes_distances() && matches!(self.wdl, WdlFile::Coded(_))
    }

    /// The header of the file; `held` is what the coded form holds, `None` for the packed form, which holds wins.
    pub(crate) fn header(&self, held: Option<Holdings>, counts: [SideCounts; 2]) -> Header {
        let spec = self.metric.spec();
        let (block_words, coding) = match held {
            Some(holdings) => (CODED_WORDS, holdings.coding()),
            None => (spec.block_words, spec.coding),
        };
        Header {
            coding,
            wdl_sum: self.wdl.sum(),
            ..header(self.game, self.index, (self.metric, block_words), counts)
        }
    }

    /// Encodes one block of a stored side from its values, the first of which are those of word `first`;
    /// all wins are stored.
    pub(crate) fn block<C: Cell>(
        &self,
        side: usize,
        first: usize,
        part: Part<'_, C>,
        encoder: &mut Encoder,
    ) -> Result<Vec<u8>, EncodeError> {
        self.block_telling(true, (side, first), part, encoder)
    }

    /// The same; unless `all` wins are stored, immediate wins are omitted to zeroing.
    pub(crate) fn block_telling<C: Cell>(
        &self,
        all: bool,
        (side, first): (usize, usize),
        part: Part<'_, C>,
        encoder: &mut Encoder,
    ) -> Result<Vec<u8>, EncodeError> {
        let legal: Vec<u64> = legal_words(self.index, first, part.void).collect();
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

/// The numbers of the wins and of the losses in words from `first` on, as the coded form has them.
pub(crate) fn classes<I: Index, C: Cell>(
    index: &I,
    metric: Metric,
    first: usize,
    part: Part<'_, C>,
) -> [ClassPart; 2] {
    let mut classes: [ClassPart; 2] = Default::default();
    let legal = legal_words(index, first, part.void);
    for (n, (legal, cells)) in legal.zip(part.cells).enumerate() {
        let won = C::above(cells, C::DRAW) & legal;
        let lost = !C::at_least(cells, C::DRAW) & legal;
        for ((set, class), part) in [won, lost].into_iter().zip(Class::ALL).zip(&mut classes) {
            part.class.push(set);
            part.numbers.resize(64 * (n + 1), 0);
            for bit in Bits(set) {
                part.numbers[64 * n + bit] = class.number(metric, plies(cells[bit]));
            }
        }
    }
    classes
}

pub(crate) fn header<I: Index>(
    game: u8,
    index: &I,
    (metric, block_words): (Metric, u32),
    counts: [SideCounts; 2],
) -> Header {
    Header {
        game,
        revision: index.revision(),
        key: index.key().to_string(),
        metric,
        sides: index.stored_sides().len() as u8,
        words: index.words() as u64,
        block_words,
        counts,
        coding: metric.spec().coding,
        wdl_sum: 0,
    }
}

/// The cells of words from `first` on that are positions, of symmetric duplicates the canonical one.
fn legal_words<'a, I: Index>(
    index: &'a I,
    first: usize,
    void: &'a [u64],
) -> impl Iterator<Item = u64> + 'a {
    void.iter().enumerate().map(move |(n, &void)| match !void {
        0 => 0,
        legal => legal & index.canonical(first + n),
    })
}

/// The length of a value, 0 for a draw.
fn plies<C: Cell>(cell: C) -> u16 {
    cell.value().plies().unwrap_or_default().0
}

/// What words from `first` on hold, and how much of it.
pub(crate) fn grade<I: Index, C: Cell>(
    index: &I,
    first: usize,
    part: Part<'_, C>,
) -> (Vec<Word>, SideCounts) {
    let mut counts = SideCounts::default();
    let mut longest: (Option<C>, C) = (None, C::NONE);
    let words = legal_words(index, first, part.void)
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
pub(crate) fn usable(encoder: &mut std::io::Result<Encoder>) -> Result<&mut Encoder, EncodeError> {
    encoder
        .as_mut()
        .map_err(|error| std::io::Error::from(error.kind()).into())
}
