//! Draws up a plan: the main line against the longest resistance, then variations where the other side's choice matters.
//!
//! A reply matters if the line after it leaves the pawn structure by another exit than the line after the longest
//! resistance: the winner then carries out another plan. Of replies that lead to the same exit only the one that holds out
//! longest is shown. Variations that cost the other side least come first, as many as there is room for.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Instant;

use super::super::budget::{Budget, Spent};
use super::super::prover::Prover;
use super::guide::{Guide, Outlook, corresponding};
use super::refute::{Effort, Other, after};
use super::types::{PlanEnd, PlanMove, Unplanned, WinPlan};
use duchamp_chess::{Color, Move, MoveList, Position, Role, Square};

impl Prover {
    /// How `winner` wins a position of kings and pawns that is known to be won, in at most so many variations. The budget's
    /// time is for all of it; its steps are for each move of which nothing is known yet.
    ///
    /// # Errors
    /// Why there is no plan.
    pub fn plan(
        &mut self,
        position: &Position,
        winner: Color,
        lines: usize,
        budget: Budget,
    ) -> Result<WinPlan, Unplanned> {
        let deadline = budget.time.map(|time| Instant::now() + time);
        let guide = Guide::new(self, position, winner, deadline)?;
        let mut plan = Tree::of(self, &guide, position, lines, deadline)?;
        let effort = Effort { budget, deadline };
        for number in 0..plan.moves.len() {
            if plan.moves[number].by_winner {
                plan.moves[number].only = self.is_only(&guide, &plan.moves[number], &effort);
            }
        }
        Ok(plan)
    }

    /// Whether a move of the winner is the only one that wins; `None` if that is not known.
    fn is_only(&mut self, guide: &Guide, chosen: &PlanMove, effort: &Effort) -> Option<bool> {
        let mv = chosen.mv;
        let moves: MoveList = chosen.before.legal_moves();
        let others: Vec<Position> = moves
            .iter()
            .filter(|other| (other.from(), other.to()) != (mv.from(), mv.to()))
            .map(|other| chosen.before.play(*other))
            .collect();
        // What is known already may settle it.
        let wins = |position: &Position| guide.look(self, position).is_some();
        if others.iter().any(wins) {
            return Some(false);
        }
        let mut only = Some(true);
        for position in others {
            match after(self, &position, guide.winner(), effort) {
                Other::Wins => return Some(false),
                Other::Fails => {}
                Other::Open => only = None,
            }
        }
        only
    }
}

/// By which exit a line leaves the pawn structure: whose move, the pawn's square if a pawn moves, and the target.
type Goal = (bool, Option<Move>, Option<Square>);

/// A reply after which the game is decided within so many plies needs no variation.
const TOLD: u16 = 3;
/// What a variation inside another and a change of the pawns on the way count for, in plies.
const NESTED: u16 = 5;
const CHANGED: u16 = 10;

/// A reply that may get a variation of its own.
struct Candidate {
    /// How little it matters.
    rank: u16,
    parent: Option<usize>,
    position: Position,
    mv: Move,
}

struct Tree<'a> {
    prover: &'a Prover,
    guide: &'a Guide,
    deadline: Option<Instant>,
    plan: WinPlan,
    /// Positions of the plan, by their keys, and the moves that lead to them.
    seen: HashMap<u64, usize>,
    candidates: Vec<Candidate>,
    goals: HashMap<u64, Goal>,
}

impl Tree<'_> {
    fn of(
        prover: &Prover,
        guide: &Guide,
        position: &Position,
        lines: usize,
        deadline: Option<Instant>,
    ) -> Result<WinPlan, Unplanned> {
        let look = guide.look(prover, position).ok_or(Unplanned::NotWon)?;
        let mut tree = Tree {
            prover,
            guide,
            deadline,
            plan: WinPlan {
                winner: guide.winner(),
                plies: look.plies,
                moves: Vec::new(),
                first: Vec::new(),
                others: Vec::new(),
                lines: 0,
            },
            seen: HashMap::new(),
            candidates: Vec::new(),
            goals: HashMap::new(),
        };
        if look.end.is_some() || lines == 0 {
            return Ok(tree.plan);
        }
        tree.line(None, *position, None)?;
        while tree.plan.lines < lines {
            let Some(next) = tree.next_candidate() else {
                break;
            };
            if !tree.is_shown(&next)? {
                tree.line(next.parent, next.position, Some(next.mv))?;
            }
        }
        Ok(tree.plan)
    }

    /// The reply that matters most; of several the first of the plan.
    fn next_candidate(&mut self) -> Option<Candidate> {
        let places = 0..self.candidates.len();
        let best = places.min_by_key(|&at| {
            let candidate = &self.candidates[at];
            (candidate.rank, candidate.parent)
        })?;
        Some(self.candidates.remove(best))
    }

    /// Whether the plan has the position after a reply, or after the answer to it.
    fn is_shown(&self, candidate: &Candidate) -> Result<bool, Unplanned> {
        let replied = candidate.position.play(candidate.mv);
        let shown = |position: &Position| self.seen.contains_key(&position.key());
        let ends = self.guide.look(self.prover, &replied);
        if shown(&replied) || ends.is_none_or(|look| look.end.is_some()) {
            return Ok(shown(&replied));
        }
        Ok(shown(&replied.play(self.answer(&replied)?)))
    }

    /// Adds a line from a position, which begins with a certain move or with the best one, until it is decided or known.
    fn line(
        &mut self,
        mut parent: Option<usize>,
        mut position: Position,
        mut start: Option<Move>,
    ) -> Result<(), Unplanned> {
        self.plan.lines += 1;
        loop {
            if self.deadline.is_some_and(|end| Instant::now() >= end) {
                return Err(Unplanned::Spent(Spent::Time));
            }
            let mv = match start.take() {
                Some(mv) => mv,
                None if position.turn() == self.guide.winner() => self.answer(&position)?,
                None => self.reply(parent, &position)?,
            };
            let number = self.add(parent, position, mv)?;
            let added = &self.plan.moves[number];
            if added.end.is_some() {
                return Ok(());
            }
            position = added.after;
            parent = Some(number);
        }
    }

    fn answer(&self, position: &Position) -> Result<Move, Unplanned> {
        let answer = self.guide.answer(self.prover, position);
        answer.ok_or(Unplanned::NotWon)
    }

    /// The longest resistance; replies that lead to other plans become candidates.
    fn reply(&mut self, parent: Option<usize>, position: &Position) -> Result<Move, Unplanned> {
        let replies = self.replies(position)?;
        let (main, most) = replies[0];
        let weight = self.weight(parent);
        let mut goals = vec![self.goal(&position.play(main), position, main)?];
        for &(mv, look) in &replies[1..] {
            let after = position.play(mv);
            let goal = self.goal(&after, position, mv)?;
            if goals.contains(&goal) {
                continue;
            }
            goals.push(goal);
            let lost = match look.end {
                // Who promotes puts up a fight that is not counted here.
                Some(PlanEnd::Queened) => 0,
                _ if look.plies.0 < TOLD => continue,
                _ => most.plies.0 - look.plies.0,
            };
            self.candidates.push(Candidate {
                rank: lost + weight,
                parent,
                position: *position,
                mv,
            });
        }
        let rest = replies[1..].iter().map(|(mv, _)| *mv).collect();
        match parent {
            Some(number) => self.plan.moves[number].others = rest,
            None => self.plan.others = rest,
        }
        Ok(main)
    }

    /// How little the replies to a move matter: those of the main line and of the first pawn structure matter most.
    fn weight(&self, number: Option<usize>) -> u16 {
        let mut weight = 0;
        let mut number = number;
        while let Some(at) = number {
            let mv = &self.plan.moves[at];
            let siblings = match mv.parent {
                Some(parent) => &self.plan.moves[parent].next,
                None => &self.plan.first,
            };
            if siblings.first() != Some(&at) {
                weight += NESTED;
            }
            if mv.exit {
                weight += CHANGED;
            }
            number = mv.parent;
        }
        weight
    }

    /// All replies, the one that holds out longest first.
    fn replies(&self, position: &Position) -> Result<Vec<(Move, Outlook)>, Unplanned> {
        let moves: MoveList = position.legal_moves();
        let mut replies = Vec::new();
        for mv in moves {
            let look = self.guide.look(self.prover, &position.play(mv));
            replies.push((mv, look.ok_or(Unplanned::NotWon)?));
        }
        let piece = |mv: Move| mv.promotion().is_some_and(|role| role != Role::Queen);
        replies.sort_by_key(|(mv, look)| (Reverse(look.plies), piece(*mv)));
        if replies.is_empty() {
            return Err(Unplanned::NotWon);
        }
        Ok(replies)
    }

    /// The exit by which the line goes on after a move that was just played.
    fn goal(&mut self, after: &Position, before: &Position, mv: Move) -> Result<Goal, Unplanned> {
        let exit = |before: &Position, mv: Move| {
            is_exit(before, mv).then(|| {
                let pawn = before.moved_role(mv) == Role::Pawn;
                let by_winner = before.turn() == self.guide.winner();
                (by_winner, pawn.then_some(mv), Some(mv.to()))
            })
        };
        if let Some(goal) = exit(before, mv) {
            return Ok(goal);
        }
        let mut position = *after;
        let mut path = Vec::new();
        let goal = loop {
            if let Some(goal) = self.goals.get(&position.key()) {
                break *goal;
            }
            path.push(position.key());
            let look = self.guide.look(self.prover, &position);
            if look.ok_or(Unplanned::NotWon)?.end.is_some() {
                break (true, None, None);
            }
            let mv = if position.turn() == self.guide.winner() {
                self.answer(&position)?
            } else {
                self.replies(&position)?[0].0
            };
            if let Some(goal) = exit(&position, mv) {
                break goal;
            }
            position = position.play(mv);
        };
        self.goals.extend(path.into_iter().map(|key| (key, goal)));
        Ok(goal)
    }

    /// Adds a move behind another.
    fn add(
        &mut self,
        parent: Option<usize>,
        before: Position,
        mv: Move,
    ) -> Result<usize, Unplanned> {
        let after = before.play(mv);
        let winner = self.guide.winner();
        let by_winner = before.turn() == winner;
        let look = self.guide.look(self.prover, &after);
        let look = look.ok_or(Unplanned::NotWon)?;
        let number = self.plan.moves.len();
        let known = self.seen.get(&after.key()).copied();
        if known.is_none() {
            self.seen.insert(after.key(), number);
        }
        let squares = match by_winner && look.end.is_none() {
            true => corresponding(self.prover, &after, winner)
                .into_iter()
                .collect(),
            false => Vec::new(),
        };
        self.plan.moves.push(PlanMove {
            mv,
            before,
            after,
            parent,
            by_winner,
            only: None,
            corresponding: squares,
            plies: look.plies,
            exit: is_exit(&before, mv),
            end: look.end.or(known.map(PlanEnd::AsAfter)),
            next: Vec::new(),
            others: Vec::new(),
        });
        let (next, others) = match parent {
            Some(parent) => {
                let parent = &mut self.plan.moves[parent];
                (&mut parent.next, &mut parent.others)
            }
            None => (&mut self.plan.first, &mut self.plan.others),
        };
        next.push(number);
        others.retain(|other| *other != mv);
        Ok(number)
    }
}

/// Whether a move changes the pawns.
fn is_exit(before: &Position, mv: Move) -> bool {
    before.moved_role(mv) == Role::Pawn || before.is_capture(mv)
}
