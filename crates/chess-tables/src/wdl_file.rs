//! A `.wdl` file of either form: directly addressable, or coded.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::format::{Container, FormatError, Header};
use super::format_coded::{self, CodedFile};
use super::format_wdl::{self, Outcome, Word};
use super::layout::Layout;
use duchamp_chess::Color;

/// Tables of so many men are written in the coded form: smaller ones are small anyway, and are probed most.
const CODED_MEN: u32 = 5;

/// A `.wdl` file. Which form it has, its words a block tell.
#[derive(Debug)]
pub(super) enum WdlFile {
    /// Read without decoding (`format_wdl`).
    Direct(Container),
    /// Decoded by blocks (`format_coded`).
    Coded(CodedFile),
}

impl WdlFile {
    /// The file of a container that belongs to the layout; `None` if its blocks have no known form.
    pub(super) fn new(container: Container, layout: &Arc<Layout>) -> Option<WdlFile> {
        match container.header().block_words {
            format_wdl::BLOCK_WORDS => Some(WdlFile::Direct(container)),
            format_coded::GROUP_WORDS => Some(WdlFile::Coded(CodedFile::new(
                container,
                Arc::clone(layout),
            ))),
            _ => None,
        }
    }

    /// The file as it is.
    pub(super) fn container(&self) -> &Container {
        match self {
            WdlFile::Direct(container) => container,
            WdlFile::Coded(file) => file.container(),
        }
    }

    /// The fixed facts.
    pub(super) fn header(&self) -> &Header {
        self.container().header()
    }

    /// A checksum of the whole contents, which a file of distances that goes with it tells.
    pub(super) fn sum(&self) -> u64 {
        self.container().sum()
    }

    /// The value of one position: `word` counts within the side, `side` is the stored side to move.
    #[inline]
    pub(super) fn outcome(
        &self,
        side: usize,
        word: usize,
        bit: u32,
    ) -> Result<Outcome, FormatError> {
        match self {
            WdlFile::Direct(container) => format_wdl::probe(container, side, word, bit),
            WdlFile::Coded(file) => file.outcome(side, word, bit),
        }
    }

    /// Goes through `count` words of a side from word `first` on. What is void has any value, the
    /// same at each reading.
    pub(super) fn read_words(
        &self,
        side: usize,
        first: usize,
        count: usize,
        each: impl FnMut(Word),
    ) -> Result<(), FormatError> {
        match self {
            WdlFile::Direct(container) => {
                format_wdl::read_words(container, side, first, count, each)
            }
            WdlFile::Coded(file) => file.read_words(side, first, count, each),
        }
    }

    /// All words of a side, read on the threads of the current pool.
    pub(super) fn side_words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        const PIECE: usize = format_coded::GROUP_WORDS as usize;
        let mut words = vec![Word::default(); self.header().words as usize];
        words
            .par_chunks_mut(PIECE)
            .enumerate()
            .try_for_each(|(piece, words)| {
                let (first, count) = (piece * PIECE, words.len());
                let mut places = words.iter_mut();
                self.read_words(side, first, count, |word| {
                    if let Some(place) = places.next() {
                        *place = word;
                    }
                })
            })?;
        Ok(words)
    }
}

/// The two forms of a `.wdl` file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Read without decoding.
    Direct,
    /// Decoded by blocks.
    Coded,
}

impl Form {
    /// The form in which the table of a layout is written.
    pub(super) fn of(layout: &Layout) -> Form {
        if layout.material().men() < CODED_MEN {
            Form::Direct
        } else {
            Form::Coded
        }
    }

    /// Words that are encoded together: a block of the container.
    pub(super) const fn block_words(self) -> u32 {
        match self {
            Form::Direct => format_wdl::BLOCK_WORDS,
            Form::Coded => format_coded::GROUP_WORDS,
        }
    }
}

/// Encodes one side of a `.wdl` file.
#[derive(Debug)]
pub(super) enum SideEncoder<'a> {
    /// Needs to know nothing.
    Direct,
    /// Has learnt what is likely.
    Coded(format_coded::SideEncoder<'a>),
}

impl<'a> SideEncoder<'a> {
    /// The encoder of a side; `words_of` tells its true words, if they can be read.
    pub(super) fn new(
        form: Form,
        layout: &'a Layout,
        side: Color,
        words_of: impl Fn(Range<usize>) -> Vec<Word> + Sync,
    ) -> SideEncoder<'a> {
        match form {
            Form::Direct => SideEncoder::Direct,
            Form::Coded => {
                SideEncoder::Coded(format_coded::SideEncoder::learn(layout, side, words_of))
            }
        }
    }

    /// The block of the container that begins at word `first`.
    pub(super) fn block(&self, first: usize, words: &[Word]) -> Vec<u8> {
        match self {
            SideEncoder::Direct => format_wdl::encode(words.iter().copied()),
            SideEncoder::Coded(encoder) => encoder.group(first, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::path::PathBuf;
    use std::time::Instant;

    use super::super::format::{Header, assemble};
    use super::super::store::Folder;
    use super::*;
    use duchamp_base::Mapped;

    /// The file in another form.
    fn recoded(form: Form, layout: &Arc<Layout>, file: &WdlFile) -> WdlFile {
        let size = form.block_words() as usize;
        let mut blocks = Vec::new();
        for (side, &color) in layout.sides().iter().enumerate() {
            let words = legal_words(layout, color, &file.side_words(side).expect("a good file"));
            let encoder = SideEncoder::new(form, layout, color, |range| words[range].to_vec());
            let pieces = words.par_chunks(size).enumerate();
            let new: Vec<_> = pieces
                .map(|(n, words)| encoder.block(n * size, words))
                .collect();
            blocks.extend(new);
        }
        let header = Header {
            block_words: form.block_words(),
            ..file.header().clone()
        };
        let container = Container::open(Mapped::from(assemble(&header, &blocks)));
        WdlFile::new(container.expect("a good file"), layout).expect("a known form")
    }

    fn legal_words(layout: &Layout, color: Color, words: &[Word]) -> Vec<Word> {
        let words = words.par_iter().enumerate().map(|(n, word)| {
            let legal = layout.legal(color, n) & layout.canonical(n);
            Word {
                won: word.won & legal,
                lost: word.lost & legal,
                void: !legal,
            }
        });
        words.collect()
    }

    /// Nanoseconds a probe of these cells.
    fn probe_time(file: &WdlFile, cells: &[(usize, usize, u32)]) -> f64 {
        let start = Instant::now();
        for &(side, word, bit) in cells {
            black_box(file.outcome(side, word, bit).expect("a good block"));
        }
        start.elapsed().as_nanos() as f64 / cells.len() as f64
    }

    /// Writes the tables of a folder anew in both forms, compares them and prints sizes and times.
    #[test]
    #[ignore = "measures: WDL_TABLES names a folder, WDL_MATERIALS its tables, separated by blanks"]
    fn measure() {
        let variable = |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
        let folder = Folder::new(&PathBuf::from(variable("WDL_TABLES")));
        for name in variable("WDL_MATERIALS").split_whitespace() {
            let (table, _) = folder.open(name.parse().expect("a material"));
            let table = table.expect("a table of the folder");
            let layout = &table.layout;
            let direct = recoded(Form::Direct, layout, &table.wdl);
            let start = Instant::now();
            let coded = recoded(Form::Coded, layout, &table.wdl);
            let coding = start.elapsed().as_secs_f64();
            for (side, &color) in layout.sides().iter().enumerate() {
                let words = |file: &WdlFile| {
                    legal_words(layout, color, &file.side_words(side).expect("a good file"))
                };
                assert!(words(&direct) == words(&coded), "{name}");
            }
            let mut state = 1_u64;
            let mut random = |n: usize| {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                (state >> 33) as usize % n
            };
            let mut cells: Vec<(usize, usize, u32)> = Vec::new();
            while cells.len() < 20_000 {
                let (side, word) = (random(layout.sides().len()), random(layout.words()));
                let legal = layout.legal(layout.sides()[side], word);
                cells.extend((legal != 0).then(|| (side, word, legal.trailing_zeros())));
            }
            let cold = probe_time(&coded, &cells) / 1000.0;
            let few: Vec<_> = (0..1_000_000).map(|_| cells[random(500)]).collect();
            probe_time(&coded, &few[..10_000]);
            let (warm, at_once) = (probe_time(&coded, &few), probe_time(&direct, &few));
            println!(
                "{name}: direct {} bytes, coded {} bytes; reading and coding {coding:.1} s; \
                 a cold probe {cold:.1} us, a warm one {warm:.0} ns (direct {at_once:.0} ns)",
                direct.container().file_len(),
                coded.container().file_len(),
            );
        }
    }
}
