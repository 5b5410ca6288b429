//! How the proof of the root begins, is told, and changes what is searched.

use super::info::Settled;
use super::limits::Limits;
use super::report::Reporter;
use super::root_proofs::{RootProof, choose};
use super::shared::Shared;
use duchamp_chess::{Game, Move, NoProofs, Proven};

/// Begins the proof of a root that proofs cover and tables do not, and uses its first fraction of the time.
pub(super) fn begin_proof(game: &Game, limits: &Limits, shared: &Shared<'_>) -> Option<RootProof> {
    let root = game.current();
    if !shared.proofs.covers(root) || root.occupied().count() <= shared.oracle_men {
        return None;
    }
    shared.proofs.make_room();
    let mut proof = RootProof::new(limits);
    if proof.is_timed() && shared.counters.len() > 1 {
        // What is easy; for the rest a thread is set aside.
        proof.attempt_aside(root, shared);
    } else {
        proof.work(root, shared);
    }
    Some(proof)
}

/// Reports what is proved of the root; once its value is proved, only the moves that keep it are searched, without
/// proofs, which rate all of them equal.
pub(super) fn apply_root_proof(
    game: &Game,
    moves: &mut Vec<Move>,
    proof: &mut Option<RootProof>,
    shared: &mut Shared<'_>,
    reporter: &mut Reporter<'_>,
) {
    let Some(RootProof { proven, .. }) = proof else {
        return;
    };
    let proven = *proven;
    if proven == Proven::NOTHING {
        return;
    }
    report_proof(game, proven, shared, reporter);
    if proven.exact().is_none() {
        return;
    }
    *proof = None;
    if let Some(kept) = choose(game, moves, proven, shared) {
        *moves = kept.moves;
        reporter.set_proved_value(kept.wdl);
        shared.proofs = &NoProofs;
    }
}

/// Reports what is proved of the root so far.
pub(super) fn report_proof(
    game: &Game,
    proven: Proven,
    shared: &Shared<'_>,
    reporter: &mut Reporter<'_>,
) {
    reporter.settled(Settled {
        proven,
        account: shared.proofs.account(game.current()),
        time: shared.timer.elapsed(),
    });
}
