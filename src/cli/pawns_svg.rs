//! A pawn ending as a picture: the board with its pieces, and the numbered corresponding squares of both kings.
//!
//! The numbers of the attacker's king stand in the upper left corner of a square, those of the other king in the lower
//! right one: nothing depends on colour alone.

use super::men_svg::{self, draw_frame, draw_man, ground};
use super::pawns_system::System;
use super::svg::{Anchor, FAINT, INK, Svg, bold, font};
use duchamp_chess::{Position, Square};

const CELL: f64 = 68.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 72.0;
const BOARD: f64 = 8.0 * CELL;
const WIDTH: f64 = BOARD + 2.0 * LEFT;
const FOOT: f64 = TOP + BOARD + 48.0;
const HEIGHT: f64 = FOOT + 90.0;

const ATTACKER: &str = "#1f5f99";
const DEFENDER: &str = "#b4540a";
const CRITICAL: &str = "#c22f3d";
const KEY: &str = "#2f8f4e";

/// Numbers that a corner has room for.
const ROOM: usize = 3;

/// The upper left corner of a square.
fn corner(square: Square) -> [f64; 2] {
    men_svg::corner([LEFT, TOP], CELL, square)
}

/// The picture of a position. `answer` tells what is proved about it.
pub(super) fn draw(position: &Position, system: &System, answer: &str) -> String {
    let fen = position.fen();
    let mut svg = Svg::new(WIDTH, HEIGHT, &fen, &description(system, answer));
    svg.words([LEFT, 30.0], Anchor::Start, bold(18, INK), answer);
    svg.words([LEFT, 52.0], Anchor::Start, font(13, FAINT), &fen);
    draw_board(&mut svg, system);
    for square in position.occupied() {
        if let Some(man) = position.at(square) {
            draw_man(&mut svg, corner(square), CELL, man);
        }
    }
    for square in Square::ALL {
        draw_numbers(&mut svg, system, square);
    }
    draw_legend(&mut svg, system);
    svg.finish()
}

fn draw_board(svg: &mut Svg, system: &System) {
    for square in Square::ALL {
        let [x, y] = corner(square);
        svg.bar([x, y], [CELL, CELL], ground(square), &square.to_string());
        let middle = [x + CELL / 2.0, y + CELL / 2.0];
        if system.critical.has(square) {
            svg.circle(middle, 0.45 * CELL, CRITICAL, Some(3.0));
        }
        if system.key.has(square) {
            svg.circle([x + 0.86 * CELL, y + 0.14 * CELL], 5.0, KEY, None);
        }
    }
    draw_frame(svg, [LEFT, TOP], CELL, 13);
}

/// The numbers of a square; a plus sign where there are more.
fn draw_numbers(svg: &mut Svg, system: &System, square: Square) {
    let [x, y] = corner(square);
    for (attacker, color, point, anchor) in [
        (true, ATTACKER, [x + 4.0, y + 18.0], Anchor::Start),
        (
            false,
            DEFENDER,
            [x + CELL - 4.0, y + CELL - 5.0],
            Anchor::End,
        ),
    ] {
        let numbers = system.numbers(square, attacker);
        let mut words: Vec<String> = numbers.iter().take(ROOM).map(usize::to_string).collect();
        if numbers.len() > ROOM {
            words.push("+".into());
        }
        let size = if words.len() > 1 { 13 } else { 18 };
        svg.words(point, anchor, bold(size, color), &words.join(" "));
    }
}

fn draw_legend(svg: &mut Svg, system: &System) {
    let attacker = system.attacker;
    let mut line = FOOT;
    let mut row = |svg: &mut Svg, color: &'static str, mark: &str, words: &str| {
        svg.words([LEFT + 8.0, line], Anchor::Middle, bold(15, color), mark);
        svg.words([LEFT + 24.0, line], Anchor::Start, font(13, INK), words);
        line += 20.0;
    };
    if !system.classes.is_empty() {
        let words = format!(
            "corresponding squares of {attacker:?}'s king, who wins if the other is to move;"
        );
        row(svg, ATTACKER, "1", &words);
        let words = format!(
            "the square of {:?}'s king that answers: who is to move fails",
            !attacker
        );
        row(svg, DEFENDER, "1", &words);
    }
    if system.critical.any() {
        let words = format!("critical: pawns that {attacker:?}'s king can take");
        row(svg, CRITICAL, "○", &words);
    }
    if system.key.any() {
        let words = format!(
            "key: {attacker:?}'s king wins from here wherever the other stands, whoever is to move"
        );
        row(svg, KEY, "●", &words);
    }
}

/// What a screen reader says.
fn description(system: &System, answer: &str) -> String {
    let pairs: Vec<String> = system
        .zugzwangs
        .iter()
        .map(|(king, other)| format!("{king}-{other}"))
        .collect();
    let pairs = if pairs.is_empty() {
        "none proved".into()
    } else {
        pairs.join(" ")
    };
    format!("{answer}. Corresponding squares: {pairs}.")
}
