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
            return self.best_move(position);
        }
        Some(KnownValue {
            value,
            from: Origin::Restricted(solved.number),
        })
    }

    /// What the best move is worth. The bound side does without moves of which nothing is known; if there is one of the other
    /// side's, which may be its best, nothing is known of the position.
    fn best_move(&self, position: &Position) -> Option<KnownValue> {
        let ours = position.turn() == self.rules.bound;
        let mut best: Option<KnownValue> = None;
        for mv in position.legal_moves() {
            match self.move_value(position, mv) {
                Some(known) if best.is_none_or(|best| known.value.rank() >= best.value.rank()) => {
                    best = Some(known);
                }
                None if !ours => return None,
                _ => {}
            }
        }
        best
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

#[cfg(test)]
mod tests {
    use super::super::plan::FreezeLimits;
    use super::super::solve::{FreezeJob, solve};
    use super::*;
    use duchamp_base::{Control, Gauge, Wdl};
    use duchamp_chess::Role;

    /// White has just played d4; his king takes the other pawn in time.
    const PASSED: &str = r#"
        start = "7k/8/8/8/2pP4/8/8/4K3 b - d3 0 1"
        bound = "white"
        prove = "draw"
        [tables]
        max_men = 3
        [[man]]
        at = "e1"
        squares = "c1-e3"
        [[man]]
        at = "d4"
        squares = "stay"
    "#;

    /// All draws, but what comes of the capture en passant.
    struct Three {
        passed: Wdl,
    }

    impl Oracle for Three {
        fn max_men(&self) -> u32 {
            3
        }

        fn wdl(&self, position: &Position) -> Option<Wdl> {
            let passed = position.role(Role::Pawn).has(Square::D3);
            Some(if passed { self.passed } else { Wdl::Draw })
        }

        fn dtm(&self, _: &Position) -> Option<Value> {
            None
        }
    }

    #[test]
    fn a_start_in_which_the_other_side_may_take_en_passant_is_proved() {
        for (passed, proof) in [
            (Wdl::Draw, Proof::Proved(Verdict::Draw)),
            (Wdl::Loss, Proof::NotProved),
        ] {
            let job = FreezeJob {
                limits: FreezeLimits::default(),
                control: &Control::new(1),
                folder: None,
                started: &|_, _| {},
                gauge: &Gauge::default(),
            };
            let rules = Rules::parse(PASSED).expect("rules");
            let frozen = solve(rules, Arc::new(Three { passed }), &job).expect("solved");
            assert_eq!(frozen.proof(), proof);
        }
    }
}
