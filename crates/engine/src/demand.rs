//! Tables on demand: which ones a position nears, and what has become of them.
//!
//! A position nears a table if it is on the table's material, one capture or promotion away from it,
//! or, with two men too many, if two captures in a row lead there (an exchange).

use duchamp_chess::Position;
use duchamp_chess_tables::{MAX_MEN, Material, Store};
use std::collections::{HashSet, VecDeque};

/// The tables of at most `most` men that a position can reach next; the position's own first, then those
/// that a move on the board leads to, then the others, those with few men and pawns first.
pub(super) fn nearby(position: &Position, most: u32) -> Vec<Material> {
    let most = most.min(MAX_MEN);
    let men = position.occupied().count();
    if men > most + 2 {
        return Vec::new();
    }
    let own = Material::of(position.board()).0;
    let mut near = Vec::new();
    let mut add = |material: Material| {
        if (3..=most).contains(&material.men()) && !near.contains(&material) {
            near.push(material);
        }
    };
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
    near
}

/// What makes a table dear, in this order.
fn cost(material: &Material) -> (u32, u32, Material) {
    (material.men(), material.pawns(), *material)
}

/// The tables to be made for the position on the board.
#[derive(Default)]
pub(super) struct Demand {
    position: Option<Position>,
    wanted: VecDeque<Material>,
    /// Not tried again until the options change: too large, impossible to write, or stopped by the user.
    left_out: HashSet<Material>,
    /// Whether it was told that one is too large since the tables wanted last changed.
    refusal_told: bool,
}

impl Demand {
    /// Notes what stands on the board.
    pub(super) fn set_position(&mut self, position: &Position) {
        self.position = Some(*position);
    }

    /// Works out anew what is wanted. `tables` is `None` while nothing is to be made on demand.
    pub(super) fn plan(&mut self, tables: Option<&Store>, most: u32) {
        let near = match (tables, &self.position) {
            (Some(_), Some(position)) => nearby(position, most),
            _ => Vec::new(),
        };
        let missing = |material: &Material| {
            !self.left_out.contains(material) && tables.is_some_and(|there| !there.has(*material))
        };
        let wanted: VecDeque<Material> = near.into_iter().filter(missing).collect();
        if wanted.iter().any(|table| !self.wanted.contains(table)) {
            self.refusal_told = false;
        }
        self.wanted = wanted;
    }

    /// Whether a table is still wanted.
    pub(super) fn wants(&self, material: Material) -> bool {
        self.wanted.contains(&material)
    }

    /// The table to be made first. It stays wanted until [`Demand::done`] or [`Demand::leave_out`].
    pub(super) fn first(&self) -> Option<Material> {
        self.wanted.front().copied()
    }

    /// A table is there.
    pub(super) fn done(&mut self, material: Material) {
        self.wanted.retain(|wanted| *wanted != material);
    }

    /// A table cannot be made.
    pub(super) fn leave_out(&mut self, material: Material) {
        self.left_out.insert(material);
        self.done(material);
    }

    /// Nothing that is wanted now is to be made.
    pub(super) fn leave_all_out(&mut self) {
        self.left_out.extend(self.wanted.drain(..));
    }

    /// What was left out may be possible now.
    pub(super) fn forgive(&mut self) {
        self.left_out.clear();
        self.refusal_told = false;
    }

    /// Whether nothing is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Whether a table that is too large is still to be told of; asked once, it is no longer.
    pub(super) fn tell_refusal(&mut self) -> bool {
        !std::mem::replace(&mut self.refusal_told, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(fen: &str, most: u32) -> Vec<String> {
        let position = Position::from_fen(fen).expect("legal");
        nearby(&position, most).iter().map(Material::name).collect()
    }

    #[test]
    fn the_own_table_comes_first_then_what_moves_reach() {
        let names = near("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 5);
        assert_eq!(names, ["KRNvKR", "KRvKN", "KRvKR", "KRNvK"]);
    }

    #[test]
    fn one_man_too_many_leaves_the_captures() {
        let mut names = near("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 3);
        // Rook takes rook leaves four men; rook takes rook and king takes knight is out of reach at once.
        assert!(names.is_empty(), "{names:?}");
        names = near("8/8/8/4k3/8/8/r7/RK5n w - - 0 1", 4);
        assert_eq!(names, ["KRvKN", "KRvKR", "KRNvK"]);
    }

    #[test]
    fn two_men_too_many_leave_the_exchanges() {
        let names = near("8/8/8/4k3/8/r7/r7/RK6 w - - 0 1", 3);
        assert_eq!(names, ["KRvK"]);
        assert!(
            near(
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                5
            )
            .is_empty()
        );
    }

    #[test]
    fn promotions_count() {
        let names = near("8/P7/8/4k3/8/8/8/K7 w - - 0 1", 5);
        assert_eq!(names[0], "KPvK");
        assert_eq!(names.len(), 5, "{names:?}");
    }
}
