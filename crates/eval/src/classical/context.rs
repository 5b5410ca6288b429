//! What several terms need: attack maps, pins, king zones, mobility areas.

use duchamp_chess::{Bitboard, ByColor, Color, Position, Rank, Role, Square, attacks};

/// A position and its attack maps.
pub(super) struct Context<'p> {
    pub(super) position: &'p Position,
    pub(super) occupied: Bitboard,
    pub(super) pawns: ByColor<Bitboard>,
    pub(super) kings: ByColor<Square>,
    /// Own pieces pinned to their king.
    pub(super) pinned: ByColor<Bitboard>,
    /// The mobility area: squares that count for mobility.
    pub(super) mobility_area: ByColor<Bitboard>,
    /// The king zone: nine squares around the king, less those that two own pawns defend.
    pub(super) king_zone: ByColor<Bitboard>,
    /// Attacked squares by role; pieces are added as they are evaluated.
    pub(super) attacked_by: ByColor<[Bitboard; 6]>,
    /// All attacked squares.
    pub(super) attacked: ByColor<Bitboard>,
    /// Squares attacked at least twice.
    pub(super) attacked_twice: ByColor<Bitboard>,
    /// How many enemy pieces attack this side's king zone.
    pub(super) king_attackers: ByColor<i32>,
}

impl<'p> Context<'p> {
    /// Everything but the attacks of pieces.
    pub(super) fn new(position: &'p Position) -> Context<'p> {
        let pawns = ByColor(Color::ALL.map(|c| position.of(c, Role::Pawn)));
        let kings = ByColor(Color::ALL.map(|c| position.king(c)));
        let mut context = Context {
            position,
            occupied: position.occupied(),
            pawns,
            kings,
            pinned: ByColor(Color::ALL.map(|c| pinned(position, c, kings[c]))),
            mobility_area: ByColor::default(),
            king_zone: ByColor::default(),
            attacked_by: ByColor::default(),
            attacked: ByColor::default(),
            attacked_twice: ByColor::default(),
            king_attackers: ByColor::default(),
        };
        for us in Color::ALL {
            let (left, right) = pawn_attacks(us, pawns[us]);
            let king = attacks::king(kings[us]);
            context.attacked_by[us][Role::Pawn.index()] = left | right;
            context.attacked_by[us][Role::King.index()] = king;
            context.attacked[us] = left | right | king;
            context.attacked_twice[us] = (left & right) | ((left | right) & king);
            context.king_zone[us] = surroundings(kings[us]) - (left & right);
        }
        for us in Color::ALL {
            let stuck = pawns[us] & (backward(us, context.occupied) | low_ranks(us));
            let own = stuck | position.of(us, Role::Queen) | kings[us].into();
            context.mobility_area[us] = !(own | context.pawn_attacks(!us));
        }
        context
    }

    /// What pawns attack.
    #[inline]
    pub(super) fn pawn_attacks(&self, us: Color) -> Bitboard {
        self.attacked_by[us][Role::Pawn.index()]
    }

    /// Adds the attacks of a piece.
    #[inline]
    pub(super) fn add_attacks(&mut self, us: Color, role: Role, attacked: Bitboard) {
        self.attacked_by[us][role.index()] |= attacked;
        self.attacked_twice[us] |= self.attacked[us] & attacked;
        self.attacked[us] |= attacked;
    }

    /// Non-pawn material of a side in points: 3, 3, 5, 9.
    pub(super) fn piece_points(&self, us: Color) -> i32 {
        let count = |role| self.position.of(us, role).count() as i32;
        3 * (count(Role::Knight) + count(Role::Bishop))
            + 5 * count(Role::Rook)
            + 9 * count(Role::Queen)
    }
}

/// Steps of a king between two squares.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let (a, b) = (a as i32, b as i32);
    ((a & 7) - (b & 7)).abs().max(((a >> 3) - (b >> 3)).abs())
}

/// One rank towards the enemy.
#[inline]
pub(super) fn forward(us: Color, set: Bitboard) -> Bitboard {
    match us {
        Color::White => set.up(),
        Color::Black => set.down(),
    }
}

/// One rank back.
#[inline]
pub(super) fn backward(us: Color, set: Bitboard) -> Bitboard {
    forward(!us, set)
}

/// The rank of a square as its owner sees it.
#[inline]
pub(super) fn rank(us: Color, square: Square) -> usize {
    square.relative(us).index() >> 3
}

/// The squares that pawns attack, towards the one side and the other.
#[inline]
pub(super) fn pawn_attacks(us: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let ahead = forward(us, pawns);
    (ahead.west(), ahead.east())
}

/// The second and third rank of a side.
#[inline]
fn low_ranks(us: Color) -> Bitboard {
    match us {
        Color::White => Bitboard::rank(Rank::R2) | Bitboard::rank(Rank::R3),
        Color::Black => Bitboard::rank(Rank::R7) | Bitboard::rank(Rank::R6),
    }
}

/// Nine squares around the king, or around the nearest square off the edge.
#[inline]
fn surroundings(king: Square) -> Bitboard {
    let file = (king.index() & 7).clamp(1, 6);
    let rank = (king.index() >> 3).clamp(1, 6);
    let centre = Square::wrapping(rank * 8 + file);
    attacks::king(centre) | centre.into()
}

fn pinned(position: &Position, us: Color, king: Square) -> Bitboard {
    let board = position.board();
    let snipers = board.color(!us)
        & ((attacks::rook_rays(king) & board.straight_sliders())
            | (attacks::bishop_rays(king) & board.diagonal_sliders()));
    let mut pinned = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & position.occupied();
        if !between.many() {
            pinned |= between & position.color(us);
        }
    }
    pinned
}
