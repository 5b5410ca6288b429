//! Moves of an indexed piece for all 64 words of a group at once: the words differ in that piece's square alone.
//!
//! Where many words of a group hold something, one sweep over the board in each direction is less work than a walk along
//! the rays of every word. A sweep carries a word a line: what came so far, less the bit of the square that it comes to,
//! for there the lane piece would stand in the way, and nothing at all past a square that is occupied.

use duchamp_chess::Role;

/// The words of a group by the piece's square.
pub(crate) type Group = [u64; 64];

/// A rank of them.
type Rank = [u64; 8];

/// Words from which on a group is swept.
pub(crate) const DENSE: u32 = 5;

/// What passes each square, as a mask of the lane piece's squares: nothing where `occupied` has it.
#[inline(always)]
pub(crate) fn passable(occupied: u64) -> Group {
    const EMPTY: Group = {
        let mut group = [0; 64];
        let mut square = 0;
        while square < 64 {
            group[square] = !(1 << square);
            square += 1;
        }
        group
    };
    let mut group = EMPTY;
    for square in duchamp_retro::Bits(occupied) {
        group[square & 63] = 0;
    }
    group
}

/// Adds to `found` what a piece of this role can move from, to reach `sets`. Moves without captures can be taken back,
/// so this is also where it can move to.
#[inline(always)]
pub(crate) fn sweep(role: Role, sets: &Group, passable: &Group, found: &mut Group) {
    let (sets, passable) = (ranks(sets), ranks(passable));
    let found = found.as_chunks_mut::<8>().0;
    if matches!(role, Role::Rook | Role::Queen) {
        along_ranks(sets, passable, found);
        across::<0>(sets, passable, found);
    }
    if matches!(role, Role::Bishop | Role::Queen) {
        across::<1>(sets, passable, found);
        across::<-1>(sets, passable, found);
    }
    if role == Role::Knight {
        leap::<1, 2>(sets, passable, found);
        leap::<1, -2>(sets, passable, found);
        leap::<2, 1>(sets, passable, found);
        leap::<2, -1>(sets, passable, found);
    }
}

#[inline(always)]
fn ranks(group: &Group) -> &[Rank] {
    group.as_chunks::<8>().0
}

/// Sweeps to the east and to the west.
#[inline(always)]
fn along_ranks(sets: &[Rank], passable: &[Rank], found: &mut [Rank]) {
    for ((set, pass), found) in sets.iter().zip(passable).zip(found) {
        let (mut east, mut west) = (0, 0);
        for file in 1..8 {
            east = (east | set[file - 1]) & pass[file];
            found[file] |= east;
            west = (west | set[8 - file]) & pass[7 - file];
            found[7 - file] |= west;
        }
    }
}

/// Files to the east by `BY`; what comes from beyond the board is nothing.
#[inline(always)]
fn shifted<const BY: isize>(rank: &Rank) -> Rank {
    std::array::from_fn(|file| {
        let from = file as isize - BY;
        if (0..8).contains(&from) {
            rank[from as usize]
        } else {
            0
        }
    })
}

/// Sweeps to the north and to the south, each step `BY` files to the east.
#[inline(always)]
fn across<const BY: isize>(sets: &[Rank], passable: &[Rank], found: &mut [Rank]) {
    let (mut north, mut south) = ([0; 8], [0; 8]);
    for rank in 1..8 {
        north = step::<BY>(&north, &sets[rank - 1], &passable[rank], &mut found[rank]);
        let rank = 7 - rank;
        south = step::<BY>(&south, &sets[rank + 1], &passable[rank], &mut found[rank]);
    }
}

/// One step of a sweep.
#[inline(always)]
fn step<const BY: isize>(carried: &Rank, set: &Rank, pass: &Rank, found: &mut Rank) -> Rank {
    let both = std::array::from_fn(|file| carried[file] | set[file]);
    let moved = shifted::<BY>(&both);
    let moved = std::array::from_fn(|file| moved[file] & pass[file]);
    for (found, moved) in found.iter_mut().zip(moved) {
        *found |= moved;
    }
    moved
}

/// Leaps of `RANKS` to the north or to the south and `FILES` to the east.
#[inline(always)]
fn leap<const RANKS: usize, const FILES: isize>(
    sets: &[Rank],
    passable: &[Rank],
    found: &mut [Rank],
) {
    for rank in RANKS..8 {
        step::<FILES>(
            &[0; 8],
            &sets[rank - RANKS],
            &passable[rank],
            &mut found[rank],
        );
        let rank = 7 - rank;
        step::<FILES>(
            &[0; 8],
            &sets[rank + RANKS],
            &passable[rank],
            &mut found[rank],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::rays::Rays;
    use super::*;

    #[test]
    fn sweeps_agree_with_rays() {
        let mut random = 0x5EED_1234u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for round in 0..200 {
            let occupied = next() & next() & next();
            let sets: Group = std::array::from_fn(|square| {
                let free = !occupied & !(1 << square);
                if occupied >> square & 1 != 0 || round % 3 == 0 && square % 5 != 0 {
                    0
                } else {
                    next() & free
                }
            });
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let (mut walked, mut swept) = ([0; 64], [0; 64]);
                for (square, &set) in sets.iter().enumerate() {
                    Rays::of(role).walk(square as u8, occupied, set, |from, bits| {
                        walked[usize::from(from)] |= bits;
                        bits
                    });
                }
                sweep(role, &sets, &passable(occupied), &mut swept);
                assert_eq!(swept, walked, "{role:?}");
            }
        }
    }
}
