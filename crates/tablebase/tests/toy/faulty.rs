//! The toy with a fault, so that the laws have something to find.

use std::ops::ControlFlow;

use duchamp_base::Value;
use duchamp_retro::{Code, Slice};
use duchamp_tablebase::{
    CellId, Game, Index, Metric, MoveFacts, Rules, View, Worth,
    laws::{self, Broken},
};

use crate::board::Position;
use crate::game::{Exits, Move, Numbering, Toy};
use crate::key::Key;

/// Captures are not said to convert.
const SILENT_CAPTURES: u8 = 0;
/// A table is found for its own pieces only.
const ONE_CODE: u8 = 1;
/// Duplicates are taken for canonical cells.
const DUPLICATES: u8 = 2;
/// Moves of the pawns are taken for moves that can be taken back.
const TIMID_PAWNS: u8 = 3;
/// No fault.
const NONE: u8 = 4;

/// The toy with a fault.
#[derive(Clone, Copy, Debug)]
struct Faulty<const FAULT: u8>;

impl<const FAULT: u8> Game for Faulty<FAULT> {
    const ID: u8 = 201;
    const NAME: &'static str = "faulty";
    const METRICS: &'static [Metric] = Toy::METRICS;
    const MAX_MEN: u32 = Toy::MAX_MEN;
    const TRIVIAL: Option<Key> = Toy::TRIVIAL;

    type Key = Key;
    type Index = Numbering;
    type Exits<'a, W: Worth> = Exits<'a, W>;

    fn exits<'a, W: Worth>(
        index: &'a Numbering,
        own: View<'a, Numbering, W::Own>,
        sub: &dyn Fn(Key) -> Option<View<'a, Numbering, Code>>,
    ) -> Exits<'a, W> {
        Toy::exits(index, own, sub)
    }

    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        Toy::slice(exits, slice)
    }

    fn all(men: u32) -> Vec<Key> {
        Toy::all(men)
    }

    fn codes(key: Key) -> [u64; 2] {
        let codes = Toy::codes(key);
        if FAULT == ONE_CODE {
            [codes[0]; 2]
        } else {
            codes
        }
    }
}

impl<const FAULT: u8> Rules for Faulty<FAULT> {
    type Position = Position;
    type Move = Move;

    fn position(index: &Numbering, at: CellId) -> Option<Position> {
        if FAULT == DUPLICATES && Index::legal(index, at.side, at.word()) >> at.bit() & 1 != 0 {
            return index.place(at);
        }
        Toy::position(index, at)
    }

    fn code(position: &Position) -> u64 {
        Toy::code(position)
    }

    fn cell(index: &Numbering, position: &Position, exchanged: bool) -> Option<CellId> {
        Toy::cell(index, position, exchanged)
    }

    fn men(position: &Position) -> u32 {
        Toy::men(position)
    }

    fn is_dead_draw(position: &Position) -> bool {
        Toy::is_dead_draw(position)
    }

    fn moves(position: &Position, mut each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        Toy::moves(position, |mut facts| {
            facts.converts &= FAULT != SILENT_CAPTURES;
            facts.zeroes &= FAULT != TIMID_PAWNS || facts.converts;
            each(facts)
        });
    }

    fn play(position: &Position, mv: Move) -> Position {
        Toy::play(position, mv)
    }

    fn stuck(position: &Position) -> Value {
        Toy::stuck(position)
    }

    fn notation(position: &Position) -> String {
        Toy::notation(position)
    }
}

#[test]
fn the_laws_find_faults() {
    fn check<const FAULT: u8>() -> Result<(), Broken> {
        laws::check::<Faulty<FAULT>>("KRvKP".parse().expect("a key"), 1_000, 3)
    }
    assert_eq!(check::<NONE>(), Ok(()));
    assert!(matches!(
        check::<SILENT_CAPTURES>(),
        Err(Broken::Move { .. })
    ));
    assert!(matches!(check::<ONE_CODE>(), Err(Broken::Shape(..))));
    assert!(matches!(check::<DUPLICATES>(), Err(Broken::Cell { .. })));
    assert!(matches!(check::<TIMID_PAWNS>(), Err(Broken::Move { .. })));
}
