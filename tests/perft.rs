//! Perft: known numbers of the usual positions, ordinary chess and Chess960.
//!
//! Sources: the chess programming wiki's page "Perft Results" (start position, Kiwipete,
//! positions 3 to 6), and its Chess960 perft table.

use duchamp::chess::{Position, perft};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[track_caller]
fn counts(fen: &str, expected: &[u64]) {
    let position = Position::from_fen(fen).expect("a legal position");
    for (depth, &nodes) in (1..).zip(expected) {
        assert_eq!(perft(&position, depth), nodes, "depth {depth} of {fen}");
    }
}

#[test]
fn start_position() {
    counts(
        &Position::start().fen(),
        &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    );
}

#[test]
fn kiwipete() {
    counts(KIWIPETE, &[48, 2_039, 97_862, 4_085_603, 193_690_690]);
}

#[test]
fn positions_3_to_6() {
    counts(
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        &[14, 191, 2_812, 43_238, 674_624, 11_030_083],
    );
    let fourth = [6, 264, 9_467, 422_333, 15_833_292];
    counts(
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &fourth,
    );
    counts(
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
        &fourth,
    );
    counts(
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1_486, 62_379, 2_103_487, 89_941_194],
    );
    let sixth = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    counts(sixth, &[46, 2_079, 89_890, 3_894_594, 164_075_551]);
}
