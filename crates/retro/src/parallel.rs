//! Work shared among threads: the only file that names rayon.
//!
//! With the feature `parallel` the work runs on the current rayon pool, without it on the calling thread. Each piece of
//! work writes only what is its own, so that the results do not depend on the number of threads.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Calls `work` with every item and its number, and collects the results in the order of the items. `room` makes
/// buffers that calls on one thread use one after the other.
///
/// # Errors
/// An error of `work`; the items that have not begun by then are left out.
#[inline]
pub(super) fn try_map<T: Send, R, U: Send, E: Send>(
    items: Vec<T>,
    room: impl Fn() -> R + Sync + Send,
    work: impl Fn(&mut R, usize, T) -> Result<U, E> + Sync + Send,
) -> Result<Vec<U>, E> {
    #[cfg(feature = "parallel")]
    return items
        .into_par_iter()
        .enumerate()
        .map_init(room, |room, (number, item)| work(room, number, item))
        .collect();
    #[cfg(not(feature = "parallel"))]
    {
        let mut room = room();
        let numbered = items.into_iter().enumerate();
        numbered
            .map(|(number, item)| work(&mut room, number, item))
            .collect()
    }
}

/// Calls `work` with every item, `room` as in [`try_map`].
///
/// # Errors
/// An error of `work`; the items that have not begun by then are left out.
#[inline]
pub(super) fn try_for_each<T: Send, R, E: Send>(
    items: &mut [T],
    room: impl Fn() -> R + Sync + Send,
    work: impl Fn(&mut R, &mut T) -> Result<(), E> + Sync + Send,
) -> Result<(), E> {
    #[cfg(feature = "parallel")]
    if rayon::current_num_threads() > 1 {
        return items
            .par_iter_mut()
            .map_init(room, |room, item| work(room, item))
            .try_for_each(|done| done);
    }
    let mut room = room();
    items.iter_mut().try_for_each(|item| work(&mut room, item))
}
