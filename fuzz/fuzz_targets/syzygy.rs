//! Syzygy files of any content: errors or values, never a panic, an endless loop or memory out of proportion.
//!
//! The first byte chooses a good file, the rest edits it; probers do not look at checksums.
#![no_main]

use duchamp_chess::Position;
use duchamp_chess_tables::{Material, SyzygyKind, SyzygyTables};
use libfuzzer_sys::fuzz_target;
use std::ops::Range;

const FILES: [(&str, SyzygyKind, &[u8]); 7] = [
    ("KQvK", SyzygyKind::Wdl, include_bytes!("../../tests/data/syzygy/KQvK.rtbw")),
    ("KQvK", SyzygyKind::Dtz, include_bytes!("../../tests/data/syzygy/KQvK.rtbz")),
    ("KRvK", SyzygyKind::Wdl, include_bytes!("../../tests/data/syzygy/KRvK.rtbw")),
    ("KRvK", SyzygyKind::Dtz, include_bytes!("../../tests/data/syzygy/KRvK.rtbz")),
    ("KPvK", SyzygyKind::Wdl, include_bytes!("../../tests/data/syzygy/KPvK.rtbw")),
    ("KPvK", SyzygyKind::Dtz, include_bytes!("../../tests/data/syzygy/KPvK.rtbz")),
    ("KPvKP", SyzygyKind::Wdl, include_bytes!("../../tests/data/syzygy/KPvKP.rtbw")),
];

/// Of each chosen file the files that are loaded with it, and the positions that are looked up: what else there is would cost
/// time and reach none of its bytes.
const REACHED: [(Range<usize>, Range<usize>); 7] = [
    (0..2, 0..2),
    (0..2, 0..2),
    (2..4, 2..5),
    (2..4, 2..5),
    (0..6, 5..7),
    (0..6, 5..7),
    (0..7, 7..10),
];

const POSITIONS: [&str; 10] = [
    "8/8/8/8/8/2k5/8/KQ6 w - - 0 1",
    "8/8/8/3k4/8/8/1q6/6K1 w - - 0 1",
    "8/8/8/3k4/8/8/8/KR6 b - - 0 1",
    "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
    "5k2/8/8/8/8/8/R7/K7 b - - 0 1",
    "8/8/8/3k4/8/4P3/8/K7 w - - 0 1",
    "8/7p/8/3k4/8/8/8/K7 w - - 0 1",
    "8/8/8/pP2k3/8/8/8/6K1 w - a6 0 1",
    "8/1p6/8/8/K7/8/6P1/k7 b - - 0 1",
    "8/8/8/8/3Pp1K1/k7/8/8 b - - 0 1",
];

fuzz_target!(|data: &[u8]| {
    let Some((&first, edits)) = data.split_first() else { return };
    let chosen = usize::from(first) % FILES.len();
    let (files, positions) = REACHED[chosen].clone();
    let files = files.map(|n| {
        let (name, kind, good) = FILES[n];
        let mut bytes = good.to_vec();
        if n == chosen {
            for edit in edits.chunks_exact(4) {
                let at = usize::from(u16::from_le_bytes([edit[1], edit[2]])) % bytes.len().max(1);
                match edit[0] & 7 {
                    // Lengths stay 16 more than a multiple of 64, or the file is refused at once.
                    0 if bytes.len() > 80 => bytes.truncate(bytes.len() - 64),
                    _ => bytes[at] = edit[3],
                }
            }
        }
        (name.parse::<Material>().expect("a material"), kind, bytes)
    });
    let tables = SyzygyTables::of_files(files);
    for fen in &POSITIONS[positions] {
        let position = Position::from_fen(fen).expect("a position");
        let _ = tables.wdl(&position);
        let _ = tables.dtz(&position);
    }
});
