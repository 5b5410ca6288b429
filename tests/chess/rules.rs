//! Single rules: the error of a bad FEN, how games end, what exchanges win.

use crate::common::{Random, random_walks};
use duchamp_chess::{
    Color, DrawReason, Epd, Faults, FenError, Game, Outcome, Position, PositionError, Role,
    SEE_VALUES, Setup,
};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}

#[test]
fn bad_fens_are_told_what_is_wrong() {
    let cases = [
        ("", "bad FEN: expected 2 to 6 fields, found 0"),
        (
            "8/8/8/8/8/8/8 w - - 0 1",
            "bad FEN: the board has 7 ranks instead of 8",
        ),
        ("8/8/8/8/8/8/8/9 w - - 0 1", "bad FEN: '9' is not a piece"),
        (
            "8/8/8/8/8/8/8/44K w - - 0 1",
            "bad FEN: rank 1 does not have 8 squares",
        ),
        (
            "8/8/7/8/8/8/8/8 w - - 0 1",
            "bad FEN: rank 6 does not have 8 squares",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
            "bad FEN: the side to move is neither w nor b",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w X - 0 1",
            "bad FEN: 'X' is no castling right",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
            "bad FEN: the en-passant field is neither - nor a square",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
            "bad FEN: the halfmove clock is no number up to 65535",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 70000",
            "bad FEN: the move number is no number up to 65535",
        ),
        (
            "4k3/8/8/8/8/8/8/8 w - - 0 1",
            "impossible position: White does not have exactly one king",
        ),
        (
            "8/8/8/8/8/8/8/P7 w - - 0 1",
            "impossible position: White does not have exactly one king; Black does not have exactly one king; \
             a pawn stands on the first or last rank",
        ),
        (
            "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
            "impossible position: the side that is not to move is in check",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1",
            "impossible position: a castling right lacks its king or rook",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
            "impossible position: no pawn can just have passed the en-passant square",
        ),
        (
            "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
            "impossible position: a side has more pieces than promotions can explain",
        ),
        (
            "4k3/8/8/8/8/5n2/3p4/4K2r w - - 0 1",
            "impossible position: more than two pieces give check",
        ),
    ];
    for (fen, message) in cases {
        let error = Position::from_fen(fen).expect_err(fen);
        assert_eq!(error.to_string(), message, "{fen}");
    }
    let crowd = "k7/rrrrrrrr/rrrrrrrr/r7/8/8/8/K7 b - - 0 1";
    let Err(FenError::Position(PositionError(faults))) = Position::from_fen(crowd) else {
        panic!("accepted")
    };
    assert!(faults.contains(Faults::TOO_MANY_MEN | Faults::MATERIAL));
}

#[test]
fn fields_missing_at_the_end_have_their_usual_values() {
    let bare = "4k3/8/8/8/8/8/8/R3K3 b";
    for more in ["", " -", " - -", " - - 0", " - - 0 1"] {
        let text = format!("{bare}{more}");
        assert_eq!(position(&text).fen(), format!("{bare} - - 0 1"), "{text}");
    }
    assert_eq!(
        position("4k3/8/8/8/8/8/8/R3K3 b - - 7").fen(),
        "4k3/8/8/8/8/8/8/R3K3 b - - 7 1"
    );
    for (text, count) in [
        ("4k3/8/8/8/8/8/8/R3K3", 1),
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 1 x", 7),
    ] {
        assert_eq!(Position::from_fen(text), Err(FenError::Fields(count)));
    }
    // Before the operations of an EPD, too, one clock may stand alone.
    let epd: Epd = "4k3/8/8/8/8/8/8/R3K3 w - - 7 bm Ra8+;"
        .parse()
        .expect("an EPD line");
    assert_eq!((epd.setup.halfmoves, epd.setup.fullmoves), (7, 1));
    assert_eq!(epd.get("bm"), Some(&["Ra8+".to_owned()][..]));
}

#[test]
fn some_faults_can_be_forgiven() {
    let forgiven = |fen: &str, faults| {
        let setup: Setup = fen.parse().expect("a FEN");
        Position::from_setup_forgiving(&setup, faults).map(|position| position.fen())
    };
    let rights = "4k3/8/8/8/8/8/8/4K2R w KQkq e6 0 1";
    let both = Faults::CASTLING | Faults::EN_PASSANT;
    assert_eq!(
        forgiven(rights, both),
        Ok("4k3/8/8/8/8/8/8/4K2R w K - 0 1".to_string())
    );
    assert_eq!(
        forgiven(rights, Faults::CASTLING),
        Err(PositionError(Faults::EN_PASSANT))
    );
    let queens = "4k3/8/8/8/8/8/8/QQQQQQQQ w - - 0 1";
    assert_eq!(
        forgiven(queens, Faults::FORGIVABLE),
        Err(PositionError(Faults::WHITE_KING))
    );
    let queens = "QQQQQ3/QQQQQ3/8/7k/8/8/8/K7 b - - 0 1";
    assert_eq!(
        forgiven(queens, Faults::NONE),
        Err(PositionError(Faults::MATERIAL))
    );
    assert_eq!(forgiven(queens, Faults::MATERIAL), Ok(queens.to_string()));
}

#[test]
fn en_passant_counts_only_where_it_is_legal() {
    // Nobody can capture; then the capture would uncover the king on the rank.
    for fen in [
        "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
        "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1",
    ] {
        let position = position(fen);
        assert_eq!(position.ep_square(), None);
        assert_eq!(
            position.key(),
            self::position(&fen.replace("e3", "-")).key()
        );
    }
    let capturable = position("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    assert!(capturable.ep_square().is_some());
    assert_ne!(
        capturable.key(),
        position("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1").key()
    );
}

/// Before its double step the pawn would have given check with its own side to move.
#[test]
fn a_pawn_that_gave_check_cannot_have_passed() {
    for (fen, legal) in [
        ("4k3/8/4K3/2Pp4/8/8/8/8 w - d6 0 1", false),
        ("4k3/8/5K2/2Pp4/8/8/8/8 w - d6 0 1", true),
        ("8/8/8/8/2pP4/4k3/8/4K3 b - d3 0 1", false),
        ("8/8/8/8/2pP4/5k2/8/4K3 b - d3 0 1", true),
    ] {
        let setup: Setup = fen.parse().expect("a FEN");
        let faults = Position::from_setup(&setup).err();
        let expected = (!legal).then_some(PositionError(Faults::EN_PASSANT));
        assert_eq!(faults, expected, "{fen}");
    }
}

fn play(game: &mut Game, moves: &str) {
    for uci in moves.split_whitespace() {
        let mv = game.current().parse_uci(uci).expect(uci);
        game.push(mv);
    }
}

#[test]
fn games_end() {
    let mut game = Game::new(Position::start());
    play(&mut game, "f2f3 e7e5 g2g4");
    assert_eq!(game.outcome(), None);
    play(&mut game, "d8h4");
    assert_eq!(game.outcome(), Some(Outcome::Win(Color::Black)));

    let draw = |fen| Game::new(position(fen)).outcome();
    let stalemate = Some(Outcome::Draw(DrawReason::Stalemate));
    assert_eq!(draw("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"), stalemate);
    assert_eq!(
        draw("7k/8/8/8/8/8/8/K5R1 w - - 100 90"),
        Some(Outcome::Draw(DrawReason::FiftyMoves))
    );
    assert_eq!(
        draw("7k/5K2/8/8/8/8/8/7R b - - 100 90"),
        Some(Outcome::Win(Color::White)),
        "mate comes first"
    );
    let insufficient = Some(Outcome::Draw(DrawReason::InsufficientMaterial));
    for fen in [
        "7k/8/8/8/8/8/8/K7 w - - 0 1",
        "7k/8/8/8/8/8/8/KN6 w - - 0 1",
        "7k/8/8/8/8/8/8/Kb6 w - - 0 1",
    ] {
        assert_eq!(draw(fen), insufficient);
    }
    assert_eq!(
        draw("5b1k/8/8/8/8/8/8/K1B5 w - - 0 1"),
        insufficient,
        "bishops on dark squares"
    );
    for fen in [
        "4b2k/8/8/8/8/8/8/K1B5 w - - 0 1",
        "7k/8/8/8/8/8/8/KNN5 w - - 0 1",
        "6nk/8/8/8/8/8/8/KN6 w - - 0 1",
    ] {
        assert_eq!(draw(fen), None, "{fen}: a helpmate exists");
    }
}

#[test]
fn repetitions_are_counted() {
    let mut game = Game::new(Position::start());
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    play(&mut game, shuffle);
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "g1f3");
    assert!(game.is_repetition(1) && !game.is_repetition(2));
    play(&mut game, "g8f6 f3g1 f6g8");
    assert_eq!(game.outcome(), Some(Outcome::Draw(DrawReason::Repetition)));
    // A lost castling right makes another position.
    let mut game = Game::new(position("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"));
    play(&mut game, "h1h2 a8b8 h2h1 b8a8 h1h2 a8b8 h2h1 b8a8");
    assert_eq!(game.repetitions(), 1);
}

/// The most that [`Position::see_ge`] says a move wins.
fn see(position: &Position, mv: duchamp_chess::Move) -> i32 {
    let steps = (-2_000..=2_000).filter(|&threshold| position.see_ge(mv, threshold));
    let values: Vec<i32> = steps.collect();
    let best = *values.last().expect("some threshold is low enough");
    assert_eq!(
        values.len() as i32,
        best + 2_001,
        "monotone: {mv:?} {position}"
    );
    best
}

#[test]
fn exchanges() {
    let [pawn, knight, bishop, rook, queen, _] = SEE_VALUES;
    let cases = [
        // Undefended; defended by a pawn; attacked twice with an x-ray behind the rook.
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", pawn),
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", pawn - rook),
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", pawn),
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", pawn - rook),
        ("4k3/8/2n5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", pawn),
        // A quiet move onto a defended square, and castling.
        ("4k3/8/4p3/8/8/8/8/3RK3 w - - 0 1", "d1d5", -rook),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0),
        // En passant, defended by a pawn.
        ("4k3/4p3/8/2Pp4/8/8/8/4K3 w - d6 0 1", "c5d6", 0),
        // Promotion, safe and not.
        ("8/P7/8/8/8/8/8/K6k w - - 0 1", "a7a8q", queen - pawn),
        ("7r/P7/8/8/8/8/8/K6k w - - 0 1", "a7a8q", -pawn),
        // The defending knight is pinned to its king.
        ("3k4/3n4/8/4p3/8/5N2/8/3RK3 w - - 0 1", "f3e5", pawn),
        ("3k4/3n4/8/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5", pawn - knight),
        // The king may take back only what nobody defends.
        ("8/8/4k3/3p4/8/8/8/B2RK3 w - - 0 1", "d1d5", pawn - rook),
        ("8/8/4k3/3p4/8/1B6/8/3RK3 w - - 0 1", "d1d5", pawn),
        (
            "4k3/8/3q4/2b5/8/4B3/8/2R1K3 w - - 0 1",
            "e3c5",
            bishop + queen - bishop - bishop.min(queen - rook),
        ),
    ];
    for (fen, uci, value) in &cases[..cases.len() - 1] {
        let position = position(fen);
        let mv = position.parse_uci(uci).expect("legal");
        assert_eq!(see(&position, mv), *value, "{uci} {fen}");
    }
    // Bishop takes bishop, and the queen would lose herself by taking back: a bishop won.
    let (fen, uci, _) = cases[cases.len() - 1];
    let position = position(fen);
    assert_eq!(
        see(&position, position.parse_uci(uci).expect("legal")),
        bishop
    );
}

#[test]
fn exchanges_are_monotone() {
    let mut rng = Random::new(21);
    let mut seen = 0;
    random_walks(&mut rng, 3_000, 150, |position, _| {
        seen += 1;
        if seen % 10 == 0 {
            for mv in position.legal_moves() {
                let value = see(position, mv);
                let captured = position
                    .captured(mv)
                    .map_or(0, |role| SEE_VALUES[role.index()]);
                let promotion = mv
                    .promotion()
                    .map_or(0, |role| SEE_VALUES[role.index()] - SEE_VALUES[0]);
                assert!(value <= captured + promotion, "{mv:?} {position}");
            }
        }
    });
}

#[test]
fn material_keys_tell_counts_apart() {
    let key = |fen| position(fen).material_key();
    let rook = key("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    assert_eq!(rook, key("8/8/4K3/8/8/R7/8/4k3 b - - 0 1"));
    assert_ne!(rook, key("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1"));
    assert_ne!(rook, key("r3k3/8/8/8/8/8/8/4K3 w - - 0 1"));
}

#[test]
fn a_promotion_was_a_pawns_move() {
    let mut game = Game::new(position("8/P6k/8/8/8/8/8/K7 w - - 0 1"));
    for san in ["a8=Q", "Kg7"] {
        game.push(game.current().parse_san(san).expect("a legal move"));
    }
    let roles: Vec<Role> = game.moved().iter().map(|man| man.role).collect();
    assert_eq!(roles, [Role::Pawn, Role::King]);
}
