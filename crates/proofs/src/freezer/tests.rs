//! The restricted tables of random rules obey the laws that the solver relies on.

use super::chain::lay_out;
use super::exit_value::ExitEvaluator;
use super::exits::ExitTable;
use super::rules::{Goal, Rules};
use super::slice::Frame;
use super::tally::Tally;
use duchamp_base::{Control, Gauge, Random};
use duchamp_chess::{Bitboard, Color, NoOracle, Position};
use duchamp_retro::laws;

const STARTS: [&str; 6] = [
    "8/8/4k3/5p2/5P2/2R1K3/8/8 w - - 0 1",
    "8/3q4/3k4/8/8/4R3/5PK1/8 b - - 0 1",
    "8/k1p5/8/1P1p4/8/8/2P5/K7 w - - 0 1",
    "7k/8/8/3n4/8/1N6/8/KN6 w - - 0 1",
    "8/1k1p2b1/8/2P5/1PpP4/2P5/6B1/1K6 b - - 0 1",
    "4k3/8/8/2q5/5Q2/8/8/4K3 w - - 0 1",
];

#[test]
fn boxes_of_random_rules_obey_the_laws() {
    let mut random = Random::new(7);
    for round in 0..60 {
        let start = Position::from_fen(STARTS[round % STARTS.len()]).expect("a position");
        let bound = Color::ALL[round / STARTS.len() % 2];
        let mut rules = Rules::free(start, bound, Goal::Win);
        rules.tables.max_men = 0;
        rules.chain = round as u32 % 2;
        for man in &mut rules.men {
            let some = random.next_u64() & random.next_u64();
            man.allowed &= Bitboard(some) | man.square.into();
        }
        let chain = lay_out(&rules, 1 << 20).expect("boxes");
        let tally = Tally::new(0);
        for layout in &chain.layouts {
            let evaluator = ExitEvaluator {
                rules: &rules,
                oracle: &NoOracle,
                boxes: &[],
                tally: &tally,
            };
            let mut exits = ExitTable::new(layout);
            let worked = exits.work(layout, &evaluator, &Gauge::default(), &Control::new(1));
            worked.expect("not stopped");
            let frame = Frame {
                layout,
                exits: &exits,
                bound,
            };
            let broken = laws::check(&frame, 500, random.next_u64());
            broken.unwrap_or_else(|broken| panic!("{round} {:?}: {broken}", layout.men));
        }
    }
}
