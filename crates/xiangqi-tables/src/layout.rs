//! The index: from a position to a cell of its table and back.
//!
//! A table is an array of 64-bit words for each side to move. Two words hold the 90 squares of one attacker, the *lane
//! piece*, as a 128-bit *lane*: bit `s` is square `s`. The number of a lane fixes all other men:
//!
//! slice (zones of the pawns), row (the defenders of both sides, mirror images once), a digit of 90 for each other
//! attacker, a digit of 10 for each pawn.
//!
//! The lane piece is the one whose moves are the most: chariot, else cannon, else horse; with pawns alone the last
//! pawn, which is then not part of the slice.

use std::cmp::Ordering;

use arrayvec::ArrayVec;
use duchamp_xiangqi::Role;

use crate::geometry::{BOARD, LEFT_HALF, PAWN_SQUARES, SQUARES, bit, mirror};
use crate::material::Material;
use crate::pairs::Pairs;
use crate::pawns::{PLACES, PawnSlices, Zones, zone_of};

/// Attackers that a layout has room for.
pub(crate) const MAX_ATTACKERS: usize = 11;

/// The squares of the attackers: the indexed pieces in order, the sliced pawns, the lane piece.
pub(crate) type Squares = ArrayVec<u8, MAX_ATTACKERS>;

/// How the positions of one material are numbered: the [`Index`](duchamp_tablebase::Index) of xiangqi.
#[derive(Clone, Debug)]
pub struct Layout {
    material: Material,
    pairs: &'static Pairs,
    pawns: PawnSlices,
    /// The attackers with a digit of 90, the less mobile first.
    indexed: ArrayVec<Role, MAX_ATTACKERS>,
    lane: Role,
    /// Lanes of a row.
    lanes: usize,
}

/// The defenders of both sides by number, and the attackers' squares.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// Red's and Black's placement of defenders.
    pub(crate) defenders: [u16; 2],
    pub(crate) attackers: Squares,
}

impl Layout {
    /// The layout of a material.
    #[must_use]
    pub fn new(material: Material) -> Layout {
        let mut indexed = ArrayVec::new();
        for role in [Role::Horse, Role::Cannon, Role::Chariot] {
            for _ in 0..material.count(false, role) {
                indexed.push(role);
            }
        }
        let pawns = material.count(false, Role::Pawn).into();
        let (lane, sliced) = match indexed.pop() {
            Some(lane) => (lane, pawns),
            None => (Role::Pawn, pawns - 1),
        };
        Layout {
            material,
            pairs: Pairs::of(material.defenders(false), material.defenders(true)),
            lanes: SQUARES.pow(indexed.len() as u32) * PLACES.pow(sliced as u32),
            pawns: PawnSlices::new(sliced),
            indexed,
            lane,
        }
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    pub(crate) fn pairs(&self) -> &'static Pairs {
        self.pairs
    }

    pub(crate) fn pawns(&self) -> &PawnSlices {
        &self.pawns
    }

    pub(crate) fn indexed(&self) -> &[Role] {
        &self.indexed
    }

    pub(crate) fn lane(&self) -> Role {
        self.lane
    }

    /// Lanes of a row.
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Words of a slice, for one side to move.
    pub(crate) fn slice_words(&self) -> usize {
        self.pairs.len() * self.lanes * 2
    }

    /// Words of the table, for one side to move.
    pub(crate) fn words(&self) -> usize {
        self.pawns.len() * self.slice_words()
    }

    /// The squares that the lane piece can stand on.
    pub(crate) fn lane_squares(&self) -> u128 {
        match self.lane {
            Role::Pawn => PAWN_SQUARES,
            _ => crate::geometry::BOARD,
        }
    }

    /// The kind of each attacker in the order of [`Squares`].
    pub(crate) fn attackers(&self) -> impl Iterator<Item = Role> + '_ {
        let pawns = std::iter::repeat_n(Role::Pawn, self.pawns.pawns());
        let indexed = self.indexed.iter().copied();
        indexed.chain(pawns).chain([self.lane])
    }

    /// Slice, row and lane of a word; whether it is the lane's second word.
    pub(crate) fn split(&self, word: usize) -> (usize, usize, usize, bool) {
        let lane = word / 2;
        let row = lane / self.lanes;
        (
            row / self.pairs.len(),
            row % self.pairs.len(),
            lane % self.lanes,
            word & 1 != 0,
        )
    }

    /// The squares of the attackers but the lane piece; `None` where a pawn's digit is no square.
    #[inline]
    pub(crate) fn lane_squares_of(&self, slice: usize, mut lane: usize) -> Option<Squares> {
        let (n, m) = (self.indexed.len(), self.pawns.pawns());
        let mut squares = Squares::new();
        squares.extend(std::iter::repeat_n(0, n + m));
        for (i, &zone) in self.pawns.zones(slice).iter().enumerate().rev() {
            squares[n + i] = crate::pawns::square_of(zone, (lane % PLACES) as u8)?;
            lane /= PLACES;
        }
        for square in squares[..n].iter_mut().rev() {
            *square = (lane % SQUARES) as u8;
            lane /= SQUARES;
        }
        Some(squares)
    }

    /// The slice and lane of the attackers' squares, as they are or mirrored, whatever the order of identical men.
    /// `None` if a pawn stands where none can.
    #[inline]
    pub(crate) fn lane_of(&self, attackers: &[u8], mirrored: bool) -> Option<(usize, usize)> {
        let turn = |square: u8| if mirrored { mirror(square) } else { square };
        let n = self.indexed.len();
        let indexed = attackers[..n].iter();
        let mut lane = indexed.fold(0, |lane, &square| {
            lane * SQUARES + usize::from(turn(square))
        });
        let m = self.pawns.pawns();
        if m == 0 {
            return Some((0, lane));
        }
        let mut found = ArrayVec::<(u8, u8), 5>::new();
        for &square in &attackers[n..n + m] {
            found.push(zone_of(turn(square))?);
        }
        // A stable order: identical men that share a zone keep theirs.
        found.sort_by_key(|found| found.0);
        let zones: Zones = found.iter().map(|found| found.0).collect();
        for &(_, place) in &found {
            lane = lane * PLACES + usize::from(place);
        }
        Some((self.pawns.find(&zones), lane))
    }

    /// The cell of a placement, whichever of its duplicates it happens to be. `None` as [`Layout::lane_of`].
    #[inline]
    pub(crate) fn any_cell(&self, placement: &Placement) -> Option<usize> {
        let [red, black] = placement.defenders;
        let found = self.pairs.find(red, black);
        self.cell_in(placement, found.row as usize, found.mirrored)
    }

    #[inline]
    fn cell_in(&self, placement: &Placement, row: usize, mirrored: bool) -> Option<usize> {
        let (slice, lane) = self.lane_of(&placement.attackers, mirrored)?;
        let square = *placement.attackers.last()?;
        let square = if mirrored { mirror(square) } else { square };
        Some(self.first_cell(slice, row, lane) + usize::from(square))
    }

    /// The first cell of a lane.
    #[inline(always)]
    pub(crate) fn first_cell(&self, slice: usize, row: usize, lane: usize) -> usize {
        ((slice * self.pairs.len() + row) * self.lanes + lane) * 128
    }

    /// The cell that files keep of a placement: the same for all of its duplicates.
    pub(crate) fn cell_of(&self, placement: &Placement) -> Option<usize> {
        let [red, black] = placement.defenders;
        let found = self.pairs.find(red, black);
        let row = found.row as usize;
        let here = self.cell_in(&self.sorted(placement, found.mirrored), row, found.mirrored)?;
        if !self.pairs.is_symmetric(row) {
            return Some(here);
        }
        let image = !found.mirrored;
        let other = self.cell_in(&self.sorted(placement, image), row, image)?;
        Some(here.min(other))
    }

    /// The placement with identical attackers in the canonical order that their squares have, mirrored or not.
    fn sorted(&self, placement: &Placement, mirrored: bool) -> Placement {
        Placement {
            defenders: placement.defenders,
            attackers: self.sorted_squares(&placement.attackers, mirrored),
        }
    }

    fn sorted_squares(&self, attackers: &Squares, mirrored: bool) -> Squares {
        let turn = |square: u8| if mirrored { mirror(square) } else { square };
        let mut sorted = attackers.clone();
        let roles: ArrayVec<Role, MAX_ATTACKERS> = self.attackers().collect();
        let mut start = 0;
        for run in roles.chunk_by(|a, b| a == b) {
            let men = &mut sorted[start..start + run.len()];
            men.sort_by_key(|&square| order(run[0], turn(square)));
            start += run.len();
        }
        sorted
    }

    /// The placement of a cell; `None` if two men share a square or a digit is no square.
    pub(crate) fn placement(&self, cell: usize) -> Option<Placement> {
        let (slice, row, lane, _) = self.split(cell / 64);
        let mut attackers = self.lane_squares_of(slice, lane)?;
        let square = (cell % 128) as u8;
        if usize::from(square) >= SQUARES || self.lane_squares() & bit(square) == 0 {
            return None;
        }
        attackers.push(square);
        let [red, black] = self.pairs.get(row);
        let mut occupied = red.occupied | black.occupied;
        for &square in &attackers {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        Some(Placement {
            defenders: self.pairs.numbers(row),
            attackers,
        })
    }

    /// The cells of a word that [`Layout::cell_of`] can give: of duplicates one.
    pub(crate) fn canonical_cells(&self, word: usize) -> u64 {
        let (slice, row, lane, second) = self.split(word);
        let Some(men) = self.lane_squares_of(slice, lane) else {
            return 0;
        };
        let kept = self.canonical_lane(slice, row, lane, &men);
        if second {
            (kept >> 64) as u64
        } else {
            kept as u64
        }
    }

    /// The same of a whole lane; `men` are its attackers but the lane piece.
    pub(crate) fn canonical_lane(
        &self,
        slice: usize,
        row: usize,
        lane: usize,
        men: &Squares,
    ) -> u128 {
        let mut kept = self.ascending(men);
        if kept == 0 || !self.pairs.is_symmetric(row) {
            return kept;
        }
        if self.attackers().nth(men.len().wrapping_sub(1)) != Some(self.lane) || men.is_empty() {
            // The mirror takes the lane to another one, or to itself with its squares exchanged.
            let mut all = men.clone();
            all.push(0);
            let all = self.sorted_squares(&all, true);
            return match self.lane_of(&all, true).map(|(_, image)| image.cmp(&lane)) {
                Some(Ordering::Greater) => kept,
                Some(Ordering::Equal) => kept & LEFT_HALF,
                _ => 0,
            };
        }
        let first = self.first_cell(slice, row, lane);
        for square in crate::geometry::squares(kept & BOARD) {
            let cell = first + usize::from(square);
            let own = self.placement(cell).and_then(|own| self.cell_of(&own));
            if own.is_some_and(|own| own != cell) {
                kept &= !bit(square);
            }
        }
        kept
    }

    /// The squares of the lane piece for which identical attackers stand in their canonical order.
    fn ascending(&self, squares: &[u8]) -> u128 {
        let mut roles = self.attackers();
        let mut before = roles.next();
        let mut lanes = !0;
        for (i, role) in roles.enumerate() {
            if before == Some(role) {
                let left = order(role, squares[i]);
                if let Some(&right) = squares.get(i + 1) {
                    if order(role, right) <= left {
                        return 0;
                    }
                } else {
                    lanes = match role {
                        Role::Pawn => pawns_after(left),
                        _ => !0 << (left + 1),
                    };
                }
            }
            before = Some(role);
        }
        lanes
    }
}

/// By what identical men are ordered: pawns by zone and place, as their digits are, others by square.
#[inline]
fn order(role: Role, square: u8) -> u32 {
    match (role, zone_of(square)) {
        (Role::Pawn, Some((zone, place))) => u32::from(zone) * PLACES as u32 + u32::from(place),
        _ => square.into(),
    }
}

/// The pawn squares that come after one in the order of pawns.
fn pawns_after(before: u32) -> u128 {
    let after = (0..SQUARES as u8).filter(|&square| PAWN_SQUARES & bit(square) != 0);
    let after = after.filter(|&square| order(Role::Pawn, square) > before);
    after.fold(0, |set, square| set | bit(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::Random;

    fn layout(name: &str) -> Layout {
        Layout::new(name.parse().expect("a material"))
    }

    #[test]
    fn sizes() {
        for (name, slices, rows, lanes) in [
            ("c-k", 1, (81 + 9) / 2, 1),
            ("p-k", 1, 45, 1),
            ("pp-k", 6, 45, 10),
            ("cp-k", 6, 45, 10),
            ("hh-k", 1, 45, 90),
            ("hpp-k", 21, 45, 100),
            ("aegp-aaee", 6, 275 * 1410 / 2 + 3, 10),
        ] {
            let layout = layout(name);
            let sizes = (layout.pawns.len(), layout.pairs.len(), layout.lanes);
            assert_eq!(sizes.0, slices, "{name}");
            assert_eq!(sizes.2, lanes, "{name}");
            if name != "aegp-aaee" {
                assert_eq!(sizes.1, rows, "{name}");
            }
        }
    }

    /// Every cell that is a placement leads to a canonical cell, which leads to itself; canonical sets hold those.
    #[test]
    fn cells_lead_to_canonical_ones_and_back() {
        let mut random = Random::new(7);
        for name in [
            "c-k", "p-a", "pp-e", "ap-ae", "hh-a", "hpp-e", "aegp-ae", "cgp-k", "hhp-a",
        ] {
            let layout = layout(name);
            let cells = layout.words() * 64;
            for _ in 0..3000 {
                let cell = random.below(cells);
                let Some(placement) = layout.placement(cell) else {
                    continue;
                };
                let kept = layout.cell_of(&placement).expect("a cell");
                let again = layout.placement(kept).expect("a placement");
                assert_eq!(layout.cell_of(&again), Some(kept), "{name} {cell}");
                let canonical = layout.canonical_cells(cell / 64) >> (cell % 64) & 1 != 0;
                assert_eq!(canonical, kept == cell, "{name} {cell} {placement:?}");
                assert!(layout.any_cell(&placement).is_some());
            }
        }
    }
}
