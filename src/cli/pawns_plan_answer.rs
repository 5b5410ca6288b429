//! The plan of a proved win as JSON, and the phrases that both outputs have in common.

use super::pawns_plan::Planned;
use duchamp_chess::{Color, Move, Position, Role};
use duchamp_chess_tables::Material;
use duchamp_proofs::pawns::{PlanEnd, PlanMove, Spent, Unplanned, WinPlan};
use serde::Serialize;

/// A plan: stable names. Moves name each other by their places in `nodes`.
#[derive(Serialize)]
pub(super) struct PlanAnswer {
    /// `white` or `black`.
    winner: &'static str,
    /// The most plies to the decision.
    plies: u16,
    /// Variations shown, the main line among them.
    lines: usize,
    /// The moves that begin it.
    first: Vec<usize>,
    /// First moves of the losing side that are not shown.
    others: Vec<NameAnswer>,
    nodes: Vec<NodeAnswer>,
}

/// A move.
#[derive(Serialize)]
pub(super) struct NameAnswer {
    uci: String,
    san: String,
}

/// A move of the plan.
#[derive(Serialize)]
struct NodeAnswer {
    uci: String,
    san: String,
    /// The position after it.
    fen: String,
    /// The side that plays it, and the number of the move.
    side: &'static str,
    number: u16,
    parent: Option<usize>,
    /// Whether it alone wins; null for the losing side, and if that is not known.
    only: Option<bool>,
    /// The most plies that are left.
    plies: u16,
    /// Whether the pawns change by it.
    exit: bool,
    /// Squares that correspond to that of the winner's king and that the other king does not reach in time.
    fails_to_reach: Vec<String>,
    /// The corresponding square on which the other king stands, in zugzwang.
    zugzwang_on: Option<String>,
    /// How the game is decided by it.
    why: Option<String>,
    /// The move after which the line goes on as after this one.
    same_as: Option<usize>,
    /// The moves shown after it.
    replies: Vec<usize>,
    /// Replies that are not shown.
    others: Vec<NameAnswer>,
}

impl PlanAnswer {
    /// The plan, if there is one.
    pub(super) fn of(planned: &Planned) -> Option<PlanAnswer> {
        let Planned::Plan(plan) = planned else {
            return None;
        };
        let start = plan.first.first().map(|&number| plan.moves[number].before);
        Some(PlanAnswer {
            winner: plan.winner.name(),
            plies: plan.plies.0,
            lines: plan.lines,
            first: plan.first.clone(),
            others: start.map_or(Vec::new(), |start| names(&start, &plan.others)),
            nodes: (0..plan.moves.len())
                .map(|number| NodeAnswer::of(plan, number))
                .collect(),
        })
    }
}

impl NodeAnswer {
    fn of(plan: &WinPlan, number: usize) -> NodeAnswer {
        let mv = &plan.moves[number];
        let other = mv.after.king(!plan.winner);
        let fails = mv.corresponding.iter().filter(|square| **square != other);
        NodeAnswer {
            uci: mv.mv.uci(false),
            san: mv.before.san(mv.mv),
            fen: mv.after.fen(),
            side: mv.before.turn().name(),
            number: mv.before.fullmoves(),
            parent: mv.parent,
            only: mv.only,
            plies: mv.plies.0,
            exit: mv.exit,
            fails_to_reach: fails.map(ToString::to_string).collect(),
            zugzwang_on: mv.is_zugzwang().then(|| other.to_string()),
            why: why(plan, mv),
            same_as: match mv.end {
                Some(PlanEnd::AsAfter(number)) => Some(number),
                _ => None,
            },
            replies: mv.next.clone(),
            others: names(&mv.after, &mv.others),
        }
    }
}

/// Names of moves of a position.
pub(super) fn names(position: &Position, moves: &[Move]) -> Vec<NameAnswer> {
    let name = |mv: &Move| NameAnswer {
        uci: mv.uci(false),
        san: position.san(*mv),
    };
    moves.iter().map(name).collect()
}

/// Why a proved win has no plan, in a word; `None` if it has one or if none was asked for.
pub(super) fn open_part(planned: &Planned) -> Option<&'static str> {
    let Planned::Open(reason) = planned else {
        return None;
    };
    Some(match reason {
        Unplanned::Spent(Spent::Time) => "time",
        Unplanned::Spent(Spent::Stopped) => "stopped",
        Unplanned::Spent(Spent::Structures) => "structures",
        Unplanned::Spent(Spent::Steps) => "steps",
        Unplanned::Spent(Spent::Memory) | Unplanned::TooLarge => "memory",
        Unplanned::NotWon => "method",
    })
}

/// A move with its number: `8...Kc7`.
pub(super) fn numbered(mv: &PlanMove) -> String {
    let dots = match mv.before.turn() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots}{}", mv.before.fullmoves(), mv.before.san(mv.mv))
}

/// How a move ends its line, as a phrase; `None` if the line goes on.
pub(super) fn why(plan: &WinPlan, mv: &PlanMove) -> Option<String> {
    let (winner, other) = (plan.winner, !plan.winner);
    let queen = mv.mv.promotion() == Some(Role::Queen);
    let promotes = if queen { "queens" } else { "promotes" };
    Some(match mv.end? {
        PlanEnd::Mate => "mate".into(),
        PlanEnd::Promotion => format!("{winner:?} {promotes} and wins"),
        PlanEnd::Queened => format!("{other:?} {promotes}, {winner:?} wins all the same"),
        PlanEnd::Table => {
            let material = Material::of(mv.after.board()).0;
            format!("{winner:?} wins by the tables ({material})")
        }
        PlanEnd::AsAfter(number) => format!("as after {}", numbered(&plan.moves[number])),
    })
}
