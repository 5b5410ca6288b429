//! Lists of positions against brute force: every placement of the pieces on the board, probed one by one.

use crate::values::tables;
use duchamp_base::{Control, Plies, Value, Wdl};
use duchamp_chess::{Board, Color, Faults, Piece, Position, Role, Setup, Square};
use duchamp_chess_tables::{
    Material, Metric, MutualZugzwang, Side, ZugzwangKind, each_mutual_zugzwang, each_won_in,
    mutual_zugzwangs,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// The pieces of a material by the letters of its name.
fn pieces(name: &str) -> Vec<Piece> {
    let (white, black) = name.split_once('v').expect("two sides");
    let of = |letters: &str, color| -> Vec<Piece> {
        let role = |letter| Role::from_char(letter).expect("a piece");
        letters
            .chars()
            .map(|c| Piece {
                color,
                role: role(c),
            })
            .collect()
    };
    [of(white, Color::White), of(black, Color::Black)].concat()
}

/// A square after one of the eight symmetries of the board.
fn image(square: Square, symmetry: usize) -> Square {
    let (mut file, mut rank) = (square.index() % 8, square.index() / 8);
    if symmetry & 4 != 0 {
        (file, rank) = (rank, file);
    }
    if symmetry & 1 != 0 {
        file = 7 - file;
    }
    if symmetry & 2 != 0 {
        rank = 7 - rank;
    }
    Square::wrapping(rank * 8 + file)
}

/// What all symmetric images of a placement share; of a symmetric material also if the colours are exchanged.
fn class(board: &Board, name: &str, exchange: bool) -> Vec<(usize, usize)> {
    // Pawns leave only the mirror of the files.
    let images = if name.contains('P') { 2 } else { 8 };
    let list = |symmetry: usize, exchange: bool| {
        let mut list: Vec<(usize, usize)> = board
            .occupied()
            .into_iter()
            .map(|square| {
                let piece = board.at(square).expect("a piece");
                let turned = image(square, symmetry);
                let role = ROLES
                    .iter()
                    .position(|role| *role == piece.role)
                    .expect("a role");
                let white = (piece.color == Color::White) != exchange;
                let at = if exchange { turned.flip_rank() } else { turned };
                (role * 2 + usize::from(white), at.index())
            })
            .collect();
        list.sort_unstable();
        list
    };
    let plain = (0..images).map(|symmetry| list(symmetry, false));
    let exchanged = (0..images).map(|symmetry| list(symmetry, true));
    if exchange {
        plain.chain(exchanged).min().expect("images")
    } else {
        plain.min().expect("images")
    }
}

/// Calls `each` with every placement, White's king on one half of the board: up to symmetry that is all.
fn placements(name: &str, each: &mut dyn FnMut(&Board)) {
    fn put(board: &Board, rest: &[Piece], each: &mut dyn FnMut(&Board)) {
        let Some((&piece, rest)) = rest.split_first() else {
            each(board);
            return;
        };
        for index in 0..64usize {
            let square = Square::wrapping(index);
            let half = piece.color == Color::White && piece.role == Role::King && index % 8 > 3;
            let edge = piece.role == Role::Pawn && !(8..56).contains(&index);
            if half || edge || board.occupied().has(square) {
                continue;
            }
            let mut next = *board;
            next.put(piece, square);
            put(&next, rest, each);
        }
    }
    put(&Board::EMPTY, &pieces(name), each);
}

fn position(board: &Board, turn: Color) -> Option<Position> {
    let setup = Setup {
        board: *board,
        turn,
        ..Setup::EMPTY
    };
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).ok()
}

/// All zugzwangs as the table lists them.
fn listed(name: &str) -> Vec<MutualZugzwang> {
    let material: Material = name.parse().expect(name);
    let mut all = Vec::new();
    let mut add = |some: &[MutualZugzwang]| {
        all.extend_from_slice(some);
        ControlFlow::Continue(())
    };
    each_mutual_zugzwang(tables().store(), material, &Control::new(1), &mut add).expect(name);
    all
}

#[test]
fn zugzwangs_are_those_of_brute_force() {
    for name in ["KQvK", "KPvK", "KRvKN", "KNvKP", "KPvKP"] {
        let symmetric = name == "KPvKP";
        let mut expected = BTreeSet::new();
        placements(name, &mut |board| {
            let sides = [Color::White, Color::Black].map(|turn| position(board, turn));
            let [Some(white), Some(black)] = sides else {
                return;
            };
            let wdl = |position| tables().probe_wdl(position).expect("a result");
            // As White sees both.
            let kind = match (wdl(&white), -wdl(&black)) {
                (Wdl::Loss, Wdl::Win) => ZugzwangKind::FullPoint,
                (Wdl::Draw, Wdl::Win) => ZugzwangKind::WinDraw,
                (Wdl::Loss, Wdl::Draw) if symmetric => ZugzwangKind::WinDraw,
                (Wdl::Loss, Wdl::Draw) => ZugzwangKind::DrawLoss,
                _ => return,
            };
            expected.insert((kind, class(board, name, symmetric)));
        });
        let listed = listed(name);
        let classes: BTreeSet<_> = listed
            .iter()
            .map(|entry| (entry.kind, class(entry.position.board(), name, symmetric)))
            .collect();
        assert_eq!(classes.len(), listed.len(), "{name}: each comes once");
        assert!(
            classes == expected,
            "{name}: {} of {}",
            classes.len(),
            expected.len()
        );
        // The board shown fits the kind, White to move.
        for entry in &listed {
            let result = tables().probe_wdl(&entry.position).expect("a result");
            let loses = entry.kind != ZugzwangKind::WinDraw;
            assert_eq!(entry.position.turn(), Color::White);
            assert_eq!(result == Wdl::Loss, loses, "{}", entry.position.fen());
        }
    }
}

#[test]
fn zugzwangs_are_as_many_as_are_counted() {
    for material in [
        "KQvKR", "KNNvK", "KPPvK", "KRvKB", "KRvKP", "KPvKP", "KQvKQ",
    ] {
        let counts = mutual_zugzwangs(
            tables().store(),
            material.parse().expect(material),
            &Control::new(1),
        );
        let (counts, listed) = (counts.expect(material), listed(material));
        assert_eq!(counts.total(), listed.len() as u64, "{material}");
        for kind in ZugzwangKind::ALL {
            let of_kind = listed.iter().filter(|entry| entry.kind == kind);
            assert_eq!(
                counts.of(kind),
                of_kind.count() as u64,
                "{material} {kind:?}"
            );
        }
    }
}

/// Every win of a table comes in the list of its length, once, and in no other.
#[test]
fn wins_of_each_length_are_those_of_brute_force() {
    for (name, metric) in [
        ("KRvK", Metric::Dtm),
        ("KPvK", Metric::Dtc),
        ("KPvK", Metric::Dtz),
    ] {
        let mut expected: BTreeSet<(u16, Vec<(usize, usize)>)> = BTreeSet::new();
        placements(name, &mut |board| {
            let Some(position) = position(board, Color::White) else {
                return;
            };
            // By the moves, which the table of wins does not ask.
            let moves = tables().probe_moves(&position, metric).expect("values");
            if let Some(Value::Win(plies)) = moves.first().map(|entry| entry.value) {
                expected.insert((plies.0, class(board, name, false)));
            }
        });
        let longest = expected.last().expect("wins").0;
        let mut count = 0;
        for plies in 1..=longest + 1 {
            let mut add = |all: &[Position]| {
                for position in all {
                    assert_eq!(position.turn(), Color::White);
                    let entry = (plies, class(position.board(), name, false));
                    assert!(expected.contains(&entry), "{} {plies}", position.fen());
                }
                count += all.len();
                ControlFlow::Continue(())
            };
            each_won_in(
                tables().store(),
                name.parse().expect(name),
                metric,
                Side::First,
                Plies(plies),
                &Control::new(1),
                &mut add,
            )
            .expect(name);
        }
        assert_eq!(count, expected.len(), "{name} {metric:?}");
    }
}

/// In a symmetric table Black's wins are White's with the colours exchanged.
#[test]
fn black_wins_of_a_symmetric_table_are_listed() {
    let mut lists = [Side::First, Side::Second].map(|side| {
        let mut list = Vec::new();
        let mut add = |all: &[Position]| {
            list.extend_from_slice(all);
            ControlFlow::Continue(())
        };
        each_won_in(
            tables().store(),
            "KQvKQ".parse().expect("a material"),
            Metric::Dtm,
            side,
            Plies(25),
            &Control::new(1),
            &mut add,
        )
        .expect("listed");
        list
    });
    let [white, black] = &mut lists;
    assert!(!white.is_empty() && white.len() == black.len());
    for position in black.iter() {
        assert_eq!(position.turn(), Color::Black);
        assert_eq!(tables().probe(position), Ok(Value::Win(Plies(25))));
    }
}
