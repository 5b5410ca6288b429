//! The exporter: Syzygy files of tables as they are solved.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use duchamp_base::files::{self, AtomicFile, WholeFile};
use duchamp_base::{Control, Room};
use duchamp_retro::{Side, Wide};
use duchamp_tablebase::{Export, ExportError, Exporter, Game, Part, Solved, Subs, View};

use super::super::checksum::checksum;
use super::super::file::SyzygyKind;
use super::arranged::Spare;
use super::table;
use super::values::{TableValues, TooLong};
use crate::layout::Layout;
use crate::material::Material;

/// Nanoseconds of one thread for a cell of either side: both files.
const NANOSECONDS: u64 = 40;

/// Writes the Syzygy files of generated tables to a folder: what
/// [`Generator::exporting`](crate::Generator::exporting) takes.
///
/// The files are those that other programs read: `KRPvKR.rtbw`, results with the 50-move rule, and `KRPvKR.rtbz`,
/// distances to zeroing.
///
/// ```no_run
/// use std::path::Path;
/// use duchamp_chess_tables::{Control, GenerateOptions, Generator, Store, SyzygyExporter, parse_specs};
///
/// let folder = Path::new("syzygy");
/// let store = Store::open(folder);
/// let exporter = SyzygyExporter::new(folder)?;
/// let options = GenerateOptions { export_only: true, ..GenerateOptions::default() };
/// let tables = parse_specs("all4")?;
/// Generator::new(&store).exporting(&exporter).run(&tables, &options, &Control::new(2), &mut |_| {})?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SyzygyExporter {
    folder: PathBuf,
    force: bool,
}

impl SyzygyExporter {
    /// An exporter into a folder, which is created.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn new(folder: &Path) -> std::io::Result<SyzygyExporter> {
        duchamp_base::files::create_folder(folder)?;
        Ok(SyzygyExporter {
            folder: folder.to_owned(),
            force: false,
        })
    }

    /// The exporter that also writes files anew that are there.
    #[must_use]
    pub fn forcing(self, force: bool) -> SyzygyExporter {
        SyzygyExporter { force, ..self }
    }

    /// The name of a file.
    #[must_use]
    pub fn path(&self, material: Material, kind: SyzygyKind) -> PathBuf {
        self.folder.join(format!("{material}.{}", kind.extension()))
    }
}

/// Of chess, wherever it draws the line between tables in memory and large ones.
impl<G: Game<Key = Material, Index = Layout>> Exporter<G> for SyzygyExporter {
    fn lacks(&self, key: Material) -> bool {
        let missing = |kind| !self.path(key, kind).is_file();
        self.force || SyzygyKind::ALL.into_iter().any(missing)
    }

    fn memory(&self, index: &Layout) -> u64 {
        TableValues::memory(index) + table::memory(index)
    }

    fn least_memory(&self, index: &Layout) -> u64 {
        table::memory(index)
    }

    fn nanoseconds(&self) -> u64 {
        NANOSECONDS
    }

    fn begin(&self, index: &Layout, room: Room<'_>) -> io::Result<Box<dyn Export<G> + '_>> {
        // The caller holds the table's lock: unfinished files are those of killed processes.
        for kind in SyzygyKind::ALL {
            files::sweep_parts(&self.path(index.material(), kind));
        }
        Ok(Box::new(Exporting {
            exporter: self,
            values: TableValues::new(index, room)?,
            layout: index.clone(),
            next: [0; 2],
            heard: Ok(()),
        }))
    }
}

/// A table on its way.
struct Exporting<'e> {
    exporter: &'e SyzygyExporter,
    layout: Layout,
    values: TableValues,
    /// The words that have come, by side.
    next: [usize; 2],
    /// Whether they fit.
    heard: Result<(), TooLong>,
}

impl fmt::Debug for Exporting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exporting({})", self.layout.material())
    }
}

impl<G: Game<Key = Material, Index = Layout>> Export<G> for Exporting<'_> {
    fn zeroing(&mut self, side: Side, part: Part<'_, Wide>) {
        let first = &mut self.next[side.index()];
        if self.heard.is_ok() {
            self.heard = self.values.take(side.index(), *first, part);
        }
        *first += part.cells.len();
    }

    fn solved(
        &mut self,
        own: Option<&Solved<Layout>>,
        subs: &Subs<G>,
        control: &Control,
    ) -> Result<(), ExportError> {
        self.heard.map_err(|TooLong(plies)| {
            ExportError::Format(format!("a distance of {plies} plies does not fit"))
        })?;
        let sub = |child: Material| subs.get(&child).map(|table| View::of(table));
        let own = own.map(View::of);
        Ok(self.values.finish(&self.layout, own, &sub, control)?)
    }

    fn finish(mut self: Box<Self>, control: &Control) -> Result<Vec<WholeFile>, ExportError> {
        let spare = Spare::default();
        let write = |kind| -> Result<WholeFile, ExportError> {
            let path = self.exporter.path(self.layout.material(), kind);
            let mut bytes = table::file(kind, &self.layout, &self.values, &spare, control)?;
            bytes.extend(checksum(&bytes));
            let mut file = AtomicFile::create(&path)?;
            file.write_all(&bytes)?;
            Ok(file.whole())
        };
        let results = write(SyzygyKind::Wdl)?;
        let distances = write(SyzygyKind::Dtz)?;
        self.values.sides.clear();
        Ok(vec![results, distances])
    }
}
