//! Where each kind of piece can go, and whence it attacks, on a board with given squares occupied.
//!
//! The steps of kings, advisors and pawns are tables by square; those of horses and elephants are tables by square and the
//! four squares that can block them; chariots and cannons walk along four rays, first piece by first piece.

use super::{Bitboard, Color, Role, Square, zone};

/// The four directions of a ray: the first two lead to higher squares.
const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// By direction and square: the squares beyond, to the edge.
static RAYS: [[u128; 90]; 4] = {
    let mut rays = [[0; 90]; 4];
    let mut direction = 0;
    while direction < 4 {
        let (df, dr) = DIRECTIONS[direction];
        let mut from = 0;
        while from < 90 {
            let mut at = Square::ALL[from].offset(df, dr);
            while let Some(square) = at {
                rays[direction][from] |= 1 << square.index();
                at = square.offset(df, dr);
            }
            from += 1;
        }
        direction += 1;
    }
    rays
};

static CROSS: [u128; 90] = {
    let mut cross = [0; 90];
    let mut from = 0;
    while from < 90 {
        cross[from] = RAYS[0][from] | RAYS[1][from] | RAYS[2][from] | RAYS[3][from];
        from += 1;
    }
    cross
};

/// The four neighbours that can block a horse (orthogonal), in the order of [`orthogonal`]; a horse attacks a square over
/// the diagonal ones, in the order of [`diagonal`].
const ORTHOGONAL: [(i8, i8); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// Which of the squares around a square are occupied, those of [`ORTHOGONAL`] as four bits. What lies off the board may be
/// seen as occupied or free: no piece goes over it.
#[inline]
const fn orthogonal(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.0 << 16) >> square.index()) as u32;
    (near >> 7 & 1 | near >> 14 & 2 | near >> 15 & 4 | near >> 22 & 8) as usize
}

/// The same for [`DIAGONAL`].
#[inline]
const fn diagonal(square: Square, occupied: Bitboard) -> usize {
    let near = ((occupied.0 << 16) >> square.index()) as u32;
    (near >> 6 & 1 | near >> 7 & 2 | near >> 22 & 4 | near >> 23 & 8) as usize
}

const fn insert(set: u128, square: Option<Square>) -> u128 {
    match square {
        Some(square) => set | 1 << square.index(),
        None => set,
    }
}

/// The two squares to which a horse goes over its leg `(df, dr)`.
const fn over_leg(from: Square, df: i8, dr: i8) -> u128 {
    let set = insert(0, from.offset(2 * df + dr, 2 * dr + df));
    insert(set, from.offset(2 * df - dr, 2 * dr - df))
}

/// By square and [`orthogonal`]: where a horse goes.
static HORSE: [[u128; 16]; 90] = {
    let mut table = [[0; 16]; 90];
    let mut from = 0;
    while from < 90 {
        let mut mask = 0;
        while mask < 16 {
            let mut leg = 0;
            while leg < 4 {
                if mask >> leg & 1 == 0 {
                    let (df, dr) = ORTHOGONAL[leg];
                    table[from][mask] |= over_leg(Square::ALL[from], df, dr);
                }
                leg += 1;
            }
            mask += 1;
        }
        from += 1;
    }
    table
};

/// By square and [`diagonal`]: whence a horse comes. Its leg is the diagonal neighbour of where it arrives.
static HORSE_TO: [[u128; 16]; 90] = {
    let mut table = [[0; 16]; 90];
    let mut to = 0;
    while to < 90 {
        let mut mask = 0;
        while mask < 16 {
            let mut leg = 0;
            while leg < 4 {
                if mask >> leg & 1 == 0 {
                    let (df, dr) = DIAGONAL[leg];
                    let square = Square::ALL[to];
                    let set = insert(table[to][mask], square.offset(2 * df, dr));
                    table[to][mask] = insert(set, square.offset(df, 2 * dr));
                }
                leg += 1;
            }
            mask += 1;
        }
        to += 1;
    }
    table
};

/// By square and [`diagonal`]: where an elephant goes, on its side of the river; and whence it comes.
static ELEPHANT: [[u128; 16]; 90] = {
    let mut table = [[0; 16]; 90];
    let zones = zone(Color::Red, Role::Elephant).0 | zone(Color::Black, Role::Elephant).0;
    let mut from = 0;
    while from < 90 {
        let square = Square::ALL[from];
        let mut mask = 0;
        while mask < 16 && zones >> from & 1 != 0 {
            let mut eye = 0;
            while eye < 4 {
                let (df, dr) = DIAGONAL[eye];
                if let Some(to) = square.offset(2 * df, 2 * dr)
                    && mask >> eye & 1 == 0
                    && (to.rank() < 5) == (square.rank() < 5)
                {
                    table[from][mask] |= 1 << to.index();
                }
                eye += 1;
            }
            mask += 1;
        }
        from += 1;
    }
    table
};

/// By square: steps inside the zones of both sides, which are too far apart to be joined by one.
const fn steps(role: Role, directions: [(i8, i8); 4]) -> [u128; 90] {
    let mut table = [0; 90];
    let zones = zone(Color::Red, role).0 | zone(Color::Black, role).0;
    let mut from = 0;
    while from < 90 {
        let mut direction = 0;
        while direction < 4 && zones >> from & 1 != 0 {
            let (df, dr) = directions[direction];
            table[from] |= insert(0, Square::ALL[from].offset(df, dr)) & zones;
            direction += 1;
        }
        from += 1;
    }
    table
}

static KING: [u128; 90] = steps(Role::King, ORTHOGONAL);
static ADVISOR: [u128; 90] = steps(Role::Advisor, DIAGONAL);

/// By side and square: where a pawn goes.
static PAWN: [[u128; 90]; 2] = pawns(1);
/// By side and square: whence a pawn comes.
static PAWN_TO: [[u128; 90]; 2] = pawns(-1);

/// The steps of pawns forwards (1) or taken back (-1), between squares on which they can stand.
const fn pawns(sense: i8) -> [[u128; 90]; 2] {
    let mut table = [[0; 90]; 2];
    let mut side = 0;
    while side < 2 {
        let color = Color::ALL[side];
        let zone = zone(color, Role::Pawn).0;
        let (forward, crossed) = match color {
            Color::Red => (sense, 5..10u8),
            Color::Black => (-sense, 0..5u8),
        };
        let mut from = 0;
        while from < 90 {
            let square = Square::ALL[from];
            if zone >> from & 1 != 0 {
                let mut set = insert(0, square.offset(0, forward));
                if crossed.start <= square.rank() && square.rank() < crossed.end {
                    set = insert(insert(set, square.offset(1, 0)), square.offset(-1, 0));
                }
                table[side][from] = set & zone;
            }
            from += 1;
        }
        side += 1;
    }
    table
}

/// The first occupied square of a ray.
#[inline]
fn beyond(direction: usize, from: Square, occupied: Bitboard) -> Option<Square> {
    let blockers = Bitboard(RAYS[direction][from.index()] & occupied.0);
    if direction < 2 {
        blockers.first()
    } else {
        blockers.last()
    }
}

/// The squares of a ray, a direction below 4 of `from`.
#[inline]
pub(crate) fn ray(direction: usize, from: Square) -> Bitboard {
    Bitboard(RAYS[direction & 3][from.index()])
}

/// The other squares of the file and the rank of a square.
#[inline]
pub(crate) fn cross(from: Square) -> Bitboard {
    Bitboard(CROSS[from.index()])
}

/// The squares that a chariot attacks, first pieces of either side included.
#[must_use]
#[inline]
pub fn chariot(from: Square, occupied: Bitboard) -> Bitboard {
    let mut set = 0;
    for direction in 0..4 {
        set |= ray(direction, from).0;
        if let Some(first) = beyond(direction, from, occupied) {
            set ^= ray(direction, first).0;
        }
    }
    Bitboard(set)
}

/// The pieces that a cannon attacks: those over exactly one other.
#[must_use]
#[inline]
pub fn cannon(from: Square, occupied: Bitboard) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    for direction in 0..4 {
        if let Some(screen) = beyond(direction, from, occupied)
            && let Some(target) = beyond(direction, screen, occupied)
        {
            set |= target.into();
        }
    }
    set
}

/// The squares over exactly one piece, up to the next piece and with it: where a cannon can have stood that captured here.
#[must_use]
#[inline]
pub fn beyond_screens(from: Square, occupied: Bitboard) -> Bitboard {
    let mut set = 0;
    for direction in 0..4 {
        if let Some(screen) = beyond(direction, from, occupied) {
            set |= ray(direction, screen).0;
            if let Some(next) = beyond(direction, screen, occupied) {
                set ^= ray(direction, next).0;
            }
        }
    }
    Bitboard(set)
}

/// The squares that a horse attacks.
#[must_use]
#[inline]
pub fn horse(from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(HORSE[from.index()][orthogonal(from, occupied)])
}

/// The squares from which a horse attacks a square: its leg stands beside where it came from, so this is not [`horse`].
#[must_use]
#[inline]
pub fn horse_to(to: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(HORSE_TO[to.index()][diagonal(to, occupied)])
}

/// The squares that a pawn attacks.
#[must_use]
#[inline]
pub fn pawn(color: Color, from: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][from.index()])
}

/// The squares from which a pawn attacks a square.
#[must_use]
#[inline]
pub fn pawn_to(color: Color, to: Square) -> Bitboard {
    Bitboard(PAWN_TO[color.index()][to.index()])
}

/// The diagonal neighbours of a square: where the legs of horses that attack it stand.
#[inline]
pub(crate) fn legs(to: Square) -> Bitboard {
    DIAGONAL
        .iter()
        .filter_map(|&(df, dr)| to.offset(df, dr))
        .collect()
}

/// The squares to which a piece can move by the way its kind goes, captures of its own side included, checks left aside.
#[must_use]
#[inline]
pub fn moves(role: Role, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::King => Bitboard(KING[from.index()]),
        Role::Advisor => Bitboard(ADVISOR[from.index()]),
        Role::Elephant => Bitboard(ELEPHANT[from.index()][diagonal(from, occupied)]),
        Role::Horse => horse(from, occupied),
        Role::Chariot => chariot(from, occupied),
        Role::Cannon => (chariot(from, occupied) - occupied) | cannon(from, occupied),
        Role::Pawn => pawn(color, from),
    }
}
