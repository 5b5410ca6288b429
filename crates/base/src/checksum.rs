//! Checksums of file parts: XXH3, 64 bits. It finds accidents (bit flips, truncation, a torn write),
//! not forgery.

use xxhash_rust::xxh3::xxh3_64;

/// The checksum of `bytes`.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The checksum of `bytes` folded to 32 bits, for the many blocks of one file.
#[must_use]
pub fn checksum32(bytes: &[u8]) -> u32 {
    let sum = xxh3_64(bytes);
    (sum ^ (sum >> 32)) as u32
}
