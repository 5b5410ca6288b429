//! Chess men and boards in pictures.

use super::svg::{Anchor, FAINT, INK, Svg, font};
use duchamp_chess::{Color, Piece, Role, Square};

pub(super) const LIGHT: &str = "#f3efe6";
pub(super) const DARK: &str = "#d9d2c3";

const PAWN: &str = "M50 22 A13 13 0 0 1 59 45 C64 55 65 62 72 70 L76 82 L24 82 L28 70 C35 62 36 55 41 45 A13 13 0 0 1 50 22 Z";
const KING: &str = "M46 10 L54 10 L54 17 L61 17 L61 25 L54 25 L54 33 C62 30 84 33 82 50 C80 62 72 66 70 72 L70 84 L30 84 \
                    L30 72 C28 66 20 62 18 50 C16 33 38 30 46 33 L46 25 L39 25 L39 17 L46 17 Z";
const QUEEN: &str =
    "M30 84 L70 84 L70 74 L86 30 L67 54 L63 20 L50 50 L37 20 L33 54 L14 30 L30 74 Z";
const ROOK: &str = "M24 84 L76 84 L76 74 L68 68 L65 40 L74 34 L74 18 L62 18 L62 25 L56 25 L56 18 L44 18 L44 25 L38 25 L38 18 \
                    L26 18 L26 34 L35 40 L32 68 L24 74 Z";
const BISHOP: &str = "M26 84 L74 84 L74 76 L62 70 C72 60 74 46 50 24 C26 46 28 60 38 70 L26 76 Z M46 22 A6 6 0 1 1 54 22 Z";
const KNIGHT: &str = "M30 84 L76 84 C78 52 72 28 46 22 L42 14 L37 24 C26 32 22 44 18 54 L26 62 L40 54 L48 54 C46 64 32 70 30 84 Z";

/// A man in the square whose upper left corner is `[x, y]`.
pub(super) fn draw_man(svg: &mut Svg, [x, y]: [f64; 2], cell: f64, man: Piece) {
    let path = match man.role {
        Role::Pawn => PAWN,
        Role::Knight => KNIGHT,
        Role::Bishop => BISHOP,
        Role::Rook => ROOK,
        Role::Queen => QUEEN,
        Role::King => KING,
    };
    let colors = match man.color {
        Color::White => ["#ffffff", INK],
        Color::Black => [INK, INK],
    };
    // Numbers need the corners.
    svg.shape([x + 0.1 * cell, y + 0.08 * cell], 0.8 * cell, path, colors);
}

/// The upper left corner of a square on a board whose own is `[left, top]`, White below.
pub(super) fn corner([left, top]: [f64; 2], cell: f64, square: Square) -> [f64; 2] {
    [
        left + cell * square.file().index() as f64,
        top + cell * (7 - square.rank().index()) as f64,
    ]
}

/// The color of a square.
pub(super) fn ground(square: Square) -> &'static str {
    if (square.file().index() + square.rank().index()).is_multiple_of(2) {
        DARK
    } else {
        LIGHT
    }
}

/// The letters and numbers around a board.
pub(super) fn draw_frame(svg: &mut Svg, [left, top]: [f64; 2], cell: f64, size: u32) {
    let font = font(size, FAINT);
    let half = f64::from(size) / 2.0;
    for place in 0..8 {
        let along = left + cell * (f64::from(place) + 0.5);
        let file = char::from(b'a' + place).to_string();
        let foot = top + 8.0 * cell + 1.4 * f64::from(size);
        svg.words([along, foot], Anchor::Middle, font, &file);
        let level = top + cell * (7.5 - f64::from(place)) + 0.75 * half;
        let rank = (place + 1).to_string();
        svg.words(
            [left - 0.6 * f64::from(size), level],
            Anchor::End,
            font,
            &rank,
        );
    }
}
