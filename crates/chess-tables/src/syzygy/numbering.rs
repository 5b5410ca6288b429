//! How Syzygy files number positions: from the squares of the men to an index, and back.
//!
//! Men are taken in the order of the file's header, in *groups*. The leading group comes first: the pawns of one
//! colour, else three single men, else both kings. The other groups are of like men. Each group's squares give a number,
//! and the index is a mixed-radix number of them whose digits stand in the order that the header says.
//!
//! Sources: Fathom's `tbprobe.c` (MIT), for the facts of the format.

use arrayvec::ArrayVec;
use duchamp_chess::{Color, Role};

/// The most men of a Syzygy table, kings included.
pub(super) const MAX_MEN: usize = 7;

/// Squares below the diagonal a1-h8, in order of squares; 28 of them.
const BELOW: [u8; 64] = below();
/// Where the first man stands after normalising: 6 squares below the diagonal, then the 4 on it.
const TRIANGLE: [u8; 64] = triangle();
/// By the first king's number in [`TRIANGLE`]: the number of the pair of kings; [`NO_PAIR`] where there is none.
const KING_PAIRS: [[u16; 64]; 10] = king_pairs();
const NO_PAIR: u16 = u16::MAX;
/// How the squares of pawns are ordered: the leading pawn is the one with the highest number.
const PAWN_ORDER: [u8; 64] = pawn_order();
/// By number of leading pawns and square of the first: where its placements begin, within its file.
const LEADING_PAWNS: [[u32; 64]; 6] = leading_pawns().0;
/// By number of leading pawns and file: the placements.
const LEADING_SIZES: [[u32; 4]; 6] = leading_pawns().1;
/// `BINOMIAL[k][n]`: ways to choose k of n.
const BINOMIAL: [[u32; 65]; 7] = binomial();

/// Placements of three different men.
const THREE_MEN: u64 = 31_332;
/// Placements of both kings.
const TWO_KINGS: u64 = 462;
/// Placements of three men with the first below the diagonal, with the second below it, with the third.
const BELOW_FIRST: u64 = 6 * 63 * 62;
const BELOW_SECOND: u64 = 4 * 28 * 62;
const BELOW_THIRD: u64 = 4 * 7 * 28;

const fn below() -> [u8; 64] {
    let (mut map, mut square, mut n) = ([0; 64], 0, 0);
    while square < 64 {
        if (square >> 3) < (square & 7) {
            map[square] = n;
            n += 1;
        }
        square += 1;
    }
    map
}

const fn triangle() -> [u8; 64] {
    let (mut map, mut square, mut n) = ([0; 64], 0, 0);
    while square < 32 {
        if (square >> 3) < (square & 7) && (square & 7) < 4 {
            map[square] = n;
            n += 1;
        }
        square += 1;
    }
    let mut k = 0;
    while k < 4 {
        map[9 * k] = n;
        n += 1;
        k += 1;
    }
    map
}

const fn is_near(a: usize, b: usize) -> bool {
    (a >> 3).abs_diff(b >> 3) <= 1 && (a & 7).abs_diff(b & 7) <= 1
}

const fn king_pairs() -> [[u16; 64]; 10] {
    let (mut map, mut n) = ([[NO_PAIR; 64]; 10], 0);
    // Both on the diagonal come last.
    let mut on_diagonal = 0;
    while on_diagonal < 2 {
        let mut number = 0;
        while number < 10 {
            let mut first = 0;
            while first < 28 {
                let inside = (first & 7) < 4 && (first >> 3) <= (first & 7);
                if inside && TRIANGLE[first] == number {
                    let first_on = first >> 3 == first & 7;
                    let mut second = 0;
                    while second < 64 {
                        let both = first_on && second >> 3 == second & 7;
                        let above = first_on && (second >> 3) > (second & 7);
                        if !is_near(first, second) && !above && both == (on_diagonal == 1) {
                            map[number as usize][second] = n;
                            n += 1;
                        }
                        second += 1;
                    }
                }
                first += 1;
            }
            number += 1;
        }
        on_diagonal += 1;
    }
    map
}

const fn pawn_order() -> [u8; 64] {
    let (mut map, mut file, mut n) = ([0; 64], 0, 47u8);
    while file < 4 {
        let mut rank = 1;
        while rank < 7 {
            map[8 * rank + file] = n;
            map[8 * rank + 7 - file] = n - 1;
            n = n.saturating_sub(2);
            rank += 1;
        }
        file += 1;
    }
    map
}

const fn leading_pawns() -> ([[u32; 64]; 6], [[u32; 4]; 6]) {
    let (mut starts, mut sizes) = ([[0; 64]; 6], [[0; 4]; 6]);
    let mut count = 1;
    while count < 6 {
        let mut file = 0;
        while file < 4 {
            let (mut n, mut rank) = (0, 1);
            while rank < 7 {
                let square = 8 * rank + file;
                starts[count][square] = n;
                n += BINOMIAL[count - 1][PAWN_ORDER[square] as usize];
                rank += 1;
            }
            sizes[count][file] = n;
            file += 1;
        }
        count += 1;
    }
    (starts, sizes)
}

const fn binomial() -> [[u32; 65]; 7] {
    let (mut map, mut n) = ([[0; 65]; 7], 0);
    while n < 65 {
        map[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            map[k][n] = map[k - 1][n - 1] + map[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    map
}

/// A man as headers write it: 1 to 6 for White's pawn, knight, bishop, rook, queen and king, 9 to 14 for Black's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Man(u8);

impl Man {
    /// The man of a header's nibble, if it is one.
    pub(super) fn from_bits(bits: u8) -> Option<Man> {
        matches!(bits, 1..=6 | 9..=14).then_some(Man(bits))
    }

    pub(super) const fn new(color: Color, role: Role) -> Man {
        Man(role.index() as u8 + 1 + 8 * color.index() as u8)
    }

    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    pub(super) const fn color(self) -> Color {
        if self.0 < 8 {
            Color::White
        } else {
            Color::Black
        }
    }

    pub(super) fn role(self) -> Role {
        Role::ALL[usize::from(self.0 & 7) - 1]
    }

    pub(super) fn is_pawn(self) -> bool {
        self.0 & 7 == 1
    }

    pub(super) fn is_king(self) -> bool {
        self.0 & 7 == 6
    }
}

/// What the leading group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lead {
    /// The pawns of one colour, the first of them on files a to d.
    Pawns,
    /// Three different men, in the triangle a1-d1-d4.
    Three,
    /// Both kings, as no other man is the only one of its kind.
    Kings,
}

/// Like men whose squares make one digit of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The number of men.
    pub(super) len: u8,
    /// What the digit counts.
    pub(super) factor: u64,
    /// Values of the digit.
    pub(super) size: u64,
}

/// How the positions of a sub-table are numbered, with one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbering {
    lead: Lead,
    men: ArrayVec<Man, MAX_MEN>,
    groups: ArrayVec<Group, MAX_MEN>,
    /// Whether the second group is of pawns, which have 48 squares.
    more_pawns: bool,
    len: u64,
}

impl Numbering {
    /// The numbering of men in an order. `places`: how many groups stand before the leading one in the index, and
    /// before the other pawns. `file`: the leading pawn's, 0 to 3. `None` if the order breaks the rules of the format.
    pub(super) fn new(men: &[Man], places: [u8; 2], file: usize) -> Option<Numbering> {
        let men: ArrayVec<Man, MAX_MEN> = men.iter().copied().collect();
        let lead = Lead::of(&men);
        let more_pawns =
            lead == Lead::Pawns && men.iter().any(|man| man.is_pawn() && *man != men[0]);
        let mut lens = ArrayVec::<u8, MAX_MEN>::new();
        let mut leaders = match lead {
            Lead::Pawns => 1,
            Lead::Three => 3,
            Lead::Kings => 2,
        };
        for (i, man) in men.iter().enumerate() {
            let goes_on = i > 0 && (leaders > 0 || men[i - 1] == *man);
            match lens.last_mut() {
                Some(len) if goes_on => *len += 1,
                _ => lens.push(1),
            }
            leaders -= i32::from(leaders > 0);
        }
        let leading = &men[..usize::from(*lens.first()?)];
        let right = match lead {
            Lead::Pawns => leading.iter().all(|man| man.is_pawn()) && leading.len() < 6,
            Lead::Three => {
                let single = |man: &Man| men.iter().filter(|other| *other == man).count() == 1;
                leading.len() == 3 && leading.iter().all(single)
            }
            Lead::Kings => leading.iter().all(|man| man.is_king()),
        };
        // Like men stand together, the other pawns right behind the leading ones.
        let apart = (1..men.len()).any(|i| men[i] != men[i - 1] && men[..i].contains(&men[i]));
        if !right || apart || (more_pawns && !men[leading.len()].is_pawn()) {
            return None;
        }
        // Other groups stand where all pawns leave squares.
        let pawns = lens[0] + if more_pawns { *lens.get(1)? } else { 0 };
        let mut free = 64 - usize::from(pawns);
        let mut groups = ArrayVec::<Group, MAX_MEN>::new();
        for (n, &len) in lens.iter().enumerate() {
            let size = match (n, lead) {
                (0, Lead::Pawns) => LEADING_SIZES[usize::from(len)][file].into(),
                (0, Lead::Three) => THREE_MEN,
                (0, Lead::Kings) => TWO_KINGS,
                (1, _) if more_pawns => {
                    BINOMIAL[usize::from(len)][48 - usize::from(lens[0])].into()
                }
                _ => {
                    free -= usize::from(len);
                    BINOMIAL[usize::from(len)][free + usize::from(len)].into()
                }
            };
            groups.push(Group {
                len,
                factor: 0,
                size,
            });
        }
        let mut numbering = Numbering {
            lead,
            men,
            groups,
            more_pawns,
            len: 1,
        };
        let mut rest = if more_pawns { 2 } else { 1 };
        for place in 0.. {
            let next = if place == places[0] {
                0
            } else if more_pawns && place == places[1] {
                1
            } else if rest < numbering.groups.len() {
                rest += 1;
                rest - 1
            } else if place > MAX_MEN as u8 {
                break;
            } else {
                continue;
            };
            let group = &mut numbering.groups[next];
            group.factor = numbering.len;
            numbering.len = numbering.len.checked_mul(group.size)?;
        }
        numbering
            .groups
            .iter()
            .all(|group| group.factor > 0)
            .then_some(numbering)
    }

    /// Number of indices.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The men in the order of the header.
    pub(super) fn men(&self) -> &[Man] {
        &self.men
    }

    /// The groups in the order of the men.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(super) fn lead(&self) -> Lead {
        self.lead
    }

    /// The index of a placement: squares in the order of [`Numbering::men`], like men in any order; of pawns the first is
    /// the [`leading_pawn`] and stands on the file of this sub-table.
    pub(super) fn index(&self, squares: &mut [u8; MAX_MEN]) -> u64 {
        let leaders = usize::from(self.groups[0].len);
        let mut index = self.lead_digit(squares, leaders) * self.groups[0].factor;
        let mut at = leaders;
        for (n, group) in self.groups.iter().enumerate().skip(1) {
            let end = at + usize::from(group.len);
            let skipped = if n == 1 && self.more_pawns { 8 } else { 0 };
            let (before, own) = squares.split_at_mut(at);
            let own = &mut own[..end - at];
            if own.len() > 1 {
                own.sort_unstable();
            }
            let mut digit = 0;
            for (i, &square) in own.iter().enumerate() {
                let lower = before.iter().filter(|&&other| other < square).count();
                digit += BINOMIAL[i + 1][(usize::from(square) - lower - skipped) & 63];
            }
            index += u64::from(digit) * group.factor;
            at = end;
        }
        index
    }
}

/// The leading group by itself.
impl Numbering {
    /// The digit of the leading group; it is normalised, and the men behind it with it.
    #[inline]
    fn lead_digit(&self, squares: &mut [u8; MAX_MEN], leaders: usize) -> u64 {
        if self.lead == Lead::Pawns {
            squares[1..leaders].sort_unstable_by_key(|&square| PAWN_ORDER[usize::from(square)]);
            let first = LEADING_PAWNS[leaders][usize::from(squares[0])];
            let others =
                (1..leaders).map(|i| BINOMIAL[i][usize::from(PAWN_ORDER[usize::from(squares[i])])]);
            return u64::from(first + others.sum::<u32>());
        }
        normalize(&mut squares[..self.men.len()], leaders);
        let of = |i: usize| usize::from(squares[i]);
        if self.lead == Lead::Three {
            three_men(of(0), of(1), of(2))
        } else {
            KING_PAIRS[usize::from(TRIANGLE[of(0)])][of(1)].into()
        }
    }

    /// The digit of the leading group, whatever symmetry brings it to its place; `None` if it is kings that touch, or
    /// pawns of which another file's leads. Pawns may come in any order.
    pub(super) fn leading_digit(&self, leaders: &[u8], file: usize) -> Option<usize> {
        let (mut squares, on) = self.normal_leaders(leaders);
        if self.lead == Lead::Pawns && on != file {
            return None;
        }
        let digit = self.lead_digit(&mut squares, leaders.len());
        (digit < self.groups[0].size).then_some(digit as usize)
    }

    /// The leaders' squares after normalising, and the file of leading pawns.
    pub(super) fn normal_leaders(&self, leaders: &[u8]) -> ([u8; MAX_MEN], usize) {
        let mut squares = [0; MAX_MEN];
        squares[..leaders.len()].copy_from_slice(leaders);
        let own = &mut squares[..leaders.len()];
        if self.lead != Lead::Pawns {
            normalize(own, leaders.len());
            return (squares, 0);
        }
        let (file, mirrored) = leading_pawn(own);
        if mirrored {
            own.iter_mut().for_each(|square| *square ^= 7);
        }
        (squares, file)
    }
}

impl Lead {
    fn of(men: &[Man]) -> Lead {
        let single = |man: &Man| men.iter().filter(|other| *other == man).count() == 1;
        if men.iter().any(|man| man.is_pawn()) {
            Lead::Pawns
        } else if men.iter().any(|man| !man.is_king() && single(man)) {
            Lead::Three
        } else {
            Lead::Kings
        }
    }
}

/// The number of three men, the first of them in the triangle.
fn three_men(first: usize, second: usize, third: usize) -> u64 {
    let on = |square: usize| square >> 3 == square & 7;
    let rank = |square: usize| (square >> 3) as u64;
    let triangle = |square: usize| u64::from(TRIANGLE[square]);
    let below = |square: usize| u64::from(BELOW[square]);
    let behind = u64::from(second > first);
    let behind_both = u64::from(third > first) + u64::from(third > second);
    if !on(first) {
        (triangle(first) * 63 + second as u64 - behind) * 62 + third as u64 - behind_both
    } else if !on(second) {
        BELOW_FIRST + (rank(first) * 28 + below(second)) * 62 + third as u64 - behind_both
    } else if !on(third) {
        let pair = rank(first) * 7 + rank(second) - behind;
        BELOW_FIRST + BELOW_SECOND + pair * 28 + below(third)
    } else {
        let pair = rank(first) * 7 + rank(second) - behind;
        BELOW_FIRST + BELOW_SECOND + BELOW_THIRD + pair * 6 + rank(third) - behind_both
    }
}

/// Turns a board without pawns so that the first man stands on a1-d4, and the first of the leading men off the
/// diagonal below it.
#[inline]
fn normalize(squares: &mut [u8], leaders: usize) {
    let turn =
        (if squares[0] & 4 != 0 { 7 } else { 0 }) | (if squares[0] & 32 != 0 { 56 } else { 0 });
    for square in squares.iter_mut() {
        *square ^= turn;
    }
    let off = squares[..leaders].iter().find(|&&s| s >> 3 != s & 7);
    if off.is_some_and(|&s| s >> 3 > s & 7) {
        for square in squares {
            *square = (*square >> 3 | *square << 3) & 63;
        }
    }
}

/// Moves the pawn that leads, of several pawns of one colour, to the front; says its file, 0 to 3, and whether the board
/// must be mirrored to bring it there.
#[inline]
pub(super) fn leading_pawn(pawns: &mut [u8]) -> (usize, bool) {
    let mut best = 0;
    for i in 1..pawns.len() {
        if PAWN_ORDER[usize::from(pawns[i])] > PAWN_ORDER[usize::from(pawns[best])] {
            best = i;
        }
    }
    pawns.swap(0, best);
    let file = usize::from(pawns[0] & 7);
    (file.min(7 - file), file > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_format() {
        let pairs = KING_PAIRS.iter().flatten();
        let mut pairs: Vec<u16> = pairs.copied().filter(|&n| n != NO_PAIR).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, (0..462).collect::<Vec<_>>());
        assert_eq!(LEADING_SIZES[1], [6; 4]);
        assert_eq!(LEADING_SIZES[2].iter().sum::<u32>(), 48 * 47 / 2 / 2 + 12);
        assert_eq!(PAWN_ORDER[8], 47);
        assert_eq!(BINOMIAL[3][10], 120);
        assert_eq!(
            THREE_MEN,
            BELOW_FIRST + BELOW_SECOND + BELOW_THIRD + 4 * 7 * 6
        );
    }

    #[test]
    fn indices_are_unique() {
        // KRvKN without symmetry: each class of placements has one index.
        let men = [6, 4, 14, 10].map(|bits| Man::from_bits(bits).expect("a man"));
        let numbering = Numbering::new(&men, [1, 15], 0).expect("a numbering");
        assert_eq!(numbering.len(), THREE_MEN * 61);
        let mut seen = vec![0u8; numbering.len() as usize];
        for n in 0..64usize.pow(4) {
            let squares = [n >> 18, n >> 12, n >> 6, n].map(|square| (square & 63) as u8);
            let mut sorted = squares;
            sorted.sort_unstable();
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                continue;
            }
            let mut placed = [0; MAX_MEN];
            placed[..4].copy_from_slice(&squares);
            let index = numbering.index(&mut placed);
            seen[index as usize] = seen[index as usize].saturating_add(1);
        }
        // Eight images; four where all leaders stand on the diagonal (the fourth man is not normalised then).
        assert!(seen.iter().all(|&n| n == 8 || n == 4));
    }

    #[test]
    fn orders_that_break_the_rules_are_refused() {
        let men = |bits: &[u8]| -> Vec<Man> {
            bits.iter()
                .filter_map(|&bits| Man::from_bits(bits))
                .collect()
        };
        // A queen before the pawn; two knights apart; no kings in front where nothing is single.
        assert_eq!(Numbering::new(&men(&[5, 1, 6, 14]), [0, 15], 0), None);
        assert_eq!(Numbering::new(&men(&[6, 2, 14, 2]), [0, 15], 0), None);
        assert_eq!(Numbering::new(&men(&[2, 2, 6, 14]), [0, 15], 0), None);
        // The leading group has no place.
        assert_eq!(Numbering::new(&men(&[6, 4, 14, 10]), [9, 15], 0), None);
        assert_eq!(Man::from_bits(7), None);
    }
}
