//! What is drawn at random.

use duchamp_base::Random;

/// A random one of so many blocks, of the part that belongs to a group: the same in every run.
pub(super) fn drawn(group: usize, groups: usize, blocks: usize, number: u64) -> usize {
    let start = |group: usize| (group as u128 * blocks as u128 / groups as u128) as usize;
    let (first, end) = (start(group), start(group + 1));
    first + Random::of(0, number).below(end - first)
}

/// How many of so many blocks have `count` positions, if all have as many of `legal` ones; at most all.
pub(super) fn enough(count: u64, blocks: usize, legal: u64) -> usize {
    let wanted = (u128::from(count) * blocks as u128).div_ceil(u128::from(legal.max(1)));
    wanted.min(blocks as u128) as usize
}
