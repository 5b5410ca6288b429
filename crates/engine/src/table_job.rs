//! The jobs of the thread that generates tables.

use super::table_format::TableFormat;
use duchamp_chess_tables::{Material, closure};

/// Tables to be generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TableJob {
    /// The tables that every engine has.
    Startup,
    /// Tables that were asked for, in a format.
    Request(Vec<Material>, TableFormat),
    /// A table that becomes reachable from the position on the board.
    Demand(Material),
}

impl TableJob {
    /// The tables, of which every engine has those of up to `startup_men` men.
    pub(super) fn tables(&self, startup_men: u32) -> Vec<Material> {
        match self {
            TableJob::Startup => (3..=startup_men).flat_map(Material::all).collect(),
            TableJob::Request(tables, _) => tables.clone(),
            TableJob::Demand(table) => vec![*table],
        }
    }

    /// The format of the files that it writes.
    pub(super) fn format(&self) -> TableFormat {
        match self {
            TableJob::Request(_, format) => *format,
            TableJob::Startup | TableJob::Demand(_) => TableFormat::Own,
        }
    }

    /// Whether it generates a table in our own format if that is missing: one of its own, or one that those need.
    pub(super) fn will_generate(&self, wanted: Material, startup_men: u32) -> bool {
        if !self.format().writes_own() {
            return false;
        }
        // No table needs one of more men.
        let follow = |table: Material| table.men() >= wanted.men();
        closure(self.tables(startup_men), follow).contains(&wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_generates_its_tables_and_those_that_they_need() {
        let table = |name: &str| -> Material { name.parse().expect("a material") };
        let job = TableJob::Request(vec![table("KRvKP")], TableFormat::Both);
        let generated = ["KRvKP", "KRvKQ", "KRvK", "KQvK", "KPvK"].map(table);
        let others = ["KRPvK", "KBNvK", "KRPvKP"].map(table);
        assert!(generated.iter().all(|&it| job.will_generate(it, 0)));
        assert!(!others.iter().any(|&it| job.will_generate(it, 0)));
        let syzygy = TableJob::Request(vec![table("KRvKP")], TableFormat::Syzygy);
        assert!(!syzygy.will_generate(table("KRvKP"), 0));
        assert!(TableJob::Startup.will_generate(table("KQvK"), 3));
        assert!(!TableJob::Startup.will_generate(table("KQvKR"), 3));
        assert!(!TableJob::Demand(table("KQvK")).will_generate(table("KRvK"), 0));
    }
}
