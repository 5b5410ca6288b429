//! Tables as backed-up values, from their files.

use std::ops::Range;

use rayon::prelude::*;

use super::duplicates::Duplicates;
use super::lanes::{DRAW, Lanes, NONE, UNKNOWN, UNKNOWN_WIN};
use super::moves::legal;
use crate::game::Chess;
use duchamp_retro::{Bits, Wide};
use duchamp_tablebase::{FormatError, Metric, Table, Word};

/// The longest length that is taken from a file: one ply more is still less than in [`UNKNOWN`] and [`UNKNOWN_WIN`]. A
/// longer one is false, and differs from what moves give all the same.
const LONGEST: u16 = Wide::LONGEST - 3;

/// Reads whole slices of a stored side; what the file does not hold is [`UNKNOWN`] or [`UNKNOWN_WIN`].
pub(super) fn read_slices(
    table: &Table<Chess>,
    metric: Metric,
    side: usize,
    slices: Range<usize>,
    cells: &mut [u16],
) -> Result<(), FormatError> {
    let layout = &*table.index;
    let words = slices.start * layout.slice_words()..slices.end * layout.slice_words();
    let duplicates = Duplicates::new(layout);
    read_words(table, metric, side, words, &duplicates, cells)?;
    duplicates.fill(slices, cells);
    Ok(())
}

/// Reads words, of symmetric duplicates one.
fn read_words(
    table: &Table<Chess>,
    metric: Metric,
    side: usize,
    words: Range<usize>,
    duplicates: &Duplicates<'_>,
    mut cells: &mut [u16],
) -> Result<(), FormatError> {
    let size = table.block_words(metric)?;
    let holds = table.holds(metric, side)?;
    // Pieces that do not go over the edge of a block.
    let mut pieces = Vec::new();
    let mut word = words.start;
    while word < words.end {
        let end = words.end.min((word / size + 1) * size);
        let (piece, rest) = std::mem::take(&mut cells).split_at_mut((end - word) * 64);
        pieces.push((word..end, piece));
        (word, cells) = (end, rest);
    }
    let (layout, color) = (&*table.index, table.index.sides()[side]);
    pieces.into_par_iter().try_for_each(|(words, piece)| {
        let block = words.start / size;
        let first = block * size;
        let plies = table.block_lengths(metric, side, block)?;
        let mut results: Vec<Word> = Vec::with_capacity(words.len());
        table.read_words(side, words.clone(), |word| results.push(word))?;
        let rows = piece
            .as_chunks_mut::<64>()
            .0
            .iter_mut()
            .zip(words)
            .zip(results);
        for ((backed, word), result) in rows {
            let legal = legal(layout, &layout.fixed(word), color) & duplicates.kept(word);
            let at = (word - first) * 64;
            let plies = plies.get(at..at + 64).ok_or(FormatError::Block(block))?;
            fill(backed, legal, result, plies, holds);
        }
        Ok(())
    })
}

fn fill(backed: &mut Lanes, legal: u64, result: Word, plies: &[u16], holds: [bool; 2]) {
    backed.fill(NONE);
    let (won, lost) = (result.won & legal, result.lost & legal);
    for bit in Bits(legal & !won & !lost) {
        backed[bit] = DRAW;
    }
    for bit in Bits(lost) {
        backed[bit] = match holds[1] {
            true => Wide::win(plies[bit].min(LONGEST) + 1).0,
            false => UNKNOWN,
        };
    }
    for bit in Bits(won) {
        backed[bit] = match holds[0] {
            true => Wide::loss(plies[bit].min(LONGEST) + 1).0,
            false => UNKNOWN_WIN,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Or they would be filled in, and not compared.
    #[test]
    fn lengths_that_are_held_are_never_unknown() {
        let word = Word {
            won: 1,
            lost: 2,
            void: 0,
        };
        for plies in [1, LONGEST, LONGEST + 1, Wide::LONGEST, u16::MAX] {
            let mut backed = [NONE; 64];
            fill(&mut backed, 7, word, &[plies; 64], [true; 2]);
            assert!(backed[0] != NONE && backed[0] < UNKNOWN_WIN, "{plies}");
            assert!(backed[1] > UNKNOWN, "{plies}");
            assert_eq!(backed[2], DRAW);
        }
    }
}
