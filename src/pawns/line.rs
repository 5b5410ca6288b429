//! A line inside one structure: the attacker follows his shortest hope, the defender resists.

use super::bounds::{Bound, Outlook, Stage};
use super::exits::{Exit, Kind, Mover};
use super::kings::Won;
use super::rows::Kings;
use crate::chess::attacks;

/// What the attacker may hope to win, the cheapest hopes first.
pub(super) struct Hopes {
    /// The price of the dearest exit so far, and what is won with exits up to that price.
    stages: Vec<(u32, Won)>,
}

impl Hopes {
    /// Exits count as hoped once their price is paid, at the lower bound before.
    pub(super) fn of(stage: &Stage, outlooks: &[Outlook<'_>], prices: &[u32]) -> Hopes {
        let mut ladder = prices.to_vec();
        ladder.push(0);
        ladder.sort_unstable();
        ladder.dedup();
        let mut stages = Vec::new();
        let mut won = Won::NONE;
        for paid in ladder {
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

/// The rules of a line.
pub(super) struct Line<'a> {
    pub(super) stage: &'a Stage,
    pub(super) outlooks: &'a [Outlook<'a>],
    pub(super) prices: &'a [u32],
    /// What is proved: the defender never goes there.
    pub(super) low: &'a Won,
    pub(super) hopes: Hopes,
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
                outlook.exit.mover == Mover::Attacker
                    && outlook.won(bound, kings.attacker).has(kings.defender)
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
                .map(|level| (self.hopes.stages[level].0, level, Choice::Step(next)))
        });
        let exits = self
            .outlooks
            .iter()
            .enumerate()
            .filter_map(|(number, outlook)| {
                let open = outlook.exit.mover == Mover::Defender
                    && outlook.may(kings.attacker).has(kings.defender)
                    && !outlook.won(Bound::Low, kings.attacker).has(kings.defender);
                open.then_some((self.prices[number], level, Choice::Exit(number)))
            });
        let hardest = steps
            .chain(exits)
            .max_by_key(|(price, level, _)| (*price, *level))?;
        Some(hardest.2)
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
