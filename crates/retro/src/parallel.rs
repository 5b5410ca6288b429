//! Work shared among threads: the only file that names rayon.
//!
//! With the feature `parallel` the work runs on the current rayon pool, without it on the calling thread. Each piece of
//! work writes only what is its own, so that the results do not depend on the number of threads.
//!
//! Threads are given numbers, not items: so rayon's part is compiled once, and not for every slice, page and pass.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Calls `work` with every item and its number, and collects the results in the order of the items. `room` makes
/// buffers that calls on one thread use one after the other.
///
/// # Errors
/// An error of `work`; the items that have not begun by then are left out.
pub(super) fn try_map<T: Send, R: Send, U: Send, E: Send>(
    items: Vec<T>,
    room: impl Fn() -> R + Sync,
    work: impl Fn(&mut R, usize, T) -> Result<U, E> + Sync,
) -> Result<Vec<U>, E> {
    let mut slots: Vec<(Option<T>, Option<U>)> =
        items.into_iter().map(|item| (Some(item), None)).collect();
    // Numbers are worked on out of order, so an item stores its own.
    let mut numbered: Vec<_> = slots.iter_mut().enumerate().collect();
    try_for_each(&mut numbered, room, |room, (number, slot)| {
        if let Some(item) = slot.0.take() {
            slot.1 = Some(work(room, *number, item)?);
        }
        Ok(())
    })?;
    Ok(slots.into_iter().filter_map(|(_, result)| result).collect())
}

/// Calls `work` with every item, `room` as in [`try_map`].
///
/// # Errors
/// An error of `work`; the items that have not begun by then are left out.
pub(super) fn try_for_each<T: Send, R: Send, E: Send>(
    items: &mut [T],
    room: impl Fn() -> R + Sync,
    work: impl Fn(&mut R, &mut T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if !shared() {
        let mut room = room();
        return items.iter_mut().try_for_each(|item| work(&mut room, item));
    }
    let cells: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    let rooms = Mutex::new(Vec::new());
    let failure = Mutex::new(None);
    each_number(cells.len(), &|number| {
        let free = lock(&rooms).pop();
        let mut own = free.unwrap_or_else(&room);
        let done = work(&mut own, &mut lock(&cells[number]));
        lock(&rooms).push(own);
        done.map_err(|error| *lock(&failure) = Some(error)).is_ok()
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// What a mutex guards. A panic elsewhere ends the whole work, so a poisoned lock guards nothing that is used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there are threads to share the work among.
fn shared() -> bool {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "parallel"))]
    false
}

/// Calls `work` with the numbers below `count` on all threads, until a call returns false.
fn each_number(count: usize, work: &(dyn Fn(usize) -> bool + Sync)) {
    #[cfg(feature = "parallel")]
    let _ = (0..count)
        .into_par_iter()
        .try_for_each(|number| work(number).then_some(()));
    #[cfg(not(feature = "parallel"))]
    let _ = (0..count).all(work);
}
