//! Tables that are solved and counted without files: what the headers of ordinary files say.

use super::large::{folders, generate, options};
use super::small_chess::{Generates, SmallChess};
use duchamp_base::Control;
use duchamp_chess_tables::{Chess, GenerateOptions, Material, Metric, SideCounts};
use duchamp_tablebase::Step;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Without pawns, symmetric, with pawns, and with promotions into tables that are large themselves in small chess.
const NAMES: [&str; 5] = ["KQvKR", "KRvKR", "KNvKN", "KRvKP", "KRPvK"];

fn counts<G: Generates>(
    folder: &Path,
    options: &GenerateOptions,
) -> BTreeMap<Material, [SideCounts; 2]> {
    let control = Control::new(2);
    // What is counted is told of at once.
    let mut told = BTreeMap::new();
    let news = &mut |progress: &duchamp_chess_tables::Progress| {
        if let Step::Counted(counted) = &progress.step {
            told.insert(progress.key, counted.counts);
        }
    };
    let summary = generate::<G>(folder, &NAMES, options, &control, news).expect("made");
    let made = summary.made.into_iter();
    let made = made.map(|made| (made.key, made.counts)).collect();
    assert!(told == made || told.is_empty() && !options.count_only);
    made
}

fn assert_counts_are_right<G: Generates>() {
    let [folder, whole] = folders();
    let count_only = GenerateOptions {
        count_only: true,
        ..GenerateOptions::default()
    };
    let folder = folder.path().join("tables");
    let counted = counts::<G>(&folder, &count_only);
    assert_eq!(counted.len(), NAMES.len());
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let written = counts::<Chess>(whole.path(), &options(&[Metric::Dtm]));
    for (key, counts) in counted {
        assert_eq!(counts, written[&key], "{key}");
    }
}

#[test]
fn ordinary_tables_are_counted_without_files() {
    assert_counts_are_right::<Chess>();
}

#[test]
fn large_tables_are_counted_without_files() {
    assert_counts_are_right::<SmallChess<3>>();
}
