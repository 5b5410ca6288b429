//! A strategy as a PGN game with variations and comments.

use super::restricted::{Proof, Restricted};
use super::rules::Verdict;
use super::strategy::{Choice, End, Strategy};
use duchamp_chess::{Color, DrawReason, Game, Outcome, Pgn, Position};

impl Restricted {
    /// The strategy from the start as a PGN game of about `most` moves in all variations: one move for the bound side,
    /// all moves for its opponent, comments where a line ends.
    #[must_use]
    pub fn pgn(&self, most: usize) -> String {
        let start = self.rules().start;
        let strategy = self.strategy(&start, most);
        let mut writer = Writer {
            frozen: self,
            strategy: &strategy,
            words: Vec::new(),
            number: true,
        };
        writer.comment(&self.headline());
        for source in self.rules().assumptions() {
            writer.comment(&format!("Assumed in line {}: {}", source.line, source.text));
        }
        writer.comment(match strategy.is_complete() {
            true => "Every move of the other side is answered.",
            false => "Lines that end with a plain value were cut.",
        });
        writer.line(0);
        let words = writer.words;
        let bound = self.rules().bound;
        let game = Game::new(start);
        let mut pgn = Pgn::new(&game)
            .tag(
                "Event",
                self.rules()
                    .title
                    .as_deref()
                    .unwrap_or("Restricted position"),
            )
            .tag("Site", "restricted position")
            .tag("Round", "-")
            .tag("White", player(bound == Color::White))
            .tag("Black", player(bound == Color::Black))
            .tag("Annotator", "Duchamp")
            .move_text(words);
        match self.proof() {
            Proof::Proved(Verdict::Draw) => {
                // Which rule ends the game is not known.
                pgn = pgn.outcome(Outcome::Draw(DrawReason::FiftyMoves));
            }
            Proof::Proved(_) => pgn = pgn.outcome(Outcome::Win(bound)),
            Proof::NotProved => {}
        }
        pgn.to_string()
    }
}

fn player(bound: bool) -> &'static str {
    if bound { "strategy" } else { "all moves" }
}

/// Writes the words of a game.
struct Writer<'a> {
    frozen: &'a Restricted,
    strategy: &'a Strategy,
    words: Vec<String>,
    /// Whether Black's next move needs its number.
    number: bool,
}

impl Writer<'_> {
    fn comment(&mut self, text: &str) {
        let text = text.replace('{', "(").replace('}', ")");
        let words = format!("{{{text}}}");
        self.words
            .extend(words.split_whitespace().map(str::to_owned));
        self.number = true;
    }

    /// What follows on a node: its main move, the other moves as variations, and so on.
    fn line(&mut self, mut node: usize) {
        while let Some((&main, others)) = self.strategy.nodes[node].next.split_first() {
            self.play(node, main);
            for &other in others {
                let at = self.words.len();
                self.number = true;
                self.play(node, other);
                self.line(other);
                self.words[at].insert(0, '(');
                if let Some(last) = self.words.last_mut() {
                    last.push(')');
                }
                self.number = true;
            }
            node = main;
        }
    }

    fn play(&mut self, before: usize, node: usize) {
        let before = &self.strategy.nodes[before].position;
        let Some(choice) = self.strategy.nodes[node].choice else {
            return;
        };
        match before.turn() {
            Color::White => self.words.push(format!("{}.", before.fullmoves())),
            Color::Black if self.number => self.words.push(format!("{}...", before.fullmoves())),
            Color::Black => {}
        }
        self.number = false;
        let san = before.san(choice.mv);
        let mates = san.ends_with('#');
        self.words.push(san);
        let told = self.told(node, choice, before);
        if !mates && !told.is_empty() {
            self.comment(&told);
        }
    }

    /// The comment on a move.
    fn told(&self, node: usize, choice: Choice, before: &Position) -> String {
        let value = self.frozen.tell(choice.known, before);
        match self.strategy.nodes[node].end {
            End::Goes if self.strategy.only.contains(&node) => "the only good move".into(),
            End::Goes => String::new(),
            End::Left | End::Cut => value,
            End::Again(other) if self.follows(node, other) => format!("repeats: {value}"),
            End::Again(_) => format!("treated elsewhere: {value}"),
        }
    }

    /// Whether a node comes after another in the same line.
    fn follows(&self, mut node: usize, other: usize) -> bool {
        while let Some(parent) = self.strategy.nodes[node].parent {
            if parent == other {
                return true;
            }
            node = parent;
        }
        false
    }
}
