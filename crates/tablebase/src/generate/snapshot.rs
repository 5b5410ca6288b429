//! What larger tables need of a solved one, in a file: `KRPvKR.sub`.
//!
//! The files of a table leave out what a prober can work out; a solver would have to work it out for every
//! cell, which costs more than solving again. A snapshot holds the values as they lie in memory,
//! compressed, and is read some ten times faster than the table is solved. It is
//! wanted where every table is made by a process of its own, and of no use afterwards.
//!
//! Little-endian: label (8), version (2), sides (1), what is known of cursed cells (1), 4 zeros, material
//! (16), words of a side (8); then the blocks of White's values and of Black's, and of the bitmaps of
//! their cursed cells; an index with length (4) and checksum (4) of each; last the checksum of
//! header and index (8). Void cells are not stored: they follow from the layout.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::game::Game;
use crate::index::Index;
use crate::solve::{Solved, SolvedSide};
use duchamp_base::files::AtomicFile;
use duchamp_base::{Buffer, Cancelled, Control, Mapped, Room, checksum, checksum32};
use rayon::prelude::*;

const LABEL: &[u8; 8] = b"DuchSub\n";
const VERSION: u16 = 1;
const HEADER: usize = 40;

/// Where the header tells what is known of cursed cells: whether anything is ([`KNOWN`]), and a bit from 2
/// on for each side that has some.
const CURSED: usize = 11;
const KNOWN: u8 = 1;
const ENTRY: usize = 8;

/// Words of a block: a megabyte of values.
const BLOCK: usize = 1 << 14;

/// Blocks that are compressed before they are written, and read before their pages are given back.
const BATCH: usize = 8;

/// The fastest level that still finds what is long and alike; compresses about 400 MB a second.
const LEVEL: i32 = 1;

/// The ending of snapshots.
pub(crate) const ENDING: &str = "sub";

/// Why a snapshot was not written or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SnapshotError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("damaged")]
    Damaged,
}

/// Writes a snapshot; the caller holds the lock on the table.
pub(crate) fn write<I: Index>(
    path: &Path,
    solved: &Solved<I>,
    control: &Control,
) -> Result<(), SnapshotError> {
    let index = solved.index();
    let mut cursed = 0;
    if solved.knows_cursed() {
        let sides = index.stored_sides().iter().enumerate();
        let bits = sides.map(|(n, &side)| u8::from(solved.cursed(side).is_some()) << (n + 1));
        cursed = bits.fold(KNOWN, |set, bit| set | bit);
    }
    let mut writer = Writer {
        file: AtomicFile::create(path)?,
        index: Vec::new(),
        control,
    };
    let header = header(&**index, cursed);
    writer.file.write_all(&header)?;
    for &color in index.stored_sides() {
        let side = solved.side(color);
        writer.blocks(index.words(), |words| {
            filled(
                &side.codes[64 * words.start..64 * words.end],
                &side.void[words],
            )
        })?;
    }
    for cursed in index
        .stored_sides()
        .iter()
        .filter_map(|&side| solved.cursed(side))
    {
        writer.blocks(index.words(), |words| {
            let bytes = cursed[words].iter().flat_map(|word| word.to_le_bytes());
            bytes.collect()
        })?;
    }
    let Writer {
        mut file, index, ..
    } = writer;
    file.write_all(&index)?;
    let sum = checksum(&[&header[..], &index].concat());
    file.write_all(&sum.to_le_bytes())?;
    file.commit()?;
    Ok(())
}

/// A snapshot in the making.
struct Writer<'a> {
    file: AtomicFile,
    index: Vec<u8>,
    control: &'a Control,
}

impl Writer<'_> {
    /// Compresses and writes the blocks of so many words, of which `bytes` gives the contents.
    fn blocks(
        &mut self,
        words: usize,
        bytes: impl Fn(Range<usize>) -> Vec<u8> + Sync,
    ) -> Result<(), SnapshotError> {
        let starts: Vec<usize> = (0..words).step_by(BLOCK).collect();
        for batch in starts.chunks(BATCH) {
            let compressed = |&start: &usize| {
                self.control.check()?;
                let bytes = bytes(start..words.min(start + BLOCK));
                Ok(zstd::bulk::compress(&bytes, LEVEL)?)
            };
            let blocks: Result<Vec<Vec<u8>>, SnapshotError> =
                batch.par_iter().map(compressed).collect();
            for block in blocks? {
                self.index
                    .extend_from_slice(&(block.len() as u32).to_le_bytes());
                self.index
                    .extend_from_slice(&checksum32(&block).to_le_bytes());
                self.file.write_all(&block)?;
            }
        }
        Ok(())
    }
}

/// The values with every void cell like the one before it.
fn filled(codes: &[u8], void: &[u64]) -> Vec<u8> {
    let mut codes = codes.to_vec();
    let mut last = 0;
    for (word, &void) in codes.as_chunks_mut::<64>().0.iter_mut().zip(void) {
        if void != 0 {
            for (bit, code) in word.iter_mut().enumerate() {
                if void >> bit & 1 != 0 {
                    *code = last;
                }
                last = *code;
            }
        }
        last = word[63];
    }
    codes
}

fn header<I: Index>(index: &I, cursed: u8) -> Vec<u8> {
    let mut header = LABEL.to_vec();
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.push(index.stored_sides().len() as u8);
    header.push(cursed);
    header.resize(16, 0);
    header.extend_from_slice(index.key().to_string().as_bytes());
    header.resize(32, 0);
    header.extend_from_slice(&(index.words() as u64).to_le_bytes());
    debug_assert_eq!(header.len(), HEADER);
    header
}

/// A snapshot whose checksums are right.
#[derive(Debug)]
pub(crate) struct Snapshot<G: Game> {
    index: Arc<G::Index>,
    bytes: Mapped,
    /// Where each block ends; the first begins behind the header.
    ends: Vec<usize>,
}

impl<G: Game> Snapshot<G> {
    /// Opens a snapshot and checks every byte of it; `None` if there is none.
    pub(crate) fn open(path: &Path, key: G::Key) -> Result<Option<Snapshot<G>>, SnapshotError> {
        let bytes = match Mapped::open(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let index = Arc::new(G::Index::new(key));
        let ends = block_ends(&bytes, &*index).ok_or(SnapshotError::Damaged)?;
        Ok(Some(Snapshot { index, bytes, ends }))
    }

    /// Whether it tells which cells are cursed.
    pub(crate) fn knows_cursed(&self) -> bool {
        self.bytes[CURSED] & KNOWN != 0
    }

    /// The compressed bytes of a block.
    fn block(&self, block: usize) -> &[u8] {
        let start = block.checked_sub(1).map_or(HEADER, |one| self.ends[one]);
        &self.bytes[start..self.ends[block]]
    }

    /// Calls `each` with blocks from `first` on and the pieces that they fill, on several threads.
    fn fill<T: Send>(
        &self,
        first: usize,
        pieces: impl Iterator<Item = T>,
        control: &Control,
        each: impl Fn(usize, &[u8], T) -> Result<(), SnapshotError> + Sync,
    ) -> Result<(), SnapshotError> {
        let pieces: Vec<(usize, T)> = pieces.enumerate().collect();
        let mut rest = pieces.into_iter();
        loop {
            let batch: Vec<(usize, T)> = rest.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            batch.into_par_iter().try_for_each(|(n, piece)| {
                control.check()?;
                each(n, self.block(first + n), piece)
            })?;
            self.bytes.release();
        }
    }

    /// The bitmaps of cursed cells.
    fn read_cursed(
        &self,
        room: Room<'_>,
        control: &Control,
    ) -> Result<[Option<Buffer<u64>>; 2], SnapshotError> {
        let (words, sides) = (self.index.words(), self.index.stored_sides().len());
        let per_side = words.div_ceil(BLOCK);
        let mut cursed = [None, None];
        let mut first = sides * per_side;
        for (n, slot) in cursed.iter_mut().enumerate().take(sides) {
            if self.bytes[CURSED] >> (n + 1) & 1 == 0 {
                continue;
            }
            let mut bits = room.zeros::<u64>(words)?;
            self.fill(first, bits.chunks_mut(BLOCK), control, |_, block, bits| {
                let bytes = zstd::bulk::decompress(block, 8 * BLOCK)?;
                let (eights, _) = bytes.as_chunks::<8>();
                if eights.len() != bits.len() {
                    return Err(SnapshotError::Damaged);
                }
                let pairs = bits.iter_mut().zip(eights);
                pairs.for_each(|(bits, &eight)| *bits = u64::from_le_bytes(eight));
                Ok(())
            })?;
            first += per_side;
            *slot = Some(bits);
        }
        Ok(cursed)
    }

    /// The whole table.
    pub(crate) fn read(
        &self,
        room: Room<'_>,
        control: &Control,
    ) -> Result<Solved<G::Index>, SnapshotError> {
        let index = &self.index;
        let per_side = index.words().div_ceil(BLOCK);
        let mut sides = Vec::new();
        for (n, &color) in index.stored_sides().iter().enumerate() {
            let mut codes = room.zeros::<u8>(64 * index.words())?;
            let mut void = room.zeros::<u64>(index.words())?;
            let pieces = codes.chunks_mut(64 * BLOCK).zip(void.chunks_mut(BLOCK));
            self.fill(n * per_side, pieces, control, |i, block, (codes, void)| {
                let read = zstd::bulk::Decompressor::new()?.decompress_to_buffer(block, codes)?;
                if read != codes.len() {
                    return Err(SnapshotError::Damaged);
                }
                for (word, void) in (i * BLOCK..).zip(void) {
                    *void = !index.legal(color, word);
                }
                Ok(())
            })?;
            sides.push(SolvedSide { void, codes });
        }
        let solved = Solved::new(Arc::clone(index), sides);
        if self.knows_cursed() {
            solved.set_cursed(self.read_cursed(room, control)?);
        }
        Ok(solved)
    }
}

/// Where the blocks end, if header, index and all checksums are right.
fn block_ends<I: Index>(bytes: &Mapped, of: &I) -> Option<Vec<usize>> {
    let cursed = *bytes.get(CURSED)?;
    let sides = of.stored_sides().len() + (cursed >> 1).count_ones() as usize;
    let blocks = sides * of.words().div_ceil(BLOCK);
    let (rest, sum) = bytes.split_last_chunk::<8>()?;
    let at = rest.len().checked_sub(blocks * ENTRY)?;
    let (body, index) = rest.split_at(at);
    let head = body.get(..HEADER)?;
    let right =
        head == header(of, cursed) && checksum(&[head, index].concat()) == u64::from_le_bytes(*sum);
    if !right {
        return None;
    }
    let mut ends = Vec::with_capacity(blocks);
    let mut start = HEADER;
    for (n, entry) in index.as_chunks::<ENTRY>().0.iter().enumerate() {
        let (length, sum) = entry.split_at(4);
        let number = |bytes: &[u8]| bytes.first_chunk().map(|x| u32::from_le_bytes(*x));
        let end = start.checked_add(number(length)? as usize)?;
        if checksum32(body.get(start..end)?) != number(sum)? {
            return None;
        }
        ends.push(end);
        start = end;
        if n % BATCH == 0 {
            bytes.release();
        }
    }
    (start == body.len()).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Key, Mock, Words};
    use duchamp_retro::Side;
    use std::fs;

    /// A table of several blocks; its values come in runs.
    fn table() -> Solved<Words> {
        let index = Arc::new(Words::new(Key::of("long")));
        assert!(index.words() > BLOCK && !index.words().is_multiple_of(BLOCK));
        let codes = |side: &Side| {
            let codes = (0..64 * index.words()).map(|cell| [128, 255, 3, 201, 90][cell / 37 % 5]);
            codes.map(|code: u8| code - side.index() as u8).collect()
        };
        let sides = index.stored_sides().iter().map(codes).collect();
        Solved::from_codes(index, sides)
    }

    fn assert_equal(read: &Solved<Words>, true_table: &Solved<Words>) {
        for &side in true_table.index().stored_sides() {
            assert_eq!(read.side(side).void, true_table.side(side).void);
            let pairs = read.side(side).codes.iter();
            for (cell, (read, true_code)) in pairs.zip(&*true_table.side(side).codes).enumerate() {
                let void = true_table.side(side).void[cell / 64] >> (cell % 64) & 1 != 0;
                assert!(void || read == true_code);
            }
        }
    }

    #[test]
    fn a_table_comes_back_and_damage_is_found() {
        let control = Control::new(1);
        let solved = table();
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("long.sub");
        let open = || Snapshot::<Mock>::open(&path, solved.key());
        assert!(open().is_ok_and(|none| none.is_none()));
        write(&path, &solved, &control).expect("written");
        let snapshot = open().expect("good").expect("there");
        assert!(!snapshot.knows_cursed());
        assert_equal(&snapshot.read(Room::Heap, &control).expect("read"), &solved);
        let good = fs::read(&path).expect("readable");
        for at in (0..good.len())
            .step_by(97)
            .chain(good.len() - 8..good.len())
        {
            let mut bad = good.clone();
            bad[at] ^= 4;
            fs::write(&path, &bad).expect("written");
            assert!(open().is_err(), "{at}");
        }
        for length in [0, 7, 39, 40, good.len() - 1] {
            fs::write(&path, &good[..length]).expect("written");
            assert!(open().is_err(), "{length}");
        }
        fs::write(&path, &good).expect("written");
        let bits = vec![5; solved.index().words()];
        solved.set_cursed([None, Some(bits.clone().into())]);
        write(&path, &solved, &control).expect("written");
        let snapshot = open().expect("good").expect("there");
        let read = snapshot.read(Room::Heap, &control).expect("read");
        assert!(snapshot.knows_cursed() && read.cursed(Side::First).is_none());
        assert_eq!(read.cursed(Side::Second), Some(&bits[..]));
        assert_equal(&read, &solved);
        assert!(Snapshot::<Mock>::open(&path, Key::of("a")).is_err());
    }
}
