//! Counts the leaves of the tree of legal moves, by first move ("divide").
//!
//! The arguments are a depth in plies and a FEN; without them, depth 5 and the start position.
//!
//! ```text
//! $ cargo run --release -p duchamp-chess --example perft -- 5 "4k3/8/8/8/8/8/P7/4K2R w K - 0 1"
//! e1d1: 10263
//! e1f1: 9008
//! e1d2: 16617
//! e1e2: 16620
//! e1f2: 16277
//! h1f1: 4917
//! h1g1: 8452
//! h1h2: 12072
//! h1h3: 13408
//! h1h4: 13442
//! h1h5: 13510
//! h1h6: 11266
//! h1h7: 2478
//! h1h8: 7292
//! a2a3: 9259
//! a2a4: 9259
//! e1g1: 5823
//! 179963 in all
//! ```

use duchamp_chess::{Position, perft_by_move};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(5), |depth| depth.parse())?;
    let position = match arguments.next() {
        Some(fen) => Position::from_fen(&fen)?,
        None => Position::start(),
    };
    let mut sum = 0;
    for (mv, count) in perft_by_move(&position, depth, || false) {
        println!("{}: {count}", mv.uci(false));
        sum += count;
    }
    println!("{sum} in all");
    Ok(())
}
