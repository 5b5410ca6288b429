//! Proofs of pawn endings in the engine: what it reports, what it plays, and what it must not claim.

use crate::common::Random;
use crate::common::client::{Client, Search};
use crate::common::pawns::tables;
use duchamp_base::Wdl;
use duchamp_chess::{
    Board, Color, Effort, Game, NoOracle, Outcome, Piece, Position, Proofs, Proven, Role, Setup,
    Square,
};
use duchamp_proofs::pawns::PawnProofs;
use duchamp_search::{
    Info, Knowledge, Limits, ReportedScore, SearchControl, SearchOptions, Searcher,
};
use std::sync::Arc;

/// Fine #70 (Lasker and Reichhelm 1901): only Kb1 wins.
const FINE_70: &str = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
/// Fourteen locked pawns.
const LOCKED: &str = "8/2k5/p1p1p1p1/P1P1P1Pp/2K4P/8/8/8 w - - 0 1";

/// An engine with no tables but those it comes with: none.
fn engine() -> Client {
    Client::ready()
}

fn proof(search: &Search) -> Option<&str> {
    let mut told = search.lines.iter().map(String::as_str);
    told.rfind(|line| line.starts_with("info string pawn ending proved"))
}

#[test]
fn fine_70_is_a_proved_win_by_one_move() {
    let mut client = engine();
    client.send(&format!("position fen {FINE_70}"));
    let search = client.go("depth 12");
    let proof = proof(&search).expect("a proof is told");
    assert!(
        proof.contains("proved: won for the side to move"),
        "{proof}"
    );
    assert_eq!(search.best(), "a1b1");
    let last = search
        .lines
        .iter()
        .rfind(|line| line.contains(" score "))
        .expect("a score");
    assert!(
        last.contains(" score cp 20000 ") || last.contains(" score mate "),
        "{last}"
    );
}

/// Analysis until stopped finds the proof, too, in slices of time: as long as the test waits, the search goes on.
#[test]
fn fine_70_is_proved_in_analysis() {
    let mut client = engine();
    client.send(&format!("position fen {FINE_70}"));
    client.send("go infinite");
    client.expect("info string pawn ending proved: won for the side to move");
    let score = loop {
        let line = client.expect("info depth").pop().expect("a line");
        if line.contains(" score ") {
            break line;
        }
    };
    assert!(score.contains(" score cp 20000 "), "{score}");
    client.send("stop");
    let lines = client.expect("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("bestmove a1b1")));
}

/// With two threads one of them proves while the other searches; the clock is such that no machine is too slow for it.
#[test]
fn a_thread_set_aside_proves_in_analysis_and_in_games() {
    let mut client = engine();
    client.send("setoption name Threads value 2");
    for go in ["infinite", "wtime 360000000 btime 360000000"] {
        client.send("ucinewgame");
        client.send(&format!("position fen {FINE_70}"));
        client.send(&format!("go {go}"));
        client.expect("info string pawn ending proved: won for the side to move");
        client.send("stop");
        let lines = client.expect("bestmove");
        assert!(lines.iter().any(|line| line.starts_with("bestmove a1b1")));
    }
}

/// A race of twelve pawns is more than what a moment proves.
#[test]
fn an_analysis_that_ends_unproved_says_what_is_open() {
    let mut client = engine();
    for threads in [1, 2] {
        client.send(&format!("setoption name Threads value {threads}"));
        client.send("ucinewgame");
        client.send("position fen 8/5p1p/Pp1pk1pP/4P3/8/1P1P4/5PP1/6K1 b - - 0 1");
        client.send("go infinite");
        client.expect("info depth 5");
        client.send("stop");
        let lines = client.expect("bestmove");
        let told = "info string pawn ending proved: ";
        assert!(lines.iter().any(|line| line.starts_with(told)), "{lines:?}");
    }
}

#[test]
fn a_locked_ending_is_a_proved_draw_at_once() {
    let mut client = engine();
    client.send(&format!("position fen {LOCKED}"));
    let search = client.go("depth 10");
    assert!(proof(&search).is_some_and(|text| text.contains("drawn")));
    for line in search.lines.iter().filter(|line| line.contains(" score ")) {
        assert!(line.contains(" score cp 0 "), "{line}");
    }
}

#[test]
fn nothing_is_proved_when_switched_off_or_weakened() {
    let mut client = engine();
    client.send("setoption name PawnProofs value false");
    client.send(&format!("position fen {FINE_70}"));
    assert_eq!(proof(&client.go("depth 8")), None);
    client.send("setoption name PawnProofs value true");
    client.send("setoption name UCI_LimitStrength value true");
    assert_eq!(proof(&client.go("depth 8")), None);
}

/// The win takes two dozen plies to the next pawn move: too many for this counter.
#[test]
fn a_win_that_the_counter_may_spoil_is_not_claimed() {
    let mut client = engine();
    let late = FINE_70.replace("- - 0 1", "- - 90 80");
    client.send(&format!("position fen {late}"));
    let search = client.go("depth 10");
    for line in search.lines.iter().filter(|line| line.contains(" score ")) {
        assert!(!line.contains(" score cp 20000 "), "{line}");
    }
}

/// The same search twice, with proofs, and after `ucinewgame`.
#[test]
fn searches_with_proofs_are_reproducible() {
    let mut client = engine();
    let mut nodes = Vec::new();
    for _ in 0..2 {
        client.send("ucinewgame");
        for fen in [FINE_70, "8/8/1p1k4/p1pP4/P1P2K2/1P6/8/8 w - - 0 1", LOCKED] {
            client.send(&format!("position fen {fen}"));
            nodes.push(client.go("nodes 30000").nodes());
        }
    }
    assert_eq!(nodes[..3], nodes[3..]);
}

/// The winner must get on: against a defender who plays as well as he can, the win is brought home long before the 50-move
/// rule could help.
#[test]
fn a_proved_win_is_brought_home() {
    let mut client = engine();
    let mut game = Game::new(Position::from_fen(FINE_70).expect("a position"));
    let mut moves = String::new();
    while game.outcome().is_none() {
        client.send(&format!("position fen {FINE_70} moves{moves}"));
        let best = client.go("depth 10").best().to_owned();
        moves.push(' ');
        moves.push_str(&best);
        game.push(game.current().parse_uci(&best).expect("a legal move"));
        assert!(game.keys().len() < 200, "{moves}");
        if game.current().of(Color::White, Role::Queen).any() {
            return;
        }
    }
    assert_eq!(game.outcome(), Some(Outcome::Win(Color::White)), "{moves}");
}

/// Kings and two pawns on random squares.
fn random_position(rng: &mut Random) -> Option<Position> {
    let mut pawns = Vec::new();
    for _ in 0..2 {
        pawns.push((*rng.pick(&Color::ALL), Square::new(rng.below(64))));
    }
    with_kings(rng, &pawns)
}

/// Kings on random squares, and two pawns of which one may take the other en passant after its double step.
fn random_passant(rng: &mut Random) -> Option<Position> {
    let file = rng.below(7);
    let files = *rng.pick(&[[file, file + 1], [file + 1, file]]);
    let [white, black] = *rng.pick(&[[1, 3], [4, 6]]);
    let pawns = [
        (Color::White, Square::new(8 * white + files[0])),
        (Color::Black, Square::new(8 * black + files[1])),
    ];
    with_kings(rng, &pawns)
}

fn with_kings(rng: &mut Random, pawns: &[(Color, Square)]) -> Option<Position> {
    let man = |color, role| Piece { color, role };
    let mut men: Vec<(Piece, Square)> = Vec::new();
    for color in Color::ALL {
        men.push((man(color, Role::King), Square::new(rng.below(64))));
    }
    men.extend(
        pawns
            .iter()
            .map(|&(color, square)| (man(color, Role::Pawn), square)),
    );
    let mut board = Board::EMPTY;
    for (man, square) in men {
        if board.at(square).is_some() {
            return None;
        }
        board.put(man, square);
    }
    let turn = *rng.pick(&Color::ALL);
    Position::from_setup(&Setup {
        board,
        turn,
        ..Setup::EMPTY
    })
    .ok()
}

/// Whether a proof allows what a table says.
fn allows(proven: Proven, wdl: Wdl) -> bool {
    (proven.least..=proven.most).contains(&wdl)
}

/// What search receives about positions and moves, proved without any table, against the tables of four men.
#[test]
fn what_search_is_told_agrees_with_the_tables() {
    let tables = tables();
    let proofs = PawnProofs::new(Arc::new(NoOracle), 256);
    let mut rng = Random::new(20_261_121);
    let (mut asked, mut exact, mut judged, mut passants) = (0, 0, 0, 0);
    while asked < 400 {
        let position = match asked % 4 {
            3 => random_passant(&mut rng),
            _ => random_position(&mut rng),
        };
        let Some(position) = position else {
            continue;
        };
        if position.legal_moves().is_empty() || !proofs.covers(&position) {
            continue;
        }
        asked += 1;
        let fen = position.fen();
        let wdl = tables.probe_wdl(&position).expect("a table");
        proofs.glance(&position);
        let known = proofs.known(&position);
        assert!(allows(known, wdl), "{fen}: {wdl:?}, at a glance {known:?}");
        let effort = Effort {
            steps: 40,
            time: None,
        };
        let proven = proofs.prove(&position, effort).proven;
        assert!(allows(proven, wdl), "{fen}: {wdl:?}, proved {proven:?}");
        exact += u32::from(proven.exact().is_some());
        for mv in position.legal_moves() {
            let after = position.play(mv);
            let wdl = -tables.probe_wdl(&after).expect("a table");
            let told = proofs.judge(&position, mv);
            assert!(allows(told, wdl), "{fen} {mv:?}: {wdl:?}, judged {told:?}");
            let sure = u32::from(told.exact().is_some());
            judged += sure;
            passants += sure * u32::from(after.ep_square().is_some());
        }
    }
    println!("{exact} positions, {judged} moves, {passants} of them double steps");
    assert!(
        exact > 150 && judged > 500 && passants > 5,
        "{exact} {judged} {passants}"
    );
}

/// Searches that have proofs and no tables claim no win that the tables deny, and call no proved draw anything else.
#[test]
fn searches_with_proofs_do_not_contradict_the_tables() {
    let tables = tables();
    let knowledge = Knowledge {
        oracle: Arc::new(NoOracle),
        proofs: Arc::new(PawnProofs::new(Arc::new(NoOracle), 64)),
        ..Knowledge::default()
    };
    let mut searcher = Searcher::new();
    let mut rng = Random::new(4_111_967);
    let (mut asked, mut decided) = (0, 0);
    while asked < 100 {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        if position.legal_moves().is_empty() || position.is_insufficient_material() {
            continue;
        }
        asked += 1;
        let wdl = tables.probe_wdl(&position).expect("a table");
        let mut settled = None;
        let outcome = searcher.search(
            &Game::new(position),
            &Limits::nodes(20_000),
            &SearchOptions::default(),
            &knowledge,
            &SearchControl::new(),
            &mut |info| {
                if let Info::Settled(news) = info {
                    settled = Some(news.proven);
                }
            },
        );
        let fen = position.fen();
        let claim = match outcome.score {
            ReportedScore::Mate(moves) => Some(moves > 0),
            ReportedScore::Centipawns(score) if score.abs() > 19_000 => Some(score > 0),
            ReportedScore::Centipawns(_) => None,
        };
        if let Some(won) = claim {
            decided += 1;
            let expected = if won { Wdl::Win } else { Wdl::Loss };
            assert_eq!(wdl, expected, "{fen}: {:?}", outcome.score);
            if won {
                let after = position.play(outcome.best.expect("a move"));
                let told = tables.probe_wdl(&after).expect("a table");
                assert_eq!(told, Wdl::Loss, "{fen}: {:?}", outcome.best);
            }
        }
        if let Some(proven) = settled {
            assert!(allows(proven, wdl), "{fen}: {proven:?}, {wdl:?}");
            if proven.exact() == Some(Wdl::Draw) {
                assert_eq!(outcome.score, ReportedScore::Centipawns(0), "{fen}");
                let after = position.play(outcome.best.expect("a move"));
                assert_eq!(
                    tables.probe_wdl(&after).expect("a table"),
                    Wdl::Draw,
                    "{fen}"
                );
            }
        }
    }
    assert!(decided > 40, "{decided}");
}
