//! The generator: checks, pins, the king and pieces; pawns are in a file of their own.

use super::super::position::Position;
use super::super::{Bitboard, Color, Role, attacks};
use super::kind::{ALL, NOISY, QUIET, Which, color};
use super::pawns;
use super::sink::{Counter, Sink};

/// Sends the legal moves of one kind to a sink. Call [`Position::legal_moves`] for a list.
///
/// # Examples
/// The squares that a side can move to, without a list of moves:
/// ```
/// use duchamp_chess::movegen::{Sink, Which, generate};
/// use duchamp_chess::{Bitboard, Position, Square};
///
/// struct Targets(Bitboard);
///
/// impl Sink for Targets {
///     fn piece(&mut self, _: Square, targets: Bitboard) {
///         self.0 |= targets;
///     }
///     fn pawns(&mut self, targets: Bitboard, _: i8) {
///         self.0 |= targets;
///     }
///     fn promotions(&mut self, targets: Bitboard, _: i8) {
///         self.0 |= targets;
///     }
///     fn en_passant(&mut self, _: Square, to: Square) {
///         self.0 |= to.into();
///     }
///     fn castling(&mut self, _: Square, _: Square) {}
/// }
///
/// let mut targets = Targets(Bitboard::EMPTY);
/// generate(&Position::start(), Which::All, &mut targets);
/// assert_eq!(targets.0.count(), 16);
/// ```
#[inline]
pub fn generate<S: Sink>(position: &Position, which: Which, sink: &mut S) {
    match (position.turn(), which) {
        (Color::White, Which::All) => moves::<S, true, ALL>(position, sink),
        (Color::White, Which::Noisy) => moves::<S, true, NOISY>(position, sink),
        (Color::White, Which::Quiet) => moves::<S, true, QUIET>(position, sink),
        (Color::Black, Which::All) => moves::<S, false, ALL>(position, sink),
        (Color::Black, Which::Noisy) => moves::<S, false, NOISY>(position, sink),
        (Color::Black, Which::Quiet) => moves::<S, false, QUIET>(position, sink),
    }
}

/// Whether there is a legal move.
#[must_use]
pub(super) fn any(position: &Position) -> bool {
    // The king first: cheap, and in check the likeliest.
    let us = position.turn();
    let mut count = Counter(0);
    king_moves(position, us, !position.color(us), &mut count);
    if count.0 == 0 {
        generate(position, Which::All, &mut count);
    }
    count.0 > 0
}

fn moves<S: Sink, const WHITE: bool, const KIND: u8>(position: &Position, sink: &mut S) {
    let us = color(WHITE);
    let own = position.color(us);
    let enemies = position.color(!us);
    let wanted = match KIND {
        NOISY => enemies,
        QUIET => !(own | enemies),
        _ => !own,
    };
    king_moves(position, us, wanted, sink);
    let checkers = position.checkers();
    let allowed = match checkers.first() {
        None => Bitboard::FULL,
        Some(_) if checkers.many() => return,
        Some(checker) => attacks::between(position.king(us), checker) | checkers,
    };
    pieces(position, own, wanted & allowed, sink);
    pawns::moves::<S, WHITE, KIND>(position, allowed, sink);
    if KIND != NOISY && checkers.is_empty() {
        castling(position, us, sink);
    }
}

#[inline]
fn king_moves<S: Sink>(position: &Position, us: Color, wanted: Bitboard, sink: &mut S) {
    let king = position.king(us);
    let near = attacks::king(king) & wanted;
    if near.is_empty() {
        return;
    }
    // The king does not shield the squares behind it.
    let attacked = position.attacked_by(!us, position.occupied() ^ king.into());
    sink.piece(king, near - attacked);
}

/// Knights, bishops, rooks and queens.
#[inline]
fn pieces<S: Sink>(position: &Position, own: Bitboard, wanted: Bitboard, sink: &mut S) {
    let board = position.board();
    let occupied = position.occupied();
    let pinned = position.pinned();
    let free = own - pinned;
    let (diagonal, straight) = (board.diagonal_sliders(), board.straight_sliders());
    for from in board.role(Role::Knight) & free {
        sink.piece(from, attacks::knight(from) & wanted);
    }
    for from in diagonal & free {
        sink.piece(from, attacks::bishop(from, occupied) & wanted);
    }
    for from in straight & free {
        sink.piece(from, attacks::rook(from, occupied) & wanted);
    }
    if pinned.is_empty() || position.in_check() {
        return;
    }
    let king = position.king(position.turn());
    for from in diagonal & pinned {
        sink.piece(
            from,
            attacks::bishop(from, occupied) & wanted & attacks::line(king, from),
        );
    }
    for from in straight & pinned {
        sink.piece(
            from,
            attacks::rook(from, occupied) & wanted & attacks::line(king, from),
        );
    }
}

fn castling<S: Sink>(position: &Position, us: Color, sink: &mut S) {
    let king = position.king(us);
    for rook in position.castling().of(us) {
        if position.can_castle(king, rook) {
            sink.castling(king, rook);
        }
    }
}
