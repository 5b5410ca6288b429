//! `duchamp datagen endings`: test positions just outside the tables, with proved values, from self-play games.

use super::Failure;
use super::datagen_files::tell_cut_off;
use super::failure::say;
use super::tb_input::Dir;
use duchamp_base::Wdl;
use duchamp_chess::{Oracle, Position};
use duchamp_eval as eval;
use duchamp_training::selfplay::{GameRecord, TableSearch, read_blocks};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct EndingsArguments {
    /// Files of games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The least and the greatest number of pieces, kings and pawns included
    #[arg(long, alias = "men", num_args = 2, default_values_t = [5, 7], value_names = ["MIN", "MAX"])]
    pieces: Vec<u32>,
    /// Positions for each number of pieces and value (won, drawn, lost for the side to move)
    #[arg(long, default_value_t = 60)]
    each: usize,
    /// The most plies after which the tables decide
    #[arg(long, default_value_t = 5)]
    plies: u32,
    /// The most positions that one proof visits
    #[arg(long, default_value_t = 2000)]
    positions: u64,
    #[command(flatten)]
    dir: Dir,
}

/// Positions of a game that are looked at.
const TRIES: usize = 4;
/// A win that the static evaluation puts above this is no test, in centipawns.
const CLEAR_WIN: i32 = 250;
/// Nor is a draw that it puts nearer to 0 than this.
const CLEAR_DRAW: i32 = 75;

pub(super) fn run(arguments: &EndingsArguments) -> Result<(), Failure> {
    let [least, most] = arguments.pieces[..] else {
        return Err(Failure::bad_input("--pieces takes two numbers"));
    };
    if least > most || most > 32 {
        return Err(Failure::bad_input("--pieces takes MIN and MAX, at most 32"));
    }
    let tables = arguments.dir.open()?;
    let mut search = Search {
        prover: TableSearch::new(&tables),
        range: tables.max_men(),
        evaluator: duchamp_eval::built_in()(),
        arguments,
        found: vec![[0; 3]; most as usize + 1],
        keys: HashSet::new(),
        out: std::io::stdout().lock(),
    };
    let kinds = (most - least + 1) as usize * 3;
    let wanted = kinds.saturating_mul(arguments.each);
    for file in &arguments.files {
        let mut blocks = read_blocks(file).map_err(Failure::bad_input)?;
        for block in blocks.by_ref() {
            for game in &block.map_err(Failure::failed)?.games {
                search.game(game, least..=most)?;
            }
            if search.keys.len() >= wanted {
                break;
            }
        }
        tell_cut_off(&blocks, file);
    }
    search.out.flush()?;
    say(&format!("{} positions of {wanted}", search.keys.len()));
    Ok(())
}

struct Search<'a, W: Write> {
    prover: TableSearch<'a>,
    /// The most pieces of a table.
    range: u32,
    evaluator: Box<dyn eval::Evaluator>,
    arguments: &'a EndingsArguments,
    /// By number of men and value.
    found: Vec<[usize; 3]>,
    keys: HashSet<u64>,
    out: W,
}

impl<W: Write> Search<'_, W> {
    /// Writes at most one position of a game, so that no two are neighbours.
    fn game(
        &mut self,
        game: &GameRecord,
        men: std::ops::RangeInclusive<u32>,
    ) -> Result<(), Failure> {
        let mut positions = Vec::new();
        game.for_each(|position, _| positions.push(*position));
        // Where the game itself came into the tables' range soon, a proof is likely.
        let soon = |number: usize| {
            let last = (number + self.arguments.plies as usize).min(positions.len() - 1);
            positions[last].occupied().count() <= self.range
        };
        let candidates: Vec<&Position> = positions
            .iter()
            .enumerate()
            .filter(|&(number, position)| {
                men.contains(&position.occupied().count()) && !position.in_check() && soon(number)
            })
            .map(|(_, position)| position)
            .collect();
        // A few of each game are tries enough: there are many games.
        let step = candidates.len() / TRIES + 1;
        for position in candidates.into_iter().step_by(step) {
            if self.look(position)? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the position was written.
    fn look(&mut self, position: &Position) -> Result<bool, Failure> {
        let men = position.occupied().count() as usize;
        let each = self.arguments.each;
        if self.found[men].iter().all(|&n| n >= each) {
            return Ok(false);
        }
        self.evaluator.reset(position);
        let seems = self.evaluator.evaluate(position).0;
        let Some(value) =
            self.prover
                .value(position, self.arguments.plies, self.arguments.positions)
        else {
            return Ok(false);
        };
        let (kind, word, test) = match value {
            Wdl::Win => (0, "win", seems < CLEAR_WIN),
            Wdl::Loss => (2, "loss", seems > -CLEAR_WIN),
            _ => (1, "draw", seems.abs() > CLEAR_DRAW),
        };
        let found = &mut self.found[men][kind];
        if !test || *found >= each || !self.keys.insert(position.key()) {
            return Ok(false);
        }
        *found += 1;
        let fen = position.fen();
        let epd: Vec<&str> = fen.split(' ').take(4).collect();
        writeln!(
            self.out,
            "{} hmvc 0; fmvn 1; c0 \"{word}\"; ce {seems};",
            epd.join(" ")
        )?;
        Ok(true)
    }
}
