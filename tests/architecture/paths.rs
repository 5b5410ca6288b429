//! The paths that source names: those of `use` items, and those in the middle of code.

use crate::reader::Token;

/// A path as it stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mention<'a> {
    /// The module, from the crate's root, in which the first segment is looked up.
    pub(crate) from: Vec<&'a str>,
    /// Whether the path says so itself, by `crate`, `self` or `super`.
    pub(crate) anchored: bool,
    pub(crate) segments: Vec<&'a str>,
    /// The name that a `use` binds to it; `*` for all names in it.
    pub(crate) binds: Option<&'a str>,
}

/// All paths of a source whose module is `module`. Single words outside `use` are none.
pub(crate) fn mentions<'a>(module: &[&'a str], tokens: &[Token<'a>]) -> Vec<Mention<'a>> {
    let mut reader = Reader {
        tokens,
        at: 0,
        module: module.to_vec(),
        found: Vec::new(),
    };
    reader.read();
    reader.found
}

/// The tokens without items that are compiled for tests only.
pub(crate) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let (end, for_tests) = attribute(tokens, at);
        if !for_tests {
            kept.extend_from_slice(&tokens[at..end.max(at + 1)]);
            at = end.max(at + 1);
            continue;
        }
        at = end;
        while attribute(tokens, at).0 > at {
            at = attribute(tokens, at).0;
        }
        at = after_item(tokens, at);
    }
    kept
}

/// Whether a file only declares modules and names what is in them.
pub(crate) fn is_facade(tokens: &[Token<'_>]) -> bool {
    let mut at = 0;
    let mut declares = false;
    while at < tokens.len() {
        at = attribute(tokens, at).0;
        match tokens.get(at) {
            Some(Token::Word("pub")) => at = after_pub(tokens, at),
            Some(Token::Word("use" | "mod")) => {
                let end = after_item(tokens, at);
                if tokens[at] == Token::Word("mod") {
                    declares = true;
                    if tokens[end - 1] != Token::Sign(';') {
                        return false;
                    }
                }
                at = end;
            }
            Some(_) => return false,
            None => {}
        }
    }
    declares
}

/// Where the attribute that starts here ends, `at` if none does, and whether it is `cfg(test)`.
fn attribute(tokens: &[Token<'_>], at: usize) -> (usize, bool) {
    let inner = usize::from(tokens.get(at + 1) == Some(&Token::Sign('!')));
    let open = at + 1 + inner;
    if tokens.get(at) != Some(&Token::Sign('#')) || tokens.get(open) != Some(&Token::Sign('[')) {
        return (at, false);
    }
    let (mut end, mut depth) = (open, 0);
    while end < tokens.len() {
        match tokens[end] {
            Token::Sign('[') => depth += 1,
            Token::Sign(']') => depth -= 1,
            _ => {}
        }
        end += 1;
        if depth == 0 {
            break;
        }
    }
    let words = &tokens[open..end];
    let has = |word| words.contains(&Token::Word(word));
    (end, has("cfg") && has("test") && !has("not"))
}

/// Where the item that starts here ends: behind its `;` or its body.
fn after_item(tokens: &[Token<'_>], at: usize) -> usize {
    let in_use = match tokens.get(at) {
        Some(Token::Word("pub")) => tokens.get(after_pub(tokens, at)),
        first => first,
    } == Some(&Token::Word("use"));
    let (mut round, mut curly) = (0, 0);
    for (offset, token) in tokens[at..].iter().enumerate() {
        match token {
            Token::Sign('(' | '[') => round += 1,
            Token::Sign(')' | ']') => round -= 1,
            Token::Sign('{') => curly += 1,
            Token::Sign('}') => curly -= 1,
            _ => {}
        }
        let ends = match token {
            Token::Sign(';') => round == 0 && curly == 0,
            Token::Sign('}') => round == 0 && curly == 0 && !in_use,
            _ => false,
        };
        if ends {
            return at + offset + 1;
        }
    }
    tokens.len()
}

/// Behind `pub`, `pub(crate)` or `pub(in path)`.
fn after_pub(tokens: &[Token<'_>], at: usize) -> usize {
    let inside = &tokens[at + 1..];
    if inside.first() != Some(&Token::Sign('(')) {
        return at + 1;
    }
    // `pub (A, B)` is the field of a tuple.
    let restricts = matches!(
        inside.get(1),
        Some(Token::Word("crate" | "super" | "self" | "in"))
    );
    let close = inside.iter().position(|&token| token == Token::Sign(')'));
    match close {
        Some(close) if restricts => at + 2 + close,
        _ => at + 1,
    }
}

struct Reader<'s, 'a> {
    tokens: &'s [Token<'a>],
    at: usize,
    module: Vec<&'a str>,
    found: Vec<Mention<'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn read(&mut self) {
        let mut braces = 0usize;
        // How many braces were open where each inner module began.
        let mut inner: Vec<usize> = Vec::new();
        while let Some(token) = self.peek(0) {
            match (token, self.peek(1), self.peek(2)) {
                (Token::Word("mod"), Some(Token::Word(name)), Some(Token::Sign('{'))) => {
                    self.module.push(name);
                    inner.push(braces);
                    braces += 1;
                    self.at += 3;
                }
                (Token::Sign('{'), ..) => {
                    braces += 1;
                    self.at += 1;
                }
                (Token::Sign('}'), ..) => {
                    braces = braces.saturating_sub(1);
                    if inner.last() == Some(&braces) {
                        inner.pop();
                        self.module.pop();
                    }
                    self.at += 1;
                }
                (Token::Word("pub"), ..) => self.at = after_pub(self.tokens, self.at),
                // `impl Trait + use<'a>` imports nothing.
                (Token::Word("use"), Some(next), _) if next != Token::Sign('<') => {
                    self.at += 1;
                    self.tree(&mut Vec::new());
                }
                (Token::Word(_), Some(Token::PathSeparator), _) => {
                    let segments = self.segments();
                    // One segment is a method with its types, `.parse::<T>()`.
                    if segments.len() > 1 {
                        self.add(&segments, None);
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// The words of the path that starts here; what follows its last word is not read.
    fn segments(&mut self) -> Vec<&'a str> {
        let mut segments = Vec::new();
        while let Some(Token::Word(word)) = self.peek(0) {
            segments.push(word);
            self.at += 1;
            if self.peek(0) != Some(Token::PathSeparator) {
                break;
            }
            self.at += 1;
        }
        segments
    }

    /// A tree of a `use` item, after `prefix`.
    fn tree(&mut self, prefix: &mut Vec<&'a str>) {
        let before = prefix.len();
        if self.peek(0) == Some(Token::PathSeparator) {
            self.at += 1;
        }
        prefix.extend(self.segments());
        match self.peek(0) {
            Some(Token::Sign('{')) => {
                self.at += 1;
                while !matches!(self.peek(0), None | Some(Token::Sign('}'))) {
                    self.tree(prefix);
                    if self.peek(0) == Some(Token::Sign(',')) {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            Some(Token::Sign('*')) => {
                self.at += 1;
                self.add(&prefix.clone(), Some("*"));
            }
            next => {
                if prefix.len() > 1 && prefix.last() == Some(&"self") {
                    prefix.pop();
                }
                let mut name = prefix.last().copied();
                if next == Some(Token::Word("as")) {
                    if let Some(Token::Word(alias)) = self.peek(1) {
                        name = Some(alias);
                    }
                    self.at += 2;
                } else if prefix.len() == before {
                    // Nothing that a `use` can hold: go on behind it.
                    self.at += 1;
                }
                self.add(&prefix.clone(), name);
            }
        }
        prefix.truncate(before);
    }

    fn add(&mut self, path: &[&'a str], binds: Option<&'a str>) {
        let mut from = self.module.clone();
        let mut anchored = true;
        let mut rest = path;
        match rest.first() {
            Some(&"crate") => {
                from.clear();
                rest = &rest[1..];
            }
            Some(&"self") => rest = &rest[1..],
            Some(&"super") => {}
            _ => anchored = false,
        }
        while let Some((&"super", later)) = rest.split_first() {
            from.pop();
            rest = later;
        }
        self.found.push(Mention {
            from,
            anchored,
            segments: rest.to_vec(),
            binds,
        });
    }
}
