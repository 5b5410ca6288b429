//! Both forms of `.wdl` files.

use super::{encode, material, solve};
use duchamp_chess_tables::{Layout, Solved};
use duchamp_retro::{Code, Side};
use duchamp_tablebase::{Form, Index, Outcome, Results, Word};
use std::sync::Arc;

fn open(wdl: Vec<u8>, layout: &Arc<Layout>) -> Results<Layout> {
    Results::open(wdl, layout).expect("a good file")
}

/// Values with some order in them, other than chess would have.
fn word_of(layout: &Layout, side: Side, n: usize) -> Word {
    let mut noise = (n as u64 / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    noise ^= noise >> 29;
    let legal = Index::legal(layout, side, n) & Index::canonical(layout, n);
    let won = (noise & noise >> 7 | 0xFFFF << (n / 64 % 50)) & legal;
    let lost = noise.rotate_left(21) & 0xFF00_FF00_F0F0 & legal & !won;
    Word {
        won,
        lost,
        void: !legal,
    }
}

/// A table of these values.
fn table_of(layout: &Arc<Layout>) -> Solved {
    let code = |word: Word, bit: usize| match (word.won >> bit & 1, word.lost >> bit & 1) {
        (1, _) => Code::win(1),
        (_, 1) => Code::loss(2),
        _ => Code::DRAW,
    };
    let sides = layout.stored_sides().iter().map(|&side| {
        let words = (0..Index::words(&**layout)).map(|n| word_of(layout, side, n));
        let codes = words.flat_map(|word| (0..64).map(move |bit| code(word, bit)));
        codes.collect()
    });
    Solved::from_codes(Arc::clone(layout), sides.collect())
}

/// Chess's contexts follow from what a reader has read before, whatever the values are.
#[test]
fn what_is_coded_is_read() {
    // The ways in which words follow each other, identical pieces, and mirrored pawns.
    for name in ["KRvK", "KBBvK", "KBvKN", "KPvK", "KRvKP", "KPvKP"] {
        let layout = Arc::new(Layout::new(material(name)));
        let words = Index::words(&*layout);
        let [wdl, _] = encode(Form::Coded, &table_of(&layout));
        let file = open(wdl, &layout);
        assert_eq!(file.form(), Form::Coded);
        for (side, &to_move) in layout.stored_sides().iter().enumerate() {
            let mut n = 0;
            file.read_words(side, 0, words, |read| {
                let word = word_of(&layout, to_move, n);
                assert_eq!((read.won, read.lost), (word.won, word.lost), "{name} {n}");
                n += 1;
            })
            .expect("good blocks");
            assert_eq!(n, words);
            let mut part = Vec::new();
            file.read_words(side, 100, 150, |word| part.push(word.won))
                .expect("good blocks");
            let expected = (100..250).map(|n| word_of(&layout, to_move, n).won);
            assert!(part.into_iter().eq(expected));
            for cell in (0..words * 64).step_by(997) {
                let (n, bit) = (cell / 64, cell as u32 % 64);
                let word = word_of(&layout, to_move, n);
                let expected = match (word.won >> bit & 1, word.lost >> bit & 1) {
                    (1, _) => Outcome::Win,
                    (_, 1) => Outcome::Loss,
                    _ => Outcome::Draw,
                };
                assert_eq!(file.outcome(side, n, bit), Ok(expected));
            }
        }
    }
}

/// Won and lost positions, of symmetric duplicates one.
fn graded(layout: &Layout, side: Side, words: &[Word]) -> Vec<(u64, u64)> {
    let words = words.iter().enumerate().map(|(n, word)| {
        let kept = Index::legal(layout, side, n) & Index::canonical(layout, n);
        (word.won & kept, word.lost & kept)
    });
    words.collect()
}

/// What the coded form is for: it reads back as the direct one in less than half the bytes, and the distances beside it
/// are the same.
#[test]
fn the_coded_form_says_the_same_in_fewer_bytes() {
    for name in ["KRvKN", "KBNvK", "KRvKP", "KPPvK"] {
        let solved = solve(material(name));
        let layout = solved.index();
        let [[direct, _], [coded, _]] =
            [Form::Direct, Form::Coded].map(|form| encode(form, &solved));
        assert!(
            2 * coded.len() < direct.len(),
            "{name}: {} bytes coded, {} direct",
            coded.len(),
            direct.len()
        );
        let (direct, coded) = (open(direct, layout), open(coded, layout));
        assert_eq!((direct.form(), coded.form()), (Form::Direct, Form::Coded));
        assert_eq!(direct.counts(), coded.counts(), "{name}");
        for (side, &to_move) in layout.stored_sides().iter().enumerate() {
            let words = |file: &Results<Layout>| {
                graded(
                    layout,
                    to_move,
                    &file.side_words(side).expect("a good file"),
                )
            };
            assert!(words(&direct) == words(&coded), "{name} {to_move:?}");
        }
    }
}
