//! Wins at once, which `.dtz` files leave out.
//!
//! While the losses of a slice have no lengths yet, a move inside the slice is worth less than any capture,
//! pawn move or mate that wins. So the best move tells whether there is one of these, and whether the
//! 50-move rule spoils it: such a cell is a trap, and its block must tell all its wins.

use super::lanes::value;
use super::lanes::{DRAW, Lanes, MATE, NONE, UNKNOWN, set_of};
use super::moves::{Mover, Word, attacked};
use crate::game::Chess;
use crate::sides::side as side_of;
use duchamp_base::{Plies, Value};
use duchamp_chess::{Color, FIFTY_MOVES};
use duchamp_retro::{Bits, Wide};
use duchamp_tablebase::{CellId, FormatError, Metric, Table, Wrong};

/// The merit of a move that wins by capture, pawn move or mate, and of of one into a cursed win.
const AT_ONCE: u16 = Wide::win(1).0;
const CURSED: u16 = Wide::win(FIFTY_MOVES + 1).0;

/// Which blocks of a table leave wins at once out.
pub(super) struct LeftOut {
    block_words: usize,
    /// By stored side, block by block.
    sides: Vec<Vec<bool>>,
}

impl LeftOut {
    pub(super) fn of(table: &Table<Chess>) -> Result<LeftOut, FormatError> {
        let file = table.distances(Metric::Dtz);
        let file = file.ok_or(FormatError::Header("metric"))?;
        let blocks = file.container().side_blocks();
        let of_side = |side: usize| {
            let blocks = side * blocks..(side + 1) * blocks;
            blocks.map(|block| file.omits(block)).collect()
        };
        let sides = 0..table.index.sides().len();
        Ok(LeftOut {
            block_words: file.container().header().block_words as usize,
            sides: sides.map(of_side).collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn has(&self, side: Color, word: usize) -> bool {
        self.sides[side.index().min(self.sides.len() - 1)][word / self.block_words]
    }
}

/// Finds the mates among the losses of a word.
pub(super) fn find_mates(mover: &Mover<'_>, number: usize, merits: &mut Lanes) {
    let lost = set_of(merits, |merit| merit == UNKNOWN);
    if lost == 0 {
        return;
    }
    let fixed = mover.layout().fixed(number);
    let wanted = lost & attacked(mover.layout(), &fixed, mover.side());
    if wanted == 0 {
        return;
    }
    let word = Word {
        number,
        fixed: &fixed,
        wanted,
    };
    let best = mover.best(&word);
    for bit in Bits(wanted & set_of(&best, |best| best == NONE)) {
        merits[bit] = MATE;
    }
}

/// Gives the wins at once of a word, of symmetric twins those `kept`, their merit. `wrong` is told of
/// traps.
pub(super) fn fill_wins(
    mover: &Mover<'_>,
    kept: u64,
    number: usize,
    merits: &mut Lanes,
    wrong: Wrong<'_>,
) {
    let wanted = set_of(merits, |merit| merit != NONE && merit < DRAW) & kept;
    if wanted == 0 {
        return;
    }
    let fixed = mover.layout().fixed(number);
    let word = Word {
        number,
        fixed: &fixed,
        wanted,
    };
    let best = mover.best(&word);
    for bit in Bits(wanted) {
        match best[bit] {
            AT_ONCE => merits[bit] = Wide::loss(2).0,
            CURSED => {
                let (side, cell) = (mover.side(), (number * 64 + bit) as u64);
                let told = Value::Win(Plies(1));
                let at = CellId {
                    side: side_of(side),
                    cell,
                };
                wrong(at, told, value(merits[bit]));
            }
            _ => {}
        }
    }
}
