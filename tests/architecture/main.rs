//! What the compiler does not hold of the plan: which crate names which, who may be unsafe, how long things get,
//! that no files of a crate lie in a circle, and which names and words are used (`words.rs`).
//!
//! Cargo keeps a crate from importing what its manifest does not name; here the manifests are held
//! against the plan, and inside the crates of several rooms, and in the program, the source. The source is
//! read as text, comments and literals blanked out, so that a path in a comment counts for nothing and
//! `crate::{a, b}`, `$crate::a` and `super::super::a` are all seen.

mod circles;
mod paths;
mod reader;
mod words;

use paths::mentions;
use reader::{Source, Token, blank, functions, tokens, workspace};
use std::collections::BTreeSet;
use std::fs;

/// Each crate, from the ground up, and the crates of this workspace that it may depend on; the same table as in
/// `docs/ARCHITECTURE.md`.
const CRATES: [(&str, &[&str]); 12] = [
    ("base", &[]),
    ("chess", &["base"]),
    ("xiangqi", &[]),
    ("retro", &["base"]),
    ("tablebase", &["base", "retro"]),
    ("chess-tables", &["base", "chess", "retro", "tablebase"]),
    ("xiangqi-tables", &["base", "xiangqi", "retro", "tablebase"]),
    ("proofs", &["base", "chess", "retro"]),
    ("eval", &["base", "chess"]),
    ("search", &["base", "chess", "eval"]),
    (
        "engine",
        &["base", "chess", "chess-tables", "proofs", "eval", "search"],
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
            "duchamp_tablebase",
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
        "crates/base/src/allocator.rs",
        "the system's allocator with a reserve of address space",
    ),
    (
        "crates/base/src/fault.rs",
        "the handler of the signal that a mapped file raises when it is cut off, and two settings of the system",
    ),
    (
        "crates/base/src/mapped.rs",
        "memory maps of files that are never changed in place",
    ),
    ("crates/base/src/prefetch.rs", "the prefetch instruction"),
    (
        "crates/search/src/tt_memory.rs",
        "zeroed memory of the hash table",
    ),
    (
        "crates/retro/src/bytes.rs",
        "vector comparisons of distance bytes",
    ),
    (
        "crates/retro/src/vectors.rs",
        "calls what is compiled for AVX2, if the processor has it",
    ),
    (
        "crates/eval/src/network/kernels.rs",
        "the choice among compiled versions of the network's loops, by what the processor has",
    ),
    (
        "crates/eval/src/network/avx2.rs",
        "vector loads and casts of the network's loops",
    ),
    (
        "crates/eval/src/network/avx512.rs",
        "vector loads and casts of the network's loops",
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
const PARSER: &str = "src/uci/vampirc.rs";

const LONGEST_FILE: usize = 600;
const LONGEST_FUNCTION: usize = 100;

/// All source of the program and its crates.
fn sources() -> Vec<Source> {
    let crates = CRATES.iter().map(|(name, _)| format!("crates/{name}/src"));
    let folders: Vec<String> = crates.chain(["src".to_owned()]).collect();
    reader::sources(&folders)
}

/// The names that a source takes from the crate's root, whichever way it writes that.
fn root_names<'a>(name: &'a str, code: &'a str) -> BTreeSet<&'a str> {
    let module = circles::module(name);
    mentions(&module, &tokens(code))
        .into_iter()
        .filter(|mention| mention.anchored && mention.from.is_empty())
        .map(|mention| match (mention.segments.first(), mention.binds) {
            (Some(first), _) => first,
            (None, Some("*")) => "*",
            (None, _) => "self",
        })
        .collect()
}

/// What a source names of its crate's root, and the crates of this workspace that it names.
fn named(source: &Source) -> BTreeSet<&str> {
    let mut names = root_names(&source.name, &source.code);
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
        assert_eq!(named, source.name == PARSER, "{}", source.name);
    }
}

#[test]
fn what_is_excused_exists() {
    let sources = sources();
    let excused = UNSAFE.iter().map(|entry| entry.0);
    for name in excused
        .chain(LONG.iter().map(|entry| entry.0))
        .chain([PARSER])
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
        } else if name != PARSER {
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
