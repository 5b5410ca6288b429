//! The order in which tables are generated: a DAG of keys with the state of each.
//!
//! A table must stay at hand until the last one that needs it is solved, so tables are generated depth
//! first: the small ones, then for one large table after another those that it needs and the
//! table itself. Those with most pawns need most and lead.

use std::collections::{BTreeMap, BTreeSet};

use super::budget::{Budget, Needs, Terms};
use super::export::Exporter;
use crate::closure::closure;
use crate::format::Metric;
use crate::game::Game;
use crate::index::{Index, TableKey};

/// How far a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Tables that it needs are not solved yet.
    Blocked,
    /// Can be solved now.
    Open,
    /// Handed out.
    Running,
    /// Another process generates it.
    Elsewhere,
    /// Solved, or on the disk and not needed in memory.
    Done,
}

/// Where the values of a table come from that others need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// It is solved.
    Solving,
    /// Its snapshot is read.
    Snapshot,
    /// Its own files are read.
    Files,
}

#[derive(Debug)]
struct TableNode<K> {
    /// Whether files are to be written; else it is only needed for other tables.
    write: bool,
    /// Where its values come from.
    source: Source,
    children: Vec<K>,
    parents: Vec<K>,
    /// Children that are not done yet.
    missing: usize,
    /// Parents that are not done yet: their solving needs this table in memory.
    wanted_by: usize,
    needs: Needs,
    /// An estimate of the time for solving and encoding, in microseconds of one thread.
    work: u64,
    state: State,
}

/// All tables to be solved.
#[derive(Debug)]
pub(crate) struct GenerationPlan<G: Game> {
    nodes: BTreeMap<G::Key, TableNode<G::Key>>,
    /// All nodes in the order in which they are to be solved.
    order: Vec<G::Key>,
    /// How many of them at its beginning are done, at least.
    past: usize,
    /// Tables that need not be generated.
    found: Vec<G::Key>,
    /// The metrics that are solved after the primary one.
    later: Vec<Metric>,
}

/// A table that can be solved now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableJob<K> {
    pub(crate) key: K,
    /// Whether its files are to be written.
    pub(crate) write: bool,
    /// Whether other tables need it.
    pub(crate) wanted: bool,
    /// Where its values come from.
    pub(crate) source: Source,
    /// The memory that it gets.
    pub(crate) terms: Terms,
}

/// Tables of so many men come first, whatever the targets: they take a second or two.
const SMALL: u32 = 4;

/// Nanoseconds of one thread that solving and encoding take for a cell, by the number of pawns (chess; the last also
/// for more): a rough figure for plans and times left.
pub const NANOSECONDS: [u64; 4] = [29, 32, 32, 32];

/// The same for reading a snapshot, or files.
const LOADING: u64 = 2;

impl<G: Game> GenerationPlan<G> {
    /// The plan for the files of `targets` and all they depend on, among them those of `later` metrics; `there` returns which
    /// need not be written, `source` where the values of those come from.
    pub(crate) fn new(
        targets: &[G::Key],
        later: &[Metric],
        exporter: Option<&dyn Exporter<G>>,
        there: impl Fn(G::Key) -> bool,
        source: impl Fn(G::Key) -> Source,
    ) -> GenerationPlan<G> {
        let all = closure(targets.iter().copied(), |_| true).into_iter();
        let (found, missing): (Vec<G::Key>, Vec<G::Key>) = all.partition(|&key| there(key));
        let mut plan = GenerationPlan {
            nodes: BTreeMap::new(),
            order: Vec::new(),
            past: 0,
            found,
            later: later.to_vec(),
        };
        let to_write: BTreeSet<G::Key> = missing.iter().copied().collect();
        for key in missing {
            plan.need(key, &to_write, exporter, &source);
        }
        let mut roots: Vec<G::Key> = plan.nodes.keys().copied().collect();
        roots.sort_by_key(|root| (root.men() > SMALL, std::cmp::Reverse(root.pawns()), *root));
        let mut arranged = BTreeSet::new();
        for root in roots {
            plan.arrange(root, &mut arranged);
        }
        plan
    }

    /// Enters a table and, as it has to be solved, all that it needs.
    fn need(
        &mut self,
        key: G::Key,
        to_write: &BTreeSet<G::Key>,
        exporter: Option<&dyn Exporter<G>>,
        source_of: &dyn Fn(G::Key) -> Source,
    ) {
        if self.nodes.contains_key(&key) {
            return;
        }
        let write = to_write.contains(&key);
        let source = if write {
            Source::Solving
        } else {
            source_of(key)
        };
        let index = G::Index::new(key);
        let needs = Needs::of(&index, &self.later);
        let (children, needs, nanoseconds) = match source {
            Source::Solving => {
                let nanoseconds = NANOSECONDS[(key.pawns() as usize).min(3)];
                match exporter.filter(|_| write) {
                    Some(exporter) => (
                        key.children(),
                        needs.exporting(exporter.memory(&index)),
                        nanoseconds + exporter.nanoseconds(),
                    ),
                    None => (key.children(), needs, nanoseconds),
                }
            }
            Source::Snapshot | Source::Files => (Vec::new(), needs.reading(), LOADING),
        };
        let node = TableNode {
            write,
            source,
            missing: children.len(),
            state: if children.is_empty() {
                State::Open
            } else {
                State::Blocked
            },
            children: children.clone(),
            parents: Vec::new(),
            wanted_by: 0,
            needs,
            work: 2 * index.cells() * nanoseconds / 1000,
        };
        self.nodes.insert(key, node);
        for child in children {
            self.need(child, to_write, exporter, source_of);
            let node = self.node(child);
            node.parents.push(key);
            node.wanted_by += 1;
        }
    }

    /// Puts a table into the order, behind all that it needs.
    fn arrange(&mut self, key: G::Key, arranged: &mut BTreeSet<G::Key>) {
        if !arranged.insert(key) {
            return;
        }
        let mut children = self.nodes[&key].children.clone();
        children.sort_by_key(|child| (child.men() > SMALL, child.pawns(), *child));
        for child in children {
            self.arrange(child, arranged);
        }
        self.order.push(key);
    }

    fn node(&mut self, key: G::Key) -> &mut TableNode<G::Key> {
        self.nodes
            .get_mut(&key)
            .expect("only planned tables are named")
    }

    /// Tables that need not be generated.
    pub(crate) fn found(&self) -> usize {
        self.found.len()
    }

    /// Tables that need not be generated, by name.
    pub(crate) fn present(&self) -> Vec<G::Key> {
        self.found.clone()
    }

    /// The bytes of a table's values.
    pub(crate) fn values(&self, key: G::Key) -> u64 {
        self.nodes[&key].needs.values
    }

    /// Tables whose files are to be written.
    pub(crate) fn to_write(&self) -> usize {
        self.nodes.values().filter(|node| node.write).count()
    }

    /// The work of all tables, in microseconds of one thread.
    pub(crate) fn total_work(&self) -> u64 {
        self.nodes.values().map(|node| node.work).sum()
    }

    /// The work of one table.
    pub(crate) fn work(&self, key: G::Key) -> u64 {
        self.nodes[&key].work
    }

    /// Whether a table's files are to be written.
    pub(crate) fn is_to_write(&self, key: G::Key) -> bool {
        self.nodes[&key].write
    }

    /// A table that cannot be solved in so many MiB, and the MiB that it needs.
    pub(crate) fn too_large(&self, allowed: u64) -> Option<(G::Key, u64)> {
        let least = |node: &TableNode<G::Key>| node.needs.least().div_ceil(1 << 20);
        self.nodes
            .iter()
            .map(|(&key, node)| (key, least(node)))
            .max_by_key(|&(_, least)| least)
            .filter(|&(_, least)| least > allowed)
    }

    /// The next table to solve on so many threads and the memory for it. `idle`: nothing else runs.
    pub(crate) fn next(
        &mut self,
        budget: &Budget,
        threads: usize,
        idle: bool,
    ) -> Option<TableJob<G::Key>> {
        let nodes = &self.nodes;
        let order = self.order[self.past..].iter();
        let done = order.take_while(|&key| nodes[key].state == State::Done);
        self.past += done.count();
        let order = &self.order[self.past..];
        let to_come = order.iter().map(|key| &nodes[key]);
        let to_come = to_come.filter(|node| node.state != State::Done);
        let reserve = to_come.map(|node| node.needs.reserve()).max().unwrap_or(0);
        let mut open = order.iter().filter(|key| nodes[key].state == State::Open);
        let (key, terms) = open.find_map(|&key| {
            let needs = &nodes[&key].needs;
            Some((key, budget.terms(needs, threads, reserve, idle)?))
        })?;
        let node = self.node(key);
        node.state = State::Running;
        Some(TableJob {
            key,
            write: node.write,
            wanted: node.wanted_by > 0,
            source: node.source,
            terms,
        })
    }

    /// A table is solved: returns which tables in memory no other needs any more.
    pub(crate) fn solved(&mut self, key: G::Key) -> Vec<G::Key> {
        self.node(key).state = State::Done;
        for parent in self.nodes[&key].parents.clone() {
            let node = self.node(parent);
            node.missing -= 1;
            if node.missing == 0 && node.state == State::Blocked {
                node.state = State::Open;
            }
        }
        let mut free = Vec::new();
        for child in self.nodes[&key].children.clone() {
            let node = self.node(child);
            node.wanted_by -= 1;
            if node.wanted_by == 0 {
                free.push(child);
            }
        }
        if self.nodes[&key].wanted_by == 0 {
            free.push(key);
        }
        free
    }

    /// No larger table can be solved from a table that is being solved: gives up those that need it, and tells what
    /// memory needs no more, and one that was given up.
    pub(crate) fn refuse(&mut self, key: G::Key) -> (Vec<G::Key>, Option<G::Key>) {
        let mut given_up = self.nodes[&key].parents.clone();
        let first = given_up.first().copied();
        let mut at = 0;
        while let Some(&key) = given_up.get(at) {
            for &parent in &self.nodes[&key].parents {
                if !given_up.contains(&parent) {
                    given_up.push(parent);
                }
            }
            at += 1;
        }
        // Another of its tables may have been too long before.
        given_up.retain(|key| self.nodes[key].state != State::Done);
        for &key in &given_up {
            self.node(key).state = State::Done;
        }
        let free = given_up.iter().flat_map(|&key| self.solved(key));
        (free.collect(), first)
    }

    /// Another process generates a table.
    pub(crate) fn elsewhere(&mut self, key: G::Key) {
        self.node(key).state = State::Elsewhere;
    }

    /// Another process has generated a table: if none needs it in memory it is done, else it is solved here
    /// without writing. Tells what memory needs no more.
    pub(crate) fn appeared(&mut self, key: G::Key) -> Vec<G::Key> {
        let node = self.node(key);
        node.write = false;
        if node.wanted_by == 0 {
            return self.solved(key);
        }
        node.state = State::Open;
        Vec::new()
    }

    /// Looks again at the tables that other processes were generating.
    pub(crate) fn retry(&mut self) {
        for node in self
            .nodes
            .values_mut()
            .filter(|node| node.state == State::Elsewhere)
        {
            node.state = State::Open;
        }
    }

    /// Whether a table is solved or needs not be.
    pub(crate) fn is_finished(&self, key: G::Key) -> bool {
        self.nodes[&key].state == State::Done
    }

    /// Whether a table is solved in many slices.
    pub(crate) fn is_sliced(&self, key: G::Key) -> bool {
        key.pawns() > 0
    }

    /// Whether every table is done.
    pub(crate) fn is_done(&self) -> bool {
        let mut order = self.order[self.past..].iter();
        order.all(|key| self.nodes[key].state == State::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::{Key, Mock, Words};

    fn plan(
        targets: &[&str],
        there: impl Fn(&str) -> bool,
        snapshot: impl Fn(&str) -> bool,
    ) -> GenerationPlan<Mock> {
        let targets: Vec<Key> = targets.iter().map(|name| Key::of(name)).collect();
        GenerationPlan::new(
            &targets,
            &[],
            None,
            |key: Key| there(&key.to_string()),
            |key: Key| match snapshot(&key.to_string()) {
                true => Source::Snapshot,
                false => Source::Solving,
            },
        )
    }

    /// The next job with all the memory that there is: its table, and whether it is written.
    fn next(plan: &mut GenerationPlan<Mock>) -> Option<(String, bool)> {
        let job = plan.next(&Budget::new(1 << 40), 1, true)?;
        Some((job.key.to_string(), job.write))
    }

    fn written(name: &str) -> Option<(String, bool)> {
        Some((name.to_owned(), true))
    }

    fn only_solved(name: &str) -> Option<(String, bool)> {
        Some((name.to_owned(), false))
    }

    fn names(keys: Vec<Key>) -> Vec<String> {
        let mut names: Vec<String> = keys.iter().map(Key::to_string).collect();
        names.sort();
        names
    }

    #[test]
    fn children_come_first_and_are_freed() {
        let mut plan = plan(&["p"], |_| false, |_| false);
        assert_eq!((plan.to_write(), plan.found()), (5, 0));
        let mut order = Vec::new();
        let mut freed = Vec::new();
        while let Some(job) = plan.next(&Budget::new(1 << 40), 1, true) {
            order.push(job.key.to_string());
            freed.extend(plan.solved(job.key));
        }
        assert!(plan.is_done());
        assert_eq!(order.last().map(String::as_str), Some("p"));
        assert_eq!(freed.len(), 5);
    }

    /// A table stays as long as any other needs it, and no longer.
    #[test]
    fn a_table_is_freed_with_the_last_that_needs_it() {
        let mut plan = plan(&["p", "a-b"], |_| false, |_| false);
        let mut freed = Vec::new();
        while let Some(job) = plan.next(&Budget::new(1 << 40), 1, true) {
            let free = names(plan.solved(job.key));
            if !free.is_empty() {
                freed.push((job.key.to_string(), free.join(" ")));
            }
        }
        assert!(plan.is_done());
        let freed: Vec<(&str, &str)> = freed.iter().map(|(a, b)| (&a[..], &b[..])).collect();
        assert_eq!(freed, [("p", "c d p"), ("a-b", "a a-b b")]);
    }

    #[test]
    fn tables_that_are_there_are_solved_only_if_needed() {
        let of_p = plan(&["p"], |name| name == "a", |_| false);
        assert_eq!((of_p.to_write(), of_p.found(), of_p.nodes.len()), (4, 1, 5));
        let of_b = plan(&["p"], |name| name != "b", |_| true);
        assert_eq!((of_b.to_write(), of_b.nodes.len()), (1, 1));
        let of_ap = plan(&["a-p"], |name| name != "a-p", |name| name == "a-b");
        let node = &of_ap.nodes[&Key::of("a-b")];
        assert!(node.source == Source::Snapshot && !node.write);
        assert!(node.state == State::Open && node.children.is_empty());
        assert!(node.needs.least() < Needs::of(&Words::new(Key::of("a-b")), &[]).least());
    }

    /// What another process generates holds up only who needs it; its files once there, it is solved here for others,
    /// not written.
    #[test]
    fn a_table_made_elsewhere_is_still_solved_for_others() {
        let mut plan = plan(&["a-b"], |_| false, |_| false);
        assert_eq!(next(&mut plan), written("a"));
        plan.elsewhere(Key::of("a"));
        assert_eq!(next(&mut plan), written("b"));
        assert!(plan.solved(Key::of("b")).is_empty());
        assert_eq!(next(&mut plan), None);
        plan.retry();
        assert_eq!(next(&mut plan), written("a"), "its generator may have died");
        assert!(plan.appeared(Key::of("a")).is_empty());
        assert!(!plan.is_finished(Key::of("a")) && !plan.is_done());
        assert_eq!(next(&mut plan), only_solved("a"));
        assert!(plan.solved(Key::of("a")).is_empty());
        assert_eq!(next(&mut plan), written("a-b"));
        // This one no other needs: with its files there, it is done.
        assert_eq!(names(plan.appeared(Key::of("a-b"))), ["a", "a-b", "b"]);
        assert!(plan.is_done());
    }

    /// Two tables that larger ones cannot read: what needs both is given up once.
    #[test]
    fn a_table_is_given_up_once() {
        let mut plan = plan(&["a-b"], |_| false, |_| false);
        assert_eq!(next(&mut plan), written("a"));
        assert_eq!(next(&mut plan), written("b"));
        let (free, parent) = plan.refuse(Key::of("a"));
        assert_eq!(names(free), ["a", "a-b", "b"]);
        assert_eq!(parent, Some(Key::of("a-b")));
        assert_eq!(names(plan.solved(Key::of("a"))), ["a"]);
        let (free, parent) = plan.refuse(Key::of("b"));
        assert!(free.is_empty());
        assert_eq!(parent, Some(Key::of("a-b")));
        assert_eq!(names(plan.solved(Key::of("b"))), ["b"]);
        assert!(plan.is_done());
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_it_needs() {
        let plan = plan(&["p", "long"], |_| false, |_| false);
        let (key, needed) = plan.too_large(1).expect("more than a MiB");
        assert_eq!(key, Key::of("long"));
        let least = Needs::of(&Words::new(key), &[]).least();
        assert_eq!(needed, least.div_ceil(1 << 20));
        assert_eq!(plan.too_large(needed), None);
    }
}
