//! The frame of a file: a label and a version in front, a checksum at the end.
//!
//! ```text
//! 8  label: says whose file it is
//! 2  version of the format, little-endian
//!    body
//! 8  checksum of all bytes before: XXH3, 64 bits, little-endian
//! ```
//!
//! [`open`] reads a whole frame. A format that puts its checksum elsewhere, or whose version follows
//! otherwise, uses the pieces: [`head`], [`after_label`], [`after_head`], [`seal`], [`unseal`]. No bytes
//! make any of them panic.
//!
//! ```
//! use duchamp_base::frame::{self, FrameError};
//!
//! let mut file = frame::head(b"MYTABLES", 1).to_vec();
//! file.extend_from_slice(b"KQvK");
//! frame::seal(&mut file);
//! assert_eq!(frame::open(&file, b"MYTABLES", 1), Ok(&b"KQvK"[..]));
//! assert_eq!(frame::open(&file, b"MYTABLES", 2), Err(FrameError::Version(1)));
//! ```

use std::io::{self, Write};
use xxhash_rust::xxh3::Xxh3;

/// The bytes that say whose file it is.
pub type Label = [u8; 8];

/// Bytes of label and version.
pub const HEAD: usize = 10;
/// Bytes of the checksum.
pub const SUM: usize = 8;

/// Why bytes are not a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FrameError {
    /// Another label, or too short for one.
    #[error("another kind of file")]
    NotOurs,
    /// Of another version of the format.
    #[error("version {0} of the format, which this program does not read")]
    Version(u16),
    /// Cut off, or its checksum is wrong.
    #[error("damaged: the checksum is wrong")]
    Damaged,
}

/// Label and version, as a file begins with them.
#[must_use]
pub fn head(label: &Label, version: u16) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..label.len()].copy_from_slice(label);
    head[label.len()..].copy_from_slice(&version.to_le_bytes());
    head
}

/// What follows the label.
///
/// # Errors
/// If the bytes begin otherwise.
pub fn after_label<'a>(bytes: &'a [u8], label: &Label) -> Result<&'a [u8], FrameError> {
    bytes.strip_prefix(label).ok_or(FrameError::NotOurs)
}

/// What follows label and version.
///
/// # Errors
/// If the label or the version is another, or the bytes end before.
pub fn after_head<'a>(
    bytes: &'a [u8],
    label: &Label,
    version: u16,
) -> Result<&'a [u8], FrameError> {
    let (found, rest) = after_label(bytes, label)?
        .split_first_chunk()
        .ok_or(FrameError::Damaged)?;
    match u16::from_le_bytes(*found) {
        found if found == version => Ok(rest),
        found => Err(FrameError::Version(found)),
    }
}

/// Appends the checksum of all bytes.
pub fn seal(bytes: &mut Vec<u8>) {
    let sum = crate::checksum(bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// The bytes before the checksum at the end.
///
/// # Errors
/// If it is not their checksum.
pub fn unseal(bytes: &[u8]) -> Result<&[u8], FrameError> {
    let (body, sum) = bytes.split_last_chunk().ok_or(FrameError::Damaged)?;
    if crate::checksum(body) == u64::from_le_bytes(*sum) {
        Ok(body)
    } else {
        Err(FrameError::Damaged)
    }
}

/// Makes the checksum at the end right for bytes that were changed, so that tests and fuzzers reach what
/// lies behind it. Bytes too short for a checksum stay.
pub fn reseal(bytes: &mut [u8]) {
    if let Some((body, sum)) = bytes.split_last_chunk_mut::<SUM>() {
        *sum = crate::checksum(body).to_le_bytes();
    }
}

/// The body of a whole frame.
///
/// # Errors
/// If the label or the version is another, or anything is damaged.
pub fn open<'a>(bytes: &'a [u8], label: &Label, version: u16) -> Result<&'a [u8], FrameError> {
    let rest = after_head(bytes, label, version)?;
    unseal(bytes)?;
    let end = rest.len().checked_sub(SUM).ok_or(FrameError::Damaged)?;
    Ok(&rest[..end])
}

/// Writes a frame whose body does not fit in memory.
pub struct Writer<W> {
    inner: W,
    sum: Xxh3,
}

impl<W: Write> Writer<W> {
    /// Writes label and version; the body is to follow.
    ///
    /// # Errors
    /// If the system does not take them.
    pub fn new(inner: W, label: &Label, version: u16) -> io::Result<Writer<W>> {
        let mut writer = Writer {
            inner,
            sum: Xxh3::new(),
        };
        writer.write_all(&head(label, version))?;
        Ok(writer)
    }

    /// Writes the checksum and everything that was held back.
    ///
    /// # Errors
    /// If the system does not take it.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.write_all(&self.sum.digest().to_le_bytes())?;
        self.inner.flush()?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: &Label = b"DUCHTEST";

    fn framed(body: &[u8]) -> Vec<u8> {
        let mut bytes = head(LABEL, 3).to_vec();
        bytes.extend_from_slice(body);
        seal(&mut bytes);
        bytes
    }

    #[test]
    fn bodies_come_back() {
        for length in [0, 1, 7, 8, 300] {
            let body: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let bytes = framed(&body);
            assert_eq!(bytes.len(), HEAD + body.len() + SUM);
            assert_eq!(open(&bytes, LABEL, 3), Ok(&body[..]));
            let mut writer = Writer::new(Vec::new(), LABEL, 3).expect("memory");
            body.chunks(5)
                .for_each(|piece| writer.write_all(piece).expect("memory"));
            assert_eq!(writer.finish().expect("memory"), bytes);
        }
    }

    #[test]
    fn every_damaged_bit_and_every_cut_is_found() {
        let whole = framed(b"what the file holds");
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let expected = match bit / 8 {
                0..8 => FrameError::NotOurs,
                8..10 => FrameError::Version(u16::from_le_bytes([bytes[8], bytes[9]])),
                _ => FrameError::Damaged,
            };
            assert_eq!(open(&bytes, LABEL, 3), Err(expected), "bit {bit}");
        }
        for length in 0..whole.len() {
            let expected = if length < 8 {
                FrameError::NotOurs
            } else {
                FrameError::Damaged
            };
            assert_eq!(open(&whole[..length], LABEL, 3), Err(expected), "{length}");
        }
        let longer = [&whole[..], &[0]].concat();
        assert_eq!(open(&longer, LABEL, 3), Err(FrameError::Damaged));
        // A checksum that overlaps the head is none of a frame.
        let mut short = head(LABEL, 3)[..HEAD - 1].to_vec();
        seal(&mut short);
        assert!(open(&short, LABEL, 3).is_err());
    }

    #[test]
    fn other_labels_and_versions_are_told_apart() {
        let bytes = framed(b"");
        assert_eq!(open(&bytes, b"DUCHOTHE", 3), Err(FrameError::NotOurs));
        assert_eq!(open(&bytes, LABEL, 4), Err(FrameError::Version(3)));
        assert_eq!(after_label(&bytes, LABEL), Ok(&bytes[8..]));
        assert_eq!(after_head(&bytes, LABEL, 3), Ok(&bytes[HEAD..]));
    }

    #[test]
    fn resealed_bytes_are_whole_again() {
        let mut bytes = framed(b"body");
        bytes[HEAD] ^= 1;
        reseal(&mut bytes);
        assert_eq!(open(&bytes, LABEL, 3), Ok(&b"cody"[..]));
        reseal(&mut [1, 2, 3]);
    }
}
