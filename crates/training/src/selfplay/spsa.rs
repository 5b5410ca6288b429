//! SPSA, tuning of search parameters by games: simultaneous perturbation (J. C. Spall, IEEE Trans.
//! Aerospace and Electronic Systems 34, 1998), with the schedule that Fishtest made common.
//!
//! Each iteration perturbs all parameters at once in random directions and plays a game pair of the two sets; the result
//! updates every parameter. Step sizes and perturbations decrease with the iterations.

use duchamp_base::Random;
use duchamp_search::Params;

/// Decay exponent of the step size.
const ALPHA: f64 = 0.602;
/// Decay exponent of the perturbation.
const GAMMA: f64 = 0.101;
/// The stability constant A, as a fraction of all iterations.
const STABILITY: f64 = 0.1;
/// The last perturbation of a parameter, as a fraction of its range (c_end).
const LAST_MOVE: f64 = 1.0 / 20.0;
/// The last step size, in squares of the perturbation (r_end).
const LAST_RATE: f64 = 0.002;

/// The state of a tuning, stored between runs.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Spsa {
    /// Pairs of games so far.
    pub done: u64,
    /// Pairs of games in all.
    pub total: u64,
    /// The seed of the games.
    pub seed: u64,
    /// The tuned parameters and their values.
    pub values: Vec<(String, f64)>,
}

/// Two parameter sets that play a game pair.
pub struct Trial {
    /// The number of the pair of games.
    pub number: u64,
    /// The one and the other.
    pub params: [Params; 2],
    /// The perturbation of the first set.
    moves: Vec<f64>,
}

impl Spsa {
    /// Begins with the default values of the named parameters, or of all if none are named.
    ///
    /// # Errors
    /// The name that no parameter has.
    pub fn new(names: &[String], total: u64, seed: u64) -> Result<Spsa, String> {
        if let Some(name) = names
            .iter()
            .find(|name| !Params::ALL.iter().any(|(known, ..)| known == name))
        {
            return Err(name.clone());
        }
        let values = Params::default().values();
        let named = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
        Ok(Spsa {
            done: 0,
            total: total.max(1),
            seed,
            values: Params::ALL
                .iter()
                .zip(values)
                .filter(|((name, ..), _)| named(name))
                .map(|(&(name, ..), value)| (name.to_owned(), f64::from(value)))
                .collect(),
        })
    }

    /// Whether this program can go on with a state that was read from a file.
    ///
    /// # Errors
    /// What is wrong: a name that no parameter has, one that comes twice, a value beyond the parameter's limits.
    pub fn check(&self) -> Result<(), String> {
        for (n, (name, value)) in self.values.iter().enumerate() {
            let Some((min, max)) = Spsa::known_limits(name) else {
                return Err(format!("the search has no parameter {name}"));
            };
            if self.values[..n].iter().any(|(other, _)| other == name) {
                return Err(format!("{name} is there twice"));
            }
            if !(min..=max).contains(value) {
                return Err(format!("{name} is {value}, not from {min} to {max}"));
            }
        }
        Ok(())
    }

    /// Limits of a parameter, if there is one of this name.
    fn known_limits(name: &str) -> Option<(f64, f64)> {
        let known = Params::ALL.iter().find(|(known, ..)| *known == name);
        known.map(|&(_, min, max)| (min.into(), max.into()))
    }

    /// Limits of a parameter.
    fn limits(name: &str) -> (f64, f64) {
        Spsa::known_limits(name).unwrap_or((0.0, 0.0))
    }

    /// The perturbation of a parameter in an iteration.
    fn step(&self, name: &str, number: u64) -> f64 {
        let (min, max) = Spsa::limits(name);
        let left = (self.total as f64 / (number + 1) as f64).max(1.0);
        // Less than half a step to either side may round to the same value.
        ((max - min) * LAST_MOVE * left.powf(GAMMA)).max(0.5)
    }

    /// The trial of a number.
    #[must_use]
    pub fn trial(&self, number: u64) -> Trial {
        let mut random = Random::of(self.seed ^ 0x5B5A, number);
        let moves: Vec<f64> = self
            .values
            .iter()
            .map(|(name, _)| {
                let sign = if random.next_u64() & 1 == 0 {
                    1.0
                } else {
                    -1.0
                };
                sign * self.step(name, number)
            })
            .collect();
        Trial {
            number,
            params: [1.0, -1.0].map(|side| self.moved(&moves, side)),
            moves,
        }
    }

    fn moved(&self, moves: &[f64], side: f64) -> Params {
        let mut params = Params::default();
        let mut values = params.values();
        for ((name, value), by) in self.values.iter().zip(moves) {
            if let Some(index) = Params::ALL.iter().position(|(known, ..)| known == name) {
                values[index] = (value + side * by).round() as i32;
            }
        }
        params.set(&values);
        params
    }

    /// Updates the parameters by the result of a trial: `half_points` of the first player in both games, 0 to 4.
    pub fn learn(&mut self, trial: &Trial, half_points: u8) {
        let result = f64::from(half_points) - 2.0;
        let before = self.total as f64 * STABILITY;
        let now = before + trial.number as f64 + 1.0;
        let shrink = ((before + self.total as f64) / now).powf(ALPHA);
        for ((name, value), by) in self.values.iter_mut().zip(&trial.moves) {
            let (min, max) = Spsa::limits(name);
            let last = (max - min) * LAST_MOVE;
            let rate = LAST_RATE * shrink * last * last / by;
            *value = (*value + rate * result).clamp(min, max);
        }
        self.done += 1;
    }

    /// The current parameters.
    #[must_use]
    pub fn params(&self) -> Params {
        self.moved(&vec![0.0; self.values.len()], 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn climbs_a_hill_that_answers_with_noise() {
        let total = 6000;
        let mut spsa =
            Spsa::new(&["rfp_margin".into(), "lmr_cut".into()], total, 1).expect("both are known");
        let mut random = Random::new(9);
        let value = |params: &Params| {
            let off =
                |value: i32, best: f64, range: f64| ((f64::from(value) - best) / range).powi(2);
            -off(params.rfp_margin, 120.0, 120.0) - off(params.lmr_cut, 1000.0, 2300.0)
        };
        for number in 0..total {
            let trial = spsa.trial(number);
            let better = value(&trial.params[0]) - value(&trial.params[1]);
            // Half points of two games, each won with a chance that grows with what is better.
            let mut won = || {
                let chance = 0.5 + 1.5 * better;
                2 * u8::from((random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 <= chance)
            };
            let half_points = won() + won();
            spsa.learn(&trial, half_points);
        }
        let found = spsa.params();
        assert!((found.rfp_margin - 120).abs() < 22, "{}", found.rfp_margin);
        assert!((found.lmr_cut - 1000).abs() < 420, "{}", found.lmr_cut);
        assert_eq!(found.razor_base, Params::default().razor_base);
        assert_eq!(Spsa::new(&["nothing".into()], 1, 1), Err("nothing".into()));
    }

    #[test]
    fn states_that_do_not_fit_are_refused() {
        let names = ["rfp_margin".into(), "lmr_cut".into()];
        let good = Spsa::new(&names, 10, 1).expect("both are known");
        assert_eq!(good.check(), Ok(()));
        let told = |change: &dyn Fn(&mut Spsa)| {
            let mut spsa = good.clone();
            change(&mut spsa);
            spsa.check().expect_err("it does not fit")
        };
        assert!(
            told(&|spsa| spsa.values[0].0 = "old_name".into()).contains("no parameter old_name")
        );
        assert!(told(&|spsa| spsa.values[0].1 = f64::NAN).contains("rfp_margin is NaN"));
        assert!(told(&|spsa| spsa.values[1].1 = 1e9).contains("lmr_cut is 1000000000"));
        assert!(told(&|spsa| spsa.values[1].0 = "rfp_margin".into()).contains("twice"));
    }
}
