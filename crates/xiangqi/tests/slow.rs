//! Legal moves and checks against a slow reference that shares nothing with the crate but the board: steps on an array of
//! squares, and a move is legal if the answer cannot be the capture of the king.

mod common;

use common::{Random, random_placement, random_walks};
use duchamp_xiangqi::{Board, Color, Move, Position, Role, Square};

const STRAIGHT: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const OBLIQUE: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

fn own_half(color: Color, square: Square) -> bool {
    (square.rank() <= 4) == (color == Color::Red)
}

fn in_palace(color: Color, square: Square) -> bool {
    let deep = match color {
        Color::Red => square.rank(),
        Color::Black => 9 - square.rank(),
    };
    (3..=5).contains(&square.file()) && deep <= 2
}

/// The targets of a piece by its way of moving; a king also captures the enemy king along an open file.
fn targets(board: &Board, from: Square) -> Vec<Square> {
    let piece = board.at(from).expect("a piece");
    let color = piece.color;
    let empty = |square: Square| board.at(square).is_none();
    let mut found = Vec::new();
    let mut add = |to: Option<Square>, allowed: &dyn Fn(Square) -> bool| {
        found.extend(to.filter(|&to| allowed(to) && board.at(to).is_none_or(|p| p.color != color)));
    };
    for (df, dr) in STRAIGHT {
        match piece.role {
            Role::King => {
                add(from.offset(df, dr), &|to| in_palace(color, to));
                let mut at = from.offset(0, dr);
                while let Some(square) = at.filter(|_| dr != 0) {
                    if let Some(met) = board.at(square) {
                        add(at, &|_| met.role == Role::King);
                        break;
                    }
                    at = square.offset(0, dr);
                }
            }
            Role::Horse if from.offset(df, dr).is_some_and(empty) => {
                add(from.offset(2 * df + dr, 2 * dr + df), &|_| true);
                add(from.offset(2 * df - dr, 2 * dr - df), &|_| true);
            }
            Role::Chariot | Role::Cannon => {
                let mut met = 0;
                let mut at = from.offset(df, dr);
                while let Some(square) = at {
                    let wanted = match (piece.role, empty(square)) {
                        (_, true) => met == 0,
                        (Role::Chariot, false) => met == 0,
                        (_, false) => met == 1,
                    };
                    add(at, &|_| wanted);
                    met += u32::from(!empty(square));
                    at = square.offset(df, dr);
                }
            }
            Role::Pawn => {
                let forward = dr == if color == Color::Red { 1 } else { -1 };
                let sideways = dr == 0 && !own_half(color, from);
                add(from.offset(df, dr), &|_| forward || sideways);
            }
            _ => {}
        }
    }
    for (df, dr) in OBLIQUE {
        match piece.role {
            Role::Advisor => add(from.offset(df, dr), &|to| in_palace(color, to)),
            Role::Elephant if from.offset(df, dr).is_some_and(empty) => {
                add(from.offset(2 * df, 2 * dr), &|to| own_half(color, to));
            }
            _ => {}
        }
    }
    found
}

fn can_take_king(board: &Board, side: Color) -> bool {
    let king = board.of(!side, Role::King).first().expect("a king");
    let mut pieces = board.color(side).into_iter();
    pieces.any(|from| targets(board, from).contains(&king))
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    let us = position.turn();
    for from in position.board().color(us) {
        for to in targets(position.board(), from) {
            let mut next = *position.board();
            let piece = next.remove(from).expect("it stands there");
            next.put(piece, to);
            if !can_take_king(&next, !us) {
                moves.push(Move { from, to });
            }
        }
    }
    moves.sort();
    moves
}

fn check(position: &Position) -> bool {
    let mut moves = position.legal_moves();
    moves.sort();
    assert_eq!(&moves[..], legal_moves(position), "{position}");
    assert_eq!(position.has_legal_move(), !moves.is_empty());
    assert_eq!(position.count_legal_moves() as usize, moves.len());
    let check = can_take_king(position.board(), !position.turn());
    assert_eq!(position.in_check(), check, "{position}");
    assert_eq!(position.checkers().any(), check);
    for &mv in &moves {
        assert!(position.is_legal(mv));
        let next = position.play(mv);
        assert_eq!(position.gives_check(mv), next.in_check());
        assert_eq!(position.is_capture(mv), position.captured(mv).is_some());
    }
    check
}

#[test]
fn positions_of_games() {
    let mut rng = Random::new(31);
    let mut checks = 0;
    random_walks(&mut rng, 5_000, 300, |position, _| {
        checks += u32::from(check(position));
    });
    assert!(checks > 100, "{checks}");
}

#[test]
fn random_placements() {
    let mut rng = Random::new(32);
    let checks = (0..10_000).filter(|_| check(&random_placement(&mut rng)));
    let checks = checks.count();
    assert!(checks > 1_000, "{checks}");
}

/// Every move that is not generated is not legal either.
#[test]
fn other_moves_are_illegal() {
    let mut rng = Random::new(33);
    for _ in 0..50 {
        let position = random_placement(&mut rng);
        let legal = legal_moves(&position);
        for from in Square::ALL {
            for to in Square::ALL {
                let mv = Move { from, to };
                assert_eq!(
                    position.is_legal(mv),
                    legal.contains(&mv),
                    "{mv} {position}"
                );
            }
        }
    }
}

/// Mirrored, or turned round with the colours exchanged, a position has the same moves.
#[test]
fn moves_are_mirrored_with_the_board() {
    let mut rng = Random::new(34);
    for _ in 0..500 {
        let position = random_placement(&mut rng);
        let sorted = |position: &Position, change: fn(Square) -> Square| {
            let moves = position.legal_moves().into_iter();
            let moves = moves.map(|Move { from, to }| Move {
                from: change(from),
                to: change(to),
            });
            let mut moves: Vec<Move> = moves.collect();
            moves.sort();
            moves
        };
        let own = sorted(&position, |square| square);
        let board = position.board();
        let mirrored = Position::new(board.mirror_files(), position.turn()).expect("legal");
        assert_eq!(sorted(&mirrored, Square::mirror_file), own, "{position}");
        let turned = Position::new(board.swap_colors(), !position.turn()).expect("legal");
        assert_eq!(sorted(&turned, Square::flip_rank), own, "{position}");
        assert_eq!(board.mirror_files().mirror_files(), *board);
        assert_eq!(board.swap_colors().swap_colors(), *board);
        let (low, high) = (
            position.material_counts() & 0x0fff_ffff,
            position.material_counts() >> 28,
        );
        assert_eq!(turned.material_counts(), low << 28 | high);
    }
}

/// Four bits each: king, advisors, elephants, horses, chariots, cannons, pawns of Red, then of Black.
#[test]
fn material_of_the_start_position() {
    assert_eq!(Position::start().material_counts(), 0x52_2222_1522_2221);
}

#[test]
fn mate_and_stalemate_leave_no_move() {
    for (fen, moves, check) in [
        // Two chariots: mate.
        ("3k4R/R8/9/9/9/9/9/9/9/4K4 b", 0, true),
        // The king on e0 keeps the king on d9 off the e file, the pawn on d7 off d8: stalemate.
        ("3k5/9/3P5/9/9/9/9/9/9/4K4 b", 0, false),
        // The advisor is pinned by the king.
        ("4k4/4a4/9/9/9/9/9/9/9/4K4 b", 2, false),
        // Only the screen can end the check of the cannon, by going away: the king stays on its line, or faces the other.
        ("3k5/9/3a5/9/9/3C5/9/9/9/4K4 b", 1, true),
    ] {
        let Ok(position) = Position::from_fen(fen) else {
            panic!("{fen}: {:?}", Position::from_fen(fen));
        };
        assert_eq!(
            position.legal_moves().len(),
            moves,
            "{fen}: {:?}",
            position.legal_moves()
        );
        assert_eq!(
            (position.in_check(), position.has_legal_move()),
            (check, moves > 0),
            "{fen}"
        );
    }
}
