//! Xiangqi as the `tb` commands need it.

use super::tb_game::TableGame;
use duchamp_base::Control;
use duchamp_chess_tables::Estimate;
use duchamp_tablebase::{
    Forecast, GenerateError, GenerateOptions, Index, Metric, Needs, Progress, Store, Summary,
};
use duchamp_xiangqi_tables::{Generator, Layout, Material, Xiangqi};
use std::time::Duration;

/// Nanoseconds of one thread for a cell.
const NANOSECONDS: u64 = 20;
/// Bits a cell in a file of results, and in one of distances.
const FILE_BITS: [f64; 2] = [0.05, 0.4];

impl TableGame for Xiangqi {
    const METRIC: Metric = Metric::Dtc;
    const BASIS: &'static str = "Time and disk are estimates from averages of Wu and Beal's endings (time: one core of \
        an AMD EPYC at 2.6 GHz).\nA single table may take a third or three times of that.";

    fn estimate(key: Material, distances: &[Metric]) -> Estimate {
        let layout = Layout::new(key);
        // The distances are primary: each takes a run of its own, and nothing beside its values.
        let needs = Needs::of(&layout, &[]);
        let children = key.children();
        let below = children.iter().map(|&child| Layout::new(child));
        let below: u64 = below.map(|child| Needs::of(&child, &[]).values).sum();
        let cells = 2 * 64 * Index::words(&layout) as u64;
        let [results, lengths] = FILE_BITS;
        let bits = results + lengths * distances.len() as f64;
        Estimate {
            slices: layout.slices() as u64,
            cells,
            memory: needs.heap(1) + below,
            least_memory: needs.least(),
            time: Duration::from_nanos(distances.len().max(1) as u64 * cells * NANOSECONDS),
            disk: (cells as f64 * bits / 8.0) as u64,
        }
    }

    fn forecast(
        store: &Store<Self>,
        keys: &[Material],
        options: &GenerateOptions,
    ) -> Forecast<Material> {
        Generator::new(store).forecast(keys, options)
    }

    fn generate(
        store: &Store<Self>,
        keys: &[Material],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<Material>),
    ) -> Result<Summary<Material>, GenerateError<Material>> {
        Generator::new(store).run(keys, options, control, progress)
    }
}
