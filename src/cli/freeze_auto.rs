//! `duchamp freeze --auto FEN`: rules that the program finds itself.

use super::Failure;
use super::failure::say;
use super::fen;
use super::freeze_solve::Means;
use clap::ValueEnum;
use duchamp_base::human;
use duchamp_chess::Color;
use duchamp_proofs::freezer::{Goal, MOST_MEN, Restricted, Tables, Try, Wish, likely_side};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct Auto {
    /// Find the rules for this position
    #[arg(long, value_name = "FEN", requires = "prove")]
    auto: Option<String>,
    /// With --auto: what is to be proved
    #[arg(long, value_enum, requires = "auto")]
    prove: Option<Aim>,
    /// With --auto: for whom [default: the side with more material for a win, with less for a draw]
    #[arg(long, value_enum, requires = "auto")]
    side: Option<Side>,
    /// With --auto: no further attempt begins after so many seconds
    #[arg(
        long,
        requires = "auto",
        conflicts_with = "rules",
        default_value_t = 120.0
    )]
    seconds: f64,
    /// With --auto: the most entries of an attempt; the first, with the narrowest zones, runs in any case
    #[arg(
        long,
        requires = "auto",
        conflicts_with = "rules",
        default_value_t = 50_000_000
    )]
    entries: u64,
    /// With --auto: use tables of up to so many pieces; missing ones of up to four are generated
    #[arg(
        long,
        requires = "auto",
        conflicts_with = "rules",
        default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(0..=MOST_MEN as i64 - 1)
    )]
    max_men: u32,
    /// With --auto: write the rules into a file
    #[arg(long, value_name = "FILE", requires = "auto")]
    pub(super) save: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Aim {
    /// A win
    Win,
    /// At least a draw
    Draw,
}

#[derive(Clone, Copy, ValueEnum)]
enum Side {
    White,
    Black,
}

impl Auto {
    /// Whether one of the options is given that stand with `--auto`. (Clap does not say so beside a rule file.)
    pub(super) const fn is_asked(&self) -> bool {
        self.prove.is_some() || self.side.is_some() || self.save.is_some()
    }

    /// Looks for rules; each attempt is told on stderr.
    pub(super) fn propose(&self, means: &Means) -> Result<Restricted, Failure> {
        let (Some(fen), Some(aim)) = (&self.auto, self.prove) else {
            return Err(Failure::BadInput("--auto needs a FEN and --prove".into()));
        };
        let start = fen::position(fen).map_err(Failure::bad_input)?;
        if start.has_castling_rights() {
            return Err(Failure::BadInput(
                "castling rights are not supported".into(),
            ));
        }
        let men = start.occupied().count() as usize;
        if men > MOST_MEN {
            let words = format!("{men} men are too many, {MOST_MEN} are the most");
            return Err(Failure::BadInput(words));
        }
        if !(0.0..=1e9).contains(&self.seconds) {
            let words = format!("{} is no number of seconds", self.seconds);
            return Err(Failure::BadInput(words));
        }
        let goal = match aim {
            Aim::Win => Goal::Win,
            Aim::Draw => Goal::Draw,
        };
        let wish = Wish {
            bound: match self.side {
                Some(Side::White) => Color::White,
                Some(Side::Black) => Color::Black,
                None => likely_side(&start, goal),
            },
            goal,
            tables: Tables {
                max_men: self.max_men,
                make: true,
            },
            entries: self.entries,
            time: Duration::from_secs_f64(self.seconds),
        };
        means.propose(start, wish, |attempt| {
            if !means.progress.is_quiet() {
                say(&told(attempt));
            }
        })
    }
}

/// An attempt in a line.
fn told(attempt: &Try) -> String {
    let result = match attempt.proved {
        Some(true) => "proved",
        Some(false) => "not proved",
        None => "too large",
    };
    format!(
        "{}, chain {}: {} entries, {result}, {}",
        attempt.zones,
        attempt.chain,
        human::grouped(attempt.entries, ','),
        human::span(attempt.time)
    )
}
