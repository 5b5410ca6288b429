//! Un-moves against moves: inverse both ways, on random positions and on whole small endgames.

use crate::common::{Random, random_walks};
use duchamp_chess::{
    Board, Color, MoveKind, Piece, Position, Role, Setup, Square, UnMove, retro_perft, unmoves,
};

/// The setup without clocks, and without the en-passant square unless `keep_ep`.
fn timeless(position: &Position, keep_ep: bool) -> Setup {
    let setup = position.setup();
    Setup {
        halfmoves: 0,
        fullmoves: 1,
        ep: setup.ep.filter(|_| keep_ep),
        ..setup
    }
}

/// Every un-move leads to a legal position, from which its move leads back.
fn check_forward(position: &Position) -> usize {
    let all = unmoves(position);
    for &unmove in &all {
        let before = position.unplay(unmove);
        before.validate().expect("consistent");
        Position::from_setup(&before.setup()).expect("legal without forgiveness");
        assert!(
            before.is_legal(unmove.mv),
            "{unmove:?} of {position}: {before}"
        );
        assert_eq!(
            before.captured(unmove.mv),
            unmove.captured,
            "{unmove:?} of {position}"
        );
        assert_eq!(
            timeless(&before.play(unmove.mv), true),
            timeless(position, true),
            "{unmove:?}"
        );
    }
    let mut unique = all.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), all.len(), "{position}");
    all.len()
}

#[test]
fn moves_are_among_the_unmoves() {
    let mut rng = Random::new(5);
    let (mut found, mut en_passant, mut promotions) = (0, 0, 0);
    random_walks(&mut rng, 100_000, 250, |position, before| {
        let Some((before, mv)) = before else { return };
        if before.castling() != position.castling() || mv.kind() == MoveKind::Castling {
            return;
        }
        let unmove = UnMove {
            mv,
            captured: before.captured(mv),
        };
        assert!(
            unmoves(position).contains(&unmove),
            "{unmove:?} from {before} to {position}"
        );
        let ep = mv.kind() == MoveKind::EnPassant;
        assert_eq!(
            timeless(&position.unplay(unmove), true),
            timeless(before, ep),
            "{unmove:?}"
        );
        found += 1;
        en_passant += u32::from(ep);
        promotions += u32::from(mv.kind() == MoveKind::Promotion);
    });
    assert!(
        found > 90_000 && en_passant > 100 && promotions > 100,
        "{found} {en_passant} {promotions}"
    );
}

#[test]
fn unmoves_play_forward() {
    let mut rng = Random::new(6);
    let mut seen = 0;
    let mut count = 0;
    random_walks(&mut rng, 30_000, 250, |position, _| {
        seen += 1;
        if seen % 20 == 0 {
            count += check_forward(position);
        }
    });
    assert!(count > 50_000, "{count}");
}

/// The same for pieces on random squares, where pins, checks and en passant meet oddly.
#[test]
fn unmoves_of_random_placements_play_forward() {
    let mut rng = Random::new(7);
    let (mut positions, mut with_ep) = (0, 0);
    while positions < 12_000 {
        let mut board = Board::EMPTY;
        for i in 0..2 + rng.below(20) {
            // The first two are the kings.
            let role = if i < 2 {
                Role::King
            } else {
                Role::ALL[rng.below(9).saturating_sub(4)]
            };
            let color = Color::ALL[if i < 2 { i } else { rng.below(2) }];
            let square = Square::new(rng.below(64));
            if board.at(square).is_none() {
                board.put(Piece { color, role }, square);
            }
        }
        let turn = Color::ALL[rng.below(2)];
        // Any square that a pawn can just have passed.
        let seen = |ep: Option<Square>| {
            Position::from_setup(&Setup {
                board,
                turn,
                ep,
                ..Setup::EMPTY
            })
        };
        let passed = Square::ALL.into_iter().filter_map(|ep| seen(Some(ep)).ok());
        for position in passed.filter(|p| p.ep_square().is_some()).chain(seen(None)) {
            check_forward(&position);
            positions += 1;
            with_ep += u32::from(position.ep_square().is_some());
        }
    }
    assert!(with_ep > 30, "{with_ep}");
}

/// All legal positions of the kings and perhaps one piece more, without en passant.
fn endgame(man: Option<Piece>, mut show: impl FnMut(&Position)) {
    let king = |color| Piece {
        color,
        role: Role::King,
    };
    for white in Square::ALL {
        for black in Square::ALL {
            for third in man.map_or(&Square::ALL[..1], |_| &Square::ALL[..]) {
                let mut board = Board::EMPTY;
                board.put(king(Color::White), white);
                board.put(king(Color::Black), black);
                if let Some(man) = man {
                    board.put(man, *third);
                }
                if board.men() != 2 + u32::from(man.is_some()) {
                    continue;
                }
                for turn in Color::ALL {
                    if let Ok(position) = Position::from_setup(&Setup {
                        board,
                        turn,
                        ..Setup::EMPTY
                    }) {
                        show(&position);
                    }
                }
            }
        }
    }
}

/// In whole three-man endgames there are as many moves as un-moves, by kind.
#[test]
fn as_many_moves_as_unmoves() {
    // Moves that keep the material, captures of the third piece, promotions.
    let mut forward = [0u64; 3];
    let mut backward = [0u64; 3];
    for role in [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ] {
        endgame(
            Some(Piece {
                color: Color::White,
                role,
            }),
            |position| {
                for mv in position.legal_moves() {
                    let kind = match (position.is_capture(mv), mv.kind()) {
                        (true, _) => 1,
                        (false, MoveKind::Promotion) => 2,
                        _ => 0,
                    };
                    forward[kind] += 1;
                }
                for unmove in unmoves(position).iter().filter(|u| u.captured.is_none()) {
                    let promotion = unmove.mv.kind() == MoveKind::Promotion;
                    backward[if promotion { 2 } else { 0 }] += 1;
                }
            },
        );
    }
    endgame(None, |position| {
        // What White, now to move, can have lost.
        if position.turn() == Color::White {
            let captures = unmoves(position)
                .iter()
                .filter(|u| u.captured.is_some())
                .count();
            backward[1] += captures as u64;
        }
    });
    assert_eq!(forward, backward);
}

#[test]
fn an_en_passant_square_leaves_one_past() {
    let position = Position::from_fen("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1").expect("legal");
    let all = unmoves(&position);
    assert_eq!(all.len(), 1);
    assert_eq!(
        position.unplay(all[0]).fen(),
        "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1"
    );
    // Without the square, the pawn cannot have come by the double step.
    let position = Position::from_fen("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1").expect("legal");
    let pawn = |from| {
        unmoves(&position)
            .iter()
            .any(|u| u.mv.from() == from && u.mv.to() == Square::E4)
    };
    assert!(pawn(Square::E3) && !pawn(Square::E2));
}

#[test]
fn an_en_passant_capture_comes_back() {
    let before = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7").expect("legal");
    let mv = before.parse_uci("e5d6").expect("legal");
    let after = before.play(mv);
    let unmove = UnMove {
        mv,
        captured: Some(Role::Pawn),
    };
    assert!(unmoves(&after).contains(&unmove));
    assert_eq!(after.unplay(unmove), before);
    // Here the captured pawn would have given check from d7.
    let after = Position::from_fen("4k3/8/3PK3/8/8/8/8/8 b - - 0 1").expect("legal");
    let mut all = unmoves(&after).into_iter();
    assert!(all.all(|unmove| unmove.mv.kind() != MoveKind::EnPassant));
}

#[test]
fn castling_rights_hold_kings_and_rooks_in_place() {
    let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R b K - 0 1").expect("legal");
    assert!(unmoves(&position).is_empty());
    let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2R b - - 0 1").expect("legal");
    assert!(!unmoves(&position).is_empty());
}

/// Retro-perft by the definition, position after position.
#[test]
fn retro_perft_counts_sequences() {
    let position = Position::from_fen("8/8/4k3/8/2P5/4K3/8/8 b - - 0 1").expect("legal");
    let two: u64 = unmoves(&position)
        .iter()
        .map(|&u| unmoves(&position.unplay(u)).len() as u64)
        .sum();
    assert_eq!(retro_perft(&position, 0), 1);
    assert_eq!(retro_perft(&position, 1), unmoves(&position).len() as u64);
    assert_eq!(retro_perft(&position, 2), two);
}
