//! The corresponding squares of a pawn structure, as the literature writes them: numbers on the squares of both kings.

use super::Failure;
use duchamp_chess::{Bitboard, Color, Position, Role, Setup, Square, attacks};
use duchamp_proofs::pawns::{Correspondence, Prover, WinStatus};
use std::io::Write;

/// What is proved about the places of the kings over one pawn structure, one side being the attacker.
pub(super) struct System {
    pub(super) attacker: Color,
    /// Pawns that the attacker's king can take: the critical squares of Moshammer's routine.
    pub(super) critical: Bitboard,
    /// Where the attacker's king wins, whoever is to move and wherever the other king stands that attacks no loose pawn.
    pub(super) key: Bitboard,
    /// Whether there may be more of these.
    pub(super) key_open: bool,
    /// Mutual zugzwangs: the attacker wins if the other side is to move and cannot if he is. His square first.
    pub(super) zugzwangs: Vec<(Square, Square)>,
    /// Whether there may be more of these.
    pub(super) zugzwangs_open: bool,
    /// The same in classes.
    pub(super) classes: Vec<Class>,
}

/// Squares with the same number: when the attacker's king is on one of `kings`, the other must be on one of `others`.
pub(super) struct Class {
    pub(super) kings: Bitboard,
    pub(super) others: Bitboard,
}

impl System {
    /// What a prover knows about the pawns of a position.
    pub(super) fn of(prover: &Prover, position: &Position, attacker: Color) -> System {
        let zugzwangs = prover.zugzwangs(position, attacker);
        let (key, key_open) = key_squares(prover, position, attacker);
        System {
            attacker,
            critical: Correspondence::of(position, attacker).critical(),
            key,
            key_open,
            classes: classes(&zugzwangs),
            zugzwangs_open: prover.may_have_more_zugzwangs(position, attacker),
            zugzwangs,
        }
    }

    /// The numbers of a square, from 1, of the attacker's king or of the other.
    pub(super) fn numbers(&self, square: Square, attacker: bool) -> Vec<usize> {
        let has = |class: &Class| match attacker {
            true => class.kings.has(square),
            false => class.others.has(square),
        };
        let classes = self.classes.iter().enumerate();
        classes
            .filter(|(_, class)| has(class))
            .map(|(place, _)| place + 1)
            .collect()
    }

    /// Two boards side by side: the squares of the attacker's king and those of the other; a star where there are several
    /// numbers or a large one.
    pub(super) fn write_boards(&self, out: &mut impl Write) -> Result<(), Failure> {
        for rank in (0..8).rev() {
            let mut line = String::new();
            for attacker in [true, false] {
                for file in 0..8 {
                    let numbers = self.numbers(Square::new(8 * rank + file), attacker);
                    line.push(match numbers[..] {
                        [] => '.',
                        [number] => char::from_digit(number as u32, 36).unwrap_or('*'),
                        _ => '*',
                    });
                    line.push(' ');
                }
                line.push_str("   ");
            }
            writeln!(out, "  {}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Squares of the other king that answer the same squares share a number.
fn classes(zugzwangs: &[(Square, Square)]) -> Vec<Class> {
    let mut kings = [Bitboard::EMPTY; 64];
    for (king, other) in zugzwangs {
        kings[other.index()] |= Bitboard::of(*king);
    }
    let mut classes: Vec<Class> = Vec::new();
    for other in Square::ALL {
        let kings = kings[other.index()];
        let place = Bitboard::of(other);
        match classes.iter_mut().find(|class| class.kings == kings) {
            Some(class) => class.others |= place,
            None if kings.any() => classes.push(Class {
                kings,
                others: place,
            }),
            None => {}
        }
    }
    classes
}

/// Squares of the attacker's king from which he is proved to win wherever the other king stands that attacks no loose
/// pawn, whoever is to move; and whether of some other square neither that nor the contrary is proved.
fn key_squares(prover: &Prover, position: &Position, attacker: Color) -> (Bitboard, bool) {
    let mut key = Bitboard::EMPTY;
    let mut open = false;
    for king in Square::ALL {
        match is_key_square(prover, position, attacker, king) {
            Some(true) => key |= Bitboard::of(king),
            Some(false) => {}
            None => open = true,
        }
    }
    (key, open)
}

/// Whether the attacker wins with his king on a square wherever the other king stands that attacks no loose pawn: books
/// leave out that he takes the pawn at once. `None` if that is not known.
fn is_key_square(
    prover: &Prover,
    position: &Position,
    attacker: Color,
    king: Square,
) -> Option<bool> {
    let (mut legal, mut open) = (false, false);
    let loose = loose_pawns(position, attacker, king);
    for other in Square::ALL {
        if (attacks::king(other) & loose).any() {
            continue;
        }
        for turn in [attacker, !attacker] {
            let Some(placed) = place(position, attacker, [king, other], turn) else {
                continue;
            };
            legal = true;
            match prover.status(&placed, attacker)? {
                WinStatus::NotWon => return Some(false),
                WinStatus::Won(_) => {}
                WinStatus::Open => open = true,
            }
        }
    }
    (!open).then_some(legal)
}

/// The attacker's pawns that neither his king on a square nor a pawn protects.
fn loose_pawns(position: &Position, attacker: Color, king: Square) -> Bitboard {
    let pawns = position.of(attacker, Role::Pawn);
    pawns - attacks::king(king) - attacks::pawns(attacker, pawns)
}

/// The pawns of a position with the kings elsewhere; `None` if it is not legal.
fn place(
    position: &Position,
    attacker: Color,
    kings: [Square; 2],
    turn: Color,
) -> Option<Position> {
    let mut setup = Setup {
        turn,
        ep: None,
        ..position.setup()
    };
    let sides = [attacker, !attacker];
    let men = sides.map(|side| setup.board.take(position.king(side)));
    for (man, square) in men.into_iter().zip(kings) {
        if position.role(Role::Pawn).has(square) {
            return None;
        }
        setup.board.put(man?, square);
    }
    if kings[0] == kings[1] {
        return None;
    }
    Position::from_setup(&setup).ok()
}

/// Names of squares, from a1.
pub(super) fn names(set: Bitboard) -> Vec<String> {
    set.into_iter().map(|square| square.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_with_the_same_answers_share_a_number() {
        use Square::*;
        let classes = classes(&[(C3, B7), (D3, C7), (B3, C7), (D3, A7), (B3, A7), (D3, H8)]);
        let sets: Vec<_> = classes
            .iter()
            .map(|class| (names(class.kings), names(class.others)))
            .collect();
        let expected = [
            (vec!["b3", "d3"], vec!["a7", "c7"]),
            (vec!["c3"], vec!["b7"]),
            (vec!["d3"], vec!["h8"]),
        ];
        assert_eq!(sets.len(), expected.len());
        for (found, (kings, others)) in sets.iter().zip(expected) {
            assert_eq!(found.0, kings);
            assert_eq!(found.1, others);
        }
    }
}
