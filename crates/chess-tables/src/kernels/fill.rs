//! The lane piece's moves: all squares of a word at once.
//!
//! Sliders by occluded fill (Kogge and Stone): three doubling steps a direction.

use duchamp_chess::Role;

const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const NOT_AB: u64 = 0xFCFC_FCFC_FCFC_FCFC;
const NOT_GH: u64 = 0x3F3F_3F3F_3F3F_3F3F;

/// The free squares from which a piece of this role (no pawn) can move to some square of `to`; its
/// way leads over squares of `free`. Moves without captures can be taken back, so this is also
/// where it can move to.
#[inline(always)]
pub(crate) fn moves(role: Role, to: u64, free: u64) -> u64 {
    let from = match role {
        Role::Queen => straight(to, free) | diagonal(to, free),
        Role::Rook => straight(to, free),
        Role::Bishop => diagonal(to, free),
        Role::Knight => knight(to),
        Role::King => king(to),
        Role::Pawn => 0,
    };
    from & free
}

/// [`moves`] for several words at once, each with its own free squares. The loops hold no choice, so that compilers turn
/// them into vectors.
#[inline(always)]
pub(crate) fn block_moves<const N: usize>(role: Role, to: &[u64; N], free: &[u64; N]) -> [u64; N] {
    let mut from = [0; N];
    // No closure: it would be compiled on its own, without the caller's vectors.
    macro_rules! each {
        ($to:ident, $free:ident => $moves:expr) => {
            for i in 0..N {
                let ($to, $free) = (to[i], free[i]);
                from[i] = $moves & $free;
            }
        };
    }
    match role {
        Role::Queen => each!(to, free => straight(to, free) | diagonal(to, free)),
        Role::Rook => each!(to, free => straight(to, free)),
        Role::Bishop => each!(to, free => diagonal(to, free)),
        Role::Knight => each!(to, free => knight(to)),
        Role::King => each!(to, free => king(to)),
        Role::Pawn => {}
    }
    from
}

#[inline(always)]
fn king(set: u64) -> u64 {
    let sides = (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    let row = set | sides;
    sides | row << 8 | row >> 8
}

#[inline(always)]
fn knight(set: u64) -> u64 {
    let (e, w) = (set << 1 & NOT_A, set >> 1 & NOT_H);
    let (ee, ww) = (set << 2 & NOT_AB, set >> 2 & NOT_GH);
    let (near, far) = (e | w, ee | ww);
    near << 16 | near >> 16 | far << 8 | far >> 8
}

/// A fill towards higher squares by `step`, `mask` keeping it from wrapping; the result begins one
/// step from the set.
#[inline(always)]
fn up(set: u64, free: u64, step: u32, mask: u64) -> u64 {
    let mut way = free & mask;
    let mut fill = set;
    fill |= way & fill << step;
    way &= way << step;
    fill |= way & fill << (2 * step);
    way &= way << (2 * step);
    fill |= way & fill << (4 * step);
    fill << step & mask
}

/// The same towards lower squares.
#[inline(always)]
fn down(set: u64, free: u64, step: u32, mask: u64) -> u64 {
    let mut way = free & mask;
    let mut fill = set;
    fill |= way & fill >> step;
    way &= way >> step;
    fill |= way & fill >> (2 * step);
    way &= way >> (2 * step);
    fill |= way & fill >> (4 * step);
    fill >> step & mask
}

#[inline(always)]
fn straight(set: u64, free: u64) -> u64 {
    up(set, free, 8, !0)
        | down(set, free, 8, !0)
        | up(set, free, 1, NOT_A)
        | down(set, free, 1, NOT_H)
}

#[inline(always)]
fn diagonal(set: u64, free: u64) -> u64 {
    up(set, free, 9, NOT_A)
        | down(set, free, 9, NOT_H)
        | up(set, free, 7, NOT_H)
        | down(set, free, 7, NOT_A)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Bitboard, Color, Square, attacks};

    #[test]
    fn fills_agree_with_attacks() {
        let mut random = 0x1234_5678_9ABC_DEF1u64;
        for _ in 0..2000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let occupied = random & random.rotate_left(23);
            let to = random.rotate_left(40) & random.rotate_left(9) & !occupied;
            for role in [
                Role::Knight,
                Role::Bishop,
                Role::Rook,
                Role::Queen,
                Role::King,
            ] {
                let slow = Square::ALL.into_iter().filter(|&from| {
                    !Bitboard(occupied).has(from)
                        && (attacks::of(role, Color::White, from, Bitboard(occupied))
                            & Bitboard(to))
                        .any()
                });
                assert_eq!(
                    moves(role, to, !occupied),
                    slow.collect::<Bitboard>().0,
                    "{role:?}"
                );
                let words = [to, to >> 1 & !occupied, 0, !occupied];
                let free = [!occupied, !occupied, !0, !occupied];
                assert_eq!(
                    block_moves(role, &words, &free),
                    std::array::from_fn(|i| moves(role, words[i], free[i])),
                    "{role:?}"
                );
            }
        }
    }
}
