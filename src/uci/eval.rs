//! The answer to `eval`: the static evaluation as a table of terms, in pawns, as White sees it.

use duchamp_chess::{Color, Position};
use duchamp_engine::{Breakdown, Explanation, FULL_PHASE, FULL_SCALE, TaperedScore};

/// The lines that show how a position is evaluated.
pub(super) fn lines(position: &Position, explanation: &Explanation) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(breakdown) = &explanation.hce {
        lines.extend(table(breakdown));
        lines.push(format!(
            "Hand-crafted evaluation {} (phase {} of {FULL_PHASE}, endgame scaled by {} of {FULL_SCALE}, mop-up {})",
            pawns(breakdown.total).trim_start(),
            breakdown.mix.phase,
            breakdown.mix.scale,
            pawns(breakdown.mix.extra).trim_start(),
        ));
    }
    let white = |score: i32| match position.turn() {
        Color::White => score,
        Color::Black => -score,
    };
    if let Some(network) = explanation.network {
        let text = pawns(white(network.0));
        lines.push(format!("Network evaluation {}", text.trim_start()));
    }
    let note = if position.in_check() {
        "; the side to move is in check, where search does not evaluate"
    } else if position.is_insufficient_material() {
        "; nobody can mate"
    } else {
        ""
    };
    let text = pawns(white(explanation.score.0));
    lines.push(format!(
        "Final evaluation {} (in pawns, White's view{note})",
        text.trim_start()
    ));
    lines
}

/// The terms of the hand-crafted evaluation.
fn table(breakdown: &Breakdown) -> Vec<String> {
    let columns =
        |pair: TaperedScore| format!("{} {}", pawns(pair.middlegame()), pawns(pair.endgame()));
    let rule = format!("{:-<21}+{:-<17}+{:-<17}+{:-<17}", "", "", "", "");
    let mut lines = vec![
        format!(
            "{:<20} | {:^15} | {:^15} | {:^15}",
            "Term", "White", "Black", "Total"
        )
        .trim_end()
        .to_owned(),
        format!("{:<20} | {1} | {1} | {1}", "", "     MG      EG"),
        rule.clone(),
    ];
    for row in &breakdown.rows {
        lines.push(format!(
            "{:<20} | {} | {} | {}",
            row.name,
            columns(row.white),
            columns(row.black),
            columns(row.white - row.black)
        ));
    }
    lines.push(rule);
    let blank = " ".repeat(15);
    let sum = columns(breakdown.sum);
    lines.push(format!("{:<20} | {blank} | {blank} | {sum}", "Total"));
    lines
}

/// Centipawns as pawns, with a sign, in seven columns.
fn pawns(centipawns: i32) -> String {
    format!("{:>+7.2}", f64::from(centipawns) / 100.0)
}
