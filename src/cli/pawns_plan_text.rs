//! The plan of a proved win as text: one line for as long as no choice matters, an indented line for each choice.

use super::Failure;
use super::pawns_limit::PawnLimits;
use super::pawns_plan::Planned;
use super::pawns_plan_answer::{numbered, why};
use duchamp_chess::{Color, Role};
use duchamp_proofs::pawns::{PlanMove, Spent, Unplanned, WinPlan};
use std::io::Write;

/// Columns of a line.
const WIDTH: usize = 100;
/// Columns by which a choice is indented, and a line that goes on.
const STEP: usize = 2;
const GOES_ON: usize = 5;

/// Writes the plan, or why there is none.
pub(super) fn write(
    planned: &Planned,
    given: PawnLimits,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match planned {
        Planned::NoWin => {}
        Planned::Open(Unplanned::TooLarge) => {
            writeln!(out, "\nPlan: the win goes through too many pawn structures")?;
        }
        Planned::Open(reason) => {
            let spent: Option<Spent> = match reason {
                Unplanned::Spent(spent) => Some(*spent),
                Unplanned::NotWon | Unplanned::TooLarge => None,
            };
            writeln!(out, "\nPlan: {}", given.not_determined(spent))?;
        }
        Planned::Plan(plan) => {
            for line in lines(plan) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// The plan with its heading.
fn lines(plan: &WinPlan) -> Vec<String> {
    let (winner, other) = (plan.winner, !plan.winner);
    let mut text = vec![
        String::new(),
        format!(
            "Plan: {winner:?} promotes and wins, mates, or reaches a won table within {} plies.  ! the only winning move",
            plan.plies.0
        ),
    ];
    if plan.moves.iter().any(|mv| !mv.corresponding.is_empty()) {
        text.push(format!(
            "[ ] corresponding squares, where {other:?}'s king would hold: it fails to reach them, or stands there in zugzwang"
        ));
    }
    let mut writer = Writer { plan, text };
    for &number in &plan.first {
        writer.variation(number, STEP);
    }
    let mut text = writer.text;
    text.push("Replies that are not shown lose as fast or faster.".into());
    text
}

struct Writer<'a> {
    plan: &'a WinPlan,
    text: Vec<String>,
}

impl Writer<'_> {
    /// A variation from a move on, with those inside it.
    fn variation(&mut self, mut number: usize, indent: usize) {
        let mut words = Vec::new();
        loop {
            let mv = &self.plan.moves[number];
            let mut word = word(mv, words.is_empty());
            let end = why(self.plan, mv).or_else(|| taken(mv));
            let ends = end.is_some();
            if let Some(end) = end {
                word += &format!(": {end}");
            }
            words.push(word);
            match mv.next[..] {
                [next] => {
                    if ends {
                        self.wrap(&std::mem::take(&mut words), indent);
                    }
                    number = next;
                }
                _ => break,
            }
        }
        self.wrap(&words, indent);
        for &next in &self.plan.moves[number].next {
            self.variation(next, indent + STEP);
        }
    }

    /// Writes words as lines of limited width.
    fn wrap(&mut self, words: &[String], indent: usize) {
        let mut line = " ".repeat(indent);
        let mut empty = true;
        for word in words {
            if !empty && line.len() + 1 + word.len() > WIDTH {
                let next = " ".repeat(indent + GOES_ON);
                self.text.push(std::mem::replace(&mut line, next));
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line += word;
            empty = false;
        }
        self.text.push(line);
    }
}

/// A move as in a game with comments.
fn word(mv: &PlanMove, first: bool) -> String {
    let mut text = match mv.before.turn() {
        Color::Black if !first => mv.before.san(mv.mv),
        _ => numbered(mv),
    };
    if mv.only == Some(true) {
        text.push('!');
    }
    if !mv.corresponding.is_empty() {
        let squares: Vec<String> = mv.corresponding.iter().map(ToString::to_string).collect();
        text += &format!(" [{}]", squares.join(" "));
    }
    text
}

/// That the winner's king takes a pawn: a goal is reached, and a new structure begins.
fn taken(mv: &PlanMove) -> Option<String> {
    let king = mv.before.moved_role(mv.mv) == Role::King;
    let takes = mv.by_winner && king && mv.before.is_capture(mv.mv);
    takes.then(|| format!("{:?} takes {}", mv.before.turn(), mv.mv.to()))
}

#[cfg(test)]
mod tests {
    use super::super::pawns_limit::Limit;
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_plan_that_is_missing_is_not_passed_over() {
        let given = PawnLimits {
            limit: Limit::Time(Duration::from_secs(5)),
            structures: 1_000,
            lines: 8,
        };
        let told = |planned| {
            let mut out = Vec::new();
            write(&planned, given, &mut out).expect("written");
            String::from_utf8(out).expect("a text")
        };
        let cases = [
            (
                Unplanned::Spent(Spent::Time),
                "not determined in 5 s; try --seconds 20",
            ),
            (
                Unplanned::Spent(Spent::Structures),
                "not determined with 1000 pawn structures; try --structures 4000",
            ),
            (
                Unplanned::Spent(Spent::Stopped),
                "not determined because it was stopped",
            ),
            (
                Unplanned::NotWon,
                "not determined by any method of this program",
            ),
            (
                Unplanned::TooLarge,
                "the win goes through too many pawn structures",
            ),
        ];
        for (reason, text) in cases {
            assert_eq!(told(Planned::Open(reason)), format!("\nPlan: {text}\n"));
        }
        assert_eq!(told(Planned::NoWin), "");
    }
}
