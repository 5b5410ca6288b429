//! Writing games as PGN, in the export format of the standard of 1994.

use super::{Game, MoveKind, Outcome, Position};
use std::fmt;

/// The seven tags that every game has, in their order, with what they say if nothing is known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// The longest line of moves.
const WIDTH: usize = 79;

/// A game with its tags and comments; its `Display` is the PGN, with an empty line at the end.
///
/// # Examples
/// ```
/// use duchamp_chess::{Game, Pgn, Position};
///
/// let mut game = Game::new(Position::start());
/// for san in ["f3", "e5", "g4", "Qh4"] {
///     game.push(game.current().parse_san(san)?);
/// }
/// let pgn = Pgn::new(&game).tag("White", "Anon").comment(3, "the worst move").to_string();
/// assert!(pgn.contains("[White \"Anon\"]"));
/// assert!(pgn.ends_with("1. f3 e5 2. g4 {the worst move} 2... Qh4# 0-1\n\n"));
/// # Ok::<(), duchamp_chess::SanError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pgn<'a> {
    game: &'a Game,
    tags: Vec<(String, String)>,
    comments: Vec<(usize, String)>,
    outcome: Option<Outcome>,
    move_text: Option<Vec<String>>,
}

impl<'a> Pgn<'a> {
    /// The PGN of a game. The result is that of the position on the board, `*` if it has none.
    #[must_use]
    pub fn new(game: &'a Game) -> Pgn<'a> {
        Pgn {
            game,
            tags: Vec::new(),
            comments: Vec::new(),
            outcome: game.outcome(),
            move_text: None,
        }
    }

    /// Sets a tag. Characters that a tag's name cannot have become `_`. `Result`, `FEN`, `SetUp` and `Variant` are set by
    /// themselves where they belong, and not by this.
    #[must_use]
    pub fn tag(mut self, name: &str, value: &str) -> Self {
        let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(legal).collect();
        let value: String = value
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if !["Result", "FEN", "SetUp", "Variant"].contains(&name.as_str()) {
            self.tags.retain(|(other, _)| *other != name);
            self.tags.push((name, value));
        }
        self
    }

    /// Adds a comment after so many plies; 0 is before the first move.
    #[must_use]
    pub fn comment(mut self, plies: usize, text: &str) -> Self {
        self.comments
            .push((plies, text.replace('{', "(").replace('}', ")")));
        self
    }

    /// Sets the result, where the board does not show it (resigned, adjudicated, lost on time).
    #[must_use]
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    /// Sets the words of the move text in place of the game's moves, for variations.
    #[must_use]
    pub fn move_text(mut self, words: Vec<String>) -> Self {
        self.move_text = Some(words);
        self
    }

    fn result(&self) -> String {
        self.outcome
            .map_or("*".to_string(), |outcome| outcome.to_string())
    }

    /// The tags to be written, in their order.
    fn all_tags(&self) -> Vec<(&str, String)> {
        let given = |name| {
            self.tags
                .iter()
                .find(|(tag, _)| tag == name)
                .map(|(_, value)| value.clone())
        };
        let mut tags: Vec<(&str, String)> = ROSTER
            .iter()
            .map(|&(name, unknown)| match name {
                "Result" => (name, self.result()),
                _ => (name, given(name).unwrap_or(unknown.to_string())),
            })
            .collect();
        let start = self.game.start();
        if is_chess960(start, self.game) {
            tags.push(("Variant", "Chess960".to_string()));
        }
        if *start != Position::start() {
            tags.push(("SetUp", "1".to_string()));
            tags.push(("FEN", start.fen()));
        }
        for (name, value) in &self.tags {
            if !tags.iter().any(|(tag, _)| tag == name) {
                tags.push((name, value.clone()));
            }
        }
        tags
    }

    /// The words of the move text, comments cut into words.
    fn words(&self) -> Vec<String> {
        if let Some(words) = &self.move_text {
            return words.iter().cloned().chain([self.result()]).collect();
        }
        let mut words = Vec::new();
        let mut position = *self.game.start();
        // Black's move needs its number at the start and after a comment.
        let mut number_needed = true;
        self.comment_words(0, &mut words);
        for (ply, &mv) in self.game.moves().iter().enumerate() {
            if position.turn() == super::Color::White {
                words.push(format!("{}.", position.fullmoves()));
            } else if number_needed {
                words.push(format!("{}...", position.fullmoves()));
            }
            words.push(position.san(mv));
            number_needed = self.comment_words(ply + 1, &mut words);
            position.advance(mv);
        }
        words.push(self.result());
        words
    }

    /// Appends the words of the comments after `plies`; false if there are none.
    fn comment_words(&self, plies: usize, words: &mut Vec<String>) -> bool {
        let mut any = false;
        for (_, text) in self.comments.iter().filter(|(at, _)| *at == plies) {
            any = true;
            let mut parts: Vec<String> = text.split_whitespace().map(str::to_string).collect();
            match parts.first_mut() {
                Some(first) => first.insert(0, '{'),
                None => parts.push("{".to_string()),
            }
            if let Some(last) = parts.last_mut() {
                last.push('}');
            }
            words.append(&mut parts);
        }
        any
    }
}

/// Whether castling in the game cannot be understood as that of ordinary chess.
fn is_chess960(start: &Position, game: &Game) -> bool {
    use super::Square::{A1, A8, E1, E8, H1, H8};
    let castles = game
        .moves()
        .iter()
        .any(|mv| mv.kind() == MoveKind::Castling);
    let kings = [(super::Color::White, E1), (super::Color::Black, E8)];
    let at_home = kings
        .iter()
        .all(|&(color, home)| start.castling().of(color).is_empty() || start.king(color) == home);
    let corners = [A1, A8, H1, H8].into_iter().collect();
    let usual = at_home && (start.castling().rooks() - corners).is_empty();
    !usual && (castles || start.has_castling_rights())
}

impl fmt::Display for Pgn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.all_tags() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")?;
        }
        writeln!(f)?;
        let mut column = 0;
        for word in self.words() {
            let length = word.chars().count();
            // A line that begins with a percent sign is skipped by readers.
            if column > 0 && column + 1 + length > WIDTH && !word.starts_with('%') {
                writeln!(f)?;
                column = 0;
            }
            if column > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            f.write_str(&word)?;
            column += length;
        }
        writeln!(f, "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Color, Setup};

    fn play(game: &mut Game, moves: &str) {
        for san in moves.split_whitespace() {
            let mv = game.current().parse_san(san).expect("a legal move");
            game.push(mv);
        }
    }

    #[test]
    fn a_short_game() {
        let mut game = Game::new(Position::start());
        play(&mut game, "f3 e5 g4 Qh4");
        let pgn = Pgn::new(&game)
            .tag("White", "A \"B\" \\ C")
            .tag("Annotator", "nobody")
            .tag("FEN", "another position")
            .comment(2, "weak, {even} bad")
            .to_string();
        let expected = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A \"B\" \\ C"]
[Black "?"]
[Result "0-1"]
[Annotator "nobody"]

1. f3 e5 {weak, (even) bad} 2. g4 Qh4# 0-1

"#;
        assert_eq!(pgn, expected);
    }

    #[test]
    fn a_game_from_a_position_with_black_to_move() {
        let start = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 3 40").expect("legal");
        let mut game = Game::new(start);
        play(&mut game, "Kd7 e4 Ke6");
        let pgn = Pgn::new(&game)
            .comment(0, "to the end")
            .comment(2, "")
            .outcome(Outcome::Win(Color::White))
            .to_string();
        assert!(
            pgn.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n"),
            "{pgn}"
        );
        assert!(
            pgn.ends_with("\n\n{to the end} 40... Kd7 41. e4 {} 41... Ke6 1-0\n\n"),
            "{pgn}"
        );
    }

    #[test]
    fn long_games_are_wrapped_and_read_back() {
        let mut game = Game::new(Position::start());
        let mut state = 1u64;
        for _ in 0..200 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let moves = game.current().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.push(moves[(state >> 33) as usize % moves.len()]);
        }
        let pgn = Pgn::new(&game).to_string();
        assert!(pgn.lines().all(|line| line.len() <= WIDTH));
        let mut again = Game::new(Position::start());
        let text = pgn.split("\n\n").nth(1).expect("moves");
        let moves: Vec<&str> = text
            .split_whitespace()
            .filter(|word| !word.ends_with('.'))
            .collect();
        play(&mut again, &moves[..moves.len() - 1].join(" "));
        assert_eq!(again.moves(), game.moves());
    }

    #[test]
    fn chess960_is_named() {
        let start = Position::from_setup(&Setup::chess960(1).expect("below 960")).expect("legal");
        assert!(
            Pgn::new(&Game::new(start))
                .to_string()
                .contains("[Variant \"Chess960\"]")
        );
        assert!(
            !Pgn::new(&Game::new(Position::start()))
                .to_string()
                .contains("Variant")
        );
    }
}
