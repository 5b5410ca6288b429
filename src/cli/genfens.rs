//! `duchamp genfens N --seed S [--book FILE]`: random balanced openings. OpenBench asks for them as
//! `duchamp "genfens N seed S book FILE" quit` (`openbench.rs`) and reads the lines `info string genfens FEN`.

use super::Failure;
use super::net::Net;
use duchamp_base::{Random, files::open_regular};
use duchamp_chess::{Epd, EpdError, Position};
use duchamp_training::selfplay::{OpeningSettings, Openings};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// What `duchamp genfens` takes.
#[derive(clap::Args)]
#[command(after_long_help = "\
OpenBench writes the same as lines of UCI:
  duchamp \"genfens 16 seed 42 book None\" quit
  duchamp \"genfens 16 seed 42 book Books/openings.epd --random-plies 2 4\" quit")]
pub(super) struct Arguments {
    /// How many openings to print
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Seed of the random numbers; the same seed and book give the same openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Start from the positions of this file (one EPD or FEN a line) instead of the start position; `None`:
    /// no book
    #[arg(long, value_name = "FILE", default_value = "None")]
    book: PathBuf,
    /// The least and the greatest number of random plies [default: 8 12, with a book 0 4]
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"])]
    random_plies: Option<Vec<usize>>,
    /// Reject openings whose search score is beyond this many centipawns for either side
    #[arg(long, default_value_t = 400, value_name = "CP", value_parser = clap::value_parser!(i32).range(10..))]
    max_opening_score: i32,
    /// Soft node limit of the search that scores an opening
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    nodes: u64,
    /// Without a book: start from any of the 960 start positions of Chess960
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    net: Net,
}

/// Openings that are found again are left out until so many times the wanted number were generated: a small book
/// with few random plies has no more.
const PATIENCE: u64 = 8;
/// Lines of a book that are read for each opening, and in all at most: some are rejected.
const LINES: u64 = 8;
const MOST_LINES: u64 = 1 << 20;
/// No line of a book is longer, in bytes.
const LONGEST_LINE: u64 = 4096;

/// Prints the openings.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let book = match &arguments.book {
        none if none.as_os_str().eq_ignore_ascii_case("none") => Vec::new(),
        file => read_book(file, arguments)?,
    };
    let random = match arguments.random_plies.as_deref() {
        Some(&[least, most]) if least <= most && most <= 100 => (least, most),
        Some(_) => {
            return Err(Failure::bad_input(
                "--random-plies takes MIN and MAX, from 0 to 100, the smaller one first",
            ));
        }
        None if book.is_empty() => (8, 12),
        None => (0, 4),
    };
    let (evaluator, _) = arguments.net.open()?;
    let settings = OpeningSettings {
        seed: arguments.seed,
        random,
        chess960: arguments.chess960,
        nodes: arguments.nodes,
        max_score: arguments.max_opening_score,
    };
    let mut openings = Openings::new(&evaluator, settings, book);
    let mut seen = HashSet::new();
    let mut out = std::io::stdout().lock();
    let (mut printed, patience) = (0, arguments.count.saturating_mul(PATIENCE));
    for number in 0.. {
        let opening = openings.opening(number).ok_or_else(|| {
            let tries = Openings::TRIES;
            Failure::Failed(format!("none of {tries} random openings was balanced"))
        })?;
        if seen.insert(opening.key()) || number >= patience {
            // Line by line: the reader waits 15 seconds for each.
            writeln!(out, "info string genfens {}", opening.fen())?;
            out.flush()?;
            printed += 1;
        }
        if printed == arguments.count {
            break;
        }
    }
    Ok(())
}

/// Positions of a book, chosen at random by the seed, all lines alike.
fn read_book(path: &Path, arguments: &Arguments) -> Result<Vec<Position>, Failure> {
    let bad =
        |error: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {error}", path.display()));
    let file = open_regular(path).map_err(|error| bad(&error))?;
    let mut reader = BufReader::new(file);
    let mut random = Random::new(arguments.seed);
    let wanted = arguments.count.saturating_mul(LINES).min(MOST_LINES) as usize;
    // Reservoir sampling: each line replaces one of the sample as often as it must for all to be as likely.
    let (mut sample, mut lines, mut line) = (Vec::new(), 0, Vec::new());
    for number in 1.. {
        line.clear();
        let length = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        match length.map_err(|error| bad(&error))? as u64 {
            0 => break,
            LONGEST_LINE => return Err(bad(&format!("line {number} is too long"))),
            _ => {}
        }
        // Some programs put a byte order mark in front.
        let text = line.strip_prefix("\u{feff}".as_bytes());
        let text = text.unwrap_or(&line).trim_ascii();
        if text.is_empty() || text[0] == b'#' {
            continue;
        }
        lines += 1;
        if sample.len() < wanted {
            sample.push((number, text.to_owned()));
        } else if let Some(slot) = sample.get_mut(random.below(lines)) {
            *slot = (number, text.to_owned());
        }
    }
    if sample.is_empty() {
        return Err(bad(&"holds no position"));
    }
    let position = |(number, text): &(u64, Vec<u8>)| {
        position(text).map_err(|error| bad(&format!("line {number}: {error}")))
    };
    sample.iter().map(position).collect()
}

/// The position of a line of a book.
fn position(line: &[u8]) -> Result<Position, String> {
    let text = std::str::from_utf8(line).map_err(|_| "no text".to_owned())?;
    let epd: Epd = text.parse().map_err(|error: EpdError| error.to_string())?;
    Position::from_setup(&epd.setup).map_err(|error| error.to_string())
}
