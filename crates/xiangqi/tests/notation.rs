//! Coordinates and WXF notation, case by case.

use duchamp_xiangqi::{CoordinateError, Letters, Move, Position, RankBase, WxfError};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect("legal")
}

#[test]
fn coordinates_of_both_bases() {
    let start = Position::start();
    let cannon = start.parse_move("h2e2").expect("legal");
    assert_eq!(start.parse_move("H2-E2"), Ok(cannon));
    assert_eq!(start.parse_move_in("h3e3", RankBase::One), Ok(cannon));
    assert_eq!(
        start.parse_move("h3e3"),
        Err(CoordinateError::Illegal(RankBase::Zero))
    );
    // A rank 10 shows that ranks start at 1.
    let capture = start.parse_move_in("h2h9", RankBase::Zero);
    assert_eq!(start.parse_move("h3h10"), capture);
    assert_eq!(start.parse_move("H3-H10"), capture);
    assert_eq!(
        start.parse_move_in("h3h10", RankBase::Zero),
        Err(CoordinateError::RankTen)
    );
    assert_eq!(
        start.parse_move_in("a0a1", RankBase::One),
        Err(CoordinateError::RankZero)
    );
    assert_eq!(start.parse_move("h10a0"), Err(CoordinateError::RankZero));
    let next = start.play(cannon);
    let horse = next.parse_move("h10g8").expect("legal");
    assert_eq!(horse.uci(RankBase::Zero), "h9g7");
    assert_eq!(horse.iccs(), "H9-G7");
    for bad in [
        "", "h2", "h2e", "h2e2q", "h2--e2", "j0a0", "h2 e2", "h11h1", "h-2e2", "é2e2", "h2é",
    ] {
        assert_eq!(
            start.parse_move(bad),
            Err(CoordinateError::Syntax),
            "{bad:?}"
        );
    }
}

/// All legal moves with their notation, as `h2e2:C2=5`.
fn all(position: &Position) -> Vec<String> {
    let moves = position.legal_moves();
    let write = |mv: Move| format!("{mv}:{}", position.wxf(mv));
    moves.into_iter().map(write).collect()
}

#[track_caller]
fn has(position: &Position, wanted: &[&str]) {
    let all = all(position);
    for wanted in wanted {
        assert!(all.iter().any(|mv| mv == wanted), "{wanted}: {all:?}");
        let (coordinates, wxf) = wanted.split_once(':').expect("two parts");
        let mv = position.parse_wxf(wxf).expect(wxf);
        assert_eq!(mv.to_string(), coordinates);
    }
}

#[test]
fn files_count_from_the_right_of_the_mover() {
    let start = Position::start();
    has(
        &start,
        &[
            "h2e2:C2=5",
            "b0c2:H8+7",
            "a3a4:P9+1",
            "h2h9:C2+7",
            "c0e2:E7+5",
            "f0e1:A4+5",
            "e0e1:K5+1",
        ],
    );
    let next = start.play(start.parse_wxf("C2=5").expect("legal"));
    has(
        &next,
        &[
            "h9g7:H8+7",
            "b9a7:H2+1",
            "b7e7:C2=5",
            "g9e7:E7+5",
            "i9i8:R9+1",
            "e6e5:P5+1",
        ],
    );
    // Capitals and small letters, a point for =, B and N for elephant and horse.
    for (text, mv) in [("c2.5", "h2e2"), ("n8+7", "b0c2"), ("B7+5", "c0e2")] {
        assert_eq!(
            start.parse_wxf(text).map(|mv| mv.to_string()),
            Ok(mv.to_owned())
        );
    }
}

#[test]
fn pieces_in_tandem() {
    // As pyffish 0.0.90 writes them.
    let two = position("4k4/9/9/9/4P4/2P1P1R2/9/4B1R1N/4A1C1N/3AK1C2 w - - 0 1");
    has(
        &two,
        &[
            "g2g3:R-+1",
            "g4g3:R+-1",
            "g4f4:R+=4",
            "g0f0:C-=4",
            "g1f1:C+=4",
            "e5d5:P+=6",
            "c4c5:P7+1",
        ],
    );
    has(&two, &["i2g3:H++3", "e1f0:A5-4", "e2c0:E5-7"]);
    assert_eq!(
        two.parse_wxf("+R-1").map(|mv| mv.to_string()),
        Ok("g4g3".to_owned())
    );
    // By the file only one of two can be meant, or both can.
    assert_eq!(
        two.parse_wxf("R3+5").map(|mv| mv.to_string()),
        Ok("g4g9".to_owned())
    );
    assert_eq!(two.parse_wxf("R3=4"), Err(WxfError::Ambiguous));
    let black = position("3k5/9/9/9/2n3r2/2n3r2/6c2/6c2/9/4K4 b - - 0 1");
    has(
        &black,
        &[
            "c4b2:H++2",
            "c5a6:H--1",
            "c5a4:H-+1",
            "g5g6:R--1",
            "g4f4:R+=6",
            "g3f3:C-=6",
            "g2g1:C++1",
        ],
    );
}

#[test]
fn pawns_in_tandem() {
    let three = position("3k5/9/4P4/4P4/4P4/9/9/9/9/4K4 w - - 0 1");
    has(
        &three,
        &["e5d5:35=6", "e6f6:25=4", "e7e8:15+1", "e7d7:15=6"],
    );
    // The front and the rear one may be written with signs, as the federation does.
    assert_eq!(
        three.parse_wxf("P+.6").map(|mv| mv.to_string()),
        Ok("e7d7".to_owned())
    );
    assert_eq!(
        three.parse_wxf("P-=6").map(|mv| mv.to_string()),
        Ok("e5d5".to_owned())
    );
    assert_eq!(three.parse_wxf("P5=6"), Err(WxfError::Ambiguous));
    assert_eq!(three.parse_wxf("45=6"), Err(WxfError::Illegal));
    let files = position("3k5/9/4P1P2/4P1P2/4P4/9/9/9/9/4K4 w - - 0 1");
    has(&files, &["g6f6:23=4", "g7g8:13+1", "e5d5:35=6"]);
    assert_eq!(
        files.parse_wxf("P+=6").map(|mv| mv.to_string()),
        Ok("e7d7".to_owned())
    );
    assert_eq!(files.parse_wxf("P++1"), Err(WxfError::Ambiguous));
    let black = position("3k5/9/9/9/9/2p6/2p6/2p6/9/4K4 b - - 0 1");
    has(&black, &["c2c1:13+1", "c4d4:33=4"]);
}

#[test]
fn letters_of_wu_and_beal() {
    let fen = "3a1Ge2/9/e2ak4/9/9/9/2P6/4E4/3K5/5A3 r";
    let position = Position::from_fen_in(fen, Letters::WuBeal).expect("legal");
    let mv = position
        .parse_wxf_in("G4-2", Letters::WuBeal)
        .expect("legal");
    assert_eq!(mv.to_string(), "f9f7");
    assert_eq!(position.wxf_in(mv, Letters::WuBeal), "G4-2");
    assert_eq!(position.wxf(mv), "C4-2");
    // C is the chariot there.
    assert_eq!(
        position.parse_wxf_in("C4-2", Letters::WuBeal),
        Err(WxfError::Illegal)
    );
    let next = position.play(position.parse_wxf("P7+1").expect("legal"));
    let advisor = next.parse_move("d7e8").expect("legal");
    assert_eq!(next.wxf_in(advisor, Letters::WuBeal), "a4-5");
}

#[test]
fn what_is_no_notation_is_refused() {
    let start = Position::start();
    for bad in [
        "", "C2", "C2=", "C2=55", "C2*5", "C0=5", "X2=5", "92=5", "C2=x", "C2=0", "C２=5", "++=5",
    ] {
        assert_eq!(start.parse_wxf(bad), Err(WxfError::Syntax), "{bad:?}");
    }
    for illegal in ["C2+9", "K5+2", "C5=2", "C+=5", "15+1", "13=4"] {
        let refused = start.parse_wxf(illegal);
        let legal = illegal == "15+1";
        assert_eq!(refused.is_ok(), legal, "{illegal}: {refused:?}");
    }
}
