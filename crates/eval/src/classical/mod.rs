//! The hand-crafted evaluation (HCE): a sum of weighted middlegame and endgame terms, tapered by the game phase. Each file
//! holds one kind of knowledge; `docs/EVALUATION.md` describes it.

mod context;
mod endgame;
mod king_safety;
mod material;
mod passed;
mod pawns;
mod pieces;
mod shelter;
mod threats;

use super::breakdown::{Breakdown, Recorder};
use super::mix::Mix;
use super::terms::TEMPO;
use super::trace::{NoTrace, TermSum, Trace, Tracer};
use super::{Evaluator, Explanation, Score, TaperedScore};
use context::Context;
use duchamp_chess::{Color, Move, Position, Role};
pub use endgame::FULL_SCALE;
use pawns::PawnTable;

/// The phase of the opening position.
pub const FULL_PHASE: i32 = 24;

/// King danger squared, divided by this, is subtracted from the middlegame score.
pub const DANGER_SQUARE: i32 = 256;

/// King danger divided by this is subtracted from the endgame score.
pub const DANGER_LINEAR: i32 = 4;

/// The hand-crafted evaluation, with its pawn hash table.
#[derive(Default, Debug)]
pub struct Classical {
    pawns: PawnTable,
}

impl Classical {
    /// Ready to evaluate any position.
    #[must_use]
    pub fn new() -> Classical {
        Classical::default()
    }

    /// The terms of a position and how they are tapered, for tuning.
    #[must_use]
    pub fn trace(&mut self, position: &Position) -> (Trace, Mix) {
        let mut trace = Trace::default();
        let (_, mix) = self.value(position, &mut trace);
        (trace, mix)
    }

    /// The evaluation of a position by kinds of terms.
    #[must_use]
    pub fn breakdown(&mut self, position: &Position) -> Breakdown {
        let mut recorder = Recorder::default();
        let (total, mix) = self.value(position, &mut recorder);
        recorder.finish(total, mix, king_danger_penalty)
    }

    /// The value as White sees it.
    #[inline]
    fn value<T: Tracer>(&mut self, position: &Position, tracer: T) -> (i32, Mix) {
        let mut tally = TermSum::new(tracer);
        let entry = self.pawns.count(position, &mut tally);
        let mut context = Context::new(position);
        for us in Color::ALL {
            pieces::pieces(&mut context, &entry, &mut tally, us);
        }
        for us in Color::ALL {
            material::imbalance(&context, &mut tally, us);
            threats::threats(&context, &mut tally, us);
            threats::queen_hunt(&context, &mut tally, us);
            king_safety::pawnless_flank(&context, &mut tally, us);
            passed::passed(&context, &entry, &mut tally, us);
            pieces::space(&context, &mut tally, us);
        }
        tally.add(position.turn(), TEMPO.one(), 1);
        let mut score = tally.score;
        for us in Color::ALL {
            if king_safety::king_danger(&context, &mut tally, us) {
                let loss = king_danger_penalty(tally.danger[us]);
                score -= if us == Color::White { loss } else { -loss };
            } else {
                tally.forget(us);
            }
        }
        mix(&context, &mut tally, score)
    }
}

/// The penalty for king danger.
fn king_danger_penalty(danger: TaperedScore) -> TaperedScore {
    let (square, linear) = (danger.middlegame().max(0), danger.endgame().max(0));
    TaperedScore::new(
        (square * square / DANGER_SQUARE).min(3000) as i16,
        (linear / DANGER_LINEAR) as i16,
    )
}

/// Tapers the middlegame and endgame score to one value.
#[inline]
fn mix<T: Tracer>(
    context: &Context<'_>,
    tally: &mut TermSum<T>,
    score: TaperedScore,
) -> (i32, Mix) {
    let strong = if score.endgame() >= 0 {
        Color::White
    } else {
        Color::Black
    };
    let endgame = endgame::complexity(context, tally, strong, score.endgame());
    let scale = if endgame == 0 {
        0
    } else {
        endgame::scale(context, strong)
    };
    let mix = Mix {
        phase: phase(context.position),
        scale,
        extra: endgame::mop_up(context),
    };
    let endgame = endgame * mix.scale / FULL_SCALE;
    let mixed = (score.middlegame() * mix.phase + endgame * (FULL_PHASE - mix.phase)) / FULL_PHASE;
    (mixed + mix.extra, mix)
}

/// From [`FULL_PHASE`], all pieces on the board, to 0, only kings and pawns.
fn phase(position: &Position) -> i32 {
    let count = |role| position.role(role).count() as i32;
    let minors = count(Role::Knight) + count(Role::Bishop);
    (minors + 2 * count(Role::Rook) + 4 * count(Role::Queen)).min(FULL_PHASE)
}

impl Evaluator for Classical {
    fn reset(&mut self, _: &Position) {}

    fn push(&mut self, _: &Position, _: Option<Move>, _: &Position) {}

    fn pop(&mut self) {}

    fn evaluate(&mut self, position: &Position) -> Score {
        if position.occupied().count() <= 4 && position.is_insufficient_material() {
            return Score::DRAW;
        }
        let (white, _) = self.value(position, NoTrace);
        Score::eval(if position.turn() == Color::White {
            white
        } else {
            -white
        })
    }

    fn explain(&mut self, position: &Position) -> Explanation {
        Explanation {
            hce: Some(self.breakdown(position)),
            network: None,
            pieces: Vec::new(),
            score: self.evaluate(position),
        }
    }
}
