//! A restricted position as search asks for it: bounds in favour of the bound side, wherever a position lies in a restricted table.
//!
//! They are bounds, not values: a draw is the least that the bound side gets. So a restricted position answers as
//! [`Proofs`], which knows bounds, and not as an oracle, which would have to know the value.

use super::restricted::{KnownValue, Restricted};
use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{Account, Attempt, Effort, Move, Position, Proofs, Proven};

impl Restricted {
    /// A value as a bound for the side that it belongs to.
    fn bound(&self, known: Option<KnownValue>, ours: bool) -> Proven {
        let Some(KnownValue { value, .. }) = known else {
            return Proven::NOTHING;
        };
        let plies = value.plies().unwrap_or(Plies(0));
        let mut proven = Proven::NOTHING;
        match (ours, value) {
            (true, Value::Win(_)) | (false, Value::Loss(_)) => {
                proven = Proven::exactly(value.wdl(), plies);
            }
            (true, Value::Draw) => proven.least = Wdl::Draw,
            (false, Value::Draw) => proven.most = Wdl::Draw,
            _ => {}
        }
        proven
    }
}

impl Proofs for Restricted {
    fn covers(&self, position: &Position) -> bool {
        self.may_hold(position)
    }

    fn known(&self, position: &Position) -> Proven {
        let ours = position.turn() == self.rules().bound;
        self.bound(self.value(position), ours)
    }

    fn glance(&self, _: &Position) {}

    fn prove(&self, position: &Position, _: Effort) -> Attempt {
        Attempt::finished(self.known(position))
    }

    fn judge(&self, position: &Position, mv: Move) -> Proven {
        let ours = position.turn() == self.rules().bound;
        let mut proven = self.bound(self.move_value(position, mv), ours);
        let zeroes = position.is_capture(mv)
            || position
                .at(mv.from())
                .is_some_and(|piece| piece.role == duchamp_chess::Role::Pawn);
        if zeroes {
            proven.plies = Plies(1);
        }
        proven
    }

    fn make_room(&self) {}

    fn account(&self, _: &Position) -> Account {
        let rules = self.rules();
        let title = rules.title.as_deref().unwrap_or("the rules");
        let claim = match rules.assumptions().count() {
            0 => format!("restricted position proved by {title}"),
            1 => format!("restricted position, by {title} and one assumption"),
            n => format!("restricted position, by {title} and {n} assumptions"),
        };
        Account {
            claim,
            work: format!("{} entries", self.plan().entries()),
        }
    }
}
