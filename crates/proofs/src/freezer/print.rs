//! Writing rules as a file that reads back as the same rules.

use super::squares::name_squares;
use super::words::kinds;
use super::{Goal, ManRule, Rules, Ruling, Taken, Verdict};
use duchamp_chess::{Bitboard, Color, Role};
use std::fmt::Write as _;

impl Rules {
    /// The rules as a file. [`Rules::parse`] makes the same rules of it, with lines of their own in
    /// [`Rules::sources`].
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        if let Some(title) = &self.title {
            _ = writeln!(text, "title = {}", toml::Value::from(title.as_str()));
        }
        let goal = match self.goal {
            Goal::Win => "win",
            Goal::Draw => "draw",
        };
        _ = write!(
            text,
            "start = \"{}\"\nbound = \"{}\"\nprove = \"{goal}\"\n",
            self.start.fen(),
            self.bound.name()
        );
        if self.chain > 0 {
            _ = writeln!(text, "chain = {}", self.chain);
        }
        _ = write!(
            text,
            "\n[tables]\nmax_men = {}\nmake = {}\n",
            self.tables.max_men, self.tables.make
        );
        for man in self.men.iter().filter(|man| man.allowed != Bitboard::FULL) {
            self.write_man(&mut text, man);
        }
        for rule in &self.captures {
            text += "\n[[capture]]\n";
            _ = writeln!(text, "taken = {}", taken(&rule.taken));
            write_squares(&mut text, rule.squares);
            _ = writeln!(text, "verdict = \"{}\"", rule.verdict.name());
            if rule.recapture != rule.verdict {
                _ = writeln!(text, "recapture = \"{}\"", rule.recapture.name());
            }
            if rule.second != rule.recapture {
                _ = writeln!(text, "second = \"{}\"", rule.second.name());
            }
            self.write_assume(&mut text, &[rule.verdict, rule.recapture, rule.second]);
        }
        for rule in &self.promotions {
            text += "\n[[promotion]]\n";
            _ = writeln!(text, "side = \"{}\"", rule.color.name());
            write_squares(&mut text, rule.squares);
            let letters: String = rule.roles.iter().copied().map(Role::upper).collect();
            _ = writeln!(text, "pieces = \"{letters}\"");
            _ = writeln!(text, "verdict = \"{}\"", rule.verdict.name());
            if rule.taken != rule.verdict {
                _ = writeln!(text, "taken = \"{}\"", rule.taken.name());
            }
            self.write_assume(&mut text, &[rule.verdict, rule.taken]);
        }
        text
    }

    fn write_man(&self, text: &mut String, man: &ManRule) {
        _ = write!(
            text,
            "\n[[man]] # {}\nat = \"{}\"\n",
            man.piece.to_char(),
            man.square
        );
        write_squares(text, man.allowed);
        // What no rule is about has the default verdict, as if a last rule said so.
        let mut parts: Vec<(Bitboard, Verdict)> = Vec::new();
        let mut left = !man.allowed;
        for outside in &man.outside {
            parts.push((outside.squares & left, outside.ruling.verdict));
            left = left - outside.squares;
        }
        let Ruling { verdict: worst, .. } = self.worst();
        let last = match (left.is_empty(), parts.last()) {
            (true, Some(&(_, verdict))) => {
                parts.pop();
                verdict
            }
            _ => worst,
        };
        _ = writeln!(text, "outside = \"{}\"", last.name());
        self.write_assume(text, &[last]);
        for (squares, verdict) in parts.into_iter().filter(|(squares, _)| squares.any()) {
            text.push_str("[[man.outside_at]]\n");
            write_squares(text, squares);
            _ = writeln!(text, "verdict = \"{}\"", verdict.name());
            self.write_assume(text, &[verdict]);
        }
    }

    fn write_assume(&self, text: &mut String, verdicts: &[Verdict]) {
        let safe = Verdict::lost_for(self.bound);
        if verdicts.iter().any(|verdict| *verdict != safe) {
            text.push_str("assume = true\n");
        }
    }
}

fn write_squares(text: &mut String, squares: Bitboard) {
    _ = writeln!(text, "squares = \"{}\"", name_squares(squares));
}

fn taken(taken: &[Taken]) -> String {
    let all: Vec<Taken> = kinds(&Color::ALL).map(Taken::Kind).collect();
    if all.iter().all(|one| taken.contains(one)) {
        return "\"all\"".into();
    }
    let names = taken.iter().map(|one| match one {
        Taken::Kind(kind) => format!("\"{}\"", kind.to_char()),
        Taken::Man(square) => format!("\"{square}\""),
    });
    format!("[{}]", names.collect::<Vec<_>>().join(", "))
}
