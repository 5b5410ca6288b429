//! The best exit of every position of a restricted table: two bits each, worked out once, before the solver is asked.
//!
//! This is most of the work where many positions can be left by captures, and the part that can be paused: rows that are
//! done are not done again.

use super::board::position;
use super::exit_value::ExitEvaluator;
use super::layout::{Placement, ROW, TableLayout};
use super::rules::Verdict;
use super::seeds::{best_exit, may_leave};
use duchamp_base::{Cancelled, Control, Gauge};
use duchamp_chess::{Bitboard, Color};
use rayon::prelude::*;

/// The best exits of both sides to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ExitTable {
    /// By side to move, White first.
    pub(super) halves: [Half; 2],
}

/// One side to move. No exit: neither bit; lost, drawn, won for the mover: the low, the high, both bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Half {
    pub(super) low: Vec<u64>,
    pub(super) high: Vec<u64>,
    /// By row, whether it is done.
    pub(super) done: Vec<bool>,
}

impl ExitTable {
    /// Nothing is done yet.
    pub(super) fn new(layout: &TableLayout) -> ExitTable {
        let words = layout.rows() * ROW;
        let half = Half {
            low: vec![0; words],
            high: vec![0; words],
            done: vec![false; layout.rows()],
        };
        ExitTable {
            halves: [half.clone(), half],
        }
    }

    /// Works out what is not done yet.
    pub(super) fn work(
        &mut self,
        layout: &TableLayout,
        evaluator: &ExitEvaluator<'_>,
        gauge: &Gauge,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let done = |half: &Half| half.done.iter().filter(|&&done| done).count() as u64;
        gauge.start(2 * layout.rows() as u64);
        gauge.add(self.halves.iter().map(done).sum());
        for (mover, half) in Color::ALL.into_iter().zip(&mut self.halves) {
            let rows = half
                .low
                .par_chunks_mut(ROW)
                .zip(half.high.par_chunks_mut(ROW))
                .zip(&mut half.done);
            rows.enumerate()
                .filter(|(_, (_, done))| !**done)
                .try_for_each(|(row, ((low, high), done))| {
                    control.check()?;
                    for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
                        (*low, *high) = word(layout, evaluator, mover, row * ROW + i);
                    }
                    *done = true;
                    gauge.add(1);
                    Ok(())
                })?;
        }
        Ok(())
    }
}

/// The exits of a word.
fn word(
    layout: &TableLayout,
    evaluator: &ExitEvaluator<'_>,
    mover: Color,
    word: usize,
) -> (u64, u64) {
    let Some(place) = (word < layout.words).then(|| layout.place(word)).flatten() else {
        return (0, 0);
    };
    let legal = layout.legal(mover, &place);
    let some = Bitboard(legal & may_leave(layout, evaluator, mover, &place));
    if some.is_empty() {
        return (0, 0);
    }
    let board = layout.board(&place);
    let mut men = men_of(layout, &place);
    let (mut low, mut high) = (0, 0);
    for square in some {
        let mut board = board;
        board.put(layout.bit_man(), square);
        men[square.index()] = layout.bit as u8;
        let exit = position(board, mover)
            .and_then(|position| best_exit(layout, evaluator, &position, &men));
        if let Some(verdict) = exit {
            let bit = 1 << square.index();
            if verdict != Verdict::Draw {
                low |= bit;
            }
            if verdict == Verdict::Draw || verdict == Verdict::won_for(mover) {
                high |= bit;
            }
        }
    }
    (low, high)
}

/// The pieces of a word by square; a square where none stands says anything.
fn men_of(layout: &TableLayout, place: &Placement) -> [u8; 64] {
    let mut men = [0; 64];
    for (digit, square) in layout.digits.iter().zip(place.at) {
        men[square.index()] = digit.man as u8;
    }
    let pawns = &layout.structures.all[place.structure].squares;
    for (&man, square) in layout.pawns.iter().zip(pawns) {
        men[square.index()] = man as u8;
    }
    men
}
