//! Probes of random 3- and 4-man positions, warm: win/draw/loss, and distances to mate and to zeroing.
//!
//! Tables are generated in a temporary folder first. Each figure is one probe of a `Position`, the index and the
//! search for the table included; legality and position keys are the caller's, as in search.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use duchamp_base::{Control, Random};
use duchamp_chess::{Oracle, Position};
use duchamp_chess_tables::{
    CellId, GenerateOptions, Generator, Layout, Material, Metric, Prober, parse_specs,
};
use duchamp_retro::Side;
use std::hint::black_box;

/// Legal positions of all tables, evenly dealt, in random order.
fn positions(count: usize) -> Vec<Position> {
    let materials: Vec<Material> = parse_specs("4").expect("tables");
    let layouts: Vec<Layout> = materials.into_iter().map(Layout::new).collect();
    let mut random = Random::new(1);
    let mut positions = Vec::new();
    while positions.len() < count {
        let layout = random.pick(&layouts);
        let at = CellId {
            side: Side::ALL[random.pick(layout.sides()).index()],
            cell: random.below(layout.cells() as usize) as u64,
        };
        let Some((board, turn)) = layout.place(at) else {
            continue;
        };
        let setup = duchamp_chess::Setup {
            board,
            turn,
            ..duchamp_chess::Setup::EMPTY
        };
        positions.extend(Position::from_setup(&setup));
    }
    positions
}

fn tables() -> (tempfile::TempDir, Prober) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tables = Prober::open(folder.path());
    let all = parse_specs("all4").expect("tables");
    Generator::new(tables.store())
        .run(
            &all,
            &GenerateOptions {
                metrics: vec![Metric::Dtm, Metric::Dtz],
                ..GenerateOptions::default()
            },
            &Control::new(2),
            &mut |_| {},
        )
        .expect("made");
    (folder, tables)
}

fn probes(criterion: &mut Criterion) {
    let (_folder, tables) = tables();
    let positions = positions(100_000);
    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("wdl", |b| {
        b.iter(|| {
            positions
                .iter()
                .filter(|p| tables.wdl(black_box(p)).is_some())
                .count()
        });
    });
    let few = &positions[..2_000];
    group.throughput(Throughput::Elements(few.len() as u64));
    let near: Vec<Position> = few[..20].iter().copied().cycle().take(2_000).collect();
    for metric in [Metric::Dtm, Metric::Dtz] {
        for (positions, blocks) in [(few, "seldom in the cache"), (&near, "in the cache")] {
            group.bench_function(format!("{}, blocks {blocks}", metric.name()), |b| {
                b.iter(|| {
                    positions
                        .iter()
                        .filter(|p| tables.probe_metric(black_box(p), metric).is_ok())
                        .count()
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
