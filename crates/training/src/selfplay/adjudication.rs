//! Ends games: by the rules, by tables, by adjudication.

use super::record::Termination;
use duchamp_base::Wdl;
use duchamp_chess::{Color, Game, Oracle, Outcome};

/// A score that ends the game after [`WIN_PLIES`] in a row.
const WIN_SCORE: i32 = 1500;
const WIN_PLIES: u32 = 4;
/// A score so near to 0 that the game is drawn after [`DRAW_PLIES`] in a row, but not before
/// [`DRAW_FROM`].
const DRAW_SCORE: i32 = 6;
const DRAW_PLIES: u32 = 14;
const DRAW_FROM: usize = 70;
/// Longer games are drawn.
const MAX_PLIES: usize = 400;

/// White's half points of a game that the rules or a table have ended.
pub(super) fn game_end(game: &Game, oracle: &dyn Oracle) -> Option<(u8, Termination)> {
    match game.outcome() {
        Some(Outcome::Win(Color::White)) => return Some((2, Termination::Mate)),
        Some(Outcome::Win(Color::Black)) => return Some((0, Termination::Mate)),
        Some(Outcome::Draw(_)) => return Some((1, Termination::Rules)),
        None => {}
    }
    let position = game.current();
    if position.occupied().count() > oracle.max_men() || position.has_castling_rights() {
        return None;
    }
    let ours = match oracle.wdl(position)? {
        Wdl::Win => 2,
        Wdl::Loss => 0,
        Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => 1,
    };
    let white = match position.turn() {
        Color::White => ours,
        Color::Black => 2 - ours,
    };
    Some((white, Termination::Tables))
}

/// Adjudicates games by the scores of both sides.
#[derive(Default)]
pub(super) struct Adjudicator {
    won: u32,
    drawn: u32,
    sign: i32,
}

impl Adjudicator {
    /// White's half points, once they are clear. `score` is White's.
    pub(super) fn adjudicate(&mut self, score: i32, plies: usize) -> Option<(u8, Termination)> {
        let sign = score.signum();
        self.won = match score.abs() >= WIN_SCORE {
            true if sign == self.sign => self.won + 1,
            true => 1,
            false => 0,
        };
        self.sign = sign;
        self.drawn = if score.abs() <= DRAW_SCORE && plies >= DRAW_FROM {
            self.drawn + 1
        } else {
            0
        };
        if self.won >= WIN_PLIES {
            Some((if sign > 0 { 2 } else { 0 }, Termination::Won))
        } else if self.drawn >= DRAW_PLIES {
            Some((1, Termination::Drawn))
        } else {
            (plies >= MAX_PLIES).then_some((1, Termination::Length))
        }
    }
}
