//! An engine in a child process, driven through pipes as a GUI does it.
//!
//! It runs in a temporary working directory, as Cute Chess starts engines, and its tables go to a
//! temporary folder. Waiting ends with a panic after [`HANG_GUARD`].

use super::program::PROGRAM;
use duchamp_chess::{Game, Position};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A test that waits so long hangs: far more than anything here takes on a busy machine. It says nothing about how
/// fast the engine is.
pub const HANG_GUARD: Duration = Duration::from_secs(180);

/// How long an answer that must not come is listened for.
pub const SHORT: Duration = Duration::from_millis(300);

/// A running engine.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Every line that was received, the newest last.
    pub heard: Vec<String>,
    /// The working directory.
    pub folder: TempDir,
}

impl Client {
    /// Starts an engine that generates no tables, with an empty table folder of its own.
    pub fn start() -> Client {
        let mut client = Client::start_bare();
        client.send("setoption name TBStartupMen value 0");
        client
    }

    /// Starts an engine with an empty table folder of its own and all options at their defaults.
    pub fn start_bare() -> Client {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tables = folder.path().join("tables");
        Client::start_in(folder, &tables)
    }

    /// Starts an engine in a folder, with its tables elsewhere.
    pub fn start_in(folder: TempDir, tables: &Path) -> Client {
        let mut child = Command::new(PROGRAM)
            .current_dir(folder.path())
            .env("DUCHAMP_TABLEBASES", tables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the engine starts");
        let output = child.stdout.take().expect("its output is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Client {
            child,
            input,
            lines,
            heard: Vec::new(),
            folder,
        }
    }

    /// Starts an engine and goes through `uci` and `isready`, as GUIs do.
    pub fn ready() -> Client {
        let mut client = Client::start();
        client.send("uci");
        client.expect("uciok");
        client.sync();
        client
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .expect("the engine reads");
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        match self.lines.recv_timeout(HANG_GUARD) {
            Ok(line) => {
                self.heard.push(line.clone());
                line
            }
            Err(RecvTimeoutError::Timeout) => {
                panic!("the engine is silent after {:#?}", self.tail())
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the engine is gone after {:#?}", self.tail())
            }
        }
    }

    /// Reads to the next line that begins with `start`; returns all lines read, that one last.
    pub fn expect(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let until = Instant::now() + HANG_GUARD;
        loop {
            lines.push(self.line());
            assert!(
                Instant::now() < until,
                "no {start} after {:#?}",
                self.tail()
            );
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Sends `isready` and returns all lines before `readyok`.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.expect("readyok");
        lines.pop();
        lines
    }

    /// Sends a `go` and waits for its answer.
    pub fn go(&mut self, arguments: &str) -> Search {
        self.send(&format!("go {arguments}"));
        self.answer()
    }

    /// Waits for the answer to a `go`.
    pub fn answer(&mut self) -> Search {
        Search {
            lines: self.expect("bestmove"),
        }
    }

    /// Reads what comes within a short time when nothing is expected.
    pub fn overhear(&mut self, time: Duration) -> Vec<String> {
        let until = Instant::now() + time;
        let mut lines = Vec::new();
        while let Ok(line) = self
            .lines
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            self.heard.push(line.clone());
            lines.push(line);
        }
        lines
    }

    /// Listens a short time for an answer that must not come yet.
    pub fn expect_no_answer(&mut self) {
        let heard = self.overhear(SHORT);
        assert!(!heard.iter().any(|line| is_answer(line)), "{heard:#?}");
    }

    /// How many answers were received in all.
    pub fn answers(&self) -> usize {
        self.heard.iter().filter(|line| is_answer(line)).count()
    }

    /// Sends `quit` and waits for the end of the process.
    pub fn quit(mut self) -> ExitStatus {
        self.send("quit");
        self.wait()
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                return status;
            }
            assert!(
                start.elapsed() < HANG_GUARD,
                "the engine does not end after {:#?}",
                self.tail()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What a process that has ended wrote after what was heard.
    pub fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.lines.recv().ok()).collect()
    }

    /// Kills the process as a GUI does that has lost patience.
    pub fn kill(mut self) -> TempDir {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let other = tempfile::tempdir().expect("a temporary folder");
        std::mem::replace(&mut self.folder, other)
    }

    fn tail(&self) -> &[String] {
        &self.heard[self.heard.len().saturating_sub(20)..]
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of one search, `bestmove` last.
#[derive(Clone, Debug)]
pub struct Search {
    /// All lines.
    pub lines: Vec<String>,
}

impl Search {
    /// The move played.
    pub fn best(&self) -> &str {
        self.word_after("bestmove").expect("a best move")
    }

    /// The move to ponder on.
    pub fn ponder(&self) -> Option<&str> {
        self.lines
            .last()?
            .split(' ')
            .skip_while(|&word| word != "ponder")
            .nth(1)
    }

    fn word_after(&self, name: &str) -> Option<&str> {
        self.lines
            .last()?
            .split(' ')
            .skip_while(|&word| word != name)
            .nth(1)
    }

    /// The line right before `bestmove`.
    pub fn last_info(&self) -> &str {
        let index = self
            .lines
            .len()
            .checked_sub(2)
            .expect("a line before bestmove");
        &self.lines[index]
    }

    /// The number or word after `name` in the last info line.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.last_info()
            .split(' ')
            .skip_while(|&word| word != name)
            .nth(1)
    }

    /// The variation of the last info line.
    pub fn pv(&self) -> Vec<&str> {
        self.last_info()
            .split(' ')
            .skip_while(|&word| word != "pv")
            .skip(1)
            .collect()
    }

    /// The nodes of the last info line.
    pub fn nodes(&self) -> u64 {
        self.field("nodes")
            .and_then(|n| n.parse().ok())
            .expect("a number of nodes")
    }
}

/// Checks what a match runner reads: the last line before `bestmove`, and its variation.
pub fn check(search: &Search, position: &Position) {
    let info = search.last_info();
    let words: Vec<&str> = info.split(' ').collect();
    assert!(
        words.iter().all(|word| !word.is_empty()),
        "two blanks in {info:?}"
    );
    assert_eq!(words[0], "info");
    assert!(
        !words.contains(&"lowerbound") && !words.contains(&"upperbound"),
        "{info}"
    );
    for name in [
        "depth", "seldepth", "multipv", "nodes", "nps", "time", "hashfull", "tbhits",
    ] {
        let value = search
            .field(name)
            .unwrap_or_else(|| panic!("no {name} in {info}"));
        assert!(value.parse::<u64>().is_ok(), "{name} {value} in {info}");
    }
    let kind = search.field("score").expect("a score");
    assert!(kind == "cp" || kind == "mate", "{info}");
    assert!(
        search
            .field(kind)
            .is_some_and(|value| value.parse::<i32>().is_ok()),
        "{info}"
    );
    assert_eq!(search.pv().first().copied(), Some(search.best()), "{info}");
    let mut game = Game::new(*position);
    for text in search.pv() {
        assert!(
            game.outcome().is_none(),
            "{info}: goes on after the end of the game"
        );
        let mv = game
            .current()
            .parse_uci(text)
            .unwrap_or_else(|error| panic!("{text} in {info}: {error}"));
        game.push(mv);
    }
}

/// The position after these moves from the start.
pub fn start_and(moves: &str) -> Position {
    let mut position = Position::start();
    for text in moves.split_whitespace() {
        position = position.play(position.parse_uci(text).expect("a legal move"));
    }
    position
}

/// Whether a line is the answer to a `go`.
fn is_answer(line: &str) -> bool {
    line.starts_with("bestmove")
}

/// Whether a text is a move as UCI writes it.
pub fn is_move(text: &str) -> bool {
    let bytes = text.as_bytes();
    let square = |at: usize| {
        bytes.get(at).is_some_and(|b| (b'a'..=b'h').contains(b))
            && bytes.get(at + 1).is_some_and(|b| (b'1'..=b'8').contains(b))
    };
    square(0)
        && square(2)
        && (bytes.len() == 4 || (bytes.len() == 5 && b"qrbn".contains(&bytes[4])))
}
