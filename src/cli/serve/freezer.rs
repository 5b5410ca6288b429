//! `/freezer.json` and `/freezer/NAME.json`: examples of positions proved with few pieces free to move.

use super::reply::{Answer, Refusal, Reply, json};
use super::shelf::Shelf;
use crate::cli::tb_game::names;
use crate::cli::tb_missing;
use duchamp_base::{Control, Gauge, Value};
use duchamp_chess::Position;
use duchamp_chess_tables::Material;
use duchamp_proofs::freezer::{
    FOLDER, FreezeJob, FreezeLimits, Restricted, Rules, TablePlan, solve, tables_wanted,
};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The examples, by name: the rule files of `examples/freezer`.
macro_rules! examples {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../examples/freezer/", $name, ".toml")))),*]
    };
}

const EXAMPLES: &[(&str, &str)] = examples![
    "kbnk_no_centre",
    "walled_in_king",
    "rook_before_king",
    "rook_before_king_two_pawns",
    "bishop_knight_stuck",
    "bishop_knight_two_pairs",
    "bishops_opposite",
    "bishops_opposite_two_pairs",
    "fortress_kqkrp",
    "shirov_fishbein_bishop_bishop",
    "shirov_fishbein_bishop_knight",
    "shirov_fishbein_knight_bishop",
    "lasker_reichhelm",
    "lasker_reichhelm_moved",
    "lockock"
];

/// More moves than the line of an example has.
const LONGEST_LINE: usize = 200;
/// Memory of one example, in bytes.
const MEMORY: u64 = 1 << 30;
/// Entries of a restricted table after the first, at most: with as many every example takes seconds and keeps to its memory
/// (docs/FREEZER.md).
const ENTRIES: u64 = 1_200_000;

#[derive(Serialize)]
struct Examples {
    examples: Vec<Head>,
}

#[derive(Serialize)]
struct Head {
    name: &'static str,
    title: String,
    fen: String,
}

#[derive(Serialize)]
struct Example<'a> {
    #[serde(flatten)]
    head: Head,
    /// The comment at the head of the rule file.
    text: String,
    rules: &'static str,
    headline: String,
    bound_side: &'static str,
    goal: &'static str,
    verdict: &'static str,
    assumptions: Vec<&'a str>,
    start_plies: Option<u16>,
    longest_plies: Option<u16>,
    line: Vec<Step>,
    /// Tables that the proof would use and that are not here.
    missing: Vec<String>,
    /// What generates them.
    command: Option<String>,
}

#[derive(Serialize)]
struct Step {
    uci: String,
    san: String,
    /// After the move.
    fen: String,
    /// What the move is worth, in words.
    told: String,
}

fn parsed(text: &str) -> Result<Rules, Refusal> {
    Rules::parse(text).map_err(Refusal::failed)
}

fn head(name: &'static str, rules: &Rules) -> Head {
    Head {
        name,
        title: rules
            .title
            .clone()
            .unwrap_or_else(|| name.replace('_', " ")),
        fen: rules.start.fen(),
    }
}

/// `/freezer.json`
pub(super) fn examples() -> Answer {
    let heads = EXAMPLES
        .iter()
        .map(|(name, text)| Ok(head(name, &parsed(text)?)));
    json(&Examples {
        examples: heads.collect::<Result<_, Refusal>>()?,
    })
}

/// `/freezer/NAME.json`: solved, with a best line.
pub(super) fn example(shelf: &Shelf, name: &str, control: &Arc<Control>) -> Answer {
    let found = EXAMPLES.iter().find(|(other, _)| *other == name);
    let unknown = || Refusal::missing(format!("there is no example of that name: {name}"));
    let &(name, text) = found.ok_or_else(unknown)?;
    let rules = parsed(text)?;
    let store = shelf.chess().store();
    let limits = FreezeLimits {
        memory: MEMORY,
        entries: ENTRIES,
    };
    let wanted = tables_wanted(&rules, limits).map_err(Refusal::failed)?;
    let wanted = wanted.iter().filter_map(|name| name.parse().ok());
    let missing: Vec<Material> = wanted.filter(|material| !store.has(*material)).collect();
    // With more tables the answer may be another one.
    let question = format!("freezer {name} {missing:?}");
    let body = shelf.remembered(&shelf.statistics, &question, control, || {
        let folder = folder(shelf);
        let job = FreezeJob {
            limits,
            control,
            folder: folder.as_deref(),
            started: &|_: &TablePlan, _| {},
            gauge: &Gauge::default(),
        };
        let frozen = solve(rules, shelf.chess().oracle(), &job).map_err(Refusal::failed)?;
        serde_json::to_vec(&solved(shelf, name, text, &frozen, &missing)).map_err(Refusal::failed)
    })?;
    Ok(Reply::json(body.to_vec()))
}

/// Where restricted tables and half-done work are kept: a server that may add no tables writes nothing.
fn folder(shelf: &Shelf) -> Option<PathBuf> {
    let folder = || shelf.chess().store().dir().join(FOLDER);
    shelf.allow_generate.then(folder)
}

fn solved<'f>(
    shelf: &Shelf,
    name: &'static str,
    text: &'static str,
    frozen: &'f Restricted,
    missing: &[Material],
) -> Example<'f> {
    let rules = frozen.rules();
    let start = &rules.start;
    let assumed = rules.sources.iter().filter(|source| source.assumed);
    let reports = frozen.reports();
    let longest = reports.last().and_then(|report| report.longest.as_ref());
    let plies = frozen.value(start).and_then(|known| match known.value {
        Value::Win(plies) | Value::Loss(plies) => Some(plies.0),
        Value::Draw => None,
    });
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    let comment: Vec<&str> = comment
        .map(|line| line.trim_start_matches(['#', ' ']))
        .collect();
    let command =
        (!missing.is_empty()).then(|| tb_missing::command(shelf.chess().store(), missing, None));
    Example {
        head: head(name, rules),
        text: comment.join(" "),
        rules: text,
        headline: frozen.headline(),
        bound_side: rules.bound.name(),
        goal: rules.goal.name(),
        verdict: frozen.proof().name(),
        assumptions: assumed.map(|source| source.text.as_str()).collect(),
        start_plies: plies,
        longest_plies: longest.map(|(plies, _)| plies.0),
        line: line(frozen, start),
        missing: names(missing),
        command,
    }
}

/// A best line, until it leaves the restricted table or repeats a position.
fn line(frozen: &Restricted, start: &Position) -> Vec<Step> {
    let (mut now, mut line, mut seen) = (*start, Vec::new(), vec![*start.board()]);
    while line.len() < LONGEST_LINE {
        let choices = frozen.choices(&now);
        let Some(choice) = choices.first() else {
            break;
        };
        let after = now.play(choice.mv);
        line.push(Step {
            uci: choice.mv.uci(false),
            san: now.san(choice.mv),
            fen: after.fen(),
            told: frozen.tell(choice.known, &now),
        });
        if seen.contains(after.board()) {
            break;
        }
        seen.push(*after.board());
        now = after;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_that_may_add_tables_keeps_half_done_work() {
        let mut shelf = Shelf::empty();
        assert_eq!(folder(&shelf), None);
        shelf.allow_generate = true;
        let store = shelf.chess().store().dir();
        assert_eq!(folder(&shelf), Some(store.join(FOLDER)));
    }
}
