//! A plan as data: a list of moves, each of which names those that follow it.

use super::super::budget::Spent;
use duchamp_base::Plies;
use duchamp_chess::{Color, Move, Position, Square};

/// How the game is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanEnd {
    /// The winner mates.
    Mate,
    /// The winner promotes, which is proved to win.
    Promotion,
    /// The other side promotes, and the winner is proved to win all the same.
    Queened,
    /// The tables say that the winner wins.
    Table,
    /// The line goes on as after another move of the plan, by its number.
    AsAfter(usize),
}

/// Why there is no plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unplanned {
    /// No win of that side is known.
    NotWon,
    /// What ended the work.
    Spent(Spent),
    /// The win goes through too many pawn structures for the memory.
    TooLarge,
}

/// A move of a plan.
#[derive(Clone, Debug)]
pub struct PlanMove {
    /// The move.
    pub mv: Move,
    /// The position that it is played in.
    pub before: Position,
    /// The position that it leads to.
    pub after: Position,
    /// The move before it, by its number; `None` for those that may begin the plan.
    pub parent: Option<usize>,
    /// Whether it is the winner's.
    pub by_winner: bool,
    /// Of the winner's moves: whether all others are proved not to win, whatever piece a pawn is promoted to; `None` if
    /// neither that nor another winning move is proved.
    pub only: Option<bool>,
    /// Of the winner's moves: the squares that correspond to that of his king, as far as they are known. The other king
    /// would hold there if he were not to move: he stands on one, in zugzwang, or reaches none by a king's move.
    pub corresponding: Vec<Square>,
    /// The most plies that the other side can still hold out until the decision, as far as is proved.
    pub plies: Plies,
    /// Whether the pawns change: a pawn moves or is captured.
    pub exit: bool,
    /// How the game is decided by it; `None` if it goes on.
    pub end: Option<PlanEnd>,
    /// The moves shown after it, by their numbers, the one that holds out longest first.
    pub next: Vec<usize>,
    /// Replies that are not shown: each loses as fast or faster, most of them to the same plan.
    pub others: Vec<Move>,
}

impl PlanMove {
    /// Whether the other king stands on a square that corresponds to that of the winner's king, and is to move.
    #[must_use]
    pub fn is_zugzwang(&self) -> bool {
        let king = self.after.king(self.after.turn());
        self.corresponding.contains(&king)
    }
}

/// How a proved win is won.
#[derive(Clone, Debug)]
pub struct WinPlan {
    /// Who wins.
    pub winner: Color,
    /// The most plies until the decision: mate, a promotion that wins, or a won position of the tables.
    pub plies: Plies,
    /// All moves; a move stands behind its parent.
    pub moves: Vec<PlanMove>,
    /// The moves that begin it, by their numbers: the winner's one, or replies of the other side.
    pub first: Vec<usize>,
    /// First moves of the other side that are not shown.
    pub others: Vec<Move>,
    /// Variations shown, the main line among them.
    pub lines: usize,
}
