//! Moshammer's routine: the corresponding squares of one structure for one attacker, for random structures of rams and
//! free pawns; and the question whether the defender holds, which search asks.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use duchamp::chess::{Board, Castling, Color, Piece, Position, Role, Setup, Square};
use duchamp::pawns::Correspondence;
use std::hint::black_box;

/// Positions with so many rams and free pawns.
fn positions(count: usize, rams: usize, free: usize) -> Vec<Position> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 16) % n) as usize
    };
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
            castling: Castling::NONE,
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

criterion_group!(benches, routine);
criterion_main!(benches);
