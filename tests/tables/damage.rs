//! Damaged table files: detected, never used, set aside, generated again; and no panic.

use crate::common::Random;
use duchamp_base::{Control, Value};
use duchamp_chess::Position;
use duchamp_chess_tables::{GenerateOptions, Generator, Material, Metric, Prober, parse_specs};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub(crate) const SPECS: &str = "KPK KNKN";

pub(crate) fn make(folder: &Path) {
    let tables = Prober::open(folder);
    let materials = parse_specs(SPECS).expect("a list of tables");
    Generator::new(tables.store())
        .run(
            &materials,
            &GenerateOptions::default(),
            &Control::new(1),
            &mut |_| {},
        )
        .expect("tables are generated");
}

/// Positions of the tables with their true values.
pub(crate) fn questions(folder: &Path) -> Vec<(Position, Value)> {
    let tables = Prober::open(folder);
    let mut random = Random::new(3);
    let mut questions = Vec::new();
    while questions.len() < 300 {
        let men = [["K", "P", "k"], ["K", "R", "k"], ["K", "q", "k"]][random.below(3)];
        let mut board = [["1"; 8]; 8];
        for man in men {
            board[random.below(8)][random.below(8)] = man;
        }
        let board: Vec<String> = board.iter().map(|rank| rank.concat()).collect();
        let fen = format!(
            "{} {} - - 0 1",
            board.join("/"),
            ["w", "b"][random.below(2)]
        );
        let Ok(position) = Position::from_fen(&fen) else {
            continue;
        };
        if let Ok(value) = tables.probe(&position) {
            questions.push((position, value));
        }
    }
    questions
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(to).expect("a folder").flatten() {
        fs::remove_file(entry.path()).expect("removable");
    }
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// Whatever answer comes, it is the true one.
pub(crate) fn no_wrong_answer(tables: &Prober, questions: &[(Position, Value)]) {
    for (position, value) in questions {
        if let Ok(answer) = tables.probe(position) {
            assert_eq!(answer, *value, "{}", position.fen());
        }
        if let Ok(answer) = tables.probe_wdl(position) {
            assert_eq!(answer, value.wdl(), "{}", position.fen());
        }
    }
}

#[test]
fn flipped_bits_and_cut_files_are_never_believed() {
    let (good, bad) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    make(good.path());
    let questions = questions(good.path());
    let names = files(good.path());
    let mut random = Random::new(5);
    for round in 0..600 {
        copy(good.path(), bad.path());
        // All files in turn; within each first the header, then anywhere.
        let path = bad
            .path()
            .join(names[round % names.len()].file_name().expect("a name"));
        let mut bytes = fs::read(&path).expect("readable");
        let at = if round % 3 == 0 {
            random.below(160.min(bytes.len()))
        } else {
            random.below(bytes.len())
        };
        if round % 4 == 3 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << random.below(8);
        }
        fs::remove_file(&path).expect("removable");
        fs::write(&path, bytes).expect("written");
        no_wrong_answer(&Prober::open(bad.path()), &questions);
    }
}

#[test]
fn damage_is_told_once_set_aside_and_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let questions = questions(folder.path());
    for ending in ["wdl", "dtm"] {
        let path = folder.path().join(format!("KPvK.{ending}"));
        let good = fs::read(&path).expect("readable");
        let mut bytes = good.clone();
        // A block's bytes: the header is fine, so the damage shows at the first probe only.
        bytes[400] ^= 4;
        fs::remove_file(&path).expect("removable");
        fs::write(&path, bytes).expect("written");
        let tables = Prober::open(folder.path());
        let told = Arc::new(Mutex::new(Vec::new()));
        tables.store().on_event({
            let told = Arc::clone(&told);
            move |event| told.lock().expect("no panic").push(format!("{event:?}"))
        });
        no_wrong_answer(&tables, &questions);
        no_wrong_answer(&tables, &questions);
        assert_eq!(told.lock().expect("no panic").len(), 1, "{ending}");
        assert!(
            folder.path().join(format!("KPvK.{ending}.bad")).is_file(),
            "{ending}"
        );
        assert!(!path.exists());
        let materials = parse_specs(SPECS).expect("a list of tables");
        let summary = Generator::new(tables.store()).run(
            &materials,
            &GenerateOptions::default(),
            &Control::new(1),
            &mut |_| {},
        );
        assert_eq!(summary.expect("made again").made.len(), 1);
        assert_eq!(
            fs::read(&path).expect("readable"),
            good,
            "the same file again"
        );
        for (position, value) in &questions {
            assert_eq!(tables.probe(position), Ok(*value), "{}", position.fen());
        }
    }
}

#[test]
fn another_tables_file_is_not_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let questions = questions(folder.path());
    for (from, to) in [
        ("KRvK.wdl", "KQvK.wdl"),
        ("KNvK.dtm", "KBvK.dtm"),
        ("KPvK.wdl", "KPvK.dtm"),
    ] {
        fs::copy(folder.path().join(from), folder.path().join(to)).expect("copied");
    }
    let tables = Prober::open(folder.path());
    no_wrong_answer(&tables, &questions);
    for name in ["KQvK", "KBvK", "KPvK"] {
        let material = name.parse().expect("a material");
        assert!(!tables.store().has_metric(material, Metric::Dtm), "{name}");
    }
    let wrong: Material = "KQvK".parse().expect("a material");
    assert!(!tables.store().has(wrong));
    make(folder.path());
    assert_eq!(Prober::open(folder.path()).store().list().len(), 6);
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let folders = [
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    ];
    let materials = parse_specs("KPvK KRvKN KPPvK KNNvK").expect("a list of tables");
    for (threads, folder) in [1, 3].into_iter().zip(&folders) {
        let tables = Prober::open(folder.path());
        let options = GenerateOptions::default();
        Generator::new(tables.store())
            .run(&materials, &options, &Control::new(threads), &mut |_| {})
            .expect("tables are generated");
    }
    let [one, other] = [files(folders[0].path()), files(folders[1].path())];
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one.file_name(), other.file_name());
        assert!(
            fs::read(one).expect("readable") == fs::read(other).expect("readable"),
            "{}",
            one.display()
        );
    }
}
