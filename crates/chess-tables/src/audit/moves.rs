//! The best move of 64 positions at a time.

use arrayvec::ArrayVec;

use super::lanes::{DRAW, Lanes, NONE, before, raise, raise_all, reach, set_of};
use super::routes::{Route, Set, Squares};
use crate::layout::{Layout, Rows};
use crate::legality::Fixed;
use crate::positions::position_of;
use crate::sides::side as side_of;
use duchamp_chess::{Bitboard, Color, FIFTY_MOVES, Piece, Role, Square, attacks};
use duchamp_retro::{Bits, Wide};
use duchamp_tablebase::{CellId, Metric};

/// What the moves of one side lead to.
pub(super) struct Mover<'a> {
    layout: &'a Layout,
    metric: Metric,
    side: Color,
    /// The pieces that a word fixes, then the lane piece.
    pieces: ArrayVec<Piece, 8>,
    /// The other side to move, the same pieces.
    own: Route<'a>,
    /// Whether a word of the same number there holds the same placements.
    plain: bool,
    /// By the piece captured.
    captures: Vec<Option<Route<'a>>>,
    /// By the pawn, the piece captured (its own number: none), and the role that it becomes.
    promotions: Vec<Vec<Option<[Route<'a>; 4]>>>,
    /// By the pawn that has made a double step: captured by the other side.
    en_passant: Vec<Option<Route<'a>>>,
}

/// A word that is looked at.
pub(super) struct Word<'a> {
    pub(super) number: usize,
    pub(super) fixed: &'a Fixed,
    /// The cells that are wanted: of the others any value may come out.
    pub(super) wanted: u64,
}

impl Word<'_> {
    fn squares(&self) -> Squares {
        let mut squares = [0; 8];
        for (place, man) in squares.iter_mut().zip(&self.fixed.pieces) {
            *place = man.1.index() as u8;
        }
        squares
    }

    /// The squares of the fixed pieces of a color.
    fn of(&self, color: Color) -> u64 {
        let pieces = self.fixed.pieces.iter().filter(|man| man.0.color == color);
        pieces.fold(0, |set, man| set | 1 << man.1.index())
    }

    fn at(&self, square: Square) -> Option<usize> {
        self.fixed.pieces.iter().position(|man| man.1 == square)
    }
}

impl<'a> Mover<'a> {
    /// The moves of `side` in a table that is in the set with all that its moves lead to; `None` if one is
    /// not there.
    pub(super) fn new(
        layout: &'a Layout,
        metric: Metric,
        side: Color,
        set: &'a Set,
    ) -> Option<Mover<'a>> {
        let fixed = layout.fixed(0);
        let mut pieces: ArrayVec<Piece, 8> = fixed.pieces.iter().map(|man| man.0).collect();
        pieces.push(layout.lane_piece());
        let all: ArrayVec<Option<Piece>, 8> = pieces.iter().copied().map(Some).collect();
        let without = |gone: usize| {
            let mut pieces = all.clone();
            pieces[gone] = None;
            pieces
        };
        let is_pawn = |n: usize, color: Color| {
            pieces[n]
                == Piece {
                    color,
                    role: Role::Pawn,
                }
        };
        let captures = (0..pieces.len()).map(|n| {
            let possible = pieces[n].color != side && pieces[n].role != Role::King;
            match possible.then(|| Route::new(&without(n), !side, set)) {
                Some(None) => None,
                route => Some(route.flatten()),
            }
        });
        let captures = captures.collect::<Option<Vec<_>>>()?;
        let promotions = (0..pieces.len()).map(|pawn| {
            let taken = (0..pieces.len()).map(|taken| {
                let possible = is_pawn(pawn, side)
                    && (taken == pawn
                        || (pieces[taken].color != side && pieces[taken].role != Role::King));
                if !possible {
                    return Some(None);
                }
                let mut after = if taken == pawn {
                    all.clone()
                } else {
                    without(taken)
                };
                let mut routes = ArrayVec::new();
                for role in Role::PROMOTIONS {
                    after[pawn] = Some(Piece { color: side, role });
                    routes.push(Route::new(&after, !side, set)?);
                }
                Some(routes.into_inner().ok())
            });
            taken.collect::<Option<Vec<_>>>()
        });
        let promotions = promotions.collect::<Option<Vec<_>>>()?;
        let against = pieces.contains(&Piece {
            color: !side,
            role: Role::Pawn,
        });
        let en_passant = (0..pieces.len()).map(|pawn| {
            let possible = against && is_pawn(pawn, side);
            match possible.then(|| Route::new(&without(pawn), side, set)) {
                Some(None) => None,
                route => Some(route.flatten()),
            }
        });
        let en_passant = en_passant.collect::<Option<Vec<_>>>()?;
        let own = Route::new(&all, !side, set)?;
        Some(Mover {
            layout,
            metric,
            side,
            plain: own.is_own(layout),
            own,
            pieces,
            captures,
            promotions,
            en_passant,
        })
    }

    /// The table's layout.
    pub(super) fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The side that moves.
    pub(super) fn side(&self) -> Color {
        self.side
    }

    /// The best backed-up value among the moves of each wanted cell; 0 if there is none.
    pub(super) fn best(&self, word: &Word<'_>) -> Lanes {
        let mut best = [NONE; 64];
        let mut squares = word.squares();
        for (n, &(man, from)) in word.fixed.pieces.iter().enumerate() {
            if man.color != self.side {
                continue;
            }
            if man.role == Role::Pawn {
                self.pawn(word, n, from, &mut squares, &mut best);
            } else {
                self.man(word, n, from, &mut squares, &mut best);
            }
            squares[n] = from.index() as u8;
        }
        if self.layout.lane_piece().color == self.side {
            self.lane_piece(word, &mut squares, &mut best);
        }
        best
    }

    /// Moves of a piece, no pawn, that the word fixes.
    fn man(
        &self,
        word: &Word<'_>,
        n: usize,
        from: Square,
        squares: &mut Squares,
        best: &mut Lanes,
    ) {
        let fixed = word.fixed;
        let targets = attacks::of(self.pieces[n].role, self.side, from, fixed.occupied);
        for to in Bitboard(targets.0 & !word.of(self.side)) {
            let way = attacks::between(from, to).0 | 1 << to.index();
            let set = word.wanted & !way;
            squares[n] = to.index() as u8;
            if !fixed.occupied.has(to) {
                match self
                    .plain
                    .then(|| self.word_after(word.number, n, from, to))
                {
                    Some(Some(after)) => {
                        if let Some(backed) = self.own.cells()[after * 64..].first_chunk() {
                            raise(best, backed, set);
                        }
                    }
                    _ => self.own.raise(best, squares, set),
                }
            } else if let Some(taken) = word.at(to)
                && let Some(route) = &self.captures[taken]
            {
                self.raise_converting(best, route, squares, set);
            }
        }
        let bit = self.pieces.len() - 1;
        if let Some(route) = &self.captures[bit] {
            for to in Bits(targets.0 & !fixed.occupied.0 & word.wanted) {
                squares[n] = to as u8;
                best[to] = best[to].max(self.converting(route.backed_up(squares)));
            }
        }
    }

    /// The word in which a piece has moved, if that is a matter of its number alone.
    #[inline]
    fn word_after(&self, word: usize, n: usize, from: Square, to: Square) -> Option<usize> {
        let pieces = self.layout.indexed_pieces().len();
        // Indexed pieces come last of the fixed.
        let place = (n + pieces + 1).checked_sub(self.pieces.len())?;
        let shift = 6 * (pieces - 1 - place);
        Some(word ^ ((from.index() ^ to.index()) << shift))
    }

    fn lane_piece(&self, word: &Word<'_>, squares: &mut Squares, best: &mut Lanes) {
        let role = self.layout.lane_piece().role;
        let occupied = word.fixed.occupied;
        let bit = self.pieces.len() - 1;
        if self.plain {
            let start = word.number * 64;
            if let Some(backed) = self.own.cells()[start..].first_chunk() {
                reach(role, backed, occupied.0, best);
            }
        } else {
            let backed = self.own.backed(squares, !occupied.0);
            reach(role, &backed, occupied.0, best);
        }
        for (taken, route) in self.captures.iter().enumerate() {
            if let Some(route) = route {
                let to = word.fixed.pieces[taken].1;
                // It attacks a square from those that it would attack from there.
                let from = attacks::of(role, self.side, to, occupied).0 & word.wanted;
                if from != 0 {
                    squares[bit] = to.index() as u8;
                    raise_all(best, self.converting(route.backed_up(squares)), from);
                }
            }
        }
    }

    fn pawn(
        &self,
        word: &Word<'_>,
        n: usize,
        from: Square,
        squares: &mut Squares,
        best: &mut Lanes,
    ) {
        let occupied = word.fixed.occupied;
        let up: i8 = if self.side == Color::White { 1 } else { -1 };
        let promotes = from.offset(0, 2 * up).is_none();
        let at_home = from.offset(0, -2 * up).is_none();
        if let Some(to) = from.offset(0, up)
            && !occupied.has(to)
        {
            let set = word.wanted & !(1 << to.index());
            squares[n] = to.index() as u8;
            if promotes {
                self.promote(best, n, n, squares, set);
            } else {
                let backed = self.own.backed(squares, set);
                raise(best, &self.pushed(backed), set);
                if at_home
                    && let Some(far) = to.offset(0, up)
                    && !occupied.has(far)
                {
                    let set = set & !(1 << far.index());
                    squares[n] = far.index() as u8;
                    let backed = self.own.backed(squares, set);
                    let backed = self.with_en_passant(word, n, to, squares, backed, set);
                    raise(best, &self.pushed(backed), set);
                }
            }
        }
        let bit = self.pieces.len() - 1;
        for to in attacks::pawn(self.side, from) {
            squares[n] = to.index() as u8;
            // The lane piece can be on no fixed piece's square.
            let (taken, set) = match word.at(to) {
                Some(taken) => (taken, word.wanted),
                None => (bit, word.wanted & 1 << to.index()),
            };
            if set == 0 || taken == n {
                continue;
            }
            if promotes {
                self.promote(best, n, taken, squares, set);
            } else if let Some(route) = &self.captures[taken] {
                self.raise_converting(best, route, squares, set);
            }
        }
    }

    /// The four promotions of a pawn, with the capture of a piece unless that is the pawn itself.
    fn promote(&self, best: &mut Lanes, pawn: usize, taken: usize, squares: &Squares, set: u64) {
        for route in self.promotions[pawn][taken].iter().flatten() {
            self.raise_converting(best, route, squares, set);
        }
    }

    /// Backed-up values of the positions after a double step over `over`, as the side sees them that made it: the
    /// other side may capture en passant.
    fn with_en_passant(
        &self,
        word: &Word<'_>,
        pawn: usize,
        over: Square,
        squares: &Squares,
        mut backed: Lanes,
        set: u64,
    ) -> Lanes {
        let Some(route) = &self.en_passant[pawn] else {
            return backed;
        };
        // The best of the captures for who makes them.
        let mut taken = [NONE; 64];
        for (n, &(man, from)) in word.fixed.pieces.iter().enumerate() {
            let captures = man.role == Role::Pawn
                && man.color != self.side
                && attacks::pawn(man.color, from).has(over);
            if !captures {
                continue;
            }
            let mut after = *squares;
            after[n] = over.index() as u8;
            let replies = route.backed(&after, set);
            for bit in Bits(set) {
                let reply = self.converting(replies[bit]);
                if reply != NONE && (taken[bit] == NONE || before(reply) < taken[bit]) {
                    taken[bit] = before(reply);
                }
            }
        }
        for bit in Bits(set) {
            if taken[bit] == NONE || backed[bit] == NONE {
                continue;
            }
            // Who has no other move must take, even if it loses.
            let forced = backed[bit] == DRAW
                && taken[bit] > DRAW
                && self.is_stalemate(word, pawn, squares, bit);
            backed[bit] = if forced {
                taken[bit]
            } else {
                backed[bit].min(taken[bit])
            };
        }
        backed
    }

    /// Whether the other side has no move but the captures en passant after a double step.
    fn is_stalemate(&self, word: &Word<'_>, pawn: usize, squares: &Squares, bit: usize) -> bool {
        let cell = (word.number * 64 + bit) as u64;
        let at = CellId {
            side: side_of(self.side),
            cell,
        };
        let Some((mut board, _)) = self.layout.place(at) else {
            return false;
        };
        board.take(word.fixed.pieces[pawn].1);
        board.put(self.pieces[pawn], Square::wrapping(squares[pawn].into()));
        position_of(board, !self.side).is_some_and(|position| position.is_stalemate())
    }

    /// What a capture or promotion gives.
    #[inline]
    fn converting(&self, backed_up: u16) -> u16 {
        if self.metric == Metric::Dtm {
            backed_up
        } else {
            self.ending(backed_up)
        }
    }

    /// A move that ends the distance: the result counts, and by the 50-move rule what comes after.
    fn ending(&self, backed_up: u16) -> u16 {
        let late = |plies: u16| self.metric == Metric::Dtz && plies > FIFTY_MOVES + 1;
        let plies = |plies: u16| if late(plies) { FIFTY_MOVES + 1 } else { 1 };
        match backed_up {
            NONE | DRAW => backed_up,
            // A backed-up value counts the move itself.
            win if win > DRAW => Wide::win(plies(Wide::win(0).0 - win)).0,
            loss => Wide::loss(plies(loss)).0,
        }
    }

    fn raise_converting(&self, best: &mut Lanes, route: &Route<'_>, squares: &Squares, set: u64) {
        if self.metric == Metric::Dtm {
            route.raise(best, squares, set);
        } else {
            let backed = route.backed(squares, set);
            raise(best, &backed.map(|backed_up| self.ending(backed_up)), set);
        }
    }

    fn pushed(&self, backed: Lanes) -> Lanes {
        if self.metric == Metric::Dtz {
            backed.map(|backed_up| self.ending(backed_up))
        } else {
            backed
        }
    }
}

/// The lane piece's squares for which the king of `color` is attacked by the other side (kings aside).
pub(super) fn attacked(layout: &Layout, fixed: &Fixed, color: Color) -> u64 {
    let lane_piece = layout.lane_piece();
    let attackers = fixed.pieces.iter();
    let attackers = attackers.filter(|(man, _)| man.color != color && man.role != Role::King);
    if lane_piece
        == (Piece {
            color,
            role: Role::King,
        })
    {
        return attackers.fold(0, |set, &(man, square)| {
            set | attacks::of(man.role, man.color, square, fixed.occupied).0
        });
    }
    let king = fixed.pieces[color.index()].1;
    let mut set = 0;
    for &(man, square) in attackers {
        if attacks::of(man.role, man.color, square, fixed.occupied).has(king) {
            // But where the lane piece stands between them.
            set |= !attacks::between(square, king).0;
        }
    }
    if lane_piece.color != color && lane_piece.role != Role::King {
        set |= attacks::of(lane_piece.role, lane_piece.color, king, fixed.occupied).0;
    }
    set
}

/// The cells of a word that are legal positions with `side` to move, duplicates included.
pub(super) fn legal(layout: &Layout, fixed: &Fixed, side: Color) -> u64 {
    if fixed.clash {
        return 0;
    }
    let mut void = fixed.occupied.0 | attacked(layout, fixed, !side);
    if layout.rows() == Rows::WhiteKing {
        void |= attacks::king(fixed.pieces[0].1).0;
    }
    !void
}

/// The backed-up values of the position itself from its best moves: without any it is mate or stalemate.
pub(super) fn back_up(best: &Lanes, in_check: u64) -> Lanes {
    let mut backed = best.map(|best| if best == NONE { DRAW } else { before(best) });
    let mates = set_of(best, |best| best == NONE) & in_check;
    for bit in Bits(mates) {
        backed[bit] = super::lanes::MATE;
    }
    backed
}
