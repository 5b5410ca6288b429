//! How search asks for proved bounds, without knowing who proves.

use super::{Move, Position};
use duchamp_base::{Plies, Wdl};
use std::sync::Arc;
use std::time::Duration;

/// What is proved of a position's value for the side to move. It lies between the two, draws that the game's past
/// brings apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proven {
    /// The least that can be had.
    pub least: Wdl,
    /// The most.
    pub most: Wdl,
    /// If it is won or lost: plies at most to the next capture, pawn move or mate. A win that is not
    /// [`within_fifty_moves`](crate::within_fifty_moves) is none under the 50-move rule. "At most a draw" holds with any counter.
    pub plies: Plies,
}

impl Proven {
    /// Nothing is.
    pub const NOTHING: Proven = Proven {
        least: Wdl::Loss,
        most: Wdl::Win,
        plies: Plies(0),
    };

    /// An exact value.
    #[must_use]
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

    /// What two proofs say together.
    #[must_use]
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

    /// The same as the opponent sees it.
    #[must_use]
    pub fn turned(self) -> Proven {
        Proven {
            least: -self.most,
            most: -self.least,
            plies: self.plies,
        }
    }
}

/// How much may be spent on a proof.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of the prover, about a tenth of a millisecond to some milliseconds each; the same number of steps from the
    /// same state always does the same.
    pub steps: usize,
    /// Time; `None`: no limit.
    pub time: Option<Duration>,
}

/// Something that proves bounds on the value of some positions, and remembers them. Shared by all threads of a search;
/// while one of them proves the others may be told that nothing is known.
pub trait Proofs: Send + Sync {
    /// Whether positions of this kind are answered. Fast.
    fn covers(&self, position: &Position) -> bool;

    /// What is known already of a covered position; about a tenth of a microsecond. What it tells of `plies` may be
    /// longer than need be.
    fn known(&self, position: &Position) -> Proven;

    /// Looks at the surroundings of a covered position that nothing is known of yet: about a tenth of a millisecond.
    fn glance(&self, position: &Position);

    /// Works on the value of a covered position until it is settled or the effort is spent.
    fn prove(&self, position: &Position, effort: Effort) -> Attempt;

    /// What is known of a legal move of a covered position, as its mover sees it: the bounds of the position after it,
    /// `plies` counted from before the move if that is neither a capture nor a pawn's, else 1.
    fn judge(&self, position: &Position, mv: Move) -> Proven;

    /// Told before each search: what was proved for earlier ones may be forgotten if memory is short.
    fn make_room(&self);

    /// What the word of these proofs on a covered position rests on.
    fn account(&self, position: &Position) -> Account;
}

/// What came of some effort to prove a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// What is proved by now.
    pub proven: Proven,
    /// Whether more effort may prove more.
    pub open: bool,
}

/// What a proof rests on, in words.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// Its claim, to be followed by the value: "pawn ending proved".
    pub claim: String,
    /// What was worked out for it: "12 pawn structures".
    pub work: String,
}

/// Several provers as one. Those that cover a position are asked in turn until its value is exact; what they say holds
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
        let mut attempt = Attempt {
            proven: Proven::NOTHING,
            open: false,
        };
        for proofs in self.covering(position) {
            let more = proofs.prove(position, effort);
            attempt.proven = attempt.proven.and(more.proven);
            attempt.open |= more.open;
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
    /// Of the first that knows anything of the position.
    fn account(&self, position: &Position) -> Account {
        let mut covering = self.covering(position);
        let known = |proofs: &&Arc<dyn Proofs>| proofs.known(position) != Proven::NOTHING;
        covering
            .find(known)
            .map_or_else(Account::default, |proofs| proofs.account(position))
    }
}

/// Proves nothing.
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
        Attempt {
            proven: Proven::NOTHING,
            open: false,
        }
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
            Attempt {
                proven: self.known(position),
                open: false,
            }
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
