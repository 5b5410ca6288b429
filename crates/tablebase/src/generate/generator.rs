//! The generator of a store's tables.

use super::forecast::{self, Forecast};
use super::report::{GenerateError, GenerateOptions, Progress, Summary};
use super::site::Site;
use super::{fitting, large};
use crate::game::Game;
use crate::store::Store;
use duchamp_base::Control;

/// Generates the tables of a store. It is a reference: copying is free.
#[derive(Debug)]
pub struct Generator<'s, G: Game> {
    store: &'s Store<G>,
}

impl<G: Game> Clone for Generator<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Generator<'_, G> {}

impl<'s, G: Game> Generator<'s, G> {
    /// A generator of a store's tables.
    #[must_use]
    pub fn new(store: &'s Store<G>) -> Generator<'s, G> {
        Generator { store }
    }

    /// What [`Generator::run`] would do with these targets and options. Nothing is written, no folder is created.
    #[must_use]
    pub fn forecast(&self, targets: &[G::Key], options: &GenerateOptions) -> Forecast<G::Key> {
        self.store.rescan();
        forecast::forecast(Site::new(self.store), targets, options)
    }

    /// Generates the tables of `targets` and all that they depend on, except those that are ready; blocks until done. A
    /// table can be probed as soon as it is ready.
    ///
    /// Uses [`Control::threads`] threads. `progress` is called on the calling thread at each [`Step`](super::Step), and
    /// from time to time while tables are solved. A run that was cancelled or killed leaves whole tables only; the next
    /// one continues.
    ///
    /// # Errors
    /// When cancelled, when the folder cannot be written to, when the memory does not suffice for a table, or when a
    /// sub-table is missing with [`GenerateOptions::only`].
    pub fn run(
        &self,
        targets: &[G::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<G::Key>),
    ) -> Result<Summary<G::Key>, GenerateError<G::Key>> {
        let site = Site::new(self.store);
        self.store.rescan();
        site.tidy();
        if targets.iter().any(|&key| G::is_large(key)) {
            return large::generate(site, targets, options, control, progress);
        }
        let plan = fitting::plan(site, targets, options);
        fitting::generate(site, plan, targets, options, control, progress)
    }
}
