//! The files of one table, open.

use std::sync::Arc;

use rayon::prelude::*;

use crate::format::{Container, DistanceFile, FormatError, Metric, Outcome, WdlFile, Word};
use crate::game::Game;
use crate::index::{CellId, Index};
use duchamp_base::{Mapped, Plies};

/// The files of a key, open.
#[derive(Debug)]
pub struct Table<G: Game> {
    /// How the cells are numbered.
    pub index: Arc<G::Index>,
    /// The file of results.
    pub wdl: WdlFile<G::Index>,
    /// By metric, in the order of [`Metric::DISTANCES`].
    distances: [Option<DistanceFile>; 3],
    /// By stored side: whether some of its wins are cursed, and some of its losses blessed.
    cursed: [(bool, bool); 2],
}

impl<G: Game> Table<G> {
    /// A table from its `.wdl` file.
    pub(crate) fn new(index: Arc<G::Index>, wdl: Container) -> Result<Table<G>, FormatError> {
        check_header::<G>(&index, &wdl, Metric::Wdl)?;
        let wdl = WdlFile::new(wdl, &index).ok_or(FormatError::Header("form"))?;
        Ok(Table {
            index,
            wdl,
            distances: [None, None, None],
            cursed: [(false, false); 2],
        })
    }

    /// Adds a file of distances.
    pub(crate) fn add(&mut self, metric: Metric, file: Container) -> Result<(), FormatError> {
        check_header::<G>(&self.index, &file, metric)?;
        if file.header().wdl_sum != self.wdl.sum() {
            return Err(FormatError::Header("goes with another .wdl file"));
        }
        if metric.spec().draw_after.is_some() {
            let counts = &file.header().counts;
            self.cursed = counts.map(|side| (side.cursed > 0, side.blessed > 0));
        }
        if let Some(at) = Metric::DISTANCES.iter().position(|&m| m == metric) {
            self.distances[at] = Some(DistanceFile::new(file));
        }
        Ok(())
    }

    /// The file of distances of a metric.
    #[inline]
    pub fn distances(&self, metric: Metric) -> Option<&DistanceFile> {
        let at = (metric as usize).checked_sub(1)?;
        self.distances[at].as_ref()
    }

    /// The file of a metric.
    pub fn file(&self, metric: Metric) -> Option<&Container> {
        match metric {
            Metric::Wdl => Some(self.wdl.container()),
            _ => self.distances(metric).map(DistanceFile::container),
        }
    }

    /// The number of the stored side for a cell.
    #[inline]
    fn side(&self, at: CellId) -> usize {
        at.side
            .index()
            .min(usize::from(self.wdl.header().sides) - 1)
    }

    /// Win, draw or loss of a cell.
    #[inline]
    /// # Errors
    /// When the block is damaged.
    pub fn outcome(&self, at: CellId) -> Result<Outcome, FormatError> {
        self.wdl.outcome(self.side(at), at.word(), at.bit())
    }

    /// Whether a cell of this outcome may be cursed or blessed, as far as is known.
    #[inline]
    pub fn may_be_cursed(&self, at: CellId, outcome: Outcome) -> bool {
        let (cursed, blessed) = self.cursed[self.side(at)];
        match outcome {
            Outcome::Win => cursed,
            Outcome::Draw => false,
            Outcome::Loss => blessed,
        }
    }

    /// Whether a cell's block omits wins at once, so that the length of a win holds only if no move wins at once.
    ///
    /// # Errors
    /// When the block is damaged.
    #[inline]
    pub fn omits(&self, file: &DistanceFile, at: CellId) -> Result<bool, FormatError> {
        file.omits(file.block_of(self.side(at), at.word()))
    }

    /// The length of a cell's win, which must not be [omitted](Self::omits); `Ok(None)` if it is not won.
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn win(&self, file: &DistanceFile, at: CellId) -> Result<Option<Plies>, FormatError> {
        file.win(&self.wdl, self.side(at), at.word(), at.bit())
    }

    /// All words of a stored side; what is void has any value.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        self.wdl.side_words(side)
    }

    /// The plies of all wins of a stored side that are not [omitted](Self::omits), 64 cells a word; other
    /// cells are 0.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn wins(&self, file: &DistanceFile, side: usize) -> Result<Vec<u16>, FormatError> {
        let blocks = file.container().side_blocks();
        let decoded: Vec<Vec<u16>> = (side * blocks..(side + 1) * blocks)
            .into_par_iter()
            .map(|block| file.decode(&self.wdl, block))
            .collect::<Result<_, _>>()?;
        Ok(decoded.concat())
    }
}

pub(super) fn check_header<G: Game>(
    index: &G::Index,
    file: &Container,
    metric: Metric,
) -> Result<(), FormatError> {
    let header = file.header();
    // Of `.wdl` files there are two forms: `WdlFile::new` looks.
    let form = metric == Metric::Wdl || header.block_words == metric.spec().block_words;
    let fits = header.metric == metric
        && header.game == G::ID
        && form
        && header.key == index.key().to_string()
        && usize::from(header.sides) == index.stored_sides().len()
        && header.words == index.words() as u64;
    if !fits {
        return Err(FormatError::Header("another table's"));
    }
    if metric != Metric::Wdl && header.coding != metric.spec().coding {
        return Err(FormatError::Coding(header.coding));
    }
    Ok(())
}

/// Opens a table from the bytes of its `.wdl` file and one of distances and reads all of both: the
/// number of its wins.
///
/// What the folder of tables does with files, for checks and fuzzing without files.
///
/// # Errors
/// When anything in the bytes is wrong.
pub fn read_through<G: Game>(
    key: G::Key,
    wdl: Vec<u8>,
    metric: Metric,
    distances: Vec<u8>,
) -> Result<u64, FormatError> {
    let wdl = Container::open(Mapped::from(wdl))?;
    let mut table = Table::<G>::new(Arc::new(G::Index::new(key)), wdl)?;
    table.add(metric, Container::open(Mapped::from(distances))?)?;
    let file = table
        .distances(metric)
        .ok_or(FormatError::Header("metric"))?;
    let mut wins = 0;
    for side in 0..table.index.stored_sides().len() {
        let words = table.words(side)?;
        wins += words
            .iter()
            .map(|word| u64::from(word.won.count_ones()))
            .sum::<u64>();
        let lengths = table.wins(file, side)?;
        for (number, word) in words.iter().enumerate().step_by(97) {
            let bit = number as u32 % 64;
            let at = CellId {
                side: table.index.stored_sides()[side],
                cell: number as u64 * 64 + u64::from(bit),
            };
            // The direct ways of reading agree with reading everything, or the file is wrong.
            let won = table.outcome(at)? == Outcome::Win;
            let length = table.win(file, at)?.map(|plies| plies.0);
            let told = won
                .then(|| lengths.get(number * 64 + bit as usize).copied())
                .flatten();
            if won != (word.won >> bit & 1 != 0) || length != told {
                return Err(FormatError::Header("cells"));
            }
        }
    }
    Ok(wins)
}
