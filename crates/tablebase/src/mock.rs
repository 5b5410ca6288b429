//! A game made of nothing but what is scripted here: which tables lead to which, how large they are, which cells are
//! void. For tests of what needs no moves: plans, memory, files.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};
use crate::solve::{View, Worth};
use duchamp_retro::lists::{ListedPosition, Lists};
use duchamp_retro::{Code, Side, Slice};

/// What the mock game defines of a table.
#[derive(Debug)]
struct Ending {
    name: &'static str,
    men: u32,
    pawns: u32,
    children: &'static [&'static str],
    /// Slices in each wave.
    waves: &'static [usize],
    slice_words: usize,
}

const SMALL: Ending = Ending {
    name: "",
    men: 3,
    pawns: 0,
    children: &[],
    waves: &[1],
    slice_words: 64,
};

/// Named after the pieces on the board besides two kings; `p` may become any of `a` to `d`.
static ENDINGS: [Ending; 9] = [
    Ending { name: "a", ..SMALL },
    Ending { name: "b", ..SMALL },
    Ending { name: "c", ..SMALL },
    Ending { name: "d", ..SMALL },
    Ending {
        name: "p",
        pawns: 1,
        children: &["a", "b", "c", "d"],
        waves: &[2, 1],
        ..SMALL
    },
    Ending {
        name: "a-a",
        men: 4,
        children: &["a"],
        ..SMALL
    },
    Ending {
        name: "a-b",
        men: 4,
        children: &["a", "b"],
        ..SMALL
    },
    Ending {
        name: "a-p",
        men: 4,
        pawns: 1,
        children: &["a", "p", "a-a", "a-b"],
        waves: &[2, 1],
        ..SMALL
    },
    // Several blocks of any file, the last of them short.
    Ending {
        name: "long",
        waves: &[2, 1],
        slice_words: 8_300,
        ..SMALL
    },
];

/// The name of a table: its place in the script.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(usize);

/// A name that is not in the script.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no such table")]
pub(crate) struct NoSuchTable;

impl Key {
    /// The table of this name.
    pub(crate) fn of(name: &str) -> Key {
        name.parse().expect("a scripted table")
    }

    fn ending(self) -> &'static Ending {
        &ENDINGS[self.0]
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ending().name)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Key {
    type Err = NoSuchTable;

    fn from_str(name: &str) -> Result<Key, NoSuchTable> {
        let at = ENDINGS.iter().position(|ending| ending.name == name);
        at.map(Key).ok_or(NoSuchTable)
    }
}

impl TableKey for Key {
    fn men(&self) -> u32 {
        self.ending().men
    }

    fn pawns(&self) -> u32 {
        self.ending().pawns
    }

    fn is_symmetric(&self) -> bool {
        matches!(self.ending().name.split_once('-'), Some((one, other)) if one == other)
    }

    fn children(&self) -> Vec<Key> {
        let children = self.ending().children.iter();
        children.map(|name| Key::of(name)).collect()
    }
}

/// Words without meaning.
#[derive(Debug)]
pub(crate) struct Words {
    key: Key,
    waves: Vec<Range<usize>>,
}

impl Index for Words {
    type Key = Key;

    fn new(key: Key) -> Words {
        let mut end = 0;
        let waves = key.ending().waves.iter().map(|slices| {
            end += slices;
            end - slices..end
        });
        Words {
            key,
            waves: waves.collect(),
        }
    }

    fn key(&self) -> Key {
        self.key
    }

    fn slices(&self) -> usize {
        self.key.ending().waves.iter().sum()
    }

    fn waves(&self) -> &[Range<usize>] {
        &self.waves
    }

    fn row_words(&self) -> usize {
        1
    }

    fn slice_words(&self) -> usize {
        self.key.ending().slice_words
    }

    /// A few void cells in each word, and now and then nothing else.
    fn legal(&self, side: Side, word: usize) -> u64 {
        if word % 100 == 7 {
            0
        } else {
            !(0x8000_0400_0010_2001_u64.rotate_left((word % 7 + side.index()) as u32))
        }
    }
}

/// The game of the script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mock;

impl Game for Mock {
    const ID: u8 = 255;
    const NAME: &'static str = "mock";
    const METRICS: &'static [Metric] = &Metric::ALL;
    const MAX_MEN: u32 = 4;
    const TRIVIAL: Option<Key> = None;

    type Key = Key;
    type Index = Words;
    type Exits<'a, W: Worth> = &'a Words;

    fn exits<'a, W: Worth>(
        index: &'a Words,
        _: View<'a, Words, W::Own>,
        _: &dyn Fn(Key) -> Option<View<'a, Words, Code>>,
    ) -> &'a Words {
        index
    }

    /// Nobody has a move: all is drawn.
    fn slice<'e, 'a: 'e, W: Worth>(
        index: &'e &'a Words,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        let words = index.slice_words();
        let nodes = |side| {
            let legal = (slice * words..(slice + 1) * words).flat_map(move |word| {
                let legal = index.legal(side, word);
                (0..64).map(move |bit| legal >> bit & 1 != 0)
            });
            let nodes = legal.map(|legal| {
                if legal {
                    ListedPosition::LEGAL
                } else {
                    ListedPosition::VOID
                }
            });
            nodes.collect()
        };
        Lists::<W::Cell>::new(Side::ALL.map(nodes))
    }

    fn all(men: u32) -> Vec<Key> {
        let keys = (0..ENDINGS.len()).map(Key);
        keys.filter(|key| key.men() == men).collect()
    }

    fn codes(key: Key) -> [u64; 2] {
        [1, 2].map(|side| 2 * key.0 as u64 + side)
    }
}
