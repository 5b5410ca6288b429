//! Rules compared with `cozy-chess` on random positions, ordinary chess and Chess960.
//!
//! Conventions that differ: `cozy-chess` notes an en-passant file after every double step, Duchamp
//! only where a capture is legal; it stops its halfmove clock at 100.

use crate::common::{Random, random_start, random_walks};
use duchamp_chess::{Bitboard, Move, MoveKind, Position};
use std::collections::HashMap;

/// The moves of both, king takes rook for castling, sorted.
fn move_sets(ours: &Position, theirs: &cozy_chess::Board) -> (Vec<String>, Vec<String>) {
    let mut a: Vec<String> = ours.legal_moves().iter().map(|&mv| mv.uci(true)).collect();
    let mut b = Vec::new();
    theirs.generate_moves(|moves| {
        b.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    a.sort();
    b.sort();
    (a, b)
}

/// The FEN of `cozy-chess`, Shredder form, with the en-passant square only where a capture is legal.
fn their_fen(ours: &Position, theirs: &cozy_chess::Board) -> String {
    let text = format!("{theirs:#}");
    let mut fields: Vec<&str> = text.split(' ').collect();
    let legal = ours.ep_square().is_some();
    if !legal {
        // It must indeed be illegal there: the move sets were compared before.
        fields[3] = "-";
    }
    fields.join(" ")
}

fn compare(ours: &Position, theirs: &cozy_chess::Board) {
    let fen = ours.shredder_fen();
    let (a, b) = move_sets(ours, theirs);
    assert_eq!(a, b, "{fen}");
    if ours.halfmove_clock() <= 100 {
        assert_eq!(fen, their_fen(ours, theirs));
    }
    assert_eq!(ours.checkers(), Bitboard(theirs.checkers().0), "{fen}");
    let own = ours.color(ours.turn());
    assert_eq!(ours.pinned(), Bitboard(theirs.pinned().0) & own, "{fen}");
    assert_eq!(
        ours.is_checkmate(),
        theirs.status() == cozy_chess::GameStatus::Won && b.is_empty(),
        "{fen}"
    );
}

#[test]
fn a_hundred_thousand_positions_of_random_games() {
    let mut rng = Random::new(1);
    let mut keys: HashMap<u64, String> = HashMap::new();
    let mut fens: HashMap<String, u64> = HashMap::new();
    let mut positions = 0;
    while positions < 100_000 {
        let mut ours = random_start(&mut rng);
        let mut theirs =
            cozy_chess::Board::from_fen(&ours.shredder_fen(), true).expect("a start position");
        for _ in 0..200 {
            compare(&ours, &theirs);
            positions += 1;
            let fen = ours.shredder_fen();
            for text in [&fen, &ours.fen()] {
                let read = Position::from_fen(text).expect("our own FEN");
                assert_eq!(read, ours, "{text}");
                assert_eq!(read.key(), ours.key(), "{text}");
            }
            // Equal keys where and only where all but the clocks is equal.
            let fields: Vec<&str> = fen.split(' ').take(4).collect();
            let fields = fields.join(" ");
            assert_eq!(
                *keys.entry(ours.key()).or_insert_with(|| fields.clone()),
                fields
            );
            assert_eq!(*fens.entry(fields).or_insert(ours.key()), ours.key());
            let moves = ours.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = *rng.pick(&moves);
            theirs.play(mv.uci(true).parse().expect("a move"));
            ours = ours.play(mv);
        }
    }
}

/// Random pieces on random squares: pins and checks that games rarely show.
#[test]
fn random_placements() {
    let mut rng = Random::new(2);
    let mut compared = 0;
    while compared < 20_000 {
        let mut board = duchamp_chess::Board::EMPTY;
        let men: Vec<char> = "KkQqRrBbNnPpQqRrBbPPpp".chars().collect();
        let count = 3 + rng.below(men.len() - 3);
        for &man in &men[..count] {
            let square = duchamp_chess::Square::new(rng.below(64));
            if board.at(square).is_none() {
                board.put(duchamp_chess::Piece::from_char(man).expect("a man"), square);
            }
        }
        let ep = if rng.below(2) == 0 {
            "-".to_string()
        } else {
            format!("{}6", (b'a' + rng.below(8) as u8) as char)
        };
        let fen = format!("{board} w - {ep} 0 1");
        let (Ok(ours), Ok(theirs)) = (
            Position::from_fen(&fen),
            cozy_chess::Board::from_fen(&fen, false),
        ) else {
            continue;
        };
        compare(&ours, &theirs);
        ours.validate().expect("consistent");
        compared += 1;
    }
}

#[test]
fn chess960_numbers_agree() {
    for number in 0..960u16 {
        let ours = duchamp_chess::Setup::chess960(number)
            .expect("below 960")
            .shredder_fen();
        assert_eq!(
            ours,
            format!(
                "{:#}",
                cozy_chess::Board::chess960_startpos(u32::from(number))
            )
        );
    }
}

/// Every one of the 65,536 words that a hash table may hold is legal exactly if the move list holds it.
#[test]
fn any_16_bits_are_legal_as_in_the_move_list() {
    let mut rng = Random::new(3);
    let mut seen = 0;
    random_walks(&mut rng, 30_000, 120, |position, _| {
        seen += 1;
        if seen % 150 != 0 && position.ep_square().is_none() {
            return;
        }
        let moves = position.legal_moves();
        for mv in (1..=u16::MAX).filter_map(Move::from_bits) {
            assert_eq!(
                position.is_legal(mv),
                moves.contains(&mv),
                "{mv:?} {:04x} {}",
                mv.bits(),
                position.fen()
            );
        }
    });
}

#[test]
fn moves_keep_everything_in_step() {
    let mut rng = Random::new(4);
    random_walks(&mut rng, 40_000, 150, |position, before| {
        position.validate().expect("consistent");
        if let Some((before, mv)) = before {
            assert_eq!(
                before.gives_check(mv),
                position.in_check(),
                "{mv:?} {}",
                before.fen()
            );
            let captured = before.occupied().count() - position.occupied().count();
            assert_eq!(u32::from(before.is_capture(mv)), captured);
            let plain = mv.kind() == MoveKind::Normal
                && before.castling() == position.castling()
                && before.ep_square().is_none()
                && position.ep_square().is_none();
            assert!(
                !plain || before.key_after(mv) == position.key(),
                "{mv:?} {before}"
            );
        }
        if !position.in_check() {
            position
                .play_null()
                .validate()
                .expect("consistent after a null move");
        }
        let mut noisy = duchamp_chess::MoveList::new();
        position.captures(&mut noisy);
        assert!(noisy.iter().all(|&mv| position.is_noisy(mv)));
        let mut quiet = duchamp_chess::MoveList::new();
        position.quiets(&mut quiet);
        assert!(!quiet.iter().any(|&mv| position.is_noisy(mv)));
        let mut both: Vec<Move> = noisy.into_iter().chain(quiet).collect();
        let mut all = position.legal_moves().to_vec();
        both.sort();
        all.sort();
        assert_eq!(both, all, "{}", position.fen());
    });
}
