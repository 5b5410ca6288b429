//! Data generation from outside: games generated, cut off, continued, damaged, joined, printed.

use crate::common::program::{duchamp, out};
#[cfg(unix)]
use crate::common::program::{interrupted, text};
use duchamp_base::Random;
use std::fs;
use std::path::Path;

/// Makes `games` games of few nodes.
fn make(folder: &Path, file: &str, games: &str) {
    let arguments = ["datagen", "--out", file, "--nodes", "30", "--games", games];
    out(folder, &arguments);
}

fn stats(folder: &Path, file: &str) -> serde_json::Value {
    serde_json::from_str(&out(folder, &["datagen", "stats", "--json", file])).expect("JSON")
}

#[test]
fn a_file_that_was_cut_off_is_completed_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.games");
    make(folder.path(), "a.games", "70");
    let whole = fs::read(&path).expect("games");
    let count = stats(folder.path(), "a.games");
    assert_eq!(count["games"], 70);
    assert_eq!(count["repeated_games"], 0);
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let off_game = number(&count["off_game"][0]);
    assert!(off_game > 100.0);
    // Four bytes a position, at most thirteen an off-game position, and a little for headers.
    let most = 4.9 * number(&count["positions"]) + 13.0 * off_game;
    assert!(
        (whole.len() as f64) < most,
        "{} of {most} bytes",
        whole.len()
    );
    // As after a crash in the middle of a block.
    fs::write(&path, &whole[..whole.len() * 3 / 4]).expect("written");
    assert_eq!(stats(folder.path(), "a.games")["cut_off"], 1);
    make(folder.path(), "a.games", "70");
    assert_eq!(fs::read(&path).expect("games"), whole);
    // All there: nothing to do.
    make(folder.path(), "a.games", "70");
    assert_eq!(fs::read(&path).expect("games"), whole);
}

/// Where positions beside the games come from changes nothing in the games; drawn from searches, they are the same with
/// any number of threads.
#[test]
fn positions_of_searches_leave_the_games_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let played = |file: &str, more: &str| {
        let line =
            format!("datagen --out {file} --nodes 60 --games 64 --seed 7 --off-game 100 {more}");
        out(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        let count = stats(folder.path(), file);
        // But for the settings in the players' names.
        let mut pgn = out(folder.path(), &["datagen", "pgn", file]);
        pgn = pgn
            .lines()
            .filter(|line| !line.contains("Duchamp"))
            .collect();
        (pgn, count["off_game"].clone())
    };
    let (random_moves, beside) = played("a.games", "");
    let (from_search, drawn) = played("b.games", "--from-search 100");
    assert_eq!(from_search, random_moves);
    assert!(drawn[1].as_u64() > Some(1000) && drawn != beside, "{drawn}");
    let (_, both) = played("c.games", "--from-search 50");
    assert!(both != drawn && both != beside);
    played("d.games", "--from-search 100 --threads 2");
    assert_eq!(stats(folder.path(), "d.games")["off_game"], drawn);
}

/// Thirty-two games make a block, so eight of the second one are missing after the first run.
#[test]
fn a_file_goes_on_to_a_larger_number_of_games() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for games in ["40", "45", "100"] {
        make(folder.path(), "a.games", games);
        let count = stats(folder.path(), "a.games");
        assert_eq!(count["games"].to_string(), games);
        assert_eq!(count["repeated_games"], 0);
    }
    make(folder.path(), "b.games", "100");
    let positions = |file| stats(folder.path(), file)["positions"].clone();
    assert_eq!(positions("a.games"), positions("b.games"));
}

/// A game of so many nodes takes hours: an interrupt does not wait for it, and a later run plays it again.
#[cfg(unix)]
#[test]
fn an_interrupt_drops_the_game_in_progress() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.games");
    make(folder.path(), "a.games", "32");
    let before = fs::read(&path).expect("games");
    let line = "datagen --out a.games --games 64 --nodes 50000000 --threads 2";
    let words: Vec<&str> = line.split(' ').collect();
    let (output, time) = interrupted(folder.path(), &words);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(time.as_secs() < 30, "{time:?}");
    let last = told.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("duchamp: stopped; what was done is kept. To go on: "),
        "{told}"
    );
    assert!(!told.contains("in progress"), "{told}");
    assert!(text(&output.stdout).starts_with("Generated 0 games, 0 positions, "));
    assert_eq!(fs::read(&path).expect("games"), before);
    make(folder.path(), "a.games", "64");
    make(folder.path(), "b.games", "64");
    let whole = fs::read(folder.path().join("b.games")).expect("games");
    assert_eq!(fs::read(&path).expect("games"), whole);
}

/// For `material`, which does not change with the built-in network, the start position of ordinary chess is not level enough,
/// so the first game that begins with it is not played; those before it, from other start positions, are not lost.
#[test]
fn games_before_one_without_an_opening_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let percent = 80;
    let ordinary = |seed, number| Random::of(seed, number).below(100) >= percent;
    let third = |&seed: &u64| !ordinary(seed, 0) && !ordinary(seed, 1) && ordinary(seed, 2);
    let seed = (1..).find(third).expect("there are such seeds");
    let line = format!(
        "datagen --out a.games --games 9 --nodes 2 --seed {seed} --off-game 0 \
         --random-plies 0 0 --max-opening 10 --chess960-percent {percent} --net material"
    );
    let words: Vec<&str> = line.split(' ').collect();
    let output = duchamp(folder.path(), &words);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("none is balanced"), "{told}");
    assert_eq!(stats(folder.path(), "a.games")["games"], 2);
}

#[test]
fn off_game_positions_are_added_to_games() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.games", "70");
    let add = |out_file: &str, threads: &str| {
        let arguments = [
            "datagen",
            "off-game",
            "a.games",
            "--out",
            out_file,
            "--each",
            "2",
            "--nodes",
            "20",
            "--threads",
            threads,
        ];
        out(folder.path(), &arguments)
    };
    let told = add("b.games", "2");
    assert!(
        told.starts_with("Added ") && told.ends_with(" off-game positions\n"),
        "{told}"
    );
    let [before, after] = ["a.games", "b.games"].map(|file| stats(folder.path(), file));
    for same in ["games", "positions", "kept", "draws"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    let off_game = |count: &serde_json::Value| count["off_game"][0].as_u64().expect("a number");
    let positions = after["positions"].as_u64().expect("a number");
    assert!(off_game(&after) - off_game(&before) > positions);
    // What is there is not searched again; the order of threads makes no difference but to that of blocks.
    assert_eq!(add("b.games", "1"), "Added 0 off-game positions\n");
    add("c.games", "1");
    let size = |file| {
        fs::metadata(folder.path().join(file))
            .expect("a file")
            .len()
    };
    assert_eq!(size("b.games"), size("c.games"));
}

#[test]
fn positions_are_scored_anew() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.games", "70");
    let rescore = |out_file: &str, more: &[&str]| {
        let arguments = ["datagen", "rescore", "a.games", "--out", out_file];
        out(folder.path(), &[&arguments, more].concat())
    };
    let nodes = ["--nodes", "40", "--one-in", "1"];
    let told = rescore("b.games", &[&nodes[..], &["--threads", "2"]].concat());
    let count = told.strip_prefix("Scored ").expect(&told);
    let count = count.strip_suffix(" positions\n").expect(&told);
    let scored: u64 = count.replace(',', "").parse().expect(&told);
    let [before, after] = ["a.games", "b.games"].map(|file| stats(folder.path(), file));
    for same in ["games", "positions", "draws"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    let kept = |count: &serde_json::Value| count["kept"].as_u64().expect("a number");
    assert!(kept(&after) < kept(&before) && kept(&after) > kept(&before) / 2);
    assert!(scored >= kept(&after), "{scored}");
    // Moves without a score have none in a game, either.
    let pgn = out(folder.path(), &["datagen", "pgn", "b.games"]);
    assert!(pgn.contains('{') && !pgn.contains("-32768"));
    // What is there is not searched again; fewer are fewer.
    assert_eq!(rescore("b.games", &nodes), "Scored 0 positions\n");
    rescore("c.games", &["--nodes", "40", "--one-in", "8"]);
    let few = kept(&stats(folder.path(), "c.games"));
    assert!(few > 0 && few < kept(&after) / 4, "{few}");
}

/// Two files of the same seed and numbers, but of other games: all of both are worked on, and none twice.
#[test]
fn files_are_told_apart_by_their_games() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = |nodes: &str, file: &str| {
        let line = format!("datagen --out {file} --games 16 --nodes {nodes} --quiet");
        let words: Vec<&str> = line.split(' ').collect();
        out(folder.path(), &words);
    };
    line("30", "a.games");
    line("60", "b.games");
    let add = |file: &str| {
        let line = format!("datagen off-game {file} --out all.games --nodes 20");
        let words: Vec<&str> = line.split(' ').collect();
        out(folder.path(), &words)
    };
    for (file, games) in [("a.games", 16), ("b.games", 32)] {
        assert_ne!(add(file), "Added 0 off-game positions\n", "{file}");
        assert_eq!(stats(folder.path(), "all.games")["games"], games);
        assert_eq!(add(file), "Added 0 off-game positions\n", "{file}");
        assert_eq!(stats(folder.path(), "all.games")["games"], games);
    }
}

/// What was played when the time was over is kept, and a later run goes on behind it.
#[test]
fn games_of_a_limited_time_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "datagen --out a.games --nodes 600 --hours 0.0006";
    let told = out(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let count = told.strip_prefix("Generated ").expect(&told);
    let count: u64 = count
        .split(' ')
        .next()
        .unwrap_or_default()
        .parse()
        .expect(&told);
    assert_eq!(stats(folder.path(), "a.games")["games"], count);
    let more = (count + 3).to_string();
    for file in ["a.games", "b.games"] {
        let line = format!("datagen --out {file} --nodes 600 --games {more}");
        out(folder.path(), &line.split(' ').collect::<Vec<_>>());
    }
    let [a, b] = ["a.games", "b.games"].map(|file| stats(folder.path(), file));
    for same in ["games", "positions", "repeated_games", "off_game"] {
        assert_eq!(a[same], b[same], "{same}");
    }
}

/// Settings with which no game can be played end with a line, and no file is begun before they are looked at.
#[test]
fn settings_that_cannot_be_are_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (options, code, why) in [
        (
            "--random-plies 0 0 --max-opening 10 --chess960-percent 0 --net material",
            1,
            "balanced",
        ),
        ("--nodes 1152921504606846976", 2, "--nodes"),
        ("--hours -1", 2, "--hours"),
        ("--net none.net", 2, "none.net"),
    ] {
        let nodes = if options.contains("--nodes") {
            ""
        } else {
            " --nodes 1"
        };
        let line = format!("datagen --out x.games --games 1 {options}{nodes}");
        let output = duchamp(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert!(told.contains(why), "{line}: {told}");
        let begun = fs::remove_file(folder.path().join("x.games")).is_ok();
        assert!(!(begun && code == 2), "{line}");
    }
}

#[test]
fn damage_is_told_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.games");
    make(folder.path(), "a.games", "40");
    let mut bytes = fs::read(&path).expect("games");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).expect("written");
    for arguments in [
        &["datagen", "stats", "a.games"][..],
        &["datagen", "pgn", "a.games"],
        &[
            "datagen", "--out", "a.games", "--games", "99", "--nodes", "30",
        ],
        &["datagen", "stats", "missing.games"],
        &["datagen", "--out", "nowhere/a.games", "--games", "1"],
        &["datagen", "--out", "b.games", "--nodes", "0"],
        &["datagen", "--out", "b.games", "--random-plies", "9", "8"],
        &["datagen", "--out", "b.games", "--hours", "-1"],
        &["datagen", "merge", "--out", "a.games", "a.games"],
        &["datagen", "off-game", "a.games", "--out", "b.games"],
        &["datagen", "off-game", "missing.games", "--out", "b.games"],
        &["datagen", "rescore", "a.games", "--out", "b.games"],
    ] {
        let output = duchamp(folder.path(), arguments);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told.trim().lines().count(), 1, "{arguments:?}: {told}");
    }
    assert_eq!(fs::read(&path).expect("games"), bytes);
    fs::write(folder.path().join("text"), "no games").expect("written");
    assert_eq!(
        duchamp(folder.path(), &["datagen", "stats", "text"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn joined_files_hold_every_game_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.games", "40");
    make(folder.path(), "b.games", "50");
    let merge = [
        "datagen",
        "merge",
        "--out",
        "all.games",
        "a.games",
        "b.games",
    ];
    let told = out(folder.path(), &merge);
    assert_eq!(told.trim(), "Added 50 games, dropped 40 duplicates");
    let count = stats(folder.path(), "all.games");
    assert_eq!(
        (&count["games"], &count["repeated_games"]),
        (&50.into(), &0.into())
    );
    assert_eq!(
        count["positions"],
        stats(folder.path(), "b.games")["positions"]
    );
}

/// One file that is missing, or is the output, and nothing is appended.
#[test]
fn files_to_join_are_looked_at_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.games", "8");
    make(folder.path(), "b.games", "9");
    let before = fs::read(folder.path().join("a.games")).expect("games");
    for last in ["missing.games", "a.games"] {
        let merge = ["datagen", "merge", "--out", "a.games", "b.games", last];
        assert_eq!(duchamp(folder.path(), &merge).status.code(), Some(2));
        let after = fs::read(folder.path().join("a.games")).expect("games");
        assert_eq!(before, after, "{last}");
    }
}

#[test]
fn games_become_pgn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path(), "a.games", "12");
    let text = out(
        folder.path(),
        &["datagen", "pgn", "a.games", "--games", "10"],
    );
    assert_eq!(text.matches("[Event \"self-play\"]").count(), 10);
    let results =
        ["1-0", "0-1", "1/2-1/2"].map(|r| text.matches(&format!("[Result \"{r}\"]")).count());
    assert_eq!(results.iter().sum::<usize>(), 10);
}

/// Games that are missing are not passed over in silence.
#[test]
fn who_reads_a_file_that_was_cut_off_hears_of_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.games");
    make(folder.path(), "a.games", "70");
    let whole = fs::read(&path).expect("games");
    fs::write(&path, &whole[..whole.len() * 3 / 4]).expect("written");
    for line in [
        "off-game a.games --out b.games --nodes 2",
        "rescore a.games --out c.games --nodes 2",
        "endings a.games --each 1",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let output = duchamp(folder.path(), &[&["datagen"], &words[..]].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        let cut = "a.games: truncated in the middle of a block";
        assert!(told.contains(cut), "{line}: {told}");
    }
}
