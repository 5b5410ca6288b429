//! The freezer against published results, and against a table of five men.

use std::path::Path;
use std::sync::Arc;

use duchamp_base::{Control, Gauge, Plies, Value, Wdl};
use duchamp_chess::{Board, Color, NoOracle, Oracle, Position, Setup};
use duchamp_chess_tables::{GenerateOptions, Generator, Prober, parse_specs};
use duchamp_proofs::freezer::{FreezeJob, FreezeLimits, Proof, Restricted, Rules, Verdict, solve};

/// The solution of a file in `examples/freezer`.
fn freeze(file: &str, oracle: Arc<dyn Oracle>) -> Restricted {
    freeze_with(file, oracle, FreezeLimits::default())
}

fn freeze_with(file: &str, oracle: Arc<dyn Oracle>, limits: FreezeLimits) -> Restricted {
    let path = Path::new("examples/freezer").join(file);
    let text = std::fs::read_to_string(&path).expect("an example");
    let rules = Rules::parse(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let job = FreezeJob {
        limits,
        control: &Control::new(2),
        folder: None,
        started: &|_, _| {},
        gauge: &Gauge::default(),
    };
    solve(rules, oracle, &job).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Bleicher 2004, example 3.3, as printed.
const LINE: &str = "Nh6 Ke8 Ng4 Kd8 Ne3 Kc7 Nc2 Kd6 Be6 Kc5 Ke7 Kc6 Bb3 Kc5 Kd7 Kb5 Kd6 Ka5 Kc6 Ka6 Na3 Ka5 Kc5 \
                    Ka6 Nb5 Kb7 Be6 Ka6 Nd6 Ka5 Bd7 Ka6 Bb5+ Ka7 Kc6 Kb8 Kb6 Ka8 Kc7 Ka7 Nc8+ Ka8 Bc6#";

#[test]
fn bishop_and_knight_mate_around_the_centre_as_published() {
    let frozen = freeze("kbnk_no_centre.toml", Arc::new(NoOracle));
    assert_eq!(frozen.proof(), Proof::Proved(Verdict::Win));
    // 36 moves; 33 without the rule.
    let [report] = &*frozen.reports() else {
        panic!("one box")
    };
    let longest = report.longest.as_ref().expect("wins");
    assert_eq!((longest.0, longest.0.moves()), (Plies(72), 36));
    let from_white = |fen: &str| frozen.value(&Position::from_fen(fen).expect("legal"));
    let black = from_white(&longest.1).expect("in the box");
    assert_eq!(black.value, Value::Loss(Plies(72)));

    let mut position = frozen.rules().start;
    let known = frozen.value(&position).expect("in the box");
    assert_eq!(known.value, Value::Win(Plies(43)));
    assert_eq!(Plies(43).moves(), 22);
    // Both sides' moves are all among the best.
    for san in LINE.split(' ') {
        let mv = position.parse_san(san).expect("legal");
        let best = frozen.value(&position).expect("in the box").value;
        let played = frozen.move_value(&position, mv).expect("known").value;
        assert_eq!(played, best, "{san} in {}", position.fen());
        position = position.play(mv);
    }
    assert!(position.is_checkmate());
}

/// All tables of four men that the fortress needs.
fn fortress_tables() -> Prober {
    let folder = tempfile::tempdir().expect("a folder").keep();
    let tables = Prober::open(&folder);
    let specs = parse_specs("KRPK KQKR KQKP").expect("tables");
    let options = GenerateOptions::default();
    let made = Generator::new(tables.store()).run(&specs, &options, &Control::new(2), &mut |_| {});
    made.expect("made");
    tables
}

/// Bleicher 2004, example 3.2.
#[test]
fn the_classic_fortress_is_a_draw() {
    let tables = fortress_tables();
    let frozen = freeze("fortress_kqkrp.toml", tables.oracle());
    assert_eq!(frozen.proof(), Proof::Proved(Verdict::Draw));
    assert!(frozen.plan().entries() <= 80_000);
    std::fs::remove_dir_all(tables.store().dir()).expect("removed");
}

/// Every placement of the fortress's box with Black to move.
fn fortress_placements(rules: &Rules, mut show: impl FnMut(&Position)) {
    let squares: Vec<_> = rules.men.iter().map(|man| man.allowed).collect();
    let pieces: Vec<_> = rules.men.iter().map(|man| man.piece).collect();
    let mut boards = vec![Board::EMPTY];
    for (squares, piece) in squares.into_iter().zip(pieces) {
        let put = |board: Board| {
            (squares - board.occupied()).into_iter().map(move |square| {
                let mut board = board;
                board.put(piece, square);
                board
            })
        };
        boards = boards.into_iter().flat_map(put).collect();
    }
    for board in boards {
        let setup = Setup {
            board,
            turn: Color::Black,
            ..Setup::EMPTY
        };
        if let Ok(position) = Position::from_setup(&setup) {
            show(&position);
        }
    }
}

#[test]
#[ignore = "needs the table of five men KRPvKQ in $DUCHAMP_FIVE"]
fn the_fortress_claims_no_more_than_the_table() {
    let folder = std::env::var("DUCHAMP_FIVE").expect("DUCHAMP_FIVE names the folder of tables");
    let truth = Prober::open(Path::new(&folder));
    let frozen = freeze("fortress_kqkrp.toml", truth.oracle());
    // Of White: lost, drawn, won.
    let (mut exact, mut claimed, mut above) = ([0; 3], [0; 3], 0);
    let index = |wdl: Wdl| match wdl {
        Wdl::Win | Wdl::CursedWin => 0,
        Wdl::Draw => 1,
        Wdl::Loss | Wdl::BlessedLoss => 2,
    };
    fortress_placements(frozen.rules(), |position| {
        let truth = index(truth.wdl(position).expect("the table"));
        let value = index(frozen.value(position).expect("in the box").value.wdl());
        exact[truth] += 1;
        claimed[value] += 1;
        above += u64::from(value > truth);
    });
    eprintln!(
        "lost, drawn, won for White: in truth {exact:?}, claimed {claimed:?}, too much {above}"
    );
    assert_eq!(exact, [10_033, 35_507, 354]);
    assert_eq!(above, 0);
}

/// Positions of eight to ten men whose proofs need no table.
#[test]
fn positions_with_many_men_are_held() {
    for (file, men, bound) in [
        ("bishop_knight_stuck.toml", 10, Verdict::Win),
        ("bishops_opposite.toml", 10, Verdict::Win),
        ("bishops_opposite_two_pairs.toml", 8, Verdict::Win),
        ("lasker_reichhelm.toml", 9, Verdict::Win),
        ("lasker_reichhelm_moved.toml", 9, Verdict::Win),
        ("walled_in_king.toml", 8, Verdict::Loss),
    ] {
        let frozen = freeze(file, Arc::new(NoOracle));
        assert_eq!(frozen.rules().start.occupied().count(), men, "{file}");
        assert_eq!(Verdict::lost_for(frozen.rules().bound), bound, "{file}");
        assert_eq!(frozen.proof(), Proof::Proved(Verdict::Draw), "{file}");
        assert_eq!(frozen.rules().assumptions().count(), 0, "{file}");
    }
}

/// Bishop and knight mate with two pairs of stuck pawns on the board; Stockfish 15.1 finds a mate in 16, too.
#[test]
fn a_mate_with_eight_men_is_counted() {
    let frozen = freeze("bishop_knight_two_pairs.toml", Arc::new(NoOracle));
    assert_eq!(frozen.proof(), Proof::Proved(Verdict::Win));
    let mut position = frozen.rules().start;
    let mut left = frozen.value(&position).expect("in the box").value;
    assert_eq!(left, Value::Win(Plies(31)));
    // Best play on both sides ends in mate after so many plies.
    for _ in 0..31 {
        let moves = position.legal_moves().into_iter();
        let judged = moves.map(|mv| (frozen.move_value(&position, mv).expect("known").value, mv));
        let (value, best) = judged
            .max_by_key(|(value, _)| value.rank())
            .expect("a move");
        assert_eq!(value, left, "{}", position.fen());
        position = position.play(best);
        left = match value {
            Value::Win(plies) => Value::Loss(Plies(plies.0 - 1)),
            Value::Loss(plies) => Value::Win(Plies(plies.0 - 1)),
            Value::Draw => Value::Draw,
        };
    }
    assert!(position.is_checkmate());
}

#[test]
#[ignore = "needs all tables of four men in $DUCHAMP_FIVE; takes minutes"]
fn positions_with_many_men_are_held_by_chains() {
    let folder = std::env::var("DUCHAMP_FIVE").expect("DUCHAMP_FIVE names the folder of tables");
    let tables = Prober::open(Path::new(&folder));
    for (file, entries) in [
        ("lockock.toml", 1_200_000),
        ("rook_before_king.toml", 1_500_000),
        ("rook_before_king_two_pawns.toml", 1_000_000),
    ] {
        let limits = FreezeLimits {
            entries,
            ..FreezeLimits::default()
        };
        let frozen = freeze_with(file, tables.oracle(), limits);
        assert_eq!(frozen.proof(), Proof::Proved(Verdict::Draw), "{file}");
        assert_eq!(frozen.rules().assumptions().count(), 0, "{file}");
    }
}
