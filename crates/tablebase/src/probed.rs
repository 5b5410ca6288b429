//! All that the files of a folder hold of a position, in every metric at once.

use std::ops::ControlFlow;

use crate::format::Metric;
use crate::probe::{ProbeError, Prober, graded};
use crate::rules::Rules;
use duchamp_base::{Plies, Value, Wdl};

/// All that the tables of a folder hold of a position or a move, as its side to move sees it. Distances are in plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbedValues {
    /// The result, with the 50-move rule where a `.dtz` file is there.
    pub wdl: Wdl,
    /// Plies to mate; `None` for a draw and where there is no file.
    pub dtm: Option<Plies>,
    /// Plies to conversion; `None` as above.
    pub dtc: Option<Plies>,
    /// Plies to zeroing, above 100 for a cursed win or a blessed loss; `None` as above.
    pub dtz: Option<Plies>,
}

impl ProbedValues {
    /// The values of a result, distances by metric.
    fn new<K>(
        wdl: Wdl,
        metrics: &[Metric],
        distance: impl Fn(Metric) -> Result<Value, ProbeError<K>>,
    ) -> Result<ProbedValues, ProbeError<K>> {
        let plies = |metric| {
            if wdl == Wdl::Draw || !metrics.contains(&metric) {
                return Ok(None);
            }
            match distance(metric) {
                Ok(value) => Ok(value.plies()),
                Err(ProbeError::MissingMetric(..)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        Ok(ProbedValues {
            wdl,
            dtm: plies(Metric::Dtm)?,
            dtc: plies(Metric::Dtc)?,
            dtz: plies(Metric::Dtz)?,
        })
    }

    /// A key that orders values from the worst to the best for the side to move: by result, then by
    /// the distance to mate, else to zeroing, else to conversion.
    #[must_use]
    pub fn rank(&self) -> i32 {
        self.rank_by(&[Metric::Dtm, Metric::Dtz, Metric::Dtc])
    }

    /// As [`ProbedValues::rank`], by the first of these distances that is known.
    #[must_use]
    pub fn rank_by(&self, order: &[Metric]) -> i32 {
        let plies = order.iter().find_map(|metric| match metric {
            Metric::Wdl => None,
            Metric::Dtm => self.dtm,
            Metric::Dtc => self.dtc,
            Metric::Dtz => self.dtz,
        });
        let plies = i32::from(plies.unwrap_or_default().0);
        let grade = 100_000 * self.wdl as i32;
        grade + if self.wdl > Wdl::Draw { -plies } else { plies }
    }
}

/// A legal move and its values as the side that plays it sees them, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValues<M> {
    /// The move.
    pub mv: M,
    /// Its values.
    pub values: ProbedValues,
}

type Probed<T, G> = Result<T, ProbeError<<G as crate::Game>::Key>>;

impl<G: Rules> Prober<'_, G> {
    /// The result of a position and its distances; metrics without a file are omitted.
    ///
    /// # Errors
    /// As [`Prober::value`], but for missing files of distances.
    pub fn all_values(self, position: &G::Position) -> Probed<ProbedValues, G> {
        let wdl = self.wdl(position)?;
        ProbedValues::new(wdl, G::METRICS, |metric| self.value(position, metric))
    }

    /// All legal moves with their results and distances, the best first ([`ProbedValues::rank`]); none if the game is
    /// over.
    ///
    /// # Errors
    /// As [`Prober::all_values`].
    pub fn moves_with_all_values(
        self,
        position: &G::Position,
    ) -> Probed<Vec<MoveValues<G::Move>>, G> {
        let mut all = Vec::new();
        G::moves(position, |facts| {
            all.push(facts);
            ControlFlow::Continue(())
        });
        let mut moves = Vec::with_capacity(all.len());
        for facts in all {
            let after = self.wdl(&G::play(position, facts.mv))?;
            let mut values = ProbedValues::new(-after, G::METRICS, |metric| {
                self.move_value(position, &facts, metric)
            })?;
            // The move counts for the 50-move rule, or resets its clock.
            if let Some(plies) = values.dtz {
                let value = match values.wdl {
                    Wdl::Win | Wdl::CursedWin => Value::Win(plies),
                    _ => Value::Loss(plies),
                };
                values.wdl = graded(Metric::Dtz, value);
            }
            moves.push(MoveValues {
                mv: facts.mv,
                values,
            });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.values.rank()));
        Ok(moves)
    }
}
