//! `/standard` and `/standard/mainline`: the interface of lichess's tablebase server, so that its clients work with this one.
//!
//! Field names, categories, signs, the order of moves and the statuses are those of github.com/lichess-org/lila-tablebase
//! (2026): of a move all is as the opponent then sees it, and the position's category is that of its best move. Own additions
//! are `dtc_plies`, `only`, and `unknown`.

use super::category::Category;
use super::known::Known;
use super::reply::{Answer, Refusal, json};
use super::request::Request;
use super::shape::{PositionInfo, Unknown, is_only, tightening};
use super::shelf::Shelf;
use crate::cli::tb_missing;
use duchamp_chess::{Color, FIFTY_MOVES, Faults, Move, Position, Role, Setup};
use duchamp_chess_tables::{MAX_LARGE_MEN, Material, ProbeError, Prober};
use serde::Serialize;
use std::cmp::Reverse;

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
struct Step {
    uci: String,
    san: String,
    dtz: i32,
    precise_dtz: Option<i32>,
}

#[derive(Serialize)]
struct Mainline {
    mainline: Vec<Step>,
    winner: Option<&'static str>,
    dtz: i32,
    precise_dtz: Option<i32>,
}

/// The position of a FEN. Castling rights and en-passant squares that cannot be are dropped, checks that cannot be are let pass.
pub(super) fn position(fen: &str) -> Result<Position, Refusal> {
    let setup: Setup = fen.parse().map_err(Refusal::bad)?;
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).map_err(Refusal::bad)
}

/// What is known of a position; `before` is the halfmove clock of the position before it.
fn info(shelf: &Shelf, position: &Position, before: u16) -> Result<Info, Refusal> {
    let known = Known::of(shelf, position)?;
    let known = known.as_ref();
    let (checkmate, stalemate) = (position.is_checkmate(), position.is_stalemate());
    let insufficient = position.is_insufficient_material();
    let category = if stalemate || insufficient {
        Category::Draw
    } else if checkmate {
        Category::Loss
    } else {
        known.map_or(Category::Unknown, |known| {
            known.category(position.halfmove_clock())
        })
    };
    let category = if before >= FIFTY_MOVES {
        category.late()
    } else {
        category
    };
    Ok(Info {
        checkmate,
        stalemate,
        variant_win: false,
        variant_loss: false,
        insufficient_material: insufficient,
        dtz: known.and_then(Known::dtz),
        precise_dtz: known.and_then(Known::precise_dtz),
        dtm: known.and_then(|known| known.distance(|values| values.dtm)),
        dtw: None,
        dtc: None,
        category,
        dtc_plies: known.and_then(|known| known.distance(|values| values.dtc)),
    })
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

fn move_info(shelf: &Shelf, position: &Position, mv: Move) -> Result<MoveInfo, Refusal> {
    let captured = position.captured(mv);
    Ok(MoveInfo {
        uci: mv.uci(false),
        san: position.san(mv),
        zeroing: captured.is_some() || position.moved_role(mv) == Role::Pawn,
        conversion: captured.is_some() || mv.promotion().is_some(),
        info: info(shelf, &position.play(mv), position.halfmove_clock())?,
        only: false,
        captured,
        promotion: mv.promotion(),
    })
}

/// `/standard?fen=`
pub(super) fn standard(shelf: &Shelf, request: &Request) -> Answer {
    let position = position(&request.fen()?)?;
    let tables = shelf.chess();
    let moves = position.legal_moves();
    let moves = moves.iter().map(|&mv| move_info(shelf, &position, mv));
    let mut moves: Vec<MoveInfo> = moves.collect::<Result<_, _>>()?;
    moves.sort_by_key(MoveInfo::rank);
    if let [best, next, ..] = &mut moves[..] {
        best.only = is_only(best.info.category, next.info.category);
    }
    let before = position.halfmove_clock().saturating_sub(1);
    let mut info = info(shelf, &position, before)?;
    if let Some(best) = moves.first() {
        info.category = best.info.category.reversed();
        let distances = [info.dtz, info.dtm, info.dtc_plies];
        let known = |mv: &MoveInfo| mv.info.category != Category::Unknown;
        if distances.iter().all(Option::is_none) && moves.iter().all(known) {
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
    let Some(sign) = info.category.sign() else {
        return;
    };
    if sign == 0 {
        (info.dtz, info.precise_dtz) = (Some(0), Some(0));
        return;
    }
    // A winner takes the shortest of the moves that win, a loser the longest of all.
    let best = |plies: &dyn Fn(&MoveInfo) -> Option<i32>| {
        let of_moves = moves
            .iter()
            .filter(|mv| mv.info.category.sign() == Some(-sign));
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
    let zeroing = |of: fn(&Info) -> Option<i32>| {
        best(&|mv| match mv.zeroing || mv.info.checkmate {
            true => Some(1),
            false => after(of(&mv.info)),
        })
    };
    info.dtz = zeroing(|info| info.dtz);
    info.precise_dtz = zeroing(|info| info.precise_dtz);
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
        // Of such a table the request has failed already.
        ProbeError::Damaged { .. } => return None,
    };
    let asked = Material::of(position.board()).0;
    Some(Unknown {
        reason,
        text: tb_missing::public_error(tables.store(), asked, &error),
    })
}

/// `/standard/mainline?fen=`
pub(super) fn mainline(shelf: &Shelf, request: &Request) -> Answer {
    let start = position(&request.fen()?)?;
    let missing = |position: &Position| {
        let why = why(shelf.chess(), position);
        Refusal::missing(why.map_or("no distance to zeroing".to_owned(), |why| why.text))
    };
    let known = Known::of(shelf, &start)?;
    let distances = known.and_then(|known| Some((known.dtz()?, known.precise_dtz())));
    let (distance, precise) = distances.ok_or_else(|| missing(&start))?;
    let (mut line, mut now) = (Vec::new(), start);
    while distance != 0 && now.halfmove_clock() < FIFTY_MOVES && line.len() < LONGEST_LINE {
        let Some((mv, best)) = best_by_zeroing(shelf, &now)? else {
            break;
        };
        let after = now.play(mv);
        line.push(Step {
            uci: best.uci,
            san: best.san,
            dtz: best.info.dtz.ok_or_else(|| missing(&after))?,
            precise_dtz: best.info.precise_dtz,
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
        precise_dtz: precise,
    })
}

/// More plies than any line of a table has.
const LONGEST_LINE: usize = 2000;

/// The move that keeps the result and zeroes soonest for who wins, latest for who loses.
fn best_by_zeroing(
    shelf: &Shelf,
    position: &Position,
) -> Result<Option<(Move, MoveInfo)>, Refusal> {
    let rank = |mv: &MoveInfo| {
        let info = &mv.info;
        // Whoever wins zeroes, whoever loses does not.
        let losing = info.dtz.is_some_and(|dtz| dtz < 0);
        (
            info.category,
            Reverse(info.checkmate),
            mv.zeroing ^ losing,
            info.dtz.map(Reverse),
        )
    };
    let moves = position.legal_moves();
    let moves = moves
        .iter()
        .map(|&mv| Ok((mv, move_info(shelf, position, mv)?)));
    let moves: Vec<(Move, MoveInfo)> = moves.collect::<Result<_, Refusal>>()?;
    Ok(moves.into_iter().min_by_key(|(_, mv)| rank(mv)))
}
