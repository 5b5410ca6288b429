//! The hand-crafted evaluation: with all pawn structures remembered, and with none.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use duchamp::chess::Position;
use duchamp::eval::{Classical, Evaluator};
use std::hint::black_box;

/// Positions from the opening suite, each followed by a few of its successors.
fn positions() -> Vec<Position> {
    let suite = include_str!("../tests/data/openings.epd");
    let fen = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let openings = suite
        .lines()
        .filter_map(|line| Position::from_fen(&fen(line)).ok())
        .take(200);
    openings
        .flat_map(|position| {
            let moves = position.legal_moves();
            let after: Vec<_> = moves.iter().take(4).map(|&mv| position.play(mv)).collect();
            after
        })
        .collect()
}

fn evaluation(criterion: &mut Criterion) {
    let positions = positions();
    let mut group = criterion.benchmark_group("evaluation");
    group.throughput(Throughput::Elements(positions.len() as u64));
    let mut eval = Classical::new();
    group.bench_function("pawns remembered", |b| {
        b.iter(|| {
            positions
                .iter()
                .map(|p| eval.evaluate(black_box(p)).0)
                .sum::<i32>()
        });
    });
    group.bench_function("traced", |b| {
        b.iter(|| {
            positions
                .iter()
                .map(|p| eval.trace(black_box(p)).1.phase)
                .sum::<i32>()
        });
    });
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
