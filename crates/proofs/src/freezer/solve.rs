//! From rules to a frozen position: lays out the boxes, reckons memory, solves them one after the other.

use super::chain::lay_out;
use super::exits::Exits;
use super::frozen::Frozen;
use super::judge::Judge;
use super::layout::{Layout, LayoutError, ROW};
use super::plan::{Limits, Plan};
use super::rules::Rules;
use super::shelf::Shelf;
use super::slice::Frame;
use super::solved::{Solved, Values, material_name};
use super::tally::Tally;
use duchamp_base::{Cancelled, Control, Gauge};
use duchamp_chess::Oracle;
use duchamp_retro::{Half, Halt, Standing, solve_in_stages};
use std::path::Path;
use std::sync::Arc;

/// Why rules were not solved.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// There is no box.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Nothing was small enough to be tried.
    #[error("no rules with so few entries could be found")]
    Nothing,
    /// More memory is needed than allowed.
    #[error(
        "{entries} entries would take {needed} MiB of memory and {allowed} MiB are allowed: restrict more men, or allow more"
    )]
    Memory {
        /// Entries of all boxes.
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
/// If there is no box.
pub fn plan(rules: &Rules, limits: Limits) -> Result<Plan, FreezeError> {
    Ok(Plan::of(&lay_out(rules, limits.entries)?))
}

/// Names of the tables that rules may ask, such as `KRPvKQ`: White's men first, each side's from the king to pawns.
///
/// # Errors
/// If there is no box.
pub fn tables_wanted(rules: &Rules, limits: Limits) -> Result<Vec<String>, FreezeError> {
    let chain = lay_out(rules, limits.entries)?;
    Ok(chain.tables.into_iter().map(material_name).collect())
}

/// How and under whose eyes rules are solved.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Limits on the work.
    pub limits: Limits,
    /// Stops it.
    pub control: &'a Control,
    /// Where large boxes are kept once they are solved, and half-done work when stopped.
    pub folder: Option<&'a Path>,
    /// Told of each box before the work on it, by its number in the plan.
    pub started: &'a (dyn Fn(&Plan, usize) + Sync),
    /// How far the exits of the box are worked out; the solving that follows does not show.
    pub gauge: &'a Gauge,
}

/// Boxes from this size on are kept on disk.
const KEPT_FROM: u64 = 1 << 22;

/// Solves rules with the tables at hand, on the current rayon pool. The same call goes on where a stopped one left off.
///
/// # Errors
/// If there is no box, if memory is too small, when stopped, or if work that was stopped cannot be kept.
pub fn solve(rules: Rules, oracle: Arc<dyn Oracle>, job: &Job<'_>) -> Result<Frozen, FreezeError> {
    let chain = lay_out(&rules, job.limits.entries)?;
    let plan = Plan::of(&chain);
    if plan.memory > job.limits.memory {
        return Err(FreezeError::Memory {
            entries: plan.entries(),
            needed: plan.memory >> 20,
            allowed: job.limits.memory >> 20,
        });
    }
    let shelf = job
        .folder
        .map(|folder| Shelf::new(folder, &rules, oracle.max_men(), job.limits));
    let tally = Tally::new(rules.sources.len());
    let mut boxes: Vec<Solved> = Vec::new();
    for (number, layout) in chain.layouts.into_iter().enumerate() {
        (job.started)(&plan, number);
        let work = Work {
            number,
            judge: Judge {
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
    Ok(Frozen::new(rules, oracle, boxes, &tally, plan))
}

/// The work on one box.
struct Work<'a> {
    number: usize,
    judge: Judge<'a>,
    shelf: Option<&'a Shelf>,
    job: &'a Job<'a>,
}

impl Work<'_> {
    fn solve(&self, layout: Layout) -> Result<Solved, FreezeError> {
        let tally = self.judge.tally;
        if let Some(shelf) = self.shelf
            && let Some(solved) = shelf.take_box(self.number, &layout, tally)
        {
            return Ok(solved);
        }
        let kept = self
            .shelf
            .and_then(|shelf| shelf.take_exits(self.number, &layout, tally));
        let mut exits = kept.unwrap_or_else(|| Exits::new(&layout));
        let work = exits.work(&layout, &self.judge, self.job.gauge, self.job.control);
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
        let solved = Solved::new(self.number, layout, self.judge.rules.bound, values);
        if let Some(shelf) = self.shelf
            && solved.layout.entries() >= KEPT_FROM
            && let Err(error) = shelf.put_box(&solved, tally)
        {
            log::warn!("a solved box cannot be kept: {error}");
        }
        Ok(solved)
    }

    /// Puts everything away that would be lost by stopping now.
    fn keep(
        &self,
        layout: &Layout,
        exits: &Exits,
        levels: Option<(&Values, &Standing)>,
    ) -> Result<(), FreezeError> {
        let Some(shelf) = self.shelf else {
            return Ok(());
        };
        let tally = self.judge.tally;
        let small = self.judge.boxes.iter();
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
        layout: &Layout,
        exits: &Exits,
    ) -> Result<(Values, Option<Standing>), Halt> {
        let words = layout.rows() * ROW;
        let begun = self
            .shelf
            .and_then(|shelf| shelf.take_levels(self.number, layout, self.judge.tally));
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
            bound: self.judge.rules.bound,
        };
        let control = self.job.control;
        let stop = || control.check().is_err();
        let levels = Control::new(control.threads());
        let standing = solve_in_stages(&frame, halves, from.as_ref(), &stop, &levels)?;
        Ok(((legal, cells), standing))
    }
}
