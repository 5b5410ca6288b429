//! Turns the worker's results into [`Info`]: PV lines, bounds, WDL.

use super::continuation::{Continuations, LONGEST_DRAW, continued};
use super::exact::mating_line;
use super::info::{Bound, Info, Line, ReportedScore, Settled, TABLE_WIN_SHOWN, WinDrawLoss};
use super::shared::Shared;
use super::worker::Worker;
use duchamp_base::Wdl;
use duchamp_chess::{Move, Position};
use duchamp_eval::Score;
use std::time::Duration;

/// Search time after which fail-low and fail-high lines and the current move are reported too.
const VERBOSE_AFTER: Duration = Duration::from_secs(3);
/// A thread that has searched fewer nodes is not asked for its time before each root move: in searches of some hundred nodes
/// that would be a hundredth of them.
const VERBOSE_NODES: u64 = 10_000;

/// Reports the results of a search through its callback.
pub(super) struct Reporter<'a> {
    on_info: &'a mut dyn FnMut(Info),
    /// The last reported lines, as far as they were reported in order from the first.
    last: Vec<(ReportedScore, Bound, Vec<Move>)>,
    continuations: Continuations,
    /// The last whole line to a mate, each move with the key of the position before it.
    mating: Vec<(u64, Move)>,
    /// The proved value of the root.
    proved: Option<Wdl>,
    /// Nobody reads the lines.
    quiet: bool,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(on_info: &'a mut dyn FnMut(Info), quiet: bool) -> Reporter<'a> {
        Reporter {
            on_info,
            last: Vec::new(),
            continuations: Continuations::default(),
            mating: Vec::new(),
            proved: None,
            quiet,
        }
    }

    /// From now on reported scores agree with the proved value of the root.
    pub(super) fn set_proved_value(&mut self, proved: Wdl) {
        self.proved = Some(proved);
    }

    /// Reports a proved value or bound of the root.
    pub(super) fn settled(&mut self, settled: Settled) {
        (self.on_info)(Info::Settled(settled));
    }

    /// The score as it is reported, in agreement with the proved value of the root.
    pub(super) fn shown_score(&self, score: Score) -> Score {
        match self.proved {
            None => score,
            Some(Wdl::Draw) => Score::DRAW,
            // Drawn by the 50-move rule, if both sides play well.
            Some(Wdl::CursedWin) => Score::DRAW + 1,
            Some(Wdl::BlessedLoss) => Score::DRAW - 1,
            Some(wdl) if wdl > Wdl::Draw => score.max(Score::TABLE_WIN),
            Some(_) => score.min(-Score::TABLE_WIN),
        }
    }

    /// Whether the search has run for [`VERBOSE_AFTER`].
    pub(super) fn is_long(&self, worker: &Worker<'_>) -> bool {
        worker.shared.timer.elapsed() >= VERBOSE_AFTER
    }

    /// Reports the first `count` lines of an iteration.
    pub(super) fn lines(&mut self, worker: &Worker<'_>, depth: i32, count: usize) {
        for index in 0..count {
            self.line(worker, depth, index);
        }
    }

    /// Reports one line.
    pub(super) fn line(&mut self, worker: &Worker<'_>, depth: i32, index: usize) {
        if !self.quiet {
            let bound = worker.root_moves[index].bound;
            let line = self.line_of(worker, depth, index, bound);
            self.send(line);
        }
    }

    /// The line of a root move, whose score is a bound or exact.
    fn line_of(&mut self, worker: &Worker<'_>, depth: i32, index: usize, bound: Bound) -> Line {
        let root_move = &worker.root_moves[index];
        let (pv, complete) = self.variation(worker, depth, index);
        let bound = match bound {
            // The mate is proved, but its line is incomplete, so the mate may be shorter.
            Bound::Exact if !complete && root_move.score > Score::DRAW => Bound::Lower,
            Bound::Exact if !complete => Bound::Upper,
            bound => bound,
        };
        let score = self.shown_score(root_move.score);
        Line {
            depth: depth as u32,
            seldepth: (root_move.seldepth as u32).max(depth as u32),
            multipv: index + 1,
            score: reported(score),
            bound,
            wdl: match self.proved {
                Some(Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss) => CERTAIN_DRAW,
                _ => expected(score),
            },
            pv,
            ..counted(worker.shared)
        }
    }

    /// The PV of a root move, continued by known moves, and whether it is as long as a mate score says.
    fn variation(&mut self, worker: &Worker<'_>, depth: i32, index: usize) -> (Vec<Move>, bool) {
        let (root, shared) = (&worker.root, worker.shared);
        let root_move = &worker.root_moves[index];
        let found = &root_move.pv;
        let mate: Option<usize> = root_move.score.mate_plies().map(|plies| plies.0.into());
        let limit = mate.unwrap_or(LONGEST_DRAW.min(depth.max(0) as usize));
        let mating = &mut self.mating;
        let whole = self.continuations.of(index, found, limit, || match mate {
            Some(plies) => finish_mate(shared, root, found, plies, mating),
            None => continued(found, root, worker.game_keys(), shared, limit),
        });
        let complete = mate.is_none_or(|plies| whole.len() == plies);
        (whole, complete)
    }

    /// Reports the first `count` lines once more, all of them, unless they are the last reported ones. The first line is
    /// exact then, since the choice rests on it; but for a mate whose line is incomplete.
    pub(super) fn last_lines(&mut self, worker: &Worker<'_>, depth: i32, count: usize) {
        if self.quiet {
            return;
        }
        let lines: Vec<Line> = (0..count)
            .map(|index| {
                let bound = match index {
                    0 => Bound::Exact,
                    _ => worker.root_moves[index].bound,
                };
                self.line_of(worker, depth, index, bound)
            })
            .collect();
        if !self
            .last
            .iter()
            .eq(lines.iter().map(summary).collect::<Vec<_>>().iter())
        {
            lines.into_iter().for_each(|line| self.send(line));
        }
    }

    /// The PV of the first line as it was last reported.
    pub(super) fn last_variation(&self) -> &[Move] {
        self.last.first().map_or(&[], |(_, _, pv)| pv)
    }

    /// Reports the current root move, in long searches.
    pub(super) fn current(&mut self, worker: &Worker<'_>, depth: i32, mv: Move, number: usize) {
        if worker.nodes >= VERBOSE_NODES && self.is_long(worker) {
            (self.on_info)(Info::Current {
                depth: depth as u32,
                mv,
                number,
            });
        }
    }

    /// Reports a given line.
    pub(super) fn send(&mut self, line: Line) {
        // A fail-low or fail-high line in between breaks the order of its set.
        if line.multipv == 1 || line.multipv != self.last.len() + 1 {
            self.last.clear();
        }
        if line.multipv == self.last.len() + 1 {
            self.last.push(summary(&line));
        }
        (self.on_info)(Info::Line(line));
    }
}

/// What makes two reported lines the same to those who read them.
fn summary(line: &Line) -> (ReportedScore, Bound, Vec<Move>) {
    (line.score, line.bound, line.pv.clone())
}

/// A line with only the counters of the search.
pub(super) fn counted(shared: &Shared<'_>) -> Line {
    let time = shared.timer.elapsed();
    let nodes = shared.nodes();
    let micros = time.as_micros().max(1);
    Line {
        depth: 0,
        seldepth: 0,
        multipv: 1,
        score: ReportedScore::Centipawns(0),
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

/// The PV of a mate in so many plies, completed by the tablebases' moves, or by those of the last whole line where it ends on
/// that.
fn finish_mate(
    shared: &Shared<'_>,
    root: &Position,
    found: &[Move],
    plies: usize,
    last: &mut Vec<(u64, Move)>,
) -> Vec<Move> {
    let mut line = Vec::with_capacity(plies);
    let mut position = *root;
    let mut go = |line: &mut Vec<(u64, Move)>, mv: Move| {
        line.push((position.key(), mv));
        position = position.play(mv);
        position
    };
    let end = found.iter().fold(*root, |_, &mv| go(&mut line, mv));
    let missing = plies.saturating_sub(found.len());
    let known = last.len().checked_sub(missing).map(|at| &last[at..]);
    match known.filter(|known| known.first().is_some_and(|&(key, _)| key == end.key())) {
        Some(known) => line.extend_from_slice(known),
        None if missing > 0 && end.occupied().count() <= shared.oracle.max_men() => {
            let rest = mating_line(shared.oracle, &end, || shared.timer.is_late());
            for mv in rest.unwrap_or_default() {
                go(&mut line, mv);
            }
        }
        None => (),
    }
    let moves = line.iter().map(|&(_, mv)| mv).collect();
    if line.len() == plies {
        *last = line;
    }
    moves
}

/// The score in centipawns or moves to mate.
pub(super) fn reported(score: Score) -> ReportedScore {
    if let Some(moves) = score.mate_moves() {
        return ReportedScore::Mate(moves);
    }
    ReportedScore::Centipawns(if score.is_win() {
        TABLE_WIN_SHOWN - (Score::TABLE_WIN - score)
    } else if score.is_loss() {
        (Score::TABLE_WIN - (-score)) - TABLE_WIN_SHOWN
    } else {
        score.0
    })
}

/// Nothing but a draw is to be expected.
pub(super) const CERTAIN_DRAW: WinDrawLoss = WinDrawLoss {
    win: 0,
    draw: 1000,
    loss: 0,
};

/// WDL model: the score in centipawns at which the win probability is 50 %.
const WDL_CENTER: f64 = 155.0;
/// WDL model: the scale of the logistic curve, in centipawns.
const WDL_SCALE: f64 = 70.0;

/// The WDL model: two logistic curves, for winning and for losing.
pub(super) fn expected(score: Score) -> WinDrawLoss {
    let chance = |s: f64| (1000.0 / (1.0 + ((WDL_CENTER - s) / WDL_SCALE).exp())) as u16;
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
        assert_eq!(reported(Score::mate_in(Plies(5))), ReportedScore::Mate(3));
        assert_eq!(reported(Score::mated_in(Plies(4))), ReportedScore::Mate(-2));
        assert_eq!(reported(Score(-31)), ReportedScore::Centipawns(-31));
        let near = reported(Score::table_win_in(Plies(4)));
        assert_eq!(near, ReportedScore::Centipawns(TABLE_WIN_SHOWN - 4));
        let lost = reported(Score::table_loss_in(Plies(4)));
        assert_eq!(lost, ReportedScore::Centipawns(4 - TABLE_WIN_SHOWN));
    }
}
