//! `duchamp perft DEPTH [FEN]`.

use super::Failure;
use duchamp_chess::{Position, perft};
use std::io::Write;
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// The position: FEN, X-FEN or Shredder-FEN of two to six fields [default: the start position]
    fen: Vec<String>,
    /// Print castling moves as king takes rook, as UCI does for Chess960
    #[arg(long)]
    chess960: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let position = if arguments.fen.is_empty() {
        Position::start()
    } else {
        Position::from_fen(&arguments.fen.join(" ")).map_err(Failure::bad_input)?
    };
    let start = Instant::now();
    let mut out = std::io::stdout().lock();
    let mut total = 0u64;
    for mv in position.legal_moves() {
        let nodes = perft(&position.play(mv), arguments.depth - 1);
        total += nodes;
        writeln!(out, "{}: {nodes}", position.uci(mv, arguments.chess960))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "\n{total} nodes in {seconds:.3} s, {:.0} nodes a second",
        total as f64 / seconds.max(1e-9)
    )?;
    Ok(())
}
