//! Perft beside `cozy-chess`: nodes per second of both and their ratio, bulk counting on both.
//!
//! Run with `cargo bench --bench perft`. The two take turns, so that both meet the same noise; the
//! ratio is given as the median over the rounds with its quartiles. `cargo bench --bench perft 5`
//! plays five rounds. Only counts are checked, never times.

use duchamp_chess::{Position, perft};
use std::time::Instant;

/// Positions of the usual perft set, with a depth that takes a fraction of a second.
const POSITIONS: [(&str, u32, u64); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        6,
        119_060_324,
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
        193_690_690,
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        5,
        15_833_292,
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        5,
        89_941_194,
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        5,
        164_075_551,
    ),
];

fn theirs(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth <= 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
        return nodes;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += theirs(&next, depth - 1);
        }
        false
    });
    nodes
}

/// Seconds that a count takes: of this thread's processor time where the system tells (Linux), so
/// that other work on the machine matters little.
fn seconds(nodes: u64, count: impl FnOnce() -> u64) -> f64 {
    let processor = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    };
    let (start, before) = (Instant::now(), processor());
    assert_eq!(count(), nodes);
    match (before, processor()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    }
}

/// Lower quartile, median, upper quartile.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|q| values[(values.len() - 1) * q / 4])
}

fn main() {
    let rounds = std::env::args()
        .filter_map(|a| a.parse().ok())
        .next()
        .unwrap_or(9usize)
        .max(1);
    let total: u64 = POSITIONS.iter().map(|p| p.2).sum();
    let (mut ratios, mut own, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let mut by_position = vec![Vec::new(); POSITIONS.len()];
    for _ in 0..rounds {
        let (mut a, mut b) = (0.0, 0.0);
        for (i, &(fen, depth, nodes)) in POSITIONS.iter().enumerate() {
            let ours = Position::from_fen(fen).expect("a legal position");
            let board = cozy_chess::Board::from_fen(fen, false).expect("a legal position");
            let x = seconds(nodes, || perft(&ours, depth));
            let y = seconds(nodes, || theirs(&board, depth));
            by_position[i].push(y / x);
            a += x;
            b += y;
        }
        ratios.push(b / a);
        own.push(total as f64 / a / 1e6);
        other.push(total as f64 / b / 1e6);
    }
    for ((fen, depth, _), values) in POSITIONS.iter().zip(by_position) {
        println!("{:.2}x  depth {depth} of {fen}", quartiles(values)[1]);
    }
    let line = |name: &str, [low, mid, high]: [f64; 3]| {
        println!("{name}: {mid:.1} ({low:.1} to {high:.1}) million nodes/s")
    };
    line("duchamp", quartiles(own));
    line("cozy-chess", quartiles(other));
    let [low, mid, high] = quartiles(ratios);
    println!("ratio: {mid:.2} ({low:.2} to {high:.2}) over {rounds} rounds");
}
