//! Wu and Beal's table of xiangqi endings beside ours; with `--chess` their claims shown on chess endings.

use super::super::Failure;
use super::super::crew::{self, Watch};
use super::super::tb_missing;
use super::needed::{Needed, begin};
use super::wu_beal_chess;
use super::wu_beal_line;
use super::wu_beal_rows::{self, Compared, LARGEST, Row};
use duchamp_tablebase::{Index, Metric, Needs};
use duchamp_xiangqi_tables::{Layout, Material, Pawns, Store, Xiangqi, paper_size, wu_beal};
use std::io::Write;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Endings of the table, such as c-aaee hh-aaee [default: all]; with --chess endings of chess
    /// [default: KQKR KBBKN]
    endings: Vec<String>,
    /// Show the paper's claims on chess endings without pawns, of at most five men
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    chess: bool,
    /// Print one JSON object a row
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the rows as a table of Markdown
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    needed: Needed,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    // Names of chess were the only ones once.
    let is_chess = |name: &String| name.parse::<duchamp_chess_tables::Material>().is_ok();
    if arguments.chess || !arguments.endings.is_empty() && arguments.endings.iter().all(is_chess) {
        return wu_beal_chess::run(&arguments.endings, &arguments.needed);
    }
    let rows = chosen(&arguments.endings)?;
    let watch = Watch::new(arguments.needed.threads)?;
    let store = arguments.needed.dir.store::<Xiangqi>()?;
    let mut materials: Vec<Material> = rows.iter().map(|row| row.material).collect();
    materials.dedup();
    let missing = |material: &Material| !store.has_metric(*material, Metric::Dtc);
    let absent: Vec<Material> = materials.iter().copied().filter(missing).collect();
    // Without `--generate` what is present is compared.
    if arguments.needed.generates() || absent.len() == materials.len() {
        arguments.needed.ensure(&store, &materials, &watch)?;
    }
    let compared = compare(rows, &store, arguments, &watch)?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        for row in &compared {
            writeln!(out, "{}", row.json())?;
        }
        return Ok(());
    }
    if arguments.markdown {
        return Ok(wu_beal_rows::write_markdown(&compared, &mut out)?);
    }
    wu_beal_rows::write_text(&compared, &mut out)?;
    writeln!(out)?;
    wu_beal_rows::write_notes(&compared, &mut out)?;
    write_memory(&compared, &mut out)?;
    wu_beal_rows::write_whole(&compared, &mut out)?;
    let largest = compared
        .iter()
        .any(|one| one.ours.is_some() && one.row.material.to_string() == LARGEST);
    if largest {
        wu_beal_line::write(&store, &mut out)?;
    }
    let absent: Vec<Material> = materials.into_iter().filter(missing).collect();
    if !absent.is_empty() {
        let command = tb_missing::command(&store, &absent, None);
        writeln!(out, "To generate the tables that are missing: {command}")?;
    }
    Ok(())
}

/// The rows of the endings that the user names, else all.
fn chosen(endings: &[String]) -> Result<Vec<Row>, Failure> {
    let all = wu_beal_rows::rows()?;
    let mut named = Vec::new();
    for ending in endings {
        let material: Material = ending.parse().map_err(Failure::bad_input)?;
        if !all.iter().any(|row| row.material == material) {
            let list: Vec<&str> = all
                .iter()
                .filter(|row| row.pawns == Pawns::Anywhere)
                .map(|row| &row.name[..])
                .collect();
            return Err(Failure::BadInput(format!(
                "{material} is no row of the paper; the rows are {}",
                list.join(" ")
            )));
        }
        named.push(material);
    }
    let wanted = |row: &Row| named.is_empty() || named.contains(&row.material);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Our figures beside the rows.
fn compare(
    rows: Vec<Row>,
    store: &Store,
    arguments: &Arguments,
    watch: &Watch,
) -> Result<Vec<Compared>, Failure> {
    let display = arguments
        .needed
        .display("papers wu-beal", rows.len() as u64);
    let control = &*watch.control;
    let mut compared = Vec::new();
    for (done, row) in (0..).zip(rows) {
        begin(&display, done, &format!("counting {}", row.name));
        let ours = if store.has_metric(row.material, Metric::Dtc) {
            crew::on_threads(control, || wu_beal(store, row.material, row.pawns, control))?
        } else {
            Ok(None)
        };
        if control.is_cancelled() {
            return Err(crew::stopped_with(
                "comparison stopped; tables are kept, figures are not",
            ));
        }
        let ours = ours.map_err(|error| {
            Failure::Failed(tb_missing::verify_error(store, row.material, &error))
        })?;
        compared.push(Compared { row, ours });
    }
    display.finish();
    Ok(compared)
}

/// What the paper's algorithm holds of the largest of some endings, and what ours does.
fn write_memory(all: &[Compared], out: &mut impl Write) -> std::io::Result<()> {
    let largest = all
        .iter()
        .map(|one| one.row.material)
        .max_by_key(|&material| paper_size(material));
    let Some(material) = largest else {
        return Ok(());
    };
    let size = paper_size(material);
    let layout = Layout::new(material);
    let needs = Needs::of(&layout, &[]);
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    writeln!(
        out,
        "Memory for {material}: the paper's algorithm holds one bitmap of its {size} entries that it reads and writes at \
         random,\n{} MiB. Ours has {} cells a side; it takes {} MiB with all values in memory, and at least {} MiB \
         (`tb generate --memory`).",
        mib(size / 8),
        layout.cells(),
        mib(needs.heap(1)),
        mib(needs.least())
    )
}
