//! Evaluation by networks of several sizes, one move ahead of a known position; and what each leaves of a search's speed.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use duchamp_chess::{Move, Position, Role};
use duchamp_engine::{SearchControl, bench};
use duchamp_eval::network::{Architecture, Head, Inputs, Network, NetworkEvaluator};
use duchamp_eval::{Evaluator, by_network};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// A synthetic network, mirrored, with eight output buckets.
fn network(hidden: usize, head: Head) -> Arc<Network> {
    let shape = Architecture {
        inputs: Inputs::new(true),
        hidden,
        outputs: 8,
        scale: 400,
        head,
    };
    Arc::new(Network::synthetic(shape, 1).expect("a sound shape"))
}

/// One move and an evaluation, from positions whose hidden layers are known: the mean over all legal
/// moves, and over those of kings that turn the board.
fn networks(criterion: &mut Criterion) {
    let turns = |position: &Position, mv: Move| {
        position.role_at(mv.from()) == Some(Role::King)
            && (mv.from().index() ^ mv.to().index()) & 4 != 0
    };
    let all: Vec<Steps> = positions().iter().map(|p| steps(p, |_| true)).collect();
    let turning = positions();
    let turning: Vec<Steps> = turning
        .iter()
        .map(|p| steps(p, |mv| turns(p, mv)))
        .collect();
    for (name, steps) in [("any move", all), ("king turns", turning)] {
        let mut group = criterion.benchmark_group(name);
        let plain = [64, 128, 256, 512, 1024].map(|hidden| (hidden, Head::Output));
        let layered = [Head::Layers, Head::PairedLayers]
            .into_iter()
            .flat_map(|head| [256, 512].map(|hidden| (hidden, head)));
        for (hidden, head) in plain.into_iter().chain(layered) {
            let network = network(hidden, head);
            let layers = match head {
                Head::Output => "",
                Head::Layers => " layered",
                Head::PairedLayers => " paired",
            };
            for (way, mut evaluator) in [
                ("vectors", NetworkEvaluator::new(Arc::clone(&network))),
                ("portable", NetworkEvaluator::portable(network)),
            ] {
                let id = BenchmarkId::new(way, format!("{hidden}{layers}"));
                group.bench_function(id, |b| {
                    b.iter_custom(|rounds| time(&mut evaluator, &steps, rounds));
                });
            }
        }
        group.finish();
    }
}

/// A position and what some moves make of it.
type Steps = (Position, Vec<(Move, Position)>);

fn steps(position: &Position, wanted: impl Fn(Move) -> bool) -> Steps {
    let moves = position.legal_moves();
    let moves = moves.iter().filter(|&&mv| wanted(mv));
    let moves = moves.map(|&mv| (mv, position.play(mv))).collect();
    (*position, moves)
}

/// The time of so many moves with their evaluations.
fn time(evaluator: &mut NetworkEvaluator, all: &[Steps], rounds: u64) -> Duration {
    let (mut left, mut time) = (rounds as usize, Duration::ZERO);
    for (position, steps) in all.iter().cycle() {
        evaluator.reset(position);
        evaluator.evaluate(position);
        let steps = &steps[..steps.len().min(left)];
        let start = Instant::now();
        for (mv, after) in steps {
            evaluator.push(position, Some(*mv), after);
            black_box(evaluator.evaluate(after));
            evaluator.pop();
        }
        time += start.elapsed();
        left -= steps.len();
        if left == 0 {
            break;
        }
    }
    time
}

/// The bench positions, searched with each evaluation. The trees differ, so nodes a second count.
fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    for hidden in [64, 128, 256, 512, 1024] {
        let evaluator = by_network(network(hidden, Head::Output));
        let search = || {
            bench(
                8,
                Arc::clone(&evaluator),
                &SearchControl::new(),
                &mut |_| (),
            )
            .nodes
        };
        group.throughput(Throughput::Elements(search()));
        let id = BenchmarkId::new("network", hidden);
        group.bench_function(id, |b| b.iter(search));
    }
    group.finish();
}

criterion_group!(benches, networks, searches);
criterion_main!(benches);
