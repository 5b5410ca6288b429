//! The rest of a line where search stopped because the value was known: moves from tables, proofs and the hash table.
//!
//! A node whose value is known returns no line. Without this file a restricted position would be reported with a line of
//! one move, and a line that enters the tables would end there.

use super::shared::Shared;
use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{FIFTY_MOVES, Move, Position, Proven};
use std::cmp::Reverse;

/// The longest line, in plies.
const LONGEST: usize = 200;
/// A known draw is continued to this length at most, in plies: its moves are one way of many.
pub(super) const LONGEST_DRAW: usize = 24;

/// Lines that were continued before, by number of the line.
#[derive(Default)]
pub(super) struct Continuations(Vec<Continued>);

#[derive(Clone, Default)]
struct Continued {
    found: Vec<Move>,
    /// How far it was to go: with the moves it is all that `whole` depends on.
    limit: usize,
    whole: Vec<Move>,
}

impl Continuations {
    /// The line `found`, continued by `go_on` up to `limit`. A line that was continued in the last iteration is not worked out
    /// again.
    pub(super) fn of(
        &mut self,
        index: usize,
        found: &[Move],
        limit: usize,
        go_on: impl FnOnce() -> Vec<Move>,
    ) -> Vec<Move> {
        if self.0.len() <= index {
            self.0.resize(index + 1, Continued::default());
        }
        let last = &mut self.0[index];
        if last.found != found || last.limit != limit {
            *last = Continued {
                found: found.to_vec(),
                limit,
                whole: go_on(),
            };
        }
        last.whole.clone()
    }
}

/// A line and the moves that are known after its end: to the mate or the end of knowledge where somebody wins, to `limit`
/// plies in a draw. It ends at a repetition, where the rules end the game, and when the move is due.
pub(super) fn continued(
    line: &[Move],
    root: &Position,
    game_keys: &[u64],
    shared: &Shared<'_>,
    limit: usize,
) -> Vec<Move> {
    let mut pv = line.to_vec();
    let mut position = *root;
    let mut seen = game_keys.to_vec();
    for &mv in line {
        position = position.play(mv);
        seen.push(position.key());
    }
    let repeats = |seen: &[u64]| {
        seen.split_last()
            .is_some_and(|(key, old)| old.contains(key))
    };
    while pv.len() < LONGEST && !repeats(&seen) && !is_over(&position) && !shared.timer.is_late() {
        let Some(next) = by_tables(shared, &position, &seen)
            .or_else(|| by_proofs(shared, &position, &seen))
            .filter(|next| next.decides || pv.len() < limit)
        else {
            break;
        };
        position = position.play(next.mv);
        seen.push(position.key());
        pv.push(next.mv);
    }
    pv
}

/// Whether a rule ends the game here, apart from mate and stalemate, which leave no move.
fn is_over(position: &Position) -> bool {
    position.halfmove_clock() >= FIFTY_MOVES || position.is_insufficient_material()
}

/// A move that keeps what is known.
struct Next {
    mv: Move,
    /// Whether it belongs to a win or loss, not to a draw.
    decides: bool,
}

/// The next move by the tables: of a win or loss one of the shortest, of a draw one that keeps it.
fn by_tables(shared: &Shared<'_>, position: &Position, seen: &[u64]) -> Option<Next> {
    if position.occupied().count() > shared.oracle_men || position.has_castling_rights() {
        return None;
    }
    let oracle = shared.oracle;
    let wdl = oracle.wdl(position)?;
    let decides = wdl != Wdl::Draw;
    // Without a distance nothing says which winning move makes progress.
    let value = if decides {
        oracle.dtm(position)?
    } else {
        Value::Draw
    };
    let keeps = |child: &Position| {
        if decides {
            let mate = value == Value::Win(Plies(1)) && child.is_checkmate();
            mate || oracle.dtm(child).map(Value::before_move) == Some(value)
        } else {
            oracle.wdl(child) == Some(Wdl::Draw)
        }
    };
    let mut repeated = None;
    for mv in by_preference(shared, position) {
        let child = position.play(mv);
        if keeps(&child) {
            if !seen.contains(&child.key()) {
                return Some(Next { mv, decides });
            }
            repeated.get_or_insert(mv);
        }
    }
    repeated.map(|mv| Next { mv, decides })
}

/// The next move by what is proved: the best bounds, then the shortest win or longest loss.
fn by_proofs(shared: &Shared<'_>, position: &Position, seen: &[u64]) -> Option<Next> {
    if !shared.proofs.covers(position) {
        return None;
    }
    let known = shared.proofs.known(position);
    if known == Proven::NOTHING {
        return None;
    }
    let bounds = |&mv: &Move| {
        let proven = shared.proofs.judge(position, mv);
        let plies = i32::from(proven.plies.0);
        let distance = match proven.exact() {
            Some(Wdl::Win) => -plies,
            Some(Wdl::Loss) => plies,
            _ => 0,
        };
        let fresh = !seen.contains(&position.play(mv).key());
        (proven.least, proven.most, distance, fresh)
    };
    // Of equal moves the first is taken: the hash table's.
    let mv = by_preference(shared, position).min_by_key(|mv| Reverse(bounds(mv)))?;
    Some(Next {
        mv,
        decides: known.exact().is_some_and(|wdl| wdl != Wdl::Draw),
    })
}

/// The legal moves, that of the hash table first.
fn by_preference(shared: &Shared<'_>, position: &Position) -> impl Iterator<Item = Move> {
    let mut moves = position.legal_moves();
    let hash_move = shared.hash_move(position);
    if let Some(at) = moves.iter().position(|&mv| Some(mv) == hash_move) {
        moves.swap(0, at);
    }
    moves.into_iter()
}
