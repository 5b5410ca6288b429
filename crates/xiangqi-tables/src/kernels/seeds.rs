//! A row of a slice at the start: which cells are positions, and what their exits are worth.
//!
//! Red's exits are captures of defenders and pawns that enter another zone; Black's are captures of attackers. All is
//! done for one lane at a time. Where the lane piece captures, one value serves all its squares; where another man
//! moves, the values after it are a lane of another table; where the lane piece is captured, one square is concerned.
//!
//! Without a legal move a side has lost, in check or not: every legal position is marked as lost if stuck.

use duchamp_retro::{Cell, Seed, Side};
use duchamp_tablebase::Worth;
use duchamp_xiangqi::Role;

use super::exits::{Exits, Line, place, raise_to, value_at, value_of};
use super::lanes::Lanes;
use crate::attacks::{attackers, attacking_lanes};
use crate::defenders::NO_EYE;
use crate::geometry::{FILES, bit, mirror};
use crate::layout::{Layout, Placement, Squares};
use crate::legality::RowView;
use crate::pawns::zone_of;

/// A row being described.
pub(crate) struct Seeds<'e, 'a, W: Worth> {
    exits: &'e Exits<'a, W>,
    layout: &'a Layout,
    lanes: &'e Lanes,
    numbers: [u16; 2],
    row: usize,
    view: RowView,
}

/// A lane being described.
struct Here<'s> {
    men: &'s Squares,
    occupied: u128,
    legal: u128,
}

impl<'e, 'a, W: Worth> Seeds<'e, 'a, W> {
    pub(crate) fn new(exits: &'e Exits<'a, W>, lanes: &'e Lanes, row: usize) -> Self {
        Seeds {
            exits,
            layout: exits.layout,
            lanes,
            numbers: exits.layout.pairs().numbers(row),
            row,
            view: exits.layout.row_view(row),
        }
    }

    /// Describes the row with a side to move.
    pub(crate) fn describe(&self, side: Side, seed: Seed<'_, W::Cell>) {
        for lane in 0..self.layout.lanes() {
            let Some(found) = self.lanes.get(lane) else {
                continue;
            };
            let (legal, occupied) = self.view.legal(self.layout, side, &found.men);
            if legal == 0 {
                continue;
            }
            for (i, word) in [legal as u64, (legal >> 64) as u64].into_iter().enumerate() {
                seed.legal[2 * lane + i] = word;
                seed.lost_if_stuck[2 * lane + i] = word;
            }
            let here = Here {
                men: &found.men,
                occupied,
                legal,
            };
            let values = &mut seed.exits[2 * lane..2 * lane + 2];
            match side {
                Side::First => {
                    self.captures_by_red(&here, values);
                    self.pushes(&here, values);
                }
                Side::Second => self.captures_by_black(&here, values),
            }
        }
    }

    /// Red's attackers capture Black's advisors and elephants.
    fn captures_by_red(&self, here: &Here<'_>, values: &mut [[W::Cell; 64]]) {
        let black = self.layout.pairs().get(self.row)[1];
        let kinds = [
            (Role::Advisor, &black.advisors),
            (Role::Elephant, &black.elephants),
        ];
        for ((_, targets), view) in kinds.into_iter().zip(&self.exits.defenders) {
            let Some(view) = view else { continue };
            let table: &Layout = view.index;
            let [red, number] = self.numbers;
            let camps = [self.layout.pairs().camps()[1], table.pairs().camps()[1]];
            for &target in targets {
                let left = camps[0].without(number, target, camps[1]);
                let found = table.pairs().find(red, left.expect("a smaller camp"));
                let row = found.row as usize;
                let first = |men: &[u8]| {
                    let (slice, lane) = table.lane_of(men, found.mirrored)?;
                    Some(table.first_cell(slice, row, lane))
                };
                let by_lane = here.legal & attackers(self.layout.lane(), target, here.occupied);
                if by_lane != 0
                    && let Some(first) = first(here.men)
                {
                    let to = if found.mirrored {
                        mirror(target)
                    } else {
                        target
                    };
                    if let Some(after) = value_at(view, 1, first + usize::from(to)) {
                        raise_to(values, by_lane, W::converting(after, false));
                    }
                }
                for (i, role) in self.layout.attackers().take(here.men.len()).enumerate() {
                    let lanes = attacking_lanes(role, here.men[i], target, here.occupied);
                    if here.legal & lanes == 0 {
                        continue;
                    }
                    let mut men = here.men.clone();
                    men[i] = target;
                    if let Some(first) = first(&men) {
                        let line = Line::new(view, 1, first, found.mirrored);
                        line.raise(values, here.legal & lanes, |code| {
                            W::converting(code, false)
                        });
                    }
                }
            }
        }
    }

    /// Red's pawns that enter another zone.
    fn pushes(&self, here: &Here<'_>, values: &mut [[W::Cell; 64]]) {
        let first = self.layout.indexed().len();
        for i in first..here.men.len() {
            let (from, to) = (here.men[i], here.men[i] + FILES);
            let (Some(zone), Some(next)) = (zone_of(from), zone_of(to)) else {
                continue;
            };
            if next.0 == zone.0 || here.occupied & bit(to) != 0 {
                continue;
            }
            let mut men = here.men.clone();
            men[i] = to;
            if let Some((slice, lane)) = self.layout.lane_of(&men, false) {
                let first = self.layout.first_cell(slice, self.row, lane);
                let line = Line::new(&self.exits.own, 1, first, false);
                line.raise(values, here.legal, |own| W::push(W::stored(own, false)));
            }
        }
    }

    /// Black's defenders capture attackers.
    fn captures_by_black(&self, here: &Here<'_>, values: &mut [[W::Cell; 64]]) {
        let black = self.layout.pairs().get(self.row)[1];
        for step in &black.steps {
            let eye = if step.eye == NO_EYE { 0 } else { bit(step.eye) };
            if here.occupied & eye != 0 {
                continue;
            }
            if here.legal & bit(step.onto) != 0 {
                let value = self.lane_piece_taken(step.to, here.men);
                if let Some(value) = value {
                    raise_to(values, bit(step.onto), value);
                }
            } else if let Some(i) = here.men.iter().position(|&man| man == step.onto) {
                self.indexed_taken(step.to, i, here, here.legal & !eye, values);
            }
        }
    }

    /// What the capture of the lane piece is worth, which leaves Black's defenders as given.
    fn lane_piece_taken(&self, black: u16, men: &Squares) -> Option<W::Cell> {
        let red = self.numbers[0];
        let view = &self.exits.attackers[place(self.layout.lane())];
        if men.is_empty() {
            return self.bare(black);
        }
        let view = view.as_ref()?;
        let mut attackers = men.clone();
        let n = self.layout.indexed().len();
        if n > 0 {
            // The last piece with a digit is the smaller table's lane piece.
            let lane = attackers.remove(n - 1);
            attackers.push(lane);
        }
        let placement = Placement {
            defenders: [red, black],
            attackers,
        };
        value_of(view, 0, &placement).map(|after| W::converting(after, false))
    }

    /// The capture of an attacker with a digit.
    fn indexed_taken(
        &self,
        black: u16,
        taken: usize,
        here: &Here<'_>,
        at: u128,
        values: &mut [[W::Cell; 64]],
    ) {
        let Some(role) = self.layout.attackers().nth(taken) else {
            return;
        };
        let Some(view) = &self.exits.attackers[place(role)] else {
            return;
        };
        let table: &Layout = view.index;
        let mut men = here.men.clone();
        men.remove(taken);
        let found = table.pairs().find(self.numbers[0], black);
        // The place of the lane piece counts as a man's that `lane_of` does not look at.
        if let Some((slice, lane)) = table.lane_of(&men, found.mirrored) {
            let first = table.first_cell(slice, found.row as usize, lane);
            let line = Line::new(view, 0, first, found.mirrored);
            line.raise(values, at, |code| W::converting(code, false));
        }
    }

    /// The capture of the last attacker: a draw, if the kings do not face each other then.
    fn bare(&self, black: u16) -> Option<W::Cell> {
        let pairs = self.layout.pairs();
        let red = pairs.camps()[0].get(self.numbers[0]);
        let black = pairs.camps()[1].get(black);
        (RowView::new(red, black).facing == 0).then_some(W::Cell::DRAW)
    }
}
