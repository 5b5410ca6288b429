//! Sets of positions by rows of words, with marks that let sparse sets be walked quickly.

/// A set of rows, to which [`Slice::sources`](super::Slice::sources) adds. Rows lie in *chunks*, the unit of parallel
/// work: a chunk has one word of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowSet {
    shift: u32,
    pub(crate) chunks: Vec<u64>,
}

impl RowSet {
    /// The empty set of `rows` rows, `1 << shift` rows to a chunk.
    pub(crate) fn new(rows: usize, shift: u32) -> RowSet {
        RowSet {
            shift,
            chunks: vec![0; rows.div_ceil(1 << shift)],
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the row is out of range.
    #[inline]
    pub fn add(&mut self, row: usize) {
        self.chunks[row >> self.shift] |= 1 << (row & ((1 << self.shift) - 1));
    }

    /// Whether a row is in the set.
    #[must_use]
    #[inline]
    pub fn has(&self, row: usize) -> bool {
        self.chunks[row >> self.shift] >> (row & ((1 << self.shift) - 1)) & 1 != 0
    }

    /// The rows of the set, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let shift = self.shift;
        let rows =
            move |(chunk, &set): (usize, &u64)| Bits(set).map(move |bit| (chunk << shift) + bit);
        self.chunks.iter().enumerate().flat_map(rows)
    }

    /// Number of rows in the set.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.chunks
            .iter()
            .map(|set| set.count_ones() as usize)
            .sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|&set| set == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.chunks.fill(0);
    }
}

/// Iterates over the numbers of the bits of a word, ascending.
///
/// ```
/// use duchamp_retro::Bits;
/// assert!(Bits(0b1001_0010).eq([1, 4, 7]));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// A sparse set of positions with one side to move: the new wins or losses of a level.
#[derive(Clone, Debug)]
pub struct Layer {
    row_words: usize,
    /// All words; those that are not marked are zero.
    pub(crate) words: Vec<u64>,
    /// A bit for each word that may hold something, [`mark_words`] to a row.
    pub(crate) marks: Vec<u64>,
    /// The rows that hold something.
    pub(crate) rows: RowSet,
}

/// Words that the marks of a row take.
pub(crate) fn mark_words(row_words: usize) -> usize {
    row_words.div_ceil(64)
}

impl Layer {
    pub(crate) fn new(rows: usize, row_words: usize, shift: u32) -> Layer {
        Layer {
            row_words,
            words: vec![0; rows * row_words],
            marks: vec![0; rows * mark_words(row_words)],
            rows: RowSet::new(rows, shift),
        }
    }

    /// Whether a row may hold something.
    #[must_use]
    #[inline]
    pub fn has_row(&self, row: usize) -> bool {
        self.rows.has(row)
    }

    /// A word of a row: 64 positions.
    #[must_use]
    #[inline]
    pub fn word(&self, row: usize, word: usize) -> u64 {
        self.words[row * self.row_words + word]
    }

    /// The words of a row, and a bit for each of them that may hold something; `None` if none does.
    #[must_use]
    #[inline]
    pub fn row(&self, row: usize) -> Option<(&[u64], &[u64])> {
        let n = mark_words(self.row_words);
        self.rows.has(row).then(|| {
            (
                &self.words[row * self.row_words..][..self.row_words],
                &self.marks[row * n..][..n],
            )
        })
    }

    /// Sets a word; for tests and for building sets by hand.
    pub(crate) fn set(&mut self, row: usize, word: usize, bits: u64) {
        self.words[row * self.row_words + word] = bits;
        if bits != 0 {
            self.marks[row * mark_words(self.row_words) + word / 64] |= 1 << (word % 64);
            self.rows.add(row);
        }
    }

    /// All words.
    pub(crate) fn all(&self) -> &[u64] {
        &self.words
    }

    /// The set of some words, in place of what it holds.
    pub(crate) fn replace(&mut self, words: &[u64]) {
        self.clear();
        for (i, &bits) in words.iter().enumerate().filter(|&(_, &bits)| bits != 0) {
            self.set(i / self.row_words, i % self.row_words, bits);
        }
    }

    /// Empties the set at the cost of what it holds.
    pub(crate) fn clear(&mut self) {
        let n = mark_words(self.row_words);
        for row in self.rows.iter() {
            let words = &mut self.words[row * self.row_words..][..self.row_words];
            for (i, marks) in self.marks[row * n..][..n].iter_mut().enumerate() {
                for bit in Bits(std::mem::take(marks)) {
                    words[i * 64 + bit] = 0;
                }
            }
        }
        self.rows.clear();
    }
}

/// The number of words that are worked on together where many words of a row are in play: a cache line, a byte of
/// marks.
pub const BLOCK: usize = 8;

/// The marks of a block: one bit for each word that is not empty.
#[must_use]
#[inline(always)]
pub fn full(block: &[u64; BLOCK]) -> u64 {
    (0..BLOCK).fold(0, |marks, i| marks | u64::from(block[i] != 0) << i)
}

/// A set of positions of one row, which un-moving adds to. A word whose *mark* is not set is zero.
#[derive(Clone, Debug)]
pub struct RowWords {
    pub(crate) words: Vec<u64>,
    pub(crate) marks: Vec<u64>,
}

impl RowWords {
    pub(crate) fn new(row_words: usize) -> RowWords {
        RowWords {
            words: vec![0; row_words],
            marks: vec![0; mark_words(row_words)],
        }
    }

    /// Adds positions to a word.
    #[inline]
    pub fn add(&mut self, word: usize, bits: u64) {
        self.words[word] |= bits;
        self.marks[word / 64] |= 1 << (word % 64);
    }

    /// The words and their marks, to change in place. Whoever puts bits into a word must set its mark: bit `w % 64` of
    /// mark `w / 64`. Whoever empties a word may leave its mark.
    #[must_use]
    #[inline]
    pub fn parts(&mut self) -> (&mut [u64], &mut [u64]) {
        (&mut self.words, &mut self.marks)
    }

    /// Takes out what is not in `set`, a row's words; words left empty lose their marks.
    #[inline(always)]
    pub(crate) fn keep(&mut self, set: &[u64]) {
        let words = self.words.chunks_mut(64).zip(set.chunks(64));
        for ((words, set), marks) in words.zip(&mut self.marks) {
            let (blocks, rest) = words.as_chunks_mut::<BLOCK>();
            let (kept, kept_rest) = set.as_chunks::<BLOCK>();
            let (old, in_blocks) = (std::mem::take(marks), BLOCK * blocks.len());
            for (i, (block, kept)) in blocks.iter_mut().zip(kept).enumerate() {
                if old >> (BLOCK * i) & 0xFF != 0 {
                    let both = std::array::from_fn(|i| block[i] & kept[i]);
                    *marks |= full(&both) << (BLOCK * i);
                    *block = both;
                }
            }
            for (i, (word, kept)) in rest.iter_mut().zip(kept_rest).enumerate() {
                *word &= kept;
                *marks |= u64::from(*word != 0) << (in_blocks + i);
            }
        }
    }

    /// Hands each marked word to `f` and empties it.
    #[inline(always)]
    pub(crate) fn drain(&mut self, mut f: impl FnMut(usize, u64)) {
        for (i, marks) in self.marks.iter_mut().enumerate() {
            for bit in Bits(std::mem::take(marks)) {
                f(i * 64 + bit, std::mem::take(&mut self.words[i * 64 + bit]));
            }
        }
    }
}
