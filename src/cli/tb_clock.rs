//! The 50-move rule from a position whose halfmove clock already runs; moves by their outcome.

use duchamp_base::{Plies, Wdl};
use duchamp_chess::{FIFTY_MOVES, within_fifty_moves};
use duchamp_tablebase::{MoveValues, ProbedValues};

/// The result of a position with a halfmove clock of so many plies, or of a move made there: a win whose next capture, pawn move
/// or mate comes too late for the 50-move rule is cursed, such a loss blessed. `None` if the distance to zeroing is not known.
pub(super) fn result(values: ProbedValues, clock: u16) -> Option<Wdl> {
    if values.wdl == Wdl::Draw {
        return Some(Wdl::Draw);
    }
    let plies = values.dtz?;
    // A mate on the board ends the game, whatever the clock.
    let in_time = plies == Plies(0) || within_fifty_moves(plies, clock);
    Some(match values.wdl {
        Wdl::Win | Wdl::CursedWin if in_time => Wdl::Win,
        Wdl::Win | Wdl::CursedWin => Wdl::CursedWin,
        _ if in_time => Wdl::Loss,
        _ => Wdl::BlessedLoss,
    })
}

/// What the 50-move rule makes of a position, in words: the clock, and the result if it changes.
pub(super) fn in_words(values: ProbedValues, clock: u16) -> Option<String> {
    let result = result(values, clock)?;
    let Some(plies) = values.dtz.filter(|_| result != Wdl::Draw) else {
        return Some(format!("halfmove clock {clock}: draw"));
    };
    let sum = format!("{clock} + {plies} plies");
    Some(match result {
        Wdl::Win | Wdl::Loss => {
            let what = if result == Wdl::Win { "win" } else { "loss" };
            format!("halfmove clock {clock}: a {what} ({sum}, at most {FIFTY_MOVES})")
        }
        Wdl::CursedWin => {
            format!(
                "halfmove clock {clock}: a draw by the 50-move rule, a cursed win ({sum}, more than {FIFTY_MOVES})"
            )
        }
        _ => format!(
            "halfmove clock {clock}: a draw by the 50-move rule, a blessed loss ({sum}, more than {FIFTY_MOVES})"
        ),
    })
}

/// The outcome of a move: with a halfmove clock if that is given and the distance to zeroing is known.
pub(super) fn outcome(values: ProbedValues, clock: Option<u16>) -> Wdl {
    clock
        .and_then(|clock| result(values, clock))
        .unwrap_or(values.wdl)
}

/// The number of the only move that keeps the result, where another move loses some of it.
pub(super) fn only_move<M>(moves: &[MoveValues<M>], clock: Option<u16>) -> Option<usize> {
    let outcomes = moves.iter().map(|entry| outcome(entry.values, clock));
    let best = outcomes.clone().max()?;
    let mut keeping = outcomes.enumerate().filter(|(_, wdl)| *wdl == best);
    let (first, _) = keeping.next()?;
    (moves.len() > 1 && keeping.next().is_none()).then_some(first)
}

/// The headline of the moves with an outcome.
pub(super) const fn headline(outcome: Wdl) -> &'static str {
    match outcome {
        Wdl::Win => "winning:",
        Wdl::CursedWin => "cursed wins (drawn by the 50-move rule):",
        Wdl::Draw => "drawing:",
        Wdl::BlessedLoss => "blessed losses (drawn by the 50-move rule):",
        Wdl::Loss => "losing:",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::Position;

    fn values(wdl: Wdl, dtz: u16) -> ProbedValues {
        let dtz = (wdl != Wdl::Draw).then_some(Plies(dtz));
        ProbedValues {
            wdl,
            dtm: None,
            dtc: None,
            dtz,
        }
    }

    #[test]
    fn the_hundredth_ply_is_in_time() {
        for (wdl, dtz, clock, expected) in [
            (Wdl::Win, 21, 79, Wdl::Win),
            (Wdl::Win, 21, 80, Wdl::CursedWin),
            (Wdl::CursedWin, 101, 0, Wdl::CursedWin),
            (Wdl::Loss, 20, 80, Wdl::Loss),
            (Wdl::Loss, 20, 81, Wdl::BlessedLoss),
            (Wdl::Loss, 0, 200, Wdl::Loss),
            (Wdl::Draw, 0, 99, Wdl::Draw),
        ] {
            assert_eq!(
                result(values(wdl, dtz), clock),
                Some(expected),
                "{wdl:?} {dtz} {clock}"
            );
        }
        let unknown = ProbedValues {
            dtz: None,
            ..values(Wdl::Win, 1)
        };
        assert_eq!(result(unknown, 0), None);
    }

    #[test]
    fn the_only_move_may_depend_on_the_clock() {
        let mv = Position::start().legal_moves()[0];
        let list = |dtz: &[u16]| -> Vec<MoveValues<_>> {
            let entry = |&dtz| MoveValues {
                mv,
                values: values(Wdl::Win, dtz),
            };
            dtz.iter().map(entry).collect()
        };
        assert_eq!(only_move(&list(&[5, 9]), Some(0)), None);
        assert_eq!(only_move(&list(&[9, 5]), Some(93)), Some(1));
        assert_eq!(only_move(&list(&[5, 9]), Some(96)), None);
        // A forced move is no choice.
        assert_eq!(only_move(&list(&[5]), None), None);
    }
}
