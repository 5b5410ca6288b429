//! Rules found by the program: zones for the bound side's pieces that grow until the proof succeeds, then shrink again as
//! far as it still does.
//!
//! Only the bound side is restricted, and whatever leaves its zone loses for it, so every proof found is one without
//! assumptions. The other side may do what it likes.

use super::plan::{FreezeLimits, TablePlan};
use super::restricted::{Proof, Restricted};
use super::rules::{Goal, Outside, RuleId, Rules, Ruling, Tables};
use super::solve::{FreezeError, FreezeJob, plan, solve};
use duchamp_chess::{Bitboard, Color, Oracle, Piece, Position, Role, SEE_VALUES, Square, attacks};
use duchamp_retro::Halt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Zones that are tried, from the narrowest to none at all.
const WIDEST: u32 = 5;

/// The number of what is supposed in passing; such rules are never shown.
const SUPPOSED: RuleId = RuleId(u16::MAX);

/// What is asked of automatic rules.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// For whom something is to be proved.
    pub bound: Color,
    /// What.
    pub goal: Goal,
    /// Which tables may be asked.
    pub tables: Tables,
    /// The most entries of all restricted tables of one attempt.
    pub entries: u64,
    /// No attempt begins after this time.
    pub time: Duration,
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Try {
    /// The rules in a word: the width of the zone of each piece of the bound side, a question mark where leaving it was
    /// supposed to be as good as the goal, to find out what stands in the way.
    pub zones: String,
    /// Captures and promotions followed.
    pub chain: u32,
    /// Entries of all restricted tables.
    pub entries: u64,
    /// Whether the goal was reached; `None`: too large to be tried.
    pub proved: Option<bool>,
    /// How long it took.
    pub time: Duration,
}

/// The side that has to prove something, if nobody says: for a win the one with more material, for a draw the one with
/// less; the side to move if they are equal.
#[must_use]
pub fn likely_side(start: &Position, goal: Goal) -> Color {
    let worth = |color| -> i32 {
        let men = start.color(color).into_iter();
        men.filter_map(|square| start.role_at(square))
            .filter(|&role| role != Role::King)
            .map(|role| SEE_VALUES[role.index()])
            .sum()
    };
    let more = match worth(Color::White).cmp(&worth(Color::Black)) {
        std::cmp::Ordering::Greater => Color::White,
        std::cmp::Ordering::Less => Color::Black,
        std::cmp::Ordering::Equal => return start.turn(),
    };
    match goal {
        Goal::Win => more,
        Goal::Draw => !more,
    }
}

/// Widths of the zones of the bound side's pieces, by piece of the rules; 0 for a piece that stays where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Zones {
    widths: Vec<u32>,
    chain: u32,
}

impl Zones {
    /// With a wider zone for one piece.
    fn widened(&self, man: usize) -> Zones {
        let mut wider = self.clone();
        wider.widths[man] += 1;
        wider
    }
}

/// Looks for rules that prove a wish; `told` hears of each attempt. The last rules tried come back if none did it.
///
/// # Errors
/// If not even the narrowest rules can be laid out, or when stopped before anything is proved.
pub fn propose(
    start: Position,
    wish: Wish,
    oracle: &Arc<dyn Oracle>,
    job: &FreezeJob<'_>,
    told: &dyn Fn(&Try),
) -> Result<Restricted, FreezeError> {
    let search = Search {
        start,
        wish,
        oracle,
        job,
        told,
        begin: Instant::now(),
    };
    let (zones, frozen) = search.grow()?;
    if frozen.proof() == Proof::NotProved {
        return Ok(frozen);
    }
    search.shrink(zones, frozen)
}

struct Search<'a> {
    start: Position,
    wish: Wish,
    oracle: &'a Arc<dyn Oracle>,
    job: &'a FreezeJob<'a>,
    told: &'a dyn Fn(&Try),
    begin: Instant,
}

impl Search<'_> {
    /// Wider zones and longer chains, until the goal is reached, the time is up or the restricted tables are too large. What stands in
    /// the way is found out by asking what would be if leaving a zone were as good as the goal: if even that does not
    /// help, captures have to be followed further; else the piece whose zone it is about gets a wider one.
    fn grow(&self) -> Result<(Zones, Restricted), FreezeError> {
        let men = self.start.occupied().count();
        let longest = men.saturating_sub(self.wish.tables.max_men + 1);
        let mut zones = Zones {
            widths: vec![1; men as usize],
            chain: 0,
        };
        let mut last: Option<(Zones, Restricted)> = None;
        loop {
            let held = last.as_ref().map(|(_, frozen)| frozen);
            let Some(frozen) = self.attempt(&zones, &[], held)? else {
                break;
            };
            let proved = frozen.proof() != Proof::NotProved;
            let (_, frozen) = last.insert((zones.clone(), frozen));
            if proved {
                break;
            }
            let open: Vec<usize> = self
                .own()
                .into_iter()
                .filter(|&man| self.can_widen(&zones, man))
                .collect();
            let hopeful = !open.is_empty() && self.would_help(&zones, &open, frozen)?;
            if !hopeful && zones.chain < longest {
                zones.chain += 1;
                continue;
            }
            if open.is_empty() {
                break;
            }
            let mut wider = Vec::new();
            for &man in &open {
                // Of one piece alone that is known already.
                if hopeful && (open.len() == 1 || self.would_help(&zones, &[man], frozen)?) {
                    wider.push(man);
                }
            }
            if wider.is_empty() {
                // Several together: the cheapest comes first.
                let mut costs = Vec::new();
                for &man in &open {
                    let entries = match self.plan(&zones.widened(man), &[]) {
                        Ok(plan) => plan.entries(),
                        Err(FreezeError::Layout(_)) => u64::MAX,
                        Err(error) => return Err(error),
                    };
                    costs.push((entries, man));
                }
                wider.extend(costs.into_iter().min().map(|(_, man)| man));
            }
            for man in wider {
                zones = zones.widened(man);
            }
        }
        last.ok_or(FreezeError::Nothing)
    }

    /// What the rules of some zones would take.
    fn plan(&self, zones: &Zones, supposed: &[usize]) -> Result<TablePlan, FreezeError> {
        plan(&self.rules(zones, supposed), self.limits())
    }

    fn limits(&self) -> FreezeLimits {
        FreezeLimits {
            entries: self.job.limits.entries.min(self.wish.entries),
            ..self.job.limits
        }
    }

    /// Whether the goal would be reached if some pieces could leave their zones with impunity.
    fn would_help(
        &self,
        zones: &Zones,
        men: &[usize],
        held: &Restricted,
    ) -> Result<bool, FreezeError> {
        let frozen = self.attempt(zones, men, Some(held))?;
        Ok(frozen.is_some_and(|frozen| frozen.proof() != Proof::NotProved))
    }

    /// The pieces of the bound side, by number.
    fn own(&self) -> Vec<usize> {
        let men = self.start.occupied().into_iter().enumerate();
        men.filter(|&(_, square)| self.start.color(self.wish.bound).has(square))
            .map(|(man, _)| man)
            .collect()
    }

    /// Whether a wider zone of a piece has more squares.
    fn can_widen(&self, zones: &Zones, man: usize) -> bool {
        self.squares(&zones.widened(man), man) != self.squares(zones, man)
    }

    /// The squares of a piece's zone.
    fn squares(&self, zones: &Zones, man: usize) -> Bitboard {
        self.rules(zones, &[]).men[man].allowed
    }

    fn is_late(&self) -> bool {
        self.begin.elapsed() > self.wish.time
    }

    /// Narrower zones for one piece after the other, as long as the goal is reached. When stopped what is proved by then comes
    /// back.
    fn shrink(&self, mut zones: Zones, mut frozen: Restricted) -> Result<Restricted, FreezeError> {
        for man in self.own() {
            // A width that has the squares of another one was tried already.
            let now = self.squares(&zones, man);
            let mut before = None;
            for width in 0..zones.widths[man] {
                let mut narrower = zones.clone();
                narrower.widths[man] = width;
                let squares = self.squares(&narrower, man);
                if squares == now || before.replace(squares) == Some(squares) {
                    continue;
                }
                let found = match self.attempt(&narrower, &[], Some(&frozen)) {
                    Err(FreezeError::Halt(Halt::Cancelled(_))) => return Ok(frozen),
                    found => found?,
                };
                if let Some(found) = found
                    && found.proof() != Proof::NotProved
                {
                    (zones, frozen) = (narrower, found);
                    break;
                }
            }
        }
        Ok(frozen)
    }

    /// Solves the rules of some zones if there is time and they are not too large beside what is `held`; with nothing held, in
    /// the first attempt, even then, as far as memory goes. Pieces of `supposed` may leave their zones as if that were the
    /// goal.
    fn attempt(
        &self,
        zones: &Zones,
        supposed: &[usize],
        held: Option<&Restricted>,
    ) -> Result<Option<Restricted>, FreezeError> {
        let forced = held.is_none();
        if !forced && self.is_late() {
            return Ok(None);
        }
        let rules = self.rules(zones, supposed);
        let limits = self.limits();
        let plan = match plan(&rules, limits) {
            // Wider zones than can be laid out are as good as too large ones.
            Err(FreezeError::Layout(_)) if !forced => return Ok(None),
            plan => plan?,
        };
        let begin = Instant::now();
        let kept = held.map_or(0, |held| held.plan().kept);
        let fits = plan.memory.saturating_add(kept) <= limits.memory;
        let small = plan.entries() <= self.wish.entries && fits;
        let job = FreezeJob {
            limits,
            folder: None,
            ..*self.job
        };
        let frozen = if small || forced {
            match solve(rules, Arc::clone(self.oracle), &job) {
                // The system has less to give than is allowed.
                Err(FreezeError::Memory { .. }) if !forced => None,
                solved => Some(solved?),
            }
        } else {
            None
        };
        (self.told)(&Try {
            zones: self.describe(zones, supposed),
            chain: zones.chain,
            entries: plan.entries(),
            proved: frozen
                .as_ref()
                .map(|frozen| frozen.proof() != Proof::NotProved),
            time: begin.elapsed(),
        });
        Ok(frozen)
    }

    fn rules(&self, zones: &Zones, supposed: &[usize]) -> Rules {
        let mut rules = Rules::free(self.start, self.wish.bound, self.wish.goal);
        rules.tables = self.wish.tables;
        rules.chain = zones.chain;
        let goal = self.wish.goal.verdict(self.wish.bound);
        for (i, (man, &width)) in rules.men.iter_mut().zip(&zones.widths).enumerate() {
            if man.piece.color == self.wish.bound {
                man.allowed = zone(&self.start, man.piece, man.square, width);
            }
            if supposed.contains(&i) {
                man.outside.push(Outside {
                    squares: !man.allowed,
                    ruling: Ruling {
                        verdict: goal,
                        rule: Some(SUPPOSED),
                    },
                });
            }
        }
        rules
    }

    /// The bound side's pieces with the widths of their zones; a question mark where one is supposed to leave it.
    fn describe(&self, zones: &Zones, supposed: &[usize]) -> String {
        let men: Vec<Square> = self.start.occupied().into_iter().collect();
        let word = |man: usize| {
            let square = men[man];
            let letter = self.start.role_at(square).map_or('?', Role::upper);
            let width = match zones.widths[man] {
                0 => String::new(),
                WIDEST.. => ":all".to_owned(),
                width => format!(":{width}"),
            };
            let asked = if supposed.contains(&man) { "?" } else { "" };
            format!("{letter}{square}{width}{asked}")
        };
        let words: Vec<String> = self.own().into_iter().map(word).collect();
        words.join(" ")
    }
}

/// The squares of a piece's zone: for a king those within so many steps, for a piece within so many moves among the pawns
/// of the start, for a pawn so many steps forward.
fn zone(start: &Position, piece: Piece, square: Square, width: u32) -> Bitboard {
    if width >= WIDEST || width >= 3 && piece.role != Role::King {
        return Bitboard::FULL;
    }
    let walls = start.role(Role::Pawn);
    let step = |from: Square| match piece.role {
        Role::Pawn => {
            let forth = if piece.color == Color::White { 1 } else { -1 };
            from.offset(0, forth)
                .map_or(Bitboard::EMPTY, Bitboard::from)
        }
        role => attacks::of(role, piece.color, from, walls) - walls,
    };
    // A pawn's first step counts as the second width: at the first it stays.
    let steps = match piece.role {
        Role::Pawn => width.saturating_sub(1),
        _ => width,
    };
    let mut squares = Bitboard::from(square);
    for _ in 0..steps {
        squares |= squares
            .into_iter()
            .fold(Bitboard::EMPTY, |all, from| all | step(from));
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::super::rules::Verdict;
    use super::*;
    use duchamp_base::{Control, Gauge};
    use duchamp_chess::NoOracle;
    use std::cell::Cell;

    const WISH: Wish = Wish {
        bound: Color::White,
        goal: Goal::Draw,
        tables: Tables {
            max_men: 0,
            make: false,
        },
        entries: u64::MAX,
        time: Duration::from_secs(3_600),
    };

    /// Held by any zones.
    fn start() -> Position {
        Position::from_fen("8/8/8/8/8/8/4k3/K6N w - - 0 1").expect("legal")
    }

    #[test]
    fn a_proof_outlives_a_stop() {
        let control = Control::new(1);
        let job = FreezeJob {
            limits: FreezeLimits::default(),
            control: &control,
            folder: None,
            started: &|_, _| {},
            gauge: &Gauge::default(),
        };
        let oracle: Arc<dyn Oracle> = Arc::new(NoOracle);
        let proved = Cell::new(0);
        let told = |attempt: &Try| {
            proved.set(proved.get() + u32::from(attempt.proved == Some(true)));
            control.cancel();
        };
        let frozen = propose(start(), WISH, &oracle, &job, &told).expect("kept");
        assert_eq!(frozen.proof(), Proof::Proved(Verdict::Draw));
        assert_eq!(proved.get(), 1);
        // Before anything is proved a stop is one.
        let stopped = propose(start(), WISH, &oracle, &job, &told);
        assert!(matches!(
            stopped,
            Err(FreezeError::Halt(Halt::Cancelled(_)))
        ));
    }

    #[test]
    fn an_attempt_leaves_room_for_what_is_held() {
        let job = FreezeJob {
            limits: FreezeLimits::default(),
            control: &Control::new(1),
            folder: None,
            started: &|_, _| {},
            gauge: &Gauge::default(),
        };
        let oracle: Arc<dyn Oracle> = Arc::new(NoOracle);
        let search = Search {
            start: start(),
            wish: WISH,
            oracle: &oracle,
            job: &job,
            told: &|_| {},
            begin: Instant::now(),
        };
        let zones = Zones {
            widths: vec![1; 3],
            chain: 0,
        };
        let first = search.attempt(&zones, &[], None).expect("solved");
        let first = first.expect("nothing is held");
        let tight = FreezeJob {
            limits: FreezeLimits {
                memory: first.plan().memory,
                ..job.limits
            },
            ..job
        };
        let search = Search {
            job: &tight,
            ..search
        };
        let alone = search.attempt(&zones, &[], None).expect("solved");
        assert!(alone.is_some());
        let beside = search.attempt(&zones, &[], Some(&first)).expect("left out");
        assert!(beside.is_none());
    }
}
