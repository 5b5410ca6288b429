//! The hand-crafted evaluation on random positions: both colours and both wings are treated alike,
//! what is traced is what is played, and nothing panics.

use crate::common::{Random, random_walks};
use duchamp_chess::{Bitboard, Board, Castling, Color, Piece, Position, Setup, Square};
use duchamp_eval::terms::FIRST_DANGER;
use duchamp_eval::{
    Classical, DANGER_LINEAR, DANGER_SQUARE, Evaluator, FULL_PHASE, Score, WEIGHTS,
};

/// Shows positions of random games, of long and of short ones.
fn wander(count: usize, mut check: impl FnMut(&Position)) {
    let mut rng = Random::new(1986);
    random_walks(&mut rng, count / 2, 40, |position, _| check(position));
    random_walks(&mut rng, count / 2, 400, |position, _| check(position));
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
    let mut eval = Classical::new();
    wander(60_000, |position| {
        let plain = turned(position, |s| s, false);
        let score = eval.evaluate(&plain);
        let flipped = turned(position, Square::flip_rank, true);
        assert_eq!(score, eval.evaluate(&flipped), "colours: {}", plain.fen());
        let mirrored = turned(position, Square::flip_file, false);
        assert_eq!(score, eval.evaluate(&mirrored), "wings: {}", plain.fen());
    });
}

#[test]
fn memory_changes_nothing() {
    let mut used = Classical::new();
    let mut count = 0;
    wander(20_000, |position| {
        count += 1;
        if count % 50 == 0 {
            assert_eq!(
                used.evaluate(position),
                Classical::new().evaluate(position),
                "{}",
                position.fen()
            );
        } else {
            let _ = used.evaluate(position);
        }
    });
}

#[test]
fn the_trace_adds_up() {
    let mut eval = Classical::new();
    wander(20_000, |position| {
        if position.is_insufficient_material() {
            return;
        }
        let (trace, mix) = eval.trace(position);
        let (mut middlegame, mut endgame) = (0, 0);
        for (&count, weight) in trace.counts.iter().zip(&WEIGHTS) {
            middlegame += i32::from(count) * weight.middlegame();
            endgame += i32::from(count) * weight.endgame();
        }
        for us in Color::ALL {
            let sign = if us == Color::White { -1 } else { 1 };
            let (mut square, mut linear) = (0, 0);
            for (i, &count) in trace.dangers[us].iter().enumerate() {
                square += i32::from(count) * WEIGHTS[FIRST_DANGER.0 as usize + i].middlegame();
                linear += i32::from(count) * WEIGHTS[FIRST_DANGER.0 as usize + i].endgame();
            }
            middlegame += sign * (square.max(0) * square.max(0) / DANGER_SQUARE).min(3000);
            endgame += sign * (linear.max(0) / DANGER_LINEAR);
        }
        let endgame = endgame * mix.scale / 64;
        let white =
            (middlegame * mix.phase + endgame * (FULL_PHASE - mix.phase)) / FULL_PHASE + mix.extra;
        let ours = if position.turn() == Color::White {
            white
        } else {
            -white
        };
        assert_eq!(eval.evaluate(position), Score(ours), "{}", position.fen());
    });
}

#[test]
fn extreme_positions_are_survived() {
    let mut eval = Classical::new();
    for fen in [
        "8/6k1/8/8/8/8/QK6/QQQQQQQQ b - - 0 1",
        "qqqqqqqq/qk6/8/8/8/8/6K1/8 w - - 0 1",
        "rrrrrrrr/rrk5/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "nnnnnnnn/nnk5/8/8/8/8/6K1/BBBBBBBB w - - 0 1",
        "8/PPPPPPPP/k7/8/8/8/8/K7 w - - 0 1",
        "8/8/8/8/8/4k3/8/4K3 w - - 0 1",
    ] {
        let position = Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert!(!eval.evaluate(&position).is_decisive(), "{fen}");
    }
}

#[test]
fn plain_truths() {
    let mut eval = Classical::new();
    let mut value = |fen: &str| {
        eval.evaluate(&Position::from_fen(fen).expect("a legal position"))
            .0
    };
    // The start position is nearly even, and a queen more is worth a queen.
    assert!((0..60).contains(&value(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    )));
    assert!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1") > 700);
    // Drawn by rule or by known theory.
    assert_eq!(value("8/8/4k3/8/8/3NK3/8/8 w - - 0 1"), 0);
    assert!(value("8/8/4k3/8/8/3NKN2/8/8 w - - 0 1").abs() < 100);
    assert!(
        value("k7/8/8/P7/8/3KB3/8/8 w - - 0 1").abs() < 100,
        "wrong corner"
    );
    assert!(
        value("k7/8/8/P7/8/3BK3/8/8 w - - 0 1") > 200,
        "right corner"
    );
    // A bare king is driven to the edge, with bishop and knight to the bishop's corner.
    assert!(value("8/8/8/3k4/8/8/8/K6R w - - 0 1") < value("3k4/8/3K4/8/8/8/8/7R w - - 0 1"));
    assert!(value("7k/8/6K1/8/8/8/8/3B1N2 w - - 0 1") < value("k7/8/1K6/8/8/8/8/3B1N2 w - - 0 1"));
    // A runaway pawn.
    assert!(value("8/8/7k/8/P7/8/8/K7 w - - 0 1") > value("8/8/2k5/8/P7/8/8/K7 w - - 0 1") + 150);
}
