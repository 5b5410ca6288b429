//! Un-moves: moves taken back from a position whose past is unknown.

use super::{Bitboard, Color, Move, Position, Role, Square, attacks, zone};

/// A move to be taken back, with what it captured.
///
/// Let `Q` be a position. An un-move of `Q` names a legal position `P` and a legal move of `P` that leads to `Q`, counters
/// aside. No side of `P` has more pieces of a kind than at the start of a game, and what was captured stands where its kind
/// can stand. Whether `P` can come about in a game from the start position is not asked.
///
/// The counters of `P`: plies since the last capture are one less (0 if the move captured), the number of the move is one
/// less if Black has moved; neither falls below its first value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UnMove {
    /// The move, as it was played from the earlier position.
    pub mv: Move,
    /// The kind of piece that it captured, if any.
    pub captured: Option<Role>,
}

/// All un-moves of a position that capture nothing.
///
/// ```
/// use duchamp_xiangqi::{Position, quiet_unmoves};
///
/// // The horse on e5 can have come from f7 over f6, but not from d7: its leg d6 is occupied.
/// let position = Position::from_fen("3k5/9/9/3P5/4N4/9/9/9/9/4K4 b")?;
/// let moves: Vec<String> = quiet_unmoves(&position).iter().map(ToString::to_string).collect();
/// assert!(moves.contains(&"f7e5".to_owned()) && !moves.contains(&"d7e5".to_owned()));
/// # Ok::<(), duchamp_xiangqi::FenError>(())
/// ```
#[must_use]
pub fn quiet_unmoves(position: &Position) -> Vec<Move> {
    let mut all = Vec::new();
    let mover = !position.turn();
    for to in position.board().color(mover) {
        quiet(position, to, |mv| all.push(mv));
    }
    all
}

/// All un-moves of a position, quiet ones and those that captured any piece that the side to move may have lost.
///
/// ```
/// use duchamp_xiangqi::{Position, unmoves};
///
/// let position = Position::from_fen("3k5/9/9/9/9/9/9/9/9/4KC3 b")?;
/// for unmove in unmoves(&position) {
///     let before = position.unplay(unmove.mv, unmove.captured);
///     assert!(before.is_legal(unmove.mv));
///     assert_eq!(before.play(unmove.mv).board(), position.board());
/// }
/// # Ok::<(), duchamp_xiangqi::FenError>(())
/// ```
#[must_use]
pub fn unmoves(position: &Position) -> Vec<UnMove> {
    let mut all = Vec::new();
    let mover = !position.turn();
    for to in position.board().color(mover) {
        quiet(position, to, |mv| all.push(UnMove { mv, captured: None }));
        capturing(position, to, |unmove| all.push(unmove));
    }
    all
}

/// The number of sequences of `depth` un-moves: [`perft`](crate::perft) backwards.
#[must_use]
pub fn retro_perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => unmoves(position).len() as u64,
        _ => {
            let all = unmoves(position);
            let before = all.iter().map(|u| position.unplay(u.mv, u.captured));
            before.map(|before| retro_perft(&before, depth - 1)).sum()
        }
    }
}

fn quiet(position: &Position, to: Square, mut show: impl FnMut(Move)) {
    for from in origins(position, to, false) {
        let mv = Move { from, to };
        if is_legal(&position.unplay(mv, None)) {
            show(mv);
        }
    }
}

fn capturing(position: &Position, to: Square, mut show: impl FnMut(UnMove)) {
    let loser = position.turn();
    let losable = Role::ALL.into_iter().filter(|&role| {
        let few = position.board().of(loser, role).count() < role.most();
        few && zone(loser, role).has(to)
    });
    for captured in losable.map(Some) {
        for from in origins(position, to, true) {
            let mv = Move { from, to };
            if is_legal(&position.unplay(mv, captured)) {
                show(UnMove { mv, captured });
            }
        }
    }
}

/// Whether a position with one king for each side, every piece in its zone, is legal. That the kings face each other counts as
/// check, and the side that has moved cannot have left its own king in check, since the later position is legal.
fn is_legal(before: &Position) -> bool {
    let king = before.king(!before.turn());
    let occupied = before.board().occupied();
    before.attackers(king, before.turn(), occupied).is_empty()
}

/// The empty squares from which the piece on `to` can have come, by a capture or without.
fn origins(position: &Position, to: Square, capture: bool) -> Bitboard {
    let occupied = position.board().occupied();
    let Some(piece) = position.at(to) else {
        return Bitboard::EMPTY;
    };
    let from = match piece.role {
        Role::Horse => attacks::horse_to(to, occupied),
        Role::Pawn => attacks::pawn_to(piece.color, to),
        Role::Cannon if capture => attacks::beyond_screens(to, occupied),
        Role::Cannon | Role::Chariot => attacks::chariot(to, occupied),
        // These steps can be taken either way.
        role => attacks::moves(role, Color::Red, to, occupied),
    };
    from - occupied
}
