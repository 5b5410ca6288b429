//! Samples: random positions of a table, probed in its files.

use rayon::prelude::*;

use super::faults::{Errors, compare, longest};
use super::{CHUNK, Verifiable, Verified, Verifier, VerifyError, verified};
use crate::format::{Class, Metric, Outcome};
use crate::index::{CellId, Index};
use crate::probe::Prober;
use crate::rules::Rules;
use duchamp_base::{Cancelled, Control, Gauge, Plies, Random, Value};
use duchamp_retro::Side;

/// Random positions that are looked at together.
const ROUND: usize = 1 << 22;

impl<G: Verifiable> Verifier<'_, G> {
    pub(super) fn verify_sample(
        &self,
        key: G::Key,
        metric: Metric,
        count: u64,
        (gauge, control): (&Gauge, &Control),
    ) -> Result<Verified<G::Key>, VerifyError<G::Key>> {
        let longest = longest(&self.counts(key, metric)?);
        let index = G::Index::new(key);
        let errors = Errors::default();
        let sides = index.stored_sides();
        gauge.start(count * sides.len() as u64);
        for (n, &side) in sides.iter().enumerate() {
            for first in (0..count).step_by(ROUND) {
                let numbers = first..count.min(first + ROUND as u64);
                let cells = numbers.into_par_iter().map(|number| {
                    control.check()?;
                    Ok(random_cell::<G>(
                        &index,
                        side,
                        number * sides.len() as u64 + n as u64,
                    ))
                });
                let mut cells: Vec<u64> = cells.collect::<Result<_, Cancelled>>()?;
                // Neighbours lie in the same blocks of the files, and so do, mostly, their moves.
                cells.par_sort_unstable();
                cells.par_chunks(CHUNK).try_for_each(|cells| {
                    control.check()?;
                    for &cell in cells {
                        self.verify_cell(&index, metric, CellId { side, cell }, longest, &errors)?;
                    }
                    gauge.add(cells.len() as u64);
                    Ok::<(), VerifyError<G::Key>>(())
                })?;
            }
        }
        let positions = count * sides.len() as u64;
        Ok(verified(errors, key, metric, positions))
    }

    fn verify_cell(
        &self,
        index: &G::Index,
        metric: Metric,
        at: CellId,
        longest: u16,
        errors: &Errors,
    ) -> Result<(), VerifyError<G::Key>> {
        let Some(position) = G::position(index, at) else {
            return Ok(());
        };
        let prober = Prober::new(self.store);
        let found = prober.by_moves(&position, metric)?;
        let class = match prober.outcome(&position)? {
            Outcome::Win => Some(Class::Wins),
            Outcome::Draw => None,
            Outcome::Loss => Some(Class::Losses),
        };
        let stored = match class {
            Some(class) => prober.stored_length(&position, class, metric)?,
            None => None,
        };
        // A length that the file does not hold follows from the moves: only the result can be wrong.
        let told = match (stored, class, found) {
            (Some(stored), ..) => stored,
            (None, None, _) => Value::Draw,
            (None, Some(Class::Wins), Value::Win(_)) => found,
            (None, Some(Class::Wins), _) => Value::Win(Plies(0)),
            (None, Some(Class::Losses), Value::Loss(_)) => found,
            (None, Some(Class::Losses), _) => Value::Loss(Plies(0)),
        };
        compare::<G>(&position, told, found, longest, errors);
        Ok(())
    }
}

/// The cell of a legal position of a table, chosen by a number: the same in every run.
fn random_cell<G: Rules>(index: &G::Index, side: Side, number: u64) -> u64 {
    let mut random = Random::of(0, number);
    loop {
        let cell = random.below(index.cells() as usize) as u64;
        if G::position(index, CellId { side, cell }).is_some() {
            return cell;
        }
    }
}
