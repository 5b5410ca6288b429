//! The answer to `eval`: the static evaluation in pawns, as White sees it, and what the pieces add to it.

use duchamp_chess::{Color, Position, Square};
use duchamp_engine::{Explanation, Score};

/// The lines that show how a position is evaluated.
pub(super) fn lines(position: &Position, explanation: &Explanation) -> Vec<String> {
    let white = match position.turn() {
        Color::White => explanation.score.0,
        Color::Black => -explanation.score.0,
    };
    let mut lines = board(position, &explanation.pieces);
    let note = if position.in_check() {
        "; the side to move is in check, where search does not evaluate"
    } else if position.is_insufficient_material() {
        "; nobody can mate"
    } else {
        ""
    };
    lines.push(format!(
        "Final evaluation {} (in pawns, White's view{note})",
        pawns(white)
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
        format!("{:^7}", pawns(white))
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

/// Centipawns as pawns, with a sign.
fn pawns(centipawns: i32) -> String {
    format!("{:+.2}", f64::from(centipawns) / 100.0)
}
