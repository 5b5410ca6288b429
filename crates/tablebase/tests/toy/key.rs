//! The keys of the toy's tables, such as `KRvKP`.

use std::fmt;
use std::str::FromStr;

use duchamp_tablebase::TableKey;

/// Rooks and pawns of both sides; each has a king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) rooks: [u8; 2],
    pub(crate) pawns: [u8; 2],
}

/// A text that is no key.
#[derive(Debug)]
pub(crate) struct NoKey(String);

impl fmt::Display for NoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no table such as KRvKP", self.0)
    }
}

impl std::error::Error for NoKey {}

impl Key {
    /// Two bare kings.
    pub(crate) const BARE: Key = Key {
        rooks: [0; 2],
        pawns: [0; 2],
    };

    /// The canonical key, the stronger side first, and whether the sides were exchanged.
    pub(crate) fn canonical(rooks: [u8; 2], pawns: [u8; 2]) -> (Key, bool) {
        let strength = |side: usize| (rooks[side] + pawns[side], rooks[side]);
        if strength(0) >= strength(1) {
            (Key { rooks, pawns }, false)
        } else {
            let turn = |[a, b]: [u8; 2]| [b, a];
            let key = Key {
                rooks: turn(rooks),
                pawns: turn(pawns),
            };
            (key, true)
        }
    }

    /// A number for the pieces of both sides, not 0.
    pub(crate) fn code(rooks: [u8; 2], pawns: [u8; 2]) -> u64 {
        let counts = [rooks[0], pawns[0], rooks[1], pawns[1], 1];
        counts
            .iter()
            .rev()
            .fold(0, |code, &count| code << 8 | u64::from(count))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for side in 0..2 {
            f.write_str(["K", "vK"][side])?;
            f.write_str(&"R".repeat(self.rooks[side].into()))?;
            f.write_str(&"P".repeat(self.pawns[side].into()))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Key {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Key, NoKey> {
        let bad = || NoKey(text.to_owned());
        let (first, second) = text.split_once('v').ok_or_else(bad)?;
        let (mut rooks, mut pawns) = ([0; 2], [0; 2]);
        for (side, letters) in [first, second].into_iter().enumerate() {
            let letters = letters.strip_prefix('K').ok_or_else(bad)?;
            for letter in letters.chars() {
                match letter {
                    'R' if rooks[side] < 3 => rooks[side] += 1,
                    'P' if pawns[side] < 1 => pawns[side] += 1,
                    _ => return Err(bad()),
                }
            }
        }
        Ok(Key::canonical(rooks, pawns).0)
    }
}

impl TableKey for Key {
    fn men(&self) -> u32 {
        2 + [self.rooks, self.pawns]
            .as_flattened()
            .iter()
            .map(|&n| u32::from(n))
            .sum::<u32>()
    }

    fn pawns(&self) -> u32 {
        u32::from(self.pawns[0] + self.pawns[1])
    }

    fn is_symmetric(&self) -> bool {
        self.rooks[0] == self.rooks[1] && self.pawns[0] == self.pawns[1]
    }

    fn children(&self) -> Vec<Key> {
        let mut children = Vec::new();
        for side in 0..2 {
            let mut add = |rook: i8, pawn: i8| {
                let (mut rooks, mut pawns) = (self.rooks, self.pawns);
                let after = |count: u8, change: i8| count.checked_add_signed(change);
                if let (Some(rook), Some(pawn)) =
                    (after(rooks[side], rook), after(pawns[side], pawn))
                {
                    (rooks[side], pawns[side]) = (rook, pawn);
                    let child = Key::canonical(rooks, pawns).0;
                    if child != Key::BARE && !children.contains(&child) {
                        children.push(child);
                    }
                }
            };
            add(-1, 0); // captured
            add(0, -1);
            add(1, -1); // promoted
        }
        children.sort_by_key(|child| (child.men(), child.pawns(), *child));
        children
    }
}
