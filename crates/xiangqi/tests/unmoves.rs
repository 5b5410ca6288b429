//! Un-moves against moves: inverse both ways, on random positions and on whole small endings.

mod common;

use common::{Random, random_placement, random_walks, validate};
use duchamp_xiangqi::{
    Board, Color, Move, Piece, Position, Role, Square, UnMove, quiet_unmoves, retro_perft, unmoves,
    zone,
};

/// The un-moves of each successor hold the move that leads there, and taking it back restores the position.
fn check_moves(position: &Position) -> usize {
    let moves = position.legal_moves();
    for &mv in &moves {
        let next = position.play(mv);
        let captured = position.captured(mv).map(|piece| piece.role);
        let all = unmoves(&next);
        assert!(all.contains(&UnMove { mv, captured }), "{mv} in {position}");
        // A capture may be a quiet un-move too.
        if captured.is_none() {
            assert!(quiet_unmoves(&next).contains(&mv), "{mv} in {position}");
        }
        let back = next.unplay(mv, captured);
        assert_eq!(
            (back.board(), back.turn()),
            (position.board(), position.turn())
        );
    }
    moves.len()
}

/// Every un-move leads to a legal position, from which its move leads back.
fn check_unmoves(position: &Position) -> usize {
    let mut all = unmoves(position);
    for &UnMove { mv, captured } in &all {
        let before = position.unplay(mv, captured);
        validate(&before);
        assert!(before.is_legal(mv), "{mv} to {position}");
        let victim = captured.map(|role| Piece {
            color: position.turn(),
            role,
        });
        assert_eq!(before.captured(mv), victim);
        let again = before.play(mv);
        assert_eq!(
            (again.board(), again.turn()),
            (position.board(), position.turn())
        );
    }
    let count = all.len();
    let quiet: Vec<Move> = all
        .iter()
        .filter(|u| u.captured.is_none())
        .map(|u| u.mv)
        .collect();
    assert_eq!(quiet, quiet_unmoves(position));
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "{position}");
    count
}

#[test]
fn moves_and_unmoves_of_games_are_inverse() {
    let mut rng = Random::new(21);
    let (mut moves, mut back) = (0, 0);
    random_walks(&mut rng, 3_000, 300, |position, _| {
        validate(position);
        moves += check_moves(position);
        back += check_unmoves(position);
    });
    assert!(moves > 60_000 && back > 60_000, "{moves} {back}");
}

#[test]
fn moves_and_unmoves_of_random_placements_are_inverse() {
    let mut rng = Random::new(22);
    let (mut moves, mut back) = (0, 0);
    for _ in 0..4_000 {
        let position = random_placement(&mut rng);
        moves += check_moves(&position);
        back += check_unmoves(&position);
    }
    assert!(moves > 60_000 && back > 60_000, "{moves} {back}");
}

/// All legal positions of the kings and perhaps one piece more.
fn ending(third: Option<Piece>, mut show: impl FnMut(&Position)) {
    let king = |color| Piece {
        color,
        role: Role::King,
    };
    for red in zone(Color::Red, Role::King) {
        for black in zone(Color::Black, Role::King) {
            let squares = third.map_or(Square::ALL.into_iter().take(1).collect(), |piece| {
                zone(piece.color, piece.role)
            });
            for square in squares {
                let mut board = Board::EMPTY;
                if let Some(piece) = third {
                    board.put(piece, square);
                }
                board.put(king(Color::Red), red);
                board.put(king(Color::Black), black);
                if board.occupied().count() != 2 + u32::from(third.is_some()) {
                    continue;
                }
                for turn in Color::ALL {
                    if let Ok(position) = Position::new(board, turn) {
                        show(&position);
                    }
                }
            }
        }
    }
}

/// In whole three-man endings there are as many moves as un-moves, quiet ones and captures.
#[test]
fn as_many_moves_as_unmoves() {
    let mut forward = [0u64; 2];
    let mut backward = [0u64; 2];
    for role in Role::ALL.into_iter().skip(1) {
        let color = Color::Red;
        ending(Some(Piece { color, role }), |position| {
            for mv in position.legal_moves() {
                forward[usize::from(position.is_capture(mv))] += 1;
            }
            backward[0] += quiet_unmoves(position).len() as u64;
        });
    }
    ending(None, |position| {
        // What Red, now to move, can have lost.
        if position.turn() == Color::Red {
            let all = unmoves(position);
            let captures = all.iter().filter(|u| u.captured.is_some()).count();
            backward[1] += captures as u64;
        }
    });
    assert_eq!(forward, backward);
    assert!(forward[0] > 100_000 && forward[1] > 300, "{forward:?}");
}

#[test]
fn a_horse_comes_over_the_leg_beside_its_start() {
    let from = |fen: &str| -> Vec<String> {
        let position = Position::from_fen(fen).expect("legal");
        let all = quiet_unmoves(&position);
        let horse = all.iter().filter(|mv| mv.to.to_string() == "e4");
        horse.map(|mv| mv.from.to_string()).collect()
    };
    let free = from("3k5/9/9/9/9/4N4/9/9/9/4K4 b");
    assert_eq!(free, ["d2", "f2", "c3", "g3", "c5", "g5", "d6", "f6"]);
    // A pawn on d5 stands beside c5 and d6; one on e5 blocks no way to e4, though it blocks moves from there.
    let diagonal = from("3k5/9/9/9/3P5/4N4/9/9/9/4K4 b");
    assert_eq!(diagonal, ["d2", "f2", "c3", "g3", "g5", "f6"]);
    assert_eq!(from("3k5/9/9/9/4P4/4N4/9/9/9/4K4 b"), free);
}

#[test]
fn a_cannon_captured_over_one_screen_and_came_quietly_over_none() {
    let position = Position::from_fen("3k5/9/9/4P4/9/4C4/9/9/4A4/4K4 b").expect("legal");
    let cannon = Square::at(4, 4).expect("on the board");
    let from = |captured: Option<Role>| -> Vec<String> {
        let all = unmoves(&position);
        let on_file = |u: &&UnMove| u.mv.to == cannon && u.mv.from.file() == 4;
        let all = all.iter().filter(on_file);
        let all = all.filter(|u| u.captured == captured);
        all.map(|u| u.mv.from.to_string()).collect()
    };
    assert_eq!(from(None), ["e2", "e3", "e5"]);
    assert_eq!(from(Some(Role::Horse)), ["e7", "e8", "e9"]);
    // Black's advisors and elephants never stand on e4.
    assert!(from(Some(Role::Advisor)).is_empty() && from(Some(Role::Elephant)).is_empty());
}

/// Retro-perft by the definition, position after position.
#[test]
fn retro_perft_counts_sequences() {
    let position = Position::from_fen("3k5/9/9/9/9/4C4/9/9/9/4K4 b").expect("legal");
    let before = |u: &UnMove| position.unplay(u.mv, u.captured);
    let all = unmoves(&position);
    let two: usize = all.iter().map(|u| unmoves(&before(u)).len()).sum();
    assert_eq!(retro_perft(&position, 0), 1);
    assert_eq!(retro_perft(&position, 1), all.len() as u64);
    assert_eq!(retro_perft(&position, 2), two as u64);
}
