//! Values in one byte, ordered so that the greater byte is the better value.
//!
//! | byte | the side to move |
//! |---|---|
//! | `k`, 0 to 127 | loses in `2k` plies (0: already lost) |
//! | 128 | draws |
//! | `255 - k`, 129 to 255 | wins in `2k + 1` plies |
//!
//! A mover picks the maximum, and a step back is nearly a complement. All 256 bytes have a meaning:
//! five-man chess needs every one of them (KPPvKP: a loss in 254 plies).

use bytemuck::{Pod, Zeroable};
use duchamp_base::{Plies, Value};

/// A value in one byte; greater is better for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Code(pub u8);

impl Code {
    /// Drawn.
    pub const DRAW: Code = Code(128);
    /// Already lost. As an exit it means "no exit", because every exit is better.
    pub const LOWEST: Code = Code(0);
    /// The largest `k` of a win in `2k + 1` plies that fits.
    pub const MAX_WIN: u8 = 126;
    /// The largest `k` of a loss in `2k` plies that fits.
    pub const MAX_LOSS: u8 = 127;

    /// Lost in `2k` plies, `k` at most [`Code::MAX_LOSS`].
    #[must_use]
    #[inline]
    pub const fn loss(k: u8) -> Code {
        debug_assert!(k <= Code::MAX_LOSS);
        Code(k)
    }

    /// Won in `2k + 1` plies, `k` at most [`Code::MAX_WIN`].
    #[must_use]
    #[inline]
    pub const fn win(k: u8) -> Code {
        debug_assert!(k <= Code::MAX_WIN);
        Code(255 - k)
    }

    /// Whether the side to move wins.
    #[must_use]
    #[inline]
    pub const fn is_win(self) -> bool {
        self.0 > 128
    }

    /// Whether the side to move loses.
    #[must_use]
    #[inline]
    pub const fn is_loss(self) -> bool {
        self.0 < 128
    }

    /// The value one ply earlier, as the side sees it that moves into this position: win and loss
    /// swap, one ply is added. A win in 253 plies is the longest that can still be stepped back.
    #[must_use]
    #[inline]
    pub const fn before_move(self) -> Code {
        Code(if self.0 < 128 {
            255 - self.0
        } else {
            self.0.wrapping_neg()
        })
    }

    /// The value with its distance in plies.
    #[must_use]
    #[inline]
    pub const fn value(self) -> Value {
        match self.0 {
            128 => Value::Draw,
            k if k < 128 => Value::Loss(Plies(2 * k as u16)),
            k => Value::Win(Plies(2 * (255 - k) as u16 + 1)),
        }
    }

    /// The byte of a value; `None` if its distance does not fit, or if a win has an even distance or
    /// a loss an odd one.
    #[must_use]
    #[inline]
    pub fn of(value: Value) -> Option<Code> {
        match value {
            Value::Draw => Some(Code::DRAW),
            Value::Win(Plies(n)) if n % 2 == 1 && n <= 253 => Some(Code(255 - (n / 2) as u8)),
            Value::Loss(Plies(n)) if n % 2 == 0 && n <= 254 => Some(Code((n / 2) as u8)),
            _ => None,
        }
    }
}

/// A value of any length and either parity in two bytes, ordered so that the greater is the better:
/// loss in `n` plies `n`, draw `0x8000`, win in `n` plies `0xFFFF - n`.
///
/// For metrics whose wins may take an even number of plies (to a conversion by the loser), and for
/// distances that a [`Code`] cannot say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Wide(pub u16);

impl Wide {
    /// Drawn.
    pub const DRAW: Wide = Wide(0x8000);
    /// The longest distance in plies.
    pub const LONGEST: u16 = 0x7FFE;

    /// Lost in so many plies, at most [`Wide::LONGEST`].
    #[must_use]
    #[inline]
    pub const fn loss(plies: u16) -> Wide {
        debug_assert!(plies <= Wide::LONGEST);
        Wide(plies)
    }

    /// Won in so many plies, at most [`Wide::LONGEST`].
    #[must_use]
    #[inline]
    pub const fn win(plies: u16) -> Wide {
        debug_assert!(plies <= Wide::LONGEST);
        Wide(0xFFFF - plies)
    }

    /// The value one ply earlier, as the side sees it that moves into this position.
    #[must_use]
    #[inline]
    pub const fn before_move(self) -> Wide {
        if self.0 == Wide::DRAW.0 {
            self
        } else if self.0 < Wide::DRAW.0 {
            Wide::win(self.0 + 1)
        } else {
            Wide::loss(0xFFFF - self.0 + 1)
        }
    }

    /// The value with its distance in plies.
    #[must_use]
    #[inline]
    pub const fn value(self) -> Value {
        if self.0 == Wide::DRAW.0 {
            Value::Draw
        } else if self.0 < Wide::DRAW.0 {
            Value::Loss(Plies(self.0))
        } else {
            Value::Win(Plies(0xFFFF - self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_values_agree_in_order_and_step() {
        for byte in 0..=255u8 {
            let code = Code(byte);
            assert_eq!(Code::of(code.value()), Some(code));
            assert_eq!(code.is_win(), matches!(code.value(), Value::Win(_)));
            assert_eq!(code.is_loss(), matches!(code.value(), Value::Loss(_)));
            if byte < 255 {
                assert!(code.value().rank() < Code(byte + 1).value().rank());
            }
            if byte != 127 {
                assert_eq!(code.before_move().value(), code.value().before_move());
            }
        }
        assert_eq!(Code::loss(0).before_move(), Code::win(0));
        assert_eq!(Code::win(126).before_move(), Code::loss(127));
    }

    #[test]
    fn wide_values_agree_in_order_and_step() {
        let plies = [0, 1, 2, 99, 100, 101, 486, 524, Wide::LONGEST];
        let mut all = vec![Wide::DRAW];
        all.extend(plies.map(Wide::loss));
        all.extend(plies[1..].iter().map(|&n| Wide::win(n)));
        for &a in &all {
            for &b in &all {
                assert_eq!(a < b, a.value().rank() < b.value().rank());
            }
            if !matches!(
                a.value(),
                Value::Win(Plies(Wide::LONGEST)) | Value::Loss(Plies(Wide::LONGEST))
            ) {
                assert_eq!(a.before_move().value(), a.value().before_move());
            }
        }
    }
}
