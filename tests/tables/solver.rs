//! All 3- and 4-man tables against published figures, and the solver against itself.
//!
//! The figures are in `tests/data`, with their sources in the first lines.

use crate::common::{Random, rows};
use duchamp_base::{Control, Plies, Value};
use duchamp_chess::{Color, Position, Rank, Role, Setup};
use duchamp_chess_tables::{CellId, Layout, Material, Solved, solve};
use duchamp_retro::{Code, Side};
use duchamp_tablebase::{Index, SubTables};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Finished tables.
#[derive(Default)]
struct Memory(HashMap<Material, Arc<Solved>>);

impl SubTables<Layout> for Memory {
    fn get(&self, material: Material) -> Option<Arc<Solved>> {
        self.0.get(&material).cloned()
    }
}

impl Memory {
    /// Solves `materials`, smaller ones and those without pawns first, with all they need.
    fn with(materials: &[Material]) -> Memory {
        let mut memory = Memory::default();
        for &material in materials {
            memory.add(material);
        }
        memory
    }

    fn add(&mut self, material: Material) {
        if !self.0.contains_key(&material) {
            for child in material.children() {
                self.add(child);
            }
            let table = solve(material, self, &Control::new(1)).expect("solved");
            self.0.insert(material, Arc::new(table));
        }
    }
}

/// All 35 tables, generated once.
fn all() -> &'static Memory {
    static ALL: OnceLock<Memory> = OnceLock::new();
    ALL.get_or_init(|| {
        Memory::with(
            &[3, 4]
                .into_iter()
                .flat_map(Material::all)
                .collect::<Vec<_>>(),
        )
    })
}

/// Counts of one side to move, each symmetry class once.
#[derive(PartialEq, Eq, Default, Debug)]
struct Counts {
    wins: u64,
    draws: u64,
    losses: u64,
    longest_win: Plies,
    longest_loss: Plies,
}

fn counts(table: &Solved, side: Color) -> Counts {
    counts_by(table, side, |_, _| 1)
}

/// The same, each class counted `weight` times.
fn counts_by(table: &Solved, side: Color, weight: impl Fn(&Solved, u64) -> u64) -> Counts {
    let mut counts = Counts::default();
    let values = table.side(Side::ALL[side.index()]);
    for word in 0..values.void.len() {
        let cells = table.index().canonical(word) & !values.void[word];
        for bit in (0..64).filter(|bit| cells >> bit & 1 != 0) {
            let times = weight(table, (word * 64 + bit) as u64);
            match values.word(word)[bit].value() {
                Value::Win(plies) => {
                    counts.wins += times;
                    counts.longest_win = counts.longest_win.max(plies);
                }
                Value::Draw => counts.draws += times,
                Value::Loss(plies) => {
                    counts.losses += times;
                    counts.longest_loss = counts.longest_loss.max(plies);
                }
            }
        }
    }
    counts
}

/// The generator of the published counts distinguishes identical pieces: each class counts once for each
/// way to name them, but for those ways that a symmetry of the board turns into each other (all
/// others on the diagonal, the pieces mirror images).
fn orderings(table: &Solved, cell: u64) -> u64 {
    let like = |c: Color| {
        Role::PROMOTIONS
            .into_iter()
            .find(|&r| table.key().count(c, r) == 2)
            .map(|r| (c, r))
    };
    let Some((color, role)) = Color::ALL.into_iter().find_map(like) else {
        return 1;
    };
    let at = CellId {
        side: Side::First,
        cell,
    };
    let (board, _) = table.index().place(at).expect("a position");
    let men = board.of(color, role);
    let others = board.occupied() - men;
    let mirrored = others.into_iter().all(|s| s.flip_diagonal() == s)
        && men
            .into_iter()
            .all(|s| men.has(s.flip_diagonal()) && s.flip_diagonal() != s);
    if mirrored { 1 } else { 2 }
}

#[test]
fn longest_mates_are_the_published_ones() {
    let rows = rows(include_str!("../data/max_dtm.csv"));
    assert!(rows.len() > 20);
    for row in rows {
        let material: Material = row["ending"].parse().expect("material");
        let [white, black] = Color::ALL.map(|side| counts(&all().0[&material], side));
        let longest = [&white, &black]
            .map(|c| c.longest_win.max(c.longest_loss))
            .into_iter()
            .max()
            .expect("two");
        let check = |column: &str, ours: u16| {
            if let Ok(published) = row[column].parse::<u16>() {
                assert_eq!(ours, published, "{material}: {column}");
            }
        };
        check("max_dtm_plies_any_side", longest.0);
        check("max_mate_moves_white_wins_wtm", white.longest_win.moves());
        check("max_mate_moves_black_wins_btm", black.longest_win.moves());
    }
}

/// Compares the counts of a table with a row of the published ones.
fn compare_counts(material: Material, table: &Solved, row: &HashMap<&str, &str>) {
    for (side, name) in [(Color::White, "wtm"), (Color::Black, "btm")] {
        let number = |kind: &str| {
            row[format!("{name}_{kind}").as_str()]
                .parse::<u64>()
                .expect("a number")
        };
        let ours = counts_by(table, side, orderings);
        // Cursed wins and blessed losses are wins and losses here: no 50-move rule.
        assert_eq!(
            [ours.wins, ours.draws, ours.losses],
            [
                number("wins") + number("cursed_wins"),
                number("draws"),
                number("losses") + number("cursed_losses")
            ],
            "{material} {name}"
        );
    }
}

#[test]
fn counts_are_those_of_syzygy() {
    let rows = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    assert!(rows.len() > 20);
    for row in rows.iter().filter(|row| row["men"] != "5") {
        let material: Material = row["ending"].parse().expect("material");
        compare_counts(material, &all().0[&material], row);
    }
}

/// Five men, pieces only: two indexed pieces, identical ones among them. 20 s of processor time in a release
/// build, 2 GB.
#[test]
#[ignore = "long"]
fn counts_of_five_men_are_those_of_syzygy() {
    let rows = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    for row in rows.iter().filter(|row| row["men"] == "5") {
        let material: Material = row["ending"].parse().expect("material");
        if material.pawns() > 0 {
            continue;
        }
        let table = solve(material, all(), &Control::new(1)).expect("solved");
        compare_counts(material, &table, row);
    }
}

/// The same with a pawn: more tables, 4 GB.
#[test]
#[ignore = "long"]
fn counts_with_a_pawn_are_those_of_syzygy() {
    let rows = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    for row in rows.iter().filter(|row| row["men"] == "5") {
        let material: Material = row["ending"].parse().expect("material");
        if material.pawns() > 0 {
            compare_counts(material, &Memory::with(&[material]).0[&material], row);
        }
    }
}

/// The value of a position by the tables; with en-passant rights by one ply of look-ahead.
fn probe(position: &Position) -> Value {
    if position.ep_square().is_some() {
        return look_ahead(position);
    }
    let material = Material::of(position.board()).0;
    let Some(table) = all().0.get(&material) else {
        return Value::Draw; // The bare kings.
    };
    let index = table.index().locate(position.board(), position.turn());
    table
        .get(index.expect("a cell"))
        .expect("a legal position")
        .value()
}

/// The value of a position by the values after its moves.
fn look_ahead(position: &Position) -> Value {
    let values = position
        .legal_moves()
        .into_iter()
        .map(|m| probe(&position.play(m)).before_move());
    let stuck = if position.in_check() {
        Value::Loss(Plies(0))
    } else {
        Value::Draw
    };
    values.max_by_key(|value| value.rank()).unwrap_or(stuck)
}

/// The chess room's rules, position by position, find what the word kernels found.
#[test]
fn values_follow_from_the_values_after_the_moves() {
    let mut random = Random::new(4);
    for (material, table) in &all().0 {
        let layout = table.index();
        let mut left = 3_000;
        while left > 0 {
            let at = CellId {
                side: *random.pick(layout.stored_sides()),
                cell: random.below(layout.cells() as usize) as u64,
            };
            let Some(code) = table.get(at) else {
                continue;
            };
            left -= 1;
            let (board, turn) = layout.place(at).expect("a position");
            let position = Position::from_setup(&Setup {
                board,
                turn,
                ..Setup::EMPTY
            })
            .expect("legal");
            assert_eq!(
                code.value(),
                look_ahead(&position),
                "{material}: {}",
                position.fen()
            );
        }
    }
}

/// Every position of KPvKP from which a double step gives en-passant rights.
#[test]
fn double_steps_beside_a_pawn_are_exact() {
    let table = &all().0[&"KPvKP".parse::<Material>().expect("material")];
    let mut tried = 0;
    for cell in 0..table.index().cells() {
        let at = CellId {
            side: Side::First,
            cell,
        };
        let Some(code) = table.get(at) else {
            continue;
        };
        let (board, turn) = table.index().place(at).expect("a position");
        let pawn = |color| board.of(color, Role::Pawn).first().expect("a pawn");
        let (white, black) = (pawn(Color::White), pawn(Color::Black));
        if white.rank() != Rank::R2
            || black.rank() != Rank::R4
            || white.file().index().abs_diff(black.file().index()) != 1
        {
            continue;
        }
        let position = Position::from_setup(&Setup {
            board,
            turn,
            ..Setup::EMPTY
        })
        .expect("legal");
        assert_eq!(code.value(), look_ahead(&position), "{}", position.fen());
        tried += 1;
    }
    assert!(tried > 10_000, "{tried} positions");
}

#[test]
fn twins_have_the_same_value() {
    for name in ["KRvK", "KBBvK", "KQvKQ", "KNNvK", "KRvKN"] {
        let table = &all().0[&name.parse::<Material>().expect("material")];
        let layout = table.index();
        let sides: Vec<Vec<Code>> = layout
            .stored_sides()
            .iter()
            .map(|&side| table.side(side).codes.to_vec())
            .collect();
        let rebuilt = Solved::from_codes(layout.clone(), sides);
        for &side in layout.stored_sides() {
            assert_eq!(rebuilt.side(side).void, table.side(side).void, "{name}");
            assert!(rebuilt.side(side).codes == table.side(side).codes, "{name}");
        }
    }
}

#[test]
fn threads_do_not_change_the_result() {
    for name in ["KQvKR", "KBNvK", "KNvKP", "KPvKP"] {
        let material: Material = name.parse().expect("material");
        let one = &all().0[&material];
        for threads in [2, 3] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads");
            let many = pool
                .install(|| solve(material, all(), &Control::new(threads)))
                .expect("solved");
            for &side in one.index().stored_sides() {
                assert!(
                    one.side(side) == many.side(side),
                    "{name} on {threads} threads"
                );
            }
        }
    }
}

#[test]
fn a_cancelled_job_stops_and_a_missing_table_is_named() {
    let control = Control::new(1);
    control.cancel();
    let material: Material = "KQvKR".parse().expect("material");
    assert!(solve(material, all(), &control).is_err());
    let error = solve(material, &Memory::default(), &Control::new(1)).expect_err("no tables");
    assert!(
        error.to_string().contains("KQvKR needs the table K"),
        "{error}"
    );
}
