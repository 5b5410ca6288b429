//! Single positions with new pieces on the board: does the attacker, White, win?
//!
//! Depth-first proof-number search (Nagai 2002) over all legal moves. What is known of structures ends its lines
//! ([`Adjudicator`]). A repetition counts as not won. A win found so is one whatever was played before; that he cannot win may
//! rest on a repetition which another line does not offer, so such a finding is a guess at first. It counts only in lines with
//! the position that it rests on: the earliest of the line that is repeated (cf. Kishimoto and Müller, "A General Solution to
//! the Graph History Interaction Problem", AAAI 2004). A guess becomes a
//! proof as a whole: a set of positions in which every move of the attacker, and one of the defender, leads to the
//! set again or to what is proved, is never left by force ([`Search::verify`]). This proves perpetual check, too.
//!
//! A win may take no more than 50 moves to its next capture, pawn move or mate: each proof carries the number of plies.

mod table;

use super::scene::Map;
use duchamp_base::Plies;
use duchamp_chess::{Color, Move, Position, Role, within_fifty_moves};
use table::{END, Entry, HOPELESS, Key, State, Table};

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Finding {
    /// White wins, and so many plies at most go by before a capture, a pawn move or the mate.
    Won(u16),
    /// White cannot win.
    Held,
    /// Neither is known.
    Open,
}

/// What ends the lines of a search.
pub(super) trait Adjudicator {
    /// What is known of a position.
    fn adjudicate(&mut self, position: &Position) -> Finding;

    /// Called when a position is looked into: may find out more about it; `true` if so.
    fn study(&mut self, position: &Position) -> bool;

    /// Whether the time is over.
    fn is_over(&self) -> bool;
}

/// Moves deep, at most.
const DEEPEST: u32 = 160;

/// All that was found out so far.
#[derive(Default)]
pub(super) struct Duel {
    table: Table,
}

impl Duel {
    /// What was found out about a position.
    pub(super) fn known(&self, position: &Position) -> Finding {
        match self.table.get(&Key::of(position)).map(|entry| entry.state) {
            Some(State::Won(plies)) => Finding::Won(plies),
            Some(State::Held) => Finding::Held,
            Some(State::Open | State::Guess(_)) | None => Finding::Open,
        }
    }

    /// Memory in use, in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Forgets what is still open, and if that is not enough all, if there are more positions than so many.
    pub(super) fn trim(&mut self, most: usize) {
        if self.table.len() <= most {
            return;
        }
        self.table
            .retain(|entry| matches!(entry.state, State::Won(_) | State::Held));
        if self.table.len() > most / 2 {
            self.table.clear();
        }
    }

    /// Whether White wins, by looking into so many positions at most; and into how many it looked. It is given up once more
    /// than `most` positions are held.
    pub(super) fn ask(
        &mut self,
        root: &Position,
        adjudicator: &mut dyn Adjudicator,
        nodes: u32,
        most: usize,
    ) -> (Finding, u32) {
        let mut search = Search {
            table: &mut self.table,
            adjudicator,
            left: nodes,
            most,
            places: vec![0; 1 << 16],
        };
        let finding = search.ask(root);
        (finding, nodes - search.left)
    }
}

struct Child {
    mv: Move,
    key: Key,
    /// A capture or a pawn move.
    zeroing: bool,
}

struct Search<'a> {
    table: &'a mut Table,
    adjudicator: &'a mut dyn Adjudicator,
    /// Positions that may still be looked into.
    left: u32,
    /// Positions that may be held.
    most: usize,
    /// By [`Key::tag`]: where in the present line a position stands, from 1; 0: nowhere.
    places: Vec<u8>,
}

/// The place in the line that rests on nothing: after all others.
const NOWHERE: u8 = u8::MAX;

/// The plies of a win after a move into a position that is won in so many; `None` if it comes too late for the 50-move rule.
fn won_before(plies: u16, zeroing: bool) -> Option<u16> {
    let plies = if zeroing { 1 } else { plies + 1 };
    within_fifty_moves(Plies(plies), 0).then_some(plies)
}

/// What the children say about a position, and which of them is to be looked into next, within which limits.
struct Sum {
    entry: Entry,
    next: usize,
    limits: (u32, u32),
}

impl Search<'_> {
    fn ask(&mut self, root: &Position) -> Finding {
        let key = Key::of(root);
        loop {
            match self.enter(root, key).state {
                State::Won(plies) => return Finding::Won(plies),
                State::Held => return Finding::Held,
                State::Guess(0) if self.verify(root) => return Finding::Held,
                State::Guess(_) | State::Open => {}
            }
            if self.is_over() {
                return Finding::Open;
            }
            self.explore(root, END, END, 0);
            if self
                .table
                .get(&key)
                .is_some_and(|entry| entry.is_hopeless())
            {
                return Finding::Open;
            }
        }
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.table.len() > self.most || self.adjudicator.is_over()
    }

    /// What is held about a position, which is adjudicated when it comes up for the first time.
    fn enter(&mut self, position: &Position, key: Key) -> Entry {
        if let Some(entry) = self.table.get(&key) {
            return entry;
        }
        let moves = position.legal_moves().len() as u32;
        let mut entry = Entry::of(match (moves, position.turn(), position.in_check()) {
            (0, Color::Black, true) => State::Won(0),
            (0, _, _) => State::Held,
            _ => state(self.adjudicator.adjudicate(position)),
        });
        if entry.state == State::Open {
            // Few replies are a good sign for the other side. White without a queen against one hopes for little.
            match position.turn() {
                Color::White => entry.dn = moves,
                Color::Black => entry.pn = moves,
            }
            let queens = |color| position.of(color, Role::Queen).count();
            match queens(Color::White).cmp(&queens(Color::Black)) {
                std::cmp::Ordering::Less => entry.pn *= 4,
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => entry.dn *= 4,
            }
        }
        self.table.insert(key, entry);
        entry
    }

    fn explore(&mut self, position: &Position, pn: u32, dn: u32, depth: u32) {
        let key = Key::of(position);
        self.left = self.left.saturating_sub(1);
        if self.adjudicator.study(position) {
            let known = state(self.adjudicator.adjudicate(position));
            if known != State::Open {
                self.table.insert(key, Entry::of(known));
                return;
            }
        }
        let attacking = position.turn() == Color::White;
        let next: Vec<_> = position
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let next = position.play(mv);
                let key = Key::of(&next);
                self.table.prefetch(&key);
                (mv, next, key)
            })
            .collect();
        let mut children = Vec::with_capacity(next.len());
        for (mv, next, key) in next {
            let entry = self.enter(&next, key);
            let zeroing = position.is_capture(mv) || position.moved_role(mv) == Role::Pawn;
            children.push(Child { mv, key, zeroing });
            let settled = match entry.state {
                State::Won(plies) => attacking && won_before(plies, zeroing).is_some(),
                State::Held => !attacking,
                State::Open | State::Guess(_) => false,
            };
            if settled {
                let last = children.len() - 1;
                children.swap(0, last);
                children.truncate(1);
                break;
            }
        }
        self.table.mark(&key);
        let tag = key.tag();
        let own = depth as u8 + 1;
        let before = std::mem::replace(&mut self.places[usize::from(tag)], own);
        loop {
            let mut sum = self.sum(attacking, &children, own, (pn, dn));
            let solved = sum.entry.state != State::Open;
            if !solved && depth >= DEEPEST {
                (sum.entry.pn, sum.entry.dn) = (HOPELESS, HOPELESS);
            }
            let over = sum.entry.pn >= pn || sum.entry.dn >= dn || sum.entry.is_hopeless();
            if solved || over || self.is_over() {
                self.table.insert(key, sum.entry);
                self.places[usize::from(tag)] = before;
                return;
            }
            let next = position.play(children[sum.next].mv);
            self.explore(&next, sum.limits.0, sum.limits.1, depth + 1);
        }
    }

    /// A child as the search sees it: one on the path is a repetition, and a guess that rests on what is not in the line
    /// counts for nothing.
    fn seen(&self, child: &Child) -> Entry {
        match self.table.get(&child.key) {
            Some(entry) if entry.on_path => Entry::of(State::Guess(child.key.tag())),
            Some(entry) if self.rests_on(entry.state) == 0 => Entry::of(State::Open),
            Some(entry) => entry,
            None => Entry::of(State::Open),
        }
    }

    /// The place in the line that a state rests on, or [`NOWHERE`]; 0 if it is a guess that rests on something else.
    #[inline]
    fn rests_on(&self, state: State) -> u8 {
        match state {
            State::Guess(tag) if tag > 0 => self.places[usize::from(tag)],
            _ => NOWHERE,
        }
    }

    /// What the children of the position at a place of the line say about it, within limits.
    fn sum(&self, attacking: bool, children: &[Child], own: u8, (pn, dn): (u32, u32)) -> Sum {
        // What the side to move wants to bring to zero is the least of its children; the other number is the greatest, and
        // one for each other child that is not settled.
        let (mut least, mut second, mut next) = ((END, END), END, 0);
        let (mut greatest, mut open) = (0, 0);
        let (mut shortest, mut longest) = (None, Some(0));
        for (place, child) in children.iter().enumerate() {
            let entry = self.seen(child);
            let won = match entry.state {
                State::Won(plies) => Some(won_before(plies, child.zeroing)),
                _ => None,
            };
            let (wanted, other) = match (attacking, won) {
                // A win that comes too late is none to go for.
                (true, Some(None)) => (HOPELESS, HOPELESS),
                (true, _) => (entry.pn, entry.dn),
                (false, _) => (entry.dn, entry.pn),
            };
            if (wanted, other) < least {
                second = least.0;
                least = (wanted, other);
                next = place;
            } else {
                second = second.min(wanted);
            }
            if other > 0 {
                greatest = other.max(greatest);
                open += 1;
            }
            match won {
                Some(Some(plies)) => {
                    shortest = Some(shortest.map_or(plies, |least: u16| least.min(plies)));
                    longest = longest.map(|most: u16| most.max(plies));
                }
                Some(None) => longest = None,
                None => {}
            }
        }
        let others = open.max(1) - 1;
        let great = if greatest == 0 {
            0
        } else {
            (greatest + others).min(END)
        };
        let sum = match attacking {
            true => (least.0, great),
            false => (great, least.0),
        };
        let state = match sum {
            (0, _) => {
                let plies = if attacking { shortest } else { longest };
                plies.map(State::Won)
            }
            (_, 0) => Some(self.unwon(attacking, children, own)),
            _ => None,
        };
        let entry = match (state, sum) {
            (Some(state), _) => Entry::of(state),
            // A win that would take too long.
            (None, (0, _)) => Entry {
                pn: HOPELESS,
                dn: HOPELESS,
                ..Entry::of(State::Open)
            },
            (None, (pn, dn)) => Entry {
                pn,
                dn,
                ..Entry::of(State::Open)
            },
        };
        let (wanted, other) = if attacking { (pn, dn) } else { (dn, pn) };
        let limits = (
            wanted.min(second.saturating_add(1 + second / 4)),
            other.saturating_sub(others),
        );
        let limits = if attacking {
            limits
        } else {
            (limits.1, limits.0)
        };
        Sum {
            entry,
            next,
            limits,
        }
    }

    /// How a position at place `own` of the line is known that is not won, as far as its children say: the attacker's moves
    /// must all fail, so of what they rest on the earliest place of the line counts; of the defender's moves one is enough,
    /// so the latest does.
    fn unwon(&self, attacking: bool, children: &[Child], own: u8) -> State {
        let mut held = children
            .iter()
            .map(|child| self.seen(child).state == State::Held);
        if attacking && held.all(|held| held) || !attacking && held.any(|held| held) {
            return State::Held;
        }
        let mut rest = (0, if attacking { NOWHERE } else { 0 });
        for child in children {
            let state = self.seen(child).state;
            if let State::Guess(tag) = state {
                let place = self.rests_on(state);
                if (place < rest.1) == attacking && place != rest.1 {
                    rest = (tag, place);
                }
            }
        }
        State::Guess(if rest.1 < own { rest.0 } else { 0 })
    }

    /// Whether a guess that White cannot win is right: gathers the positions that it rests on and strikes out those that
    /// are not supported until all that are left are. What is left is proved; the rest is open again.
    fn verify(&mut self, root: &Position) -> bool {
        let mut set = Claims::default();
        set.add(Key::of(root), *root);
        let mut place = 0;
        while place < set.claims.len() {
            if self.is_over() {
                return false;
            }
            self.left = self.left.saturating_sub(1);
            self.gather(&mut set, place);
            place += 1;
        }
        set.strike();
        let mut right = false;
        for (place, claim) in set.claims.iter().enumerate() {
            let state = if claim.stands {
                State::Held
            } else {
                State::Open
            };
            self.table.insert(claim.key, Entry::of(state));
            right |= place == 0 && claim.stands;
        }
        right
    }

    /// Finds what a claim rests on.
    fn gather(&mut self, set: &mut Claims, place: usize) {
        let position = set.claims[place].position;
        let attacking = position.turn() == Color::White;
        let mut supports = Vec::new();
        let mut held = 0;
        for mv in position.legal_moves() {
            let next = position.play(mv);
            match (self.enter(&next, Key::of(&next)).state, attacking) {
                (State::Held, true) | (State::Won(_) | State::Open, false) => {}
                (State::Held, false) => held += 1,
                (State::Guess(_), _) => supports.push(next),
                (State::Won(_) | State::Open, true) => {
                    set.claims[place].stands = false;
                    return;
                }
            }
        }
        if held > 0 {
            return;
        }
        let claim = &mut set.claims[place];
        // The attacker's moves must all lead to the set, of the defender's one.
        claim.needed = if attacking { supports.len() } else { 1 };
        claim.given = supports.len();
        claim.stands = claim.given >= claim.needed;
        for next in supports {
            let number = set.add(Key::of(&next), next);
            set.claims[number].above.push(place);
        }
    }
}

fn state(known: Finding) -> State {
    match known {
        Finding::Won(plies) => State::Won(plies),
        Finding::Held => State::Held,
        Finding::Open => State::Open,
    }
}

/// A position said not to be won.
struct Claim {
    key: Key,
    position: Position,
    /// Other claims that it rests on: how many there are, and how many are needed.
    given: usize,
    needed: usize,
    stands: bool,
    /// Those that rest on it.
    above: Vec<usize>,
}

#[derive(Default)]
struct Claims {
    claims: Vec<Claim>,
    numbers: Map<Key, usize>,
}

impl Claims {
    /// The number of a claim, which is added if it is new.
    fn add(&mut self, key: Key, position: Position) -> usize {
        let next = self.claims.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.claims.push(Claim {
                key,
                position,
                given: 0,
                needed: 0,
                stands: true,
                above: Vec::new(),
            });
        }
        number
    }

    /// Strikes out what is not supported.
    fn strike(&mut self) {
        let fallen = |(place, claim): (usize, &Claim)| (!claim.stands).then_some(place);
        let mut waiting: Vec<usize> = self.claims.iter().enumerate().filter_map(fallen).collect();
        while let Some(place) = waiting.pop() {
            for above in std::mem::take(&mut self.claims[place].above) {
                let claim = &mut self.claims[above];
                claim.given -= 1;
                if claim.stands && claim.given < claim.needed {
                    claim.stands = false;
                    waiting.push(above);
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Knows nothing.
    pub(in crate::pawns) struct Nobody;

    impl Adjudicator for Nobody {
        fn adjudicate(&mut self, _: &Position) -> Finding {
            Finding::Open
        }

        fn study(&mut self, _: &Position) -> bool {
            false
        }

        fn is_over(&self) -> bool {
            false
        }
    }

    fn ask(fen: &str) -> Finding {
        let position = Position::from_fen(fen).expect(fen);
        let (finding, _) = Duel::default().ask(&position, &mut Nobody, 20_000, usize::MAX);
        finding
    }

    #[test]
    fn mates_are_found_with_their_plies() {
        assert_eq!(ask("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Finding::Won(0));
        assert_eq!(ask("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"), Finding::Won(1));
        assert_eq!(ask("7k/8/5K2/8/8/8/6Q1/8 w - - 0 1"), Finding::Won(1));
        let later = ask("7k/8/4K3/8/8/8/6Q1/8 w - - 0 1");
        assert!(
            matches!(later, Finding::Won(plies) if plies >= 3),
            "{later:?}"
        );
    }

    #[test]
    fn a_search_that_holds_too_much_is_given_up() {
        let position = Position::from_fen("8/8/8/3k4/8/8/8/KQ6 w - - 0 1").expect("legal");
        let mut duel = Duel::default();
        let (finding, looked) = duel.ask(&position, &mut Nobody, 20_000, 500);
        assert_eq!(finding, Finding::Open);
        // What the last position leads to is added before it is seen.
        assert!(
            (501..600).contains(&duel.table.len()),
            "{}",
            duel.table.len()
        );
        assert!(looked < 20_000, "{looked}");
        assert_eq!(
            duel.ask(&position, &mut Nobody, 20_000, 500),
            (Finding::Open, 0)
        );
    }

    #[test]
    fn perpetual_check_is_proved() {
        // Qe1+ Kh2 Qh4+ Kg1 for ever.
        let fen = "Q7/8/7k/8/8/8/6P1/4q1K1 w - - 0 1";
        assert_eq!(ask(fen), Finding::Held);
        assert_eq!(ask("5k2/5P2/5K2/8/8/8/8/8 b - - 0 1"), Finding::Held);
    }

    #[test]
    fn what_is_won_is_never_held() {
        assert_ne!(ask("8/8/8/3k4/8/8/8/KQ6 w - - 0 1"), Finding::Held);
        assert_ne!(ask("8/8/8/3k4/8/8/8/KQ6 b - - 0 1"), Finding::Held);
    }
}
