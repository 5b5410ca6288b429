//! The trait through which a search gets proved bounds, whatever their source.

use super::{Move, Position};
use duchamp_base::{Plies, Wdl};
use std::sync::Arc;
use std::time::Duration;

/// Proved bounds of a position's value for the side to move: the value lies between [`Proven::least`] and
/// [`Proven::most`]. Draws by the game's past (repetition, moves already on the halfmove clock) are ignored.
///
/// ```
/// use duchamp_chess::{Plies, Proven, Wdl};
///
/// let not_lost = Proven { least: Wdl::Draw, ..Proven::NOTHING };
/// let not_won = Proven { most: Wdl::Draw, ..Proven::NOTHING };
/// assert_eq!(not_lost.exact(), None);
/// assert_eq!(not_lost.and(not_won).exact(), Some(Wdl::Draw));
/// assert_eq!(not_lost.turned(), not_won);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven {
    /// The lower bound.
    pub least: Wdl,
    /// The upper bound.
    pub most: Wdl,
    /// If the value is a win or a loss: an upper bound, in plies, on the distance to the next capture, pawn move or
    /// mate. A win that is not [`within_fifty_moves`](crate::within_fifty_moves) is a draw under the 50-move rule. An
    /// upper bound of a draw holds with any clock.
    pub plies: Plies,
}

impl Proven {
    /// No bounds: from loss to win.
    pub const NOTHING: Proven = Proven {
        least: Wdl::Loss,
        most: Wdl::Win,
        plies: Plies(0),
    };

    /// An exact value.
    #[must_use]
    #[inline]
    pub const fn exactly(wdl: Wdl, plies: Plies) -> Proven {
        Proven {
            least: wdl,
            most: wdl,
            plies,
        }
    }

    /// The value if both bounds are the same.
    #[must_use]
    #[inline]
    pub fn exact(&self) -> Option<Wdl> {
        (self.least == self.most).then_some(self.least)
    }

    /// The bounds that two proofs give together.
    #[must_use]
    #[inline]
    pub fn and(self, other: Proven) -> Proven {
        let plies = match (self.exact(), other.exact()) {
            (Some(Wdl::Win | Wdl::Loss), Some(Wdl::Win | Wdl::Loss)) => self.plies.min(other.plies),
            (Some(_), _) => self.plies,
            _ => other.plies,
        };
        Proven {
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            plies,
        }
    }

    /// The same bounds from the opponent's point of view.
    #[must_use]
    #[inline]
    pub fn turned(self) -> Proven {
        Proven {
            least: -self.most,
            most: -self.least,
            plies: self.plies,
        }
    }
}

/// How much work may be spent on a proof.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of the prover, about a tenth of a millisecond to some milliseconds each; the same number of steps from the
    /// same state always does the same.
    pub steps: usize,
    /// The longest time; `None` sets no limit.
    pub time: Option<Duration>,
}

/// A prover of bounds on the values of some positions, which remembers what it has proved. All threads of a search
/// share it; while one thread proves, the others may get [`Proven::NOTHING`].
///
/// A search calls [`Proofs::covers`] first, then [`Proofs::known`] at its nodes and [`Proofs::prove`] where more work
/// pays.
pub trait Proofs: Send + Sync {
    /// Whether this prover can work on positions of this kind. Fast.
    fn covers(&self, position: &Position) -> bool;

    /// The bounds proved so far for a covered position; takes about a tenth of a microsecond. Its `plies` need not be
    /// the least.
    fn known(&self, position: &Position) -> Proven;

    /// Begins to prove a covered position about which nothing is known yet: about a tenth of a millisecond of work.
    fn glance(&self, position: &Position);

    /// Works on the value of a covered position until it is settled or the effort is spent.
    fn prove(&self, position: &Position, effort: Effort) -> Attempt;

    /// The bounds proved for a legal move of a covered position, from its mover's point of view: those of the position
    /// after it, with `plies` counted from before the move if that is neither a capture nor a pawn move, else 1.
    fn judge(&self, position: &Position, mv: Move) -> Proven;

    /// Called before each search: the prover may drop what it proved for earlier ones if memory is short.
    fn make_room(&self);

    /// The claim about a covered position in words, and the work that it rests on.
    fn account(&self, position: &Position) -> Account;
}

/// The result of some effort to prove a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attempt {
    /// The bounds proved by now.
    pub proven: Proven,
    /// Whether more effort may prove more.
    pub open: bool,
    /// The chance, from 0 to 1, that as much work again settles the value; 0 unless `open`. An estimate.
    pub chance: f64,
}

impl Attempt {
    /// An attempt after which no effort proves more.
    #[must_use]
    pub const fn finished(proven: Proven) -> Attempt {
        Attempt {
            proven,
            open: false,
            chance: 0.0,
        }
    }
}

/// A proof in words, for messages to the user.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// The claim, to be followed by the value: "pawn ending proved".
    pub claim: String,
    /// The work behind it: "12 pawn structures".
    pub work: String,
}

/// Several provers as one. Those that cover a position are queried in turn until its value is exact; their bounds hold
/// together, so the answer is the narrowest bounds.
#[derive(Clone, Default)]
pub struct AnyOf(pub Vec<Arc<dyn Proofs>>);

impl AnyOf {
    /// Those that cover a position.
    fn covering<'a>(&'a self, position: &'a Position) -> impl Iterator<Item = &'a Arc<dyn Proofs>> {
        self.0.iter().filter(|proofs| proofs.covers(position))
    }

    /// What the answers to one question about a position say together.
    fn together(&self, position: &Position, ask: impl Fn(&dyn Proofs) -> Proven) -> Proven {
        let mut proven = Proven::NOTHING;
        for proofs in self.covering(position) {
            proven = proven.and(ask(proofs.as_ref()));
            if proven.exact().is_some() {
                break;
            }
        }
        proven
    }
}

impl Proofs for AnyOf {
    fn covers(&self, position: &Position) -> bool {
        self.0.iter().any(|proofs| proofs.covers(position))
    }
    fn known(&self, position: &Position) -> Proven {
        self.together(position, |proofs| proofs.known(position))
    }
    fn glance(&self, position: &Position) {
        for proofs in self.covering(position) {
            proofs.glance(position);
        }
    }
    fn prove(&self, position: &Position, effort: Effort) -> Attempt {
        let mut attempt = Attempt::finished(Proven::NOTHING);
        for proofs in self.covering(position) {
            let more = proofs.prove(position, effort);
            attempt.proven = attempt.proven.and(more.proven);
            attempt.open |= more.open;
            attempt.chance = attempt.chance.max(more.chance);
            if attempt.proven.exact().is_some() {
                break;
            }
        }
        attempt
    }
    fn judge(&self, position: &Position, mv: Move) -> Proven {
        self.together(position, |proofs| proofs.judge(position, mv))
    }
    fn make_room(&self) {
        for proofs in &self.0 {
            proofs.make_room();
        }
    }
    /// Of the first that has any bound for the position.
    fn account(&self, position: &Position) -> Account {
        let mut covering = self.covering(position);
        let known = |proofs: &&Arc<dyn Proofs>| proofs.known(position) != Proven::NOTHING;
        covering
            .find(known)
            .map_or_else(Account::default, |proofs| proofs.account(position))
    }
}

/// A prover that covers no position.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoProofs;

impl Proofs for NoProofs {
    fn covers(&self, _: &Position) -> bool {
        false
    }
    fn known(&self, _: &Position) -> Proven {
        Proven::NOTHING
    }
    fn glance(&self, _: &Position) {}
    fn prove(&self, _: &Position, _: Effort) -> Attempt {
        Attempt::finished(Proven::NOTHING)
    }
    fn judge(&self, _: &Position, _: Move) -> Proven {
        Proven::NOTHING
    }
    fn make_room(&self) {}
    fn account(&self, _: &Position) -> Account {
        Account::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Says the same of every position, and counts the questions.
    struct Says(Proven, AtomicUsize);

    impl Proofs for Says {
        fn covers(&self, _: &Position) -> bool {
            true
        }
        fn known(&self, _: &Position) -> Proven {
            self.1.fetch_add(1, Relaxed);
            self.0
        }
        fn glance(&self, _: &Position) {}
        fn prove(&self, position: &Position, _: Effort) -> Attempt {
            Attempt::finished(self.known(position))
        }
        fn judge(&self, position: &Position, _: Move) -> Proven {
            self.known(position)
        }
        fn make_room(&self) {}
        fn account(&self, _: &Position) -> Account {
            Account::default()
        }
    }

    #[test]
    fn bounds_of_several_hold_together_until_the_value_is_exact() {
        let least = Proven {
            least: Wdl::Draw,
            ..Proven::NOTHING
        };
        let most = Proven {
            most: Wdl::Draw,
            ..Proven::NOTHING
        };
        let all = [least, most, Proven::NOTHING].map(|says| Arc::new(Says(says, 0.into())));
        let any = AnyOf(all.iter().map(|it| Arc::clone(it) as _).collect());
        let drawn = Proven::exactly(Wdl::Draw, Plies(0));
        assert_eq!(any.known(&Position::start()), drawn);
        let asked = all.map(|says| says.1.load(Relaxed));
        assert_eq!(asked, [1, 1, 0]);
    }
}
