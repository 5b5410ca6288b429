//! Mutual zugzwangs: placements in which White gets less with White to move than with Black to move.
//!
//! Results suffice for that, so only the `.wdl` file is read, and 64 placements are compared at a time.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use super::game::Chess;
use super::layout::Layout;
use super::material::Material;
use crate::aliases::{Store, VerifyError};
use duchamp_base::Control;
use duchamp_chess::{Color, Position};
use duchamp_retro::{Bits, Side};
use duchamp_tablebase::{CellId, Rules, Table, Word, found_damaged};

/// Words that a thread takes at a time: those that a `.wdl` file checks together.
const CHUNK: usize = 4096;
/// Chunks that are scanned before their zugzwangs are handed on: bounds the memory of a listing.
const BATCH: usize = 64;
/// Zugzwangs that are handed on together.
const HANDFUL: usize = 4096;

/// What a mutual zugzwang costs the side that has to move. The names are White's result with Black to move, then with
/// White to move; White is the stronger side of the material.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ZugzwangKind {
    /// Whoever moves loses.
    FullPoint,
    /// White wins if Black has to move, and draws if White has to move.
    WinDraw,
    /// White draws if Black has to move, and loses if White has to move.
    DrawLoss,
}

impl ZugzwangKind {
    /// All kinds.
    pub const ALL: [ZugzwangKind; 3] = [
        ZugzwangKind::FullPoint,
        ZugzwangKind::WinDraw,
        ZugzwangKind::DrawLoss,
    ];

    /// The name on the command line and in JSON output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ZugzwangKind::FullPoint => "full-point",
            ZugzwangKind::WinDraw => "win-draw",
            ZugzwangKind::DrawLoss => "draw-loss",
        }
    }
}

/// A mutual zugzwang.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MutualZugzwang {
    /// The position with White to move. With Black to move it is legal, too.
    pub position: Position,
    /// What it costs the side that has to move.
    pub kind: ZugzwangKind,
}

/// How many mutual zugzwangs a table has, each symmetry class once, identical pieces not distinguished.
#[derive(Clone, Copy, Default, Debug)]
pub struct ZugzwangCounts {
    /// Whoever moves loses.
    pub full_point: u64,
    /// White wins if Black has to move, and draws if White has to move.
    pub win_draw: u64,
    /// White draws if Black has to move, and loses if White has to move.
    pub draw_loss: u64,
    /// One of them, with White to move.
    pub first: Option<Position>,
}

impl ZugzwangCounts {
    /// All kinds together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.full_point + self.win_draw + self.draw_loss
    }

    /// Those of one kind.
    #[must_use]
    pub const fn of(&self, kind: ZugzwangKind) -> u64 {
        match kind {
            ZugzwangKind::FullPoint => self.full_point,
            ZugzwangKind::WinDraw => self.win_draw,
            ZugzwangKind::DrawLoss => self.draw_loss,
        }
    }
}

/// Counts the mutual zugzwangs of a table on the threads of the current rayon pool. The 50-move rule is disregarded.
///
/// Of a symmetric material (as KPvKP) a placement and its colour-changed duplicate count once, with White as the side
/// that wins if the other has to move: such a material has no draw-loss zugzwangs.
///
/// # Errors
/// When cancelled, or when the table is missing or damaged.
pub fn mutual_zugzwangs(
    store: &Store,
    material: Material,
    control: &Control,
) -> Result<ZugzwangCounts, VerifyError> {
    let scan = Scan::new(store, material)?;
    let (counts, first) = (0..scan.chunks())
        .into_par_iter()
        .map(|chunk| {
            control.check()?;
            let (mut counts, mut first) = ([0; 3], None);
            scan.chunk(chunk, &mut |cell, kind| {
                counts[kind as usize] += 1;
                first = [first, Some(cell)].into_iter().flatten().min();
            })?;
            Ok((counts, first))
        })
        .try_reduce(
            || ([0; 3], None),
            |a, b| {
                let counts = [0, 1, 2].map(|kind| a.0[kind] + b.0[kind]);
                Ok::<_, VerifyError>((counts, [a.1, b.1].into_iter().flatten().min()))
            },
        )?;
    Ok(ZugzwangCounts {
        full_point: counts[ZugzwangKind::FullPoint as usize],
        win_draw: counts[ZugzwangKind::WinDraw as usize],
        draw_loss: counts[ZugzwangKind::DrawLoss as usize],
        first: first.and_then(|cell| scan.position(cell)),
    })
}

/// Calls `each` with all mutual zugzwangs of a table, some thousand at a time and in the order of the table
/// (of symmetric material, those with Black to move beside their images), until it breaks: those that [`mutual_zugzwangs`] counts. Computed on the threads of the current rayon pool; memory does not
/// grow with the table, unless its material is symmetric.
///
/// # Errors
/// When cancelled, or when the table is missing or damaged.
pub fn each_mutual_zugzwang(
    store: &Store,
    material: Material,
    control: &Control,
    each: &mut dyn FnMut(&[MutualZugzwang]) -> ControlFlow<()>,
) -> Result<(), VerifyError> {
    let scan = Scan::new(store, material)?;
    let chunks = scan.chunks();
    for batch in (0..chunks).step_by(BATCH) {
        let lists = (batch..chunks.min(batch + BATCH))
            .into_par_iter()
            .map(|chunk| {
                control.check()?;
                let mut list = Vec::new();
                scan.chunk(chunk, &mut |cell, kind| list.push((cell, kind)))?;
                Ok(list)
            })
            .collect::<Result<Vec<_>, VerifyError>>()?;
        for handful in lists.concat().chunks(HANDFUL) {
            let placed = handful.par_iter().filter_map(|&(cell, kind)| {
                let position = scan.position(cell)?;
                Some(MutualZugzwang { position, kind })
            });
            if each(&placed.collect::<Vec<_>>()).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A table whose words are compared.
struct Scan<'s> {
    store: &'s Store,
    material: Material,
    table: &'s Table<Chess>,
    /// All words, if the table holds one side to move only: the colour-changed duplicate of a cell may be anywhere.
    whole: Vec<Word>,
}

impl<'s> Scan<'s> {
    fn new(store: &'s Store, material: Material) -> Result<Scan<'s>, VerifyError> {
        let table = store
            .table(material)
            .ok_or(VerifyError::Missing(material))?;
        let whole = match table.index.sides() {
            [_] => table.words(0),
            _ => Ok(Vec::new()),
        };
        Ok(Scan {
            store,
            material,
            table,
            whole: whole.map_err(|source| found_damaged(store, material, source))?,
        })
    }

    fn layout(&self) -> &Layout {
        &self.table.index
    }

    fn chunks(&self) -> usize {
        self.layout().words().div_ceil(CHUNK)
    }

    /// The position of a cell with White to move.
    fn position(&self, cell: u64) -> Option<Position> {
        let side = Side::First;
        Chess::position(self.layout(), CellId { side, cell })
    }

    /// Calls `found` with the zugzwangs of a chunk.
    fn chunk(
        &self,
        chunk: usize,
        found: &mut dyn FnMut(u64, ZugzwangKind),
    ) -> Result<(), VerifyError> {
        let words = chunk * CHUNK..self.layout().words().min((chunk + 1) * CHUNK);
        if self.layout().sides().len() == 1 {
            for word in words {
                of_symmetric(self.layout(), &self.whole, word, found);
            }
            return Ok(());
        }
        let white = self.read(0, words.clone())?;
        let black = self.read(1, words.clone())?;
        for (word, (white, black)) in words.zip(white.into_iter().zip(black)) {
            of_word(self.layout(), word, white, black, found);
        }
        Ok(())
    }

    fn read(&self, side: usize, words: Range<usize>) -> Result<Vec<Word>, VerifyError> {
        let mut read = Vec::with_capacity(words.len());
        let result = self
            .table
            .read_words(side, words, |word| read.push(word))
            .map_err(|source| found_damaged(self.store, self.material, source));
        result.map(|()| read)
    }
}

/// The zugzwangs of a word.
fn of_word(
    layout: &Layout,
    word: usize,
    white: Word,
    black: Word,
    found: &mut dyn FnMut(u64, ZugzwangKind),
) {
    let sets = [
        (ZugzwangKind::FullPoint, white.lost & black.lost),
        (
            ZugzwangKind::WinDraw,
            black.lost & !(white.won | white.lost),
        ),
        (
            ZugzwangKind::DrawLoss,
            white.lost & !(black.won | black.lost),
        ),
    ];
    // Few words have any, so what is legal is worked out last.
    if sets.iter().all(|(_, set)| *set == 0) {
        return;
    }
    let legal = layout.legal(Color::White, word) & layout.legal(Color::Black, word);
    let kept = legal & layout.canonical(word);
    for (kind, set) in sets {
        for bit in Bits(set & kept) {
            found((word * 64 + bit) as u64, kind);
        }
    }
}

/// The same of a table with one side to move: Black's result is White's in the duplicate with colours changed.
fn of_symmetric(
    layout: &Layout,
    words: &[Word],
    word: usize,
    found: &mut dyn FnMut(u64, ZugzwangKind),
) {
    let legal = layout.legal(Color::White, word) & layout.canonical(word);
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
        match (words[word].lost >> bit & 1 != 0, lost) {
            (true, true) => found(at.cell, ZugzwangKind::FullPoint),
            (false, true) => found(at.cell, ZugzwangKind::WinDraw),
            // In the other colouring it is White who draws on move.
            (true, false) if !won => found(duplicate.cell, ZugzwangKind::WinDraw),
            _ => {}
        }
    }
}
