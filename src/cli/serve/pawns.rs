//! `/pawns?fen=&seconds=&lines=`: what is proved about a pawn ending.

use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shelf::Shelf;
use super::standard;
use crate::cli::crew;
use crate::cli::pawns_find::find;
use crate::cli::pawns_limit::{Limit, PawnLimits};
use crate::cli::pawns_plan::LINES;
use crate::cli::pawns_range::Provers;
use duchamp_base::Control;
use duchamp_proofs::pawns::ProverHandle;
use std::sync::Arc;
use std::time::Duration;

/// Of memory: 3 KB each, for both sides.
const STRUCTURES: usize = 100_000;
/// The longest that each of the four parts may take.
const LONGEST: u64 = 60;
/// The most variations of a plan.
const MOST_LINES: u64 = 100;
/// The time between two looks at whether the client is still there.
const TICK: Duration = Duration::from_millis(50);

/// `/pawns?fen=&seconds=&lines=`: at most so many seconds for the value, again for the moves, for the corresponding squares, and
/// for the plan of a proved win, in so many variations.
pub(super) fn pawns(shelf: &Shelf, request: &Request, control: &Arc<Control>) -> Answer {
    let fen = request.fen()?;
    let position = standard::position(&fen)?;
    let time = Duration::from_secs(request.number("seconds", 5, LONGEST)?);
    let lines = request.number("lines", LINES as u64, MOST_LINES)?;
    let limits = PawnLimits {
        limit: Limit::Time(time),
        structures: STRUCTURES,
        lines: lines as usize,
    };
    let handle: Arc<ProverHandle> = Arc::default();
    let findings = shelf.long_job(control, || {
        let look = || {
            if control.is_cancelled() {
                handle.stop();
            }
        };
        crew::with_watcher(TICK, look, || {
            let provers = Provers::with_handle(shelf.chess(), &handle);
            find(&position, provers, limits, |_| {})
        })
    })?;
    let none = || Refusal::bad("not an ending of kings and pawns");
    let findings = findings.ok_or_else(none)?;
    json(&findings.answer(&fen))
}
