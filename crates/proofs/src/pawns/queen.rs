//! The attacker has a queen more: what he wins with it while his pawns stay where they are.
//!
//! All squares of the queen and both kings for one structure, solved as the kings' game is. The defender may do
//! what the rules allow; of the attacker's moves those of his pawns are left out, so what comes out won is won.
//! Captures and the defender's pawn moves lead to other structures with the queen, which are solved first.

use std::hash::Hash;
use std::time::Instant;

use super::bounds::{Bounds, Known};
use super::exits::{Mover, Step, steps};
use super::kings::STAGES;
use super::rows::{Kings, Rows, neighbours};
use super::scene::{Ground, Map, Scene};
use duchamp_base::limits;
use duchamp_chess::{Bitboard, Color, Rank, Square, attacks};

/// A set of placements of the queen and both kings, a plane for each square of the queen.
pub(super) type Planes = Vec<Rows>;

/// What the attacker wins with his queen.
pub(super) struct Queen {
    /// The attacker to move.
    won: Planes,
    /// The defender to move.
    pub(super) lost: Planes,
    /// The most plies that a win takes to a capture, a pawn move or the mate.
    pub(super) longest: u16,
    /// When it was solved.
    pub(super) born: u64,
}

impl Queen {
    /// Whether the attacker wins with the queen on a square.
    pub(super) fn wins(&self, queen: Square, kings: Kings, attacker_to_move: bool) -> bool {
        let planes = if attacker_to_move {
            &self.won
        } else {
            &self.lost
        };
        planes[queen.index()].has(kings)
    }
}

/// When a question was asked, and when it must be given up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quest {
    pub(super) clock: u64,
    pub(super) deadline: Option<Instant>,
}

impl Quest {
    /// Whether the time is over, or there is no more memory.
    pub(super) fn is_over(&self) -> bool {
        limits::is_short() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// All structures with a queen that have been solved.
#[derive(Default)]
pub(super) struct Queens {
    solved: Map<Task, Queen>,
}

impl Queens {
    pub(super) fn get(&self, task: Task) -> Option<&Queen> {
        self.solved.get(&task)
    }

    /// The most that has been worked out about a structure, and whether it is all that can be.
    pub(super) fn best(&self, scene: Scene) -> Option<(&Queen, bool)> {
        let task = |mobile| Task {
            mobile,
            ..Task::of(scene)
        };
        let queen = |mobile| Some((self.get(task(mobile))?, mobile));
        queen(true).or_else(|| queen(false))
    }

    pub(super) fn len(&self) -> usize {
        self.solved.len()
    }

    /// How many structures are to be solved for a task; `None` if more than `most`.
    pub(super) fn work(&self, task: Task, most: usize) -> Option<usize> {
        work(
            task,
            most,
            |task| self.solved.contains_key(task),
            successors,
        )
    }

    /// Solves a structure with all that it leads to. `known` tells about structures without the queen; `None` if
    /// the time ends before.
    pub(super) fn solve(&mut self, task: Task, known: &dyn Known, quest: &Quest) -> Option<()> {
        if self.solved.contains_key(&task) {
            return Some(());
        }
        for next in successors(task) {
            self.solve(next, known, quest)?;
        }
        if quest.is_over() {
            return None;
        }
        let mut queen = Board::of(task, self, known).solve();
        queen.born = quest.clock;
        self.solved.insert(task, queen);
        Some(())
    }
}

/// How much is not solved of something and all that it leads to; `None` if more than `most`.
pub(super) fn work<T: Copy + Eq + Hash, I: IntoIterator<Item = T>>(
    root: T,
    most: usize,
    solved: impl Fn(&T) -> bool,
    successors: impl Fn(T) -> I,
) -> Option<usize> {
    let mut seen = Map::default();
    let mut waiting = vec![root];
    while let Some(next) = waiting.pop() {
        if solved(&next) || seen.insert(next, ()).is_some() {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        waiting.extend(successors(next));
    }
    Some(seen.len())
}

/// A structure, and what else there is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Task {
    pub(super) scene: Scene,
    /// Whether the attacker's pawns may move.
    pub(super) mobile: bool,
    /// A second queen of the attacker, which stands still.
    pub(super) still: Option<Square>,
}

impl Task {
    /// Pawns that stay where they are, and one queen.
    pub(super) fn of(scene: Scene) -> Task {
        Task::with_still(scene, None)
    }

    /// The same, perhaps with a second queen that stands still.
    pub(super) fn with_still(scene: Scene, still: Option<Square>) -> Task {
        Task {
            scene,
            mobile: false,
            still,
        }
    }
}

/// Structures that captures, pawn moves of the defender and promotions taken at once lead to.
fn successors(task: Task) -> Vec<Task> {
    let scene = task.scene;
    let taken = scene.pawns().into_iter();
    let mut list: Vec<Scene> = taken.map(|square| scene.without(square)).collect();
    list.extend(steps(scene, Mover::Defender).iter().map(|step| step.after));
    if task.mobile {
        list.extend(own_steps(scene).iter().map(|step| step.after));
    }
    list.retain(|next| task.still.is_none_or(|still| !next.pawns().has(still)));
    let list = list.into_iter().map(|scene| Task { scene, ..task });
    // Either queen may be lost.
    let single = task.still.map(|_| Task {
        still: None,
        ..task
    });
    list.chain(single).collect()
}

/// The attacker's pawn moves that cannot be answered en passant.
pub(super) fn own_steps(scene: Scene) -> Vec<Step> {
    let beside = |step: &Step| {
        let to = Bitboard::of(step.to);
        step.crossed.any() && ((to.east() | to.west()) & scene.defend).any()
    };
    steps(scene, Mover::Attacker)
        .into_iter()
        .filter(|step| !beside(step))
        .collect()
}

/// One structure while it is solved.
struct Board {
    /// What the queen cannot pass: pawns, and a queen that stands still.
    men: Bitboard,
    /// Legal placements, the attacker to move.
    legal: Planes,
    /// Placements that are lost for the defender to move unless a king's step saves him.
    exposed: Planes,
    /// Placements from which the attacker to move has a won capture.
    exits: Planes,
}

impl Board {
    fn of(task: Task, queens: &Queens, known: &dyn Known) -> Board {
        let scene = task.scene;
        let own = if task.mobile {
            own_steps(scene)
        } else {
            Vec::new()
        };
        let solved = |scene| queens.get(Task { scene, ..task });
        let own: Vec<_> = own
            .into_iter()
            .map(|step| (step, solved(step.after)))
            .collect();
        let ground = Ground::of(scene);
        let empty = || vec![Rows::EMPTY; 64];
        let defence = Defence::of(task, queens, known);
        let men = defence.men(scene.pawns());
        let mut board = Board {
            men,
            legal: empty(),
            exposed: empty(),
            exits: empty(),
        };
        for queen in !men {
            for king in !(men | Bitboard::of(queen)) {
                let at = queen.index();
                let checked = attacks::queen(queen, men | Bitboard::of(king));
                let reach = checked | defence.beside(scene.pawns(), queen, king);
                let stand = defence.men(Bitboard::of(queen));
                let legal = ground.attacker_row(king) - (reach | stand);
                board.legal[at][king] = legal;
                let mut exits = defence.taken(queen, king, checked);
                let stand = stand | Bitboard::of(king);
                for (step, next) in &own {
                    let path = Bitboard::of(step.to) | step.crossed;
                    if (path & stand).is_empty()
                        && let Some(next) = next
                    {
                        exits |= next.lost[at][king] - path;
                    }
                }
                board.exits[at][king] = exits & legal;
                let row = ground.defender_row(king) - stand;
                if row.any() {
                    let (movable, saved) = defence.moves(queen, king, row, checked);
                    let moves = neighbours(legal) | movable | ground.attacked | reach;
                    board.exposed[at][king] = (row & moves) - saved;
                }
            }
        }
        board
    }

    fn solve(&self) -> Queen {
        let mut won: Planes = self.exits.clone();
        let mut lost: Planes = vec![Rows::EMPTY; 64];
        let mut dirty = Bitboard::FULL;
        let mut stages = 0;
        while stages < usize::from(STAGES) {
            let mut fresh = Bitboard::EMPTY;
            for queen in dirty {
                let at = queen.index();
                let changed = lost[at].update(
                    [&self.exposed[at], &self.legal[at], &won[at]],
                    |_, [exposed, legal, won]| exposed - neighbours(legal - won),
                );
                if changed {
                    fresh |= Bitboard::of(queen);
                }
            }
            if fresh.is_empty() {
                break;
            }
            dirty = self.attack(&lost, fresh, &mut won);
            stages += 1;
        }
        Queen {
            won,
            lost,
            longest: within(stages),
            born: 0,
        }
    }

    /// Adds what the attacker wins by moving into `lost`, of which the planes `fresh` are new. Returns the planes that grew.
    fn attack(&self, lost: &[Rows], fresh: Bitboard, won: &mut [Rows]) -> Bitboard {
        let mut grown = Bitboard::EMPTY;
        let mut add = |queen: Square, steps: &Rows| {
            let (won, legal) = (&mut won[queen.index()], &self.legal[queen.index()]);
            if won.update([steps, legal], |won, [steps, legal]| won | (steps & legal)) {
                grown |= Bitboard::of(queen);
            }
        };
        for queen in fresh {
            add(queen, &lost[queen.index()].attacker_steps());
        }
        slide(self.men, |queen| &lost[queen.index()], fresh, add);
        grown
    }
}

/// The most plies that a win takes which is found in so many stages: an exit at first, and two moves more at each stage.
pub(super) fn within(stages: usize) -> u16 {
    u16::try_from(2 * stages + 1).unwrap_or(u16::MAX)
}

/// For each square the placements from which a queen there slides into planes, of which only those in `some` count: past
/// neither pawns nor kings. `add` sees a square once for each line.
pub(super) fn slide<'p>(
    pawns: Bitboard,
    plane: impl Fn(Square) -> &'p Rows,
    some: Bitboard,
    mut add: impl FnMut(Square, &Rows),
) {
    for (df, dr) in [
        (0, 1),
        (0, -1),
        (1, 0),
        (-1, 0),
        (1, 1),
        (1, -1),
        (-1, 1),
        (-1, -1),
    ] {
        for start in Square::ALL {
            if start.offset(df, dr).is_some_and(|next| !pawns.has(next)) {
                continue;
            }
            // From the end of each line backwards: what is reached beyond a square.
            let mut beyond = Rows::EMPTY;
            let mut any = false;
            let mut target = start;
            while !pawns.has(target) {
                let Some(queen) = target.offset(-df, -dr) else {
                    break;
                };
                any |= some.has(target);
                if any {
                    let here = Bitboard::of(target);
                    beyond.update([plane(target)], |beyond, [plane]| (beyond | plane) - here);
                    beyond[target] = Bitboard::EMPTY;
                }
                if pawns.has(queen) {
                    break;
                }
                if any {
                    add(queen, &beyond);
                }
                target = queen;
            }
        }
    }
}

/// The moves of a structure that change its pawns, the attacker's own steps apart.
struct Defence<'a> {
    scene: Scene,
    /// A second queen, which stands still, and what is won without the other one.
    still: Option<Square>,
    single: Option<&'a Queen>,
    attacked: Bitboard,
    known: &'a dyn Known,
    /// The structure without the queen.
    alone: Option<&'a Bounds>,
    /// The structures without each of the pawns.
    by_victim: [Option<&'a Queen>; 64],
    steps: Vec<(Step, Option<&'a Queen>)>,
}

impl<'a> Defence<'a> {
    fn of(task: Task, queens: &'a Queens, known: &'a dyn Known) -> Defence<'a> {
        let scene = task.scene;
        let steps = steps(scene, Mover::Defender).into_iter().map(|step| {
            let next = queens.get(Task {
                scene: step.after,
                ..task
            });
            (step, next)
        });
        let single = task.still.and_then(|_| {
            queens.get(Task {
                still: None,
                ..task
            })
        });
        Defence {
            scene,
            still: task.still,
            single,
            attacked: scene.attacked(),
            known,
            alone: known.bounds(scene),
            by_victim: scene.by_victim(|scene| queens.get(Task { scene, ..task })),
            steps: steps.collect(),
        }
    }

    /// Some men and the queen that stands still.
    fn men(&self, men: Bitboard) -> Bitboard {
        self.still.map_or(men, |still| men | Bitboard::of(still))
    }

    /// What the queen that stands still attacks, if there is one, with `pawns` in the way.
    fn beside(&self, pawns: Bitboard, queen: Square, king: Square) -> Bitboard {
        let men = pawns | Bitboard::of(queen) | Bitboard::of(king);
        self.still
            .map_or(Bitboard::EMPTY, |still| attacks::queen(still, men))
    }

    /// Where the attacker, to move, has a won capture.
    fn taken(&self, queen: Square, king: Square, checked: Bitboard) -> Bitboard {
        let mut won = Bitboard::EMPTY;
        for victim in self.scene.defend & (checked | attacks::king(king)) {
            let Some(after) = self.by_victim[victim.index()] else {
                continue;
            };
            if checked.has(victim) {
                won |= after.lost[victim.index()][king] - attacks::between(queen, victim);
            }
            if attacks::king(king).has(victim) {
                won |= after.lost[queen.index()][victim];
            }
        }
        won
    }

    /// From where in `row` the defender has a move, and from where one that saves him.
    fn moves(
        &self,
        queen: Square,
        king: Square,
        row: Bitboard,
        checked: Bitboard,
    ) -> (Bitboard, Bitboard) {
        let mut movable = Bitboard::EMPTY;
        let mut saved = Bitboard::EMPTY;
        let mut add = |legal: Bitboard, won: Bitboard| {
            movable |= legal;
            saved |= legal - won;
        };
        let out = |won: bool| if won { Bitboard::FULL } else { Bitboard::EMPTY };
        let near = attacks::king(king);
        let beside = self.beside(self.scene.pawns(), queen, king);
        if !(self.attacked | near | beside).has(queen) {
            let won = match self.still {
                None => self
                    .alone
                    .is_some_and(|after| after.low.attacker[king].has(queen)),
                Some(still) => self
                    .single
                    .is_some_and(|after| after.won[still.index()][king].has(queen)),
            };
            add(row & attacks::king(queen), out(won));
        }
        if let Some(still) = self.still
            && !(self.attacked | near | checked).has(still)
        {
            let single = self.single;
            let won = single.is_some_and(|after| after.won[queen.index()][king].has(still));
            add(row & attacks::king(still), out(won));
        }
        for victim in self.scene.attack - (self.attacked | near | checked | beside) {
            let after = self.by_victim[victim.index()];
            let won = after.is_some_and(|after| after.won[queen.index()][king].has(victim));
            add(row & attacks::king(victim), out(won));
        }
        self.pawns(queen, king, row, &mut add);
        (movable & row, saved & row)
    }

    fn pawns(
        &self,
        queen: Square,
        king: Square,
        row: Bitboard,
        add: &mut impl FnMut(Bitboard, Bitboard),
    ) {
        let stand = self.men(Bitboard::of(king) | Bitboard::of(queen));
        let pawns = self.scene.pawns();
        let reach = |men: Bitboard| attacks::queen(queen, self.men(men) | Bitboard::of(king));
        let checks = |men: Bitboard| reach(men) | self.beside(men, queen, king);
        for (step, next) in &self.steps {
            let to = Bitboard::of(step.to);
            if ((to | step.crossed) & stand).any() {
                continue;
            }
            let men = (pawns - Bitboard::of(step.from)) | to;
            let legal = row - (step.after.attacked() | checks(men) | to | step.crossed);
            let won = next.map_or(Bitboard::EMPTY, |next| next.won[queen.index()][king]);
            add(legal, won);
        }
        // Pawns that take the queen.
        for from in attacks::pawn(Color::White, queen) & self.scene.defend {
            let to = Bitboard::of(queen);
            let next = Scene {
                defend: (self.scene.defend - Bitboard::of(from)) | to,
                ..self.scene
            };
            let known = if queen.rank() == Rank::R1 || self.still.is_some() {
                None
            } else {
                self.known.bounds(next)
            };
            let won = known.map_or(Bitboard::EMPTY, |bounds| bounds.low.attacker[king]);
            let beside = self.beside(next.pawns(), queen, king);
            add(row - (self.attacked | beside), won);
        }
        if let Some(still) = self.still {
            for from in attacks::pawn(Color::White, still) & self.scene.defend {
                let men = (pawns - Bitboard::of(from)) | Bitboard::of(still);
                let reach = attacks::queen(queen, men | Bitboard::of(king));
                add(row - (self.attacked | reach), Bitboard::EMPTY);
            }
        }
        // Promotions; the new piece may be taken at once, whatever it is.
        for from in self.scene.defend & Bitboard::rank(Rank::R2) {
            let Some(to) = (Bitboard::of(from).down() - stand).first() else {
                continue;
            };
            let here = Bitboard::of(to);
            let men = (pawns - Bitboard::of(from)) | here;
            let legal = row - (self.attacked | checks(men) | here);
            let mut won = Bitboard::EMPTY;
            if let Some(next) = self.by_victim[from.index()] {
                if reach(men).has(to) {
                    won |= next.lost[to.index()][king] - attacks::between(queen, to);
                }
                if attacks::king(king).has(to) {
                    won |= next.lost[queen.index()][to];
                }
            }
            add(legal, won);
        }
    }
}
