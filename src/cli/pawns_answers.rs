//! How a drawn position is held by corresponding squares: the answers to each move of the attacking king.

use duchamp_chess::{Move, MoveList, Position};
use duchamp_proofs::pawns::Correspondence;

/// A move of the side to move, and the replies after which the other king stands on a corresponding square.
pub(super) struct Held {
    pub(super) mv: Move,
    /// The position after the move.
    pub(super) after: Position,
    pub(super) replies: Vec<Move>,
}

impl Held {
    /// The move and the replies that hold: `Kb1 Ka7/Kc7`.
    pub(super) fn describe(&self, position: &Position) -> String {
        let replies = self.replies.iter().map(|mv| self.after.san(*mv));
        let replies: Vec<String> = replies.collect();
        format!("{} {}", position.san(self.mv), replies.join("/"))
    }
}

/// The answers by which a position is held that Moshammer's routine calls held; none for any other position.
pub(super) fn answers(position: &Position) -> Vec<Held> {
    let attacker = position.turn();
    let holds = |position: &Position| {
        let system = Correspondence::of(position, attacker);
        system.holds(position) == Some(true)
    };
    if !holds(position) {
        return Vec::new();
    }
    let answer = |mv: Move| {
        let after = position.play(mv);
        let replies: MoveList = after.legal_moves();
        let replies = replies.into_iter().filter(|reply| {
            let placed = after.play(*reply);
            !after.is_capture(*reply) && holds(&placed)
        });
        Held {
            mv,
            replies: replies.collect(),
            after,
        }
    };
    position.legal_moves().into_iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fine #70 with Black's king on b7: to b1 it answers on a7 or c7, to b2 on a8 or c8.
    #[test]
    fn the_answers_are_the_corresponding_squares() {
        let fen = "8/1k6/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1";
        let position = Position::from_fen(fen).expect("a position");
        let told: Vec<String> = answers(&position)
            .iter()
            .map(|held| held.describe(&position))
            .collect();
        assert!(told.contains(&"Kb1 Ka7/Kc7".to_owned()), "{told:?}");
        assert!(told.contains(&"Kb2 Ka8/Kc8".to_owned()), "{told:?}");
        let won = Position::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1");
        assert!(answers(&won.expect("a position")).is_empty());
    }
}
