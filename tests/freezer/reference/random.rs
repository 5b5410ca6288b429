//! Random small rule sets.

use crate::common::Random;
use duchamp_chess::{Bitboard, Color, Piece, Position, Role, Square};
use duchamp_proofs::freezer::{
    CaptureRule, Goal, Outside, PromotionRule, RuleId, RuleSource, Rules, Ruling, Taken, Verdict,
};

const VERDICTS: [Verdict; 3] = [Verdict::Loss, Verdict::Draw, Verdict::Win];

/// What random rules are made of.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The most men.
    pub(crate) men: usize,
    /// Placements of the pieces, at most.
    pub(crate) placements: usize,
    /// Whether there are rules with verdicts that may be wrong.
    pub(crate) assumptions: bool,
    /// The most captures in a row that lead into further boxes.
    pub(crate) chain: u32,
}

/// Random squares; the fuller, the larger `of_four`.
fn some_squares(rng: &mut Random, of_four: usize) -> Bitboard {
    Bitboard::FULL
        .into_iter()
        .filter(|_| rng.below(4) < of_four)
        .collect()
}

/// A rectangle around a square.
fn around(rng: &mut Random, square: Square) -> Bitboard {
    let (file, rank) = (square.file().index(), square.rank().index());
    let (left, right) = (rng.below(file + 1), file + rng.below(8 - file));
    let (low, high) = (rng.below(rank + 1), rank + rng.below(8 - rank));
    Bitboard::FULL
        .into_iter()
        .filter(|to| (left..=right).contains(&to.file().index()))
        .filter(|to| (low..=high).contains(&to.rank().index()))
        .collect()
}

/// The men of a random start, pawns often side by side where they can pass each other, or face to face.
fn random_men(rng: &mut Random, men: usize) -> Vec<(char, Square)> {
    let mut placed: Vec<(char, Square)> = Vec::new();
    let put = |placed: &mut Vec<(char, Square)>, man: char, square: Square| {
        if placed.iter().all(|(_, other)| *other != square) {
            placed.push((man, square));
        }
    };
    let file = rng.below(8);
    let near = if file == 7 { 6 } else { file + 1 };
    match rng.below(7) {
        0 => {
            put(&mut placed, 'P', Square::new(8 + file));
            put(&mut placed, 'p', Square::new(24 + near));
        }
        1 => {
            put(&mut placed, 'p', Square::new(48 + file));
            put(&mut placed, 'P', Square::new(32 + near));
        }
        2 => {
            let rank = 1 + rng.below(5);
            put(&mut placed, 'P', Square::new(8 * rank + file));
            put(&mut placed, 'p', Square::new(8 * rank + 8 + file));
        }
        3 => {
            // Two rooks before a knight that a pawn guards: captures in a row on one square.
            let men = *rng.pick(&["RRnp", "rrNP"]);
            let victim = 16 + 8 * rng.below(4) + file;
            let guard = if men == "RRnp" {
                victim + 8
            } else {
                victim - 8
            };
            let squares = [file, 56 + file, victim, guard - file + near];
            for (man, square) in men.chars().zip(squares) {
                put(&mut placed, man, Square::new(square));
            }
        }
        4 => {
            // A blocked pawn beside the way of a double step: stalemates that only a capture en passant breaks.
            let black = rng.below(2) == 0;
            let men = if black { "Ppp" } else { "pPP" };
            let ranks = if black { [4, 5, 6] } else { [3, 2, 1] };
            let files = [file, file, near];
            for (man, (rank, file)) in men.chars().zip(ranks.into_iter().zip(files)) {
                put(&mut placed, man, Square::new(8 * rank + file));
            }
            let queen = if black { 'q' } else { 'Q' };
            put(&mut placed, queen, Square::new(rng.below(64)));
        }
        _ => {}
    }
    placed.truncate(men - 2);
    let mut kinds = vec!['K', 'k'];
    let pool = ["QRBNPqrbnp", "RRrNnPp", "PPppB", "NNnPB", "Qq"];
    let pool: Vec<char> = rng.pick(&pool).chars().collect();
    while placed.len() + kinds.len() < men {
        kinds.push(*rng.pick(&pool));
    }
    for kind in kinds {
        loop {
            let pawn = kind.eq_ignore_ascii_case(&'p');
            let square = if pawn {
                8 + rng.below(48)
            } else if rng.below(2) == 0 {
                // Kings in corners are stalemated more often.
                *rng.pick(&[0, 7, 56, 63])
            } else {
                rng.below(64)
            };
            let square = Square::new(square);
            if placed.iter().all(|(_, other)| *other != square) {
                placed.push((kind, square));
                break;
            }
        }
    }
    placed
}

/// A random start position.
pub(crate) fn random_start(rng: &mut Random, men: usize) -> Position {
    loop {
        let men = random_men(rng, men);
        let turn = *rng.pick(&['w', 'b']);
        let fen = crate::common::pawns::fen(&men, turn);
        if let Ok(position) = Position::from_fen(&fen) {
            return position;
        }
    }
}

/// Random rules.
pub(crate) fn random_rules(rng: &mut Random, shape: Shape) -> Rules {
    let men = 3 + rng.below(shape.men - 2);
    let start = random_start(rng, men);
    restrained(rng, start, shape)
}

/// Random rules from a start position.
pub(crate) fn restrained(rng: &mut Random, start: Position, shape: Shape) -> Rules {
    let bound = *rng.pick(&Color::ALL);
    let goal = *rng.pick(&[Goal::Win, Goal::Draw]);
    let mut rules = Rules::free(start, bound, goal);
    restrict(rng, &mut rules, shape);
    rules.tables.max_men = rng.below(6) as u32;
    rules.chain = rng.below(shape.chain as usize + 1) as u32;
    if shape.assumptions {
        for _ in 0..rng.below(4) {
            capture_rule(rng, &mut rules);
        }
        for _ in 0..rng.below(3) {
            promotion_rule(rng, &mut rules);
        }
        for i in 0..rules.men.len() {
            for _ in 0..rng.below(3) {
                let verdict = *rng.pick(&VERDICTS);
                let rule = Some(source(&mut rules, "outside"));
                let squares = some_squares(rng, 2);
                let ruling = Ruling { verdict, rule };
                rules.men[i].outside.push(Outside { squares, ruling });
            }
        }
    }
    rules
}

/// Takes squares away until few placements are left.
fn restrict(rng: &mut Random, rules: &mut Rules, shape: Shape) {
    let placements = 1 + rng.below(shape.placements);
    for man in &mut rules.men {
        let own = Bitboard::from(man.square);
        man.allowed = match (man.piece.role, rng.below(4)) {
            (Role::Pawn, 0) => own,
            (Role::Pawn, 1) => own | some_squares(rng, 3),
            (Role::Pawn, _) => Bitboard::FULL,
            (_, 0) => own | some_squares(rng, 1),
            (_, 1) => Bitboard::FULL,
            _ => around(rng, man.square),
        };
    }
    loop {
        let pieces: Vec<usize> = (0..rules.men.len())
            .filter(|&i| rules.men[i].piece.role != Role::Pawn)
            .collect();
        let count = |i: usize| rules.men[i].allowed.count() as usize;
        if pieces.iter().map(|&i| count(i)).product::<usize>() <= placements {
            return;
        }
        let man = &mut rules.men[*rng.pick(&pieces)];
        let cut = if rng.below(2) == 0 {
            around(rng, man.square)
        } else {
            some_squares(rng, 3)
        };
        man.allowed &= cut | man.square.into();
    }
}

/// The number of a new rule.
fn source(rules: &mut Rules, text: &str) -> RuleId {
    rules.sources.push(RuleSource {
        line: 0,
        text: text.into(),
        assumed: true,
    });
    RuleId(rules.sources.len() as u16 - 1)
}

fn capture_rule(rng: &mut Random, rules: &mut Rules) {
    let mut taken = Vec::new();
    for _ in 0..=rng.below(2) {
        let man = rng.below(rules.men.len());
        let man = &rules.men[man];
        taken.push(if rng.below(2) == 0 {
            Taken::Man(man.square)
        } else {
            let (color, role) = (*rng.pick(&Color::ALL), *rng.pick(&Role::PROMOTIONS));
            if rng.below(2) == 0 {
                Taken::Kind(man.piece)
            } else {
                Taken::Kind(Piece { color, role })
            }
        });
    }
    let rule = CaptureRule {
        taken,
        squares: some_squares(rng, 3),
        verdict: *rng.pick(&VERDICTS),
        recapture: *rng.pick(&VERDICTS),
        second: *rng.pick(&VERDICTS),
        rule: source(rules, "capture"),
    };
    rules.captures.push(rule);
}

fn promotion_rule(rng: &mut Random, rules: &mut Rules) {
    let roles = Role::PROMOTIONS.into_iter();
    let rule = PromotionRule {
        color: *rng.pick(&Color::ALL),
        squares: some_squares(rng, 3),
        roles: roles.filter(|_| rng.below(3) > 0).collect(),
        verdict: *rng.pick(&VERDICTS),
        taken: *rng.pick(&VERDICTS),
        rule: source(rules, "promotion"),
    };
    rules.promotions.push(rule);
}
