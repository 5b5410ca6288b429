//! Values of a large table in blocks that are small in memory and on the disk: a palette and a byte a cell, where a block
//! has at most 256 different values, as nearly all have.

use std::io;

use crate::index::Index;
use duchamp_base::Value;
use duchamp_retro::Wide;

/// Marks a cell that is no legal position: a value that no position has.
pub(super) const VOID: Wide = Wide(0x7FFF);

/// Of Zstandard.
const LEVEL: i32 = 1;

/// Words of a block at most.
const BLOCK: usize = 1 << 14;

/// Words of the blocks of a table: a divisor of its slices, whole rows unless a row is longer.
pub(super) fn block_words<I: Index>(index: &I) -> usize {
    let (row, rows) = (index.row_words(), index.row_count());
    let divisors = |words: usize, most: usize| {
        (1..=words.min(most))
            .rev()
            .find(|d| words.is_multiple_of(*d))
    };
    if row >= BLOCK {
        divisors(row, BLOCK).unwrap_or(1)
    } else {
        row * divisors(rows, BLOCK / row).unwrap_or(1)
    }
}

/// The values of a block.
#[derive(Debug)]
pub(crate) struct Unpacked {
    palette: Vec<Wide>,
    /// By cell, a place in the palette; empty if there is none.
    bytes: Vec<u8>,
    /// By cell, if there is no palette.
    wides: Vec<Wide>,
}

impl Unpacked {
    /// The value of a cell of the block, or [`VOID`].
    #[inline]
    pub(super) fn get(&self, cell: usize) -> Wide {
        match self.bytes.get(cell) {
            Some(&place) => self.palette[usize::from(place)],
            None => self.wides[cell],
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len().max(self.wides.len())
    }

    /// Bytes of memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + size_of::<Wide>() * (self.palette.len() + self.wides.len())
    }

    /// Places of cells in the palette, if there is one and the block has so many cells from there on.
    #[inline]
    pub(super) fn bytes(&self, start: usize, length: usize) -> Option<&[u8]> {
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// What a function makes of each value of the palette.
    pub(super) fn each_of_palette(&self, make: impl Fn(Wide) -> Wide) -> Box<[Wide; 256]> {
        let mut made = Box::new([VOID; 256]);
        for (made, &value) in made.iter_mut().zip(&self.palette) {
            *made = make(value);
        }
        made
    }
}

/// What packing needs, kept between blocks.
pub(super) struct Packer {
    /// By value, its place in the palette.
    places: Vec<u16>,
}

const NO_PLACE: u16 = u16::MAX;

impl Packer {
    pub(super) fn new() -> Packer {
        Packer {
            places: vec![NO_PLACE; 1 << 16],
        }
    }

    /// The bytes of values.
    pub(super) fn pack(&mut self, cells: &[Wide]) -> Vec<u8> {
        let mut palette: Vec<Wide> = Vec::new();
        let mut bytes = Vec::with_capacity(cells.len() + 514);
        bytes.extend_from_slice(&[0; 514]);
        let mut fits = true;
        for cell in cells {
            let place = &mut self.places[usize::from(cell.0)];
            if *place == NO_PLACE {
                if palette.len() == 256 {
                    fits = false;
                    break;
                }
                *place = palette.len() as u16;
                palette.push(*cell);
            }
            bytes.push(*place as u8);
        }
        for value in &palette {
            self.places[usize::from(value.0)] = NO_PLACE;
        }
        if !fits {
            let wides = cells.iter().flat_map(|cell| cell.0.to_le_bytes());
            return [0, 0].into_iter().chain(wides).collect();
        }
        let head = &mut bytes[..514];
        head[..2].copy_from_slice(&(palette.len() as u16).to_le_bytes());
        for (n, value) in palette.iter().enumerate() {
            head[2 + 2 * n..][..2].copy_from_slice(&value.0.to_le_bytes());
        }
        // The palette's unused places, which lie between it and the cells, go.
        bytes.drain(2 + 2 * palette.len()..514);
        bytes
    }
}

/// Packed values as they lie in files.
pub(super) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, LEVEL)
}

/// What a thread needs to pack blocks, kept between them.
pub(crate) struct PackRoom {
    packer: Packer,
    void: Vec<u64>,
    cells: Vec<[Wide; 64]>,
}

impl PackRoom {
    pub(super) fn new() -> PackRoom {
        PackRoom {
            packer: Packer::new(),
            void: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The blocks, of so many words each, of what a function reads into the two arrays; as they lie in files.
    pub(super) fn blocks(
        &mut self,
        size: usize,
        read: impl FnOnce(&mut Vec<u64>, &mut Vec<[Wide; 64]>) -> io::Result<()>,
    ) -> io::Result<Vec<Vec<u8>>> {
        read(&mut self.void, &mut self.cells)?;
        let blocks = self.void.chunks(size).zip(self.cells.chunks(size));
        blocks
            .map(|(void, cells)| compressed(&self.packer.pack(&marked(void, cells))))
            .collect()
    }
}

/// The values that bytes stand for.
pub(super) fn unpack(bytes: &[u8]) -> io::Result<Unpacked> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a damaged block of values");
    let wide = |pair: &[u8; 2]| Wide(u16::from_le_bytes(*pair));
    let (head, rest) = bytes.split_first_chunk::<2>().ok_or_else(damaged)?;
    let count = usize::from(u16::from_le_bytes(*head));
    if count == 0 {
        let wides = rest.as_chunks::<2>().0.iter().map(wide).collect();
        return Ok(Unpacked {
            palette: Vec::new(),
            bytes: Vec::new(),
            wides,
        });
    }
    let (palette, cells) = rest.split_at_checked(2 * count).ok_or_else(damaged)?;
    let mut palette: Vec<Wide> = palette.as_chunks::<2>().0.iter().map(wide).collect();
    // Any byte finds a place.
    palette.resize(256, VOID);
    Ok(Unpacked {
        palette,
        bytes: cells.to_vec(),
        wides: Vec::new(),
    })
}

/// A table whose values can be read in blocks, those of any side in the order of its words.
pub(crate) trait Blocks: Sync {
    /// Words of a block.
    fn block_words(&self) -> usize;

    /// A block of a stored side.
    fn block(&self, side: usize, number: usize) -> io::Result<Unpacked>;
}

/// Finds the values of cells of a stored side, given in order with a number each.
pub(crate) fn look(
    blocks: &impl Blocks,
    side: usize,
    places: &[(usize, u64)],
    mut found: impl FnMut(usize, Option<Value>),
) -> io::Result<()> {
    let size = 64 * blocks.block_words() as u64;
    for places in places.chunk_by(|one, other| one.1 / size == other.1 / size) {
        let block = blocks.block(side, (places[0].1 / size) as usize)?;
        for &(n, cell) in places {
            let value = block.get((cell % size) as usize);
            found(n, (value != VOID).then(|| value.value()));
        }
    }
    Ok(())
}

/// The cells of words, those that are no positions marked.
pub(super) fn marked(void: &[u64], cells: &[[Wide; 64]]) -> Vec<Wide> {
    let mut marked = cells.as_flattened().to_vec();
    for (word, &void) in marked.as_chunks_mut::<64>().0.iter_mut().zip(void) {
        for bit in duchamp_retro::Bits(void) {
            word[bit] = VOID;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::Random;

    #[test]
    fn values_come_back_from_either_form() {
        let mut packer = Packer::new();
        let mut random = Random::new(3);
        for kinds in [1, 2, 255, 256, 257, 5_000] {
            let cells: Vec<Wide> = (0..64 * 200)
                .map(|_| Wide((random.next_u64() % kinds * 7) as u16))
                .chain([VOID])
                .collect();
            for _ in 0..2 {
                let bytes = packer.pack(&cells);
                assert_eq!(bytes.len() < cells.len() + 600, kinds < 256, "{kinds}");
                let read = unpack(&bytes).expect("good");
                assert_eq!(read.len(), cells.len());
                assert!((0..cells.len()).all(|cell| read.get(cell) == cells[cell]));
            }
        }
        assert!(unpack(&[]).is_err() && unpack(&[9, 0, 1]).is_err());
    }
}
