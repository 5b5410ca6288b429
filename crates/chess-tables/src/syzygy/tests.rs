//! The reader on files of the reference generator. Expected values are python-chess 1.11.2's.

use std::path::PathBuf;

use duchamp_base::{Mapped, Random, Wdl};
use duchamp_chess::{Board, Color, Oracle, Piece, Position, Role, Setup, Square};

use super::checksum::{CHECKSUM_LEN, checksum};
use super::file::{Stored, SyzygyFile, SyzygyKind};
use super::numbering::Man;
use super::tables::{SyzygyError, SyzygyTables};
use crate::material::Material;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/syzygy")
}

fn tables() -> SyzygyTables {
    SyzygyTables::open([folder()])
}

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn check(values: &[(&str, i32, i32)]) {
    let tables = tables();
    for &(fen, wdl, dtz) in values {
        let position = position(fen);
        assert_eq!(
            tables.wdl(&position).map(|wdl| wdl as i32),
            Ok(wdl),
            "{fen}"
        );
        assert_eq!(tables.dtz(&position).map(|dtz| dtz.0), Ok(dtz), "{fen}");
    }
    assert_eq!(tables.take_faults(), [""; 0]);
}

/// The side to move that the file of distances lacks is searched; mate in one needs no file.
#[test]
fn distances_are_stored_for_one_side() {
    check(&[
        ("8/8/8/8/8/2k5/8/KQ6 w - - 0 1", 2, 11),
        ("7k/5K2/8/6Q1/8/8/8/8 b - - 0 1", -2, -2),
        ("8/8/8/8/8/2k5/8/KR6 w - - 0 1", 2, 27),
        ("8/8/8/8/8/2k5/8/K1R5 b - - 0 1", -2, -30),
        ("5k2/8/8/8/8/8/R7/K7 b - - 0 1", -2, -26),
        ("8/8/8/8/8/1k6/8/1KR5 b - - 0 1", -2, -22),
        ("k7/8/1K6/8/8/8/7R/8 w - - 0 1", 2, 1),
    ]);
    let tables = tables();
    let sides = ["w", "b"].map(|side| {
        let position = position(&format!("8/8/8/3k4/8/8/8/KR6 {side} - - 0 1"));
        let wdl = tables.wdl(&position).expect("a file");
        matches!(tables.stored_dtz(&position, wdl), Ok(Stored::OtherSide))
    });
    assert_ne!(sides[0], sides[1]);
}

#[test]
fn colours_may_be_the_other_way_round() {
    check(&[
        ("kq6/8/2K5/8/8/8/8/8 b - - 0 1", 2, 11),
        ("kr6/8/2K5/8/8/8/8/8 b - - 0 1", 2, 27),
    ]);
}

/// A file has no en passant: the capture may be better than all that it stores.
#[test]
fn en_passant_may_be_the_best_move() {
    check(&[
        // Wins, while without it the pawn is lost.
        ("8/8/8/pP2k3/8/8/8/6K1 w - a6 0 1", 2, 1),
        ("8/8/8/8/3Pp1K1/k7/8/8 b - d3 0 1", 2, 1),
        // Draws instead of losing.
        ("8/8/8/pPk5/8/8/8/6K1 w - a6 0 1", 0, 0),
        // Wins instead of drawing.
        ("8/8/8/pP2k3/8/8/8/K7 w - a6 0 1", 2, 1),
        // Changes nothing.
        ("8/8/8/pPk5/8/8/8/K7 w - a6 0 1", 0, 0),
    ]);
    let tables = tables();
    for (fen, wdl) in [
        ("8/8/8/pP2k3/8/8/8/6K1 w - - 0 1", Wdl::Loss),
        ("8/8/8/8/3Pp1K1/k7/8/8 b - - 0 1", Wdl::Loss),
        ("8/8/8/pPk5/8/8/8/6K1 w - - 0 1", Wdl::Loss),
        ("8/8/8/pP2k3/8/8/8/K7 w - - 0 1", Wdl::Draw),
    ] {
        assert_eq!(tables.wdl(&position(fen)), Ok(wdl), "{fen}");
    }
}

/// Of a material that mirrors itself one side to move is stored.
#[test]
fn symmetric_material_has_one_side() {
    check(&[
        ("8/1p6/8/8/k7/8/6P1/K7 w - - 0 1", 2, 1),
        ("k7/6p1/8/K7/8/8/1P6/8 b - - 0 1", 2, 1),
        ("8/1p6/8/8/K7/8/6P1/k7 b - - 0 1", -2, -1),
        ("K7/6p1/8/k7/8/8/1P6/8 w - - 0 1", -2, -1),
    ]);
}

/// Of KBvK and KNvK all positions are drawn, of KRPvK all with White to move are won: their files say no more.
#[test]
fn a_table_may_have_a_single_value() {
    check(&[
        ("8/8/8/3k4/8/8/8/KB6 w - - 0 1", 0, 0),
        ("8/8/8/3k4/8/8/1n6/K7 b - - 0 1", 0, 0),
        ("8/8/8/8/8/1k6/3P4/K2R4 w - - 0 1", 2, 1),
        ("8/8/8/8/8/2k5/3P4/K2R4 b - - 0 1", -2, -4),
    ]);
}

#[test]
fn stalemate_is_a_draw() {
    check(&[
        ("1k6/1P6/1K6/8/8/8/8/8 b - - 0 1", 0, 0),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0, 0),
    ]);
}

/// Cursed wins need five men: no file of three or four has a value between a draw and a win.
#[test]
fn no_small_table_is_cursed() {
    let tables = tables();
    let mut random = Random::new(11);
    for name in ["KQvK", "KRvK", "KPvK", "KPvKP", "KBBvK"] {
        let material: Material = name.parse().expect("a material");
        for position in positions(material, 2_000, &mut random) {
            let wdl = tables.wdl(&position).expect("a file");
            assert!(
                matches!(wdl, Wdl::Loss | Wdl::Draw | Wdl::Win),
                "{position:?}: {wdl:?}"
            );
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let tables = tables();
    let missing = position("8/8/8/3k4/3r4/8/8/KQ6 w - - 0 1");
    let material: Material = "KQvKR".parse().expect("a material");
    let error = SyzygyError::Missing(material, SyzygyKind::Wdl);
    assert_eq!(error.to_string(), "no file KQvKR.rtbw");
    assert_eq!(tables.wdl(&missing), Err(error));
    assert_eq!(
        tables.wdl(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")),
        Err(SyzygyError::Castling)
    );
    assert_eq!(
        tables.wdl(&position(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
        )),
        Err(SyzygyError::TooManyMen)
    );
    assert_eq!(Oracle::wdl(&tables, &missing), None);
}

#[test]
fn files_may_lie_in_memory() {
    let material: Material = "KQvK".parse().expect("a material");
    let bytes = std::fs::read(folder().join("KQvK.rtbw")).expect("readable");
    let position = position("8/8/8/8/8/2k5/8/KQ6 w - - 0 1");
    let tables = SyzygyTables::of_files([(material, SyzygyKind::Wdl, bytes.clone())]);
    assert_eq!(tables.wdl(&position), Ok(Wdl::Win));
    assert_eq!((tables.largest(), tables.count(SyzygyKind::Dtz)), (3, 0));
    let cut = bytes[..80].to_vec();
    let tables = SyzygyTables::of_files([(material, SyzygyKind::Wdl, cut)]);
    let error = SyzygyError::Damaged(material, SyzygyKind::Wdl);
    assert_eq!(tables.wdl(&position), Err(error));
    assert_eq!(tables.take_faults().len(), 1);
}

#[test]
fn a_wrong_checksum_is_found() {
    let material: Material = "KRvK".parse().expect("a material");
    let kind = SyzygyKind::Wdl;
    assert_eq!(tables().has_right_checksum(material, kind), Ok(true));
    let mut bytes = std::fs::read(folder().join("KRvK.rtbw")).expect("readable");
    bytes[100] ^= 1;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("KRvK.rtbw"), bytes).expect("writable");
    let tables = SyzygyTables::open([folder.path()]);
    assert_eq!(tables.has_right_checksum(material, kind), Ok(false));
}

/// Whatever is cut off of a file that is in use: the true value or none, and one line.
#[test]
#[cfg(unix)]
fn a_file_that_is_cut_off_in_use_is_not_believed() {
    let material: Material = "KRvK".parse().expect("a material");
    let mut random = Random::new(7);
    let questions = positions(material, 200, &mut random);
    let truth = tables();
    let cut_folder = tempfile::tempdir().expect("a folder");
    for kind in [SyzygyKind::Wdl, SyzygyKind::Dtz] {
        for round in 0..30 {
            for name in ["KRvK.rtbw", "KRvK.rtbz"] {
                let path = cut_folder.path().join(name);
                let _ = std::fs::remove_file(&path);
                std::fs::copy(folder().join(name), path).expect("copied");
            }
            let tables = SyzygyTables::open([cut_folder.path()]);
            let ask = || {
                for position in &questions {
                    if let Ok(wdl) = tables.wdl(position) {
                        assert_eq!(Ok(wdl), truth.wdl(position));
                    }
                    if let Ok(dtz) = tables.dtz(position) {
                        assert_eq!(Ok(dtz), truth.dtz(position));
                    }
                }
            };
            ask();
            assert_eq!(tables.take_faults(), [""; 0]);
            let path = cut_folder.path().join(format!("KRvK.{}", kind.extension()));
            let file = std::fs::File::options().write(true).open(path);
            let file = file.expect("opened");
            let length = file.metadata().expect("a file").len() as usize;
            let left = [0, length - 1, random.below(length)][round % 3];
            file.set_len(left as u64).expect("cut off");
            ask();
            assert_eq!(tables.take_faults().len(), 1, "{kind:?} {left}");
        }
    }
}

/// Random legal positions.
fn positions(material: Material, count: usize, random: &mut Random) -> Vec<Position> {
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut board = Board::EMPTY;
        for color in Color::ALL {
            for role in Role::ALL {
                for _ in 0..material.count(color, role) {
                    let square = Square::ALL[random.below(64)];
                    if board.at(square).is_none() {
                        board.put(Piece { color, role }, square);
                    }
                }
            }
        }
        let setup = Setup {
            board,
            turn: Color::ALL[random.below(2)],
            ..Setup::EMPTY
        };
        if board.men() == material.men() {
            positions.extend(Position::from_setup(&setup));
        }
    }
    positions
}

/// Files with damage anywhere and right checksums: an error or any value, no panic, no endless loop.
#[test]
fn forged_files_do_no_harm() {
    let mut random = Random::new(7);
    let (mut refused, mut probed, mut faults) = (0, 0, 0);
    for name in [
        "KQvK.rtbw",
        "KQvK.rtbz",
        "KRvK.rtbz",
        "KPvK.rtbw",
        "KPvK.rtbz",
        "KBBvK.rtbw",
        "KPvKP.rtbz",
        "KRPvK.rtbz",
    ] {
        let good = std::fs::read(folder().join(name)).expect("readable");
        let (stem, end) = name.split_once('.').expect("an ending");
        let material: Material = stem.parse().expect("a material");
        let kind = SyzygyKind::ALL[usize::from(end == "rtbz")];
        let positions = positions(material, 40, &mut random);
        for _ in 0..150 {
            let mut bytes = good.clone();
            forge(&mut bytes, &mut random);
            let Ok(file) = SyzygyFile::read(Mapped::from(bytes), material, kind) else {
                refused += 1;
                continue;
            };
            assert!(file.has_right_checksum());
            for position in &positions {
                let swapped = random.below(2) == 1 && material.is_symmetric();
                let failed = match kind {
                    SyzygyKind::Wdl => file.wdl(position, swapped).is_err(),
                    SyzygyKind::Dtz => [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss]
                        .iter()
                        .any(|&wdl| file.dtz(position, swapped, wdl).is_err()),
                };
                probed += 1;
                faults += u32::from(failed);
            }
        }
    }
    // Damage of every kind was met.
    assert!(refused > 100, "{refused}");
    assert!(probed > 10_000, "{probed}");
    assert!(faults > 1_000, "{faults}");
}

/// A file of results with four sub-tables of one value each, led by the first of these men; two of three pawns and one pawn.
fn single_valued(men: [[Man; 6]; 4]) -> Vec<u8> {
    let mut bytes = SyzygyKind::Wdl.magic().to_vec();
    bytes.push(3);
    for men in men {
        bytes.extend([0x00, 0x11]);
        bytes.extend(men.map(|man| man.bits() * 0x11));
    }
    bytes.resize(bytes.len().next_multiple_of(2), 0);
    // Each side of each sub-table: all draws.
    bytes.extend([0x80, 2].repeat(8));
    bytes.resize(bytes.len().next_multiple_of(64), 0);
    let sum = checksum(&bytes);
    bytes.extend(sum);
    bytes
}

/// The pawns that lead name the sub-table, so they lead in all of them.
#[test]
fn sub_tables_with_other_leading_pawns_are_refused() {
    let material: Material = "KPPPvKP".parse().expect("a material");
    let [pawn, other] = Color::ALL.map(|color| Man::new(color, Role::Pawn));
    let [king, bare] = Color::ALL.map(|color| Man::new(color, Role::King));
    let alike = [other, pawn, pawn, pawn, king, bare];
    let tables = |men| SyzygyTables::of_files([(material, SyzygyKind::Wdl, single_valued(men))]);
    let position = position("4k3/1p6/8/8/8/8/PPP5/4K3 w - - 0 1");
    assert_eq!(tables([alike; 4]).wdl(&position), Ok(Wdl::Draw));
    let unlike = [pawn, pawn, pawn, other, king, bare];
    let forged = tables([unlike, alike, alike, alike]);
    let error = SyzygyError::Damaged(material, SyzygyKind::Wdl);
    assert_eq!(forged.wdl(&position), Err(error));
    assert!(forged.take_faults()[0].ends_with("sub-tables with different leading pawns"));
}

/// Nothing in memory is read as a table of more men than there are tables of.
#[test]
fn more_than_seven_men_are_refused() {
    let material: Material = "KQRBNvKQN".parse().expect("a material");
    let tables = SyzygyTables::of_files([(material, SyzygyKind::Wdl, vec![0; 80])]);
    assert_eq!((tables.largest(), tables.take_faults().len()), (0, 1));
}

/// Damages a file in its header, its tables or its blocks, and makes its checksum right.
fn forge(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.truncate(bytes.len() - CHECKSUM_LEN);
    for _ in 0..=random.below(4) {
        let len = bytes.len();
        // Most of what can go wrong is in the first bytes.
        let at = match random.below(4) {
            0 => random.below(len.min(40)),
            1 => random.below(len.min(400)),
            2 => random.below(len.min(4_000)),
            _ => random.below(len),
        };
        let other = random.below(len);
        match random.below(6) {
            0 => bytes[at] = 0,
            1 => bytes[at] = 0xFF,
            2 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = bytes[other],
            4 => bytes[at] = random.below(256) as u8,
            _ if random.below(4) == 0 && len > 128 => bytes.truncate(len - 64),
            _ => {
                let end = (at + 8).min(len);
                bytes[at..end].fill(random.below(256) as u8);
            }
        }
    }
    let sum = checksum(bytes);
    bytes.extend(sum);
}
