//! No circle of files inside a crate: what two files need of each other belongs into a third.
//!
//! A file depends on the files whose names it uses outside tests, whichever way the path goes: a name that is
//! only passed on by `use` counts for the file that defines it. A file that holds only `mod` and `use`
//! is a facade: its children lie in no circle with it.

use crate::paths::{Mention, is_facade, mentions, without_tests};
use crate::reader::{Source, Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Files that depend on each other all the same, each circle with a reason.
const CIRCLES: &[(&[&str], &str)] = &[];

/// Longer chains of `use` are a circle of their own.
const LONGEST_CHAIN: usize = 16;

type Module<'a> = Vec<&'a str>;

/// The module of a file, by its name under the workspace or under `src`.
pub(crate) fn module(name: &str) -> Module<'_> {
    let inside = name.split_once("src/").map_or(name, |parts| parts.1);
    let mut module: Module<'_> = inside.trim_end_matches(".rs").split('/').collect();
    module.pop_if(|last| matches!(*last, "mod" | "lib" | "main"));
    module
}

/// A file of a crate.
struct File<'a> {
    name: &'a str,
    module: Module<'a>,
    facade: bool,
    words: BTreeSet<&'a str>,
    mentions: Vec<Mention<'a>>,
}

impl<'a> File<'a> {
    fn new(source: &'a Source) -> File<'a> {
        let tokens = without_tests(&tokens(&source.code));
        let module = module(&source.name);
        let words = tokens.iter().filter_map(|token| match token {
            Token::Word(word) => Some(*word),
            _ => None,
        });
        File {
            name: &source.name,
            facade: is_facade(&tokens),
            words: words.collect(),
            mentions: mentions(&module, &tokens),
            module,
        }
    }

    /// The path that a `use` of this file binds to a name.
    fn import(&self, name: &str) -> Option<&Mention<'a>> {
        let mut bound = self.mentions.iter();
        bound.find(|mention| mention.binds == Some(name))
    }
}

/// The files of a crate, but for those of its tests.
struct Files<'a> {
    files: Vec<File<'a>>,
    at: BTreeMap<Module<'a>, usize>,
}

impl<'a> Files<'a> {
    /// Of these sources those of the crate whose folder is `folder`.
    fn new(sources: &'a [Source], folder: &str) -> Files<'a> {
        let all = sources.iter().filter(|source| {
            let inside = source.name.strip_prefix(folder);
            inside.is_some_and(|inside| inside != "main.rs")
        });
        let test_modules: BTreeSet<Module<'a>> = all.clone().flat_map(test_modules).collect();
        let files: Vec<File<'a>> = all
            .map(File::new)
            .filter(|file| {
                let of_tests = (1..=file.module.len())
                    .any(|length| test_modules.contains(&file.module[..length]));
                let last = file.module.last().copied().unwrap_or_default();
                !of_tests && last != "tests" && !last.ends_with("_tests")
            })
            .collect();
        let at = files.iter().enumerate();
        let at = at.map(|(number, file)| (file.module.clone(), number));
        Files {
            at: at.collect(),
            files,
        }
    }

    /// The file in which a module is written, and what of the path leads on from there.
    fn holding<'p>(&self, path: &'p [&'a str]) -> Option<(usize, &'p [&'a str])> {
        (0..=path.len()).rev().find_map(|length| {
            let file = self.at.get(&path[..length])?;
            Some((*file, &path[length..]))
        })
    }

    /// The file that defines what a path names, if it is of this crate.
    fn defining(&self, mention: &Mention<'a>, chain: usize) -> Option<usize> {
        if chain > LONGEST_CHAIN {
            return None;
        }
        let path = [&mention.from[..], &mention.segments].concat();
        if !mention.anchored {
            let (user, _) = self.holding(&mention.from)?;
            let head = *mention.segments.first()?;
            let child = self.at.contains_key(&path[..mention.from.len() + 1]);
            // A `use` of a name of another crate binds the name to itself.
            let import = self.files[user].import(head).filter(|import| {
                *import != mention && (import.anchored || import.segments[0] != head)
            });
            return match import {
                _ if child => self.follow(&path, chain),
                Some(import) => self.defining(&joined(import, &mention.segments[1..]), chain + 1),
                None => None,
            };
        }
        self.follow(&path, chain)
    }

    /// [`Files::defining`] of a path from the crate's root.
    fn follow(&self, path: &[&'a str], chain: usize) -> Option<usize> {
        let (file, rest) = self.holding(path)?;
        let Some((name, later)) = rest.split_first() else {
            return Some(file);
        };
        match self.files[file].import(name) {
            Some(import) => self.defining(&joined(import, later), chain + 1),
            None => Some(file),
        }
    }

    /// The files on which a file depends, and of each the words that show it.
    fn dependencies(&self, file: usize) -> BTreeMap<usize, String> {
        let user = &self.files[file];
        let mut found = BTreeMap::new();
        for mention in &user.mentions {
            let target = self.defining(mention, 0);
            if let Some(target) = target {
                found
                    .entry(target)
                    .or_insert_with(|| mention.segments.join("::"));
            }
            let (Some(target), Some("*")) = (target, mention.binds) else {
                continue;
            };
            // Of all that a module passes on, what is named here.
            let passed = self.files[target].mentions.iter();
            for passed in
                passed.filter(|passed| passed.binds.is_some_and(|b| user.words.contains(b)))
            {
                if let Some(target) = self.defining(passed, 0) {
                    let name = passed.binds.unwrap_or_default().to_owned();
                    found.entry(target).or_insert(name);
                }
            }
        }
        found.retain(|&target, _| target != file && !self.files[target].facade);
        found
    }

    /// The sets of files that depend on each other, each with the dependencies inside it.
    fn circles(&self) -> Vec<Circle<'a>> {
        let graph: Vec<BTreeMap<usize, String>> = (0..self.files.len())
            .map(|file| self.dependencies(file))
            .collect();
        let reached: Vec<BTreeSet<usize>> =
            (0..graph.len()).map(|file| reach(&graph, file)).collect();
        let mut circles: Vec<Circle<'a>> = Vec::new();
        for first in 0..graph.len() {
            let members: Vec<usize> = reached[first]
                .iter()
                .copied()
                .filter(|&other| reached[other].contains(&first))
                .collect();
            if members.first() != Some(&first) {
                continue;
            }
            let name = |file: usize| self.files[file].name;
            let edges = members.iter().flat_map(|&from| {
                let inside = graph[from].iter().filter(|(to, _)| members.contains(to));
                inside.map(move |(&to, why)| format!("{} -> {}: {why}", name(from), name(to)))
            });
            let edges = edges.collect();
            let mut files: Vec<&str> = members.into_iter().map(name).collect();
            files.sort_unstable();
            circles.push(Circle { files, edges });
        }
        circles
    }
}

/// Files that depend on each other.
struct Circle<'a> {
    files: Vec<&'a str>,
    edges: Vec<String>,
}

/// What an import leads to, and a path on from there.
fn joined<'a>(import: &Mention<'a>, later: &[&'a str]) -> Mention<'a> {
    let mut joined = import.clone();
    joined.segments.extend(later);
    joined
}

/// All that is reached from a file over one dependency or more.
fn reach(graph: &[BTreeMap<usize, String>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        open.extend(graph[file].keys().filter(|&&next| reached.insert(next)));
    }
    reached
}

/// The modules that a source declares for its tests.
fn test_modules(source: &Source) -> Vec<Module<'_>> {
    let all = tokens(&source.code);
    let declared = |tokens: &[Token<'_>]| -> BTreeSet<String> {
        let modules = tokens.windows(3).filter_map(|three| match three {
            [Token::Word("mod"), Token::Word(name), Token::Sign(';')] => Some((*name).to_owned()),
            _ => None,
        });
        modules.collect()
    };
    let kept = declared(&without_tests(&all));
    all.windows(3)
        .filter_map(|three| match three {
            [Token::Word("mod"), Token::Word(name), Token::Sign(';')] if !kept.contains(*name) => {
                let mut module = module(&source.name);
                module.push(name);
                Some(module)
            }
            _ => None,
        })
        .collect()
}

#[test]
fn files_of_a_crate_form_no_circles() {
    let sources = crate::sources();
    let mut faults = Vec::new();
    let mut excused: BTreeSet<&[&str]> = CIRCLES.iter().map(|circle| circle.0).collect();
    let crates = crate::CRATES
        .iter()
        .map(|(name, _)| (*name, format!("crates/{name}/src/")));
    for (name, folder) in crates.chain([("duchamp", "src/".to_owned())]) {
        let files = Files::new(&sources, &folder);
        assert!(!files.files.is_empty(), "{name}: no files");
        let circles = files.circles();
        for circle in circles {
            if !excused.remove(&circle.files[..]) {
                faults.push(format!("circle:\n    {}", circle.edges.join("\n    ")));
            }
        }
    }
    let gone = excused
        .iter()
        .map(|files| format!("excused and no circle: {}", files.join(", ")));
    faults.extend(gone);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn circles_are_found_through_facades_and_not_through_tests() {
    let circles = |files: &[(&str, &str)]| -> Vec<String> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(name, code)| Source {
                name: format!("x/src/{name}"),
                text: String::new(),
                code: (*code).to_owned(),
            })
            .collect();
        let files = Files::new(&sources, "x/src/");
        let circles = files.circles();
        let names = circles.iter().map(|circle| circle.files.join(" "));
        names.map(|names| names.replace("x/src/", "")).collect()
    };
    let facade = (
        "lib.rs",
        "mod a; mod b; pub use a::A; pub use b::{B, C as D};",
    );
    assert_eq!(
        circles(&[
            facade,
            ("a.rs", "use super::b::B;"),
            ("b.rs", "fn f(a: crate::a::A) {}")
        ]),
        ["a.rs b.rs"]
    );
    for names in [
        "use crate::B;",
        "use super::D;",
        "use crate::{self as x, D}; ",
        "use crate::*; fn f(b: B) {}",
    ] {
        let found = circles(&[facade, ("a.rs", names), ("b.rs", "use crate::A;")]);
        assert_eq!(found, ["a.rs b.rs"], "{names}");
    }
    for harmless in [
        "#[cfg(test)] mod tests { use crate::B; }",
        "#[cfg(test)] use crate::{B, D};",
        "use crate::*; fn f(b: Other) {}",
        "use crate::A;",
        "use std::{b::B, crate_b::D}; pub(in crate::b) fn f() {}",
        "fn f() { x.b::<B>() }",
    ] {
        let found = circles(&[facade, ("a.rs", harmless), ("b.rs", "use crate::A;")]);
        assert!(found.is_empty(), "{harmless}: {found:?}");
    }
    // A parent with logic is a node, its imports are passed on.
    let parent = ("a/mod.rs", "mod b; mod c; use c::C; pub fn f() { b::g() }");
    assert_eq!(
        circles(&[parent, ("a/b.rs", "use super::f;"), ("a/c.rs", "")]),
        ["a/b.rs a/mod.rs"]
    );
    assert!(circles(&[parent, ("a/b.rs", "use super::C;"), ("a/c.rs", "")]).is_empty());
    assert!(circles(&[parent, ("a/b.rs", ""), ("a/c.rs", "use super::b;")]).is_empty());
    // Modules and files for tests are none.
    let tests = ("a.rs", "#[cfg(test)] mod t; mod u; pub struct A;");
    assert!(
        circles(&[
            tests,
            ("a/t.rs", "use super::A; use super::u::U;"),
            ("a/u.rs", "use super::t;")
        ])
        .is_empty()
    );
}
