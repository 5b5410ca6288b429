//! The value of a position by Syzygy files.
//!
//! What a file stores of a position holds for its quiet moves at most: where a capture gives the value, any number may
//! stand there. So captures are searched first, and for distances pawn moves too.

use duchamp_base::Wdl;
use duchamp_chess::{Move, Oracle, Position, Role, Value};

use super::file::Stored;
use super::tables::{SyzygyError, SyzygyTables};

/// A distance to zeroing as Syzygy tables count it, in plies: positive for wins, negative for losses, 0 for draws; above
/// 100 (below -100) where the 50-move rule draws.
///
/// Most tables store moves, not plies: a distance of n then means n or n + 1, and a win is certain where it is at most 99
/// less the halfmove clock, or 100 right after a capture or pawn move. A mated side has -1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SyzygyDtz(pub i32);

impl SyzygyDtz {
    /// The distance of a move that zeroes the clock and gives this result to the side that plays it.
    #[must_use]
    pub const fn of_zeroing(wdl: Wdl) -> SyzygyDtz {
        SyzygyDtz(match wdl {
            Wdl::Win => 1,
            Wdl::CursedWin => 101,
            Wdl::Draw => 0,
            Wdl::BlessedLoss => -101,
            Wdl::Loss => -1,
        })
    }
}

/// What a search through captures found.
#[derive(Clone, Copy)]
struct Found {
    wdl: Wdl,
    /// Whether a capture (or, where asked for, a pawn move) gives the result, so that files need not hold it.
    by_zeroing: bool,
}

impl SyzygyTables {
    /// The result of a position with the 50-move rule, from a fresh clock. En passant is considered.
    ///
    /// # Errors
    /// When the position has castling rights or too many men, or when a file of it or of one that its captures lead to is
    /// missing or damaged.
    #[inline]
    pub fn wdl(&self, position: &Position) -> Result<Wdl, SyzygyError> {
        if position.has_castling_rights() {
            return Err(SyzygyError::Castling);
        }
        Ok(self.search::<false>(position, Wdl::Win)?.wdl)
    }

    /// The distance of a position to the next capture or pawn move that keeps its result.
    ///
    /// # Errors
    /// As [`SyzygyTables::wdl`].
    pub fn dtz(&self, position: &Position) -> Result<SyzygyDtz, SyzygyError> {
        if position.has_castling_rights() {
            return Err(SyzygyError::Castling);
        }
        let found = self.search::<true>(position, Wdl::Win)?;
        if found.wdl == Wdl::Draw || position.board().men() == 2 {
            return Ok(SyzygyDtz(0));
        }
        if found.by_zeroing {
            return Ok(SyzygyDtz::of_zeroing(found.wdl));
        }
        let sign = (found.wdl as i32).signum();
        match self.stored_dtz(position, found.wdl)? {
            Stored::Value(plies) => {
                let late = matches!(found.wdl, Wdl::CursedWin | Wdl::BlessedLoss);
                let plies = i32::from(plies) + if late { 100 } else { 0 };
                Ok(SyzygyDtz(sign * plies))
            }
            Stored::OtherSide => self.dtz_by_moves(position, sign),
        }
    }

    /// The distance of a position of which the file has the other side to move.
    fn dtz_by_moves(&self, position: &Position, sign: i32) -> Result<SyzygyDtz, SyzygyError> {
        let mut best: Option<i32> = None;
        for mv in position.legal_moves() {
            let after = position.play(mv);
            let plies = if is_zeroing(position, mv) {
                SyzygyDtz::of_zeroing(-self.wdl(&after)?).0
            } else if after.is_checkmate() {
                1
            } else {
                let plies = -self.dtz(&after)?.0;
                plies + plies.signum()
            };
            // The shortest win; of losses the longest, which is the lowest number.
            if plies.signum() == sign && best.is_none_or(|best| plies < best) {
                best = Some(plies);
            }
        }
        // Who has no move is mated.
        Ok(SyzygyDtz(best.unwrap_or(-1)))
    }

    /// The legal moves with their distances as the side that plays them sees them, counted from before the move.
    ///
    /// # Errors
    /// As [`SyzygyTables::dtz`].
    pub fn move_distances(
        &self,
        position: &Position,
    ) -> Result<Vec<(Move, SyzygyDtz)>, SyzygyError> {
        let moves = position.legal_moves();
        let each = moves.iter().map(|&mv| {
            let after = position.play(mv);
            let plies = if after.is_checkmate() {
                1
            } else if is_zeroing(position, mv) {
                SyzygyDtz::of_zeroing(-self.wdl(&after)?).0
            } else {
                let plies = -self.dtz(&after)?.0;
                plies + plies.signum()
            };
            Ok((mv, SyzygyDtz(plies)))
        });
        each.collect()
    }

    /// The result of a position through captures, and with `PAWNS` through pawn moves. Once it is known to be `enough` it
    /// may be better still.
    fn search<const PAWNS: bool>(
        &self,
        position: &Position,
        enough: Wdl,
    ) -> Result<Found, SyzygyError> {
        let pawn_moves = PAWNS && position.of(position.turn(), Role::Pawn).any();
        let (mut best, mut forced) = (Wdl::Loss, false);
        if pawn_moves || may_capture(position) {
            let moves = if pawn_moves {
                position.legal_moves()
            } else {
                let mut moves = duchamp_chess::MoveList::new();
                position.captures(&mut moves);
                moves
            };
            let mut tried = 0;
            for &mv in &moves {
                let capture = position.is_capture(mv);
                if !(capture || pawn_moves && is_zeroing(position, mv)) {
                    continue;
                }
                tried += 1;
                // Kings alone draw.
                let wdl = if capture && position.board().men() == 3 {
                    Wdl::Draw
                } else {
                    -self.search::<false>(&position.play(mv), -best)?.wdl
                };
                best = best.max(wdl);
                if best >= enough {
                    return Ok(Found {
                        wdl: best,
                        by_zeroing: true,
                    });
                }
            }
            // Without en passant a file has the right value though all moves are captures.
            forced = tried > 0
                && (PAWNS || position.ep_square().is_some())
                && position.legal_moves().len() == tried;
        }
        let stored = if forced {
            best
        } else {
            self.stored_wdl(position)?
        };
        Ok(if best >= stored {
            Found {
                wdl: best,
                by_zeroing: best > Wdl::Draw || forced,
            }
        } else {
            Found {
                wdl: stored,
                by_zeroing: false,
            }
        })
    }
}

/// Whether captures may be legal: said without generating moves.
#[inline]
fn may_capture(position: &Position) -> bool {
    let (us, enemies) = (position.turn(), position.color(!position.turn()));
    position.ep_square().is_some()
        || enemies.many() && (position.attacked_by(us, position.occupied()) & enemies).any()
}

/// Whether a move is a capture or a pawn move.
fn is_zeroing(position: &Position, mv: Move) -> bool {
    position.is_capture(mv) || position.moved_role(mv) == Role::Pawn
}

/// Results and distances to zeroing: Syzygy files have no distances to mate.
impl Oracle for SyzygyTables {
    fn max_men(&self) -> u32 {
        self.largest()
    }

    #[inline]
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        SyzygyTables::wdl(self, position).ok()
    }

    fn dtm(&self, _: &Position) -> Option<Value> {
        None
    }

    fn dtz(&self, position: &Position) -> Option<i32> {
        SyzygyTables::dtz(self, position).ok().map(|dtz| dtz.0)
    }
}
