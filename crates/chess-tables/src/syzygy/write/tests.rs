//! What is written is read: files of generated tables against these tables, position by position.

use duchamp_base::Control;
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
    // Nothing is left to do.
    let again = generator.run(&targets, &options, &control, &mut |_| {});
    assert!(again.expect("nothing to do").made.is_empty());
}

#[test]
fn three_men() {
    compare("3", &["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
}

#[test]
fn like_men_and_symmetric_materials() {
    compare("KBBvK KNNvK KQvKQ", &["KBBvK", "KNNvK", "KQvKQ"]);
}

/// En passant comes in here.
#[test]
fn pawns_on_both_sides() {
    compare("KPvKP", &["KPvKP"]);
}

#[test]
fn two_pawns_and_a_pawn_against_a_piece() {
    compare("KPPvK KBvKP", &["KPPvK", "KBvKP"]);
}
