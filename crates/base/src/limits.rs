//! How much memory the system still allows this process.
//!
//! A program whose allocation fails ends at once. So before much is taken, it is asked whether it is there: large arrays
//! ([`Room::zeros`](super::Room::zeros)) leave a reserve for the many small things that cannot fail in good order.

use super::allocator::reserve;
use super::fault;
use std::io;

/// What large arrays leave for everything else, in bytes.
pub const RESERVE: u64 = 24 << 20;

/// Makes the system's limits errors that a program can tell, where they would end it. For programs, at their start.
///
/// A file that gets longer than `ulimit -f` allows is an error for who writes it. Under `ulimit -v` all threads take
/// their memory from one place, as the C library else reserves 64 MiB of address space for each, and with
/// [`Allocator`](super::Allocator) a part of [`RESERVE`] is set aside for the first allocation that fails.
pub fn prepare() {
    fault::ignore_file_limit();
    if address_space_left().is_some() {
        fault::one_arena();
        reserve::set_aside();
    }
}

/// Whether an allocation has failed and was given of the reserve: work that can end early should. One load.
#[must_use]
#[inline]
pub fn is_short() -> bool {
    reserve::is_gone()
}

/// After [`is_short`] sets the reserve aside anew, if the system has room for it and as much for others. To be called when
/// work begins that would end early otherwise.
pub fn recover() {
    if is_short() && has_room(0) {
        reserve::set_aside();
    }
}

/// Whether so many bytes can be taken, with [`RESERVE`] left.
#[must_use]
pub fn has_room(bytes: u64) -> bool {
    address_space_left().is_none_or(|left| left >= bytes.saturating_add(RESERVE))
}

/// Bytes of address space that the process may still take; `None` if the system does not limit it, or does not say.
///
/// On Linux this is `ulimit -v` less what is mapped; what is set aside counts as free.
#[must_use]
pub fn address_space_left() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let line = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max address space"))?;
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some((limit + reserve::bytes()).saturating_sub(status("VmSize:")?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The most bytes of memory that the process has held so far; `None` if the system does not say.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return status("VmHWM:");
    #[cfg(not(target_os = "linux"))]
    None
}

/// A size that the system reports of the process, in bytes.
#[cfg(target_os = "linux")]
fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = size.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Whether so many bytes can be taken, with [`RESERVE`] left.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`], if not.
pub(super) fn check_room(bytes: u64) -> io::Result<()> {
    match has_room(bytes) {
        true => Ok(()),
        false => Err(short()),
    }
}

/// The error where there is no memory.
pub(super) fn short() -> io::Error {
    let text = "the system gives the program no more memory (see `ulimit -v`)";
    io::Error::new(io::ErrorKind::OutOfMemory, text)
}
