//! The kings' game inside one structure: from where can the attacker force a won exit?
//!
//! The attacker wins if he, to move, has a won exit or a king's move to a won placement, and if the defender, to move,
//! is mated or can only move to won placements. The least solution of these two rules is found move by move.

use super::rows::{Kings, Rows, neighbours};
use super::scene::Ground;
use duchamp_base::Plies;
use duchamp_chess::FIFTY_MOVES;

/// Moves of both sides after which a win is given up: it might be too late for the 50-move rule.
pub(super) const STAGES: u16 = FIFTY_MOVES / 2 - 1;

/// Placements that the attacker wins, by who is to move.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Won {
    pub(super) attacker: Rows,
    pub(super) defender: Rows,
}

impl Won {
    pub(super) const NONE: Won = Won {
        attacker: Rows::EMPTY,
        defender: Rows::EMPTY,
    };

    pub(super) fn has(&self, kings: Kings, attacker_to_move: bool) -> bool {
        if attacker_to_move {
            self.attacker.has(kings)
        } else {
            self.defender.has(kings)
        }
    }
}

/// The structure's part in the kings' game.
pub(super) struct Game {
    /// Legal placements, the attacker to move.
    legal: Rows,
    /// Placements at which the defender to move is not lost already because he has no move (stalemate) or a saving exit:
    /// all others are lost unless a king's step saves him.
    exposed: Rows,
    /// Placements from which the attacker to move has a won exit.
    exits: Rows,
}

impl Game {
    /// The game in which `exits` win for the attacker to move and `escapes` save the defender to move. `movable` are the
    /// placements at which the defender has a legal exit, saving or not.
    pub(super) fn new(ground: &Ground, exits: Rows, escapes: &Rows, movable: &Rows) -> Game {
        let legal = ground.attacker();
        let exposed = Rows::by(|king| {
            let moves = neighbours(legal[king]) | movable[king] | ground.attacked;
            (ground.defender_row(king) & moves) - escapes[king]
        });
        Game {
            legal,
            exposed,
            exits,
        }
    }

    /// Adds to `won` all that follows from it; `each` sees every stage.
    pub(super) fn close(&self, won: &mut Won, mut each: impl FnMut(&Won)) {
        while self.step(won) {
            each(won);
        }
    }

    /// One stage more: a move of both sides. Whether anything came of it.
    pub(super) fn step(&self, won: &mut Won) -> bool {
        let lost = won.defender.update(
            [&self.exposed, &self.legal, &won.attacker],
            |_, [exposed, legal, won]| exposed - neighbours(legal - won),
        );
        let steps = won.defender.attacker_steps();
        let more = won.attacker.update(
            [&self.exits, &self.legal, &steps],
            |_, [exits, legal, steps]| exits | (steps & legal),
        );
        lost | more
    }

    /// What the attacker wins before the 50-move rule ends the game, and in at most how many plies he reaches the exit
    /// or the mate.
    pub(super) fn solve_in_time(&self) -> (Won, Plies) {
        let mut won = Won::NONE;
        let mut stages = 0;
        while stages < STAGES && self.step(&mut won) {
            stages += 1;
        }
        (won, Plies(2 * stages))
    }

    /// Plies to the exit or the mate, at most; `None` if the placement is not won.
    pub(super) fn plies(&self, kings: Kings, attacker_to_move: bool) -> Option<Plies> {
        let mut stage = 0;
        let mut found = None;
        let mut won = Won::NONE;
        self.close(&mut won, |won| {
            stage += 1;
            if found.is_none() && won.has(kings, attacker_to_move) {
                found = Some(stage);
            }
        });
        // A loss of stage n takes at most 2n - 2 king moves and an exit of the defender, a win one move more to come there.
        let stages: u16 = found?;
        Some(Plies(2 * stages - u16::from(!attacker_to_move)))
    }
}
