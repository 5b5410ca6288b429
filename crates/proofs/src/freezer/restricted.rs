//! A restricted position: what its restricted tables say of positions and moves.

use super::exit_value::{ExitEvaluator, Origin, verdict};
use super::plan::TablePlan;
use super::rules::{Rules, Verdict};
use super::seeds::exit_cell;
use super::solved::{Solved, TableReport};
use super::tally::{Tally, Usage};
use duchamp_base::Value;
use duchamp_chess::{Move, Oracle, Position, Square};
use std::sync::Arc;

/// What is known of a position or a move: a lower bound for the bound side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownValue {
    /// As the side to move sees it, or as the mover does; plies to mate, or to the move that leaves the restricted table with that
    /// result.
    pub value: Value,
    /// Who says so.
    pub from: Origin,
}

/// How far the proof got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The goal is reached for the bound side: a win, or at least a draw.
    Proved(Verdict),
    /// It is not, which says nothing about the game.
    NotProved,
}

impl Proof {
    /// The name in answers: that of the verdict, or `not-proved`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Proof::Proved(verdict) => verdict.name(),
            Proof::NotProved => "not-proved",
        }
    }
}

/// Rules with the solution of their restricted tables.
pub struct Restricted {
    rules: Rules,
    oracle: Arc<dyn Oracle>,
    /// The last holds the start.
    boxes: Vec<Solved>,
    /// What pieces the restricted tables have.
    materials: Vec<u64>,
    usage: Vec<Usage>,
    plan: TablePlan,
    /// For questions asked later: not counted.
    tally: Tally,
}

/// Where a position lies.
struct Home<'a> {
    solved: &'a Solved,
    /// By piece of the restricted table.
    squares: Vec<Square>,
    /// As the side to move sees it, but for a right to capture en passant.
    value: Value,
}

impl Restricted {
    pub(super) fn new(
        rules: Rules,
        oracle: Arc<dyn Oracle>,
        boxes: Vec<Solved>,
        tally: &Tally,
        plan: TablePlan,
    ) -> Restricted {
        let mut materials: Vec<u64> = boxes.iter().map(|solved| solved.material).collect();
        materials.sort_unstable();
        materials.dedup();
        Restricted {
            rules,
            oracle,
            materials,
            boxes,
            usage: tally.usage(),
            plan,
            tally: Tally::new(0),
        }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The restricted tables as they were planned.
    #[must_use]
    pub fn plan(&self) -> &TablePlan {
        &self.plan
    }

    /// By rule, as in [`Rules::sources`]: how often it was used, and what tables said of it.
    #[must_use]
    pub fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// What is in each restricted table. Counts all entries.
    #[must_use]
    pub fn reports(&self) -> Vec<TableReport> {
        let bound = self.rules.bound;
        self.boxes
            .iter()
            .map(|solved| solved.report(bound))
            .collect()
    }

    /// The value of a position that lies in a restricted table. Clocks and history are not taken into account.
    #[must_use]
    pub fn value(&self, position: &Position) -> Option<KnownValue> {
        let Home { solved, value, .. } = self.home(position)?;
        if position.ep_square().is_some() {
            // The right is a move more; the best move says what it is worth.
            let moves = position.legal_moves().into_iter();
            return moves
                .filter_map(|mv| self.move_value(position, mv))
                .max_by_key(|known| known.value.rank());
        }
        Some(KnownValue {
            value,
            from: Origin::Restricted(solved.number),
        })
    }

    /// The value of a legal move of a position that lies in a restricted table, as its mover sees it.
    #[must_use]
    pub fn move_value(&self, position: &Position, mv: Move) -> Option<KnownValue> {
        let Home {
            solved, squares, ..
        } = self.home(position)?;
        let men = solved.men(&squares);
        let evaluator = self.evaluator_of(solved);
        if let Some(finding) = evaluator.exit(&solved.layout, position, &men, mv) {
            return Some(KnownValue {
                value: exit_cell(finding.verdict, position.turn()).value(),
                from: finding.from,
            });
        }
        let after = position.play(mv);
        let value = solved.value(&after)?.before_move();
        Some(KnownValue {
            value,
            from: Origin::Restricted(solved.number),
        })
    }

    /// Whether a position can lie in a restricted table, by its pieces alone. Fast.
    pub(super) fn may_hold(&self, position: &Position) -> bool {
        self.materials.contains(&position.material_counts())
    }

    /// Whether the goal is reached from the start.
    #[must_use]
    pub fn proof(&self) -> Proof {
        let wanted = self.rules.goal.verdict(self.rules.bound);
        let start = &self.rules.start;
        let found = self
            .value(start)
            .map(|known| verdict(known.value.wdl(), start.turn()));
        match found {
            Some(found) if found.worse_for(wanted, self.rules.bound) == wanted => {
                Proof::Proved(found)
            }
            _ => Proof::NotProved,
        }
    }

    /// The restricted table that says most about a position.
    fn home(&self, position: &Position) -> Option<Home<'_>> {
        if position.ep_square().is_some() && position.turn() != self.rules.bound {
            // The bound side does not play such double steps.
            return None;
        }
        let ours = |value: Value| {
            if position.turn() == self.rules.bound {
                value.rank()
            } else {
                -value.rank()
            }
        };
        let homes = self.boxes.iter().filter_map(|solved| {
            let (squares, value) = solved.locate(position)?;
            Some(Home {
                solved,
                squares,
                value,
            })
        });
        homes.max_by_key(|home| ours(home.value))
    }

    fn evaluator_of(&self, solved: &Solved) -> ExitEvaluator<'_> {
        ExitEvaluator {
            rules: &self.rules,
            oracle: &*self.oracle,
            boxes: &self.boxes[..solved.number],
            tally: &self.tally,
        }
    }
}
