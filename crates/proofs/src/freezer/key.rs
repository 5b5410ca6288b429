//! The key of the files of one set of rules: a hash of all that the restricted tables, their values and the counted use of rules
//! depend on, written out as text of a fixed form. Titles, the goal, and what rules look like in their file are left out.

use super::plan::FreezeLimits;
use super::rules::{Rules, Ruling, Taken};
use super::solved::material_name;
use duchamp_base::Random;
use duchamp_chess::{Oracle, Piece, Position, Setup, Square};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The version of the text; to be raised when its form changes, or the meaning of a word in it.
const VERSION: u32 = 2;

/// Random placements that are tried to find a legal one.
const TRIES: usize = 10_000;

/// The tables that rules are solved with.
#[derive(Clone, Debug)]
pub(super) struct AtHand {
    /// The most pieces of any table.
    men: u32,
    /// Names of those that the rules may ask and that are not there: once they are, values may be better.
    missing: Vec<String>,
}

impl AtHand {
    /// What an oracle has of the tables that rules may ask, given by their pieces: it is asked about a position of each.
    pub(super) fn of(wanted: &BTreeSet<Vec<Piece>>, oracle: &dyn Oracle) -> AtHand {
        let men = oracle.max_men();
        let has = |pieces: &[Piece]| {
            let some = || some_position(pieces);
            let position = (pieces.len() <= men as usize).then(some).flatten();
            position.is_some_and(|position| oracle.wdl(&position).is_some())
        };
        let missing = wanted.iter().filter(|pieces| !has(pieces));
        AtHand {
            men,
            missing: missing
                .map(|pieces| material_name(pieces.clone()))
                .collect(),
        }
    }
}

/// A legal position of some pieces, always the same; `None` if none is found.
fn some_position(pieces: &[Piece]) -> Option<Position> {
    let mut random = Random::new(1);
    (0..TRIES).find_map(|_| {
        let mut setup = Setup::EMPTY;
        for &piece in pieces {
            let square = Square::new(random.below(64));
            if setup.board.occupied().has(square) {
                return None;
            }
            setup.board.put(piece, square);
        }
        Position::from_setup(&setup).ok()
    })
}

/// The key of some rules, solved with the tables at hand by this version of the program.
pub(super) fn key(rules: &Rules, tables: &AtHand, limits: FreezeLimits) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text(rules, tables, limits).as_bytes())
}

fn text(rules: &Rules, tables: &AtHand, limits: FreezeLimits) -> String {
    let mut text = format!("rules {VERSION}\nprogram {}\n", env!("CARGO_PKG_VERSION"));
    // What is left out changes both the numbers of restricted tables and their values.
    _ = writeln!(text, "limits {} {}", tables.men, limits.entries);
    for name in &tables.missing {
        _ = writeln!(text, "missing {name}");
    }
    _ = writeln!(text, "start {}", rules.start.fen());
    _ = writeln!(text, "bound {}", rules.bound.to_char());
    _ = writeln!(text, "tables {}", rules.tables.max_men);
    _ = writeln!(text, "chain {}", rules.chain);
    for man in &rules.men {
        let (piece, allowed) = (man.piece.to_char(), man.allowed.0);
        _ = writeln!(text, "man {} {piece} {allowed:016x}", man.square);
        for outside in &man.outside {
            let Ruling { verdict, rule } = outside.ruling;
            let rule = rule.map_or("-".to_owned(), |rule| rule.0.to_string());
            let squares = outside.squares.0;
            _ = writeln!(text, "outside {squares:016x} {} {rule}", verdict.name());
        }
    }
    for rule in &rules.captures {
        _ = write!(text, "capture {:016x}", rule.squares.0);
        for verdict in [rule.verdict, rule.recapture, rule.second] {
            _ = write!(text, " {}", verdict.name());
        }
        _ = write!(text, " {}", rule.rule.0);
        for taken in &rule.taken {
            _ = match taken {
                Taken::Kind(piece) => write!(text, " {}", piece.to_char()),
                Taken::Man(square) => write!(text, " {square}"),
            };
        }
        text.push('\n');
    }
    for rule in &rules.promotions {
        let (color, squares) = (rule.color.to_char(), rule.squares.0);
        let roles: String = rule.roles.iter().map(|role| role.upper()).collect();
        let (verdict, taken) = (rule.verdict.name(), rule.taken.name());
        let number = rule.rule.0;
        _ = writeln!(
            text,
            "promotion {color} {squares:016x} {roles} {verdict} {taken} {number}"
        );
    }
    // Uses are counted by rule, and what is assumed is checked.
    let assumed = rules.sources.iter().map(|source| match source.assumed {
        true => 'a',
        false => 's',
    });
    _ = writeln!(text, "sources {}", assumed.collect::<String>());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::{Value, Wdl};
    use duchamp_chess::Role;

    const FILE: &str = r#"
        start = "8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1"
        bound = "white"
        prove = "draw"
        chain = 1
        [tables]
        max_men = 3
        [[man]]
        at = "e3"
        squares = "e1-e4"
        outside = "loss"
        [[capture]]
        taken = ["q", "f2"]
        squares = "all"
        verdict = "win"
        recapture = "loss"
        assume = true
        [[promotion]]
        side = "white"
        squares = "f8"
        pieces = "QR"
        verdict = "draw"
        assume = true
    "#;

    fn at_hand(men: u32, missing: &[&str]) -> AtHand {
        AtHand {
            men,
            missing: missing.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn text_of(file: &str) -> String {
        text(
            &Rules::parse(file).expect("rules"),
            &at_hand(4, &["KQvK"]),
            FreezeLimits::default(),
        )
    }

    /// Another form needs another [`VERSION`].
    #[test]
    fn the_text_has_this_form() {
        let program = concat!("program ", env!("CARGO_PKG_VERSION"));
        let expected = [
            "rules 2",
            program,
            "limits 4 100000000",
            "missing KQvK",
            "start 8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1",
            "bound w",
            "tables 3",
            "chain 1",
            "man f2 P ffffffffffffffff",
            "man g2 K ffffffffffffffff",
            "man e3 R 0000000010101010",
            "outside ffffffffefefefef loss 0",
            "man d6 k ffffffffffffffff",
            "man d7 q ffffffffffffffff",
            "capture ffffffffffffffff win loss loss 1 q f2",
            "promotion w 2000000000000000 QR draw draw 2",
            "sources saa",
        ];
        assert_eq!(text_of(FILE).lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_changes_values_changes_the_text() {
        let text = text_of(FILE);
        for (old, new) in [
            ("e1-e4", "e1-e5"),
            ("\"win\"", "\"draw\""),
            ("\"f2\"", "\"e3\""),
            ("b - - 0 1", "w - - 0 1"),
            ("\"QR\"", "\"QN\""),
            ("max_men = 3", "max_men = 0"),
            ("chain = 1", "chain = 2"),
        ] {
            assert_ne!(text, text_of(&FILE.replacen(old, new, 1)), "{old}");
        }
        let rules = Rules::parse(FILE).expect("rules");
        let limits = FreezeLimits {
            entries: 7,
            ..FreezeLimits::default()
        };
        let four = key(&rules, &at_hand(4, &[]), limits);
        let others = [
            key(&rules, &at_hand(4, &[]), FreezeLimits::default()),
            key(&rules, &at_hand(5, &[]), limits),
            key(&rules, &at_hand(4, &["KPvK"]), limits),
        ];
        assert!(!others.contains(&four));
    }

    /// Knows all about rooks.
    struct Rooks;

    impl Oracle for Rooks {
        fn max_men(&self) -> u32 {
            3
        }

        fn wdl(&self, position: &Position) -> Option<Wdl> {
            let known = position.role(Role::Rook).any();
            known.then_some(Wdl::Draw)
        }

        fn dtm(&self, _: &Position) -> Option<Value> {
            None
        }
    }

    #[test]
    fn tables_that_are_missing_are_found_out() {
        let pieces =
            |men: &str| -> Vec<Piece> { men.chars().filter_map(Piece::from_char).collect() };
        let wanted: BTreeSet<Vec<Piece>> = ["KkR", "KkP", "KkRr"].map(pieces).into();
        let mut missing = AtHand::of(&wanted, &Rooks).missing;
        missing.sort();
        assert_eq!(missing, ["KPvK", "KRvKR"]);
        // Nine pieces have a legal position, too.
        assert!(some_position(&pieces("KkPPPPppp")).is_some());
    }

    #[test]
    fn titles_comments_and_goals_change_nothing() {
        let file = format!("title = \"Another\" # A comment\n{FILE}");
        let file = file.replace("prove = \"draw\"", "prove = \"win\"");
        assert_eq!(text_of(FILE), text_of(&file));
    }
}
