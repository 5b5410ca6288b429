//! What several terms want to know of a position: who attacks what, where the kings are weak.

use duchamp_chess::{Bitboard, ByColor, Color, Position, Rank, Role, Square, attacks};

/// A position and what has been found out about it.
pub(super) struct Context<'p> {
    pub(super) position: &'p Position,
    pub(super) occupied: Bitboard,
    pub(super) pawns: ByColor<Bitboard>,
    pub(super) kings: ByColor<Square>,
    /// Own men that alone stand between their king and an enemy slider.
    pub(super) pinned: ByColor<Bitboard>,
    /// Squares that count for mobility.
    pub(super) mobile: ByColor<Bitboard>,
    /// The king's surroundings, nine squares, less those that two own pawns guard.
    pub(super) zone: ByColor<Bitboard>,
    /// Attacked squares by role; pieces are entered as they are visited.
    pub(super) by: ByColor<[Bitboard; 6]>,
    /// All attacked squares.
    pub(super) attacked: ByColor<Bitboard>,
    /// Squares attacked at least twice.
    pub(super) twice: ByColor<Bitboard>,
    /// How many enemy pieces attack the zone of this side's king.
    pub(super) besiegers: ByColor<i32>,
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
            mobile: ByColor::default(),
            zone: ByColor::default(),
            by: ByColor::default(),
            attacked: ByColor::default(),
            twice: ByColor::default(),
            besiegers: ByColor::default(),
        };
        for us in Color::ALL {
            let (left, right) = pawn_attacks(us, pawns[us]);
            let king = attacks::king(kings[us]);
            context.by[us][Role::Pawn.index()] = left | right;
            context.by[us][Role::King.index()] = king;
            context.attacked[us] = left | right | king;
            context.twice[us] = (left & right) | ((left | right) & king);
            context.zone[us] = surroundings(kings[us]) - (left & right);
        }
        for us in Color::ALL {
            let stuck = pawns[us] & (backward(us, context.occupied) | low_ranks(us));
            let own = stuck | position.of(us, Role::Queen) | kings[us].into();
            context.mobile[us] = !(own | context.pawn_attacks(!us));
        }
        context
    }

    /// What pawns attack.
    #[inline]
    pub(super) fn pawn_attacks(&self, us: Color) -> Bitboard {
        self.by[us][Role::Pawn.index()]
    }

    /// Enters what a piece attacks.
    #[inline]
    pub(super) fn enter(&mut self, us: Color, role: Role, attacked: Bitboard) {
        self.by[us][role.index()] |= attacked;
        self.twice[us] |= self.attacked[us] & attacked;
        self.attacked[us] |= attacked;
    }

    /// The worth of a side's pieces without pawns, in the rough units 3, 3, 5, 9.
    pub(super) fn pieces_worth(&self, us: Color) -> i32 {
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
