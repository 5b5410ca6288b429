//! The coder: asymmetric numeral systems over three-valued symbols.
//!
//! A number grows with every symbol by as many bits as the symbol is worth (Duda 2009; the form with
//! 32 bits of state and 16-bit steps is Giesen's). What is encoded last is decoded first, so a block is
//! encoded from its end. The number starts at 0 and a symbol's likeliest value begins at 0, so a block
//! of nothing but likeliest values is no byte at all; and a decoder that does not end at 0
//! with its bytes used up was given a damaged block.

/// Bits of a probability.
pub(super) const PROB_BITS: u32 = 14;
/// Sum of the frequencies of a symbol's values.
pub(super) const TOTAL: u32 = 1 << PROB_BITS;

/// The probabilities of a cell's three values, in one context: four bytes, for there are many contexts.
///
/// From the lowest bit: where the second value begins in 0..[`TOTAL`] and where the third (the first, likeliest, begins
/// at 0), then the first and the second value (0 loss, 1 draw, 2 win), two bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Odds(u32);

impl Odds {
    /// Odds of the values in order of likeliness; `second` and `third` are frequencies of at least 1
    /// whose sum is less than [`TOTAL`]. `None` if they are not.
    pub(super) fn new(values: [u8; 3], second: u32, third: u32) -> Option<Odds> {
        let mut seen = [false; 3];
        for value in values {
            *seen.get_mut(usize::from(value))? = true;
        }
        let fits = seen == [true; 3] && second > 0 && third > 0 && second + third < TOTAL;
        let starts = |second, third| (TOTAL - second - third) | (TOTAL - third) << PROB_BITS;
        let [first_value, second_value, _] = values.map(u32::from);
        let order = first_value << (2 * PROB_BITS) | second_value << (2 * PROB_BITS + 2);
        fits.then(|| Odds(starts(second, third) | order))
    }

    /// Odds of three values as likely as each other.
    pub(super) const fn even() -> Odds {
        let (second, third) = (TOTAL / 3 + 1, 2 * (TOTAL / 3) + 1);
        Odds(second | third << PROB_BITS | 1 << (2 * PROB_BITS + 2))
    }

    #[inline(always)]
    fn starts(self) -> [u32; 2] {
        [self.0 & (TOTAL - 1), self.0 >> PROB_BITS & (TOTAL - 1)]
    }

    #[inline(always)]
    fn first_value(self) -> u8 {
        (self.0 >> (2 * PROB_BITS) & 3) as u8
    }

    #[inline(always)]
    fn second_value(self) -> u8 {
        (self.0 >> (2 * PROB_BITS + 2)) as u8
    }

    #[inline(always)]
    fn third_value(self) -> u8 {
        3 - self.first_value() - self.second_value()
    }

    /// Where a value begins, and its frequency.
    #[inline]
    fn range(self, value: u8) -> (u16, u16) {
        let [second, third] = self.starts().map(|start| start as u16);
        if self.first_value() == value {
            (0, second)
        } else if self.second_value() == value {
            (second, third - second)
        } else {
            (third, TOTAL as u16 - third)
        }
    }
}

/// A symbol to be encoded: where its value begins, and the value's frequency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    start: u16,
    frequency: u16,
}

impl Symbol {
    /// A value with its odds.
    #[inline]
    pub(super) fn new(odds: Odds, value: u8) -> Symbol {
        let (start, frequency) = odds.range(value);
        Symbol { start, frequency }
    }
}

/// A block that is being encoded, from its last symbol to its first.
#[derive(Default)]
struct Encoder {
    state: u32,
    steps: Vec<u16>,
}

impl Encoder {
    #[inline(always)]
    fn push(&mut self, symbol: Symbol) {
        let (start, frequency) = (u32::from(symbol.start), u32::from(symbol.frequency));
        if u64::from(self.state) >= u64::from(frequency) << (32 - PROB_BITS) {
            self.steps.push(self.state as u16);
            self.state >>= 16;
        }
        self.state = ((self.state / frequency) << PROB_BITS) + self.state % frequency + start;
    }

    fn finish(self) -> Vec<u8> {
        // With steps the state has three or four bytes: the parity of the length shows which.
        let least = if self.steps.is_empty() { 0 } else { 3 };
        let length = (4 - self.state.leading_zeros() as usize / 8).max(least);
        let mut bytes = self.state.to_le_bytes()[..length].to_vec();
        for step in self.steps.iter().rev() {
            bytes.extend_from_slice(&step.to_le_bytes());
        }
        bytes
    }
}

/// Encodes two blocks, each given in reading order. At once, because each symbol has to wait for
/// the division of the one before.
pub(super) fn encode_two([one, two]: [&[Symbol]; 2]) -> [Vec<u8>; 2] {
    let [mut first, mut second] = [Encoder::default(), Encoder::default()];
    let both = one.len().min(two.len());
    let (one, one_rest) = one.split_at(both);
    let (two, two_rest) = two.split_at(both);
    one_rest.iter().rev().for_each(|&symbol| first.push(symbol));
    two_rest
        .iter()
        .rev()
        .for_each(|&symbol| second.push(symbol));
    for (&a, &b) in one.iter().rev().zip(two.iter().rev()) {
        first.push(a);
        second.push(b);
    }
    [first.finish(), second.finish()]
}

/// Decodes the symbols of a block.
pub(super) struct Decoder<'a> {
    state: u32,
    steps: std::slice::Iter<'a, [u8; 2]>,
}

impl<'a> Decoder<'a> {
    /// A decoder of a whole block.
    pub(super) fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let length = match bytes.len() {
            short @ 0..=4 => short,
            long => 3 + (long + 1) % 2,
        };
        let (head, rest) = bytes.split_at(length);
        let mut state = [0; 4];
        state[..length].copy_from_slice(head);
        let (steps, _) = rest.as_chunks::<2>();
        Decoder {
            state: u32::from_le_bytes(state),
            steps: steps.iter(),
        }
    }

    /// The next value. Total on any bytes: whether they were valid is checked at the end.
    #[inline(always)]
    pub(super) fn next(&mut self, odds: Odds) -> u8 {
        let place = self.state & (TOTAL - 1);
        let [second, third] = odds.starts();
        let (value, start, frequency) = if place < second {
            (odds.first_value(), 0, second)
        } else if place < third {
            (odds.second_value(), second, third - second)
        } else {
            (odds.third_value(), third, TOTAL - third)
        };
        self.state = frequency * (self.state >> PROB_BITS) + place - start;
        if self.state < 1 << 16
            && let Some(&step) = self.steps.next()
        {
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(step));
        }
        value
    }

    /// Whether the block ended where it should.
    pub(super) fn is_done(&self) -> bool {
        self.state == 0 && self.steps.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..200_u32 {
            let symbols: Vec<(Odds, u8)> = (0..round * 7 % 600)
                .map(|_| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    let values = [[0, 1, 2], [2, 0, 1], [1, 2, 0]][(random % 3) as usize];
                    let rare = 1 + (random >> 8) as u32 % (1 << (round % 13));
                    let odds = Odds::new(values, rare, rare / 3 + 1).expect("good odds");
                    let value = if random >> 40 & 7 == 0 {
                        3 - 1 - round % 3
                    } else {
                        values[0].into()
                    };
                    (odds, value as u8)
                })
                .collect();
            let coded: Vec<Symbol> = symbols
                .iter()
                .map(|&(odds, value)| Symbol::new(odds, value))
                .collect();
            let [part, bytes] = encode_two([&coded[..coded.len() / 3], &coded]);
            let mut decoder = Decoder::new(&part);
            for &(odds, value) in &symbols[..coded.len() / 3] {
                assert_eq!(decoder.next(odds), value);
            }
            assert!(decoder.is_done(), "round {round}");
            let mut decoder = Decoder::new(&bytes);
            for &(odds, value) in &symbols {
                assert_eq!(decoder.next(odds), value);
            }
            assert!(decoder.is_done(), "round {round}");
        }
    }

    #[test]
    fn likeliest_values_are_no_bytes() {
        let odds = Odds::new([2, 1, 0], 100, 10).expect("good odds");
        let [none, some] = encode_two([&[Symbol::new(odds, 2); 4096], &[Symbol::new(odds, 0)]]);
        assert!(none.is_empty() && !some.is_empty());
        assert_eq!(Odds::new([2, 1, 1], 100, 10), None);
        assert_eq!(Odds::new([2, 1, 0], TOTAL - 10, 10), None);
        assert_eq!(Odds::new([2, 1, 0], 0, 10), None);
    }
}
