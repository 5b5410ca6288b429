//! From a solved table to the bytes of its two files.

use rayon::prelude::*;

use super::format::{Header, Metric, SideCounts, assemble};
use super::format_dtm::{self, Encoder};
use super::format_wdl::Word;
use super::layout::Layout;
use super::solved::{Solved, SolvedSide};
use super::wdl_file::{Form, SideEncoder};
use crate::base::{Cancelled, Control};

use crate::retro::Code;

const _: () = {
    assert!(
        Form::Direct
            .block_words()
            .is_multiple_of(format_dtm::BLOCK_WORDS)
    );
    assert!(
        Form::Coded
            .block_words()
            .is_multiple_of(format_dtm::BLOCK_WORDS)
    );
};

/// Why a table could not be encoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum EncodeError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("compression failed: {0}")]
    Codec(#[from] std::io::Error),
}

/// The contents of the two files, and what they count.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) wdl: Vec<u8>,
    pub(super) dtm: Vec<u8>,
    pub(super) counts: [SideCounts; 2],
}

/// What becomes of one chunk.
struct Chunk {
    wdl: Vec<u8>,
    dtm: Vec<Vec<u8>>,
    counts: SideCounts,
}

/// Encodes a table on the threads of the current pool. The result does not depend on their number.
pub(super) fn encode(solved: &Solved, control: &Control) -> Result<Encoded, EncodeError> {
    encode_as(Form::of(solved.layout()), solved, control)
}

/// The same with this form of the `.wdl` file.
pub(super) fn encode_as(
    form: Form,
    solved: &Solved,
    control: &Control,
) -> Result<Encoded, EncodeError> {
    let layout = solved.layout();
    let size = form.block_words() as usize;
    let mut wdl = Vec::new();
    let mut dtm = Vec::new();
    let mut counts = [SideCounts::default(); 2];
    for (n, &color) in layout.sides().iter().enumerate() {
        let side = solved.side(color);
        let coder = SideEncoder::new(form, layout, color, |n| true_word(layout, side, n));
        let chunks: Vec<Chunk> = (0..layout.words().div_ceil(size))
            .into_par_iter()
            .map_init(Encoder::new, |encoder, chunk| {
                control.check()?;
                match encoder {
                    Ok(encoder) => {
                        let first = chunk * size;
                        let range = first..layout.words().min(first + size);
                        encode_chunk(layout, side, range, &coder, encoder)
                    }
                    Err(error) => Err(std::io::Error::from(error.kind()).into()),
                }
            })
            .collect::<Result<_, EncodeError>>()?;
        for chunk in chunks {
            add(&mut counts[n], &chunk.counts);
            wdl.push(chunk.wdl);
            dtm.extend(chunk.dtm);
        }
    }
    if layout.sides().len() == 1 {
        counts[1] = counts[0];
    }
    let header = |metric, block_words| Header {
        material: layout.material().name(),
        metric,
        sides: layout.sides().len() as u8,
        words: layout.words() as u64,
        block_words,
        counts,
    };
    Ok(Encoded {
        wdl: assemble(&header(Metric::Wdl, form.block_words()), &wdl),
        dtm: assemble(&header(Metric::Dtm, format_dtm::BLOCK_WORDS), &dtm),
        counts,
    })
}

fn add(sum: &mut SideCounts, part: &SideCounts) {
    sum.won += part.won;
    sum.drawn += part.drawn;
    sum.lost += part.lost;
    sum.void += part.void;
    sum.longest_win = sum.longest_win.max(part.longest_win);
    sum.longest_loss = sum.longest_loss.max(part.longest_loss);
}

/// The words of a chunk as WDL, and their distances.
fn encode_chunk(
    layout: &Layout,
    side: &SolvedSide,
    range: std::ops::Range<usize>,
    coder: &SideEncoder<'_>,
    encoder: &mut Encoder,
) -> Result<Chunk, EncodeError> {
    let mut counts = SideCounts::default();
    let mut longest = Longest::default();
    let words: Vec<Word> = range
        .clone()
        .map(|n| {
            let word = true_word(layout, side, n);
            longest.see(side, n, word);
            count(&mut counts, word);
            word
        })
        .collect();
    (counts.longest_win, counts.longest_loss) = longest.plies(counts.won > 0);
    // The places of wins are counted in what a reader will see.
    let (wdl, read) = coder.block(range.start, &words);
    let block = format_dtm::BLOCK_WORDS as usize;
    let mut dtm = Vec::with_capacity(words.len().div_ceil(block));
    for ((n, read), truth) in read.chunks(block).enumerate().zip(words.chunks(block)) {
        let first = (range.start + n * block) * 64;
        let codes = &side.codes[first..first + read.len() * 64];
        dtm.push(encoder.encode(read, truth, |cell| 255 - codes[cell])?);
    }
    Ok(Chunk { wdl, dtm, counts })
}

/// A word of the solved table; of symmetric twins only one is ever asked for, the others are void.
fn true_word(layout: &Layout, side: &SolvedSide, n: usize) -> Word {
    let void = side.void[n] | !layout.canonical(n);
    let (won, lost) = won_and_lost(side.word(n));
    Word {
        won: won & !void,
        lost: lost & !void,
        void,
    }
}

fn count(counts: &mut SideCounts, word: Word) {
    let (won, lost, void) = (
        word.won.count_ones(),
        word.lost.count_ones(),
        word.void.count_ones(),
    );
    counts.won += u64::from(won);
    counts.lost += u64::from(lost);
    counts.void += u64::from(void);
    counts.drawn += u64::from(64 - won - lost - void);
}

/// The cells of a word whose code is above and below the draw.
fn won_and_lost(codes: &[u8; 64]) -> (u64, u64) {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const LOW: u64 = !HIGH;
    // Gathers the high bit of each byte.
    let gather = |x: u64| ((x & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (mut high, mut above) = (0, 0);
    let (eights, _) = codes.as_chunks::<8>();
    for (n, &eight) in eights.iter().enumerate() {
        let x = u64::from_le_bytes(eight);
        high |= gather(x) << (8 * n);
        above |= gather(x & ((x & LOW) + LOW)) << (8 * n);
    }
    (above, !high)
}

/// The longest win and loss seen, as `k` of their codes.
#[derive(Default)]
struct Longest {
    win: u8,
    loss: u8,
}

impl Longest {
    /// Looks at the cells one by one only where a word can hold something longer.
    fn see(&mut self, side: &SolvedSide, n: usize, word: Word) {
        let codes = side.word(n);
        if word.lost != 0
            && codes
                .iter()
                .any(|&code| code < Code::DRAW.0 && code > self.loss)
        {
            self.loss = cells(word.lost)
                .map(|cell| codes[cell])
                .fold(self.loss, u8::max);
        }
        if word.won != 0
            && codes
                .iter()
                .any(|&code| code > Code::DRAW.0 && 255 - code > self.win)
        {
            self.win = cells(word.won)
                .map(|cell| 255 - codes[cell])
                .fold(self.win, u8::max);
        }
    }

    fn plies(&self, won: bool) -> (u16, u16) {
        (
            if won { 2 * u16::from(self.win) + 1 } else { 0 },
            2 * u16::from(self.loss),
        )
    }
}

/// The numbers of the set bits.
fn cells(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        cell
    })
}
