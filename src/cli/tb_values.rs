//! Values of positions as JSON objects, and as a few letters.

use duchamp_base::{Plies, Wdl};
use duchamp_tablebase::{
    Metric, ProbeError, ProbedValues, Prober, Rules, Side, Store, TableKey, VerifyError,
    longest_win,
};
use serde::Serialize;

/// The result and the distances in all metrics; what is not known is null.
#[derive(Serialize)]
pub(super) struct ValueObject {
    wdl: &'static str,
    dtm_plies: Option<u16>,
    dtc_plies: Option<u16>,
    dtz_plies: Option<u16>,
}

impl From<ProbedValues> for ValueObject {
    fn from(values: ProbedValues) -> Self {
        ValueObject {
            wdl: values.wdl.name(),
            dtm_plies: values.dtm.map(|plies| plies.0),
            dtc_plies: values.dtc.map(|plies| plies.0),
            dtz_plies: values.dtz.map(|plies| plies.0),
        }
    }
}

/// The distances of a value that are known: `dtm 13 dtz 3`; nothing for a draw.
pub(super) fn distances(values: ProbedValues) -> String {
    let known = [
        (Metric::Dtm, values.dtm),
        (Metric::Dtc, values.dtc),
        (Metric::Dtz, values.dtz),
    ];
    let known = known
        .into_iter()
        .filter_map(|(metric, plies)| Some(format!("{} {}", metric.name(), plies?)));
    known.collect::<Vec<_>>().join(" ")
}

/// The result and the known distances: `win dtm 13 dtz 3`.
pub(super) fn short(values: ProbedValues) -> String {
    let distances = distances(values);
    let gap = if distances.is_empty() { "" } else { " " };
    format!("{}{gap}{distances}", values.wdl.name())
}

/// The values of a position whose table is present with the result `wdl`; without distances where these need a table that
/// is missing.
///
/// # Errors
/// When a table is damaged.
pub(super) fn known<G: Rules>(
    store: &Store<G>,
    position: &G::Position,
    wdl: Wdl,
) -> Result<ProbedValues, ProbeError<G::Key>> {
    match Prober::new(store).all_values(position) {
        Err(ProbeError::Missing(_) | ProbeError::MissingMetric(..)) => Ok(ProbedValues {
            wdl,
            dtm: None,
            dtc: None,
            dtz: None,
        }),
        found => found,
    }
}

/// The values of a position that is won in so many plies of a metric.
///
/// # Errors
/// When a table is damaged.
pub(super) fn of_win<G: Rules>(
    store: &Store<G>,
    position: &G::Position,
    metric: Metric,
    plies: Plies,
) -> Result<ProbedValues, ProbeError<G::Key>> {
    let mut values = known(store, position, Wdl::Win)?;
    let slot = match metric {
        Metric::Dtc => &mut values.dtc,
        Metric::Dtz => &mut values.dtz,
        Metric::Wdl | Metric::Dtm => &mut values.dtm,
    };
    *slot = Some(plies);
    Ok(values)
}

/// The sides to move whose positions differ.
pub(super) fn sides<K: TableKey>(key: K) -> &'static [Side] {
    if key.is_symmetric() {
        &[Side::First]
    } else {
        &[Side::First, Side::Second]
    }
}

/// The longest win of any of these sides to move; `None` if nothing is won.
///
/// # Errors
/// When the table is missing or has no file of the metric.
pub(super) fn longest_of<G: Rules>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
    sides: &[Side],
) -> Result<Option<Plies>, VerifyError<G::Key>> {
    let mut longest = None;
    for &side in sides {
        longest = longest.max(longest_win(store, key, metric, side)?);
    }
    Ok(longest)
}
