//! The order in which tables are made: a DAG of materials with the state of each.

use std::collections::BTreeMap;

use super::layout::Layout;
use super::material::Material;

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
    children: Vec<Material>,
    parents: Vec<Material>,
    /// Children that are not done yet.
    missing: usize,
    /// Parents that are not done yet: their solving needs this table in memory.
    wanted_by: usize,
    /// Bytes of the solved table, which also stand for the work.
    size: u64,
    /// Work on the longest way from here to a table that no other needs.
    chain: u64,
    state: State,
}

/// All tables to be solved.
#[derive(Debug)]
pub(super) struct Plan {
    nodes: BTreeMap<Material, Node>,
    found: usize,
}

/// A table that can be solved now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) material: Material,
    /// Whether its files are to be written.
    pub(super) write: bool,
}

/// Solving holds bitmaps and sub-table seeds beside the values: measured, less than this many
/// times the values.
const WORKSPACE: u64 = 3;

impl Plan {
    /// The plan for `targets` and all they depend on; `there` tells which need not be written.
    pub(super) fn new(targets: &[Material], there: impl Fn(Material) -> bool) -> Plan {
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
            found: closure.len() - missing.len(),
        };
        for &material in &missing {
            plan.need(material, &missing);
        }
        for (material, children) in plan
            .nodes
            .iter()
            .map(|(m, node)| (*m, node.children.clone()))
            .collect::<Vec<_>>()
        {
            for child in children {
                let node = plan.node(child);
                node.parents.push(material);
                node.wanted_by += 1;
            }
        }
        for material in plan.nodes.keys().copied().collect::<Vec<_>>() {
            plan.measure(material);
        }
        plan
    }

    /// Enters a table and, as it has to be solved, all that it needs.
    fn need(&mut self, material: Material, missing: &[Material]) {
        if self.nodes.contains_key(&material) {
            return;
        }
        let children = material.children();
        let layout = Layout::new(material);
        let node = Node {
            write: missing.contains(&material),
            missing: children.len(),
            state: if children.is_empty() {
                State::Open
            } else {
                State::Blocked
            },
            children: children.clone(),
            parents: Vec::new(),
            wanted_by: 0,
            size: layout.cells() * layout.sides().len() as u64,
            chain: 0,
        };
        self.nodes.insert(material, node);
        for child in children {
            self.need(child, missing);
        }
    }

    /// Works out the longest chain above a table.
    fn measure(&mut self, material: Material) -> u64 {
        if self.nodes[&material].chain == 0 {
            let parents = self.nodes[&material].parents.clone();
            let above = parents
                .into_iter()
                .map(|parent| self.measure(parent))
                .max()
                .unwrap_or(0);
            let node = self.node(material);
            node.chain = node.size + above;
        }
        self.nodes[&material].chain
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

    /// The work of all tables.
    pub(super) fn work(&self) -> u64 {
        self.nodes.values().map(|node| node.size).sum()
    }

    /// Whether a table's files are to be written.
    pub(super) fn is_to_write(&self, material: Material) -> bool {
        self.nodes[&material].write
    }

    /// A table that cannot be solved in so many MiB together with its sub-tables, and the MiB that it needs.
    pub(super) fn too_large(&self, allowed: u64) -> Option<(Material, u64)> {
        self.nodes
            .iter()
            .map(|(&material, node)| {
                let children: u64 = node
                    .children
                    .iter()
                    .map(|child| self.nodes[child].size)
                    .sum();
                (material, (children + WORKSPACE * node.size) >> 20)
            })
            .find(|&(_, needed)| needed > allowed)
    }

    /// The next table to solve, given the bytes free for it; any table if nothing else runs.
    pub(super) fn next(&mut self, free: u64, idle: bool) -> Option<Job> {
        let open = self
            .nodes
            .iter()
            .filter(|(_, node)| node.state == State::Open);
        let fitting = open.filter(|(_, node)| idle || WORKSPACE * node.size <= free);
        let (&material, _) = fitting.max_by_key(|(_, node)| node.chain)?;
        let node = self.node(material);
        node.state = State::Running;
        Some(Job {
            material,
            write: node.write,
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

    /// Whether every table is done.
    pub(super) fn is_done(&self) -> bool {
        self.nodes.values().all(|node| node.state == State::Done)
    }

    /// Bytes of a solved table.
    pub(super) fn size(&self, material: Material) -> u64 {
        self.nodes[&material].size
    }
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
        let mut plan = Plan::new(&materials(&["KPvK"]), |_| false);
        assert_eq!((plan.to_write(), plan.found()), (5, 0));
        let mut order = Vec::new();
        let mut freed = Vec::new();
        while let Some(job) = plan.next(u64::MAX, true) {
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
        let plan = Plan::new(&materials(&["KPvK"]), |material| material == kqk);
        assert_eq!((plan.to_write(), plan.found(), plan.nodes.len()), (4, 1, 5));
        let plan = Plan::new(&materials(&["KPvK"]), |material| material.name() != "KRvK");
        assert_eq!((plan.to_write(), plan.nodes.len()), (1, 1));
    }

    #[test]
    fn a_table_made_elsewhere_is_still_solved_for_others() {
        let [kq, kqkr] = materials(&["KQvK", "KQvKR"])[..] else {
            unreachable!()
        };
        let mut plan = Plan::new(&[kqkr], |_| false);
        while let Some(job) = plan.next(u64::MAX, true) {
            if job.material == kq && job.write {
                plan.elsewhere(kq);
                plan.retry();
                assert!(
                    plan.next(u64::MAX, true)
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
