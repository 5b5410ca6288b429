//! The keeper of the endgame tables: opens them, has missing ones made in the background, and gives
//! search an oracle.

use super::event::Sink;
use super::options::Options;
use crate::chess::{NoOracle, Oracle};
use std::sync::Arc;
use std::time::Duration;

/// How fast tables may be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    /// Nothing else to do.
    Full,
    /// A search without a clock runs: one thread.
    Slow,
    /// A clock runs: not at all.
    Paused,
}

/// See the module heading.
pub(super) struct Keeper {
    oracle: Arc<dyn Oracle>,
}

impl Keeper {
    pub(super) fn new(_sink: Sink, _options: &Options) -> Arc<Keeper> {
        Arc::new(Keeper {
            oracle: Arc::new(NoOracle),
        })
    }
    pub(super) fn open(&self) {}
    pub(super) fn configure(&self, _options: &Options) {}
    pub(super) fn request(&self, _list: &str) -> Result<(), String> {
        Err("there are no endgame tables yet".to_owned())
    }
    pub(super) fn set_pace(&self, _pace: Pace) {}
    pub(super) fn oracle(&self) -> Arc<dyn Oracle> {
        Arc::clone(&self.oracle)
    }
    pub(super) fn wait(&self, _limit: Duration) {}
    pub(super) fn shut_down(&self, _limit: Duration) {}
}
