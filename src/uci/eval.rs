//! The answer to `eval`: the static evaluation in pawns, as White sees it, with what the pieces are worth to the network, or
//! with a table of the terms of the hand-crafted evaluation.

use duchamp_chess::{Color, Position, Square};
use duchamp_engine::{Breakdown, Explanation, FULL_PHASE, FULL_SCALE, Score, TaperedScore};

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
    if !explanation.pieces.is_empty() {
        lines.extend(board(position, &explanation.pieces));
    }
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

/// The board with what each piece adds to the evaluation.
fn board(position: &Position, pieces: &[(Square, Score)]) -> Vec<String> {
    let rule = format!("+{}", "-------+".repeat(8));
    let row = |cell: &dyn Fn(Square) -> String, rank: usize| {
        let cells = (0..8).map(|file| cell(Square::wrapping(8 * rank + file)) + "|");
        format!("|{}", cells.collect::<String>())
    };
    let letter = |square: Square| match position.at(square) {
        Some(piece) => format!("   {}   ", piece.to_char()),
        None => " ".repeat(7),
    };
    let value = |square: Square| {
        let Some((_, value)) = pieces.iter().find(|(at, _)| *at == square) else {
            return " ".repeat(7);
        };
        let white = match position.at(square).map(|piece| piece.color) {
            Some(Color::Black) => -value.0,
            _ => value.0,
        };
        format!("{:^7}", pawns(white).trim_start())
    };
    let mut lines = vec![
        "What the evaluation would lack without each piece:".to_owned(),
        rule.clone(),
    ];
    for rank in (0..8).rev() {
        lines.extend([row(&letter, rank), row(&value, rank), rule.clone()]);
    }
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
