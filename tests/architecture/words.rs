//! One name, one thing: no public type name of the workspace stands for two things; and words that a reader of the field
//! would not know do not come back in code, comments, help or messages.

use super::reader::{Token, tokens, workspace};
use super::sources;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Public type names that are defined more than once, each with the reason. A name leaves the list when one of its types is
/// renamed.
const SHARED_NAMES: &[(&str, &str)] = &[
    ("Bitboard", "of chess; of xiangqi"),
    ("Board", "of chess; of xiangqi"),
    (
        "Broken",
        "a law of the solver's parts that does not hold; of a game",
    ),
    ("Color", "of chess; of xiangqi"),
    ("Exits", "of chess; of xiangqi"),
    ("FenError", "of chess; of xiangqi"),
    ("Game", "a game of chess; a game to be solved (trait)"),
    ("Generator", "of tables; the same for chess and xiangqi"),
    ("Layout", "of chess; of xiangqi"),
    (
        "Limits",
        "of a search, as Stockfish has it; of a restricted table",
    ),
    ("Line", "a principal variation; a line of input"),
    ("Material", "of chess; of xiangqi"),
    ("Move", "of chess; of xiangqi"),
    ("MoveValue", "of any game; the same for chess"),
    ("MoveValues", "of any game; the same for chess"),
    ("Outcome", "of a game of chess; of a probe in a file"),
    ("ParseMaterialError", "of chess; of xiangqi"),
    ("Piece", "of chess; of xiangqi"),
    ("Position", "of chess; of xiangqi"),
    ("PositionError", "of chess; of xiangqi"),
    ("Prober", "of any game; the same for chess"),
    ("Role", "of chess; of xiangqi"),
    (
        "Rules",
        "of a restricted table; of a game to be solved (trait)",
    ),
    ("SideStats", "of any game; the same for chess"),
    ("Sink", "receives moves; receives events of the engine"),
    ("Square", "of chess; of xiangqi"),
    ("Squares", "of chess; of xiangqi"),
    ("UnMove", "of chess; of xiangqi"),
    ("Verdict", "of a rule; of a proof"),
    ("Verifier", "of any game; the same for chess and xiangqi"),
];

/// Words of earlier versions, and what to say instead. A word matches in any case where no letter or digit stands beside it.
const OLD_WORDS: &[(&str, &str)] = &[
    ("strayer", "sampler of off-game positions"),
    ("merit", "backed-up value"),
    ("word man", "indexed piece"),
    ("tells in a line", "prints one line"),
    ("slow judge", "reference solver"),
    ("outside judge", "reference"),
    ("tests/judge", "tests/reference"),
];

/// The names of the types that a source defines with any visibility of `pub`.
fn public_types(code: &str) -> Vec<String> {
    let words = tokens(code);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Token::Word("struct" | "enum" | "trait" | "type" | "union") = word else {
            continue;
        };
        let Some(Token::Word(name)) = words.get(at + 1) else {
            continue;
        };
        // `pub unsafe trait` is not public alone; `pub(super)` and `pub(crate)` are not public at all.
        let before = if words[..at].ends_with(&[Token::Word("unsafe")]) {
            at - 1
        } else {
            at
        };
        if words[..before].ends_with(&[Token::Word("pub")]) {
            found.push((*name).to_owned());
        }
    }
    found
}

/// Where `word` stands by itself in a line: its neighbours are no letters or digits.
fn holds(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let alone = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        alone(line[..at].chars().next_back()) && alone(line[at + word.len()..].chars().next())
    })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace is readable") {
        let path = entry.expect("its entries too").path();
        let known = path
            .extension()
            .is_some_and(|ext| ["rs", "py", "sh"].iter().any(|known| ext == *known));
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files);
        } else if known {
            files.push(path);
        }
    }
}

#[test]
fn a_public_type_name_stands_for_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources() {
        // Names that a crate gives again to types of the crates below it are the same things.
        if source.name.ends_with("/aliases.rs") {
            continue;
        }
        for name in public_types(&source.code) {
            places.entry(name).or_default().push(source.name.clone());
        }
    }
    let twice: Vec<String> = places
        .iter()
        .filter(|(name, files)| files.len() > 1 && !SHARED_NAMES.iter().any(|(n, _)| n == name))
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(twice.is_empty(), "\n{}", twice.join("\n"));
}

#[test]
fn old_words_do_not_come_back() {
    let mut files = Vec::new();
    for folder in ["crates", "src", "tests", "benches", "fuzz", "examples"] {
        collect(&workspace().join(folder), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(workspace()).expect("found under it");
        let name = name.to_string_lossy().replace('\\', "/");
        if name == "tests/architecture/words.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("source is readable UTF-8");
        for (number, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            for (word, instead) in OLD_WORDS {
                if holds(&line, word) {
                    let number = number + 1;
                    found.push(format!("{name}:{number}: \"{word}\"; say: {instead}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn words_and_types_are_found() {
    assert!(holds("// set by hand.", "by hand") && holds("let by_hand = 1;", "by_hand"));
    assert!(holds("max_judges", "judges") && !holds("it merits more", "merit"));
    assert_eq!(
        public_types("pub struct A<T>(T); pub(crate) enum B {} pub unsafe trait C {} struct D;"),
        ["A", "C"]
    );
}
