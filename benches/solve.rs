//! Solving times of the 3- and 4-man tables, in memory: no files, no compression.
//!
//! `cargo bench --bench solve -- [THREADS] [MATERIAL...]`. With THREADS above 1 the tables whose
//! sub-tables are ready are solved side by side, as the generator does; a table's own wall time then
//! includes the others that ran beside it. Every table is dropped as soon as no other needs it. With the word
//! `spill` the tables named (without pawns) are solved in little memory too.

use duchamp_base::{Control, Plies};
use duchamp_chess_tables::{Layout, Material, Solved, solve, solve_spilled, solve_spilled_long};
use duchamp_retro::Cell;
use duchamp_tablebase::{Index, PartRoom, SpilledTable, SubTables, Values};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

/// Finished tables.
#[derive(Default)]
struct Memory(RwLock<HashMap<Material, Arc<Solved>>>);

impl SubTables<Layout> for Memory {
    fn get(&self, material: Material) -> Option<Arc<Solved>> {
        self.0.read().ok()?.get(&material).cloned()
    }
}

/// Time that a thread (`self/task/N` or `thread-self`) has had the processor, where the system tells it.
fn thread_time(thread: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    text.split_whitespace()
        .next()?
        .parse()
        .ok()
        .map(Duration::from_nanos)
}

/// The same of all threads of this process.
fn cpu_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .filter_map(|task| thread_time(&format!("self/task/{}", task.file_name().display())))
        .sum()
}

/// The longest distance of a table.
fn longest(table: &Solved) -> Plies {
    let mut longest = Plies(0);
    for side in table
        .index()
        .stored_sides()
        .iter()
        .map(|&side| table.side(side))
    {
        for (word, void) in side
            .void
            .iter()
            .enumerate()
            .filter(|(_, void)| **void != !0)
        {
            let legal = (0..64).filter(|bit| void >> bit & 1 == 0);
            let plies = legal.filter_map(|bit| side.word(word)[bit].value().plies());
            longest = plies.fold(longest, Plies::max);
        }
    }
    longest
}

/// Solves a table in little memory.
fn spill(material: Material, memory: &Memory, threads: usize) {
    let folder = std::env::var_os("SPILL_FOLDER").map_or_else(std::env::temp_dir, Into::into);
    let control = Control::new(threads);
    let (begin, cpu) = (Instant::now(), cpu_time());
    if material.men() > 5 {
        let table = solve_spilled_long(material, memory, &folder, &control).expect("solved");
        tell_spilled(&table, begin.elapsed(), cpu_time() - cpu);
    } else {
        let table = solve_spilled(material, memory, &folder, &control).expect("solved");
        tell_spilled(&table, begin.elapsed(), cpu_time() - cpu);
    }
}

/// Reads a table once and returns what it took.
fn tell_spilled<C: Cell>(table: &SpilledTable<Layout, C>, wall: Duration, solving: Duration) {
    let cpu = cpu_time();
    let (words, stride) = (table.index().words(), table.stride());
    let longest = table.index().stored_sides().iter().map(|&side| {
        let strides = (0..words.div_ceil(stride)).into_par_iter();
        let longest = strides.map_init(PartRoom::default, |room, n| {
            let range = n * stride..words.min((n + 1) * stride);
            let part = table.read(side, range, room).expect("readable");
            // What is void is drawn.
            let cells = part.cells.as_flattened();
            let loss = cells.iter().filter(|&&cell| cell < C::DRAW).max();
            let win = cells.iter().filter(|&&cell| cell > C::DRAW).min();
            let plies = loss
                .into_iter()
                .chain(win)
                .filter_map(|cell| cell.value().plies());
            plies.max().unwrap_or_default()
        });
        longest.max().unwrap_or_default()
    });
    let longest = longest.max().unwrap_or_default();
    println!(
        "{:8} spilled: wall {:8.2} ms  CPU {:8.2} ms, reading {:8.2} ms  longest {:3} plies\n{:?}",
        table.index().key().name(),
        wall.as_secs_f64() * 1e3,
        solving.as_secs_f64() * 1e3,
        (cpu_time() - cpu).as_secs_f64() * 1e3,
        longest.0,
        table.footprint()
    );
}

fn main() {
    let mut threads = 1;
    let mut wanted = Vec::new();
    let mut spilled = false;
    for arg in std::env::args().skip(1).filter(|arg| !arg.starts_with('-')) {
        match (arg.parse::<usize>(), arg.parse::<Material>()) {
            (Ok(n), _) => threads = n,
            (_, Ok(material)) => wanted.push(material),
            _ if arg == "spill" => spilled = true,
            _ => eprintln!("neither a number of threads nor a material: {arg}"),
        }
    }
    let mut left: Vec<Material> = [3, 4].into_iter().flat_map(Material::all).collect();
    if !wanted.is_empty() {
        let mut needed = wanted;
        let mut next = 0;
        while next < needed.len() {
            let new: Vec<_> = needed[next]
                .children()
                .into_iter()
                .filter(|child| !needed.contains(child))
                .collect();
            needed.extend(new);
            next += 1;
        }
        left = needed;
    }
    let to_spill = if spilled { left.clone() } else { Vec::new() };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    let memory = Memory::default();
    let (start, cpu) = (Instant::now(), cpu_time());
    let mut lines = Vec::new();
    let mut checking = Duration::ZERO;
    while !left.is_empty() {
        let done = |m: &Material| memory.0.read().expect("lock").contains_key(m);
        let (ready, later): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|m| m.children().iter().all(done));
        let (ready, large): (Vec<_>, Vec<_>) = ready.into_iter().partition(|m| m.men() < 6);
        for &material in large.iter().filter(|m| m.pawns() == 0) {
            pool.install(|| spill(material, &memory, threads));
        }
        let made = pool.install(|| {
            let make = |&material: &Material| {
                let (begin, cpu) = (Instant::now(), thread_time("thread-self"));
                let table = solve(material, &memory, &Control::new(threads)).expect("solved");
                let cpu = thread_time("thread-self")
                    .zip(cpu)
                    .map(|(now, then)| now - then);
                (
                    material,
                    Arc::new(table),
                    begin.elapsed(),
                    cpu.unwrap_or_default(),
                )
            };
            if threads > 1 {
                ready.par_iter().map(make).collect::<Vec<_>>()
            } else {
                ready.iter().map(make).collect()
            }
        });
        for &material in ready
            .iter()
            .filter(|m| to_spill.contains(m) && m.pawns() == 0)
        {
            pool.install(|| spill(material, &memory, threads));
        }
        left = later;
        for (material, table, wall, cpu) in made {
            if left.iter().any(|m| m.children().contains(&material)) {
                memory
                    .0
                    .write()
                    .expect("lock")
                    .insert(material, table.clone());
            }
            let before = cpu_time();
            lines.push((material, wall, cpu, longest(&table)));
            checking += cpu_time() - before;
        }
        let mut needed = memory.0.write().expect("lock");
        needed.retain(|m, _| left.iter().any(|l| l.children().contains(m)));
    }
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu - checking);
    for (material, wall, cpu, longest) in &lines {
        println!(
            "{:8} wall {:8.2} ms  CPU {:8.2} ms  longest {:3} plies",
            material.name(),
            wall.as_secs_f64() * 1e3,
            cpu.as_secs_f64() * 1e3,
            longest.0
        );
    }
    println!(
        "{} tables, {threads} threads: wall {:.3} s, CPU {:.2} s",
        lines.len(),
        wall.as_secs_f64(),
        cpu.as_secs_f64()
    );
}
