//! The jobs of the thread that makes tables.

use duchamp_chess_tables::Material;
use std::collections::HashSet;

/// Tables to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Job {
    /// The tables that every engine has.
    Startup,
    /// Tables that were asked for.
    Request(Vec<Material>),
    /// A table that the position on the board nears.
    Demand(Material),
}

impl Job {
    /// The tables, of which every engine has those of up to `startup_men` men.
    pub(super) fn tables(&self, startup_men: u32) -> Vec<Material> {
        match self {
            Job::Startup => (3..=startup_men).flat_map(Material::all).collect(),
            Job::Request(tables) => tables.clone(),
            Job::Demand(table) => vec![*table],
        }
    }

    /// Whether it makes a table if that is missing: one of its own, or one that those need.
    pub(super) fn will_make(&self, wanted: Material, startup_men: u32) -> bool {
        let mut tables = self.tables(startup_men);
        let mut seen = HashSet::new();
        while let Some(table) = tables.pop() {
            if table == wanted {
                return true;
            }
            // No table needs one of more men.
            if table.men() >= wanted.men() && seen.insert(table) {
                tables.extend(table.children());
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_makes_its_tables_and_those_that_they_need() {
        let table = |name: &str| -> Material { name.parse().expect("a material") };
        let job = Job::Request(vec![table("KRvKP")]);
        let made = ["KRvKP", "KRvKQ", "KRvK", "KQvK", "KPvK"].map(table);
        let others = ["KRPvK", "KBNvK", "KRPvKP"].map(table);
        assert!(made.iter().all(|&it| job.will_make(it, 0)));
        assert!(!others.iter().any(|&it| job.will_make(it, 0)));
        assert!(Job::Startup.will_make(table("KQvK"), 3));
        assert!(!Job::Startup.will_make(table("KQvKR"), 3));
        assert!(!Job::Demand(table("KQvK")).will_make(table("KRvK"), 0));
    }
}
