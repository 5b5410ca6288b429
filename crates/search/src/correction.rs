//! Correction history: the error of the static evaluation in similar positions.
//!
//! Running averages of (search score - static evaluation) are kept by pawn structure, by non-pawn material of each side, by
//! knights, bishops and kings of both (minor), and by the last two moves (continuation). Their weighted sum corrects the static
//! evaluation.

use super::history::PIECE_TO;
use super::params::Params;
use bytemuck::{Pod, Zeroable};
use duchamp_base::prefetch;
use duchamp_chess::{Color, Position, Role};
use duchamp_eval::Score;

const SLOTS: usize = 16_384;
const _: () = assert!(SLOTS.is_power_of_two() && SLOTS <= 1 << u16::BITS);
/// The limit of a counter; a counter of `GRAIN` is one unit of score.
const LIMIT: i32 = 1024;
/// Divisor that turns the weighted sum of counters into a score.
const GRAIN: i32 = 1024;

/// The correction history of one thread, which begins as zeros. What a slot says for the two sides to move lies side by side, as
/// both are looked up within a few nodes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Correction {
    pawn: [[i16; 2]; SLOTS],
    /// White's and Black's.
    non_pawn: [[[i16; 2]; SLOTS]; 2],
    minor: [[i16; 2]; SLOTS],
    continuation: [[i16; PIECE_TO]; PIECE_TO],
}

/// Where the averages of a position are, but for those by the last moves.
#[derive(Clone, Copy, Default)]
pub(super) struct Slots {
    pawn: u16,
    non_pawn: [u16; 2],
    minor: u16,
}

impl Slots {
    #[inline]
    pub(super) fn of(position: &Position) -> Slots {
        Slots {
            pawn: slot(position.pawn_key()),
            non_pawn: Color::ALL.map(|c| slot(position.non_pawn_key(c))),
            minor: minor_slot(position),
        }
    }
}

#[inline]
fn update(counter: &mut i16, bonus: i32) {
    let h = i32::from(*counter);
    *counter = (h + bonus - h * bonus.abs() / LIMIT) as i16;
}

impl Correction {
    /// Starts fetching what [`Correction::of`] will read: each number is in another cache line.
    #[inline]
    pub(super) fn prefetch(&self, slots: Slots, moves: [Option<u16>; 2]) {
        prefetch(&self.pawn[usize::from(slots.pawn)]);
        for (averages, slot) in self.non_pawn.iter().zip(slots.non_pawn) {
            prefetch(&averages[usize::from(slot)]);
        }
        prefetch(&self.minor[usize::from(slots.minor)]);
        if let [Some(a), Some(b)] = moves {
            prefetch(&self.continuation[usize::from(b)][usize::from(a)]);
        }
    }

    /// The correction of the raw static evaluation; `moves` are [`super::history::piece_to`] of the moves 1 and 2 plies
    /// ago.
    #[inline]
    pub(super) fn of(
        &self,
        slots: Slots,
        turn: Color,
        moves: [Option<u16>; 2],
        params: &Params,
    ) -> i32 {
        let side = turn.index();
        let pawn = i32::from(self.pawn[usize::from(slots.pawn)][side]);
        let [white, black] = slots.non_pawn.map(usize::from);
        let non_pawn =
            i32::from(self.non_pawn[0][white][side]) + i32::from(self.non_pawn[1][black][side]);
        let minor = i32::from(self.minor[usize::from(slots.minor)][side]);
        let moved = match moves {
            [Some(a), Some(b)] => i32::from(self.continuation[usize::from(b)][usize::from(a)]),
            _ => 0,
        };
        let sum = pawn * params.correction_pawn
            + non_pawn * params.correction_others
            + minor * params.correction_minor
            + moved * params.correction_moves;
        sum / GRAIN
    }

    /// Updates the averages by a search whose score is the static evaluation plus `error`; `weight`, in 1024ths, grows with its
    /// depth.
    pub(super) fn learn(
        &mut self,
        slots: Slots,
        turn: Color,
        moves: [Option<u16>; 2],
        weight: i32,
        error: i32,
    ) {
        let bonus = (error * weight / 1024).clamp(-LIMIT / 4, LIMIT / 4);
        let side = turn.index();
        update(&mut self.pawn[usize::from(slots.pawn)][side], bonus);
        update(&mut self.minor[usize::from(slots.minor)][side], bonus);
        for (averages, slot) in self.non_pawn.iter_mut().zip(slots.non_pawn) {
            update(&mut averages[usize::from(slot)][side], bonus);
        }
        if let [Some(a), Some(b)] = moves {
            update(
                &mut self.continuation[usize::from(b)][usize::from(a)],
                bonus,
            );
        }
    }
}

/// Where the knights, bishops and kings stand, as a slot: their bitboards times odd numbers, both halves of the products.
#[inline]
fn minor_slot(position: &Position) -> u16 {
    const FACTORS: [(Role, [u64; 2]); 3] = [
        (Role::Knight, [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03]),
        (Role::Bishop, [0xC2B2_AE3D_27D4_EB4F, 0x8CB9_2BA7_2F3D_8DD7]),
        (Role::King, [0xAAD2_6B49_1656_67B1, 0xF7C2_EBC0_8F67_F2B5]),
    ];
    let squares = FACTORS.iter().flat_map(|&(role, factors)| {
        Color::ALL.map(|color| {
            // Both halves of the product, so that every square counts as much.
            let men = u128::from(position.of(color, role).0);
            let product = men * u128::from(factors[color.index()]);
            (product ^ (product >> 64)) as u64
        })
    });
    let key = squares.fold(0, |key, product| key ^ product);
    (key >> (u64::BITS - SLOTS.ilog2())) as u16
}

#[inline]
fn slot(key: u64) -> u16 {
    (key as usize % SLOTS) as u16
}

/// Whether a search result may update the correction history: not a bound on the wrong side of the evaluation.
#[inline]
pub(super) fn is_informative(score: Score, eval: Score, lower: bool, upper: bool) -> bool {
    !(lower && score <= eval || upper && score >= eval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_the_sign_and_stays_bounded() {
        let slots = Slots::of(&Position::start());
        let turn = Color::White;
        let mut memory = bytemuck::zeroed_box::<Correction>();
        let correction = &mut *memory;
        let moves = [Some(3), Some(4)];
        for _ in 0..500 {
            correction.learn(slots, turn, moves, 1280, 400);
        }
        let up = correction.of(slots, turn, moves, &Params::default());
        assert!(up > 20 && up < 400, "{up}");
        assert!(correction.of(slots, turn, [None, None], &Params::default()) < up);
        for _ in 0..500 {
            correction.learn(slots, turn, moves, 1280, -400);
        }
        assert!(correction.of(slots, turn, moves, &Params::default()) < -20);
    }

    #[test]
    fn bounds_update_only_beyond_the_evaluation() {
        assert!(is_informative(Score(10), Score(0), true, false));
        assert!(!is_informative(Score(-10), Score(0), true, false));
        assert!(is_informative(Score(-10), Score(0), false, true));
        assert!(is_informative(Score(-10), Score(0), false, false));
    }
}
