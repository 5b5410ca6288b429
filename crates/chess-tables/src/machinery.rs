//! The large functions of the table machinery, compiled for chess once, here, and not anew in every program that calls
//! them.

use std::path::Path;

use duchamp_base::Control;
use duchamp_retro::{Code, Wide};
use duchamp_tablebase::{
    AllSubs, Counting, Exporter, GenerateOptions, Inspector, Metric, SpilledTable, SubTables,
    VerifyOptions,
};

use crate::aliases::{
    Forecast, GenerateError, Progress, SolveError, Solved, Store, Summary, Verified, VerifyError,
};
use crate::game::Chess;
use crate::layout::Layout;
use crate::material::Material;

/// Generates chess tables, see [`duchamp_tablebase::Generator`]. It is a reference: copying is free.
#[derive(Clone, Copy, Debug)]
pub struct Generator<'s>(duchamp_tablebase::Generator<'s, Chess>);

impl<'s> Generator<'s> {
    /// A generator of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store) -> Generator<'s> {
        Generator(duchamp_tablebase::Generator::new(store))
    }

    /// As [`duchamp_tablebase::Generator::exporting`].
    #[must_use]
    pub fn exporting(self, exporter: &'s dyn Exporter<Chess>) -> Generator<'s> {
        Generator(self.0.exporting(exporter))
    }

    /// As [`duchamp_tablebase::Generator::inspecting`].
    #[must_use]
    pub fn inspecting(self, inspector: &'s dyn Inspector<Chess>) -> Generator<'s> {
        Generator(self.0.inspecting(inspector))
    }

    /// As [`duchamp_tablebase::Generator::forecast`].
    #[must_use]
    pub fn forecast(&self, targets: &[Material], options: &GenerateOptions) -> Forecast {
        self.0.forecast(targets, options)
    }

    /// As [`duchamp_tablebase::Generator::run`].
    ///
    /// # Errors
    /// When cancelled, when the folder cannot be written to, when the memory does not suffice for a table, or when a
    /// sub-table is missing with [`GenerateOptions::only`].
    pub fn run(
        &self,
        targets: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, GenerateError> {
        self.0.run(targets, options, control, progress)
    }
}

/// A generator that was set up for any game runs as this one.
impl<'s> From<duchamp_tablebase::Generator<'s, Chess>> for Generator<'s> {
    fn from(generator: duchamp_tablebase::Generator<'s, Chess>) -> Generator<'s> {
        Generator(generator)
    }
}

/// Compares chess tables with the rules of chess, see [`duchamp_tablebase::Verifier`].
#[derive(Debug)]
pub struct Verifier<'s>(duchamp_tablebase::Verifier<'s, Chess>);

impl<'s> Verifier<'s> {
    /// A verifier of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store) -> Verifier<'s> {
        Verifier(duchamp_tablebase::Verifier::new(store))
    }

    /// As [`duchamp_tablebase::Verifier::verify`].
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    pub fn verify(
        &self,
        materials: &[Material],
        options: &VerifyOptions,
        control: &Control,
        each: &mut dyn FnMut(&Verified),
    ) -> Result<Vec<Verified>, VerifyError> {
        self.0.verify(materials, options, control, each)
    }
}

/// As [`duchamp_tablebase::solve`]: distances to mate of a table, on the heap.
///
/// # Errors
/// If cancelled, if a sub-table is not at hand, or if a distance is too long for a byte.
pub fn solve(
    material: Material,
    tables: &dyn SubTables<Layout>,
    control: &Control,
) -> Result<Solved, SolveError> {
    duchamp_tablebase::solve::<Chess>(material, tables, control)
}

/// As [`duchamp_tablebase::solve_spilled`]: distances to mate of a table without pawns, in little memory.
///
/// # Errors
/// As [`solve`], and when the scratch file cannot be written.
///
/// # Panics
/// If the material has pawns.
pub fn solve_spilled(
    material: Material,
    tables: &dyn SubTables<Layout>,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<Layout, Code>, SolveError> {
    duchamp_tablebase::solve_spilled::<Chess>(material, tables, folder, control)
}

/// As [`solve_spilled`], with room for any distance.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn solve_spilled_long(
    material: Material,
    tables: &dyn SubTables<Layout>,
    folder: &Path,
    control: &Control,
) -> Result<SpilledTable<Layout, Wide>, SolveError> {
    duchamp_tablebase::solve_spilled_long::<Chess>(material, tables, folder, control)
}

/// Solves all tables that a material depends on, on the heap: what [`solve`] takes.
///
/// # Errors
/// As [`solve`].
pub fn solve_below(material: Material, control: &Control) -> Result<AllSubs<Chess>, SolveError> {
    AllSubs::<Chess>::new(material, control)
}

/// As [`duchamp_tablebase::side_stats`]: [`stats`](crate::stats) without mutual zugzwangs, White (the stronger side) to move
/// first.
///
/// # Errors
/// As [`stats`](crate::stats).
pub fn side_stats(
    store: &Store,
    material: Material,
    metric: Metric,
    counting: Counting,
    control: &Control,
) -> Result<[duchamp_tablebase::SideStats<duchamp_chess::Position>; 2], VerifyError> {
    duchamp_tablebase::side_stats(store, material, metric, counting, control)
}
