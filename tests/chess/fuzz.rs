//! Seeded fuzz loops over the parsers of the chess room: nothing panics, and what is accepted can
//! be written and read back. The `cargo fuzz` targets in `fuzz/` do the same with coverage.

use crate::common::{Random, random_walks};
use duchamp_chess::{Epd, Faults, Position, Setup};

const FENS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 b - - 99 65535",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 3 4",
    "r1bqkbnr/ppp1p1pp/n7/5p2/4pP2/N6N/PPPP2PP/R1BQKB1R w KQkq - hmvc 3; bm Ng5 d3; id \"a\";",
];

const MOVES: [&str; 16] = [
    "e2e4",
    "e7e8q",
    "e1g1",
    "0000",
    "Nf3",
    "Nbd2",
    "R1xa3+",
    "exd8=Q#",
    "O-O-O",
    "0-0",
    "e8(N)",
    "1. e4!?",
    "Qa1-b2",
    "bxc3 e.p.",
    "Kxe4",
    "--",
];

/// Pieces of valid texts, signs with a meaning somewhere, and other Unicode.
const SCRAPS: &str = "pnbrqkPNBRQK12345678/ wb-KQkqAaHh e3e6 0 1;\"'=+#!?x:().\t\n\u{0}\u{7f}\u{e9}\u{2654}\u{1f600}\u{202e}９";

fn mutated(rng: &mut Random, seeds: &[&str]) -> String {
    let mut text: Vec<char> = rng.pick(seeds).chars().collect();
    let scraps: Vec<char> = SCRAPS.chars().collect();
    for _ in 0..rng.below(6) {
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
            _ => {
                let end = at + rng.below(text.len() - at + 1);
                let again: Vec<char> = text[at..end].to_vec();
                text.splice(at..at, again);
            }
        }
    }
    text.into_iter().collect()
}

fn junk(rng: &mut Random) -> String {
    let bytes: Vec<u8> = (0..rng.below(90)).map(|_| rng.next_u64() as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn fens() {
    let mut rng = Random::new(11);
    let (mut read, mut legal) = (0, 0);
    for i in 0..100_000 {
        let text = if i % 10 == 0 {
            junk(&mut rng)
        } else {
            mutated(&mut rng, &FENS)
        };
        let Ok(setup) = text.parse::<Setup>() else {
            continue;
        };
        read += 1;
        assert_eq!(setup.fen().parse(), Ok(setup), "{text:?}");
        assert_eq!(setup.shredder_fen().parse(), Ok(setup), "{text:?}");
        let Ok(position) = Position::from_setup_forgiving(&setup, Faults::FORGIVABLE) else {
            continue;
        };
        legal += 1;
        position.validate().expect("consistent");
        for mv in position.legal_moves() {
            assert!(position.is_legal(mv), "{mv:?} {text:?}");
            position.play(mv).validate().expect("consistent");
        }
    }
    assert!(read > 10_000 && legal > 5_000, "{read} {legal}");
}

#[test]
fn epds() {
    let mut rng = Random::new(12);
    let mut read = 0;
    for i in 0..100_000 {
        let text = if i % 10 == 0 {
            junk(&mut rng)
        } else {
            mutated(&mut rng, &FENS)
        };
        let Ok(epd) = text.parse::<Epd>() else {
            continue;
        };
        read += 1;
        let again: Epd = epd
            .to_string()
            .parse()
            .unwrap_or_else(|error| panic!("{error}: {text:?} {epd}"));
        assert_eq!(again.operations, epd.operations, "{text:?}");
        assert_eq!(again.setup.board, epd.setup.board, "{text:?}");
        if let Ok(position) = Position::from_setup(&epd.setup) {
            _ = epd.moves("bm", &position);
            _ = epd.line("bm", &position);
        }
    }
    assert!(read > 10_000, "{read}");
}

#[test]
fn moves() {
    let mut rng = Random::new(13);
    let positions: Vec<Position> = FENS[..7]
        .iter()
        .map(|fen| Position::from_fen(fen).expect("legal"))
        .collect();
    let mut read = 0;
    for i in 0..200_000 {
        let text = if i % 10 == 0 {
            junk(&mut rng)
        } else {
            mutated(&mut rng, &MOVES)
        };
        let position = rng.pick(&positions);
        if let Ok(mv) = position.parse_uci(&text) {
            read += 1;
            assert!(position.is_legal(mv), "{text:?}");
        }
        if let Ok(mv) = position.parse_san(&text) {
            read += 1;
            assert!(position.is_legal(mv), "{text:?}");
        }
    }
    assert!(read > 2_000, "{read}");
}

/// Every legal move can be written and read in all notations.
#[test]
fn notation_round_trips() {
    let mut rng = Random::new(14);
    random_walks(&mut rng, 15_000, 200, |position, _| {
        for mv in position.legal_moves() {
            assert_eq!(
                position.parse_san(&position.san(mv)),
                Ok(mv),
                "{mv:?} {position}"
            );
            assert_eq!(
                position.parse_uci(&mv.uci(true)),
                Ok(mv),
                "{mv:?} {position}"
            );
            let ordinary = position.setup().castling.rooks();
            let corners = [0, 7, 56, 63]
                .map(duchamp_chess::Square::new)
                .into_iter()
                .collect();
            if (ordinary - corners).is_empty()
                && position.king(position.turn()).file() == duchamp_chess::File::E
            {
                assert_eq!(
                    position.parse_uci(&mv.uci(false)),
                    Ok(mv),
                    "{mv:?} {position}"
                );
            }
        }
    });
}
