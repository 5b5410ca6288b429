//! Probes of Syzygy files, warm, on random legal positions of all four-man files, beside those of `pyrrhic-rs`.
//!
//! The folders with the files stand in the environment variable `SYZYGY_PATH`; all 30 four-man files and those of three
//! men must be there. Each figure is one probe of a position that is already set up. `pyrrhic-rs` has distances of whole
//! roots only: of a position and all its moves.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use duchamp_base::Random;
use duchamp_chess::{Bitboard, Board, Color, Piece, Position, Role, Setup, Square, attacks};
use duchamp_chess_tables::{Material, SyzygyTables, parse_specs};

/// Legal positions, evenly dealt over materials, both colours and sides to move.
fn positions(count: usize) -> Vec<Position> {
    let materials: Vec<Material> = parse_specs("4").expect("tables");
    let mut random = Random::new(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let material = *random.pick(&materials);
        let mut board = Board::EMPTY;
        let swapped = random.below(2) == 1;
        for color in Color::ALL {
            for role in Role::ALL {
                let men = if role == Role::King {
                    1
                } else {
                    material.count(color, role)
                };
                for _ in 0..men {
                    let square = Square::ALL[random.below(64)];
                    let color = if swapped { !color } else { color };
                    if board.at(square).is_none() {
                        board.put(Piece { color, role }, square);
                    }
                }
            }
        }
        let setup = Setup {
            board,
            turn: Color::ALL[random.below(2)],
            ..Setup::EMPTY
        };
        if board.men() == material.men() {
            positions.extend(Position::from_setup(&setup));
        }
    }
    positions
}

#[derive(Clone)]
struct Adapter;

fn at(square: u64) -> Square {
    Square::ALL[square as usize]
}

impl pyrrhic_rs::EngineAdapter for Adapter {
    fn pawn_attacks(color: pyrrhic_rs::Color, square: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        attacks::pawn(color, at(square)).0
    }
    fn knight_attacks(square: u64) -> u64 {
        attacks::knight(at(square)).0
    }
    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        attacks::bishop(at(square), Bitboard(occupied)).0
    }
    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        attacks::rook(at(square), Bitboard(occupied)).0
    }
    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        attacks::queen(at(square), Bitboard(occupied)).0
    }
    fn king_attacks(square: u64) -> u64 {
        attacks::king(at(square)).0
    }
}

type Pyrrhic = pyrrhic_rs::TableBases<Adapter>;

/// White's and Black's men, then kings, queens, rooks, bishops, knights and pawns; and the en-passant square, or 0.
fn sets(position: &Position) -> ([u64; 8], u32) {
    let of = |role: Role| position.board().role(role).0;
    let sets = [
        position.color(Color::White).0,
        position.color(Color::Black).0,
        of(Role::King),
        of(Role::Queen),
        of(Role::Rook),
        of(Role::Bishop),
        of(Role::Knight),
        of(Role::Pawn),
    ];
    let en_passant = position.ep_square();
    (sets, en_passant.map_or(0, |square| square.index() as u32))
}

/// The result by `pyrrhic-rs`, 0 to 4.
fn pyrrhic_wdl(tables: &Pyrrhic, position: &Position) -> Option<i32> {
    let ([white, black, k, q, r, b, n, p], en_passant) = sets(position);
    let turn = position.turn() == Color::White;
    let result = tables.probe_wdl(white, black, k, q, r, b, n, p, en_passant, turn);
    result.ok().map(|wdl| wdl as i32)
}

fn pyrrhic_root(tables: &Pyrrhic, position: &Position) -> bool {
    let ([white, black, k, q, r, b, n, p], en_passant) = sets(position);
    let turn = position.turn() == Color::White;
    let result = tables.probe_root(white, black, k, q, r, b, n, p, 0, en_passant, turn);
    result.is_ok()
}

fn probes(criterion: &mut Criterion) {
    let Ok(path) = std::env::var("SYZYGY_PATH") else {
        eprintln!("set SYZYGY_PATH to the folders of Syzygy files of three and four men");
        return;
    };
    let tables = SyzygyTables::open(SyzygyTables::folders(&path));
    let other = Pyrrhic::new(&path).expect("Syzygy files");
    let positions = positions(100_000);
    for position in &positions {
        // Both count results from a loss, 0, to a win, 4.
        let ours = tables.wdl(position).expect("a file") as i32 + 2;
        assert_eq!(Some(ours), pyrrhic_wdl(&other, position), "{position}");
    }
    let mut group = criterion.benchmark_group("syzygy");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("results", |b| {
        b.iter(|| {
            let probed = positions
                .iter()
                .filter(|p| tables.wdl(black_box(p)).is_ok());
            probed.count()
        });
    });
    group.bench_function("results, pyrrhic-rs", |b| {
        b.iter(|| {
            let probed = positions
                .iter()
                .filter(|p| pyrrhic_wdl(&other, black_box(p)).is_some());
            probed.count()
        });
    });
    let few = &positions[..10_000];
    group.throughput(Throughput::Elements(few.len() as u64));
    group.bench_function("distances", |b| {
        b.iter(|| {
            let probed = few.iter().filter(|p| tables.dtz(black_box(p)).is_ok());
            probed.count()
        });
    });
    group.bench_function("distances of all moves", |b| {
        b.iter(|| {
            let probed = few
                .iter()
                .filter(|p| tables.move_distances(black_box(p)).is_ok());
            probed.count()
        });
    });
    group.bench_function("distances of all moves, pyrrhic-rs", |b| {
        b.iter(|| {
            let probed = few.iter().filter(|p| pyrrhic_root(&other, black_box(p)));
            probed.count()
        });
    });
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
