//! The losses of a training as an SVG picture: on the training data and on the validation set, epoch by epoch.

use super::svg::{Anchor, FAINT, Font, GRID, INK, Svg, bold, font};
use duchamp_training::train::Epoch;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = WIDTH - 28.0;
const TOP: f64 = 92.0;
const BOTTOM: f64 = HEIGHT - 62.0;

/// Letters in a line under the title.
const WIDEST: usize = 120;

const TRAINING: &str = "#d27a1e";
const VALIDATION: &str = "#1f5f99";

/// Draws the losses; `subtitle` says how the network was trained.
pub(super) fn losses(epochs: &[Epoch], subtitle: &str) -> String {
    let title = "Loss by epoch";
    let description = epochs.last().map_or(String::new(), |last| {
        format!(
            "After {} epochs {:.6} on the training data, {:.6} on the validation set.",
            epochs.len(),
            last.training_loss,
            last.validation_loss.games
        )
    });
    let mut svg = Svg::new(WIDTH, HEIGHT, title, &description);
    svg.words([LEFT, 40.0], Anchor::Start, bold(26, INK), title);
    for (row, line) in lines(subtitle).into_iter().enumerate() {
        let y = 60.0 + 15.0 * row as f64;
        svg.words([LEFT, y], Anchor::Start, font(12, FAINT), &line);
    }
    let frame = Frame::around(epochs);
    frame.grid(&mut svg);
    // The line of the validation set is the one that matters: it is drawn last, with dots.
    let training: Vec<f64> = epochs.iter().map(|epoch| epoch.training_loss).collect();
    let validation: Vec<f64> = epochs
        .iter()
        .map(|epoch| epoch.validation_loss.games)
        .collect();
    frame.curve(&mut svg, &training, TRAINING, 1.6);
    frame.curve(&mut svg, &validation, VALIDATION, 2.2);
    for (index, &loss) in validation.iter().enumerate() {
        svg.circle(frame.at(index, loss), 3.0, VALIDATION, None);
    }
    let keys = [
        ("validation", VALIDATION, true),
        ("training", TRAINING, false),
    ];
    for (row, (name, color, bold)) in keys.into_iter().enumerate() {
        let y = TOP + 18.0 + 20.0 * row as f64;
        svg.line([RIGHT - 96.0, y - 5.0], [RIGHT - 68.0, y - 5.0], color, 2.2);
        let font = Font {
            bold,
            ..font(14, color)
        };
        svg.words([RIGHT - 60.0, y], Anchor::Start, font, name);
    }
    svg.finish()
}

/// Words in lines that fit the picture.
fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if lines[last].len() + word.len() < WIDEST {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// From epochs and losses to places.
struct Frame {
    epochs: usize,
    least: f64,
    /// Between two lines of the grid.
    step: f64,
    most: f64,
}

impl Frame {
    fn around(epochs: &[Epoch]) -> Frame {
        let losses = || {
            epochs
                .iter()
                .flat_map(|epoch| [epoch.training_loss, epoch.validation_loss.games])
        };
        let least = losses().reduce(f64::min).unwrap_or(0.0);
        // The first epoch is far above the rest, which would be a flat line.
        let later = epochs.iter().skip(usize::from(epochs.len() > 3));
        let most = later
            .flat_map(|epoch| [epoch.training_loss, epoch.validation_loss.games])
            .fold(least, f64::max);
        let step = round_step((most - least).max(least.abs() * 1e-3).max(1e-9));
        Frame {
            epochs: epochs.len(),
            least: (least / step).floor() * step,
            step,
            most: (most / step).ceil() * step + step * 0.1,
        }
    }

    fn at(&self, index: usize, loss: f64) -> [f64; 2] {
        let across = (index as f64 + 0.5) / self.epochs.max(1) as f64;
        let up = (loss.min(self.most) - self.least) / (self.most - self.least);
        [LEFT + (RIGHT - LEFT) * across, BOTTOM - (BOTTOM - TOP) * up]
    }

    fn grid(&self, svg: &mut Svg) {
        let lines = ((self.most - self.least) / self.step).floor() as usize;
        for line in 0..=lines {
            let loss = self.least + self.step * line as f64;
            let [_, y] = self.at(0, loss);
            svg.line([LEFT, y], [RIGHT, y], GRID, 1.0);
            let number = format!("{loss:.*}", digits(self.step));
            svg.words([LEFT - 8.0, y + 4.0], Anchor::End, font(12, FAINT), &number);
        }
        svg.line([LEFT, BOTTOM], [RIGHT, BOTTOM], INK, 1.2);
        let every = self.epochs.div_ceil(20).max(1);
        for index in (0..self.epochs).filter(|index| (index + 1) % every == 0) {
            let [x, _] = self.at(index, self.least);
            let number = (index + 1).to_string();
            svg.words([x, BOTTOM + 18.0], Anchor::Middle, font(12, FAINT), &number);
        }
        let middle = f64::midpoint(LEFT, RIGHT);
        svg.words(
            [middle, BOTTOM + 42.0],
            Anchor::Middle,
            font(14, INK),
            "epoch",
        );
        let middle = f64::midpoint(TOP, BOTTOM);
        svg.words_upwards([24.0, middle], font(14, INK), "mean loss");
    }

    fn curve(&self, svg: &mut Svg, losses: &[f64], color: &str, width: f64) {
        for (index, pair) in losses.windows(2).enumerate() {
            svg.line(
                self.at(index, pair[0]),
                self.at(index + 1, pair[1]),
                color,
                width,
            );
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that the span holds four to ten of them.
fn round_step(span: f64) -> f64 {
    let power = 10f64.powf(span.log10().floor());
    let share = span / power;
    power
        * if share < 2.0 {
            0.2
        } else if share < 5.0 {
            0.5
        } else {
            1.0
        }
}

/// Digits behind the point that a step needs.
fn digits(step: f64) -> usize {
    (-step.log10().floor()).clamp(0.0, 9.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_training::train::ValidationLoss;

    #[test]
    fn draws_any_number_of_epochs() {
        let epoch = |i: usize| Epoch {
            training_loss: 0.02 + 0.1 / (i + 1) as f64,
            validation_loss: ValidationLoss {
                games: 0.021 + 0.09 / (i + 1) as f64,
                off_game: 0.0,
            },
            rate: 0.001,
            seconds: 1.0,
        };
        for count in [0, 1, 2, 5, 60] {
            let epochs: Vec<Epoch> = (0..count).map(epoch).collect();
            let picture = losses(&epochs, "a < b");
            assert!(picture.contains("a &lt; b") && picture.ends_with("</svg>\n"));
            assert!(
                !picture.contains("NaN") && !picture.contains("inf"),
                "{count}"
            );
            assert_eq!(picture.matches("<circle").count(), count);
        }
        let broken = lines(&"abcde ".repeat(40));
        assert!(broken.len() == 2 && broken.iter().all(|line| line.len() <= WIDEST));
        assert_eq!([0.03, 0.7, 12.0].map(round_step), [0.005, 0.1, 2.0]);
        assert_eq!([0.005, 0.1, 2.0].map(digits), [3, 1, 0]);
    }
}
