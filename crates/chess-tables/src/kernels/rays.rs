//! The ways of the pieces whose squares are in the word number: lists of squares in the order passed.

use duchamp_chess::Role;
use std::sync::OnceLock;

/// The squares of a ray in the order passed.
#[derive(Clone, Copy, Default, Debug)]
struct Ray {
    len: u8,
    squares: [u8; 7],
}

/// All rays of all squares of a role; a leaper's rays have one square.
#[derive(Debug)]
pub(crate) struct Rays {
    rays: [[Ray; 8]; 64],
    /// How many of the eight a role has.
    count: usize,
}

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
            rays: [[Ray::default(); 8]; 64],
            count: directions.len(),
        };
        for from in 0..64i8 {
            for (ray, &(df, dr)) in rays.rays[from as usize].iter_mut().zip(&directions) {
                let on_board = |i: &i8| {
                    (0..8).contains(&((from & 7) + df * i))
                        && (0..8).contains(&((from >> 3) + dr * i))
                };
                for i in (1..=reach).take_while(on_board) {
                    ray.squares[usize::from(ray.len)] = (from + (df + 8 * dr) * i) as u8;
                    ray.len += 1;
                }
            }
        }
        rays
    }

    /// Walks the rays from a square. `f` gets each square and the bits of `set` that are neither
    /// passed nor reached yet, the lane piece being in the way where it stands on one; it returns those
    /// to go on with. A ray ends at a square of `occupied` and when no bits are left.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        from: u8,
        occupied: u64,
        set: u64,
        mut f: impl FnMut(u8, u64) -> u64,
    ) {
        for ray in &self.rays[usize::from(from & 63)][..self.count] {
            let mut left = set;
            for &square in &ray.squares[..usize::from(ray.len & 7)] {
                let bit = 1u64 << (square & 63);
                left &= !bit;
                if occupied & bit != 0 || left == 0 {
                    break;
                }
                left = f(square & 63, left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::{Bitboard, Color, Square, attacks};

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
