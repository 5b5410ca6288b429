//! Values of positions as JSON objects, and as a few letters.

use duchamp_base::Wdl;
use duchamp_tablebase::{Metric, ProbeError, ProbedValues, Prober, Rules, Store};
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
