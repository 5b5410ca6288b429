//! What is proved about the value of a pawn ending and of its moves: both sides' questions put together.

use duchamp_base::Wdl;
use duchamp_chess::{Color, Move, MoveList, Oracle, Position};
use duchamp_chess_tables::Prober;
use duchamp_proofs::pawns::{
    Budget, Prover, ProverHandle, Spent, Turn, WinStatus, apart, in_turns,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first slice of time of a question that is asked in turns with the other; each further one is twice as long.
const SLICE: Duration = Duration::from_millis(5);

/// What is proved about a position: the value for the side to move lies between the two; -1 a loss, 0 a draw, 1 a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i8,
    pub(super) high: i8,
}

impl Range {
    /// Nothing is proved.
    pub(super) const OPEN: Range = Range { low: -1, high: 1 };

    pub(super) fn exactly(value: i8) -> Range {
        Range {
            low: value,
            high: value,
        }
    }

    /// From a table's answer. Where the 50-move rule decides, the counter does.
    fn of_table(wdl: Wdl) -> Range {
        let (low, high) = match wdl {
            Wdl::Loss => (-1, -1),
            Wdl::BlessedLoss => (-1, 0),
            Wdl::Draw => (0, 0),
            Wdl::CursedWin => (0, 1),
            Wdl::Win => (1, 1),
        };
        Range { low, high }
    }

    /// From the answers about the side to move and about the other.
    fn of(own: WinStatus, other: WinStatus) -> Range {
        Range {
            low: match (own, other) {
                (WinStatus::Won(_), _) => 1,
                (_, WinStatus::NotWon) => 0,
                _ => -1,
            },
            high: match (own, other) {
                (_, WinStatus::Won(_)) => -1,
                (WinStatus::NotWon, _) => 0,
                _ => 1,
            },
        }
    }

    /// The same for the other side.
    fn turned(self) -> Range {
        Range {
            low: -self.high,
            high: -self.low,
        }
    }

    /// The better of two moves.
    pub(super) fn or(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.max(other.high),
        }
    }

    /// What two arguments about the same position prove together.
    pub(super) fn and(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// The value, if it is proved.
    pub(super) fn exact(self) -> Option<&'static str> {
        (self.low == self.high).then(|| ["loss", "draw", "win"][(self.low + 1) as usize])
    }

    pub(super) fn describe(self) -> &'static str {
        match (self.low, self.high) {
            (1, _) => "win",
            (_, -1) => "loss",
            (0, 0) => "draw",
            (0, _) => "at least a draw",
            (_, 0) => "at most a draw",
            _ => "not determined",
        }
    }
}

/// The two questions, each with a prover of its own.
pub(super) struct Provers {
    by_attacker: [Prover; 2],
    tables: Prober,
    handle: Arc<ProverHandle>,
    /// What ended the work on a question that was left open.
    spent: Option<Spent>,
}

impl Provers {
    /// Knows what the tables say; seen and stopped through a handle.
    pub(super) fn with_handle(tables: &Prober, handle: &Arc<ProverHandle>) -> Provers {
        let prover = || Prover::with_handle(tables.oracle(), Arc::clone(handle));
        Provers {
            by_attacker: [prover(), prover()],
            tables: tables.clone(),
            handle: Arc::clone(handle),
            spent: None,
        }
    }

    /// What ended the work on a question so far that was left open; `None` if there was none, or if nothing was left to try.
    pub(super) fn spent(&self) -> Option<Spent> {
        self.spent
    }

    /// The tables that the provers look into.
    pub(super) fn tables(&self) -> &Prober {
        &self.tables
    }

    /// What stops the provers.
    pub(super) fn handle(&self) -> &Arc<ProverHandle> {
        &self.handle
    }

    /// The prover that asks whether a side wins.
    pub(super) fn of(&mut self, attacker: Color) -> &mut Prover {
        &mut self.by_attacker[attacker as usize]
    }

    /// Structures looked into, and those with a queen.
    pub(super) fn work(&self) -> [usize; 2] {
        let sum = |count: fn(&Prover) -> usize| self.by_attacker.iter().map(count).sum();
        [sum(Prover::structures), sum(Prover::queens)]
    }

    /// The range of a position, both questions at once; `None` if it is no ending of kings and pawns.
    pub(super) fn range(&mut self, position: &Position, budget: Budget) -> Option<Range> {
        if position.ep_square().is_some() {
            return self.with_passants(position, budget);
        }
        let [white, black] = &mut self.by_attacker;
        let ask = |prover: &mut Prover, attacker| {
            let verdict = prover.prove(position, attacker, budget)?;
            let spent = (verdict == WinStatus::Open).then(|| prover.spent());
            Some((verdict, spent.flatten()))
        };
        let (white, black) = std::thread::scope(|scope| {
            let other = scope.spawn(|| ask(black, Color::Black));
            (ask(white, Color::White), other.join())
        });
        let (white, black) = (white?, black.ok()??);
        self.spent = self.spent.or(white.1).or(black.1);
        let verdicts = [white.0, black.0];
        let turn = position.turn();
        Some(Range::of(verdicts[turn as usize], verdicts[!turn as usize]))
    }

    /// The same on one thread, one question after the other in slices of time that grow, until `time` is over.
    pub(super) fn range_in_turns(
        &mut self,
        position: &Position,
        structures: usize,
        time: Duration,
    ) -> Option<Range> {
        if position.ep_square().is_some() {
            let budget = Budget {
                structures,
                time: Some(time / 2),
                steps: None,
            };
            return self.with_passants(position, budget);
        }
        let (start, turn) = (Instant::now(), position.turn());
        self.of(turn).known(position, turn)?;
        let verdicts = in_turns(
            position,
            |Turn {
                 attacker,
                 round,
                 weight,
             }| {
                let asked = Instant::now();
                let left = time.checked_sub(start.elapsed())?;
                let share = SLICE.saturating_mul(weight << round.min(20)).min(left);
                let budget = Budget {
                    structures,
                    time: Some(share),
                    steps: None,
                };
                let verdict = self.of(attacker).prove(position, attacker, budget)?;
                // Who gives up before his time has nothing left to look into.
                Some((verdict, asked.elapsed() >= share))
            },
        );
        Some(Range::of(verdicts[turn as usize], verdicts[!turn as usize]))
    }

    /// A position in which a capture en passant may be possible: those captures, and the position without the right. They
    /// share the time.
    fn with_passants(&mut self, position: &Position, budget: Budget) -> Option<Range> {
        let (captures, quiet) = apart(position)?;
        let start = Instant::now();
        let mut left = captures.len() + usize::from(quiet.is_some());
        let mut next = || {
            left -= 1;
            part(budget, start.elapsed(), left + 1)
        };
        let mut ranges = Vec::new();
        for mv in captures {
            ranges.push(self.move_range(position, mv, next()));
        }
        if let Some(quiet) = quiet {
            ranges.push(self.range(&quiet, next())?);
        }
        ranges.into_iter().reduce(Range::or)
    }

    /// The range of a move, as the side that plays it sees it.
    pub(super) fn move_range(&mut self, position: &Position, mv: Move, budget: Budget) -> Range {
        let after = position.play(mv);
        if after.is_checkmate() {
            return Range::exactly(1);
        }
        if after.is_stalemate() || after.is_insufficient_material() {
            return Range::exactly(0);
        }
        match self.tables.wdl(&after) {
            Some(wdl) => Range::of_table(-wdl),
            None if mv.promotion().is_some() => self.promotion(&after, mv, budget),
            None => self
                .range(&after, budget)
                .map_or(Range::OPEN, Range::turned),
        }
    }

    /// The range of a promotion that has been played, as the side that promoted sees it: by what is known of queens, and
    /// by the capture of the new piece.
    fn promotion(&mut self, after: &Position, mv: Move, budget: Budget) -> Range {
        let owner = !after.turn();
        let verdicts = [owner, !owner].map(|side| {
            self.of(side)
                .promoted(after, side)
                .unwrap_or(WinStatus::Open)
        });
        let known = Range::of(verdicts[0], verdicts[1]);
        let replies: MoveList = after.legal_moves();
        let takes = |reply: &Move| reply.to() == mv.to() && after.captured(*reply).is_some();
        let mut taken: Option<Range> = None;
        for &reply in replies.iter().filter(|reply| takes(reply)) {
            let range = self.move_range(after, reply, budget);
            taken = Some(taken.map_or(range, |best| best.or(range)));
        }
        let Some(taken) = taken.map(Range::turned) else {
            return known;
        };
        let only = replies.iter().all(takes);
        known.and(Range {
            low: if only { taken.low } else { -1 },
            high: taken.high,
        })
    }
}

/// The budget of the next of so many questions that share the time, of which some is gone.
pub(super) fn part(budget: Budget, gone: Duration, questions: usize) -> Budget {
    let share = |time: Duration| time.saturating_sub(gone) / questions.max(1) as u32;
    Budget {
        time: budget.time.map(share),
        ..budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_share_the_time() {
        let budget = |seconds: Option<u64>| Budget {
            structures: 9,
            time: seconds.map(Duration::from_secs),
            steps: Some(7),
        };
        let share = |seconds, gone, questions| {
            let part = part(budget(seconds), Duration::from_secs(gone), questions);
            assert_eq!((part.structures, part.steps), (9, Some(7)));
            part.time.map(|time| time.as_secs())
        };
        assert_eq!(share(Some(6), 0, 3), Some(2));
        assert_eq!(share(Some(6), 2, 2), Some(2));
        assert_eq!(share(Some(6), 9, 1), Some(0));
        assert_eq!(share(None, 9, 2), None);
    }
}
