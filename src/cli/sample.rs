//! Training samples: a quiet position, what search said of it, and how its game ended. One a line:
//! `FEN; score; result`, both as White sees them; the score in hundredths of a pawn, the result 0,
//! 0.5 or 1.

use crate::chess::Position;
use std::fmt;
use std::str::FromStr;

/// A position of a game that is over.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) position: Position,
    /// Hundredths of a pawn, White's view.
    pub(super) score: i32,
    /// White's points.
    pub(super) result: f32,
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; {}; {}",
            self.position.fen(),
            self.score,
            self.result
        )
    }
}

/// A line that is no sample.
#[derive(Clone, Debug, thiserror::Error)]
#[error("not a sample: {0}")]
pub(super) struct NoSample(String);

impl FromStr for Sample {
    type Err = NoSample;
    fn from_str(line: &str) -> Result<Sample, NoSample> {
        let parse = || {
            let mut fields = line.split(';').map(str::trim);
            let position = Position::from_fen(fields.next()?).ok()?;
            let score = fields.next()?.parse().ok()?;
            let result = fields
                .next()?
                .parse()
                .ok()
                .filter(|r| (0.0..=1.0).contains(r))?;
            fields.next().is_none().then_some(Sample {
                position,
                score,
                result,
            })
        };
        parse().ok_or_else(|| NoSample(line.chars().take(120).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_as_written() {
        let line = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1; 153; 0.5";
        let sample: Sample = line.parse().expect("a sample");
        assert_eq!((sample.score, sample.result), (153, 0.5));
        assert_eq!(sample.to_string(), line);
        for bad in [
            "",
            "8/8/8; 1; 1",
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1; 153",
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1; 1; 7",
        ] {
            assert!(bad.parse::<Sample>().is_err(), "{bad}");
        }
    }
}
