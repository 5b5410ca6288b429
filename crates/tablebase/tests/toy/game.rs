//! Kings, rooks and pawns on a board of 4x4: a whole game for the table machinery on two pages.
//!
//! Squares are numbered 0 to 15 by ranks. A pawn moves one square towards the other side's home rank, captures nothing
//! and becomes a rook on the last rank. Everything else is as in chess: a side in check without a move has lost,
//! without check the game is drawn, and a side that has neither rook nor pawn cannot win.

use std::ops::{ControlFlow, Range};

use duchamp_base::{Plies, Value};
use duchamp_retro::lists::{ListedPosition, Lists};
use duchamp_retro::{Cell, Code, Side, Slice};
use duchamp_tablebase::{
    CellId, Form, Game, Index, Metric, MoveFacts, Rules, TableKey, Verifiable, View, Worth,
};

use crate::board::{Kind, Position, at, counts, exchange, in_check, is_legal, rays};
use crate::key::Key;

/// Positions numbered by the placement of the pawns (the slice), then 16 squares for each other piece: First's king,
/// Second's king, First's rooks, Second's rooks.
#[derive(Debug)]
pub(crate) struct Numbering {
    key: Key,
    /// The squares of First's and Second's pawn, those nearer to promotion first.
    slices: Vec<[Option<u8>; 2]>,
    waves: Vec<Range<usize>>,
    legal: [Vec<u64>; 2],
    canonical: Vec<u64>,
}

/// Plies until the pawns have promoted.
fn to_go([first, second]: [Option<u8>; 2]) -> u8 {
    first.map_or(0, |square| 3 - square / 4) + second.map_or(0, |square| square / 4)
}

impl Numbering {
    fn men(&self) -> usize {
        2 + usize::from(self.key.rooks[0] + self.key.rooks[1])
    }

    /// The pieces of a cell; `None` if two share a square.
    pub(crate) fn place(&self, at: CellId) -> Option<Position> {
        let n = self.men();
        let slice = self.slices[(at.cell >> (4 * n)) as usize];
        let mut pieces = Vec::new();
        for (side, square) in Side::ALL.into_iter().zip(slice) {
            pieces.extend(square.map(|square| (side, Kind::Pawn, square)));
        }
        for (i, (side, kind)) in self.kinds().enumerate() {
            pieces.push((side, kind, (at.cell >> (4 * (n - 1 - i)) & 15) as u8));
        }
        let squares = pieces.iter().fold(0u16, |set, piece| set | 1 << piece.2);
        let position = Position {
            turn: at.side,
            pieces,
        };
        (squares.count_ones() as usize == position.pieces.len()).then_some(position)
    }

    /// The pieces other than pawns, in order.
    fn kinds(&self) -> impl Iterator<Item = (Side, Kind)> + '_ {
        let rooks = Side::ALL.into_iter().flat_map(|side| {
            std::iter::repeat_n((side, Kind::Rook), self.key.rooks[side.index()].into())
        });
        Side::ALL
            .map(|side| (side, Kind::King))
            .into_iter()
            .chain(rooks)
    }

    /// The cell of a position as it stands, identical pieces in ascending order.
    fn number(&self, position: &Position, mirror: u8) -> Option<u64> {
        let squares = |side, kind| {
            let mut squares: Vec<u8> = position
                .pieces
                .iter()
                .filter(|piece| (piece.0, piece.1) == (side, kind))
                .map(|piece| piece.2 ^ mirror)
                .collect();
            squares.sort_unstable();
            squares
        };
        let pawns = Side::ALL.map(|side| squares(side, Kind::Pawn).first().copied());
        let slice = self.slices.iter().position(|slice| *slice == pawns)? as u64;
        let kings = Side::ALL
            .into_iter()
            .flat_map(|side| squares(side, Kind::King));
        let rooks = Side::ALL
            .into_iter()
            .flat_map(|side| squares(side, Kind::Rook));
        Some(
            kings
                .chain(rooks)
                .fold(slice, |cell, square| cell << 4 | u64::from(square)),
        )
    }

    /// The canonical cell of a position of this table: of it and its mirror image the smaller number.
    fn locate(&self, position: &Position, exchanged: bool) -> Option<CellId> {
        let turned = exchanged || (self.key.is_symmetric() && position.turn == Side::Second);
        let position = if turned {
            exchange(position)
        } else {
            position.clone()
        };
        let cell = self.number(&position, 0)?.min(self.number(&position, 3)?);
        Some(CellId {
            side: position.turn,
            cell,
        })
    }
}

impl Index for Numbering {
    type Key = Key;

    fn new(key: Key) -> Numbering {
        let squares = |side: usize| match key.pawns[side] {
            0 => vec![None],
            // From the home rank to the one before the last.
            _ => (0..12).map(|n| Some(n + 4 * side as u8)).collect(),
        };
        let second = squares(1);
        let pairs = squares(0)
            .into_iter()
            .flat_map(|a| second.iter().map(move |&b| [a, b]));
        let mut slices: Vec<_> = pairs.filter(|[a, b]| a.is_none() || a != b).collect();
        slices.sort_by_key(|&slice| (to_go(slice), slice));
        let waves = slices
            .chunk_by(|&a, &b| to_go(a) == to_go(b))
            .scan(0, |start, wave| {
                let range = *start..*start + wave.len();
                *start = range.end;
                Some(range)
            });
        let mut index = Numbering {
            key,
            waves: waves.collect(),
            slices,
            legal: [Vec::new(), Vec::new()],
            canonical: Vec::new(),
        };
        for word in 0..index.words() as u64 {
            let set = |test: &dyn Fn(&Position, CellId) -> bool, side| {
                (0..64).fold(0, |set, bit| {
                    let at = CellId {
                        side,
                        cell: word * 64 + bit,
                    };
                    let placed = index.place(at).is_some_and(|position| test(&position, at));
                    set | u64::from(placed) << bit
                })
            };
            let legal = Side::ALL.map(|side| set(&|position, _| is_legal(position), side));
            let own = |position: &Position, at: CellId| index.locate(position, false) == Some(at);
            let canonical = set(&own, Side::First);
            index.canonical.push(canonical);
            for (words, legal) in index.legal.iter_mut().zip(legal) {
                words.push(legal);
            }
        }
        index
    }

    fn key(&self) -> Key {
        self.key
    }

    fn slices(&self) -> usize {
        self.slices.len()
    }

    fn waves(&self) -> &[Range<usize>] {
        &self.waves
    }

    fn row_words(&self) -> usize {
        1
    }

    fn slice_words(&self) -> usize {
        1 << (4 * self.men() - 6)
    }

    fn legal(&self, side: Side, word: usize) -> u64 {
        self.legal[side.index()][word]
    }

    fn canonical(&self, word: usize) -> u64 {
        self.canonical[word]
    }

    /// No position is its own mirror image: the kings stand on other files then.
    fn namings(&self, _: CellId) -> u64 {
        let ways = |count: u8| (1..=u64::from(count)).product::<u64>();
        self.key.rooks.map(ways).iter().product()
    }

    fn fill_duplicates(&self, codes: &mut [Code]) {
        for cell in 0..self.cells() {
            let side = Side::First;
            let position = self.place(CellId { side, cell });
            if let Some(kept) = position.and_then(|position| self.locate(&position, false)) {
                codes[cell as usize] = codes[kept.cell as usize];
            }
        }
    }

    fn exchanged_slice(&self, slice: usize) -> Option<usize> {
        let [first, second] = self.slices[slice];
        let other = [second, first].map(|square| square.map(|square| square ^ 12));
        let found = self.slices.iter().position(|slice| *slice == other);
        found.filter(|_| self.key.is_symmetric() && self.key.pawns() > 0)
    }

    fn exchanged_cells(&self, _: usize, each: &mut dyn FnMut(usize, usize)) {
        let (n, rooks) = (self.men(), usize::from(self.key.rooks[0]));
        for cell in 0..self.slice_words() * 64 {
            let square = |i: usize| cell >> (4 * (n - 1 - i)) & 15;
            // Kings and rooks change owners, and the board is turned.
            let order = [1, 0].into_iter().chain(2 + rooks..n).chain(2..2 + rooks);
            let other = order.fold(0, |other, i| other << 4 | (square(i) ^ 12));
            each(cell, other);
        }
    }

    /// Tables of four pieces are coded, in the contexts that need no knowledge of the game.
    fn form(&self) -> Form {
        if self.key.men() < 4 {
            Form::Direct
        } else {
            Form::Coded
        }
    }
}

/// The toy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Toy;

/// What leads out of slices: the views of the own table and of the others.
#[derive(Debug)]
pub(crate) struct Exits<'a, W: Worth> {
    own: View<'a, Numbering, W::Own>,
    subs: Vec<(Key, View<'a, Numbering, Code>)>,
    /// Whether a side without a move has lost even if it is not in check.
    pub(crate) stalemate_loses: bool,
}

impl Game for Toy {
    const ID: u8 = 200;
    const NAME: &'static str = "toy";
    const METRICS: &'static [Metric] = &Metric::ALL;
    const MAX_MEN: u32 = 4;
    const TRIVIAL: Option<Key> = Some(Key::BARE);

    type Key = Key;
    type Index = Numbering;
    type Exits<'a, W: Worth> = Exits<'a, W>;

    fn exits<'a, W: Worth>(
        index: &'a Numbering,
        own: View<'a, Numbering, W::Own>,
        sub: &dyn Fn(Key) -> Option<View<'a, Numbering, Code>>,
    ) -> Exits<'a, W> {
        let keys = index.key.children().into_iter().chain([Key::BARE]);
        Exits {
            own,
            subs: keys.filter_map(|key| Some((key, sub(key)?))).collect(),
            stalemate_loses: false,
        }
    }

    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        let index = exits.own.index;
        let cells = index.slice_words() as u64 * 64;
        let nodes = Side::ALL.map(|side| {
            let cells = slice as u64 * cells..(slice as u64 + 1) * cells;
            let node = |cell| match index.place(CellId { side, cell }) {
                Some(position) if is_legal(&position) => exits.node(&position),
                _ => ListedPosition::VOID,
            };
            cells.map(node).collect()
        });
        Lists::new(nodes)
    }

    fn all(men: u32) -> Vec<Key> {
        let names = match men {
            3 => &["KRvK", "KPvK"][..],
            4 => &["KRRvK", "KRvKR", "KRPvK", "KRvKP", "KPvKP"],
            _ => &[],
        };
        names
            .iter()
            .map(|name| name.parse().expect("a key"))
            .collect()
    }

    fn codes(key: Key) -> [u64; 2] {
        let turn = |[a, b]: [u8; 2]| [b, a];
        [
            Key::code(key.rooks, key.pawns),
            Key::code(turn(key.rooks), turn(key.pawns)),
        ]
    }
}

impl<W: Worth> Exits<'_, W> {
    /// A position as the solver sees it: moves inside the slice, and the best value that another gives.
    fn node(&self, position: &Position) -> ListedPosition<W::Cell> {
        let index = self.own.index;
        let cells = index.slice_words() as u64 * 64;
        let mut node = ListedPosition::<W::Cell> {
            lost_if_stuck: self.stalemate_loses || in_check(position, position.turn),
            ..ListedPosition::LEGAL
        };
        Toy::moves(position, |facts| {
            let after = Toy::play(position, facts.mv);
            if facts.converts {
                node.exit = node.exit.max(self.converting(&after));
            } else if facts.zeroes {
                node.exit = node.exit.max(self.pushed(&after));
            } else if let Some(cell) = index.number(&after, 0) {
                node.moves.push((cell % cells) as u32);
            }
            ControlFlow::Continue(())
        });
        node
    }

    /// What a pawn's move is worth: it leads into another slice, which is solved.
    fn pushed(&self, after: &Position) -> W::Cell {
        // A finished table of a symmetric key holds First to move only.
        let turned = self.own.first_only && after.turn == Side::Second;
        let after = if turned {
            exchange(after)
        } else {
            after.clone()
        };
        let cell = self.own.index.number(&after, 0);
        let cell = cell.expect("a position of this table") as usize;
        let side = after.turn.index();
        let cursed = self.own.cursed[side].is_some_and(|set| has(set, cell));
        if has(self.own.void[side], cell) {
            return W::Cell::NONE;
        }
        W::push(W::stored(self.own.codes[side][cell], cursed))
    }

    /// What a move into another table is worth; nothing if that table is not at hand.
    fn converting(&self, after: &Position) -> W::Cell {
        let (key, exchanged) = key_of(after);
        let Some((_, view)) = self.subs.iter().find(|sub| sub.0 == key) else {
            return W::Cell::NONE;
        };
        let at = view
            .index
            .locate(after, exchanged)
            .expect("a position of the table");
        let (side, cell) = (at.side.index(), at.cell as usize);
        let cursed = view.cursed[side].is_some_and(|set| has(set, cell));
        W::converting(view.codes[side][cell], cursed)
    }
}

fn has(set: &[u64], cell: usize) -> bool {
    set[cell / 64] >> (cell % 64) & 1 != 0
}

fn key_of(position: &Position) -> (Key, bool) {
    Key::canonical(counts(position, Kind::Rook), counts(position, Kind::Pawn))
}

/// From a square to another.
pub(crate) type Move = (u8, u8);

impl Rules for Toy {
    type Position = Position;
    type Move = Move;

    fn position(index: &Numbering, at: CellId) -> Option<Position> {
        let position = index.place(at).filter(is_legal)?;
        (index.locate(&position, false) == Some(at)).then_some(position)
    }

    fn code(position: &Position) -> u64 {
        Key::code(counts(position, Kind::Rook), counts(position, Kind::Pawn))
    }

    fn cell(index: &Numbering, position: &Position, exchanged: bool) -> Option<CellId> {
        index.locate(position, exchanged)
    }

    fn men(position: &Position) -> u32 {
        position.pieces.len() as u32
    }

    fn is_dead_draw(position: &Position) -> bool {
        position.pieces.len() == 2
    }

    fn moves(position: &Position, mut each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        let mut hand = |from, to, kind, captured: Option<_>| {
            let pawn = kind == Kind::Pawn;
            let promotes = pawn && (to / 4 == 0 || to / 4 == 3);
            let facts = MoveFacts {
                mv: (from, to),
                converts: captured.is_some() || promotes,
                zeroes: captured.is_some() || pawn,
                unstored: false,
            };
            let legal = is_legal(&Toy::play(position, (from, to)));
            legal && each(facts).is_break()
        };
        for &(side, kind, from) in position
            .pieces
            .iter()
            .filter(|piece| piece.0 == position.turn)
        {
            if kind == Kind::Pawn {
                let to = if side == Side::First {
                    from + 4
                } else {
                    from - 4
                };
                if at(position, to).is_none() && hand(from, to, kind, None) {
                    return;
                }
            }
            for to in rays(kind, from).into_iter().flat_map(|ray| {
                let reached = ray
                    .iter()
                    .position(|&square| at(position, square).is_some());
                ray[..reached.map_or(ray.len(), |n| n + 1)].to_vec()
            }) {
                let there = at(position, to);
                let free = there.is_none_or(|(owner, kind)| owner != side && kind != Kind::King);
                if free && hand(from, to, kind, there) {
                    return;
                }
            }
        }
    }

    fn play(position: &Position, (from, to): Move) -> Position {
        let mut pieces = position.pieces.clone();
        pieces.retain(|piece| piece.2 != to);
        for piece in pieces.iter_mut().filter(|piece| piece.2 == from) {
            piece.2 = to;
            if piece.1 == Kind::Pawn && (to / 4 == 0 || to / 4 == 3) {
                piece.1 = Kind::Rook;
            }
        }
        Position {
            pieces,
            turn: position.turn.other(),
        }
    }

    fn stuck(position: &Position) -> Value {
        if in_check(position, position.turn) {
            Value::Loss(Plies(0))
        } else {
            Value::Draw
        }
    }

    fn notation(position: &Position) -> String {
        format!("{:?} to move, {:?}", position.turn, position.pieces)
    }

    fn exchanged(position: &Position) -> Option<Position> {
        Some(exchange(position))
    }
}

/// By its rules alone.
impl Verifiable for Toy {}
