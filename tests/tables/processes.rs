//! Generation by processes: side by side, killed, without room, without rights; and what the
//! commands print.

use crate::common::program::{PROGRAM, text};
use duchamp_chess_tables::Prober;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn tb(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("tb").args(arguments).arg("--dir").arg(folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    tb(folder, arguments).output().expect("the program runs")
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    tb(folder, arguments).spawn().expect("the program starts")
}

/// A whole set: so many tables, nothing else in the folder, every block good.
fn assert_whole(folder: &Path, tables: usize) {
    let names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2 * tables, "{names:?}");
    assert!(
        names
            .iter()
            .all(|name| name.ends_with(".wdl") || name.ends_with(".dtm")),
        "{names:?}"
    );
    assert_eq!(Prober::open(folder).store().list().len(), tables);
}

#[test]
fn two_processes_make_one_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let children: Vec<Child> = (0..2)
        .map(|_| start(folder.path(), &["generate", "3", "4"]))
        .collect();
    let outputs: Vec<Output> = children
        .into_iter()
        .map(|child| child.wait_with_output().expect("ends"))
        .collect();
    for output in &outputs {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    assert_whole(folder.path(), 35);
    // Each table was generated once: one process reads what the other generated.
    let made: usize = outputs
        .iter()
        .map(|output| count(&text(&output.stdout), " tables;"))
        .sum();
    assert_eq!(made, 35);
    let verify = run(folder.path(), &["verify", "3"]);
    assert!(verify.status.success(), "{}", text(&verify.stdout));
}

/// Each table by a process of its own, which reads what it needs of the others from snapshots; one
/// damaged snapshot is reported and its table solved again.
#[test]
fn a_process_for_each_table() {
    let (folder, whole) = (tempfile::tempdir(), tempfile::tempdir());
    let (folder, whole) = (folder.expect("a folder"), whole.expect("a folder"));
    for name in ["KQK", "KRK", "KBK", "KNK", "KPK", "KQPK", "KRPK", "KBPK"] {
        let output = run(
            folder.path(),
            &["generate", name, "--keep-subs", "--metric", "all"],
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let damaged = folder.path().join("KBPvK.sub");
    fs::write(&damaged, b"DuchSub\n").expect("written");
    let mut last = tb(
        folder.path(),
        &["generate", "KPPK", "--memory", "64", "--metric", "all"],
    );
    let last = last.env("RUST_LOG", "warn").output().expect("runs");
    let told = text(&last.stderr);
    assert!(
        last.status.success() && told.contains("KBPvK.sub"),
        "{told}"
    );
    assert!(
        run(whole.path(), &["generate", "KPPK", "--metric", "all"])
            .status
            .success()
    );
    for file in ["KPPvK.wdl", "KPPvK.dtm", "KPPvK.dtc", "KPPvK.dtz"] {
        let read = |folder: &Path| fs::read(folder.join(file)).expect("a table");
        assert!(read(folder.path()) == read(whole.path()), "{file}");
    }
}

/// The number before a word in the last line.
fn count(text: &str, word: &str) -> usize {
    let line = text.lines().last().expect("a summary");
    let end = line.find(word).expect("the word");
    line[..end]
        .rsplit([' ', ','])
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

#[test]
fn a_killed_generation_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..12u64 {
        let mut child = start(folder.path(), &["generate", "3", "4", "--threads", "1"]);
        std::thread::sleep(Duration::from_millis(20 + round * 37));
        child.kill().expect("killed");
        child.wait().expect("dead");
        // Whatever is there under its name is whole.
        let tables = Prober::open(folder.path());
        let bad = fs::read_dir(folder.path()).expect("a folder").flatten();
        assert_eq!(
            bad.filter(|entry| entry.path().extension().is_some_and(|end| end == "bad"))
                .count(),
            0
        );
        drop(tables);
    }
    // A lock left beside a table that is whole, and an unfinished file beside a lock.
    for name in ["KQvK.lock", "KRvKP.lock", "KRvKP.dtm.x.part"] {
        fs::write(folder.path().join(name), b"").expect("written");
    }
    let output = run(folder.path(), &["generate", "3", "4"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_whole(folder.path(), 35);
    // And the same files as those of a run that nobody disturbed.
    let other = tempfile::tempdir().expect("a folder");
    assert!(run(other.path(), &["generate", "3", "4"]).status.success());
    for entry in fs::read_dir(other.path()).expect("a folder").flatten() {
        let name = entry.file_name();
        let same = fs::read(entry.path()).expect("readable")
            == fs::read(folder.path().join(&name)).expect("readable");
        assert!(same, "{name:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_one_clear_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").expect("written");
    for (path, code) in [(file.clone(), 2), (file.join("below"), 2)] {
        let output = run(&path, &["generate", "KQK"]);
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(
            text(&output.stderr).lines().count(),
            1,
            "{}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stderr).contains(&*path.to_string_lossy()),
            "{}",
            text(&output.stderr)
        );
    }
}

/// A disk without room, played by a limit on the size of files.
#[cfg(unix)]
#[test]
fn a_full_disk_is_one_clear_line_and_leaves_good_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{PROGRAM}' tb generate KPK KQKR --dir '{}'",
        folder.path().display()
    );
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert_eq!(
        text(&output.stderr).lines().count(),
        1,
        "{}",
        text(&output.stderr)
    );
    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(
        names.iter().all(|path| path
            .extension()
            .is_some_and(|end| end == "wdl" || end == "dtm")),
        "{names:?}"
    );
    assert!(
        run(folder.path(), &["generate", "KPK", "KQKR"])
            .status
            .success()
    );
    assert_whole(folder.path(), 6);
}

/// In little memory values lie in scratch files: the same tables come out, and a scratch folder
/// without room or rights is one clear line.
#[cfg(unix)]
#[test]
fn little_memory_takes_scratch() {
    let (folder, whole) = (tempfile::tempdir(), tempfile::tempdir());
    let (folder, whole) = (folder.expect("a folder"), whole.expect("a folder"));
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{PROGRAM}' tb generate KQKR --memory 60 --dir '{}'",
        folder.path().display()
    );
    let mut full = Command::new("sh");
    full.arg("-c").arg(script);
    let mut missing = tb(
        folder.path(),
        &[
            "generate",
            "KQKR",
            "--memory",
            "60",
            "--scratch",
            "/proc/none",
        ],
    );
    for (command, place) in [
        (&mut full, &*folder.path().to_string_lossy()),
        (&mut missing, "/proc/none"),
    ] {
        let output = command.output().expect("runs");
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.lines().count() == 1 && told.contains(place), "{told}");
    }
    let specs = ["generate", "KQKR", "KRKP", "KRPK", "--metric", "all"];
    let scant = [&specs[..], &["--memory", "62"]].concat();
    assert!(run(folder.path(), &scant).status.success());
    assert!(run(whole.path(), &specs).status.success());
    for file in fs::read_dir(whole.path()).expect("a folder").flatten() {
        let other = folder.path().join(file.file_name());
        let read = |path: &Path| fs::read(path).expect("a table");
        assert!(read(&file.path()) == read(&other), "{}", other.display());
    }
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_the_figure() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), &["generate", "KRPKR", "--memory", "100"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("MiB"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn commands_print_what_they_promise() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(
        run(folder.path(), &["generate", "KQK", "KRK"])
            .status
            .success()
    );
    let probe = run(
        folder.path(),
        &["probe", "7k/8/5K2/8/8/8/8/Q7 w - - 0 1", "--json"],
    );
    let object: serde_json::Value = serde_json::from_slice(&probe.stdout).expect("JSON");
    assert_eq!(object["fen"], "7k/8/5K2/8/8/8/8/Q7 w - - 0 1");
    assert_eq!(
        (&object["wdl"], &object["dtm_plies"]),
        (&"win".into(), &3.into())
    );
    assert!(object["dtc_plies"].is_null() && object["dtz_plies"].is_null());
    let best = &object["moves"][0];
    assert_eq!(
        (&best["wdl"], &best["dtm_plies"]),
        (&"win".into(), &3.into())
    );
    assert!(best["uci"].is_string() && best["san"].is_string());

    let stats = run(folder.path(), &["stats", "KRK", "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&stats.stdout).expect("JSON");
    assert_eq!(
        (&object["material"], &object["metric"]),
        (&"KRvK".into(), &"dtm".into())
    );
    let side = |name: &str, key: &str| object[name][key].clone();
    assert_eq!(side("white_to_move", "win"), 21_959);
    assert_eq!(side("black_to_move", "loss"), 25_260);
    assert_eq!(side("black_to_move", "longest_loss_plies"), 32);
    assert_eq!(side("black_to_move", "cursed_win"), 0);
    assert!(side("white_to_move", "longest_win_fen").is_string());

    let line = run(
        folder.path(),
        &["line", "8/8/8/8/8/8/2Rk4/1K6 b - - 0 1", "--pgn"],
    );
    let pgn = text(&line.stdout);
    assert!(
        pgn.contains("[Result \"1-0\"]") && pgn.trim_end().ends_with("# 1-0"),
        "{pgn}"
    );

    let svg = folder.path().join("krk.svg");
    let stats = run(
        folder.path(),
        &["stats", "KRK", "--svg", &svg.to_string_lossy()],
    );
    assert!(stats.status.success(), "{}", text(&stats.stderr));
    assert!(
        fs::read_to_string(&svg)
            .expect("a picture")
            .starts_with("<svg")
    );
    assert!(run(folder.path(), &["list"]).status.success());
    assert!(
        text(&run(folder.path(), &["stats", "KRK", "--csv"]).stdout)
            .contains("KRvK,black,loss,32,390")
    );
}

#[test]
fn many_questions_over_a_pipe() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(folder.path(), &["generate", "KQK"]).status.success());
    for (brief, answers) in [
        (true, ["win 3", "draw -", "error ", "error "]),
        (
            false,
            [
                "\"wdl\":\"win\"",
                "\"wdl\":\"draw\"",
                "\"error\":",
                "\"error\":",
            ],
        ),
    ] {
        let mut command = tb(
            folder.path(),
            if brief {
                &["probe", "-", "--brief"]
            } else {
                &["probe", "-"]
            },
        );
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        let lines = b"7k/8/5K2/8/8/8/8/Q7 w - - 0 1\n8/8/8/8/8/8/8/K1k5 w - -\nnonsense \xff\n4k3/8/8/8/8/8/8/4K2R w K - 0 1\n";
        input.write_all(lines).expect("written");
        drop(input);
        let output = child.wait_with_output().expect("ends");
        // All rows are answered; two of them have no value.
        assert_eq!(output.status.code(), Some(1));
        let out = text(&output.stdout);
        assert_eq!(out.lines().count(), 4, "{out}");
        for (line, answer) in out.lines().zip(answers) {
            assert!(line.contains(answer), "{line}");
        }
    }
}

#[test]
fn bad_input_is_told_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["generate", "hello"][..],
        &["generate", "9"],
        &["probe", "no fen"],
        &["line", "8/8/8/8/8/8/8/8 w - -"],
        &["stats", "KQKQKQ"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(
            text(&output.stderr).lines().count(),
            1,
            "{arguments:?}: {}",
            text(&output.stderr)
        );
    }
    // A right question to a table that is not there: the answer is a failure.
    let output = run(folder.path(), &["probe", "7k/8/5K2/8/8/8/8/Q7 w - - 0 1"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(run(folder.path(), &["verify"]).status.code(), Some(1));
}
