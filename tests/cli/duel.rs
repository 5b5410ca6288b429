//! Duels and the tuner of the search from outside.

use crate::common::program::{duchamp, out};
#[cfg(unix)]
use crate::common::program::{interrupted, text};

#[test]
fn equal_players_end_a_duel_even() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let few = ["duel", "--nodes", "60", "--pairs", "6", "--threads", "2"];
    let text = out(folder.path(), &few);
    assert!(text.contains("12 games, 50.0 %, Elo +0.0"), "{text}");
    // Whatever the threads, the games are the same.
    let other = ["--params", "rfp_margin=140,lmr_base=0"];
    let played = |threads: &str| {
        let all = [&few[..6], &[threads], &other].concat();
        out(folder.path(), &all)
    };
    assert_eq!(played("1"), played("3"));
    // Level pairs alone do not end a test.
    let sure = ["--pairs", "10", "--sprt", "-900", "-800"];
    let text = out(folder.path(), &[&few[..3], &sure].concat());
    assert!(text.contains("\n20 games, "), "{text}");
    assert!(text.ends_with(", 5 of them not level\n"), "{text}");
    // One pair has no variance.
    let text = out(folder.path(), &["duel", "--nodes", "60", "--pairs", "1"]);
    assert!(
        text.contains("too few pairs for an interval") && !text.contains('±'),
        "{text}"
    );
    // Piece values alone are no match, which ends a test as soon as may be.
    let line = "duel --nodes 200 --pairs 30 --net material --sprt 0 400";
    let words: Vec<&str> = line.split(' ').collect();
    let text = out(folder.path(), &words);
    assert!(
        text.starts_with("material against built-in, 200 nodes a move"),
        "{text}"
    );
    assert!(text.contains(" Elo -"), "{text}");
    assert!(!text.contains("\n60 games, "), "{text}");
    assert!(text.ends_with(": H0 accepted\n"), "{text}");
}

/// A game of so many nodes takes hours: an interrupt does not wait for it, and its pair is not counted.
#[cfg(unix)]
#[test]
fn an_interrupt_drops_the_pair_in_progress() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "duel --nodes 50000000 --pairs 4 --threads 2";
    let words: Vec<&str> = line.split(' ').collect();
    let (output, time) = interrupted(folder.path(), &words);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(time.as_secs() < 30, "{time:?}");
    let last = told.lines().last().unwrap_or_default();
    assert_eq!(
        last,
        "duchamp: stopped after 0 of 4 pairs; pairs in progress are not counted"
    );
    assert!(
        text(&output.stdout).contains("\n0 games, 50.0 %, "),
        "{output:?}"
    );
}

#[test]
fn long_commands_show_progress_unless_they_are_to_be_quiet() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (command, done) in [
        ("datagen --out a.games --nodes 30 --games 5", 5),
        ("datagen off-game a.games --out b.games --nodes 20", 5),
        ("duel --nodes 30 --pairs 2", 2),
        ("spsa --state a.json --nodes 30 --pairs 2", 2),
    ] {
        let run = |more: &str| {
            let words: Vec<&str> = command.split(' ').chain(more.split(' ')).collect();
            let output = duchamp(folder.path(), &words);
            assert_eq!(output.status.code(), Some(0), "{words:?}");
            String::from_utf8(output.stderr).expect("text")
        };
        let lines = run("--progress json");
        let last = lines.lines().last().expect("a line");
        let last: serde_json::Value = serde_json::from_str(last).expect("an object");
        assert_eq!(last["state"], "done", "{lines}");
        assert_eq!(last["done"], done, "{lines}");
        assert_eq!(run("--quiet"), "", "{command}");
    }
}

#[test]
fn the_tuner_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |pairs: &str, state: &str| {
        let names = "rfp_margin,aspiration";
        let all = [
            "spsa", "--state", state, "--nodes", "40", "--pairs", pairs, "--params", names,
        ];
        out(folder.path(), &all)
    };
    let text = run("5", "a.json");
    assert!(
        text.contains("rfp_margin") && text.contains("5 of 5 pairs"),
        "{text}"
    );
    assert!(!text.contains("razor_base"));
    let text = run("8", "a.json");
    assert!(text.contains("8 of 8 pairs"), "{text}");
    std::fs::write(folder.path().join("bad.json"), "{}").expect("written");
    for arguments in [
        &["spsa", "--state", "bad.json"][..],
        &["spsa", "--state", "b.json", "--params", "nothing"],
        &["spsa", "--state", "b.json", "--net", "missing.net"],
        &["duel", "--params", "rfp_margin"],
        &["duel", "--params", "rfp_margin=x"],
        &["duel", "--against", "missing.net"],
        &["duel", "--nodes", "0"],
    ] {
        let output = duchamp(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told.trim().lines().count(), 1, "{arguments:?}: {told}");
    }
}
