//! What is drawn at random.

use duchamp_base::Random;

/// A random one of so many blocks, of the part that belongs to a group: the same in every run.
pub(super) fn drawn(group: usize, groups: usize, blocks: usize, number: u64) -> usize {
    let start = |group: usize| (group as u128 * blocks as u128 / groups as u128) as usize;
    let (first, end) = (start(group), start(group + 1));
    first + Random::of(0, number).below(end - first)
}
