//! Perft: published counts of `tests/data/xiangqi_perft.csv`; its first line names the sources.

use duchamp_xiangqi::{Position, perft};
use std::time::Instant;

struct Row {
    fen: &'static str,
    depth: u32,
    nodes: u64,
}

/// The rows of the file whose counts are at most `most`.
fn rows(most: u64) -> Vec<Row> {
    let lines = include_str!("data/xiangqi_perft.csv").lines();
    let rows = lines.filter(|line| !line.starts_with('#')).skip(1);
    let rows = rows.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        Row {
            fen: fields[0],
            depth: fields[1].parse().expect("a depth"),
            nodes: fields[2].parse().expect("a count"),
        }
    });
    rows.filter(|row| row.nodes <= most).collect()
}

fn check(rows: &[Row]) {
    for Row { fen, depth, nodes } in rows {
        let position = Position::from_fen(fen).expect("a legal position");
        assert_eq!(position.fen(), *fen);
        let start = Instant::now();
        assert_eq!(perft(&position, *depth), *nodes, "depth {depth} of {fen}");
        let speed = *nodes as f64 / start.elapsed().as_secs_f64();
        println!("{nodes} nodes, {:.0} million a second: {fen}", speed / 1e6);
    }
}

#[test]
fn published_counts() {
    let rows = rows(5_000_000);
    assert_eq!(rows.len(), 16);
    check(&rows);
}

/// `cargo test --release -p duchamp-xiangqi --test perft -- --ignored --nocapture`
#[test]
#[ignore = "133 million nodes: some seconds"]
fn published_counts_to_depth_five() {
    check(&rows(200_000_000));
}
