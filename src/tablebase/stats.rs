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

use super::dense::{Dense, DenseSet, legal_position};
use super::format::SideCounts;
use super::layout::{Index, Layout};
use super::material::Material;
use super::tables::Tables;
use super::verify::VerifyError;
use crate::base::{Control, Plies};
use crate::chess::{Color, Position, Role};
use crate::retro::Code;

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
    /// White (the stronger side) to move.
    pub white: SideStats,
    /// Black to move; of a symmetric material the same with colours changed.
    pub black: SideStats,
    /// Mutual zugzwangs, and one of them. Of a symmetric material a placement and its colour-changed
    /// twin count once.
    pub mutual_zugzwangs: (u64, Option<Position>),
}

impl Tables {
    /// The statistics of a table, worked out on the threads of the current pool. `set` keeps tables in
    /// memory between calls.
    ///
    /// # Errors
    /// When cancelled, or when the table or one that its moves lead to is missing or damaged.
    pub fn stats(&self, material: Material, control: &Control) -> Result<Stats, VerifyError> {
        let mut set = DenseSet::new();
        self.read_children(material, &mut set, control)?;
        let mut dense = self.read_dense(material)?;
        dense.fill_losses(&set, control, &|_| {})?;
        drop(set);
        let mut sides = Vec::new();
        for &color in dense.layout.sides() {
            control.check()?;
            sides.push(side_stats(&dense, color));
        }
        let mut sides = sides.into_iter();
        let white = sides.next().unwrap_or_default();
        let black = sides.next().unwrap_or_else(|| colors_changed(&white));
        control.check()?;
        let mutual_zugzwangs = mutual_zugzwangs(&dense);
        Ok(Stats {
            material,
            white,
            black,
            mutual_zugzwangs,
        })
    }
}

/// Goes through the legal cells of a side, in parallel; folds what `each` gathers.
fn fold_cells<T: Default + Send>(
    dense: &Dense,
    color: Color,
    each: impl Fn(&mut T, Index, Code) + Sync,
    merge: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let words = dense.layout.words();
    (0..words.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut sum = T::default();
            for word in chunk * CHUNK..words.min((chunk + 1) * CHUNK) {
                let mut legal = dense.layout.legal(color, word) & dense.layout.canonical(word);
                while legal != 0 {
                    let index = Index {
                        side: color,
                        cell: word as u64 * 64 + u64::from(legal.trailing_zeros()),
                    };
                    each(&mut sum, index, dense.get(index));
                    legal &= legal - 1;
                }
            }
            sum
        })
        .reduce(T::default, merge)
}

/// How often each code occurs, and where first.
struct Histogram(Box<[(u64, Option<Index>); 256]>);

impl Default for Histogram {
    fn default() -> Self {
        Histogram(Box::new([(0, None); 256]))
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

fn side_stats(dense: &Dense, color: Color) -> SideStats {
    let histogram = fold_cells(
        dense,
        color,
        |sum: &mut Histogram, index, code| {
            let (count, first) = &mut sum.0[usize::from(code.0)];
            *count += namings(&dense.layout, index);
            first.get_or_insert(index);
        },
        |mut a, b| {
            for (into, from) in a.0.iter_mut().zip(b.0.iter()) {
                into.0 += from.0;
                into.1 = [into.1, from.1]
                    .into_iter()
                    .flatten()
                    .min_by_key(|index| index.cell);
            }
            a
        },
    );
    let position = |index: Index| legal_position(&dense.layout, index);
    let mut stats = SideStats::default();
    for (code, &(count, first)) in histogram
        .0
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.0 > 0)
    {
        let code = Code(code as u8);
        let Some(plies) = code.value().plies() else {
            stats.counts.drawn += count;
            continue;
        };
        if code.is_win() {
            stats.counts.won += count;
            stats.counts.longest_win = stats.counts.longest_win.max(plies.0);
        } else {
            stats.counts.lost += count;
            stats.counts.longest_loss = stats.counts.longest_loss.max(plies.0);
        }
        let (list, longest) = if code.is_win() {
            (&mut stats.wins, &mut stats.longest_win)
        } else {
            (&mut stats.losses, &mut stats.longest_loss)
        };
        let at = usize::from(plies.0);
        list.resize(list.len().max(at + 1), 0);
        list[at] = count;
        if longest.as_ref().is_none_or(|(longest, _)| plies > *longest) {
            *longest = first.and_then(position).map(|position| (plies, position));
        }
    }
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
    let mut board = crate::chess::Board::EMPTY;
    for square in position.occupied() {
        if let Some(piece) = position.at(square) {
            let other = crate::chess::Piece {
                color: !piece.color,
                role: piece.role,
            };
            board.put(other, square.flip_rank());
        }
    }
    super::dense::position_of(board, !position.turn())
}

fn mutual_zugzwangs(dense: &Dense) -> (u64, Option<Position>) {
    let layout = &dense.layout;
    let symmetric = layout.sides().len() == 1;
    let (count, first) = fold_cells(
        dense,
        Color::White,
        |sum: &mut (u64, Option<Index>), index, code| {
            // A side that wins on move cannot be in zugzwang.
            if code.is_win() {
                return;
            }
            let other = if symmetric {
                let twin = layout
                    .place(index)
                    .and_then(|(board, _)| layout.locate_as(&board, Color::Black, false));
                twin.filter(|twin| {
                    layout.legal(twin.side, (twin.cell >> 6) as usize) >> (twin.cell & 63) & 1 != 0
 // Of the two colourings of one placement one is counted.
 && index.cell <= twin.cell
                })
            } else {
                let twin = Index {
                    side: Color::Black,
                    ..index
                };
                let legal =
                    layout.legal(Color::Black, (index.cell >> 6) as usize) >> (index.cell & 63) & 1
                        != 0;
                legal.then_some(twin)
            };
            let Some(other) = other else { return };
            let black = dense.get(other);
            let white_loses = code.is_loss();
            if black.is_loss() || white_loses && !black.is_win() {
                sum.0 += 1;
                sum.1.get_or_insert(index);
            }
        },
        |a, b| {
            (
                a.0 + b.0,
                [a.1, b.1]
                    .into_iter()
                    .flatten()
                    .min_by_key(|index| index.cell),
            )
        },
    );
    (count, first.and_then(|index| legal_position(layout, index)))
}
