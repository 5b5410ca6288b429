//! A walk through the strategy of a restricted position: the board, its value, its moves; keys on a terminal, else one
//! command a line.

use super::Failure;
use crate::lines::{Line, Lines};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};
use duchamp_chess::{Color, File, Move, Position, Rank, Square};
use duchamp_proofs::freezer::{Choice, KnownValue, Restricted};
use std::io::{self, IsTerminal, Write};

/// Rows of the screen that are not moves.
const FRAME: usize = 6;
/// The least rows of moves.
const LEAST: usize = 9;

/// Moves of the line that are shown, up to the position and after it.
const BEFORE: usize = 10;
const AFTER: usize = 2;

const HELP: &str =
    "left, right: along the line; up, down: choose; Enter: play; or type a move; q: quit";
const LINE_HELP: &str =
    "a move such as Nf3 or g1f3, an empty line for the best one, back, forward, start, help, quit";

/// What the reader wants.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Command {
    Back,
    Forward,
    Start,
    Up,
    Down,
    /// Play what is chosen.
    Play,
    /// Play what is typed.
    Type(String),
    Help,
    Quit,
}

impl Command {
    /// From a line of text.
    fn of(line: &str) -> Command {
        match line.trim() {
            "" => Command::Play,
            "b" | "back" | "left" => Command::Back,
            "f" | "forward" | "right" => Command::Forward,
            "up" => Command::Up,
            "down" => Command::Down,
            "start" => Command::Start,
            "?" | "help" => Command::Help,
            "q" | "quit" | "exit" => Command::Quit,
            text => Command::Type(text.to_owned()),
        }
    }
}

/// A position of the line, and the move that led to it with what it is worth.
struct Step {
    position: Position,
    before: Option<(Move, KnownValue)>,
}

/// Where the reader is.
struct Walk<'a> {
    frozen: &'a Restricted,
    line: Vec<Step>,
    /// The step that is shown.
    at: usize,
    choices: Vec<Choice>,
    /// The choice that Enter plays.
    chosen: usize,
    message: String,
}

/// Walks until the reader has enough.
pub(super) fn walk(frozen: &Restricted, out: &mut impl Write) -> Result<(), Failure> {
    let mut walk = Walk::new(frozen);
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return walk.by_keys(out);
    }
    walk.show(out, usize::MAX, "\n")?;
    let mut input = Lines::new(io::stdin().lock());
    while let Some(line) = input.next_line()? {
        let command = match line {
            Line::Text(text) => Command::of(&text),
            Line::TooLong(_) => Command::Help,
        };
        if command == Command::Help {
            LINE_HELP.clone_into(&mut walk.message);
        } else if !walk.obey(command) {
            break;
        }
        walk.show(out, usize::MAX, "\n")?;
    }
    Ok(())
}

/// The terminal as keys need it, until dropped.
struct Screen;

impl Screen {
    fn open(out: &mut impl Write) -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        let screen = Screen;
        execute!(out, terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = execute!(io::stdout(), terminal::LeaveAlternateScreen, cursor::Show);
        let _ = terminal::disable_raw_mode();
    }
}

impl<'a> Walk<'a> {
    fn new(frozen: &'a Restricted) -> Walk<'a> {
        let position = frozen.rules().start;
        Walk {
            frozen,
            line: vec![Step {
                position,
                before: None,
            }],
            at: 0,
            choices: frozen.choices(&position),
            chosen: 0,
            message: String::new(),
        }
    }

    fn by_keys(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        // Stdout is locked by the caller: what is left in its buffer comes first.
        out.flush()?;
        let screen = Screen::open(out)?;
        let mut typed = String::new();
        HELP.clone_into(&mut self.message);
        loop {
            execute!(
                out,
                cursor::MoveTo(0, 0),
                terminal::Clear(terminal::ClearType::All)
            )?;
            let rows = terminal::size().map_or(24, |(_, rows)| usize::from(rows));
            self.show(out, rows.saturating_sub(FRAME).max(LEAST), "\r\n")?;
            write!(out, "{typed}")?;
            out.flush()?;
            let Event::Key(key) = event::read()? else {
                continue;
            };
            let Some(command) = command_of(key, &mut typed) else {
                continue;
            };
            if command == Command::Help {
                HELP.clone_into(&mut self.message);
            } else if !self.obey(command) {
                break;
            }
        }
        drop(screen);
        Ok(())
    }

    /// Does what is wanted; false if that is the end.
    fn obey(&mut self, command: Command) -> bool {
        self.message.clear();
        let last = self.choices.len().saturating_sub(1);
        match command {
            Command::Quit => return false,
            Command::Back => self.go(self.at.saturating_sub(1)),
            Command::Start => self.go(0),
            Command::Forward if self.at + 1 < self.line.len() => self.go(self.at + 1),
            Command::Up => self.chosen = self.chosen.saturating_sub(1),
            Command::Down => self.chosen = (self.chosen + 1).min(last),
            Command::Forward | Command::Play => match self.choices.get(self.chosen).copied() {
                Some(choice) => self.play(choice),
                None => "There is no move to play here: go back".clone_into(&mut self.message),
            },
            Command::Type(text) => {
                let typed = self.line[self.at].position.parse_san(&text);
                let choices = &mut self.choices.iter();
                match typed.map(|mv| choices.find(|choice| choice.mv == mv).copied()) {
                    Ok(Some(choice)) => self.play(choice),
                    Ok(None) => "The line has left the restricted table: go back"
                        .clone_into(&mut self.message),
                    Err(error) => {
                        let shown: String = text.chars().take(24).collect();
                        self.message = format!("{shown:?}: {error}");
                    }
                }
            }
            Command::Help => {}
        }
        true
    }

    /// Shows another step of the line.
    fn go(&mut self, to: usize) {
        self.at = to;
        self.choices = self.frozen.choices(&self.line[to].position);
        let next = self.line.get(to + 1).and_then(|step| step.before);
        let same = |choice: &Choice| next.is_some_and(|(mv, _)| mv == choice.mv);
        self.chosen = self.choices.iter().position(same).unwrap_or(0);
    }

    /// Plays a move; what was played from here before is forgotten unless it is the same.
    fn play(&mut self, choice: Choice) {
        let next = self.line.get(self.at + 1).and_then(|step| step.before);
        if next.is_none_or(|(mv, _)| mv != choice.mv) {
            self.line.truncate(self.at + 1);
            self.line.push(Step {
                position: self.line[self.at].position.play(choice.mv),
                before: Some((choice.mv, choice.known)),
            });
        }
        self.go(self.at + 1);
    }

    /// Writes the board with its value and at most `rows` moves, the line, and the message.
    fn show(&self, out: &mut impl Write, rows: usize, end: &str) -> Result<(), Failure> {
        let position = &self.line[self.at].position;
        write!(out, "{}: {}{end}", side(position.turn()), self.value())?;
        write!(out, "{}{end}{end}", position.fen())?;
        let board = board(position);
        let moves = self.moves(rows);
        for row in 0..board.len().max(moves.len()) {
            let left = board.get(row).map_or("", String::as_str);
            let right = moves.get(row).map_or("", String::as_str);
            write!(out, "{}{end}", format!("{left:18}   {right}").trim_end())?;
        }
        write!(out, "{end}{}{end}", self.played())?;
        if !self.message.is_empty() {
            write!(out, "{}{end}", self.message)?;
        }
        Ok(())
    }

    /// What the position is worth.
    fn value(&self) -> String {
        let step = &self.line[self.at];
        let before = self.at.checked_sub(1).map(|at| &self.line[at].position);
        match (self.frozen.value(&step.position), before, &step.before) {
            (Some(known), ..) => self.frozen.tell(known, &step.position),
            (None, Some(before), Some((_, known))) => {
                format!(
                    "outside the restricted table, {}",
                    self.frozen.tell(*known, before)
                )
            }
            _ => "outside the restricted table".into(),
        }
    }

    /// The moves around the chosen one: `>` marks it, `*` the best ones.
    fn moves(&self, rows: usize) -> Vec<String> {
        let position = &self.line[self.at].position;
        let result = |choice: &Choice| (choice.known.value.wdl(), choice.known.value.plies());
        let best = self.choices.first().map(result);
        let from = self.chosen.saturating_sub(rows / 2);
        let from = from.min(self.choices.len().saturating_sub(rows));
        let shown = self.choices.iter().enumerate().skip(from).take(rows);
        shown
            .map(|(at, choice)| {
                let chosen = if at == self.chosen { '>' } else { ' ' };
                let mark = if Some(result(choice)) == best {
                    '*'
                } else {
                    ' '
                };
                let san = position.san(choice.mv);
                let told = self.frozen.tell(choice.known, position);
                format!("{chosen}{mark} {san:8} {told}")
            })
            .collect()
    }

    /// The moves of the line near the step that is shown, the one that led to it in brackets.
    fn played(&self) -> String {
        let first = self.at.saturating_sub(BEFORE);
        let mut words = Vec::new();
        if first > 0 {
            words.push("...".to_owned());
        }
        let pairs = self.line.windows(2).enumerate().skip(first);
        for (at, pair) in pairs.take(BEFORE + AFTER) {
            let (before, Some((mv, _))) = (&pair[0].position, &pair[1].before) else {
                continue;
            };
            if before.turn() == Color::White {
                words.push(format!("{}.", before.fullmoves()));
            } else if at == first {
                words.push(format!("{}...", before.fullmoves()));
            }
            let san = before.san(*mv);
            words.push(match at + 1 == self.at {
                true => format!("[{san}]"),
                false => san,
            });
        }
        words.join(" ")
    }
}

/// What a key means; letters are collected in `typed`.
fn command_of(key: KeyEvent, typed: &mut String) -> Option<Command> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd') if control => Command::Quit,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char('q') if typed.is_empty() => Command::Quit,
        KeyCode::Char('?') => Command::Help,
        KeyCode::Char(letter) => {
            typed.push(letter);
            return None;
        }
        KeyCode::Backspace => {
            typed.pop();
            return None;
        }
        KeyCode::Esc if typed.is_empty() => Command::Quit,
        KeyCode::Esc => {
            typed.clear();
            return None;
        }
        KeyCode::Enter => Command::of(&std::mem::take(typed)),
        KeyCode::Left => Command::Back,
        KeyCode::Right => Command::Forward,
        KeyCode::Up => Command::Up,
        KeyCode::Down => Command::Down,
        KeyCode::Home => Command::Start,
        _ => return None,
    })
}

fn side(turn: Color) -> String {
    format!("{turn:?} to move")
}

/// The board as text, White below.
fn board(position: &Position) -> Vec<String> {
    let ranks = Rank::ALL.into_iter().rev();
    let mut rows: Vec<String> = ranks
        .map(|rank| {
            let mut row = rank.to_char().to_string();
            for file in File::ALL {
                let man = position.at(Square::at(file, rank));
                row.push(' ');
                row.push(man.map_or('.', |man| man.to_char()));
            }
            row
        })
        .collect();
    let files = File::ALL.map(|file| file.to_char().to_string());
    rows.push(format!("  {}", files.join(" ")));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, typed: &mut String) -> Option<Command> {
        command_of(KeyEvent::new(code, KeyModifiers::NONE), typed)
    }

    #[test]
    fn keys_and_lines_are_commands() {
        let mut typed = String::new();
        for letter in "Rg3".chars() {
            assert_eq!(press(KeyCode::Char(letter), &mut typed), None);
        }
        let played = Some(Command::Type("Rg3".into()));
        assert_eq!(press(KeyCode::Enter, &mut typed), played);
        assert_eq!(press(KeyCode::Enter, &mut typed), Some(Command::Play));
        assert_eq!(press(KeyCode::Char('b'), &mut typed), None);
        assert_eq!(press(KeyCode::Char('q'), &mut typed), None);
        assert_eq!(press(KeyCode::Backspace, &mut typed), None);
        assert_eq!(typed, "b");
        assert_eq!(press(KeyCode::Esc, &mut typed), None);
        assert_eq!(press(KeyCode::Left, &mut typed), Some(Command::Back));
        assert_eq!(press(KeyCode::Char('q'), &mut typed), Some(Command::Quit));
        assert_eq!(Command::of(" back "), Command::Back);
        assert_eq!(Command::of("e8=Q"), Command::Type("e8=Q".into()));
    }
}
