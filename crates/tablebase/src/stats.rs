//! Statistics of finished tables: counts, longest distances, histogram.
//!
//! Counted are legal positions, each symmetry class once, for each side to move. [`Counting`] says whether identical
//! pieces are distinguished.

use rayon::prelude::*;

use crate::format::{Metric, SideCounts};
use crate::index::{CellId, Index};
use crate::rules::Rules;
use crate::store::Store;
use crate::verify::{Verifiable, Verifier, VerifyError, verifiable};
use duchamp_base::{Control, Plies, Value};
use duchamp_retro::{Bits, Side, Wide};

/// Words that a thread takes at a time.
const CHUNK: usize = 256;

/// Whether statistics distinguish identical pieces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Counting {
    /// Each position counts once, as in a file's header.
    #[default]
    Once,
    /// Each position counts once for each way to name its identical pieces that no symmetry turns into another
    /// ([`Index::namings`]), as in the statistics of the reference generator of Syzygy tables.
    ToldApart,
}

/// The values of a table with one side to move; `P` is a position.
#[derive(Clone, Debug)]
pub struct SideStats<P> {
    /// Counts and longest distances; void cells are not counted.
    pub counts: SideCounts,
    /// `wins[n]`: positions won in n plies.
    pub wins: Vec<u64>,
    /// `losses[n]`: positions lost in n plies; `losses[0]` are those in which the game is over.
    pub losses: Vec<u64>,
    /// The longest win in plies, and the first position that takes it; `None` if there is no win.
    pub longest_win: Option<(Plies, P)>,
    /// The longest loss in plies, and the first position that takes it; `None` if there is no loss.
    pub longest_loss: Option<(Plies, P)>,
}

impl<P> Default for SideStats<P> {
    fn default() -> SideStats<P> {
        SideStats {
            counts: SideCounts::default(),
            wins: Vec::new(),
            losses: Vec::new(),
            longest_win: None,
            longest_loss: None,
        }
    }
}

/// The statistics of a table in a metric, first side to move and second, computed on the threads of the current rayon
/// pool. The second side's statistics of a symmetric key are the first's with the sides exchanged.
///
/// # Errors
/// When cancelled, or when the table or one that its moves lead to is missing or damaged, or has no
/// file of the metric.
pub fn side_stats<G: Verifiable>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
    counting: Counting,
    control: &Control,
) -> Result<[SideStats<G::Position>; 2], VerifyError<G::Key>> {
    // The requested table comes first: without it, those that it leads to need not be named.
    verifiable(store, key, metric)?;
    let table = ValuesOf::<G> {
        index: G::Index::new(key),
        metric,
        counting,
        cells: Verifier::new(store).values(key, metric, control)?,
    };
    let mut sides = Vec::new();
    for &side in table.index.stored_sides() {
        control.check()?;
        sides.push(table.stats(side));
    }
    drop(table);
    let mut sides = sides.into_iter();
    let first = sides.next().unwrap_or_default();
    let second = sides.next().unwrap_or_else(|| exchanged::<G>(&first));
    Ok([first, second])
}

/// A table in memory.
struct ValuesOf<G: Rules> {
    index: G::Index,
    metric: Metric,
    counting: Counting,
    /// By stored side a value for every cell.
    cells: Vec<Vec<Wide>>,
}

/// How often a value occurs, and the first cell that has it.
type Entry = (u64, Option<u64>);

/// How often each value occurs, and where first: wins and losses by plies.
#[derive(Default)]
struct Histogram {
    wins: Vec<Entry>,
    drawn: u64,
    losses: Vec<Entry>,
}

impl Histogram {
    fn add(&mut self, cell: u64, value: Value, times: u64) {
        let (list, plies) = match value {
            Value::Win(plies) => (&mut self.wins, plies),
            Value::Loss(plies) => (&mut self.losses, plies),
            Value::Draw => {
                self.drawn += times;
                return;
            }
        };
        let at = usize::from(plies.0);
        if list.len() <= at {
            list.resize(at + 1, (0, None));
        }
        list[at].0 += times;
        list[at].1.get_or_insert(cell);
    }

    fn merged(mut self, other: Histogram) -> Histogram {
        self.drawn += other.drawn;
        for (into, from) in [
            (&mut self.wins, other.wins),
            (&mut self.losses, other.losses),
        ] {
            into.resize(into.len().max(from.len()), (0, None));
            for (into, from) in into.iter_mut().zip(from) {
                into.0 += from.0;
                into.1 = [into.1, from.1].into_iter().flatten().min();
            }
        }
        self
    }
}

impl<G: Rules> ValuesOf<G> {
    /// Goes through the legal canonical cells of a side, in parallel.
    fn histogram(&self, side: Side) -> Histogram {
        let cells = &self.cells[side.index()];
        let words = self.index.words();
        (0..words.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut sum = Histogram::default();
                for word in chunk * CHUNK..words.min((chunk + 1) * CHUNK) {
                    let legal = self.index.legal(side, word) & self.index.canonical(word);
                    for bit in Bits(legal) {
                        let cell = (word * 64 + bit) as u64;
                        let times = match self.counting {
                            Counting::Once => 1,
                            Counting::ToldApart => self.index.namings(CellId { side, cell }),
                        };
                        sum.add(cell, cells[cell as usize].value(), times);
                    }
                }
                sum
            })
            .reduce(Histogram::default, Histogram::merged)
    }

    fn stats(&self, side: Side) -> SideStats<G::Position> {
        let histogram = self.histogram(side);
        let longest = |list: &[Entry]| {
            let mut entries = list.iter().enumerate().rev();
            let (plies, &(_, first)) = entries.find(|(_, entry)| entry.0 > 0)?;
            let at = CellId { side, cell: first? };
            Some((Plies(plies as u16), G::position(&self.index, at)?))
        };
        let counts = |list: &[Entry]| list.iter().map(|entry| entry.0).collect();
        let mut stats = SideStats {
            counts: SideCounts::default(),
            wins: counts(&histogram.wins),
            losses: counts(&histogram.losses),
            longest_win: longest(&histogram.wins),
            longest_loss: longest(&histogram.losses),
        };
        let plies =
            |longest: &Option<(Plies, G::Position)>| longest.as_ref().map_or(0, |entry| entry.0.0);
        let late = |list: &[u64]| match self.metric.spec().draw_after {
            Some(limit) => list.iter().skip(usize::from(limit) + 1).sum(),
            None => 0,
        };
        stats.counts = SideCounts {
            won: stats.wins.iter().sum(),
            drawn: histogram.drawn,
            lost: stats.losses.iter().sum(),
            void: 0,
            cursed: late(&stats.wins),
            blessed: late(&stats.losses),
            longest_win: plies(&stats.longest_win),
            longest_loss: plies(&stats.longest_loss),
        };
        stats
    }
}

/// The other side's statistics of a symmetric key.
fn exchanged<G: Rules>(stats: &SideStats<G::Position>) -> SideStats<G::Position> {
    let exchange = |entry: &Option<(Plies, G::Position)>| {
        let (plies, position) = entry.as_ref()?;
        Some((*plies, G::exchanged(position)?))
    };
    SideStats {
        longest_win: exchange(&stats.longest_win),
        longest_loss: exchange(&stats.longest_loss),
        ..stats.clone()
    }
}
