//! The large functions of the table machinery, compiled for xiangqi once, here, and not anew in every program that calls
//! them.

use duchamp_base::Control;
use duchamp_tablebase::{Counting, GenerateOptions, Inspector, Metric, SideStats, VerifyOptions};
use duchamp_xiangqi::Position;

use crate::aliases::{Forecast, GenerateError, Progress, Store, Summary, Verified, VerifyError};
use crate::game::Xiangqi;
use crate::material::Material;

/// Generates xiangqi tables, see [`duchamp_tablebase::Generator`]. It is a reference: copying is free.
#[derive(Clone, Copy, Debug)]
pub struct Generator<'s>(duchamp_tablebase::Generator<'s, Xiangqi>);

impl<'s> Generator<'s> {
    /// A generator of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store) -> Generator<'s> {
        Generator(duchamp_tablebase::Generator::new(store))
    }

    /// As [`duchamp_tablebase::Generator::inspecting`].
    #[must_use]
    pub fn inspecting(self, inspector: &'s dyn Inspector<Xiangqi>) -> Generator<'s> {
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

/// Compares xiangqi tables with the rules of the game, see [`duchamp_tablebase::Verifier`].
#[derive(Debug)]
pub struct Verifier<'s>(duchamp_tablebase::Verifier<'s, Xiangqi>);

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

/// As [`duchamp_tablebase::side_stats`]: the statistics of a table, with Red (the attacker) to move, then with Black.
///
/// # Errors
/// When cancelled, or when the table or one that its moves lead to is missing or damaged, or has no file of the metric.
pub fn side_stats(
    store: &Store,
    material: Material,
    metric: Metric,
    counting: Counting,
    control: &Control,
) -> Result<[SideStats<Position>; 2], VerifyError> {
    duchamp_tablebase::side_stats(store, material, metric, counting, control)
}
