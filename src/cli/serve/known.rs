//! What tables know of a position: ours, and where we have none, Syzygy's.

use super::category::Category;
use super::reply::Refusal;
use super::shelf::Shelf;
use crate::cli::tb_clock;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{FIFTY_MOVES, Position, within_fifty_moves};
use duchamp_chess_tables::{ProbeError, ProbedValues, SyzygyTables};

/// What a table knows of a position.
pub(super) enum Known {
    /// Ours: exact.
    Own(ProbedValues),
    /// Syzygy's: the result with a fresh clock, and a distance to zeroing that may be a ply too short.
    Syzygy { wdl: Wdl, dtz: Option<i32> },
}

/// What a result is if the 50-move rule leaves it; if that depends on a ply by which Syzygy's files may be wrong; if it is not known.
fn grades(wdl: Wdl) -> [Category; 3] {
    match wdl {
        Wdl::Win => [Category::Win, Category::SyzygyWin, Category::MaybeWin],
        Wdl::Loss => [Category::Loss, Category::SyzygyLoss, Category::MaybeLoss],
        other => [other.into(); 3],
    }
}

/// A distance with the sign of the result.
pub(super) fn signed(values: &ProbedValues, plies: Option<Plies>) -> Option<i32> {
    let plies = i32::from(plies?.0);
    Some(match values.wdl {
        Wdl::Win | Wdl::CursedWin => plies,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -plies,
    })
}

impl Known {
    /// What is known of a position, if anything is.
    ///
    /// # Errors
    /// When a table of ours is damaged.
    pub(super) fn of(shelf: &Shelf, position: &Position) -> Result<Option<Known>, Refusal> {
        match shelf.chess().probe_all(position) {
            Ok(values) => Ok(Some(Known::Own(values))),
            Err(error @ ProbeError::Damaged { .. }) => Err(Refusal::failed(error)),
            Err(_) => Ok(shelf
                .syzygy
                .as_ref()
                .and_then(|it| Known::of_syzygy(it, position))),
        }
    }

    fn of_syzygy(tables: &SyzygyTables, position: &Position) -> Option<Known> {
        let wdl = tables.wdl(position).ok()?;
        // Mated positions are in no file of distances.
        let dtz = if position.is_checkmate() {
            Some(-1)
        } else {
            tables.dtz(position).ok().map(|dtz| dtz.0)
        };
        Some(Known::Syzygy { wdl, dtz })
    }

    /// The result with the halfmove clock of the position.
    pub(super) fn category(&self, clock: u16) -> Category {
        match *self {
            Known::Own(values) => match tb_clock::result(values, clock) {
                Some(result) => result.into(),
                // Without a distance to zeroing: a mate that comes in time needs none.
                None => {
                    let [sure, _, open] = grades(values.wdl);
                    let in_time = |plies| within_fifty_moves(plies, clock);
                    if values.dtm.is_some_and(in_time) {
                        sure
                    } else {
                        open
                    }
                }
            },
            Known::Syzygy { wdl, .. } if clock == 0 => wdl.into(),
            Known::Syzygy { wdl, dtz } => {
                let [sure, rounded, open] = grades(wdl);
                let Some(dtz) = dtz else { return open };
                match (dtz.unsigned_abs() + u32::from(clock)).cmp(&FIFTY_MOVES.into()) {
                    std::cmp::Ordering::Less => sure,
                    std::cmp::Ordering::Equal => rounded,
                    std::cmp::Ordering::Greater => sure.late(),
                }
            }
        }
    }

    /// The distance to zeroing; a mate on the board counts one ply, as in Syzygy's tables.
    pub(super) fn dtz(&self) -> Option<i32> {
        match self {
            Known::Own(values) => match (values.wdl, values.dtz) {
                (Wdl::Draw, _) => Some(0),
                (_, Some(Plies(0))) => Some(-1),
                (_, plies) => signed(values, plies),
            },
            Known::Syzygy { dtz, .. } => *dtz,
        }
    }

    /// The same where it is not rounded.
    pub(super) fn precise_dtz(&self) -> Option<i32> {
        match self {
            Known::Own(_) => self.dtz(),
            Known::Syzygy { dtz, .. } => dtz.filter(|dtz| *dtz == 0),
        }
    }

    /// A distance that only our tables have; none of a draw.
    pub(super) fn distance(&self, of: fn(&ProbedValues) -> Option<Plies>) -> Option<i32> {
        match self {
            Known::Own(values) if values.wdl != Wdl::Draw => signed(values, of(values)),
            _ => None,
        }
    }
}
