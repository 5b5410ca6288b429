//! Counts the leaves of the tree of legal moves, by first move ("divide").
//!
//! The arguments are a depth in plies and a FEN; without them, depth 4 and the start position.
//!
//! ```text
//! $ cargo run --release -p duchamp-xiangqi --example xiangqi_perft -- 3 "3k5/9/9/9/9/9/9/9/4A4/4K1H2 w"
//! e0f0 K5=4: 16
//! g0i1 H3+1: 13
//! g0f2 H3+4: 20
//! g0h2 H3+2: 19
//! e1d0 A5-6: 7
//! e1f0 A5-4: 5
//! e1d2 A5+6: 8
//! e1f2 A5+4: 6
//! 94 in all
//! ```

use duchamp_xiangqi::{Position, perft_by_move};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = arguments.next().map_or(Ok(4), |depth| depth.parse())?;
    let position = match arguments.next() {
        Some(fen) => Position::from_fen(&fen)?,
        None => Position::start(),
    };
    let start = Instant::now();
    let mut sum = 0;
    for (mv, count) in perft_by_move(&position, depth) {
        println!("{mv} {}: {count}", position.wxf(mv));
        sum += count;
    }
    println!("{sum} in all");
    let speed = sum as f64 / start.elapsed().as_secs_f64() / 1e6;
    eprintln!("{speed:.1} million a second");
    Ok(())
}
