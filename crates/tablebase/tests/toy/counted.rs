//! The toy with two primary metrics, as xiangqi has them: stalemate loses, and the distance to conversion counts the
//! moves of the winner alone.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use duchamp_base::{Control, Plies, Value, Wdl};
use duchamp_retro::{Code, Side, Slice};
use duchamp_tablebase::{
    AllSubs, CellId, Game, GenerateError, GenerateOptions, Generator, Index, Metric, MoveFacts,
    Prober, Rules, Store, Verifiable, Verifier, VerifyOptions, View, Worth, before_move, laws,
    parse_specs, side_stats, solve_primary,
};

use crate::board::Position;
use crate::game::{Exits, Move, Numbering, Toy};
use crate::key::Key;
use crate::{files, key, shared_folder};

/// The toy with two primary metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted;

impl Game for Counted {
    const ID: u8 = 202;
    const NAME: &'static str = "counted";
    const METRICS: &'static [Metric] = &[Metric::Wdl, Metric::Dtm, Metric::Dtc];
    const PRIMARY: &'static [Metric] = &[Metric::Dtc, Metric::Dtm];
    const SUBS_FROM_FILES: bool = true;
    const EXAMPLE: &'static str = "KRvKP";
    const MAX_MEN: u32 = Toy::MAX_MEN;
    const TRIVIAL: Option<Key> = Toy::TRIVIAL;

    type Key = Key;
    type Index = Numbering;
    type Exits<'a, W: Worth> = Exits<'a, W>;

    fn exits<'a, W: Worth>(
        index: &'a Numbering,
        own: View<'a, Numbering, W::Own>,
        sub: &dyn Fn(Key) -> Option<View<'a, Numbering, Code>>,
    ) -> Exits<'a, W> {
        let mut exits = Toy::exits(index, own, sub);
        exits.stalemate_loses = true;
        exits
    }

    fn slice<'e, 'a: 'e, W: Worth>(
        exits: &'e Exits<'a, W>,
        slice: usize,
    ) -> impl Slice<Cell = W::Cell> + 'e {
        Toy::slice(exits, slice)
    }

    fn all(men: u32) -> Vec<Key> {
        Toy::all(men)
    }

    fn codes(key: Key) -> [u64; 2] {
        Toy::codes(key)
    }

    /// No table for two pawns.
    fn has_table(key: Key) -> bool {
        (Self::MIN_MEN..=Self::MAX_MEN).contains(&duchamp_tablebase::TableKey::men(&key))
            && key.pawns != [1, 1]
    }
}

impl Rules for Counted {
    type Position = Position;
    type Move = Move;

    fn position(index: &Numbering, at: CellId) -> Option<Position> {
        Toy::position(index, at)
    }

    fn code(position: &Position) -> u64 {
        Toy::code(position)
    }

    fn cell(index: &Numbering, position: &Position, exchanged: bool) -> Option<CellId> {
        Toy::cell(index, position, exchanged)
    }

    fn men(position: &Position) -> u32 {
        Toy::men(position)
    }

    fn is_dead_draw(position: &Position) -> bool {
        Toy::is_dead_draw(position)
    }

    fn moves(position: &Position, each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        Toy::moves(position, each);
    }

    fn play(position: &Position, mv: Move) -> Position {
        Toy::play(position, mv)
    }

    fn stuck(_: &Position) -> Value {
        Value::Loss(Plies(0))
    }

    fn before(metric: Metric, facts: &MoveFacts<Move>, after: Value) -> Option<Value> {
        let disregarded = facts.ends(metric) && matches!(after, Value::Win(_));
        (!disregarded).then(|| before_move(metric, facts.ends(metric), after))
    }

    fn notation(position: &Position) -> String {
        Toy::notation(position)
    }

    fn exchanged(position: &Position) -> Option<Position> {
        Toy::exchanged(position)
    }
}

impl Verifiable for Counted {}

fn options(metrics: &[Metric]) -> GenerateOptions {
    GenerateOptions {
        metrics: metrics.to_vec(),
        ..GenerateOptions::default()
    }
}

const BOTH: [Metric; 2] = [Metric::Dtc, Metric::Dtm];

fn keys() -> Vec<Key> {
    let names = ["KRvK", "KPvK", "KRRvK", "KRvKR", "KRPvK", "KRvKP"];
    names.map(key).to_vec()
}

/// All tables in both metrics, generated once.
fn tables() -> &'static Store<Counted> {
    static TABLES: OnceLock<Arc<Store<Counted>>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let store = Store::<Counted>::open(&shared_folder("counted"));
        let generator = Generator::new(&store);
        let forecast = generator.forecast(&keys(), &options(&BOTH));
        assert_eq!((forecast.generate.len(), forecast.again.len()), (6, 0));
        let (mut last, mut share) = (0, 0.0);
        let summary = generator
            .run(&keys(), &options(&BOTH), &Control::new(2), &mut |news| {
                assert_eq!(news.total, 12, "each table once in either metric");
                assert!(news.done >= last);
                (last, share) = (news.done, news.share);
            })
            .expect("generated");
        assert_eq!((summary.made.len(), summary.found), (6, 0));
        assert!(last == 12 && share > 0.999, "{last} {share}");
        for made in &summary.made {
            assert!(made.wdl_bytes > 0 && made.dtc_bytes > 0 && made.dtm_bytes > 0);
        }
        store
    })
}

/// Where a move leads.
enum After {
    /// To a cell of the table.
    Here(CellId),
    /// To a smaller table, which has this value.
    Smaller(Value),
}

/// Distances of a table by forward iteration over its moves, from the results of smaller tables.
fn by_force(key: Key, metric: Metric) -> HashMap<CellId, Value> {
    let index = Numbering::new(key);
    let prober = Prober::new(tables());
    let own = |position: &Position| Toy::codes(key).contains(&Toy::code(position));
    // Where a position stands, with its colours exchanged if need be.
    let cell = |position: &Position| {
        let exchanged = Toy::code(position) != Toy::codes(key)[0];
        Toy::cell(&index, position, exchanged).expect("a cell")
    };
    // The positions whose value is not known yet, each with where its moves lead.
    let mut open: Vec<(CellId, Vec<After>)> = Vec::new();
    for position in Side::ALL.iter().flat_map(|&side| {
        let cells = (0..index.cells()).map(move |cell| CellId { side, cell });
        cells.filter_map(|at| Toy::position(&index, at))
    }) {
        let mut moves = Vec::new();
        Toy::moves(&position, |facts| {
            let after = Toy::play(&position, facts.mv);
            if own(&after) {
                moves.push(After::Here(cell(&after)));
            } else if metric == Metric::Dtm {
                let value = prober.value(&after, Metric::Dtm).expect("a value");
                moves.push(After::Smaller(value));
            } else {
                // The winner's conversion ends the count, the loser's is not looked at.
                match prober.wdl(&after).expect("a result") {
                    Wdl::Loss => moves.push(After::Smaller(Value::Loss(Plies(0)))),
                    Wdl::Win => {}
                    _ => moves.push(After::Smaller(Value::Draw)),
                }
            }
            ControlFlow::Continue(())
        });
        open.push((cell(&position), moves));
    }
    let mut values: HashMap<CellId, Value> = HashMap::new();
    for round in 0..120u16 {
        let mut found = Vec::new();
        for (at, moves) in &open {
            // The lengths that its moves give, as the mover sees them; a move without a length holds it up.
            let (mut won, mut longest, mut held) = (None::<u16>, 0, false);
            for after in moves {
                let value = match after {
                    After::Here(cell) => values.get(cell).copied(),
                    After::Smaller(value) => Some(*value),
                };
                match value {
                    Some(Value::Loss(n)) => won = Some(won.map_or(n.0 + 1, |won| won.min(n.0 + 1))),
                    Some(Value::Win(n)) => longest = longest.max(n.0 + 1),
                    Some(Value::Draw) | None => held = true,
                }
            }
            let value = match won {
                Some(n) => Some(Value::Win(Plies(n))).filter(|_| n == round),
                None => Some(Value::Loss(Plies(longest))).filter(|_| !held && longest == round),
            };
            found.extend(value.map(|value| (*at, value)));
        }
        if found.is_empty() && round > 40 {
            break;
        }
        values.extend(found);
        open.retain(|(at, _)| !values.contains_key(at));
    }
    values.extend(open.into_iter().map(|(at, _)| (at, Value::Draw)));
    values
}

#[test]
fn the_laws_hold() {
    for key in keys() {
        laws::check::<Counted>(key, 500, 9).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

/// Every value of either metric is that of forward iteration; wins are odd, losses even.
#[test]
fn both_metrics_are_those_of_brute_force() {
    let prober = Prober::new(tables());
    let mut shorter = 0;
    for key in keys() {
        let index = Numbering::new(key);
        for metric in BOTH {
            let expected = by_force(key, metric);
            let mut wins = 0;
            for position in crate::positions(key) {
                let at = Toy::cell(&index, &position, false).expect("a cell");
                let value = prober.value(&position, metric).expect("a value");
                assert_eq!(value, expected[&at], "{metric:?} {position:?}");
                match value {
                    Value::Win(plies) => assert_eq!(plies.0 % 2, 1),
                    Value::Loss(plies) => assert_eq!(plies.0 % 2, 0),
                    Value::Draw => {}
                }
                wins += u32::from(matches!(value, Value::Win(_)));
                let other = prober.value(&position, Metric::Dtm).expect("a value");
                assert_eq!(value.wdl(), other.wdl());
                shorter += u32::from(value != other);
            }
            assert!(wins > 500, "{key}");
        }
    }
    assert!(shorter > 1000, "{shorter}");
}

#[test]
fn both_metrics_verify_and_a_wrong_one_does_not() {
    // In memory; what lies below in its files; by a sample, one by one and by groups, of which all are drawn.
    let samples = [Some(200), Some(1 << 24)].map(|sample| (sample, None));
    for (sample, memory) in [(None, None), (None, Some(0))].into_iter().chain(samples) {
        let options = VerifyOptions {
            metrics: BOTH.to_vec(),
            sample,
            memory,
            ..VerifyOptions::default()
        };
        let verified = Verifier::new(tables())
            .verify(&keys(), &options, &Control::new(1), &mut |_| {})
            .expect("readable");
        assert_eq!(verified.len(), 12);
        for result in verified {
            assert_eq!((result.errors, &result.first), (0, &None), "{}", result.key);
        }
    }
    // By the rules of the toy, in which all captures count, the same values are wrong.
    let mut wrong = 0;
    let prober = Prober::new(tables());
    for position in crate::positions(key("KRvKP")) {
        let mut best = None::<Value>;
        Counted::moves(&position, |facts| {
            let after = Toy::play(&position, facts.mv);
            let after = prober.value(&after, Metric::Dtc).expect("a value");
            let value = before_move(Metric::Dtc, facts.ends(Metric::Dtc), after);
            if best.is_none_or(|best| value.rank() > best.rank()) {
                best = Some(value);
            }
            ControlFlow::Continue(())
        });
        let value = prober.value(&position, Metric::Dtc).expect("a value");
        wrong += u32::from(best.is_some_and(|best| best != value));
    }
    assert!(wrong > 0);
}

/// A capture that the metric disregards comes last, and a position with no other moves is lost in 0 plies; its line
/// goes on with the capture.
#[test]
fn disregarded_moves_come_last() {
    let prober = Prober::new(tables());
    let (mut seen, mut only) = (0, 0);
    for key in ["KRRvK", "KRvKP", "KRPvK", "KRvKR"].map(key) {
        for position in crate::positions(key) {
            let moves = prober.moves(&position, Metric::Dtc).expect("moves");
            let value = prober.value(&position, Metric::Dtc).expect("a value");
            let mut disregarded = 0;
            Counted::moves(&position, |facts| {
                let after = Toy::play(&position, facts.mv);
                let lost = matches!(prober.wdl(&after), Ok(Wdl::Win));
                disregarded += usize::from(facts.converts && lost);
                ControlFlow::Continue(())
            });
            let last = &moves[moves.len() - disregarded..];
            assert!(
                last.iter()
                    .all(|entry| entry.value == Value::Loss(Plies(0)))
            );
            seen += disregarded;
            if disregarded > 0 && disregarded == moves.len() {
                assert_eq!(value, Value::Loss(Plies(0)));
                let line = prober.line(&position, Metric::Dtc).expect("a line");
                assert!(!line.is_empty());
                only += 1;
            }
        }
    }
    assert!(seen > 100 && only > 0, "{seen} {only}");
}

/// The files do not depend on the order in which the metrics are asked for, nor on how many are at once.
#[test]
fn the_order_of_the_metrics_does_not_matter() {
    let whole = files(tables().dir());
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::<Counted>::open(folder.path());
    let run = |metrics: &[Metric]| {
        let made = Generator::new(&store)
            .run(&keys(), &options(metrics), &Control::new(1), &mut |_| {})
            .expect("generated");
        (made.made.len(), made.found)
    };
    assert_eq!(run(&[Metric::Wdl]), (6, 0));
    assert!(
        files(folder.path())
            .keys()
            .all(|name| name.ends_with(".wdl"))
    );
    assert_eq!(run(&[Metric::Dtm]), (6, 0));
    let forecast = Generator::new(&store).forecast(&keys(), &options(&BOTH));
    assert_eq!((forecast.generate.len(), forecast.present.len()), (6, 0));
    let forecast = Generator::new(&store).forecast(&keys(), &options(&[Metric::Dtm]));
    assert_eq!((forecast.generate.len(), forecast.present.len()), (0, 6));
    assert_eq!(run(&BOTH), (6, 0));
    assert_eq!(run(&BOTH), (0, 6));
    assert!(files(folder.path()) == whole);
    // Nothing named: the first primary metric.
    let other = tempfile::tempdir().expect("a folder");
    let store = Store::<Counted>::open(other.path());
    Generator::new(&store)
        .run(
            &[key("KRRvK")],
            &options(&[]),
            &Control::new(1),
            &mut |_| {},
        )
        .expect("generated");
    let mut names: Vec<String> = files(other.path()).into_keys().collect();
    names.sort();
    assert_eq!(names, ["KRRvK.dtc", "KRRvK.wdl", "KRvK.dtc", "KRvK.wdl"]);
}

/// Snapshots hold the values of one metric each.
#[test]
fn snapshots_of_one_metric_do_not_serve_another() {
    let whole = files(tables().dir());
    let folder = tempfile::tempdir().expect("a folder");
    let run = |names: &[&str], metrics: &[Metric], only: bool| {
        let store = Store::<Counted>::open(folder.path());
        let names: Vec<Key> = names.iter().map(|name| key(name)).collect();
        let options = GenerateOptions {
            keep_subs: true,
            only,
            ..options(metrics)
        };
        Generator::new(&store).run(&names, &options, &Control::new(1), &mut |_| {})
    };
    run(&["KRvK"], &[Metric::Dtc], false).expect("generated");
    let alone = run(&["KRRvK"], &[Metric::Dtm], true).expect_err("no snapshot to mate");
    assert!(matches!(alone, GenerateError::Alone { .. }), "{alone}");
    assert!(alone.to_string().contains("KRvK.sub missing"), "{alone}");
    run(&["KRRvK"], &[Metric::Dtc], true).expect("generated");
    run(&["KRvK"], &[Metric::Dtm], false).expect("generated");
    run(&["KRRvK"], &[Metric::Dtm], true).expect("generated");
    let made = files(folder.path());
    for name in ["KRRvK", "KRvK"] {
        for ending in ["wdl", "dtc", "dtm"] {
            let file = format!("{name}.{ending}");
            assert!(made[&file] == whole[&file], "{file}");
        }
        assert!(made[&format!("{name}.dtc.sub")] != made[&format!("{name}.sub")]);
    }
}

#[test]
fn a_table_is_solved_without_files() {
    let control = Control::new(1);
    let prober = Prober::new(tables());
    for metric in BOTH {
        let subs = AllSubs::<Counted>::in_metric(key("KRvKP"), metric, &control).expect("solved");
        let solved = solve_primary::<Counted>(key("KRvKP"), &subs, metric, &control);
        let solved = solved.expect("solved");
        for position in crate::positions(key("KRvKP")).step_by(7) {
            let at = Toy::cell(solved.index(), &position, false).expect("a cell");
            let code = solved.get(at).expect("a value").value();
            assert_eq!(prober.value(&position, metric), Ok(code));
        }
        let stats = side_stats(
            tables(),
            key("KRvKP"),
            metric,
            duchamp_tablebase::Counting::Once,
            &control,
        );
        let counts = stats.expect("stats").map(|side| side.counts);
        let listed = tables().list();
        let table = listed.iter().find(|table| table.key == key("KRvKP"));
        let file = table.and_then(|table| table.file(metric)).expect("a file");
        for (counts, file) in counts.iter().zip(file.counts) {
            assert_eq!(counts.longest_win, file.longest_win);
            assert_eq!((counts.won, counts.lost), (file.won, file.lost));
        }
    }
}

#[test]
fn tables_without_a_place_are_refused() {
    let error = parse_specs::<Counted>("KPvKP").expect_err("no table");
    assert_eq!(
        error.to_string(),
        "KPvKP has no table: name one such as KRvKP"
    );
    let error = parse_specs::<Counted>(" ").expect_err("nothing named");
    assert!(
        error
            .to_string()
            .contains("name a table such as KRvKP, 4 for"),
        "{error}"
    );
    let store = Store::<Counted>::open(Path::new("/nowhere"));
    let run = Generator::new(&store).run(
        &[key("KPvKP")],
        &options(&[]),
        &Control::new(1),
        &mut |_| {},
    );
    let error = run.expect_err("refused").to_string();
    assert_eq!(
        error,
        "KPvKP cannot be generated: no table has these pieces"
    );
}

/// Tables that are present are read, not solved again, where results suffice: to conversion. The bytes are the same.
#[test]
fn present_tables_are_read_from_their_files() {
    let whole = files(tables().dir());
    let folder = tempfile::tempdir().expect("a folder");
    let lost = ["KRPvK", "KRvKP"];
    for (name, bytes) in &whole {
        if !lost.iter().any(|lost| name.starts_with(lost)) {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
    }
    let store = Store::<Counted>::open(folder.path());
    let generator = Generator::new(&store);
    let lost = lost.map(key);
    let forecast = generator.forecast(&lost, &options(&[Metric::Dtc]));
    assert_eq!((forecast.generate.len(), forecast.again.len()), (2, 0));
    assert_eq!(forecast.read.len(), 4, "KRvK, KPvK, KRRvK, KRvKR");
    let to_mate = generator.forecast(&lost, &options(&[Metric::Dtm]));
    assert_eq!((to_mate.again.len(), to_mate.read.len()), (4, 0));
    let run = |metrics: &[Metric]| {
        let made = generator.run(&lost, &options(metrics), &Control::new(2), &mut |_| {});
        assert_eq!(made.expect("generated").made.len(), 2);
    };
    run(&[Metric::Dtc]);
    run(&[Metric::Dtm]);
    assert!(files(folder.path()) == whole);
    // A damaged file is said to be, set aside, and generated again by the next run.
    let name = folder.path().join("KRRvK.wdl");
    let mut bytes = std::fs::read(&name).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&name, bytes).expect("written");
    for ending in ["wdl", "dtc", "dtm"] {
        std::fs::remove_file(folder.path().join(format!("KRPvK.{ending}"))).expect("removed");
    }
    let store = Store::<Counted>::open(folder.path());
    let run = || {
        let generator = Generator::new(&store);
        generator.run(
            &[key("KRPvK")],
            &options(&BOTH),
            &Control::new(1),
            &mut |_| {},
        )
    };
    let error = run().expect_err("damaged").to_string();
    assert!(error.contains("KRRvK.wdl is damaged"), "{error}");
    run().expect("generated again");
    let after = files(folder.path());
    assert!(
        whole
            .iter()
            .all(|(name, bytes)| after.get(name) == Some(bytes))
    );
}
