//! Tables of results at the root: ranks the root moves by their distances to zeroing and selects those to search.
//!
//! A move after which the win comes within the 50-move rule, `distance + clock <= 99`, is as good as any other such move:
//! the search chooses among them. By induction one of them exists at every later move, so the win is never lost. Once a
//! position was repeated, only the shortest distance will do, which decreases with every move, so that no position comes a
//! third time. Distances may be one ply too short; 99 leaves room for that ply.

use super::shared::Shared;
use duchamp_base::Wdl;
use duchamp_chess::{FIFTY_MOVES, Game, Move, Position};

/// The rank of a certain win; more than any distance.
const CERTAIN: i32 = 1 << 18;
/// The greatest sum of distance and halfmove clock of a win that is certain even if the distance is one ply too short.
const SAFE: i32 = FIFTY_MOVES as i32 - 1;

/// The root moves that keep the best result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Selection {
    /// The moves to search.
    pub(super) moves: Vec<Move>,
    /// The result that they keep.
    pub(super) wdl: Wdl,
    /// Whether the halfmove clock was considered, so that every later move can be ranked in the same way.
    pub(super) by_distance: bool,
    /// Whether the result is certain.
    pub(super) proved: bool,
}

/// Selects root moves by distances to zeroing, or by results where distances are missing; `None` if the tables do not
/// cover all of the moves.
pub(super) fn select(game: &Game, moves: &[Move], shared: &Shared<'_>) -> Option<Selection> {
    let root = game.current();
    if root.occupied().count() > shared.results_men || root.has_castling_rights() {
        return None;
    }
    by_distances(game, moves, shared).or_else(|| by_results(game, moves, shared))
}

fn by_distances(game: &Game, moves: &[Move], shared: &Shared<'_>) -> Option<Selection> {
    let clock = i32::from(game.current().halfmove_clock());
    let strict = has_repeated(game);
    let (best, moves) = best_of(moves, |mv| {
        let distance = distance(game, mv, shared)?;
        Some(rank(distance, clock, strict))
    })?;
    Some(Selection {
        moves,
        wdl: wdl_of(best, shared.fifty_move_rule),
        by_distance: true,
        proved: true,
    })
}

fn by_results(game: &Game, moves: &[Move], shared: &Shared<'_>) -> Option<Selection> {
    let (wdl, moves) = best_of(moves, |mv| {
        let wdl = match ending(game, mv, shared.fifty_move_rule) {
            Some(wdl) => wdl,
            None => -shared.results.wdl(&game.current().play(mv))?,
        };
        Some(under_rule(wdl, shared.fifty_move_rule))
    })?;
    // With a clock that runs a win may come too late, and a loss with it.
    let certain = game.current().halfmove_clock() == 0 || !shared.fifty_move_rule;
    Some(Selection {
        moves,
        wdl,
        by_distance: false,
        proved: certain || wdl == Wdl::Draw,
    })
}

/// The best value of the moves and those that have it; `None` if one has no value, or without moves.
fn best_of<T: Copy + Ord>(
    moves: &[Move],
    value: impl Fn(Move) -> Option<T>,
) -> Option<(T, Vec<Move>)> {
    let valued = moves.iter().map(|&mv| Some((mv, value(mv)?)));
    let valued = valued.collect::<Option<Vec<_>>>()?;
    let best = valued.iter().map(|&(_, value)| value).max()?;
    let kept = valued.into_iter().filter(|&(_, value)| value == best);
    Some((best, kept.map(|(mv, _)| mv).collect()))
}

/// The result of a move that ends the game, or that allows a reply which does so by repetition.
fn ending(game: &Game, mv: Move, fifty_move_rule: bool) -> Option<Wdl> {
    let child = game.current().play(mv);
    if child.is_checkmate() {
        return Some(Wdl::Win);
    }
    let mut after = game.clone();
    after.push(mv);
    let late = fifty_move_rule && child.halfmove_clock() >= FIFTY_MOVES;
    if late || after.is_repetition(2) || !child.has_legal_move() {
        return Some(Wdl::Draw);
    }
    None
}

/// The distance of a move to zeroing, counted from before it, with draws by repetition and by the 50-move rule.
fn distance(game: &Game, mv: Move, shared: &Shared<'_>) -> Option<i32> {
    match ending(game, mv, shared.fifty_move_rule) {
        Some(Wdl::Draw) => return Some(0),
        Some(_) => return Some(1),
        None => {}
    }
    let child = game.current().play(mv);
    if child.halfmove_clock() == 0 {
        return Some(match -shared.results.wdl(&child)? {
            Wdl::Win => 1,
            Wdl::CursedWin => 101,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -101,
            Wdl::Loss => -1,
        });
    }
    let after = -shared.results.dtz(&child)?;
    let distance = after + after.signum();
    Some(if distance > 0 && can_claim(game, mv, &child) {
        0
    } else {
        distance
    })
}

/// Whether a reply to a move repeats a position for the third time.
fn can_claim(game: &Game, mv: Move, child: &Position) -> bool {
    let mut after = game.clone();
    after.push(mv);
    child.legal_moves().into_iter().any(|reply| {
        let mut answered = after.clone();
        answered.push(reply);
        answered.is_repetition(2)
    })
}

/// Whether any position since the last capture or pawn move was on the board twice.
fn has_repeated(game: &Game) -> bool {
    let keys = game.keys();
    let back = usize::from(game.current().halfmove_clock()).min(keys.len() - 1);
    let recent = &keys[keys.len() - 1 - back..];
    (1..recent.len()).any(|at| recent[..at].contains(&recent[at]))
}

/// The rank of a move by its distance: the greater the better.
fn rank(distance: i32, clock: i32, strict: bool) -> i32 {
    match distance {
        0 => 0,
        1.. if distance + clock <= SAFE && !strict => CERTAIN,
        1.. => CERTAIN - (distance + clock),
        // Far from the 50-move rule the search chooses among losing moves; near it the longest resistance counts.
        _ if -2 * distance + clock < i32::from(FIFTY_MOVES) => -CERTAIN,
        _ => -CERTAIN + (-distance + clock),
    }
}

/// The result that a rank stands for.
fn wdl_of(rank: i32, fifty_move_rule: bool) -> Wdl {
    // A distance of exactly 100 occurs only right after a capture or pawn move, and is exact.
    let in_time = CERTAIN - i32::from(FIFTY_MOVES);
    let wdl = match rank {
        0 => Wdl::Draw,
        _ if rank >= in_time => Wdl::Win,
        1.. => Wdl::CursedWin,
        _ if rank <= -in_time => Wdl::Loss,
        _ => Wdl::BlessedLoss,
    };
    under_rule(wdl, fifty_move_rule)
}

/// A result where the 50-move rule may be off.
fn under_rule(wdl: Wdl, fifty_move_rule: bool) -> Wdl {
    match wdl {
        Wdl::CursedWin if !fifty_move_rule => Wdl::Win,
        Wdl::BlessedLoss if !fifty_move_rule => Wdl::Loss,
        wdl => wdl,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_in_time_are_equal_until_a_position_repeats() {
        assert_eq!(rank(1, 0, false), rank(99, 0, false));
        assert_eq!(rank(9, 90, false), CERTAIN);
        assert!(rank(10, 90, false) < CERTAIN);
        assert!(rank(11, 0, true) > rank(13, 0, true));
        assert_eq!(wdl_of(rank(100, 0, false), true), Wdl::Win);
        assert_eq!(wdl_of(rank(101, 0, false), true), Wdl::CursedWin);
        assert_eq!(wdl_of(rank(11, 90, false), true), Wdl::CursedWin);
        assert_eq!(wdl_of(rank(11, 90, false), false), Wdl::Win);
    }

    #[test]
    fn losses_are_ranked_where_the_fifty_move_rule_is_near() {
        assert_eq!(rank(-2, 0, false), rank(-40, 0, false));
        assert!(rank(-60, 30, false) > rank(-58, 30, false));
        assert!(rank(-58, 30, false) > rank(-2, 30, false));
        assert_eq!(wdl_of(rank(-60, 30, false), true), Wdl::Loss);
        assert_eq!(wdl_of(rank(-102, 0, false), true), Wdl::BlessedLoss);
        assert!(rank(0, 0, false) > rank(-200, 0, false));
        assert_eq!(wdl_of(rank(0, 50, true), true), Wdl::Draw);
    }
}
