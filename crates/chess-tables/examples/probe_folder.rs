//! Probes a position in the tables of a folder: its value, its distances in plies, and its best moves.
//!
//! The arguments are a folder of tables, such as the example `generate_with_progress` fills, and a FEN in quotes.
//!
//! ```text
//! $ cargo run --release -p duchamp-chess-tables --example probe_folder -- tables "8/8/1k6/8/8/1K6/1P6/8 w - - 0 1"
//! win, mate in 41 plies, zeroing in 5 plies
//! Kb4    win, mate in 41 plies, zeroing in 5 plies
//! ```
//!
//! Only the king's move to b4 wins: it takes the opposition. A metric without a file in the folder (here the distance
//! to conversion) is omitted.

use duchamp_chess::Position;
use duchamp_chess_tables::{ProbedValues, Prober};
use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(fen)) = (arguments.next(), arguments.next()) else {
        return Err("the arguments are a folder of tables and a FEN in quotes".into());
    };
    let prober = Prober::open(Path::new(&folder));
    let position = Position::from_fen(&fen)?;
    println!("{}", describe(&prober.probe_all(&position)?));
    // The best first.
    let moves = prober.probe_moves_all(&position)?;
    let best = moves.first().map(|entry| entry.values.rank());
    for entry in moves
        .iter()
        .take_while(|entry| Some(entry.values.rank()) == best)
    {
        println!(
            "{:6} {}",
            position.san(entry.mv).to_string(),
            describe(&entry.values)
        );
    }
    Ok(())
}

/// A result with the distances for which the folder has files.
fn describe(values: &ProbedValues) -> String {
    let distances = [
        ("mate", values.dtm),
        ("conversion", values.dtc),
        ("zeroing", values.dtz),
    ];
    let mut text = values.wdl.name().to_owned();
    for (end, plies) in distances {
        if let Some(plies) = plies {
            text += &format!(", {end} in {} plies", plies.0);
        }
    }
    text
}
