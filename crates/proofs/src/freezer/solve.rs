//! From rules to a restricted position: lays out the restricted tables, reckons memory, solves them one after the other.

use super::chain::lay_out;
use super::exit_value::ExitEvaluator;
use super::exits::ExitTable;
use super::key::AtHand;
use super::layout::{LayoutError, ROW, TableLayout};
use super::plan::{FreezeLimits, TablePlan};
use super::restricted::Restricted;
use super::rules::Rules;
use super::shelf::Shelf;
use super::slice::Frame;
use super::solved::{Solved, Values, material_name};
use super::tally::Tally;
use duchamp_base::{Cancelled, Control, Gauge, limits};
use duchamp_chess::Oracle;
use duchamp_retro::{Half, Halt, Standing, solve_in_stages};
use std::path::Path;
use std::sync::Arc;

/// Why rules were not solved.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// There is no restricted table.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Nothing was small enough to be tried.
    #[error("no rules with so few entries could be found")]
    Nothing,
    /// More memory is needed than allowed.
    #[error(
        "{entries} entries would take {needed} MiB of memory and {allowed} MiB are allowed: restrict more pieces, or allow more"
    )]
    Memory {
        /// Entries of all restricted tables.
        entries: u64,
        /// Mebibytes needed.
        needed: u64,
        /// Mebibytes allowed.
        allowed: u64,
    },
    /// Stopped from outside, or too long a win.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// Stopped, and what was done so far could not be kept.
    #[error("stopped, and the work so far cannot be kept: {0}")]
    NotKept(std::io::Error),
}

/// What rules would take.
///
/// # Errors
/// If there is no restricted table.
pub fn plan(rules: &Rules, limits: FreezeLimits) -> Result<TablePlan, FreezeError> {
    Ok(TablePlan::of(&lay_out(rules, limits.entries)?))
}

/// Names of the tables that rules may ask, such as `KRPvKQ`: White's pieces first, each side's from the king to pawns.
///
/// # Errors
/// If there is no restricted table.
pub fn tables_wanted(rules: &Rules, limits: FreezeLimits) -> Result<Vec<String>, FreezeError> {
    let chain = lay_out(rules, limits.entries)?;
    Ok(chain.tables.into_iter().map(material_name).collect())
}

/// How and under whose eyes rules are solved.
#[derive(Clone, Copy)]
pub struct FreezeJob<'a> {
    /// Limits on the work.
    pub limits: FreezeLimits,
    /// Stops it.
    pub control: &'a Control,
    /// Where large restricted tables are kept once they are solved, and half-done work when stopped.
    pub folder: Option<&'a Path>,
    /// Told of each restricted table before the work on it, by its number in the plan.
    pub started: &'a (dyn Fn(&TablePlan, usize) + Sync),
    /// How far the exits of the restricted table are worked out; the solving that follows does not show.
    pub gauge: &'a Gauge,
}

/// Restricted tables from this size on are kept on disk.
const KEPT_FROM: u64 = 1 << 22;

/// Solves rules with the tables at hand, on the current rayon pool. The same call goes on where a stopped one left off.
///
/// # Errors
/// If there is no restricted table, if memory is too small, when stopped, or if work that was stopped cannot be kept.
pub fn solve(
    rules: Rules,
    oracle: Arc<dyn Oracle>,
    job: &FreezeJob<'_>,
) -> Result<Restricted, FreezeError> {
    let chain = lay_out(&rules, job.limits.entries)?;
    let plan = TablePlan::of(&chain);
    let left = limits::address_space_left().map(|left| left.saturating_sub(limits::RESERVE));
    let allowed = job.limits.memory.min(left.unwrap_or(u64::MAX));
    if plan.memory > allowed {
        return Err(FreezeError::Memory {
            entries: plan.entries(),
            needed: plan.memory >> 20,
            allowed: allowed >> 20,
        });
    }
    let shelf = job.folder.map(|folder| {
        let tables = AtHand::of(&chain.tables, &*oracle);
        Shelf::new(folder, &rules, &tables, job.limits)
    });
    let tally = Tally::new(rules.sources.len());
    let mut boxes: Vec<Solved> = Vec::new();
    for (number, layout) in chain.layouts.into_iter().enumerate() {
        (job.started)(&plan, number);
        let work = Work {
            number,
            evaluator: ExitEvaluator {
                rules: &rules,
                oracle: &*oracle,
                boxes: &boxes,
                tally: &tally,
            },
            shelf: shelf.as_ref(),
            job,
        };
        let solved = work.solve(layout)?;
        boxes.push(solved);
    }
    Ok(Restricted::new(rules, oracle, boxes, &tally, plan))
}

/// The work on one restricted table.
struct Work<'a> {
    number: usize,
    evaluator: ExitEvaluator<'a>,
    shelf: Option<&'a Shelf>,
    job: &'a FreezeJob<'a>,
}

impl Work<'_> {
    fn solve(&self, layout: TableLayout) -> Result<Solved, FreezeError> {
        let tally = self.evaluator.tally;
        if let Some(shelf) = self.shelf
            && let Some(solved) = shelf.take_box(self.number, &layout, tally)
        {
            return Ok(solved);
        }
        let kept = self
            .shelf
            .and_then(|shelf| shelf.take_exits(self.number, &layout, tally));
        let mut exits = kept.unwrap_or_else(|| ExitTable::new(&layout));
        let work = exits.work(&layout, &self.evaluator, self.job.gauge, self.job.control);
        let levels = match work {
            Ok(()) => self.solve_levels(&layout, &exits)?,
            Err(stop) => {
                self.keep(&layout, &exits, None)?;
                return Err(Halt::from(stop).into());
            }
        };
        let values = match levels {
            (values, None) => values,
            (values, Some(standing)) => {
                self.keep(&layout, &exits, Some((&values, &standing)))?;
                return Err(Halt::from(Cancelled).into());
            }
        };
        let solved = Solved::new(self.number, layout, self.evaluator.rules.bound, values);
        if let Some(shelf) = self.shelf
            && solved.layout.entries() >= KEPT_FROM
            && let Err(error) = shelf.put_box(&solved, tally)
        {
            log::warn!("a solved restricted table cannot be stored: {error}");
        }
        Ok(solved)
    }

    /// Puts everything away that would be lost by stopping now.
    fn keep(
        &self,
        layout: &TableLayout,
        exits: &ExitTable,
        levels: Option<(&Values, &Standing)>,
    ) -> Result<(), FreezeError> {
        let Some(shelf) = self.shelf else {
            return Ok(());
        };
        let tally = self.evaluator.tally;
        let small = self.evaluator.boxes.iter();
        let mut small = small.filter(|solved| solved.layout.entries() < KEPT_FROM);
        let mut keep = || {
            shelf.put_exits(self.number, layout, exits, tally)?;
            if let Some(levels) = levels {
                shelf.put_levels(self.number, layout, levels, tally)?;
            }
            small.try_for_each(|solved| shelf.put_box(solved, tally))
        };
        let kept: std::io::Result<()> = keep();
        kept.map_err(FreezeError::NotKept)
    }

    /// The legal positions of both sides and their values; those so far, and how to go on, if it was stopped. Being stopped
    /// is heeded between two levels only.
    fn solve_levels(
        &self,
        layout: &TableLayout,
        exits: &ExitTable,
    ) -> Result<(Values, Option<Standing>), Halt> {
        let words = layout.rows() * ROW;
        let begun = self
            .shelf
            .and_then(|shelf| shelf.take_levels(self.number, layout, self.evaluator.tally));
        let ((mut legal, mut cells), from) = match begun {
            Some((values, standing)) => (values, Some(standing)),
            None => {
                let legal = [vec![0; words], vec![0; words]];
                let cells = [bytemuck::zeroed_vec(words), bytemuck::zeroed_vec(words)];
                ((legal, cells), None)
            }
        };
        let [white_legal, black_legal] = &mut legal;
        let [white, black] = &mut cells;
        let halves = [
            Half {
                cells: white,
                legal: white_legal,
            },
            Half {
                cells: black,
                legal: black_legal,
            },
        ];
        let frame = Frame {
            layout,
            exits,
            bound: self.evaluator.rules.bound,
        };
        let control = self.job.control;
        let stop = || control.check().is_err();
        let levels = Control::new(control.threads());
        let standing = solve_in_stages(&frame, halves, from.as_ref(), &stop, &levels)?;
        Ok(((legal, cells), standing))
    }
}
