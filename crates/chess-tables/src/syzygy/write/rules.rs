//! What a dictionary has learnt, applied to symbols that it has not seen.
//!
//! Pass after pass would look at every symbol again. Here each pair of neighbours is looked up once, and again only where
//! one of the two is replaced; what is found waits in a list until the pass of its rule comes.

use super::counter::Counter;

/// No position: before the first symbol, behind the last, or a symbol that is gone.
const NONE: u16 = u16::MAX;

/// Pairs that become symbols, in passes.
#[derive(Clone, Default, Debug)]
pub(super) struct Rules {
    /// By pair of symbols: what it becomes.
    pairs: Counter,
    /// By symbol: whether it begins such a pair.
    first: Vec<bool>,
    /// By symbol: the pass in which it comes.
    pass: Vec<u16>,
    passes: u16,
}

/// A pair as the key of a [`Counter`].
#[inline(always)]
pub(super) fn key(a: u16, b: u16) -> u32 {
    u32::from(a) << 16 | u32::from(b)
}

/// Lists and links that are used again for the next symbols.
#[derive(Default, Debug)]
pub(super) struct Workspace {
    next: Vec<u16>,
    before: Vec<u16>,
    /// By pass: where pairs may begin that it replaces.
    lists: Vec<Vec<u16>>,
}

impl Rules {
    /// The most symbols that are replaced at a time.
    pub(super) const MOST: usize = 1 << 14;

    /// A pass: pairs of symbols below `symbols` and what they become.
    pub(super) fn add_pass(&mut self, pairs: &[(u16, u16, u16)], symbols: usize) {
        self.first.resize(symbols, false);
        self.pass.resize(symbols, 0);
        for &(a, b, pair) in pairs {
            self.first[usize::from(a)] = true;
            self.pairs.add(key(a, b), pair.into());
            self.pass[usize::from(pair)] = self.passes;
        }
        self.passes += 1;
    }

    /// What a pair becomes.
    #[inline(always)]
    pub(super) fn find(&self, a: u16, b: u16) -> Option<u16> {
        // Symbols that nothing is known of begin none.
        if self.first.get(usize::from(a)) != Some(&true) {
            return None;
        }
        // A pair is never the first symbol.
        let pair = self.pairs.get(key(a, b));
        (pair != 0).then_some(pair as u16)
    }

    #[inline(always)]
    fn pass_of(&self, symbol: u16) -> usize {
        self.pass[usize::from(symbol)].into()
    }

    /// Appends `symbols`, replaced, to `into`.
    ///
    /// # Panics
    /// If there are more than [`Rules::MOST`].
    pub(super) fn apply(&self, symbols: &[u16], room: &mut Workspace, into: &mut Vec<u16>) {
        assert!(symbols.len() <= Rules::MOST);
        let from = into.len();
        into.extend(symbols);
        let own = &mut into[from..];
        let len = own.len() as u16;
        let link = |at: u16| if at < len { at } else { NONE };
        room.next.clear();
        room.next.extend((0..len).map(|at| link(at + 1)));
        room.before.clear();
        room.before.extend((0..len).map(|at| at.wrapping_sub(1)));
        room.lists.resize_with(self.passes.into(), Vec::new);
        for (at, pair) in symbols.windows(2).enumerate() {
            if let Some(pair) = self.find(pair[0], pair[1]) {
                room.lists[self.pass_of(pair)].push(at as u16);
            }
        }
        for pass in 0..room.lists.len() {
            let list = std::mem::take(&mut room.lists[pass]);
            for &at in &list {
                self.replace(at, pass, own, room);
            }
            room.lists[pass] = list;
            room.lists[pass].clear();
        }
        // The first symbol is never swallowed by another.
        let (mut at, mut kept) = (link(0), 0);
        while at != NONE {
            own[kept] = own[usize::from(at)];
            kept += 1;
            at = room.next[usize::from(at)];
        }
        into.truncate(from + kept);
    }

    /// Replaces the pair that begins at a place, if this pass does so.
    #[inline]
    fn replace(&self, at: u16, pass: usize, symbols: &mut [u16], room: &mut Workspace) {
        let here = usize::from(at);
        let second = room.next[here];
        if second == NONE || symbols[here] == NONE {
            return;
        }
        let found = self.find(symbols[here], symbols[usize::from(second)]);
        let Some(pair) = found.filter(|&pair| self.pass_of(pair) == pass) else {
            return;
        };
        let behind = room.next[usize::from(second)];
        symbols[here] = pair;
        symbols[usize::from(second)] = NONE;
        room.next[here] = behind;
        if behind != NONE {
            room.before[usize::from(behind)] = at;
            if let Some(next) = self.find(pair, symbols[usize::from(behind)]) {
                room.lists[self.pass_of(next)].push(at);
            }
        }
        let before = room.before[here];
        if before != NONE
            && let Some(next) = self.find(symbols[usize::from(before)], pair)
        {
            room.lists[self.pass_of(next)].push(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_applied_pass_by_pass() {
        let mut rules = Rules::default();
        // 0 1 -> 3; then 3 2 -> 4 and 2 2 -> 5; then 4 5 -> 6.
        rules.add_pass(&[(0, 1, 3)], 4);
        rules.add_pass(&[(3, 2, 4), (2, 2, 5)], 6);
        rules.add_pass(&[(4, 5, 6)], 7);
        let mut room = Workspace::default();
        let mut apply = |symbols: &[u16]| {
            let mut into = vec![9];
            rules.apply(symbols, &mut room, &mut into);
            assert_eq!(into.remove(0), 9);
            into
        };
        assert_eq!(apply(&[]), []);
        assert_eq!(apply(&[2]), [2]);
        assert_eq!(apply(&[0, 1]), [3]);
        assert_eq!(apply(&[1, 0, 1, 2, 0]), [1, 4, 0]);
        assert_eq!(apply(&[2, 2, 2]), [5, 2]);
        assert_eq!(apply(&[0, 1, 2, 2, 1]), [3, 5, 1]);
        assert_eq!(apply(&[0, 0, 1, 2, 1, 2]), [0, 4, 1, 2]);
    }

    #[test]
    fn what_is_replaced_stands_for_the_same() {
        use duchamp_base::Random;
        let mut random = Random::new(23);
        let mut rules = Rules::default();
        let mut parts: Vec<Option<(u16, u16)>> = vec![None; 4];
        for _ in 0..30 {
            let mut pairs = Vec::new();
            let known = parts.len() as u16;
            let (a, b) = (
                random.below(known.into()) as u16,
                random.below(known.into()) as u16,
            );
            if parts.contains(&Some((a, b))) {
                continue;
            }
            parts.push(Some((a, b)));
            pairs.push((a, b, known));
            rules.add_pass(&pairs, parts.len());
        }
        fn spell(symbol: u16, parts: &[Option<(u16, u16)>], into: &mut Vec<u16>) {
            match parts[usize::from(symbol)] {
                None => into.push(symbol),
                Some((a, b)) => {
                    spell(a, parts, into);
                    spell(b, parts, into);
                }
            }
        }
        let mut room = Workspace::default();
        let mut shorter = 0;
        for len in [1, 2, 3, 100, 1000, Rules::MOST] {
            let symbols: Vec<u16> = (0..len).map(|_| random.below(4) as u16).collect();
            let mut into = Vec::new();
            rules.apply(&symbols, &mut room, &mut into);
            let mut spelt = Vec::new();
            into.iter()
                .for_each(|&symbol| spell(symbol, &parts, &mut spelt));
            assert_eq!(spelt, symbols);
            // No pair of the last pass is left.
            let last = parts.last().copied().flatten().expect("a pair");
            assert!(into.windows(2).all(|pair| (pair[0], pair[1]) != last));
            shorter += len - into.len();
        }
        assert!(shorter > 1000);
    }
}
