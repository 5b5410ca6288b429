//! Tables that get no files, looked at while their values are at hand: by themselves and by random positions.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::large::folders;
use super::small_chess::{Generates, SmallChess};
use super::{material, solve};
use duchamp_base::{Control, Gauge, Plies, Value};
use duchamp_chess::{Move, Position};
use duchamp_chess_tables::{Chess, GenerateOptions, Layout, Material, SideCounts};
use duchamp_tablebase::{
    AtHand, CellId, EncodeError, Generator, Index, Inspected, Inspector, Look, MoveFacts, Rules,
    SolvedSample, Store,
};

/// Without pawns; symmetric; with pawns that promote into large tables, capture en passant, stand on both sides.
const NAMES: [&str; 6] = ["KQvKR", "KNvKN", "KRvKP", "KRPvK", "KPvKP", "KPPvK"];

/// Whether the rules of small chess say that stalemate is lost.
static LIES: AtomicBool = AtomicBool::new(false);

/// Whose turn it is to ask for the rules of small chess.
static TURN: Mutex<()> = Mutex::new(());

/// The rules may lie to those who verify.
impl<const MEN: u32> Rules for SmallChess<MEN> {
    type Position = Position;
    type Move = Move;

    fn position(index: &Layout, at: CellId) -> Option<Position> {
        Chess::position(index, at)
    }

    fn code(position: &Position) -> u64 {
        Chess::code(position)
    }

    fn cell(index: &Layout, position: &Position, exchanged: bool) -> Option<CellId> {
        Chess::cell(index, position, exchanged)
    }

    fn men(position: &Position) -> u32 {
        Chess::men(position)
    }

    fn is_dead_draw(position: &Position) -> bool {
        Chess::is_dead_draw(position)
    }

    fn has_unstored_moves(position: &Position) -> bool {
        Chess::has_unstored_moves(position)
    }

    fn moves(position: &Position, each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        Chess::moves(position, each);
    }

    fn play(position: &Position, mv: Move) -> Position {
        Chess::play(position, mv)
    }

    fn stuck(position: &Position) -> Value {
        match LIES.load(Ordering::Relaxed) {
            true => Value::Loss(Plies(0)),
            false => Chess::stuck(position),
        }
    }

    fn notation(position: &Position) -> String {
        Chess::notation(position)
    }
}

/// Solves tables without files and has an inspector look at them; what it has found in each.
fn inspected<G: Generates>(
    folder: &Path,
    names: &[&str],
    inspector: impl Fn(&Store<G>) -> Box<dyn Inspector<G> + '_>,
) -> Vec<(Material, Inspected, u64)> {
    let store = Store::<G>::open(folder);
    let inspector = inspector(&store);
    let options = GenerateOptions {
        count_only: true,
        ..GenerateOptions::default()
    };
    let generator = Generator::new(&store).inspecting(&*inspector);
    let keys: Vec<Material> = names.iter().map(|name| material(name)).collect();
    let made = G::run(generator, &keys, &options, &Control::new(2), &mut |_| {});
    let made = made.expect("solved").made.into_iter();
    let made = made.map(|made| {
        let sides = 2 - usize::from(made.key.is_symmetric());
        let legal = made.counts.iter().take(sides).map(SideCounts::legal).sum();
        (made.key, *made.inspected.expect("inspected"), legal)
    });
    made.collect()
}

/// The same with random positions.
fn sampled<G: Generates + Rules>(names: &[&str], count: u64) -> Vec<(Material, Inspected, u64)> {
    let [folder, _] = folders();
    inspected::<G>(folder.path(), names, |store| {
        Box::new(SolvedSample::new(store, count))
    })
}

#[test]
fn samples_of_tables_without_files_are_right() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // Stretches of words hold more or fewer positions.
    let count = 50_000;
    for (key, found, legal) in sampled::<SmallChess<3>>(&NAMES, count) {
        assert_eq!(found.errors, 0, "{key}: {:?}", found.first);
        let right = found.positions > count / 10 && found.positions <= legal;
        assert!(right, "{key}: {found:?}");
    }
}

/// Few positions only: then all of them are looked at, each once.
#[test]
fn a_sample_of_more_than_there_are_is_all() {
    for (key, found, legal) in sampled::<Chess>(&["KQvK", "KPvK"], 1 << 40) {
        assert_eq!((found.positions, found.errors), (legal, 0), "{key}");
    }
}

/// A table with values that the rules do not give is found out, with a position.
#[test]
fn values_that_moves_do_not_give_are_found() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    LIES.store(true, Ordering::Relaxed);
    let lied_to = sampled::<SmallChess<3>>(&["KRPvK", "KPPvK"], 200_000);
    LIES.store(false, Ordering::Relaxed);
    for (key, wrong, _) in lied_to {
        let first = wrong.first.as_deref().expect("a position");
        let draw = first.contains(": Draw by the table, Loss(Plies(0)) by its moves");
        assert!(wrong.errors > 0 && draw, "{key}: {wrong:?}");
    }
}

/// Compares all values of a table with those of one that was solved in memory.
#[derive(Debug)]
struct Everything;

impl<const MEN: u32> Inspector<SmallChess<MEN>> for Everything {
    fn nanoseconds(&self) -> u64 {
        1
    }

    fn inspect(
        &self,
        table: &AtHand<'_, SmallChess<MEN>>,
        _: &[SideCounts; 2],
        _: (&Gauge, &Control),
    ) -> Result<Inspected, EncodeError> {
        let index = table.index();
        let key = index.key();
        let mut inspected = Inspected::default();
        for key in [&[key][..], &key.children()].concat() {
            let Some(index) = table.index_of(key) else {
                continue;
            };
            let right = solve(key);
            // Backwards: looks may come in any order.
            let cells = (0..index.cells())
                .rev()
                .filter(|cell| key.men() < 4 || cell % 7 == 0);
            let places =
                cells.flat_map(|cell| index.stored_sides().iter().map(move |&side| (side, cell)));
            let places = places.map(|(side, cell)| CellId { side, cell });
            let places = places.filter(|&at| Chess::position(index, at).is_some());
            let mut looks: Vec<_> = places
                .map(|at| Look {
                    key,
                    at,
                    value: None,
                })
                .collect();
            table.look(&mut looks)?;
            for look in looks {
                let value = right.get(look.at).map(|code| code.value());
                inspected.errors += u64::from(value.is_none() || look.value != value);
                inspected.positions += 1;
            }
        }
        Ok(inspected)
    }
}

#[test]
fn looks_find_the_values_of_tables_solved_in_memory() {
    let [folder, _] = folders();
    for (key, found, _) in
        inspected::<SmallChess<3>>(folder.path(), &NAMES, |_| Box::new(Everything))
    {
        assert!(
            found.errors == 0 && found.positions > 50_000,
            "{key}: {found:?}"
        );
    }
}
