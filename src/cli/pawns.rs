//! `duchamp pawns FEN`: what can be proved about a pawn ending.

use super::Failure;
use super::pawns_range::{Provers, Range};
use super::pawns_system::{System, names};
use super::tb_input::Dir;
use super::{pawns_suite, pawns_svg};
use duchamp_chess::{Move, Position};
use duchamp_proofs::pawns::{Budget, Correspondence};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The position as FEN, quoted or not: kings and pawns only
    #[arg(required_unless_present = "suite")]
    fen: Vec<String>,
    /// One JSON object; with --suite one for each row, and one for the sum
    #[arg(long)]
    json: bool,
    /// Draw the position and its corresponding squares into a file
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    svg: Option<PathBuf>,
    /// Every position of a file of comma-separated values instead, on one thread; columns fen, result_stm, verified
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    suite: Option<PathBuf>,
    /// The most time for the position, again for its moves, and again for its corresponding squares, in seconds
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
    moves: Vec<MoveAnswer>,
    structures: usize,
    queens: usize,
    holds: Option<bool>,
    critical: Vec<String>,
    key: Vec<String>,
    corresponding: Vec<ClassAnswer>,
    zugzwangs: Vec<[String; 2]>,
    seconds: f64,
}

/// A move, with bounds for the side that plays it.
#[derive(Serialize)]
struct MoveAnswer {
    uci: String,
    san: String,
    bounds: [i8; 2],
}

/// Squares with the same number.
#[derive(Serialize)]
struct ClassAnswer {
    kings: Vec<String>,
    others: Vec<String>,
}

/// All that was found out about a position.
struct Findings {
    position: Position,
    range: Range,
    moves: Vec<(Move, Range)>,
    holds: Option<bool>,
    system: System,
    structures: usize,
    queens: usize,
    seconds: f64,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !(0.0..=1e6).contains(&arguments.seconds) {
        return Err(Failure::BadInput(format!(
            "{} is no number of seconds",
            arguments.seconds
        )));
    }
    let tables = arguments.dir.open();
    if let Some(file) = &arguments.suite {
        let suite = pawns_suite::Suite {
            tables,
            structures: arguments.structures,
            time: Duration::from_secs_f64(arguments.seconds),
            json: arguments.json,
        };
        return suite.run(file);
    }
    let fen = arguments.fen.join(" ");
    let position = Position::from_fen(&fen).map_err(Failure::bad_input)?;
    let findings = find(arguments, position, Provers::new(&tables))?;
    if let Some(file) = &arguments.svg {
        let picture = pawns_svg::draw(&findings.position, &findings.system, &findings.headline());
        std::fs::write(file, picture)
            .map_err(|error| Failure::Failed(format!("{}: {error}", file.display())))?;
    }
    let mut out = std::io::stdout().lock();
    if arguments.json {
        let text = serde_json::to_string(&findings.answer(&fen)).map_err(Failure::failed)?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    findings.write(&mut out)
}

fn find(
    arguments: &Arguments,
    position: Position,
    mut provers: Provers,
) -> Result<Findings, Failure> {
    let budget = |seconds: f64| Budget {
        structures: arguments.structures,
        time: Some(Duration::from_secs_f64(seconds)),
    };
    let start = Instant::now();
    let range = provers
        .range(&position, budget(arguments.seconds))
        .ok_or_else(|| Failure::BadInput("not an ending of kings and pawns".into()))?;
    let seconds = start.elapsed().as_secs_f64();
    let moves = position.legal_moves();
    let share = arguments.seconds / moves.len().max(1) as f64;
    let mut moves: Vec<(Move, Range)> = moves
        .into_iter()
        .map(|mv| (mv, provers.move_range(&position, mv, budget(share))))
        .collect();
    let [structures, queens] = provers.work();
    let turn = position.turn();
    provers
        .of(turn)
        .prove_all(&position, turn, budget(arguments.seconds));
    // What was learnt about all placements may settle a move.
    for (mv, range) in &mut moves {
        *range = range.and(provers.move_range(&position, *mv, budget(0.0)));
    }
    Ok(Findings {
        range,
        moves,
        holds: Correspondence::of(&position, turn).holds(&position),
        system: System::of(provers.of(turn), &position, turn),
        structures,
        queens,
        seconds,
        position,
    })
}

impl Findings {
    /// Moves that are proved to keep the value; none if the value is open.
    fn best(&self) -> Vec<Move> {
        let keeps = |range: Range| self.range.exact().is_some() && range.low == self.range.low;
        let moves = self.moves.iter();
        moves
            .filter(|(_, range)| keeps(*range))
            .map(|(mv, _)| *mv)
            .collect()
    }

    /// The value, and the move that alone keeps it.
    fn headline(&self) -> String {
        let turn = self.position.turn();
        let mut text = format!("{turn:?} to move: {}", self.range.describe());
        if let &[only] = &self.best()[..] {
            let loses = |(mv, range): &(Move, Range)| *mv == only || range.high < self.range.low;
            if self.moves.len() > 1 && self.moves.iter().all(loses) {
                text += &format!("; only {}", self.position.san(only));
            }
        }
        text
    }

    fn answer<'a>(&self, fen: &'a str) -> Answer<'a> {
        let System {
            critical,
            key,
            classes,
            zugzwangs,
            ..
        } = &self.system;
        let uci = |mv: Move| self.position.uci(mv, false);
        Answer {
            fen,
            exact: self.range.exact(),
            bounds: [self.range.low, self.range.high],
            best: self.best().into_iter().map(uci).collect(),
            moves: self
                .moves
                .iter()
                .map(|(mv, range)| MoveAnswer {
                    uci: uci(*mv),
                    san: self.position.san(*mv),
                    bounds: [range.low, range.high],
                })
                .collect(),
            structures: self.structures,
            queens: self.queens,
            holds: self.holds,
            critical: names(*critical),
            key: names(*key),
            corresponding: classes
                .iter()
                .map(|class| ClassAnswer {
                    kings: names(class.kings),
                    others: names(class.others),
                })
                .collect(),
            zugzwangs: zugzwangs
                .iter()
                .map(|(king, other)| [king.to_string(), other.to_string()])
                .collect(),
            seconds: self.seconds,
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "{}  ({:.3} s)", self.headline(), self.seconds)?;
        writeln!(
            out,
            "{} pawn structures and {} with a queen looked into\n",
            self.structures, self.queens
        )?;
        for (mv, range) in &self.moves {
            writeln!(out, "{:8} {}", self.position.san(*mv), range.describe())?;
        }
        writeln!(out)?;
        self.explain(out)
    }

    /// The corresponding squares and zugzwangs of the structure, for the side to move as the attacker.
    fn explain(&self, out: &mut impl Write) -> Result<(), Failure> {
        let system = &self.system;
        let turn = system.attacker;
        let list = |set| match names(set) {
            names if names.is_empty() => "none".to_string(),
            names => names.join(" "),
        };
        writeln!(
            out,
            "Pawns that {turn:?}'s king can take: {}",
            list(system.critical)
        )?;
        writeln!(
            out,
            "Squares from which it wins wherever the other king stands: {}",
            list(system.key)
        )?;
        let holds = match self.holds {
            Some(true) => "the defending king stands on a corresponding square and holds",
            Some(false) => "the defending king does not stand on a corresponding square",
            None => "does not apply here (pawns can move or capture, or a pawn gives check)",
        };
        writeln!(out, "Moshammer's routine: {holds}")?;
        if system.zugzwangs.is_empty() {
            writeln!(out, "No mutual zugzwang is proved in this structure.")?;
            return Ok(());
        }
        writeln!(
            out,
            "Corresponding squares (mutual zugzwangs: who is to move fails), {turn:?}'s king and the other:"
        )?;
        system.write_boards(out)?;
        let pairs: Vec<String> = system
            .zugzwangs
            .iter()
            .map(|(king, other)| format!("{king}-{other}"))
            .collect();
        for line in pairs.chunks(12) {
            writeln!(out, "  {}", line.join(" "))?;
        }
        Ok(())
    }
}
