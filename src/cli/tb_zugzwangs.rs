//! `duchamp tb zugzwangs MATERIAL`: all mutual zugzwangs of a table.

use super::Failure;
use super::crew;
use super::failure::say;
use super::tb_input::{self, Dir, GameOption};
use super::tb_lists::{self, Format, FormatArguments};
use super::tb_missing;
use super::tb_values::{self, ValueObject};
use clap::ValueEnum;
use duchamp_base::Wdl;
use duchamp_chess::Position;
use duchamp_chess_tables::{
    Chess, Metric, MutualZugzwang, ProbedValues, Prober, ZugzwangKind, each_mutual_zugzwang,
};
use serde::Serialize;

/// A mutual zugzwang is a placement in which each side would rather not move: White's result is better with Black to move.
///
/// Each placement comes once, whatever the symmetries of the board, and is shown with White to move. White is the stronger side of
/// the material (KRvKN, not KNvKR). If both sides have the same pieces (KPvKP), colours are chosen so that White wins if
/// Black has to move: then there is no draw-loss zugzwang. The 50-move rule is ignored. The counts are those of `tb stats`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The table, such as KRvKN
    material: String,
    /// List this kind only
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    format: FormatArguments,
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    dir: Dir,
    /// Threads [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
}

/// What a mutual zugzwang costs the side that has to move.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Whoever has to move loses
    FullPoint,
    /// White wins if Black has to move, and draws if White has to move
    WinDraw,
    /// White draws if Black has to move, and loses if White has to move
    DrawLoss,
}

impl From<Kind> for ZugzwangKind {
    fn from(kind: Kind) -> ZugzwangKind {
        match kind {
            Kind::FullPoint => ZugzwangKind::FullPoint,
            Kind::WinDraw => ZugzwangKind::WinDraw,
            Kind::DrawLoss => ZugzwangKind::DrawLoss,
        }
    }
}

#[derive(Serialize)]
struct ZugzwangObject {
    /// With White to move.
    fen: String,
    kind: &'static str,
    /// Values as the side to move sees them.
    white_to_move: ValueObject,
    black_to_move: ValueObject,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments
        .game
        .only_chess("zugzwangs", &arguments.material)?;
    let tables = arguments.dir.open()?;
    let material = tb_input::material::<Chess>(&arguments.material)?;
    tb_missing::check_metric(tables.store(), material, Metric::Wdl)?;
    let control = crew::control(arguments.threads);
    let kind = arguments.kind.map(ZugzwangKind::from);
    let format = arguments.format.format();
    let mut lines = arguments.format.start("tb zugzwangs");
    lines.begin(material.to_string());
    crew::on_threads(&control, || {
        each_mutual_zugzwang(tables.store(), material, &control, &mut |all| {
            let wanted = |zugzwang: &&MutualZugzwang| kind.is_none_or(|kind| kind == zugzwang.kind);
            let listed: Vec<MutualZugzwang> = all.iter().filter(wanted).copied().collect();
            lines.write(&listed, |zugzwang| line(&tables, zugzwang, format))
        })
    })?
    .map_err(|error| Failure::Failed(tb_missing::verify_error(tables.store(), material, &error)))?;
    let count = lines.finish()?;
    if format == Format::Text {
        let kind = kind.map_or(String::new(), |kind| format!("{} ", kind.name()));
        let plural = if count == 1 { "" } else { "s" };
        say(&format!(
            "{material}: {count} {kind}mutual zugzwang{plural}"
        ));
    }
    Ok(())
}

fn line(tables: &Prober, zugzwang: &MutualZugzwang, format: Format) -> Result<String, Failure> {
    let (fen, kind) = (zugzwang.position.fen(), zugzwang.kind);
    // The results that the 50-move rule leaves aside: for tables whose distances are not all there.
    let [white, black] = match kind {
        ZugzwangKind::FullPoint => [Wdl::Loss, Wdl::Loss],
        ZugzwangKind::WinDraw => [Wdl::Draw, Wdl::Loss],
        ZugzwangKind::DrawLoss => [Wdl::Loss, Wdl::Draw],
    };
    let values = |position: &Position, wdl| {
        tb_values::known(tables.store(), position, wdl).map_err(Failure::failed)
    };
    let white = values(&zugzwang.position, white)?;
    let black = values(&zugzwang.position.play_null(), black)?;
    let told = |side: &str, values: ProbedValues| format!("{side}: {}", tb_values::short(values));
    Ok(match format {
        Format::Text => format!(
            "{fen}  {:10}  {}  {}",
            kind.name(),
            told("White to move", white),
            told("Black to move", black)
        ),
        Format::Epd => tb_lists::epd(
            &fen,
            &[
                ("c0", format!("\"{}\"", kind.name())),
                ("c1", format!("\"{}\"", told("White to move", white))),
                ("c2", format!("\"{}\"", told("Black to move", black))),
            ],
        ),
        Format::Json => {
            let object = ZugzwangObject {
                fen,
                kind: kind.name(),
                white_to_move: white.into(),
                black_to_move: black.into(),
            };
            serde_json::to_string(&object).map_err(Failure::failed)?
        }
    })
}
