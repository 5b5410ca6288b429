//! Tables with the lengths of their losses, kept on the disk for the tables whose promotions lead to them.

use std::io;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::routes::Loaded;
use duchamp_base::{Passage, Scroll};

/// Cells of a piece: half a megabyte.
const PIECE: usize = 1 << 18;

/// One table.
#[derive(Debug)]
pub(super) struct Shelved {
    scroll: Scroll,
    slice_cells: usize,
    /// By side, then slice by slice.
    pieces: Vec<Vec<Passage>>,
}

impl Shelved {
    /// Writes a table, all slices of it, into a nameless file in a folder.
    pub(super) fn new(table: &Loaded, folder: &Path) -> io::Result<Shelved> {
        let scroll = Scroll::new_in(folder)?;
        let slice_cells = table.layout.slice_words() * 64;
        let sides = table.sides.iter().map(|side| {
            let slices = side.cells.par_chunks(slice_cells);
            let pieces = slices.flat_map(|slice| slice.par_chunks(PIECE));
            let write = |piece: &[u16]| {
                let bytes: Vec<u8> = piece
                    .iter()
                    .flat_map(|backed_up| backed_up.to_le_bytes())
                    .collect();
                scroll.append(&bytes)
            };
            pieces.map(write).collect::<io::Result<Vec<_>>>()
        });
        let pieces = sides.collect::<io::Result<_>>()?;
        Ok(Shelved {
            scroll,
            slice_cells,
            pieces,
        })
    }

    /// Reads a slice of a stored side.
    pub(super) fn read(&self, side: usize, slice: usize, cells: &mut [u16]) -> io::Result<()> {
        let count = self.slice_cells.div_ceil(PIECE);
        let pieces: Range<usize> = slice * count..(slice + 1) * count;
        cells
            .par_chunks_mut(PIECE)
            .zip(&self.pieces[side][pieces])
            .try_for_each(|(cells, &passage)| {
                let mut bytes = Vec::new();
                self.scroll.read(passage, &mut bytes)?;
                for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks::<2>().0) {
                    *cell = u16::from_le_bytes(*bytes);
                }
                Ok(())
            })
    }
}
