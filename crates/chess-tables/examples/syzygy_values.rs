//! Prints what Syzygy files say of positions: reads FENs, one a line, and prints result and distance to zeroing.
//!
//! ```sh
//! cargo run --release -p duchamp-chess-tables --example syzygy_values -- FOLDER < positions.epd
//! ```

use std::io::{BufRead, BufWriter, Write};

use duchamp_chess::Position;
use duchamp_chess_tables::{SyzygyKind, SyzygyTables};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a folder")?;
    let tables = SyzygyTables::open(SyzygyTables::folders(&path));
    let [results, distances] = SyzygyKind::ALL.map(|kind| tables.count(kind));
    eprintln!(
        "{results} files of results, {distances} of distances, up to {} men",
        tables.largest()
    );
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let position = Position::from_fen(&line?)?;
        match (tables.wdl(&position), tables.dtz(&position)) {
            (Ok(wdl), Ok(dtz)) => writeln!(out, "{} {}", wdl as i32, dtz.0)?,
            (Ok(wdl), Err(error)) => writeln!(out, "{} ({error})", wdl as i32)?,
            (Err(error), _) => writeln!(out, "({error})")?,
        }
    }
    Ok(())
}
