//! The text of a workflow for Snakemake: one rule, one job a table, files of sub-tables between them.

use super::tb_game::TableGame;
use super::tb_job::Job;
use duchamp_tablebase::Metric;
use std::fmt::{self, Write};

/// A workflow to be written down.
pub(super) struct Plan<'a, G: TableGame> {
    /// The tables as they were asked for.
    pub(super) specs: &'a str,
    pub(super) targets: &'a [G::Key],
    /// All tables, each after those that it needs.
    pub(super) jobs: &'a [Job<G>],
    pub(super) folder: &'a str,
    /// What the distances count.
    pub(super) distances: &'a [Metric],
}

/// How often longer than estimated a job may take, since machines differ.
const PATIENCE: u64 = 8;

impl<G: TableGame> Plan<'_, G> {
    /// The Snakefile.
    ///
    /// # Errors
    /// When the path of this program is not known.
    pub(super) fn text(&self) -> Result<String, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let program = quoted(&program.to_string_lossy());
        let mut text = String::new();
        self.write(&mut text, &program)
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn write(&self, out: &mut String, program: &str) -> fmt::Result {
        let Plan { specs, folder, .. } = self;
        let specs: String = specs.chars().filter(|c| !c.is_control()).collect();
        write!(
            out,
            r#"# Endgame tables as independent jobs: `duchamp tb plan {specs}`.
#
#   snakemake --snakefile THIS --cores 2
#   snakemake --snakefile THIS --executor slurm --jobs 50
#   snakemake --snakefile THIS --executor kubernetes --jobs 50 --container-image IMAGE \
#       --default-storage-provider s3 --default-storage-prefix s3://BUCKET --config duchamp=duchamp
#
# One job generates one table and reads what its sub-tables left for it (MATERIAL.sub), so jobs share nothing but the
# folder. Memory and time are estimates; a job that fails is tried once more with twice as much. To be set
# by `--config`: dir (the folder of tables), duchamp (the program), threads (of a job).
import os

DIR = str(config.get("dir", {folder}))
DUCHAMP = str(config.get("duchamp", {program}))
THREADS = int(config.get("threads", 1))
FILES = [{files}]

# The tables that are wanted; the others are what they need.
TARGETS = [
{targets}]

# table: (what it needs, MiB of memory, minutes)
TABLES = {{
"#,
            folder = quoted(folder),
            files = self.files(),
            targets = self.target_lines(),
        )?;
        for job in self.jobs {
            let needs: Vec<String> = job.needs.iter().map(|need| format!("\"{need}\"")).collect();
            let minutes = (PATIENCE * job.cost.time.as_secs()).div_ceil(60).max(1);
            writeln!(
                out,
                "    \"{}\": ([{}], {}, {minutes}),",
                job.material,
                needs.join(", "),
                job.mib()
            )?;
        }
        write!(
            out,
            r#"}}


wildcard_constraints:
    table="{pattern}",


rule all:
    input:
        [f"{{DIR}}/{{table}}.{{file}}" for table in TARGETS for file in FILES],
"#,
            pattern = G::PATTERN,
        )?;
        let large = self.large();
        if large.is_empty() || !self.distances.contains(&Metric::Dtz) {
            return self.write_rule(out, "table", "", &self.endings());
        }
        // Only tables of six men leave what the 50-move rule changes in a file of its own.
        write!(
            out,
            r"
# The tables that leave their distances to zeroing for larger ones.
LARGE = [
{}]
",
            lines(&large)
        )?;
        let of = |set: &str| format!("    wildcard_constraints:\n        table={set},\n");
        let small = of("\"|\".join(table for table in TABLES if table not in LARGE)");
        self.write_rule(out, "table", &small, &self.endings())?;
        let mut endings = self.endings();
        endings.push(format!("{}.sub", Metric::Dtz.name()));
        self.write_rule(out, "large", &of("\"|\".join(LARGE)"), &endings)
    }

    /// The tables of six men.
    fn large(&self) -> Vec<G::Key> {
        let all = self.jobs.iter().map(|job| job.material);
        all.filter(|&key| G::is_large(key)).collect()
    }

    /// A rule for tables that leave snapshots with these endings.
    fn write_rule(
        &self,
        out: &mut String,
        name: &str,
        constraints: &str,
        endings: &[String],
    ) -> fmt::Result {
        write!(
            out,
            r#"

rule {name}:
    input:
        lambda job: {inputs},
    output:
        [f"{{DIR}}/{{{{table}}}}.{{file}}" for file in FILES],
{snapshots}
{constraints}    params:
        folder=lambda job, output: os.path.dirname(output.sub) or ".",
        program=DUCHAMP,
    threads: THREADS
    resources:
        mem_mb=lambda job, attempt: attempt * TABLES[job.table][1],
        runtime=lambda job, attempt: attempt * TABLES[job.table][2],
    retries: 1
    shell:
        "{{params.program:q}} tb generate {{wildcards.table}} --only --keep-subs --metric {metric}"
        " --dir {{params.folder:q}} --threads {{threads}} --memory {{resources.mem_mb}}"
"#,
            inputs = self.inputs(endings),
            snapshots = snapshots(endings),
            metric = self.names(&[]).join(",")
        )
    }

    /// The endings of the snapshots that a job leaves for others: one for each metric that is solved by itself.
    fn endings(&self) -> Vec<String> {
        let others = self.distances.iter().any(|it| !G::PRIMARY.contains(it));
        let solved = G::PRIMARY
            .iter()
            .filter(|metric| self.distances.contains(metric) || others && **metric == Metric::Dtm);
        let ending = |metric: &Metric| match metric {
            Metric::Dtm => "sub".to_owned(),
            metric => format!("{}.sub", metric.name()),
        };
        solved.map(ending).collect()
    }

    /// The snapshots that a job reads.
    fn inputs(&self, endings: &[String]) -> String {
        let zeroing = format!("{}.sub", Metric::Dtz.name());
        let list = |ending: &String| {
            let of = if *ending == zeroing {
                " if need in LARGE"
            } else {
                ""
            };
            format!("[f\"{{DIR}}/{{need}}.{ending}\" for need in TABLES[job.table][0]{of}]")
        };
        let lists: Vec<String> = endings.iter().map(list).collect();
        lists.join(" + ")
    }

    fn files(&self) -> String {
        let names = self.names(&[Metric::Wdl]);
        let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    }

    /// The names of metrics, these first.
    fn names(&self, first: &[Metric]) -> Vec<&'static str> {
        let all = first.iter().chain(self.distances);
        all.map(|metric| metric.name()).collect()
    }

    /// The names of the targets, ten a line.
    fn target_lines(&self) -> String {
        lines(self.targets)
    }
}

/// Names of tables for a list, ten a line.
fn lines<K: fmt::Display>(tables: &[K]) -> String {
    let mut text = String::new();
    for line in tables.chunks(10) {
        let names: Vec<String> = line.iter().map(|table| format!("\"{table}\",")).collect();
        let _ = writeln!(text, "    {}", names.join(" "));
    }
    text
}

/// The lines of the snapshots that a job leaves.
fn snapshots(endings: &[String]) -> String {
    let names = ["sub", "more", "others"].into_iter().zip(endings);
    let line =
        |(name, ending)| format!("        {name}=temp(f\"{{DIR}}/{{{{table}}}}.{ending}\"),");
    names.map(line).collect::<Vec<_>>().join("\n")
}

/// A text as Python writes it.
fn quoted(text: &str) -> String {
    // Python reads the escapes of JSON as its own.
    serde_json::Value::from(text).to_string()
}
