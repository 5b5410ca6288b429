//! Reads source as text: comments and literals blanked out, tokens, paths, functions.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of source.
pub(crate) struct Source {
    /// The path under the workspace, with `/`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The text without comments and literals, line by line the same length in lines.
    pub(crate) code: String,
}

/// The folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All source under these folders of the workspace, sorted by name.
pub(crate) fn sources(folders: &[String]) -> Vec<Source> {
    let root = workspace();
    let mut files = Vec::new();
    for folder in folders {
        collect(&root.join(folder), &mut files);
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
pub(crate) fn blank(text: &str) -> String {
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

/// A word, or what stands between words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    PathSeparator,
    Sign(char),
}

/// The tokens of blanked source.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
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

/// Every function with a body, and the lines from its `fn` to its last brace.
pub(crate) fn functions(code: &str) -> Vec<(String, usize)> {
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
