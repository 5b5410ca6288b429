//! The placements of one side's king, advisors and elephants, which stay on their own half.

use std::sync::OnceLock;

use arrayvec::ArrayVec;

use crate::geometry::{bit, flip, mirror};

/// The squares of the king, seen from its own back rank.
const PALACE: [u8; 9] = [3, 4, 5, 12, 13, 14, 21, 22, 23];
/// The squares of the advisors: d0, f0, e1, d2, f2.
const ADVISORS: [u8; 5] = [3, 5, 13, 21, 23];
/// The squares of the elephants: c0, g0, a2, e2, i2, c4, g4.
const ELEPHANTS: [u8; 7] = [2, 6, 18, 22, 26, 38, 42];

/// Men of one kind at most.
const PAIR: usize = 2;

/// One placement of a side's defenders.
#[derive(Clone, Debug)]
pub(crate) struct Defenders {
    /// The king's square.
    pub(crate) king: u8,
    /// The advisors' squares.
    pub(crate) advisors: ArrayVec<u8, PAIR>,
    /// The elephants' squares.
    pub(crate) elephants: ArrayVec<u8, PAIR>,
    /// All of them.
    pub(crate) occupied: u128,
    /// The number of the placement mirrored at the middle file.
    pub(crate) mirror: u16,
    /// Quiet steps to other placements: none is hindered by this side's men.
    pub(crate) steps: Vec<Step>,
}

/// A step of a defender, which leads from one placement to another; it can be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The placement it leads to.
    pub(crate) to: u16,
    /// The square that it steps onto.
    pub(crate) onto: u8,
    /// The elephant's eye, which must be empty; [`NO_EYE`] for others.
    pub(crate) eye: u8,
}

/// No square.
pub(crate) const NO_EYE: u8 = u8::MAX;

/// All placements of one side's defenders, numbered; those of Black are those of Red with the ranks flipped.
#[derive(Debug)]
pub(crate) struct Camp {
    placements: Vec<Defenders>,
    /// By king, advisors and elephants as bits of the lists of squares; `u16::MAX` where two men share a square.
    numbers: Vec<u16>,
    black: bool,
}

/// Sets of the squares of a kind: for advisors 5 bits, for elephants 7.
const KINDS: [usize; 2] = [5, 7];

impl Camp {
    /// The camp of a side with so many advisors and elephants, at most two each.
    pub(crate) fn of(black: bool, advisors: u8, elephants: u8) -> &'static Camp {
        static CAMPS: [OnceLock<Camp>; 18] = [const { OnceLock::new() }; 18];
        let number = usize::from(black) * 9 + usize::from(advisors) * 3 + usize::from(elephants);
        CAMPS[number].get_or_init(|| Camp::new(black, advisors, elephants))
    }

    fn new(black: bool, advisors: u8, elephants: u8) -> Camp {
        let side = |square: u8| if black { flip(square) } else { square };
        let mut camp = Camp {
            placements: Vec::new(),
            numbers: vec![u16::MAX; 9 << (KINDS[0] + KINDS[1])],
            black,
        };
        for (king, square) in PALACE.into_iter().enumerate() {
            for a in (0..1usize << KINDS[0]).filter(|set| set.count_ones() == advisors.into()) {
                for e in (0..1usize << KINDS[1]).filter(|set| set.count_ones() == elephants.into())
                {
                    let squares = |list: &[u8], set: usize| -> ArrayVec<u8, PAIR> {
                        let of_set = |&(i, _): &(usize, &u8)| set >> i & 1 != 0;
                        let chosen = list.iter().enumerate().filter(of_set);
                        chosen.map(|(_, &square)| side(square)).collect()
                    };
                    let king_square = side(square);
                    let (a_squares, e_squares) = (squares(&ADVISORS, a), squares(&ELEPHANTS, e));
                    let all = a_squares.iter().chain(&e_squares);
                    let men = all.clone().fold(0, |set, &square| set | bit(square));
                    if men & bit(king_square) != 0 {
                        continue;
                    }
                    camp.numbers[number(king, a, e)] = camp.placements.len() as u16;
                    camp.placements.push(Defenders {
                        king: king_square,
                        advisors: a_squares,
                        elephants: e_squares,
                        occupied: men | bit(king_square),
                        mirror: 0,
                        steps: Vec::new(),
                    });
                }
            }
        }
        for at in 0..camp.placements.len() {
            camp.placements[at].mirror = camp.mirrored(at);
            camp.placements[at].steps = camp.steps(at);
        }
        camp
    }

    /// The number of placements.
    pub(crate) fn len(&self) -> usize {
        self.placements.len()
    }

    /// A placement.
    #[inline(always)]
    pub(crate) fn get(&self, number: u16) -> &Defenders {
        &self.placements[usize::from(number)]
    }

    /// The number of a placement; `None` if a man stands where its kind cannot, or two share a square. The number of
    /// men must be that of the camp.
    #[inline]
    pub(crate) fn find(&self, king: u8, advisors: &[u8], elephants: &[u8]) -> Option<u16> {
        let place = |list: &[u8], square: u8| {
            let square = if self.black { flip(square) } else { square };
            list.iter().position(|&s| s == square)
        };
        let set = |list: &[u8], squares: &[u8]| {
            squares.iter().try_fold(0usize, |set, &square| {
                let next = 1usize << place(list, square)?;
                (set & next == 0).then_some(set | next)
            })
        };
        let (a, e) = (set(&ADVISORS, advisors)?, set(&ELEPHANTS, elephants)?);
        let number = self.numbers[number(place(&PALACE, king)?, a, e)];
        (number != u16::MAX).then_some(number)
    }

    /// The placement after the man on `from` has been put onto `to`; `None` if that is none.
    pub(crate) fn moved(&self, at: u16, from: u8, to: u8) -> Option<u16> {
        let old = self.get(at);
        let step = |&square: &u8| if square == from { to } else { square };
        let advisors: ArrayVec<u8, PAIR> = old.advisors.iter().map(step).collect();
        let elephants: ArrayVec<u8, PAIR> = old.elephants.iter().map(step).collect();
        self.find(step(&old.king), &advisors, &elephants)
    }

    /// The placement in another camp, of the same side, that has one man less: the one on `square` is gone.
    pub(crate) fn without(&self, at: u16, square: u8, smaller: &Camp) -> Option<u16> {
        let old = self.get(at);
        let stays = |s: &&u8| **s != square;
        let advisors: ArrayVec<u8, PAIR> = old.advisors.iter().filter(stays).copied().collect();
        let elephants: ArrayVec<u8, PAIR> = old.elephants.iter().filter(stays).copied().collect();
        smaller.find(old.king, &advisors, &elephants)
    }

    fn mirrored(&self, at: usize) -> u16 {
        let old = &self.placements[at];
        let advisors: ArrayVec<u8, PAIR> = old.advisors.iter().map(|&s| mirror(s)).collect();
        let elephants: ArrayVec<u8, PAIR> = old.elephants.iter().map(|&s| mirror(s)).collect();
        self.find(mirror(old.king), &advisors, &elephants)
            .expect("the camp is symmetric")
    }

    fn steps(&self, at: usize) -> Vec<Step> {
        let old = &self.placements[at];
        let ways = |square: u8| each_way(square, self.black, old);
        let men = [old.king].into_iter().chain(old.advisors.clone());
        let men = men.chain(old.elephants.clone());
        let mut steps = Vec::new();
        for from in men {
            for (onto, eye) in ways(from) {
                if old.occupied & bit(onto) != 0 || eye != NO_EYE && old.occupied & bit(eye) != 0 {
                    continue;
                }
                if let Some(to) = self.moved(at as u16, from, onto) {
                    steps.push(Step { to, onto, eye });
                }
            }
        }
        steps
    }
}

/// The number of a placement in the table.
#[inline(always)]
fn number(king: usize, advisors: usize, elephants: usize) -> usize {
    (king << KINDS[0] | advisors) << KINDS[1] | elephants
}

/// Where the man on a square may go, with the eye that must be empty: the king one step straight, an advisor one step
/// diagonally, an elephant two. Squares off its places are among them; [`Camp::find`] leaves them out.
pub(crate) fn each_way(
    square: u8,
    black: bool,
    placement: &Defenders,
) -> impl Iterator<Item = (u8, u8)> + use<> {
    const STRAIGHT: [(i8, i8); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
    const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
    let (ways, length) = if square == placement.king {
        (STRAIGHT, 1)
    } else if placement.elephants.contains(&square) {
        (DIAGONAL, 2)
    } else {
        (DIAGONAL, 1)
    };
    let elephant = length == 2;
    let places: &[u8] = match (square == placement.king, elephant) {
        (true, _) => &PALACE,
        (false, true) => &ELEPHANTS,
        (false, false) => &ADVISORS,
    };
    ways.into_iter().filter_map(move |(files, ranks)| {
        let onto = crate::geometry::offset(square, files * length, ranks * length)?;
        let own = if black { flip(onto) } else { onto };
        let eye = if elephant {
            crate::geometry::offset(square, files, ranks)?
        } else {
            NO_EYE
        };
        places.contains(&own).then_some((onto, eye))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camps_have_the_sizes_of_the_paper() {
        // 38 classes under the mirror of 70 (king and two advisors); 138 of 275 (king, advisor, elephant).
        for ((a, e), (all, symmetric)) in [
            ((0, 0), (9, 3)),
            ((2, 0), (70, 6)),
            ((1, 0), (40, 2)),
            ((1, 1), (275, 1)),
        ] {
            let camp = Camp::of(true, a, e);
            assert_eq!(camp.len(), all);
            let own = (0..all as u16).filter(|&at| camp.get(at).mirror == at);
            assert_eq!(own.count(), symmetric);
        }
    }

    #[test]
    fn steps_can_be_taken_back() {
        for black in [false, true] {
            let camp = Camp::of(black, 2, 2);
            for at in 0..camp.len() as u16 {
                for step in &camp.get(at).steps {
                    let back = camp.get(step.to).steps.iter();
                    assert!(back.clone().any(|b| b.to == at && b.eye == step.eye));
                }
            }
        }
    }
}
