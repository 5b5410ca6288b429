//! Fetching memory before it is needed.
#![allow(unsafe_code)]

/// Starts fetching the cache line that `item` begins in; does nothing where there is no such
/// instruction.
///
/// ```
/// let table = vec![0_u64; 1 << 20];
/// duchamp_base::prefetch(&table[123_456]);
/// // Work that needs a while, then:
/// assert_eq!(table[123_456], 0);
/// ```
#[inline]
pub fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of x86_64, and a prefetch neither reads nor writes memory as far as the
    // program can tell; any address would do, this one is valid besides.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(std::ptr::from_ref(item).cast(), _MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
