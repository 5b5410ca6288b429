//! What the tests of pawn endings share: tables of four men, budgets, positions from pieces on squares.

use std::sync::OnceLock;

use super::{Random, shared_folder};
use duchamp_base::{Control, Value, Wdl};
use duchamp_chess::{Oracle, Position, Square};
use duchamp_chess_tables::{GenerateOptions, Generator, Prober, parse_specs};
use duchamp_proofs::pawns::Budget;

/// All tables that pawn endings of four men need.
pub fn tables() -> &'static Prober {
    static TABLES: OnceLock<Prober> = OnceLock::new();
    TABLES.get_or_init(|| {
        let tables = Prober::open(&shared_folder("pawns"));
        let all = parse_specs("KPPK KPKP").expect("a list of tables");
        let made = Generator::new(tables.store()).run(
            &all,
            &GenerateOptions::default(),
            &Control::new(2),
            &mut |_| {},
        );
        made.expect("all tables are generated");
        tables
    })
}

/// Tables of up to so many men.
pub struct Limited(pub Prober, pub u32);

impl Oracle for Limited {
    fn max_men(&self) -> u32 {
        self.1.min(self.0.max_men())
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        (position.occupied().count() <= self.1)
            .then(|| self.0.wdl(position))
            .flatten()
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        (position.occupied().count() <= self.1)
            .then(|| self.0.dtm(position))
            .flatten()
    }
}

/// A budget that does not depend on the machine.
pub fn structures(structures: usize) -> Budget {
    Budget {
        structures,
        time: None,
        steps: None,
    }
}

/// A FEN of pieces on squares.
pub fn fen(men: &[(char, Square)], turn: char) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let here = men
                .iter()
                .find(|(_, square)| square.index() == 8 * rank + file);
            match here {
                Some((man, _)) => {
                    if empty > 0 {
                        text += &empty.to_string();
                    }
                    empty = 0;
                    text.push(*man);
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text.push(if rank > 0 { '/' } else { ' ' });
    }
    format!("{text}{turn} - - 0 1")
}

/// All legal placements of the kings over some pawns, either side to move, with their FENs.
pub fn placements(pawns: &[(char, Square)]) -> Vec<(String, Position)> {
    let mut positions = Vec::new();
    for white in Square::ALL {
        for black in Square::ALL {
            let taken = |(_, square): &(char, Square)| [white, black].contains(square);
            if white == black || pawns.iter().any(taken) {
                continue;
            }
            let mut men = pawns.to_vec();
            men.extend([('K', white), ('k', black)]);
            for turn in ['w', 'b'] {
                let text = fen(&men, turn);
                positions.extend(Position::from_fen(&text).map(|position| (text, position)));
            }
        }
    }
    positions
}

/// Men on random squares of their own, pawns not on the first and last rank.
pub fn scatter(rng: &mut Random, men: &str) -> Vec<(char, Square)> {
    let mut placed: Vec<(char, Square)> = Vec::new();
    for man in men.chars() {
        loop {
            let square = Square::new(rng.below(64));
            let edge = square.index() < 8 || square.index() >= 56;
            if !(edge && man.eq_ignore_ascii_case(&'p'))
                && placed.iter().all(|(_, other)| *other != square)
            {
                placed.push((man, square));
                break;
            }
        }
    }
    placed
}
