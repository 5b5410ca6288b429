//! The session: lines in, commands to the engine, events out.

use super::background::Background;
use super::command::{Command, parse};
use super::debug_log::DebugLog;
use super::go::GoArguments;
use super::output::Output;
use super::position::{self, PositionArguments};
use super::{compiler, eval, options, print, vampirc};
use crate::lines::{Line, Lines};
use duchamp_chess::{Move, Position, perft_by_move};
use duchamp_engine::{Engine, OptionId, SearchControl, Setting};
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long `quit` waits for threads to leave their files in good order.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the end of the input waits for the tables that are generated at the start.
const TABLE_PATIENCE: Duration = Duration::from_secs(60);

/// The greatest depth of `perft`: no count beyond it would end.
const DEEPEST_PERFT: u32 = 20;

/// One conversation with a GUI.
pub struct Session {
    engine: Engine,
    output: Arc<Output>,
    background: Background,
    debug: bool,
}

impl Session {
    /// A session that writes to `output`.
    ///
    /// # Errors
    /// As of [`Engine::new`].
    pub fn new(output: Arc<Output>) -> io::Result<Session> {
        let sink = Arc::clone(&output);
        let engine = Engine::new(Arc::new(move |event| sink.event(event)))?;
        Ok(Session {
            engine,
            output,
            background: Background::default(),
            debug: false,
        })
    }

    /// Handles all lines of `input`, until `quit` or its end.
    ///
    /// At the end of the input a search that ends by itself is waited for, so that
    /// `echo "go depth 10" | duchamp` answers; `quit` waits for nothing.
    ///
    /// # Errors
    /// Why the input cannot be read on; all else has ended in good order by then.
    pub fn run(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(input);
        let ended = loop {
            match lines.next_line() {
                Ok(Some(Line::Text(text))) => {
                    self.output.log_input(&text);
                    let flow = self.line(&text);
                    self.output.release();
                    if flow.is_break() {
                        break Ok(());
                    }
                }
                Ok(Some(Line::TooLong(bytes))) => {
                    self.output
                        .string(&format!("a line of {bytes} bytes was ignored"));
                }
                Ok(None) => {
                    self.drain();
                    break Ok(());
                }
                Err(error) => break Err(error),
            }
        };
        self.background.stop();
        self.background.wait();
        self.engine.shut_down(PATIENCE);
        ended
    }

    /// Waits for what would have been answered had the input stayed open.
    fn drain(&mut self) {
        self.background.wait();
        self.engine.finish_bounded();
        self.engine.finish_startup_tables(TABLE_PATIENCE);
    }

    /// Handles one line; breaks on `quit`.
    pub fn line(&mut self, text: &str) -> ControlFlow<()> {
        let start = Instant::now();
        let parsed = parse(text);
        for note in parsed.notes {
            self.output.string(&note);
        }
        if self.debug && parsed.command.is_some() {
            self.output
                .string(&format!("read: {}", super::text::short(text)));
        }
        match parsed.command {
            Some(Command::Quit) => return ControlFlow::Break(()),
            Some(command) => self.command(command, start),
            None => {}
        }
        ControlFlow::Continue(())
    }

    fn command(&mut self, command: Command, start: Instant) {
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => {
                self.engine.settle();
                self.output.line(&vampirc::readyok());
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Register | Command::Quit => {}
            Command::NewGame => self.engine.new_game(),
            Command::Position(arguments) => self.position(&arguments),
            Command::Go(GoArguments {
                perft: Some(depth), ..
            }) => self.perft(depth),
            Command::Go(arguments) => self.go(&arguments, start),
            Command::Stop => {
                self.background.stop();
                self.engine.stop();
            }
            Command::PonderHit => self.engine.ponderhit(),
            Command::Show => self.show(),
            Command::Eval => {
                let position = self.engine.game().current();
                let lines = eval::lines(position, &self.engine.explain());
                self.output.lines(&lines);
            }
            Command::Bench(depth) => {
                self.bench(depth.unwrap_or(duchamp_engine::BENCH_DEPTH).clamp(1, 100))
            }
            Command::Tables => self
                .output
                .string(&print::table_state(&self.engine.tables())),
            Command::Compiler => self.output.lines(&compiler::lines()),
            Command::Help => self.help(),
        }
    }

    fn introduce(&self) {
        let name = concat!("Duchamp ", env!("CARGO_PKG_VERSION"));
        let mut lines: Vec<String> = vampirc::id_lines(name, "the Duchamp developers").into();
        lines.extend(options::lines());
        lines.push(vampirc::uciok());
        self.output.lines(&lines);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let Some(id) = options::find(name) else {
            self.output
                .string(&format!("unknown option: {}", super::text::short(name)));
            return;
        };
        let setting = match options::read(id, value) {
            Ok(setting) => setting,
            Err(note) => return self.output.string(&note),
        };
        if let (OptionId::DebugLogFile, Setting::Text(path)) = (id, &setting) {
            return self.set_log(path);
        }
        let flag = setting == Setting::Flag(true);
        match self.engine.set(id, setting) {
            Ok(()) => match id {
                OptionId::Chess960 => self.output.restyle(|style| style.chess960 = flag),
                OptionId::ShowWdl => self.output.restyle(|style| style.wdl = flag),
                _ => {}
            },
            Err(error) => self
                .output
                .string(&format!("{}: {error}", options::name(id))),
        }
    }

    /// Logs to a file from now on; to none if the path is empty. If the file cannot be opened, nothing is logged.
    fn set_log(&self, path: &str) {
        self.output.set_log(None);
        if path.is_empty() {
            return;
        }
        match DebugLog::open(Path::new(path)) {
            Ok(log) => self.output.set_log(Some(log)),
            Err(error) => self.output.string(&format!(
                "Debug Log File: {}: {error}",
                super::text::short(path)
            )),
        }
    }

    /// A position that cannot be is refused and the old one stays; of moves, those before the first
    /// illegal one are played.
    fn position(&mut self, arguments: &PositionArguments) {
        match position::game(arguments) {
            Ok((game, note)) => {
                self.engine.set_game(game);
                if let Some(note) = note {
                    self.output.string(&note);
                }
            }
            Err(note) => self.output.string(&note),
        }
    }

    fn go(&mut self, arguments: &GoArguments, start: Instant) {
        self.background.stop();
        let position = *self.engine.game().current();
        let mut moves: Vec<Move> = Vec::new();
        for text in &arguments.search_moves {
            match position.parse_uci(&text.to_ascii_lowercase()) {
                Ok(mv) if moves.contains(&mv) => {}
                Ok(mv) => moves.push(mv),
                Err(error) => {
                    self.output.string(&format!(
                        "searchmoves: {}: {error}",
                        super::text::short(text)
                    ));
                }
            }
        }
        self.engine.go(arguments.limits(start, moves));
    }

    fn perft(&mut self, depth: u32) {
        if depth > DEEPEST_PERFT {
            let told = format!("perft: depths of 0 to {DEEPEST_PERFT} are counted, not {depth}");
            return self.output.string(&told);
        }
        let position: Position = *self.engine.game().current();
        let output = Arc::clone(&self.output);
        self.begin_background(move |control| {
            let start = Instant::now();
            let mut total = 0u64;
            let counts = perft_by_move(&position, depth, || control.is_stopped());
            for (mv, nodes) in counts.filter(|_| depth > 0) {
                total += nodes;
                output.line(&format!("{}: {nodes}", output.move_text(mv)));
            }
            if control.is_stopped() {
                return output.string(&format!("perft {depth} stopped: not all moves are counted"));
            }
            let total = if depth == 0 { 1 } else { total };
            output.lines(&[
                String::new(),
                format!("Nodes searched: {total}"),
                String::new(),
            ]);
            log::info!("perft {depth}: {:?}", start.elapsed());
        });
    }

    fn bench(&mut self, depth: u32) {
        let output = Arc::clone(&self.output);
        let evaluator = self.engine.evaluator();
        self.begin_background(move |control| {
            let result = duchamp_engine::bench(depth, evaluator, control, &mut |_| ());
            if control.is_stopped() {
                output.string("bench stopped; the nodes of some positions only say nothing");
            } else {
                output.line(&format!("{} nodes {} nps", result.nodes, result.nps()));
            }
        });
    }

    /// Has a job done in the background when those before it have ended.
    fn begin_background(&mut self, job: impl FnOnce(&SearchControl) + Send + 'static) {
        if let Err(note) = self.background.begin(job) {
            self.output.string(&note);
        }
    }

    fn show(&self) {
        let position = self.engine.game().current();
        let mut lines = print::board(position);
        lines.push(format!("FEN: {}", position.fen()));
        lines.push(format!("Key: {:016X}", position.key()));
        if let Some(value) = self.engine.exact_value() {
            lines.push(format!("Tables: {}", print::value(value)));
        } else if let Some(table) = self.engine.missing_table() {
            lines.push(format!("Tables: {}", print::missing_table(table)));
        }
        if let Some(value) = self.engine.syzygy_value() {
            lines.push(format!("Syzygy: {}", print::syzygy_value(value)));
        }
        self.output.lines(&lines);
    }

    fn help(&self) {
        for text in HELP {
            self.output.string(text);
        }
    }
}

/// The answer to `help`.
const HELP: [&str; 13] = [
    "Duchamp is a chess engine that speaks UCI. Commands of the protocol:",
    "uci, isready, ucinewgame, setoption name NAME [value VALUE], debug on|off, quit",
    "position startpos|fen FEN [moves ...]; a FEN may have two to six fields",
    "go [depth N] [movetime MS] [nodes N] [wtime MS btime MS] [mate N] [infinite]; stop; ponderhit",
    "Further commands:",
    "d: the board, its FEN and what the tables say of it",
    "eval: the static evaluation, and what each piece adds to it",
    "perft N, or go perft N: counts the leaf nodes of the legal move tree, by first move",
    "bench [DEPTH]: searches fixed positions and prints nodes and nodes a second",
    "tb: which endgame tables are present; setoption name GenerateTB value KQPvKQ generates one and those it needs",
    "(or a list KRPvKR, KQvKR; 4 for all of four men; all5 for all of up to five; stop)",
    "compiler: compiler, target and profile of this program",
    "The options are listed by uci and explained in docs/GUI.md. `duchamp --help` lists the commands of the shell.",
];
