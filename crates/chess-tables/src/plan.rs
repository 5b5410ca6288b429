//! The order in which tables are made: a DAG of materials with the state of each.
//!
//! A table must stay at hand until the last one that needs it is solved, so tables are made depth
//! first: the small ones, then for one large table after another those that it needs and the
//! table itself. Those with most pawns need most and lead.

use std::collections::BTreeMap;

use super::budget::{Budget, Needs, Terms};
use super::format::Metric;
use super::layout::Layout;
use super::material::Material;
use duchamp_chess::{Color, Role};

/// How far a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Tables that it needs are not solved yet.
    Blocked,
    /// Can be solved now.
    Open,
    /// Handed out.
    Running,
    /// Another process makes it.
    Elsewhere,
    /// Solved, or on the disk and not needed in memory.
    Done,
}

#[derive(Debug)]
struct Node {
    /// Whether files are to be written; else it is only needed for other tables.
    write: bool,
    /// Whether it is read from a snapshot and not solved.
    load: bool,
    children: Vec<Material>,
    parents: Vec<Material>,
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
pub(super) struct Plan {
    nodes: BTreeMap<Material, Node>,
    /// All nodes in the order in which they are to be solved.
    order: Vec<Material>,
    found: usize,
    /// What the tables are to tell.
    metrics: Vec<Metric>,
}

/// A table that can be solved now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) material: Material,
    /// Whether its files are to be written.
    pub(super) write: bool,
    /// Whether it is read from its snapshot.
    pub(super) load: bool,
    /// The memory that it gets.
    pub(super) terms: Terms,
}

/// Tables of so many men come first, whatever else is asked for: they are made in a second or two.
const SMALL: u32 = 4;

/// Nanoseconds of one thread that solving and encoding take a cell, by the number of pawns.
pub(super) const NANOSECONDS: [u64; 4] = [18, 20, 20, 20];

/// The same for reading a snapshot.
const LOADING: u64 = 2;

impl Plan {
    /// The plan for the files of `metrics` of `targets` and all they depend on; `there` tells which need not be written, `snapshot`
    /// which of those can be read instead of solved.
    pub(super) fn new(
        targets: &[Material],
        metrics: &[Metric],
        there: impl Fn(Material) -> bool,
        snapshot: impl Fn(Material) -> bool,
    ) -> Plan {
        let mut closure = targets.to_vec();
        let mut at = 0;
        while at < closure.len() {
            let children = closure[at].children();
            closure.extend(
                children
                    .into_iter()
                    .filter(|child| !closure.contains(child))
                    .collect::<Vec<_>>(),
            );
            at += 1;
        }
        closure.sort_unstable();
        closure.dedup();
        let missing: Vec<Material> = closure
            .iter()
            .copied()
            .filter(|&material| !there(material))
            .collect();
        let mut plan = Plan {
            nodes: BTreeMap::new(),
            order: Vec::new(),
            found: closure.len() - missing.len(),
            metrics: metrics.to_vec(),
        };
        for &material in &missing {
            plan.need(material, &missing, &snapshot);
        }
        let mut roots: Vec<Material> = plan.nodes.keys().copied().collect();
        roots.sort_by_key(|root| (root.men() > SMALL, std::cmp::Reverse(pawns(*root)), *root));
        for root in roots {
            plan.arrange(root);
        }
        plan
    }

    /// Enters a table and, as it has to be solved, all that it needs.
    fn need(
        &mut self,
        material: Material,
        missing: &[Material],
        snapshot: &dyn Fn(Material) -> bool,
    ) {
        if self.nodes.contains_key(&material) {
            return;
        }
        let write = missing.contains(&material);
        let load = !write && snapshot(material);
        let children = if load {
            Vec::new()
        } else {
            material.children()
        };
        let layout = Layout::new(material);
        let nanoseconds = if load {
            LOADING
        } else {
            NANOSECONDS[pawns(material).min(3)]
        };
        let node = Node {
            write,
            load,
            missing: children.len(),
            state: if children.is_empty() {
                State::Open
            } else {
                State::Blocked
            },
            children: children.clone(),
            parents: Vec::new(),
            wanted_by: 0,
            needs: Needs::of(&layout, &self.metrics),
            work: 2 * layout.cells() * nanoseconds / 1000,
        };
        self.nodes.insert(material, node);
        for child in children {
            self.need(child, missing, snapshot);
            let node = self.node(child);
            node.parents.push(material);
            node.wanted_by += 1;
        }
    }

    /// Puts a table into the order, behind all that it needs.
    fn arrange(&mut self, material: Material) {
        if self.order.contains(&material) {
            return;
        }
        let mut children = self.nodes[&material].children.clone();
        children.sort_by_key(|child| (child.men() > SMALL, pawns(*child), *child));
        for child in children {
            self.arrange(child);
        }
        self.order.push(material);
    }

    fn node(&mut self, material: Material) -> &mut Node {
        self.nodes
            .get_mut(&material)
            .expect("only planned tables are named")
    }

    /// Tables that need not be made.
    pub(super) fn found(&self) -> usize {
        self.found
    }

    /// Tables whose files are to be written.
    pub(super) fn to_write(&self) -> usize {
        self.nodes.values().filter(|node| node.write).count()
    }

    /// The work of all tables, in microseconds of one thread.
    pub(super) fn total_work(&self) -> u64 {
        self.nodes.values().map(|node| node.work).sum()
    }

    /// The work of one table.
    pub(super) fn work(&self, material: Material) -> u64 {
        self.nodes[&material].work
    }

    /// Whether a table's files are to be written.
    pub(super) fn is_to_write(&self, material: Material) -> bool {
        self.nodes[&material].write
    }

    /// A table that cannot be solved in so many MiB, and the MiB that it needs.
    pub(super) fn too_large(&self, allowed: u64) -> Option<(Material, u64)> {
        let least = |node: &Node| node.needs.least().div_ceil(1 << 20);
        self.nodes
            .iter()
            .map(|(&material, node)| (material, least(node)))
            .max_by_key(|&(_, least)| least)
            .filter(|&(_, least)| least > allowed)
    }

    /// The next table to solve on so many threads and the memory for it. `idle`: nothing else runs.
    pub(super) fn next(&mut self, budget: &Budget, threads: usize, idle: bool) -> Option<Job> {
        let to_come = self.nodes.values().filter(|node| node.state != State::Done);
        let reserve = to_come.map(|node| node.needs.reserve()).max().unwrap_or(0);
        let nodes = &self.nodes;
        let mut open = self
            .order
            .iter()
            .filter(|material| nodes[material].state == State::Open);
        let (material, terms) = open.find_map(|&material| {
            let needs = &nodes[&material].needs;
            Some((material, budget.terms(needs, threads, reserve, idle)?))
        })?;
        let node = self.node(material);
        node.state = State::Running;
        Some(Job {
            material,
            write: node.write,
            load: node.load,
            terms,
        })
    }

    /// A table is solved: tells which tables in memory no other needs any more.
    pub(super) fn solved(&mut self, material: Material) -> Vec<Material> {
        self.node(material).state = State::Done;
        for parent in self.nodes[&material].parents.clone() {
            let node = self.node(parent);
            node.missing -= 1;
            if node.missing == 0 && node.state == State::Blocked {
                node.state = State::Open;
            }
        }
        let mut free = Vec::new();
        for child in self.nodes[&material].children.clone() {
            let node = self.node(child);
            node.wanted_by -= 1;
            if node.wanted_by == 0 {
                free.push(child);
            }
        }
        if self.nodes[&material].wanted_by == 0 {
            free.push(material);
        }
        free
    }

    /// Another process is making a table.
    pub(super) fn elsewhere(&mut self, material: Material) {
        self.node(material).state = State::Elsewhere;
    }

    /// Another process has made a table: if none needs it in memory it is done, else it is solved here
    /// without writing. Tells what memory needs no more.
    pub(super) fn appeared(&mut self, material: Material) -> Vec<Material> {
        let node = self.node(material);
        node.write = false;
        if node.wanted_by == 0 {
            return self.solved(material);
        }
        node.state = State::Open;
        Vec::new()
    }

    /// Looks again at the tables that other processes were making.
    pub(super) fn retry(&mut self) {
        for node in self
            .nodes
            .values_mut()
            .filter(|node| node.state == State::Elsewhere)
        {
            node.state = State::Open;
        }
    }

    /// Whether a table is solved or needs not be.
    pub(super) fn is_finished(&self, material: Material) -> bool {
        self.nodes[&material].state == State::Done
    }

    /// Whether a table is solved in many slices.
    pub(super) fn is_sliced(&self, material: Material) -> bool {
        pawns(material) > 0
    }

    /// Whether every table is done.
    pub(super) fn is_done(&self) -> bool {
        self.nodes.values().all(|node| node.state == State::Done)
    }
}

fn pawns(material: Material) -> usize {
    let count = |color| usize::from(material.count(color, Role::Pawn));
    Color::ALL.map(count).iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn materials(names: &[&str]) -> Vec<Material> {
        names
            .iter()
            .map(|name| name.parse().expect("a material"))
            .collect()
    }

    #[test]
    fn children_come_first_and_are_freed() {
        let mut plan = Plan::new(&materials(&["KPvK"]), &[], |_| false, |_| false);
        assert_eq!((plan.to_write(), plan.found()), (5, 0));
        let mut order = Vec::new();
        let mut freed = Vec::new();
        while let Some(job) = plan.next(&Budget::new(1 << 40), 1, true) {
            order.push(job.material.name());
            freed.extend(plan.solved(job.material));
        }
        assert!(plan.is_done());
        assert_eq!(order.last().map(String::as_str), Some("KPvK"));
        assert_eq!(freed.len(), 5);
    }

    #[test]
    fn tables_that_are_there_are_solved_only_if_needed() {
        let kqk = materials(&["KQvK"])[0];
        let plan = Plan::new(
            &materials(&["KPvK"]),
            &[],
            |material| material == kqk,
            |_| false,
        );
        assert_eq!((plan.to_write(), plan.found(), plan.nodes.len()), (4, 1, 5));
        let plan = Plan::new(
            &materials(&["KPvK"]),
            &[],
            |material| material.name() != "KRvK",
            |_| true,
        );
        assert_eq!((plan.to_write(), plan.nodes.len()), (1, 1));
        let [kqkr, kqkp] = materials(&["KQvKR", "KQvKP"])[..] else {
            unreachable!()
        };
        let plan = Plan::new(
            &[kqkp],
            &[],
            |material| material != kqkp,
            |material| material == kqkr,
        );
        let node = &plan.nodes[&kqkr];
        assert!(node.load && !node.write && node.state == State::Open && node.children.is_empty());
    }

    #[test]
    fn a_table_made_elsewhere_is_still_solved_for_others() {
        let [kq, kqkr] = materials(&["KQvK", "KQvKR"])[..] else {
            unreachable!()
        };
        let mut plan = Plan::new(&[kqkr], &[], |_| false, |_| false);
        while let Some(job) = plan.next(&Budget::new(1 << 40), 1, true) {
            if job.material == kq && job.write {
                plan.elsewhere(kq);
                plan.retry();
                assert!(
                    plan.next(&Budget::new(1 << 40), 1, true)
                        .is_some_and(|job| job.material == kq || job.material.name() == "KRvK")
                );
                plan.retry();
                plan.appeared(kq);
            } else {
                plan.solved(job.material);
            }
            if plan.is_done() {
                return;
            }
        }
        // The one table taken by `next` above and not given back keeps the plan from its end.
        assert!(!plan.is_done());
    }
}
