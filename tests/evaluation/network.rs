//! The network in a search against its plain forward pass: on paths through random games with all kinds of
//! moves, by the processor's own vectors and without, for all kinds of shapes.

use crate::common::{Random, random_start};
use duchamp_chess::{Move, MoveKind, Position, Role};
use duchamp_eval::network::{
    Architecture, Head, Inputs, MAX_UPPER, Network, NetworkEvaluator, Parameters,
};
use duchamp_eval::{Evaluator, Score};
use std::collections::BTreeMap;
use std::sync::Arc;

fn shape(hidden: usize, outputs: usize, inputs: Inputs) -> Architecture {
    Architecture {
        inputs,
        hidden,
        outputs,
        scale: 400,
        head: Head::Output,
    }
}

/// Four king buckets for either half of the ranks and of the wings.
fn bucketed(mirrored: bool) -> Inputs {
    let bucket_of =
        std::array::from_fn(|square| u8::from(square & 3 > 1) + 2 * u8::from(square > 15));
    Inputs::with_king_buckets(mirrored, 4, bucket_of).expect("a sound layout")
}

/// The same with all that can be above the hidden layer.
fn headed(shape: &Architecture) -> impl Iterator<Item = Architecture> {
    [Head::Output, Head::Layers, Head::PairedLayers]
        .map(|head| Architecture {
            head,
            ..shape.clone()
        })
        .into_iter()
        .filter(|shape| shape.check().is_ok())
}

fn synthetic(shape: Architecture, seed: u64) -> Arc<Network> {
    Arc::new(Network::synthetic(shape, seed).expect("a sound shape"))
}

/// A network whose activations and weights are as large as can be.
fn extreme(shape: Architecture, sign: i16) -> Arc<Network> {
    let [a, b, c, d, e] = shape.lengths();
    let parameters = Parameters {
        hidden_weights: vec![0; a],
        hidden_bias: vec![i16::MAX; b],
        output_weights: vec![127 * sign; c],
        output_bias: vec![i32::MAX * i32::from(sign); d],
        upper: vec![MAX_UPPER * f32::from(sign); e],
    };
    Arc::new(Network::new(shape, "extreme", &parameters).expect("within the limits"))
}

/// What happened on the way, by name.
type Tally = BTreeMap<&'static str, usize>;

/// Visits positions of a random game as a search does and evaluates some of them, `asked` times.
fn wander(network: &Arc<Network>, rng: &mut Random, asked: usize, tally: &mut Tally) {
    let mut evaluators = NetworkEvaluator::all(network);
    let mut done = 0;
    while done < asked {
        let mut path = vec![random_start(rng)];
        evaluators.iter_mut().for_each(|e| e.reset(&path[0]));
        for _ in 0..600 {
            let position = *path.last().expect("never empty");
            let moves = position.legal_moves();
            if path.len() > 1 && (moves.is_empty() || rng.below(5) == 0) {
                path.pop();
                evaluators.iter_mut().for_each(Evaluator::pop);
            } else if !moves.is_empty() {
                let null = !position.in_check() && rng.below(12) == 0;
                let mv = (!null).then(|| choose(rng, &moves));
                let next = mv.map_or_else(|| position.play_null(), |mv| position.play(mv));
                evaluators
                    .iter_mut()
                    .for_each(|e| e.push(&position, mv, &next));
                *tally.entry(name(&position, mv)).or_default() += 1;
                path.push(next);
            }
            if rng.below(3) > 0 {
                let position = path.last().expect("never empty");
                let expected = if position.is_insufficient_material() {
                    Score::DRAW
                } else {
                    network.value(position)
                };
                for evaluator in &mut evaluators {
                    assert_eq!(evaluator.evaluate(position), expected, "{}", position.fen());
                }
                done += 1;
            }
            let deepest = tally.entry("deepest").or_default();
            *deepest = path.len().max(*deepest);
        }
    }
}

/// Rare moves more often than they would come.
fn choose(rng: &mut Random, moves: &[Move]) -> Move {
    let rare = moves.iter().find(|mv| mv.kind() != MoveKind::Normal);
    match rare {
        Some(&mv) if rng.below(2) == 0 => mv,
        _ => *rng.pick(moves),
    }
}

fn name(position: &Position, mv: Option<Move>) -> &'static str {
    let Some(mv) = mv else { return "pass" };
    match mv.kind() {
        MoveKind::EnPassant => "en passant",
        MoveKind::Castling => "castling",
        MoveKind::Promotion if position.at(mv.to()).is_some() => "capturing promotion",
        MoveKind::Promotion => "promotion",
        MoveKind::Normal if position.role_at(mv.from()) == Some(Role::King) => "king",
        MoveKind::Normal => "normal",
    }
}

#[test]
fn following_moves_gives_the_plain_values() {
    let mut rng = Random::new(6);
    let mut tally = Tally::new();
    for (hidden, outputs, inputs) in [
        (32, 1, Inputs::new(false)),
        (64, 8, Inputs::new(true)),
        (96, 3, bucketed(false)),
        (192, 3, bucketed(false)),
        (256, 8, Inputs::new(true)),
        (288, 2, bucketed(true)),
        (384, 2, bucketed(true)),
        (512, 1, bucketed(true)),
        (256, 8, Inputs::new(true).with_threats(true)),
        (32, 1, bucketed(false).with_threats(true)),
    ] {
        let shape = shape(hidden, outputs, inputs);
        for shape in headed(&shape) {
            let asked = if shape.head.is_layered() {
                5_000
            } else {
                20_000
            };
            let network = synthetic(shape, rng.next_u64());
            wander(&network, &mut rng, asked, &mut tally);
        }
    }
    for wanted in [
        "pass",
        "en passant",
        "castling",
        "capturing promotion",
        "promotion",
        "king",
    ] {
        assert!(tally.get(wanted) > Some(&50), "{wanted}: {tally:?}");
    }
    assert!(tally["deepest"] > 200, "{tally:?}");
}

#[test]
fn no_sum_overflows() {
    let mut rng = Random::new(7);
    for sign in [1, -1] {
        let shape = shape(2048, 8, Inputs::new(true));
        for shape in headed(&shape) {
            let network = extreme(shape, sign);
            wander(&network, &mut rng, 500, &mut Tally::new());
            let value = network.value(&Position::start());
            assert_eq!(value, Score(Score::MAX_EVAL.0 * i32::from(sign)));
        }
    }
}

#[test]
fn hidden_sums_wrap_alike() {
    let mut rng = Random::new(8);
    let shape = shape(128, 2, Inputs::new(true));
    for shape in headed(&shape) {
        let [a, b, c, d, e] = shape.lengths();
        let mut numbers = |count| {
            (0..count)
                .map(|_| rng.next_u64() as i16)
                .collect::<Vec<_>>()
        };
        let parameters = Parameters {
            hidden_weights: numbers(a),
            hidden_bias: numbers(b),
            output_weights: numbers(c).into_iter().map(|w| w % 128).collect(),
            output_bias: vec![0; d],
            upper: numbers(e).into_iter().map(|u| f32::from(u) / 1e5).collect(),
        };
        let network = Network::new(shape, "noise", &parameters).expect("within the limits");
        wander(&Arc::new(network), &mut rng, 2_000, &mut Tally::new());
    }
}
