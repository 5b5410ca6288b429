//! Win, draw or loss of every position, read without decoding anything.
//!
//! Per word of 64 positions a nibble stores its class:
//!
//! ```text
//! 0 0 v v   all positions have value v (0 loss, 1 draw, 2 win)
//! 0 0 1 1   as the last word of this group that has a payload
//! 1 0 p p   two values, one bit each: one payload word; p = 0: loss/draw, 1: draw/win, 2: loss/win
//! 1 1 0 0   three values: two payload words, first the wins, then the losses
//! ```
//! Sixteen nibbles make a group: one `u64`, then a `u16` that counts the payload words of the block before
//! this group. A block is its groups, then its payload. The place of a word's payload is
//! that count plus the number of set bits 2 and 3 among the nibbles before: one population count. A
//! block of one byte holds nothing but positions of that value.
//!
//! Void positions are never probed; they take whatever value keeps a word in a smaller class or
//! equal to the one before.
//!
//! Tried and dropped: one dictionary of payload words a table (43 % of the words are distinct: not much
//! smaller than the repeats above, and one more cache miss a probe).

use super::container::{Container, FormatError};
use super::form::DIRECT_WORDS;

/// Words a group.
const GROUP: usize = 16;
/// Bytes of a group: its nibbles and its count.
const GROUP_BYTES: usize = 10;
/// The bits of all nibbles that stand for one payload word each.
const PAYLOADS: u64 = 0xCCCC_CCCC_CCCC_CCCC;
/// The bits of all nibbles that distinguish a payload from none.
const CARRIERS: u64 = 0x8888_8888_8888_8888;
/// The class "as the last payload".
const REPEAT: u64 = 3;

/// A stored result: win, draw or loss of the side to move, without the 50-move rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// Lost.
    Loss = 0,
    /// Drawn.
    Draw = 1,
    /// Won.
    Win = 2,
}

impl Outcome {
    #[inline]
    const fn from_bits(bits: u64) -> Outcome {
        match bits {
            0 => Outcome::Loss,
            1 => Outcome::Draw,
            _ => Outcome::Win,
        }
    }
}

/// The results of 64 cells as bitmaps: which are won, which lost, which void; the rest are drawn.
///
/// In a word read from a file nothing is void: cells that are no position have any result.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Word {
    /// Won positions.
    pub won: u64,
    /// Lost positions.
    pub lost: u64,
    /// Indices that stand for no position.
    pub void: u64,
}

impl Word {
    const fn drawn(self) -> u64 {
        !(self.won | self.lost | self.void)
    }

    /// The class of the word, as the nibble that stands for it.
    const fn class(self) -> u64 {
        match (self.lost != 0, self.drawn() != 0, self.won != 0) {
            (true, false, false) => 0,
            (false, _, false) => 1,
            (false, false, true) => 2,
            (true, true, false) => 8,
            (false, true, true) => 9,
            (true, false, true) => 10,
            (true, true, true) => 12,
        }
    }

    /// Whether both words agree wherever neither is void.
    const fn agrees(self, other: Word) -> bool {
        ((self.won ^ other.won) | (self.lost ^ other.lost)) & !(self.void | other.void) == 0
    }

    const fn merged(self, other: Word) -> Word {
        Word {
            won: self.won | other.won,
            lost: self.lost | other.lost,
            void: self.void & other.void,
        }
    }
}

/// One group while it is encoded.
#[derive(Default)]
struct Group {
    nibbles: u64,
    /// The last word with a payload, merged with its repeats, and its number.
    open: Option<(Word, usize)>,
}

impl Group {
    fn push(&mut self, number: usize, word: Word, payload: &mut Vec<u64>) {
        let class = word.class();
        if class < 8 {
            self.nibbles |= class << (4 * number);
            return;
        }
        if let Some((open, _)) = &mut self.open
            && open.agrees(word)
        {
            *open = open.merged(word);
            self.nibbles |= REPEAT << (4 * number);
            return;
        }
        self.close(payload);
        self.open = Some((word, number));
    }

    /// Writes the open payload.
    fn close(&mut self, payload: &mut Vec<u64>) {
        let Some((word, number)) = self.open.take() else {
            return;
        };
        let class = word.class();
        self.nibbles |= class << (4 * number);
        match class {
            8 => payload.push(word.drawn()),
            12 => payload.extend([word.won, word.lost]),
            _ => payload.push(word.won),
        }
    }
}

/// Encodes a block from its words.
pub(crate) fn encode(words: impl ExactSizeIterator<Item = Word>) -> Vec<u8> {
    let count = words.len();
    let mut block = Vec::with_capacity(count.div_ceil(GROUP) * GROUP_BYTES + 8 * count / 2);
    let mut payload: Vec<u64> = Vec::with_capacity(count);
    let mut uniform = [true; 3];
    let mut group = Group::default();
    let mut before = 0_u16;
    for (n, word) in words.enumerate() {
        let word = Word {
            won: word.won & !word.void,
            lost: word.lost & !word.void,
            void: word.void,
        };
        for (value, all) in uniform.iter_mut().enumerate() {
            *all &= word.void == !0 || word.class() == value as u64;
        }
        group.push(n % GROUP, word, &mut payload);
        if n % GROUP == GROUP - 1 || n == count - 1 {
            group.close(&mut payload);
            block.extend_from_slice(&group.nibbles.to_le_bytes());
            block.extend_from_slice(&before.to_le_bytes());
            before = payload.len() as u16;
            group = Group::default();
        }
    }
    if let Some(value) = uniform.iter().position(|&all| all) {
        return vec![value as u8];
    }
    for word in payload {
        block.extend_from_slice(&word.to_le_bytes());
    }
    block
}

/// A block, taken apart.
#[derive(Clone, Copy)]
struct Block<'a> {
    groups: &'a [u8],
    payload: &'a [u8],
}

impl<'a> Block<'a> {
    #[inline]
    fn new(bytes: &'a [u8], words: usize) -> Option<Block<'a>> {
        let (groups, payload) = bytes.split_at_checked(words.div_ceil(GROUP) * GROUP_BYTES)?;
        Some(Block { groups, payload })
    }

    /// Nibbles of group `group`, and the number of payload words before it.
    #[inline]
    fn group(self, group: usize) -> Option<(u64, usize)> {
        let bytes: &[u8; GROUP_BYTES] = self.groups.get(group * GROUP_BYTES..)?.first_chunk()?;
        let [a, b, c, d, e, f, g, h, low, high] = *bytes;
        Some((
            u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            usize::from(u16::from_le_bytes([low, high])),
        ))
    }

    /// Payload word `rank`.
    #[inline]
    fn word(self, rank: usize) -> Option<u64> {
        self.payload
            .get(8 * rank..)?
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// The class of word `word` and the place of its payload.
    #[inline]
    fn locate(self, word: usize) -> Option<(u64, usize)> {
        let (nibbles, before) = self.group(word / GROUP)?;
        let mut shift = 4 * (word % GROUP) as u32;
        let mut class = nibbles >> shift & 15;
        if class == REPEAT {
            let carriers = nibbles & CARRIERS & ((1 << shift) - 1);
            shift = carriers.checked_ilog2()? & !3;
            class = nibbles >> shift & 15;
        }
        Some((
            class,
            before + (nibbles & PAYLOADS & ((1 << shift) - 1)).count_ones() as usize,
        ))
    }

    /// The value of position `bit` of word `word`.
    #[inline]
    fn outcome(self, word: usize, bit: u32) -> Option<Outcome> {
        let (class, rank) = self.locate(word)?;
        if class < 8 {
            return Some(Outcome::from_bits(class & 3));
        }
        let first = self.word(rank)? >> bit & 1;
        Some(match class & 7 {
            0 => Outcome::from_bits(first),
            1 => Outcome::from_bits(1 + first),
            2 => Outcome::from_bits(2 * first),
            _ if first == 1 => Outcome::Win,
            _ => Outcome::from_bits(1 - (self.word(rank + 1)? >> bit & 1)),
        })
    }

    fn words(self, word: usize) -> Option<Word> {
        let (class, rank) = self.locate(word)?;
        Some(match class {
            0..=2 => uniform_word(Outcome::from_bits(class)),
            8 => Word {
                won: 0,
                lost: !self.word(rank)?,
                void: 0,
            },
            9 => Word {
                won: self.word(rank)?,
                lost: 0,
                void: 0,
            },
            10 => self.word(rank).map(|won| Word {
                won,
                lost: !won,
                void: 0,
            })?,
            12 => Word {
                won: self.word(rank)?,
                lost: self.word(rank + 1)?,
                void: 0,
            },
            _ => return None,
        })
    }
}

const fn uniform_word(outcome: Outcome) -> Word {
    match outcome {
        Outcome::Loss => Word {
            won: 0,
            lost: !0,
            void: 0,
        },
        Outcome::Draw => Word {
            won: 0,
            lost: 0,
            void: 0,
        },
        Outcome::Win => Word {
            won: !0,
            lost: 0,
            void: 0,
        },
    }
}

/// The value of one position: `word` counts within the side, `side` is the stored side to move.
///
/// For files with blocks of [`DIRECT_WORDS`], which is checked when a table is opened: a constant here saves
/// two divisions a probe.
#[inline]
pub(crate) fn probe(
    file: &Container,
    side: usize,
    word: usize,
    bit: u32,
) -> Result<Outcome, FormatError> {
    const PER_BLOCK: usize = DIRECT_WORDS as usize;
    let in_side = word / PER_BLOCK;
    let number = side * file.side_blocks() + in_side;
    let bytes = file.block(number)?;
    if let [value] = bytes {
        return Ok(Outcome::from_bits(u64::from(*value)));
    }
    let left = (file.header().words as usize).saturating_sub(in_side * PER_BLOCK);
    Block::new(bytes, left.min(PER_BLOCK))
        .and_then(|block| block.outcome(word % PER_BLOCK, bit))
        .ok_or(FormatError::Block(number))
}

/// Goes through some words of a block of `words` words; `None` if it is damaged.
pub(crate) fn read_block(
    bytes: &[u8],
    words: usize,
    range: std::ops::Range<usize>,
    mut each: impl FnMut(Word),
) -> Option<()> {
    if let [value] = bytes {
        range.for_each(|_| each(uniform_word(Outcome::from_bits(u64::from(*value)))));
    } else {
        let block = Block::new(bytes, words)?;
        for n in range {
            each(block.words(n)?);
        }
    }
    Some(())
}

/// Goes through `count` words of a side from word `first` on.
pub(crate) fn read_words(
    file: &Container,
    side: usize,
    first: usize,
    count: usize,
    mut each: impl FnMut(Word),
) -> Result<(), FormatError> {
    let per_block = file.header().block_words as usize;
    let mut word = first;
    while word < first + count {
        let number = side * file.side_blocks() + word / per_block;
        let words = file.header().words_in_block(number);
        let start = word % per_block;
        let end = words.min(start + first + count - word);
        let bytes = file.block(number)?;
        if start >= end || read_block(bytes, words, start..end, &mut each).is_none() {
            return Err(FormatError::Block(number));
        }
        word += end - start;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::container::{Header, assemble};
    use super::super::metric::{Metric, SideCounts};
    use super::*;
    use duchamp_base::Mapped;

    /// Words of every class, with voids, repeats and uniform stretches.
    fn sample(count: usize) -> Vec<Word> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut last = Word::default();
        (0..count)
            .map(|n| {
                let void = random() & random() & random();
                let (a, b) = (random(), random());
                let mut word = match random() % 8 + n as u64 / 1500 {
                    0 => Word {
                        won: !void,
                        lost: 0,
                        void,
                    },
                    1 => Word {
                        won: 0,
                        lost: !void,
                        void,
                    },
                    2 => Word {
                        won: 0,
                        lost: 0,
                        void,
                    },
                    3 => Word {
                        won: a & !void,
                        lost: 0,
                        void,
                    },
                    4 => Word {
                        won: 0,
                        lost: a & !void,
                        void,
                    },
                    5 => Word {
                        won: a & !void,
                        lost: !a & !void,
                        void,
                    },
                    6 => Word {
                        won: a & b & !void,
                        lost: a & !b & !void,
                        void,
                    },
                    7 => Word { void, ..last },
                    _ => Word {
                        won: !0,
                        lost: 0,
                        void: 0,
                    },
                };
                word.won &= !word.void;
                word.lost &= !word.void;
                last = word;
                word
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let words = sample(3 * DIRECT_WORDS as usize + 17);
        let blocks: Vec<_> = words
            .chunks(DIRECT_WORDS as usize)
            .map(|block| encode(block.iter().copied()))
            .collect();
        let header = Header {
            game: 0,
            revision: 0,
            key: "KNNvK".to_owned(),
            metric: Metric::Wdl,
            sides: 1,
            words: words.len() as u64,
            block_words: DIRECT_WORDS,
            counts: [SideCounts::default(); 2],
            coding: 0,
            wdl_sum: 0,
        };
        let file = Container::open(Mapped::from(assemble(&header, &blocks))).expect("a good file");
        let mut all = Vec::new();
        read_words(&file, 0, 0, words.len(), |word| all.push(word)).expect("good blocks");
        let mut part = Vec::new();
        read_words(&file, 0, 1000, 100, |word| part.push(word)).expect("good blocks");
        assert_eq!(part, all[1000..1100]);
        for (n, (word, read)) in words.iter().zip(&all).enumerate() {
            assert!(word.agrees(*read), "word {n}");
            for bit in (0..64).filter(|bit| word.void >> bit & 1 == 0) {
                let expected =
                    Outcome::from_bits(1 + (word.won >> bit & 1) - (word.lost >> bit & 1));
                assert_eq!(probe(&file, 0, n, bit), Ok(expected), "word {n}, bit {bit}");
            }
        }
    }
}
