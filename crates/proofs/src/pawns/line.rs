//! A line inside one structure: the attacker follows his shortest hope, the defender resists.

use std::cmp::Reverse;

use super::bounds::{Bound, Outlook, Stage};
use super::exits::{Exit, Kind, Mover};
use super::kings::Won;
use super::rows::Kings;
use duchamp_chess::attacks;

/// All prices that occur, and 0, from the least to the greatest.
fn ladder(prices: &[u32]) -> Vec<u32> {
    let mut ladder = prices.to_vec();
    ladder.push(0);
    ladder.sort_unstable();
    ladder.dedup();
    ladder
}

/// What the attacker may hope to win, the cheapest hopes first.
pub(super) struct Hopes {
    /// The price of the dearest exit so far, and what is won with exits up to that price.
    stages: Vec<(u32, Won)>,
}

impl Hopes {
    /// Exits count as hoped once their price is paid, at the lower bound before.
    pub(super) fn of(stage: &Stage, outlooks: &[Outlook<'_>], prices: &[u32]) -> Hopes {
        let mut stages = Vec::new();
        let mut won = Won::NONE;
        for paid in ladder(prices) {
            let game = stage.game(outlooks, |number| {
                if prices[number] <= paid {
                    Bound::Hope
                } else {
                    Bound::Low
                }
            });
            game.close(&mut won, |won| stages.push((paid, won.clone())));
        }
        Hopes { stages }
    }

    /// The first stage at which a placement is won.
    fn level(&self, kings: Kings, to_move: Mover) -> Option<usize> {
        self.stages
            .iter()
            .position(|(_, won)| won.has(kings, to_move == Mover::Attacker))
    }
}

/// What the defender may hope to hold, by price.
pub(super) struct Doubts {
    /// A price, the dearest first, and what is won all the same if the attacker fails wherever no more is to be paid.
    stages: Vec<(u32, Won)>,
}

impl Doubts {
    /// Exits count as held if their price is paid, else as won if they may be.
    pub(super) fn of(stage: &Stage, outlooks: &[Outlook<'_>], prices: &[u32]) -> Doubts {
        let mut stages = Vec::new();
        let mut won = Won::NONE;
        for paid in ladder(prices).into_iter().rev() {
            let game = stage.game(outlooks, |number| {
                if prices[number] <= paid {
                    Bound::Low
                } else {
                    Bound::High
                }
            });
            // The less is paid the more is won, so this goes on from what was won before.
            game.close(&mut won, |_| {});
            stages.push((paid, won.clone()));
        }
        Doubts { stages }
    }

    /// What it takes at least to hold a placement, the attacker to move.
    fn price(&self, kings: Kings) -> u32 {
        let held = self.stages.iter().rev();
        held.filter(|(_, won)| !won.has(kings, true))
            .map(|(paid, _)| *paid)
            .next()
            .unwrap_or(u32::MAX)
    }
}

/// The rules of a line.
pub(super) struct Line<'a> {
    pub(super) stage: &'a Stage,
    pub(super) outlooks: &'a [Outlook<'a>],
    /// The prices of exits for the attacker, and for the defender.
    pub(super) prices: &'a [u32],
    pub(super) doubted: &'a [u32],
    /// What is proved: the defender never goes there.
    pub(super) low: &'a Won,
    pub(super) hopes: Hopes,
    /// If there are any the defender follows his cheapest hope, else he makes the attacker's dear.
    pub(super) doubts: Option<Doubts>,
}

impl Line<'_> {
    /// Plays from an open placement until an exit; `None` if it ends at one of which nothing more can be found out.
    pub(super) fn play(&self, mut kings: Kings, mut to_move: Mover) -> Option<(Exit, Kings)> {
        loop {
            let level = self.hopes.level(kings, to_move)?;
            let choice = match to_move {
                Mover::Attacker => self.attacker(kings, level)?,
                Mover::Defender => self.defender(kings, level)?,
            };
            match choice {
                Choice::Step(next) => {
                    kings = next;
                    to_move = match to_move {
                        Mover::Attacker => Mover::Defender,
                        Mover::Defender => Mover::Attacker,
                    };
                }
                Choice::Exit(number) => {
                    let exit = &self.stage.exits[number];
                    return Some((exit.clone(), after(exit, kings)));
                }
            }
        }
    }

    fn attacker(&self, kings: Kings, level: usize) -> Option<Choice> {
        let paid = self.hopes.stages[level].0;
        let exits = self
            .outlooks
            .iter()
            .enumerate()
            .filter(|(number, outlook)| {
                let bound = if self.prices[*number] <= paid {
                    Bound::Hope
                } else {
                    Bound::Low
                };
                outlook.exit.mover == Mover::Attacker && outlook.won(bound).has(kings)
            });
        let exit = exits.min_by_key(|(number, _)| self.prices[*number]);
        let steps = attacks::king(kings.attacker)
            .into_iter()
            .filter_map(|attacker| {
                let next = Kings { attacker, ..kings };
                Some((self.hopes.level(next, Mover::Defender)?, next))
            });
        let step = steps
            .min_by_key(|(level, _)| *level)
            .filter(|(next, _)| *next <= level);
        match (exit, step) {
            // The exit is what the hope rests on, unless it was there at an earlier stage.
            (Some((number, _)), _) => Some(Choice::Exit(number)),
            (None, Some((_, next))) => Some(Choice::Step(next)),
            (None, None) => None,
        }
    }

    fn defender(&self, kings: Kings, level: usize) -> Option<Choice> {
        let steps = self.stage.ground.attacker_row(kings.attacker) & attacks::king(kings.defender);
        let steps = steps.into_iter().filter_map(|defender| {
            let next = Kings { defender, ..kings };
            let open = !self.low.has(next, true);
            open.then(|| self.hopes.level(next, Mover::Attacker))
                .flatten()
                .map(|level| (level, Choice::Step(next)))
        });
        let exits = self
            .outlooks
            .iter()
            .enumerate()
            .filter_map(|(number, outlook)| {
                let open = outlook.exit.mover == Mover::Defender
                    && outlook.may.has(kings)
                    && !outlook.won(Bound::Low).has(kings);
                open.then_some((level, Choice::Exit(number)))
            });
        let choices = steps.chain(exits);
        let choice = match &self.doubts {
            Some(doubts) => choices.min_by_key(|(level, choice)| {
                let price = match choice {
                    Choice::Step(next) => doubts.price(*next),
                    Choice::Exit(number) => self.doubted[*number],
                };
                (price, Reverse(*level))
            }),
            None => choices.max_by_key(|(level, choice)| {
                let price = match choice {
                    Choice::Step(_) => self.hopes.stages[*level].0,
                    Choice::Exit(number) => self.prices[*number],
                };
                (price, *level)
            }),
        };
        choice.map(|(_, choice)| choice)
    }
}

/// A move inside a structure or out of it.
enum Choice {
    Step(Kings),
    Exit(usize),
}

/// The kings after an exit.
fn after(exit: &Exit, kings: Kings) -> Kings {
    match (&exit.kind, exit.mover) {
        (&Kind::King(square), Mover::Attacker) => Kings {
            attacker: square,
            ..kings
        },
        (&Kind::King(square), Mover::Defender) => Kings {
            defender: square,
            ..kings
        },
        _ => kings,
    }
}
