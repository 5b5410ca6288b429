//! Syzygy files held against own tables, position by position.

use std::sync::Mutex;

use duchamp_base::{Cancelled, Control, Value, Wdl};
use duchamp_chess::{Bitboard, Board, Color, Position, Role, Setup, Square};
use duchamp_retro::Side;
use duchamp_tablebase::{CellId, Metric, graded};
use rayon::prelude::*;

use super::file::SyzygyKind;
use super::probe::SyzygyDtz;
use super::tables::{SyzygyError, SyzygyTables};
use crate::aliases::ProbeError;
use crate::layout::Layout;
use crate::material::Material;
use crate::positions::position_of;
use crate::probe::Prober;

/// Why a comparison ends early.
#[derive(Debug, thiserror::Error)]
pub enum SyzygyCompareError {
    /// It was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A table of ours that is needed is missing or damaged.
    #[error(transparent)]
    Own(#[from] ProbeError),
    /// A Syzygy file that is needed is missing or damaged.
    #[error(transparent)]
    Syzygy(#[from] SyzygyError),
}

/// What a comparison of all positions of a table found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SyzygyComparison {
    /// Positions compared.
    pub positions: u64,
    /// Those of them in which a pawn can be captured en passant.
    pub en_passant: u64,
    /// Positions with another result or distance.
    pub differences: u64,
    /// Some of them, a line each: the position and both values.
    pub first: Vec<String>,
}

/// Lines of differences that are kept.
const LINES: usize = 10;
/// Cells that a thread takes at once.
const CELLS: u64 = 1 << 14;

impl SyzygyComparison {
    fn add(&mut self, other: SyzygyComparison) {
        self.positions += other.positions;
        self.en_passant += other.en_passant;
        self.differences += other.differences;
        self.first.extend(other.first);
        self.first.truncate(LINES);
    }
}

/// Whether a table and all that its moves lead to have files of distances to zeroing: then a comparison is of distances,
/// too.
#[must_use]
pub fn knows_zeroing(own: &Prober, material: Material) -> bool {
    let mut all = material.children();
    all.push(material);
    let has = |&table: &Material| own.store().has_metric(table, Metric::Dtz);
    all.iter()
        .all(|table| *table == Material::BARE || has(table))
}

/// Compares the Syzygy files of a material with the table of ours, over all its positions with both sides to move, and all
/// en-passant captures: results after captures, and with `distances` those to zeroing, too, as exact as the format has
/// them. `progress` hears the cells of each side that are done, on any thread.
///
/// Without `distances` results are compared without the 50-move rule, which our tables do not know then.
///
/// # Errors
/// When cancelled, or when a table or file that is needed is missing or damaged.
pub fn compare_syzygy(
    own: &Prober,
    syzygy: &SyzygyTables,
    material: Material,
    distances: bool,
    control: &Control,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<SyzygyComparison, SyzygyCompareError> {
    let layout = Layout::new(material);
    let comparison = Comparison {
        own,
        syzygy,
        distances,
    };
    let total = Mutex::new(SyzygyComparison::default());
    let pieces = layout.cells().div_ceil(CELLS);
    let sides = layout.sides().len() as u64;
    (0..pieces * sides).into_par_iter().try_for_each(|piece| {
        control.check()?;
        let side = Side::ALL[layout.sides()[(piece / pieces) as usize].index()];
        let first = piece % pieces * CELLS;
        let cells = first..layout.cells().min(first + CELLS);
        let mut found = SyzygyComparison::default();
        for cell in cells.clone() {
            if let Some((board, turn)) = layout.place(CellId { side, cell }) {
                comparison.compare_all(board, turn, &mut found)?;
            }
        }
        if let Ok(mut total) = total.lock() {
            total.add(found);
        }
        progress(cells.end - cells.start);
        Ok::<_, SyzygyCompareError>(())
    })?;
    Ok(total.into_inner().unwrap_or_default())
}

/// What is compared, and how.
struct Comparison<'a> {
    own: &'a Prober,
    syzygy: &'a SyzygyTables,
    distances: bool,
}

impl Comparison<'_> {
    /// Compares the position of a board, if it is legal, and those with each pawn that may be captured en passant.
    fn compare_all(
        &self,
        board: Board,
        turn: Color,
        found: &mut SyzygyComparison,
    ) -> Result<(), SyzygyCompareError> {
        let setup = |ep| Setup {
            board,
            turn,
            ep,
            ..Setup::EMPTY
        };
        // As tables count: more than two checkers are no fault.
        let Some(position) = position_of(board, turn) else {
            return Ok(());
        };
        self.compare(&position, found)?;
        for pawn in board.of(!turn, Role::Pawn) & double_step_rank(!turn) {
            let passed = match turn {
                Color::White => pawn.index() + 8,
                Color::Black => pawn.index() - 8,
            };
            // Refused where the pawn cannot have come so; without the square where no capture is legal.
            let Ok(position) = Position::from_setup(&setup(Some(Square::ALL[passed]))) else {
                continue;
            };
            if position.ep_square().is_some() {
                found.en_passant += 1;
                self.compare(&position, found)?;
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        position: &Position,
        found: &mut SyzygyComparison,
    ) -> Result<(), SyzygyCompareError> {
        found.positions += 1;
        let wdl = self.syzygy.wdl(position)?;
        let (same, ours, theirs);
        if self.distances {
            let value = self.own.probe_metric(position, Metric::Dtz)?;
            let dtz = self.syzygy.dtz(position)?;
            let own = graded(Metric::Dtz, value);
            same = own == wdl && agrees(value, dtz);
            let plies = value.plies().map_or(0, |plies| plies.0);
            ours = format!("{} in {plies}", own.name());
            theirs = format!("{}, DTZ {}", wdl.name(), dtz.0);
        } else {
            let own = self.own.probe_wdl(position)?;
            let sign = |wdl: Wdl| (wdl as i8).signum();
            same = sign(own) == sign(wdl);
            (ours, theirs) = (own.name().to_owned(), wdl.name().to_owned());
        }
        if !same {
            found.differences += 1;
            if found.first.len() < LINES {
                let line = format!("{}: ours {ours}, Syzygy {theirs}", position.fen());
                found.first.push(line);
            }
        }
        Ok(())
    }
}

/// The rank where pawns of a colour come to by a double step.
fn double_step_rank(color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => 0xFF << 24,
        Color::Black => 0xFF << 32,
    })
}

/// Whether a distance of ours, in plies, is one that the format stores as `dtz`: most tables round to moves, so it may be a
/// ply less; a mate on the board counts as one.
fn agrees(value: Value, dtz: SyzygyDtz) -> bool {
    let Some(plies) = value.plies() else {
        return dtz.0 == 0;
    };
    let (plies, told) = (i32::from(plies.0).max(1), dtz.0.abs());
    let sign = if matches!(value, Value::Win(_)) {
        1
    } else {
        -1
    };
    dtz.0.signum() == sign && (told == plies || told + 1 == plies)
}

/// Whether the checksums at the end of a material's files are right; `None` where there is no file.
///
/// # Errors
/// When a file cannot be read.
pub fn syzygy_checksums(
    syzygy: &SyzygyTables,
    material: Material,
) -> Result<[Option<bool>; 2], SyzygyError> {
    let right = |kind| match syzygy.has_right_checksum(material, kind) {
        Ok(right) => Ok(Some(right)),
        Err(SyzygyError::Missing(..)) => Ok(None),
        Err(error) => Err(error),
    };
    let [wdl, dtz] = SyzygyKind::ALL.map(right);
    Ok([wdl?, dtz?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aliases::Store;

    /// Tables of ours have them. Without files a comparison that is begun fails.
    #[test]
    fn positions_with_three_checkers_are_compared() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = Prober::new(Store::open(folder.path()));
        let syzygy = SyzygyTables::open([folder.path()]);
        let comparison = Comparison {
            own: &own,
            syzygy: &syzygy,
            distances: false,
        };
        let setup: Setup = "r6k/8/8/8/8/1n6/8/K6r w - - 0 1".parse().expect("a FEN");
        let mut found = SyzygyComparison::default();
        let compared = comparison.compare_all(setup.board, setup.turn, &mut found);
        assert!(compared.is_err());
        assert_eq!(found.positions, 1);
    }
}
