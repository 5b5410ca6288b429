//! What is no position or no move is refused in one clear line, and nothing panics.

mod common;

use common::{Random, random_placement, validate};
use duchamp_xiangqi::{Board, Letters, Position, RankBase};
use proptest::prelude::*;

const FENS: [&str; 7] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR r",
    "1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w - - 0 1",
    "3a1Cb2/9/b2ak4/9/9/9/2P6/4B4/3K5/5A3 b - - 12 40",
    "4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w - - 0 1",
    "3a1Ge2/9/e2ak4/9/9/9/2P6/4E4/3K5/5A3 r",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
];

const MOVES: [&str; 12] = [
    "h2e2", "h3e3", "h10h9", "a0a1", "H2-E2", "C2=5", "c2.5", "H8+7", "C+-3", "+C-3", "15=6",
    "g2=5",
];

/// Signs with a meaning somewhere, and other Unicode.
const SCRAPS: &str =
    "kaenbrchgpqKAENBRCHGPQ0123456789/ wrb-+=.\t\n\u{0}\u{7f}\u{e9}\u{2654}\u{1f600}\u{202e}９";

fn mutated(rng: &mut Random, seeds: &[&str]) -> String {
    let mut text: Vec<char> = rng.pick(seeds).chars().collect();
    let scraps: Vec<char> = SCRAPS.chars().collect();
    for _ in 0..rng.below(5) {
        let at = rng.below(text.len() + 1);
        match rng.below(6) {
            0 => text.truncate(at),
            1 => text.insert(at, *rng.pick(&scraps)),
            2 if at < text.len() => text[at] = *rng.pick(&scraps),
            3 if at < text.len() => _ = text.remove(at),
            4 => {
                let other: Vec<char> = rng.pick(seeds).chars().collect();
                let from = rng.below(other.len() + 1);
                text.splice(at..at, other[from..].iter().copied());
            }
            _ if text.len() > 1 => {
                let other = rng.below(text.len());
                let last = text.len() - 1;
                text.swap(at.min(last), other);
            }
            _ => {}
        }
    }
    text.into_iter().collect()
}

fn junk(rng: &mut Random) -> String {
    let bytes: Vec<u8> = (0..rng.below(90)).map(|_| rng.next_u64() as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn text(rng: &mut Random, seeds: &[&str]) -> String {
    match rng.below(10) {
        0 => junk(rng),
        _ => mutated(rng, seeds),
    }
}

#[track_caller]
fn refused(fen: &str, reason: &str) {
    let error = Position::from_fen(fen).expect_err(fen).to_string();
    assert!(error.contains(reason), "{error}");
    assert!(!error.contains('\n') && error.len() < 200, "{error}");
}

#[test]
fn each_fault_of_a_position_is_named() {
    for (fen, reason) in [
        ("9/9/9/9/9/9/9/9/9/4K4 w", "Black has no king"),
        ("3k5/9/9/9/9/9/9/9/9/9 w", "Red has no king"),
        (
            "3k5/9/9/9/9/9/9/9/4K4/4K4 w",
            "Red has 2 kings; each side needs exactly one",
        ),
        (
            "3k5/9/9/9/9/9/4K4/9/9/9 w",
            "the Red king on e3 cannot stand there: a king stays in its palace, d0 to f2",
        ),
        (
            "9/9/2k6/9/9/9/9/9/9/4K4 w",
            "the Black king on c7 cannot stand there: a king stays in its palace, d7 to f9",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/3AKA1A1 w",
            "Red has 3 advisors, and at most 2 are possible",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/4KA1A1 w",
            "the Red advisor on h0 cannot stand there: an advisor stays on d0 f0 e1 d2 f2",
        ),
        (
            "3k5/3a5/9/9/9/9/9/9/9/4K4 w",
            "the Black advisor on d8 cannot stand there: an advisor stays on d9 f9 e8 d7 f7",
        ),
        (
            "3k5/9/9/9/2B6/9/9/9/9/4K4 w",
            "the Red elephant on c5 cannot stand there: an elephant does not cross the river and stays on c0 g0 a2 e2 i2 c4 g4",
        ),
        (
            "3k5/9/9/9/9/2e6/9/9/9/4K4 w",
            "the Black elephant on c4 cannot stand there: an elephant does not cross the river and stays on c9 g9 a7 e7 i7 c5 g5",
        ),
        (
            "3k5/9/9/9/9/9/9/P8/9/4K4 w",
            "the Red pawn on a2 cannot stand there: a pawn never moves back, so it never stands behind rank 3",
        ),
        (
            "3k5/9/p8/9/9/9/9/9/9/4K4 w",
            "the Black pawn on a7 cannot stand there: a pawn never moves back, so it never stands behind rank 6",
        ),
        (
            "3k5/9/9/9/9/1P7/9/9/9/4K4 w",
            "the Red pawn on b4 cannot stand there: before it crosses the river (ranks 3 and 4) a pawn stays on its file",
        ),
        (
            "3k5/9/9/9/7p1/9/9/9/9/4K4 w",
            "the Black pawn on h5 cannot stand there: before it crosses the river (ranks 6 and 5) a pawn stays on its file",
        ),
        (
            "3k5/9/9/PPPPPP3/9/9/9/9/9/4K4 w",
            "Red has 6 pawns, and at most 5",
        ),
        (
            "3k5/9/9/9/rrr6/9/9/9/9/4K4 w",
            "Black has 3 chariots, and at most 2",
        ),
        (
            "4k4/9/9/9/9/9/9/9/9/4K4 w",
            "the kings on e0 and e9 face each other",
        ),
        (
            "3k5/9/9/9/3R5/9/9/9/9/4K4 w",
            "Red is to move and can take the king on d9; let Black move",
        ),
        (
            "3k5/9/9/9/4r4/9/9/9/9/4K4 b",
            "Black is to move and can take the king on e0; let Red move",
        ),
    ] {
        refused(fen, reason);
    }
}

#[test]
fn each_fault_of_a_text_is_named() {
    for (fen, reason) in [
        ("", "expected 2 to 6 fields"),
        ("9/9/9/9/9/9/9/9/9/9", "found 1"),
        ("9/9/9/9/9/9/9/9/9/9 w - - 0 1 2", "found 7"),
        (
            FENS[5],
            "'G' is the cannon in the letters K A E H C G P of Wu and Beal only",
        ),
        (FENS[6], "'q' is the queen of chess"),
        (
            "rnbxkbnr/9 w",
            "'x' is no piece; the letters are K A B N R C P (or E for B, H for N)",
        ),
        ("3k5/9/9/9/9/9/9/0/9/4K4 w", "'0' is no piece"),
        (
            "8/8/8/8/8/8/8/4K2k w",
            "the board has 8 ranks, and xiangqi has 10, separated by / (is it a chess position?)",
        ),
        ("3k5/9/9/9/9/9/9/9/9/9/4K4 w", "the board has 11 ranks"),
        (
            "3k5/9/9/9/9/9/9/8/9/4K4 w",
            "rank 2 has 8 files, and xiangqi has 9",
        ),
        ("3k5/9/9/9/9/9/9/991/9/4K4 w", "rank 2 has 19 files"),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 x",
            "the side to move, the second field, is w or r for Red or b for Black",
        ),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w KQ", "field 3 is - in xiangqi"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w - e3", "field 4 is - in xiangqi"),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 w - - x",
            "field 5, the plies since the last capture",
        ),
        (
            "3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 65536",
            "field 6, the number of the move",
        ),
    ] {
        refused(fen, reason);
    }
}

#[test]
fn fens_never_panic_and_what_is_read_is_legal() {
    let mut rng = Random::new(51);
    let mut legal = 0;
    for _ in 0..60_000 {
        let text = text(&mut rng, &FENS);
        for letters in [Letters::Uci, Letters::Wxf, Letters::WuBeal] {
            if let Ok(board) = Board::parse(&text, letters) {
                assert_eq!(Board::parse(&board.write(letters), letters), Ok(board));
            }
            match Position::from_fen_in(&text, letters) {
                Ok(position) => {
                    legal += 1;
                    validate(&position);
                    let again = Position::from_fen_in(&position.fen_in(letters), letters);
                    assert_eq!(again, Ok(position), "{text:?}");
                    assert!(position.legal_moves().len() <= 119);
                }
                Err(error) => assert!(!error.to_string().contains('\n'), "{text:?}"),
            }
        }
    }
    assert!(legal > 10_000, "{legal}");
}

#[test]
fn moves_never_panic_and_what_is_read_is_legal() {
    let mut rng = Random::new(52);
    let mut read = 0;
    let mut positions: Vec<Position> = (0..50).map(|_| random_placement(&mut rng)).collect();
    positions.extend([Position::start(); 20]);
    for _ in 0..60_000 {
        let text = text(&mut rng, &MOVES);
        let position = rng.pick(&positions);
        let moves = [
            position.parse_move(&text).ok(),
            position.parse_move_in(&text, RankBase::Zero).ok(),
            position.parse_move_in(&text, RankBase::One).ok(),
            position.parse_wxf(&text).ok(),
            position.parse_wxf_in(&text, Letters::WuBeal).ok(),
        ];
        for mv in moves.into_iter().flatten() {
            read += 1;
            assert!(position.is_legal(mv), "{text:?} {position}");
        }
    }
    assert!(read > 3_000, "{read}");
}

/// Texts that are like a FEN, and any others.
fn fen_like() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "[kaenbrchgpKAENBRCHGP1-9/]{0,60} [wrb] - - [0-9]{1,6} [0-9]{1,6}",
        "([kaenbrchgpKAENBRCHGP]{9}/){9}[kaenbrchgpKAENBRCHGP]{9} [wrb]",
    ]
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_in_one_line(fen in fen_like(), mv in "\\PC{0,8}|[a-iA-I0-9.=+-]{3,7}") {
        match Position::from_fen(&fen) {
            Ok(position) => prop_assert_eq!(Position::from_fen(&position.fen()), Ok(position)),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
        let start = Position::start();
        for read in [start.parse_move(&mv).ok(), start.parse_wxf(&mv).ok()].into_iter().flatten() {
            prop_assert!(start.is_legal(read));
        }
    }

    /// Every number is a position or is not; positions and moves are written and read in all notations.
    #[test]
    fn positions_and_moves_are_written_and_read(seed: u64) {
        let position = random_placement(&mut Random::new(seed));
        for letters in [Letters::Uci, Letters::Wxf, Letters::WuBeal] {
            prop_assert_eq!(Position::from_fen_in(&position.fen_in(letters), letters), Ok(position));
        }
        for mv in position.legal_moves() {
            for base in [RankBase::Zero, RankBase::One] {
                prop_assert_eq!(position.parse_move_in(&mv.uci(base), base), Ok(mv));
            }
            prop_assert_eq!(position.parse_move(&mv.iccs()), Ok(mv));
            for letters in [Letters::Uci, Letters::Wxf, Letters::WuBeal] {
                prop_assert_eq!(position.parse_wxf_in(&position.wxf_in(mv, letters), letters), Ok(mv));
            }
        }
    }
}
