//! What can be proved about a pawn ending within limits: value, moves, corresponding squares and plan, as one consistent
//! whole.

use super::pawns_limit::{Limit, PawnLimits};
use super::pawns_plan::{Planned, plan};
use super::pawns_range::{Provers, Range};
use super::pawns_system::System;
use duchamp_chess::{Move, Position, Setup};
use duchamp_proofs::pawns::{Budget, Correspondence, Spent};
use std::time::Instant;

/// The part of the work that begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Value,
    Moves,
    Squares,
    Plan,
}

/// All that was found out about a position.
pub(super) struct Findings {
    pub(super) position: Position,
    /// The value for the side to move; never less than that of a move.
    pub(super) range: Range,
    /// All legal moves; none better than the value.
    pub(super) moves: Vec<(Move, Range)>,
    /// Moshammer's routine; `None` where it does not apply.
    pub(super) holds: Option<bool>,
    pub(super) system: System,
    /// How a proved win is won.
    pub(super) plan: Planned,
    /// What ended the work on the value and the moves, and on the corresponding squares, if some of it is open; `None` there
    /// too if nothing was left to try.
    pub(super) spent: [Option<Spent>; 2],
    pub(super) structures: usize,
    pub(super) queens: usize,
    /// Time until the value was settled, or given up.
    pub(super) seconds: f64,
    /// Time in all.
    pub(super) total: f64,
}

/// Works out a position of kings and pawns; `None` if it is another one. `begin` is called before each part.
pub(super) fn find(
    position: &Position,
    mut provers: Provers,
    limits: PawnLimits,
    mut begin: impl FnMut(Part),
) -> Option<Findings> {
    let PawnLimits {
        limit, structures, ..
    } = limits;
    let start = Instant::now();
    let position = fresh(position);
    let turn = position.turn();
    let budget = |limit: Limit| limit.budget(structures);
    begin(Part::Value);
    let mut range = value(&position, &mut provers, budget(limit))?;
    let mut seconds = start.elapsed().as_secs_f64();
    begin(Part::Moves);
    let moves = position.legal_moves();
    let mut left = Shares::new(limit, moves.len());
    let mut moves: Vec<(Move, Range)> = moves
        .into_iter()
        .map(|mv| {
            let share = left.next();
            (mv, provers.move_range(&position, mv, budget(share)))
        })
        .collect();
    reconcile(&mut range, &mut moves);
    let [structures_seen, queens] = provers.work();
    let value_spent = provers.spent();
    begin(Part::Squares);
    let prover = provers.of(turn);
    prover.prove_all(&position, turn, budget(limit));
    let system_spent = prover.spent();
    // What was learnt about all placements may settle the value or a move.
    for (mv, bounds) in &mut moves {
        let known = provers.move_range(&position, *mv, budget(Limit::NOTHING));
        *bounds = bounds.and(known);
    }
    let settled = range.exact();
    range = range.and(value(&position, &mut provers, budget(Limit::NOTHING))?);
    reconcile(&mut range, &mut moves);
    if range.exact() != settled {
        seconds = start.elapsed().as_secs_f64();
    }
    begin(Part::Plan);
    let plan = plan(&position, range, &mut provers, limits);
    let total = start.elapsed().as_secs_f64();
    Some(Findings {
        range,
        moves,
        holds: Correspondence::of(&position, turn).holds(&position),
        system: System::of(provers.of(turn), &position, turn),
        plan,
        spent: [value_spent, system_spent],
        structures: structures_seen,
        queens,
        seconds,
        total,
        position,
    })
}

/// The same position with a fresh 50-move counter, which all values are for.
fn fresh(position: &Position) -> Position {
    let setup = Setup {
        halfmoves: 0,
        ..position.setup()
    };
    Position::from_setup(&setup).unwrap_or(*position)
}

/// The value of a position, by the rules where the game is over.
fn value(position: &Position, provers: &mut Provers, budget: Budget) -> Option<Range> {
    let range = provers.range(position, budget)?;
    Some(if position.is_checkmate() {
        Range::exactly(-1)
    } else if position.is_stalemate() || position.is_insufficient_material() {
        Range::exactly(0)
    } else {
        range
    })
}

/// Brings the value and the moves into line: the value is at least that of each move and at most that of the best one, and
/// no move is better than the value.
fn reconcile(range: &mut Range, moves: &mut [(Move, Range)]) {
    let best = moves.iter().map(|(_, bounds)| *bounds).reduce(Range::or);
    if let Some(best) = best {
        *range = range.and(best);
    }
    debug_assert!(range.low <= range.high, "{range:?} {moves:?}");
    for (_, bounds) in moves {
        bounds.high = bounds.high.min(range.high);
    }
}

/// A limit that moves share: what one leaves goes to those after it.
struct Shares {
    limit: Limit,
    start: Instant,
    moves: usize,
}

impl Shares {
    fn new(limit: Limit, moves: usize) -> Shares {
        Shares {
            limit,
            start: Instant::now(),
            moves,
        }
    }

    /// The share of the next move. Steps are shared alike: what a move used of them is not told.
    fn next(&mut self) -> Limit {
        let moves = self.moves.max(1);
        match &mut self.limit {
            Limit::Time(time) => {
                self.moves = moves - 1;
                Limit::Time(time.saturating_sub(self.start.elapsed()) / moves as u32)
            }
            Limit::Steps(steps) => Limit::Steps(*steps / moves),
        }
    }
}

impl Findings {
    /// Moves that are proved to keep the value; `None` if that is not known of any, though there are moves.
    pub(super) fn best(&self) -> Option<Vec<Move>> {
        let keeps = |range: Range| self.range.exact().is_some() && range.low == self.range.low;
        let moves = self.moves.iter().filter(|(_, range)| keeps(*range));
        let best: Vec<Move> = moves.map(|(mv, _)| *mv).collect();
        (!best.is_empty() || self.moves.is_empty()).then_some(best)
    }

    /// Whether the value and all moves are settled.
    pub(super) fn moves_complete(&self) -> bool {
        let mut ranges = self.moves.iter().map(|(_, range)| *range);
        self.range.exact().is_some() && ranges.all(|range| range.exact().is_some())
    }

    /// Whether nothing is open.
    pub(super) fn complete(&self) -> bool {
        let System {
            key_open,
            zugzwangs_open,
            ..
        } = self.system;
        self.moves_complete() && !key_open && !zugzwangs_open && !self.plan.is_open()
    }

    /// The value, and the move that alone keeps it.
    pub(super) fn headline(&self) -> String {
        let turn = self.position.turn();
        let mut text = format!("{turn:?} to move: {}", self.range.describe());
        if let Some(&[only]) = self.best().as_deref() {
            let loses = |(mv, range): &(Move, Range)| *mv == only || range.high < self.range.low;
            if self.moves.len() > 1 && self.moves.iter().all(loses) {
                text += &format!("; only {}", self.position.san(only));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::pawns_system::names;
    use super::*;
    use duchamp_chess_tables::Prober;
    use std::sync::Arc;

    /// Won, drawn and lost, with and without counterplay, with a right to capture en passant, and two that are over.
    const POSITIONS: [&str; 14] = [
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/1K6 b - - 0 1",
        "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 w - - 0 1",
        "6k1/3p4/3p4/3P4/4P1p1/6P1/8/K7 b - - 0 1",
        "8/8/p1p5/2P5/3K4/8/3P2k1/8 w - - 0 1",
        "8/6p1/1p2k3/1P6/2PK4/8/8/8 w - - 0 1",
        "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
        "8/7p/8/3K1k2/8/8/6PP/8 w - - 0 1",
        "8/P5k1/8/8/8/8/1K5p/8 w - - 0 1",
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 30 40",
        "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
        "7k/5KPp/7P/8/8/8/8/8 b - - 0 1",
    ];

    fn found(fen: &str, steps: usize) -> Findings {
        let position = Position::from_fen(fen).expect("a position");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let provers = Provers::with_handle(&Prober::open(folder.path()), &Arc::default());
        let limits = PawnLimits {
            limit: Limit::Steps(steps),
            structures: 2_000,
            lines: 2,
        };
        find(&position, provers, limits, |_| {}).expect("a pawn ending")
    }

    /// At every limit: the value is that of the best move as far as both are known, and what is told of one position at one
    /// limit contradicts nothing that is told at another.
    #[test]
    fn value_and_moves_agree_at_every_limit() {
        for fen in POSITIONS {
            let mut sure = Range::OPEN;
            for steps in [0, 1, 2, 3, 5, 8, 13, 21, 34, 60, 100, 200] {
                let found = found(fen, steps);
                let told = format!("{fen}, {steps} steps: {:?} {:?}", found.range, found.moves);
                let best = found
                    .moves
                    .iter()
                    .map(|(_, range)| *range)
                    .reduce(Range::or);
                if let Some(best) = best {
                    assert!(best.low <= found.range.low, "{told}");
                    assert!(found.range.high <= best.high, "{told}");
                    // Reconciled bounds are the same from both sides.
                    assert_eq!(best.high, found.range.high, "{told}");
                }
                let kept = found.best();
                match &kept {
                    Some(kept) => assert_eq!(kept.is_empty(), found.moves.is_empty(), "{told}"),
                    None => assert!(!found.complete(), "{told}"),
                }
                assert_eq!(found.moves_complete(), {
                    let open = |(_, range): &(Move, Range)| range.exact().is_none();
                    found.range.exact().is_some() && !found.moves.iter().any(open)
                });
                sure = sure.and(found.range);
                assert!(sure.low <= sure.high, "{told}");
            }
        }
    }

    #[test]
    fn a_move_that_wins_settles_the_value() {
        let mv = Position::start().legal_moves();
        let mut range = Range { low: 0, high: 1 };
        let mut moves = vec![(mv[0], Range::exactly(1)), (mv[1], Range::OPEN)];
        reconcile(&mut range, &mut moves);
        assert_eq!(range, Range::exactly(1));
        let mut range = Range { low: -1, high: 0 };
        let mut moves = vec![(mv[0], Range::exactly(-1)), (mv[1], Range::OPEN)];
        reconcile(&mut range, &mut moves);
        assert_eq!((range, moves[1].1), (Range { low: -1, high: 0 }, range));
    }

    /// Fine #70 with enough work has the key squares c5 and e5; with too little they are open, not absent.
    #[test]
    fn key_squares_are_open_until_they_are_determined() {
        let fen = POSITIONS[0];
        for steps in [0, 10, 100] {
            let found = found(fen, steps);
            assert!(found.system.key_open && !found.complete(), "{steps}");
        }
    }

    /// The squares of the textbooks: of a pawn up to the fourth rank three, two ranks before it (and one more of a pawn that has
    /// not moved); of one on the fifth six.
    #[test]
    fn key_squares_of_a_lone_pawn_are_those_of_the_books() {
        for (fen, key) in [
            ("8/8/4k3/8/8/8/2P5/4K3 w - - 0 1", "b4 c4 d4 c5"),
            ("8/8/4k3/8/8/2P5/8/4K3 w - - 0 1", "b5 c5 d5"),
            ("8/3k4/8/8/4P3/8/8/4K3 w - - 0 1", "d6 e6 f6"),
            ("8/3k4/8/4P3/8/8/8/4K3 w - - 0 1", "d6 e6 f6 d7 e7 f7"),
        ] {
            let found = found(fen, 2_000);
            let proved = names(found.system.key).join(" ");
            assert!(!found.system.key_open && proved == key, "{fen}: {proved}");
        }
    }
}
