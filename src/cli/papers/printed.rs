//! What the papers print: figures and lines, read from the files under `tests/data`.

use super::super::Failure;
use duchamp_chess::Color;
use duchamp_chess_tables::Material;

const TABLE1: &str = include_str!("../../../tests/data/thompson1986_table1.csv");
const TABLE2: &str = include_str!("../../../tests/data/thompson1986_table2_kqpkq.csv");
const TABLE3: &str = include_str!("../../../tests/data/thompson1986_table3_krpkr.csv");
const LINES: &str = include_str!("../../../tests/data/thompson1986_lines.txt");

/// A row of Thompson's Table 1.
pub(super) struct Ending {
    /// As printed: the winner first.
    pub(super) name: String,
    pub(super) material: Material,
    /// The winner in the colours of the material.
    pub(super) winner: Color,
    /// Moves to mate, where the paper counts those.
    pub(super) to_mate: Option<u16>,
    /// Moves to mate or to a capture into a won ending, where the paper counts those.
    pub(super) to_win: Option<u16>,
    /// Wins among legal positions with White to move, in percent.
    pub(super) percent: f64,
}

/// A row of Thompson's Tables 2 and 3: a square of the pawn.
pub(super) struct PawnSquare {
    pub(super) square: String,
    /// Moves to mate, capture or pawn move.
    pub(super) to_win: u16,
    pub(super) percent: f64,
}

/// A printed line of play.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) material: Material,
    /// The pawn's square.
    pub(super) pawn: Option<String>,
    /// Moves of the winner that are left where the line begins; 0: not told.
    pub(super) moves: u16,
    /// Where it begins, if that is printed or reconstructed.
    pub(super) fen: Option<String>,
    pub(super) turn: Color,
    /// The moves in algebraic notation.
    pub(super) san: Vec<String>,
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .skip(1)
        .map(|line| line.split(',').collect())
}

fn number<T: std::str::FromStr>(row: &[&str], column: usize) -> Result<T, Failure> {
    let text = row.get(column).copied().unwrap_or_default();
    text.parse()
        .map_err(|_| Failure::Failed(format!("`{text}` is no number in {}", row.join(","))))
}

fn material(text: &str) -> Result<Material, Failure> {
    text.trim().parse().map_err(Failure::failed)
}

/// Table 1.
pub(super) fn table1() -> Result<Vec<Ending>, Failure> {
    let ending = |row: Vec<&str>| {
        let material = material(row[0])?;
        // The material has the side with more men first.
        let first = material.name();
        let first = first.split('v').next().unwrap_or_default().to_owned();
        let white = row[0].starts_with(&first) && row[0][first.len()..].starts_with('K');
        Ok(Ending {
            name: row[0].to_owned(),
            material,
            winner: if white { Color::White } else { Color::Black },
            to_mate: number(&row, 1).ok(),
            to_win: number(&row, 2).ok(),
            percent: number(&row, 3)?,
        })
    };
    rows(TABLE1).map(ending).collect()
}

fn squares(text: &str) -> Result<Vec<PawnSquare>, Failure> {
    let square = |row: Vec<&str>| {
        Ok(PawnSquare {
            square: row[0].to_owned(),
            to_win: number(&row, 1)?,
            percent: number(&row, 2)?,
        })
    };
    rows(text).map(square).collect()
}

/// Table 2: KQPKQ.
pub(super) fn table2() -> Result<Vec<PawnSquare>, Failure> {
    squares(TABLE2)
}

/// Table 3: KRPKR.
pub(super) fn table3() -> Result<Vec<PawnSquare>, Failure> {
    squares(TABLE3)
}

/// The lines.
pub(super) fn lines() -> Result<Vec<Line>, Failure> {
    let lines = LINES
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let line = |text: &str| {
        let fields: Vec<&str> = text.split('|').map(str::trim).collect();
        let [name, men, pawn, moves, fen, turn, san] = fields[..] else {
            return Err(Failure::Failed(format!("not a line: {text}")));
        };
        Ok(Line {
            name: name.to_owned(),
            material: material(men)?,
            pawn: (pawn != "-").then(|| pawn.to_owned()),
            moves: number(&[moves], 0)?,
            fen: (fen != "?").then(|| fen.to_owned()),
            turn: if turn == "w" {
                Color::White
            } else {
                Color::Black
            },
            san: san.split_whitespace().map(str::to_owned).collect(),
        })
    };
    lines.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_printed_is_read() {
        let table = table1().expect("table 1");
        assert_eq!(table.len(), 12);
        assert!(
            table
                .iter()
                .all(|row| row.to_mate.is_some() != row.to_win.is_some())
        );
        for table in [table2().expect("table 2"), table3().expect("table 3")] {
            assert_eq!(table.len(), 24);
        }
        let lines = lines().expect("lines");
        assert_eq!(lines.len(), 8);
        for line in &lines {
            // A full line ends with the winner's move that fulfils it.
            if line.fen.is_none() && line.san.len() > 4 {
                assert_eq!(
                    line.san.len(),
                    usize::from(line.moves) * 2 - 1,
                    "{}",
                    line.name
                );
            }
        }
    }
}
