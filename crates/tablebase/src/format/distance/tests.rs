//! Numbers through the coded form and back, damage, and what the header says.

use super::super::container::{Header, assemble};
use super::super::form::CODED_WORDS;
use super::super::metric::SideCounts;
use super::*;
use crate::mock::{Key, Words};
use duchamp_base::Mapped;

/// Numbers of a side's wins and losses, by cell, and the words of their cells.
fn part_of(
    index: &Words,
    words: std::ops::Range<usize>,
    number: fn(usize) -> u16,
) -> [ClassPart; 2] {
    let mut parts: [ClassPart; 2] = Default::default();
    for word in words {
        let legal = index.legal(duchamp_retro::Side::First, word);
        let won = 0x00FF_FFFF_F0F0_F0F0_u64.rotate_left(word as u32 / 64 % 64);
        for (part, set) in parts.iter_mut().zip([won & legal, !won & legal]) {
            part.class.push(set);
            let numbers = (0..64).map(|bit| number(word * 64 + bit));
            part.numbers.extend(numbers);
        }
    }
    parts
}

/// The container of a table whose first side holds both classes, and its second nothing.
fn file(index: &Words, number: fn(usize) -> u16) -> Container {
    let sides = index.stored_sides();
    let parts = |words| part_of(index, words, number);
    let encoders = ClassEncoder::learn(index, (sides[0], Metric::Dtm), parts);
    let mut blocks = Vec::new();
    let step = CODED_WORDS as usize;
    for first in (0..index.words()).step_by(step) {
        let parts = parts(first..index.words().min(first + step));
        let groups = encoders.iter().zip(&parts);
        blocks.push(
            groups
                .flat_map(|(encoder, part)| encoder.group(first, part))
                .collect(),
        );
    }
    blocks.resize(blocks.len() * sides.len(), Vec::new());
    let header = Header {
        game: 0,
        revision: 0,
        key: index.key().to_string(),
        metric: Metric::Dtm,
        sides: sides.len() as u8,
        words: index.words() as u64,
        block_words: CODED_WORDS,
        counts: [SideCounts::default(); 2],
        coding: Holdings([[true, true], [false, false]]).coding(),
        wdl_sum: 0,
    };
    Container::open(Mapped::from(assemble(&header, &blocks))).expect("a good file")
}

/// Smooth, noisy, and extreme numbers.
const NUMBERS: [fn(usize) -> u16; 4] = [
    |cell| (cell / 4096 % 30 + cell % 8 + cell / 8 % 8) as u16,
    |cell| ((cell as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as u16,
    |cell| ((cell as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16,
    |cell| if cell % 1001 == 0 { NONE - 1 } else { 3 },
];

#[test]
fn numbers_that_are_coded_are_decoded() {
    for (n, number) in NUMBERS.into_iter().enumerate() {
        for name in ["a", "long"] {
            let index = Arc::new(Words::new(Key::of(name)));
            let container = file(&index, number);
            let file = DistanceFile::new(container, &index).expect("a known form");
            let models = file.models.as_ref().expect("the coded form");
            let mut decoded = [NONE; CELLS];
            for block in 0..index.words().div_ceil(BLOCK) {
                let first = block * BLOCK;
                let parts = part_of(&index, first..index.words().min(first + BLOCK), number);
                for (class, part) in Class::ALL.into_iter().zip(&parts) {
                    let section = file.section(models, 0, class);
                    section
                        .decode((block, part.class.len()), &part.class, &mut decoded)
                        .expect("good");
                    for (cell, &decoded) in decoded.iter().enumerate().take(64 * part.class.len()) {
                        let there = part.class[cell / 64] >> (cell % 64) & 1 != 0;
                        let expected = part.numbers[cell].min(NONE - 1);
                        assert_eq!(decoded, if there { expected } else { NONE }, "{n} {name}");
                    }
                }
            }
        }
    }
}

/// Noise of 16 bits takes no more than 16 bits a number; what is smooth takes nearly nothing.
#[test]
fn a_block_is_never_much_larger_than_its_numbers() {
    let index = Words::new(Key::of("long"));
    let [smooth, _, noise, _] = NUMBERS.map(|number| file(&index, number).file_len());
    let cells = index.words() as u64 * 64;
    assert!(
        noise < 2 * cells + cells / 8 + (1 << 16),
        "{noise} of {cells}"
    );
    assert!(smooth < noise / 10, "{smooth} of {noise}");
}

#[test]
fn a_damaged_model_or_block_is_found() {
    let index = Arc::new(Words::new(Key::of("a")));
    let good = file(&index, NUMBERS[0]);
    let block = good.block(0).expect("good").to_vec();
    let header = good.header();
    for at in (0..block.len()).step_by(block.len() / 200 + 1) {
        let mut bytes = block.clone();
        bytes[at] ^= 1 << (at % 8);
        let mut blocks = vec![bytes];
        blocks.resize(header.side_blocks() * usize::from(header.sides), Vec::new());
        let container = Container::open(Mapped::from(assemble(header, &blocks))).expect("a header");
        let file = DistanceFile::new(container, &index).expect("a known form");
        let models = file.models.as_ref().expect("the coded form");
        let part = &part_of(&index, 0..index.words().min(BLOCK), NUMBERS[0])[0];
        // An error or other numbers, never a panic.
        let _ = file.section(models, 0, Class::Wins).decode(
            (0, part.class.len()),
            &part.class,
            &mut [NONE; CELLS],
        );
    }
}

#[test]
fn what_a_file_holds_is_in_its_header() {
    let index = Arc::new(Words::new(Key::of("a")));
    let container = file(&index, NUMBERS[0]);
    let mut header = container.header().clone();
    let file = DistanceFile::new(container, &index).expect("a known form");
    assert!(file.holdings().has(0, Class::Losses) && !file.holdings().has(1, Class::Wins));
    assert!(Holdings::knows(&header));
    for coding in [1, 2, 3 | 1 << 12, 3 | 1 << 31] {
        header.coding = coding;
        assert!(!Holdings::knows(&header), "{coding:x}");
    }
    header.coding = 0;
    assert!(!Holdings::knows(&header), "words of a block");
    header.block_words = Metric::Dtm.spec().block_words;
    assert_eq!(Holdings::of(&header), Some((Holdings::WINS, false)));
}

/// The results that lengths go with are cut off in use: no length is told.
#[cfg(target_os = "linux")]
#[test]
fn lengths_are_not_told_without_their_results() {
    use crate::format::coded::Planes;
    use crate::mock::Mock;
    use crate::{Form, Solved, Store, write_table};
    use duchamp_base::Control;
    use duchamp_retro::Code;

    let index = Arc::new(Words::new(Key::of("long")));
    let codes = (0..64 * index.words()).map(|cell| [128, 255, 3, 201, 90][cell / 37 % 5]);
    let codes: Vec<Code> = codes.map(Code).collect();
    let solved = Solved::from_codes(Arc::clone(&index), vec![codes; 2]);
    let folder = tempfile::tempdir().expect("a folder");
    write_table::<Mock>(Form::Coded, &solved, folder.path(), &Control::new(1)).expect("written");
    let store = Store::<Mock>::open(folder.path());
    let table = store.table(index.key()).expect("ready");
    let read = || {
        let mut planes = [Planes::default(); BLOCK];
        table.wdl.block_planes(0, 0, BLOCK, &mut planes)
    };
    assert_eq!(read(), Ok(()));
    let path = folder.path().join("long.wdl");
    let wdl = std::fs::File::options().write(true).open(path);
    wdl.expect("a file").set_len(100).expect("cut off");
    assert_eq!(read(), Err(FormatError::Cut));
}
