//! Statistics of finished tables: counts, longest distances, mutual zugzwangs, histogram.
//!
//! Counting convention, as that of the reference generator's statistics: legal positions without
//! en-passant or castling rights, each symmetry class once (the eight symmetries of the board without pawns,
//! the mirror of the files with pawns), for each side to move. Two like pieces are told apart: a class
//! counts once for each way to name them that no symmetry turns into another. (The counts in a file's header
//! do not tell them apart.)
//!
//! A mutual zugzwang is a placement in which it is a disadvantage for either side to be on move: what White
//! gets with White to move is less than with Black to move.

use rayon::prelude::*;

use super::audit::{self, Audit};
use super::dense::legal_position;
use super::format::{Metric, SideCounts};
use super::layout::{Index, Layout};
use super::material::Material;
use super::tables::Tables;
use super::verify::VerifyError;
use duchamp_base::{Control, Plies, Value};
use duchamp_chess::{Color, Position, Role};

/// Words that a thread takes at a time.
const CHUNK: usize = 256;

/// The values with one side to move.
#[derive(Clone, Debug, Default)]
pub struct SideStats {
    /// Counts by the convention of this module and longest distances; void cells are not counted.
    pub counts: SideCounts,
    /// Positions won in so many plies, by plies.
    pub wins: Vec<u64>,
    /// Positions lost in so many plies, by plies; `[0]` are the mates.
    pub losses: Vec<u64>,
    /// A longest win.
    pub longest_win: Option<(Plies, Position)>,
    /// A longest loss.
    pub longest_loss: Option<(Plies, Position)>,
}

/// The statistics of a table.
#[derive(Clone, Debug)]
pub struct Stats {
    /// The material.
    pub material: Material,
    /// What the distances count.
    pub metric: Metric,
    /// White (the stronger side) to move.
    pub white: SideStats,
    /// Black to move; of a symmetric material the same with colours changed.
    pub black: SideStats,
    /// Mutual zugzwangs, and one of them. Of a symmetric material a placement and its colour-changed
    /// twin count once.
    pub mutual_zugzwangs: (u64, Option<Position>),
}

impl Tables {
    /// The statistics of a table in a metric, worked out on the threads of the current pool.
    ///
    /// # Errors
    /// When cancelled, or when the table or one that its moves lead to is missing or damaged, or has no
    /// file of the metric.
    pub fn stats(
        &self,
        material: Material,
        metric: Metric,
        control: &Control,
    ) -> Result<Stats, VerifyError> {
        let values = ValuesOf {
            layout: Layout::new(material),
            metric,
            merits: Audit::new(self, metric, self.dir()).values(material, control)?,
        };
        let mut sides = Vec::new();
        for &color in values.layout.sides() {
            control.check()?;
            sides.push(side_stats(&values, color));
        }
        drop(values);
        let mut sides = sides.into_iter();
        let white = sides.next().unwrap_or_default();
        let black = sides.next().unwrap_or_else(|| colors_changed(&white));
        let mutual_zugzwangs = self.mutual_zugzwangs(material, control)?;
        Ok(Stats {
            material,
            metric,
            white,
            black,
            mutual_zugzwangs,
        })
    }
}

/// A table in memory.
struct ValuesOf {
    layout: Layout,
    metric: Metric,
    /// By stored side.
    merits: Vec<Vec<u16>>,
}

impl ValuesOf {
    fn get(&self, index: Index) -> Value {
        audit::value(self.merits[index.side.index()][index.cell as usize])
    }
}

/// Goes through the legal cells of a side, in parallel; folds what `each` gathers.
fn fold_cells<T: Default + Send>(
    table: &ValuesOf,
    color: Color,
    each: impl Fn(&mut T, Index, Value) + Sync,
    merge: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let words = table.layout.words();
    (0..words.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut sum = T::default();
            for word in chunk * CHUNK..words.min((chunk + 1) * CHUNK) {
                let mut legal = table.layout.legal(color, word) & table.layout.canonical(word);
                while legal != 0 {
                    let index = Index {
                        side: color,
                        cell: word as u64 * 64 + u64::from(legal.trailing_zeros()),
                    };
                    each(&mut sum, index, table.get(index));
                    legal &= legal - 1;
                }
            }
            sum
        })
        .reduce(T::default, merge)
}

/// How often each value occurs, and where first: wins and losses by plies.
#[derive(Default)]
struct Histogram {
    wins: Vec<(u64, Option<Index>)>,
    drawn: u64,
    losses: Vec<(u64, Option<Index>)>,
}

impl Histogram {
    fn add(&mut self, index: Index, value: Value, times: u64) {
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
        list[at].1.get_or_insert(index);
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
                let both = [into.1, from.1].into_iter().flatten();
                into.1 = both.min_by_key(|index| index.cell);
            }
        }
        self
    }
}

/// How many positions a cell stands for when like pieces are told apart.
///
/// Swapping the names of like pieces gives another position of the same class, unless the position
/// is its own mirror image along the diagonal: then each two ways to name them are one.
fn namings(layout: &Layout, index: Index) -> u64 {
    let material = layout.material();
    let groups = Color::ALL
        .into_iter()
        .flat_map(|color| Role::PROMOTIONS.map(|role| material.count(color, role)));
    let all: u64 = groups
        .map(|count| (1..=u64::from(count)).product::<u64>())
        .product();
    if all == 1 {
        return 1;
    }
    let Some((board, _)) = layout.place(index) else {
        return all;
    };
    let mut moved = false;
    let own_image = material.pawns() == 0
        && board.occupied().into_iter().all(|square| {
            moved |= square.flip_diagonal() != square;
            board.at(square.flip_diagonal()) == board.at(square)
        });
    if own_image && moved { all / 2 } else { all }
}

fn side_stats(table: &ValuesOf, color: Color) -> SideStats {
    let histogram = fold_cells(
        table,
        color,
        |sum: &mut Histogram, index, value| sum.add(index, value, namings(&table.layout, index)),
        Histogram::merged,
    );
    let longest = |list: &[(u64, Option<Index>)]| {
        let (plies, &(_, first)) = list
            .iter()
            .enumerate()
            .rev()
            .find(|(_, entry)| entry.0 > 0)?;
        Some((Plies(plies as u16), legal_position(&table.layout, first?)?))
    };
    let counts = |list: &[(u64, Option<Index>)]| list.iter().map(|entry| entry.0).collect();
    let mut stats = SideStats {
        counts: SideCounts::default(),
        wins: counts(&histogram.wins),
        losses: counts(&histogram.losses),
        longest_win: longest(&histogram.wins),
        longest_loss: longest(&histogram.losses),
    };
    let plies = |longest: &Option<(Plies, Position)>| longest.as_ref().map_or(0, |entry| entry.0.0);
    let spoilt = |list: &[u64]| match table.metric {
        Metric::Dtz => list.iter().skip(101).sum(),
        _ => 0,
    };
    stats.counts = SideCounts {
        won: stats.wins.iter().sum(),
        drawn: histogram.drawn,
        lost: stats.losses.iter().sum(),
        void: 0,
        cursed: spoilt(&stats.wins),
        blessed: spoilt(&stats.losses),
        longest_win: plies(&stats.longest_win),
        longest_loss: plies(&stats.longest_loss),
    };
    stats
}

/// The other side's statistics of a symmetric material.
fn colors_changed(stats: &SideStats) -> SideStats {
    let change = |entry: &Option<(Plies, Position)>| {
        entry
            .as_ref()
            .and_then(|(plies, position)| Some((*plies, color_changed(position)?)))
    };
    SideStats {
        longest_win: change(&stats.longest_win),
        longest_loss: change(&stats.longest_loss),
        ..stats.clone()
    }
}

/// The position with colours and ranks changed: worth the same to the side to move.
fn color_changed(position: &Position) -> Option<Position> {
    let mut board = duchamp_chess::Board::EMPTY;
    for square in position.occupied() {
        if let Some(piece) = position.at(square) {
            let other = duchamp_chess::Piece {
                color: !piece.color,
                role: piece.role,
            };
            board.put(other, square.flip_rank());
        }
    }
    super::dense::position_of(board, !position.turn())
}
