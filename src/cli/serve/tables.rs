//! Which tables there are, what they hold in numbers, and what missing ones cost.

use super::reply::{Answer, Refusal, Reply, json};
use super::request::Request;
use super::shelf::{Shelf, table_refusal};
use crate::cli::tb_forecast::Forecast;
use crate::cli::tb_game::{TableGame, TableStats};
use crate::cli::tb_input::in_game;
use crate::cli::tb_stats::StatsObject;
use crate::cli::{tb_missing, tb_words};
use duchamp_base::Control;
use duchamp_chess_tables::Chess;
use duchamp_tablebase::{
    Counting, GenerateOptions, Metric, Store, TableInfo, TableKey, closure, parse_specs,
};
use duchamp_xiangqi_tables::Xiangqi;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Tables that one request may name: all sets of chess are smaller.
const MOST_NAMED: usize = 600;
/// What so many tables take is forecast at once; of more it is a long job.
const SHORT: usize = 200;

#[derive(Serialize)]
struct Tables {
    allow_generate: bool,
    folder: PathBuf,
    tables: Vec<TableObject>,
}

#[derive(Serialize)]
struct TableObject {
    game: &'static str,
    material: String,
    men: u32,
    /// Bytes by ending.
    files: BTreeMap<&'static str, u64>,
    longest_win_plies: Option<u16>,
}

fn object<G: TableGame>(game: &'static str, table: &TableInfo<G::Key>) -> TableObject {
    let file = |metric| Some((metric, table.file(metric)?));
    let files = Metric::ALL.into_iter().filter_map(file);
    let longest = table
        .file(G::METRIC)
        .and_then(|file| tb_words::longest_win(&file.counts));
    TableObject {
        game,
        material: table.key.to_string(),
        men: table.key.men(),
        files: files
            .map(|(metric, file)| (metric.name(), file.bytes))
            .collect(),
        longest_win_plies: longest.map(|plies| plies.0),
    }
}

/// `/tables.json`
pub(super) fn tables(shelf: &Shelf) -> Answer {
    let (chess, xiangqi) = (shelf.store::<Chess>(), shelf.store::<Xiangqi>());
    let chess_tables = chess.list();
    let chess_tables = chess_tables
        .iter()
        .map(|table| object::<Chess>("chess", table));
    let xiangqi_tables = xiangqi.list();
    let xiangqi_tables = xiangqi_tables
        .iter()
        .map(|table| object::<Xiangqi>("xiangqi", table));
    json(&Tables {
        allow_generate: shelf.allow_generate,
        folder: chess.dir().to_owned(),
        tables: chess_tables.chain(xiangqi_tables).collect(),
    })
}

/// `/stats/MATERIAL.json?metric=`
pub(super) fn stats(
    shelf: &Shelf,
    name: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    in_game!(
        request.game_of(name)?,
        stats_of(shelf, name, request, control)
    )
}

fn stats_of<G: TableGame>(
    shelf: &Shelf,
    name: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    let (store, key, metric) = shelf.table::<G>(name, request)?;
    let question = format!("{key} {}", metric.name());
    let body = shelf.remembered(&shelf.statistics, &question, control, || {
        let stats = TableStats::<G>::of(&store, key, metric, Counting::Once, control, &|_| ())
            .map_err(|error| table_refusal(&store, key, &error))?;
        serde_json::to_vec(&StatsObject(&stats)).map_err(Refusal::failed)
    })?;
    Ok(Reply::json(body.to_vec()))
}

/// Tables that are asked for, and what those of them take that are missing.
pub(super) struct Wanted<G: TableGame> {
    pub(super) store: Arc<Store<G>>,
    pub(super) keys: Vec<G::Key>,
    pub(super) options: GenerateOptions,
    pub(super) forecast: Forecast<G>,
}

impl<G: TableGame> Wanted<G> {
    /// # Errors
    /// When `spec` names no tables or too many, and those of [`Shelf::long_job`].
    pub(super) fn new(
        shelf: &Shelf,
        spec: &str,
        metric: Metric,
        control: &Control,
    ) -> Result<Wanted<G>, Refusal> {
        let store = shelf.store::<G>();
        let keys = parse_specs::<G>(spec).map_err(Refusal::bad)?;
        if keys.len() > MOST_NAMED {
            return Err(Refusal::bad(format!(
                "{} tables at a time are too many: name {MOST_NAMED} at most",
                keys.len()
            )));
        }
        let options = shelf.generation(metric);
        let forecast = || Forecast::<G>::new(&store, &keys, &options, control.threads());
        let with_all_they_need = closure(keys.iter().copied(), |_| true).len();
        let forecast = if with_all_they_need > SHORT {
            shelf.long_job(control, forecast)?
        } else {
            forecast()
        };
        Ok(Wanted {
            store,
            keys,
            options,
            forecast,
        })
    }
}

/// `/forecast?spec=&metric=`
pub(super) fn forecast(shelf: &Shelf, request: &Request, control: &Control) -> Answer {
    let spec = request.need("spec")?;
    in_game!(
        request.game_of(spec)?,
        forecast_of(shelf, spec, request, control)
    )
}

fn forecast_of<G: TableGame>(
    shelf: &Shelf,
    spec: &str,
    request: &Request,
    control: &Control,
) -> Answer {
    let metric = request.metric::<G>()?;
    let wanted = Wanted::<G>::new(shelf, spec, metric, control)?;
    let told = wanted.forecast.json();
    json(&serde_json::json!({
        "tables": told["generate"],
        "seconds": told["seconds"],
        "memory_bytes": told["memory_bytes"],
        "disk_bytes": told["disk_bytes"],
        "warnings": told["warnings"],
        "allowed": shelf.allow_generate,
        "command": tb_missing::command(&wanted.store, &wanted.keys, Some(metric)),
    }))
}
