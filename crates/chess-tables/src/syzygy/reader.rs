//! Bytes of a file, read one after another.

/// Why a file cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("damaged Syzygy file: {0}")]
pub(super) struct Damaged(pub(super) &'static str);

/// A place in a file; little-endian numbers.
#[derive(Clone, Debug)]
pub(super) struct Reader<'f> {
    file: &'f [u8],
    at: usize,
}

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f [u8]) -> Reader<'f> {
        Reader { file, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn bytes(&mut self, len: usize) -> Result<&'f [u8], Damaged> {
        let rest = self.file.get(self.at..).and_then(|rest| rest.get(..len));
        self.at += len;
        rest.ok_or(Damaged("it ends too early"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damaged> {
        Ok(self.bytes(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, Damaged> {
        let bytes = self.bytes(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Damaged> {
        let bytes = self.bytes(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(super) fn skip(&mut self, len: u64) -> Result<(), Damaged> {
        let len = usize::try_from(len).map_err(|_| Damaged("it ends too early"))?;
        let end = self
            .at
            .checked_add(len)
            .filter(|&end| end <= self.file.len());
        self.at = end.ok_or(Damaged("it ends too early"))?;
        Ok(())
    }

    /// Goes to a multiple of `to` bytes.
    pub(super) fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }
}
