//! Tables that fit into memory, with their sub-tables: side by side, as far as memory allows.

use std::sync::{Arc, mpsc};
use std::time::Instant;

use super::budget::Budget;
use super::driver::Driver;
use super::job::write_all;
use super::plan::GenerationPlan;
use super::report::{GenerateError, GenerateOptions, Progress, Summary};
use super::site::Site;
use super::works::Works;
use crate::game::Game;
use duchamp_base::{Control, Scratch};

/// Bytes that a thread touches between two checks at most, mostly much fewer.
const MARGIN: u64 = 8 << 20;

/// Encoded tables that may wait for the disk.
const WAITING: usize = 2;

/// What is to be done for the tables of `targets`.
pub(super) fn plan<G: Game>(
    site: Site<'_, G>,
    targets: &[G::Key],
    options: &GenerateOptions,
) -> GenerationPlan<G> {
    let others = |key| options.only && !targets.contains(&key);
    GenerationPlan::new(
        targets,
        &options.later::<G>(),
        site.exporter(),
        |key| others(key) || !options.force && site.is_there(key, options),
        |key| site.source(key, options),
    )
}

/// Generates the tables of a plan for `targets`.
pub(super) fn generate<G: Game>(
    site: Site<'_, G>,
    plan: GenerationPlan<G>,
    targets: &[G::Key],
    options: &GenerateOptions,
    control: &Control,
    progress: &mut dyn FnMut(&Progress<G::Key>),
) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
    let mut summary = Summary {
        found: plan.found(),
        ..Summary::default()
    };
    if plan.to_write() == 0 {
        return Ok(summary);
    }
    if options.only {
        site.check_alone(targets, options)?;
    }
    // Before the threads of the pool take their part of it.
    let bytes = options.allowed_bytes(control.threads());
    let allowed = bytes >> 20;
    if let Some((key, needed)) = plan.too_large(allowed) {
        return Err(GenerateError::Memory {
            key,
            needed,
            allowed,
        });
    }
    let folder_error = |source| GenerateError::Folder {
        path: site.store().dir().to_owned(),
        source,
    };
    duchamp_base::files::create_folder(site.store().dir()).map_err(folder_error)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(control.threads())
        .thread_name(|n| format!("tables {n}"))
        .build()
        .map_err(|error| GenerateError::System(error.to_string()))?;
    let start = Instant::now();
    let budget = Budget::new(bytes);
    let limit = bytes.saturating_sub(MARGIN * control.threads() as u64);
    let folder = site.scratch_dir(options);
    let scratch = Arc::new(Scratch::new(folder, budget.window(), limit));
    let keeping = control.keep(&scratch);
    let works = Works::new(site, control, options, &scratch);
    let (news, inbox) = mpsc::channel();
    let done = std::thread::scope(|threads| {
        let (parcels, to_write) = mpsc::sync_channel(WAITING);
        let (works, written) = (&works, news.clone());
        threads.spawn(move || write_all(works, &to_write, &written));
        let mut driver = Driver::new(works, plan, budget, &mut summary, progress);
        pool.in_place_scope(|scope| driver.run(scope, &news, &inbox, &parcels));
        drop(parcels);
        driver.result()
    });
    drop(keeping);
    done?;
    summary.elapsed = start.elapsed();
    Ok(summary)
}
