//! Thompson's tables of 1986 beside ours, and his printed lines replayed.

use super::super::Failure;
use super::super::crew::{self, Watch};
use super::super::progress::Display;
use super::needed::{Needed, begin};
use super::printed::{self, Ending, Line, PawnSquare};
use super::replay::{in_words, replay};
use duchamp_base::Control;
use duchamp_chess::{Color, Position, Square};
use duchamp_chess_tables::{Census, Material, Metric, Prober, Promotions, Regard, Survey};
use std::cell::Cell;
use std::io::Write;

/// The position whose value Thompson and Komissarchik and Futer dispute, after 37 Kc2 of their line.
const DISPUTED: &str = "8/6P1/8/8/3Q4/6q1/k1K5/8 b - - 0 1";

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',')]
    part: Vec<Part>,
    #[command(flatten)]
    needed: Needed,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Table 1: twelve endings without pawns
    Table1,
    /// Table 2: KQPKQ by the pawn's square, and its lines
    Table2,
    /// Table 3: KRPKR by the pawn's square, and its line
    Table3,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let tables = arguments.needed.dir.open()?;
    let watch = Watch::new(arguments.needed.threads)?;
    let wanted = |part| arguments.part.is_empty() || arguments.part.contains(&part);
    let endings = printed::table1()?;
    let mut materials: Vec<Material> = Vec::new();
    let mut steps = 0;
    if wanted(Part::Table1) {
        materials.extend(endings.iter().map(|ending| ending.material));
        steps += endings.len() as u64;
    }
    for (part, name) in [(Part::Table2, "KQPvKQ"), (Part::Table3, "KRPvKR")] {
        if wanted(part) {
            let material: Material = name.parse().map_err(Failure::failed)?;
            materials.extend(material.children());
            steps += if part == Part::Table2 { 2 } else { 1 };
        }
    }
    arguments
        .needed
        .ensure(tables.store(), &materials, &watch)?;
    let control = &*watch.control;
    let display = arguments.needed.display("papers thompson1986", steps);
    let job = Job {
        tables: &tables,
        control,
        display: &display,
        done: Cell::new(0),
        lines: printed::lines()?,
    };
    if wanted(Part::Table1) {
        job.table1(&endings)?;
    }
    if wanted(Part::Table2) {
        job.table2()?;
    }
    if wanted(Part::Table3) {
        job.table3()?;
    }
    display.finish();
    Ok(())
}

struct Job<'a> {
    tables: &'a Prober,
    control: &'a Control,
    display: &'a Display,
    /// Steps that have begun.
    done: Cell<u64>,
    lines: Vec<Line>,
}

impl Job<'_> {
    fn survey(&self, material: Material, promotions: Promotions) -> Result<Survey<'_>, Failure> {
        let survey = crew::on_threads(self.control, || {
            Survey::new(self.tables, material, promotions, self.control)
        })?;
        survey.map_err(|error| {
            if self.control.is_cancelled() {
                crew::stopped_with("comparison stopped; tables are kept, figures are not")
            } else {
                Failure::failed(error)
            }
        })
    }

    /// Shows what comes next.
    fn begin(&self, text: &str) {
        begin(self.display, self.done.get(), text);
        self.done.set(self.done.get() + 1);
    }

    /// The printed lines of a material, replayed.
    fn replay(&self, survey: &Survey<'_>) -> Result<(), Failure> {
        for line in self
            .lines
            .iter()
            .filter(|line| line.material == survey.material())
        {
            write!(std::io::stdout(), "\n{}", replay(line, survey)?)?;
        }
        Ok(())
    }

    fn table1(&self, endings: &[Ending]) -> Result<(), Failure> {
        let mut out = std::io::stdout();
        writeln!(out, "{TABLE1_HEAD}")?;
        let mut replays = Vec::new();
        for ending in endings {
            self.begin(&format!("table 1: {}", ending.name));
            let mut to_win = None;
            if ending.to_win.is_some() {
                let survey = self.survey(ending.material, Promotions::All)?;
                to_win = Some(survey.longest_win(ending.winner, None).moves());
                for line in self
                    .lines
                    .iter()
                    .filter(|line| line.material == ending.material)
                {
                    replays.push(replay(line, &survey)?);
                }
            }
            let to_mate = ending.to_mate.and_then(|_| self.longest_mate(ending));
            let census = |regard| {
                let census = duchamp_chess_tables::census(
                    self.tables.store(),
                    ending.material,
                    ending.winner,
                    regard,
                );
                census.map_err(Failure::failed)
            };
            table1_row(&mut out, ending, to_mate, to_win, &census(Regard::All)?)?;
            if to_mate != ending.to_mate {
                writeln!(
                    out,
                    "  with the loser to move, who may capture first: {} moves",
                    self.longest_resistance(ending)
                )?;
            }
            if ending.name.contains("BB") {
                let census = census(Regard::OppositeBishops)?;
                writeln!(
                    out,
                    "  bishops on squares of both colours {:>15.2} {:>24.2}",
                    census.percent(),
                    census.percent_with_coinciding()
                )?;
            }
        }
        writeln!(out, "\n{PERCENT_NOTE}")?;
        for text in replays {
            write!(out, "\n{text}")?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// The winner's longest win to mate in moves, the winner to move.
    fn longest_mate(&self, ending: &Ending) -> Option<u16> {
        let list = self.tables.store().list();
        let info = list.iter().find(|info| info.key == ending.material)?;
        let file = info.file(Metric::Dtm)?;
        Some(file.counts[ending.winner.index()].longest_win.div_ceil(2))
    }

    /// The winner's moves to mate in the longest loss of the other side, that side to move.
    fn longest_resistance(&self, ending: &Ending) -> u16 {
        let list = self.tables.store().list();
        let info = list.iter().find(|info| info.key == ending.material);
        let file = info.and_then(|info| info.file(Metric::Dtm));
        file.map_or(0, |file| {
            file.counts[(!ending.winner).index()].longest_loss / 2
        })
    }

    fn table2(&self) -> Result<(), Failure> {
        let material: Material = "KQPvKQ".parse().map_err(Failure::failed)?;
        let squares = printed::table2()?;
        let mut out = std::io::stdout();
        writeln!(
            out,
            "Table 2. KQPKQ, White to move and win: moves to mate, capture or pawn move."
        )?;
        self.begin("table 2: KQPKQ, promotion to a queen only");
        let queens = self.survey(material, Promotions::QueenOnly)?;
        let queens_only: Vec<_> = squares
            .iter()
            .map(|row| self.pawn_census(&queens, row))
            .collect::<Result<_, _>>()?;
        writeln!(
            out,
            "\nWith promotion to a queen only, as the paper's table after its clerical error:"
        )?;
        self.replay(&queens)?;
        self.dispute(&queens, "queen only")?;
        drop(queens);
        self.begin("table 2: KQPKQ, all promotions");
        let all = self.survey(material, Promotions::All)?;
        writeln!(out, "\nWith all promotions:")?;
        self.replay(&all)?;
        self.dispute(&all, "all promotions")?;
        writeln!(
            out,
            "\npawn   max to win: paper  queen only  all   percent: paper  queen only   all   with men on one square (queen only)"
        )?;
        for (row, (queen_moves, queen)) in squares.iter().zip(queens_only) {
            let (moves, census) = self.pawn_census(&all, row)?;
            writeln!(
                out,
                "{:4}   {:17} {:11} {:4}   {:14.1} {:11.1} {:5.1}   {:10.1}{}",
                row.square,
                row.to_win,
                queen_moves,
                moves,
                row.percent,
                queen.percent(),
                census.percent(),
                queen.percent_with_coinciding(),
                if queen_moves == row.to_win {
                    ""
                } else {
                    "   *"
                },
            )?;
        }
        writeln!(out, "{TABLE2_NOTE}\n")?;
        Ok(())
    }

    fn table3(&self) -> Result<(), Failure> {
        let material: Material = "KRPvKR".parse().map_err(Failure::failed)?;
        let squares = printed::table3()?;
        let mut out = std::io::stdout();
        self.begin("table 3: KRPKR");
        let survey = self.survey(material, Promotions::All)?;
        writeln!(
            out,
            "Table 3. KRPKR, White to move and win: moves to mate, capture or pawn move."
        )?;
        writeln!(
            out,
            "pawn   max to win: paper  ours   percent: paper   ours   with men on one square"
        )?;
        for row in &squares {
            let (moves, census) = self.pawn_census(&survey, row)?;
            writeln!(
                out,
                "{:4}   {:17} {:5}   {:14.1} {:6.1}   {:10.1}{}",
                row.square,
                row.to_win,
                moves,
                row.percent,
                census.percent(),
                census.percent_with_coinciding(),
                if moves == row.to_win { "" } else { "   *" },
            )?;
        }
        self.replay(&survey)
    }

    fn pawn_census(&self, survey: &Survey<'_>, row: &PawnSquare) -> Result<(u16, Census), Failure> {
        let square: Square = row.square.parse().map_err(Failure::failed)?;
        let moves = survey.longest_win(Color::White, Some(square)).moves();
        Ok((moves, survey.census(Color::White, Some(square))))
    }

    /// What our tables say of the position in dispute.
    fn dispute(&self, survey: &Survey<'_>, promotions: &str) -> Result<(), Failure> {
        let position = Position::from_fen(DISPUTED).map_err(Failure::failed)?;
        let value = survey.value(&position).map_err(Failure::failed)?;
        writeln!(
            std::io::stdout(),
            "\nThe dispute ({promotions}): after 37 Kc2, {DISPUTED}\n  paper: 13 moves to mate, capture or promotion; Komissarchik and Futer: at least 23; here: {}",
            in_words(value)
        )?;
        Ok(())
    }
}

const TABLE1_HEAD: &str = "Table 1. The winner to move: moves to mate, or to mate or a capture into a won ending (max to win).
          max to mate   max to win   percent wins
ending    paper  ours   paper  ours  paper   of legal   with men on one square";

const PERCENT_NOTE: &str = "Of legal: wins among the legal positions of the index (462 king pairs x 64 x 64 x 64). With men on one square: the same \
wins,\nbut the index's placements with two men other than kings on one square count as legal positions too.";

const TABLE2_NOTE: &str = "* differs from the paper.";

fn table1_row(
    out: &mut impl Write,
    ending: &Ending,
    to_mate: Option<u16>,
    to_win: Option<u16>,
    census: &Census,
) -> Result<(), Failure> {
    let text = |number: Option<u16>| number.map_or("-".to_owned(), |n| n.to_string());
    let same = ending.to_mate == to_mate && ending.to_win == to_win;
    writeln!(
        out,
        "{:8} {:>6} {:>5}  {:>6} {:>5} {:>6.1} {:>10.2} {:>24.2}{}",
        ending.name,
        text(ending.to_mate),
        text(to_mate),
        text(ending.to_win),
        text(to_win),
        ending.percent,
        census.percent(),
        census.percent_with_coinciding(),
        if same { "" } else { "   *" },
    )?;
    Ok(())
}
