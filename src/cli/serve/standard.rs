//! `/standard` and `/standard/mainline`: the interface of lichess's tablebase server, so that its clients work with this one.
//!
//! Field names, categories, signs, the order of moves and the statuses are those of github.com/lichess-org/lila-tablebase
//! (2026): of a move all is as the opponent then sees it, and the position's category is that of its best move. Own additions
//! are `dtc_plies`, `only`, and `unknown`.

use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shelf::Shelf;
use crate::cli::tb_clock;
use crate::cli::tb_missing;
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Color, FIFTY_MOVES, Faults, Move, Position, Role, Setup};
use duchamp_chess_tables::{MAX_LARGE_MEN, Material, Metric, ProbeError, ProbedValues, Prober};
use serde::Serialize;
use std::cmp::Reverse;

/// What a position is worth, in the order in which an opponent would not like them: the first is the best for the mover.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Category {
    Loss,
    Unknown,
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
}

impl Category {
    /// As the other side sees it.
    pub(super) fn reversed(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::Win => Category::Loss,
        }
    }

    pub(super) fn is_positive(self) -> bool {
        self > Category::Draw
    }
}

impl From<Wdl> for Category {
    fn from(wdl: Wdl) -> Category {
        match wdl {
            Wdl::Loss => Category::Loss,
            Wdl::BlessedLoss => Category::BlessedLoss,
            Wdl::Draw => Category::Draw,
            Wdl::CursedWin => Category::CursedWin,
            Wdl::Win => Category::Win,
        }
    }
}

/// A position.
#[derive(Debug, Serialize)]
struct Info {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: Category,
    dtc_plies: Option<i32>,
}

#[derive(Debug, Serialize)]
struct MoveInfo {
    uci: String,
    san: String,
    zeroing: bool,
    conversion: bool,
    #[serde(flatten)]
    info: Info,
    only: bool,
    #[serde(skip)]
    captured: Option<Role>,
    #[serde(skip)]
    promotion: Option<Role>,
}

#[derive(Serialize)]
struct PositionInfo {
    #[serde(flatten)]
    info: Info,
    moves: Vec<MoveInfo>,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Unknown>,
}

/// Why there is no value: a word for programs, a sentence for people.
#[derive(Serialize)]
pub(super) struct Unknown {
    pub(super) reason: &'static str,
    pub(super) text: String,
}

#[derive(Serialize)]
struct Step {
    uci: String,
    san: String,
    dtz: i32,
    precise_dtz: i32,
}

#[derive(Serialize)]
struct Mainline {
    mainline: Vec<Step>,
    winner: Option<&'static str>,
    dtz: i32,
    precise_dtz: i32,
}

/// The position of a FEN. Castling rights and en-passant squares that cannot be are dropped, checks that cannot be are let pass.
pub(super) fn position(fen: &str) -> Result<Position, Refusal> {
    let setup: Setup = fen.parse().map_err(Refusal::bad)?;
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).map_err(Refusal::bad)
}

/// A distance with the sign of the result.
pub(super) fn signed(values: &ProbedValues, plies: Option<Plies>) -> Option<i32> {
    let plies = i32::from(plies?.0);
    Some(match values.wdl {
        Wdl::Win | Wdl::CursedWin => plies,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -plies,
    })
}

/// The distance to zeroing; a mate on the board counts one ply, as in Syzygy's tables.
fn dtz(values: &ProbedValues) -> Option<i32> {
    match (values.wdl, values.dtz) {
        (Wdl::Draw, _) => Some(0),
        (_, Some(Plies(0))) => Some(-1),
        (_, plies) => signed(values, plies),
    }
}

/// What is known of a position; `before` is the halfmove clock of the position before it.
fn info(tables: &Prober, position: &Position, before: u16) -> Result<Info, Refusal> {
    let values = match tables.probe_all(position) {
        Ok(values) => Some(values),
        Err(ProbeError::Damaged { key, source }) => {
            return Err(Refusal::failed(ProbeError::Damaged { key, source }));
        }
        Err(_) => None,
    };
    let (checkmate, stalemate) = (position.is_checkmate(), position.is_stalemate());
    let insufficient = position.is_insufficient_material();
    let late = before >= FIFTY_MOVES;
    let category = if stalemate || insufficient {
        Category::Draw
    } else if checkmate {
        if late {
            Category::BlessedLoss
        } else {
            Category::Loss
        }
    } else if let Some(values) = values {
        let clock = position.halfmove_clock();
        let wdl = tb_clock::result(values, clock).unwrap_or(values.wdl);
        match Category::from(wdl) {
            Category::Win if late => Category::CursedWin,
            Category::Loss if late => Category::BlessedLoss,
            category => category,
        }
    } else {
        Category::Unknown
    };
    let zeroing = values.as_ref().and_then(dtz);
    let decided = values.filter(|values| values.wdl != Wdl::Draw);
    let distance = |metric: fn(&ProbedValues) -> Option<Plies>| {
        decided
            .as_ref()
            .and_then(|values| signed(values, metric(values)))
    };
    Ok(Info {
        checkmate,
        stalemate,
        variant_win: false,
        variant_loss: false,
        insufficient_material: insufficient,
        dtz: zeroing,
        precise_dtz: zeroing,
        dtm: distance(|values| values.dtm),
        dtw: None,
        dtc: None,
        category,
        dtc_plies: distance(|values| values.dtc),
    })
}

/// Shorter is better for who wins, longer for who loses: negative distances (the opponent loses) first, the shortest first; then
/// those without; then positive ones, the longest first.
pub(super) fn tightening(distance: Option<i32>) -> (Reverse<Option<i32>>, Option<Reverse<i32>>) {
    let negative = distance.filter(|plies| *plies < 0);
    let positive = distance.filter(|plies| *plies > 0);
    (Reverse(negative), positive.map(Reverse))
}

impl MoveInfo {
    fn rank(&self) -> impl Ord + use<> {
        let info = &self.info;
        let positive = info.category.is_positive();
        (
            info.category,
            Reverse(info.checkmate),
            (Reverse(info.stalemate), Reverse(info.insufficient_material)),
            tightening(info.dtm),
            (self.conversion == positive, tightening(info.dtc_plies)),
            (self.zeroing == positive, info.dtz.map(Reverse)),
            (Reverse(self.captured), Reverse(self.promotion)),
        )
    }
}

fn move_info(tables: &Prober, position: &Position, mv: Move) -> Result<MoveInfo, Refusal> {
    let captured = position.captured(mv);
    Ok(MoveInfo {
        uci: position.uci(mv, false),
        san: position.san(mv),
        zeroing: captured.is_some() || position.moved_role(mv) == Role::Pawn,
        conversion: captured.is_some() || mv.promotion().is_some(),
        info: info(tables, &position.play(mv), position.halfmove_clock())?,
        only: false,
        captured,
        promotion: mv.promotion(),
    })
}

/// Marks the only move that keeps the result.
fn mark_only(moves: &mut [MoveInfo]) {
    if let [best, next, ..] = moves {
        best.only = best.info.category < next.info.category
            && next.info.category != Category::Unknown
            && best.info.category != Category::Unknown;
    }
}

/// `/standard?fen=`
pub(super) fn standard(shelf: &Shelf, request: &Request) -> Answer {
    let position = position(&request.fen()?)?;
    let tables = shelf.chess();
    let moves = position.legal_moves();
    let moves = moves.iter().map(|&mv| move_info(tables, &position, mv));
    let mut moves: Vec<MoveInfo> = moves.collect::<Result<_, _>>()?;
    moves.sort_by_key(MoveInfo::rank);
    mark_only(&mut moves);
    let before = position.halfmove_clock().saturating_sub(1);
    let mut info = info(tables, &position, before)?;
    if let Some(best) = moves.first() {
        info.category = best.info.category.reversed();
        if info.dtz.is_none() && moves.iter().all(|mv| mv.info.dtz.is_some()) {
            fill_in(&mut info, &moves);
        }
    }
    let unknown = (info.category == Category::Unknown).then(|| why(tables, &position));
    json(&PositionInfo {
        info,
        moves,
        unknown: unknown.flatten(),
    })
}

/// The distances of a position that has no table itself, such as one with castling rights, from those of all its moves.
fn fill_in(info: &mut Info, moves: &[MoveInfo]) {
    let sign = match info.category {
        Category::Win | Category::CursedWin => 1,
        Category::Loss | Category::BlessedLoss => -1,
        Category::Draw => {
            (info.dtz, info.precise_dtz) = (Some(0), Some(0));
            return;
        }
        Category::Unknown => return,
    };
    // A winner takes the shortest of the moves that win, a loser the longest of all.
    let best = |plies: &dyn Fn(&MoveInfo) -> Option<i32>| {
        let of_moves = moves
            .iter()
            .filter(|mv| sign * mv.info.dtz.unwrap_or(0) < 0);
        let of_moves: Option<Vec<i32>> = of_moves.map(plies).collect();
        let of_moves = of_moves?.into_iter();
        let best = if sign > 0 {
            of_moves.min()
        } else {
            of_moves.max()
        };
        Some(sign * best?)
    };
    let after = |plies: Option<i32>| Some(plies?.abs() + 1);
    info.dtm = best(&|mv| after(mv.info.dtm));
    info.dtc_plies = best(&|mv| {
        if mv.conversion {
            Some(1)
        } else {
            after(mv.info.dtc_plies)
        }
    });
    info.dtz = best(&|mv| {
        let ends = mv.zeroing || mv.info.checkmate;
        if ends { Some(1) } else { after(mv.info.dtz) }
    });
    info.precise_dtz = info.dtz;
}

/// Why a position has no value, and what to do.
fn why(tables: &Prober, position: &Position) -> Option<Unknown> {
    let men = position.occupied().count();
    if men > MAX_LARGE_MEN {
        return Some(Unknown {
            reason: "too-many-men",
            text: ProbeError::TooManyMen(men).to_string(),
        });
    }
    let error = tables.probe_all(position).err()?;
    let reason = match error {
        ProbeError::Missing(_) | ProbeError::MissingMetric(..) => "missing-table",
        ProbeError::TooManyMen(_) => "too-many-men",
        ProbeError::Refused(_) => "castling-rights",
        ProbeError::Damaged { .. } => "damaged-table",
    };
    let asked = Material::of(position.board()).0;
    Some(Unknown {
        reason,
        text: tb_missing::probe_error(tables.store(), asked, &error),
    })
}

/// `/standard/mainline?fen=`
pub(super) fn mainline(shelf: &Shelf, request: &Request) -> Answer {
    let start = position(&request.fen()?)?;
    let tables = shelf.chess();
    let probe = |position: &Position| {
        let asked = Material::of(position.board()).0;
        let refused = |error: ProbeError| {
            let text = tb_missing::probe_error(tables.store(), asked, &error);
            match error {
                ProbeError::Damaged { .. } => Refusal::failed(text),
                _ => Refusal::missing(text),
            }
        };
        let values = tables.probe_all(position).map_err(refused)?;
        let missing = ProbeError::MissingMetric(asked, Metric::Dtz);
        dtz(&values).ok_or_else(|| refused(missing))
    };
    let distance = probe(&start)?;
    let (mut line, mut now) = (Vec::new(), start);
    while distance != 0 && now.halfmove_clock() < FIFTY_MOVES && line.len() < LONGEST_LINE {
        let Some(mv) = best_by_zeroing(tables, &now)? else {
            break;
        };
        let after = now.play(mv);
        let dtz = probe(&after)?;
        line.push(Step {
            uci: now.uci(mv, false),
            san: now.san(mv),
            dtz,
            precise_dtz: dtz,
        });
        now = after;
    }
    let winner = now.is_checkmate().then(|| match now.turn() {
        Color::White => "b",
        Color::Black => "w",
    });
    json(&Mainline {
        mainline: line,
        winner,
        dtz: distance,
        precise_dtz: distance,
    })
}

/// More plies than any line of a table has.
const LONGEST_LINE: usize = 2000;

/// The move that keeps the result and zeroes soonest for who wins, latest for who loses.
fn best_by_zeroing(tables: &Prober, position: &Position) -> Result<Option<Move>, Refusal> {
    let mut best = None;
    for &mv in position.legal_moves().iter() {
        let move_info = move_info(tables, position, mv)?;
        let info = &move_info.info;
        let losing = info.dtz.is_some_and(|dtz| dtz < 0);
        let rank = (
            info.category,
            Reverse(info.checkmate),
            Reverse(losing && move_info.zeroing),
            info.dtz.map(Reverse),
        );
        if best.as_ref().is_none_or(|(other, _)| rank < *other) {
            best = Some((rank, mv));
        }
    }
    Ok(best.map(|(_, mv)| mv))
}
