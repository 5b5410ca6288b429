//! Commands that would do harm, or something else than was asked: refused in a line, before any work.

use crate::closed_pipe::ended;
use crate::common::program::{PROGRAM, duchamp};
use duchamp_base::LockFile;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a command line that is to fail; what it says on stderr.
fn refused(folder: &Path, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = duchamp(folder, &words);
    let told = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{line}: {told}");
    told
}

/// A folder with a file of games, and one whose last block is cut off.
fn games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "datagen --out a.games --games 64 --nodes 5 --off-game 0 --quiet";
    let words: Vec<&str> = line.split(' ').collect();
    assert!(duchamp(folder.path(), &words).status.success());
    let bytes = fs::read(folder.path().join("a.games")).expect("a file");
    let cut = &bytes[..bytes.len() - 40];
    fs::write(folder.path().join("cut.games"), cut).expect("written");
    folder
}

#[test]
fn training_never_takes_the_place_of_its_games() {
    let folder = games();
    let folder = folder.path();
    let before = fs::read(folder.join("a.games")).expect("a file");
    fs::create_dir(folder.join("sub")).expect("a folder");
    for (options, why) in [
        ("--net a.games", "both input and output"),
        ("--net n.net --plot ./a.games", "both input and output"),
        (
            "--net n.net --checkpoint sub/../a.games",
            "both input and output",
        ),
        ("--net n.net --checkpoint n.net", "one file"),
        ("--net n.net --off-game 101", "101"),
        (
            "--net n.net --validation-every 100000",
            "--validation-every",
        ),
    ] {
        let line = format!("train --data a.games --hidden 32 --epochs 1 --quiet {options}");
        let told = refused(folder, &line, 2);
        assert!(told.contains(why), "{line}: {told}");
    }
    for (net, why) in [("sub", "no regular file"), ("nowhere/n.net", "nowhere")] {
        let line = format!("train --data a.games --hidden 32 --epochs 1 --quiet --net {net}");
        let told = refused(folder, &line, 1);
        assert!(told.contains(why), "{line}: {told}");
    }
    assert_eq!(fs::read(folder.join("a.games")).expect("a file"), before);
    assert!(!folder.join("n.net").exists());
}

#[cfg(unix)]
#[test]
fn pipes_are_not_replaced() {
    let folder = games();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .expect("it runs")
            .success()
    );
    let line = "train --data a.games --hidden 32 --epochs 1 --quiet --net pipe";
    assert!(refused(folder.path(), line, 1).contains("no regular file"));
    assert!(!fs::metadata(&pipe).expect("there").is_file());
}

#[test]
fn files_that_are_cut_off_are_told_of() {
    let folder = games();
    for line in [
        "datagen pgn cut.games",
        "datagen merge --out new.games cut.games",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let output = duchamp(folder.path(), &words);
        let told = String::from_utf8(output.stderr).expect("text");
        assert!(
            output.status.success() && told.contains("truncated"),
            "{line}: {told}"
        );
    }
}

#[test]
fn matches_and_tuning_ask_for_sense() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (options, why) in [
        ("--params rfp_margin=501", "from 30 to 150"),
        ("--params rfp_margin=-1", "from 30 to 150"),
        ("--sprt nan 5", "--sprt"),
        ("--sprt 0 inf", "--sprt"),
        ("--sprt 5 5", "--sprt"),
        ("--sprt 5 0", "--sprt"),
    ] {
        let told = refused(
            folder.path(),
            &format!("duel --pairs 1 --nodes 20 {options}"),
            2,
        );
        assert!(told.contains(why), "{options}: {told}");
    }
    let lock = LockFile::try_acquire(&folder.path().join("s.json.lock")).expect("no error");
    let told = refused(
        folder.path(),
        "spsa --state s.json --pairs 1 --nodes 20 --quiet",
        2,
    );
    assert!(lock.is_some() && told.contains("another process"), "{told}");
}

/// A run goes on as it was begun, or not at all: a state of other parameters would be lost.
#[test]
fn tuning_goes_on_as_it_was_begun() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let begun = "spsa --state s.json --nodes 20 --quiet --params lmr_cut,rfp_margin --seed 3";
    let words: Vec<&str> = begun.split(' ').chain(["--pairs", "1"]).collect();
    assert!(duchamp(folder, &words).status.success());
    let state = fs::read_to_string(folder.join("s.json")).expect("a state");
    for (line, why) in [
        (begun.replace("--seed 3", ""), "--seed 3"),
        (begun.replace("lmr_cut,", ""), "--params rfp_margin,lmr_cut"),
    ] {
        let told = refused(folder, &line, 2);
        assert!(told.contains(why), "{line}: {told}");
        assert_eq!(
            fs::read_to_string(folder.join("s.json")).expect("a state"),
            state
        );
    }
    fs::write(
        folder.join("s.json"),
        state.replace("rfp_margin", "old_name"),
    )
    .expect("written");
    let told = refused(folder, begun, 2);
    assert!(told.contains("no parameter old_name"), "{told}");
}

/// Pictures and games take the place of nothing that is read, of no other output, of no pipe; refused before any work.
#[cfg(unix)]
#[test]
fn pictures_and_games_do_no_harm() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let rules = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/freezer/kbnk_no_centre.toml"
    );
    fs::copy(rules, folder.join("r.toml")).expect("copied");
    let before = fs::read(folder.join("r.toml")).expect("rules");
    fs::create_dir(folder.join("sub")).expect("a folder");
    fs::write(folder.join("KQvK.wdl"), "DUCHAMPT and so on").expect("written");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.expect("it runs").success());
    let pawns = "pawns --quiet 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7_w_- --svg";
    for (line, why, code) in [
        (
            "freeze r.toml --quiet --svg r.toml",
            "both input and output",
            2,
        ),
        ("freeze r.toml --quiet --pgn x --svg ./x", "one file", 2),
        ("freeze r.toml --quiet --pgn pipe", "no regular file", 1),
        (
            "freeze r.toml --quiet --pgn KQvK.wdl",
            "choose another one",
            1,
        ),
        (&format!("{pawns} sub"), "no regular file", 1),
        (&format!("{pawns} nowhere/p.svg"), "nowhere", 1),
        ("tb stats KQvK --svg pipe", "no regular file", 1),
    ] {
        let told = refused(folder, line, code);
        assert!(told.contains(why), "{line}: {told}");
    }
    assert_eq!(fs::read(folder.join("r.toml")).expect("rules"), before);
    assert!(!folder.join("x").exists());
}

#[test]
fn a_network_has_one_trainer_at_a_time() {
    let folder = games();
    let lock = LockFile::try_acquire(&folder.path().join("n.net.lock")).expect("no error");
    let line =
        "train --data a.games --net n.net --hidden 32 --epochs 1 --validation-every 4 --quiet";
    let told = refused(folder.path(), line, 2);
    assert!(lock.is_some() && told.contains("another process"), "{told}");
    drop(lock);
    let words: Vec<&str> = line.split(' ').collect();
    assert!(duchamp(folder.path(), &words).status.success());
    assert!(!folder.path().join("n.net.lock").exists());
}

#[test]
fn a_rule_file_says_itself_what_is_proved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rules = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/freezer/fortress_kqkrp.toml"
    );
    for option in ["--prove win", "--side black", "--save zz.toml"] {
        let told = refused(folder.path(), &format!("freeze {rules} {option}"), 2);
        assert!(told.contains("--auto"), "{option}: {told}");
    }
}

#[test]
fn what_is_named_is_verified_or_missed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |line: &str| duchamp(folder.path(), &line.split(' ').collect::<Vec<_>>());
    assert!(run("tb generate KQK --quiet").status.success());
    let told = refused(folder.path(), "tb verify KQvK --metric dtz", 1);
    assert!(told.contains("tb generate KQvK"), "{told}");
    refused(folder.path(), "tb verify KQvK --sample 0", 2);
    fs::rename(
        folder.path().join("tables/KQvK.dtm"),
        folder.path().join("tables/KQvK.dtm.bad"),
    )
    .expect("renamed");
    let told = refused(folder.path(), "tb verify KQvK", 1);
    assert!(told.contains("tb generate KQvK"), "{told}");
    // Nothing is wrong with what is left, but something is missing that was there.
    let told = refused(folder.path(), "tb verify", 1);
    let command = "tb generate KQvK --metric dtm";
    assert!(
        told.contains("KQvK.dtm is damaged") && told.contains(command),
        "{told}"
    );
    let command: Vec<&str> = command.split(' ').chain(["--quiet"]).collect();
    assert!(duchamp(folder.path(), &command).status.success());
    assert!(run("tb verify").status.success());
    // Nothing to verify is no success.
    let told = refused(folder.path(), "tb verify --metric dtz", 1);
    assert!(told.contains("tb generate KQvK --metric dtz"), "{told}");
    // A file in place of a folder.
    fs::write(folder.path().join("text"), "text").expect("written");
    for (line, code) in [
        ("tb generate KQK --dir text", 2),
        ("tb list --dir text", 2),
        ("serve --dir text --listen 127.0.0.1:0", 2),
        ("man --out text", 1),
    ] {
        let told = refused(folder.path(), line, code);
        assert!(told.contains("no folder"), "{line}: {told}");
    }
}

/// An option that would have no effect is a mistake: of what was meant, or of what was typed.
#[test]
fn options_without_effect_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (line, option) in [
        ("tb probe - --brief --json", "--json"),
        ("tb probe - --metric dtz", "--brief"),
        ("tb probe - --game xiangqi --syzygy .", "--syzygy"),
        ("tb generate KQK --no-files --keep-subs", "--keep-subs"),
        ("tb generate KQK --sample 9", "--no-files"),
        ("tb generate KQK --threads 0", "at least 1"),
        ("tb generate KQK --quiet --progress json", "--progress"),
        ("tb plan KQK --format dot --dir tables", "--dir"),
        ("tb plan KQK --format cost --dir tables", "--dir"),
        ("freeze r.toml --pgn-moves 9", "--pgn <FILE>"),
        ("freeze r.toml --seconds 9", "--seconds"),
        ("freeze r.toml --entries 9", "--entries"),
        ("freeze r.toml --max-men 3", "--max-men"),
        ("freeze --auto x --prove win --max-men 10", "0..=9"),
        (
            "train --data a --net n --hidden 32 --decay-apart 2",
            "--threat-inputs",
        ),
        (
            "train --data a --net n --hidden 32 --off-game 0 --off-game-net m",
            "--off-game from 1",
        ),
        ("train --data a --net n --hidden 32 --keep-scale", "--from"),
        (
            "datagen --out a.games --from-search 101",
            "--from-search must be from 0 to 100",
        ),
    ] {
        let told = refused(folder.path(), line, 2);
        assert!(told.contains(option), "{line}: {told}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// A mate may never be found: at the end of the input nobody is there to stop the search.
#[test]
fn the_end_of_input_ends_a_search_for_a_mate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut engine = Command::new(PROGRAM)
        .env("DUCHAMP_TABLEBASES", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let mut input = engine.stdin.take().expect("a pipe");
    input
        .write_all(b"setoption name TBStartupMen value 0\ngo mate 3\n")
        .expect("written");
    drop(input);
    ended(&mut engine);
}

/// Commands that read tables say so if what they are to read is no folder, or one that they may not read.
#[test]
fn what_is_no_folder_of_tables_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("file"), "no folder").expect("written");
    let commands = [
        "tb list",
        "tb probe 8/8/8/8/8/2k5/8/KQ6_w_-_-_0_1",
        "tb stats KQvK",
        "tb verify",
        "tb longest KQvK",
        "tb generate KQK",
        "serve --listen 127.0.0.1:0",
    ];
    for command in commands {
        let line = format!("{command} --dir file");
        let told = refused(folder.path(), &line, 2);
        assert!(told.contains("file is no folder"), "{line}: {told}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).expect("a folder");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).expect("rights");
        // The superuser may read everything.
        if fs::read_dir(&closed).is_err() {
            for command in commands {
                let line = format!("{command} --dir closed");
                let told = refused(folder.path(), &line, 1);
                assert!(told.contains("closed cannot be read"), "{line}: {told}");
            }
        }
    }
}
