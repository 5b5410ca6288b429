//! Tests of whole searches.

use super::*;
use duchamp_base::{Plies, Value, Wdl};
use duchamp_chess::{
    Board, Castling, Color, Game, NoOracle, Oracle, Piece, Position, Role, Setup, Square,
};
use duchamp_eval::material;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// A search and all that it reported.
struct Run {
    outcome: SearchResult,
    lines: Vec<Line>,
}

impl Run {
    fn last(&self) -> &Line {
        self.lines.iter().rfind(|l| l.multipv == 1).unwrap()
    }
}

fn run_with(
    searcher: &mut Searcher,
    game: &Game,
    limits: &Limits,
    options: &SearchOptions,
    oracle: Arc<dyn Oracle>,
) -> Run {
    let mut lines = Vec::new();
    let control = SearchControl::new();
    let outcome = searcher.search(
        game,
        limits,
        options,
        &Knowledge::of(oracle),
        &control,
        &mut |info| {
            if let Info::Line(line) = info {
                lines.push(line);
            }
        },
    );
    if !options.quiet {
        check_lines(game, &lines, &outcome);
    }
    Run { outcome, lines }
}

/// Checks what holds for every search: a last exact line for its move, legal lines that end where the game does, mating
/// lines as long as their scores say.
fn check_lines(game: &Game, lines: &[Line], outcome: &SearchResult) {
    let last = lines.iter().rfind(|l| l.multipv == 1).expect("a line");
    assert_eq!(last.pv.first().copied(), outcome.best);
    for line in lines {
        let mut after = game.clone();
        for &mv in &line.pv {
            let position = after.current();
            assert!(
                position.is_legal(mv),
                "{mv:?} in {} of {line:?}",
                position.fen()
            );
            assert!(
                after.outcome().is_none(),
                "{} is over in {line:?}",
                position.fen()
            );
            after.push(mv);
        }
        if let (ReportedScore::Mate(moves), Bound::Exact) = (line.score, line.bound) {
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            assert_eq!(line.pv.len(), plies as usize, "{line:?}");
            assert!(after.current().is_checkmate());
        }
    }
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn run(fen: &str, limits: &Limits) -> Run {
    run_with(
        // Trained networks come and go; what is expected here does not.
        &mut Searcher::with_evaluator(material()),
        &game(fen),
        limits,
        &SearchOptions::default(),
        Arc::new(NoOracle),
    )
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn finds_short_mates() {
    for (fen, moves, depth) in [
        ("6k1/5ppp/8/8/8/8/8/K6R w - - 0 1", None, 4),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", Some(1), 3),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            Some(1),
            3,
        ),
        (
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1",
            Some(2),
            14,
        ),
        (
            "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1",
            Some(2),
            16,
        ),
        ("8/8/8/8/8/6k1/7q/7K w - - 0 1", Some(0), 2),
    ] {
        let run = run(fen, &Limits::depth(depth));
        match moves {
            Some(moves) => assert_eq!(run.last().score, ReportedScore::Mate(moves), "{fen}"),
            None => assert!(matches!(run.last().score, ReportedScore::Centipawns(_))),
        }
    }
}

#[test]
fn a_mate_limit_ends_the_search() {
    let limits = Limits {
        mate: Some(2),
        ..Limits::default()
    };
    let run = run("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", &limits);
    assert_eq!(run.last().score, ReportedScore::Mate(2));
}

#[test]
fn ended_games_have_no_move_but_a_line() {
    let stalemate = run("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &Limits::depth(5));
    assert_eq!(stalemate.outcome.best, None);
    assert_eq!(stalemate.last().score, ReportedScore::Centipawns(0));
    let mate = run("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", &Limits::depth(5));
    assert_eq!(mate.last().score, ReportedScore::Mate(0));
}

#[test]
fn avoids_stalemate_and_takes_it() {
    // Qf7 would be stalemate.
    let won = run("7k/8/6K1/8/8/8/Q7/8 w - - 0 1", &Limits::depth(8));
    assert!(matches!(won.last().score, ReportedScore::Mate(m) if m > 0));
    // Keeping the pawn is stalemate, else it falls.
    let drawn = run("k7/P7/8/1K6/8/8/8/8 w - - 0 1", &Limits::depth(8));
    assert_eq!(drawn.last().score, ReportedScore::Centipawns(0));
}

#[test]
fn sees_repetitions_of_the_game() {
    let mut game = game("8/8/8/3k4/8/8/r7/4K3 w - - 0 1");
    for mv in ["e1d1", "a2b2", "d1e1", "b2a2", "e1d1", "a2b2", "d1e1"] {
        let mv = game.current().parse_uci(mv).unwrap();
        game.push(mv);
    }
    // Black is a rook up, but this move would bring the first position for the third time.
    let again = game.current().parse_uci("b2a2").unwrap();
    let mut searcher = Searcher::new();
    for (search_moves, drawn) in [(vec![again], true), (vec![], false)] {
        let limits = Limits {
            search_moves,
            ..Limits::depth(5)
        };
        let options = SearchOptions::default();
        let run = run_with(&mut searcher, &game, &limits, &options, Arc::new(NoOracle));
        assert_eq!(run.last().score == ReportedScore::Centipawns(0), drawn);
    }
}

#[test]
fn fifty_moves_are_a_draw() {
    // Queen up, but the counter runs out with the next quiet move.
    let run = run("7k/8/8/8/8/8/Q7/K7 w - - 99 80", &Limits::depth(5));
    assert_eq!(run.last().score, ReportedScore::Centipawns(0));
}

#[test]
fn one_thread_counts_nodes_exactly_and_repeats_itself() {
    let mut searcher = Searcher::new();
    let options = SearchOptions::default();
    let oracle: Arc<dyn Oracle> = Arc::new(NoOracle);
    let mut results = Vec::new();
    for _ in 0..2 {
        searcher.clear();
        let mut nodes = Vec::new();
        for fen in [START, KIWIPETE] {
            for limits in [Limits::nodes(12_345), Limits::depth(7)] {
                let game = game(fen);
                let run = run_with(&mut searcher, &game, &limits, &options, Arc::clone(&oracle));
                if let Some(limit) = limits.nodes {
                    assert_eq!(run.outcome.nodes, limit);
                }
                nodes.push((run.outcome.nodes, run.outcome.best));
            }
        }
        results.push(nodes);
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn tiny_clocks_still_give_a_line() {
    for time in [-100, 0, 1, 10] {
        let mut limits = Limits::default();
        limits.time.0[0] = Some(time);
        let run = run(KIWIPETE, &limits);
        assert!(run.outcome.best.is_some() && run.outcome.depth >= 1);
        assert_eq!(run.last().bound, Bound::Exact);
    }
}

#[test]
fn a_quiet_search_tells_no_line_and_finds_the_same() {
    let search = |quiet| {
        let options = SearchOptions {
            quiet,
            ..SearchOptions::default()
        };
        let limits = Limits {
            soft_nodes: Some(20_000),
            ..Limits::default()
        };
        run_with(
            &mut Searcher::new(),
            &game(KIWIPETE),
            &limits,
            &options,
            Arc::new(NoOracle),
        )
    };
    let (told, quiet) = (search(false), search(true));
    assert!(quiet.lines.is_empty() && told.lines.len() > 5);
    let found = |run: &Run| (run.outcome.best, run.outcome.score, run.outcome.nodes);
    assert_eq!(found(&quiet), found(&told));
}

#[test]
fn several_lines_are_different_and_in_order() {
    let options = SearchOptions {
        multipv: 4,
        ..SearchOptions::default()
    };
    let mut searcher = Searcher::new();
    let oracle = Arc::new(NoOracle);
    let run = run_with(
        &mut searcher,
        &game(KIWIPETE),
        &Limits::depth(7),
        &options,
        oracle,
    );
    let last: Vec<_> = run.lines.iter().rev().take(4).collect();
    let mut firsts: Vec<_> = last.iter().map(|l| l.pv[0].bits()).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 4);
    let score = |l: &Line| match l.score {
        ReportedScore::Centipawns(cp) => cp,
        ReportedScore::Mate(_) => unreachable!(),
    };
    assert!(
        last.windows(2)
            .all(|w| w[0].multipv == w[1].multipv + 1 && score(w[0]) <= score(w[1]))
    );
}

#[test]
fn search_moves_are_kept_to() {
    let game = game(START);
    let only = game.current().parse_uci("a2a3").unwrap();
    let limits = Limits {
        search_moves: vec![only],
        ..Limits::depth(6)
    };
    let run = run(START, &limits);
    assert_eq!(run.outcome.best, Some(only));
}

#[test]
fn stop_ends_an_infinite_search() {
    let control = SearchControl::new();
    let mut searcher = Searcher::new();
    searcher.set_threads(2);
    // Without the stop it would end with depth 12.
    let limits = Limits {
        infinite: true,
        ..Limits::depth(12)
    };
    let (deep_enough, when) = channel();
    let (stopped, go_on) = channel();
    let outcome = std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            when.recv().expect("the search reports its lines");
            control.stop();
            stopped.send(()).expect("the search goes on");
        });
        let mut on_info = |info| {
            if !control.is_stopped() && matches!(info, Info::Line(Line { depth: 4, .. })) {
                deep_enough.send(()).expect("somebody waits");
                go_on.recv().expect("the search is stopped");
            }
        };
        let (game, options) = (game(KIWIPETE), SearchOptions::default());
        let knowledge = Knowledge::default();
        searcher.search(&game, &limits, &options, &knowledge, control, &mut on_info)
    });
    assert!(outcome.best.is_some() && outcome.nodes > 0);
    assert!(outcome.depth < 12, "{outcome:?}");
}

#[test]
fn infinite_searches_wait_for_the_stop_and_pondering_for_the_hit() {
    for infinite in [true, false] {
        let control = SearchControl::new();
        let limits = Limits {
            infinite,
            ponder: !infinite,
            ..Limits::depth(2)
        };
        let mut searcher = Searcher::new();
        std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                let (game, options) = (game(START), SearchOptions::default());
                let knowledge = Knowledge::default();
                searcher.search(&game, &limits, &options, &knowledge, &control, &mut |_| {})
            });
            while control.waits() == 0 {
                assert!(!search.is_finished(), "not waited: {infinite}");
                std::thread::yield_now();
            }
            if infinite {
                control.stop();
            } else {
                control.ponderhit();
            }
            assert_eq!(search.join().unwrap().depth, 2);
        });
    }
}

#[test]
fn lines_are_legal_over_many_random_games() {
    let mut seed = 0x1234_5678_u64;
    let mut random = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n as u64) as usize
    };
    let mut searcher = Searcher::new();
    let options = SearchOptions::default();
    for round in 0..40 {
        let mut game = if round % 2 == 0 {
            Game::new(Position::start())
        } else {
            game("4k2r/1p3ppp/2n1b3/8/8/3B4/PP3PP1/R3K3 w Qk - 0 1")
        };
        while game.outcome().is_none() && game.moves().len() < 120 {
            let moves = game.current().legal_moves();
            if random(3) == 0 {
                let limits = Limits::nodes(1 + random(1500) as u64);
                let run = run_with(&mut searcher, &game, &limits, &options, Arc::new(NoOracle));
                game.push(run.outcome.best.unwrap());
            } else {
                game.push(moves[random(moves.len())]);
            }
        }
    }
}

/// King and rook against king, solved by retrograde iteration; replaces the real tables, which this crate may not import.
struct Mock {
    values: Vec<Option<Value>>,
}

impl Mock {
    /// Kings, rook and side to move as one number.
    fn index(position: &Position) -> Option<usize> {
        let rook = position.of(Color::White, Role::Rook).first()?;
        let kings = position.king(Color::White).index() * 64 + position.king(Color::Black).index();
        Some((kings * 64 + rook.index()) * 2 + position.turn().index())
    }

    fn place(index: usize) -> Option<Position> {
        let piece = |color, role| Piece { color, role };
        let turn = Color::ALL[index & 1];
        let squares = [13, 7, 1].map(|shift| Square::wrapping(index >> shift));
        if squares[0] == squares[1] || squares[1] == squares[2] || squares[0] == squares[2] {
            return None;
        }
        let mut board = Board::EMPTY;
        board.put(piece(Color::White, Role::King), squares[0]);
        board.put(piece(Color::Black, Role::King), squares[1]);
        board.put(piece(Color::White, Role::Rook), squares[2]);
        let setup = Setup {
            board,
            turn,
            castling: Castling::default(),
            ..Position::start().setup()
        };
        Position::from_setup(&setup).ok()
    }

    fn new() -> Mock {
        let mut values: Vec<Option<Value>> = vec![None; 1 << 19];
        // Every position with its successors; `None` is one without the rook.
        let mut open: Vec<(usize, Vec<Option<usize>>)> = Vec::new();
        for (index, value) in values.iter_mut().enumerate() {
            let Some(position) = Mock::place(index) else {
                continue;
            };
            let next: Vec<_> = position
                .legal_moves()
                .into_iter()
                .map(|mv| Mock::index(&position.play(mv)))
                .collect();
            if !next.is_empty() {
                open.push((index, next));
            } else if position.in_check() {
                *value = Some(Value::Loss(Plies(0)));
            } else {
                *value = Some(Value::Draw);
            }
        }
        for level in 1.. {
            let found: Vec<(usize, Value)> = open
                .iter()
                .filter_map(|(index, next)| Some((*index, settled(level, next, &values)?)))
                .collect();
            if found.is_empty() {
                break;
            }
            for (index, value) in found {
                values[index] = Some(value);
            }
            open.retain(|(index, _)| values[*index].is_none());
        }
        for (index, _) in open {
            values[index] = Some(Value::Draw);
        }
        Mock { values }
    }
}

/// The value of a position whose successors are `next`, if it is won or lost in `level` plies.
fn settled(level: u16, next: &[Option<usize>], values: &[Option<Value>]) -> Option<Value> {
    let of = |next: &Option<usize>| next.and_then(|index| values[index]);
    if level % 2 == 1 {
        let won = next
            .iter()
            .any(|n| of(n) == Some(Value::Loss(Plies(level - 1))));
        won.then_some(Value::Win(Plies(level)))
    } else {
        let lost = next.iter().all(|n| matches!(of(n), Some(Value::Win(_))));
        lost.then_some(Value::Loss(Plies(level)))
    }
}

impl Oracle for Mock {
    fn max_men(&self) -> u32 {
        3
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.dtm(position).map(Value::wdl)
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        if position.occupied().count() == 2 {
            return Some(Value::Draw);
        }
        self.values[Mock::index(position)?]
    }
}

#[test]
fn tables_play_the_shortest_mate_and_finish_lines() {
    let oracle: Arc<dyn Oracle> = Arc::new(Mock::new());
    let mut searcher = Searcher::new();
    let options = SearchOptions::default();
    // At the root: rook against king, mate in 16 moves is the longest.
    let mut game_on = game("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    let mut expected = oracle.dtm(game_on.current()).unwrap().plies().unwrap();
    while game_on.outcome().is_none() {
        let oracle = Arc::clone(&oracle);
        let run = run_with(
            &mut searcher,
            &game_on,
            &Limits::depth(30),
            &options,
            oracle,
        );
        let sign = if expected.0 % 2 == 1 { 1 } else { -1 };
        assert_eq!(
            run.last().score,
            ReportedScore::Mate(sign * i32::from(expected.moves()))
        );
        assert_eq!(run.last().bound, Bound::Exact);
        assert!(run.outcome.tbhits > 0);
        game_on.push(run.outcome.best.unwrap());
        expected.0 -= 1;
    }
    assert!(game_on.current().is_checkmate());
    // When the move is due the line is told as far as it goes.
    let due = Limits {
        start: Instant::now()
            .checked_sub(Duration::from_secs(9))
            .expect("the clock has run so long"),
        move_time: Some(Duration::from_secs(1)),
        ..Limits::default()
    };
    let start = game("8/8/8/3k4/8/8/8/KR6 w - - 0 1");
    let run = run_with(&mut searcher, &start, &due, &options, Arc::clone(&oracle));
    assert!(matches!(run.last().score, ReportedScore::Mate(_)));
    assert_eq!((run.last().pv.len(), run.last().bound), (1, Bound::Lower));
    // In the tree: taking the rook loses to the other rook's ending.
    let fen = "8/8/8/3k4/8/1r6/8/KR6 w - - 0 1";
    let run = run_with(
        &mut searcher,
        &game(fen),
        &Limits::depth(6),
        &options,
        Arc::clone(&oracle),
    );
    assert!(
        matches!(run.last().score, ReportedScore::Mate(m) if m > 5),
        "{:?}",
        run.last()
    );
    assert_eq!(run.last().bound, Bound::Exact);
    // A mate whose line was cut short is told as a bound.
    let run = run_with(
        &mut searcher,
        &game(fen),
        &due,
        &options,
        Arc::clone(&oracle),
    );
    let last = run.last();
    assert!(matches!(last.score, ReportedScore::Mate(m) if m > 5 && last.pv.len() < 11));
    assert_eq!(last.bound, Bound::Lower);
    // Won by the table, but not within the 50-move rule.
    let late = game("8/8/8/3k4/8/8/8/KR6 w - - 90 80");
    let run = run_with(
        &mut searcher,
        &late,
        &Limits::depth(6),
        &options,
        Arc::clone(&oracle),
    );
    assert!(matches!(run.last().score, ReportedScore::Centipawns(_)));
    // A proved draw.
    let drawn = game("7K/8/8/8/8/2k5/1R6/8 b - - 0 1");
    let run = run_with(&mut searcher, &drawn, &Limits::depth(6), &options, oracle);
    assert_eq!(run.last().score, ReportedScore::Centipawns(0));
}
