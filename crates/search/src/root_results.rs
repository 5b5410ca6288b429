//! Tables of results at the root: ranks the root moves by their distances to zeroing and selects those to search.
//!
//! A move after which the win comes within the 50-move rule, `distance + clock <= 99`, is as good as any other such move:
//! the search chooses among them. By induction one of them exists at every later move, so the win is never lost. Once a
//! position was repeated, only the shortest distance will do, which decreases with every move, so that no position comes a
//! third time. Distances may be one ply too short; 99 leaves room for that ply.

use duchamp_base::Wdl;
use duchamp_chess::{FIFTY_MOVES, Game, Move, Oracle};

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

/// A root, and what ranks its moves.
pub(super) struct RootResults<'a> {
    pub(super) game: &'a Game,
    pub(super) results: &'a dyn Oracle,
    pub(super) fifty_move_rule: bool,
}

impl RootResults<'_> {
    /// Selects root moves by distances to zeroing, or by results where distances are missing; `None` if the tables do not
    /// cover all of the moves.
    pub(super) fn select(&self, moves: &[Move]) -> Option<Selection> {
        self.by_distances(moves).or_else(|| self.by_results(moves))
    }

    fn by_distances(&self, moves: &[Move]) -> Option<Selection> {
        let clock = i32::from(self.game.current().halfmove_clock());
        let strict = has_repeated(self.game);
        // A distance may be a ply too short, but for one of exactly 100 right after a capture or pawn move.
        let open = |rank: i32| clock > 0 && CERTAIN - rank.abs() == i32::from(FIFTY_MOVES);
        let (best, moves) = best_of(moves, |mv| Some(rank(self.distance(mv)?, clock, strict)))?;
        Some(Selection {
            moves,
            wdl: wdl_of(best, self.fifty_move_rule),
            by_distance: true,
            proved: !(open(best) && self.fifty_move_rule),
        })
    }

    fn by_results(&self, moves: &[Move]) -> Option<Selection> {
        let (wdl, moves) = best_of(moves, |mv| {
            let wdl = match self.ending(mv) {
                Some(wdl) => wdl,
                None => -self.results.wdl(&self.game.current().play(mv))?,
            };
            Some(under_rule(wdl, self.fifty_move_rule))
        })?;
        // With a clock that runs a win may come too late, and a loss with it. After a quiet move it runs; with a fresh one the
        // root's own result says whether there is time.
        let root = self.game.current();
        let fresh = || root.halfmove_clock() == 0 && self.results.wdl(root) == Some(wdl);
        let proved = wdl == Wdl::Draw || !self.fifty_move_rule || fresh();
        Some(Selection {
            moves,
            wdl,
            by_distance: false,
            proved,
        })
    }

    /// The result of a move that ends the game.
    fn ending(&self, mv: Move) -> Option<Wdl> {
        let child = self.game.current().play(mv);
        if child.is_checkmate() {
            return Some(Wdl::Win);
        }
        let mut after = self.game.clone();
        after.push(mv);
        let late = self.fifty_move_rule && child.halfmove_clock() >= FIFTY_MOVES;
        (late || after.is_repetition(2) || !child.has_legal_move()).then_some(Wdl::Draw)
    }

    /// The distance of a move to zeroing, counted from before it, with draws by repetition and by the 50-move rule.
    fn distance(&self, mv: Move) -> Option<i32> {
        match self.ending(mv) {
            Some(Wdl::Draw) => return Some(0),
            Some(_) => return Some(1),
            None => {}
        }
        let child = self.game.current().play(mv);
        if child.halfmove_clock() == 0 {
            return Some(match -self.results.wdl(&child)? {
                Wdl::Win => 1,
                Wdl::CursedWin => 101,
                Wdl::Draw => 0,
                Wdl::BlessedLoss => -101,
                Wdl::Loss => -1,
            });
        }
        let after = -self.results.dtz(&child)?;
        let repeats = after > 0 && self.game.lets_repeat(mv);
        Some(if repeats { 0 } else { after + after.signum() })
    }
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
    // A sum of exactly 100 is in time if the distance is exact (`by_distances`).
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
    use duchamp_chess::{Color, Position, Role};

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

    /// With a sum of exactly 100 a ply decides, by which the distance may be wrong.
    #[test]
    fn at_the_edge_nothing_is_proved() {
        // With the rook on the first rank three plies from before the move.
        for (clock, wdl, proved) in [
            (96, Wdl::Win, true),
            (97, Wdl::Win, false),
            (98, Wdl::CursedWin, true),
        ] {
            let kept = selected(&game(clock), true);
            assert_eq!((kept.wdl, kept.proved), (wdl, proved), "{clock}");
        }
        assert!(selected(&game(97), false).proved);
    }

    /// A rook's ending in which the loser to move is as far from its end as the rook from the first rank.
    struct Fake;

    impl Oracle for Fake {
        fn max_men(&self) -> u32 {
            3
        }
        fn wdl(&self, _: &Position) -> Option<Wdl> {
            Some(Wdl::Loss)
        }
        fn dtm(&self, _: &Position) -> Option<duchamp_base::Value> {
            None
        }
        fn dtz(&self, position: &Position) -> Option<i32> {
            let rook = position.of(Color::White, Role::Rook).first()?;
            Some(-2 - 4 * rook.rank().index() as i32)
        }
    }

    fn selected(game: &Game, fifty_move_rule: bool) -> Selection {
        let root = RootResults {
            game,
            results: &Fake,
            fifty_move_rule,
        };
        let moves = game.current().legal_moves();
        root.select(&moves).expect("all moves are covered")
    }

    fn game(clock: u32) -> Game {
        let fen = format!("8/8/8/8/6k1/8/8/KR6 w - - {clock} 80");
        Game::new(Position::from_fen(&fen).expect("legal"))
    }

    #[test]
    fn all_moves_that_win_in_time_are_searched() {
        let all = game(0).current().legal_moves().len();
        let early = selected(&game(0), true);
        assert_eq!((early.moves.len(), early.wdl), (all, Wdl::Win));
        // The rook may go to the second rank (distance 7 from before the move), not further.
        let late = selected(&game(92), true);
        assert_eq!(late.wdl, Wdl::Win);
        assert_eq!(late.moves.len(), all - 6);
        let too_late = selected(&game(98), true);
        assert_eq!(too_late.wdl, Wdl::CursedWin);
        assert_eq!(selected(&game(98), false).wdl, Wdl::Win);
    }

    #[test]
    fn after_a_repetition_only_the_shortest_way_is_searched() {
        let mut game = game(0);
        for text in ["b1b8", "g4g3", "b8b1", "g3g4", "b1b8", "g4g3"] {
            let mv = game.current().parse_uci(text).expect("legal");
            game.push(mv);
        }
        // The rook is on the eighth rank: only its way down the file is shortest, and that would repeat a third time.
        let kept = selected(&game, true);
        assert_eq!(kept.wdl, Wdl::Win);
        let names: Vec<String> = kept.moves.iter().map(|mv| format!("{mv:?}")).collect();
        assert_eq!(names, ["b8b2"]);
    }

    /// Nothing but results: the moves of the best result.
    #[test]
    fn results_decide_where_distances_are_missing() {
        struct Results;
        impl Oracle for Results {
            fn max_men(&self) -> u32 {
                3
            }
            fn wdl(&self, position: &Position) -> Option<Wdl> {
                let won = match position.turn() {
                    Color::White => Wdl::Win,
                    Color::Black => Wdl::Loss,
                };
                let men = position.board().men();
                Some(if men == 2 { Wdl::Draw } else { won })
            }
            fn dtm(&self, _: &Position) -> Option<duchamp_base::Value> {
                None
            }
        }
        for (clock, proved) in [(0, true), (30, false)] {
            let game = game(clock);
            let root = RootResults {
                game: &game,
                results: &Results,
                fifty_move_rule: true,
            };
            let moves = game.current().legal_moves();
            let kept = root.select(&moves).expect("covered");
            assert_eq!(
                (kept.wdl, kept.by_distance, kept.proved),
                (Wdl::Win, false, proved)
            );
        }
    }
}
