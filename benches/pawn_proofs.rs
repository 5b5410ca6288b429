//! What search pays to ask for proved bounds of a pawn ending: warm, of structures that nothing is known of, and for a
//! look at one.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use duchamp::chess::{
    Board, Color, NoOracle, Piece, Position, Proofs, Proven, Role, Setup, Square,
};
use duchamp::pawns::PawnProofs;
use std::hint::black_box;
use std::sync::Arc;

/// Pawn structures; each gets as many placements of the kings.
const STRUCTURES: usize = 1000;
const PLACEMENTS: usize = 20;

fn random(state: &mut u64, n: u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    ((*state >> 16) % n) as usize
}

/// Positions with three to six pawns a side, shuffled, so that neighbours have different pawns.
fn positions() -> Vec<Position> {
    let state = &mut 0x9E37_79B9_7F4A_7C15_u64;
    let man = |color, role| Piece { color, role };
    let mut positions = Vec::new();
    for _ in 0..STRUCTURES {
        let mut pawns = Board::EMPTY;
        for color in Color::ALL {
            for _ in 0..3 + random(state, 4) {
                let square = Square::new(8 + random(state, 48));
                if pawns.at(square).is_none() {
                    pawns.put(man(color, Role::Pawn), square);
                }
            }
        }
        let mut placed = 0;
        while placed < PLACEMENTS {
            let kings = [(); 2].map(|()| Square::new(random(state, 64)));
            let mut board = pawns;
            if kings[0] == kings[1] || kings.iter().any(|&king| board.at(king).is_some()) {
                continue;
            }
            for (color, king) in Color::ALL.into_iter().zip(kings) {
                board.put(man(color, Role::King), king);
            }
            let turn = Color::ALL[random(state, 2)];
            let setup = Setup {
                board,
                turn,
                ..Setup::EMPTY
            };
            placed += 1;
            positions.extend(Position::from_setup(&setup));
        }
    }
    for i in (1..positions.len()).rev() {
        positions.swap(i, random(state, i as u64 + 1));
    }
    positions
}

fn probes(criterion: &mut Criterion) {
    let positions = positions();
    let new = || PawnProofs::new(Arc::new(NoOracle), 256);
    let (warm, cold) = (new(), new());
    for position in &positions {
        warm.glance(position);
    }
    let mut group = criterion.benchmark_group("pawn_proofs");
    group.throughput(Throughput::Elements(positions.len() as u64));
    for (name, proofs) in [("known, warm", &warm), ("known, nothing there", &cold)] {
        group.bench_function(name, |b| {
            let known = |position: &&Position| {
                proofs.covers(position) && proofs.known(black_box(position)) != Proven::NOTHING
            };
            b.iter(|| positions.iter().filter(known).count());
        });
    }
    group.throughput(Throughput::Elements(100));
    group.sample_size(20);
    group.bench_function("a look at a structure", |b| {
        let look = |proofs: PawnProofs| {
            positions[..100]
                .iter()
                .for_each(|position| proofs.glance(position));
            proofs
        };
        b.iter_batched(new, look, BatchSize::PerIteration);
    });
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
