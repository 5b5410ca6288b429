//! The two forms of a file of results, distinguished by the words of its blocks.

/// Words of a block that is read without decoding.
pub(super) const DIRECT_WORDS: u32 = 1024;

/// Words of a block that is decoded: 64 groups of [`BLOCK`](super::BLOCK) words.
pub(crate) const CODED_WORDS: u32 = 4096;

/// The two forms of a `.wdl` file. Readers distinguish them by the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Read without decoding, in two cache lines a probe: the form of small tables.
    Direct,
    /// Entropy-coded by blocks of 4,096 cells, several times smaller: the form of large tables.
    Coded,
}

impl Form {
    /// Words that are encoded together: a block of the container.
    pub(crate) const fn block_words(self) -> u32 {
        match self {
            Form::Direct => DIRECT_WORDS,
            Form::Coded => CODED_WORDS,
        }
    }

    /// The form whose blocks have so many words.
    pub(crate) const fn of_block_words(words: u32) -> Option<Form> {
        match words {
            DIRECT_WORDS => Some(Form::Direct),
            CODED_WORDS => Some(Form::Coded),
            _ => None,
        }
    }
}
