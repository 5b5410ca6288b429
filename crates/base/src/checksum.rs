//! Checksums of file parts: XXH3, 64 bits. It finds accidents (bit flips, truncation, a torn write),
//! not forgery.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The checksum of `bytes`.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The checksum of bytes that lie in several places, as if they lay one after another.
///
/// ```
/// use duchamp_base::{checksum, checksum_of_parts};
///
/// assert_eq!(checksum_of_parts(&[b"header", b"index"]), checksum(b"headerindex"));
/// ```
#[must_use]
pub fn checksum_of_parts(parts: &[&[u8]]) -> u64 {
    let mut sum = Xxh3::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.digest()
}

/// The checksum of `bytes` folded to 32 bits, for the many blocks of one file.
#[must_use]
pub fn checksum32(bytes: &[u8]) -> u32 {
    let sum = xxh3_64(bytes);
    (sum ^ (sum >> 32)) as u32
}
