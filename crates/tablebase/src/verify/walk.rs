//! The value of a position by its moves, wherever the values of stored positions come from.

use std::ops::ControlFlow;

use crate::format::Metric;
use crate::rules::{MoveFacts, Rules, better};
use duchamp_base::Value;

/// The best value that the moves of a position give, of the unstored ones only on request, if there are any; and whether
/// there are others. `after` tells the value of the position after a move.
pub(super) fn best<G: Rules>(
    position: &G::Position,
    metric: Metric,
    unstored_only: bool,
    mut after: impl FnMut(&G::Position, &MoveFacts<G::Move>) -> Value,
) -> (Option<Value>, bool) {
    let (mut best, mut others) = (None, false);
    G::moves(position, |facts| {
        if unstored_only && !facts.unstored {
            others = true;
        } else {
            let value = after(&G::play(position, facts.mv), &facts);
            if let Some(value) = G::before(metric, &facts, value) {
                best = better(best, value);
            }
        }
        ControlFlow::Continue(())
    });
    (best, others)
}

/// The value of a position, unstored moves included; `stored` tells what tables store.
pub(super) fn value<G: Rules>(
    position: &G::Position,
    metric: Metric,
    stored: &mut dyn FnMut(&G::Position) -> Value,
) -> Value {
    if !G::has_unstored_moves(position) {
        return stored(position);
    }
    // The stored value holds for all moves but these; if there are no others it means nothing.
    let (best, others) = best::<G>(position, metric, true, |after, _| {
        value::<G>(after, metric, stored)
    });
    with_stored(best, others.then(|| stored(position)))
}

/// The value of a position by the best of its unstored moves and by what is stored for all others, if there are any.
pub(super) fn with_stored(best: Option<Value>, stored: Option<Value>) -> Value {
    let best = match stored {
        Some(stored) => better(best, stored),
        None => best,
    };
    best.unwrap_or(Value::Draw)
}

/// The value that the moves of a position give it: the game may be over.
pub(super) fn by_moves<G: Rules>(
    position: &G::Position,
    metric: Metric,
    stored: &mut dyn FnMut(&G::Position) -> Value,
) -> Value {
    let (best, _) = best::<G>(position, metric, false, |after, _| {
        value::<G>(after, metric, stored)
    });
    best.unwrap_or_else(|| G::stuck(position))
}
