//! Where the lane piece can move and capture, as sets; how the lane piece stands in the way of other men.

use duchamp_xiangqi::Role;

use crate::geometry::{
    BEYOND_RIVER, BOARD, FILE_A, FILE_I, LEAPS, LEAPS_BACK, RAYS, aligned, between, bit,
};

/// The squares one step away by a shift: up, down, right, left.
#[inline(always)]
fn up(set: u128) -> u128 {
    set << 9 & BOARD
}

#[inline(always)]
fn down(set: u128) -> u128 {
    set >> 9
}

#[inline(always)]
fn right(set: u128) -> u128 {
    (set & !FILE_I) << 1
}

#[inline(always)]
fn left(set: u128) -> u128 {
    (set & !FILE_A) >> 1
}

/// Adds the squares reached by steps through `free`.
#[inline(always)]
fn slide(set: u128, free: u128, step: impl Fn(u128) -> u128) -> u128 {
    let mut reached = 0;
    let mut front = step(set) & free;
    while front != 0 {
        reached |= front;
        front = step(front) & free;
    }
    reached
}

/// The squares from which a chariot or cannon reaches a square of `set` without a capture, `free` being empty. It
/// leads both ways.
#[inline(always)]
fn slides(set: u128, free: u128) -> u128 {
    slide(set, free, up) | slide(set, free, down) | slide(set, free, right) | slide(set, free, left)
}

/// The squares from which the lane piece can move to a square of `set` without a capture, `free` being empty.
#[inline(always)]
pub(crate) fn unmoves(role: Role, set: u128, free: u128) -> u128 {
    match role {
        Role::Chariot | Role::Cannon => slides(set, free),
        Role::Horse => {
            // The leg lies beside the square that the horse comes from, in the long way.
            let (above, below) = (down(free), up(free));
            let (beside_right, beside_left) = (left(free), right(free));
            let (s_right, s_left) = (right(set), left(set));
            let (s_up, s_down) = (up(set), down(set));
            let tall = (down(down(s_right | s_left))) & above | (up(up(s_right | s_left))) & below;
            let wide = left(left(s_up | s_down)) & beside_right
                | right(right(s_up | s_down)) & beside_left;
            (tall | wide) & free
        }
        Role::Pawn => {
            let beyond = set & BEYOND_RIVER;
            (down(set) | right(beyond) | left(beyond)) & free
        }
        _ => 0,
    }
}

/// The squares from which the lane piece attacks `target`, `occupied` being the other men.
#[inline]
pub(crate) fn attackers(role: Role, target: u8, occupied: u128) -> u128 {
    match role {
        Role::Chariot => {
            let mut set = 0;
            for way in RAYS[usize::from(target)].directions() {
                for &square in way {
                    if occupied & bit(square) != 0 {
                        break;
                    }
                    set |= bit(square);
                }
            }
            set
        }
        Role::Cannon => {
            let mut set = 0;
            for way in RAYS[usize::from(target)].directions() {
                let mut screens = 0;
                for &square in way {
                    if occupied & bit(square) != 0 {
                        screens += 1;
                        if screens == 2 {
                            break;
                        }
                    } else if screens == 1 {
                        set |= bit(square);
                    }
                }
            }
            set
        }
        Role::Horse => {
            let leaps = LEAPS_BACK[usize::from(target)].get().iter();
            let open = leaps.filter(|(_, leg)| occupied & bit(*leg) == 0);
            open.fold(0, |set, &(from, _)| set | bit(from)) & !occupied
        }
        Role::Pawn => unmoves(Role::Pawn, bit(target), !occupied & BOARD),
        _ => 0,
    }
}

/// The squares of the lane piece for which a man on `from` attacks `target`, `occupied` being the other men. The lane
/// piece may be in the way, or be the cannon's screen. The squares of `from` and `target` are among those given.
#[inline]
pub(crate) fn attacking_lanes(role: Role, from: u8, target: u8, occupied: u128) -> u128 {
    match role {
        Role::Chariot if aligned(from, target) => {
            let way = between(from, target);
            if occupied & way == 0 { !way } else { 0 }
        }
        Role::Cannon if aligned(from, target) => {
            let way = between(from, target);
            match (occupied & way).count_ones() {
                0 => way,
                1 => !way,
                _ => 0,
            }
        }
        Role::Horse => {
            let leaps = LEAPS[usize::from(from)].get().iter();
            let mut leaps = leaps.filter(|&&(to, _)| to == target);
            match leaps.next() {
                Some(&(_, leg)) if occupied & bit(leg) == 0 => !bit(leg),
                _ => 0,
            }
        }
        Role::Pawn if unmoves(Role::Pawn, bit(target), BOARD) & bit(from) != 0 => !0,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::SQUARES;
    use duchamp_base::Random;

    const ROLES: [Role; 4] = [Role::Horse, Role::Chariot, Role::Cannon, Role::Pawn];

    /// Both ways to find attacks agree: the lane piece as attacker, and another man with the lane piece far away.
    #[test]
    fn attacks_agree() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            let mut occupied: u128 = 0;
            for _ in 0..random.below(20) {
                occupied |= bit(random.below(SQUARES) as u8);
            }
            let target = random.below(SQUARES) as u8;
            for role in ROLES {
                let from = attackers(role, target, occupied & !bit(target));
                for square in 0..SQUARES as u8 {
                    if square == target || occupied & bit(square) != 0 {
                        continue;
                    }
                    let lanes = attacking_lanes(role, square, target, occupied & !bit(target));
                    // A lane piece on a square that is in nobody's way.
                    let away = (0..SQUARES as u8).find(|&s| {
                        s != target
                            && s != square
                            && occupied & bit(s) == 0
                            && between(square, target) & bit(s) == 0
                            && !LEAPS[usize::from(square)].get().iter().any(|l| l.1 == s)
                    });
                    let away = away.expect("some square is far");
                    assert_eq!(
                        lanes & bit(away) != 0,
                        from & bit(square) != 0,
                        "{role:?} {square} {target}"
                    );
                }
            }
        }
    }

    /// A set of targets at once, or one by one with single leaps and steps.
    #[test]
    fn unmoves_of_sets_are_those_of_their_squares() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let mut free = BOARD;
            for _ in 0..random.below(20) {
                free &= !bit(random.below(SQUARES) as u8);
            }
            let set = (u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())) & free;
            for role in ROLES {
                let mut expected = 0;
                for target in crate::geometry::squares(set) {
                    expected |= match role {
                        // A cannon that does not capture moves as a chariot.
                        Role::Cannon => attackers(Role::Chariot, target, !free & BOARD),
                        _ => attackers(role, target, !free & BOARD),
                    };
                }
                assert_eq!(unmoves(role, set, free), expected & free, "{role:?}");
            }
        }
    }
}
