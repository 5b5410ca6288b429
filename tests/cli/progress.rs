//! Progress of long commands where stderr is no terminal, interrupts, and what is said of missing tables.

use crate::common::program::{PROGRAM, duchamp, out, text};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The names of the files in the folder of tables.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("tables"));
    let names = entries.into_iter().flatten().flatten();
    let mut names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_last_line_counts_what_was_generated_and_what_was_present() {
    let folder = folder();
    let last = |arguments: &[&str]| {
        let text = out(folder.path(), arguments);
        text.lines().last().unwrap_or_default().to_owned()
    };
    let first = last(&["tb", "generate", "KQK"]);
    assert!(
        first.starts_with("Generated 1 table; 0 already present ("),
        "{first}"
    );
    let second = last(&["tb", "generate", "3"]);
    assert!(
        second.starts_with("Generated 4 tables; 1 already present ("),
        "{second}"
    );
    let third = last(&["tb", "generate", "all3"]);
    assert!(
        third.starts_with("Generated 0 tables; 5 already present ("),
        "{third}"
    );
}

/// JSON lines and plain lines while the table is generated, a sentence and the command when an interrupt ends that, and
/// nothing unfinished under a table's name.
#[test]
#[cfg(unix)]
fn generation_shows_progress_and_says_how_to_go_on_when_stopped() {
    for how in ["plain", "json"] {
        let folder = folder();
        let mut child = Command::new(PROGRAM)
            .args([
                "tb",
                "generate",
                "KRPKR",
                "--threads",
                "1",
                "--progress",
                how,
            ])
            .env("DUCHAMP_TABLEBASES", folder.path().join("tables"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("plain text");
        if how == "json" {
            let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
            assert_eq!(object["state"], "running");
            assert_eq!(object["unit"], "tables");
        } else {
            assert!(line.starts_with("tb generate: "), "{line}");
            assert!(line.contains(" tables, "), "{line}");
            assert!(!line.contains(", ,"), "{line}");
        }
        // Something is to be kept.
        while !files(folder.path())
            .iter()
            .any(|name| name.ends_with(".dtm"))
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(killed.expect("kill runs").success());
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).expect("plain text");
        assert_eq!(child.wait().expect("ends").code(), Some(1), "{rest}");
        let last = rest.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("duchamp: generation stopped: the "),
            "{rest}"
        );
        assert!(
            last.contains(" kept in ") && last.contains("unfinished ones start anew"),
            "{rest}"
        );
        assert!(
            last.contains(". To go on: ") && last.contains(" tb generate KRPKR "),
            "{rest}"
        );
        let names = files(folder.path());
        assert!(
            !names.is_empty() && !names.contains(&"KRPvKR.wdl".to_owned()),
            "{names:?}"
        );
        for name in &names {
            assert!(
                name.ends_with(".wdl") || name.ends_with(".dtm"),
                "{names:?}"
            );
        }
        let verified = duchamp(folder.path(), &["tb", "verify", "--quiet"]);
        assert_eq!(
            verified.status.code(),
            Some(0),
            "{}",
            text(&verified.stderr)
        );
    }
}

/// Statistics and lists show what they work at; the line of a list that is no progress stays with `--quiet`.
#[test]
fn statistics_and_lists_show_progress() {
    let folder = folder();
    out(folder.path(), &["tb", "generate", "KRKN", "3", "--quiet"]);
    for (command, done, what, closing) in [
        (
            "tb stats KRvKN",
            1,
            "counting mutual zugzwangs of KRvKN",
            None,
        ),
        (
            "tb longest KRvKN",
            1,
            "KRvKN, Black to move",
            Some("KRvKN: 1 position is won in 79 plies"),
        ),
        (
            "tb zugzwangs KRvKN",
            18,
            "KRvKN",
            Some("KRvKN: 18 mutual zugzwangs"),
        ),
    ] {
        let run = |more: &[&str]| {
            let words: Vec<&str> = command.split(' ').chain(more.iter().copied()).collect();
            let output = duchamp(folder.path(), &words);
            assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
            (text(&output.stdout), text(&output.stderr))
        };
        let (lines, told) = run(&["--progress", "json"]);
        let mut told: Vec<&str> = told.lines().collect();
        if let Some(closing) = closing {
            let line = told.pop().unwrap_or_default();
            assert!(line.starts_with(closing), "{line}");
        }
        let last: serde_json::Value =
            serde_json::from_str(told.last().expect("progress")).expect("an object");
        assert_eq!(last["command"], command.replace(" KRvKN", ""), "{last}");
        assert_eq!(last["state"], "done", "{last}");
        assert_eq!(last["done"], done, "{last}");
        assert_eq!(last["text"], what, "{last}");
        assert!(last["share"].is_null(), "{last}");
        let (quiet, told) = run(&["--quiet"]);
        assert_eq!(told.lines().count(), usize::from(closing.is_some()));
        assert_eq!(quiet, lines);
    }
    let all = ["tb", "stats", "3", "--json", "--progress", "json"];
    let output = duchamp(folder.path(), &all);
    let told = text(&output.stderr);
    let last: serde_json::Value =
        serde_json::from_str(told.lines().last().expect("progress")).expect("an object");
    assert_eq!(
        (&last["total"], &last["unit"]),
        (&5.into(), &"tables".into())
    );
    assert_eq!(last["done"], 5, "{last}");
}

#[test]
fn quiet_is_quiet() {
    let folder = folder();
    let output = duchamp(folder.path(), &["tb", "generate", "all4", "--quiet"]);
    assert_eq!(
        (output.status.code(), &output.stderr[..]),
        (Some(0), &b""[..])
    );
}

/// The user reads of the table that he named, and what to type; sub-tables alone help nobody.
#[test]
fn a_missing_table_comes_with_the_command_that_generates_it() {
    let folder = folder();
    let error = |arguments: &[&str]| {
        let output = duchamp(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        text(&output.stderr)
    };
    let none = error(&["tb", "verify"]);
    assert!(
        none.contains("no tables in ") && none.contains(" tb generate all4"),
        "{none}"
    );
    let list = out(folder.path(), &["tb", "list"]);
    assert!(list.contains(" tb generate all4"), "{list}");
    let named = error(&["tb", "verify", "KRPKR"]);
    assert!(
        named.contains("the table KRPvKR is missing; to generate it: "),
        "{named}"
    );
    assert!(named.trim_end().ends_with(" tb generate KRPvKR"), "{named}");

    out(folder.path(), &["tb", "generate", "KQKR"]);
    std::fs::remove_file(folder.path().join("tables/KRvK.wdl")).expect("a table");
    let below = error(&["tb", "verify", "KQKR"]);
    assert!(
        below.contains("the table KRvK is missing, which KQvKR needs; to generate it: "),
        "{below}"
    );
    let command = below.trim_end().rsplit_once(" tb ").expect("a command").1;
    let words: Vec<&str> = ["tb"].into_iter().chain(command.split(' ')).collect();
    out(folder.path(), &words);
    out(folder.path(), &["tb", "verify", "KQKR"]);
}

/// Figures first, and nothing is touched: not even the folder appears.
#[test]
fn a_dry_run_prints_what_it_takes_and_writes_nothing() {
    let folder = folder();
    let text = out(folder.path(), &["tb", "generate", "KQKR", "3", "--dry-run"]);
    assert!(!folder.path().join("tables").exists());
    for part in [
        "To generate: 6 (",
        "Present: none",
        "Time: about ",
        "Memory: about ",
        "Disk: about ",
        "estimates from the averages",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    out(folder.path(), &["tb", "generate", "KQK"]);
    let before = files(folder.path());
    let json = || -> serde_json::Value {
        let arguments = ["tb", "generate", "KQKR", "--dry-run", "--json"];
        serde_json::from_str(&out(folder.path(), &arguments)).expect("one object")
    };
    let object = json();
    assert_eq!(object["generate"], serde_json::json!(["KRvK", "KQvKR"]));
    assert_eq!(object["present"], serde_json::json!(["KQvK"]));
    assert_eq!(object["solve_again"], serde_json::json!(["KQvK"]));
    for key in [
        "seconds",
        "processor_seconds",
        "memory_bytes",
        "disk_bytes",
        "free_bytes",
    ] {
        assert!(
            object[key].as_f64().is_some_and(|number| number > 0.0),
            "{key}: {object}"
        );
    }
    let arguments = ["tb", "generate", "KQKR", "--no-files", "--dry-run"];
    let text = out(folder.path(), &arguments);
    assert!(
        text.contains("To solve: 2 (KRvK KQvKR)\nPresent: 1 (KQvK)")
            && text.contains("Time: about "),
        "{text}"
    );
    assert!(!text.contains("Disk: "), "{text}");
    assert_eq!(files(folder.path()), before);
    out(folder.path(), &["tb", "generate", "KQKR"]);
    assert_eq!(json()["generate"], serde_json::json!([]));
}

#[test]
fn all_without_a_number_says_what_to_type() {
    let folder = folder();
    let output = duchamp(folder.path(), &["tb", "generate", "all"]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(
        error.contains("all5 stands for all tables of 3 to 5 men"),
        "{error}"
    );
}

/// A comparison that needs tables names them with their cost; only `--generate` fills the folder.
#[test]
fn papers_generate_tables_only_when_asked() {
    let folder = folder();
    let output = duchamp(folder.path(), &["papers", "wu-beal", "KQKR"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = text(&output.stderr);
    assert!(
        error.contains("2 tables missing in ") && error.contains(" of disk. To generate"),
        "{error}"
    );
    assert!(
        error
            .trim_end()
            .ends_with(" papers wu-beal KQKR --generate"),
        "{error}"
    );
    assert!(!folder.path().join("tables").exists());
    let arguments = [
        "papers",
        "wu-beal",
        "KQKR",
        "--generate",
        "--progress",
        "json",
    ];
    let output = duchamp(folder.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("values that differ between the two: 0"));
    let last = text(&output.stderr);
    let last: serde_json::Value =
        serde_json::from_str(last.lines().last().expect("progress")).expect("an object");
    assert_eq!(
        (&last["command"], &last["state"]),
        (&"papers wu-beal".into(), &"done".into())
    );
    assert!(files(folder.path()).contains(&"KQvK.wdl".to_owned()));
}

/// A killed process leaves its lock behind: the list says whose.
#[test]
fn a_stale_lock_names_its_process() {
    let folder = folder();
    let tables = folder.path().join("tables");
    std::fs::create_dir(&tables).expect("a folder");
    let text = "pid 4711 host elsewhere start 0\n";
    std::fs::write(tables.join("KQvK.lock"), text).expect("written");
    let list = out(folder.path(), &["tb", "list"]);
    assert!(list.contains("stale lock of process 4711"), "{list}");
}

#[test]
fn help_fits_a_hundred_columns() {
    let folder = folder();
    for arguments in [
        &["tb", "generate", "--help"][..],
        &["tb", "plan", "--help"],
        &["tb", "verify", "--help"],
        &["tb", "list", "--help"],
        &["papers", "thompson1986", "--help"],
        &["papers", "wu-beal", "--help"],
    ] {
        let help = out(folder.path(), arguments);
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{arguments:?}: {line}");
        }
    }
}

/// What it prints is what the files of the same tables say, and nothing stays in the folder.
#[test]
fn tables_are_solved_without_files() {
    let folder = folder();
    let generate = ["tb", "generate", "KQKR", "KPK", "--no-files"];
    let printed = out(folder.path(), &generate);
    for part in [
        "KQvKR      White        1108111         8963         2142  69 plies (35 moves)",
        "KPvK       Black              0 ",
        "Solved 2 tables, wrote no files (",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let lines = out(folder.path(), &[&generate[..], &["--json"]].concat());
    assert_eq!(files(folder.path()), Vec::<String>::new());
    out(folder.path(), &["tb", "generate", "KQKR", "KPK"]);
    let mut tables = 0;
    for line in lines.lines() {
        let counted: serde_json::Value = serde_json::from_str(line).expect("an object");
        let material = counted["material"].as_str().expect("a name");
        let stats = out(folder.path(), &["tb", "stats", material, "--json"]);
        let stats: serde_json::Value = serde_json::from_str(&stats).expect("an object");
        for side in ["white_to_move", "black_to_move"] {
            let counted = counted[side].as_object().expect("counts");
            assert_eq!(counted.len(), 5);
            for (key, value) in counted {
                assert_eq!(*value, stats[side][key], "{material} {side} {key}");
            }
        }
        tables += 1;
    }
    assert_eq!(tables, 2);
    let sample = out(
        folder.path(),
        &[&generate[..], &["--sample", "2000"]].concat(),
    );
    assert!(
        sample.contains("verified by their moves, 0 errors"),
        "{sample}"
    );
    let sample = out(
        folder.path(),
        &[&generate[..], &["--sample", "2000", "--json"]].concat(),
    );
    for line in sample.lines() {
        let counted: serde_json::Value = serde_json::from_str(line).expect("an object");
        let verified = &counted["verified"];
        assert!(
            verified["positions"].as_u64() > Some(1_000) && verified["errors"] == 0,
            "{line}"
        );
    }
    for refused in [
        &["--no-files", "--metric", "dtc"][..],
        &["--json"],
        &["--sample", "9"],
    ] {
        let arguments = [&["tb", "generate", "KQK"], refused].concat();
        let output = duchamp(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{refused:?}");
    }
}
