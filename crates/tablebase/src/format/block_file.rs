//! Files of values that only generation reads (`.sub`): a header; blocks; the length (4 bytes, little-endian) and the
//! checksum (4) of each block; last the checksum (8) of the header and of these.

use duchamp_base::files::AtomicFile;
use duchamp_base::{Mapped, checksum_of_parts, checksum32};
use std::io::{self, Write};
use std::path::Path;

const ENTRY: usize = 8;

/// Such a file being written.
pub(crate) struct BlockFileWriter {
    file: AtomicFile,
    header: Vec<u8>,
    entries: Vec<u8>,
}

impl BlockFileWriter {
    pub(crate) fn create(path: &Path, header: Vec<u8>) -> io::Result<BlockFileWriter> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header)?;
        Ok(BlockFileWriter {
            file,
            header,
            entries: Vec::new(),
        })
    }

    pub(crate) fn push(&mut self, block: &[u8]) -> io::Result<()> {
        let (length, sum) = (block.len() as u32, checksum32(block));
        self.entries.extend(length.to_le_bytes());
        self.entries.extend(sum.to_le_bytes());
        self.file.write_all(block)
    }

    /// Ends the file and gives it its name.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        let sum = checksum_of_parts(&[&self.header, &self.entries]);
        self.file.write_all(&self.entries)?;
        self.file.write_all(&sum.to_le_bytes())?;
        self.file.commit()
    }
}

/// Why a file or a block of it cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlockFileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("damaged")]
    Damaged,
}

/// An open file whose header and list of blocks are right.
#[derive(Debug)]
pub(crate) struct BlockFile {
    bytes: Mapped,
    /// Where each block begins and its checksum; last where the last one ends.
    places: Vec<(usize, u32)>,
}

impl BlockFile {
    /// Opens a file; `None` if there is none. `expected` gives, from the first bytes, which may be anything, the header that it must have
    /// and the number of its blocks.
    pub(crate) fn open(
        path: &Path,
        expected: impl FnOnce(&[u8]) -> Option<(Vec<u8>, usize)>,
    ) -> Result<Option<BlockFile>, BlockFileError> {
        let bytes = match Mapped::open(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let places = expected(&bytes).and_then(|(header, blocks)| places(&bytes, &header, blocks));
        let places = places.ok_or(BlockFileError::Damaged)?;
        Ok(Some(BlockFile { bytes, places }))
    }

    /// What `read` makes of a block, whose checksum is right and which nobody has cut off meanwhile.
    pub(crate) fn block<T>(
        &self,
        number: usize,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, BlockFileError> {
        let [(start, sum), (end, _)] = *self
            .places
            .get(number..)
            .and_then(<[_]>::first_chunk)
            .ok_or(BlockFileError::Damaged)?;
        let block = &self.bytes[start..end];
        if checksum32(block) != sum {
            return Err(BlockFileError::Damaged);
        }
        let value = read(block);
        match self.bytes.is_cut() {
            true => Err(BlockFileError::Damaged),
            false => Ok(value),
        }
    }

    /// Reads all blocks; an error if one is damaged. Keeps few of them in memory.
    pub(crate) fn check_all(&self) -> Result<(), BlockFileError> {
        for number in 0..self.places.len() - 1 {
            self.block(number, |_| ())?;
            if number % 8 == 0 {
                self.release();
            }
        }
        Ok(())
    }

    /// Takes its pages out of the process's memory.
    pub(crate) fn release(&self) {
        self.bytes.release();
    }
}

/// The places of the blocks, if header, list and length of the file are right.
fn places(bytes: &[u8], header: &[u8], blocks: usize) -> Option<Vec<(usize, u32)>> {
    let (rest, sum) = bytes.split_last_chunk::<8>()?;
    let (body, entries) = rest.split_at(rest.len().checked_sub(blocks.checked_mul(ENTRY)?)?);
    let right = body.get(..header.len())? == header
        && checksum_of_parts(&[header, entries]) == u64::from_le_bytes(*sum);
    if !right {
        return None;
    }
    let mut places = Vec::with_capacity(blocks + 1);
    let mut start = header.len();
    for &[a, b, c, d, e, f, g, h] in entries.as_chunks::<ENTRY>().0 {
        places.push((start, u32::from_le_bytes([e, f, g, h])));
        start = start.checked_add(u32::from_le_bytes([a, b, c, d]) as usize)?;
    }
    places.push((start, 0));
    (start == body.len()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn written(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("a.sub");
        let mut writer = BlockFileWriter::create(&path, b"head".to_vec()).expect("created");
        for block in [&b"first"[..], b"", b"third"] {
            writer.push(block).expect("written");
        }
        writer.commit().expect("written");
        path
    }

    fn open(path: &Path) -> Result<Option<BlockFile>, BlockFileError> {
        BlockFile::open(path, |_| Some((b"head".to_vec(), 3)))
    }

    #[test]
    fn blocks_come_back_and_damage_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(open(&folder.path().join("none")), Ok(None)));
        let path = written(folder.path());
        let file = open(&path).expect("good").expect("there");
        let block = |number| file.block(number, <[u8]>::to_vec).ok();
        assert_eq!(block(0).as_deref(), Some(&b"first"[..]));
        assert_eq!(block(1).as_deref(), Some(&b""[..]));
        assert_eq!(block(2).as_deref(), Some(&b"third"[..]));
        assert_eq!((block(3), block(usize::MAX)), (None, None));
        file.check_all().expect("whole");
        let good = fs::read(&path).expect("a file");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).expect("written");
            let found = open(&path).and_then(|file| file.expect("there").check_all());
            assert!(matches!(found, Err(BlockFileError::Damaged)), "{at}");
        }
        for length in 0..good.len() {
            fs::write(&path, &good[..length]).expect("written");
            assert!(open(&path).is_err(), "{length}");
        }
    }

    /// Another program cuts the file off after it was opened: what was read is not believed.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_cut_off_in_use_is_not_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = written(folder.path());
        let file = open(&path).expect("good").expect("there");
        let cut = || fs::File::options().write(true).open(&path)?.set_len(0);
        let read = file.block(0, |block| (block.len(), cut()));
        assert!(matches!(read, Err(BlockFileError::Damaged)));
        assert!(file.block(2, |_| ()).is_err());
    }
}
