//! The reference of the solver: values by plain iteration over lists of moves, sharing nothing with the solver.

use super::cell::Cell;
use super::code::{Code, Wide};
use super::lists::{ListedPosition, Lists};
use super::slice::Side;
use super::solve::{Half, solve, solve_in_stages};
use duchamp_base::{Control, Plies, Scroll, Value};

/// The value of every position: iterated from "unknown is a draw" until nothing changes. A win in n
/// is only believed from round n on, so that distances are the shortest.
fn reference<C: Cell>(lists: &Lists<C>) -> [Vec<Value>; 2] {
    let mut values = Side::ALL.map(|side| vec![Value::Draw; lists.nodes(side).len()]);
    for round in 0..=400u16 {
        let mut next = values.clone();
        for side in Side::ALL {
            for (number, node) in lists.nodes(side).iter().enumerate() {
                if node.legal && values[side.index()][number] == Value::Draw {
                    let value = best(node, &values[side.other().index()]);
                    if value.plies() == Some(Plies(round)) {
                        next[side.index()][number] = value;
                    }
                }
            }
        }
        values = next;
    }
    values
}

/// The best value that a move or exit of a node gives.
fn best<C: Cell>(node: &ListedPosition<C>, others: &[Value]) -> Value {
    let moves = node
        .moves
        .iter()
        .map(|&to| others[to as usize].before_move());
    let exits = (node.exit != C::NONE).then(|| node.exit.value());
    let stuck = if node.lost_if_stuck {
        Value::Loss(Plies(0))
    } else {
        Value::Draw
    };
    moves
        .chain(exits)
        .max_by_key(|value| value.rank())
        .unwrap_or(stuck)
}

/// A small generator of random numbers (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A random game: sparse enough that all three values are common. Exits have the distances that `C`
/// can say.
pub(super) fn random_game<C: Cell>(random: &mut Random, size: u64, moves: u64) -> Lists<C> {
    let side = |random: &mut Random| {
        let node = |random: &mut Random| {
            let near = random.below(18) as u16;
            let exit = match random.below(12) {
                0 => C::loss(1 + near),
                1 => C::win(1 + near),
                2 => Some(C::DRAW),
                3 => C::loss(100 + near % 2),
                4 => C::win(100 + near % 2),
                _ => None,
            };
            let count = random.below(moves + 1);
            ListedPosition {
                legal: random.below(8) > 0,
                lost_if_stuck: random.below(2) > 0,
                moves: (0..count).map(|_| random.below(size) as u32).collect(),
                exit: exit.filter(|_| random.below(2) == 0).unwrap_or(C::NONE),
            }
        };
        (0..size).map(|_| node(random)).collect::<Vec<_>>()
    };
    Lists::new([side(random), side(random)])
}

pub(super) fn solved<C: Cell>(lists: &Lists<C>, scroll: Option<&Scroll>) -> [Vec<C>; 2] {
    use super::slice::Slice;
    let words = lists.rows() * lists.row_words();
    let mut cells = [vec![[C::NONE; 64]; words], vec![[C::NONE; 64]; words]];
    let mut legal = [vec![0; words], vec![0; words]];
    let [a, b] = &mut cells;
    let [c, d] = &mut legal;
    let halves = [Half { cells: a, legal: c }, Half { cells: b, legal: d }];
    solve(lists, halves, scroll, &Control::new(1)).expect("not cancelled");
    cells.map(|cells| cells.into_flattened())
}

/// A search that is stopped after every level finds the same as one that is not.
#[test]
fn stopping_between_levels_changes_nothing() {
    use super::slice::Slice;
    let mut random = Random(0xD1CE);
    let mut stops = 0;
    for game in 0..60 {
        let size = 40 + random.below(300);
        let lists: Lists<Wide> = random_game(&mut random, size, 1 + game % 5);
        let words = lists.rows() * lists.row_words();
        let mut cells = [vec![[Wide::NONE; 64]; words], vec![[Wide::NONE; 64]; words]];
        let mut legal = [vec![0; words], vec![0; words]];
        let mut standing = None;
        loop {
            let [a, b] = &mut cells;
            let [c, d] = &mut legal;
            let halves = [Half { cells: a, legal: c }, Half { cells: b, legal: d }];
            let asked = std::cell::Cell::new(0);
            let second = || asked.replace(asked.get() + 1) > 0;
            let control = Control::new(1);
            standing = solve_in_stages(&lists, halves, standing.as_ref(), &second, &control)
                .expect("not cancelled");
            stops += u32::from(standing.is_some());
            if standing.is_none() {
                break;
            }
        }
        let found = cells.map(|cells| cells.into_flattened());
        assert_eq!(found, solved(&lists, None), "game {game}");
    }
    assert!(stops > 300, "{stops}");
}

#[test]
fn one_step_back_is_every_move_into_a_set() {
    use super::slice::Slice;
    let mut random = Random(0xBAC2);
    for game in 0..40 {
        let size = 30 + random.below(400);
        let lists: Lists<Wide> = random_game(&mut random, size, 1 + game % 5);
        let words = lists.rows() * lists.row_words();
        for mover in Side::ALL {
            let others = lists.nodes(mover.other());
            let mut set = vec![0; words];
            for (number, node) in others.iter().enumerate() {
                set[number / 64] |= u64::from(node.legal && random.below(20) == 0) << (number % 64);
            }
            let has = |set: &[u64], number: usize| set[number / 64] >> (number % 64) & 1 != 0;
            let found = super::before(&lists, mover, &set);
            for (number, node) in lists.nodes(mover).iter().enumerate() {
                let moves = node.moves.iter().any(|&to| has(&set, to as usize));
                assert!(!node.legal || moves == has(&found, number), "game {game}");
            }
        }
    }
}

/// The values do not depend on the number of threads, in a game large enough for passes to be shared.
#[test]
#[cfg(feature = "parallel")]
fn the_number_of_threads_changes_nothing() {
    use super::pass::SHARED_FROM;
    let size = 64 * SHARED_FROM as u64 * 2;
    let lists: Lists<Wide> = random_game(&mut Random(11), size, 3);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().expect("a pool");
        pool.install(|| solved(&lists, None))
    };
    let expected = on(1);
    assert!(on(3) == expected);
    let scroll = Scroll::new_in(&std::env::temp_dir()).expect("a scratch file");
    let control = Control::new(1);
    let found = super::solve_scrolled(&lists, scroll, &control).expect("solved");
    let (mut void, mut cells) = (Vec::new(), Vec::new());
    for side in Side::ALL {
        let words = 0..size as usize / 64;
        found
            .read(side, words, &mut void, &mut cells)
            .expect("readable");
        assert!(cells.as_flattened() == expected[side.index()]);
    }
}

fn agrees_on_random_games<C: Cell>() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut seen = [0; 3];
    for game in 0..400 {
        let (size, moves) = (40 + random.below(300), 1 + game % 5);
        let lists: Lists<C> = random_game(&mut random, size, moves);
        // The exits of every second game wait in a file.
        let scroll = (game % 2 == 0).then(|| Scroll::new_in(&std::env::temp_dir()));
        let scroll = scroll.map(|scroll| scroll.expect("a scratch file"));
        let (expected, found) = (reference(&lists), solved(&lists, scroll.as_ref()));
        for side in Side::ALL {
            for (number, node) in lists
                .nodes(side)
                .iter()
                .enumerate()
                .filter(|(_, node)| node.legal)
            {
                let (want, have) = (
                    expected[side.index()][number],
                    found[side.index()][number].value(),
                );
                assert_eq!(want, have, "game {game}, {side:?} {number}: {node:?}");
                seen[(want.wdl() as i8 / 2 + 1) as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 5_000), "{seen:?}");
}

#[test]
fn solver_agrees_with_minimax_on_random_games() {
    agrees_on_random_games::<Code>();
}

/// Exits of either parity: what DTC and DTZ need.
#[test]
fn solver_agrees_with_minimax_whatever_the_parity() {
    agrees_on_random_games::<Wide>();
}

#[test]
fn random_games_obey_the_laws() {
    let mut random = Random(7);
    for _ in 0..10 {
        super::laws::check(&random_game::<Code>(&mut random, 200, 3), 1_000, 42).expect("laws");
    }
}

/// A chain of moves that ends in mate: Second moves from i to First's i; First moves from i to
/// Second's i - 1.
pub(super) fn chain<C: Cell>(length: u32) -> Lists<C> {
    let node = |moves: Vec<u32>| ListedPosition {
        legal: true,
        lost_if_stuck: true,
        moves,
        exit: C::NONE,
    };
    let first = (0..length).map(|i| node(i.checked_sub(1).into_iter().collect()));
    let second = (0..length).map(|i| node(vec![i]));
    Lists::new([first.collect(), second.collect()])
}

/// A win longer than a byte can say is refused, not cut short; the longest that it can say is not.
#[test]
fn too_long_a_win_is_an_error() {
    use super::slice::Slice;
    for (length, fits) in [(127, true), (128, false), (300, false)] {
        let lists = chain::<Code>(length);
        let words = lists.rows() * lists.row_words();
        let mut cells = [vec![[Code::NONE; 64]; words], vec![[Code::NONE; 64]; words]];
        let mut legal = [vec![0; words], vec![0; words]];
        let [a, b] = &mut cells;
        let [c, d] = &mut legal;
        let halves = [Half { cells: a, legal: c }, Half { cells: b, legal: d }];
        let done = solve(&lists, halves, None, &Control::new(1));
        assert_eq!(done.is_ok(), fits, "{length}: {done:?}");
        if !fits {
            assert!(matches!(done, Err(super::Halt::TooLong)));
        }
    }
    let longest = solved(&chain::<Wide>(300), None)[1][299].value();
    assert_eq!(longest, Value::Win(Plies(599)));
}
