//! Xiangqi as a game of the `tb` commands.

use super::Failure;
use super::tb_game::{Generated, Sides, TableGame};
use duchamp_base::Control;
use duchamp_tablebase::{
    Counting, Estimate, GenerateOptions, Index, Inspector, Metric, MoveValue, Needs, ProbedValues,
    Side, VerifyOptions,
};
use duchamp_xiangqi::{Color, Move, Position, RankBase, Role};
use duchamp_xiangqi_tables::{
    Forecast, Generator, Layout, Material, Pawns, ProbeError, Progress, Store, Verified, Verifier,
    VerifyError, WuBeal, Xiangqi, side_stats, wu_beal,
};
use serde::Serialize;
use serde::ser::SerializeMap;
use std::io::Write;
use std::time::Duration;

/// Tables with more cells for one side to move have no histogram: it needs all values in memory.
const HISTOGRAM: u64 = 1 << 26;
/// Nanoseconds of one thread that solving and encoding take for a cell in one metric.
const NANOSECONDS: u64 = 20;
/// Bits a cell in the files of results and of each distance.
const FILE_BITS: [f64; 2] = [0.05, 0.4];

/// Wu and Beal's figures, where the table has distances to conversion.
pub(super) struct Paper {
    all: Option<WuBeal>,
    high_pawn: Option<WuBeal>,
}

/// The same as an object.
#[derive(Serialize)]
pub(super) struct PaperObject {
    db_size: u64,
    real_size: u64,
    dtc_moves: u16,
    rtm_win: u64,
    rtm_draw: u64,
    rtm_loss: u64,
    btm_win: u64,
    btm_draw: u64,
    btm_loss: u64,
}

impl From<&WuBeal> for PaperObject {
    fn from(paper: &WuBeal) -> PaperObject {
        PaperObject {
            db_size: paper.db_size,
            real_size: paper.real_size,
            dtc_moves: paper.dtc_moves,
            rtm_win: paper.rtm_win,
            rtm_draw: paper.rtm_draw,
            rtm_loss: paper.rtm_loss,
            btm_win: paper.btm_win,
            btm_draw: paper.btm_draw,
            btm_loss: paper.btm_loss,
        }
    }
}

impl TableGame for Xiangqi {
    const METRIC: Metric = Metric::Dtc;
    const RANKING: &'static [Metric] = &[Metric::Dtc, Metric::Dtm];
    const SIDES: [&'static str; 2] = ["Red", "Black"];
    const SIDE_NAMES: [&'static str; 2] = ["red", "black"];
    const NOTATION: &'static str = "wxf";
    const FIRST_TABLES: [&'static str; 2] = ["c-aaee", "chariot against all defenders"];
    const BASIS: &'static str = "Time and disk are estimates from the tables of Wu and Beal's list. A single table may take a third or \
three times of that.";
    const DISK_BASIS: &'static str = "disk: .wdl and .dtc by the average of Wu and Beal's list";
    const PATTERN: &'static str = "[aehcgpk]*-[aehcgpk]*";
    type Extra = Paper;
    const EXTRA: &'static str = "Wu and Beal's figures";

    fn read(fen: &str) -> Result<Position, String> {
        Position::from_fen(fen).map_err(|error| error.to_string())
    }

    fn key(position: &Position) -> Result<Material, String> {
        let letters = [
            (Role::Advisor, 'a'),
            (Role::Elephant, 'e'),
            (Role::Horse, 'h'),
            (Role::Chariot, 'c'),
            (Role::Cannon, 'g'),
            (Role::Pawn, 'p'),
        ];
        let side = |color: Color| -> String {
            let men = letters.iter().map(|&(role, letter)| {
                let count = position.board().of(color, role).count();
                letter.to_string().repeat(count as usize)
            });
            format!("k{}", men.collect::<String>())
        };
        let name = format!("{}-{}", side(Color::Red), side(Color::Black));
        name.parse::<Material>().map_err(|error| error.to_string())
    }

    fn turn(position: &Position) -> Side {
        match position.turn() {
            Color::Red => Side::First,
            Color::Black => Side::Second,
        }
    }

    fn fullmoves(position: &Position) -> u32 {
        position.fullmoves().into()
    }

    fn halfmoves(position: &Position) -> u16 {
        position.halfmoves()
    }

    fn ended(position: &Position) -> Option<&'static str> {
        let over = !position.has_legal_move();
        over.then(|| {
            if position.in_check() {
                "mated"
            } else {
                "stalemated"
            }
        })
    }

    fn uci(mv: Move) -> String {
        mv.uci(RankBase::Zero)
    }

    fn write_move(position: &Position, mv: Move) -> String {
        position.wxf(mv)
    }

    fn pgn(
        _: &Store,
        _: Metric,
        _: &Position,
        _: ProbedValues,
        _: &[MoveValue<Move>],
    ) -> Result<String, Failure> {
        Err(Failure::BadInput(
            "--pgn is for chess: lines of xiangqi are printed as text, in WXF notation".to_owned(),
        ))
    }

    fn estimate(key: Material, distances: &[Metric], _: usize) -> Estimate {
        let index = Layout::new(key);
        let needs = Needs::of(&index, &[]);
        let cells = 2 * index.cells();
        let largest = key.children().into_iter();
        let below = largest.map(|child| Needs::of(&Layout::new(child), &[]).values);
        let bits = FILE_BITS[0] + FILE_BITS[1] * distances.len() as f64;
        let time = Duration::from_nanos(cells * NANOSECONDS * distances.len().max(1) as u64);
        Estimate {
            slices: index.slices() as u64,
            cells,
            memory: needs.heap(1) + below.sum::<u64>(),
            least_memory: needs.least(),
            scratch: 0,
            left: 0,
            time,
            solving: time,
            disk: (cells as f64 * bits / 8.0) as u64,
        }
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
    ) -> Result<Sides<Xiangqi>, VerifyError> {
        side_stats(store, key, metric, counting, control)
    }

    fn is_counted_only(key: Material) -> bool {
        Layout::new(key).cells() > HISTOGRAM
    }

    fn extra(store: &Store, key: Material, control: &Control) -> Result<Paper, VerifyError> {
        let figures = |pawns| match wu_beal(store, key, pawns, control) {
            Err(
                VerifyError::MissingMetric(..) | VerifyError::Probe(ProbeError::MissingMetric(..)),
            ) => Ok(None),
            found => found,
        };
        Ok(Paper {
            all: figures(Pawns::Anywhere)?,
            high_pawn: figures(Pawns::High)?,
        })
    }

    fn add_extra<M: SerializeMap>(extra: &Paper, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("wu_beal", &extra.all.as_ref().map(PaperObject::from))?;
        let high_pawn = extra.high_pawn.as_ref().map(PaperObject::from);
        map.serialize_entry("wu_beal_high_pawn", &high_pawn)
    }

    fn write_extra(extra: &Paper, out: &mut dyn Write) -> std::io::Result<()> {
        let kinds = [("", &extra.all), (", high pawn", &extra.high_pawn)];
        for (what, paper) in kinds {
            let Some(paper) = paper else { continue };
            writeln!(
                out,
                "  as Wu and Beal count{what}: {} placements, every man by name, the king's capture a win",
                paper.real_size
            )?;
            writeln!(out, "    entries of their index: {}", paper.db_size)?;
            let percent = |count: u64| 100.0 * count as f64 / paper.real_size.max(1) as f64;
            writeln!(
                out,
                "    Red to move: {} won ({:.2} %), {} drawn ({:.2} %), {} lost",
                paper.rtm_win,
                percent(paper.rtm_win),
                paper.rtm_draw,
                percent(paper.rtm_draw),
                paper.rtm_loss
            )?;
            writeln!(
                out,
                "    Black to move: {} won, {} drawn ({:.2} %), {} lost ({:.2} %)",
                paper.btm_win,
                paper.btm_draw,
                percent(paper.btm_draw),
                paper.btm_loss,
                percent(paper.btm_loss)
            )?;
            writeln!(out, "    longest: {} moves to conversion", paper.dtc_moves)?;
        }
        Ok(())
    }

    fn picture_line(extra: &Paper) -> String {
        let longest = extra.all.as_ref().map(|paper| paper.dtc_moves);
        longest.map_or(String::new(), |moves| {
            format!("longest way to a conversion: {moves} moves")
        })
    }
}
