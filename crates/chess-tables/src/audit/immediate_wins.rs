//! Wins in one ply (a mate, or a winning capture or pawn move), which `.dtz` files omit.
//!
//! While the losses of a slice have no lengths yet, a move inside the slice is worth less than any capture,
//! pawn move or mate that wins. So the best move shows whether there is one of these, and whether the
//! 50-move rule draws it: such a cell is a trap, and its block must store all its wins.

use super::lanes::value;
use super::lanes::{DRAW, Lanes, MATE, NONE, UNKNOWN, set_of};
use super::moves::{Mover, Word, attacked};
use crate::game::Chess;
use crate::sides::side as side_of;
use duchamp_base::{Plies, Value};
use duchamp_chess::{Color, FIFTY_MOVES};
use duchamp_retro::{Bits, Wide};
use duchamp_tablebase::{CellId, FormatError, Metric, Table, Wrong};

/// The backed-up value of a move that wins by capture, pawn move or mate, and of one whose win is cursed.
const IMMEDIATE: u16 = Wide::win(1).0;
const CURSED: u16 = Wide::win(FIFTY_MOVES + 1).0;

/// Which blocks of a table omit wins in one ply.
pub(super) struct OmittingBlocks {
    block_words: usize,
    /// By stored side, block by block.
    sides: Vec<Vec<bool>>,
}

impl OmittingBlocks {
    pub(super) fn of(table: &Table<Chess>) -> Result<OmittingBlocks, FormatError> {
        let sides = 0..table.index.sides().len();
        let sides = sides.map(|side| table.omitting_blocks(Metric::Dtz, side));
        Ok(OmittingBlocks {
            block_words: table.block_words(Metric::Dtz)?,
            sides: sides.collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn has(&self, side: Color, word: usize) -> bool {
        self.sides[side.index().min(self.sides.len() - 1)][word / self.block_words]
    }
}

/// Finds the mates among the losses of a word.
pub(super) fn find_mates(mover: &Mover<'_>, number: usize, backed: &mut Lanes) {
    let lost = set_of(backed, |backed_up| backed_up == UNKNOWN);
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
        backed[bit] = MATE;
    }
}

/// Gives the wins in one ply of a word, of symmetric duplicates those `kept`, their backed-up value. `wrong` receives
/// traps.
pub(super) fn fill_wins(
    mover: &Mover<'_>,
    kept: u64,
    number: usize,
    backed: &mut Lanes,
    wrong: Wrong<'_>,
) {
    let wanted = set_of(backed, |backed_up| backed_up != NONE && backed_up < DRAW) & kept;
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
            IMMEDIATE => backed[bit] = Wide::loss(2).0,
            CURSED => {
                let (side, cell) = (mover.side(), (number * 64 + bit) as u64);
                let told = Value::Win(Plies(1));
                let at = CellId {
                    side: side_of(side),
                    cell,
                };
                wrong(at, told, value(backed[bit]));
            }
            _ => {}
        }
    }
}
