//! What the threads of one search share.

use super::control::SearchControl;
use super::params::Tuning;
use super::skill::Handicap;
use super::time::Timer;
use super::tt::TranspositionTable;
use duchamp_chess::{Move, NoProofs, Oracle, Position, Proofs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counters that other threads may read, on a cache line of their own.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Counters {
    pub(super) nodes: AtomicU64,
    pub(super) tbhits: AtomicU64,
}

/// What the threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) tt: &'a TranspositionTable,
    pub(super) control: &'a SearchControl,
    pub(super) timer: Timer<'a>,
    pub(super) oracle: &'a dyn Oracle,
    /// Positions with more pieces are not probed; 0 where the root is decided by tables already.
    pub(super) oracle_men: u32,
    /// Results of positions whose exact value `oracle` does not know.
    pub(super) results: &'a dyn Oracle,
    /// Positions with more pieces have no result; 0 where the root is decided by results already.
    pub(super) results_men: u32,
    /// Positions of `results_men` pieces are probed at this depth or more.
    pub(super) results_depth: i32,
    pub(super) proofs: &'a dyn Proofs,
    pub(super) fifty_move_rule: bool,
    pub(super) analyse: bool,
    pub(super) counters: Vec<Counters>,
    /// Nodes of the threads that ended when the root was proved: others began again.
    pub(super) earlier_nodes: u64,
    /// Their probes, and those that ranked the root moves before the threads began to count.
    pub(super) earlier_tbhits: u64,
    /// The main thread has finished.
    pub(super) done: AtomicBool,
    /// The root's proof was completed by a thread beside those that search: they end and begin again with what is proved.
    pub(super) proved: AtomicBool,
    /// The user chose some of the root moves.
    pub(super) chosen_moves: bool,
    pub(super) node_limit: u64,
    /// Nodes after which no new iteration begins.
    pub(super) soft_nodes: u64,
    pub(super) handicap: Option<Handicap>,
    pub(super) tuning: &'a Tuning,
}

impl Shared<'_> {
    /// From now on neither tables nor proofs are used: the root is drawn, and they rate all moves that keep the draw equal.
    pub(super) fn forget_tables(&mut self) {
        self.oracle_men = 0;
        self.results_men = 0;
        self.proofs = &NoProofs;
    }

    pub(super) fn nodes(&self) -> u64 {
        let now: u64 = self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum();
        self.earlier_nodes + now
    }

    /// What the threads that count now may search of the limit of nodes.
    pub(super) fn nodes_left(&self) -> u64 {
        self.node_limit.saturating_sub(self.earlier_nodes)
    }

    /// Keeps what the threads have counted: the next ones count from 0.
    pub(super) fn keep_counts(&mut self) {
        (self.earlier_nodes, self.earlier_tbhits) = (self.nodes(), self.tbhits());
        self.counters.fill_with(Counters::default);
    }

    /// The transposition table's reply to a root move.
    pub(super) fn hash_reply(&self, root: &Position, mv: Move) -> Option<Move> {
        self.hash_move(&root.play(mv))
    }

    /// The transposition table's move of a position.
    pub(super) fn hash_move(&self, position: &Position) -> Option<Move> {
        let mv = self.tt.probe(position.key(), 1)?.mv?;
        position.is_legal(mv).then_some(mv)
    }

    pub(super) fn tbhits(&self) -> u64 {
        let in_tree: u64 = self.counters.iter().map(|c| c.tbhits.load(Relaxed)).sum();
        self.earlier_tbhits + in_tree
    }
}
