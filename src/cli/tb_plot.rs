//! The histogram of a table as an SVG picture: positions by moves to mate, both sides to move.

use crate::tablebase::{SideStats, Stats};
use plotters::prelude::*;

const SIZE: (u32, u32) = (960, 640);
const WIN: RGBColor = RGBColor(38, 110, 171);
const LOSS: RGBColor = RGBColor(196, 78, 59);
const INK: RGBColor = RGBColor(60, 60, 60);

/// Draws the histogram: one panel a side to move, wins in blue, losses in red.
pub(super) fn histogram(stats: &Stats) -> Result<String, String> {
    let mut picture = String::new();
    draw(stats, &mut picture).map_err(|error| error.to_string())?;
    Ok(picture)
}

fn draw(stats: &Stats, picture: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(picture, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let title = ("sans-serif", 24).into_font().color(&INK);
    let root = root.titled(
        &format!("{}: positions by moves to mate", stats.material),
        title,
    )?;
    let sides = [
        ("White to move", &stats.white),
        ("Black to move", &stats.black),
    ];
    let moves = sides
        .iter()
        .map(|(_, side)| by_moves(&side.wins).len().max(by_moves(&side.losses).len()));
    let moves = moves.max().unwrap_or(1).max(2);
    for (area, (name, side)) in root.split_evenly((2, 1)).iter().zip(sides) {
        draw_side(area, name, side, moves)?;
    }
    root.present()?;
    Ok(())
}

/// Positions by moves of the winner (index 0: already mated).
fn by_moves(by_plies: &[u64]) -> Vec<u64> {
    let mut moves = vec![0; by_plies.len() / 2 + 1];
    for (plies, count) in by_plies.iter().enumerate() {
        moves[plies.div_ceil(2)] += count;
    }
    while moves.last() == Some(&0) {
        moves.pop();
    }
    moves
}

fn draw_side<B: DrawingBackend>(
    area: &DrawingArea<B, plotters::coord::Shift>,
    name: &str,
    side: &SideStats,
    moves: usize,
) -> Result<(), Box<dyn std::error::Error>>
where
    B::ErrorType: 'static,
{
    let (wins, losses) = (by_moves(&side.wins), by_moves(&side.losses));
    let most = wins
        .iter()
        .chain(&losses)
        .copied()
        .max()
        .unwrap_or(0)
        .max(1) as f64;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(76)
        .build_cartesian_2d(-0.5..moves as f64 - 0.5, 0.0..most * 1.08)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .bold_line_style(INK.mix(0.12))
        .axis_style(INK)
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .x_desc("moves to mate")
        .y_desc(name)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| grouped(*y as u64))
        .draw()?;
    let counts = side.counts;
    let parts = [
        ("won", counts.won, WIN, &wins, -0.42),
        ("lost", counts.lost, LOSS, &losses, 0.02),
    ];
    for (word, count, color, histogram, shift) in parts {
        if count == 0 {
            continue;
        }
        let bars = histogram.iter().enumerate().map(|(at, &count)| {
            let left = at as f64 + shift;
            Rectangle::new([(left, 0.0), (left + 0.4, count as f64)], color.filled())
        });
        chart
            .draw_series(bars)?
            .label(format!("{word}: {}", grouped(count)))
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled()));
    }
    // Draws have no distance: they are told, not drawn.
    chart
        .draw_series(std::iter::empty::<Rectangle<(f64, f64)>>())?
        .label(format!("drawn: {}", grouped(counts.drawn)))
        .legend(|(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], INK.mix(0.3).filled()));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(INK.mix(0.2))
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    Ok(())
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}
