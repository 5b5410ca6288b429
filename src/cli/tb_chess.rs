//! Chess as a game of the `tb` commands.

use super::Failure;
use super::fen;
use super::tb_game::{Generated, Sides, TableGame};
use super::tb_words;
use duchamp_base::{Control, Plies, Wdl, human};
use duchamp_chess::{Color, DrawReason, Game, Move, Outcome, Pgn, Position};
use duchamp_chess_tables::{
    Chess, Counting, Estimate, Forecast, GenerateOptions, Generator, Material, Metric, MoveValue,
    ProbedValues, Progress, Side, Store, Verified, Verifier, VerifyError, VerifyOptions,
    ZugzwangCounts, estimate, mutual_zugzwangs, side_stats,
};
use duchamp_tablebase::{Game as _, Inspector, Prober};
use serde::ser::SerializeMap;
use std::io::Write;

/// Parts groups of digits.
const THIN: char = '\u{202f}';

impl TableGame for Chess {
    const METRIC: Metric = Metric::Dtm;
    const RANKING: &'static [Metric] = &[Metric::Dtm, Metric::Dtz, Metric::Dtc];
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const SIDE_NAMES: [&'static str; 2] = ["white", "black"];
    const NOTATION: &'static str = "san";
    const FIRST_TABLES: [&'static str; 2] = ["all4", "all of three and four men"];
    const BASIS: &'static str = "Time and disk are estimates from the averages over all 145 tables of up to five men \
(time: one core of an AMD EPYC at\n2.6 GHz). A single table may take a third or three times of that.";
    const DISK_BASIS: &'static str =
        "disk: .wdl and .dtm by the averages of tables of so many men, of six by those of five";
    const PATTERN: &'static str = "K[QRBNP]*vK[QRBNP]*";
    type Extra = ZugzwangCounts;
    const EXTRA: &'static str = "mutual zugzwangs";

    fn read(fen: &str) -> Result<Position, String> {
        fen::position(fen).map_err(|error| error.to_string())
    }

    fn key(position: &Position) -> Result<Material, String> {
        Ok(Material::of(position.board()).0)
    }

    fn turn(position: &Position) -> Side {
        match position.turn() {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    fn fullmoves(position: &Position) -> u32 {
        position.fullmoves().into()
    }

    fn halfmoves(position: &Position) -> u16 {
        position.halfmove_clock()
    }

    fn ended(position: &Position) -> Option<&'static str> {
        position.is_checkmate().then_some("mated")
    }

    fn uci(mv: Move) -> String {
        mv.uci(false)
    }

    fn write_move(position: &Position, mv: Move) -> String {
        position.san(mv)
    }

    fn pgn(
        store: &Store,
        metric: Metric,
        start: &Position,
        values: ProbedValues,
        line: &[MoveValue],
    ) -> Result<String, Failure> {
        pgn(store, metric, start, values, line)
    }

    fn estimate(key: Material, distances: &[Metric], threads: usize) -> Estimate {
        estimate(key, distances, threads)
    }

    fn forecast(store: &Store, targets: &[Material], options: &GenerateOptions) -> Forecast {
        Generator::new(store).forecast(targets, options)
    }

    fn generate(
        store: &Store,
        targets: &[Material],
        options: &GenerateOptions,
        inspector: Option<&dyn Inspector<Self>>,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Generated<Material> {
        let generator = Generator::new(store);
        let generator = match inspector {
            Some(inspector) => generator.inspecting(inspector),
            None => generator,
        };
        generator.run(targets, options, control, progress)
    }

    fn verify(
        store: &Store,
        keys: &[Material],
        options: &VerifyOptions,
        control: &Control,
        each: &mut dyn FnMut(&Verified),
    ) -> Result<Vec<Verified>, VerifyError> {
        Verifier::new(store).verify(keys, options, control, each)
    }

    fn sides(
        store: &Store,
        key: Material,
        metric: Metric,
        counting: Counting,
        control: &Control,
    ) -> Result<Sides<Chess>, VerifyError> {
        side_stats(store, key, metric, counting, control)
    }

    fn is_counted_only(key: Material) -> bool {
        Chess::is_large(key)
    }

    fn extra(
        store: &Store,
        key: Material,
        control: &Control,
    ) -> Result<ZugzwangCounts, VerifyError> {
        mutual_zugzwangs(store, key, control)
    }

    fn add_extra<M: SerializeMap>(extra: &ZugzwangCounts, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("mutual_zugzwangs", &extra.total())?;
        map.serialize_entry("full_point_zugzwangs", &extra.full_point)?;
        map.serialize_entry("win_draw_zugzwangs", &extra.win_draw)?;
        map.serialize_entry("draw_loss_zugzwangs", &extra.draw_loss)?;
        let fen = extra.first.as_ref().map(Position::fen);
        map.serialize_entry("mutual_zugzwang_fen", &fen)
    }

    fn write_extra(extra: &ZugzwangCounts, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "  mutual zugzwangs: {}", tb_words::zugzwangs(extra))?;
        match &extra.first {
            Some(example) => writeln!(out, "    such as {}", example.fen()),
            None => Ok(()),
        }
    }

    fn picture_line(extra: &ZugzwangCounts) -> String {
        format!("mutual zugzwangs: {}", human::grouped(extra.total(), THIN))
    }
}

/// The line as a game: what the tables say of the start first, then after each move the distance that is
/// left; a comment marks a move that alone keeps the win.
fn pgn(
    store: &Store,
    metric: Metric,
    start: &Position,
    values: ProbedValues,
    line: &[MoveValue],
) -> Result<String, Failure> {
    let tables = Prober::new(store);
    let mut game = Game::new(*start);
    let mut comments = vec![(0, tb_words::in_words::<Chess>(start, values))];
    for (ply, entry) in line.iter().enumerate() {
        let mut parts = Vec::new();
        if entry.value.wdl() == Wdl::Win {
            let moves = tables
                .moves(game.current(), metric)
                .map_err(Failure::failed)?;
            let wins = |entry: &&MoveValue| entry.value.wdl() == Wdl::Win;
            if moves.len() > 1 && moves.iter().filter(wins).count() == 1 {
                parts.push("the only move that wins".to_owned());
            }
        }
        game.push(entry.mv);
        let ended = metric != Metric::Dtm && entry.value.plies() == Some(Plies(1));
        // Counted from after the move; a line by conversions begins anew after each.
        let left = if ended {
            let next = tables.value(game.current(), metric);
            next.map_err(Failure::failed)?.plies()
        } else {
            entry.value.plies().map(|plies| Plies(plies.0 - 1))
        };
        if let Some(left) = left.filter(|left| left.0 > 0) {
            let unit = if left.0 == 1 { "ply" } else { "plies" };
            parts.push(format!("{left} {unit} to {}", tb_words::end_of(metric)));
        }
        if !parts.is_empty() {
            comments.push((ply + 1, parts.join("; ")));
        }
    }
    let outcome = match values.wdl {
        // Nobody can force more; which rule ends it is not known.
        Wdl::Draw => Outcome::Draw(DrawReason::FiftyMoves),
        Wdl::Win | Wdl::CursedWin => Outcome::Win(start.turn()),
        Wdl::Loss | Wdl::BlessedLoss => Outcome::Win(!start.turn()),
    };
    let material = Material::of(start.board()).0;
    let mut pgn = Pgn::new(&game)
        .tag(
            "Event",
            &format!(
                "{material}: best line by distance to {}",
                tb_words::end_of(metric)
            ),
        )
        .tag("Site", "endgame table")
        .tag("Round", "-")
        .tag("White", "Duchamp")
        .tag("Black", "Duchamp")
        .tag("Annotator", "Duchamp")
        .outcome(outcome);
    for (ply, text) in comments {
        pgn = pgn.comment(ply, &text);
    }
    Ok(pgn.to_string())
}
