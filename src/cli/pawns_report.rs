//! What was found out about a pawn ending, as text and as JSON. A part that is not determined is never shown as empty.

use super::Failure;
use super::pawns_answers::{Held, answers};
use super::pawns_find::Findings;
use super::pawns_limit::PawnLimits;
use super::pawns_plan_answer::{NameAnswer, PlanAnswer, names as move_names, open_part};
use super::pawns_plan_text;
use super::pawns_system::names;
use duchamp_chess::{Bitboard, Move, Position};
use serde::Serialize;
use std::io::Write;

/// The answer as JSON: stable names. A part that is not determined is null.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    fen: &'a str,
    /// The side whose key squares and corresponding squares these are.
    attacker: &'static str,
    exact: Option<&'static str>,
    bounds: [i8; 2],
    best: Option<Vec<String>>,
    moves: Vec<MoveAnswer>,
    structures: usize,
    queens: usize,
    holds: Option<bool>,
    /// How it is held: each move of the side to move, and the replies onto corresponding squares.
    answers: Vec<HeldAnswer>,
    critical: Vec<String>,
    key: Option<Vec<String>>,
    /// Squares that are proved to be key squares, perhaps not all.
    key_proved: Vec<String>,
    corresponding: Option<Vec<ClassAnswer>>,
    zugzwangs: Option<Vec<[String; 2]>>,
    /// Mutual zugzwangs that are proved, perhaps not all.
    zugzwangs_proved: Vec<[String; 2]>,
    /// How a proved win is won.
    plan: Option<PlanAnswer>,
    /// Why there is no plan of a proved win.
    plan_open: Option<&'static str>,
    seconds: f64,
    complete: bool,
}

/// A move, with bounds for the side that plays it.
#[derive(Serialize)]
struct MoveAnswer {
    uci: String,
    san: String,
    bounds: [i8; 2],
}

/// A move and the replies that hold.
#[derive(Serialize)]
struct HeldAnswer {
    uci: String,
    san: String,
    replies: Vec<NameAnswer>,
}

impl HeldAnswer {
    fn of(position: &Position, held: &Held) -> HeldAnswer {
        HeldAnswer {
            uci: held.mv.uci(false),
            san: position.san(held.mv),
            replies: move_names(&held.after, &held.replies),
        }
    }
}

/// Squares with the same number.
#[derive(Serialize)]
struct ClassAnswer {
    kings: Vec<String>,
    others: Vec<String>,
}

impl Findings {
    pub(super) fn answer<'a>(&self, fen: &'a str) -> Answer<'a> {
        let system = &self.system;
        let uci = |mv: Move| mv.uci(false);
        let zugzwangs: Vec<[String; 2]> = system
            .zugzwangs
            .iter()
            .map(|(king, other)| [king.to_string(), other.to_string()])
            .collect();
        let classes = system.classes.iter().map(|class| ClassAnswer {
            kings: names(class.kings),
            others: names(class.others),
        });
        Answer {
            fen,
            attacker: system.attacker.name(),
            exact: self.range.exact(),
            bounds: [self.range.low, self.range.high],
            best: self.best().map(|best| best.into_iter().map(uci).collect()),
            moves: self
                .moves
                .iter()
                .map(|(mv, range)| MoveAnswer {
                    uci: uci(*mv),
                    san: self.position.san(*mv),
                    bounds: [range.low, range.high],
                })
                .collect(),
            structures: self.structures,
            queens: self.queens,
            holds: self.holds,
            answers: answers(&self.position)
                .iter()
                .map(|held| HeldAnswer::of(&self.position, held))
                .collect(),
            critical: names(system.critical),
            key: (!system.key_open).then(|| names(system.key)),
            key_proved: names(system.key),
            corresponding: (!system.zugzwangs_open).then(|| classes.collect()),
            zugzwangs: (!system.zugzwangs_open).then(|| zugzwangs.clone()),
            zugzwangs_proved: zugzwangs,
            plan: PlanAnswer::of(&self.plan),
            plan_open: open_part(&self.plan),
            seconds: self.seconds,
            complete: self.complete(),
        }
    }

    /// As text. `hint` is a line on what would settle more.
    pub(super) fn write(
        &self,
        given: PawnLimits,
        hint: Option<&str>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let [value_spent, _] = self.spent;
        writeln!(out, "{}  ({:.3} s)", self.headline(), self.seconds)?;
        if !self.moves_complete() {
            let what = match self.range.exact() {
                Some(_) => "Some moves",
                None => "The exact value",
            };
            writeln!(out, "{what}: {}", given.not_determined(value_spent))?;
        }
        if let Some(hint) = hint {
            writeln!(out, "{hint}")?;
        }
        writeln!(
            out,
            "{} pawn structures and {} with a queen examined; {:.3} s in all\n",
            self.structures, self.queens, self.total
        )?;
        for (mv, range) in &self.moves {
            writeln!(out, "{:8} {}", self.position.san(*mv), range.describe())?;
        }
        writeln!(out)?;
        if self.position.occupied().count() == 2 {
            writeln!(out, "No pawn is left: a bare king cannot win.")?;
            return Ok(());
        }
        self.explain(given, out)?;
        pawns_plan_text::write(&self.plan, given, out)
    }

    /// The corresponding squares and zugzwangs of the structure, for the side to move as the attacker.
    fn explain(&self, given: PawnLimits, out: &mut impl Write) -> Result<(), Failure> {
        let system = &self.system;
        let turn = system.attacker;
        let open = given.not_determined(self.spent[1]);
        writeln!(
            out,
            "Pawns that {turn:?}'s king can take: {}",
            list(system.critical)
        )?;
        let key = match (system.key_open, system.key.any()) {
            (false, _) => list(system.key),
            (true, true) => format!("{}; others {open}", list(system.key)),
            (true, false) => open.clone(),
        };
        writeln!(
            out,
            "Key squares, from which it wins wherever the other king stands: {key}"
        )?;
        let holds = match self.holds {
            Some(true) => "the defending king stands on a corresponding square and holds",
            Some(false) => "the defending king does not stand on a corresponding square",
            None => "does not apply here (pawns can move or capture, or a pawn gives check)",
        };
        writeln!(out, "Moshammer's routine: {holds}")?;
        let answers: Vec<String> = answers(&self.position)
            .iter()
            .map(|held| held.describe(&self.position))
            .collect();
        if !answers.is_empty() {
            writeln!(out, "It holds by the answers {}", answers.join(", "))?;
        }
        if system.zugzwangs.is_empty() {
            let text = match system.zugzwangs_open {
                true => format!("Corresponding squares: {open}"),
                false => {
                    "Corresponding squares: none (this structure has no mutual zugzwang)".into()
                }
            };
            writeln!(out, "{text}")?;
            return Ok(());
        }
        writeln!(
            out,
            "Corresponding squares (mutual zugzwangs: who is to move fails), {turn:?}'s king and the other:"
        )?;
        system.write_boards(out)?;
        let pairs: Vec<String> = system
            .zugzwangs
            .iter()
            .map(|(king, other)| format!("{king}-{other}"))
            .collect();
        for line in pairs.chunks(12) {
            writeln!(out, "  {}", line.join(" "))?;
        }
        if system.zugzwangs_open {
            writeln!(out, "Further corresponding squares: {open}")?;
        }
        Ok(())
    }
}

fn list(set: Bitboard) -> String {
    match names(set) {
        names if names.is_empty() => "none".to_string(),
        names => names.join(" "),
    }
}
