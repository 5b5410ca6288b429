//! Promotions tried move by move: what structures tell the search of single positions (`duel/`), and what it tells them.

use std::time::{Duration, Instant};

use arrayvec::ArrayVec;

use super::bounds::Known;
use super::duel::{Adjudicator, Duel, Finding};
use super::exits::{Exit, Mover};
use super::leaf;
use super::pair::{Queens, Stand};
use super::prover::{Found, Prover};
use super::queen::{Quest, Task};
use super::rows::Kings;
use super::scene::Scene;
use super::spots::Spot;
use super::views::PLANES;
use duchamp_base::Wdl;
use duchamp_chess::{Bitboard, Color, FIFTY_MOVES, Piece, Position, Role, Setup, Square, attacks};

/// Positions looked into for a promotion at first; four times as many at every further level.
const FIRST: u32 = 100;

/// After so many visits to a structure with one queen its table is made.
const TABLE: u32 = 60;

/// After so many visits to a structure with a queen of either side, and again, its table is made if it may be.
const PAIR: u32 = 5_000;

/// Lines followed in a pawn ending that a search meets.
const LINES: u32 = 6;

/// Tables of structures with a queen that may be made for one promotion at first; four times as many at every level.
const TABLES: usize = 128;

/// Tables with a queen in memory whatever the budget, and structures of it for each further table.
const FEW_TABLES: usize = 1_000;
const PER_TABLE: usize = 20;

/// The bytes of such a table at most: three planes where it is the defender's queen.
const LARGEST_TABLE: usize = 3 * PLANES;

/// Tables with both queens that may be made for one structure at first; four times as many at every level.
const PAIRS: usize = 2;

/// Structures of the budget for each table with both queens.
const PER_PAIR: usize = 4_000;

/// No such table is worked out in less time, so it is not begun.
const PAIR_TIME: Duration = Duration::from_millis(100);

/// Lines that such a table counts as.
const PAIR_LINES: usize = 200;

/// Positions in memory: so many for each structure of the budget, within limits.
const PER_STRUCTURE: usize = 10;
const FEW: usize = 100_000;
const MANY: usize = 1_000_000;

/// How many times as many a single search may hold before it is given up: six million take half a GiB.
const LARGER: usize = 6;

/// A position of the search as structures see it: the pawns and the kings. White attacks.
fn scene(position: &Position) -> (Scene, Kings) {
    let kings = Kings {
        attacker: position.king(Color::White),
        defender: position.king(Color::Black),
    };
    (Scene::of(position, Color::White), kings)
}

/// Whose the only piece is, and where it stands, if it is a queen.
fn lone_queen(position: &Position) -> Option<(Color, Square)> {
    let pieces = position.pieces();
    let square = pieces.first().filter(|_| !pieces.many())?;
    let piece = position.at(square)?;
    (piece.role == Role::Queen).then_some((piece.color, square))
}

/// Queens that tables know about.
struct Queened {
    attacker: Square,
    defender: Option<Square>,
    /// A second queen of the attacker, which stands still.
    still: Option<Square>,
}

/// The queens of a position if White has one or two, Black one at most, and there is nothing else but pawns; which of two
/// White ones stands still may be chosen.
fn queens(position: &Position) -> ArrayVec<Queened, 2> {
    let [own, other] = Color::ALL.map(|color| position.of(color, Role::Queen));
    if position.pieces() != own | other || other.many() || own.count() > 2 {
        return ArrayVec::new();
    }
    let choices = own.into_iter().map(|attacker| Queened {
        attacker,
        defender: other.first(),
        still: (own - Bitboard::of(attacker)).first(),
    });
    choices.collect()
}

/// Whether each side has one queen, and nothing else but pawns.
fn has_pair(position: &Position) -> bool {
    let queens = queens(position);
    let queens = queens.first();
    queens.is_some_and(|queens| queens.still.is_none() && queens.defender.is_some())
}

impl Adjudicator for Prover {
    fn adjudicate(&mut self, position: &Position) -> Finding {
        let white = position.color(Color::White);
        if !white.many() || position.is_insufficient_material() {
            return Finding::Held;
        }
        if let Some(finding) = self.by_tables(position) {
            return finding;
        }
        if position.ep_square().is_some() {
            return Finding::Open;
        }
        let (scene, kings) = scene(position);
        let attacking = position.turn() == Color::White;
        if position.pieces().is_empty() {
            if !self.is_full() {
                self.create(scene);
            }
            let Some(bounds) = self.bounds(scene) else {
                return Finding::Open;
            };
            return if bounds.low.has(kings, attacking) {
                Finding::Won(bounds.longest.0)
            } else if bounds.high.has(kings, attacking) {
                Finding::Open
            } else {
                Finding::Held
            };
        }
        match lone_queen(position) {
            Some((Color::White, square)) => {
                let won = self
                    .queens
                    .best(scene)
                    .filter(|(queen, _)| queen.wins(square, kings, attacking));
                won.map_or(Finding::Open, |(queen, _)| Finding::Won(queen.longest))
            }
            Some((Color::Black, square)) => match self.guards.get(scene) {
                Some(guard) if guard.holds(square, kings, attacking) => Finding::Held,
                _ => Finding::Open,
            },
            None => self.with_queens(position, scene, kings),
        }
    }

    fn study(&mut self, position: &Position) -> bool {
        // It was open when it came up first, perhaps because its table was not there yet.
        if self.by_tables(position).is_some() {
            return true;
        }
        if position.ep_square().is_some() {
            return false;
        }
        let (scene, kings) = scene(position);
        let mover = match position.turn() {
            Color::White => Mover::Attacker,
            Color::Black => Mover::Defender,
        };
        if position.pieces().is_empty() {
            return self.skim(scene, kings, mover, LINES);
        }
        let lone = lone_queen(position).map(|(color, _)| color);
        if lone.is_none() && !has_pair(position) {
            return false;
        }
        let visits = self.visits.entry((scene, lone)).or_default();
        *visits += 1;
        let solved = match lone {
            Some(_) if *visits != TABLE => return false,
            Some(Color::White) => self.solve_queen(Task::of(scene)),
            Some(Color::Black) => self.solve_guard(scene),
            None => {
                if !visits.is_multiple_of(PAIR) {
                    return false;
                }
                let left = |end: Instant| end.saturating_duration_since(Instant::now());
                if self.deadline.is_some_and(|end| left(end) < PAIR_TIME) {
                    // The next visit tries again.
                    *visits -= 1;
                    return false;
                }
                return self.solve_pair(scene);
            }
        };
        if !solved && Prover::is_over(self) {
            // The next visit tries again.
            self.visits.insert((scene, lone), TABLE - 1);
        }
        solved
    }

    fn is_over(&self) -> bool {
        Prover::is_over(self)
    }
}

impl Prover {
    /// What tables say of a position; `None` if they do not know it, or what they know proves nothing.
    fn by_tables(&self, position: &Position) -> Option<Finding> {
        if position.occupied().count() > self.oracle.max_men() {
            return None;
        }
        let wdl = self.oracle.wdl(position)?;
        match leaf::for_white(wdl, position.turn()) {
            // Sure with a fresh counter only.
            Wdl::Win => Some(Finding::Won(FIFTY_MOVES)),
            Wdl::CursedWin => None,
            Wdl::Draw | Wdl::BlessedLoss | Wdl::Loss => Some(Finding::Held),
        }
    }

    /// Works out what comes of a promotion: of taking the piece at once, by a table if one is to be had, or for these
    /// kings alone.
    pub(super) fn promote(
        &mut self,
        scene: Scene,
        exit: &Exit,
        square: Square,
        kings: Kings,
    ) -> Found {
        let (taken, mover) = match exit.mover {
            Mover::Attacker => (
                Kings {
                    defender: square,
                    ..kings
                },
                Mover::Attacker,
            ),
            Mover::Defender => (
                Kings {
                    attacker: square,
                    ..kings
                },
                Mover::Defender,
            ),
        };
        let near = |from, to| attacks::king(from).has(to);
        let takes = match exit.mover {
            Mover::Attacker => near(kings.defender, square) && !near(kings.attacker, square),
            Mover::Defender => near(kings.attacker, square) && !near(kings.defender, square),
        };
        if takes && exit.to.attack.any() {
            let new = !self.nodes.contains_key(&exit.to);
            self.create(exit.to);
            self.refresh(exit.to);
            let open = self.is_open(exit.to, taken, mover);
            if new || open && self.follow(exit.to, taken, mover, true) == Found::Something {
                self.renew(scene);
                return Found::Something;
            }
        }
        let solved = match exit.mover {
            Mover::Attacker => self.task(exit).is_some_and(|task| self.solve_queen(task)),
            Mover::Defender => self.guards.get(exit.to).is_none() && self.solve_guard(exit.to),
        };
        if !solved {
            let spot = match self.level {
                0 => Spot::Tired,
                _ => self.attempt(exit, square, kings),
            };
            if spot == Spot::Tired && self.is_over() {
                // Cut short, not given up: the next question about it goes on.
                return Found::Nothing;
            }
            self.clock += 1;
            self.promotions.add(exit, square, kings, spot, self.clock);
        }
        self.renew(scene);
        Found::Something
    }

    /// The prover with a limit to its memory for tables with queens, in bytes.
    pub(super) fn with_table_bytes(mut self, table_bytes: usize) -> Prover {
        self.table_bytes = table_bytes;
        self
    }

    /// Tables of structures with a queen that may be made for one promotion.
    fn tables(&self) -> usize {
        let room = (FEW_TABLES + self.most / PER_TABLE).saturating_sub(self.queens());
        let left = self.table_bytes.saturating_sub(self.bytes_of_tables());
        room.min(left / LARGEST_TABLE)
            .min(TABLES << (2 * self.level).min(20))
    }

    /// Works out what the attacker wins with a queen; `false` if it takes too much.
    pub(super) fn solve_queen(&mut self, task: Task) -> bool {
        let quest = self.quest();
        if self.queens.work(task, self.tables()).is_none() {
            return false;
        }
        let mut queens = std::mem::take(&mut self.queens);
        let solved = queens.solve(task, self, &quest);
        self.queens = queens;
        solved.is_some()
    }

    /// Works out what the attacker may win against a queen; `false` if it takes too much.
    pub(super) fn solve_guard(&mut self, scene: Scene) -> bool {
        let quest = self.quest();
        if self.guards.work(scene, self.tables()).is_none() {
            return false;
        }
        let mut guards = std::mem::take(&mut self.guards);
        let solved = guards.solve(scene, self, &quest);
        self.guards = guards;
        solved.is_some()
    }

    /// Works out what the attacker may win, and what he surely wins, where each side has a queen; `false` if it takes too
    /// much.
    pub(super) fn solve_pair(&mut self, scene: Scene) -> bool {
        let before = self.pairs.len() + self.sures.len();
        self.create(scene);
        let solved = [self.solve_may(scene), self.solve_sure(scene)];
        let tables = self.pairs.len() + self.sures.len() - before;
        self.lines = self.lines.saturating_sub(PAIR_LINES * tables);
        solved.contains(&true)
    }

    /// Tables with both queens that may be made for one structure.
    fn pairs(&self) -> usize {
        let tables = self.pairs.len() + self.sures.len();
        let room = (self.most / PER_PAIR).saturating_sub(tables);
        room.min(PAIRS << (2 * self.level).min(20))
    }

    /// Works out what the attacker may win where each side has a queen, unless that is done.
    fn solve_may(&mut self, scene: Scene) -> bool {
        let room = self.pairs();
        if self.pairs.get(scene).is_some()
            || self.pairs.work(scene, room).is_none()
            || !self.solve_guard(scene)
        {
            return false;
        }
        let quest = self.quest();
        let mut pairs = std::mem::take(&mut self.pairs);
        let solved = pairs.solve(scene, &self.guards, self, &quest);
        self.pairs = pairs;
        solved.is_some()
    }

    /// Works out what the attacker surely wins where each side has a queen, unless that is done.
    pub(super) fn solve_sure(&mut self, scene: Scene) -> bool {
        let stand = Stand { scene, still: None };
        let room = self.pairs();
        if self.sures.get(stand).is_some() || self.sures.work(stand, room).is_none() {
            return false;
        }
        let (quest, mut room) = (self.quest(), self.tables());
        let (mut sures, mut queens) = (
            std::mem::take(&mut self.sures),
            std::mem::take(&mut self.queens),
        );
        let solved = sures.solve(stand, &mut queens, &mut room, self, &quest);
        (self.sures, self.queens) = (sures, queens);
        solved.is_some()
    }

    /// What tables say of a position with two queens and more.
    fn with_queens(&self, position: &Position, scene: Scene, kings: Kings) -> Finding {
        let attacking = position.turn() == Color::White;
        for Queened {
            attacker,
            defender,
            still,
        } in queens(position)
        {
            let Some(defender) = defender else {
                let queen = self.queens.get(Task::with_still(scene, still));
                if let Some(queen) = queen.filter(|queen| queen.wins(attacker, kings, attacking)) {
                    return Finding::Won(queen.longest);
                }
                continue;
            };
            let queens = Queens { attacker, defender };
            let sure = self.sures.get(Stand { scene, still });
            if let Some(sure) = sure.filter(|sure| sure.wins(queens, kings, attacking)) {
                return Finding::Won(sure.longest());
            }
            let pair = match still {
                None => self.pairs.get(scene),
                Some(_) => None,
            };
            if pair.is_some_and(|pair| pair.holds(queens, kings, attacking)) {
                return Finding::Held;
            }
        }
        Finding::Open
    }

    fn quest(&mut self) -> Quest {
        self.clock += 1;
        Quest {
            clock: self.clock,
            deadline: self.deadline,
        }
    }

    /// Looks into a promotion at one placement of the kings, as far as the present level allows.
    fn attempt(&mut self, exit: &Exit, square: Square, kings: Kings) -> Spot {
        let mut duel = std::mem::take(&mut self.duel);
        let kept = self.most.saturating_mul(PER_STRUCTURE).clamp(FEW, MANY);
        duel.trim(kept);
        let most = LARGER * kept;
        let budget = u64::from(FIRST) << (2 * (self.level - 1)).min(20);
        // The mover chooses the piece: one that is good for him is enough.
        let good = match exit.mover {
            Mover::Attacker => Spot::Won,
            Mover::Defender => Spot::Held,
        };
        let mut found = match exit.mover {
            Mover::Attacker => Spot::Held,
            Mover::Defender => Spot::Won,
        };
        for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
            let spot = match promoted(exit.to, exit.mover, role, square, kings) {
                Some(position) => match self.search(&mut duel, &position, budget, most) {
                    Finding::Won(_) => Spot::Won,
                    Finding::Held => Spot::Held,
                    Finding::Open => Spot::Tired,
                },
                None => Spot::Tired,
            };
            if spot == good || spot == Spot::Tired {
                found = spot;
                break;
            }
        }
        self.duel = duel;
        found
    }

    fn search(
        &mut self,
        duel: &mut Duel,
        position: &Position,
        budget: u64,
        most: usize,
    ) -> Finding {
        let nodes = budget.min(self.positions) as u32;
        let (finding, spent) = duel.ask(position, self, nodes, most);
        self.positions -= u64::from(spent);
        self.lines = self.lines.saturating_sub((spent / FIRST) as usize);
        finding
    }
}

/// The position after a promotion to `role`, the attacker being White; `scene` is without the new piece.
pub(super) fn promoted(
    scene: Scene,
    mover: Mover,
    role: Role,
    square: Square,
    kings: Kings,
) -> Option<Position> {
    let mut setup = Setup::EMPTY;
    let mut put = |color, role, square| setup.board.put(Piece { color, role }, square);
    for square in scene.attack {
        put(Color::White, Role::Pawn, square);
    }
    for square in scene.defend {
        put(Color::Black, Role::Pawn, square);
    }
    put(Color::White, Role::King, kings.attacker);
    put(Color::Black, Role::King, kings.defender);
    let color = match mover {
        Mover::Attacker => Color::White,
        Mover::Defender => Color::Black,
    };
    put(color, role, square);
    setup.turn = !color;
    Position::from_setup(&setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess::NoOracle;
    use std::sync::Arc;

    #[test]
    fn tables_keep_to_their_memory() {
        let mut prover = Prover::new(Arc::new(NoOracle));
        prover.most = 256;
        assert_eq!(prover.tables(), TABLES);
        let mut prover = prover.with_table_bytes(1 << 20);
        assert_eq!(prover.tables(), 10);
        prover.clear();
        prover.most = 256;
        assert_eq!(prover.tables(), 10);
    }

    /// Cut short it would be begun again and again, and never done.
    #[test]
    fn a_table_with_both_queens_waits_for_enough_time() {
        let position = Position::from_fen("7k/p7/8/8/8/8/P7/KQ5q w - - 0 1").expect("legal");
        let place = (scene(&position).0, None);
        let mut prover = Prover::new(Arc::new(NoOracle));
        prover.most = 100_000;
        prover.deadline = Some(Instant::now() + PAIR_TIME / 2);
        prover.visits.insert(place, PAIR - 1);
        assert!(!prover.study(&position));
        assert_eq!(prover.visits.get(&place), Some(&(PAIR - 1)));
        assert_eq!(prover.queens(), 0);
    }
}
