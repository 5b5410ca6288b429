//! `duchamp perft DEPTH [FEN]`, for chess and for xiangqi.

use super::Failure;
use super::fen;
use duchamp_chess::{Position, perft_by_move};
use duchamp_xiangqi::RankBase;
use std::io::Write;
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// The position: FEN (for chess also X-FEN or Shredder-FEN) of two to six fields [default: the start position]
    fen: Vec<String>,
    /// The rules to play by
    #[arg(long, value_enum, default_value_t)]
    game: Board,
    /// Print castling moves as king takes rook, as UCI does for Chess960
    #[arg(long)]
    chess960: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Board {
    /// Chess and Chess960
    #[default]
    Chess,
    /// Chinese chess; moves are printed with ranks 0 to 9
    Xiangqi,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let fen = arguments.fen.join(" ");
    match arguments.game {
        Board::Chess => chess(arguments, &fen),
        Board::Xiangqi if arguments.chess960 => Err(Failure::bad_input(
            "--chess960 is about castling moves, which xiangqi has not; leave it out",
        )),
        Board::Xiangqi => xiangqi(arguments.depth, &fen),
    }
}

fn chess(arguments: &Arguments, fen: &str) -> Result<(), Failure> {
    let position = if fen.is_empty() {
        Position::start()
    } else {
        fen::position(fen).map_err(Failure::bad_input)?
    };
    let counts = perft_by_move(&position, arguments.depth, || false);
    print(counts.map(|(mv, nodes)| (mv.uci(arguments.chess960), nodes)))
}

fn xiangqi(depth: u32, fen: &str) -> Result<(), Failure> {
    let position = if fen.is_empty() {
        duchamp_xiangqi::Position::start()
    } else {
        duchamp_xiangqi::Position::from_fen(fen).map_err(Failure::bad_input)?
    };
    let counts = duchamp_xiangqi::perft_by_move(&position, depth);
    print(counts.map(|(mv, nodes)| (mv.uci(RankBase::Zero), nodes)))
}

/// Prints each move with the number of its leaf nodes as soon as it is counted, then the sum and the speed.
fn print(counts: impl Iterator<Item = (String, u64)>) -> Result<(), Failure> {
    let start = Instant::now();
    let mut out = std::io::stdout().lock();
    let mut total = 0u64;
    for (mv, nodes) in counts {
        total += nodes;
        writeln!(out, "{mv}: {nodes}")?;
    }
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "\n{total} nodes in {seconds:.3} s, {:.0} nodes a second",
        total as f64 / seconds.max(1e-9)
    )?;
    Ok(())
}
