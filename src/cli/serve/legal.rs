//! `/legal`, a position and its legal moves without any table, and `/line`, the best line to the end.

use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shelf::{Shelf, probe_refusal};
use super::standard;
use crate::cli::tb_game::TableGame;
use crate::cli::tb_input::GameName;
use duchamp_chess::Position;
use duchamp_chess_tables::{Chess, Material};
use duchamp_tablebase::Prober;
use duchamp_xiangqi_tables::Xiangqi;
use serde::Serialize;
use std::ops::ControlFlow;

#[derive(Serialize)]
struct Legal {
    fen: String,
    turn: &'static str,
    check: bool,
    /// How the game has ended, if it has.
    ended: Option<&'static str>,
    /// The table that has its pieces; null if none can.
    material: Option<String>,
    moves: Vec<MoveEntry>,
}

#[derive(Serialize)]
struct MoveEntry {
    uci: String,
    san: String,
    /// After the move.
    fen: String,
}

#[derive(Serialize)]
struct LineObject {
    fen: String,
    metric: &'static str,
    moves: Vec<MoveEntry>,
    pgn: Option<String>,
}

/// `/legal?fen=&game=`
pub(super) fn legal(request: &Request) -> Answer {
    let fen = request.fen()?;
    match request.game()? {
        GameName::Chess => {
            let position = standard::position(&fen)?;
            let ended = if position.is_checkmate() {
                Some("checkmate")
            } else if position.is_stalemate() {
                Some("stalemate")
            } else if position.is_insufficient_material() {
                Some("insufficient material")
            } else {
                None
            };
            let material = material(&position);
            json(&Legal {
                check: position.checkers().any(),
                ..legal_of::<Chess>(&position, ended, material)
            })
        }
        GameName::Xiangqi => {
            let position = Xiangqi::read(&fen).map_err(Refusal::bad)?;
            let material = Xiangqi::key(&position).ok().map(|key| key.to_string());
            let ended = Xiangqi::ended(&position);
            json(&Legal {
                check: position.in_check(),
                ..legal_of::<Xiangqi>(&position, ended, material)
            })
        }
    }
}

/// The table of a position, if its pieces may have one.
fn material(position: &Position) -> Option<String> {
    let material = Material::of(position.board()).0;
    (material.men() <= 7).then(|| material.to_string())
}

fn legal_of<G: TableGame>(
    position: &G::Position,
    ended: Option<&'static str>,
    material: Option<String>,
) -> Legal {
    let mut moves = Vec::new();
    G::moves(position, |facts| {
        moves.push(entry::<G>(position, facts.mv));
        ControlFlow::Continue(())
    });
    Legal {
        fen: G::notation(position),
        turn: G::SIDE_NAMES[G::turn(position).index()],
        check: false,
        ended,
        material,
        moves,
    }
}

fn entry<G: TableGame>(position: &G::Position, mv: G::Move) -> MoveEntry {
    MoveEntry {
        uci: G::uci(mv),
        san: G::write_move(position, mv),
        fen: G::notation(&G::play(position, mv)),
    }
}

/// `/line?fen=&metric=&game=`
pub(super) fn line(shelf: &Shelf, request: &Request) -> Answer {
    let fen = request.fen()?;
    match request.game()? {
        GameName::Chess => line_of::<Chess>(shelf, request, standard::position(&fen)?),
        GameName::Xiangqi => {
            let position = Xiangqi::read(&fen).map_err(Refusal::bad)?;
            line_of::<Xiangqi>(shelf, request, position)
        }
    }
}

fn line_of<G: TableGame>(shelf: &Shelf, request: &Request, start: G::Position) -> Answer {
    let store = shelf.store::<G>();
    let metric = request.metric::<G>()?;
    let tables = Prober::new(&*store);
    let failed = |error| probe_refusal(&store, &start, &error);
    let values = tables.all_values(&start).map_err(failed)?;
    let line = tables.line(&start, metric).map_err(failed)?;
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(line.len());
    for step in &line {
        moves.push(entry::<G>(&position, step.mv));
        position = G::play(&position, step.mv);
    }
    json(&LineObject {
        fen: G::notation(&start),
        metric: metric.name(),
        moves,
        // Of xiangqi there is no PGN.
        pgn: G::pgn(&store, metric, &start, values, &line).ok(),
    })
}
