//! Input features of the network. Trainer and inference use this same code.
//!
//! Each side has its own perspective: its own pieces first, its own back rank below, and, if the
//! network is mirrored, its king on files a to d. A feature is "this piece stands on this square"; with
//! king buckets there is a whole set of 768 features for each bucket of the own king's squares.

use super::limits::NetworkError;
use duchamp_chess::{Board, Color, Piece, Role, Square};

/// Features of one king bucket: two sides, six roles, 64 squares.
pub const FEATURES: usize = 768;

/// The most king buckets: one for each square.
pub const MAX_KING_BUCKETS: usize = 64;

/// Which features a network has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inputs {
    mirrored: bool,
    king_buckets: usize,
    bucket_of: [u8; 64],
}

impl Inputs {
    /// One king bucket.
    #[must_use]
    pub const fn new(mirrored: bool) -> Inputs {
        Inputs {
            mirrored,
            king_buckets: 1,
            bucket_of: [0; 64],
        }
    }

    /// With king buckets: `bucket_of` the king's square as its side sees it, after both flips.
    ///
    /// # Errors
    /// If there are none or too many buckets, or one is named that does not exist.
    pub fn with_king_buckets(
        mirrored: bool,
        king_buckets: usize,
        bucket_of: [u8; 64],
    ) -> Result<Inputs, NetworkError> {
        if !(1..=MAX_KING_BUCKETS).contains(&king_buckets) {
            return Err(NetworkError::KingBuckets(king_buckets));
        }
        if let Some(&bucket) = bucket_of.iter().find(|&&b| usize::from(b) >= king_buckets) {
            return Err(NetworkError::KingBucket(bucket, king_buckets));
        }
        Ok(Inputs {
            mirrored,
            king_buckets,
            bucket_of,
        })
    }

    /// Number of features.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.king_buckets * FEATURES
    }

    /// Whether a board with the own king on files e to h is seen in a mirror.
    #[must_use]
    pub const fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Number of king buckets.
    #[must_use]
    pub const fn king_buckets(&self) -> usize {
        self.king_buckets
    }

    /// The bucket of each king square, as the king's side sees it.
    #[must_use]
    pub const fn bucket_of(&self) -> &[u8; 64] {
        &self.bucket_of
    }

    /// The perspective of `side` with its king on `king`.
    #[must_use]
    #[inline]
    pub fn view(&self, side: Color, king: Square) -> Perspective {
        let mut flip = if side == Color::White { 0 } else { 56 };
        if self.mirrored && king.index() & 4 != 0 {
            flip |= 7;
        }
        Perspective {
            flip,
            bucket: self.bucket_of[king.index() ^ usize::from(flip)],
            side,
        }
    }

    /// The features of a board as `side` sees it, in no special order. Without a king of that side
    /// it is seen as with one on a1.
    pub fn active<'a>(
        &self,
        board: &'a Board,
        side: Color,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let king = board.of(side, Role::King).first().unwrap_or(Square::A1);
        let view = self.view(side, king);
        let men = board.occupied().into_iter();
        men.filter_map(move |square| Some(view.index(board.at(square)?, square)))
    }
}

/// The perspective of one side, which maps a piece on a square to a feature index. Only moves of that side's king
/// change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    side: Color,
    /// What squares are xored with.
    flip: u8,
    bucket: u8,
}

impl Perspective {
    /// The number of the feature "`piece` stands on `square`".
    #[must_use]
    #[inline]
    pub const fn index(self, piece: Piece, square: Square) -> usize {
        let theirs = piece.color as usize ^ self.side as usize;
        let man = theirs * (FEATURES / 2) + piece.role.index() * 64;
        self.bucket as usize * FEATURES + man + (square.index() ^ self.flip as usize)
    }

    /// The index of the perspective among those of its side, below twice the number of king buckets.
    #[must_use]
    #[inline]
    pub(super) const fn slot(self) -> usize {
        self.bucket as usize * 2 + (self.flip as usize & 1)
    }
}

/// The output bucket of a position with so many pieces, out of `buckets`.
#[must_use]
#[inline]
pub const fn output_bucket(pieces: u32, buckets: usize) -> usize {
    let bucket = (pieces as usize).saturating_sub(2) * buckets / 31;
    if bucket < buckets {
        bucket
    } else {
        buckets - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::Position;

    #[test]
    fn numbers_are_those_of_the_format() {
        let white_king = Piece {
            color: Color::White,
            role: Role::King,
        };
        let black_pawn = Piece {
            color: Color::Black,
            role: Role::Pawn,
        };
        let plain = Inputs::new(false);
        let mirrored = Inputs::new(true);
        let view = plain.view(Color::White, Square::E1);
        assert_eq!(view.index(white_king, Square::E1), 5 * 64 + 4);
        assert_eq!(view.index(black_pawn, Square::A7), 384 + 48);
        let view = mirrored.view(Color::White, Square::E1);
        assert_eq!(view.index(white_king, Square::E1), 5 * 64 + 3);
        assert_eq!(view.index(black_pawn, Square::A7), 384 + 55);
        let view = mirrored.view(Color::Black, Square::G8);
        assert_eq!(view.index(black_pawn, Square::A7), 15);
        assert_eq!(view.index(white_king, Square::E1), 384 + 5 * 64 + 59);

        let mut bucket_of = [0; 64];
        bucket_of[Square::B1.index()] = 2;
        let bucketed = Inputs::with_king_buckets(true, 3, bucket_of).expect("a sound layout");
        let view = bucketed.view(Color::Black, Square::G8);
        assert_eq!(view.index(black_pawn, Square::A7), 2 * 768 + 15);
        assert_eq!(view.slot(), 5);
        assert!(Inputs::with_king_buckets(true, 2, bucket_of).is_err());
        assert!(Inputs::with_king_buckets(true, 0, [0; 64]).is_err());
        assert!(Inputs::with_king_buckets(true, 65, [0; 64]).is_err());
    }

    #[test]
    fn both_sides_see_the_start_alike() {
        let start = Position::start();
        let seen = |side| {
            let mut seen: Vec<_> = Inputs::new(true).active(start.board(), side).collect();
            seen.sort_unstable();
            seen
        };
        assert_eq!(seen(Color::White), seen(Color::Black));
        assert_eq!(seen(Color::White).len(), 32);
    }

    #[test]
    fn output_buckets_divide_the_piece_counts() {
        assert_eq!(
            [2, 5, 6, 9, 10, 29, 30, 32].map(|pieces| output_bucket(pieces, 8)),
            [0, 0, 1, 1, 2, 6, 7, 7]
        );
        assert!(
            (0..=64).all(|pieces| output_bucket(pieces, 1) == 0 && output_bucket(pieces, 3) < 3)
        );
    }
}
