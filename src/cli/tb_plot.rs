//! The histogram of a table as an SVG picture: positions by moves to the end of the distance, both sides to move.
//!
//! One panel a side to move: wins stand on the axis, losses hang from it, so that nothing depends on colour; losses are
//! striped besides. All panels share their scales. Above each a band shows the shares of wins, draws and losses.
//! The scale of counts is logarithmic where the longest distances would vanish on a linear one.

use super::svg::{Anchor, FAINT, GRID, INK, Svg, bold, font};
use super::tb_game::{TableGame, TableStats};
use super::tb_words;
use duchamp_base::{Plies, human};
use duchamp_tablebase::{SideCounts, SideStats, TableKey};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 680.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = WIDTH - 28.0;
/// Where the first panel begins, and where the last one ends.
const TOP: f64 = 84.0;
const BOTTOM: f64 = HEIGHT - 96.0;
/// Between two panels: the numbers of the axis and the band of the next panel.
const GAP: f64 = 30.0;
/// The band and its words.
const BAND: f64 = 44.0;

const WIN: &str = "#1f5f99";
const LOSS: &str = "#d27a1e";
const LOSS_STRIPES: &str = "url(#lost)";
const DRAW: &str = "#cfd3d6";
/// Parts groups of digits.
const THIN: char = '\u{202f}';

/// What a panel shows: positions by moves of the winner, the mated at 0.
struct Panel<'a, P> {
    name: String,
    side: &'a SideStats<P>,
    wins: Vec<u64>,
    losses: Vec<u64>,
}

impl<'a, P> Panel<'a, P> {
    fn new(name: String, side: &'a SideStats<P>) -> Panel<'a, P> {
        Panel {
            name,
            side,
            wins: by_moves(&side.wins),
            losses: by_moves(&side.losses),
        }
    }

    fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.wins.iter().chain(&self.losses);
        all.copied().filter(|&count| count > 0)
    }
}

/// Positions by moves of the winner.
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

/// Counts as heights.
#[derive(Clone, Copy)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Scale {
    /// Linear as long as a pixel or two is left of the smallest bar.
    fn fitting<P>(panels: &[Panel<'_, P>]) -> Scale {
        let counts = || panels.iter().flat_map(Panel::counts);
        match (counts().min(), counts().max()) {
            (Some(least), Some(most)) if most / least > 200 => Scale::Logarithmic,
            _ => Scale::Linear,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Scale::Linear => "linear",
            Scale::Logarithmic => "logarithmic",
        }
    }

    /// The height of a count, in units of the scale. A single position still shows.
    fn height(self, count: u64) -> f64 {
        match self {
            _ if count == 0 => 0.0,
            Scale::Linear => count as f64,
            Scale::Logarithmic => (count as f64).log10() + 0.3,
        }
    }

    /// The counts to be marked up to `most`, so that about `room` of them have a place.
    fn marks(self, most: u64, room: usize) -> Vec<u64> {
        match self {
            Scale::Logarithmic => {
                let all: Vec<u64> = (0..19).map(|n| 10u64.pow(n)).collect();
                let all: Vec<u64> = all.into_iter().filter(|mark| *mark <= most).collect();
                let step = all.len().div_ceil(room.max(1)).max(1);
                all.into_iter().step_by(step).collect()
            }
            Scale::Linear => {
                let step = round_step(most, room);
                (1..)
                    .map(|n| n * step)
                    .take_while(|mark| *mark <= most)
                    .collect()
            }
        }
    }
}

/// The smallest of 1, 2, 5, 10, 20, ... of which `most` holds at most `room`.
fn round_step(most: u64, room: usize) -> u64 {
    let steps = (0..18).flat_map(|n| [1, 2, 5].map(|digit| digit * 10u64.pow(n)));
    let fits = |step: &u64| most / step <= room.max(1) as u64;
    steps.into_iter().find(fits).unwrap_or(most.max(1))
}

/// Draws the histogram.
pub(super) fn histogram<G: TableGame>(stats: &TableStats<G>) -> String {
    let [first, second] = &stats.sides;
    let panels = if stats.key.is_symmetric() {
        vec![Panel::new("Either side to move".to_owned(), first)]
    } else {
        vec![
            Panel::new(format!("{} to move", G::SIDES[0]), first),
            Panel::new(format!("{} to move", G::SIDES[1]), second),
        ]
    };
    let scale = Scale::fitting(&panels);
    let title = format!(
        "{}: positions by moves to {}",
        stats.key,
        tb_words::end_of(stats.metric)
    );
    let mut svg = Svg::new(WIDTH, HEIGHT, &title, &description(&panels));
    svg.stripes("lost", LOSS, "#fbe3c8");
    svg.words(
        [LEFT, 40.0],
        Anchor::Start,
        bold(28, INK),
        &stats.key.to_string(),
    );
    let subtitle = format!(
        "positions by moves to {}, {} scale; wins stand on the line, losses hang from it",
        tb_words::end_of(stats.metric),
        scale.name()
    );
    svg.words([LEFT, 64.0], Anchor::Start, font(15, FAINT), &subtitle);
    draw_panels(&mut svg, &panels, scale, tb_words::end_of(stats.metric));
    draw_foot(&mut svg, stats, &panels);
    svg.finish()
}

/// The picture in words.
fn description<P>(panels: &[Panel<'_, P>]) -> String {
    let told = panels.iter().map(|panel| {
        let SideCounts {
            won, drawn, lost, ..
        } = panel.side.counts;
        format!("{}: {won} won, {drawn} drawn, {lost} lost.", panel.name)
    });
    told.collect::<Vec<_>>().join(" ")
}

fn draw_panels<P>(svg: &mut Svg, panels: &[Panel<'_, P>], scale: Scale, end: &str) {
    let most = |list: &[u64]| scale.height(list.iter().copied().max().unwrap_or(0)) * 1.04;
    let units: f64 = panels
        .iter()
        .map(|panel| most(&panel.wins) + most(&panel.losses))
        .sum();
    let between = (BAND + GAP) * panels.len() as f64 - GAP;
    let unit = (BOTTOM - TOP - between) / units.max(1.0);
    let ends = panels
        .iter()
        .map(|panel| panel.wins.len().max(panel.losses.len()));
    let moves = ends.max().unwrap_or(0).max(2);
    let mut top = TOP;
    for panel in panels {
        draw_band(svg, panel, top);
        top += BAND;
        let frame = Frame {
            top,
            axis: top + most(&panel.wins) * unit,
            bottom: top + (most(&panel.wins) + most(&panel.losses)) * unit,
            unit,
            moves,
            scale,
        };
        frame.draw(svg, panel);
        top = frame.bottom + GAP;
    }
    svg.words(
        [f64::midpoint(LEFT, RIGHT), BOTTOM + 38.0],
        Anchor::Middle,
        font(14, INK),
        &format!("moves to {end} (of the winner)"),
    );
}

/// The shares of wins, draws and losses as a band with words.
fn draw_band<P>(svg: &mut Svg, panel: &Panel<'_, P>, top: f64) {
    let counts = panel.side.counts;
    let all = (counts.won + counts.drawn + counts.lost).max(1);
    svg.words(
        [LEFT, top + 13.0],
        Anchor::Start,
        bold(15, INK),
        &panel.name,
    );
    let parts = [
        ("won", counts.won, WIN),
        ("drawn", counts.drawn, DRAW),
        ("lost", counts.lost, LOSS_STRIPES),
    ];
    let shown = parts.iter().filter(|(_, count, _)| *count > 0);
    let words: Vec<String> = shown
        .map(|(word, count, _)| {
            let percent = 100.0 * *count as f64 / all as f64;
            format!("{} {word} ({percent:.2} %)", human::grouped(*count, THIN))
        })
        .collect();
    svg.words(
        [RIGHT, top + 13.0],
        Anchor::End,
        font(14, INK),
        &words.join("  \u{b7}  "),
    );
    let mut left = LEFT;
    for (word, count, fill) in parts {
        let width = (RIGHT - LEFT) * count as f64 / all as f64;
        svg.bar([left, top + 20.0], [width, 9.0], fill, word);
        left += width;
    }
}

/// Where a panel stands.
struct Frame {
    top: f64,
    axis: f64,
    bottom: f64,
    unit: f64,
    moves: usize,
    scale: Scale,
}

impl Frame {
    fn x(&self, moves: f64) -> f64 {
        LEFT + 6.0 + (RIGHT - LEFT - 6.0) * moves / self.moves as f64
    }

    fn draw<P>(&self, svg: &mut Svg, panel: &Panel<'_, P>) {
        self.grid(svg, panel);
        let slot = self.x(1.0) - self.x(0.0);
        let width = if slot > 5.0 { slot * 0.82 } else { slot * 0.94 };
        let halves = [
            (&panel.wins, WIN, true),
            (&panel.losses, LOSS_STRIPES, false),
        ];
        for (counts, fill, upwards) in halves {
            for (moves, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let height = self.scale.height(count) * self.unit;
                let top = if upwards {
                    self.axis - height
                } else {
                    self.axis
                };
                let left = self.x(moves as f64) + (slot - width) / 2.0;
                let what = if upwards { "won in" } else { "lost in" };
                let unit = if count == 1 { "position" } else { "positions" };
                let count = human::grouped(count, THIN);
                let tip = format!("{what} {moves}: {count} {unit}");
                svg.bar([left, top], [width, height], fill, &tip);
            }
        }
        svg.line([LEFT, self.axis], [RIGHT, self.axis], INK, 1.2);
        self.longest(svg, &panel.wins, "win", self.axis - 22.0);
        self.longest(svg, &panel.losses, "loss", self.axis + 32.0);
    }

    /// Lines at round counts and round numbers of moves, with their numbers.
    fn grid<P>(&self, svg: &mut Svg, panel: &Panel<'_, P>) {
        let step = round_step(self.moves as u64, 24) as usize;
        for moves in (0..self.moves).step_by(step) {
            let x = self.x(moves as f64 + 0.5);
            svg.line([x, self.top], [x, self.bottom + 4.0], GRID, 1.0);
            let point = [x, self.bottom + 17.0];
            svg.words(point, Anchor::Middle, font(12, INK), &moves.to_string());
        }
        let halves = [
            ("wins", &panel.wins, self.top, -1.0),
            ("losses", &panel.losses, self.bottom, 1.0),
        ];
        for (name, counts, end, sign) in halves {
            if (end - self.axis).abs() > 48.0 {
                let point = [LEFT - 58.0, f64::midpoint(end, self.axis)];
                svg.words_upwards(point, font(14, INK), name);
            }
            let most = counts.iter().copied().max().unwrap_or(0);
            let room = ((end - self.axis).abs() / 26.0) as usize;
            for mark in self.scale.marks(most, room) {
                // The marks of both halves would touch at the axis.
                if self.scale.height(mark) * self.unit < 11.0 {
                    continue;
                }
                let y = self.axis + sign * self.scale.height(mark) * self.unit;
                svg.line([LEFT, y], [RIGHT, y], GRID, 1.0);
                svg.words(
                    [LEFT - 8.0, y + 4.0],
                    Anchor::End,
                    font(12, INK),
                    &short(mark),
                );
            }
        }
    }

    /// Tells where the bars end, beside the last one if there is room.
    fn longest(&self, svg: &mut Svg, counts: &[u64], what: &str, y: f64) {
        let Some(last) = counts.len().checked_sub(1) else {
            return;
        };
        if !(self.top + 10.0..self.bottom - 4.0).contains(&y) {
            return;
        }
        let words = format!("longest {what}: {last} moves");
        let (x, anchor) = match self.x(last as f64 + 1.0) + 8.0 {
            x if x < RIGHT - 160.0 => (x, Anchor::Start),
            _ => return,
        };
        svg.words([x, y], anchor, font(13, INK), &words);
    }
}

/// What the axes do not tell.
fn draw_foot<G: TableGame>(
    svg: &mut Svg,
    stats: &TableStats<G>,
    panels: &[Panel<'_, G::Position>],
) {
    let mut y = HEIGHT - 34.0;
    let wins = panels.iter().map(|panel| &panel.side.longest_win);
    let losses = panels.iter().map(|panel| &panel.side.longest_loss);
    for (what, longest) in [
        ("longest win", longest_of(wins)),
        ("longest loss", longest_of(losses)),
    ] {
        if let Some((plies, position)) = longest {
            let words = format!(
                "{what}: {} moves ({plies} plies), {}",
                plies.moves(),
                G::notation(position)
            );
            svg.words([LEFT, y], Anchor::Start, font(12, FAINT), &words);
        }
        y += 17.0;
    }
    let words = G::picture_line(&stats.extra);
    svg.words([RIGHT, HEIGHT - 34.0], Anchor::End, font(12, FAINT), &words);
    let words = "each symmetry class counts once";
    svg.words([RIGHT, HEIGHT - 17.0], Anchor::End, font(12, FAINT), words);
}

fn longest_of<'a, P: 'a>(
    all: impl Iterator<Item = &'a Option<(Plies, P)>>,
) -> Option<&'a (Plies, P)> {
    all.flatten().max_by_key(|(plies, _)| *plies)
}

/// A round number in a few letters: `200`, `5k`, `10M`.
fn short(number: u64) -> String {
    let units = [(1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")];
    let unit = units.into_iter().find(|(unit, _)| number >= *unit);
    unit.map_or_else(
        || number.to_string(),
        |(unit, name)| format!("{}{name}", number as f64 / unit as f64),
    )
}
