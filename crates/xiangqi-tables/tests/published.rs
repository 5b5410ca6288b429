//! Tables against figures that others have published or counted: Wu and Beal's rows, and whole counts of endings with one
//! attacker. The data files name their sources.

use std::collections::HashMap;
use std::path::Path;

use duchamp_tablebase::{Control, GenerateOptions, Metric};
use duchamp_xiangqi_tables::{Generator, Material, Pawns, Store, WuBeal, wu_beal};

const ONE_ATTACKER: &str = include_str!("data/one_attacker.csv");
const WU_BEAL: &str = include_str!("data/wu_beal.csv");

/// The rows of a data file without comments and headline.
fn rows(data: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| line.split(',').collect())
}

fn material(name: &str) -> Material {
    name.parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Generates tables with distances to conversion and returns our figures of them.
fn figures(folder: &Path, wanted: &[Material]) -> HashMap<Material, WuBeal> {
    let store = Store::open(folder);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let control = Control::new(threads);
    let options = GenerateOptions {
        metrics: vec![Metric::Dtc],
        ..GenerateOptions::default()
    };
    let summary = Generator::new(&store).run(wanted, &options, &control, &mut |_| {});
    summary.expect("generated");
    let figures = wanted.iter().map(|&material| {
        let found = wu_beal(&store, material, Pawns::Anywhere, &control);
        (material, found.expect("counted").expect("figures"))
    });
    figures.collect()
}

/// A share in percent with two digits, as the paper prints it.
fn percent(count: u64, all: u64) -> String {
    format!("{:.2}", count as f64 * 100.0 / all as f64)
}

#[test]
fn endings_with_one_attacker_have_the_counts_of_a_brute_force() {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted: Vec<Material> = rows(ONE_ATTACKER).map(|row| material(row[0])).collect();
    assert_eq!(wanted.len(), 16);
    let figures = figures(folder.path(), &wanted);
    for row in rows(ONE_ATTACKER) {
        let material = material(row[0]);
        let ours = figures[&material];
        let told: [u64; 4] =
            [1, 2, 5, 6].map(|column: usize| row[column].parse().expect("a number"));
        let orders = material.orders();
        let found = [
            ours.real_size,
            ours.dtc_moves.into(),
            ours.rtm_win / orders,
            ours.btm_loss / orders,
        ];
        assert_eq!(found, told, "{material}");
        assert_eq!(percent(ours.rtm_win, ours.real_size), row[3], "{material}");
        assert_eq!(percent(ours.btm_loss, ours.real_size), row[4], "{material}");
        assert_eq!((ours.rtm_loss, ours.btm_win), (0, 0));
        assert_eq!(ours.rtm_win + ours.rtm_draw, ours.real_size);
    }
}

/// Rows of the paper that name endings of two attackers at most, some of them without own defenders.
#[test]
#[ignore = "two minutes: the rows with two attackers and no own defenders, against the paper"]
fn rows_with_two_attackers_are_the_papers() {
    let folder = tempfile::tempdir().expect("a folder");
    let of_paper = || {
        rows(WU_BEAL).filter(|row| {
            let attackers = row[0].split('-').next().unwrap_or_default();
            row[0].ends_with("-aaee") && attackers.len() == 2
        })
    };
    let wanted: Vec<Material> = of_paper().map(|row| material(row[0])).collect();
    assert_eq!(wanted.len(), 10);
    let figures = figures(folder.path(), &wanted);
    for row in of_paper() {
        let material = material(row[0]);
        let ours = figures[&material];
        let printed = [
            ours.db_size.to_string(),
            ours.real_size.to_string(),
            ours.dtc_moves.to_string(),
            percent(ours.rtm_win, ours.real_size),
            percent(ours.rtm_draw, ours.real_size),
            percent(ours.btm_draw, ours.real_size),
            percent(ours.btm_loss, ours.real_size),
        ];
        assert_eq!(
            printed.each_ref().map(String::as_str)[..],
            row[1..8],
            "{material}"
        );
    }
}
