//! `/xiangqi?fen=`: values of a xiangqi position in the shape of `/standard`.

use super::category::Category;
use super::known::signed;
use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shape::{PositionInfo, Unknown, is_only, tightening};
use super::shelf::Shelf;
use crate::cli::tb_game::TableGame;
use crate::cli::tb_missing;
use duchamp_base::Wdl;
use duchamp_tablebase::{ProbeError, ProbedValues, Prober, Rules};
use duchamp_xiangqi_tables::Xiangqi;
use serde::Serialize;
use std::cmp::Reverse;
use std::ops::ControlFlow;

type Position = <Xiangqi as Rules>::Position;

#[derive(Serialize)]
struct Info {
    category: Category,
    checkmate: bool,
    stalemate: bool,
    dtm: Option<i32>,
    dtc_plies: Option<i32>,
}

#[derive(Serialize)]
struct MoveInfo {
    uci: String,
    wxf: String,
    conversion: bool,
    #[serde(flatten)]
    info: Info,
    only: bool,
}

fn info(position: &Position, values: Option<ProbedValues>) -> Info {
    let ended = Xiangqi::ended(position);
    let decided = values.filter(|values| values.wdl != Wdl::Draw);
    let distance =
        |of: fn(&ProbedValues) -> _| decided.and_then(|values| signed(&values, of(&values)));
    Info {
        // Who cannot move has lost.
        category: match (ended, &values) {
            (Some(_), _) => Category::Loss,
            (None, Some(values)) => values.wdl.into(),
            (None, None) => Category::Unknown,
        },
        checkmate: ended == Some("mated"),
        stalemate: ended.is_some_and(|ended| ended != "mated"),
        dtm: distance(|values| values.dtm),
        dtc_plies: distance(|values| values.dtc),
    }
}

impl MoveInfo {
    /// As of `/standard`, but that a win is counted to conversion first.
    fn rank(&self) -> impl Ord + use<> {
        let info = &self.info;
        (
            info.category,
            Reverse(info.checkmate || info.stalemate),
            self.conversion == info.category.is_positive(),
            tightening(info.dtc_plies),
            tightening(info.dtm),
        )
    }
}

/// `/xiangqi?fen=`
pub(super) fn xiangqi(shelf: &Shelf, request: &Request) -> Answer {
    let position = Xiangqi::read(&request.fen()?).map_err(Refusal::bad)?;
    let store = shelf.store::<Xiangqi>();
    let tables = Prober::new(&*store);
    let probe = |position: &Position| match tables.all_values(position) {
        Ok(values) => Ok(Ok(values)),
        Err(error @ ProbeError::Damaged { .. }) => Err(Refusal::failed(error)),
        Err(error) => Ok(Err(error)),
    };
    let mut moves = Vec::new();
    let mut failed = None;
    Xiangqi::moves(&position, |facts| {
        let after = Xiangqi::play(&position, facts.mv);
        match probe(&after) {
            Ok(values) => moves.push(MoveInfo {
                uci: Xiangqi::uci(facts.mv),
                wxf: Xiangqi::write_move(&position, facts.mv),
                conversion: position.captured(facts.mv).is_some(),
                info: info(&after, values.ok()),
                only: false,
            }),
            Err(refusal) => {
                failed = Some(refusal);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    if let Some(refusal) = failed {
        return Err(refusal);
    }
    moves.sort_by_key(MoveInfo::rank);
    if let [best, next, ..] = &mut moves[..] {
        best.only = is_only(best.info.category, next.info.category);
    }
    let values = probe(&position)?;
    let unknown = values
        .as_ref()
        .err()
        .map(|error| why(&store, &position, error));
    json(&PositionInfo {
        unknown: unknown.filter(|_| Xiangqi::ended(&position).is_none()),
        info: info(&position, values.ok()),
        moves,
    })
}

/// Why a position has no value, and what to do.
fn why(
    store: &duchamp_tablebase::Store<Xiangqi>,
    position: &Position,
    error: &ProbeError<<Xiangqi as duchamp_tablebase::Game>::Key>,
) -> Unknown {
    match Xiangqi::key(position) {
        Ok(asked) => Unknown {
            reason: match error {
                ProbeError::Missing(_) | ProbeError::MissingMetric(..) => "missing-table",
                _ => "no-table",
            },
            text: tb_missing::public_error(store, asked, error),
        },
        Err(text) => Unknown {
            reason: "no-table",
            text,
        },
    }
}
