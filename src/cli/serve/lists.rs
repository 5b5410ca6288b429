//! `/longest/MATERIAL.json` and `/zugzwangs/MATERIAL.json`: lists of positions, page by page.

use super::list::{List, Page};
use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shelf::{Shelf, refusal, table_refusal};
use crate::cli::tb_game::TableGame;
use crate::cli::tb_input::{self, GameName, in_game};
use crate::cli::tb_missing;
use crate::cli::tb_values::{self, ValueObject};
use duchamp_base::{Control, Plies};
use duchamp_chess_tables::{Chess, ZugzwangKind, each_mutual_zugzwang};
use duchamp_tablebase::{Metric, Side, each_won_in};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;

#[derive(Serialize)]
struct Longest {
    material: String,
    metric: &'static str,
    /// The length of these wins; null if nothing is won.
    plies: Option<u16>,
    count: u64,
    positions: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    fen: String,
    #[serde(flatten)]
    value: ValueObject,
}

#[derive(Serialize)]
struct Zugzwangs<'l> {
    material: String,
    count: u64,
    positions: Vec<ZugzwangEntry<'l>>,
}

#[derive(Serialize)]
struct ZugzwangEntry<'l> {
    /// With White to move.
    fen: &'l str,
    kind: &'static str,
}

/// `/longest/MATERIAL.json?metric=&plies=&side=&offset=&limit=`: the wins of a length, by default of the greatest, of one side to
/// move or of both.
pub(super) fn longest(
    shelf: &Shelf,
    name: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    in_game!(
        request.game_of(name)?,
        longest_of(shelf, name, request, control)
    )
}

fn longest_of<G: TableGame>(
    shelf: &Shelf,
    name: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    let (store, key, metric) = shelf.table::<G>(name, request)?;
    let failed = |error| table_refusal(&store, key, &error);
    let sides = sides_of::<G>(key, request)?;
    let mut plies = tb_values::longest_of(&store, key, metric, sides).map_err(failed)?;
    if request.get("plies").is_some() {
        plies = Some(Plies(request.number("plies", 1, u16::MAX.into())? as u16));
    }
    let page = Page::of(request)?;
    let question = format!("{key} {} {plies:?} {sides:?}", metric.name());
    let list = shelf.remembered(&shelf.lists, &question, control, || {
        let mut list = List::of_wins(plies);
        for &side in sides {
            let Some(plies) = plies else { break };
            each_won_in(&store, key, metric, side, plies, control, &mut |all| {
                all.iter()
                    .for_each(|position| list.push("win", || G::notation(position)));
                ControlFlow::Continue(())
            })
            .map_err(failed)?;
        }
        Ok(list)
    })?;
    let entry = |(fen, _): &(Box<str>, _)| {
        let position = G::read(fen).map_err(Refusal::failed)?;
        // Of no length nothing is listed.
        let plies = plies.unwrap_or_default();
        let values =
            tb_values::of_win(&store, &position, metric, plies).map_err(Refusal::failed)?;
        Ok(Entry {
            fen: fen.to_string(),
            value: values.into(),
        })
    };
    json(&Longest {
        material: key.to_string(),
        metric: metric.name(),
        plies: list.plies.map(|plies| plies.0),
        count: list.count(None),
        positions: list
            .page(&page, None)
            .map(entry)
            .collect::<Result<_, Refusal>>()?,
    })
}

/// The side to move that a request names, else both if their positions differ.
fn sides_of<G: TableGame>(key: G::Key, request: &Request) -> Result<&'static [Side], Refusal> {
    let both = tb_values::sides(key);
    let Some(name) = request.get("side") else {
        return Ok(both);
    };
    let unknown = || {
        let [first, second] = G::SIDE_NAMES;
        Refusal::bad(format!("side: {first} or {second} is needed"))
    };
    let index = G::SIDE_NAMES.iter().position(|other| *other == name);
    let index = index.ok_or_else(unknown)?;
    // Where both sides have the same men, the positions of the second are those of the first, turned.
    Ok(both.get(index..=index).unwrap_or(both))
}

/// `/zugzwangs/MATERIAL.json?kind=&offset=&limit=`
pub(super) fn zugzwangs(
    shelf: &Shelf,
    name: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    let store = shelf.chess().store();
    if request.game_of(name)? == GameName::Xiangqi {
        return Err(Refusal::bad("mutual zugzwangs are listed for chess only"));
    }
    let key = tb_input::material::<Chess>(name).map_err(refusal)?;
    tb_missing::check_metric(store, key, Metric::Wdl).map_err(Refusal::missing)?;
    let kind = match request.get("kind") {
        None | Some("all") => None,
        Some(name) => {
            let mut kinds = ZugzwangKind::ALL.into_iter();
            let kind = kinds.find(|kind| kind.name() == name);
            let unknown = || Refusal::bad("kind: all, full-point, win-draw or draw-loss is needed");
            Some(kind.ok_or_else(unknown)?.name())
        }
    };
    let page = Page::of(request)?;
    let list = shelf.remembered(&shelf.lists, &format!("{key} zugzwangs"), control, || {
        let mut list = List::default();
        each_mutual_zugzwang(store, key, control, &mut |all| {
            all.iter()
                .for_each(|zugzwang| list.push(zugzwang.kind.name(), || zugzwang.position.fen()));
            ControlFlow::Continue(())
        })
        .map_err(|error| table_refusal(store, key, &error))?;
        Ok(list)
    })?;
    let positions = list.page(&page, kind);
    json(&Zugzwangs {
        material: key.to_string(),
        count: list.count(kind),
        positions: positions
            .map(|(fen, kind)| ZugzwangEntry { fen, kind })
            .collect(),
    })
}
