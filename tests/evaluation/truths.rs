//! What holds for any evaluation, on random positions, and what even beginners know of the built-in network.

use crate::common::{Random, random_walks};
use duchamp_chess::{Bitboard, Board, Castling, Piece, Position, Setup, Square};
use duchamp_eval::network::{Architecture, Head, Inputs, Network};
use duchamp_eval::{Evaluator, EvaluatorFactory, built_in, by_network, material};
use std::sync::Arc;

/// The built-in network, the one that counts material, and one with king buckets.
fn evaluations() -> [EvaluatorFactory; 3] {
    let bucket_of = std::array::from_fn(|square| u8::from(square > 15));
    let inputs = Inputs::with_king_buckets(true, 2, bucket_of).expect("a sound layout");
    let shape = Architecture {
        inputs: inputs.with_threats(true),
        hidden: 128,
        outputs: 4,
        scale: 400,
        head: Head::PairedLayers,
    };
    let network = Network::synthetic(shape, 9).expect("a sound shape");
    [built_in(), material(), by_network(Arc::new(network))]
}

fn value(evaluator: &mut dyn Evaluator, position: &Position) -> i32 {
    evaluator.reset(position);
    evaluator.evaluate(position).0
}

/// The same position without castling rights, its pieces moved and recoloured.
fn turned(position: &Position, square: impl Fn(Square) -> Square, swap: bool) -> Position {
    let setup = position.setup();
    let mut board = Board::EMPTY;
    for from in Bitboard::FULL {
        if let Some(Piece { color, role }) = setup.board.at(from) {
            let color = if swap { !color } else { color };
            board.put(Piece { color, role }, square(from));
        }
    }
    let turn = if swap { !setup.turn } else { setup.turn };
    let ep = setup.ep.map(square);
    let setup = Setup {
        board,
        turn,
        ep,
        castling: Castling::NONE,
        ..setup
    };
    Position::from_setup(&setup).expect("symmetry keeps a position legal")
}

#[test]
fn colours_and_wings_are_alike() {
    let mut evaluators = evaluations().map(|make| make());
    let mut rng = Random::new(1986);
    for longest in [40, 400] {
        random_walks(&mut rng, 15_000, longest, |position, _| {
            let plain = turned(position, |square| square, false);
            let flipped = turned(position, Square::flip_rank, true);
            let mirrored = turned(position, Square::flip_file, false);
            for evaluator in &mut evaluators {
                let [score, colours, wings] =
                    [&plain, &flipped, &mirrored].map(|it| value(&mut **evaluator, it));
                assert_eq!(score, colours, "colours: {}", plain.fen());
                assert_eq!(score, wings, "wings: {}", plain.fen());
            }
        });
    }
}

#[test]
fn extreme_positions_are_survived() {
    for make in evaluations() {
        let mut evaluator = make();
        for fen in [
            "8/6k1/8/8/8/8/QK6/QQQQQQQQ b - - 0 1",
            "qqqqqqqq/qk6/8/8/8/8/6K1/8 w - - 0 1",
            "rrrrrrrr/rrk5/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            "nnnnnnnn/nnk5/8/8/8/8/6K1/BBBBBBBB w - - 0 1",
            "8/PPPPPPPP/k7/8/8/8/8/K7 w - - 0 1",
            "8/8/8/8/8/4k3/8/4K3 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            evaluator.reset(&position);
            assert!(!evaluator.evaluate(&position).is_decisive(), "{fen}");
        }
    }
}

#[test]
fn plain_truths() {
    let mut evaluator = built_in()();
    let mut value = |fen: &str| {
        let position = Position::from_fen(fen).expect("a legal position");
        value(&mut *evaluator, &position)
    };
    // The start position is nearly even, and a queen more is worth a queen.
    assert!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").abs() < 60);
    assert!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 700);
    // Drawn by rule.
    assert_eq!(value("8/8/4k3/8/8/3NK3/8/8 w - - 0 1"), 0);
    // A runaway pawn.
    assert!(
        value("5k2/p5pp/8/8/P7/8/6PP/5K2 w - - 0 1")
            < value("5k2/6pp/8/8/P7/8/6PP/5K2 w - - 0 1") - 100
    );
}
