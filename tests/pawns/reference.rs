//! Proofs about random pawn structures, all placements of the kings, against a slow reference solver that shares nothing with the
//! prover: it plays cozy-chess's moves position by position. Promotions are open to the reference solver, unless it is given endgame
//! tables, which also end its lines; the prover is given none but for free pawns.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use crate::common::Random;
use crate::common::pawns::{placements, structures, tables, tables as four_men};
use duchamp_base::Wdl;
use duchamp_chess::{Color, NoOracle, Oracle, Position, Square};
use duchamp_chess_tables::Prober;
use duchamp_proofs::pawns::{Correspondence, Prover, WinStatus};

/// Every position that can come from a structure, and who wins it.
mod slow {
    use super::*;
    use cozy_chess::{Board, Color};

    /// What is known of the moves of a position that are not searched further, for the side that plays them.
    #[derive(Clone, Copy, Default)]
    struct Ends {
        /// There are such moves.
        any: bool,
        /// One wins.
        winning: bool,
        /// One does not lose.
        saving: bool,
        /// Of one it is not known.
        open: bool,
    }

    /// What can follow a position.
    struct Successors {
        turn: Color,
        check: bool,
        next: Vec<u32>,
        ends: Ends,
    }

    pub(super) struct Reference {
        numbers: HashMap<u64, u32>,
        nodes: Vec<Successors>,
    }

    impl Reference {
        /// Everything that can come from these positions; `None` if it is more than `most`.
        pub(super) fn of(roots: &[Board], most: usize, tables: &dyn Oracle) -> Option<Reference> {
            let mut reference = Reference {
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
                number(board, &mut reference.numbers, &mut boards);
            }
            while waiting < boards.len() {
                if boards.len() > most {
                    return None;
                }
                let board = boards[waiting].clone();
                waiting += 1;
                let mut node = Successors {
                    turn: board.side_to_move(),
                    check: !board.checkers().is_empty(),
                    next: Vec::new(),
                    ends: Ends::default(),
                };
                board.generate_moves(|moves| {
                    for mv in moves {
                        let mut next = board.clone();
                        next.play_unchecked(mv);
                        let value = value(&next, tables);
                        if mv.promotion.is_some() || value.is_some() {
                            node.ends.add(value);
                        } else {
                            let next = number(&next, &mut reference.numbers, &mut boards);
                            node.next.push(next);
                        }
                    }
                    false
                });
                reference.nodes.push(node);
            }
            Some(reference)
        }

        /// Who wins each position, as bits: White, Black, with unknown ends counting as not won; the same again with
        /// unknown ends counting as he likes.
        pub(super) fn winners(&self) -> Vec<u8> {
            const HOPEFUL: u8 = 0b1100;
            let mut won = vec![0; self.nodes.len()];
            let mut changed = true;
            while changed {
                changed = false;
                for number in (0..self.nodes.len()).rev() {
                    let Successors {
                        turn,
                        check,
                        next,
                        ends,
                    } = &self.nodes[number];
                    let mover = 0b0101 << (*turn as u8);
                    let mut some = if ends.winning { 0b1111 } else { 0 };
                    let mut all = if ends.saving { 0 } else { 0b1111 };
                    if ends.open {
                        some |= HOPEFUL;
                        all &= HOPEFUL;
                    }
                    if next.is_empty() && !ends.any && !check {
                        all = 0;
                    }
                    for &next in next {
                        some |= won[next as usize];
                        all &= won[next as usize];
                    }
                    let now = some & mover | all & !mover & 0b1111;
                    changed |= now != won[number];
                    won[number] = now;
                }
            }
            won
        }

        pub(super) fn number(&self, board: &Board) -> usize {
            self.numbers[&board.hash()] as usize
        }
    }

    impl Ends {
        /// One more, with its value for the side that plays it.
        fn add(&mut self, value: Option<Wdl>) {
            self.any = true;
            match value {
                Some(Wdl::Win) => {
                    self.winning = true;
                    self.saving = true;
                }
                Some(Wdl::Draw) => self.saving = true,
                Some(Wdl::Loss) => {}
                // Where the 50-move rule decides: open, as without tables.
                Some(Wdl::CursedWin | Wdl::BlessedLoss) | None => self.open = true,
            }
        }
    }

    /// The value of a position by tables, for the side that is not to move.
    fn value(board: &Board, tables: &dyn Oracle) -> Option<Wdl> {
        if board.occupied().len() > tables.max_men() {
            return None;
        }
        let position = Position::from_fen(&board.to_string()).expect("a legal position");
        tables.wdl(&position).map(|wdl| -wdl)
    }
}

/// How much the pawns of a structure can move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// None can move or capture.
    Locked,
    /// Some are blocked by pawns, some are not.
    HalfOpen,
    /// None is blocked.
    Open,
    /// The same with up to three on each side, in a prover that has tables of four men and much room.
    Free,
}

/// Pawns of a random structure: rams, and free pawns.
fn structure(rng: &mut Random, kind: Kind) -> Vec<(char, Square)> {
    let (rams, free) = match kind {
        Kind::Locked => (1 + rng.below(5), 0),
        Kind::HalfOpen => (1 + rng.below(3), 1 + rng.below(2)),
        Kind::Open => (0, 1 + rng.below(3)),
        Kind::Free => (0, 3 + rng.below(4)),
    };
    loop {
        let mut men: Vec<(char, Square)> = Vec::new();
        for place in 0..rams + free {
            let square = 8 + rng.below(if place < rams { 40 } else { 48 });
            let mut squares = vec![Square::new(square)];
            if place < rams {
                squares.push(Square::new(square + 8));
            }
            if men.iter().all(|(_, taken)| !squares.contains(taken)) {
                let first = ['P', 'p'][if place < rams { 0 } else { rng.below(2) }];
                men.extend([first, 'p'].into_iter().zip(squares));
            }
        }
        let blocked = |(man, square): &(char, Square)| {
            let ahead = square.index() as i32 + if *man == 'P' { 8 } else { -8 };
            men.iter().any(|(_, other)| other.index() as i32 == ahead)
        };
        let captures = |(man, square): &(char, Square)| {
            let up = if *man == 'P' { 1 } else { -1 };
            men.iter().any(|(other_man, other)| {
                let files = square.file() as i32 - other.file() as i32;
                let ranks = other.rank() as i32 - square.rank() as i32;
                man != other_man && files.abs() == 1 && ranks == up
            })
        };
        let stuck = men.iter().filter(|man| blocked(man)).count();
        let fits = match kind {
            Kind::Locked => stuck == men.len() && !men.iter().any(captures),
            Kind::HalfOpen => stuck > 0 && stuck < men.len(),
            Kind::Open => stuck == 0,
            Kind::Free => {
                let white = men.iter().filter(|(man, _)| *man == 'P').count();
                stuck == 0 && white <= 3 && men.len() - white <= 3
            }
        };
        if fits {
            return men;
        }
    }
}

/// Whether more than `most` structures can come from some pawns, those of up to `small` pawns not counted: roughly, as
/// kings may take any pawn.
fn is_large(pawns: &[(char, Square)], small: u32, most: usize) -> bool {
    const A_FILE: u64 = 0x0101_0101_0101_0101;
    let side = |man| {
        let pawns = pawns.iter().filter(|(pawn, _)| *pawn == man);
        pawns.fold(0_u64, |set, (_, square)| set | 1 << square.index())
    };
    let mut waiting = vec![[side('P'), side('p')]];
    let mut seen = HashSet::new();
    while let Some(pair) = waiting.pop() {
        let all = pair[0] | pair[1];
        if all.count_ones() <= small || !seen.insert(pair) {
            continue;
        }
        if seen.len() > most {
            return true;
        }
        for square in (0..64).filter(|square| all >> square & 1 > 0) {
            let place = 1_u64 << square;
            let own = usize::from(pair[1] & place > 0);
            let after = |to: u64| {
                let mut next = pair.map(|set| set & !to);
                next[own] = next[own] & !place | to & !(0xFF | 0xFF << 56);
                next
            };
            waiting.push(after(0));
            let ahead = |place: u64| if own == 0 { place << 8 } else { place >> 8 };
            let step = ahead(place) & !all;
            let home = square / 8 == [1, 6][own];
            let double = if home { ahead(step) & !all } else { 0 };
            let beside = ahead(place);
            let right = (beside & !(A_FILE << 7)) << 1 & pair[1 - own];
            let left = (beside & !A_FILE) >> 1 & pair[1 - own];
            let moves = [step, double, left, right].into_iter();
            waiting.extend(moves.filter(|&to| to > 0).map(after));
        }
    }
    false
}

/// A position, for the prover and for the reference solver.
type Placement = (String, Position, cozy_chess::Board);

/// What a comparison went through.
#[derive(Default, Debug)]
struct Compared {
    structures: usize,
    /// By number of pawns.
    pawns: [usize; 11],
    /// Questions asked: all placements, each side as the attacker.
    questions: usize,
    /// Proved by us.
    proved: usize,
    /// Of these also decided by the reference solver, the other questions being open to it on one side.
    decided: usize,
    /// Answered by Moshammer's routine: the attacker cannot win.
    held: usize,
}

impl Compared {
    fn add(&mut self, one: &Compared) {
        self.structures += one.structures;
        self.questions += one.questions;
        self.proved += one.proved;
        self.decided += one.decided;
        self.held += one.held;
        for (all, one) in self.pawns.iter_mut().zip(one.pawns) {
            *all += one;
        }
    }
}

/// Compares the bounds of a random structure of a kind with those of the reference solver, which visits at most so many positions.
fn compare(
    rng: &mut Random,
    seen: &mut HashSet<Vec<(char, Square)>>,
    kind: Kind,
    most: usize,
    tables: &dyn Oracle,
) -> Compared {
    let mut sum = Compared::default();
    while sum.structures == 0 {
        let mut pawns = structure(rng, kind);
        pawns.sort_unstable();
        // What the tables know at once is not a proof.
        let small = tables.max_men().saturating_sub(2);
        if pawns.len() <= small as usize
            || seen.contains(&pawns)
            || is_large(&pawns, small, most / 6_000)
        {
            continue;
        }
        let positions: Vec<Placement> = placements(&pawns)
            .into_iter()
            .filter_map(|(text, position)| {
                let board = text.parse().ok()?;
                Some((text, position, board))
            })
            .collect();
        let boards: Vec<_> = positions.iter().map(|placed| placed.2.clone()).collect();
        let Some(reference) = slow::Reference::of(&boards, most, tables) else {
            continue;
        };
        let winners = reference.winners();
        for (attacker, bit, man) in [(Color::White, 0, 'P'), (Color::Black, 1, 'p')] {
            let (known, room) = match kind {
                Kind::Free => (four_men().oracle(), 2_000),
                _ => (Arc::new(NoOracle) as Arc<dyn Oracle>, 40),
            };
            let mut prover = Prover::new(known);
            for _ in 0..12 {
                let (_, position, _) = rng.pick(&positions);
                let budget = structures(prover.structures() + room);
                prover.prove(position, attacker, budget);
            }
            let system = Correspondence::of(&positions[0].1, attacker);
            let bare = pawns.iter().all(|(pawn, _)| *pawn != man);
            for (text, position, board) in &positions {
                let winner = winners[reference.number(board)] >> bit;
                let (sure, possible) = (winner & 1 > 0, winner & 4 > 0 && !bare);
                let verdict = prover.known(position, attacker);
                let wrong = match verdict {
                    Some(WinStatus::Won(_)) => !possible,
                    Some(WinStatus::NotWon) => sure,
                    _ => false,
                };
                assert!(!wrong, "{text} {attacker:?}: {verdict:?}");
                let holds = system.holds(position) == Some(true);
                assert!(!(holds && sure), "{text} {attacker:?}: Moshammer's routine");
                sum.held += usize::from(holds);
                let proved = matches!(verdict, Some(WinStatus::Won(_) | WinStatus::NotWon));
                sum.questions += 1;
                sum.proved += usize::from(proved);
                sum.decided += usize::from(proved && sure == possible);
            }
        }
        sum.structures += 1;
        sum.pawns[pawns.len()] += 1;
        seen.insert(pawns);
    }
    sum
}

const KINDS: [Kind; 3] = [Kind::Locked, Kind::HalfOpen, Kind::Open];

#[test]
fn random_structures_agree_with_the_slow_reference() {
    let mut rng = Random::new(1);
    for kind in KINDS {
        for oracle in [&NoOracle as &dyn Oracle, tables()] {
            let sum = compare(&mut rng, &mut HashSet::new(), kind, 250_000, oracle);
            assert!(sum.proved > 1_000, "{kind:?}: {sum:?}");
        }
    }
}

/// Reads a number from the environment.
fn number(name: &str, default: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    }
}

#[test]
fn random_free_structures_agree_with_the_slow_reference() {
    let mut rng = Random::new(3);
    let mut seen = HashSet::new();
    for _ in 0..2 {
        let sum = compare(&mut rng, &mut seen, Kind::Free, 250_000, tables());
        assert!(sum.proved > 1_000, "{sum:?}");
    }
}

/// Environment: as below; without a folder of tables of five men the reference solver manages structures of few moves only.
#[test]
#[ignore = "takes minutes"]
fn two_thousand_free_structures_agree_with_the_slow_reference() {
    let wanted = number("DUCHAMP_STRUCTURES", 2_000);
    let five = std::env::var("DUCHAMP_FIVE").map(|dir| Prober::open(Path::new(&dir)));
    let tables = five.as_ref().unwrap_or_else(|_| tables());
    let mut rng = Random::new(number("DUCHAMP_SEED", 4) as u64);
    let mut seen = HashSet::new();
    let mut all = Compared::default();
    for round in 1..=wanted {
        all.add(&compare(&mut rng, &mut seen, Kind::Free, 250_000, tables));
        if round % 50 == 0 || round == wanted {
            println!("{round} structures, none wrong: {all:?}");
        }
    }
}

/// Environment: `DUCHAMP_STRUCTURES`, how many (2,000 if not set); `DUCHAMP_SEED`, other ones; `DUCHAMP_FIVE`, a folder of tables for the reference solver
/// (those of four men if not set). Two in three structures are compared with tables, one in ten by more positions. Without
/// tables the reference solver manages few locked structures but those of two pawns, of which there are forty.
#[test]
#[ignore = "takes minutes"]
fn two_thousand_random_structures_agree_with_the_slow_reference() {
    let wanted = number("DUCHAMP_STRUCTURES", 2_000);
    let tables = std::env::var("DUCHAMP_FIVE")
        .map_or_else(|_| tables().clone(), |dir| Prober::open(Path::new(&dir)));
    let mut rng = Random::new(number("DUCHAMP_SEED", 2) as u64);
    let mut sums: [Compared; 3] = Default::default();
    let mut seen = HashSet::new();
    for round in 0..wanted {
        let most = if round / 9 % 10 == 0 {
            1_000_000
        } else {
            250_000
        };
        let kind = round % 3;
        let alone = round / 3 % 3 == 0 && (KINDS[kind] != Kind::Locked || round < 270);
        let oracle = if alone {
            &NoOracle as &dyn Oracle
        } else {
            &tables
        };
        let sum = compare(&mut rng, &mut seen, KINDS[kind], most, oracle);
        sums[kind].add(&sum);
        if (round + 1) % 90 == 0 || round + 1 == wanted {
            println!("{} structures, none wrong", round + 1);
            for (kind, sum) in KINDS.iter().zip(&sums) {
                println!("  {kind:?}: {sum:?}");
            }
        }
    }
}
