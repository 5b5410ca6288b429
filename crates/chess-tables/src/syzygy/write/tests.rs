//! What is written is read: files of generated tables against these tables, position by position.

use duchamp_base::Control;
use duchamp_chess::Position;
use duchamp_tablebase::{GenerateOptions, Metric};

use super::super::{SyzygyKind, SyzygyTables, compare_syzygy};
use super::SyzygyExporter;
use crate::aliases::{Store, parse_specs};
use crate::machinery::Generator;
use crate::material::Material;
use crate::probe::Prober;

/// Generates tables with distances to zeroing and exports them to the same folder; compares every position of `names`.
fn compare(specs: &str, names: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path());
    let control = Control::new(2);
    let exporter = SyzygyExporter::new(folder.path()).expect("a folder");
    let options = GenerateOptions {
        metrics: vec![Metric::Dtm, Metric::Dtz],
        ..GenerateOptions::default()
    };
    let targets = parse_specs(specs).expect("tables");
    let generator = Generator::new(&store).exporting(&exporter);
    let summary = generator.run(&targets, &options, &control, &mut |_| {});
    let summary = summary.expect("tables are generated");
    assert!(summary.made.iter().all(|made| made.exported.len() == 2));
    let prober = Prober::new(store.clone());
    let tables = SyzygyTables::open([folder.path()]);
    assert_eq!(tables.count(SyzygyKind::Dtz), summary.made.len());
    for name in names {
        let material: Material = name.parse().expect("a material");
        for kind in SyzygyKind::ALL {
            assert_eq!(
                tables.has_right_checksum(material, kind).ok(),
                Some(true),
                "{name}"
            );
        }
        let compared = compare_syzygy(&prober, &tables, material, true, &control, &|_| {});
        let compared = compared.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(compared.positions > 0);
        assert_eq!(compared.differences, 0, "{name}: {:?}", compared.first);
    }
    // Without distances to mate the files are the same.
    let alone = tempfile::tempdir().expect("a folder");
    let exporter_alone = SyzygyExporter::new(alone.path()).expect("a folder");
    let options_alone = GenerateOptions {
        export_only: true,
        ..GenerateOptions::default()
    };
    let store_alone = Store::open(alone.path());
    let run = Generator::new(&store_alone).exporting(&exporter_alone);
    let run = run.run(&targets, &options_alone, &control, &mut |_| {});
    assert_eq!(run.expect("exported").made.len(), summary.made.len());
    for made in &summary.made {
        for kind in SyzygyKind::ALL {
            let of = |exporter: &SyzygyExporter| std::fs::read(exporter.path(made.key, kind)).ok();
            assert!(
                of(&exporter) == of(&exporter_alone),
                "{} {kind:?}",
                made.key
            );
        }
    }
    // Nothing is left to do.
    let again = generator.run(&targets, &options, &control, &mut |_| {});
    assert!(again.expect("nothing to do").made.is_empty());
}

/// Exports a table with all that it needs; its values of positions, as python-chess and Fathom read them from files of the
/// reference generator: FEN, result, distance to zeroing.
fn values(spec: &str, expected: &[(&str, i32, i32)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path());
    let exporter = SyzygyExporter::new(folder.path()).expect("a folder");
    let options = GenerateOptions {
        metrics: vec![Metric::Dtz],
        export_only: true,
        ..GenerateOptions::default()
    };
    let targets = parse_specs(spec).expect("a table");
    let generator = Generator::new(&store).exporting(&exporter);
    let summary = generator.run(&targets, &options, &Control::new(2), &mut |_| {});
    summary.expect("tables are exported");
    let tables = SyzygyTables::open([folder.path()]);
    for &(fen, result, distance) in expected {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(tables.wdl(&position).expect(fen) as i32, result, "{fen}");
        assert_eq!(tables.dtz(&position).expect(fen).0, distance, "{fen}");
    }
}

#[test]
fn three_men() {
    compare("3", &["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
}

#[test]
fn symmetric_materials() {
    compare("KQvKQ", &["KQvKQ"]);
}

#[test]
fn like_men() {
    compare("KBBvK KNNvK", &["KBBvK", "KNNvK"]);
}

/// All draws: no distance is stored, or no result but one.
#[test]
fn tables_with_one_value() {
    compare(
        "KBvKB KBvKN KNvKN",
        &["KBvK", "KNvK", "KBvKB", "KBvKN", "KNvKN"],
    );
}

#[test]
fn pawns_on_both_sides() {
    compare("KPvKP", &["KPvKP"]);
}

/// Without the capture White is lost, and with it Black.
#[test]
fn en_passant() {
    let both = [
        ("8/1K3k2/8/5Pp1/8/8/8/8 w - g6 0 1", 0, 0),
        ("8/1K3k2/8/5Pp1/8/8/8/8 w - - 0 1", -2, -1),
        ("8/8/8/8/2pP4/8/2K3k1/8 b - d3 0 1", 0, 0),
        ("8/8/8/8/2pP4/8/2K3k1/8 b - - 0 1", -2, -1),
    ];
    values("KPvKP", &both);
}

/// Taking the rook stalemates; every position is compared, too.
#[test]
fn stalemate_tricks() {
    values("KQvKR", &[("5k2/8/3K2r1/8/8/6Q1/8/8 w - - 0 1", 0, 0)]);
    compare("KQvKR", &["KQvKR"]);
}

/// Distances about 100 plies must be exact.
#[test]
fn cursed_wins() {
    let values_of = [
        ("7k/8/R3K3/3r4/8/8/7B/8 b - - 0 1", -1, -101),
        ("8/8/6b1/1r6/5k2/4R3/8/7K w - - 0 1", -1, -113),
        ("k7/5B2/r7/2K5/7R/8/8/8 w - - 0 1", 1, 101),
        ("8/k1K3r1/4B3/8/8/8/4R3/8 w - - 0 1", 1, 102),
        ("2b5/K1k2r2/8/8/8/8/6R1/8 b - - 0 1", 1, 106),
        ("7K/8/8/5k2/1r6/8/3R4/6b1 b - - 0 1", 1, 114),
        ("7K/8/8/5k2/1b6/4R3/6r1/8 b - - 0 1", 2, 99),
        ("8/6R1/2r3b1/8/5k1K/8/8/8 w - - 0 1", -2, -100),
    ];
    values("KRBvKR", &values_of);
}

#[test]
fn two_pawns_and_a_pawn_against_a_piece() {
    compare("KPPvK KBvKP", &["KPPvK", "KBvKP"]);
}
