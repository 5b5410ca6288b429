//! Rules as a picture: the start position, and for each piece that has rules the squares that it may stand on.
//!
//! Squares that are not allowed are striped: nothing depends on colour alone. A verdict that is not a loss for the bound
//! side is written on them.

use super::men_svg::{corner, draw_frame, draw_man, ground};
use super::svg::{Anchor, FAINT, INK, Svg, bold, font};
use duchamp_chess::{Bitboard, Square};
use duchamp_proofs::freezer::{ManRule, Rules, Verdict, name_squares};

/// Pixels of a square.
const CELL: f64 = 30.0;
const BOARD: f64 = 8.0 * CELL;
/// From board to board.
const STEP: [f64; 2] = [BOARD + 56.0, BOARD + 74.0];
const LEFT: f64 = 36.0;
const TOP: f64 = 112.0;
/// Room for the lines of text above the boards.
const WIDEST_WORDS: f64 = 860.0;
/// Boards in a row.
const ROW: usize = 3;

/// Squares that are allowed: light ones, dark ones.
const ALLOWED: [&str; 2] = ["#c9e2d0", "#a9cdb3"];
const STRIPES: &str = "url(#out)";
const SMALL: u32 = 12;

/// The picture of some rules; `answer` tells what they prove.
pub(super) fn draw(rules: &Rules, answer: &str) -> String {
    let men: Vec<&ManRule> = rules
        .men
        .iter()
        .filter(|man| man.allowed != Bitboard::FULL)
        .collect();
    let boards = 1 + men.len();
    let rows = boards.div_ceil(ROW);
    let width = LEFT + STEP[0] * boards.min(ROW) as f64;
    let height = TOP + STEP[1] * rows as f64;
    let fen = rules.start.fen();
    let mut svg = Svg::new(
        width.max(WIDEST_WORDS),
        height,
        &fen,
        &description(rules, answer),
    );
    svg.stripes("out", "#ffffff", "#8a8f94");
    svg.words([LEFT, 30.0], Anchor::Start, bold(16, INK), answer);
    svg.words([LEFT, 52.0], Anchor::Start, font(13, FAINT), &fen);
    let words = format!(
        "Green: where the piece may stand. Striped: if it goes there, {:?} has lost, or what is written counts.",
        rules.bound
    );
    svg.words([LEFT, 71.0], Anchor::Start, font(13, FAINT), &words);
    let place = |board: usize| {
        [
            LEFT + STEP[0] * (board % ROW) as f64,
            TOP + STEP[1] * (board / ROW) as f64,
        ]
    };
    let title = format!(
        "{:?} to move, {:?} is bound",
        rules.start.turn(),
        rules.bound
    );
    draw_board(&mut svg, place(0), &title, |square| {
        (ground(square), String::new())
    });
    for square in rules.start.occupied() {
        if let Some(man) = rules.start.at(square) {
            draw_man(&mut svg, corner(place(0), CELL, square), CELL, man);
        }
    }
    for (at, man) in men.into_iter().enumerate() {
        draw_rule(&mut svg, place(at + 1), rules, man);
    }
    svg.finish()
}

fn draw_board(
    svg: &mut Svg,
    at: [f64; 2],
    title: &str,
    look: impl Fn(Square) -> (&'static str, String),
) {
    let [left, top] = at;
    svg.words([left, top - 8.0], Anchor::Start, bold(13, INK), title);
    for square in Square::ALL {
        let (fill, tip) = look(square);
        let tip = if tip.is_empty() {
            square.to_string()
        } else {
            format!("{square}: {tip}")
        };
        svg.bar(corner(at, CELL, square), [CELL, CELL], fill, &tip);
    }
    draw_frame(svg, at, CELL, SMALL);
}

/// The squares of a piece.
fn draw_rule(svg: &mut Svg, at: [f64; 2], rules: &Rules, man: &ManRule) {
    let role = format!("{:?}", man.piece.role).to_lowercase();
    let title = format!("{:?}'s {role} from {}", man.piece.color, man.square);
    draw_board(svg, at, &title, |square| {
        if man.allowed.has(square) {
            let dark = Bitboard::DARK.has(square);
            (ALLOWED[usize::from(dark)], "allowed".into())
        } else {
            let verdict = rules.outside(man, square).verdict;
            (STRIPES, verdict.name().into())
        }
    });
    // White's loss, a draw, White's win: the result as score sheets write it.
    for square in !man.allowed {
        let verdict = rules.outside(man, square).verdict;
        let mark = match verdict {
            _ if verdict == rules.worst().verdict => continue,
            Verdict::Loss => "0-1",
            Verdict::Draw => "½",
            Verdict::Win => "1-0",
        };
        let [x, y] = corner(at, CELL, square);
        let middle = [x + CELL / 2.0, y + CELL / 2.0 + 4.0];
        svg.words(middle, Anchor::Middle, bold(SMALL, INK), mark);
    }
    draw_man(svg, corner(at, CELL, man.square), CELL, man.piece);
}

/// What a screen reader says.
fn description(rules: &Rules, answer: &str) -> String {
    let men = rules.men.iter().filter(|man| man.allowed != Bitboard::FULL);
    let men: Vec<String> = men
        .map(|man| {
            let role = format!("{:?}", man.piece.role).to_lowercase();
            let allowed = name_squares(man.allowed);
            format!(
                "{:?}'s {role} on {}: {allowed}.",
                man.piece.color, man.square
            )
        })
        .collect();
    format!("{answer}. Squares allowed: {}", men.join(" "))
}
