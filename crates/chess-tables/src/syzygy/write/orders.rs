//! The orders in which a file may take the men, and which of them makes the fewest runs.
//!
//! The order decides which positions lie side by side, and so the size of a file, more than anything else.

use duchamp_base::{Cancelled, Control};
use duchamp_chess::{Color, Role};
use rayon::prelude::*;

use super::super::numbering::{Man, Numbering};
use super::counter::Counter;
use super::places::{Cells, Places};
use super::runs::{Choice, runs};
use crate::material::Material;

/// An order of the men, and the places of the leading group and of other pawns in the index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Order {
    pub(super) men: Vec<Man>,
    pub(super) places: [u8; 2],
}

/// The place of other pawns where there are none.
const NO_PAWNS: u8 = 0xF;

impl Order {
    /// The numbering of the sub-table with the leading pawn on a file.
    pub(super) fn numbering(&self, file: usize) -> Numbering {
        Numbering::new(&self.men, self.places, file).expect("an order that the format allows")
    }
}

/// All orders of a material that the format allows.
pub(super) fn all(material: Material) -> Vec<Order> {
    let mut kinds: Vec<(Man, usize)> = Vec::new();
    for color in Color::ALL {
        for role in Role::ALL {
            let count = material.count(color, role);
            if count > 0 {
                kinds.push((Man::new(color, role), count.into()));
            }
        }
    }
    let mut orders = Vec::new();
    let pawns: Vec<(Man, usize)> = kinds
        .iter()
        .copied()
        .filter(|kind| kind.0.is_pawn())
        .collect();
    let others: Vec<(Man, usize)> = kinds
        .iter()
        .copied()
        .filter(|kind| !kind.0.is_pawn())
        .collect();
    match pawns[..] {
        [] => {
            let single: Vec<(Man, usize)> =
                kinds.iter().copied().filter(|kind| kind.1 == 1).collect();
            let leaders = if single.len() > 2 { 3 } else { 2 };
            for lead in arrangements(&single, leaders) {
                let rest: Vec<(Man, usize)> = kinds
                    .iter()
                    .copied()
                    .filter(|kind| !lead.contains(kind))
                    .collect();
                for rest_order in arrangements(&rest, rest.len()) {
                    let men = men_of(lead.iter().chain(&rest_order));
                    for place in 0..=rest.len() as u8 {
                        orders.push(Order {
                            men: men.clone(),
                            places: [place, NO_PAWNS],
                        });
                    }
                }
            }
        }
        [one] => {
            for rest in arrangements(&others, others.len()) {
                let men = men_of([one].iter().chain(&rest));
                for place in 0..=others.len() as u8 {
                    orders.push(Order {
                        men: men.clone(),
                        places: [place, NO_PAWNS],
                    });
                }
            }
        }
        [white, black] | [white, black, ..] => {
            // The colour with fewer pawns leads, White's where both have as many.
            let lead = if black.1 < white.1 {
                [black, white]
            } else {
                [white, black]
            };
            for rest in arrangements(&others, others.len()) {
                let men = men_of(lead.iter().chain(&rest));
                let places = others.len() as u8 + 2;
                for one in 0..places {
                    for other in (0..places).filter(|&other| other != one) {
                        orders.push(Order {
                            men: men.clone(),
                            places: [one, other],
                        });
                    }
                }
            }
        }
    }
    orders
}

fn men_of<'k>(kinds: impl Iterator<Item = &'k (Man, usize)>) -> Vec<Man> {
    kinds
        .flat_map(|&(man, count)| std::iter::repeat_n(man, count))
        .collect()
}

/// The ways to choose `count` of some kinds in an order.
fn arrangements(kinds: &[(Man, usize)], count: usize) -> Vec<Vec<(Man, usize)>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (n, &first) in kinds.iter().enumerate() {
        let mut rest = kinds.to_vec();
        rest.remove(n);
        for mut others in arrangements(&rest, count - 1) {
            others.insert(0, first);
            all.push(others);
        }
    }
    all
}

/// The samples of a rough choice among many orders, of the first among some, and of the last: a piece of so many places, as
/// a power of two, and at least and at most so many pieces.
const ROUGH: (u32, u64, u64) = (17, 8, 16);
const FIRST: (u32, u64, u64) = (15, 32, 64);
const LAST: (u32, u64, u64) = (14, 64, 1024);
/// Orders that pass the rough choice.
const SOME: usize = 60;
/// Places of a piece.
const PIECE: u64 = 1024;
/// Orders that reach the last choice.
const FINALISTS: usize = 8;
/// Orders that are tried for the other files of the leading pawn: the best of the first file.
const NEAR: usize = 16;

/// What a choice among orders found.
#[derive(Debug)]
pub(super) struct Best {
    pub(super) order: Order,
    /// The bits of its samples, about.
    pub(super) cost: u64,
    /// The best ones of the first choice.
    pub(super) near: Vec<Order>,
}

/// The order with the fewest runs in samples of `values`, the bytes of our cells.
pub(super) fn best<C: Choice>(
    orders: &[Order],
    cells: &Cells<'_>,
    file: usize,
    (values, choice): (&[u8], C),
    control: &Control,
) -> Result<Best, Cancelled> {
    let rank = |orders: &[Order], sample| -> Result<Vec<(Order, u64)>, Cancelled> {
        let counted = orders.par_iter().map(|order| {
            control.check()?;
            let numbering = order.numbering(file);
            let places = Places::new(cells, &numbering, file);
            let (bits, least, most): (u32, u64, u64) = sample;
            let pieces = (places.len() >> bits).clamp(least, most);
            Ok((order.clone(), cost(&places, values, choice, pieces)))
        });
        let mut counted: Vec<(Order, u64)> = counted.collect::<Result<_, Cancelled>>()?;
        counted.sort_by_key(|&(_, cost)| cost);
        Ok(counted)
    };
    let names = |ranked: Vec<(Order, u64)>, most: usize| -> Vec<Order> {
        let orders = ranked.into_iter().map(|(order, _)| order);
        orders.take(most).collect()
    };
    let some = if orders.len() > SOME {
        names(rank(orders, ROUGH)?, SOME)
    } else {
        orders.to_vec()
    };
    let near = names(rank(&some, FIRST)?, NEAR);
    let (order, cost) = rank(&near[..FINALISTS.min(near.len())], LAST)?.swap_remove(0);
    Ok(Best { order, cost, near })
}

/// The bits that the runs of a sample of so many pieces take, about.
fn cost<C: Choice>(places: &Places<'_>, values: &[u8], choice: C, pieces: u64) -> u64 {
    let (total, len) = (places.len(), PIECE);
    let piece = total.div_ceil(pieces).max(len);
    let mut counts = Counter::new(1 << 10);
    let mut bytes = Vec::with_capacity(len as usize);
    for start in (0..total).step_by(piece as usize) {
        // Not always at the same remainder of some power of two.
        let slack = piece - len;
        let start = start + start.wrapping_mul(0x9E37_79B9) % slack.max(1);
        bytes.clear();
        places.read(
            start.min(total)..(start + len).min(total),
            values,
            C::ANY,
            &mut bytes,
        );
        for (value, len) in runs(choice, &bytes) {
            counts.add(u32::from(value) << 16 | len.min(300), 1);
        }
    }
    let all = f64::from(counts.iter().map(|(_, count)| count).sum::<u32>());
    let bits = counts.iter().map(|(_, count)| {
        let count = f64::from(count);
        count * (all / count).log2()
    });
    bits.sum::<f64>() as u64
}
