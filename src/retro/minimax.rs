//! The slow judge: values by plain iteration over lists of moves, sharing nothing with the solver.

use super::Code;
use super::lists::{Lists, Node};
use super::slice::Side;
use super::solve::{Half, solve};
use crate::base::{Control, Plies, Value};

/// The value of every position: iterated from "unknown is a draw" until nothing changes. A win in n
/// is only believed from round n on, so that distances are the shortest.
fn judge(lists: &Lists) -> [Vec<Value>; 2] {
    let mut values = Side::ALL.map(|side| vec![Value::Draw; lists.nodes(side).len()]);
    for round in 0..=254u16 {
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
fn best(node: &Node, others: &[Value]) -> Value {
    let moves = node
        .moves
        .iter()
        .map(|&to| others[to as usize].before_move());
    let exits = (node.exit != 0).then(|| Code(node.exit).value());
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
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// A random game: sparse enough that all three values are common.
fn random_game(random: &mut Random, size: u64, moves: u64) -> Lists {
    let side = |random: &mut Random| {
        let node = |random: &mut Random| {
            let exit = match random.below(12) {
                0 => Code::loss(1 + random.below(9) as u8).0,
                1 => Code::win(random.below(9) as u8).0,
                2 => Code::DRAW.0,
                3 => Code::loss(60).0,
                4 => Code::win(60).0,
                _ => 0,
            };
            let count = random.below(moves + 1);
            Node {
                legal: random.below(8) > 0,
                lost_if_stuck: random.below(2) > 0,
                moves: (0..count).map(|_| random.below(size) as u32).collect(),
                exit: if random.below(3) > 0 { 0 } else { exit },
            }
        };
        (0..size).map(|_| node(random)).collect::<Vec<_>>()
    };
    Lists::new([side(random), side(random)])
}

fn solved(lists: &Lists) -> [Vec<u8>; 2] {
    use super::slice::Slice;
    let words = lists.rows();
    let mut codes = [vec![[0u8; 64]; words], vec![[0u8; 64]; words]];
    let mut legal = [vec![0; words], vec![0; words]];
    let [a, b] = &mut codes;
    let [c, d] = &mut legal;
    solve(
        lists,
        [Half { codes: a, legal: c }, Half { codes: b, legal: d }],
        &Control::new(1),
    )
    .expect("not cancelled");
    codes.map(|codes| codes.into_flattened())
}

#[test]
fn solver_agrees_with_minimax_on_random_games() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut seen = [0; 3];
    for game in 0..400 {
        let (size, moves) = (40 + random.below(300), 1 + game % 5);
        let lists = random_game(&mut random, size, moves);
        let (expected, found) = (judge(&lists), solved(&lists));
        for side in Side::ALL {
            for (number, node) in lists
                .nodes(side)
                .iter()
                .enumerate()
                .filter(|(_, node)| node.legal)
            {
                let (want, have) = (
                    expected[side.index()][number],
                    Code(found[side.index()][number]).value(),
                );
                assert_eq!(want, have, "game {game}, {side:?} {number}: {node:?}");
                seen[(want.wdl() as i8 / 2 + 1) as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 5_000), "{seen:?}");
}

#[test]
fn random_games_obey_the_laws() {
    let mut random = Random(7);
    for _ in 0..10 {
        super::laws::check(&random_game(&mut random, 200, 3), 1_000, 42).expect("laws");
    }
}

/// A chain longer than a byte can say is refused, not cut short.
#[test]
fn too_long_a_win_is_an_error() {
    // Second moves from i to First's i; First moves from i to Second's i - 1.
    let first: Vec<Node> = (0..300u32)
        .map(|i| Node {
            legal: true,
            lost_if_stuck: true,
            moves: i.checked_sub(1).into_iter().collect(),
            exit: 0,
        })
        .collect();
    let second: Vec<Node> = (0..300u32)
        .map(|i| Node {
            legal: true,
            lost_if_stuck: true,
            moves: vec![i],
            exit: 0,
        })
        .collect();
    use super::slice::Slice;
    let lists = Lists::new([first, second]);
    let words = lists.rows();
    let (mut a, mut b, mut c, mut d) = (
        vec![[0; 64]; words],
        vec![[0; 64]; words],
        vec![0; words],
        vec![0; words],
    );
    let halves = [
        Half {
            codes: &mut a,
            legal: &mut c,
        },
        Half {
            codes: &mut b,
            legal: &mut d,
        },
    ];
    assert_eq!(
        solve(&lists, halves, &Control::new(1)),
        Err(super::Halt::TooLong)
    );
}
