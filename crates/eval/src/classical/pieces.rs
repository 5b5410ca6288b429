//! Knights, bishops, rooks and queens: mobility, placement, attacks on the king zone.

use super::context::{Context, backward, distance, forward, rank};
use super::material;
use super::pawns::PawnEntry;
use crate::terms::*;
use crate::trace::{TermSum, Tracer};
use duchamp_chess::{Bitboard, Color, File, Rank, Role, Square, attacks};

const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Visits all pieces of a side; their attacks are entered into the context.
pub(super) fn pieces<T: Tracer>(
    context: &mut Context<'_>,
    pawns: &PawnEntry,
    tally: &mut TermSum<T>,
    us: Color,
) {
    for square in context.position.of(us, Role::Knight) {
        let attacked = visit(
            context,
            tally,
            us,
            Role::Knight,
            square,
            attacks::knight(square),
        );
        tally.add(us, KNIGHT_MOBILITY.at(mobility(context, us, attacked)), 1);
        minor(context, pawns, tally, us, Role::Knight, square, attacked);
    }
    let board = context.position.board();
    let queens = context.position.role(Role::Queen);
    let bishops = board.of(us, Role::Bishop);
    for square in bishops {
        let reach = attacks::bishop(square, context.occupied ^ queens);
        let attacked = visit(context, tally, us, Role::Bishop, square, reach);
        tally.add(us, BISHOP_MOBILITY.at(mobility(context, us, attacked)), 1);
        minor(context, pawns, tally, us, Role::Bishop, square, attacked);
        bishop(context, tally, us, square);
    }
    if bishops.many() {
        tally.add(us, BISHOP_PAIR.one(), 1);
    }
    for square in board.of(us, Role::Rook) {
        let reach = attacks::rook(square, context.occupied ^ queens ^ board.of(us, Role::Rook));
        let attacked = visit(context, tally, us, Role::Rook, square, reach);
        let mobility = mobility(context, us, attacked);
        tally.add(us, ROOK_MOBILITY.at(mobility), 1);
        rook(context, tally, us, square, mobility);
    }
    for square in board.of(us, Role::Queen) {
        let attacked = visit(
            context,
            tally,
            us,
            Role::Queen,
            square,
            attacks::queen(square, context.occupied),
        );
        tally.add(us, QUEEN_MOBILITY.at(mobility(context, us, attacked)), 1);
        if is_exposed(context, us, square) {
            tally.add(us, QUEEN_EXPOSED.one(), 1);
        }
    }
    material::piece(tally, us, Role::King, context.kings[us]);
    if context.position.has_castling_rights() {
        let rights = context.position.castling().of(us).count() as i32;
        tally.add(us, CASTLING.one(), rights);
    }
}

/// What every piece counts. Returns the squares it attacks, those along the pin if it is pinned.
#[inline]
fn visit<T: Tracer>(
    context: &mut Context<'_>,
    tally: &mut TermSum<T>,
    us: Color,
    role: Role,
    square: Square,
    reach: Bitboard,
) -> Bitboard {
    let mut attacked = reach;
    if context.pinned[us].has(square) {
        attacked &= attacks::line(context.kings[us], square);
    }
    context.add_attacks(us, role, attacked);
    material::piece(tally, us, role, square);
    let them = !us;
    if (attacked & context.king_zone[them]).any() {
        context.king_attackers[them] += 1;
        tally.endanger(them, DANGER_ATTACKER.at(role.index() - 1), 1);
        let adjacent = attacked & context.attacked_by[them][Role::King.index()];
        tally.endanger(them, DANGER_ADJACENT.one(), adjacent.count() as i32);
    }
    attacked
}

#[inline]
fn mobility(context: &Context<'_>, us: Color, attacked: Bitboard) -> usize {
    (attacked & context.mobility_area[us]).count() as usize
}

/// Outposts, shelter behind a pawn, nearness to the king.
#[inline]
fn minor<T: Tracer>(
    context: &Context<'_>,
    pawns: &PawnEntry,
    tally: &mut TermSum<T>,
    us: Color,
    role: Role,
    square: Square,
    attacked: Bitboard,
) {
    let outposts = outpost_ranks(us) & context.pawn_attacks(us) & !pawns.spans[!us];
    if outposts.has(square) {
        tally.add(us, OUTPOST.at(role.index() - 1), 1);
    } else if role == Role::Knight && (outposts & attacked & !context.position.color(us)).any() {
        tally.add(us, OUTPOST_NEAR.one(), 1);
    }
    if backward(us, context.position.role(Role::Pawn)).has(square) {
        tally.add(us, BEHIND_PAWN.one(), 1);
    }
    tally.add(
        us,
        KING_DISTANCE.at(role.index() - 1),
        distance(square, context.kings[us]),
    );
}

/// Ranks 4 to 6 as the side sees them.
#[inline]
fn outpost_ranks(us: Color) -> Bitboard {
    match us {
        Color::White => Bitboard(0x0000_FFFF_FF00_0000),
        Color::Black => Bitboard(0x0000_00FF_FFFF_0000),
    }
}

#[inline]
fn bishop<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color, square: Square) {
    let colour = if Bitboard::DARK.has(square) {
        Bitboard::DARK
    } else {
        !Bitboard::DARK
    };
    let own = context.pawns[us];
    tally.add(us, BISHOP_PAWNS.one(), (own & colour).count() as i32);
    let seen = attacks::bishop(square, context.position.role(Role::Pawn));
    if (seen & CENTRE).many() {
        tally.add(us, LONG_DIAGONAL.one(), 1);
    }
}

#[inline]
fn rook<T: Tracer>(
    context: &Context<'_>,
    tally: &mut TermSum<T>,
    us: Color,
    square: Square,
    mobility: usize,
) {
    let file = Bitboard::file(square.file());
    if (file & context.pawns[us]).is_empty() {
        let open = (file & context.pawns[!us]).is_empty();
        tally.add(
            us,
            if open {
                ROOK_OPEN.one()
            } else {
                ROOK_HALF_OPEN.one()
            },
            1,
        );
    } else if mobility <= 3 && is_shut_in(context.kings[us], square, us) {
        tally.add(us, ROOK_TRAPPED.one(), 1);
    }
    if rank(us, square) == 6 {
        let seventh = Bitboard::rank(square.rank());
        if rank(us, context.kings[!us]) == 7 || (seventh & context.pawns[!us]).any() {
            tally.add(us, ROOK_SEVENTH.one(), 1);
        }
    }
}

/// Whether the king, on its first ranks, stands between the rook and the middle of the board.
#[inline]
fn is_shut_in(king: Square, rook: Square, us: Color) -> bool {
    let (king_file, rook_file) = (king.file(), rook.file());
    rank(us, king) == rank(us, rook)
        && if king_file <= File::D {
            rook_file < king_file
        } else {
            rook_file > king_file
        }
}

/// Whether an enemy bishop or rook attacks the queen through one piece.
#[inline]
fn is_exposed(context: &Context<'_>, us: Color, queen: Square) -> bool {
    let position = context.position;
    let snipers = (attacks::rook_rays(queen) & position.of(!us, Role::Rook))
        | (attacks::bishop_rays(queen) & position.of(!us, Role::Bishop));
    snipers.into_iter().any(|sniper| {
        let between = attacks::between(queen, sniper) & context.occupied;
        between.any() && !between.many()
    })
}

/// Room behind the own pawns on the four middle files.
pub(super) fn space<T: Tracer>(context: &Context<'_>, tally: &mut TermSum<T>, us: Color) {
    let pieces = (context.position.color(us) - context.pawns[us]).count() as i32 - 1;
    if pieces < 4 {
        return;
    }
    let files = Bitboard::file(File::C)
        | Bitboard::file(File::D)
        | Bitboard::file(File::E)
        | Bitboard::file(File::F);
    let ranks = match us {
        Color::White => {
            Bitboard::rank(Rank::R2) | Bitboard::rank(Rank::R3) | Bitboard::rank(Rank::R4)
        }
        Color::Black => {
            Bitboard::rank(Rank::R7) | Bitboard::rank(Rank::R6) | Bitboard::rank(Rank::R5)
        }
    };
    let own = context.pawns[us];
    let safe = files & ranks & !own & !context.pawn_attacks(!us);
    let mut behind = backward(us, own) | own;
    behind |= backward(us, backward(us, behind));
    let room = safe.count() + (safe & behind & !context.attacked[!us]).count();
    tally.add(us, SPACE.one(), room as i32 * pieces / 8);
}

/// Pushes: where pawns can go in one move.
#[inline]
pub(super) fn pushes(context: &Context<'_>, us: Color) -> Bitboard {
    let third = match us {
        Color::White => Bitboard::rank(Rank::R3),
        Color::Black => Bitboard::rank(Rank::R6),
    };
    let single = forward(us, context.pawns[us]) - context.occupied;
    single | (forward(us, single & third) - context.occupied)
}
