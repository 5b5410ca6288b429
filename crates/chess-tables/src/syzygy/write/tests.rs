//! What is written is read: files of generated tables against these tables, position by position.

use duchamp_base::Control;
use duchamp_chess::Position;
use duchamp_tablebase::{GenerateOptions, Metric, Summary};

use super::super::{SyzygyKind, SyzygyTables, compare_syzygy};
use super::SyzygyExporter;
use crate::aliases::{Store, parse_specs};
use crate::machinery::Generator;
use crate::material::Material;
use crate::probe::Prober;

/// Like men, materials that are their own mirror image, tables of draws alone (no distance is stored, or no result but
/// one), pawns of one side and of both. `tests/nightly.sh export-verify` compares all tables of three and four men.
const NAMES: [&str; 9] = [
    "KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KNNvK", "KBvKB", "KPvKP", "KPPvK",
];

/// The values of positions as python-chess and Fathom read them from files of the reference generator: FEN, result,
/// distance to zeroing.
fn assert_values(tables: &SyzygyTables, expected: &[(&str, i32, i32)]) {
    for &(fen, result, distance) in expected {
        let position = Position::from_fen(fen).expect(fen);
        assert_eq!(tables.wdl(&position).expect(fen) as i32, result, "{fen}");
        assert_eq!(tables.dtz(&position).expect(fen).0, distance, "{fen}");
    }
}

/// Every position of tables that are generated with distances to zeroing and exported to the same folder.
#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path());
    let control = Control::new(2);
    let exporter = SyzygyExporter::new(folder.path()).expect("a folder");
    let options = GenerateOptions {
        metrics: vec![Metric::Dtm, Metric::Dtz],
        ..GenerateOptions::default()
    };
    let targets = NAMES.map(|name| name.parse::<Material>().expect("a material"));
    let generator = Generator::new(&store).exporting(&exporter);
    let summary = generator.run(&targets, &options, &control, &mut |_| {});
    let summary = summary.expect("tables are generated");
    assert!(summary.made.iter().all(|made| made.exported.len() == 2));
    let prober = Prober::new(store.clone());
    let tables = SyzygyTables::open([folder.path()]);
    assert_eq!(tables.count(SyzygyKind::Dtz), summary.made.len());
    for material in targets {
        for kind in SyzygyKind::ALL {
            let right = tables.has_right_checksum(material, kind).ok();
            assert_eq!(right, Some(true), "{material}");
        }
        let compared = compare_syzygy(&prober, &tables, material, true, &control, &|_| {});
        let compared = compared.unwrap_or_else(|error| panic!("{material}: {error}"));
        assert!(compared.positions > 0);
        assert_eq!(compared.differences, 0, "{material}: {:?}", compared.first);
    }
    // En passant: without the capture White is lost, and with it Black. Then: taking the rook stalemates (KQvKR is made
    // for KPvKP).
    let traps = [
        ("8/1K3k2/8/5Pp1/8/8/8/8 w - g6 0 1", 0, 0),
        ("8/1K3k2/8/5Pp1/8/8/8/8 w - - 0 1", -2, -1),
        ("8/8/8/8/2pP4/8/2K3k1/8 b - d3 0 1", 0, 0),
        ("8/8/8/8/2pP4/8/2K3k1/8 b - - 0 1", -2, -1),
        ("5k2/8/3K2r1/8/8/6Q1/8/8 w - - 0 1", 0, 0),
    ];
    assert_values(&tables, &traps);
    // Nothing is left to do.
    let again = generator.run(&targets, &options, &control, &mut |_| {});
    assert!(again.expect("nothing to do").made.is_empty());
    // Without distances to mate and without tables of ours the files are the same.
    let alone = tempfile::tempdir().expect("a folder");
    let exporter_alone = SyzygyExporter::new(alone.path()).expect("a folder");
    let some = parse_specs("KNNvK KBvKB KQvKR KRvKP").expect("tables");
    for made in export_only(&exporter_alone, &some).made {
        for kind in SyzygyKind::ALL {
            let read = |exporter: &SyzygyExporter| {
                std::fs::read(exporter.path(made.key, kind)).expect("a file")
            };
            let same = read(&exporter) == read(&exporter_alone);
            assert!(same, "{} {kind:?}", made.key);
        }
    }
}

/// Exports tables with all that they need and writes nothing else.
fn export_only(exporter: &SyzygyExporter, targets: &[Material]) -> Summary<Material> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path());
    let options = GenerateOptions {
        metrics: vec![Metric::Dtz],
        export_only: true,
        ..GenerateOptions::default()
    };
    let generator = Generator::new(&store).exporting(exporter);
    let summary = generator.run(targets, &options, &Control::new(2), &mut |_| {});
    summary.expect("tables are exported")
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
    let folder = tempfile::tempdir().expect("a folder");
    let exporter = SyzygyExporter::new(folder.path()).expect("a folder");
    export_only(&exporter, &["KRBvKR".parse().expect("a material")]);
    assert_values(&SyzygyTables::open([folder.path()]), &values_of);
}
