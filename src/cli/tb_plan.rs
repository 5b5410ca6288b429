//! `duchamp tb plan SPEC...`: the generation of tables as independent jobs with files between them, and what it will cost.

use super::Failure;
use super::columns::{Columns, Side};
use super::snakefile;
use super::tb_game::{TableGame, names};
use super::tb_generate::{self, Metrics};
use super::tb_input::{GameOption, in_game};
use super::tb_job::Job;
use clap::ValueEnum;
use duchamp_base::human;
use duchamp_tablebase::{Estimate, Metric, TableKey, closure, in_order, parse_specs_within};
use std::io::Write;
use std::time::Duration;

/// Estimates may go so far, whatever can be generated.
const LARGEST: u32 = 6;

/// Where the tables of a workflow go if nothing else is said: beside the workflow.
const FOLDER: &str = "tables";

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Tables: materials such as KRPvKR or, of xiangqi, aegp-aaee; 5 for all 5-man tables, all5 for all of 3 to 5 men; those that
    /// they need come along
    #[arg(required = true)]
    specs: Vec<String>,
    /// What to print
    #[arg(long, value_enum, default_value = "snakemake")]
    format: Format,
    /// What the distances count; wins, draws and losses are always stored [default: dtm; xiangqi: dtc]
    #[arg(long, value_enum, value_delimiter = ',')]
    metric: Vec<Metrics>,
    #[command(flatten)]
    game: GameOption,
    /// With --format snakemake or json: the folder of tables, on storage that every job sees [default: `tables` where the
    /// workflow runs]
    #[arg(long)]
    dir: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A workflow for Snakemake, local or on a cluster
    Snakemake,
    /// One JSON object: for each table what it needs, files, time, memory and disk
    Json,
    /// A graph for Graphviz
    Dot,
    /// What the tables will cost, by men and pawns
    Cost,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    in_game!(arguments.game.of_specs(&arguments.specs)?, print(arguments))
}

fn print<G: TableGame>(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.dir.is_some() && matches!(arguments.format, Format::Dot | Format::Cost) {
        return Err(Failure::bad_input(
            "--dir goes with --format snakemake or json: graphs and costs name no folder",
        ));
    }
    let runs = arguments.format == Format::Snakemake;
    let most = G::MAX_LARGE_MEN;
    let largest = if runs { most } else { LARGEST.max(most) };
    let targets = parse_specs_within::<G>(&arguments.specs.join(" "), largest);
    let targets = targets.map_err(Failure::bad_input)?;
    let distances = tb_generate::distances::<G>(&arguments.metric)?;
    let tables = in_order(closure(targets.iter().copied(), |_| true)).into_iter();
    let jobs: Vec<Job<G>> = tables.map(|table| Job::new(table, &distances)).collect();
    let folder = arguments.dir.as_deref().unwrap_or(FOLDER);
    let mut out = std::io::stdout().lock();
    match arguments.format {
        Format::Snakemake => {
            let specs = arguments.specs.join(" ");
            let plan = snakefile::Plan {
                specs: &specs,
                targets: &targets,
                jobs: &jobs,
                folder,
                distances: &distances,
            };
            write!(out, "{}", plan.text().map_err(Failure::Failed)?)?;
        }
        Format::Json => writeln!(out, "{}", json(&jobs, folder, &distances))?,
        Format::Dot => write_dot(&mut out, &jobs)?,
        Format::Cost => write_cost(&mut out, &jobs)?,
    }
    Ok(())
}

fn json<G: TableGame>(jobs: &[Job<G>], folder: &str, distances: &[Metric]) -> serde_json::Value {
    let tables = jobs.iter().map(|job| {
        let files = [Metric::Wdl].iter().chain(distances);
        let files: Vec<String> = files
            .map(|metric| format!("{}.{}", job.material, metric.name()))
            .collect();
        let needs: Vec<String> = names(&job.needs);
        serde_json::json!({
            "material": job.material.to_string(),
            "needs": needs,
            "files": files,
            "slices": job.cost.slices,
            "cells": job.cost.cells,
            "memory_mib": job.mib(),
            "least_memory_mib": job.cost.least_memory.div_ceil(1 << 20),
            "processor_seconds": job.cost.time.as_secs_f64(),
            "disk_bytes": job.cost.disk,
        })
    });
    serde_json::json!({ "folder": folder, "tables": tables.collect::<Vec<_>>() })
}

fn write_dot<G: TableGame>(out: &mut impl Write, jobs: &[Job<G>]) -> std::io::Result<()> {
    writeln!(out, "digraph tables {{")?;
    writeln!(out, "  rankdir=BT;")?;
    writeln!(out, "  node [shape=box, fontname=\"Helvetica\"];")?;
    for job in jobs {
        let (time, memory) = (human::span(job.cost.time), human::size(job.cost.memory));
        let (name, node) = (job.material, node(&job.material));
        writeln!(out, "  {node} [label=\"{name}\\n{time}, {memory}\"];")?;
    }
    for job in jobs {
        for need in &job.needs {
            writeln!(out, "  {} -> {};", node(need), node(&job.material))?;
        }
    }
    writeln!(out, "}}")
}

/// A name as Graphviz reads it.
fn node<K: TableKey>(key: &K) -> String {
    let name = key.to_string();
    if name.contains('-') {
        format!("\"{name}\"")
    } else {
        name
    }
}

/// What tables cost, summed by men and pawns.
fn write_cost<G: TableGame>(out: &mut impl Write, jobs: &[Job<G>]) -> std::io::Result<()> {
    let mut columns = Columns::new([
        ("men", Side::Right),
        ("pawns", Side::Right),
        ("tables", Side::Right),
        ("10^9 cells", Side::Right),
        ("processor time", Side::Right),
        ("longest", Side::Right),
        ("memory, most", Side::Right),
        ("least, most", Side::Right),
        ("disk", Side::Right),
    ]);
    let mut groups: Vec<(u32, u32)> = Vec::new();
    for job in jobs {
        let group = (job.material.men(), job.material.pawns());
        if groups.last() != Some(&group) {
            groups.push(group);
        }
    }
    let row = |head: [String; 2], jobs: &[&Job<G>]| {
        let sum = |of: fn(&Estimate) -> u64| jobs.iter().map(|job| of(&job.cost)).sum::<u64>();
        let most = |of: fn(&Estimate) -> u64| jobs.iter().map(|job| of(&job.cost)).max();
        let longest = jobs.iter().map(|job| job.cost.time).max();
        let time: Duration = jobs.iter().map(|job| job.cost.time).sum();
        let [men, pawns] = head;
        [
            men,
            pawns,
            jobs.len().to_string(),
            format!("{:.2}", sum(|cost| cost.cells) as f64 / 1e9),
            human::span(time),
            human::span(longest.unwrap_or_default()),
            human::size(most(|cost| cost.memory).unwrap_or(0)),
            human::size(most(|cost| cost.least_memory).unwrap_or(0)),
            human::size(sum(|cost| cost.disk)),
        ]
    };
    for (men, pawns) in groups {
        let of_group = |job: &&Job<G>| (job.material.men(), job.material.pawns()) == (men, pawns);
        let group: Vec<&Job<G>> = jobs.iter().filter(of_group).collect();
        columns.row(row([men, pawns].map(|n| n.to_string()), &group));
    }
    columns.rule();
    let all: Vec<&Job<G>> = jobs.iter().collect();
    columns.row(row(["all".to_owned(), String::new()], &all));
    columns.write(out)?;
    writeln!(out)?;
    for line in [
        "processor time: one thread, solving and encoding, sub-tables read",
        "memory: with all sub-tables at hand, nothing in scratch; least: what cannot go to scratch",
        G::DISK_BASIS,
    ] {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
