//! Won games against the best defence, with Syzygy tables alone.

use crate::common::Rng;
use crate::common::client::Client;
use crate::syzygy::{engine_with, files};
use duchamp_chess::{Color, Game, Move, Outcome, Position};
use duchamp_chess_tables::{Material, SyzygyKind, SyzygyTables, Wdl};
use std::path::{Path, PathBuf};

/// Plays on from a position, the engine for the winner, and returns the game.
fn play(
    client: &mut Client,
    tables: &SyzygyTables,
    rng: &mut Rng,
    start: Position,
    winner: Color,
    limit: &str,
) -> Game {
    let mut game = Game::new(start);
    let mut moves = String::new();
    client.send("ucinewgame");
    while game.outcome().is_none() {
        let mv = if game.current().turn() == winner {
            let fen = start.fen();
            client.send(&format!("position fen {fen} moves{moves}"));
            let search = client.go(limit);
            let mv = game.current().parse_uci(search.best());
            mv.expect("a legal move")
        } else {
            best_defence(tables, rng, &game)
        };
        moves.push_str(&format!(" {mv:?}"));
        game.push(mv);
    }
    game
}

/// A move that draws, or the one with the longest distance to zeroing; of several, one that repeats a position or a random
/// one.
fn best_defence(tables: &SyzygyTables, rng: &mut Rng, game: &Game) -> Move {
    let moves = tables.move_distances(game.current()).expect("all files");
    let resistance = |dtz: i32| if dtz < 0 { -dtz } else { 1000 };
    let most = moves.iter().map(|(_, dtz)| resistance(dtz.0)).max();
    let best: Vec<Move> = moves
        .iter()
        .filter(|(_, dtz)| Some(resistance(dtz.0)) == most)
        .map(|&(mv, _)| mv)
        .collect();
    let repeating = best.iter().find(|&&mv| {
        let mut after = game.clone();
        after.push(mv);
        after.is_repetition(1)
    });
    match repeating {
        Some(&mv) if rng.below(2) == 0 => mv,
        _ => best[rng.below(best.len())],
    }
}

/// A random won position of a material, with the side that wins. With `late` the halfmove clock is so high that no ply may
/// be wasted.
fn won_position(
    material: Material,
    tables: &SyzygyTables,
    rng: &mut Rng,
    late: bool,
) -> Option<(Position, Color)> {
    for _ in 0..10_000 {
        let fen = random_fen(material, rng, 0);
        let Ok(position) = Position::from_fen(&fen) else {
            continue;
        };
        let Ok(wdl) = tables.wdl(&position) else {
            continue;
        };
        let winner = match wdl {
            Wdl::Win => position.turn(),
            Wdl::Loss => !position.turn(),
            _ => continue,
        };
        if position.legal_moves().is_empty() {
            continue;
        }
        if !late {
            return Some((position, winner));
        }
        let dtz = tables.dtz(&position).expect("all files").0.unsigned_abs();
        let clock = 99u32.saturating_sub(dtz);
        let fen = fen.replace(" 0 80", &format!(" {clock} 80"));
        return Some((Position::from_fen(&fen).expect("legal as before"), winner));
    }
    None
}

/// A random placement of the men of a material.
fn random_fen(material: Material, rng: &mut Rng, clock: u32) -> String {
    let name = material.name();
    let (white, black) = name.split_once('v').expect("two sides");
    let flip = rng.below(2) == 0;
    let mut board = [' '; 64];
    for (men, upper) in [(white, !flip), (black, flip)] {
        for man in men.chars() {
            let squares = if man == 'P' { 8..56 } else { 0..64 };
            let square = loop {
                let square = squares.start + rng.below(squares.len());
                if board[square] == ' ' {
                    break square;
                }
            };
            board[square] = if upper { man } else { man.to_ascii_lowercase() };
        }
    }
    let rows: Vec<String> = board
        .chunks(8)
        .map(|row| {
            row.iter()
                .map(|&man| if man == ' ' { '1' } else { man })
                .collect()
        })
        .collect();
    let turn = if rng.below(2) == 0 { 'w' } else { 'b' };
    format!("{} {turn} - - {clock} 80", rows.join("/"))
}

/// The materials whose won positions can be played with these files.
fn materials(tables: &SyzygyTables) -> Vec<Material> {
    let has = |wanted: Material, kind: SyzygyKind| {
        tables
            .materials()
            .any(|(material, has)| material == wanted && has[kind as usize])
    };
    let whole = |material: &Material| {
        has(*material, SyzygyKind::Dtz)
            && material
                .children()
                .iter()
                .all(|&child| has(child, SyzygyKind::Wdl) && has(child, SyzygyKind::Dtz))
    };
    let mut materials: Vec<Material> = tables.materials().map(|(material, _)| material).collect();
    materials.retain(whole);
    materials.sort_by_key(|material| (material.men(), material.name()));
    materials
}

/// Games played, and plies in all.
fn win_all(path: &Path, materials: &[Material], count: usize, limit: &str) -> (usize, usize) {
    let tables = SyzygyTables::open([path]);
    let mut rng = Rng(2023);
    let (mut client, _) = engine_with(&path.to_string_lossy());
    let (mut played, mut plies, mut tried) = (0, 0, 0);
    while played < count && tried < count * 10 {
        let material = materials[tried % materials.len()];
        let late = tried / materials.len() % 2 == 1;
        tried += 1;
        let Some((start, winner)) = won_position(material, &tables, &mut rng, late) else {
            continue;
        };
        let game = play(&mut client, &tables, &mut rng, start, winner, limit);
        let outcome = game.outcome();
        assert_eq!(
            outcome,
            Some(Outcome::Win(winner)),
            "{} {:?}",
            start.fen(),
            game.moves()
        );
        played += 1;
        plies += game.moves().len();
    }
    assert!(client.quit().success());
    (played, plies)
}

#[test]
fn three_men_are_won_within_the_rule() {
    let name = |name: &str| name.parse::<Material>().expect("a material");
    let materials = [name("KPvK"), name("KRvK"), name("KQvK")];
    let (played, _) = win_all(&files(), &materials, 12, "nodes 300");
    assert_eq!(played, 12);
}

/// Without distances every move of the engine still keeps the win from a fresh clock, and it is searched, so that captures
/// and mates are found; the search alone would now and then lose bishop or knight.
#[test]
fn results_alone_keep_a_win() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["KBNvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"] {
        std::fs::copy(files().join(name), folder.path().join(name)).expect("a copy");
    }
    let tables = SyzygyTables::open([folder.path()]);
    let (mut client, _) = engine_with(&folder.path().to_string_lossy());
    let material = "KBNvK".parse().expect("a material");
    let (mut rng, mut narrow) = (Rng(7), 0);
    while narrow < 20 {
        let Some((position, winner)) = won_position(material, &tables, &mut rng, false) else {
            panic!("KBNvK is won");
        };
        let keeps = |mv: Move| tables.wdl(&position.play(mv)) == Ok(Wdl::Loss);
        let moves = position.legal_moves();
        if position.turn() != winner || moves.iter().all(|&mv| keeps(mv)) {
            continue;
        }
        narrow += 1;
        client.send(&format!("position fen {}", position.fen()));
        // One node: nothing but the tables can choose.
        let search = client.go("nodes 1");
        let mv = position.parse_uci(search.best()).expect("legal");
        assert!(keeps(mv), "{} {mv:?}", position.fen());
        assert!(
            search.field("cp").is_some_and(|cp| cp == "20000"),
            "{}",
            search.last_info()
        );
    }
}

/// `DUCHAMP_SYZYGY` names the folder, `DUCHAMP_GAMES` the number of positions (500), `DUCHAMP_GO` the limit of a move
/// (`nodes 1000`), `DUCHAMP_MATERIALS` the materials (all of which the folder has all files).
#[test]
#[ignore = "takes minutes, needs a folder of Syzygy files"]
fn all_won_positions_of_a_folder_are_won() {
    let variable = |name: &str| std::env::var(name).ok();
    let path = PathBuf::from(variable("DUCHAMP_SYZYGY").expect("DUCHAMP_SYZYGY names a folder"));
    let count = variable("DUCHAMP_GAMES").map_or(500, |n| n.parse().expect("a number"));
    let limit = variable("DUCHAMP_GO").unwrap_or_else(|| "nodes 1000".to_owned());
    let chosen = match variable("DUCHAMP_MATERIALS") {
        Some(list) => list
            .split(',')
            .map(|name| name.parse().expect("a material"))
            .collect(),
        None => materials(&SyzygyTables::open([&path])),
    };
    let (played, plies) = win_all(&path, &chosen, count, &limit);
    println!(
        "{played} games won of {played}, {} materials, {plies} plies",
        chosen.len()
    );
    assert!(played >= count.min(1), "no won position");
}
