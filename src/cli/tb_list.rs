//! `duchamp tb list`: which tables are present, what they hold, how large they are.

use super::Failure;
use super::columns::{Columns, Side};
use super::tb_game::TableGame;
use super::tb_input::{Dir, GameName, GameOption};
use super::tb_missing;
use super::tb_words;
use duchamp_base::{Plies, human};
use duchamp_chess_tables::Chess;
use duchamp_tablebase::{Metric, Store, TableInfo, TableKey};
use duchamp_xiangqi_tables::Xiangqi;
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameOption,
    #[command(flatten)]
    dir: Dir,
    /// Print one JSON object a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (chess, xiangqi) = (arguments.dir.store()?, arguments.dir.store()?);
    let game = arguments.game.named();
    let others = game != Some(GameName::Chess) && !is_empty::<Xiangqi>(&xiangqi);
    if game != Some(GameName::Xiangqi) && !(others && game.is_none() && is_empty(&chess)) {
        print::<Chess>(&chess, arguments.json)?;
        if others && !arguments.json {
            writeln!(std::io::stdout())?;
        }
    }
    if others || game == Some(GameName::Xiangqi) {
        print(&xiangqi, arguments.json)?;
    }
    Ok(())
}

fn is_empty<G: TableGame>(store: &Store<G>) -> bool {
    store.list().is_empty() && store.unready().is_empty()
}

fn print<G: TableGame>(store: &Store<G>, json: bool) -> Result<(), Failure> {
    if json {
        write_json(store)
    } else {
        write_table(store)
    }
}

fn write_json<G: TableGame>(store: &Store<G>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for table in store.list() {
        let bytes = |metric| table.file(metric).map(|file| file.bytes);
        let object = serde_json::json!({
            "material": table.key.to_string(), "state": "ready",
            "wdl_bytes": bytes(Metric::Wdl), "dtm_bytes": bytes(Metric::Dtm),
            "dtc_bytes": bytes(Metric::Dtc), "dtz_bytes": bytes(Metric::Dtz),
            "longest_win_plies": longest::<G>(&table).map(|plies| plies.0),
        });
        writeln!(out, "{object}")?;
    }
    for (material, state) in store.unready() {
        let object =
            serde_json::json!({ "material": material.to_string(), "state": state.to_string() });
        writeln!(out, "{object}")?;
    }
    Ok(())
}

fn write_table<G: TableGame>(store: &Store<G>) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let listed = store.list();
    let unready = store.unready();
    if listed.is_empty() && unready.is_empty() {
        writeln!(out, "{}", tb_missing::none(store))?;
        return Ok(());
    }
    writeln!(out, "{}", store.dir().display())?;
    let sum = |metric| listed.iter().map(|table| table.bytes(metric)).sum::<u64>();
    // Metrics that no table has take no column.
    let shown: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|metric| sum(*metric) > 0)
        .collect();
    let mut heads = vec![("table", Side::Left), ("men", Side::Right)];
    heads.extend(shown.iter().map(|metric| (metric.name(), Side::Right)));
    heads.extend([
        ("longest win", Side::Right),
        ("", Side::Right),
        ("state", Side::Left),
    ]);
    let mut columns = Columns::new(heads);
    for table in &listed {
        let longest = longest::<G>(table);
        let mut cells = vec![table.key.to_string(), table.key.men().to_string()];
        cells.extend(shown.iter().map(|&metric| {
            let file = table.file(metric);
            file.map_or("-".to_owned(), |file| human::size(file.bytes))
        }));
        cells.push(longest.map_or("none".to_owned(), plies));
        cells.push(longest.map_or(String::new(), moves));
        cells.push("ready".to_owned());
        columns.row(cells);
    }
    for (material, state) in &unready {
        let mut cells = vec![material.to_string(), material.men().to_string()];
        cells.resize(shown.len() + 4, String::new());
        cells.push(state.to_string());
        columns.row(cells);
    }
    columns.rule();
    let mut cells = vec!["all".to_owned(), String::new()];
    cells.extend(shown.iter().map(|metric| human::size(sum(*metric))));
    cells.resize(shown.len() + 4, String::new());
    let all: u64 = shown.iter().map(|metric| sum(*metric)).sum();
    cells.push(format!(
        "{} ready, {} not, {} bytes",
        listed.len(),
        unready.len(),
        human::grouped(all, ' ')
    ));
    columns.row(cells);
    columns.write(&mut out)?;
    Ok(())
}

/// The longest win of a table: to mate in chess; else in the game's usual metric.
fn longest<G: TableGame>(table: &TableInfo<G::Key>) -> Option<Plies> {
    tb_words::longest_win(&table.counts()).or_else(|| {
        let file = table.file(G::METRIC)?;
        tb_words::longest_win(&file.counts)
    })
}

fn plies(plies: Plies) -> String {
    let unit = if plies.0 == 1 { "ply" } else { "plies" };
    format!("{plies} {unit}")
}

fn moves(plies: Plies) -> String {
    match plies.moves() {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    }
}
