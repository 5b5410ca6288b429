//! The network in a search: accumulators that are updated incrementally and lazily.
//!
//! A move stores its board only. An evaluation updates each side's accumulator from the last position of the path where it
//! was computed, position by position, by the pieces that stand otherwise. Where a king move changed a side's perspective
//! meanwhile, its accumulator comes from the last board with the same perspective, which a refresh table keeps.

use super::block::Block;
use super::features::{Perspective, Threats, output_bucket};
use super::kernels::Kernels;
use super::portable::{Difference, Features};
use super::weights::Network;
use crate::{Evaluator, Explanation, Score};
use duchamp_chess::{Bitboard, Board, ByColor, Color, Move, Position, Role, Square};
use std::sync::Arc;

/// An [`Evaluator`] by a [`Network`]; as many as there are threads may share one network.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    kernels: Kernels,
    /// The path from the root; frames above `top` are reserved.
    frames: Vec<Frame>,
    /// The accumulators of each frame, White's and then Black's.
    accumulators: Vec<Block>,
    top: usize,
    refresh_table: ByColor<Vec<RefreshEntry>>,
    /// Room for the difference of two boards.
    difference: Difference,
}

/// One position of the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    men: Men,
    /// Whether the threats of the men are known.
    has_threats: bool,
    /// Whose accumulator is computed.
    computed: ByColor<bool>,
}

/// A board with what the features tell pieces apart by.
#[derive(Clone, Copy, Debug)]
struct Men {
    board: Board,
    threats: Threats,
}

/// An accumulator and its men, in the refresh table.
#[derive(Clone, Debug)]
struct RefreshEntry {
    men: Men,
    layer: Box<[Block]>,
}

impl Frame {
    const EMPTY: Frame = Frame {
        men: Men::NONE,
        has_threats: false,
        computed: ByColor([false; 2]),
    };

    /// Nothing is computed yet.
    #[inline]
    fn set(&mut self, board: &Board) {
        self.men.board = *board;
        self.has_threats = false;
        self.computed = ByColor([false; 2]);
    }
}

impl Men {
    const NONE: Men = Men {
        board: Board::EMPTY,
        threats: Threats::NONE,
    };

    /// Appends the features of the men on some squares.
    #[inline]
    fn features(&self, squares: Bitboard, features: &mut Features) {
        // Empty squares are left out beforehand: no processor can guess which ones are.
        for square in squares & self.board.occupied() {
            if let Some(piece) = self.board.at(square) {
                features.push(self.threats.feature(piece, square));
            }
        }
    }

    /// What these men have and the men before had not, and what is gone.
    #[inline]
    fn since(&self, before: &Men, difference: &mut Difference) {
        difference.added.clear();
        difference.removed.clear();
        let restless = self.threats.differing(&before.threats) & self.board.occupied();
        let changed = self.board.differing(&before.board) | restless;
        before.features(changed, &mut difference.removed);
        self.features(changed, &mut difference.added);
    }
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

    /// An evaluator for each set of instructions that this processor has, portable code first: all give the same values.
    #[must_use]
    pub fn all(network: &Arc<Network>) -> Vec<NetworkEvaluator> {
        Kernels::all()
            .map(|kernels| NetworkEvaluator::with_kernels(Arc::clone(network), kernels))
            .collect()
    }

    fn with_kernels(network: Arc<Network>, kernels: Kernels) -> NetworkEvaluator {
        let empty = RefreshEntry {
            men: Men::NONE,
            layer: network.bias().into(),
        };
        let views = 2 * network.shape().inputs.king_buckets();
        NetworkEvaluator {
            kernels,
            frames: vec![Frame::EMPTY],
            accumulators: [network.bias(), network.bias()].concat(),
            top: 0,
            refresh_table: ByColor([vec![empty.clone(); views], vec![empty; views]]),
            difference: Difference::default(),
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

    /// Computes the accumulators of the last position of the path, and those on the way to it.
    fn update(&mut self) {
        let top = self.top;
        let known = ByColor(Color::ALL.map(|side| self.known(side)));
        let first = Color::ALL.into_iter().filter_map(|side| known[side]).min();
        for frame in first.unwrap_or(top)..=top {
            self.find_threats(frame);
        }
        for frame in first.map_or(top, |first| first) + 1..=top {
            let [before, now] = [frame - 1, frame].map(|frame| &self.frames[frame].men);
            now.since(before, &mut self.difference);
            for side in Color::ALL {
                if known[side].is_some_and(|known| known < frame) {
                    self.advance(frame, side);
                }
            }
        }
        for side in Color::ALL {
            if known[side].is_none() {
                self.refresh(side);
            }
        }
    }

    /// The perspective of a side in a frame.
    #[inline]
    fn view(&self, frame: usize, side: Color) -> Perspective {
        let kings = self.frames[frame].men.board.of(side, Role::King);
        let king = kings.first().unwrap_or(Square::A1);
        self.network.shape().inputs.view(side, king)
    }

    /// The last frame whose accumulator of a side is computed, if the side has one perspective from there on.
    #[inline]
    fn known(&self, side: Color) -> Option<usize> {
        let view = self.view(self.top, side);
        for frame in (0..=self.top).rev() {
            if self.frames[frame].computed[side] {
                return Some(frame);
            }
            if frame == 0 || self.view(frame - 1, side) != view {
                return None;
            }
        }
        None
    }

    #[inline]
    fn find_threats(&mut self, frame: usize) {
        let Frame {
            men, has_threats, ..
        } = &mut self.frames[frame];
        if !*has_threats {
            men.threats = self.network.shape().inputs.threats(&men.board);
            *has_threats = true;
        }
    }

    /// Computes the accumulator of a side from that of the frame before and the difference from it.
    #[inline]
    fn advance(&mut self, frame: usize, side: Color) {
        let view = self.view(frame, side);
        let (from, to) = (self.place(frame - 1, side), self.place(frame, side));
        let (before, after) = self.accumulators.split_at_mut(to.start);
        let (from, to) = (&before[from], &mut after[..to.len()]);
        self.kernels
            .change(from, to, self.network.rows(), &self.difference, view);
        self.frames[frame].computed[side] = true;
    }

    /// Computes the accumulator of a side from the refresh table.
    fn refresh(&mut self, side: Color) {
        let view = self.view(self.top, side);
        let place = self.place(self.top, side);
        let Frame { men, computed, .. } = &mut self.frames[self.top];
        let seen = &mut self.refresh_table[side][view.slot()];
        men.since(&seen.men, &mut self.difference);
        let to = &mut self.accumulators[place];
        self.kernels
            .change(&seen.layer, to, self.network.rows(), &self.difference, view);
        seen.layer.copy_from_slice(to);
        seen.men = *men;
        computed[side] = true;
    }
}

impl Evaluator for NetworkEvaluator {
    fn reset(&mut self, position: &Position) {
        self.top = 0;
        self.frames[0].set(position.board());
    }

    fn push(&mut self, _: &Position, _: Option<Move>, after: &Position) {
        self.top += 1;
        if self.top == self.frames.len() {
            self.frames.push(Frame::EMPTY);
            let more = 2 * self.network.width();
            self.accumulators.extend_from_within(..more);
        }
        self.frames[self.top].set(after.board());
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
        self.update();
        let us = position.turn();
        let network = &self.network;
        let bucket = output_bucket(pieces, network.shape().outputs);
        let [ours, theirs] = [us, !us].map(|side| &self.accumulators[self.place(self.top, side)]);
        let kernels = self.kernels;
        if let Some(layers) = network.layers(bucket) {
            return network.scaled(kernels.layers(ours, theirs, &layers));
        }
        let sum = kernels.output(ours, theirs, network.output_row(bucket));
        network.finish(sum, bucket)
    }

    fn explain(&mut self, position: &Position) -> Explanation {
        let score = self.evaluate(position);
        Explanation {
            pieces: self.network.piece_values(position),
            score,
        }
    }
}
