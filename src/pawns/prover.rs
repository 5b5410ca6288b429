//! Who wins? Structures are looked into where both sides' best hopes meet, until the question is settled.
//!
//! Each structure keeps three bounds on what the attacker wins (`bounds.rs`). A question about one placement of the
//! kings is settled when it is a proved win or no possible one. Until then a line is played out: the attacker follows
//! his shortest hope, the defender the hardest of those replies that are not yet proved lost. The attacker's hope comes
//! nearer with every move and the defender never enters a proved win, so the line ends in a move whose
//! consequences are unknown; they are worked out, and the structures of the line are solved anew. As in proof-number
//! search the attacker prefers hopes on which little work was spent so far.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bounds::{Bound, Bounds, Known, Stage};
use super::exits::{Exit, Kind, Mover};
use super::guard::Guards;
use super::leaf;
use super::line::{Hopes, Line};
use super::queen::{Queens, Quest, Task};
use super::rows::{Kings, Rows};
use super::scene::{Ground, Scene};
use crate::base::Plies;
use crate::chess::{Bitboard, Color, Move, Oracle, Position, Role, Square};

/// The price of a promotion whose consequences are unknown.
const PROMOTION: u32 = 4;

/// How much may be spent on a question.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Structures to be held in memory.
    pub structures: usize,
    /// Time; `None`: no limit.
    pub time: Option<Duration>,
}

/// What is proved about the attacker's chances in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// He wins; so many plies at most to the next pawn move, capture, or mate.
    Won(Plies),
    /// He cannot win.
    NotWon,
    /// Neither is proved.
    Open,
}

/// A structure that has been looked into.
struct Node {
    bounds: Bounds,
    /// Lines that went on here.
    effort: u32,
    /// When the bounds were last worked out, and when they last changed.
    solved: u64,
    changed: u64,
    /// Nothing more is to be found out (from tables).
    fixed: bool,
}

/// Proofs about pawn endings in which one side, the attacker, tries to win.
pub struct Prover {
    oracle: Arc<dyn Oracle>,
    nodes: HashMap<Scene, Node>,
    queens: Queens,
    guards: Guards,
    clock: u64,
    /// When the present question must be given up.
    deadline: Option<Instant>,
    /// Lines that may still be played for it.
    lines: usize,
}

impl Known for Prover {
    fn bounds(&self, scene: Scene) -> Option<&Bounds> {
        self.nodes.get(&scene).map(|node| &node.bounds)
    }

    fn queened(&self, scene: Scene, square: Square) -> Option<(&Rows, bool)> {
        self.queens
            .best(scene)
            .map(|(queen, settled)| (&queen.lost[square.index()], settled))
    }

    fn conceded(&self, scene: Scene, square: Square) -> Option<&Rows> {
        self.guards
            .get(scene)
            .map(|guard| &guard.open[square.index()])
    }
}

/// What a line found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// Something new was worked out.
    Something,
    /// Nothing can be worked out from here.
    Nothing,
}

impl Prover {
    /// Knows nothing but what the oracle's tables tell.
    #[must_use]
    pub fn new(oracle: Arc<dyn Oracle>) -> Prover {
        Prover {
            oracle,
            nodes: HashMap::new(),
            queens: Queens::default(),
            guards: Guards::default(),
            clock: 0,
            deadline: None,
            lines: usize::MAX,
        }
    }

    /// Structures with a queen solved so far.
    #[must_use]
    pub fn queens(&self) -> usize {
        self.queens.len() + self.guards.len()
    }

    /// Structures looked into so far.
    #[must_use]
    pub fn structures(&self) -> usize {
        self.nodes.len()
    }

    /// Mutual zugzwangs known so far among the placements of the kings over the pawns of a position: the attacker wins if
    /// the defender is to move, and cannot win if he is to move himself. Pairs of the attacker's and the defender's square.
    #[must_use]
    pub fn zugzwangs(&self, position: &Position, attacker: Color) -> Vec<(Square, Square)> {
        let Some(node) = self.nodes.get(&Scene::of(position, attacker)) else {
            return Vec::new();
        };
        let ground = Ground::of(Scene::of(position, attacker));
        let mut pairs = Vec::new();
        for king in Square::ALL {
            let open = node.bounds.high.attacker[king];
            for other in (node.bounds.low.defender[king] & ground.attacker_row(king)) - open {
                pairs.push((king.relative(attacker), other.relative(attacker)));
            }
        }
        pairs
    }

    /// What is known already about a position, without any work; `None` as for [`Prover::prove`].
    #[must_use]
    pub fn known(&self, position: &Position, attacker: Color) -> Option<Verdict> {
        let (scene, kings, to_move) = question(position, attacker)?;
        Some(self.verdict(scene, kings, to_move))
    }

    /// Whether `attacker` wins; `None` if the position is no pawn ending or has an en-passant right.
    pub fn prove(
        &mut self,
        position: &Position,
        attacker: Color,
        budget: Budget,
    ) -> Option<Verdict> {
        let (scene, kings, to_move) = question(position, attacker)?;
        self.deadline = budget.time.map(|time| Instant::now() + time);
        Some(self.decide(scene, kings, to_move, budget.structures))
    }

    /// The same with a budget of lines, each of which works one thing out; returns also how many are left.
    pub(super) fn prove_by_lines(
        &mut self,
        position: &Position,
        attacker: Color,
        budget: Budget,
        lines: usize,
    ) -> Option<(Verdict, usize)> {
        self.lines = lines;
        let verdict = self.prove(position, attacker, budget);
        let left = std::mem::replace(&mut self.lines, usize::MAX);
        Some((verdict?, left))
    }

    /// What the kings' placement is worth as far as the structure was looked into: whether the attacker surely wins,
    /// with the most plies that any win of the structure takes, and whether he may win.
    pub(super) fn glimpse(
        &self,
        position: &Position,
        attacker: Color,
    ) -> Option<(Option<Plies>, bool)> {
        let scene = Scene::of(position, attacker);
        if scene.attack.is_empty() {
            return Some((None, false));
        }
        let bounds = &self.nodes.get(&scene)?.bounds;
        let kings = Kings {
            attacker: position.king(attacker).relative(attacker),
            defender: position.king(!attacker).relative(attacker),
        };
        let to_move = position.turn() == attacker;
        let won = bounds.low.has(kings, to_move);
        Some((
            won.then_some(bounds.longest),
            bounds.high.has(kings, to_move),
        ))
    }

    /// Looks into the structure of a position.
    pub(super) fn look(&mut self, position: &Position, attacker: Color) {
        self.create(Scene::of(position, attacker));
    }

    /// After a promotion to a queen, to be made in `position`: whether `attacker` surely wins if it is his, and whether he
    /// may win if it is the defender's.
    pub(super) fn after_promotion(
        &self,
        position: &Position,
        attacker: Color,
        mv: Move,
    ) -> (bool, bool) {
        let pawn = Bitboard::of(mv.from().relative(attacker));
        let mut scene = Scene::of(position, attacker);
        scene.attack = scene.attack - pawn;
        scene.defend = scene.defend - pawn;
        let kings = Kings {
            attacker: position.king(attacker).relative(attacker),
            defender: position.king(!attacker).relative(attacker),
        };
        let square = mv.to().relative(attacker);
        let wins = self.queened(scene, square);
        let may_win = self.conceded(scene, square);
        (
            wins.is_some_and(|(won, _)| won.has(kings)),
            // A bare king never wins.
            !scene.attack.is_empty() && may_win.is_none_or(|open| open.has(kings)),
        )
    }

    /// Memory in use, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        const PLANES: usize = 64 * size_of::<Rows>();
        self.nodes.len() * size_of::<(Scene, Node)>()
            + (2 * self.queens.len() + 3 * self.guards.len()) * PLANES
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Prover::new(Arc::clone(&self.oracle));
    }

    /// Asks the same about every placement of the kings over the pawns of a position, nearest to the present ones first, as
    /// far as the budget goes; for [`Prover::zugzwangs`].
    pub fn prove_all(&mut self, position: &Position, attacker: Color, budget: Budget) {
        let Some((scene, kings, _)) = question(position, attacker) else {
            return;
        };
        self.deadline = budget.time.map(|time| Instant::now() + time);
        let ground = Ground::of(scene);
        let far = |a: Square, b: Square| {
            let [files, ranks] = [
                a.file() as i32 - b.file() as i32,
                a.rank() as i32 - b.rank() as i32,
            ];
            files.abs().max(ranks.abs())
        };
        let mut squares = Square::ALL;
        squares.sort_by_key(|&square| far(square, kings.attacker));
        for attacker in squares {
            for defender in ground.attacker_row(attacker) {
                for to_move in [Mover::Attacker, Mover::Defender] {
                    self.decide(
                        scene,
                        Kings { attacker, defender },
                        to_move,
                        budget.structures,
                    );
                }
            }
        }
    }

    fn decide(&mut self, scene: Scene, kings: Kings, to_move: Mover, structures: usize) -> Verdict {
        let spent = |prover: &Prover| {
            prover.nodes.len() >= structures
                || prover.lines == 0
                || prover.deadline.is_some_and(|end| Instant::now() >= end)
        };
        self.create(scene);
        loop {
            self.refresh(scene);
            let verdict = self.verdict(scene, kings, to_move);
            if verdict != Verdict::Open || spent(self) {
                return verdict;
            }
            let hopeful = self.is_open(scene, kings, to_move, Bound::Hope);
            let mode = if hopeful { Bound::Hope } else { Bound::High };
            self.lines -= 1;
            if self.follow(scene, kings, to_move, mode) == Found::Nothing {
                return self.verdict(scene, kings, to_move);
            }
        }
    }

    /// Whether a placement may be won by the bound `mode`, and is not proved to be.
    fn is_open(&self, scene: Scene, kings: Kings, to_move: Mover, mode: Bound) -> bool {
        let attacker = to_move == Mover::Attacker;
        self.nodes.get(&scene).is_some_and(|node| {
            node.bounds.of(mode).has(kings, attacker) && !node.bounds.low.has(kings, attacker)
        })
    }

    fn verdict(&self, scene: Scene, kings: Kings, to_move: Mover) -> Verdict {
        let Some(node) = self.nodes.get(&scene) else {
            // A bare king cannot win; of other structures nothing is known yet.
            return if scene.attack.is_empty() {
                Verdict::NotWon
            } else {
                Verdict::Open
            };
        };
        let attacker = to_move == Mover::Attacker;
        if node.bounds.low.has(kings, attacker) {
            let stage = Stage::of(scene);
            let game = stage.game(&stage.outlooks(self), |_| Bound::Low);
            return Verdict::Won(game.plies(kings, attacker).unwrap_or(node.bounds.longest));
        }
        if node.bounds.high.has(kings, attacker) {
            Verdict::Open
        } else {
            Verdict::NotWon
        }
    }

    /// Adds a structure, with what its known successors tell.
    fn create(&mut self, scene: Scene) {
        if scene.attack.is_empty() || self.nodes.contains_key(&scene) {
            return;
        }
        let fixed = scene.men() <= self.oracle.max_men();
        let table = if fixed {
            leaf::bounds(scene, &*self.oracle)
        } else {
            None
        };
        let fixed = table.is_some();
        let bounds = table.unwrap_or_else(|| Stage::of(scene).solve(self));
        self.clock += 1;
        let node = Node {
            bounds,
            effort: 0,
            solved: self.clock,
            changed: self.clock,
            fixed,
        };
        self.nodes.insert(scene, node);
    }

    /// Works out the bounds again if those of a successor have changed since.
    fn refresh(&mut self, scene: Scene) {
        let Some(node) = self.nodes.get(&scene) else {
            return;
        };
        if node.fixed {
            return;
        }
        let stage = Stage::of(scene);
        let newer = |to: &Scene| {
            self.nodes
                .get(to)
                .is_some_and(|next| next.changed > node.solved)
        };
        let stale = stage.exits.iter().any(|exit| {
            newer(&exit.to)
                || match &exit.kind {
                    Kind::King(_) => false,
                    Kind::Pawn { passants, .. } => passants.iter().any(newer),
                    Kind::Promotion(_) => self.born(exit) > node.solved,
                }
        });
        if stale {
            self.renew(scene);
        }
    }

    /// Works out the bounds again.
    fn renew(&mut self, scene: Scene) {
        let bounds = Stage::of(scene).solve(self);
        self.clock += 1;
        if let Some(node) = self.nodes.get_mut(&scene) {
            node.solved = self.clock;
            if node.bounds != bounds {
                node.changed = self.clock;
                node.bounds = bounds;
            }
        }
    }

    /// The work to be expected of an exit; `None` if nothing more is to be found out.
    fn price(&self, exit: &Exit) -> Option<u32> {
        match &exit.kind {
            Kind::Promotion(_) if exit.mover == Mover::Attacker => {
                let price = |mobile| if mobile { 3 * PROMOTION } else { PROMOTION };
                self.task(exit).map(|task| price(task.mobile))
            }
            Kind::Promotion(_) => self.guards.get(exit.to).is_none().then_some(PROMOTION),
            Kind::King(_) => Some(1 + self.effort(exit.to)),
            Kind::Pawn { passants, .. } => Some(
                2 + self.effort(exit.to) + passants.iter().map(|&to| self.effort(to)).sum::<u32>(),
            ),
        }
    }

    /// When what is known of a promotion was worked out.
    fn born(&self, exit: &Exit) -> u64 {
        match exit.mover {
            Mover::Attacker => self.queens.best(exit.to).map_or(0, |(queen, _)| queen.born),
            Mover::Defender => self.guards.get(exit.to).map_or(0, |guard| guard.born),
        }
    }

    /// What can still be worked out about a new queen of the attacker.
    fn task(&self, exit: &Exit) -> Option<Task> {
        let task = |mobile| Task {
            scene: exit.to,
            mobile,
        };
        [false, true]
            .map(task)
            .into_iter()
            .find(|&task| self.queens.get(task).is_none())
    }

    fn effort(&self, scene: Scene) -> u32 {
        self.nodes
            .get(&scene)
            .map_or(0, |node| 2 * (32 - node.effort.leading_zeros()))
    }

    /// Plays a line from an open placement to something unknown, works it out, and solves the structures of the line
    /// again.
    fn follow(&mut self, scene: Scene, kings: Kings, to_move: Mover, mode: Bound) -> Found {
        let Some(node) = self.nodes.get_mut(&scene) else {
            self.create(scene);
            return Found::Something;
        };
        node.effort += 1;
        let Some((exit, kings)) = self.line(scene, kings, to_move, mode) else {
            return Found::Nothing;
        };
        if let Kind::Promotion(_) = exit.kind {
            return self.promote(scene, &exit);
        }
        let next = match exit.mover {
            Mover::Attacker => Mover::Defender,
            Mover::Defender => Mover::Attacker,
        };
        let mut to = vec![(exit.to, next)];
        if let Kind::Pawn { passants, .. } = &exit.kind {
            to.extend(passants.iter().map(|&scene| (scene, exit.mover)));
        }
        let solved = self.nodes.get(&scene).map_or(0, |node| node.solved);
        let mut found = Found::Nothing;
        for (next, mover) in to {
            if next.attack.is_empty() {
                continue;
            }
            if !self.nodes.contains_key(&next) {
                self.create(next);
                found = Found::Something;
                break;
            }
            self.refresh(next);
            if self.is_open(next, kings, mover, mode) {
                found = self.follow(next, kings, mover, mode);
            }
            // What the structure after the move has learnt meanwhile is news, too.
            if self
                .nodes
                .get(&next)
                .is_some_and(|node| node.changed > solved)
            {
                found = Found::Something;
            }
            if found == Found::Something {
                break;
            }
        }
        self.refresh(scene);
        found
    }

    /// Works out what comes of a promotion.
    fn promote(&mut self, scene: Scene, exit: &Exit) -> Found {
        self.clock += 1;
        let quest = Quest {
            clock: self.clock,
            deadline: self.deadline,
        };
        let solved = match exit.mover {
            Mover::Attacker => {
                let Some(task) = self.task(exit) else {
                    return Found::Nothing;
                };
                let mut queens = std::mem::take(&mut self.queens);
                let solved = queens.solve(task, self, &quest);
                self.queens = queens;
                solved
            }
            Mover::Defender => {
                let mut guards = std::mem::take(&mut self.guards);
                let solved = guards.solve(exit.to, self, &quest);
                self.guards = guards;
                solved
            }
        };
        if solved.is_none() {
            return Found::Nothing;
        }
        self.renew(scene);
        Found::Something
    }

    /// The exit that a line inside the structure ends with, and the kings after it.
    fn line(
        &self,
        scene: Scene,
        kings: Kings,
        to_move: Mover,
        mode: Bound,
    ) -> Option<(Exit, Kings)> {
        let stage = Stage::of(scene);
        let outlooks = stage.outlooks(self);
        let prices: Vec<Option<u32>> = stage.exits.iter().map(|exit| self.price(exit)).collect();
        let line = Line {
            low: &self.nodes.get(&scene)?.bounds.low,
            hopes: Hopes::of(&stage, &outlooks, &prices, mode),
            stage: &stage,
            outlooks: &outlooks,
            prices: &prices,
            mode,
        };
        line.play(kings, to_move)
    }
}

/// The attacker's view of a position; `None` if it is no pawn ending or has an en-passant right.
fn question(position: &Position, attacker: Color) -> Option<(Scene, Kings, Mover)> {
    let kings_and_pawns = position.role(Role::King) | position.role(Role::Pawn);
    if kings_and_pawns != position.occupied() || position.ep_square().is_some() {
        return None;
    }
    let kings = Kings {
        attacker: position.king(attacker).relative(attacker),
        defender: position.king(!attacker).relative(attacker),
    };
    let to_move = if position.turn() == attacker {
        Mover::Attacker
    } else {
        Mover::Defender
    };
    Some((Scene::of(position, attacker), kings, to_move))
}
