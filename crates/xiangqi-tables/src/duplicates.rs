//! Duplicates: cells that stand for the same position.
//!
//! They arise from identical attackers, and where the defenders are their own mirror image. The solver fills all of
//! them; files keep one.

use duchamp_retro::Code;
use duchamp_xiangqi::Role;
use rayon::prelude::*;

use crate::geometry::{FILES, SQUARES, mirror};
use crate::layout::{Layout, Placement};

/// The middle file.
const MIDDLE: u8 = FILES / 2;

impl Layout {
    /// Whether a placement is its own mirror image, identical men not distinguished.
    fn is_own_image(&self, placement: &Placement) -> bool {
        let [red, black] = placement.defenders;
        let [reds, blacks] = self.pairs().camps();
        if reds.get(red).mirror != red || blacks.get(black).mirror != black {
            return false;
        }
        let men = || self.attackers().zip(&placement.attackers);
        men().all(|(role, &square)| men().any(|other| other == (role, &mirror(square))))
    }

    /// How many positions a cell stands for when identical men are distinguished, mirror images once.
    pub(crate) fn orders_of(&self, cell: usize) -> u64 {
        let all = self.material().orders();
        let Some(placement) = self.placement(cell).filter(|_| all > 1) else {
            return all;
        };
        // Where a position is its own image, the mirror names its men another way unless all are on the middle file.
        if self.is_own_image(&placement) && self.leaves_middle(&placement) {
            all / 2
        } else {
            all
        }
    }

    /// How many ordered placements a cell stands for, mirror images among them: the weight of Wu and Beal's counts.
    pub fn placements_of(&self, cell: usize) -> u64 {
        let all = self.material().orders();
        match self.placement(cell) {
            Some(placement) if self.is_own_image(&placement) => all,
            _ => 2 * all,
        }
    }

    fn leaves_middle(&self, placement: &Placement) -> bool {
        let [red, black] = placement.defenders;
        let [reds, blacks] = self.pairs().camps();
        let (red, black) = (reds.get(red), blacks.get(black));
        let mut men = red
            .advisors
            .iter()
            .chain(&red.elephants)
            .chain(&black.advisors);
        men.any(|square| square % FILES != MIDDLE)
            || [red.king, black.king]
                .iter()
                .any(|square| square % FILES != MIDDLE)
            || black
                .elephants
                .iter()
                .chain(&placement.attackers)
                .any(|square| square % FILES != MIDDLE)
    }

    /// Copies the value of every canonical cell to its duplicates.
    pub(crate) fn copy_duplicates(&self, codes: &mut [Code]) {
        let (n, m) = (self.indexed().len(), self.pawns().pawns());
        if self.lane() == Role::Pawn && m > 0 {
            // They may lie in different slices.
            for cell in 0..codes.len() {
                self.copy_to(codes, 0, cell);
            }
            return;
        }
        let step = crate::pawns::PLACES.pow(m as u32);
        let last_two = n > 0 && self.indexed()[n - 1] == self.lane();
        let roles: Vec<Role> = self.attackers().collect();
        let runs = roles.chunk_by(|a, b| a == b);
        let simple = last_two
            && m < 2
            && runs.filter(|run| run.len() > 1).count() <= 1
            && !(n > 1 && self.indexed()[n - 2] == self.lane());
        codes
            .par_chunks_mut(self.lanes() * 128)
            .enumerate()
            .for_each(|(number, row)| {
                let symmetric = self.pairs().is_symmetric(number % self.pairs().len());
                if simple && !symmetric {
                    // The lane piece and the last digit change places.
                    for lane in 0..self.lanes() {
                        let digit = lane / step % SQUARES;
                        let base = lane - digit * step;
                        for square in 0..digit {
                            row[lane * 128 + square] = row[(base + square * step) * 128 + digit];
                        }
                    }
                } else if symmetric || roles.windows(2).any(|pair| pair[0] == pair[1]) {
                    let first = number * self.lanes() * 128;
                    for cell in 0..row.len() {
                        self.copy_to(row, first, first + cell);
                    }
                }
            });
    }

    /// Copies to one cell, if it is a duplicate; `codes` begin at the cell `first`.
    fn copy_to(&self, codes: &mut [Code], first: usize, cell: usize) {
        let Some(placement) = self.placement(cell) else {
            return;
        };
        if let Some(kept) = self.cell_of(&placement).filter(|&kept| kept != cell) {
            codes[cell - first] = codes[kept - first];
        }
    }
}
