//! What is said to be won or held, against legal moves and search.

use std::sync::Arc;

use super::*;
use crate::pawns::Prover;
use crate::pawns::duel::tests::Nobody;
use crate::pawns::duel::{Adjudicator, Duel, Finding};
use crate::pawns::guard::Guards;
use crate::pawns::queen::Quest;
use crate::pawns::rows::Kings;
use crate::pawns::scene::Scene;
use duchamp_base::Random;
use duchamp_chess::{Bitboard, Color, NoOracle, Piece, Position, Rank, Role, Setup, Square};

/// Kings and White's and Black's queen on squares, perhaps a second queen of White, with the pawns of a structure.
fn position(scene: Scene, squares: &[Square], turn: Color) -> Option<Position> {
    let mut setup = Setup::EMPTY;
    let men = [
        (Color::White, Role::King),
        (Color::Black, Role::King),
        (Color::White, Role::Queen),
        (Color::Black, Role::Queen),
        (Color::White, Role::Queen),
    ];
    let pawns = [(Color::White, scene.attack), (Color::Black, scene.defend)]
        .into_iter()
        .flat_map(|(color, pawns)| pawns.into_iter().map(move |at| ((color, Role::Pawn), at)));
    for ((color, role), square) in men.into_iter().zip(squares.iter().copied()).chain(pawns) {
        if setup.board.at(square).is_some() {
            return None;
        }
        setup.board.put(Piece { color, role }, square);
    }
    setup.turn = turn;
    Position::from_setup(&setup).ok()
}

/// What is held is never won by search. Returns how often each is so.
fn compare(scene: Scene) -> [usize; 2] {
    let prover = Prover::new(Arc::new(NoOracle));
    let quest = Quest {
        clock: 0,
        deadline: None,
    };
    let mut guards = Guards::default();
    let mut pairs = Pairs::default();
    guards.solve(scene, &prover, &quest).expect("no deadline");
    pairs
        .solve(scene, &guards, &prover, &quest)
        .expect("no deadline");
    let pair = pairs.get(scene).expect("solved");
    let mut counts = [0; 2];
    let mut random = Random::new(7);
    let mut duel = Duel::default();
    for _ in 0..600 {
        let squares = [(); 4].map(|()| Square::new(random.below(64)));
        let turn = *random.pick(&Color::ALL);
        let Some(position) = position(scene, &squares, turn) else {
            continue;
        };
        let [attacker, defender, own, other] = squares;
        let queens = Queens {
            attacker: own,
            defender: other,
        };
        let holds = pair.holds(queens, Kings { attacker, defender }, turn == Color::White);
        let (finding, _) = duel.ask(&position, &mut Nobody, 300, usize::MAX);
        let won = matches!(finding, Finding::Won(_));
        assert!(!(holds && won), "{}", position.fen());
        counts[0] += usize::from(holds);
        counts[1] += usize::from(won);
    }
    counts
}

#[test]
fn what_is_held_is_not_won_by_search() {
    let empty = Scene {
        attack: Bitboard::EMPTY,
        defend: Bitboard::EMPTY,
    };
    let [held, won] = compare(empty);
    assert!(held > 100 && won > 5, "{held} {won}");
    let blocked = Scene {
        attack: Bitboard::of(Square::E4),
        defend: Bitboard::of(Square::E5),
    };
    let [held, won] = compare(blocked);
    assert!(held > 0 && won > 5, "{held} {won}");
}

fn scene(attack: &[Square], defend: &[Square]) -> Scene {
    let set = |squares: &[Square]| {
        let squares = squares.iter().copied().map(Bitboard::of);
        squares.fold(Bitboard::EMPTY, |set, square| set | square)
    };
    Scene {
        attack: set(attack),
        defend: set(defend),
    }
}

/// The same position in which White cannot take en passant: he need not. Tables know nothing of where Black can.
fn without_passant(position: &Position) -> Position {
    let mut setup = position.setup();
    if position.turn() == Color::White {
        setup.ep = None;
    }
    Position::from_setup(&setup).unwrap_or(*position)
}

/// Every placement that is said to be won is: White has a move into another one, Black has only such moves, or is
/// mated. Returns how many of the placements looked at are won, with one queen of White and with two; `None` if more than
/// `most` / 4,000 structures are to be solved.
fn check_moves(scene: Scene, placements: usize, most: usize) -> Option<[usize; 2]> {
    let mut prover = Prover::new(Arc::new(NoOracle));
    (prover.most, prover.level) = (most, 6);
    if !prover.solve_sure(scene) {
        return None;
    }
    let mut random = Random::new(11);
    let mut counts = [0; 2];
    for n in 0..placements {
        let two = n % 4 == 0;
        let mut squares = vec![(); 4 + usize::from(two)]
            .iter()
            .map(|()| Square::new(random.below(64)))
            .collect::<Vec<Square>>();
        let mut scene = scene;
        if two {
            // A pawn has just promoted.
            let ready = scene.attack & Bitboard::rank(Rank::R7);
            let Some(from) = ready.first() else { continue };
            squares[4] = Square::wrapping(from.index() + 8);
            scene = scene.without(from);
        }
        let turn = *random.pick(&Color::ALL);
        let Some(position) = position(scene, &squares, turn) else {
            continue;
        };
        if !matches!(prover.adjudicate(&position), Finding::Won(_)) {
            continue;
        }
        counts[usize::from(two)] += 1;
        let moves = position.legal_moves();
        let mut is_won = |next: &Position| {
            let next = &without_passant(next);
            let mated = next.legal_moves().is_empty() && next.in_check();
            mated || matches!(prover.adjudicate(next), Finding::Won(_))
        };
        let mut won = moves.iter().map(|&mv| {
            let next = position.play(mv);
            // No table knows a new piece of Black, but it can be taken.
            let mut replies = next.legal_moves().into_iter().map(|mv| next.play(mv));
            let black = mv.promotion().is_some() && turn == Color::Black;
            is_won(&next) || black && replies.any(|reply| is_won(&reply))
        });
        let right = match turn {
            Color::White => won.any(|won| won),
            Color::Black if moves.is_empty() => position.in_check(),
            Color::Black => won.all(|won| won),
        };
        assert!(right, "{}", position.fen());
    }
    Some(counts)
}

#[test]
fn what_is_won_is_won_by_legal_moves() {
    let check = |attack: &[Square], defend: &[Square]| {
        check_moves(scene(attack, defend), 3_000, 1_000_000).expect("few structures")
    };
    // No pawn; one about to promote; blocked and free ones of both, one of Black's about to promote.
    let [single, double] = check(&[], &[]);
    assert!(single > 100 && double == 0, "{single}");
    let [single, double] = check(&[Square::B7], &[Square::E6]);
    assert!(single > 200 && double > 200, "{single} {double}");
    let [single, double] = check(&[Square::C7, Square::F4], &[Square::F5, Square::H2]);
    assert!(single > 100 && double > 100, "{single} {double}");
}

/// Environment: `DUCHAMP_STRUCTURES`, how many (30 if not set).
#[test]
#[ignore = "takes minutes"]
fn what_is_won_in_random_structures_is_won_by_legal_moves() {
    let wanted = std::env::var("DUCHAMP_STRUCTURES");
    let wanted: usize = wanted.map_or(30, |text| text.parse().expect("a number"));
    let mut random = Random::new(5);
    let (mut done, mut sums) = (0, [0; 2]);
    while done < wanted {
        let mut pawns = scene(&[], &[]);
        let counts = [1 + random.below(2), random.below(3)];
        for (set, count) in [&mut pawns.attack, &mut pawns.defend]
            .into_iter()
            .zip(counts)
        {
            for _ in 0..count {
                *set |= Bitboard::of(Square::new(8 + random.below(48)));
            }
        }
        if (pawns.attack & pawns.defend).any() {
            continue;
        }
        let Some(counts) = check_moves(pawns, 20_000, 200_000) else {
            continue;
        };
        done += 1;
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        println!("{done} structures, {sums:?} placements won, none wrongly");
    }
}
