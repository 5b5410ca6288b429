//! Rule files that are read, refused, and read back after being printed.

use super::*;
use crate::freezer::{Goal, ManRule};
use proptest::prelude::*;

const FORTRESS: &str = r#"title = "A \"fortress\""
start = "8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1"
bound = "white"
prove = "draw"

[[man]]
at = "f2"
squares = "stay"

[[man]]
piece = "R"
squares = ["e3", "g3"]

[[man]]
at = "g2"
squares = "e1-h4"

[[man]]
piece = "k"
squares = "ranks 4-8"
outside = "draw"
assume = true
[[man.outside_at]]
squares = "a1-h1"
verdict = "loss"

[[capture]]
taken = ["P", "e3"]
squares = "file f"
recapture = "draw"
assume = true

[[promotion]]
side = "black"
pieces = "nQ"
"#;

/// A position without rules, then some text.
fn with(text: &str) -> String {
    format!(
        "start = \"8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1\"\nbound = \"white\"\nprove = \"draw\"\n{text}"
    )
}

fn man(rules: &Rules, square: Square) -> &ManRule {
    let found = rules.men.iter().find(|man| man.square == square);
    found.expect("a man stands there")
}

#[test]
fn a_file_is_read() {
    let rules = Rules::parse(FORTRESS).expect("right");
    assert_eq!(rules.title.as_deref(), Some("A \"fortress\""));
    assert_eq!((rules.bound, rules.goal), (Color::White, Goal::Draw));
    assert_eq!(rules.chain, 0);
    assert!(rules.tables.max_men == 4 && rules.tables.make);
    assert_eq!(man(&rules, Square::F2).allowed, Square::F2.into());
    assert_eq!(name_squares(man(&rules, Square::E3).allowed), "e3 g3");
    assert_eq!(man(&rules, Square::D7).allowed, Bitboard::FULL);
    let king = man(&rules, Square::D6);
    let ruling = |square| rules.outside(king, square);
    assert_eq!(ruling(Square::A1).verdict, Verdict::Loss);
    assert_eq!(ruling(Square::A2).verdict, Verdict::Draw);
    assert_ne!(ruling(Square::A1).rule, ruling(Square::A2).rule);
    let capture = &rules.captures[0];
    let pawn = Piece {
        color: Color::White,
        role: Role::Pawn,
    };
    assert_eq!(capture.taken, [Taken::Kind(pawn), Taken::Man(Square::E3)]);
    assert_eq!(
        [capture.verdict, capture.recapture, capture.second],
        [Verdict::Loss, Verdict::Draw, Verdict::Draw]
    );
    assert_eq!(rules.promotions[0].roles, [Role::Queen, Role::Knight]);
    let told: Vec<(usize, &str, bool)> = rules
        .sources
        .iter()
        .map(|source| (source.line, source.text.as_str(), source.assumed))
        .collect();
    assert_eq!(
        told,
        [
            (6, "White's pawn leaves f2: loss", false),
            (10, "White's rook leaves e3 g3: loss", false),
            (14, "White's king leaves e1-h4: loss", false),
            (23, "Black's king enters rank 1: loss", false),
            (18, "Black's king leaves ranks 4-8: draw", true),
            (
                27,
                "a white pawn or White's rook is taken on file f: loss; draw if the taker can be taken",
                true
            ),
            (33, "Black promotes to Q or N: loss", false),
        ]
    );
    assert_eq!(rules.assumptions().count(), 2);
}

/// Files with what is told of them: line, key, some of the words. Those that begin with `+` follow on a position.
#[rustfmt::skip]
const MISTAKES: &[(&str, usize, &str, &str)] = &[
    ("", 1, "start", "missing"),
    ("start = 3", 1, "start", "invalid type: integer"),
    ("start = \"8/8/8/8/8/8/8/8 w - -\"", 1, "start", "king"),
    ("\nstart = \"x\"", 2, "start", "bad FEN"),
    ("start = \"r3k3/8/8/8/8/8/8/4K3 w q -\"", 1, "start", "castling"),
    ("start = \"4k3/pppp4/8/8/8/8/PPPPP3/4K3 w - -\"", 1, "start", "11 men"),
    ("start = \"4k3/8/8/8/8/8/P7/4K3 w - -\"", 1, "bound", "missing"),
    ("start = \"4k3/8/8/8/8/8/P7/4K3 w - -\"\nbound = \"white\"", 1, "prove", "missing"),
    ("= =", 1, "", "`=`"),
    ("+prov = 1", 4, "prov", "unknown field"),
    ("+chain = 9", 4, "chain", "no number from 0 to 8"),
    ("+[tables]\nmax_men = -1", 5, "max_men", "no number"),
    ("+[tables]\nmake = \"x\"", 5, "make", "invalid type"),
    ("+[[man]]\nat = \"f2\"", 4, "squares", "missing"),
    ("+[[man]]\nsquares = \"f2\"", 4, "at", "missing"),
    ("+[[man]]\nsquares = \"f2\"\nat = \"f2\"\nx = 1", 7, "x", "unknown field"),
    ("+[[man]]\nsquares = 2", 5, "squares", "a string or a list"),
    ("+[[man]]\nat = \"f3\"\nsquares = \"f3\"", 5, "at", "no piece stands on f3"),
    ("+[[man]]\nat = \"e2 and e3\"\nsquares = \"e2\"", 5, "at", "no square is named"),
    ("+[[man]]\nat = []\nsquares = \"f2\"", 5, "at", "no square is named"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f3\"", 6, "squares", "not among f3"),
    ("+[[man]]\nat = \"f2\"\nsquares = [\"f2\",\n \"f9\"]", 6, "squares", "\"f9\""),
    ("+[[man]]\nat = \"f2\"\npiece = \"P\"\nsquares = \"f2\"", 6, "piece", "not both"),
    ("+[[man]]\npiece = \"X\"\nsquares = \"f2\"", 5, "piece", "not a letter"),
    ("+[[man]]\npiece = \"N\"\nsquares = \"f2\"", 5, "piece", "no white knight"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f2\"\noutside = \"lost\"", 7, "outside", "unknown variant"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f2\"\noutside = \"draw\"", 7, "outside", "assume = true"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f2\"\n[[man]]\npiece = \"P\"\nsquares = \"f2\"", 7, "man", "line 4"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f2\"\n[[man.outside_at]]\nsquares = \"f2\"\nverdict = \"loss\"", 8, "squares", "f2 is allowed"),
    ("+[[man]]\nat = \"f2\"\nsquares = \"f2\"\nassume = true\n[[man.outside_at]]\nsquares = \"f3\"\nverdict = \"win\"", 10, "verdict", "assume = true"),
    ("+[[capture]]\ntaken = \"z\"", 5, "taken", "neither a letter"),
    ("+[[capture]]\ntaken = \"f3\"", 5, "taken", "no piece stands on f3"),
    ("+[[capture]]\ntaken = \"K\"", 5, "taken", "kings"),
    ("+[[capture]]\ntaken = []", 5, "taken", "no piece is named"),
    ("+[[capture]]\nsquares = \"none\"", 5, "squares", "no square"),
    ("+[[capture]]\nsecond = \"win\"", 5, "second", "assume = true"),
    ("+[[promotion]]\nverdict = \"loss\"", 4, "side", "missing"),
    ("+[[promotion]]\nside = \"black\"\npieces = \"QK\"", 6, "pieces", "QRBN"),
    ("+[[promotion]]\nside = \"black\"\ntaken = \"draw\"", 6, "taken", "assume = true"),
];

#[test]
fn mistakes_are_told_with_line_and_key() {
    for &(text, line, key, words) in MISTAKES {
        let text = text.strip_prefix('+').map_or(text.to_owned(), with);
        let error = Rules::parse(&text).expect_err(&text);
        assert_eq!((error.line, &*error.key), (line, key), "{text}\n{error}");
        assert!(error.text.contains(words), "{text}\n{error}");
        assert_eq!(error.to_string().lines().count(), 1);
    }
}

#[test]
fn what_is_safe_depends_on_the_bound_side() {
    let black = with("[[capture]]\nverdict = \"win\"").replace("\"white\"", "\"black\"");
    let rules = Rules::parse(&black).expect("safe for Black");
    assert_eq!(rules.assumptions().count(), 0);
    assert_eq!(rules.worst().verdict, Verdict::Win);
    // Needless, but harmless.
    let text = with("[[capture]]\nverdict = \"loss\"\nassume = true");
    assert_eq!(Rules::parse(&text).expect("right").assumptions().count(), 0);
}

/// All that rules say, without lines and numbers.
fn meaning(rules: &Rules) -> String {
    let men = rules.men.iter().map(|man| {
        let rulings = (!man.allowed).into_iter();
        let rulings: Vec<Verdict> = rulings.map(|s| rules.outside(man, s).verdict).collect();
        format!(
            "{} {:?} {} {rulings:?}",
            man.square, man.piece, man.allowed.0
        )
    });
    let captures = rules.captures.iter().map(|rule| {
        let verdicts = [rule.verdict, rule.recapture, rule.second];
        format!("{:?} {} {verdicts:?}", rule.taken, rule.squares.0)
    });
    let promotions = rules.promotions.iter().map(|rule| {
        let verdicts = [rule.verdict, rule.taken];
        format!(
            "{:?} {} {:?} {verdicts:?}",
            rule.color, rule.squares.0, rule.roles
        )
    });
    let parts: Vec<String> = men.chain(captures).chain(promotions).collect();
    format!(
        "{:?} {} {:?} {:?} {:?} {} {parts:#?}",
        rules.title,
        rules.start.fen(),
        rules.bound,
        rules.goal,
        rules.tables,
        rules.chain
    )
}

fn reads_back(rules: &Rules) {
    let text = rules.to_toml();
    let again = Rules::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(meaning(&again), meaning(rules), "{text}");
    assert_eq!(again.to_toml(), text);
}

#[test]
fn printed_rules_read_back() {
    let rules = Rules::parse(FORTRESS).expect("right");
    reads_back(&rules);
    let again = Rules::parse(&rules.to_toml()).expect("right");
    assert_eq!(again.assumptions().count(), 2);
    reads_back(&Rules::free(rules.start, Color::Black, Goal::Win));
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Loss), Just(Verdict::Draw), Just(Verdict::Win)]
}

fn bitboard() -> impl Strategy<Value = Bitboard> {
    (any::<u64>(), any::<u64>()).prop_map(|(a, b)| Bitboard(a & b | 1 << (a % 64)))
}

fn rules() -> impl Strategy<Value = Rules> {
    let men = prop::collection::vec(
        (
            bitboard(),
            prop::collection::vec((bitboard(), verdict()), 0..3),
        ),
        5,
    );
    let captures = prop::collection::vec(
        (
            prop::collection::vec(0..14usize, 1..14),
            bitboard(),
            verdict(),
            verdict(),
            verdict(),
        ),
        0..3,
    );
    let promotions = prop::collection::vec(
        (any::<bool>(), bitboard(), 1..16usize, verdict(), verdict()),
        0..3,
    );
    let rest = (".*", any::<bool>(), any::<bool>(), 0..9u32, 0..9u32);
    (men, captures, promotions, rest).prop_map(|(men, captures, promotions, rest)| {
        let mut rules = Rules::parse(&with("")).expect("right");
        let (title, black, win, chain, max_men) = rest;
        rules.title = Some(title);
        rules.bound = if black { Color::Black } else { Color::White };
        rules.goal = if win { Goal::Win } else { Goal::Draw };
        rules.chain = chain;
        rules.tables = Tables { max_men, make: win };
        for (man, (allowed, outside)) in rules.men.iter_mut().zip(men) {
            man.allowed = allowed | man.square.into();
            let ruled = |(squares, verdict)| ruled(squares, verdict, RuleId(0));
            man.outside = outside.into_iter().filter_map(ruled).collect();
        }
        let kinds: Vec<Taken> = kinds(&Color::ALL).map(Taken::Kind).collect();
        let every_kind = kinds.len();
        let men = rules.men.iter().filter(|man| man.piece.role != Role::King);
        let men = men.map(|man| Taken::Man(man.square));
        let all: Vec<Taken> = kinds.into_iter().chain(men).collect();
        for (taken, squares, verdict, recapture, second) in captures {
            let mut rule = CaptureRule {
                taken: Vec::new(),
                squares,
                verdict,
                recapture,
                second,
                rule: RuleId(0),
            };
            for one in taken.into_iter().filter_map(|at| all.get(at)) {
                if !rule.taken.contains(one) {
                    rule.taken.push(*one);
                }
            }
            // All kinds are printed as one word: their order, and pieces of these kinds, add nothing.
            rule.taken
                .sort_by_key(|one| all.iter().position(|it| it == one));
            if rule.taken.starts_with(&all[..every_kind]) {
                rule.taken.truncate(every_kind);
            }
            if !rule.taken.is_empty() {
                rules.captures.push(rule);
            }
        }
        for (white, squares, roles, verdict, taken) in promotions {
            let chosen = Role::PROMOTIONS.into_iter().enumerate();
            let chosen = chosen.filter(|(at, _)| roles >> at & 1 == 1);
            rules.promotions.push(PromotionRule {
                color: if white { Color::White } else { Color::Black },
                squares,
                roles: chosen.map(|(_, role)| role).collect(),
                verdict,
                taken,
                rule: RuleId(0),
            });
        }
        rules
    })
}

proptest! {
    #[test]
    fn any_rules_read_back(rules in rules()) {
        reads_back(&rules);
    }

    #[test]
    fn any_text_has_an_answer_of_one_line(text in any::<String>(), place in 0..FORTRESS.len(), cut in 0..40usize) {
        let end = (place + cut).min(FORTRESS.len());
        let damaged = format!("{}{text}{}", &FORTRESS[..place], &FORTRESS[end..]);
        for text in [text, damaged] {
            if let Err(error) = Rules::parse(&text) {
                prop_assert_eq!(error.to_string().lines().count(), 1, "{:?}", error);
                prop_assert!(error.line >= 1 && error.line <= text.lines().count() + 1);
            }
        }
    }
}
