//! From the worker's numbers to the lines that are told.

use super::exact::mating_line;
use super::info::{Bound, Info, Line, Reported, Settled, WinDrawLoss};
use super::root_move::RootMove;
use super::shared::Shared;
use super::worker::Worker;
use duchamp_base::Wdl;
use duchamp_chess::{Move, Oracle, Position};
use duchamp_eval::Score;
use std::time::Duration;

/// From then on a search also tells of failed windows and of the move it looks at.
const LONG: Duration = Duration::from_secs(3);
/// What a known win without a known mate distance is shown as, in centipawns.
const TABLE_WIN_SHOWN: i32 = 20_000;

/// Tells a search's news to its owner.
pub(super) struct Reporter<'a> {
    tell: &'a mut dyn FnMut(Info),
    /// What stands first was told last: the move, its score and its line.
    last: Option<(Reported, Bound, Vec<Move>)>,
    /// What the root is proved to be, whatever the search may think.
    proved: Option<Wdl>,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(tell: &'a mut dyn FnMut(Info)) -> Reporter<'a> {
        Reporter {
            tell,
            last: None,
            proved: None,
        }
    }

    /// From now on scores are told with regard to what is proved of the root.
    pub(super) fn know(&mut self, proved: Wdl) {
        self.proved = Some(proved);
    }

    /// Tells what a proof has settled.
    pub(super) fn settled(&mut self, settled: Settled) {
        (self.tell)(Info::Settled(settled));
    }

    /// A score of the search as it is to be told.
    pub(super) fn told(&self, score: Score) -> Score {
        match self.proved {
            None => score,
            Some(Wdl::Draw) => Score::DRAW,
            Some(wdl) if wdl > Wdl::Draw => score.max(Score::TABLE_WIN),
            Some(_) => score.min(-Score::TABLE_WIN),
        }
    }

    /// Whether the search has run long enough for small news.
    pub(super) fn is_long(&self, worker: &Worker<'_>) -> bool {
        worker.shared.timer.elapsed() >= LONG
    }

    /// Tells the first so many lines of an iteration.
    pub(super) fn lines(&mut self, worker: &Worker<'_>, depth: i32, count: usize) {
        for index in 0..count {
            self.line(worker, depth, index);
        }
    }

    /// Tells one line.
    pub(super) fn line(&mut self, worker: &Worker<'_>, depth: i32, index: usize) {
        let root_move = &worker.root_moves[index];
        let (pv, complete) = finish_mate(worker.shared.oracle, &worker.root, root_move);
        let bound = match root_move.bound {
            // The mate is proved, but its line is incomplete, so the mate may be shorter.
            Bound::Exact if !complete && root_move.score > Score::DRAW => Bound::Lower,
            Bound::Exact if !complete => Bound::Upper,
            bound => bound,
        };
        let score = self.told(root_move.score);
        let line = Line {
            depth: depth as u32,
            seldepth: (root_move.seldepth as u32).max(depth as u32),
            multipv: index + 1,
            score: reported(score),
            bound,
            wdl: if self.proved == Some(Wdl::Draw) {
                CERTAIN_DRAW
            } else {
                expected(score)
            },
            pv,
            ..counted(worker.shared)
        };
        self.send(line);
    }

    /// Tells the first line once more if it is not what was told last.
    pub(super) fn last_line(&mut self, worker: &Worker<'_>, depth: i32) {
        let best = &worker.root_moves[0];
        let told = self.last.as_ref().is_some_and(|(score, bound, pv)| {
            *bound == Bound::Exact
                && pv.first() == Some(&best.mv)
                && *score == reported(self.told(best.score))
        });
        if !told {
            self.line(worker, depth, 0);
        }
    }

    /// Tells which root move is being looked at, in long searches.
    pub(super) fn current(&mut self, worker: &Worker<'_>, depth: i32, mv: Move, number: usize) {
        if self.is_long(worker) {
            (self.tell)(Info::Current {
                depth: depth as u32,
                mv,
                number,
            });
        }
    }

    /// Tells a line that is made already.
    pub(super) fn send(&mut self, line: Line) {
        if line.multipv == 1 {
            self.last = Some((line.score, line.bound, line.pv.clone()));
        }
        (self.tell)(Info::Line(line));
    }
}

/// A line with the counters of the search, and nothing else yet.
pub(super) fn counted(shared: &Shared<'_>) -> Line {
    let time = shared.timer.elapsed();
    let nodes = shared.nodes();
    let micros = time.as_micros().max(1);
    Line {
        depth: 0,
        seldepth: 0,
        multipv: 1,
        score: Reported::Centipawns(0),
        bound: Bound::Exact,
        wdl: CERTAIN_DRAW,
        nodes,
        time,
        nps: (u128::from(nodes) * 1_000_000 / micros) as u64,
        hashfull: shared.tt.hashfull(),
        tbhits: shared.tbhits(),
        pv: Vec::new(),
    }
}

/// The line of a mate score with the oracle's moves where the search left them out, and whether it
/// is as long as the score says. Other scores' lines stay as they are.
fn finish_mate(oracle: &dyn Oracle, root: &Position, root_move: &RootMove) -> (Vec<Move>, bool) {
    let mut pv = root_move.pv.clone();
    let Some(plies) = root_move.score.mate_plies() else {
        return (pv, true);
    };
    let end = pv.iter().fold(*root, |position, &mv| position.play(mv));
    if pv.len() < usize::from(plies.0)
        && end.occupied().count() <= oracle.max_men()
        && let Some(rest) = mating_line(oracle, &end)
    {
        pv.extend(rest);
    }
    let complete = pv.len() == usize::from(plies.0);
    (pv, complete)
}

/// A score as people want to see it.
pub(super) fn reported(score: Score) -> Reported {
    if let Some(moves) = score.mate_moves() {
        return Reported::Mate(moves);
    }
    Reported::Centipawns(if score.is_win() {
        TABLE_WIN_SHOWN - (Score::TABLE_WIN - score)
    } else if score.is_loss() {
        (Score::TABLE_WIN - (-score)) - TABLE_WIN_SHOWN
    } else {
        score.0
    })
}

const CERTAIN_DRAW: WinDrawLoss = WinDrawLoss {
    win: 0,
    draw: 1000,
    loss: 0,
};

/// A score in centipawns at which as many games are won as not.
const EVEN_CHANCE: f64 = 155.0;
/// How fast the chances rise around it.
const CHANCE_SPREAD: f64 = 70.0;

/// Expected results of a score: two logistic curves, for winning and for losing.
pub(super) fn expected(score: Score) -> WinDrawLoss {
    let chance = |s: f64| (1000.0 / (1.0 + ((EVEN_CHANCE - s) / CHANCE_SPREAD).exp())) as u16;
    let (win, loss) = if score.is_win() {
        (1000, 0)
    } else if score.is_loss() {
        (0, 1000)
    } else {
        (chance(f64::from(score.0)), chance(f64::from(-score.0)))
    };
    WinDrawLoss {
        win,
        draw: 1000 - win - loss,
        loss,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_base::Plies;

    #[test]
    fn chances_sum_to_a_thousand() {
        for score in (-3000..3000).step_by(37).map(Score) {
            let w = expected(score);
            assert_eq!(w.win + w.draw + w.loss, 1000);
        }
        assert_eq!(expected(Score::mate_in(Plies(5))).win, 1000);
        assert!(expected(Score(0)).draw > 700);
    }

    #[test]
    fn scores_are_shown_in_moves_and_centipawns() {
        assert_eq!(reported(Score::mate_in(Plies(5))), Reported::Mate(3));
        assert_eq!(reported(Score::mated_in(Plies(4))), Reported::Mate(-2));
        assert_eq!(reported(Score(-31)), Reported::Centipawns(-31));
        let near = reported(Score::table_win_in(Plies(4)));
        assert_eq!(near, Reported::Centipawns(TABLE_WIN_SHOWN - 4));
        let lost = reported(Score::table_loss_in(Plies(4)));
        assert_eq!(lost, Reported::Centipawns(4 - TABLE_WIN_SHOWN));
    }
}
