//! Tables that others need, read from their own files instead of solved again.
//!
//! To conversion ([`ToConversionMoves`](crate::ToConversionMoves)) larger tables read nothing but results, so the `.wdl`
//! file is enough: a win becomes the shortest, a loss the shortest. To mate they read lengths of losses, too, which
//! files omit; there a snapshot is read, or the table is solved again.

use std::io;
use std::sync::Arc;

use rayon::prelude::*;

use crate::format::FormatError;
use crate::game::Game;
use crate::index::Index;
use crate::solve::{Solved, SolvedSide};
use crate::store::Table;
use duchamp_base::{Cancelled, Control, Gauge, Room};
use duchamp_retro::{Cell, Code};

/// Words that a thread reads at a time: whole blocks of either form of `.wdl` files.
const PIECE: usize = 1 << 12;

/// Why a table was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Scratch(#[from] io::Error),
    #[error(transparent)]
    Damaged(#[from] FormatError),
}

/// Reads the results of a table on the threads of the current pool: as values whose lengths mean nothing. `gauge` counts
/// pieces.
pub(super) fn read_results<G: Game>(
    table: &Table<G>,
    room: Room<'_>,
    gauge: &Gauge,
    control: &Control,
) -> Result<Solved<G::Index>, ReadError> {
    let index = &table.index;
    let sides = index.stored_sides();
    gauge.start((sides.len() * index.words().div_ceil(PIECE)) as u64);
    let mut read = Vec::new();
    for (stored, &side) in sides.iter().enumerate() {
        let mut codes = room.zeros::<Code>(64 * index.words())?;
        let mut void = room.zeros::<u64>(index.words())?;
        let pieces = codes.par_chunks_mut(64 * PIECE);
        let pieces = pieces.zip(void.par_chunks_mut(PIECE)).enumerate();
        pieces.try_for_each(|(piece, (codes, void))| {
            control.check()?;
            let first = piece * PIECE;
            let mut words = codes.as_chunks_mut::<64>().0.iter_mut();
            table.read_words(stored, first..first + void.len(), |word| {
                if let Some(codes) = words.next() {
                    codes.fill(Code::DRAW);
                    Code::write(codes, word.won, Code::win(0));
                    Code::write(codes, word.lost, Code::loss(0));
                }
            })?;
            for (word, void) in (first..).zip(void) {
                *void = !index.legal(side, word);
            }
            gauge.add(1);
            Ok::<(), ReadError>(())
        })?;
        control.check()?;
        index.fill_duplicates(&mut codes);
        read.push(SolvedSide { void, codes });
    }
    Ok(Solved::new(Arc::clone(index), read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Metric;
    use crate::mock::{Key, Mock, Words};
    use crate::store::Store;
    use crate::write::write_table;
    use crate::{Form, Index};
    use duchamp_base::Scratch;
    use std::sync::atomic::AtomicI64;

    #[test]
    fn results_come_back_from_files_of_either_form() {
        let control = Control::new(1);
        let index = Arc::new(Words::new(Key::of("long")));
        let codes = |side: &duchamp_retro::Side| {
            let codes = (0..64 * index.words()).map(|cell| [128, 255, 3, 201, 90][cell / 37 % 5]);
            codes
                .map(|code: u8| Code(code - side.index() as u8))
                .collect()
        };
        let sides = index.stored_sides().iter().map(codes).collect();
        let solved = Solved::from_codes(Arc::clone(&index), sides);
        for form in [Form::Direct, Form::Coded] {
            let folder = tempfile::tempdir().expect("a folder");
            write_table::<Mock>(form, &solved, folder.path(), &control).expect("written");
            let store = Store::<Mock>::open(folder.path());
            assert!(store.has_metric(index.key(), Metric::Wdl));
            let table = store.table(index.key()).expect("ready");
            let window = Arc::new(AtomicI64::new(1 << 30));
            let scratch = Scratch::new(folder.path(), window, 1 << 30);
            for room in [Room::Heap, Room::Scratch(&scratch)] {
                let gauge = Gauge::default();
                let read = read_results(table, room, &gauge, &control).expect("readable");
                assert_eq!(gauge.share(), Some(1.0));
                for &side in index.stored_sides() {
                    let (read, true_side) = (read.side(side), solved.side(side));
                    assert!(read.void == true_side.void);
                    for (cell, (read, code)) in read.codes.iter().zip(&*true_side.codes).enumerate()
                    {
                        let void = true_side.void[cell / 64] >> (cell % 64) & 1 != 0;
                        let same =
                            (read.is_win(), read.is_loss()) == (code.is_win(), code.is_loss());
                        assert!(void || same, "{form:?} {side:?} {cell}");
                    }
                }
            }
            let cancelled = Control::new(1);
            cancelled.cancel();
            let halted = read_results(table, Room::Heap, &Gauge::default(), &cancelled);
            assert!(matches!(halted, Err(ReadError::Cancelled(_))));
        }
    }
}
