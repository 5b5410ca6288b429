//! Proofs about pawn endings of three and four men against the tables, which the prover is not given.

use std::sync::Arc;

use crate::common::Random;
use crate::common::pawns::{Limited, fen, placements, scatter, structures, tables};
use duchamp_base::Wdl;
use duchamp_chess::{Color, Oracle, Position, Square};
use duchamp_proofs::pawns::{Prover, WinStatus};

#[test]
fn four_men_without_tables_of_four_men_agree_with_them() {
    let mut rng = Random::new(7);
    let mut provers = [(); 2].map(|()| Prover::new(Arc::new(Limited(tables().clone(), 3))));
    // Won, not won by the tables; in each what the prover says: won, not won, open.
    let mut counts = [[0; 3]; 2];
    for round in 0..2_000 {
        let men = ["KkPP", "KkPp"][round % 2];
        let turn = ['w', 'b'][rng.below(2)];
        let text = fen(&scatter(&mut rng, men), turn);
        let Ok(position) = Position::from_fen(&text) else {
            continue;
        };
        let value = tables().wdl(&position).expect("a table of four men");
        for attacker in [Color::White, Color::Black] {
            let prover = &mut provers[attacker as usize];
            let budget = structures(prover.structures() + 60);
            let verdict = prover
                .prove(&position, attacker, budget)
                .expect("a pawn ending");
            let value = if attacker == position.turn() {
                value
            } else {
                -value
            };
            let won = value == Wdl::Win;
            let said = match verdict {
                WinStatus::Won(_) => 0,
                WinStatus::NotWon => 1,
                WinStatus::Open => 2,
            };
            assert!(
                said == 2 || won == (said == 0),
                "{text} {attacker:?}: {verdict:?}"
            );
            counts[usize::from(!won)][said] += 1;
        }
    }
    let [[proved, _, open], [_, held, doubtful]] = counts;
    assert!(proved + open > 500 && held + doubtful > 1_000, "{counts:?}");
    assert!(
        10 * open < proved && 3 * doubtful < held,
        "too little is proved: {counts:?}"
    );
}

/// Pawns of one structure.
type Pawns = Vec<(char, Square)>;

/// All pawns of White alone or one of each side, those nearest to their promotion first: what follows a structure comes
/// before it. By colours, the others are the same turned.
fn all_structures(men: &str) -> Vec<Pawns> {
    let squares: Vec<Square> = (8..56).map(Square::new).collect();
    let mut list: Vec<Pawns> = Vec::new();
    for &first in &squares {
        match men {
            "P" => list.push(vec![('P', first)]),
            "Pp" => list.extend(
                squares
                    .iter()
                    .filter(|&&second| second != first)
                    .map(|&second| vec![('P', first), ('p', second)]),
            ),
            _ => list.extend(
                squares
                    .iter()
                    .filter(|&&second| second > first)
                    .map(|&second| vec![('P', first), ('P', second)]),
            ),
        }
    }
    let left = |(man, square): &(char, Square)| match man {
        'P' => 7 - square.rank().index(),
        _ => square.rank().index(),
    };
    list.sort_by_key(|pawns| pawns.iter().map(left).sum::<usize>());
    list
}

/// What a comparison of all placements found: won and not won by the tables; in each proved won, not won, open.
#[derive(Default, Debug)]
struct Counts([[usize; 3]; 2]);

/// Asks about placements of the kings over some pawns, then compares what is known of all placements with the tables.
/// White is the attacker.
fn compare(
    prover: &mut Prover,
    pawns: &Pawns,
    rng: &mut Random,
    questions: usize,
    counts: &mut Counts,
) {
    let positions = placements(pawns);
    for _ in 0..questions {
        let (_, position) = rng.pick(&positions);
        let budget = structures(prover.structures() + 30);
        prover.prove(position, Color::White, budget);
    }
    for (text, position) in &positions {
        let value = tables().wdl(position).expect("a table of four men");
        let won = match position.turn() {
            Color::White => value == Wdl::Win,
            Color::Black => value == Wdl::Loss,
        };
        let verdict = prover.known(position, Color::White).expect("a pawn ending");
        let said = match verdict {
            WinStatus::Won(_) => 0,
            WinStatus::NotWon => 1,
            WinStatus::Open => 2,
        };
        assert!(said == 2 || won == (said == 0), "{text}: {verdict:?}");
        counts.0[usize::from(!won)][said] += 1;
    }
}

#[test]
fn every_position_of_three_men_agrees_with_the_tables() {
    let mut prover = Prover::new(Arc::new(Limited(tables().clone(), 2)));
    let mut counts = Counts::default();
    for pawns in all_structures("P") {
        compare(&mut prover, &pawns, &mut Random::new(3), 60, &mut counts);
    }
    let Counts([[won, _, open], [_, held, doubtful]]) = counts;
    // The published counts of won positions, White to move and Black to move, and of all.
    assert_eq!(won + open, 124_960 + 97_604, "{counts:?}");
    assert_eq!(held + doubtful, 331_352 - 222_564, "{counts:?}");
    assert!(open + doubtful < 100, "{counts:?}");
}

/// Environment: `DUCHAMP_NTH`, compare only every so manyth structure.
#[test]
#[ignore = "takes a quarter of an hour"]
fn every_position_of_four_men_agrees_with_the_tables() {
    let nth = std::env::var("DUCHAMP_NTH").map_or(1, |n| n.parse().expect("a number"));
    for men in ["PP", "Pp"] {
        let mut prover = Prover::new(Arc::new(Limited(tables().clone(), 3)));
        let mut counts = Counts::default();
        let mut compared = 0;
        for pawns in all_structures(men).iter().step_by(nth) {
            compare(&mut prover, pawns, &mut Random::new(3), 30, &mut counts);
            compared += 1;
        }
        println!(
            "{men}: {compared} structures, won and not won by proofs as won, not won, open: {counts:?}"
        );
    }
}

#[test]
fn all_placements_of_some_structures_of_four_men_agree_with_the_tables() {
    let mut rng = Random::new(11);
    for men in ["PP", "Pp"] {
        let mut prover = Prover::new(Arc::new(Limited(tables().clone(), 3)));
        let all = all_structures(men);
        let mut counts = Counts::default();
        for _ in 0..6 {
            let pawns = rng.pick(&all).clone();
            compare(&mut prover, &pawns, &mut rng, 8, &mut counts);
        }
        let Counts([[won, _, _], [_, held, _]]) = counts;
        assert!(won + held > 20_000, "{men}: {counts:?}");
    }
}
