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
static ENDINGS: [Ending; 13] = [
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
    // The second side wins, in up to thousands of plies.
    Ending {
        name: "slow",
        ..SMALL
    },
    Ending {
        name: "a-slow",
        men: 4,
        children: &["a", "slow"],
        ..SMALL
    },
    // The same in up to 253 plies: the longest loss takes 254.
    Ending {
        name: "full",
        ..SMALL
    },
    Ending {
        name: "a-full",
        men: 4,
        children: &["a", "full"],
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

    /// Nobody has a move and all is drawn; but in the slow ending the second side moves from its n-th position to the
    /// first side's n-th, and that from there to the other's before it, and loses where it has none. In the full ending
    /// only the first positions have moves.
    fn slice<'e, 'a: 'e, W: Worth>(
        index: &'e &'a Words,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        let words = index.slice_words();
        let cells = Side::ALL.map(|side| {
            let legal = (slice * words..(slice + 1) * words).flat_map(move |word| {
                let legal = index.legal(side, word);
                (0..64).map(move |bit| legal >> bit & 1 != 0)
            });
            legal.collect::<Vec<bool>>()
        });
        let moving = match index.key.ending().name {
            "slow" => [usize::MAX; 2],
            "full" => [128, 127],
            _ => [0; 2],
        };
        let nth = |side: Side| {
            let cells = cells[side.index()].iter().enumerate();
            let legal = cells.filter(|cell| *cell.1);
            legal.map(|(cell, _)| cell as u32).collect::<Vec<u32>>()
        };
        let [first, second] = Side::ALL.map(nth);
        let nodes = Side::ALL.map(|side| {
            let (own, other) = match side {
                Side::First => (&first, &second),
                Side::Second => (&second, &first),
            };
            let mut nodes: Vec<ListedPosition<W::Cell>> = cells[side.index()]
                .iter()
                .map(|legal| match legal {
                    true => ListedPosition::LEGAL,
                    false => ListedPosition::VOID,
                })
                .collect();
            for (n, &cell) in own.iter().enumerate().take(moving[side.index()]) {
                let to = match side {
                    Side::First => n.checked_sub(1),
                    Side::Second => Some(n),
                };
                let node = &mut nodes[cell as usize];
                node.moves.extend(to.and_then(|to| other.get(to)));
                node.lost_if_stuck = side == Side::First;
            }
            nodes
        });
        Lists::<W::Cell>::new(nodes)
    }

    fn all(men: u32) -> Vec<Key> {
        let keys = (0..ENDINGS.len()).map(Key);
        keys.filter(|key| key.men() == men).collect()
    }

    fn codes(key: Key) -> [u64; 2] {
        [1, 2].map(|side| 2 * key.0 as u64 + side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Class;
    use crate::generate::{AllSubs, GenerateOptions, Generator, Summary};
    use crate::index::CellId;
    use crate::solve::{SolveError, solve};
    use crate::store::Store;
    use duchamp_base::{Control, Plies};

    /// Generates tables in the metrics, to mate if none is named; the error in words.
    fn run(
        store: &Store<Mock>,
        names: &[&str],
        metrics: &[Metric],
    ) -> Result<Summary<Key>, String> {
        let keys: Vec<Key> = names.iter().map(|name| Key::of(name)).collect();
        let options = GenerateOptions {
            metrics: metrics.to_vec(),
            ..GenerateOptions::default()
        };
        let made = Generator::new(store).run(&keys, &options, &Control::new(1), &mut |_| {});
        made.map_err(|error| error.to_string())
    }

    /// A table whose wins are longer than a byte can say gets its files, in distances of two bytes; what needs it is
    /// refused with one line, and everything else is generated.
    #[test]
    fn long_wins_are_written_and_what_needs_them_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::<Mock>::open(folder.path());
        // Again once the files are there: they are not written a second time.
        for _ in 0..2 {
            let error = run(&store, &["a-slow", "a-b"], &[]).expect_err("refused");
            let expected = "a-slow cannot be solved to mate: its sub-table slow has wins or losses of 254 plies or more";
            assert_eq!(error, expected);
        }
        let has = |name: &str| store.has_metric(Key::of(name), Metric::Dtm);
        assert!(["a", "b", "a-b", "slow"].into_iter().all(has) && !has("a-slow"));
        let summary = run(&store, &["slow"], &[]).expect("ready");
        assert_eq!((summary.made.len(), summary.found), (0, 1));
        let table = store.table(Key::of("slow")).expect("ready");
        let file = table.distances(Metric::Dtm).expect("a file");
        let (mut wins, side) = (0, Side::Second);
        for cell in 0..table.index.cells() {
            let at = CellId { side, cell };
            if table.index.legal(side, at.word()) >> at.bit() & 1 != 0
                && let Some(plies) = table.length(file, Class::Wins, at).expect("readable")
            {
                assert_eq!(plies, Plies(2 * wins + 1));
                wins += 1;
            }
        }
        assert!(wins > 3000, "{wins}");
        let counts = file.container().header().counts;
        assert_eq!(counts[1].longest_win, 2 * wins - 1);
        // Distances that are solved after those to mate need these in a byte.
        let error = run(&store, &["slow"], &[Metric::Dtc]).expect_err("refused");
        assert_eq!(error, "slow has longer wins than a byte can say");
    }

    /// A loss that a byte can just say: a move into it is a longer win, which a larger table cannot tell from a draw.
    #[test]
    fn the_longest_loss_of_a_byte_is_not_read_by_larger_tables() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::<Mock>::open(folder.path());
        let error = run(&store, &["a-full", "a-b"], &[]).expect_err("refused");
        assert!(error.starts_with("a-full cannot be solved to mate: its sub-table full"));
        let has = |name: &str| store.has_metric(Key::of(name), Metric::Dtm);
        assert!(["full", "a-b"].into_iter().all(has) && !has("a-full"));
        let table = store.table(Key::of("full")).expect("ready");
        let counts = table.wdl.header().counts;
        assert_eq!((counts[0].longest_loss, counts[1].longest_win), (254, 253));
        let subs = AllSubs::<Mock>::new(Key::of("a-full"), &Control::new(1)).expect("solved");
        let solved = solve::<Mock>(Key::of("a-full"), &subs, &Control::new(1));
        assert!(matches!(solved, Err(SolveError::LongSub { .. })));
    }

    /// More memory than can be counted in bytes is as good as all of it.
    #[test]
    fn no_memory_is_too_much() {
        for memory in [1 << 44, u64::MAX] {
            let options = GenerateOptions {
                memory: Some(memory),
                ..GenerateOptions::default()
            };
            assert!(options.allowed_bytes(1) >> 20 == options.allowed(1) && options.allowed(1) > 0);
        }
    }
}
