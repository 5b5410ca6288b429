//! One position of a table that is verified, and what its moves lead to: by the attacks of `duchamp-xiangqi`.

use std::collections::BTreeMap;

use duchamp_retro::Code;
use duchamp_tablebase::Metric;
use duchamp_xiangqi::{Bitboard, Color, Role, Square, attacks};

use crate::defenders::Camp;
use crate::geometry::{FILES, SQUARES, between, bit, mirror, squares};
use crate::layout::{Layout, Placement, Squares};
use crate::material::Material;
use crate::pairs::Found;
use crate::pawns::PLACES;

/// The values of a table, by side to move.
pub(crate) struct Held {
    pub(crate) layout: Layout,
    pub(crate) codes: [Vec<Code>; 2],
}

/// Where a lane is.
pub(crate) struct Place {
    pub(crate) slice: usize,
    pub(crate) lane: usize,
    /// The lane of the mirrored squares.
    pub(crate) image: usize,
    /// Its first cell.
    pub(crate) first: usize,
}

/// A defender's step: from, onto, and the placement after it with its row.
#[derive(Clone, Copy)]
struct Goes {
    from: u8,
    onto: u8,
    to: u16,
    row: Found,
}

/// The defenders of a row and where each of them may go.
pub(crate) struct RowMen {
    numbers: [u16; 2],
    kings: [u8; 2],
    occupied: [u128; 2],
    /// By side, as far as the side's own men allow.
    steps: [Vec<Goes>; 2],
}

impl RowMen {
    pub(crate) fn new(layout: &Layout, row: usize) -> RowMen {
        let numbers = layout.pairs().numbers(row);
        let placements = layout.pairs().get(row);
        let camps = layout.pairs().camps();
        let steps = [0, 1].map(|side| {
            let men = placements[side];
            let roles = [Role::King].into_iter();
            let roles = roles.chain(men.advisors.iter().map(|_| Role::Advisor));
            let roles = roles.chain(men.elephants.iter().map(|_| Role::Elephant));
            let from = [men.king]
                .into_iter()
                .chain(men.advisors.clone())
                .chain(men.elephants.clone());
            let mut steps = Vec::new();
            for (role, from) in roles.zip(from) {
                let color = Color::ALL[side];
                let at = Square::wrapping(from.into());
                let onto = attacks::moves(role, color, at, Bitboard(men.occupied));
                for onto in squares(onto.0 & !men.occupied) {
                    let to = Camp::moved(camps[side], numbers[side], from, onto);
                    steps.extend(to.map(|to| {
                        let [red, black] = if side == 0 {
                            [to, numbers[1]]
                        } else {
                            [numbers[0], to]
                        };
                        let row = layout.pairs().find(red, black);
                        Goes {
                            from,
                            onto,
                            to,
                            row,
                        }
                    }));
                }
            }
            steps
        });
        RowMen {
            numbers,
            kings: placements.map(|men| men.king),
            occupied: placements.map(|men| men.occupied),
            steps,
        }
    }
}

/// A position of a table, and the tables to look up.
pub(crate) struct Look<'a> {
    tables: &'a BTreeMap<Material, Held>,
    metric: Metric,
    held: &'a Held,
    men: &'a RowMen,
    place: &'a Place,
    attackers: Squares,
    occupied: u128,
}

impl<'a> Look<'a> {
    /// `None` if two men share a square or the kings face each other.
    pub(crate) fn new(
        (tables, metric): (&'a BTreeMap<Material, Held>, Metric),
        held: &'a Held,
        men: &'a RowMen,
        place: &'a Place,
        attackers: Squares,
    ) -> Option<Look<'a>> {
        let mut occupied = men.occupied[0] | men.occupied[1];
        for &square in &attackers {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        (!facing(men.kings, occupied)).then_some(Look {
            tables,
            metric,
            held,
            men,
            place,
            attackers,
            occupied,
        })
    }

    /// Whether Black's king is attacked.
    pub(crate) fn in_check(&self) -> bool {
        attacked(
            &self.held.layout,
            self.men.kings[1],
            self.occupied,
            &self.attackers,
            None,
        )
    }

    /// The square of the lane piece.
    fn lane_square(&self) -> u8 {
        self.attackers.last().copied().unwrap_or_default()
    }

    /// The cell after a defender's step.
    fn stepped(&self, row: Found) -> usize {
        let (lane, square) = if row.mirrored {
            (self.place.image, mirror(self.lane_square()))
        } else {
            (self.place.lane, self.lane_square())
        };
        let first = self
            .held
            .layout
            .first_cell(self.place.slice, row.row as usize, lane);
        first + usize::from(square)
    }

    /// The cell after the attacker with number `i` has moved.
    fn moved(&self, i: usize, onto: u8) -> Option<usize> {
        let layout = &self.held.layout;
        if i + 1 == self.attackers.len() {
            return Some(self.place.first + usize::from(onto));
        }
        let indexed = layout.indexed().len();
        if i < indexed {
            let digit =
                SQUARES.pow((indexed - 1 - i) as u32) * PLACES.pow(layout.pawns().pawns() as u32);
            let lane = self.place.lane - usize::from(self.attackers[i]) * digit
                + usize::from(onto) * digit;
            let lanes = self.place.first - self.place.lane * 128;
            return Some(lanes + lane * 128 + usize::from(self.lane_square()));
        }
        let mut attackers = self.attackers.clone();
        attackers[i] = onto;
        layout.any_cell(&Placement {
            defenders: self.men.numbers,
            attackers,
        })
    }

    /// What a move of Black's leads to: the value for Red, or `None` if the move is illegal.
    fn black_move(&self, step: Goes) -> Option<(Code, bool)> {
        let Goes {
            from,
            onto,
            to,
            row,
        } = step;
        let layout = &self.held.layout;
        let occupied = self.occupied & !bit(from) | bit(onto);
        let king = if from == self.men.kings[1] {
            onto
        } else {
            self.men.kings[1]
        };
        let taken = self.attackers.iter().position(|&square| square == onto);
        if facing([self.men.kings[0], king], occupied)
            || attacked(layout, king, occupied, &self.attackers, taken)
        {
            return None;
        }
        let defenders = [self.men.numbers[0], to];
        let Some(taken) = taken else {
            return Some((self.held.codes[0][self.stepped(row)], false));
        };
        let role = layout.attackers().nth(taken)?;
        let Some(child) = layout.material().without(false, role) else {
            return Some((Code::DRAW, true));
        };
        let child = &self.tables[&child];
        // The same men in the order of the smaller table.
        let mut left: Vec<(Role, u8)> = layout
            .attackers()
            .zip(self.attackers.iter().copied())
            .collect();
        left.remove(taken);
        let mut attackers = Squares::new();
        for role in child.layout.attackers() {
            let at = left.iter().position(|man| man.0 == role)?;
            attackers.push(left.remove(at).1);
        }
        let cell = child.layout.any_cell(&Placement {
            defenders,
            attackers,
        })?;
        Some((child.codes[0][cell], true))
    }

    /// What a capture is worth that leads to a value of the other side's; `None`: as if it were not there. To
    /// conversion the winner's captures end the count, and the loser's do not count.
    fn converted(&self, after: Code) -> Option<Code> {
        if self.metric != Metric::Dtc || after == Code::DRAW {
            return Some(after.before_move());
        }
        after.is_loss().then_some(Code::win(0))
    }

    /// The value with Black to move.
    pub(crate) fn black(&self) -> Code {
        let mut best = Code::loss(0);
        for &step in &self.men.steps[1] {
            // Between an elephant's squares lies its eye.
            let eye = middle(step.from, step.onto);
            if eye.is_some_and(|eye| self.occupied & bit(eye) != 0) {
                continue;
            }
            let value = match self.black_move(step) {
                None => continue,
                Some((after, true)) => self.converted(after),
                Some((after, false)) => Some(after.before_move()),
            };
            if let Some(value) = value {
                best = best.max(value);
            }
        }
        best
    }

    /// The value with Red to move.
    pub(crate) fn red(&self) -> Code {
        let layout = &self.held.layout;
        let kings = self.men.kings;
        let mut best = Code::loss(0);
        let mut raise = |value: Code| best = best.max(value);
        for &Goes {
            from, onto, row, ..
        } in &self.men.steps[0]
        {
            let eye = middle(from, onto);
            if self.occupied & bit(onto) != 0
                || eye.is_some_and(|eye| self.occupied & bit(eye) != 0)
            {
                continue;
            }
            let king = if from == kings[0] { onto } else { kings[0] };
            if !facing([king, kings[1]], self.occupied & !bit(from) | bit(onto)) {
                raise(self.held.codes[1][self.stepped(row)].before_move());
            }
        }
        let own = self.men.occupied[0]
            | self
                .attackers
                .iter()
                .fold(0, |set, &square| set | bit(square));
        for (i, role) in layout.attackers().enumerate() {
            let from = self.attackers[i];
            let at = Square::wrapping(from.into());
            let onto = attacks::moves(role, Color::Red, at, Bitboard(self.occupied));
            for onto in squares(onto.0 & !own) {
                if facing(kings, self.occupied & !bit(from) | bit(onto)) {
                    continue;
                }
                if self.men.occupied[1] & bit(onto) == 0 {
                    if let Some(cell) = self.moved(i, onto) {
                        raise(self.held.codes[1][cell].before_move());
                    }
                } else if let Some(after) = self.captured(i, onto)
                    && let Some(value) = self.converted(after)
                {
                    raise(value);
                }
            }
        }
        best
    }

    /// The value with Black to move after Red has captured the defender on a square.
    fn captured(&self, i: usize, onto: u8) -> Option<Code> {
        let mut attackers = self.attackers.clone();
        attackers[i] = onto;
        let layout = &self.held.layout;
        let [red, black] = self.men.numbers;
        let camp = layout.pairs().camps()[1];
        let role = if camp.get(black).advisors.contains(&onto) {
            Role::Advisor
        } else {
            Role::Elephant
        };
        let child = &self.tables[&layout.material().without(true, role)?];
        let left = camp.without(black, onto, child.layout.pairs().camps()[1])?;
        let cell = child.layout.any_cell(&Placement {
            defenders: [red, left],
            attackers,
        })?;
        Some(child.codes[1][cell])
    }
}

/// The square in the middle of an elephant's move.
fn middle(from: u8, onto: u8) -> Option<u8> {
    let far = (from % FILES).abs_diff(onto % FILES) == 2;
    far.then(|| (from + onto) / 2)
}

/// Whether kings face each other.
fn facing([red, black]: [u8; 2], occupied: u128) -> bool {
    red % FILES == black % FILES && between(red, black) & occupied == 0
}

/// Whether Red's attackers attack a square; the one `taken` is gone.
fn attacked(
    layout: &Layout,
    square: u8,
    occupied: u128,
    attackers: &Squares,
    taken: Option<usize>,
) -> bool {
    let target = bit(square);
    layout
        .attackers()
        .zip(attackers)
        .enumerate()
        .any(|(i, (role, &from))| {
            Some(i) != taken
                && attacks::moves(
                    role,
                    Color::Red,
                    Square::wrapping(from.into()),
                    Bitboard(occupied),
                )
                .0 & target
                    != 0
        })
}
