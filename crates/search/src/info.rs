//! What a search reports: lines while it runs, the outcome at its end.

use duchamp_chess::{Account, Move, Proven};
use std::time::Duration;

/// The reported score of a tablebase win, in centipawns.
pub(super) const TABLE_WIN_SHOWN: i32 = 20_000;

/// A score as UCI writes it, from the view of the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportedScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many *moves* of the side that mates; negative when the side to move is mated
    /// (0: it is mated already).
    Mate(i32),
}

impl ReportedScore {
    /// The score beside a line of so many plies: a mate that the line does not reach becomes a sure win or loss, in centipawns.
    /// GUIs check the lines of mates.
    #[must_use]
    pub fn beside_line(self, plies: usize) -> ReportedScore {
        let ReportedScore::Mate(moves) = self else {
            return self;
        };
        let mate = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
        match usize::try_from(mate) {
            Ok(mate) if mate == plies => self,
            _ if moves > 0 => ReportedScore::Centipawns(TABLE_WIN_SHOWN - mate),
            _ => ReportedScore::Centipawns(mate - TABLE_WIN_SHOWN),
        }
    }
}

/// How a score relates to the true score of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is the score.
    Exact,
    /// The score is this or more (failed high).
    Lower,
    /// The score is this or less (failed low).
    Upper,
}

/// Expected results in permille, summing to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinDrawLoss {
    /// Wins of the side to move.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses of the side to move.
    pub loss: u16,
}

/// One principal variation with its score and counters.
#[derive(Clone, Debug)]
pub struct Line {
    /// The iteration, in plies.
    pub depth: u32,
    /// The deepest node, in plies from the root.
    pub seldepth: u32,
    /// Which line, best first, from 1.
    pub multipv: usize,
    /// Its score.
    pub score: ReportedScore,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The score as expected results.
    pub wdl: WinDrawLoss,
    /// Nodes searched so far by all threads.
    pub nodes: u64,
    /// Time since the request.
    pub time: Duration,
    /// Nodes a second.
    pub nps: u64,
    /// Used part of the hash table in permille.
    pub hashfull: u32,
    /// Tablebase hits.
    pub tbhits: u64,
    /// The moves, the one to play first; empty only when the game is over at the root.
    pub pv: Vec<Move>,
}

/// What is proved about the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settled {
    /// The value for the side to move; a bound on it where only that is proved.
    pub proven: Proven,
    /// Which proofs it rests on.
    pub account: Account,
    /// Time since the request.
    pub time: Duration,
}

/// A report of a running search.
#[derive(Clone, Debug)]
pub enum Info {
    /// A line; every search reports at least one before its outcome.
    Line(Line),
    /// The root's value, or a bound on it, is proved.
    Settled(Settled),
    /// The current root move (only in long searches).
    Current {
        /// The iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
    },
}

/// The end of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal move.
    pub best: Option<Move>,
    /// The expected reply, to ponder on.
    pub ponder: Option<Move>,
    /// Score of `best`.
    pub score: ReportedScore,
    /// Iterations finished, in plies.
    pub depth: u32,
    /// Nodes searched by all threads.
    pub nodes: u64,
    /// Tablebase hits.
    pub tbhits: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_needs_its_whole_line() {
        for (moves, plies, told) in [
            (3, 5, -1),
            (3, 4, 19_995),
            (-2, 4, -1),
            (-2, 1, -19_996),
            (0, 0, -1),
        ] {
            let score = ReportedScore::Mate(moves);
            let expected = match told {
                -1 => score,
                told => ReportedScore::Centipawns(told),
            };
            assert_eq!(score.beside_line(plies), expected);
        }
        assert_eq!(
            ReportedScore::Centipawns(7).beside_line(2),
            ReportedScore::Centipawns(7)
        );
    }
}
