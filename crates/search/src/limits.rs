//! The limits of a search (the `go` command) and the options it depends on.

use duchamp_chess::{ByColor, Move};
use std::time::{Duration, Instant};

/// When a search has to end, and which root moves it may play.
///
/// All limits given apply together; with none at all the search ends after its last iteration ([`Limits::infinite`] waits for the
/// stop even then).
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the clock started: the moment the request was read.
    pub start: Instant,
    /// Remaining time of each side in milliseconds. GUIs send one side only, 0, and negative
    /// values too.
    pub time: ByColor<Option<i64>>,
    /// Increment a move of each side in milliseconds.
    pub increment: ByColor<i64>,
    /// Moves to the next time control, if there is one.
    pub moves_to_go: Option<u32>,
    /// Fixed time for the move.
    pub move_time: Option<Duration>,
    /// The depth limit: iterations to finish, in plies.
    pub depth: Option<u32>,
    /// Nodes to search; kept exactly by one thread, but the first iteration is always finished.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// Stop once a mate in at most so many moves is found.
    pub mate: Option<u32>,
    /// Search until stopped; no answer before.
    pub infinite: bool,
    /// The opponent's clock runs: no time limit holds and no answer is given before
    /// [`super::SearchControl::ponderhit`] or [`super::SearchControl::stop`].
    pub ponder: bool,
    /// Root moves to consider; empty for all.
    pub search_moves: Vec<Move>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            start: Instant::now(),
            time: ByColor([None; 2]),
            increment: ByColor([0; 2]),
            moves_to_go: None,
            move_time: None,
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            infinite: false,
            ponder: false,
            search_moves: Vec::new(),
        }
    }
}

impl Limits {
    /// A search of `plies` iterations.
    #[must_use]
    pub fn depth(plies: u32) -> Limits {
        Limits {
            depth: Some(plies),
            ..Limits::default()
        }
    }

    /// A search of so many nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }
}

/// Options of a search that outlive a single request.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Lines to report, at least 1.
    pub multipv: usize,
    /// Time lost between engine and clock at every move, kept in reserve.
    pub move_overhead: Duration,
    /// The rating to play at (`UCI_Elo`); `None` for full strength.
    pub elo: Option<u16>,
    /// Analysis, not play: forced moves are searched as long as others.
    pub analyse: bool,
    /// Whether the 50-move rule is in force for table wins.
    pub fifty_move_rule: bool,
    /// Nobody reads the lines, so none is worked out: searches of some hundred nodes take a twentieth less time. The result is the same but for
    /// the move to ponder on.
    pub quiet: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            multipv: 1,
            move_overhead: Duration::from_millis(20),
            elo: None,
            analyse: false,
            fifty_move_rule: true,
            quiet: false,
        }
    }
}
