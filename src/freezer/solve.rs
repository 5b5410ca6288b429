//! From rules to a frozen position: lays out the boxes, reckons memory, solves them one after the other.

use super::chain::{Chain, lay_out};
use super::exits::Exits;
use super::frozen::Frozen;
use super::judge::Judge;
use super::layout::{Layout, LayoutError};
use super::rules::Rules;
use super::slice::{Frame, ROW};
use super::solved::{Solved, name};
use super::tally::Tally;
use crate::base::{Control, Gauge};
use crate::chess::Oracle;
use crate::retro::{Half, Halt, solve as solve_slice};
use std::sync::Arc;

/// Memory for each entry of a box while it is solved, and afterwards, in bytes: values of both sides at two bytes, and
/// bitmaps.
const WHILE_SOLVING: f64 = 4.0 + 1.7;
const AFTERWARDS: f64 = 4.0 + 0.25;

/// Limits on the work.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most memory in bytes.
    pub memory: u64,
    /// The most entries of a box after the first; larger ones are left out.
    pub entries: u64,
}

impl Default for Limits {
    /// Four gigabytes, and boxes of a hundred million entries.
    fn default() -> Limits {
        Limits {
            memory: 4 << 30,
            entries: 100_000_000,
        }
    }
}

/// Why rules were not solved.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// There is no box.
    #[error(transparent)]
    Layout(#[from] LayoutError),
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
}

/// What is to be done.
#[derive(Debug)]
pub struct Plan {
    /// Names of the boxes in the order of solving, with their entries.
    pub boxes: Vec<(String, u64)>,
    /// Boxes left out because they are too large.
    pub left_out: usize,
    /// The most memory in bytes at any time, about.
    pub memory: u64,
}

impl Plan {
    fn of(chain: &Chain) -> Plan {
        let boxes = chain.layouts.iter();
        let boxes: Vec<_> = boxes
            .map(|layout| (name(layout), layout.entries()))
            .collect();
        let mut kept = 0.0;
        let mut most: f64 = 0.0;
        for layout in &chain.layouts {
            let numbers = (layout.rows() * ROW * 64) as f64;
            most = most.max(kept + numbers * WHILE_SOLVING);
            kept += numbers * AFTERWARDS;
        }
        Plan {
            boxes,
            left_out: chain.left_out,
            memory: most as u64,
        }
    }

    /// Entries of all boxes.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.boxes.iter().map(|(_, entries)| entries).sum()
    }
}

/// What rules would take.
///
/// # Errors
/// If there is no box.
pub fn plan(rules: &Rules, limits: Limits) -> Result<Plan, FreezeError> {
    Ok(Plan::of(&lay_out(rules, limits.entries)?))
}

/// Solves rules with the tables at hand, on the current rayon pool; `started` is told of each box, by its number in the
/// plan.
///
/// # Errors
/// If there is no box, if memory is too small, or when cancelled.
pub fn solve(
    rules: Rules,
    oracle: Arc<dyn Oracle>,
    limits: Limits,
    control: &Control,
    started: impl Fn(&Plan, usize),
) -> Result<Frozen, FreezeError> {
    let chain = lay_out(&rules, limits.entries)?;
    let plan = Plan::of(&chain);
    if plan.memory > limits.memory {
        return Err(FreezeError::Memory {
            entries: plan.entries(),
            needed: plan.memory >> 20,
            allowed: limits.memory >> 20,
        });
    }
    let tally = Tally::new(rules.sources.len());
    let mut boxes = Vec::new();
    for (number, layout) in chain.layouts.into_iter().enumerate() {
        started(&plan, number);
        let judge = Judge {
            rules: &rules,
            oracle: &*oracle,
            boxes: &boxes,
            tally: &tally,
        };
        let solved = solve_box(number, layout, &judge, control)?;
        boxes.push(solved);
    }
    Ok(Frozen::new(rules, oracle, boxes, &tally, plan))
}

/// Solves one box.
fn solve_box(
    number: usize,
    layout: Layout,
    judge: &Judge<'_>,
    control: &Control,
) -> Result<Solved, Halt> {
    let words = layout.rows() * ROW;
    let mut legal = [vec![0; words], vec![0; words]];
    let mut cells = [vec![[0; 64]; words], vec![[0; 64]; words]];
    {
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
        let mut exits = Exits::new(&layout);
        exits.work(&layout, judge, &Gauge::default(), control)?;
        let frame = Frame {
            layout: &layout,
            exits: &exits,
            bound: judge.rules.bound,
        };
        solve_slice(&frame, halves, None, control)?;
    }
    Ok(Solved {
        number,
        layout,
        legal,
        cells,
    })
}
