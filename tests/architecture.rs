//! The house's plan, held by machine: who may import whom, who may be unsafe, how long things get.
//!
//! The source is read as text, comments and literals blanked out, so that a path in a comment counts
//! for nothing and `crate::{a, b}`, `$crate::a` and `super::super::a` are all seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each room and what it may import; the same table as in `docs/ARCHITECTURE.md`.
const ROOMS: [(&str, &[&str]); 13] = [
    ("base", &[]),
    ("chess", &["base"]),
    ("retro", &["base"]),
    ("tablebase", &["base", "retro", "chess"]),
    ("pawns", &["base", "chess"]),
    ("freezer", &["base", "retro", "chess"]),
    ("eval", &["base", "chess"]),
    ("search", &["base", "chess", "eval"]),
    ("selfplay", &["base", "chess", "eval", "search"]),
    ("train", &["base", "chess", "eval", "selfplay"]),
    (
        "engine",
        &[
            "base",
            "chess",
            "retro",
            "tablebase",
            "pawns",
            "freezer",
            "eval",
            "search",
        ],
    ),
    ("uci", &["base", "chess", "engine"]),
    (
        "cli",
        &[
            "base",
            "chess",
            "retro",
            "tablebase",
            "pawns",
            "freezer",
            "eval",
            "search",
            "selfplay",
            "train",
            "engine",
        ],
    ),
];

/// The only files that may hold `unsafe`, each with a reason.
const UNSAFE: &[(&str, &str)] = &[
    (
        "base/mapped.rs",
        "memory maps of files that are never changed in place",
    ),
    (
        "search/cells.rs",
        "zeroed memory of the hash table, and the prefetch instruction",
    ),
    ("search/prefetch.rs", "the processor's prefetch instruction"),
    ("retro/bytes.rs", "vector comparisons of distance bytes"),
    (
        "eval/network/kernels.rs",
        "the network's inner loops compiled for AVX2, and its multiplication of pairs",
    ),
    (
        "train/vector.rs",
        "calls what is compiled for AVX2, if the processor has it",
    ),
];

/// Functions that are longer than [`LONGEST_FUNCTION`], each with a reason.
const LONG: &[(&str, &str, &str)] = &[(
    "search/quiesce.rs",
    "quiesce",
    "one node of search: cut into stages it would hand a dozen values around",
)];

/// The only file that may name the UCI parser crate.
const WALL: &str = "uci/wall.rs";

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 100;

struct Source {
    /// The path under `src/`, with `/`.
    name: String,
    text: String,
    /// The text without comments and literals, line by line the same length in lines.
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(
        files.len() > 20,
        "the source was not found under {}",
        root.display()
    );
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("source is readable UTF-8");
            let name = path
                .strip_prefix(&root)
                .expect("found under it")
                .components();
            let name: Vec<_> = name
                .map(|part| part.as_os_str().to_string_lossy())
                .collect();
            Source {
                name: name.join("/"),
                code: blank(&text),
                text,
            }
        })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a source folder is readable") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
}

/// Replaces comments and the insides of literals by blanks; line ends stay.
fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if c == '"' {
            string(rest)
        } else if let Some(length) = raw_string(rest, &out) {
            length
        } else if c == '\'' {
            character(rest)
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        out.extend(
            rest[..length]
                .chars()
                .map(|c| if c == '\n' { '\n' } else { ' ' }),
        );
        rest = &rest[length..];
    }
    out
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0usize);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string that starts here; `before` tells whether `r` starts a word.
fn raw_string(text: &str, before: &str) -> Option<usize> {
    let in_word = before
        .chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || c == '_');
    let hashes = text
        .strip_prefix('r')?
        .chars()
        .take_while(|&c| c == '#')
        .count();
    if (in_word && !before.ends_with('b')) || !text[1 + hashes..].starts_with('"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = 2 + hashes;
    Some(
        text[body..]
            .find(&end)
            .map_or(text.len(), |at| body + at + end.len()),
    )
}

/// The length of a character literal, or 1 for the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text[2..]
            .char_indices()
            .skip(1)
            .find(|&(_, c)| c == '\'')
            .map_or(1, |(at, _)| at + 3),
        Some(_) => chars
            .next()
            .filter(|&(_, c)| c == '\'')
            .map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Word(&'a str),
    PathSeparator,
    Sign(char),
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..length]));
            length
        } else if rest.starts_with("::") {
            tokens.push(Token::PathSeparator);
            2
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Sign(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The names that a source takes from the crate's root, whichever way it writes that.
fn root_names<'a>(name: &str, code: &'a str) -> BTreeSet<&'a str> {
    let tokens = tokens(code);
    let module = name.trim_end_matches(".rs").trim_end_matches("/mod");
    // How many modules deep the text is: that of the file, and modules opened inside it.
    let mut depth = if module == "lib" {
        0
    } else {
        module.split('/').count()
    };
    let mut braces = 0usize;
    let mut inner: Vec<usize> = Vec::new();
    let mut names = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            Token::Sign('{') => {
                let opens_module = at >= 2 && tokens[at - 2] == Token::Word("mod");
                if opens_module {
                    inner.push(braces);
                    depth += 1;
                }
                braces += 1;
            }
            Token::Sign('}') => {
                braces = braces.saturating_sub(1);
                if inner.last() == Some(&braces) {
                    inner.pop();
                    depth -= 1;
                }
            }
            // `pub(crate)` and `pub(in super::..)` name no item.
            Token::Word("crate") if tokens.get(at + 1) == Some(&Token::PathSeparator) => {
                at = path_heads(&tokens, at + 2, &mut names);
                continue;
            }
            Token::Word("super") if tokens.get(at + 1) == Some(&Token::PathSeparator) => {
                let mut climbed = 0;
                while tokens.get(at) == Some(&Token::Word("super"))
                    && tokens.get(at + 1) == Some(&Token::PathSeparator)
                {
                    climbed += 1;
                    at += 2;
                }
                if climbed >= depth {
                    at = path_heads(&tokens, at, &mut names);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// The first names of the path, or of each path of the group, that starts at `at`; where to go on.
fn path_heads<'a>(tokens: &[Token<'a>], at: usize, names: &mut BTreeSet<&'a str>) -> usize {
    match tokens.get(at) {
        Some(&Token::Word(word)) => {
            names.insert(word);
            at + 1
        }
        Some(Token::Sign('{')) => {
            let mut depth = 1;
            let mut here = at + 1;
            let mut head = true;
            while depth > 0 && here < tokens.len() {
                match tokens[here] {
                    Token::Sign('{') => depth += 1,
                    Token::Sign('}') => depth -= 1,
                    Token::Sign(',') if depth == 1 => {
                        head = true;
                        here += 1;
                        continue;
                    }
                    Token::Word(word) if depth == 1 && head => {
                        names.insert(word);
                    }
                    _ => {}
                }
                head = false;
                here += 1;
            }
            here
        }
        _ => {
            names.insert("*");
            at
        }
    }
}

#[test]
fn rooms_import_only_what_the_plan_allows() {
    let mut faults = Vec::new();
    for source in sources() {
        let Some((room, _)) = source.name.split_once('/') else {
            continue; // lib.rs and main.rs, which stand above all rooms
        };
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            faults.push(format!("{}: no room of the plan", source.name));
            continue;
        };
        for name in root_names(&source.name, &source.code) {
            if name != room && !allowed.contains(&name) {
                faults.push(format!("{}: {room} may not import {name}", source.name));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_room_is_declared() {
    let lib = sources()
        .into_iter()
        .find(|source| source.name == "lib.rs")
        .expect("there is a library");
    let declared: BTreeSet<&str> = lib
        .code
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let planned: BTreeSet<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    assert_eq!(declared, planned);
}

#[test]
fn the_plan_points_down_only() {
    for (index, (room, allowed)) in ROOMS.iter().enumerate() {
        for below in *allowed {
            assert!(
                ROOMS[..index].iter().any(|(name, _)| name == below),
                "{room} imports {below}, which is not below it"
            );
        }
    }
}

#[test]
fn the_parser_crate_stays_behind_its_wall() {
    for source in sources() {
        let named = tokens(&source.code).contains(&Token::Word("vampirc_uci"));
        assert_eq!(named, source.name == WALL, "{}", source.name);
    }
}

#[test]
fn unsafe_code_stays_in_its_files() {
    for source in sources() {
        let listed = UNSAFE.iter().any(|(name, _)| *name == source.name);
        let words = tokens(&source.code);
        let holds =
            words.contains(&Token::Word("unsafe")) || source.code.contains("allow(unsafe_code)");
        assert!(
            listed || !holds,
            "{} holds unsafe code; add it to the list with a reason, or do without",
            source.name
        );
        if holds {
            let blocks = words
                .iter()
                .filter(|&&word| word == Token::Word("unsafe"))
                .count();
            let reasons =
                source.text.matches("SAFETY:").count() + source.text.matches("# Safety").count();
            assert!(
                reasons > 0 && reasons * 4 >= blocks,
                "{}: {blocks} times unsafe, {reasons} reasons",
                source.name
            );
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut faults = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count();
        if lines > LONGEST_FILE {
            faults.push(format!("{}: {lines} lines", source.name));
        }
        if !source.text.starts_with("//!") {
            faults.push(format!("{}: no heading", source.name));
        }
        for (function, lines) in functions(&source.code) {
            let excused = LONG
                .iter()
                .any(|(file, name, _)| *file == source.name && *name == function);
            if lines > LONGEST_FUNCTION && !excused {
                faults.push(format!("{}: fn {function} has {lines} lines", source.name));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Every function with a body, and the lines from its `fn` to its last brace.
fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = code[at + 3..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let (mut round, mut curly, mut started) = (0i32, 0i32, false);
        for (offset, c) in code[at..].char_indices() {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                ';' if round == 0 && !started => break,
                '{' if round == 0 => {
                    started = true;
                    curly += 1;
                }
                '}' if round == 0 => curly -= 1,
                _ => {}
            }
            if started && curly == 0 {
                found.push((name, code[at..=at + offset].lines().count()));
                break;
            }
        }
    }
    found
}

#[test]
fn the_reader_sees_through_disguises() {
    let names = |file: &str, code: &str| {
        root_names(file, &blank(code))
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        names(
            "chess/a.rs",
            "use crate::base::Value; // crate::retro\nlet s = \"crate::uci\";"
        ),
        "base"
    );
    assert_eq!(
        names("chess/a.rs", "use crate::{base::{x, y}, retro, self as z};"),
        "base retro self"
    );
    assert_eq!(
        names(
            "chess/a/b.rs",
            "use super::super::super::uci::x; use super::super::c;"
        ),
        "uci"
    );
    assert_eq!(
        names("chess/mod.rs", "fn f() { super::retro::g() }"),
        "retro"
    );
    assert_eq!(
        names(
            "chess/a.rs",
            "mod t { use super::super::x; use super::super::super::cli; }"
        ),
        "cli"
    );
    assert_eq!(
        names("chess/a.rs", "mod t { } use super::super::eval;"),
        "eval"
    );
    assert_eq!(
        names(
            "chess/a.rs",
            "macro_rules! m { () => { $crate::engine::f() } }"
        ),
        "engine"
    );
    assert_eq!(
        names(
            "chess/a.rs",
            "pub(crate) fn f<'a>(c: char) { let q = '\"'; } // crate::uci"
        ),
        ""
    );
    assert_eq!(
        names(
            "chess/a.rs",
            "let x = r#\"crate::uci \" \"#; crate :: search :: y();"
        ),
        "search"
    );
    assert_eq!(names("chess/a.rs", "use crate::*;"), "*");
    assert_eq!(
        functions("fn a() {\n x\n}\nfn b();\nfn c() -> [u8; 3] { }"),
        [("a".to_owned(), 3), ("c".to_owned(), 1)]
    );
}
