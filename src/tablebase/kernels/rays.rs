//! The ways of the men whose squares are in the word number: lists of squares in the order passed.

use crate::chess::Role;
use std::sync::OnceLock;

/// All rays of all squares of a role; a leaper's rays have one square.
#[derive(Debug)]
pub(crate) struct Rays {
    /// Of each square: its rays one after the other, the last square of a ray marked by [`END`].
    squares: Vec<u8>,
    starts: [u16; 65],
}

/// Marks the last square of a ray.
const END: u8 = 64;

impl Rays {
    /// The rays of a role that is neither pawn nor king.
    pub(crate) fn of(role: Role) -> &'static Rays {
        static ALL: OnceLock<[Rays; 4]> = OnceLock::new();
        let all = ALL
            .get_or_init(|| [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].map(Rays::new));
        &all[role.index().clamp(1, 4) - 1]
    }

    fn new(role: Role) -> Rays {
        const STRAIGHT: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
        const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
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
        let directions: Vec<(i8, i8)> = match role {
            Role::Knight => KNIGHT.to_vec(),
            Role::Bishop => DIAGONAL.to_vec(),
            Role::Rook => STRAIGHT.to_vec(),
            _ => [STRAIGHT, DIAGONAL].concat(),
        };
        let reach = if role == Role::Knight { 1 } else { 7 };
        let mut rays = Rays {
            squares: Vec::new(),
            starts: [0; 65],
        };
        for from in 0..64i8 {
            for &(df, dr) in &directions {
                let on_board = |i: &i8| {
                    (0..8).contains(&((from & 7) + df * i))
                        && (0..8).contains(&((from >> 3) + dr * i))
                };
                let squares = (1..=reach)
                    .take_while(on_board)
                    .map(|i| (from + (df + 8 * dr) * i) as u8);
                rays.squares.extend(squares);
                if rays.squares.len() > usize::from(rays.starts[from as usize]) {
                    let last = rays.squares.len() - 1;
                    rays.squares[last] |= END;
                }
            }
            rays.starts[from as usize + 1] = rays.squares.len() as u16;
        }
        rays
    }

    /// Walks the rays from a square. `f` gets each square and the bits of `set` that are neither
    /// passed nor reached yet, the bit man being in the way where he stands on one; it returns those
    /// to go on with. A ray ends at a square of `occupied` and when no bits are left.
    #[inline]
    pub(crate) fn walk(
        &self,
        from: u8,
        occupied: u64,
        set: u64,
        mut f: impl FnMut(u8, u64) -> u64,
    ) {
        let from = usize::from(from & 63);
        let mut left = set;
        let mut blocked = false;
        for &entry in
            &self.squares[usize::from(self.starts[from])..usize::from(self.starts[from + 1])]
        {
            let bit = 1u64 << (entry & 63);
            blocked |= occupied & bit != 0;
            left &= !bit;
            if !blocked && left != 0 {
                left = f(entry & 63, left);
            }
            if entry & END != 0 {
                left = set;
                blocked = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Bitboard, Color, Square, attacks};

    #[test]
    fn rays_agree_with_attacks() {
        let mut random = 0xABCDu64;
        for _ in 0..500 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let from = Square::wrapping(random as usize);
            let occupied = random & random.rotate_left(17) & !(1 << from as u64);
            let set = random.rotate_left(31) & !occupied & !(1 << from as u64);
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                let mut found = [0; 64];
                Rays::of(role).walk(from as u8, occupied, set, |to, bits| {
                    found[usize::from(to)] = bits;
                    bits
                });
                for to in Square::ALL {
                    let with = |bit: Square| Bitboard(occupied) | bit.into();
                    let reach = |bit: &Square| {
                        *bit != to
                            && !Bitboard(occupied).has(to)
                            && attacks::of(role, Color::White, from, with(*bit)).has(to)
                    };
                    let expected = Bitboard(set)
                        .into_iter()
                        .filter(reach)
                        .collect::<Bitboard>();
                    assert_eq!(found[to.index()], expected.0, "{role:?} {from}{to}");
                }
            }
        }
    }
}
