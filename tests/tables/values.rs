//! Generated tables, read back from their files, against published figures and the rules of chess.
//!
//! All 35 tables are generated once, in a temporary folder. The figures are in `tests/data`, with their
//! sources in the first lines.

use crate::common::{Random, rows, shared_folder};
use duchamp_base::{Control, Plies, Value, Wdl};
use duchamp_chess::{Oracle, Position};
use duchamp_chess_tables::{
    Counting, GenerateOptions, Generator, Material, Metric, ProbeError, Prober, Stats, Verifier,
    VerifyOptions, parse_specs, stats,
};
use std::sync::OnceLock;

/// A folder with all 35 tables, reopened after they were generated.
pub(crate) fn tables() -> &'static Prober {
    static TABLES: OnceLock<Prober> = OnceLock::new();
    TABLES.get_or_init(|| {
        let folder = shared_folder("tables");
        let maker = Prober::open(&folder);
        let all = parse_specs("all4").expect("a list of tables");
        let options = GenerateOptions {
            metrics: Metric::DISTANCES.to_vec(),
            ..GenerateOptions::default()
        };
        let summary =
            Generator::new(maker.store()).run(&all, &options, &Control::new(2), &mut |_| {});
        assert_eq!(summary.expect("all tables are generated").made.len(), 35);
        Prober::open(&folder)
    })
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).expect(fen)
}

#[test]
fn longest_mates_are_the_published_ones() {
    let published = rows(include_str!("../data/max_dtm.csv"));
    let mut compared = 0;
    for table in tables().store().list() {
        let name = table.key.name();
        let Some(row) = published.iter().find(|row| row["ending"] == name) else {
            continue;
        };
        let [white, black] = table.counts();
        // The figures count to and from captures and promotions too: the longest of the table and
        // of those that it leads to, which is the table's own where it has a win of its own.
        if let Ok(longest) = row["max_dtm_plies_any_side"].parse::<u16>() {
            let all = [
                white.longest_win,
                white.longest_loss,
                black.longest_win,
                black.longest_loss,
            ];
            let children = table.key.children();
            let below = tables()
                .store()
                .list()
                .into_iter()
                .filter(|other| children.contains(&other.key));
            let below = below.flat_map(|other| {
                other
                    .counts()
                    .map(|side| side.longest_win.max(side.longest_loss))
            });
            let own = all.into_iter().max().unwrap_or(0);
            assert!(
                own == longest || own.max(below.max().unwrap_or(0)) == longest,
                "{name}: {own}, not {longest}"
            );
            compared += 1;
        }
        if let Ok(moves) = row["max_mate_moves_white_wins_wtm"].parse::<u16>() {
            assert_eq!(
                Plies(white.longest_win).moves(),
                moves,
                "{name}: White to move wins"
            );
        }
        if let Ok(moves) = row["max_mate_moves_black_wins_btm"].parse::<u16>() {
            assert_eq!(
                Plies(black.longest_win).moves(),
                moves,
                "{name}: Black to move wins"
            );
        }
    }
    assert!(compared > 25, "{compared} endings compared");
}

/// The statistics that tell identical pieces apart.
fn told_apart(tables: &Prober, material: Material, metric: Metric) -> Stats {
    let control = Control::new(2);
    stats(
        tables.store(),
        material,
        metric,
        Counting::ToldApart,
        &control,
    )
    .expect("statistics")
}

#[test]
fn counts_are_those_of_the_reference_generator() {
    let published = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    let mut compared = 0;
    for table in tables().store().list() {
        let name = table.key.name();
        let Some(row) = published.iter().find(|row| row["ending"] == name) else {
            continue;
        };
        // Headers do not distinguish identical pieces; the published counts and these statistics do.
        let like_pieces = ["QQ", "RR", "BB", "NN"]
            .iter()
            .any(|pair| name.contains(pair));
        let counts = if like_pieces {
            let stats = told_apart(tables(), table.key, Metric::Dtm);
            [stats.white.counts, stats.black.counts]
        } else {
            table.counts()
        };
        for (side, counts) in ["wtm", "btm"].into_iter().zip(counts) {
            let published = |what: &str| {
                row[format!("{side}_{what}").as_str()]
                    .parse::<u64>()
                    .expect("a count")
            };
            // No win with so few pieces is cursed; our tables ignore the 50-move rule.
            let grades = published("wins") + published("cursed_wins");
            assert_eq!(counts.won, grades, "{name} {side} wins");
            assert_eq!(counts.drawn, published("draws"), "{name} {side} draws");
            assert_eq!(
                counts.lost,
                published("losses") + published("cursed_losses"),
                "{name} {side} losses"
            );
        }
        compared += 1;
    }
    assert!(compared >= 28, "{compared} endings compared");
}

/// Compares a table's counts by the 50-move rule and its longest distances to zeroing with a published row.
fn compare_zeroing(tables: &Prober, name: &str, row: &std::collections::HashMap<&str, &str>) {
    let material: Material = name.parse().expect(name);
    let list = tables.store().list();
    let table = list.iter().find(|table| table.key == material);
    let file = table.and_then(|table| table.file(Metric::Dtz)).expect(name);
    // Headers do not distinguish identical pieces; the published counts and these statistics do.
    let like_pieces = ["QQ", "RR", "BB", "NN"]
        .iter()
        .any(|pair| name.contains(pair));
    let counts = if like_pieces {
        let stats = told_apart(tables, material, Metric::Dtz);
        [stats.white.counts, stats.black.counts]
    } else {
        file.counts
    };
    for (side, counts) in ["wtm", "btm"].into_iter().zip(counts) {
        let published = |what: &str| {
            let number = row[format!("{side}_{what}").as_str()].parse::<u64>();
            number.expect("a count")
        };
        let ours = [
            counts.won - counts.cursed,
            counts.cursed,
            counts.drawn,
            counts.blessed,
            counts.lost - counts.blessed,
            counts.longest_win.into(),
            counts.longest_loss.into(),
        ];
        let theirs = [
            "wins",
            "cursed_wins",
            "draws",
            "cursed_losses",
            "losses",
            "max_win_ply",
            "max_loss_ply",
        ];
        for (ours, what) in ours.into_iter().zip(theirs) {
            // The generator counts a capture or pawn move that wins as no ply where nothing longer is won.
            let expected = match published(what) {
                0 if what.starts_with("max") => ours.min(1),
                number => number,
            };
            assert_eq!(ours, expected, "{name} {side} {what}");
        }
    }
}

#[test]
fn distances_to_zeroing_are_those_of_the_reference_generator() {
    let published = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    for row in published.iter().filter(|row| row["men"] != "5") {
        compare_zeroing(tables(), row["ending"], row);
    }
}

/// Five men, with cursed wins. Takes minutes.
#[test]
#[ignore = "generates tables of five men"]
fn spoilt_wins_are_those_of_the_reference_generator() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tables = Prober::open(folder.path());
    let names = "KRBvKR KQRvKQ";
    let options = GenerateOptions {
        metrics: vec![Metric::Dtz],
        ..GenerateOptions::default()
    };
    let targets = parse_specs(names).expect("a list of tables");
    let made =
        Generator::new(tables.store()).run(&targets, &options, &Control::new(2), &mut |_| {});
    made.expect("made");
    let published = rows(include_str!("../data/syzygy_wdl_counts.csv"));
    for name in names.split(' ') {
        let row = published.iter().find(|row| row["ending"] == name);
        compare_zeroing(&tables, name, row.expect(name));
    }
}

/// All three metrics give the same result, and no distance is longer than that to mate.
#[test]
fn metrics_agree_on_the_result() {
    let mut random = Random::new(5);
    let materials: Vec<Material> = parse_specs("all4").expect("a list of tables");
    for _ in 0..5_000 {
        let Some(position) = random_position(materials[random.below(materials.len())], &mut random)
        else {
            continue;
        };
        let values = tables().probe_all(&position).expect("values");
        let to_mate = tables().probe(&position).expect("a value");
        assert_eq!(values.wdl, to_mate.wdl(), "{}", position.fen());
        for plies in [values.dtc, values.dtz] {
            assert!(plies <= values.dtm && plies.is_some() == values.dtm.is_some());
        }
        let best = tables().probe_moves_all(&position).expect("values");
        if let Some(best) = best.first() {
            assert_eq!(best.values.dtm, values.dtm, "{}", position.fen());
            assert_eq!(best.values.wdl, values.wdl, "{}", position.fen());
        }
    }
}

#[test]
fn mutual_zugzwangs_are_the_published_ones() {
    let published = rows(include_str!("../data/max_dtm.csv"));
    for name in ["KQvK", "KPvK", "KPPvK", "KRvKB", "KRvKN", "KPvKP"] {
        let row = published
            .iter()
            .find(|row| row["ending"] == name)
            .expect(name);
        let stats = stats(
            tables().store(),
            name.parse().expect(name),
            Metric::Dtm,
            Counting::Once,
            &Control::new(1),
        )
        .expect(name);
        assert_eq!(
            stats.mutual_zugzwangs.total().to_string(),
            row["mutual_zugzwangs"],
            "{name}"
        );
    }
}

/// Identical pieces are not told apart by headers and by statistics that count each position once.
#[test]
fn positions_with_identical_pieces_count_once() {
    let list = tables().store().list();
    for name in ["KNNvK", "KPPvK"] {
        let material: Material = name.parse().expect(name);
        let header = list.iter().find(|info| info.key == material).expect(name);
        let once = stats(
            tables().store(),
            material,
            Metric::Dtm,
            Counting::Once,
            &Control::new(1),
        );
        let once = once.expect(name);
        let apart = told_apart(tables(), material, Metric::Dtm);
        for (side, header) in [
            (&once.white, header.counts()[0]),
            (&once.black, header.counts()[1]),
        ] {
            let (won, drawn, lost) = (header.won, header.drawn, header.lost);
            let ours = side.counts;
            assert_eq!(
                (ours.won, ours.drawn, ours.lost),
                (won, drawn, lost),
                "{name}"
            );
        }
        // Pawns are numbered as a set.
        let more = apart.white.counts.legal() > once.white.counts.legal();
        assert_eq!(more, name != "KPPvK", "{name}");
    }
}

#[test]
fn statistics_agree_with_the_header() {
    let stats = stats(
        tables().store(),
        "KRvKN".parse().expect("a material"),
        Metric::Dtm,
        Counting::Once,
        &Control::new(1),
    )
    .expect("statistics");
    for side in [&stats.white, &stats.black] {
        assert_eq!(side.wins.iter().sum::<u64>(), side.counts.won);
        assert_eq!(side.losses.iter().sum::<u64>(), side.counts.lost);
        let longest = side.longest_win.as_ref().expect("there are wins");
        assert_eq!(tables().probe(&longest.1), Ok(Value::Win(longest.0)));
    }
}

/// Position by position: small tables whole, with like men and with pawns, a larger one by a sample.
#[test]
fn some_tables_pass_verification() {
    let mut verified = 0;
    for (names, sample) in [("3 KNNvK", None), ("KPvKP", Some(100_000))] {
        let materials = parse_specs(names).expect("a list of tables");
        let options = VerifyOptions {
            sample,
            ..VerifyOptions::default()
        };
        let results = Verifier::new(tables().store()).verify(
            &materials,
            &options,
            &Control::new(2),
            &mut |_| {},
        );
        let results = results.expect("verified");
        for result in &results {
            assert_eq!((result.errors, &result.first), (0, &None), "{}", result.key);
            assert!(result.positions > 0);
        }
        verified += results.len();
    }
    assert_eq!(verified, 3 * 7);
}

/// All tables to mate, some in all metrics, 64 positions at a time: as many as one by one.
#[test]
fn tables_pass_fast_verification() {
    let verify = |names: &str, metrics: &[Metric]| {
        let materials = parse_specs(names).expect("a list of tables");
        let options = VerifyOptions {
            metrics: metrics.to_vec(),
            fast: true,
            ..VerifyOptions::default()
        };
        let results = Verifier::new(tables().store()).verify(
            &materials,
            &options,
            &Control::new(2),
            &mut |_| {},
        );
        let results = results.expect("verified");
        for result in &results {
            let told = (result.errors, &result.first);
            assert_eq!(told, (0, &None), "{} {:?}", result.key, result.metric);
        }
        results.iter().map(|result| result.positions).sum::<u64>()
    };
    assert_eq!(verify("all4", &[Metric::Dtm]), 125_478_291);
    let names = "3 KBBvK KRvKR KRvKP KPvKP";
    let zeroing = verify(names, &[Metric::Dtz]);
    assert_eq!(verify(names, &[Metric::Dtc]), zeroing);
}

/// Positions that a table alone gets wrong: the en-passant capture is not in its index.
#[test]
fn en_passant_is_exact() {
    let mut with_right = 0;
    let mut changed = 0;
    for white in 0..8u32 {
        for black in white.saturating_sub(1)..=(white + 1).min(7) {
            for kings in 0..4096u32 {
                let (own, other) = (kings & 63, kings >> 6);
                let name = |square: u32| {
                    format!(
                        "{}{}",
                        char::from(b'a' + (square & 7) as u8),
                        (square >> 3) + 1
                    )
                };
                let mut board = [[None; 8]; 8];
                let squares = [
                    (3 * 8 + white, 'P'),
                    (3 * 8 + black, 'p'),
                    (own, 'K'),
                    (other, 'k'),
                ];
                if squares
                    .iter()
                    .enumerate()
                    .any(|(n, a)| squares[..n].iter().any(|b| a.0 == b.0))
                {
                    continue;
                }
                for (square, letter) in squares {
                    board[(square >> 3) as usize][(square & 7) as usize] = Some(letter);
                }
                let rank = |rank: &[Option<char>; 8]| {
                    rank.iter()
                        .map(|man| man.map_or("1".to_owned(), String::from))
                        .collect::<String>()
                };
                let board: Vec<String> = board.iter().rev().map(rank).collect();
                let fen = format!("{} b - {} 0 1", board.join("/"), name(2 * 8 + white));
                let Ok(position) = Position::from_fen(&fen) else {
                    continue;
                };
                if position.ep_square().is_none() {
                    continue;
                }
                with_right += 1;
                let best = position.legal_moves().into_iter().map(|mv| {
                    let after = position.play(mv);
                    tables().probe(&after).expect("a value").before_move()
                });
                let best = best.max_by_key(|value| value.rank()).expect("a legal move");
                assert_eq!(tables().probe(&position), Ok(best), "{fen}");
                assert_eq!(tables().wdl(&position), Some(best.wdl()), "{fen}");
                let without = position_without_right(&fen);
                changed += usize::from(tables().probe(&without) != Ok(best));
            }
        }
    }
    assert!(
        with_right > 1000 && changed > 100,
        "{with_right} positions, {changed} where the right matters"
    );
}

fn position_without_right(fen: &str) -> Position {
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[3] = "-";
    position(&fields.join(" "))
}

#[test]
fn what_no_table_knows_has_no_value() {
    let castling = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(
        tables().probe(&castling),
        Err(ProbeError::Refused("castling rights"))
    );
    assert_eq!(tables().wdl(&castling), None);
    let five = position("4k3/8/8/8/8/8/3PPP2/4K3 w - - 0 1");
    assert!(matches!(tables().probe(&five), Err(ProbeError::Missing(_))));
    let many = position("rnbq1bnr/pppppppp/5k2/8/8/3K4/PPPPPPPP/RNBQ1BNR w - - 0 1");
    assert_eq!(tables().probe(&many), Err(ProbeError::TooManyMen(32)));
    assert_eq!(tables().max_men(), 4);
}

#[test]
fn values_do_not_depend_on_colours() {
    for (fen, value) in [
        ("8/8/8/8/8/8/2Rk4/1K6 b - - 0 1", Value::Loss(Plies(32))),
        ("1k6/2rK4/8/8/8/8/8/8 w - - 0 1", Value::Loss(Plies(32))),
        ("8/8/8/8/8/1n6/R7/K1k5 w - - 0 1", Value::Loss(Plies(0))),
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", Value::Draw),
        ("8/8/8/8/8/8/8/K1k3B1 w - - 0 1", Value::Draw),
        ("7k/8/5K2/8/8/8/8/Q7 w - - 0 1", Value::Win(Plies(3))),
        ("8/8/8/8/5R2/2pk4/5K2/8 b - - 0 1", Value::Win(Plies(85))),
        ("8/5k2/2PK4/5r2/8/8/8/8 w - - 0 1", Value::Win(Plies(85))),
    ] {
        assert_eq!(tables().probe(&position(fen)), Ok(value), "{fen}");
        assert_eq!(tables().probe_wdl(&position(fen)), Ok(value.wdl()), "{fen}");
    }
}

/// A thousand random won positions, played out: the winner follows the table, the loser resists as
/// long as it can. Every game ends in mate at the ply that the table gives.
#[test]
fn won_positions_are_converted_in_time() {
    let mut random = Random::new(7);
    let materials: Vec<Material> = parse_specs("all4").expect("a list of tables");
    let mut played = 0;
    while played < 1000 {
        let material = materials[random.below(materials.len())];
        let Some(start) = random_position(material, &mut random) else {
            continue;
        };
        let Ok(Value::Win(plies)) = tables().probe(&start) else {
            continue;
        };
        let line = tables().best_line(&start, Metric::Dtm).expect("a line");
        assert_eq!(line.len(), usize::from(plies.0), "{}", start.fen());
        let end = line.iter().fold(start, |position, best| {
            assert!(position.is_legal(best.mv));
            position.play(best.mv)
        });
        assert!(end.is_checkmate(), "{}", start.fen());
        played += 1;
    }
}

/// Both questions give the same answer; moves come best first.
#[test]
fn answers_agree_with_each_other() {
    let mut random = Random::new(11);
    let materials: Vec<Material> = parse_specs("all4").expect("a list of tables");
    for _ in 0..20_000 {
        let Some(position) = random_position(materials[random.below(materials.len())], &mut random)
        else {
            continue;
        };
        let value = tables().probe(&position).expect("a value");
        assert_eq!(
            tables().probe_wdl(&position),
            Ok(value.wdl()),
            "{}",
            position.fen()
        );
        let moves = tables()
            .probe_moves(&position, Metric::Dtm)
            .expect("values");
        assert!(
            moves
                .windows(2)
                .all(|pair| pair[0].value.rank() >= pair[1].value.rank())
        );
        match moves.first() {
            Some(best) => assert_eq!(best.value, value, "{}", position.fen()),
            None if position.in_check() => assert_eq!(value, Value::Loss(Plies(0))),
            None => assert_eq!(value.wdl(), Wdl::Draw),
        }
    }
}

/// A random placement of a material's pieces, if it is legal.
fn random_position(material: Material, random: &mut Random) -> Option<Position> {
    let mut board = [[None; 8]; 8];
    let flip = random.below(2) == 1;
    for (n, letter) in material
        .name()
        .chars()
        .filter(|letter| *letter != 'v')
        .enumerate()
    {
        let weak = n >= material.name().find('v').unwrap_or(0);
        let (file, rank) = (random.below(8), random.below(8));
        if board[rank][file].is_some() {
            return None;
        }
        board[rank][file] = Some(if weak == flip {
            letter
        } else {
            letter.to_ascii_lowercase()
        });
    }
    let rank = |rank: &[Option<char>; 8]| {
        rank.iter()
            .map(|man| man.map_or("1".to_owned(), String::from))
            .collect::<String>()
    };
    let board: Vec<String> = board.iter().map(rank).collect();
    let turn = ["w", "b"][random.below(2)];
    Position::from_fen(&format!("{} {turn} - - 0 1", board.join("/"))).ok()
}
