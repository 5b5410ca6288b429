//! Input features of the network. Trainer and inference use this same code.
//!
//! Each side has its own perspective: its own pieces first, its own back rank below, and, if the
//! network is mirrored, its king on files a to d. A feature is "this piece stands on this square"; with
//! king buckets there is a whole set of 768 features for each bucket of the own king's squares. With threats
//! each set is ninefold: a piece counts as another one when it is attacked or defended, by a pawn or by pieces only.

use super::limits::NetworkError;
use duchamp_chess::{Bitboard, Board, ByColor, Color, Piece, Role, Square, attacks};

/// Features of one king bucket: two sides, six roles, 64 squares.
pub const FEATURES: usize = 768;

/// Ways for a piece to stand, as networks with threats tell them apart ([`PieceFeature`]).
pub const STANDINGS: usize = 9;

/// The most king buckets: one for each square.
pub const MAX_KING_BUCKETS: usize = 64;

/// Which features a network has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inputs {
    mirrored: bool,
    threats: bool,
    king_buckets: usize,
    bucket_of: [u8; 64],
}

impl Inputs {
    /// One king bucket.
    #[must_use]
    pub const fn new(mirrored: bool) -> Inputs {
        Inputs {
            mirrored,
            threats: false,
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
            threats: false,
            king_buckets,
            bucket_of,
        })
    }

    /// The same, with threats or without.
    #[must_use]
    pub const fn with_threats(mut self, threats: bool) -> Inputs {
        self.threats = threats;
        self
    }

    /// Number of features.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.king_buckets * self.bucket_features()
    }

    /// Number of features of one king bucket.
    const fn bucket_features(&self) -> usize {
        if self.threats {
            STANDINGS * FEATURES
        } else {
            FEATURES
        }
    }

    /// Whether pieces that are attacked or defended count as others.
    #[must_use]
    pub const fn has_threats(&self) -> bool {
        self.threats
    }

    /// The threats on a board, or none if these features have no threats.
    #[must_use]
    #[inline]
    pub fn threats(&self, board: &Board) -> Threats {
        if self.threats {
            Threats::on(board)
        } else {
            Threats::NONE
        }
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
        let bucket = self.bucket_of[king.index() ^ usize::from(flip)];
        Perspective {
            flip,
            bucket,
            first: self.bucket_features() as u32 * u32::from(bucket),
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
        let threats = self.threats(board);
        let men = board.occupied().into_iter();
        men.filter_map(move |square| {
            let piece = board.at(square)?;
            Some(view.index(threats.feature(piece, square)))
        })
    }
}

/// What each side attacks, by which pieces are told apart in networks with threats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threats {
    /// By anything, pins not regarded.
    attacked: ByColor<Bitboard>,
    by_pawns: ByColor<Bitboard>,
}

impl Threats {
    /// Nobody attacks anything, so every piece stands alike.
    pub const NONE: Threats = Threats {
        attacked: ByColor([Bitboard::EMPTY; 2]),
        by_pawns: ByColor([Bitboard::EMPTY; 2]),
    };

    /// The threats on a board.
    #[must_use]
    #[inline]
    pub fn on(board: &Board) -> Threats {
        let occupied = board.occupied();
        let pawns = |color| attacks::pawns(color, board.of(color, Role::Pawn));
        Threats {
            attacked: ByColor(Color::ALL.map(|color| board.attacked_by(color, occupied))),
            by_pawns: ByColor(Color::ALL.map(pawns)),
        }
    }

    /// The squares where a piece stands otherwise than by the other threats.
    #[inline]
    pub(super) fn differing(&self, other: &Threats) -> Bitboard {
        let [white, black] = Color::ALL.map(|color| {
            (self.attacked[color] ^ other.attacked[color])
                | (self.by_pawns[color] ^ other.by_pawns[color])
        });
        white | black
    }

    /// The feature "`piece` stands on `square`", as no side in particular sees it.
    #[must_use]
    #[inline]
    pub fn feature(&self, piece: Piece, square: Square) -> PieceFeature {
        let reached_by = |color| {
            u16::from(self.attacked[color].has(square))
                + u16::from(self.by_pawns[color].has(square))
        };
        let standing = reached_by(!piece.color) + 3 * reached_by(piece.color);
        let number = standing * FEATURES as u16 + (piece.role.index() * 64 + square.index()) as u16;
        PieceFeature(number | (piece.color as u16) << 15)
    }
}

/// A piece on a square and how it stands there: attacked not at all, by pieces or by a pawn (0 to 2), and defended likewise
/// (three times 0 to 2). [`Threats::feature`] makes it, and a [`Perspective`] gives its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceFeature(u16);

/// The perspective of one side, which maps a piece on a square to a feature index. Only moves of that side's king
/// change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Perspective {
    side: Color,
    /// What squares are xored with.
    flip: u8,
    bucket: u8,
    /// The first feature of the king bucket.
    first: u32,
}

impl Perspective {
    /// The index of a feature.
    #[must_use]
    #[inline]
    pub const fn index(self, feature: PieceFeature) -> usize {
        let theirs = (feature.0 >> 15) as usize ^ self.side as usize;
        let number = (feature.0 & 0x7fff) as usize ^ self.flip as usize;
        self.first as usize + theirs * (FEATURES / 2) + number
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
        let feature = |piece, square| Threats::NONE.feature(piece, square);
        let plain = Inputs::new(false);
        let mirrored = Inputs::new(true);
        let view = plain.view(Color::White, Square::E1);
        assert_eq!(view.index(feature(white_king, Square::E1)), 5 * 64 + 4);
        assert_eq!(view.index(feature(black_pawn, Square::A7)), 384 + 48);
        let view = mirrored.view(Color::White, Square::E1);
        assert_eq!(view.index(feature(white_king, Square::E1)), 5 * 64 + 3);
        assert_eq!(view.index(feature(black_pawn, Square::A7)), 384 + 55);
        let view = mirrored.view(Color::Black, Square::G8);
        assert_eq!(view.index(feature(black_pawn, Square::A7)), 15);
        assert_eq!(
            view.index(feature(white_king, Square::E1)),
            384 + 5 * 64 + 59
        );

        let mut bucket_of = [0; 64];
        bucket_of[Square::B1.index()] = 2;
        let bucketed = Inputs::with_king_buckets(true, 3, bucket_of).expect("a sound layout");
        let view = bucketed.view(Color::Black, Square::G8);
        assert_eq!(view.index(feature(black_pawn, Square::A7)), 2 * 768 + 15);
        let view = bucketed.with_threats(true).view(Color::Black, Square::G8);
        assert_eq!(
            view.index(feature(black_pawn, Square::A7)),
            2 * 9 * 768 + 15
        );
        assert_eq!(view.slot(), 5);
        assert!(Inputs::with_king_buckets(true, 2, bucket_of).is_err());
        assert!(Inputs::with_king_buckets(true, 0, [0; 64]).is_err());
        assert!(Inputs::with_king_buckets(true, 65, [0; 64]).is_err());
    }

    #[test]
    fn a_piece_stands_attacked_and_defended() {
        // The queen attacks the pawn that attacks her; pawns defend her and the bishop.
        let position = Position::from_fen("7k/1p6/2b5/3p4/4Q3/3P4/8/4K3 w - - 0 1");
        let position = position.expect("a legal position");
        let threats = Threats::on(position.board());
        let standing = |square: Square| {
            let piece = position.board().at(square).expect("a piece");
            let PieceFeature(number) = threats.feature(piece, square);
            assert_eq!(number >> 15 == 1, piece.color == Color::Black);
            let number = usize::from(number & 0x7fff);
            assert_eq!(number % FEATURES, piece.role.index() * 64 + square.index());
            (number / FEATURES % 3, number / FEATURES / 3)
        };
        assert_eq!(standing(Square::E4), (2, 2));
        assert_eq!(standing(Square::C6), (0, 2));
        assert_eq!(standing(Square::D5), (1, 1));
        assert_eq!(standing(Square::B7), (0, 1));
        assert_eq!(standing(Square::D3), (0, 1));
        assert_eq!(standing(Square::H8), (0, 0));
    }

    #[test]
    fn both_sides_see_the_start_alike() {
        let start = Position::start();
        for inputs in [Inputs::new(true), Inputs::new(true).with_threats(true)] {
            let seen = |side| {
                let mut seen: Vec<_> = inputs.active(start.board(), side).collect();
                seen.sort_unstable();
                seen
            };
            assert_eq!(seen(Color::White), seen(Color::Black));
            assert_eq!(seen(Color::White).len(), 32);
        }
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
