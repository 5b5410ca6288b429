//! Solved restricted tables and half-done work on disk, so that what was stopped goes on and what was solved is not solved again.
//!
//! One file a restricted table, `KEY-NUMBER.box` (its values), or two, `KEY-NUMBER.exits` (what is known of its exits so far) and
//! `KEY-NUMBER.levels` (the values so far, and what the solver needs to go on), where KEY stands for the rules, the tables
//! at hand and the version of the program (`key.rs`). A file is a [`frame`] around one zstd stream: the length of a JSON
//! header, the header (sizes, use of the rules so far), words and values in little-endian order. A file that cannot be
//! read is as good as none.

use super::exits::{ExitTable, Half};
use super::key::{AtHand, key};
use super::layout::{ROW, TableLayout};
use super::plan::FreezeLimits;
use super::rules::Rules;
use super::solved::{Solved, Values};
use super::tally::{Tally, Usage};
use duchamp_base::Mapped;
use duchamp_base::files::AtomicFile;
use duchamp_base::frame::{self, Label};
use duchamp_chess::Color;
use duchamp_retro::{Side, Standing, Wide};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The folder for solved restricted tables and half-done work, under that of the tables.
pub const FOLDER: &str = "frozen";

const LABEL: &Label = b"DUCHFREZ";
/// The version of the format; to be raised, too, when the same rules get other values.
const VERSION: u16 = 4;
/// Fast: the values of a restricted table are written once and read rarely.
const LEVEL: i32 = 1;
/// Longer headers are damage.
const LONGEST_HEADER: u32 = 1 << 24;

/// A folder for the restricted tables of one set of rules.
#[derive(Debug)]
pub(super) struct Shelf {
    folder: PathBuf,
    key: u64,
    bound: Color,
}

#[derive(Serialize, Deserialize)]
struct Header {
    men: String,
    words: usize,
    entries: u64,
    usage: Vec<Usage>,
}

impl Shelf {
    /// The folder of some rules; it is made when something is put there.
    pub(super) fn new(
        folder: &Path,
        rules: &Rules,
        tables: &AtHand,
        limits: FreezeLimits,
    ) -> Shelf {
        Shelf {
            folder: folder.to_owned(),
            key: key(rules, tables, limits),
            bound: rules.bound,
        }
    }

    fn path(&self, number: usize, kind: &str) -> PathBuf {
        self.folder
            .join(format!("{:016x}-{number}.{kind}", self.key))
    }

    /// Puts a solved restricted table away, with the use of the rules so far, in place of its exits.
    pub(super) fn put_box(&self, solved: &Solved, tally: &Tally) -> io::Result<()> {
        let (number, layout) = (solved.number, &solved.layout);
        self.write(number, "box", layout, tally, |out| {
            write_values(out, &solved.legal, &solved.cells)
        })?;
        for kind in ["exits", "levels"] {
            match fs::remove_file(self.path(number, kind)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// A solved restricted table, if it is there. Takes its count of the use of the rules over.
    pub(super) fn take_box(
        &self,
        number: usize,
        layout: &TableLayout,
        tally: &Tally,
    ) -> Option<Solved> {
        let words = layout.rows() * ROW;
        let values = self.read(number, "box", layout, tally, |input| {
            read_values(input, words)
        })?;
        Some(Solved::new(number, layout.clone(), self.bound, values))
    }

    /// Puts away a restricted table whose solution was stopped between two levels.
    pub(super) fn put_levels(
        &self,
        number: usize,
        layout: &TableLayout,
        (values, standing): (&Values, &Standing),
        tally: &Tally,
    ) -> io::Result<()> {
        self.write(number, "levels", layout, tally, |out| {
            write_values(out, &values.0, &values.1)?;
            out.write_all(&[standing.winner.index() as u8])?;
            out.write_all(&standing.plies.to_le_bytes())?;
            for words in standing.open.iter().chain(&standing.newest) {
                write_words(out, words)?;
            }
            Ok(())
        })
    }

    /// A restricted table whose solution was stopped between two levels.
    pub(super) fn take_levels(
        &self,
        number: usize,
        layout: &TableLayout,
        tally: &Tally,
    ) -> Option<(Values, Standing)> {
        let words = layout.rows() * ROW;
        self.read(number, "levels", layout, tally, |input| {
            let values = read_values(input, words)?;
            let mut head = [0; 3];
            input.read_exact(&mut head)?;
            let mut two =
                || Ok::<_, io::Error>([read_words(input, words)?, read_words(input, words)?]);
            let standing = Standing {
                winner: if head[0] == 0 {
                    Side::First
                } else {
                    Side::Second
                },
                plies: u16::from_le_bytes([head[1], head[2]]),
                open: two()?,
                newest: two()?,
            };
            Ok((values, standing))
        })
    }

    /// Puts away what is known of the exits of a restricted table.
    pub(super) fn put_exits(
        &self,
        number: usize,
        layout: &TableLayout,
        exits: &ExitTable,
        tally: &Tally,
    ) -> io::Result<()> {
        self.write(number, "exits", layout, tally, |out| {
            for half in &exits.halves {
                let done: Vec<u8> = half.done.iter().map(|&done| u8::from(done)).collect();
                out.write_all(&done)?;
                write_words(out, &half.low)?;
                write_words(out, &half.high)?;
            }
            Ok(())
        })
    }

    /// What is known of the exits of a restricted table.
    pub(super) fn take_exits(
        &self,
        number: usize,
        layout: &TableLayout,
        tally: &Tally,
    ) -> Option<ExitTable> {
        let words = layout.rows() * ROW;
        self.read(number, "exits", layout, tally, |input| {
            let mut half = || -> io::Result<Half> {
                let mut done = vec![0; layout.rows()];
                input.read_exact(&mut done)?;
                Ok(Half {
                    done: done.iter().map(|&done| done != 0).collect(),
                    low: read_words(input, words)?,
                    high: read_words(input, words)?,
                })
            };
            Ok(ExitTable {
                halves: [half()?, half()?],
            })
        })
    }

    fn write(
        &self,
        number: usize,
        kind: &str,
        layout: &TableLayout,
        tally: &Tally,
        body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = AtomicFile::create(&self.path(number, kind))?;
        let frame = frame::Writer::new(BufWriter::new(&mut file), LABEL, VERSION)?;
        let mut encoder = zstd::stream::Encoder::new(frame, LEVEL)?;
        let header = serde_json::to_vec(&Header {
            men: men(layout),
            words: layout.words,
            entries: layout.entries(),
            usage: tally.usage(),
        })?;
        encoder.write_all(&(header.len() as u32).to_le_bytes())?;
        encoder.write_all(&header)?;
        body(&mut encoder)?;
        encoder.finish()?.finish()?;
        file.commit()
    }

    fn read<T>(
        &self,
        number: usize,
        kind: &str,
        layout: &TableLayout,
        tally: &Tally,
        body: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Option<T> {
        let path = self.path(number, kind);
        let (usage, found) = match open(&path, layout, body) {
            Ok(found) => found,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    log::warn!("{}: {error}: not used", path.display());
                }
                return None;
            }
        };
        tally.set(usage);
        Some(found)
    }
}

/// The pieces of a restricted table with their squares: restricted tables of the same size may differ in them.
fn men(layout: &TableLayout) -> String {
    let men = layout.men.iter();
    men.map(|man| format!("{}{:x} ", man.piece.to_char(), man.allowed.0))
        .collect()
}

/// Reads a file as far as it belongs to a restricted table.
fn open<T>(
    path: &Path,
    layout: &TableLayout,
    body: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> io::Result<(Vec<Usage>, T)> {
    let damaged = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let file = Mapped::open(path)?;
    let stream = frame::open(&file, LABEL, VERSION).map_err(|error| damaged(&error.to_string()))?;
    let mut decoder = zstd::stream::Decoder::with_buffer(stream)?;
    let mut length = [0; 4];
    decoder.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST_HEADER {
        return Err(damaged("damaged header"));
    }
    let mut header = vec![0; length as usize];
    decoder.read_exact(&mut header)?;
    let header: Header = serde_json::from_slice(&header)?;
    let same = header.words == layout.words && header.entries == layout.entries();
    if !same || header.men != men(layout) {
        return Err(damaged("another restricted table"));
    }
    let found = body(&mut decoder)?;
    if decoder.read(&mut [0])? != 0 {
        return Err(damaged("longer than its restricted table"));
    }
    if file.is_cut() {
        return Err(damaged("cut off while it was read"));
    }
    Ok((header.usage, found))
}

fn write_values(
    out: &mut dyn Write,
    legal: &[Vec<u64>; 2],
    cells: &[Vec<[Wide; 64]>; 2],
) -> io::Result<()> {
    for (legal, cells) in legal.iter().zip(cells) {
        write_words(out, legal)?;
        for cells in cells {
            let mut bytes = [0; 128];
            for (pair, cell) in bytes.chunks_exact_mut(2).zip(cells) {
                pair.copy_from_slice(&cell.0.to_le_bytes());
            }
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}

fn read_values(input: &mut dyn Read, words: usize) -> io::Result<Values> {
    let mut legal = [Vec::new(), Vec::new()];
    let mut cells = [Vec::new(), Vec::new()];
    for (legal, cells) in legal.iter_mut().zip(&mut cells) {
        *legal = read_words(input, words)?;
        cells.reserve_exact(words);
        for _ in 0..words {
            let mut bytes = [0; 128];
            input.read_exact(&mut bytes)?;
            cells.push(std::array::from_fn(|i| {
                Wide(u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
            }));
        }
    }
    Ok((legal, cells))
}

fn write_words(out: &mut dyn Write, words: &[u64]) -> io::Result<()> {
    for word in words {
        out.write_all(&word.to_le_bytes())?;
    }
    Ok(())
}

fn read_words(input: &mut dyn Read, count: usize) -> io::Result<Vec<u64>> {
    let mut words = vec![0; count];
    let mut bytes = [0; 8];
    for word in &mut words {
        input.read_exact(&mut bytes)?;
        *word = u64::from_le_bytes(bytes);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::super::chain::lay_out;
    use super::super::rules::Goal;
    use super::*;
    use duchamp_chess::Position;

    #[test]
    fn exits_come_back_and_damage_is_found() {
        let start = Position::from_fen("8/8/4k3/5p2/5P2/4K3/8/8 w - - 0 1").expect("a position");
        let rules = Rules::free(start, Color::White, Goal::Win);
        let chain = lay_out(&rules, 1 << 20).expect("boxes");
        let (layout, tally) = (&chain.layouts[0], Tally::new(0));
        let folder = tempfile::tempdir().expect("a folder");
        let shelf = Shelf {
            folder: folder.path().to_owned(),
            key: 1,
            bound: Color::White,
        };
        let mut exits = ExitTable::new(layout);
        exits.halves[1].low[3] = 5;
        exits.halves[0].done[0] = true;
        shelf
            .put_exits(7, layout, &exits, &tally)
            .expect("room on the disk");
        let taken = || shelf.take_exits(7, layout, &tally);
        assert_eq!(taken(), Some(exits));
        let path = shelf.path(7, "exits");
        let whole = fs::read(&path).expect("readable");
        for at in 0..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&path, &bad).expect("written");
            assert_eq!(taken(), None, "byte {at}");
            fs::write(&path, &whole[..at]).expect("written");
            assert_eq!(taken(), None, "{at} bytes");
        }
    }
}
