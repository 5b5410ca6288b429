//! The table machinery on a toy game that is not chess: kings, rooks and pawns on a board of 4x4.
//!
//! Tables are generated, stored, probed, verified, counted, and generation is resumed after a kill, by the code that
//! does it for chess.

mod board;
mod counted;
mod faulty;
mod folders;
mod game;
mod key;
mod verification;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use duchamp_base::{Control, Plies, Value, Wdl};
use duchamp_retro::Side;
use duchamp_tablebase::{
    CellId, Counting, FormatError, Game, GenerateError, GenerateOptions, Generator, Index, Metric,
    Outcome, ProbeError, Prober, Rules, Store, TableKey, Verifier, VerifyOptions, each_won_in,
    laws, parse_specs, read_through, side_stats,
};

use board::{Kind, Position};
use game::{Numbering, Toy};
use key::Key;

fn options() -> GenerateOptions {
    GenerateOptions {
        metrics: Metric::DISTANCES.to_vec(),
        ..GenerateOptions::default()
    }
}

/// All tables of the toy in a folder.
fn generate(folder: &Path) -> Arc<Store<Toy>> {
    let store = Store::<Toy>::open(folder);
    let keys = parse_specs::<Toy>("all4").expect("tables");
    let control = Control::new(2);
    let summary = Generator::new(&store).run(&keys, &options(), &control, &mut |_| {});
    assert_eq!(summary.expect("generated").made.len(), keys.len());
    store
}

/// All tables of the toy, generated once, for tests that only read.
fn tables() -> &'static Store<Toy> {
    static TABLES: OnceLock<Arc<Store<Toy>>> = OnceLock::new();
    TABLES.get_or_init(|| generate(&shared_folder("toy")))
}

/// A folder for what tests share, under `target`: it stays when they end, as statics are never dropped.
fn shared_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(name)
        .join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The folder of [`tables`] with all its files copied to a new one, for tests that change them.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files(tables().dir()) {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    folder
}

fn key(name: &str) -> Key {
    name.parse().expect("a key")
}

/// Every position of a table.
fn positions(key: Key) -> impl Iterator<Item = Position> {
    let index = Arc::new(Numbering::new(key));
    let shape = Arc::clone(&index);
    let sides = index.stored_sides().iter();
    let cells =
        sides.flat_map(move |&side| (0..shape.cells()).map(move |cell| CellId { side, cell }));
    cells.filter_map(move |at| Toy::position(&index, at))
}

/// The files of a folder by name, but for locks.
fn files(folder: &Path) -> HashMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("readable").flatten();
    let files = entries.map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(entry.path()).expect("readable"))
    });
    files.collect()
}

#[test]
fn the_toy_obeys_the_laws() {
    for key in parse_specs::<Toy>("all4").expect("tables") {
        laws::check::<Toy>(key, 2_000, 7).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

#[test]
fn tables_are_generated_stored_and_verified() {
    let folder = copied();
    // Another store finds them all.
    let store = Store::<Toy>::open(folder.path());
    assert_eq!((store.list().len(), store.largest()), (7, 4));
    let keys: Vec<Key> = store.list().iter().map(|table| table.key).collect();
    let verified = Verifier::new(&store)
        .verify(
            &keys,
            &VerifyOptions::default(),
            &Control::new(1),
            &mut |_| {},
        )
        .expect("readable");
    assert_eq!(verified.len(), 3 * keys.len());
    for result in &verified {
        assert_eq!((result.errors, &result.first), (0, &None), "{}", result.key);
        assert!(result.positions > 500, "{}", result.key);
    }
    let sampled = VerifyOptions {
        sample: Some(300),
        ..VerifyOptions::default()
    };
    let verified = Verifier::new(&store)
        .verify(&keys, &sampled, &Control::new(1), &mut |_| {})
        .expect("readable");
    assert!(
        verified
            .iter()
            .all(|result| result.sampled && result.errors == 0)
    );
}

#[test]
fn a_wrong_value_is_found() {
    let folder = copied();
    // Distances of another table of the same shape: every checksum is right, values are not.
    let wdl = folder.path().join("KRvKR.wdl");
    let mut bytes = std::fs::read(&wdl).expect("readable");
    let middle = 200 + (bytes.len() - 200) / 3;
    bytes[middle] ^= 0x10;
    duchamp_tablebase::seal(&mut bytes);
    std::fs::write(&wdl, bytes).expect("written");
    let store = Store::<Toy>::open(folder.path());
    let options = VerifyOptions {
        metrics: vec![Metric::Dtm],
        ..VerifyOptions::default()
    };
    let outcome =
        Verifier::new(&store).verify(&[key("KRvKR")], &options, &Control::new(1), &mut |_| {});
    // The file of distances does not go with the changed file of results, which stands alone now; or its block says so.
    match outcome {
        Ok(results) => assert!(results.iter().all(|result| result.errors > 0)),
        Err(error) => assert!(error.to_string().contains("KRvKR"), "{error}"),
    }
}

/// Values by brute force: every position of a table is looked at again and again, by moves forward, until nothing
/// changes.
fn by_force(
    key: Key,
    smaller: &HashMap<Key, (Numbering, HashMap<CellId, Value>)>,
) -> HashMap<CellId, Value> {
    let index = Numbering::new(key);
    let cells: Vec<(CellId, Position)> = Side::ALL
        .iter()
        .flat_map(|&side| (0..index.cells()).map(move |cell| CellId { side, cell }))
        .filter_map(|at| Some((at, Toy::position(&index, at)?)))
        .filter(|(at, _)| index.stored_sides().contains(&at.side))
        .collect();
    let mut values: HashMap<CellId, Value> = HashMap::new();
    for round in 0.. {
        let mut changed = false;
        for (at, position) in &cells {
            // Values of n plies are known after round n, and are final then.
            if values.contains_key(at) {
                continue;
            }
            let (mut best, mut open, mut moves) = (None::<Value>, false, 0);
            Toy::moves(position, |facts| {
                moves += 1;
                let after = Toy::play(position, facts.mv);
                let found = value_of(&after, key, &index, &values, smaller);
                match found.map(Value::before_move) {
                    Some(value) if best.is_none_or(|best| value.rank() > best.rank()) => {
                        best = Some(value);
                    }
                    Some(_) => {}
                    None => open = true,
                }
                ControlFlow::Continue(())
            });
            let value = match best {
                None if moves == 0 => Some(Toy::stuck(position)),
                Some(Value::Win(plies)) if plies.0 == round => best,
                Some(Value::Loss(plies)) if !open && plies.0 == round => best,
                _ => None,
            };
            if let Some(value) = value {
                values.insert(*at, value);
                changed = true;
            }
        }
        if !changed && round > 60 {
            break;
        }
    }
    for (at, _) in cells {
        values.entry(at).or_insert(Value::Draw);
    }
    values
}

/// The value of a position after a move, if it is known; draws of this table are not known before the end.
fn value_of(
    position: &Position,
    own: Key,
    index: &Numbering,
    values: &HashMap<CellId, Value>,
    smaller: &HashMap<Key, (Numbering, HashMap<CellId, Value>)>,
) -> Option<Value> {
    if Toy::is_dead_draw(position) {
        return Some(Value::Draw);
    }
    let code = Toy::code(position);
    let keys = smaller.keys().copied().chain([own]);
    let key = keys
        .into_iter()
        .find(|&key| Toy::codes(key).contains(&code))
        .expect("a smaller table or this one");
    let exchanged = Toy::codes(key)[0] != code;
    if key == own {
        return values.get(&Toy::cell(index, position, exchanged)?).copied();
    }
    let (index, values) = &smaller[&key];
    values.get(&Toy::cell(index, position, exchanged)?).copied()
}

#[test]
fn probed_distances_are_those_of_brute_force() {
    let store = tables();
    let prober = Prober::new(store);
    let mut forced = HashMap::new();
    for name in ["KRvK", "KPvK"] {
        let key = key(name);
        let values = by_force(key, &forced);
        let index = Numbering::new(key);
        let mut wins = 0;
        for (&at, &value) in &values {
            let position = Toy::position(&index, at).expect("a position");
            assert_eq!(
                prober.value(&position, Metric::Dtm),
                Ok(value),
                "{position:?}"
            );
            assert_eq!(prober.wdl(&position), Ok(value.wdl()));
            wins += u32::from(matches!(value, Value::Win(_)));
        }
        assert!(wins > 500, "{name}: {wins}");
        forced.insert(key, (index, values));
    }
}

#[test]
fn lines_end_in_mate_and_moves_are_ordered() {
    let store = tables();
    let prober = Prober::new(store);
    for name in ["KRvKR", "KRPvK", "KPvKP"] {
        for position in positions(key(name)).step_by(97) {
            let value = prober.value(&position, Metric::Dtm).expect("a value");
            let line = prober.line(&position, Metric::Dtm).expect("a line");
            let Some(Plies(plies)) = value.plies() else {
                assert!(line.is_empty());
                continue;
            };
            assert_eq!(line.len(), usize::from(plies), "{position:?}");
            let end = line
                .iter()
                .fold(position.clone(), |at, step| Toy::play(&at, step.mv));
            assert_eq!(prober.value(&end, Metric::Dtm), Ok(Value::Loss(Plies(0))));
            let moves = prober.moves(&position, Metric::Dtm).expect("moves");
            assert!(
                moves
                    .windows(2)
                    .all(|two| two[0].value.rank() >= two[1].value.rank())
            );
            assert_eq!(
                moves.first().map(|best| best.value),
                (plies > 0).then_some(value)
            );
        }
    }
}

#[test]
fn statistics_count_every_position_once() {
    let store = tables();
    for table in store.list() {
        let control = Control::new(1);
        let counted = |counting| {
            side_stats(store, table.key, Metric::Dtm, counting, &control).expect("stats")
        };
        let (stats, told_apart) = (counted(Counting::Once), counted(Counting::ToldApart));
        let counts = table.counts();
        for (side, stats) in stats.iter().enumerate() {
            let namings = if table.key == key("KRRvK") { 2 } else { 1 };
            let legal = counts[side].legal();
            assert_eq!(stats.counts.legal(), legal, "{}", table.key);
            let apart = told_apart[side].counts.legal();
            assert_eq!(apart, namings * legal, "{}", table.key);
            assert_eq!(stats.counts.longest_win, counts[side].longest_win);
            assert_eq!(stats.wins.iter().sum::<u64>(), stats.counts.won);
            if let Some((plies, position)) = &stats.longest_win {
                let value = Prober::new(store).value(position, Metric::Dtm);
                assert_eq!(value, Ok(Value::Win(*plies)));
            }
        }
        // With the sides exchanged a symmetric table has the same statistics.
        if table.key.is_symmetric() {
            assert_eq!(stats[0].wins, stats[1].wins);
        }
    }
}

/// All wins of a length, read block by block, are those that probes find one by one: with both sides to move, in all
/// metrics.
#[test]
fn wins_of_each_length_are_listed_once() {
    let store = tables();
    let control = Control::new(1);
    for (name, metric) in [
        ("KRvKR", Metric::Dtm),
        ("KPvKP", Metric::Dtz),
        ("KRPvK", Metric::Dtz),
        ("KRRvK", Metric::Dtc),
    ] {
        let mut expected: HashMap<u16, Vec<String>> = HashMap::new();
        for position in positions(key(name)) {
            let value = Prober::new(store)
                .value(&position, metric)
                .expect("a value");
            if let Value::Win(plies) = value {
                expected
                    .entry(plies.0)
                    .or_default()
                    .push(Toy::notation(&position));
            }
        }
        let longest = *expected.keys().max().expect("wins");
        for plies in 0..longest + 2 {
            let mut listed = Vec::new();
            let index = Numbering::new(key(name));
            for &side in index.stored_sides() {
                let mut add = |all: &[Position]| {
                    listed.extend(all.iter().map(Toy::notation));
                    ControlFlow::Continue(())
                };
                let plies = Plies(plies);
                each_won_in(store, key(name), metric, side, plies, &control, &mut add)
                    .expect("listed");
            }
            let expected = expected.remove(&plies).unwrap_or_default();
            assert_eq!(listed, expected, "{name} {metric:?} {plies}");
        }
    }
}

/// Who breaks off gets nothing more.
#[test]
fn a_listing_ends_when_it_is_broken_off() {
    let mut calls = 0;
    let mut once = |_: &[Position]| {
        calls += 1;
        ControlFlow::Break(())
    };
    let (store, control) = (tables(), Control::new(1));
    let (metric, plies) = (Metric::Dtm, Plies(1));
    each_won_in(
        store,
        key("KRRvK"),
        metric,
        Side::First,
        plies,
        &control,
        &mut once,
    )
    .expect("listed");
    assert_eq!(calls, 1);
}

#[test]
fn distances_to_conversion_and_zeroing_end_earlier() {
    let store = tables();
    let prober = Prober::new(store);
    let (mut earlier, mut all) = (0, 0);
    for position in positions(key("KRPvK")).step_by(11) {
        let value = |metric| prober.value(&position, metric).expect("a value");
        let [mate, conversion, zeroing] = Metric::DISTANCES.map(value);
        assert_eq!((mate.wdl(), mate.wdl()), (conversion.wdl(), zeroing.wdl()));
        let plies = |value: Value| value.plies().unwrap_or_default();
        assert!(plies(zeroing) <= plies(conversion) && plies(conversion) <= plies(mate));
        earlier += u32::from(plies(zeroing) < plies(mate));
        all += 1;
    }
    assert!(earlier > all / 4, "{earlier} of {all}");
}

#[test]
fn what_no_table_holds_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::<Toy>::open(folder.path());
    let prober = Prober::new(&store);
    let kings = [(Side::First, Kind::King, 0), (Side::Second, Kind::King, 15)];
    let with = |others: &[(Side, Kind, u8)]| Position {
        pieces: [&kings[..], others].concat(),
        turn: Side::First,
    };
    let rook = (Side::First, Kind::Rook, 7);
    assert_eq!(prober.wdl(&with(&[])), Ok(Wdl::Draw));
    let missing = prober.wdl(&with(&[rook]));
    assert_eq!(missing, Err(ProbeError::Missing(key("KRvK"))));
    let three = [
        rook,
        (Side::First, Kind::Rook, 6),
        (Side::First, Kind::Rook, 5),
    ];
    assert_eq!(prober.wdl(&with(&three)), Err(ProbeError::TooManyMen(5)));
    let error = parse_specs::<Toy>("KQvK").expect_err("no queens");
    assert_eq!(error.to_string(), "`KQvK` is no table such as KRvKP");
    let error = parse_specs::<Toy>("KRRvKR").expect_err("too many");
    assert_eq!(
        error.to_string(),
        "KRRvKR is no table: tables have 3 to 4 men"
    );
}

#[test]
fn damage_is_found_and_mended() {
    let folder = copied();
    let good = files(folder.path());
    let path = folder.path().join("KRvKR.dtm");
    let mut bytes = good["KRvKR.dtm"].clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    let store = Store::<Toy>::open(folder.path());
    let prober = Prober::new(&store);
    let errors = positions(key("KRvKR")).filter(|position| {
        // Damage is an error or, once the file is set aside, a missing file; never a wrong value.
        match prober.value(position, Metric::Dtm) {
            Ok(value) => {
                assert_eq!(prober.wdl(position), Ok(value.wdl()));
                false
            }
            Err(ProbeError::Damaged { .. } | ProbeError::MissingMetric(..)) => true,
            Err(other) => panic!("{other}"),
        }
    });
    assert!(errors.count() > 0);
    assert!(folder.path().join("KRvKR.dtm.bad").is_file());
    let summary = Generator::new(&store)
        .run(&[key("KRvKR")], &options(), &Control::new(1), &mut |_| {})
        .expect("generated again");
    assert_eq!(summary.made.len(), 1);
    std::fs::remove_file(folder.path().join("KRvKR.dtm.bad")).expect("removed");
    assert!(files(folder.path()) == good, "the same bytes again");
}

#[test]
fn another_games_file_is_refused() {
    let folder = copied();
    let files = files(folder.path());
    let mut wdl = files["KRvK.wdl"].clone();
    wdl[180] = 0; // chess
    duchamp_tablebase::seal(&mut wdl);
    let dtm = files["KRvK.dtm"].clone();
    let error = read_through::<Toy>(key("KRvK"), wdl, Metric::Dtm, dtm.clone());
    assert_eq!(error, Err(FormatError::Header("another table's")));
    let wins = read_through::<Toy>(key("KRvK"), files["KRvK.wdl"].clone(), Metric::Dtm, dtm);
    assert!(wins.is_ok_and(|wins| wins > 500));
}

#[test]
fn results_read_the_same_word_by_word_and_cell_by_cell() {
    let store = tables();
    // KRvK is stored directly, KRvKR coded by the generic contexts.
    for name in ["KRvK", "KRvKR"] {
        let table = store.table(key(name)).expect("ready");
        for (stored, &side) in table.index.stored_sides().iter().enumerate() {
            let words = table.words(stored).expect("readable");
            for position in positions(key(name)).filter(|position| position.turn == side) {
                let at = Toy::cell(&table.index, &position, false).expect("a cell");
                let word = words[at.word()];
                let expected = match (word.won >> at.bit() & 1, word.lost >> at.bit() & 1) {
                    (1, _) => Outcome::Win,
                    (_, 1) => Outcome::Loss,
                    _ => Outcome::Draw,
                };
                assert_eq!(table.outcome(at), Ok(expected));
            }
        }
    }
}

#[test]
fn a_cancelled_generation_says_so_and_goes_on_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::<Toy>::open(folder.path());
    let keys = parse_specs::<Toy>("all4").expect("tables");
    let control = Control::new(1);
    let mut ready = 0;
    let result = Generator::new(&store).run(&keys, &options(), &control, &mut |progress| {
        ready = progress.done;
        if ready > 1 {
            control.cancel();
        }
    });
    assert!(
        matches!(result, Err(GenerateError::Cancelled(_))),
        "{result:?}"
    );
    let found = Store::<Toy>::open(folder.path()).list().len();
    assert!(found >= 2 && found < keys.len(), "{found}");
    let summary = Generator::new(&store)
        .run(&keys, &options(), &Control::new(1), &mut |_| {})
        .expect("generated");
    assert_eq!(summary.made.len(), keys.len() - found);
}

const CHILD: &str = "TOY_GENERATES_IN";

/// Not a test of its own: what the killed child does.
#[test]
fn child_generates() {
    if let Some(folder) = std::env::var_os(CHILD) {
        let store = Store::<Toy>::open(Path::new(&folder));
        let keys = parse_specs::<Toy>("all4").expect("tables");
        let control = Control::new(1);
        let run = Generator::new(&store).run(&keys, &options(), &control, &mut |progress| {
            eprintln!("{} {:?}", progress.key, progress.step);
        });
        run.expect("generated");
    }
}

#[test]
fn generation_goes_on_after_a_kill() {
    use std::io::{BufRead, BufReader};
    let whole = files(tables().dir());
    // Killed early and when most is done.
    for news in [2, 13] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "child_generates", "--nocapture"])
            .env(CHILD, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let heard = lines.take(news).filter(Result::is_ok).count();
        assert_eq!(heard, news, "the child prints its progress");
        child.kill().expect("killed");
        child.wait().expect("gone");
        // What has its name is whole.
        for (name, bytes) in files(folder.path()) {
            if name.ends_with(".wdl") || name.ends_with("dtm") || name.ends_with("dtz") {
                assert!(
                    whole[&name] == bytes,
                    "{name} is not the file of an undisturbed run"
                );
            }
        }
        let store = Store::<Toy>::open(folder.path());
        let keys = parse_specs::<Toy>("all4").expect("tables");
        Generator::new(&store)
            .run(&keys, &options(), &Control::new(1), &mut |_| {})
            .expect("generated");
        drop(store);
        assert!(
            files(folder.path()) == whole,
            "killed after {news} news: the same files, and no others"
        );
    }
}
