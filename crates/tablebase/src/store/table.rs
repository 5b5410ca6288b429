//! The files of one table, open.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::format::{
    Class, Container, DistanceFile, Form, FormatError, Holdings, Metric, Outcome, WdlFile, Word,
};
use crate::game::Game;
use crate::index::{CellId, Index};
use duchamp_base::{Mapped, Plies};

/// A table that is ready: its open files. Cells are those of [`Table::index`]; values disregard what
/// [`MoveFacts::unstored`](crate::MoveFacts::unstored) says, which a [`Prober`](crate::Prober) adds.
#[derive(Debug)]
pub struct Table<G: Game> {
    /// How the cells are numbered.
    pub index: Arc<G::Index>,
    /// The file of results.
    pub(crate) wdl: WdlFile<G::Index>,
    /// By metric, in the order of [`Metric::DISTANCES`].
    distances: [Option<DistanceFile<G::Index>>; 3],
    /// By stored side: whether some of its wins are cursed, and some of its losses blessed.
    cursed: [(bool, bool); 2],
    /// The folder that the files are in.
    folder: Option<Box<Path>>,
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
            folder: None,
        })
    }

    /// The same as opened in a folder.
    pub(crate) fn in_folder(self, folder: &Path) -> Table<G> {
        let folder = Some(folder.into());
        Table { folder, ..self }
    }

    /// The folder that the files are in.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Adds a file of distances.
    pub(crate) fn add(&mut self, metric: Metric, file: Container) -> Result<(), FormatError> {
        check_header::<G>(&self.index, &file, metric)?;
        let file = DistanceFile::new(file, &self.index)?;
        let header = file.container().header();
        if header.wdl_sum != self.wdl.sum() {
            return Err(FormatError::Header("goes with another .wdl file"));
        }
        if metric.spec().draw_after.is_some() {
            let counts = &header.counts;
            self.cursed = counts.map(|side| (side.cursed > 0, side.blessed > 0));
        }
        if let Some(at) = Metric::DISTANCES.iter().position(|&m| m == metric) {
            self.distances[at] = Some(file);
        }
        Ok(())
    }

    /// The file of distances of a metric.
    #[inline]
    pub(crate) fn distances(&self, metric: Metric) -> Option<&DistanceFile<G::Index>> {
        let at = (metric as usize).checked_sub(1)?;
        self.distances[at].as_ref()
    }

    /// The file of a metric.
    pub(crate) fn file(&self, metric: Metric) -> Option<&Container> {
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

    /// Win, draw or loss of a cell for its side to move, without the 50-move rule. A cell that is no legal canonical
    /// position has any value.
    ///
    /// # Errors
    /// When the block is damaged.
    #[inline]
    pub fn outcome(&self, at: CellId) -> Result<Outcome, FormatError> {
        self.wdl.outcome(self.side(at), at.word(), at.bit())
    }

    /// Whether a cell of this outcome may be cursed or blessed, as far as is known.
    #[inline]
    pub(crate) fn may_be_cursed(&self, at: CellId, outcome: Outcome) -> bool {
        let (cursed, blessed) = self.cursed[self.side(at)];
        match outcome {
            Outcome::Win => cursed,
            Outcome::Draw => false,
            Outcome::Loss => blessed,
        }
    }

    /// Whether a cell's block omits immediate wins, so that the length of a win holds only if no move wins immediately.
    ///
    /// # Errors
    /// When the block is damaged.
    #[inline]
    pub(crate) fn omits(
        &self,
        file: &DistanceFile<G::Index>,
        at: CellId,
    ) -> Result<bool, FormatError> {
        file.omits(file.block_of(self.side(at), at.word()))
    }

    /// Whether a file holds the lengths of the wins, or of the losses, with the cell's side to move.
    #[inline]
    pub(crate) fn has_lengths(
        &self,
        file: &DistanceFile<G::Index>,
        class: Class,
        at: CellId,
    ) -> bool {
        file.holdings().has(self.side(at), class)
    }

    /// The length of a cell's win or loss, which must not be [omitted](Self::omits); `Ok(None)` if it is none, or if the
    /// file does not [hold](Self::holds) it.
    ///
    /// # Errors
    /// When the block is damaged.
    pub(crate) fn length(
        &self,
        file: &DistanceFile<G::Index>,
        class: Class,
        at: CellId,
    ) -> Result<Option<Plies>, FormatError> {
        file.length(&self.wdl, class, (self.side(at), at.word(), at.bit()))
    }

    /// Calls `each` with some words of a stored side (0 or 1, see [`Index::stored_sides`]), in order. A cell that is no
    /// legal canonical position has any value, the same at each reading.
    ///
    /// # Errors
    /// When a block is damaged; `each` may have been called by then.
    pub fn read_words(
        &self,
        side: usize,
        words: Range<usize>,
        each: impl FnMut(Word),
    ) -> Result<(), FormatError> {
        self.wdl.read_words(side, words.start, words.len(), each)
    }

    /// All words of a stored side (0 or 1), read on the threads of the current pool; cells as in
    /// [`read_words`](Table::read_words).
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn words(&self, side: usize) -> Result<Vec<Word>, FormatError> {
        self.wdl.side_words(side)
    }

    /// The plies of all wins and losses of a stored side that the file holds and does not [omit](Self::omits), 64 cells a
    /// word; other cells are 0.
    ///
    /// # Errors
    /// When a block is damaged.
    pub(crate) fn lengths(
        &self,
        file: &DistanceFile<G::Index>,
        side: usize,
    ) -> Result<Vec<u16>, FormatError> {
        let blocks = file.container().side_blocks();
        let decoded: Vec<Vec<u16>> = (side * blocks..(side + 1) * blocks)
            .into_par_iter()
            .map(|block| file.decode(&self.wdl, block))
            .collect::<Result<_, _>>()?;
        Ok(decoded.concat())
    }

    /// The plies of the wins and losses of one block of distances of a stored side (0 or 1), as far as the file
    /// [holds](Self::holds) them, 64 cells a word, [`block_words`](Self::block_words) words a block; the last block may be
    /// shorter. Other cells are 0. Wins in one ply hold any value in blocks that [omit](Self::omitting_blocks) them.
    ///
    /// # Errors
    /// When the block is damaged, or when the table has no file of the metric.
    pub fn block_lengths(
        &self,
        metric: Metric,
        side: usize,
        block: usize,
    ) -> Result<Vec<u16>, FormatError> {
        let file = self.needed(metric)?;
        file.decode(&self.wdl, side * file.container().side_blocks() + block)
    }

    /// Words of a block of distances.
    ///
    /// # Errors
    /// When the table has no file of the metric.
    pub fn block_words(&self, metric: Metric) -> Result<usize, FormatError> {
        Ok(self.needed(metric)?.block_words())
    }

    /// Whether the file of a metric holds the lengths of the wins and of the losses of a stored side (0 or 1). Of each
    /// winner it holds one of the two at least; the other follows from the moves of a position.
    ///
    /// # Errors
    /// When the table has no file of the metric.
    pub fn holds(&self, metric: Metric, side: usize) -> Result<[bool; 2], FormatError> {
        let holdings = self.needed(metric)?.holdings();
        Ok(Class::ALL.map(|class| holdings.has(side, class)))
    }

    /// For each block of distances of a stored side (0 or 1), whether it omits wins in one ply, which the moves of the
    /// position show ([`MetricSpec::omits_immediate_wins`](crate::MetricSpec::omits_immediate_wins)). None does if the
    /// file holds losses instead.
    ///
    /// # Errors
    /// When a block is damaged, or when the table has no file of the metric.
    pub fn omitting_blocks(&self, metric: Metric, side: usize) -> Result<Vec<bool>, FormatError> {
        let file = self.needed(metric)?;
        let blocks = file.container().side_blocks();
        if !file.holdings().has(side, Class::Wins) {
            return Ok(vec![false; blocks]);
        }
        (side * blocks..(side + 1) * blocks)
            .map(|block| file.omits(block))
            .collect()
    }

    /// The file of distances of a metric that the table must have.
    fn needed(&self, metric: Metric) -> Result<&DistanceFile<G::Index>, FormatError> {
        self.distances(metric).ok_or(FormatError::Header("metric"))
    }
}

pub(super) fn check_header<G: Game>(
    index: &G::Index,
    file: &Container,
    metric: Metric,
) -> Result<(), FormatError> {
    let header = file.header();
    // Of the forms of blocks `WdlFile::new` and `DistanceFile::new` know.
    let fits = header.metric == metric
        && header.game == G::ID
        && header.key == index.key().to_string()
        && usize::from(header.sides) == index.stored_sides().len()
        && header.words == index.words() as u64;
    if !fits {
        return Err(FormatError::Header("another table's"));
    }
    if header.revision != index.revision() {
        return Err(FormatError::Revision(header.revision));
    }
    let known = match metric {
        Metric::Wdl => Form::of(header).is_some(),
        _ => Holdings::knows(header),
    };
    if !known {
        return Err(FormatError::Coding(header.coding));
    }
    Ok(())
}

/// Opens a table from the bytes of its `.wdl` file and of one file of distances and reads all of both, as a [`Store`]
/// reads files: for tests and fuzzing. Returns the number of won cells.
///
/// [`Store`]: crate::Store
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
    let file = table.needed(metric)?;
    let mut wins = 0;
    for side in 0..table.index.stored_sides().len() {
        let words = table.words(side)?;
        wins += words
            .iter()
            .map(|word| u64::from(word.won.count_ones()))
            .sum::<u64>();
        let lengths = table.lengths(file, side)?;
        for (number, word) in words.iter().enumerate().step_by(97) {
            let bit = number as u32 % 64;
            let at = CellId {
                side: table.index.stored_sides()[side],
                cell: number as u64 * 64 + u64::from(bit),
            };
            // The direct ways of reading agree with reading everything, or the file is wrong.
            let outcome = table.outcome(at)?;
            let class = match outcome {
                Outcome::Win => Some(Class::Wins),
                Outcome::Loss => Some(Class::Losses),
                Outcome::Draw => None,
            };
            let class = class.filter(|&class| file.holdings().has(side, class));
            let length = match class {
                Some(class) => table.length(file, class, at)?.map(|plies| plies.0),
                None => None,
            };
            let told = class.and_then(|_| lengths.get(number * 64 + bit as usize).copied());
            if (outcome == Outcome::Win) != (word.won >> bit & 1 != 0) || length != told {
                return Err(FormatError::Header("cells"));
            }
        }
    }
    Ok(wins)
}
