//! Pawn endings. Moshammer's routine: the corresponding squares of one structure for one attacker, for random structures of
//! rams and free pawns, and whether the defender holds. What search pays to ask for proved bounds: warm, of
//! structures that nothing is known of, and for a look at one.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use duchamp_base::Random;
use duchamp_chess::{Board, Color, NoOracle, Piece, Position, Proofs, Proven, Role, Setup, Square};
use duchamp_proofs::pawns::{Correspondence, PawnProofs};
use std::hint::black_box;
use std::sync::Arc;

/// Pawn structures; each gets as many placements of the kings.
const STRUCTURES: usize = 1000;
const PLACEMENTS: usize = 20;

/// Positions with so many rams and free pawns.
fn positions(count: usize, rams: usize, free: usize) -> Vec<Position> {
    let mut random = Random::new(1);
    let mut below = |n| random.below(n);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut board = Board::EMPTY;
        let mut put = |color, role, square| {
            let empty = board.at(square).is_none();
            board.put(Piece { color, role }, square);
            empty
        };
        let mut sound = true;
        for _ in 0..rams {
            let square = 8 + below(40);
            sound &= put(Color::White, Role::Pawn, Square::new(square));
            sound &= put(Color::Black, Role::Pawn, Square::new(square + 8));
        }
        for _ in 0..free {
            let color = Color::ALL[below(2)];
            sound &= put(color, Role::Pawn, Square::new(8 + below(48)));
        }
        for color in Color::ALL {
            sound &= put(color, Role::King, Square::new(below(64)));
        }
        let setup = Setup {
            board,
            ..Setup::EMPTY
        };
        if sound {
            positions.extend(Position::from_setup(&setup));
        }
    }
    positions
}

fn routine(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("corresponding squares");
    for (name, rams, free) in [
        ("three rams", 3, 0),
        ("three rams and two pawns", 3, 2),
        ("five rams", 5, 0),
        ("four pawns", 0, 4),
    ] {
        let positions = positions(1_000, rams, free);
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                let holds = |position: &&Position| {
                    let turn = position.turn();
                    Correspondence::of(black_box(position), turn).holds(position) == Some(true)
                };
                positions.iter().filter(holds).count()
            });
        });
    }
    group.finish();
}

/// Positions with three to six pawns a side, shuffled, so that neighbours have different pawns.
fn endings() -> Vec<Position> {
    let mut random = Random::new(2);
    let man = |color, role| Piece { color, role };
    let mut positions = Vec::new();
    for _ in 0..STRUCTURES {
        let mut pawns = Board::EMPTY;
        for color in Color::ALL {
            for _ in 0..3 + random.below(4) {
                let square = Square::new(8 + random.below(48));
                if pawns.at(square).is_none() {
                    pawns.put(man(color, Role::Pawn), square);
                }
            }
        }
        let mut placed = 0;
        while placed < PLACEMENTS {
            let kings = [(); 2].map(|()| Square::new(random.below(64)));
            let mut board = pawns;
            if kings[0] == kings[1] || kings.iter().any(|&king| board.at(king).is_some()) {
                continue;
            }
            for (color, king) in Color::ALL.into_iter().zip(kings) {
                board.put(man(color, Role::King), king);
            }
            let turn = Color::ALL[random.below(2)];
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
        positions.swap(i, random.below(i + 1));
    }
    positions
}

fn probes(criterion: &mut Criterion) {
    let positions = endings();
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

criterion_group!(benches, routine, probes);
criterion_main!(benches);
