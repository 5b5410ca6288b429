//! An engine's tables as far as `TBMaxMen` allows.

use duchamp_base::{Value, Wdl};
use duchamp_chess::{Oracle, Position};
use duchamp_chess_tables::Prober;

/// The tables of at most so many men.
pub(super) struct Capped {
    pub(super) tables: Prober,
    pub(super) men: u32,
}

impl Oracle for Capped {
    fn max_men(&self) -> u32 {
        self.tables.max_men().min(self.men)
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.tables.wdl(position)
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        self.tables.dtm(position)
    }
}
