//! Large samples: random groups of neighbouring cells, probed in the files.
//!
//! A probe of a coded file decodes a block of 4,096 cells, and a position that is drawn by itself needs dozens of blocks, all
//! its own. So a group is all positions of one block. What their moves lead to is looked at in the order of its
//! place: a hundred blocks or so, each of which is decoded once for all positions of the group.
//!
//! Of each winner a file holds the lengths of the wins or of the losses, so behind a length that is compared there are
//! others that only moves show. Of these moves no more are looked at than it takes to see that the one before is worse
//! than what the table says.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

use rayon::prelude::*;

use super::drawn::{drawn, enough};
use super::faults::{Errors, longest};
use super::{Verifiable, Verified, Verifier, VerifyError, verified};
use crate::format::{CODED_BLOCK, Class, Metric, Outcome};
use crate::index::{CellId, Index};
use crate::probe::{ProbeError, Prober};
use crate::rules::{MoveFacts, better};
use duchamp_base::{Control, Gauge, Plies, Value};
use duchamp_retro::Side;

impl<G: Verifiable> Verifier<'_, G> {
    /// Verifies about `count` positions of each side to move, by groups.
    pub(super) fn verify_groups(
        &self,
        key: G::Key,
        metric: Metric,
        count: u64,
        (gauge, control): (&Gauge, &Control),
    ) -> Result<Verified<G::Key>, VerifyError<G::Key>> {
        let counts = self.counts(key, metric)?;
        let index = G::Index::new(key);
        let errors = Errors::default();
        let positions = AtomicU64::new(0);
        let looker = Looker {
            prober: Prober::new(self.store),
            index: &index,
            metric,
            longest: longest(&counts),
            errors: &errors,
        };
        let sides = index.stored_sides();
        let blocks = index.words().div_ceil(CODED_BLOCK);
        // By what the header says of the average group.
        let groups = |n: usize| enough(count, blocks, counts[n].legal());
        gauge.start((0..sides.len()).map(|n| groups(n) as u64).sum());
        for (n, &side) in sides.iter().enumerate() {
            let groups = groups(n);
            (0..groups).into_par_iter().try_for_each(|group| {
                control.check()?;
                let number = (group * sides.len() + n) as u64;
                let block = drawn(group, groups, blocks, number);
                let seen = looker.verify_block(side, block)?;
                positions.fetch_add(seen, Memory::Relaxed);
                gauge.add(1);
                Ok::<(), VerifyError<G::Key>>(())
            })?;
        }
        Ok(verified(errors, key, metric, positions.into_inner()))
    }
}

/// What a file says of a position: the result, and the value if its length is held.
type Told = (Outcome, Option<Value>);

/// A position of a group, and what its moves have shown so far.
struct Asked<P> {
    position: P,
    told: Told,
    /// How the best move compares with what is told; `None` if there was no move that counts.
    best: Option<Ordering>,
}

/// A move of a position of a group, given by its number, and where it leads.
struct Step<M> {
    place: (u64, Side, u64),
    from: u32,
    facts: MoveFacts<M>,
}

struct Looker<'a, G: Verifiable> {
    prober: Prober<'a, G>,
    index: &'a G::Index,
    metric: Metric,
    longest: u16,
    errors: &'a Errors,
}

type Probed<T, G> = Result<T, ProbeError<<G as crate::Game>::Key>>;

impl<G: Verifiable> Looker<'_, G> {
    /// Verifies all positions of a block of a side; returns their number.
    fn verify_block(&self, side: Side, block: usize) -> Probed<u64, G> {
        let words = block * CODED_BLOCK..self.index.words().min((block + 1) * CODED_BLOCK);
        let (mut asked, mut steps) = (Vec::new(), Vec::new());
        for cell in words.start as u64 * 64..words.end as u64 * 64 {
            let Some(position) = G::position(self.index, CellId { side, cell }) else {
                continue;
            };
            let from = asked.len() as u32;
            self.prober.each_move(&position, |facts| {
                let after = G::play(&position, facts.mv);
                // Dead draws need no table.
                let place = match G::is_dead_draw(&after) {
                    true => (0, side, 0),
                    false => {
                        let at = self.prober.find(&after)?.2;
                        (G::code(&after), at.side, at.cell)
                    }
                };
                steps.push(Step { place, from, facts });
                Ok(())
            })?;
            let told = self.told(&position)?;
            asked.push(Asked {
                position,
                told,
                best: None,
            });
        }
        steps.sort_unstable_by_key(|step| step.place);
        for step in steps {
            let asked = &mut asked[step.from as usize];
            if asked.best != Some(Ordering::Greater) {
                let compared = self.compare_move(&asked.position, &step.facts, asked.told)?;
                asked.best = asked.best.max(compared);
            }
        }
        for asked in &asked {
            self.note_faults(asked);
        }
        Ok(asked.len() as u64)
    }

    /// What the files say of a position by itself.
    fn told(&self, position: &G::Position) -> Probed<Told, G> {
        let outcome = self.prober.outcome(position)?;
        Ok((outcome, self.length(position, outcome)?))
    }

    fn length(&self, position: &G::Position, outcome: Outcome) -> Probed<Option<Value>, G> {
        let class = match outcome {
            Outcome::Win => Class::Wins,
            Outcome::Loss => Class::Losses,
            Outcome::Draw => return Ok(Some(Value::Draw)),
        };
        self.prober.stored_length(position, class, self.metric)
    }

    /// How the value of a move compares with what is told of the position before it; `None` if the metric disregards
    /// the move.
    fn compare_move(
        &self,
        position: &G::Position,
        facts: &MoveFacts<G::Move>,
        told: Told,
    ) -> Probed<Option<Ordering>, G> {
        let after = G::play(position, facts.mv);
        if facts.ends(self.metric) || G::has_unstored_moves(&after) {
            let value = self.prober.after(&after, facts, self.metric)?;
            let value = G::before(self.metric, facts, value);
            return Ok(value.map(|value| compare(value, told)));
        }
        let outcome = self.prober.outcome(&after)?;
        let any = G::before(self.metric, facts, any_value(outcome));
        let Some(any) = any else { return Ok(None) };
        let (Ordering::Equal, Some(exact)) = (compare(any, (told.0, None)), told.1) else {
            return Ok(Some(compare(any, (told.0, None))));
        };
        let value = match self.length(&after, outcome)? {
            Some(value) => value,
            None => self.by_moves(&after, outcome, |best| {
                let value = G::before(self.metric, facts, best);
                value.is_some_and(|value| value.rank() < exact.rank())
            })?,
        };
        let value = G::before(self.metric, facts, value);
        Ok(value.map(|value| compare(value, told)))
    }

    /// The best value that the moves of a position give, or the first that is `enough`.
    fn by_moves(
        &self,
        position: &G::Position,
        outcome: Outcome,
        enough: impl Fn(Value) -> bool,
    ) -> Probed<Value, G> {
        let (mut best, mut result) = (None, Ok(()));
        G::moves(position, |facts| {
            match self.value_of(position, &facts, outcome) {
                Ok(Some(value)) => best = better(best, value),
                Ok(None) => {}
                Err(error) => result = Err(error),
            }
            match result.is_err() || best.is_some_and(&enough) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        result?;
        match best {
            Some(best) => Ok(best),
            // Without a move, or without the one that wins, the files contradict the result.
            None => self.prober.by_moves(position, self.metric),
        }
    }

    /// The value of a move of a position with this result; `None` if it does not count: of a win only the moves that win do.
    fn value_of(
        &self,
        position: &G::Position,
        facts: &MoveFacts<G::Move>,
        outcome: Outcome,
    ) -> Probed<Option<Value>, G> {
        if outcome == Outcome::Win && !self.prober.is_lost(&G::play(position, facts.mv))? {
            return Ok(None);
        }
        self.prober.counted_value(position, facts, self.metric)
    }

    /// Notes what is wrong with a position all of whose moves were looked at.
    fn note_faults(&self, asked: &Asked<G::Position>) {
        let (position, told) = (&asked.position, asked.told);
        let best = asked.best;
        let best = best.unwrap_or_else(|| compare(G::stuck(position), told));
        let value = told.1.unwrap_or_else(|| any_value(told.0));
        if best != Ordering::Equal {
            self.errors.add(|| {
                let found = self.prober.by_moves(position, self.metric);
                let found = found.map_or("no value".to_owned(), |value| format!("{value:?}"));
                let position = G::notation(position);
                format!("{position}: {value:?} by the table, {found} by its moves")
            });
        } else if value.plies().is_some_and(|plies| plies.0 > self.longest) {
            self.errors.add(|| {
                let position = G::notation(position);
                format!("{position}: {value:?} is longer than the file's longest")
            });
        }
    }
}

/// A value of a result, of any length.
const fn any_value(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Win => Value::Win(Plies(1)),
        Outcome::Draw => Value::Draw,
        Outcome::Loss => Value::Loss(Plies(0)),
    }
}

/// How a value compares with what is told: by the length if that is held, else by the result.
fn compare(value: Value, (outcome, exact): Told) -> Ordering {
    let class = |value: Value| value.rank().signum();
    match exact {
        Some(exact) => value.rank().cmp(&exact.rank()),
        None => class(value).cmp(&class(any_value(outcome))),
    }
}
