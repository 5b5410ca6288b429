//! Tablebase probes at the root: ranks the root moves and selects those to search.

use super::continuation::{LONGEST_DRAW, continued};
use super::exact::{mating_line, score_of};
use super::info::{Bound, Line};
use super::report::{CERTAIN_DRAW, expected, reported};
use super::shared::Shared;
use duchamp_base::{Plies, Value};
use duchamp_chess::{FIFTY_MOVES, Game, Move, Oracle, within_fifty_moves};

/// The root by the tables.
#[derive(Debug)]
pub(super) enum Ranked {
    /// Won or lost within the 50-move rule: every move with its exact value, best first. There is
    /// nothing to search.
    Solved(Vec<(Move, Value)>),
    /// A draw, with the moves that keep it. The search chooses among them without tables (which rate all of them
    /// equal).
    Drawn(Vec<Move>),
    /// Won or lost, but the 50-move rule may draw first: the moves that keep the win (all, if
    /// lost). The search must find a zeroing move in time.
    Racing(Vec<Move>),
}

/// Ranks the root moves by their exact values; `None` if one of them is not in the tables.
pub(super) fn rank(
    game: &Game,
    moves: &[Move],
    oracle: &dyn Oracle,
    fifty_move_rule: bool,
) -> Option<Ranked> {
    let root = game.current();
    if root.occupied().count() > oracle.max_men() || root.has_castling_rights() {
        return None;
    }
    let mut values = moves
        .iter()
        .map(|&mv| Some((mv, value(game, mv, oracle, fifty_move_rule)?)))
        .collect::<Option<Vec<_>>>()?;
    values.sort_by_key(|(_, value)| std::cmp::Reverse(value.rank()));
    let (_, best) = *values.first()?;
    let kept = |values: &[(Move, Value)]| {
        let wdl = best.wdl();
        values
            .iter()
            .filter(|(_, value)| value.wdl() == wdl)
            .map(|&(mv, _)| mv)
            .collect()
    };
    Some(match best {
        Value::Draw => Ranked::Drawn(kept(&values)),
        // A mate in more than 50 moves may be too late even with a fresh clock: the search chooses.
        Value::Win(plies) | Value::Loss(plies)
            if !fifty_move_rule || within_fifty_moves(plies, root.halfmove_clock()) =>
        {
            Ranked::Solved(values)
        }
        _ => Ranked::Racing(kept(&values)),
    })
}

/// The value of a root move, with draws by repetition and by the 50-move rule.
fn value(game: &Game, mv: Move, oracle: &dyn Oracle, fifty_move_rule: bool) -> Option<Value> {
    let child = game.current().play(mv);
    if child.is_checkmate() {
        return Some(Value::Win(Plies(1)));
    }
    let mut after = game.clone();
    after.push(mv);
    if after.is_repetition(2) || fifty_move_rule && child.halfmove_clock() >= FIFTY_MOVES {
        return Some(Value::Draw);
    }
    let value = oracle.dtm(&child)?.before_move();
    // Not a win if the opponent's reply can repeat the position for the third time.
    let repeats = matches!(value, Value::Win(_)) && game.lets_repeat(mv);
    Some(if repeats { Value::Draw } else { value })
}

/// The line of a root move with an exact value; the counters come from `counted`.
pub(super) fn line(
    game: &Game,
    shared: &Shared<'_>,
    (mv, value): (Move, Value),
    multipv: usize,
    counted: Line,
) -> Line {
    let root = game.current();
    let mut pv = vec![mv];
    match value {
        Value::Draw => pv = continued(&pv, root, game.keys(), shared, LONGEST_DRAW),
        _ => {
            let is_late = || shared.timer.is_late();
            pv.extend(mating_line(shared.oracle, &root.play(mv), is_late).unwrap_or_default());
        }
    }
    let complete = value.plies().is_none_or(|p| usize::from(p.0) == pv.len());
    let bound = match value {
        _ if complete => Bound::Exact,
        Value::Loss(_) => Bound::Upper,
        _ => Bound::Lower,
    };
    let score = score_of(value, 0);
    Line {
        depth: 1,
        seldepth: pv.len() as u32,
        multipv,
        score: reported(score),
        bound,
        wdl: match value {
            Value::Draw => CERTAIN_DRAW,
            _ => expected(score),
        },
        pv,
        ..counted
    }
}
