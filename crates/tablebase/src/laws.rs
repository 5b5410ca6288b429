//! The laws that a game must obey, tested on samples: the first test of each game.
//!
//! They hold the numbering of positions ([`Index`]) against the rules ([`Rules`]): names, symmetric duplicates, slices
//! and waves, and where moves may lead. How the slices move is tested by [`duchamp_retro::laws`], which [`check`] calls
//! too.

use duchamp_base::{Random, Value};
use duchamp_retro::{Code, Side};

use crate::format::Metric;
use crate::game::Game;
use crate::index::{CellId, Index, TableKey};
use crate::rules::Rules;
use crate::solve::{ToMate, View};
use std::ops::ControlFlow;

/// A law that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// The text of a key is not read back as the key, or does not fit a file's header.
    #[error("the name `{0}` is longer than 16 bytes, not ASCII, or not read back")]
    Name(String),
    /// A child is no smaller than its parent, so that tables would wait for each other.
    #[error("{0} leads to {1}, which is no smaller")]
    Child(String, String),
    /// Rows, slices and waves do not fit together.
    #[error("{0}: {1}")]
    Shape(String, &'static str),
    /// What the index says of a cell and what the rules say of its position contradict each other.
    #[error("{key} {at:?}: {what}")]
    Cell {
        /// The table.
        key: String,
        /// The cell.
        at: CellId,
        /// What is wrong.
        what: &'static str,
    },
    /// A move leads where it must not.
    #[error("{key}, {position}: {what}")]
    Move {
        /// The table.
        key: String,
        /// The position moved from.
        position: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The slice breaks a law of the solver.
    #[error("{0} slice {1}: {2}")]
    Slice(String, usize, duchamp_retro::laws::Broken),
}

/// Tests the laws on `samples` random cells of a table (and, for slices, as many sets); the same for the same `seed`.
///
/// - A key's name is ASCII of at most 16 bytes and read back; its children have fewer pieces, or as many and fewer
///   that cannot move back; an exchange of the sides gives another code unless the key is symmetric.
/// - Rows have words, slices are whole rows, and the waves all slices in order.
/// - A cell is legal and canonical exactly if it has a position; the position's cell is this one, found by its code.
/// - A legal cell that is not canonical gets the value of one that is.
/// - Slices that differ by an exchange of the sides are each other's, cell by cell.
/// - A move stays in its slice, goes to a slice of an earlier wave and then zeroes, or goes to a child (or an ending
///   without a table) and then converts.
/// - The slices obey the laws of [`duchamp_retro`].
///
/// # Errors
/// With the first law that is broken.
pub fn check<G: Rules>(key: G::Key, samples: usize, seed: u64) -> Result<(), Broken> {
    check_key::<G>(key)?;
    let index = G::Index::new(key);
    check_shape(&index)?;
    let mut random = Random::new(seed);
    check_duplicates(&index)?;
    for _ in 0..samples {
        let sides = index.stored_sides();
        let side = sides[random.below(sides.len())];
        let cell = random.below(index.cells() as usize) as u64;
        check_cell::<G>(&index, CellId { side, cell })?;
    }
    for _ in 0..4 {
        let slice = random.below(index.slices());
        check_exchange(&index, slice)?;
        check_slice::<G>(&index, slice, samples, random.next_u64())?;
    }
    Ok(())
}

fn check_key<G: Game>(key: G::Key) -> Result<(), Broken> {
    let name = key.to_string();
    let read = name.parse::<G::Key>();
    if name.len() > 16 || !name.is_ascii() || read.ok() != Some(key) {
        return Err(Broken::Name(name));
    }
    let size = |key: &G::Key| (key.men(), key.pawns());
    for child in key.children() {
        if size(&child) >= size(&key) || Some(child) == G::TRIVIAL {
            return Err(Broken::Child(name, child.to_string()));
        }
    }
    let [own, exchanged] = G::codes(key);
    if own == 0 || exchanged == 0 || (own == exchanged) != key.is_symmetric() {
        return Err(Broken::Shape(
            name,
            "its codes do not distinguish the sides",
        ));
    }
    Ok(())
}

fn check_shape<I: Index>(index: &I) -> Result<(), Broken> {
    let broken = |what| Err(Broken::Shape(index.key().to_string(), what));
    if index.row_words() == 0 {
        return broken("a row has no words");
    }
    if index.slice_words() == 0 || !index.slice_words().is_multiple_of(index.row_words()) {
        return broken("a slice is not made of whole rows");
    }
    let mut next = 0;
    for wave in index.waves() {
        if wave.start != next || wave.is_empty() {
            return broken("the waves are not all slices in order");
        }
        next = wave.end;
    }
    if next != index.slices() {
        return broken("the waves are not all slices");
    }
    Ok(())
}

/// Gives every canonical cell a value of its own, as far as a byte can, and looks where the others have theirs from.
fn check_duplicates<I: Index>(index: &I) -> Result<(), Broken> {
    const UNSET: Code = Code::LOWEST;
    for &side in index.stored_sides() {
        let mut codes = vec![UNSET; index.words() * 64];
        for (word, codes) in codes.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            let kept = index.legal(side, word) & index.canonical(word);
            for bit in duchamp_retro::Bits(kept) {
                codes[bit] = Code(1 + ((word * 64 + bit) % 255) as u8);
            }
        }
        let before = codes.clone();
        index.fill_duplicates(&mut codes);
        for word in 0..index.words() {
            for bit in duchamp_retro::Bits(index.legal(side, word)) {
                let cell = word * 64 + bit;
                let at = CellId {
                    side,
                    cell: cell as u64,
                };
                let what = if codes[cell] == UNSET {
                    "a duplicate has no canonical cell to take its value from"
                } else if before[cell] != UNSET && before[cell] != codes[cell] {
                    "filling the duplicates changes a canonical cell"
                } else {
                    continue;
                };
                let key = index.key().to_string();
                return Err(Broken::Cell { key, at, what });
            }
        }
    }
    Ok(())
}

fn check_cell<G: Rules>(index: &G::Index, at: CellId) -> Result<(), Broken> {
    let key = index.key();
    let broken = |what| {
        Err(Broken::Cell {
            key: key.to_string(),
            at,
            what,
        })
    };
    let kept = index.legal(at.side, at.word()) & index.canonical(at.word());
    let Some(position) = G::position(index, at) else {
        return if kept >> at.bit() & 1 == 0 {
            Ok(())
        } else {
            broken("a legal canonical cell has no position")
        };
    };
    if kept >> at.bit() & 1 == 0 {
        return broken("a cell that is void or a duplicate has a position");
    }
    if G::code(&position) != G::codes(key)[0] || G::men(&position) != key.men() {
        return broken("the position has other pieces");
    }
    if G::cell(index, &position, false) != Some(at) {
        return broken("the position has another cell");
    }
    if let Some(other) = G::exchanged(&position)
        && key.is_symmetric()
        && G::cell(index, &other, false) != Some(at)
    {
        return broken("with the sides exchanged the position has another cell");
    }
    check_moves::<G>(index, at, &position)
}

/// Whether a cell of a slice may be reached by a move from a cell of another, which then must zero.
fn check_moves<G: Rules>(
    index: &G::Index,
    at: CellId,
    position: &G::Position,
) -> Result<(), Broken> {
    let key = index.key();
    let children = key.children();
    let slice_of = |at: CellId| at.word() / index.slice_words();
    let wave_of = |slice| index.waves().iter().position(|wave| wave.contains(&slice));
    let (mut broken, mut moves) = (None, 0);
    G::moves(position, |facts| {
        moves += 1;
        let after = G::play(position, facts.mv);
        let code = G::code(&after);
        let own = G::codes(key).contains(&code);
        let child = |child: &G::Key| G::codes(*child).contains(&code);
        let trivial = G::TRIVIAL.is_some_and(|key| child(&key)) || G::is_dead_draw(&after);
        broken = if own {
            let exchanged = code != G::codes(key)[0];
            match G::cell(index, &after, exchanged) {
                None => Some("a move inside the table leads to no cell"),
                Some(_) if facts.converts => Some("a move inside the table converts"),
                // Where nothing counts to zeroing, moves need not say whether they leave a wave.
                Some(to) if !G::METRICS.contains(&Metric::Dtz) => (wave_of(slice_of(to))
                    > wave_of(slice_of(at)))
                .then_some("a move leads to a later wave"),
                Some(to) if !facts.zeroes => {
                    // Symmetric duplicates and exchanged sides may lie in other slices, but in no other wave.
                    (wave_of(slice_of(to)) != wave_of(slice_of(at)))
                        .then_some("a move that can be taken back leads to another wave")
                }
                Some(to) => (wave_of(slice_of(to)) >= wave_of(slice_of(at)))
                    .then_some("a move that cannot be taken back leads to no earlier wave"),
            }
        } else if !trivial && !children.iter().any(child) {
            Some("a move leads to a table that is no child")
        } else {
            (!facts.converts || !facts.zeroes).then_some("a move to another table does not convert")
        };
        match broken {
            None => ControlFlow::Continue(()),
            Some(_) => ControlFlow::Break(()),
        }
    });
    if moves == 0 && !matches!(G::stuck(position), Value::Loss(_) | Value::Draw) {
        broken = Some("a side without moves wins");
    }
    match broken {
        None => Ok(()),
        Some(what) => Err(Broken::Move {
            key: key.to_string(),
            position: G::notation(position),
            what,
        }),
    }
}

/// Slices that differ by an exchange of the sides are each other's, and so are their cells.
fn check_exchange<I: Index>(index: &I, slice: usize) -> Result<(), Broken> {
    let Some(other) = index.exchanged_slice(slice) else {
        return Ok(());
    };
    let broken = |what| Err(Broken::Shape(index.key().to_string(), what));
    if index.exchanged_slice(other) != Some(slice) {
        return broken("the slice with the sides exchanged is not exchanged back");
    }
    let words = index.slice_words();
    let has = |side, slice: usize, cell: usize| {
        index.legal(side, slice * words + cell / 64) >> (cell % 64) & 1 != 0
    };
    let mut seen = vec![false; words * 64];
    let mut fits = true;
    index.exchanged_cells(slice, &mut |cell, to| {
        fits &= !std::mem::replace(&mut seen[to], true)
            && has(Side::First, slice, cell) == has(Side::Second, other, to)
            && has(Side::Second, slice, cell) == has(Side::First, other, to);
    });
    if !fits || seen.contains(&false) {
        return broken("cells of exchanged slices do not correspond one to one");
    }
    Ok(())
}

/// The laws of the solver, on a slice whose exits lead to nothing.
fn check_slice<G: Game>(
    index: &G::Index,
    slice: usize,
    samples: usize,
    seed: u64,
) -> Result<(), Broken> {
    let (codes, void) = (
        vec![Code::LOWEST; index.words() * 64],
        vec![!0; index.words()],
    );
    let own = View {
        index,
        codes: [&codes[..]; 2],
        void: [&void[..]; 2],
        cursed: [None; 2],
        first_only: false,
    };
    let exits = G::exits::<ToMate>(index, own, &|_| None);
    duchamp_retro::laws::check(&G::slice(&exits, slice), samples.min(60), seed)
        .map_err(|broken| Broken::Slice(index.key().to_string(), slice, broken))
}
