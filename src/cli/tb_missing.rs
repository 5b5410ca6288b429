//! What the user reads where a table is missing: which one, who needs it, and the command that generates it.

use super::tb_game::{TableGame, names};
use super::{Failure, crew};
use duchamp_base::cores;
use duchamp_chess_tables::default_dir;
use duchamp_tablebase::{
    GenerateOptions, Metric, ProbeError, Store, VerifyError, closure, parse_specs,
};

/// The command that generates tables with all that they need, in the folder of `tables`; in a metric other than the
/// distance to mate, if one is named.
pub(super) fn command<G: TableGame>(
    store: &Store<G>,
    materials: &[G::Key],
    metric: Option<Metric>,
) -> String {
    command_for(
        store,
        &names(materials),
        metric,
        memory::<G>(materials, metric),
    )
}

/// MiB without which tables cannot be generated with all that they need, if that is more than the default.
fn memory<G: TableGame>(materials: &[G::Key], metric: Option<Metric>) -> Option<u64> {
    let distances = [metric.unwrap_or(G::METRIC)];
    let all = closure(materials.iter().copied(), G::is_large).into_iter();
    let least = all.map(|key| G::estimate(key, &distances, cores()).least_memory);
    let least = least.max()?.div_ceil(1 << 20);
    (least > GenerateOptions::DEFAULT_MEMORY).then_some(least)
}

/// As [`command`], for tables as a user writes them: `KQvK`, `all4`.
fn command_for<G: TableGame>(
    store: &Store<G>,
    specs: &[String],
    metric: Option<Metric>,
    memory: Option<u64>,
) -> String {
    let mut words = vec![crew::program(), "tb".to_owned(), "generate".to_owned()];
    words.extend_from_slice(specs);
    if let Some(metric) = metric.filter(|metric| ![Metric::Wdl, G::METRIC].contains(metric)) {
        words.extend(["--metric".to_owned(), metric.name().to_owned()]);
    }
    if let Some(memory) = memory {
        words.extend(["--memory".to_owned(), memory.to_string()]);
    }
    let dir = store.dir();
    if dir != default_dir() {
        words.extend(["--dir".to_owned(), crew::quoted(&dir.to_string_lossy())]);
    }
    words.join(" ")
}

/// The sentence about a table, or its file of a metric, that is missing where `asked` was asked for: it names the table
/// that the user named, and another one only where that is present.
pub(super) fn sentence<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    missing: G::Key,
    metric: Option<Metric>,
) -> String {
    // Who generates a table generates what it needs, so nothing else need be named.
    let missing = if store.has(asked) { missing } else { asked };
    let what = match metric {
        None => format!("the table {missing} is missing"),
        Some(metric) => format!("the file {missing}.{} is missing", metric.name()),
    };
    let needed = if asked == missing {
        String::new()
    } else {
        format!(", which {asked} needs")
    };
    let command = command(store, &[asked], metric);
    format!("{what}{needed}; to generate it: {command}")
}

/// What to do where the folder has no tables at all.
pub(super) fn none<G: TableGame>(store: &Store<G>) -> String {
    let dir = store.dir();
    let [spec, words] = G::FIRST_TABLES;
    let command = command_for(store, &[spec.to_owned()], None, None);
    format!(
        "no tables in {}; to generate {words}: {command}",
        dir.display()
    )
}

/// Files of the folder that were found damaged, in a sentence with the command that generates them again; `None` if there
/// are none.
pub(super) fn damaged<G: TableGame>(store: &Store<G>) -> Option<String> {
    let aside = store.damaged();
    let mut keys: Vec<G::Key> = aside.iter().map(|file| file.0).collect();
    keys.dedup();
    let file = |(key, metric): &(G::Key, Metric)| format!("{key}.{}", metric.name());
    let files: Vec<String> = aside.iter().map(file).collect();
    let what = match files.len() {
        0 => return None,
        1 => format!("{} is damaged and was set aside", files[0]),
        n => format!(
            "{n} files are damaged and were set aside: {}",
            files.join(" ")
        ),
    };
    let command = again(store, &keys, &aside);
    Some(format!("{what}; to generate again: {command}"))
}

/// The command that generates the files again that were set aside, and no others.
fn again<G: TableGame>(
    store: &Store<G>,
    materials: &[G::Key],
    aside: &[(G::Key, Metric)],
) -> String {
    let command = command(store, materials, None);
    let asked = |metric: &Metric| aside.iter().any(|file| file.1 == *metric);
    let metrics: Vec<&str> = Metric::DISTANCES
        .into_iter()
        .filter(asked)
        .map(Metric::name)
        .collect();
    match metrics[..] {
        [] => command,
        _ => format!("{command} --metric {}", metrics.join(",")),
    }
}

/// What to do about a table in which damage was found.
fn mend<G: TableGame>(store: &Store<G>, damaged: G::Key) -> String {
    let mut aside = store.damaged();
    aside.retain(|file| file.0 == damaged);
    let command = again(store, &[damaged], &aside);
    if aside.is_empty() {
        // As in a folder that is only read.
        let files = store.dir().join(format!("{damaged}.*"));
        return format!(
            "the file could not be set aside: remove {}, then generate it again: {command}",
            files.display()
        );
    }
    format!("to generate it again: {command}")
}

/// That no table has a file of a metric, with the command that generates those of `materials`.
pub(super) fn no_files<G: TableGame>(
    store: &Store<G>,
    materials: &[G::Key],
    metric: Metric,
) -> String {
    let specs = set_of::<G>(materials).map_or_else(|| names(materials), |set| vec![set]);
    let memory = memory::<G>(materials, Some(metric));
    format!(
        "no .{} files in {}; to generate them: {}",
        metric.name(),
        store.dir().display(),
        command_for(store, &specs, Some(metric), memory)
    )
}

/// Fails where tables that the user named are missing, with the command that generates all of them.
pub(super) fn check<G: TableGame>(store: &Store<G>, named: &[G::Key]) -> Result<(), Failure> {
    let missing = named.iter().filter(|key| !store.has(**key));
    let missing: Vec<G::Key> = missing.copied().collect();
    match missing[..] {
        [] => Ok(()),
        [one] => Err(Failure::Failed(sentence(store, one, one, None))),
        _ => {
            // As the user named them, where that is shorter.
            let command = match set_of::<G>(named) {
                Some(set) => command_for(store, &[set], None, memory::<G>(&missing, None)),
                None => command(store, &missing, None),
            };
            Err(Failure::Failed(format!(
                "{} tables are missing, {} first; to generate them: {command}",
                missing.len(),
                missing[0],
            )))
        }
    }
}

/// The name of a set of tables, `all5` or `5`.
fn set_of<G: TableGame>(named: &[G::Key]) -> Option<String> {
    let sets = (G::MIN_MEN..=G::MAX_MEN).flat_map(|men| [format!("all{men}"), men.to_string()]);
    let is_it = |set: &String| {
        parse_specs::<G>(set).is_ok_and(|keys| {
            keys.len() == named.len() && keys.iter().all(|key| named.contains(key))
        })
    };
    sets.into_iter().find(is_it)
}

/// Fails where the table `asked` or its file of a metric is missing, with the command that generates it.
pub(super) fn check_metric<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    metric: Metric,
) -> Result<(), Failure> {
    if store.has_metric(asked, metric) {
        return Ok(());
    }
    let metric = store.has(asked).then_some(metric);
    Err(Failure::Failed(sentence(store, asked, asked, metric)))
}

/// Why a position with the pieces of `asked` has no value, with the command that helps.
pub(super) fn probe_error<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    error: &ProbeError<G::Key>,
) -> String {
    match *error {
        ProbeError::Missing(missing) => sentence(store, asked, missing, None),
        ProbeError::MissingMetric(missing, metric) => sentence(store, asked, missing, Some(metric)),
        ProbeError::Damaged { key, .. } => format!("{error}; {}", mend(store, key)),
        _ => error.to_string(),
    }
}

/// As [`probe_error`], for readers who are not to learn where programs and tables lie on this machine.
pub(super) fn public_error<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    error: &ProbeError<G::Key>,
) -> String {
    if matches!(error, ProbeError::Damaged { .. }) {
        return error.to_string();
    }
    let folder = format!(" --dir {}", crew::quoted(&store.dir().to_string_lossy()));
    let text = probe_error(store, asked, error).replace(&folder, "");
    let begun = format!("{} tb generate ", crew::program());
    text.replace(&begun, "duchamp tb generate ")
}

/// Why a position has no value, with the command that helps.
pub(super) fn position_failure<G: TableGame>(
    store: &Store<G>,
    position: &G::Position,
    error: &ProbeError<G::Key>,
) -> Failure {
    match G::key(position) {
        Ok(asked) => Failure::Failed(probe_error(store, asked, error)),
        Err(why) => Failure::BadInput(why),
    }
}

/// Why the table `asked` cannot be read or verified, with the command that helps.
pub(super) fn verify_error<G: TableGame>(
    store: &Store<G>,
    asked: G::Key,
    error: &VerifyError<G::Key>,
) -> String {
    match *error {
        VerifyError::Missing(missing) => sentence(store, asked, missing, None),
        VerifyError::MissingMetric(missing, metric) => {
            sentence(store, asked, missing, Some(metric))
        }
        VerifyError::Damaged { key, .. } => format!("{error}; {}", mend(store, key)),
        VerifyError::Probe(ref error) => probe_error(store, asked, error),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess_tables::{Chess, Material};
    use duchamp_tablebase::FormatError;

    /// What was set aside is generated again, and nothing else.
    #[test]
    fn a_damaged_file_is_named_with_the_command_that_generates_it_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let tables = Store::<Chess>::open(folder.path());
        let key: Material = "KQvK".parse().expect("a material");
        let told = || {
            let source = FormatError::NotATable;
            verify_error(&tables, key, &VerifyError::Damaged { key, source })
        };
        let files = folder.path().join("KQvK.*").display().to_string();
        assert!(
            told().contains(&format!("remove {files}, then")),
            "{}",
            told()
        );
        for name in ["KQvK.dtz.bad", "KQvK.dtc.bad", "KRvK.dtm.bad"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        let source = FormatError::NotATable;
        let same = probe_error(&tables, key, &ProbeError::Damaged { key, source });
        assert_eq!(told(), same);
        assert!(
            same.ends_with(" --metric dtc,dtz") && !same.contains("--force"),
            "{same}"
        );
    }

    #[test]
    fn a_missing_table_is_named_with_the_command_that_generates_it() {
        let folder = std::env::temp_dir().join("no such folder");
        let tables = Store::<Chess>::open(&folder);
        let material = |name: &str| name.parse::<Material>().expect("a material");
        let (asked, below) = (material("KQPKQ"), material("KQK"));
        let command = |metric: &str| {
            let dir = crew::quoted(&folder.to_string_lossy());
            format!("{} tb generate KQPvKQ{metric} --dir {dir}", crew::program())
        };
        assert_eq!(
            probe_error(&tables, asked, &ProbeError::Missing(below)),
            format!(
                "the table KQPvKQ is missing; to generate it: {}",
                command("")
            )
        );
        assert_eq!(
            verify_error(
                &tables,
                asked,
                &VerifyError::MissingMetric(asked, Metric::Dtz)
            ),
            format!(
                "the file KQPvKQ.dtz is missing; to generate it: {}",
                command(" --metric dtz")
            )
        );
        assert_eq!(
            public_error(&tables, asked, &ProbeError::Missing(below)),
            "the table KQPvKQ is missing; to generate it: duchamp tb generate KQPvKQ"
        );
    }
}
