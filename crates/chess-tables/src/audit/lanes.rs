//! The 64 cells of a word side by side.

use duchamp_base::{Plies, Value};
use duchamp_chess::Role;
use duchamp_retro::Wide;

/// One backed-up value for each square of the lane piece.
pub(super) type Lanes = [u16; 64];

/// The backed-up value of an illegal position, or of having no move.
pub(super) const NONE: u16 = 0;
/// The backed-up value of a draw.
pub(super) const DRAW: u16 = Wide::DRAW.0;
/// The backed-up value of a lost position of unknown length: all but the least that still wins.
pub(super) const UNKNOWN: u16 = Wide::win(Wide::LONGEST - 1).0;
/// The backed-up value of a won position of unknown length: all but the best of those that lose, since it may be backed up
/// once more.
pub(super) const UNKNOWN_WIN: u16 = Wide::loss(Wide::LONGEST - 1).0;
/// The backed-up value of a position that is mate.
pub(super) const MATE: u16 = Wide::win(1).0;

/// For each byte eight lanes: all bits where the byte has one.
static SPREAD: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut i = 0;
        while i < 8 {
            if byte >> i & 1 != 0 {
                table[byte][i] = u16::MAX;
            }
            i += 1;
        }
        byte += 1;
    }
    table
};

/// In the lanes of a set, the greater of both.
#[inline]
pub(super) fn raise(best: &mut Lanes, backed: &Lanes, set: u64) {
    let backed = backed.as_chunks::<8>().0;
    let groups = best.as_chunks_mut::<8>().0.iter_mut().zip(backed);
    for ((best, backed), bits) in groups.zip(set.to_le_bytes()) {
        let mask = &SPREAD[usize::from(bits)];
        for i in 0..8 {
            best[i] = best[i].max(backed[i] & mask[i]);
        }
    }
}

/// In the lanes of a set, the greater of what is there and one backed-up value.
#[inline]
pub(super) fn raise_all(best: &mut Lanes, backed_up: u16, set: u64) {
    for (best, bits) in best
        .as_chunks_mut::<8>()
        .0
        .iter_mut()
        .zip(set.to_le_bytes())
    {
        let mask = &SPREAD[usize::from(bits)];
        for i in 0..8 {
            best[i] = best[i].max(backed_up & mask[i]);
        }
    }
}

/// The lanes whose backed-up value passes.
#[inline]
pub(super) fn set_of(backed: &Lanes, pass: impl Fn(u16) -> bool) -> u64 {
    let mut set = 0;
    for (n, eight) in backed.as_chunks::<8>().0.iter().enumerate() {
        let hits = eight.map(|backed_up| u8::from(pass(backed_up)));
        // Little-endian on purpose: byte i becomes bit i.
        let bits = u64::from_le_bytes(hits).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        set |= bits << (8 * n);
    }
    set
}

/// The backed-up value of a position whose best move has this backed-up value.
#[inline]
pub(super) const fn before(best: u16) -> u16 {
    Wide(best).before_move().0
}

/// The value whose backed-up value it is.
pub(super) fn value(backed_up: u16) -> Value {
    match Wide(backed_up).value() {
        Value::Draw => Value::Draw,
        Value::Win(plies) => Value::Loss(Plies(plies.0.saturating_sub(1))),
        Value::Loss(plies) => Value::Win(Plies(plies.0.saturating_sub(1))),
    }
}

/// Steps of sliders and leapers, as files and ranks.
const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// Where one step leads from every square; 64: off the board.
type Steps = [u8; 64];

const fn steps<const N: usize>(directions: [(i8, i8); N]) -> [Steps; N] {
    let mut table = [[64; 64]; N];
    let mut n = 0;
    while n < N {
        let mut square = 0;
        while square < 64 {
            let (file, rank) = (
                (square & 7) as i8 + directions[n].0,
                (square >> 3) as i8 + directions[n].1,
            );
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[n][square] = (rank * 8 + file) as u8;
            }
            square += 1;
        }
        n += 1;
    }
    table
}

static STRAIGHT_STEPS: [Steps; 4] = steps(STRAIGHT);
static DIAGONAL_STEPS: [Steps; 4] = steps(DIAGONAL);
static KNIGHT_STEPS: [Steps; 8] = steps(KNIGHT);

/// For every square the best backed-up value among the squares that a piece reaches from it, where the pieces on
/// `occupied` block it; `backed` are those of the squares that it comes to.
pub(super) fn reach(role: Role, backed: &Lanes, occupied: u64, best: &mut Lanes) {
    // One place more, for steps off the board.
    let mut open = [0; 65];
    for square in 0..64 {
        if occupied >> square & 1 == 0 {
            open[square] = backed[square];
        }
    }
    match role {
        Role::Knight => leap(&KNIGHT_STEPS, &open, best),
        Role::King => {
            leap(&STRAIGHT_STEPS, &open, best);
            leap(&DIAGONAL_STEPS, &open, best);
        }
        Role::Rook => slide(&STRAIGHT_STEPS, &open, occupied, best),
        Role::Bishop => slide(&DIAGONAL_STEPS, &open, occupied, best),
        Role::Queen => {
            slide(&STRAIGHT_STEPS, &open, occupied, best);
            slide(&DIAGONAL_STEPS, &open, occupied, best);
        }
        // Pawns are no lane pieces.
        Role::Pawn => {}
    }
}

fn leap(steps: &[Steps], open: &[u16; 65], best: &mut Lanes) {
    for steps in steps {
        for (best, &to) in best.iter_mut().zip(steps) {
            *best = (*best).max(open[usize::from(to)]);
        }
    }
}

fn slide(steps: &[Steps], open: &[u16; 65], occupied: u64, best: &mut Lanes) {
    for steps in steps {
        // The best of the whole way ahead: known for the next square before this one.
        let mut ahead = [NONE; 65];
        let mut pass = |square: usize| {
            let to = usize::from(steps[square]);
            let free = to < 64 && occupied >> to & 1 == 0;
            let backed_up = open[to].max(if free { ahead[to] } else { NONE });
            ahead[square] = backed_up;
            best[square] = best[square].max(backed_up);
        };
        let upwards = steps[27] > 27;
        for n in 0..64 {
            pass(if upwards { 63 - n } else { n });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Bitboard, Color, Square, attacks};
    use duchamp_retro::Bits;

    #[test]
    fn unknown_lengths_keep_their_result_when_backed_up() {
        assert!(before(UNKNOWN_WIN) > DRAW && before(UNKNOWN) < DRAW);
        assert!(UNKNOWN > before(UNKNOWN_WIN) && UNKNOWN_WIN < DRAW);
    }

    #[test]
    fn men_reach_what_they_attack() {
        let mut state = 88_172_645_463_325_252_u64;
        for round in 0..200 {
            let mut random = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            let backed: Lanes = std::array::from_fn(|_| random() as u16);
            let occupied = if round % 2 == 0 {
                random() & random() & random()
            } else {
                0
            };
            for role in [
                Role::Queen,
                Role::Rook,
                Role::Bishop,
                Role::Knight,
                Role::King,
            ] {
                let mut best = [NONE; 64];
                reach(role, &backed, occupied, &mut best);
                for (square, &best) in best.iter().enumerate() {
                    let targets = attacks::of(
                        role,
                        Color::White,
                        Square::wrapping(square),
                        Bitboard(occupied),
                    );
                    let expected = Bits(targets.0 & !occupied).map(|to| backed[to]).max();
                    assert_eq!(best, expected.unwrap_or(NONE));
                }
            }
            let set = random();
            let mut raised = backed;
            raise_all(&mut raised, 0x7FFF, set);
            for (square, &raised) in raised.iter().enumerate() {
                let expected = if set >> square & 1 != 0 {
                    backed[square].max(0x7FFF)
                } else {
                    backed[square]
                };
                assert_eq!(raised, expected);
            }
            assert_eq!(
                set_of(&backed, |backed_up| backed_up > 0x7FFF),
                Bits(!0)
                    .filter(|&n| backed[n] > 0x7FFF)
                    .fold(0, |set, n| set | 1 << n)
            );
        }
    }
}
