//! Wu and Beal's counts: over all ordered placements of the men, those with a king in check and its enemy to move among
//! them.
//!
//! R. Wu and D. F. Beal, "A Memory Efficient Retrograde Algorithm and Its Application to Chinese Chess Endgames", 2002.
//! A placement counts if no two men share a square and the kings do not face each other. Where Red can take the king he
//! has won; a table of ours leaves such positions out, for Black has made no legal move.

use std::sync::atomic::{AtomicU16, Ordering};

use duchamp_base::{Control, Plies};
use duchamp_retro::{Bits, Side};
use duchamp_tablebase::{CODED_BLOCK, Metric, longest_win};
use duchamp_xiangqi::Role;
use rayon::prelude::*;

use crate::aliases::{Store, VerifyError};
use crate::defenders::Camp;
use crate::geometry::{FILES, PAWN_SQUARES, SQUARES, mirror};
use crate::layout::Layout;
use crate::material::Material;

/// Words that a thread counts at a time: whole blocks of a file.
const CHUNK: usize = 64 * CODED_BLOCK;

/// Wu and Beal's figures of an ending, in whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WuBeal {
    /// The entries of the paper's index for one side to move.
    pub db_size: u64,
    /// Ordered placements without overlap, kings not facing.
    pub real_size: u64,
    /// The longest distance to a capture into a known win, or mate, in moves of the strong side.
    pub dtc_moves: u16,
    /// Red to move: won placements, the king's capture at once among them.
    pub rtm_win: u64,
    /// Red to move: drawn.
    pub rtm_draw: u64,
    /// Red to move: lost, stalemated. The paper has no such column.
    pub rtm_loss: u64,
    /// Black to move: won, by a stalemate. The paper has no such column.
    pub btm_win: u64,
    /// Black to move: drawn.
    pub btm_draw: u64,
    /// Black to move: lost.
    pub btm_loss: u64,
}

/// A side's men on squares that hinder each other, and their placements.
struct Group {
    all: u64,
    /// Those that are their own mirror image.
    symmetric: u64,
}

impl Group {
    fn of_camp(camp: &Camp) -> Group {
        let own = (0..camp.len() as u16).filter(|&at| camp.get(at).mirror == at);
        Group {
            all: camp.len() as u64,
            symmetric: own.count() as u64,
        }
    }

    /// Sets of `count` squares.
    fn of_squares(squares: &[u8], count: u8) -> Option<Group> {
        let n = squares.len() as u64;
        let middle = squares.iter().filter(|&&square| mirror(square) == square);
        let (m, pairs) = (
            middle.clone().count() as u64,
            (n - middle.count() as u64) / 2,
        );
        let choose = |n: u64, k: u64| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
        let own = (0..=u64::from(count) / 2).map(|twice| {
            let single = u64::from(count) - 2 * twice;
            if single > m {
                0
            } else {
                choose(pairs, twice) * choose(m, single)
            }
        });
        (count > 0).then(|| Group {
            all: choose(n, count.into()),
            symmetric: own.sum(),
        })
    }
}

/// The entries of the paper's index: a king with his advisors, or with all his men if they are one advisor and one
/// elephant or elephants alone; other men by kind, unordered; one group halved by the mirror, that which saves most:
/// one of a king if Red has advisors or elephants, else any. So the sizes in the paper say.
#[must_use]
pub fn paper_size(material: Material) -> u64 {
    const ELEPHANTS: [u8; 7] = [2, 6, 18, 22, 26, 38, 42];
    let mut groups = Vec::new();
    let mut kings = [0; 2];
    for black in [false, true] {
        kings[usize::from(black)] = groups.len();
        let [advisors, elephants] = material.defenders(black);
        let together = advisors == 0 || (advisors, elephants) == (1, 1);
        groups.push(Group::of_camp(Camp::of(
            black,
            advisors,
            if together { elephants } else { 0 },
        )));
        if !together {
            groups.extend(Group::of_squares(&ELEPHANTS, elephants));
        }
    }
    let board: Vec<u8> = (0..SQUARES as u8).collect();
    let pawns: Vec<u8> = crate::geometry::squares(PAWN_SQUARES).collect();
    for role in [Role::Horse, Role::Chariot, Role::Cannon, Role::Pawn] {
        let squares = if role == Role::Pawn { &pawns } else { &board };
        groups.extend(Group::of_squares(squares, material.count(false, role)));
    }
    let halved = |i: usize| {
        let sizes = groups.iter().enumerate().map(|(j, group)| {
            if i == j {
                (group.all + group.symmetric) / 2
            } else {
                group.all
            }
        });
        sizes.product::<u64>()
    };
    let best = if material.defenders(false) == [0, 0] {
        (0..groups.len()).map(halved).min()
    } else {
        kings.into_iter().map(halved).min()
    };
    best.unwrap_or_default()
}

/// Which placements count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pawns {
    /// All.
    Anywhere,
    /// Those whose one pawn is a *high pawn*: on the first two ranks beyond the river.
    High,
}

impl Pawns {
    fn squares(self) -> u128 {
        match self {
            Pawns::Anywhere => !0,
            Pawns::High => {
                ((1 << (7 * u32::from(FILES))) - 1) & !((1 << (5 * u32::from(FILES))) - 1)
            }
        }
    }
}

/// Placements by result.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    won: u64,
    drawn: u64,
    lost: u64,
}

impl Counts {
    fn add(self, other: Counts) -> Counts {
        Counts {
            won: self.won + other.won,
            drawn: self.drawn + other.drawn,
            lost: self.lost + other.lost,
        }
    }

    fn all(self) -> u64 {
        self.won + self.drawn + self.lost
    }
}

/// The figures of a table, from its files of results and of distances to conversion. Computed on the threads of the
/// current rayon pool. `None` for high pawns of an ending that has not one pawn.
///
/// # Errors
/// When cancelled, or when the table or its file of distances to conversion is missing or damaged.
pub fn wu_beal(
    store: &Store,
    material: Material,
    pawns: Pawns,
    control: &Control,
) -> Result<Option<WuBeal>, VerifyError> {
    if pawns == Pawns::High && material.pawns() != 1 {
        return Ok(None);
    }
    let table = store
        .table(material)
        .ok_or(VerifyError::Missing(material))?;
    let layout = Layout::new(material);
    let mut counts = [Counts::default(); 2];
    for side in Side::ALL {
        let words = layout.words();
        counts[side.index()] = (0..words.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                control.check()?;
                let mut counts = Counts::default();
                let first = chunk * CHUNK;
                let mut word = first;
                let each = |read: duchamp_tablebase::Word| {
                    let found = count(&layout, side, word, pawns, read.won, read.lost);
                    counts = counts.add(found);
                    word += 1;
                };
                table
                    .read_words(side.index(), first..words.min(first + CHUNK), each)
                    .map_err(|source| VerifyError::Damaged {
                        key: material,
                        source,
                    })?;
                Ok(counts)
            })
            .try_reduce(Counts::default, |a, b| Ok::<_, VerifyError>(a.add(b)))?;
    }
    let [red, black] = counts;
    let real_size = black.all();
    let longest = longest(store, &layout, pawns, control)?;
    Ok(Some(WuBeal {
        db_size: paper_size(material),
        real_size,
        dtc_moves: longest,
        // What is no legal position with Red to move has Black's king in check.
        rtm_win: real_size - red.drawn - red.lost,
        rtm_draw: red.drawn,
        rtm_loss: red.lost,
        btm_win: black.won,
        btm_draw: black.drawn,
        btm_loss: black.lost,
    }))
}

/// Counts the placements of a word.
fn count(layout: &Layout, side: Side, word: usize, pawns: Pawns, won: u64, lost: u64) -> Counts {
    let (slice, row, lane, second) = layout.split(word);
    let mut cells = layout.legal_cells(side, word);
    if cells == 0 {
        return Counts::default();
    }
    cells &= layout.canonical_cells(word);
    if pawns == Pawns::High {
        let squares = pawns.squares();
        if layout.lane() == Role::Pawn {
            cells &= (if second { squares >> 64 } else { squares }) as u64;
        } else {
            let men = layout.lane_squares_of(slice, lane).unwrap_or_default();
            // The one pawn is the last man with a digit.
            if men.last().is_none_or(|&square| squares >> square & 1 == 0) {
                return Counts::default();
            }
        }
    }
    if layout.pairs().is_symmetric(row) {
        let mut counts = Counts::default();
        for bit in Bits(cells) {
            let weight = layout.placements_of(word * 64 + bit);
            let result = match (won >> bit & 1 != 0, lost >> bit & 1 != 0) {
                (true, _) => &mut counts.won,
                (_, true) => &mut counts.lost,
                _ => &mut counts.drawn,
            };
            *result += weight;
        }
        return counts;
    }
    let weight = 2 * layout.material().orders();
    let number = |set: u64| u64::from((set & cells).count_ones()) * weight;
    Counts {
        won: number(won),
        drawn: number(!won & !lost),
        lost: number(lost),
    }
}

/// The longest distance to conversion in moves of the strong side.
fn longest(
    store: &Store,
    layout: &Layout,
    pawns: Pawns,
    control: &Control,
) -> Result<u16, VerifyError> {
    let material = layout.material();
    let in_table = longest_win(store, material, Metric::Dtc, Side::First)?;
    let Some(most) = in_table.filter(|_| pawns == Pawns::High) else {
        return Ok(in_table.map_or(0, |plies| plies.moves()));
    };
    let table = store
        .table(material)
        .ok_or(VerifyError::Missing(material))?;
    let counts = |cell: usize| {
        let (slice, _, lane, _) = layout.split(cell / 64);
        let men = layout.lane_squares_of(slice, lane);
        let high = men.is_some_and(|mut men| {
            men.push((cell % 128) as u8);
            let mut men = layout.attackers().zip(men);
            men.any(|(role, square)| role == Role::Pawn && pawns.squares() >> square & 1 != 0)
        });
        high && layout.legal_cells(Side::First, cell / 64) >> (cell % 64) & 1 != 0
            && layout.canonical_cells(cell / 64) >> (cell % 64) & 1 != 0
    };
    let words = Metric::Dtc.spec().block_words as usize;
    let longest = AtomicU16::new(0);
    (0..layout.words().div_ceil(words))
        .into_par_iter()
        .try_for_each(|block| {
            control.check()?;
            let damaged = |source| VerifyError::Damaged {
                key: material,
                source,
            };
            let wins = table
                .block_lengths(Metric::Dtc, 0, block)
                .map_err(damaged)?;
            for (cell, &plies) in (block * words * 64..).zip(&wins) {
                // What is no position may hold any length.
                if plies <= most.0 && plies > longest.load(Ordering::Relaxed) && counts(cell) {
                    longest.fetch_max(plies, Ordering::Relaxed);
                }
            }
            Ok::<(), VerifyError>(())
        })?;
    Ok(Plies(longest.into_inner()).moves())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_paper() {
        for (name, size) in [
            ("c-aaee", 646_380),
            ("hp-aaee", 35_550_900),
            ("hh-aaee", 27_055_350),
            ("hc-aaee", 58_174_200),
            ("agp-aaee", 152_806_500),
            ("egp-aaee", 232_848_000),
            ("aagp-aaee", 276_507_000),
            ("eegp-aaee", 698_544_000),
            ("aegp-aaee", 1_004_157_000),
            ("agg-aaee", 123_634_350),
            ("egg-aaee", 188_395_200),
            ("aagg-aaee", 223_719_300),
            ("eegg-aaee", 565_185_600),
            ("aegg-aaee", 812_454_300),
            ("pp-aaee", 10_120_950),
            ("hpp-aaee", 910_885_500),
            ("aegp-aae", 334_719_000),
            ("gpp-ee", 113_395_950),
            ("hpp-aee", 520_506_000),
            ("aagp-aee", 152_806_500),
            ("egg-aee", 107_654_400),
        ] {
            assert_eq!(
                paper_size(name.parse().expect("a material")),
                size,
                "{name}"
            );
        }
    }
}
