//! What the compiler does not hold of the plan: which crate names which, who may be unsafe, how long things get.
//!
//! Cargo keeps a crate from importing what its manifest does not name; here the manifests are held
//! against the plan, and inside the crates of several rooms, and in the program, the source. The source is
//! read as text, comments and literals blanked out, so that a path in a comment counts for nothing and
//! `crate::{a, b}`, `$crate::a` and `super::super::a` are all seen.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate, from the ground up, and the crates of this workspace that it may depend on; the same table as in
/// `docs/ARCHITECTURE.md`.
const CRATES: [(&str, &[&str]); 9] = [
    ("base", &[]),
    ("chess", &["base"]),
    ("retro", &["base"]),
    ("chess-tables", &["base", "chess", "retro"]),
    ("proofs", &["base", "chess", "retro"]),
    ("eval", &["base", "chess"]),
    ("search", &["base", "chess", "eval"]),
    (
        "engine",
        &[
            "base",
            "chess",
            "retro",
            "chess-tables",
            "proofs",
            "eval",
            "search",
        ],
    ),
    ("training", &["base", "chess", "eval", "search"]),
];

/// Rooms inside a crate: what each may not name of its own crate's rooms or of other crates.
const ROOMS: [(&str, &[&str]); 6] = [
    ("crates/proofs/src/pawns/", &["freezer", "duchamp_retro"]),
    ("crates/proofs/src/freezer/", &["pawns"]),
    ("crates/training/src/selfplay/", &["train"]),
    ("crates/training/src/train/", &["duchamp_search"]),
    (
        "src/uci/",
        &[
            "cli",
            "duchamp_search",
            "duchamp_chess_tables",
            "duchamp_proofs",
            "duchamp_training",
            "duchamp_retro",
        ],
    ),
    ("src/cli/", &["uci"]),
];

/// The only files that may hold `unsafe`, each with a reason.
const UNSAFE: &[(&str, &str)] = &[
    (
        "crates/base/src/mapped.rs",
        "memory maps of files that are never changed in place",
    ),
    (
        "crates/search/src/cells.rs",
        "zeroed memory of the hash table, and the prefetch instruction",
    ),
    (
        "crates/retro/src/bytes.rs",
        "vector comparisons of distance bytes",
    ),
    (
        "crates/eval/src/network/kernels.rs",
        "the network's inner loops compiled for AVX2, and its multiplication of pairs",
    ),
    (
        "crates/training/src/train/vector.rs",
        "calls what is compiled for AVX2, if the processor has it",
    ),
];

/// Functions that are longer than [`LONGEST_FUNCTION`], each with a reason.
const LONG: &[(&str, &str, &str)] = &[(
    "crates/search/src/quiesce.rs",
    "quiesce",
    "one node of search: cut into stages it would hand a dozen values around",
)];

/// The only file that may name the UCI parser crate.
const WALL: &str = "src/uci/wall.rs";

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 100;

struct Source {
    /// The path under the workspace, with `/`.
    name: String,
    text: String,
    /// The text without comments and literals, line by line the same length in lines.
    code: String,
}

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    let root = workspace();
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    for (name, _) in CRATES {
        collect(&root.join("crates").join(name).join("src"), &mut files);
    }
    files.sort();
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

/// What a source names of its crate's root, and the crates of this workspace that it names.
fn named(source: &Source) -> BTreeSet<&str> {
    let inside = source.name.split_once("src/").map_or("", |parts| parts.1);
    let mut names = root_names(inside, &source.code);
    names.extend(
        tokens(&source.code)
            .into_iter()
            .filter_map(|token| match token {
                Token::Word(word) if word.starts_with("duchamp_") => Some(word),
                _ => None,
            }),
    );
    names
}

#[test]
fn rooms_of_a_crate_name_only_what_the_plan_allows() {
    let mut faults = Vec::new();
    let sources = sources();
    for (room, forbidden) in ROOMS {
        let mut files = 0;
        for source in sources
            .iter()
            .filter(|source| source.name.starts_with(room))
        {
            files += 1;
            let names = named(source);
            for name in forbidden.iter().filter(|name| names.contains(**name)) {
                faults.push(format!("{}: may not name {name}", source.name));
            }
        }
        assert!(files > 0, "{room}: no file there");
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn manifests_name_the_crates_of_the_plan() {
    let folders: BTreeSet<String> = fs::read_dir(workspace().join("crates"))
        .expect("there are crates")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let planned: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(folders, planned);
    for (at, (name, allowed)) in CRATES.iter().enumerate() {
        let manifest = workspace().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("each crate has a manifest");
        let manifest: toml::Table = manifest.parse().expect("TOML");
        let dependencies = manifest["dependencies"].as_table().expect("a table");
        let named: BTreeSet<&str> = dependencies
            .keys()
            .filter_map(|name| name.strip_prefix("duchamp-"))
            .collect();
        assert_eq!(named, allowed.iter().copied().collect(), "{name}");
        for below in *allowed {
            let lower = CRATES[..at].iter().any(|(name, _)| name == below);
            assert!(lower, "{name} depends on {below}, which is not below it");
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
fn what_is_excused_exists() {
    let sources = sources();
    let excused = UNSAFE.iter().map(|entry| entry.0);
    for name in excused
        .chain(LONG.iter().map(|entry| entry.0))
        .chain([WALL])
    {
        let source = sources.iter().find(|source| source.name == name);
        let source = source.unwrap_or_else(|| panic!("{name} is excused and not there"));
        if let Some((_, function, _)) = LONG.iter().find(|entry| entry.0 == name) {
            let long = functions(&source.code);
            let long = long.iter().find(|(name, _)| name == function);
            assert!(
                long.is_some_and(|(_, lines)| *lines > LONGEST_FUNCTION),
                "{name}: {function} needs no excuse"
            );
        } else if name != WALL {
            assert!(
                source.code.contains("unsafe"),
                "{name} holds nothing unsafe"
            );
        }
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
