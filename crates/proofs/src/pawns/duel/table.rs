//! What a search holds of positions: a table whose places can be fetched before they are looked at.
//!
//! A search looks up all positions that a move leads to, which lie anywhere in a hundred megabytes. With a map of the
//! standard library it waited for two cache lines for each of them, one after the other, which was a third of its time.

use std::hash::{Hash, Hasher};

use duchamp_base::{limits, prefetch};
use duchamp_chess::{Color, Position, Role};

/// Infinite proof and disproof numbers.
pub(super) const END: u32 = 1 << 30;

/// Both numbers of a position that neither is proved nor can be: deep in a line, or won too late for the 50-move rule.
pub(super) const HOPELESS: u32 = END / 2;

/// Places for the first entry: a power of two.
const FEW: usize = 1 << 8;

/// From so many bytes on it is looked whether there is memory for them.
const LARGE: usize = 1 << 20;

/// A position without its clocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    white: u64,
    /// The number of the role on each square, by bits.
    roles: [u64; 3],
    /// Who is to move, and the en-passant square.
    rest: u8,
    hash: u64,
}

impl Key {
    pub(super) fn of(position: &Position) -> Key {
        let role = |role| position.role(role).0;
        let (pawn, knight, bishop) = (role(Role::Pawn), role(Role::Knight), role(Role::Bishop));
        let (rook, queen, king) = (role(Role::Rook), role(Role::Queen), role(Role::King));
        let passant = position
            .ep_square()
            .map_or(64, |square| square.index() as u8);
        Key {
            white: position.color(Color::White).0,
            roles: [
                pawn | bishop | queen,
                knight | bishop | king,
                rook | queen | king,
            ],
            rest: passant | (position.turn() as u8) << 7,
            hash: position.key(),
        }
    }

    /// A number that hardly two positions of a line share; never 0.
    #[inline]
    pub(super) fn tag(&self) -> u16 {
        ((self.hash >> 40) as u16).max(1)
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// How far a position is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Open,
    /// Within so many plies to a capture, a pawn move or the mate.
    Won(u16),
    /// Perhaps not won, by repetition: a guess. It holds while a position with this [`Key::tag`] is in the present line; 0:
    /// whatever the line is.
    Guess(u16),
    Held,
}

/// What the search holds of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) state: State,
    /// How hard it seems to prove a win, and to disprove it.
    pub(super) pn: u32,
    pub(super) dn: u32,
    pub(super) on_path: bool,
}

impl Entry {
    pub(super) fn of(state: State) -> Entry {
        let (pn, dn) = match state {
            State::Open => (1, 1),
            State::Won(_) => (0, END),
            State::Guess(_) | State::Held => (END, 0),
        };
        Entry {
            state,
            pn,
            dn,
            on_path: false,
        }
    }

    /// Whether neither a win nor its opposite is to be hoped for.
    pub(super) fn is_hopeless(&self) -> bool {
        self.pn >= HOPELESS && self.dn >= HOPELESS
    }
}

/// A place is a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Place(Option<(Key, Entry)>);

/// Entries of positions. A position has the first free place from the one on that its hash says.
#[derive(Default)]
pub(super) struct Table {
    /// None, or a power of two, of which at most three quarters are taken. None at first: a prover whose table is at work
    /// holds an empty one meanwhile.
    places: Vec<Place>,
    taken: usize,
}

impl Table {
    /// So many free places; `None` if there is no memory for them.
    fn of(count: usize) -> Option<Table> {
        let bytes = count * size_of::<Place>();
        if bytes >= LARGE && !limits::has_room(bytes as u64) {
            return None;
        }
        let mut places = Vec::new();
        places.try_reserve_exact(count).ok()?;
        places.resize(count, Place(None));
        Some(Table { places, taken: 0 })
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// Memory in use, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.places.len() * size_of::<Place>()
    }

    /// Starts fetching the place of a position.
    #[inline]
    pub(super) fn prefetch(&self, key: &Key) {
        if let Some(place) = self.places.get(self.first(key)) {
            prefetch(place);
        }
    }

    #[inline]
    fn first(&self, key: &Key) -> usize {
        key.hash as usize & self.places.len().wrapping_sub(1)
    }

    /// The place of a position, or the free one where it would stand; there must be places.
    #[inline]
    fn find(&self, key: &Key) -> usize {
        let mut at = self.first(key);
        while self.places[at].0.is_some_and(|(other, _)| other != *key) {
            at = (at + 1) & (self.places.len() - 1);
        }
        at
    }

    #[inline]
    pub(super) fn get(&self, key: &Key) -> Option<Entry> {
        if self.places.is_empty() {
            return None;
        }
        self.places[self.find(key)].0.map(|(_, entry)| entry)
    }

    /// Enters what is known of a position in place of what was.
    pub(super) fn insert(&mut self, key: Key, entry: Entry) {
        if 4 * (self.taken + 1) > 3 * self.places.len() {
            self.rebuild(FEW.max(2 * self.places.len()), |_| true);
        }
        let at = self.find(&key);
        let new = self.places[at].0.is_none();
        self.places[at].0 = Some((key, entry));
        self.taken += usize::from(new);
    }

    /// Marks a position that is there as one of the present line; an entry put in its place is without the mark.
    pub(super) fn mark(&mut self, key: &Key) {
        let at = self.find(key);
        if let Some((_, entry)) = &mut self.places[at].0 {
            entry.on_path = true;
        }
    }

    /// Keeps some entries only.
    pub(super) fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.rebuild(self.places.len(), keep);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Table::default();
    }

    /// Moves entries into so many places, or, if there is no memory for these, begins anew with few.
    fn rebuild(&mut self, places: usize, keep: impl Fn(&Entry) -> bool) {
        let Some(new) = Table::of(places) else {
            self.places = vec![Place(None); FEW];
            self.taken = 0;
            return;
        };
        let old = std::mem::replace(self, new);
        for (key, entry) in old.places.into_iter().filter_map(|place| place.0) {
            if keep(&entry) {
                let at = self.find(&key);
                self.places[at].0 = Some((key, entry));
                self.taken += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_cache_line() {
        assert_eq!(size_of::<Place>(), 64);
    }

    #[test]
    fn entries_survive_growth_and_collisions() {
        let key = |n: u64| Key {
            white: n,
            roles: [n, 0, 1],
            rest: 7,
            // Some share a place, the last one wraps around.
            hash: if n.is_multiple_of(3) {
                u64::MAX
            } else {
                n * 64
            },
        };
        let entry = |n: u64| Entry {
            pn: n as u32,
            ..Entry::of(if n.is_multiple_of(2) {
                State::Held
            } else {
                State::Open
            })
        };
        let mut table = Table::default();
        for n in 0..3_000 {
            assert!(table.get(&key(n)).is_none());
            table.prefetch(&key(n));
            table.insert(key(n), entry(n + 1));
            table.insert(key(n), entry(n));
        }
        assert_eq!(table.len(), 3_000);
        table.mark(&key(6));
        table.mark(&key(9_999));
        assert!(table.get(&key(6)).is_some_and(|entry| entry.on_path));
        table.retain(|entry| entry.state == State::Held);
        assert_eq!(table.len(), 1_500);
        for n in 0..3_000 {
            let found = table.get(&key(n)).map(|entry| entry.pn);
            assert_eq!(found, n.is_multiple_of(2).then_some(n as u32));
        }
        table.clear();
        assert!(table.len() == 0 && table.get(&key(0)).is_none());
    }
}
