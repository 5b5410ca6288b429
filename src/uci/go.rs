//! The arguments of `go`, in any order, with anything between them.
//!
//! A word that is not an argument is skipped with a note; a number that is too large becomes the
//! largest there is, a negative clock an empty one, and the part after a decimal point is dropped.
//! Nothing here can fail: some `go` always comes out, since a GUI that sent one waits for a move.

use super::text::number;
use duchamp_chess::{ByColor, Color, Move};
use duchamp_engine::Limits;
use std::time::{Duration, Instant};

/// What `go` asked for; times in milliseconds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct GoArguments {
    /// `ponder`.
    pub ponder: bool,
    /// `infinite`.
    pub infinite: bool,
    /// `wtime` and `btime`, which may be negative.
    pub time: ByColor<Option<i64>>,
    /// `winc` and `binc`, not negative.
    pub increment: ByColor<i64>,
    /// `movestogo`, at least 1.
    pub moves_to_go: Option<u32>,
    /// `depth` in plies, at least 1.
    pub depth: Option<u32>,
    /// `nodes`, at least 1.
    pub nodes: Option<u64>,
    /// `mate` in moves, at least 1.
    pub mate: Option<u32>,
    /// `movetime`, not negative.
    pub move_time: Option<i64>,
    /// The words after `searchmoves`, not yet checked against a position.
    pub search_moves: Vec<String>,
    /// The depth in plies of `go perft`.
    pub perft: Option<u32>,
}

impl GoArguments {
    /// The same as limits of a search whose clock runs since `start`.
    pub(super) fn limits(&self, start: Instant, search_moves: Vec<Move>) -> Limits {
        Limits {
            start,
            time: self.time,
            increment: self.increment,
            moves_to_go: self.moves_to_go,
            move_time: self
                .move_time
                .map(|ms| Duration::from_millis(ms.unsigned_abs())),
            depth: self.depth,
            nodes: self.nodes,
            soft_nodes: None,
            mate: self.mate,
            infinite: self.infinite,
            ponder: self.ponder,
            search_moves,
        }
    }
}

/// Longest time taken, in milliseconds: thirty years, far from the end of every clock type.
const FOREVER: i64 = 1_000_000_000_000;

const WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

/// Reads the words after `go`; what could not be used is reported through `note`.
pub(super) fn parse(words: &[&str], note: &mut dyn FnMut(String)) -> GoArguments {
    let mut result = GoArguments::default();
    let mut rest = words.iter().copied().peekable();
    while let Some(word) = rest.next() {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "ponder" => result.ponder = true,
            "infinite" => result.infinite = true,
            "searchmoves" => {
                while let Some(mv) = rest.next_if(|w| !is_word(w)) {
                    result.search_moves.push(mv.to_owned());
                }
            }
            name if is_word(name) => {
                let Some(number) = rest.peek().and_then(|w| number(w)) else {
                    note(format!("go: no number after {name}"));
                    // A word that is no argument either was meant as the number.
                    rest.next_if(|w| !is_word(w));
                    continue;
                };
                rest.next();
                assign(&mut result, name, number);
            }
            other => note(format!("go: {} skipped", super::text::short(other))),
        }
    }
    result
}

fn is_word(word: &str) -> bool {
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn assign(result: &mut GoArguments, name: &str, number: i64) {
    let count = number.max(0).unsigned_abs();
    let small = u32::try_from(count).unwrap_or(u32::MAX);
    let time = number.clamp(-FOREVER, FOREVER);
    match name {
        "wtime" => result.time[Color::White] = Some(time),
        "btime" => result.time[Color::Black] = Some(time),
        "winc" => result.increment[Color::White] = time.max(0),
        "binc" => result.increment[Color::Black] = time.max(0),
        "movestogo" => result.moves_to_go = (small > 0).then_some(small),
        "depth" => result.depth = Some(small.max(1)),
        "nodes" => result.nodes = Some(count.max(1)),
        "mate" => result.mate = Some(small.max(1)),
        "movetime" => result.move_time = Some(time.max(0)),
        "perft" => result.perft = Some(small),
        _ => unreachable!("`WORDS` holds no other name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (GoArguments, usize) {
        let mut notes = 0;
        let words: Vec<&str> = line.split_whitespace().collect();
        (parse(&words, &mut |_| notes += 1), notes)
    }

    #[test]
    fn every_form_in_any_order() {
        let (a, notes) = read("ponder wtime 1000 btime 2000 winc 10 binc 20 movestogo 40");
        let (b, _) = read("movestogo 40 binc 20 winc 10 btime 2000 wtime 1000 ponder");
        assert_eq!((notes, &a), (0, &b));
        assert!(a.ponder);
        assert_eq!(a.time, ByColor([Some(1000), Some(2000)]));
        assert_eq!(a.increment, ByColor([10, 20]));
        assert_eq!(a.moves_to_go, Some(40));
        let (c, _) = read("depth 300 wtime 1 movetime 5 nodes 1000000000000");
        assert_eq!(
            (c.depth, c.move_time, c.nodes),
            (Some(300), Some(5), Some(1_000_000_000_000))
        );
        let (d, _) = read("searchmoves e2e4 d2d4 depth 3");
        assert_eq!(
            (d.search_moves.join(" ").as_str(), d.depth),
            ("e2e4 d2d4", Some(3))
        );
        assert_eq!(read("perft 5").0.perft, Some(5));
        assert_eq!(read("mate 300").0.mate, Some(300));
        assert!(read("infinite").0.infinite);
        assert_eq!(read(""), (GoArguments::default(), 0));
    }

    #[test]
    fn odd_numbers_and_junk() {
        assert_eq!(read("depth 99999999999999999999").0.depth, Some(u32::MAX));
        assert_eq!(
            read("wtime -30 btime 0").0.time,
            ByColor([Some(-30), Some(0)])
        );
        let (a, notes) = read("wtime 5000 foo 3 btime 100");
        assert_eq!((a.time, notes), (ByColor([Some(5000), Some(100)]), 2));
        assert_eq!(
            read("wtime 1000.5 btime 1").0.time,
            ByColor([Some(1000), Some(1)])
        );
        let (b, notes) = read("wtime btime 100 depth x movetime");
        assert_eq!(
            (b.time, b.depth, notes),
            (ByColor([None, Some(100)]), None, 3)
        );
        assert_eq!(read("wtime 9223372036854775808 btime 1").1, 0);
        assert_eq!(read("depth 0").0.depth, Some(1));
        assert_eq!(read("depth -1").0.depth, Some(1));
    }
}
