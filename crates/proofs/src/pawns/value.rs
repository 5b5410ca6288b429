//! The value of a position put together: from both sides' questions asked in turns, and from captures en passant.

use super::prover::WinStatus;
use duchamp_chess::{Color, Move, MoveKind, MoveList, Position, Role, Setup};
use std::cmp::Ordering;

/// How many times as much the question about the side gets that is likelier to win.
const FAVOUR: u32 = 3;

/// One side's turn to be asked about.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The side that may win.
    pub attacker: Color,
    /// How many turns each side has had.
    pub round: u32,
    /// How many times as much this question is to get as one that is not favoured: at least 1.
    pub weight: u32,
}

/// Asks who wins a position, one side and then the other in turns, until one side is proved to win or both answers are there: it
/// is not known which of the questions is the easier one. The side with more pawns, which is likelier to win, comes first and gets
/// more; with as many, the side to move comes first. `ask` returns the verdict and whether asking again may tell
/// more; `None` ends it. The verdicts by the side that attacks.
pub fn in_turns(
    position: &Position,
    mut ask: impl FnMut(Turn) -> Option<(WinStatus, bool)>,
) -> [WinStatus; 2] {
    let likelier = likelier(position);
    let first = likelier.unwrap_or(position.turn());
    let mut verdicts = [WinStatus::Open; 2];
    let mut open = [first, !first].map(|attacker| (attacker, true));
    let mut round = 0;
    while open.iter().any(|(_, open)| *open) {
        for (attacker, open) in open.iter_mut().filter(|(_, open)| *open) {
            let Some((verdict, more)) = ask(Turn {
                attacker: *attacker,
                round,
                weight: if likelier == Some(*attacker) {
                    FAVOUR
                } else {
                    1
                },
            }) else {
                return verdicts;
            };
            verdicts[*attacker as usize] = verdict;
            match verdict {
                // The other cannot win, then.
                WinStatus::Won(_) => return verdicts,
                WinStatus::NotWon => *open = false,
                WinStatus::Open => *open = more,
            }
        }
        round += 1;
    }
    verdicts
}

/// The side with more pawns; `None` if both have as many.
fn likelier(position: &Position) -> Option<Color> {
    let pawns = |color| position.of(color, Role::Pawn).count();
    match pawns(Color::White).cmp(&pawns(Color::Black)) {
        Ordering::Greater => Some(Color::White),
        Ordering::Less => Some(Color::Black),
        Ordering::Equal => None,
    }
}

/// A position with an en-passant right taken apart: its value is the best of the captures en passant and, if there are other
/// moves, of the position without the right. `None` only if the rules forbid that one.
#[must_use]
pub fn apart(position: &Position) -> Option<(MoveList, Option<Position>)> {
    let moves: MoveList = position.legal_moves();
    let is_passant = |mv: &Move| mv.kind() == MoveKind::EnPassant;
    let captures: MoveList = moves.iter().copied().filter(is_passant).collect();
    if captures.len() == moves.len() {
        return Some((captures, None));
    }
    let setup = Setup {
        ep: None,
        ..position.setup()
    };
    let without = Position::from_setup(&setup).ok()?;
    Some((captures, Some(without)))
}
