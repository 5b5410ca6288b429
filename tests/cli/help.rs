//! Manual pages and shell completions, and the help of every command, from outside.

use crate::common::program::{duchamp, out};
use std::path::Path;
use std::process::Command;

/// The names of all commands, by the help of the program and of commands that have subcommands.
fn commands(folder: &Path) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["-h"]).collect();
        let mut inside = false;
        for line in out(folder, &arguments).lines() {
            if !line.starts_with(' ') {
                let headings = ["Options", "Arguments", "Usage"];
                inside = line.ends_with(':') && !headings.iter().any(|it| line.starts_with(it));
            } else if let Some(name) = line.strip_prefix("  ").filter(|_| inside)
                && name.starts_with(|c: char| c.is_ascii_lowercase())
                && !name.starts_with("help ")
            {
                let name = name.split(' ').next().expect("a word").to_owned();
                open.push([path.clone(), vec![name]].concat());
            }
        }
        found.push(path);
    }
    found
}

#[test]
fn help_of_every_command_fits_a_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let commands = commands(folder.path());
    for expected in ["bench", "tb", "tb probe", "datagen stats", "man"] {
        let words: Vec<&str> = expected.split(' ').collect();
        assert!(commands.iter().any(|path| *path == words), "{expected}");
    }
    for path in commands {
        for flag in ["-h", "--help"] {
            let arguments: Vec<&str> = path.iter().map(String::as_str).chain([flag]).collect();
            for line in out(folder.path(), &arguments).lines() {
                assert!(line.chars().count() <= 100, "{arguments:?}: {line}");
            }
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pages = folder.path().join("man1");
    let told = out(folder.path(), &["man", "--out", "man1"]);
    let commands = commands(folder.path());
    assert_eq!(told, format!("{} pages in man1\n", commands.len()));
    for path in &commands {
        let name = [&["duchamp".to_owned()], &path[..]].concat().join("-");
        let file = pages.join(format!("{name}.1"));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        for part in [".TH", ".SH NAME", ".SH SYNOPSIS", "duchamp "] {
            assert!(text.contains(part), "{name}: {part}");
        }
        // The same page alone, on stdout.
        let words: Vec<&str> = ["man"]
            .into_iter()
            .chain(path.iter().map(String::as_str))
            .collect();
        assert_eq!(out(folder.path(), &words), text, "{name}");
        // Rendered without a warning, where there is something to render with.
        let groff = Command::new("groff")
            .args(["-man", "-ww", "-z", "-Tutf8"])
            .arg(&file)
            .output();
        if let Ok(output) = groff {
            let warnings = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && warnings.is_empty(),
                "{name}: {warnings}"
            );
        }
    }
    for arguments in [&["man", "nonsense"][..], &["man", "tb", "--out", "x"]] {
        assert_eq!(duchamp(folder.path(), arguments).status.code(), Some(2));
    }
}

#[test]
fn shells_complete_commands_and_options() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = out(folder.path(), &["completions", shell]);
        for word in ["generate", "perft", "metric"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let file = folder.path().join(shell);
        std::fs::write(&file, script).expect("written");
        // Each shell that is on this machine reads its script. (What Windows calls bash may be another system's.)
        if cfg!(unix)
            && ["bash", "zsh", "fish"].contains(&shell)
            && let Ok(output) = Command::new(shell).arg("-n").arg(&file).output()
        {
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && error.is_empty(),
                "{shell}: {error}"
            );
        }
    }
    let bad = duchamp(folder.path(), &["completions", "cmd"]);
    assert_eq!(bad.status.code(), Some(2));
}

#[test]
fn commands_are_listed_by_what_people_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let help = out(folder.path(), &["--help"]);
    for heading in [
        "Endgame tables:",
        "Test the engine:",
        "Train and tune it:",
        "Options:",
    ] {
        assert!(
            help.lines().any(|line| line == heading),
            "{heading}: {help}"
        );
    }
    assert!(!help.contains('{') && !help.contains('\u{1b}'), "{help}");
    let version = out(folder.path(), &["--version"]);
    let lines: Vec<&str> = version.lines().collect();
    assert_eq!(lines[0], concat!("duchamp ", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("built for ") && lines.len() == 2);
    assert_eq!(out(folder.path(), &["-V"]).trim(), lines[0]);
}

#[test]
fn the_citation_names_the_version_and_the_licences() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("CITATION.cff");
    let text = std::fs::read_to_string(path).expect("CITATION.cff");
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    for line in [version, "  - MIT", "  - Apache-2.0"] {
        assert!(text.lines().any(|it| it == line), "{line}");
    }
}
