//! `duchamp tb probe FEN`: the values of a position and of each of its moves.

use super::Failure;
use super::tb_clock;
use super::tb_game::TableGame;
use super::tb_input::{self, Dir, GameName, GameOption, MetricName, in_game};
use super::tb_missing;
use super::tb_syzygy::{self, SyzygyObject, SyzygyValues};
use super::tb_values::{self, ValueObject};
use super::tb_words;
use crate::lines::{Line, Lines};
use duchamp_chess_tables::{Chess, SyzygyTables};
use duchamp_tablebase::{Metric, MoveValues, ProbedValues, Prober, Store};
use duchamp_xiangqi_tables::Xiangqi;
use serde::Serialize;
use std::cell::OnceCell;
use std::io::Write;
use std::sync::Arc;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN (two to six fields), quoted or not; `-` reads one FEN a line from stdin and
    /// prints one JSON object a line
    #[arg(required = true)]
    fen: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Plies since the last capture or pawn move, for the 50-move rule; needs .dtz files
    /// [default: the FEN's halfmove clock]
    #[arg(long, value_name = "PLIES", conflicts_with = "brief")]
    clock: Option<u16>,
    /// Print `WDL PLIES` only (a draw: `draw -`), without moves and with the halfmove clock ignored; many
    /// times faster
    #[arg(long, conflicts_with = "json")]
    brief: bool,
    /// With `--brief`: what the plies count [default: dtm; xiangqi: dtc]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    /// Print what the Syzygy files of these folders say, too (separated by `:`, on Windows `;`); either
    /// tables may lack the position
    #[arg(long, value_name = "PATH", conflicts_with = "brief")]
    syzygy: Option<String>,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    dir: Dir,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    /// In chess.
    #[serde(skip_serializing_if = "Option::is_none")]
    san: Option<String>,
    /// In xiangqi.
    #[serde(skip_serializing_if = "Option::is_none")]
    wxf: Option<String>,
    #[serde(flatten)]
    value: ValueObject,
    /// The result with the halfmove clock; null if the distance to zeroing is not known, absent in xiangqi.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_wdl: Option<Option<&'static str>>,
    #[serde(flatten)]
    syzygy: Option<SyzygyObject>,
    /// Whether it is the only move that keeps the result.
    only: bool,
}

#[derive(Serialize)]
struct ProbeObject<'a> {
    fen: &'a str,
    #[serde(flatten)]
    value: ValueObject,
    /// The distance to conversion in moves, where a game counts it so.
    #[serde(skip_serializing_if = "Option::is_none")]
    dtc_moves: Option<u16>,
    /// The halfmove clock in plies; absent in xiangqi.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<u16>,
    /// The result with it; null if the distance to zeroing is not known, absent in xiangqi.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_wdl: Option<Option<&'static str>>,
    #[serde(flatten)]
    syzygy: Option<SyzygyObject>,
    /// Why Syzygy files that were asked for say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    syzygy_error: Option<&'a str>,
    moves: Vec<MoveObject>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    fen: &'a str,
    error: String,
}

/// A position with what the tables hold of it.
struct Answer<G: TableGame> {
    position: G::Position,
    values: ProbedValues,
    moves: Vec<MoveValues<G::Move>>,
    /// The halfmove clock in plies.
    clock: u16,
    /// Whether the distances to zeroing are known, without which the clock is ignored.
    knows_zeroing: bool,
    /// What Syzygy files say, where asked for, or why they say nothing.
    syzygy: Option<Result<SyzygyValues, String>>,
}

/// What is known of a position.
enum Known<G: TableGame> {
    /// By our own tables, perhaps with what Syzygy files say.
    Own(Answer<G>),
    /// By Syzygy files only; why our own tables do not know it.
    Syzygy(SyzygyValues, String),
}

/// Whether a game has distances to zeroing, and so a clock.
fn has_clock<G: TableGame>() -> bool {
    G::METRICS.contains(&Metric::Dtz)
}

impl<G: TableGame> Answer<G> {
    /// What Syzygy files say.
    fn syzygy(&self) -> Option<&SyzygyValues> {
        self.syzygy.as_ref()?.as_ref().ok()
    }

    /// Why Syzygy files that were asked for say nothing.
    fn syzygy_error(&self) -> Option<&str> {
        Some(self.syzygy.as_ref()?.as_ref().err()?.as_str())
    }

    /// What Syzygy files say of a move.
    fn syzygy_of(&self, mv: G::Move) -> Option<SyzygyObject> {
        self.syzygy()?.moves.get(&G::uci(mv)).copied()
    }

    /// The clock if it counts.
    fn regarded(&self) -> Option<u16> {
        self.knows_zeroing.then_some(self.clock)
    }

    fn object<'a>(&'a self, fen: &'a str) -> ProbeObject<'a> {
        let (position, clock) = (&self.position, self.regarded());
        let result = |values| clock.and_then(|clock| tb_clock::result(values, clock));
        let only = tb_clock::only_move(&self.moves, clock);
        let moves = self.moves.iter().enumerate();
        let clocked =
            |values| has_clock::<G>().then(|| result(values).map(duchamp_base::Wdl::name));
        let moves = moves.map(|(number, entry)| {
            let written = G::write_move(position, entry.mv);
            let (san, wxf) = match G::NOTATION {
                "san" => (Some(written), None),
                _ => (None, Some(written)),
            };
            MoveObject {
                uci: G::uci(entry.mv),
                san,
                wxf,
                value: entry.values.into(),
                clock_wdl: clocked(entry.values),
                syzygy: self.syzygy_of(entry.mv),
                only: only == Some(number),
            }
        });
        let in_moves = self.values.dtc.filter(|_| !has_clock::<G>());
        ProbeObject {
            fen,
            value: self.values.into(),
            dtc_moves: in_moves.map(duchamp_base::Plies::moves),
            clock: has_clock::<G>().then_some(self.clock),
            clock_wdl: clocked(self.values),
            syzygy: self.syzygy().map(|syzygy| syzygy.value),
            syzygy_error: self.syzygy_error(),
            moves: moves.collect(),
        }
    }

    /// `generate` is the command that generates the `.dtz` file.
    fn print(&self, out: &mut impl Write, generate: &str) -> Result<(), Failure> {
        writeln!(
            out,
            "{}",
            tb_words::in_words::<G>(&self.position, self.values)
        )?;
        if let Some(syzygy) = self.syzygy() {
            writeln!(out, "Syzygy: {}", syzygy.value.in_words())?;
        }
        let clock = self.regarded();
        if has_clock::<G>() && self.clock > 0 && !self.moves.is_empty() {
            let told = clock.and_then(|clock| tb_clock::in_words(self.values, clock));
            let told = told.unwrap_or_else(|| {
                format!(
                    "halfmove clock {} is ignored without .dtz files; to generate them: {generate}",
                    self.clock
                )
            });
            writeln!(out, "{told}")?;
        }
        let only = tb_clock::only_move(&self.moves, clock);
        let outcome = |entry: &MoveValues<G::Move>| tb_clock::outcome(entry.values, clock);
        let moves: Vec<_> = self.moves.iter().enumerate().collect();
        for group in moves.chunk_by(|a, b| outcome(a.1) == outcome(b.1)) {
            writeln!(out, "{}", tb_clock::headline(outcome(group[0].1)))?;
            for (number, entry) in group {
                let written = G::write_move(&self.position, entry.mv);
                let distances = tb_values::distances(entry.values);
                let mark = match only {
                    Some(only) if only == *number => "  the only move",
                    _ => "",
                };
                let mark = match self.syzygy_of(entry.mv) {
                    Some(syzygy) => format!("  Syzygy {}{mark}", syzygy.in_words()),
                    None => mark.to_owned(),
                };
                let line = match G::NOTATION {
                    "san" => format!("  {written:8} {distances}{mark}"),
                    _ => {
                        let uci = G::uci(entry.mv);
                        format!("  {written:6} {uci:6} {distances}{mark}")
                    }
                };
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }
}

fn json(object: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(object).map_err(Failure::failed)
}

impl Arguments {
    /// The Syzygy files that are asked for.
    fn syzygy_tables<G: TableGame>(&self) -> Result<Option<SyzygyTables>, Failure> {
        let Some(path) = &self.syzygy else {
            return Ok(None);
        };
        if !has_clock::<G>() {
            return Err(Failure::BadInput(format!(
                "--syzygy is for chess: there are no Syzygy tables of {}",
                G::NAME
            )));
        }
        tb_syzygy::open(path).map(Some)
    }

    /// What the tables hold of a position.
    fn answer<G: TableGame>(
        &self,
        store: &Store<G>,
        position: G::Position,
    ) -> Result<Answer<G>, Failure> {
        let told = |error| tb_missing::position_failure(store, &position, &error);
        let tables = Prober::new(store);
        let values = tables.all_values(&position).map_err(told)?;
        let mut moves = tables.moves_with_all_values(&position).map_err(told)?;
        let clock = self.clock.unwrap_or_else(|| G::halfmoves(&position));
        let mut all = moves.iter().map(|entry| entry.values).chain([values]);
        let knows_zeroing =
            has_clock::<G>() && all.all(|values| tb_clock::result(values, clock).is_some());
        if self.clock.is_some() && !knows_zeroing {
            if !has_clock::<G>() {
                return Err(Failure::BadInput(format!(
                    "--clock is for chess: {} tables ignore it",
                    G::NAME
                )));
            }
            let command = zeroing_command(store, &position);
            return Err(Failure::Failed(format!(
                "--clock needs .dtz files; to generate them: {command}"
            )));
        }
        let regarded = knows_zeroing.then_some(clock);
        moves.sort_by_key(|entry| {
            let rank = entry.values.rank_by(G::RANKING);
            std::cmp::Reverse((tb_clock::outcome(entry.values, regarded), rank))
        });
        Ok(Answer {
            position,
            values,
            moves,
            clock,
            knows_zeroing,
            syzygy: None,
        })
    }

    /// What is known of the position of a FEN. Syzygy files alone do not answer where `--clock` is given, which they
    /// would ignore.
    fn known<G: TableGame>(
        &self,
        store: &Store<G>,
        syzygy: Option<&SyzygyTables>,
        fen: &str,
    ) -> Result<Known<G>, Failure> {
        let position = G::read(fen).map_err(Failure::BadInput)?;
        match (self.answer(store, position), ask_syzygy(syzygy, fen)) {
            (Ok(answer), syzygy) => Ok(Known::Own(Answer { syzygy, ..answer })),
            (Err(Failure::Failed(own)), Some(Ok(values))) if self.clock.is_none() => {
                Ok(Known::Syzygy(values, own))
            }
            (Err(Failure::Failed(own)), Some(Err(syzygy))) => {
                Err(Failure::Failed(format!("{own}; Syzygy: {syzygy}")))
            }
            (Err(own), _) => Err(own),
        }
    }
}

/// The command that generates the `.dtz` file of a position's table.
fn zeroing_command<G: TableGame>(store: &Store<G>, position: &G::Position) -> String {
    let asked: Vec<G::Key> = G::key(position).into_iter().collect();
    tb_missing::command(store, &asked, Some(Metric::Dtz))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.metric.is_some() && !arguments.brief {
        let text =
            "--metric belongs to --brief: without it the distances of all metrics are printed";
        return Err(Failure::BadInput(text.to_owned()));
    }
    if arguments.fen.len() == 1 && arguments.fen[0] == "-" {
        return answer_lines(arguments);
    }
    in_game!(arguments.game.of_fen(&arguments.fen), answer_one(arguments))
}

/// What Syzygy files say of a FEN of chess, if they are asked for; else why nothing.
fn ask_syzygy(tables: Option<&SyzygyTables>, fen: &str) -> Option<Result<SyzygyValues, String>> {
    let (tables, position) = (tables?, super::fen::position(fen).ok()?);
    Some(SyzygyValues::of(tables, &position).map_err(|error| error.to_string()))
}

fn answer_one<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    let syzygy = arguments.syzygy_tables::<G>()?;
    let store = arguments.dir.store::<G>()?;
    let fen = arguments.fen.join(" ");
    let mut out = std::io::stdout().lock();
    if arguments.brief {
        tb_input::metric_of::<G>(arguments.metric)?;
        let position = tb_input::position::<G>(&arguments.fen)?;
        let value = brief(&store, arguments, &position).map_err(Failure::Failed)?;
        writeln!(out, "{value}")?;
        return Ok(());
    }
    match arguments.known(&store, syzygy.as_ref(), &fen) {
        Ok(Known::Own(answer)) => {
            if let Some(error) = answer.syzygy_error() {
                super::failure::say(&format!("Syzygy: {error}"));
            }
            if arguments.json {
                writeln!(out, "{}", json(&answer.object(&fen))?)?;
            } else {
                let command = zeroing_command(&store, &answer.position);
                answer.print(&mut out, &command)?;
            }
        }
        Ok(Known::Syzygy(values, own)) => {
            if arguments.json {
                writeln!(out, "{}", values.json(&fen)?)?;
            } else {
                values.print(&mut out)?;
            }
            log::info!("{own}");
        }
        Err(failure) => {
            if arguments.json {
                let error = failure.to_string();
                writeln!(out, "{}", json(&ErrorObject { fen: &fen, error })?)?;
            }
            return Err(failure);
        }
    }
    Ok(())
}

/// The tables of both games, opened when a line needs them.
#[derive(Default)]
struct Stores {
    syzygy: Option<SyzygyTables>,
    chess: OnceCell<Arc<Store<Chess>>>,
    xiangqi: OnceCell<Arc<Store<Xiangqi>>>,
}

impl Stores {
    /// The answer to a line, or why it has none.
    ///
    /// # Errors
    /// When the folder of tables cannot be read.
    fn answer(&self, arguments: &Arguments, fen: &str) -> Result<Result<String, String>, Failure> {
        let game = arguments.game.named();
        Ok(match game.unwrap_or_else(|| tb_input::game_of_fen(fen)) {
            GameName::Chess => {
                let store = opened(&self.chess, &arguments.dir)?;
                answer_line(store, arguments, self.syzygy.as_ref(), fen)
            }
            GameName::Xiangqi => {
                let store = opened(&self.xiangqi, &arguments.dir)?;
                answer_line(store, arguments, None, fen)
            }
        })
    }
}

/// A store, opened if it was not yet.
fn opened<'s, G: TableGame>(
    place: &'s OnceCell<Arc<Store<G>>>,
    dir: &Dir,
) -> Result<&'s Store<G>, Failure> {
    if let Some(store) = place.get() {
        return Ok(store);
    }
    let store = dir.store()?;
    Ok(place.get_or_init(|| store))
}

/// Prints one line for each line of stdin. A line that has no answer does not stop the others, but the command fails in the
/// end.
fn answer_lines(arguments: &Arguments) -> Result<(), Failure> {
    let syzygy = match arguments.game.named() {
        Some(GameName::Xiangqi) => arguments.syzygy_tables::<Xiangqi>(),
        _ => arguments.syzygy_tables::<Chess>(),
    };
    let stores = Stores {
        syzygy: syzygy?,
        ..Stores::default()
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut input = Lines::new(std::io::stdin().lock());
    let (mut rows, mut errors) = (0u64, 0u64);
    while let Some(line) = input.next_line()? {
        rows += 1;
        let (fen, answer) = match &line {
            Line::Text(fen) => (fen.as_str(), stores.answer(arguments, fen)?),
            Line::TooLong(bytes) => ("", Err(format!("a line of {bytes} bytes is no position"))),
        };
        match answer {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(error) => {
                errors += 1;
                if arguments.brief {
                    writeln!(out, "error {error}")?;
                } else {
                    writeln!(out, "{}", json(&ErrorObject { fen, error })?)?;
                }
            }
        }
        // One answer a question: who asks one at a time must not wait for a full buffer.
        if !arguments.brief {
            out.flush()?;
        }
    }
    out.flush()?;
    if errors > 0 {
        return Err(Failure::Failed(format!(
            "{errors} of {rows} lines have no value: see the errors printed for them"
        )));
    }
    Ok(())
}

/// The answer to a line.
fn answer_line<G: TableGame>(
    store: &Store<G>,
    arguments: &Arguments,
    syzygy: Option<&SyzygyTables>,
    fen: &str,
) -> Result<String, String> {
    if arguments.brief {
        return brief(store, arguments, &G::read(fen)?);
    }
    let known = arguments.known(store, syzygy, fen);
    let object = known.and_then(|known| match known {
        Known::Own(answer) => json(&answer.object(fen)),
        Known::Syzygy(values, _) => values.json(fen),
    });
    object.map_err(|failure| failure.to_string())
}

/// `WDL PLIES` of a position.
fn brief<G: TableGame>(
    store: &Store<G>,
    arguments: &Arguments,
    position: &G::Position,
) -> Result<String, String> {
    let metric =
        tb_input::metric_of::<G>(arguments.metric).map_err(|failure| failure.to_string())?;
    let tables = Prober::new(store);
    let value = tables.value(position, metric);
    let (wdl, value) = tables
        .wdl(position)
        .and_then(|wdl| Ok((wdl, value?)))
        .map_err(|error| tb_missing::position_failure(store, position, &error).to_string())?;
    Ok(match value.plies() {
        Some(plies) => format!("{} {plies}", wdl.name()),
        None => format!("{} -", wdl.name()),
    })
}
