//! Proofs about pawn endings against tables, a slow judge that shares nothing with the prover, and
//! positions from practice and literature (`tests/data/pawn_endings.csv`).

mod common;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use common::Rng;
use duchamp::base::{Control, Value, Wdl};
use duchamp::chess::{Color, NoOracle, Oracle, Position, Square};
use duchamp::pawns::{Budget, Prover, Verdict};
use duchamp::tablebase::{GenerateOptions, Tables, parse_specs};

/// All tables that pawn endings of four men need.
fn tables() -> &'static Arc<Tables> {
    static TABLES: OnceLock<(tempfile::TempDir, Arc<Tables>)> = OnceLock::new();
    let (_, tables) = TABLES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tables = Tables::open(folder.path());
        let all = parse_specs("KPPK KPKP").expect("a list of tables");
        let made = tables.generate(
            &all,
            &GenerateOptions::default(),
            &Control::new(2),
            &mut |_| {},
        );
        made.expect("all tables made");
        (folder, tables)
    });
    tables
}

/// Tables of up to so many men.
struct Limited(Arc<Tables>, u32);

impl Oracle for Limited {
    fn max_men(&self) -> u32 {
        self.1.min(self.0.max_men())
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        (position.occupied().count() <= self.1)
            .then(|| self.0.wdl(position))
            .flatten()
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        (position.occupied().count() <= self.1)
            .then(|| self.0.dtm(position))
            .flatten()
    }
}

/// A budget that does not depend on the machine.
fn structures(structures: usize) -> Budget {
    Budget {
        structures,
        time: None,
    }
}

/// A FEN of men on squares.
fn fen(men: &[(char, Square)], turn: char) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let here = men
                .iter()
                .find(|(_, square)| square.index() == 8 * rank + file);
            match here {
                Some((man, _)) => {
                    if empty > 0 {
                        text += &empty.to_string();
                    }
                    empty = 0;
                    text.push(*man);
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text.push(if rank > 0 { '/' } else { ' ' });
    }
    format!("{text}{turn} - - 0 1")
}

/// Men on random squares of their own, pawns not on the first and last rank.
fn scatter(rng: &mut Rng, men: &str) -> Vec<(char, Square)> {
    let mut placed: Vec<(char, Square)> = Vec::new();
    for man in men.chars() {
        loop {
            let square = Square::new(rng.below(64));
            let edge = square.index() < 8 || square.index() >= 56;
            if !(edge && man.eq_ignore_ascii_case(&'p'))
                && placed.iter().all(|(_, other)| *other != square)
            {
                placed.push((man, square));
                break;
            }
        }
    }
    placed
}

#[test]
fn four_men_without_tables_of_four_men_agree_with_them() {
    let mut rng = Rng(7);
    let mut provers = [(); 2].map(|()| Prover::new(Arc::new(Limited(tables().clone(), 3))));
    // Won, not won by the tables; in each what the prover says: won, not won, open.
    let mut counts = [[0; 3]; 2];
    for round in 0..2_000 {
        let men = ["KkPP", "KkPp"][round % 2];
        let turn = ['w', 'b'][rng.below(2)];
        let text = fen(&scatter(&mut rng, men), turn);
        let Ok(position) = Position::from_fen(&text) else {
            continue;
        };
        let value = tables().wdl(&position).expect("a table of four men");
        for attacker in [Color::White, Color::Black] {
            let prover = &mut provers[attacker as usize];
            let budget = structures(prover.structures() + 60);
            let verdict = prover
                .prove(&position, attacker, budget)
                .expect("a pawn ending");
            let value = if attacker == position.turn() {
                value
            } else {
                -value
            };
            let won = value == Wdl::Win;
            let said = match verdict {
                Verdict::Won(_) => 0,
                Verdict::NotWon => 1,
                Verdict::Open => 2,
            };
            assert!(
                said == 2 || won == (said == 0),
                "{text} {attacker:?}: {verdict:?}"
            );
            counts[usize::from(!won)][said] += 1;
        }
    }
    let [[proved, _, open], [_, held, doubtful]] = counts;
    assert!(proved + open > 500 && held + doubtful > 1_000, "{counts:?}");
    assert!(
        10 * open < proved && 3 * doubtful < held,
        "too little is proved: {counts:?}"
    );
}

#[test]
fn positions_of_the_suite_are_not_contradicted() {
    let suite = include_str!("data/pawn_endings.csv");
    let mut exact = 0;
    for line in suite.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields[6] != "exact" {
            continue;
        }
        let position = Position::from_fen(fields[0]).expect(line);
        let me = position.turn();
        let verdicts = [me, !me].map(|attacker| {
            let mut prover = Prover::new(tables().clone());
            prover
                .prove(&position, attacker, structures(400))
                .expect("a pawn ending")
        });
        let value = match verdicts {
            [Verdict::Won(_), _] => "win",
            [_, Verdict::Won(_)] => "loss",
            [Verdict::NotWon, Verdict::NotWon] => "draw",
            _ => continue,
        };
        assert_eq!(value, fields[2], "{line}");
        exact += 1;
    }
    assert!(exact >= 15, "only {exact} are proved");
}

#[test]
fn fine_70_has_one_winning_move() {
    let position =
        Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("a position");
    let mut prover = Prover::new(tables().clone());
    let verdict = prover.prove(&position, Color::White, structures(3_000));
    assert!(matches!(verdict, Some(Verdict::Won(_))), "{verdict:?}");
    for mv in position.legal_moves() {
        let verdict = prover.prove(&position.play(mv), Color::White, structures(3_000));
        let expected = position.san(mv) == "Kb1";
        assert_eq!(
            matches!(verdict, Some(Verdict::Won(_))),
            expected,
            "{}",
            position.san(mv)
        );
        assert_eq!(
            verdict == Some(Verdict::NotWon),
            !expected,
            "{}",
            position.san(mv)
        );
    }
}

#[test]
fn fine_70_has_the_published_corresponding_squares() {
    let position =
        Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").expect("a position");
    let mut prover = Prover::new(tables().clone());
    prover.prove_all(&position, Color::White, structures(1_000));
    let pairs = prover.zugzwangs(&position, Color::White);
    use Square::*;
    for pair in [
        (C4, B6),
        (D3, C7),
        (C3, B7),
        (D2, C8),
        (C2, B8),
        (B3, C7),
        (D1, C7),
    ] {
        assert!(pairs.contains(&pair), "{pair:?} is missing in {pairs:?}");
    }
}

#[test]
fn lockocks_position_is_won() {
    let fen = "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1";
    let position = Position::from_fen(fen).expect("a position");
    let mut prover = Prover::new(tables().clone());
    let mut ask = |attacker| prover.prove(&position, attacker, structures(3_000));
    let verdict = ask(Color::White);
    assert!(matches!(verdict, Some(Verdict::Won(_))), "{verdict:?}");
    assert_eq!(ask(Color::Black), Some(Verdict::NotWon));
}

#[test]
fn positions_that_are_none_of_ours_are_declined() {
    let mut prover = Prover::new(Arc::new(NoOracle));
    let mut ask = |fen: &str| {
        prover.prove(
            &Position::from_fen(fen).expect(fen),
            Color::White,
            structures(100),
        )
    };
    assert_eq!(ask("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1"), None);
    assert_eq!(ask("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"), None);
    assert_eq!(ask("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), Some(Verdict::NotWon));
}

/// The slow judge: every position that can come from a structure, by another library's moves, promotions left open.
mod judge {
    use super::*;
    use cozy_chess::{Board, Color, Piece};

    /// What can follow a position.
    struct Node {
        turn: Color,
        check: bool,
        next: Vec<u32>,
        /// A promotion is possible.
        open: bool,
    }

    pub(super) struct Judge {
        numbers: HashMap<u64, u32>,
        nodes: Vec<Node>,
    }

    impl Judge {
        /// Everything that can come from these positions; `None` if it is more than `most`.
        pub(super) fn of(roots: &[Board], most: usize) -> Option<Judge> {
            let mut judge = Judge {
                numbers: HashMap::new(),
                nodes: Vec::new(),
            };
            let mut boards: Vec<Board> = Vec::new();
            let mut waiting = 0;
            let number =
                |board: &Board, numbers: &mut HashMap<u64, u32>, boards: &mut Vec<Board>| {
                    *numbers.entry(board.hash()).or_insert_with(|| {
                        boards.push(board.clone());
                        boards.len() as u32 - 1
                    })
                };
            for board in roots {
                number(board, &mut judge.numbers, &mut boards);
            }
            while waiting < boards.len() {
                if boards.len() > most {
                    return None;
                }
                let board = boards[waiting].clone();
                waiting += 1;
                let mut node = Node {
                    turn: board.side_to_move(),
                    check: !board.checkers().is_empty(),
                    next: Vec::new(),
                    open: false,
                };
                board.generate_moves(|moves| {
                    for mv in moves {
                        if mv.promotion.is_some() {
                            node.open = true;
                            continue;
                        }
                        let mut next = board.clone();
                        next.play_unchecked(mv);
                        node.next
                            .push(number(&next, &mut judge.numbers, &mut boards));
                    }
                    false
                });
                judge.nodes.push(node);
            }
            Some(judge)
        }

        /// Which positions `attacker` wins, promotions counting as he likes (`hopeful`) or not.
        pub(super) fn won(&self, attacker: Color, hopeful: bool) -> Vec<bool> {
            let mut won = vec![false; self.nodes.len()];
            loop {
                let mut changed = false;
                for number in (0..self.nodes.len()).rev() {
                    let node = &self.nodes[number];
                    if won[number] {
                        continue;
                    }
                    let now = if node.turn == attacker {
                        node.next.iter().any(|&next| won[next as usize]) || node.open && hopeful
                    } else if node.next.is_empty() && !node.open {
                        node.check
                    } else {
                        node.next.iter().all(|&next| won[next as usize]) && (!node.open || hopeful)
                    };
                    won[number] = now;
                    changed |= now;
                }
                if !changed {
                    return won;
                }
            }
        }

        pub(super) fn number(&self, board: &Board) -> usize {
            self.numbers[&board.hash()] as usize
        }
    }

    /// A bare king cannot win: with the promotions open the judge finds no win for it anyway.
    pub(super) fn has_pawns(board: &Board, color: Color) -> bool {
        !(board.pieces(Piece::Pawn) & board.colors(color)).is_empty()
    }
}

/// Pawns of a random structure: rams, and free pawns here and there.
fn structure(rng: &mut Rng) -> Vec<(char, Square)> {
    let mut men: Vec<(char, Square)> = Vec::new();
    let rams = rng.below(4);
    for _ in 0..rams {
        let square = 8 + rng.below(40);
        let (own, other) = (Square::new(square), Square::new(square + 8));
        if men
            .iter()
            .all(|(_, taken)| *taken != own && *taken != other)
        {
            men.extend([('P', own), ('p', other)]);
        }
    }
    for _ in 0..=rng.below(2) {
        let square = Square::new(8 + rng.below(48));
        if men.iter().all(|(_, taken)| *taken != square) {
            men.push((['P', 'p'][rng.below(2)], square));
        }
    }
    men
}

/// Compares the bounds of random structures, all placements of the kings, with the slow judge's. Returns how many
/// structures and verdicts were compared.
fn compare_with_judge(seed: u64, wanted: usize) -> (usize, usize) {
    let mut rng = Rng(seed);
    let mut done = 0;
    let mut verdicts = 0;
    while done < wanted {
        let pawns = structure(&mut rng);
        let mut positions = Vec::new();
        for white in Square::ALL {
            for black in Square::ALL {
                if white == black
                    || pawns
                        .iter()
                        .any(|(_, square)| [white, black].contains(square))
                {
                    continue;
                }
                let mut men = pawns.clone();
                men.extend([('K', white), ('k', black)]);
                for turn in ['w', 'b'] {
                    let text = fen(&men, turn);
                    if let (Ok(position), Ok(board)) =
                        (Position::from_fen(&text), text.parse::<cozy_chess::Board>())
                    {
                        positions.push((text, position, board));
                    }
                }
            }
        }
        let boards: Vec<_> = positions
            .iter()
            .map(|(_, _, board)| board.clone())
            .collect();
        let Some(judge) = judge::Judge::of(&boards, 250_000) else {
            continue;
        };
        for (attacker, color) in [
            (Color::White, cozy_chess::Color::White),
            (Color::Black, cozy_chess::Color::Black),
        ] {
            let mut prover = Prover::new(Arc::new(NoOracle));
            for _ in 0..12 {
                let (_, position, _) = &positions[rng.below(positions.len())];
                let budget = structures(prover.structures() + 40);
                prover.prove(position, attacker, budget);
            }
            let [sure, possible] = [false, true].map(|hopeful| judge.won(color, hopeful));
            for (text, position, board) in &positions {
                let number = judge.number(board);
                let verdict = prover.known(position, attacker);
                let wrong = match verdict {
                    Some(Verdict::Won(_)) => !possible[number] || !judge::has_pawns(board, color),
                    Some(Verdict::NotWon) => sure[number],
                    _ => continue,
                };
                assert!(!wrong, "{text} {attacker:?}: {verdict:?}");
                verdicts += 1;
            }
        }
        done += 1;
    }
    (done, verdicts)
}

#[test]
fn random_structures_agree_with_the_slow_judge() {
    let (structures, verdicts) = compare_with_judge(1, 12);
    assert!(verdicts > 1_000 * structures, "{verdicts} verdicts");
}

#[test]
#[ignore = "takes minutes"]
fn two_thousand_random_structures_agree_with_the_slow_judge() {
    let (structures, verdicts) = compare_with_judge(2, 2_000);
    println!("{structures} structures, {verdicts} verdicts, none wrong");
}
