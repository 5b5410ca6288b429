//! The network in a search: accumulators that are updated incrementally and lazily.
//!
//! A move stores its dirty pieces only. An evaluation updates the accumulators from the last position of the path where
//! they were computed. Where a king move changes a side's perspective, its accumulator is refreshed instead, from the last
//! board with the same perspective, which a refresh table keeps.

use super::features::{Perspective, output_bucket};
use super::kernels::Kernels;
use super::weights::{Block, Network};
use crate::{Evaluator, Explanation, Score};
use arrayvec::ArrayVec;
use duchamp_chess::{
    Bitboard, ByColor, Color, File, Move, MoveKind, Piece, Position, Role, Square,
};
use std::sync::Arc;

/// A piece on a square.
type PieceOnSquare = (Piece, Square);

/// An [`Evaluator`] by a [`Network`]; as many as there are threads may share one network.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    kernels: Kernels,
    /// The path from the root; states above `top` are reserved.
    states: Vec<AccumulatorState>,
    /// The accumulators of each state, White's and then Black's.
    accumulators: Vec<Block>,
    top: usize,
    refresh_table: ByColor<Vec<RefreshEntry>>,
}

/// One position of the path.
#[derive(Clone, Copy, Debug)]
struct AccumulatorState {
    change: DirtyPieces,
    /// The side whose perspective changes.
    needs_refresh: Option<Color>,
    /// Whose accumulator is computed.
    computed: ByColor<bool>,
}

/// The dirty pieces of a move: added and removed features.
#[derive(Clone, Copy, Debug)]
enum DirtyPieces {
    Nothing,
    Move {
        added: PieceOnSquare,
        removed: PieceOnSquare,
    },
    Capture {
        added: PieceOnSquare,
        removed: [PieceOnSquare; 2],
    },
    Castling {
        added: [PieceOnSquare; 2],
        removed: [PieceOnSquare; 2],
    },
}

/// An accumulator and its board, in the refresh table.
#[derive(Clone, Debug)]
struct RefreshEntry {
    men: ByColor<[Bitboard; 6]>,
    layer: Box<[Block]>,
}

impl AccumulatorState {
    const ROOT: AccumulatorState = AccumulatorState {
        change: DirtyPieces::Nothing,
        needs_refresh: None,
        computed: ByColor([false; 2]),
    };
}

impl NetworkEvaluator {
    /// An evaluator; [`Evaluator::reset`] sets its position.
    #[must_use]
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator::with_kernels(network, Kernels::detect())
    }

    /// An evaluator that uses portable code only: the same values, more slowly.
    #[must_use]
    pub fn portable(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator::with_kernels(network, Kernels::PORTABLE)
    }

    fn with_kernels(network: Arc<Network>, kernels: Kernels) -> NetworkEvaluator {
        let empty = RefreshEntry {
            men: ByColor::default(),
            layer: network.bias().into(),
        };
        let views = 2 * network.shape().inputs.king_buckets();
        NetworkEvaluator {
            kernels,
            states: vec![AccumulatorState::ROOT],
            accumulators: [network.bias(), network.bias()].concat(),
            top: 0,
            refresh_table: ByColor([vec![empty.clone(); views], vec![empty; views]]),
            network,
        }
    }

    /// The range of an accumulator in the list.
    #[inline]
    fn place(&self, frame: usize, side: Color) -> std::ops::Range<usize> {
        let width = self.network.width();
        let start = (2 * frame + side.index()) * width;
        start..start + width
    }

    /// Computes the accumulator of `side` for the position, the last of the path.
    #[inline]
    fn update_accumulator(&mut self, position: &Position, side: Color) {
        let view = self.network.shape().inputs.view(side, position.king(side));
        let mut known = self.top;
        while !self.states[known].computed[side] {
            if known == 0 || self.states[known].needs_refresh == Some(side) {
                self.refresh(position, view, side);
                return;
            }
            known -= 1;
        }
        for frame in known + 1..=self.top {
            self.advance(frame, view, side);
        }
    }

    /// Updates the accumulator of one state from the state before it.
    #[inline]
    fn advance(&mut self, frame: usize, view: Perspective, side: Color) {
        let (from, to) = (self.place(frame - 1, side), self.place(frame, side));
        let (before, after) = self.accumulators.split_at_mut(to.start);
        let (from, to) = (&before[from], &mut after[..to.len()]);
        let row = |(piece, square): PieceOnSquare| self.network.row(view.index(piece, square));
        let kernels = self.kernels;
        match self.states[frame].change {
            DirtyPieces::Nothing => to.copy_from_slice(from),
            DirtyPieces::Move { added, removed } => {
                kernels.step(from, to, [row(added)], [row(removed)]);
            }
            DirtyPieces::Capture { added, removed } => {
                kernels.step(from, to, [row(added)], removed.map(row));
            }
            DirtyPieces::Castling { added, removed } => {
                kernels.step(from, to, added.map(row), removed.map(row));
            }
        }
        self.states[frame].computed[side] = true;
    }

    /// Refreshes the accumulator of the last state from the refresh table.
    fn refresh(&mut self, position: &Position, view: Perspective, side: Color) {
        let place = self.place(self.top, side);
        let seen = &mut self.refresh_table[side][view.slot()];
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
        self.accumulators[place].copy_from_slice(&seen.layer);
        self.states[self.top].computed[side] = true;
    }
}

/// The dirty pieces of `mv`, played in `before`.
#[inline]
fn change(before: &Position, mv: Move, king_after: Square) -> DirtyPieces {
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
            return DirtyPieces::Castling {
                added: [(moved, king_after), (own(Role::Rook), rook_after)],
                removed: [(moved, from), (own(Role::Rook), to)],
            };
        }
    };
    let removed = (moved, from);
    match before.role_at(taken_on) {
        Some(role) => DirtyPieces::Capture {
            added,
            removed: [removed, (Piece { color: !us, role }, taken_on)],
        },
        None => DirtyPieces::Move { added, removed },
    }
}

impl Evaluator for NetworkEvaluator {
    fn reset(&mut self, _: &Position) {
        self.top = 0;
        self.states[0] = AccumulatorState::ROOT;
    }

    fn push(&mut self, before: &Position, mv: Option<Move>, after: &Position) {
        self.top += 1;
        if self.top == self.states.len() {
            self.states.push(AccumulatorState::ROOT);
            let more = 2 * self.network.width();
            self.accumulators.extend_from_within(..more);
        }
        let mut frame = AccumulatorState::ROOT;
        if let Some(mv) = mv {
            let us = before.turn();
            let (from, to) = (before.king(us), after.king(us));
            frame.change = change(before, mv, to);
            if from != to {
                let inputs = &self.network.shape().inputs;
                let turned = inputs.view(us, from) != inputs.view(us, to);
                frame.needs_refresh = turned.then_some(us);
            }
        }
        self.states[self.top] = frame;
    }

    fn pop(&mut self) {
        debug_assert!(self.top > 0, "nothing is taken back at the root");
        self.top = self.top.saturating_sub(1);
    }

    fn evaluate(&mut self, position: &Position) -> Score {
        let pieces = position.occupied().count();
        if pieces <= 4 && position.is_insufficient_material() {
            return Score::DRAW;
        }
        for side in Color::ALL {
            self.update_accumulator(position, side);
        }
        let us = position.turn();
        let network = &self.network;
        let bucket = output_bucket(pieces, network.shape().outputs);
        let [ours, theirs] = [us, !us].map(|side| &self.accumulators[self.place(self.top, side)]);
        let sum = self
            .kernels
            .output(ours, theirs, network.output_row(bucket));
        network.finish(sum, bucket)
    }

    fn explain(&mut self, position: &Position) -> Explanation {
        let score = self.evaluate(position);
        Explanation {
            hce: None,
            network: Some(score),
            score,
        }
    }
}
