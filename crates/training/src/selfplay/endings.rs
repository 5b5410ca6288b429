//! Positions whose value a short search proves by endgame tables.

use duchamp_base::Wdl;
use duchamp_chess::{MoveList, Oracle, Position};

/// The value of a position for the side to move: -1 lost, 0 drawn, 1 won.
type Points = i32;

/// Proves values by an alpha-beta search down to positions in the tables.
pub struct TableSearch<'a> {
    oracle: &'a dyn Oracle,
    /// Positions that may still be visited.
    left: u64,
}

impl<'a> TableSearch<'a> {
    /// A search by the tables of `oracle`.
    #[must_use]
    pub fn new(oracle: &'a dyn Oracle) -> TableSearch<'a> {
        TableSearch { oracle, left: 0 }
    }

    /// The value of a position, if the oracle's answers decide it within so many plies and positions.
    ///
    /// The position has no history; cursed wins and blessed losses are draws.
    pub fn value(&mut self, position: &Position, plies: u32, positions: u64) -> Option<Wdl> {
        for plies in 0..=plies {
            self.left = positions;
            let (low, high) = self.bounds(position, plies, -1, 1);
            if low == high {
                return Some(match low {
                    1 => Wdl::Win,
                    0 => Wdl::Draw,
                    _ => Wdl::Loss,
                });
            }
            if self.left == 0 {
                return None;
            }
        }
        None
    }

    /// Proved bounds of the value; the search stops when they lie outside (`alpha`, `beta`).
    fn bounds(
        &mut self,
        position: &Position,
        plies: u32,
        alpha: Points,
        beta: Points,
    ) -> (Points, Points) {
        if let Some(known) = self.known(position) {
            return (known, known);
        }
        if plies == 0 || self.left == 0 {
            return (-1, 1);
        }
        self.left -= 1;
        let mut moves = MoveList::new();
        // Captures first: they are the way into the tables.
        position.captures(&mut moves);
        position.quiets(&mut moves);
        let (mut low, mut high) = (-1, -1);
        for &mv in &moves {
            let child = position.play(mv);
            let (least, most) = self.bounds(&child, plies - 1, -beta, -alpha.max(low));
            low = low.max(-most);
            high = high.max(-least);
            if low >= beta || low == 1 {
                return (low, 1);
            }
        }
        (low, high)
    }

    /// The value by rule or oracle.
    fn known(&self, position: &Position) -> Option<Points> {
        if !position.has_legal_move() {
            return Some(if position.in_check() { -1 } else { 0 });
        }
        if position.is_insufficient_material() {
            return Some(0);
        }
        if position.occupied().count() > self.oracle.max_men() || position.has_castling_rights() {
            return None;
        }
        Some(match self.oracle.wdl(position)? {
            Wdl::Win => 1,
            Wdl::Loss => -1,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::Value;
    use duchamp_chess::NoOracle;

    /// Rates every ending of three pieces as won for the side with more of them.
    struct ThreeMen;

    impl Oracle for ThreeMen {
        fn max_men(&self) -> u32 {
            3
        }
        fn wdl(&self, position: &Position) -> Option<Wdl> {
            let ours = position.color(position.turn()).count();
            Some(if ours == 2 { Wdl::Win } else { Wdl::Loss })
        }
        fn dtm(&self, _: &Position) -> Option<Value> {
            None
        }
    }

    fn value(oracle: &dyn Oracle, fen: &str, plies: u32) -> Option<Wdl> {
        let position = Position::from_fen(fen).expect("a position");
        TableSearch::new(oracle).value(&position, plies, 100_000)
    }

    #[test]
    fn proves_what_captures_and_mates_decide() {
        // Takes the rook: won at the next ply; without moves left to look at, nothing is known.
        let takes = "8/8/8/5k2/8/8/1r6/K2R4 w - - 0 1";
        assert_eq!(value(&ThreeMen, takes, 0), None);
        assert_eq!(value(&ThreeMen, takes, 1), Some(Wdl::Win));
        assert_eq!(value(&NoOracle, takes, 1), None);
        // Mate in one, and stalemate.
        let mate = "7k/8/6K1/8/8/8/8/R7 w - - 0 1";
        assert_eq!(value(&NoOracle, mate, 2), Some(Wdl::Win));
        let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
        assert_eq!(value(&NoOracle, stalemate, 0), Some(Wdl::Draw));
        // All of Black's moves end in the mate of the back rank or lose what is left.
        let lost = "7k/8/6K1/8/8/8/8/R7 b - - 0 1";
        assert_eq!(value(&NoOracle, lost, 2), Some(Wdl::Loss));
    }
}
