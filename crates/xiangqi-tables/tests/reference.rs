//! Tables against a slow reference: every position of small endings, found by putting the men on all squares, with values
//! from forward moves of `duchamp-xiangqi` until nothing changes. It shares neither numbering nor kernels nor solver.

use std::collections::HashMap;

use duchamp_base::{Plies, Value};
use duchamp_tablebase::{Control, GenerateOptions, Metric, Prober};
use duchamp_xiangqi::{Board, Color, Piece, Position, Role, Square};
use duchamp_xiangqi_tables::{Generator, Material, Store};

/// A board and the side to move, as a key.
type Key = (Vec<(u8, usize)>, Color);

fn key(position: &Position) -> Key {
    let board = position.board();
    let men = board.occupied().into_iter().map(|square| {
        let piece = board.at(square).expect("a man");
        (square.index() as u8, piece.index())
    });
    (men.collect(), position.turn())
}

/// All legal positions of a material.
fn positions(material: Material) -> Vec<Position> {
    let mut men = Vec::new();
    for color in Color::ALL {
        for role in Role::ALL {
            for _ in 0..material.count(color == Color::Black, role) {
                men.push(Piece { color, role });
            }
        }
    }
    let mut found = Vec::new();
    place(&men, 0, Board::EMPTY, &mut found);
    found
}

fn place(men: &[Piece], from: usize, board: Board, found: &mut Vec<Position>) {
    let Some((&piece, rest)) = men.split_first() else {
        found.extend(
            Color::ALL
                .iter()
                .filter_map(|&turn| Position::new(board, turn).ok()),
        );
        return;
    };
    for square in (from..90).map(Square::wrapping) {
        if board.at(square).is_some() {
            continue;
        }
        let mut next = board;
        next.put(piece, square);
        // Kings off the palace and the like end the branch early.
        if !can_stand(piece, square) {
            continue;
        }
        let again = rest.first() == Some(&piece);
        place(
            rest,
            if again { square.index() + 1 } else { 0 },
            next,
            found,
        );
    }
}

/// Where kings can stand; other men are sorted out by `Position::new`.
fn can_stand(piece: Piece, square: Square) -> bool {
    let rank = match piece.color {
        Color::Red => square.rank(),
        Color::Black => 9 - square.rank(),
    };
    match piece.role {
        Role::King | Role::Advisor => rank <= 2 && (3..=5).contains(&square.file()),
        Role::Elephant => rank <= 4 && rank.is_multiple_of(2) && square.file().is_multiple_of(2),
        _ => true,
    }
}

/// Where a move leads: to a position of the same ending, or with a capture to a value.
enum Leads {
    Quiet(usize),
    Captures(Value),
}

/// The values of all positions of an ending in a metric, as their side to move sees them.
fn solve(
    material: Material,
    metric: Metric,
    below: &HashMap<Material, HashMap<Key, Value>>,
) -> HashMap<Key, Value> {
    let positions = positions(material);
    let numbers: HashMap<Key, usize> = positions.iter().map(key).zip(0..).collect();
    let after = |position: &Position| -> Leads {
        if let Some(&number) = numbers.get(&key(position)) {
            return Leads::Quiet(number);
        }
        let found = below.values().find_map(|values| values.get(&key(position)));
        Leads::Captures(found.copied().unwrap_or(Value::Draw))
    };
    let leads: Vec<Vec<Leads>> = positions
        .iter()
        .map(|position| {
            let moves = position.legal_moves();
            moves
                .into_iter()
                .map(|mv| after(&position.play(mv)))
                .collect()
        })
        .collect();
    let mut values = vec![Value::Draw; positions.len()];
    loop {
        let mut changed = false;
        for (number, position) in positions.iter().enumerate() {
            let value = value(position.turn(), metric, &leads[number], &values);
            if value != values[number] {
                values[number] = value;
                changed = true;
            }
        }
        if !changed {
            return positions.iter().map(key).zip(values).collect();
        }
    }
}

/// The value of a position from those of the positions that its moves lead to, so far as they are known.
fn value(turn: Color, metric: Metric, leads: &[Leads], values: &[Value]) -> Value {
    let mut shortest: Option<u16> = None;
    let (mut longest, mut all_lose) = (0, true);
    for lead in leads {
        let (after, converts) = match lead {
            Leads::Quiet(number) => (values[*number], false),
            Leads::Captures(value) => (*value, metric == Metric::Dtc),
        };
        match after {
            Value::Loss(plies) => {
                let plies = if converts { 1 } else { plies.0 + 1 };
                shortest = Some(shortest.map_or(plies, |best| best.min(plies)));
                all_lose = false;
            }
            Value::Draw => all_lose = false,
            // The defender's capture into a lost position adds nothing to the distance to conversion.
            Value::Win(_) if converts => assert_eq!(turn, Color::Black),
            Value::Win(plies) => longest = longest.max(plies.0 + 1),
        }
    }
    match shortest {
        Some(plies) => Value::Win(Plies(plies)),
        None if all_lose => Value::Loss(Plies(longest)),
        None => Value::Draw,
    }
}

/// Compares every position of tables, and of all that they depend on, in both metrics.
fn compare(names: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path());
    let wanted: Vec<Material> = names
        .iter()
        .map(|name| name.parse().expect("a material"))
        .collect();
    let options = GenerateOptions {
        metrics: vec![Metric::Dtc, Metric::Dtm],
        ..GenerateOptions::default()
    };
    Generator::new(&store)
        .run(&wanted, &options, &Control::new(2), &mut |_| {})
        .expect("generated");
    let prober = Prober::new(&store);
    for metric in [Metric::Dtc, Metric::Dtm] {
        let mut all: HashMap<Material, HashMap<Key, Value>> = HashMap::new();
        let mut order: Vec<Material> = store.list().iter().map(|table| table.key).collect();
        order.sort_by_key(Material::men);
        for material in order {
            let children = material.children();
            let below = children
                .iter()
                .map(|child| (*child, all.remove(child).expect("solved before")));
            let below: HashMap<_, _> = below.collect();
            let values = solve(material, metric, &below);
            all.extend(below);
            let mut compared = 0u64;
            for position in positions(material) {
                let probed = prober.value(&position, metric).expect("a value");
                assert_eq!(
                    probed,
                    values[&key(&position)],
                    "{material} {metric:?} {}",
                    position.fen()
                );
                compared += 1;
            }
            println!("{material} {metric:?}: {compared} positions agree");
            all.insert(material, values);
        }
    }
}

#[test]
fn small_endings_agree_with_a_slow_reference() {
    // In aah-k Red may be stalemated.
    compare(&["c-k", "g-a", "p-k", "aah-k"]);
}

#[test]
#[ignore = "minutes: ten endings, position by position"]
fn ten_endings_agree_with_a_slow_reference() {
    compare(&[
        "h-ae", "c-aa", "g-aa", "p-ae", "ag-a", "ep-k", "hp-k", "gg-k", "pp-k", "cp-k",
    ]);
}
