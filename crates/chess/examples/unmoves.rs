//! Lists the last moves that can have led to a position, and counts sequences of them.
//!
//! ```text
//! $ cargo run --release -p duchamp-chess --example unmoves
//! 8/8/8/8/8/1k6/8/K6b b - - 0 1
//! Ka1    from 8/8/8/8/8/1k6/8/1K5b w - - 0 1
//! Kxa1   from 8/8/8/8/8/1k6/8/nK5b w - - 0 1
//! Kxa1   from 8/8/8/8/8/1k6/8/bK5b w - - 0 1
//! Kxa1   from 8/8/8/8/8/1k6/8/rK5b w - - 0 1
//! Kxa1   from 8/8/8/8/8/1k6/8/qK5b w - - 0 1
//! 5 sequences of 1
//! 346 sequences of 2
//! 10980 sequences of 3
//! ```
//!
//! The white king can only come from b1. He went to a free square or took something there, which the position does not
//! show: each possibility is an un-move of its own.

use duchamp_chess::{FenError, Position, retro_perft, unmoves};

fn main() -> Result<(), FenError> {
    let position = Position::from_fen("8/8/8/8/8/1k6/8/K6b b - - 0 1")?;
    println!("{}", position.fen());
    for unmove in unmoves(&position) {
        let before = position.unplay(unmove);
        println!("{:6} from {}", before.san(unmove.mv), before.fen());
    }
    for depth in 1..=3 {
        println!("{} sequences of {depth}", retro_perft(&position, depth));
    }
    Ok(())
}
