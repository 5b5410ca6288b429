//! The network in a search: hidden layers that follow the moves.
//!
//! A move only notes what it changes. An evaluation brings the hidden layers forward from the last
//! position of the path where they were known. Where a side's king has changed how that side
//! sees the board, they are made from the last board seen that way instead, which a cache remembers.

use super::features::{View, output_bucket};
use super::kernels::Kernels;
use super::weights::{Block, Network};
use crate::{Evaluator, Score};
use arrayvec::ArrayVec;
use duchamp_chess::{
    Bitboard, ByColor, Color, File, Move, MoveKind, Piece, Position, Role, Square,
};
use std::sync::Arc;

/// A man on a square.
type Man = (Piece, Square);

/// An [`Evaluator`] by a [`Network`]; as many as there are threads may share one network.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    kernels: Kernels,
    /// The path from the root; entries above `top` are memory for later.
    frames: Vec<Frame>,
    /// The hidden layers of each frame, White's and then Black's.
    layers: Vec<Block>,
    top: usize,
    cache: ByColor<Vec<Seen>>,
}

/// One position of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    change: Change,
    /// Whose view of the board it changes.
    turned: Option<Color>,
    /// Whose hidden layer is known.
    known: ByColor<bool>,
}

/// What a move changes.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Move { added: Man, removed: Man },
    Capture { added: Man, removed: [Man; 2] },
    Castling { added: [Man; 2], removed: [Man; 2] },
}

/// A hidden layer and the board that it is of.
#[derive(Clone, Debug)]
struct Seen {
    men: ByColor<[Bitboard; 6]>,
    layer: Box<[Block]>,
}

impl Frame {
    const ROOT: Frame = Frame {
        change: Change::Nothing,
        turned: None,
        known: ByColor([false; 2]),
    };
}

impl NetworkEvaluator {
    /// An evaluator, to be told a position by [`Evaluator::reset`].
    #[must_use]
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator::with_kernels(network, Kernels::detect())
    }

    /// The same by code for any processor: the same values, more slowly.
    #[must_use]
    pub fn portable(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator::with_kernels(network, Kernels::PORTABLE)
    }

    fn with_kernels(network: Arc<Network>, kernels: Kernels) -> NetworkEvaluator {
        let empty = Seen {
            men: ByColor::default(),
            layer: network.bias().into(),
        };
        let views = 2 * network.shape().inputs.king_buckets();
        NetworkEvaluator {
            kernels,
            frames: vec![Frame::ROOT],
            layers: [network.bias(), network.bias()].concat(),
            top: 0,
            cache: ByColor([vec![empty.clone(); views], vec![empty; views]]),
            network,
        }
    }

    /// Where the hidden layer of a frame lies.
    #[inline]
    fn place(&self, frame: usize, side: Color) -> std::ops::Range<usize> {
        let width = self.network.width();
        let start = (2 * frame + side.index()) * width;
        start..start + width
    }

    /// Makes the hidden layer of `side` known for the position, which is the path's last.
    #[inline]
    fn bring_forward(&mut self, position: &Position, side: Color) {
        let view = self.network.shape().inputs.view(side, position.king(side));
        let mut known = self.top;
        while !self.frames[known].known[side] {
            if known == 0 || self.frames[known].turned == Some(side) {
                self.refresh(position, view, side);
                return;
            }
            known -= 1;
        }
        for frame in known + 1..=self.top {
            self.advance(frame, view, side);
        }
    }

    /// From the hidden layer of one frame to that of the next.
    #[inline]
    fn advance(&mut self, frame: usize, view: View, side: Color) {
        let (from, to) = (self.place(frame - 1, side), self.place(frame, side));
        let (before, after) = self.layers.split_at_mut(to.start);
        let (from, to) = (&before[from], &mut after[..to.len()]);
        let row = |(piece, square): Man| self.network.row(view.index(piece, square));
        let kernels = self.kernels;
        match self.frames[frame].change {
            Change::Nothing => to.copy_from_slice(from),
            Change::Move { added, removed } => {
                kernels.step(from, to, [row(added)], [row(removed)]);
            }
            Change::Capture { added, removed } => {
                kernels.step(from, to, [row(added)], removed.map(row));
            }
            Change::Castling { added, removed } => {
                kernels.step(from, to, added.map(row), removed.map(row));
            }
        }
        self.frames[frame].known[side] = true;
    }

    /// The hidden layer of the last frame from the board last seen in the same way.
    fn refresh(&mut self, position: &Position, view: View, side: Color) {
        let place = self.place(self.top, side);
        let seen = &mut self.cache[side][view.slot()];
        let mut added = ArrayVec::<usize, 64>::new();
        let mut removed = ArrayVec::<usize, 64>::new();
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = Piece { color, role };
                let now = position.of(color, role);
                let before = std::mem::replace(&mut seen.men[color][role.index()], now);
                added.extend((now - before).into_iter().map(|at| view.index(piece, at)));
                removed.extend((before - now).into_iter().map(|at| view.index(piece, at)));
            }
        }
        let weights = self.network.rows();
        self.kernels
            .change(&mut seen.layer, weights, &added, &removed);
        self.layers[place].copy_from_slice(&seen.layer);
        self.frames[self.top].known[side] = true;
    }
}

/// What `mv` changes, played in `before`.
#[inline]
fn change(before: &Position, mv: Move, king_after: Square) -> Change {
    let us = before.turn();
    let own = |role| Piece { color: us, role };
    let (from, to) = (mv.from(), mv.to());
    let moved = own(before.role_at(from).unwrap_or(Role::Pawn));
    let (added, taken_on) = match mv.kind() {
        MoveKind::Normal => ((moved, to), to),
        MoveKind::Promotion => ((own(mv.promotion().unwrap_or(Role::Queen)), to), to),
        MoveKind::EnPassant => ((moved, to), Square::at(to.file(), from.rank())),
        MoveKind::Castling => {
            let rook_file = match king_after.file() {
                File::G => File::F,
                _ => File::D,
            };
            let rook_after = Square::at(rook_file, king_after.rank());
            return Change::Castling {
                added: [(moved, king_after), (own(Role::Rook), rook_after)],
                removed: [(moved, from), (own(Role::Rook), to)],
            };
        }
    };
    let removed = (moved, from);
    match before.role_at(taken_on) {
        Some(role) => Change::Capture {
            added,
            removed: [removed, (Piece { color: !us, role }, taken_on)],
        },
        None => Change::Move { added, removed },
    }
}

impl Evaluator for NetworkEvaluator {
    fn reset(&mut self, _: &Position) {
        self.top = 0;
        self.frames[0] = Frame::ROOT;
    }

    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position) {
        self.top += 1;
        if self.top == self.frames.len() {
            self.frames.push(Frame::ROOT);
            let more = 2 * self.network.width();
            self.layers.extend_from_within(..more);
        }
        let mut frame = Frame::ROOT;
        if let Some(mv) = mv {
            let us = before.turn();
            let (from, to) = (before.king(us), after.king(us));
            frame.change = change(before, mv, to);
            if from != to {
                let inputs = &self.network.shape().inputs;
                let turned = inputs.view(us, from) != inputs.view(us, to);
                frame.turned = turned.then_some(us);
            }
        }
        self.frames[self.top] = frame;
    }

    fn pop(&mut self) {
        debug_assert!(self.top > 0, "nothing is taken back at the root");
        self.top = self.top.saturating_sub(1);
    }

    fn evaluate(&mut self, position: &Position) -> Score {
        let men = position.occupied().count();
        if men <= 4 && position.is_insufficient_material() {
            return Score::DRAW;
        }
        for side in Color::ALL {
            self.bring_forward(position, side);
        }
        let us = position.turn();
        let network = &self.network;
        let bucket = output_bucket(men, network.shape().outputs);
        let [ours, theirs] = [us, !us].map(|side| &self.layers[self.place(self.top, side)]);
        let sum = self
            .kernels
            .output(ours, theirs, network.output_row(bucket));
        network.finish(sum, bucket)
    }
}
