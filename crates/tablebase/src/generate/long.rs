//! Tables whose distances to mate are longer than a byte can say.

use std::time::Instant;

use super::report::{GenerateError, Made};
use super::works::{Parcel, Works};
use crate::format::Metric;
use crate::game::Game;
use crate::solve::{LongTable, Means, solve_long};
use crate::values::Values;
use crate::write::{EncodeError, open_wdl, write_distances, write_wdl};
use duchamp_base::files::WholeFile;
use duchamp_base::{Gauge, LockFile, Room};

/// Such a table: solved once more with longer values, which go to scratch.
pub(super) struct LongMaking<'a, 'w, G: Game> {
    pub(super) works: &'a Works<'w, G>,
    pub(super) means: &'a Means<'a>,
    /// When solving began.
    pub(super) start: Instant,
}

impl<G: Game> LongMaking<'_, '_, G> {
    /// Solves the table and gives it its files.
    pub(super) fn parcel(
        &self,
        key: G::Key,
        lock: LockFile,
    ) -> Result<Parcel<G::Key>, GenerateError<G::Key>> {
        let works = self.works;
        let means = Means {
            room: Room::Scratch(works.scratch),
            ..*self.means
        };
        let table = solve_long::<G>(key, works, &means).map_err(|error| works.not_solved(error))?;
        let mut made = Made::new(key, self.start.elapsed());
        let start = Instant::now();
        let files = self.files(&table, &mut made);
        let files = files.map_err(|error| works.not_encoded(key, error))?;
        made.encoding = start.elapsed();
        Ok(Parcel { made, files, lock })
    }

    /// Both files: they go together, whatever the folder has.
    fn files(
        &self,
        table: &LongTable<G::Index>,
        made: &mut Made<G::Key>,
    ) -> Result<Vec<WholeFile>, EncodeError> {
        let folder = self.works.site.store().folder();
        let path = |metric| folder.file(made.key, metric);
        let (wdl_path, dtm_path) = (path(Metric::Wdl), path(Metric::Dtm));
        let steering = (&Gauge::default(), self.works.control);
        let wdl = write_wdl::<G>(table, &wdl_path, steering)?;
        let open = open_wdl(&wdl, table.index())?;
        let dtm = write_distances::<G>(Metric::Dtm, table, &open, &dtm_path, steering)?;
        made.counts = dtm.1;
        (made.wdl_bytes, made.dtm_bytes) = (wdl.size()?, dtm.0.size()?);
        Ok(vec![wdl, dtm.0])
    }
}
