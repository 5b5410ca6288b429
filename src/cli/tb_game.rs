//! What the `tb` commands need of a game beside its tables and rules: words, notation, costs.

use super::Failure;
use duchamp_base::{Control, Plies};
use duchamp_tablebase::{
    Counting, Estimate, Forecast, GenerateError, GenerateOptions, Inspector, Metric, MoveValue,
    ProbedValues, Progress, Side, SideStats, Store, Summary, TableKey, Verifiable, Verified,
    VerifyError, VerifyOptions, each_won_in,
};
use serde::ser::SerializeMap;
use std::io::Write;
use std::ops::ControlFlow;

/// What a generation ends with.
pub(super) type Generated<K> = Result<Summary<K>, GenerateError<K>>;

/// The statistics of a table: first and second side to move.
pub(super) type Sides<G> = [SideStats<<G as duchamp_tablebase::Rules>::Position>; 2];

/// The statistics of a table in a metric.
pub(super) struct TableStats<G: TableGame> {
    pub(super) key: G::Key,
    pub(super) metric: Metric,
    pub(super) sides: Sides<G>,
    /// What only this game counts.
    pub(super) extra: G::Extra,
}

impl<G: TableGame> TableStats<G> {
    /// Counts a table. `begins` hears what is counted next.
    pub(super) fn of(
        store: &Store<G>,
        key: G::Key,
        metric: Metric,
        counting: Counting,
        control: &Control,
        begins: &(dyn Fn(&str) + Sync),
    ) -> Result<TableStats<G>, VerifyError<G::Key>> {
        begins("values");
        let sides = if G::is_counted_only(key) {
            counted(store, key, metric, control)?
        } else {
            G::sides(store, key, metric, counting, control)?
        };
        begins(G::EXTRA);
        Ok(TableStats {
            key,
            metric,
            sides,
            extra: G::extra(store, key, control)?,
        })
    }
}

/// A game of the `tb` commands.
pub(super) trait TableGame: Verifiable {
    /// What distances count where the user does not say it.
    const METRIC: Metric;
    /// Moves of one result stand in the order of the first of these that is known.
    const RANKING: &'static [Metric];
    /// The sides as a sentence begins with them.
    const SIDES: [&'static str; 2];
    /// The sides in JSON and CSV.
    const SIDE_NAMES: [&'static str; 2];
    /// What the moves of [`TableGame::write_move`] are called in JSON.
    const NOTATION: &'static str;
    /// A good first list of tables, and it in words.
    const FIRST_TABLES: [&'static str; 2];
    /// What estimates of time and disk rest on.
    const BASIS: &'static str;
    /// The same of disk, in a line of a plan.
    const DISK_BASIS: &'static str;
    /// The names of tables as a pattern of Snakemake.
    const PATTERN: &'static str;
    /// What only this game's statistics have.
    type Extra: Send;
    /// It in words.
    const EXTRA: &'static str;

    /// The position of a FEN.
    fn read(fen: &str) -> Result<Self::Position, String>;

    /// The table that has a position's pieces.
    fn key(position: &Self::Position) -> Result<Self::Key, String>;

    /// The side to move.
    fn turn(position: &Self::Position) -> Side;

    /// The number of the next move.
    fn fullmoves(position: &Self::Position) -> u32;

    /// Plies since the last capture or pawn move.
    fn halfmoves(position: &Self::Position) -> u16;

    /// What has happened to the side to move where it has lost.
    fn ended(position: &Self::Position) -> Option<&'static str>;

    /// A move in coordinates.
    fn uci(mv: Self::Move) -> String;

    /// A move in the notation of people.
    fn write_move(position: &Self::Position, mv: Self::Move) -> String;

    /// A line as a PGN game.
    fn pgn(
        store: &Store<Self>,
        metric: Metric,
        start: &Self::Position,
        values: ProbedValues,
        line: &[MoveValue<Self::Move>],
    ) -> Result<String, Failure>;

    /// What a table costs, generated on so many threads.
    fn estimate(key: Self::Key, distances: &[Metric], threads: usize) -> Estimate;

    /// As [`duchamp_tablebase::Generator::forecast`].
    fn forecast(
        store: &Store<Self>,
        targets: &[Self::Key],
        options: &GenerateOptions,
    ) -> Forecast<Self::Key>;

    /// As [`duchamp_tablebase::Generator::run`], perhaps with an inspector.
    fn generate(
        store: &Store<Self>,
        targets: &[Self::Key],
        options: &GenerateOptions,
        inspector: Option<&dyn Inspector<Self>>,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<Self::Key>),
    ) -> Generated<Self::Key>;

    /// As [`duchamp_tablebase::Verifier::verify`].
    fn verify(
        store: &Store<Self>,
        keys: &[Self::Key],
        options: &VerifyOptions,
        control: &Control,
        each: &mut dyn FnMut(&Verified<Self::Key>),
    ) -> Result<Vec<Verified<Self::Key>>, VerifyError<Self::Key>>;

    /// Counts, longest distances and histograms of both sides.
    fn sides(
        store: &Store<Self>,
        key: Self::Key,
        metric: Metric,
        counting: Counting,
        control: &Control,
    ) -> Result<Sides<Self>, VerifyError<Self::Key>>;

    /// Whether the table is too large for [`TableGame::sides`], which takes all values into memory.
    fn is_counted_only(key: Self::Key) -> bool;

    /// What only this game counts.
    fn extra(
        store: &Store<Self>,
        key: Self::Key,
        control: &Control,
    ) -> Result<Self::Extra, VerifyError<Self::Key>>;

    /// Adds it to a JSON object.
    fn add_extra<M: SerializeMap>(extra: &Self::Extra, map: &mut M) -> Result<(), M::Error>;

    /// Writes it as text.
    fn write_extra(extra: &Self::Extra, out: &mut dyn Write) -> std::io::Result<()>;

    /// A line of it for the picture.
    fn picture_line(extra: &Self::Extra) -> String;
}

/// Counts and longest distances from the header of the file, each longest win with the first position that has it: a table
/// that is too large for memory has no histogram.
fn counted<G: TableGame>(
    store: &Store<G>,
    key: G::Key,
    metric: Metric,
    control: &Control,
) -> Result<Sides<G>, VerifyError<G::Key>> {
    let listed = store.list();
    let table = listed.iter().find(|table| table.key == key);
    let table = table.ok_or(VerifyError::Missing(key))?;
    let file = table.file(metric);
    let file = file.ok_or(VerifyError::MissingMetric(key, metric))?;
    let mut sides: Sides<G> = Default::default();
    for ((stats, counts), side) in sides.iter_mut().zip(file.counts).zip(Side::ALL) {
        stats.counts = counts;
        let longest = Plies(counts.longest_win);
        if longest.0 > 0 {
            let mut take = |positions: &[G::Position]| {
                let first = positions.first().cloned();
                stats.longest_win = first.map(|position| (longest, position));
                match stats.longest_win {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            };
            each_won_in(store, key, metric, side, longest, control, &mut take)?;
        }
    }
    Ok(sides)
}

/// The distances that a game's tables can have.
pub(super) fn distances_of<G: TableGame>() -> Vec<Metric> {
    let all = Metric::DISTANCES.into_iter();
    all.filter(|metric| G::METRICS.contains(metric)).collect()
}

/// The names of tables.
pub(super) fn names<K: TableKey>(keys: &[K]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_chess_tables::{Chess, Generator, Material};
    use duchamp_tablebase::SideCounts;

    /// A table of six men has no room for its values, but its header has the same counts.
    #[test]
    fn headers_count_as_values_do() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::<Chess>::open(folder.path());
        let key = |name: &str| name.parse::<Material>().expect("a material");
        assert!(Chess::is_counted_only(key("KRPvKRP")) && !Chess::is_counted_only(key("KQPvKQ")));
        let (key, control) = (key("KQvK"), Control::new(1));
        Generator::new(&store)
            .run(&[key], &GenerateOptions::default(), &control, &mut |_| {})
            .expect("generated");
        let metric = Metric::Dtm;
        let few = counted::<Chess>(&store, key, metric, &control).expect("counted");
        let all = Chess::sides(&store, key, metric, Counting::Once, &control).expect("counted");
        for (few, all) in few.iter().zip(&all) {
            let counts = SideCounts {
                void: 0,
                ..few.counts
            };
            assert_eq!(counts, all.counts);
            assert_eq!(few.longest_win, all.longest_win);
        }
        assert!(few[0].longest_win.is_some() && few[0].wins.is_empty());
    }
}
