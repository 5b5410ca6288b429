//! Mutual zugzwangs: placements in which White gets less with White to move than with Black to move.
//!
//! Results suffice for that, so only the `.wdl` file is read, and 64 placements are looked at at a time.

use rayon::prelude::*;

use super::game::Chess;
use super::layout::Layout;
use super::material::Material;
use crate::aliases::{Store, VerifyError};
use duchamp_base::Control;
use duchamp_chess::{Color, Position};
use duchamp_retro::{Bits, Side};
use duchamp_tablebase::{CellId, FormatError, Rules, Table, Word, found_damaged};

/// Words that a thread takes at a time: those that a `.wdl` file checks together.
const CHUNK: usize = 4096;

/// Zugzwangs and the cell of the first.
type Found = (u64, Option<u64>);

/// The number of mutual zugzwangs of a table, each symmetry class once, and the first of them with White to move; computed on
/// the threads of the current rayon pool. Of a symmetric material a placement and its colour-changed duplicate count once.
/// The 50-move rule is disregarded.
///
/// # Errors
/// When cancelled, or when the table is missing or damaged.
pub fn mutual_zugzwangs(
    store: &Store,
    material: Material,
    control: &Control,
) -> Result<(u64, Option<Position>), VerifyError> {
    let table = store
        .table(material)
        .ok_or(VerifyError::Missing(material))?;
    let layout = &*table.index;
    let whole = match layout.sides() {
        [_] => table.words(0),
        _ => Ok(Vec::new()),
    };
    let whole = whole.map_err(|source| found_damaged(store, material, source))?;
    let words = layout.words();
    let (count, first) = (0..words.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            control.check()?;
            let words = chunk * CHUNK..words.min((chunk + 1) * CHUNK);
            if layout.sides().len() == 1 {
                return Ok(words
                    .map(|word| of_symmetric(layout, &whole, word))
                    .fold((0, None), sum));
            }
            let sides = [0, 1].map(|side| read(table, side, words.clone()));
            let [white, black] = sides;
            let error = |source| found_damaged(store, material, source);
            let (white, black) = (white.map_err(error)?, black.map_err(error)?);
            let each = words.zip(white.into_iter().zip(black));
            let found = each.map(|(word, (white, black))| {
                let zugzwangs = of_word(layout, word, white, black);
                (u64::from(zugzwangs.count_ones()), first_of(word, zugzwangs))
            });
            Ok(found.fold((0, None), sum))
        })
        .try_reduce(|| (0, None), |a, b| Ok::<_, VerifyError>(sum(a, b)))?;
    let side = Side::First;
    Ok((
        count,
        first.and_then(|cell| Chess::position(layout, CellId { side, cell })),
    ))
}

fn read(
    table: &Table<Chess>,
    side: usize,
    words: std::ops::Range<usize>,
) -> Result<Vec<Word>, FormatError> {
    let mut read = Vec::with_capacity(words.len());
    table.read_words(side, words, |word| read.push(word))?;
    Ok(read)
}

fn sum(a: Found, b: Found) -> Found {
    (a.0 + b.0, [a.1, b.1].into_iter().flatten().min())
}

fn first_of(word: usize, set: u64) -> Option<u64> {
    (set != 0).then(|| word as u64 * 64 + u64::from(set.trailing_zeros()))
}

/// The zugzwangs of a word: White loses on move, and not if Black is; or White wins only if Black is.
fn of_word(layout: &Layout, word: usize, white: Word, black: Word) -> u64 {
    // Few words have any, so what is void is asked last.
    let zugzwangs = (white.lost & !black.won) | (black.lost & !white.won);
    if zugzwangs == 0 {
        return 0;
    }
    let legal = layout.legal(Color::White, word) & layout.legal(Color::Black, word);
    zugzwangs & legal & layout.canonical(word)
}

/// The same of a table with one side to move: Black's result is White's in the duplicate with colours changed.
fn of_symmetric(layout: &Layout, words: &[Word], word: usize) -> Found {
    let legal = layout.legal(Color::White, word) & layout.canonical(word);
    let mut found = (0, None);
    for bit in Bits(legal & !words[word].won) {
        let at = CellId {
            side: Side::First,
            cell: (word * 64 + bit) as u64,
        };
        let duplicate = layout
            .place(at)
            .and_then(|(board, _)| layout.locate_as(&board, Color::Black, false));
        let Some(duplicate) = duplicate else { continue };
        let (other, place) = (duplicate.word(), duplicate.bit());
        // Of the two colourings of one placement one is counted.
        if at.cell > duplicate.cell || layout.legal(Color::White, other) >> place & 1 == 0 {
            continue;
        }
        let [lost, won] = [words[other].lost, words[other].won].map(|set| set >> place & 1 != 0);
        if lost || (words[word].lost >> bit & 1 != 0 && !won) {
            found = sum(found, (1, Some(at.cell)));
        }
    }
    found
}
