//! The two forms of a file of results, distinguished by the words of its blocks.

use super::container::Header;

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

    /// How its blocks are written, as [`Header::coding`] has it. Coded blocks of before were of the number 0: each had two
    /// bytes for its length.
    pub(crate) const fn coding(self) -> u32 {
        match self {
            Form::Direct => 0,
            Form::Coded => 1,
        }
    }

    /// The form of a file; `None` if it is not known.
    pub(crate) fn of(header: &Header) -> Option<Form> {
        let mut forms = [Form::Direct, Form::Coded].into_iter();
        let same = |form: &Form| {
            (form.block_words(), form.coding()) == (header.block_words, header.coding)
        };
        forms.find(same)
    }
}
