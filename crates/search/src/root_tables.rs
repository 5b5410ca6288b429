//! The root is in the tables: what each move leads to, and what is left to search.

use super::exact::{mating_line, score_of};
use super::info::{Bound, Line};
use super::report::{expected, reported};
use duchamp_base::{Plies, Value};
use duchamp_chess::{FIFTY_MOVES, Game, Move, Oracle, Position, within_fifty_moves};

/// What the tables say about a root.
#[derive(Debug)]
pub(super) enum Ranked {
    /// Won or lost within the 50-move rule: every move with its exact value, best first. There is
    /// nothing to search.
    Solved(Vec<(Move, Value)>),
    /// A draw, with the moves that keep it. Which of them is the hardest for the opponent is for
    /// the search to say, without tables (they call all of them equal).
    Drawn(Vec<Move>),
    /// Won or lost, but the 50-move rule may come first: the moves that keep the win (all, if
    /// lost). The search, which sees the counter, must find a capture or pawn move in time.
    Racing(Vec<Move>),
}

/// What the oracle says about the root moves `moves`; `None` if it does not know them all.
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
        // Counter 0 does not help a win of more than 50 moves: ask the search for the way.
        Value::Win(plies) | Value::Loss(plies)
            if !fifty_move_rule || within_fifty_moves(plies, root.halfmove_clock()) =>
        {
            Ranked::Solved(values)
        }
        _ => Ranked::Racing(kept(&values)),
    })
}

/// What a root move is worth, draws by repetition and by the 50-move rule included.
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
    // A win is none if the opponent can answer with a third repetition.
    let spoilt = matches!(value, Value::Win(_))
        && child.halfmove_clock() > 0
        && child.legal_moves().into_iter().any(|reply| {
            let mut answered = after.clone();
            answered.push(reply);
            answered.is_repetition(2)
        });
    Some(if spoilt { Value::Draw } else { value })
}

/// The line of a solved root move; what is not counted here is taken from `counted`.
pub(super) fn line(
    root: &Position,
    oracle: &dyn Oracle,
    (mv, value): (Move, Value),
    multipv: usize,
    counted: Line,
) -> Line {
    let mut pv = vec![mv];
    let rest = match value {
        Value::Draw => None,
        _ => mating_line(oracle, &root.play(mv)),
    };
    pv.extend(rest.unwrap_or_default());
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
        wdl: expected_exactly(value, score),
        pv,
        ..counted
    }
}

fn expected_exactly(value: Value, score: duchamp_eval::Score) -> super::info::WinDrawLoss {
    match value {
        Value::Draw => super::info::WinDrawLoss {
            win: 0,
            draw: 1000,
            loss: 0,
        },
        _ => expected(score),
    }
}
