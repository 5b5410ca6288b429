//! The freezer against published results and tables.

use duchamp::base::{Control, Value};
use duchamp::chess::{Bitboard, Color, Oracle, Position, Square};
use duchamp::freezer::{Frozen, Goal, Limits, Rules, solve};
use duchamp::tablebase::{Tables, default_dir};
use std::sync::Arc;
use std::time::Instant;

fn tables() -> Arc<dyn Oracle> {
    Tables::open(&std::env::var_os("DUCHAMP_TABLES").map_or_else(default_dir, Into::into))
}

fn freeze(rules: Rules) -> Frozen {
    let start = Instant::now();
    let frozen = solve(
        rules,
        tables(),
        Limits::default(),
        &Control::new(2),
        |plan, n| eprintln!("{n} {:?}", plan.boxes[n]),
    )
    .expect("solved");
    eprintln!("{:?} {:?}", start.elapsed(), frozen.reports());
    frozen
}

fn restrict(rules: &mut Rules, at: &str, squares: Bitboard) {
    let at: Square = at.parse().unwrap();
    for man in &mut rules.men {
        if man.square == at {
            man.allowed = squares;
        }
    }
}

fn squares(text: &str) -> Bitboard {
    text.split(' ')
        .map(|s| s.parse::<Square>().unwrap())
        .collect()
}

#[test]
fn kbnk() {
    let start = Position::from_fen("5k2/5N2/5K2/5B2/8/8/8/8 w - - 0 1").unwrap();
    let mut rules = Rules::free(start, Color::White, Goal::Win);
    restrict(&mut rules, "f7", !squares("d4 e4 d5 e5"));
    let frozen = freeze(rules);
    eprintln!("{:?}", frozen.value(&start));
    for mv in start.legal_moves() {
        eprintln!("{} {:?}", start.san(mv), frozen.judge(&start, mv));
    }
}

#[test]
fn fortress() {
    let start = Position::from_fen("8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1").unwrap();
    let mut rules = Rules::free(start, Color::White, Goal::Draw);
    restrict(&mut rules, "f2", squares("f2"));
    restrict(&mut rules, "e3", squares("e3 g3"));
    let rect = |a: &str, b: &str| -> Bitboard {
        let a: Square = a.parse().unwrap();
        let b: Square = b.parse().unwrap();
        Bitboard::FULL
            .into_iter()
            .filter(|s| {
                s.file() >= a.file()
                    && s.file() <= b.file()
                    && s.rank() >= a.rank()
                    && s.rank() <= b.rank()
            })
            .collect()
    };
    restrict(&mut rules, "g2", rect("e1", "h4"));
    restrict(&mut rules, "d6", rect("a4", "h8"));
    let frozen = freeze(rules);
    eprintln!("{:?} {:?}", frozen.value(&start), frozen.proof());
    let Some(_) = frozen
        .value(&start)
        .filter(|known| known.value == Value::Draw)
    else {
        panic!()
    };
}
