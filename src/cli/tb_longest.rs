//! `duchamp tb longest MATERIAL`: all positions with the longest win, or with a win of a given length.

use super::Failure;
use super::crew;
use super::failure::say;
use super::tb_game::TableGame;
use super::tb_input::{self, Dir, GameOption, MetricName, in_game};
use super::tb_lists::{self, Format, FormatArguments};
use super::tb_missing;
use super::tb_values::{self, ValueObject};
use super::tb_words;
use clap::ValueEnum;
use duchamp_base::Plies;
use duchamp_tablebase::{Metric, ProbedValues, Side, Store, each_won_in};
use serde::Serialize;

/// The positions are won for the side to move. Each comes once, whatever the symmetries of the board, and identical pieces are not
/// told apart. White is the stronger side of the material (KRvKN, not KNvKR). If both sides have the same pieces (KQvKQ), White is
/// to move unless `--side black` is given. In xiangqi Red, the side with attackers, wins; Black only by
/// a stalemate, which few endings allow (aah-k).
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The table, such as KQvKR or, of xiangqi, cp-aaee
    material: String,
    /// List positions that are won in exactly so many plies [default: the most that occur]
    #[arg(long)]
    plies: Option<u16>,
    /// What the plies count [default: dtm; xiangqi: dtc]
    #[arg(long, value_enum)]
    metric: Option<MetricName>,
    /// List only positions that this side, to move, wins [default: both; without --plies, whichever has the longest win]
    #[arg(long, value_enum)]
    side: Option<SideName>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SideName {
    /// White, the stronger side; in xiangqi Red
    #[value(alias = "red")]
    White,
    /// Black
    Black,
}

#[derive(Serialize)]
struct PositionObject {
    fen: String,
    /// As the side to move sees it.
    #[serde(flatten)]
    value: ValueObject,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    in_game!(
        arguments.game.of_specs([&arguments.material])?,
        print(arguments)
    )
}

fn print<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    let store = arguments.dir.store::<G>()?;
    let material = tb_input::material::<G>(&arguments.material)?;
    let metric = tb_input::metric_of::<G>(arguments.metric)?;
    tb_missing::check_metric(&store, material, metric)?;
    let failed = |error| Failure::Failed(tb_missing::verify_error(&store, material, &error));
    let sides = match arguments.side {
        Some(SideName::White) => &[Side::First],
        Some(SideName::Black) => &[Side::Second],
        None => tb_values::sides(material),
    };
    let longest = tb_values::longest_of(&store, material, metric, sides).map_err(failed)?;
    let to = tb_words::end_of(metric);
    let Some(plies) = arguments.plies.map(Plies).or(longest) else {
        say(&format!("{material}: no position is won"));
        return Ok(());
    };
    let control = crew::control(arguments.threads);
    let format = arguments.format.format();
    let mut lines = arguments.format.start("tb longest");
    for &side in sides {
        lines.begin(format!("{material}, {} to move", G::SIDES[side.index()]));
        crew::on_threads(&control, || {
            each_won_in(
                &store,
                material,
                metric,
                side,
                plies,
                &control,
                &mut |positions| {
                    lines.write(positions, |position| {
                        line(&store, position, metric, plies, format)
                    })
                },
            )
        })?
        .map_err(failed)?;
        if lines.has_failed() {
            break;
        }
    }
    let count = lines.finish()?;
    if format == Format::Text {
        let plural = if count == 1 { " is" } else { "s are" };
        let length = tb_words::length(plies);
        say(&format!(
            "{material}: {count} position{plural} won in {length} to {to}"
        ));
    }
    Ok(())
}

fn line<G: TableGame>(
    store: &Store<G>,
    position: &G::Position,
    metric: Metric,
    plies: Plies,
    format: Format,
) -> Result<String, Failure> {
    let values = tb_values::of_win(store, position, metric, plies).map_err(Failure::failed)?;
    Ok(match format {
        Format::Text => format!("{}  {}", G::notation(position), tb_values::short(values)),
        Format::Epd => tb_lists::epd(&G::notation(position), &operations(values)),
        Format::Json => {
            let object = PositionObject {
                fen: G::notation(position),
                value: values.into(),
            };
            serde_json::to_string(&object).map_err(Failure::failed)?
        }
    })
}

/// The moves to mate as the standard has them, and all distances as a comment.
fn operations(values: ProbedValues) -> Vec<(&'static str, String)> {
    let mate = values.dtm.map(|plies| ("dm", plies.moves().to_string()));
    let comment = ("c0", format!("\"{}\"", tb_values::short(values)));
    mate.into_iter().chain([comment]).collect()
}
