//! Tables on demand: which ones become reachable from a position, and which of them were refused.
//!
//! A table becomes reachable if the position is of its material, one capture or promotion away from it,
//! or, with two men too many, if two captures in a row lead there (an exchange). Of pawn endings with more men it is one
//! that proofs ask for most.

use duchamp_chess::{Color, Position, Role};
use duchamp_chess_tables::{MAX_MEN, Material, Store};
use std::collections::{HashSet, VecDeque};

/// The tables of at most `most` men that a position can reach next; the position's own first, then those
/// that a move on the board leads to, then the others, those with few men and pawns first.
pub(super) fn reachable(position: &Position, most: u32) -> Vec<Material> {
    let most = most.min(MAX_MEN);
    let men = position.occupied().count();
    let mut result = Vec::new();
    let mut add = |material: Material| {
        if (3..=most).contains(&material.men()) && !result.contains(&material) {
            result.push(material);
        }
    };
    race_table(position).into_iter().for_each(&mut add);
    if men > most + 2 {
        return result;
    }
    let own = Material::of(position.board()).0;
    add(own);
    let mut reached = Vec::new();
    for mv in position.legal_moves() {
        let next = position.play(mv);
        let material = Material::of(next.board()).0;
        if material == own {
            continue;
        }
        reached.push(material);
        if men == most + 2 {
            let exchanges = next.legal_moves().into_iter().map(|mv| next.play(mv));
            reached.extend(exchanges.map(|end| Material::of(end.board()).0));
        }
    }
    reached.sort_by_key(cost);
    reached.into_iter().for_each(&mut add);
    if men <= most + 1 {
        let mut children = own.children();
        children.sort_by_key(cost);
        children.into_iter().for_each(&mut add);
    }
    result
}

/// The table of five men in which proofs about a larger pawn ending end most often, since both sides promote: queen and pawn
/// against queen. `None` for other endings.
#[must_use]
pub fn race_table(position: &Position) -> Option<Material> {
    let racing = Color::ALL
        .into_iter()
        .all(|color| position.of(color, Role::Pawn).any());
    let large = position.occupied().count() > 5;
    if position.pieces().any() || !racing || !large {
        return None;
    }
    "KQPvKQ".parse().ok()
}

/// What a table costs: by these numbers, in this order.
fn cost(material: &Material) -> (u32, u32, Material) {
    (material.men(), material.pawns(), *material)
}

/// The tables to be generated for the position on the board.
#[derive(Default)]
pub(super) struct Demand {
    position: Option<Position>,
    wanted: VecDeque<Material>,
    /// Not tried again until the options change: too large, impossible to write, or stopped by the user.
    refused: HashSet<Material>,
    /// Whether a refusal was reported since the tables wanted last changed.
    refusal_reported: bool,
}

impl Demand {
    /// Notes what stands on the board.
    pub(super) fn set_position(&mut self, position: &Position) {
        self.position = Some(*position);
    }

    /// Works out anew what is wanted. `tables` is `None` while nothing is to be generated on demand.
    pub(super) fn plan(&mut self, tables: Option<&Store>, most: u32) {
        let reachable = match (tables, &self.position) {
            (Some(_), Some(position)) => reachable(position, most),
            _ => Vec::new(),
        };
        let missing = |material: &Material| {
            !self.refused.contains(material) && tables.is_some_and(|there| !there.has(*material))
        };
        let wanted: VecDeque<Material> = reachable.into_iter().filter(missing).collect();
        if wanted.iter().any(|table| !self.wanted.contains(table)) {
            self.refusal_reported = false;
        }
        self.wanted = wanted;
    }

    /// Whether a table is still wanted.
    pub(super) fn wants(&self, material: Material) -> bool {
        self.wanted.contains(&material)
    }

    /// The table to be generated first. It stays wanted until [`Demand::done`] or [`Demand::refuse`].
    pub(super) fn first(&self) -> Option<Material> {
        self.wanted.front().copied()
    }

    /// A table is there.
    pub(super) fn done(&mut self, material: Material) {
        self.wanted.retain(|wanted| *wanted != material);
    }

    /// A table cannot be generated.
    pub(super) fn refuse(&mut self, material: Material) {
        self.refused.insert(material);
        self.done(material);
    }

    /// Nothing that is wanted now is to be generated.
    pub(super) fn refuse_all(&mut self) {
        self.refused.extend(self.wanted.drain(..));
    }

    /// What was refused may be possible now.
    pub(super) fn retry_refused(&mut self) {
        self.refused.clear();
        self.refusal_reported = false;
    }

    /// Whether nothing is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether a refusal is still to be reported; the next call returns `false`.
    pub(super) fn report_refusal(&mut self) -> bool {
        !std::mem::replace(&mut self.refusal_reported, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_of(fen: &str, most: u32) -> Vec<String> {
        let position = Position::from_fen(fen).expect("legal");
        reachable(&position, most)
            .iter()
            .map(Material::name)
            .collect()
    }

    #[test]
    fn the_own_table_comes_first_then_what_moves_reach() {
        let names = names_of("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 5);
        assert_eq!(names, ["KRNvKR", "KRvKN", "KRvKR", "KRNvK"]);
    }

    #[test]
    fn one_man_too_many_leaves_the_captures() {
        let mut names = names_of("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 3);
        // Rook takes rook leaves four men; rook takes rook and king takes knight is out of reach at once.
        assert!(names.is_empty(), "{names:?}");
        names = names_of("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 4);
        assert_eq!(names, ["KRvKN", "KRvKR", "KRNvK"]);
    }

    #[test]
    fn two_men_too_many_leave_the_exchanges() {
        let names = names_of("8/8/8/4k3/8/r7/r7/RK6 w - - 0 1", 3);
        assert_eq!(names, ["KRvK"]);
        assert!(
            names_of(
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                5
            )
            .is_empty()
        );
    }

    #[test]
    fn large_pawn_endings_ask_for_the_end_of_races() {
        // However many men there are; only where both sides may promote, and within the limit.
        let six = "8/3p4/8/2pP4/2k5/4P3/3P3p/7K w - - 0 1";
        assert_eq!(names_of(six, 5)[0], "KQPvKQ");
        assert_eq!(
            names_of("8/8/4k1p1/2p2p2/8/2P2PP1/4K3/8 b - - 0 1", 5)[0],
            "KQPvKQ"
        );
        assert_eq!(names_of(six, 4), Vec::<String>::new());
        let alone = names_of("4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1", 5);
        assert!(!alone.contains(&"KQPvKQ".to_owned()), "{alone:?}");
        let pieces = names_of("4k3/4p3/4p3/8/8/8/PPPP4/R3K3 w - - 0 1", 5);
        assert!(pieces.is_empty(), "{pieces:?}");
    }

    #[test]
    fn promotions_count() {
        let names = names_of("8/P7/8/4k3/8/8/8/K7 w - - 0 1", 5);
        assert_eq!(names[0], "KPvK");
        assert_eq!(names.len(), 5, "{names:?}");
    }
}
