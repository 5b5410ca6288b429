//! `duchamp pawns FEN`: what can be proved about a pawn ending.

use super::Failure;
use super::tb::Dir;
use crate::chess::{Bitboard, Color, Move, Oracle, Position, Square};
use crate::pawns::{Budget, Correspondence, Prover, Verdict};
use crate::tablebase::Tables;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN, quoted or not: kings and pawns only
    #[arg(required = true)]
    fen: Vec<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// The most time for the position, and again for its moves, in seconds
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// The most pawn structures to look into, for each side
    #[arg(long, default_value_t = 100_000)]
    structures: usize,
    #[command(flatten)]
    dir: Dir,
}

/// The answer as JSON: stable names.
#[derive(Serialize)]
struct Answer<'a> {
    fen: &'a str,
    exact: Option<&'static str>,
    bounds: [i8; 2],
    best: Vec<String>,
    structures: usize,
    queens: usize,
    holds: Option<bool>,
    seconds: f64,
}

/// What is proved about a position: the value for the side to move lies between the two.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Range {
    low: i8,
    high: i8,
}

impl Range {
    fn of(own: Verdict, other: Verdict) -> Range {
        Range {
            low: match (own, other) {
                (Verdict::Won(_), _) => 1,
                (_, Verdict::NotWon) => 0,
                _ => -1,
            },
            high: match (own, other) {
                (_, Verdict::Won(_)) => -1,
                (Verdict::NotWon, _) => 0,
                _ => 1,
            },
        }
    }

    fn exact(self) -> Option<&'static str> {
        (self.low == self.high).then(|| ["loss", "draw", "win"][(self.low + 1) as usize])
    }

    fn describe(self) -> &'static str {
        match (self.low, self.high) {
            (1, _) => "win",
            (_, -1) => "loss",
            (0, 0) => "draw",
            (0, _) => "at least a draw",
            (_, 0) => "at most a draw",
            _ => "not decided",
        }
    }
}

/// The two questions, each with a prover of its own.
struct Provers {
    by_attacker: [Prover; 2],
    tables: Arc<Tables>,
}

impl Provers {
    /// Asks both questions at once.
    fn range(&mut self, position: &Position, budget: Budget) -> Option<Range> {
        let [white, black] = &mut self.by_attacker;
        let (white, black) = std::thread::scope(|scope| {
            let other = scope.spawn(|| black.prove(position, Color::Black, budget));
            (white.prove(position, Color::White, budget), other.join())
        });
        let verdicts = [white?, black.ok()??];
        let turn = position.turn();
        Some(Range::of(verdicts[turn as usize], verdicts[!turn as usize]))
    }

    /// The range of a move, as the side that plays it sees it.
    fn move_range(&mut self, position: &Position, mv: Move, budget: Budget) -> Range {
        let after = position.play(mv);
        let open = Range { low: -1, high: 1 };
        if after.is_checkmate() {
            return Range { low: 1, high: 1 };
        }
        if after.is_stalemate() || after.is_insufficient_material() {
            return Range { low: 0, high: 0 };
        }
        let range = match self.tables.wdl(&after) {
            Some(wdl) => {
                let value = (wdl as i8).signum();
                Range {
                    low: value,
                    high: value,
                }
            }
            None => self.range(&after, budget).unwrap_or(open),
        };
        Range {
            low: -range.high,
            high: -range.low,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fen = arguments.fen.join(" ");
    let position = Position::from_fen(&fen).map_err(Failure::bad_input)?;
    if !(0.0..=1e6).contains(&arguments.seconds) {
        return Err(Failure::BadInput(format!(
            "{} is no number of seconds",
            arguments.seconds
        )));
    }
    let tables = arguments.dir.open();
    let prover = || Prover::new(tables.clone());
    let mut provers = Provers {
        by_attacker: [prover(), prover()],
        tables: tables.clone(),
    };
    let budget = |seconds: f64| Budget {
        structures: arguments.structures,
        time: Some(Duration::from_secs_f64(seconds)),
    };
    let start = Instant::now();
    let Some(range) = provers.range(&position, budget(arguments.seconds)) else {
        return Err(Failure::BadInput(
            "not an ending of kings and pawns, or a capture en passant is possible".into(),
        ));
    };
    let seconds = start.elapsed().as_secs_f64();
    let moves = position.legal_moves();
    let share = arguments.seconds / moves.len().max(1) as f64;
    let ranges: Vec<(Move, Range)> = moves
        .into_iter()
        .map(|mv| (mv, provers.move_range(&position, mv, budget(share))))
        .collect();
    let turn = position.turn();
    let system = Correspondence::of(&position, turn);
    let structures = provers.by_attacker.iter().map(Prover::structures).sum();
    let queens = provers.by_attacker.iter().map(Prover::queens).sum();
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let best = ranges
            .iter()
            .filter(|(_, of)| of.low == range.low && range.low == range.high);
        let answer = Answer {
            fen: &fen,
            exact: range.exact(),
            bounds: [range.low, range.high],
            best: best.map(|(mv, _)| position.uci(*mv, false)).collect(),
            structures,
            queens,
            holds: system.holds(&position),
            seconds,
        };
        let text = serde_json::to_string(&answer).map_err(Failure::failed)?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    writeln!(
        out,
        "{:?} to move: {}  ({seconds:.3} s)",
        turn,
        range.describe()
    )?;
    writeln!(
        out,
        "{structures} pawn structures and {queens} with a queen looked into\n"
    )?;
    for (mv, of) in &ranges {
        writeln!(out, "{:8} {}", position.san(*mv), of.describe())?;
    }
    writeln!(out)?;
    provers.by_attacker[turn as usize].prove_all(&position, turn, budget(arguments.seconds));
    explain(&mut out, &position, &system, &provers)?;
    Ok(())
}

/// The corresponding squares and zugzwangs of the structure, for the side to move as the attacker.
fn explain(
    out: &mut impl Write,
    position: &Position,
    system: &Correspondence,
    provers: &Provers,
) -> Result<(), Failure> {
    let turn = position.turn();
    let list = |set: Bitboard| {
        let names: Vec<String> = set.into_iter().map(|square| square.to_string()).collect();
        if names.is_empty() {
            "none".to_string()
        } else {
            names.join(" ")
        }
    };
    writeln!(
        out,
        "Pawns that {turn:?}'s king can take: {}",
        list(system.critical())
    )?;
    let holds = match system.holds(position) {
        Some(true) => "the defending king stands on a corresponding square and holds",
        Some(false) => "the defending king does not stand on a corresponding square",
        None => "does not apply here (pawns can move or capture, or a pawn gives check)",
    };
    writeln!(out, "Moshammer's routine: {holds}")?;
    let pairs = provers.by_attacker[turn as usize].zugzwangs(position, turn);
    if pairs.is_empty() {
        writeln!(out, "No mutual zugzwang is proved in this structure.")?;
        return Ok(());
    }
    writeln!(
        out,
        "Corresponding squares (mutual zugzwangs: who is to move fails), {turn:?}'s king and the other:"
    )?;
    board(out, &pairs)?;
    let names: Vec<String> = pairs
        .iter()
        .map(|(king, other)| format!("{king}-{other}"))
        .collect();
    for line in names.chunks(12) {
        writeln!(out, "  {}", line.join(" "))?;
    }
    Ok(())
}

/// Two boards: each square of the attacker's king that takes part in one zugzwang only has a letter, its partner the same.
fn board(out: &mut impl Write, pairs: &[(Square, Square)]) -> Result<(), Failure> {
    let once = |king: Square| pairs.iter().filter(|(own, _)| *own == king).count() == 1;
    let single: Vec<(Square, Square)> = pairs
        .iter()
        .copied()
        .filter(|(own, _)| once(*own))
        .collect();
    let mut partners: Vec<Square> = single.iter().map(|(_, other)| *other).collect();
    partners.sort_unstable();
    partners.dedup();
    let letter = |other: Square| {
        let place = partners.iter().position(|&partner| partner == other)?;
        Some(char::from_digit(place as u32 + 1, 36).unwrap_or('*'))
    };
    for rank in (0..8).rev() {
        let mut line = String::new();
        for left in [true, false] {
            for file in 0..8 {
                let square = Square::new(8 * rank + file);
                let mark = if left {
                    single
                        .iter()
                        .find(|(own, _)| *own == square)
                        .and_then(|(_, other)| letter(*other))
                } else {
                    letter(square)
                };
                line.push(mark.unwrap_or('.'));
                line.push(' ');
            }
            line.push_str("   ");
        }
        writeln!(out, "  {}", line.trim_end())?;
    }
    Ok(())
}
