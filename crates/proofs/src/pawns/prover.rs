//! Who wins? Structures are looked into where both sides' best hopes meet, until the question is settled.
//!
//! Each structure keeps three bounds on what the attacker wins (`bounds.rs`). A question about one placement of the
//! kings is settled when it is a proved win or no possible one. Until then a line is played out: the attacker follows
//! his shortest hope, the defender in turns the hardest of those replies that are not yet proved lost and the one by which
//! he may hold with the least work. The attacker's hope comes nearer with every move and the defender never enters a
//! proved win, so the line ends in a move whose consequences are unknown; they are worked out, and the structures of
//! the line are solved anew. As in proof-number search hopes on which little work was spent so far are preferred.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use super::bounds::{Bound, Bounds, Known, Stage};
use super::budget::{Budget, ProverHandle, Spent};
use super::duel::Duel;
use super::exits::{Exit, Kind, Mover};
use super::flood::Flood;
use super::guard::Guards;
use super::leaf;
use super::line::{Doubts, Hopes, Line};
use super::pair::{Pairs, Sures};
use super::queen::{Queens, Task};
use super::rows::{Kings, Rows};
use super::scene::{Ground, Map, Scene};
use super::spots::{Promotions, Spots};
use duchamp_base::{Plies, limits};
use duchamp_chess::{Color, Oracle, Position, Square};

/// The highest level of trying.
const PATIENCE: u32 = 10;

/// The same where work is counted in lines: one promotion must not take too many at once.
const LITTLE_PATIENCE: u32 = 4;

/// Positions that the search of single promotions may look into for each structure of the budget.
const PER_STRUCTURE: u64 = 200;

/// What is proved about the attacker's chances in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WinStatus {
    /// He wins; so many plies at most to the next pawn move, capture, or mate.
    Won(Plies),
    /// He cannot win.
    NotWon,
    /// Neither is proved.
    Open,
}

/// A structure, a placement of the kings, and who is to move.
type Question = (Scene, Kings, Mover);

/// A structure that has been looked into.
pub(super) struct StructureNode {
    pub(super) bounds: Bounds,
    /// Lines that went on here.
    pub(super) effort: u32,
    /// When the bounds were last worked out, and when they last changed.
    solved: u64,
    changed: u64,
    /// Tables know it.
    pub(super) fixed: bool,
    /// Nothing more is to be found out.
    settled: bool,
    /// Everything that it leads to has been solved.
    pub(super) whole: bool,
}

/// Proofs about pawn endings in which one side, the attacker, tries to win.
pub struct Prover {
    pub(super) oracle: Arc<dyn Oracle>,
    /// Boxed, so that the map itself is small: a structure asks for a dozen others.
    pub(super) nodes: Map<Scene, Box<StructureNode>>,
    pub(super) queens: Queens,
    pub(super) guards: Guards,
    pub(super) pairs: Pairs,
    pub(super) sures: Sures,
    pub(super) promotions: Promotions,
    pub(super) duel: Duel,
    /// How often the search of single positions met a structure with a queen of one side or both.
    pub(super) visits: Map<(Scene, Option<Color>), u32>,
    pub(super) clock: u64,
    /// How much is tried for a single promotion.
    pub(super) level: u32,
    /// The highest level.
    patience: u32,
    /// Structures to be held in memory.
    pub(super) most: usize,
    /// The most memory for tables with queens, in bytes.
    pub(super) table_bytes: usize,
    /// Positions that may still be looked into one by one.
    pub(super) positions: u64,
    /// When the present question must be given up.
    pub(super) deadline: Option<Instant>,
    /// Lines that may still be played for it.
    pub(super) lines: usize,
    /// The last two questions.
    asked: [Option<Question>; 2],
    /// Structures below which everything is to be solved, the last first.
    pub(super) floods: Vec<Flood>,
    handle: Arc<ProverHandle>,
}

impl Known for Prover {
    fn bounds(&self, scene: Scene) -> Option<&Bounds> {
        self.nodes.get(&scene).map(|node| &node.bounds)
    }

    fn queened(&self, scene: Scene, square: Square) -> Option<(&Rows, bool)> {
        self.queens
            .best(scene)
            .map(|(queen, all)| (&queen.lost[square.index()], all))
    }

    fn trying(&self) -> bool {
        self.level > 0
    }

    fn conceded(&self, scene: Scene, square: Square) -> Option<&Rows> {
        self.guards
            .get(scene)
            .map(|guard| &guard.open[square.index()])
    }

    fn spots(&self, scene: Scene, square: Square, mover: Mover) -> Option<&Spots> {
        self.promotions.get(scene, square, mover)
    }
}

/// What a line found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
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
            nodes: Map::default(),
            queens: Queens::default(),
            guards: Guards::default(),
            pairs: Pairs::default(),
            sures: Sures::default(),
            promotions: Promotions::default(),
            duel: Duel::default(),
            visits: Map::default(),
            clock: 0,
            level: 0,
            patience: PATIENCE,
            most: 0,
            table_bytes: usize::MAX,
            positions: 0,
            deadline: None,
            lines: usize::MAX,
            asked: [None; 2],
            floods: Vec::new(),
            handle: Arc::default(),
        }
    }

    /// The same, to be watched and stopped by other threads.
    #[must_use]
    pub fn with_handle(oracle: Arc<dyn Oracle>, handle: Arc<ProverHandle>) -> Prover {
        Prover {
            handle,
            ..Prover::new(oracle)
        }
    }

    /// What ended the work on the last question if it was left open; `None` if nothing was left to try. To be asked at once:
    /// time goes on.
    #[must_use]
    pub fn spent(&self) -> Option<Spent> {
        if self.handle.is_stopped() {
            Some(Spent::Stopped)
        } else if limits::is_short() {
            Some(Spent::Memory)
        } else if self.is_over() {
            Some(Spent::Time)
        } else if self.is_full() || self.positions == 0 {
            Some(Spent::Structures)
        } else {
            (self.lines == 0).then_some(Spent::Steps)
        }
    }

    /// What is known already about a position, without any work; `None` as for [`Prover::prove`].
    #[must_use]
    pub fn known(&self, position: &Position, attacker: Color) -> Option<WinStatus> {
        let (scene, kings, to_move) = question(position, attacker)?;
        Some(self.verdict(scene, kings, to_move))
    }

    /// Whether `attacker` wins; `None` if the position is no pawn ending or has an en-passant right.
    pub fn prove(
        &mut self,
        position: &Position,
        attacker: Color,
        budget: Budget,
    ) -> Option<WinStatus> {
        let (scene, kings, to_move) = question(position, attacker)?;
        self.begin((scene, kings, to_move), budget);
        Some(self.decide(scene, kings, to_move))
    }

    /// The same; returns also how many steps are left.
    pub(super) fn prove_by_steps(
        &mut self,
        position: &Position,
        attacker: Color,
        budget: Budget,
    ) -> Option<(WinStatus, usize)> {
        let verdict = self.prove(position, attacker, budget)?;
        Some((verdict, self.lines))
    }

    /// Looks into the structure of a position.
    pub(super) fn look(&mut self, position: &Position, attacker: Color) {
        self.create(Scene::of(position, attacker));
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let new = Prover::with_handle(Arc::clone(&self.oracle), Arc::clone(&self.handle));
        *self = new.with_table_bytes(self.table_bytes);
    }

    /// Asks the same about every placement of the kings over the pawns of a position, nearest to the present ones first, as
    /// far as the budget goes; for [`Prover::zugzwangs`].
    pub fn prove_all(&mut self, position: &Position, attacker: Color, budget: Budget) {
        let Some((scene, kings, to_move)) = question(position, attacker) else {
            return;
        };
        self.begin((scene, kings, to_move), budget);
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
        // What is hard waits until what is easy is known.
        for patience in 0..PATIENCE {
            self.patience = patience;
            for attacker in squares {
                if self.is_spent() {
                    return;
                }
                for defender in ground.attacker_row(attacker) {
                    for to_move in [Mover::Attacker, Mover::Defender] {
                        self.decide(scene, Kings { attacker, defender }, to_move);
                    }
                }
            }
        }
    }

    /// Starts with a question, easy things first unless it is one of the last two, which is gone on with.
    fn begin(&mut self, question: Question, budget: Budget) {
        // If there is no memory still, the work ends at once.
        limits::recover();
        self.deadline = budget.time.map(|time| Instant::now() + time);
        self.most = budget.structures;
        let room = budget.structures.saturating_sub(self.nodes.len());
        self.positions = PER_STRUCTURE.saturating_mul(room as u64);
        self.lines = budget.steps.unwrap_or(usize::MAX);
        // A deadline ends long work wherever it is; a count of lines does so only between two lines.
        self.patience = if budget.steps.is_some() && budget.time.is_none() {
            LITTLE_PATIENCE
        } else {
            PATIENCE
        };
        if !self.asked.contains(&Some(question)) {
            self.level = self.level.min(1);
            self.asked = [Some(question), self.asked[0]];
        }
    }

    fn decide(&mut self, scene: Scene, kings: Kings, to_move: Mover) -> WinStatus {
        self.create(scene);
        loop {
            self.refresh(scene);
            let verdict = self.verdict(scene, kings, to_move);
            if verdict != WinStatus::Open || self.is_spent() {
                return verdict;
            }
            let hopeful = self.is_open(scene, kings, to_move);
            self.lines -= 1;
            if self.pour() {
                continue;
            }
            let found = hopeful && self.follow(scene, kings, to_move, true) == Found::Something;
            // Work that the deadline cut short was not given up: only what was must be tried harder.
            if !found && (self.is_over() || !self.rouse()) {
                return self.verdict(scene, kings, to_move);
            }
        }
    }

    /// Follows so many lines from a placement, trying no promotions; `true` if it is decided.
    pub(super) fn skim(&mut self, scene: Scene, kings: Kings, to_move: Mover, lines: u32) -> bool {
        if self.is_full() {
            return false;
        }
        self.create(scene);
        for _ in 0..lines {
            self.refresh(scene);
            if !self.is_open(scene, kings, to_move) || self.is_over() {
                return true;
            }
            if self.follow(scene, kings, to_move, false) == Found::Nothing {
                return false;
            }
        }
        false
    }

    /// Whether there is no room for more structures.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// Whether the time is over, or there is no more memory.
    pub(super) fn is_over(&self) -> bool {
        self.handle.is_stopped()
            || limits::is_short()
            || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether all has been spent.
    fn is_spent(&self) -> bool {
        self.is_full() || self.positions == 0 || self.lines == 0 || self.is_over()
    }

    /// Tries harder where it was given up; `false` if it was nowhere.
    fn rouse(&mut self) -> bool {
        if self.level >= self.patience {
            return false;
        }
        self.level += 1;
        self.clock += 1;
        let any = self.promotions.rouse(self.clock);
        if !any && self.level > 1 {
            return false;
        }
        // What leads nowhere else first.
        let mut all: Vec<Scene> = self.nodes.keys().copied().collect();
        all.sort_unstable_by_key(|scene| scene.moves_left());
        for scene in all {
            if self.nodes.get(&scene).is_some_and(|node| !node.settled) && self.level == 1 {
                self.renew(scene);
            } else {
                self.refresh(scene);
            }
        }
        true
    }

    /// Whether there is hope to win a placement that is not proved to be won.
    pub(super) fn is_open(&self, scene: Scene, kings: Kings, to_move: Mover) -> bool {
        let attacker = to_move == Mover::Attacker;
        self.nodes.get(&scene).is_some_and(|node| {
            node.bounds.hope.has(kings, attacker) && !node.bounds.low.has(kings, attacker)
        })
    }

    fn verdict(&self, scene: Scene, kings: Kings, to_move: Mover) -> WinStatus {
        let Some(node) = self.nodes.get(&scene) else {
            // A bare king cannot win; of other structures nothing is known yet.
            return if scene.attack.is_empty() {
                WinStatus::NotWon
            } else {
                WinStatus::Open
            };
        };
        let attacker = to_move == Mover::Attacker;
        if node.bounds.low.has(kings, attacker) {
            let stage = Stage::of(scene);
            let game = stage.game(&stage.outlooks(self), |_| Bound::Low);
            return WinStatus::Won(game.plies(kings, attacker).unwrap_or(node.bounds.longest));
        }
        if node.bounds.high.has(kings, attacker) {
            WinStatus::Open
        } else {
            WinStatus::NotWon
        }
    }

    /// Adds a structure, with what its known successors tell.
    pub(super) fn create(&mut self, scene: Scene) {
        if scene.attack.is_empty() || self.nodes.contains_key(&scene) {
            return;
        }
        let mut bounds = Stage::of(scene).solve(self);
        let mut settled = bounds.low == bounds.high;
        let mut fixed = false;
        if scene.men() <= self.oracle.max_men() {
            if settled {
                fixed = leaf::is_known(scene, &*self.oracle);
            } else if let Some(table) = leaf::bounds(scene, &bounds, &*self.oracle) {
                bounds = table;
                (settled, fixed) = (true, true);
            }
        }
        self.clock += 1;
        let node = StructureNode {
            bounds,
            effort: 0,
            solved: self.clock,
            changed: self.clock,
            fixed,
            settled,
            whole: settled,
        };
        self.nodes.insert(scene, Box::new(node));
        self.handle.structures.fetch_add(1, Relaxed);
    }

    /// Works out the bounds again if those of a successor have changed since.
    pub(super) fn refresh(&mut self, scene: Scene) {
        let Some(node) = self.nodes.get(&scene) else {
            return;
        };
        if node.settled {
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
    pub(super) fn renew(&mut self, scene: Scene) {
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

    /// When what is known of a promotion was worked out.
    fn born(&self, exit: &Exit) -> u64 {
        let queen = match exit.mover {
            Mover::Attacker => self.queens.best(exit.to).map_or(0, |(queen, _)| queen.born),
            Mover::Defender => self.guards.get(exit.to).map_or(0, |guard| guard.born),
        };
        queen.max(self.promotions.of(exit).map_or(0, |spots| spots.born))
    }

    /// What can still be worked out about a new queen of the attacker.
    pub(super) fn task(&self, exit: &Exit) -> Option<Task> {
        let task = |mobile| Task {
            mobile,
            ..Task::of(exit.to)
        };
        [false, true]
            .map(task)
            .into_iter()
            .find(|&task| self.queens.get(task).is_none())
    }

    /// Plays a line from an open placement to something unknown, works it out, and solves the structures of the line
    /// again.
    pub(super) fn follow(
        &mut self,
        scene: Scene,
        kings: Kings,
        to_move: Mover,
        trying: bool,
    ) -> Found {
        let Some(node) = self.nodes.get_mut(&scene) else {
            self.create(scene);
            return Found::Something;
        };
        node.effort += 1;
        self.consider(scene);
        let Some((exit, kings)) = self.line(scene, kings, to_move) else {
            return Found::Nothing;
        };
        if let Kind::Promotion(square) = exit.kind {
            return match trying {
                true => self.promote(scene, &exit, square, kings),
                false => Found::Nothing,
            };
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
            if self.is_open(next, kings, mover) {
                found = self.follow(next, kings, mover, trying);
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

    /// The exit that a line inside the structure ends with, and the kings after it.
    fn line(&self, scene: Scene, kings: Kings, to_move: Mover) -> Option<(Exit, Kings)> {
        let stage = Stage::of(scene);
        let outlooks = stage.outlooks(self);
        let (hoped, doubted) = self.prices(scene, &stage.exits);
        let node = self.nodes.get(&scene)?;
        let line = Line {
            low: &node.bounds.low,
            doubts: node
                .effort
                .is_multiple_of(2)
                .then(|| Doubts::of(&stage, &outlooks, &doubted)),
            hopes: Hopes::of(&stage, &outlooks, &hoped),
            stage: &stage,
            outlooks: &outlooks,
            prices: &hoped,
            doubted: &doubted,
        };
        line.play(kings, to_move)
    }
}

/// The attacker's view of a position; `None` if it is no pawn ending or has an en-passant right.
pub(super) fn question(position: &Position, attacker: Color) -> Option<Question> {
    if position.pieces().any() || position.ep_square().is_some() {
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
