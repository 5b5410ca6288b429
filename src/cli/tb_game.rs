//! The games that have tables, and what the `tb` commands need of each: the same commands serve all of them.

use super::Failure;
use super::tb_input::MetricName;
use clap::{Args, ValueEnum};
use duchamp_base::Control;
use duchamp_chess_tables::{Chess, Estimate, estimate};
use duchamp_tablebase::{
    Forecast, GenerateError, GenerateOptions, Metric, Progress, Store, Summary, Verifiable,
};

/// A game with tables, as the commands need it.
///
/// The large functions of the table machinery are compiled in the crate of each game; here they are only called.
pub(super) trait TableGame: Verifiable {
    /// The distance where the user names none.
    const METRIC: Metric;
    /// Where estimates of time and disk come from.
    const BASIS: &'static str;

    /// The cost of a table with files of these distances.
    fn estimate(key: Self::Key, distances: &[Metric]) -> Estimate;

    /// As [`duchamp_tablebase::Generator::forecast`].
    fn forecast(
        store: &Store<Self>,
        keys: &[Self::Key],
        options: &GenerateOptions,
    ) -> Forecast<Self::Key>;

    /// As [`duchamp_tablebase::Generator::run`].
    fn generate(
        store: &Store<Self>,
        keys: &[Self::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<Self::Key>),
    ) -> Result<Summary<Self::Key>, GenerateError<Self::Key>>;
}

impl TableGame for Chess {
    const METRIC: Metric = Metric::Dtm;
    const BASIS: &'static str = "Time and disk are estimates from the averages over all 145 tables of up to five men \
        (time: one core of an AMD EPYC at\n2.6 GHz). A single table may take a third or three times of that.";

    fn estimate(key: Self::Key, distances: &[Metric]) -> Estimate {
        estimate(key, distances)
    }

    fn forecast(
        store: &Store<Self>,
        keys: &[Self::Key],
        options: &GenerateOptions,
    ) -> Forecast<Self::Key> {
        duchamp_chess_tables::Generator::new(store).forecast(keys, options)
    }

    fn generate(
        store: &Store<Self>,
        keys: &[Self::Key],
        options: &GenerateOptions,
        control: &Control,
        progress: &mut dyn FnMut(&Progress<Self::Key>),
    ) -> Result<Summary<Self::Key>, GenerateError<Self::Key>> {
        duchamp_chess_tables::Generator::new(store).run(keys, options, control, progress)
    }
}

/// The name of a game on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum GameName {
    /// Chess
    Chess,
    /// Chinese chess
    Xiangqi,
}

/// The game of a command.
#[derive(Args)]
pub(super) struct GameArgument {
    /// The game [default: that of the words: cp-aaee is xiangqi, KRPvKR chess]
    #[arg(long, value_enum)]
    game: Option<GameName>,
}

impl GameArgument {
    /// The game that the user names, if so.
    pub(super) const fn named(&self) -> Option<GameName> {
        self.game
    }

    /// The game of a list of tables; chess if nothing speaks against it.
    ///
    /// # Errors
    /// When some are tables of chess and others of xiangqi.
    pub(super) fn of_specs(&self, specs: &[String]) -> Result<GameName, Failure> {
        if let Some(game) = self.game {
            return Ok(game);
        }
        let words = specs
            .iter()
            .flat_map(|spec| spec.split([' ', ',', '\t', ';']));
        let words: Vec<(&str, GameName)> = words
            .filter_map(|word| Some((word, game_of_word(word)?)))
            .collect();
        let first = |game| words.iter().find(|word| word.1 == game).map(|word| word.0);
        match (first(GameName::Chess), first(GameName::Xiangqi)) {
            (Some(chess), Some(xiangqi)) => Err(Failure::BadInput(format!(
                "{chess} is a table of chess, {xiangqi} one of xiangqi: name tables of one game, or the game with --game"
            ))),
            (None, Some(_)) => Ok(GameName::Xiangqi),
            _ => Ok(GameName::Chess),
        }
    }

    /// The game of a position: xiangqi if its board has ten ranks.
    pub(super) fn of_fen(&self, fen: &str) -> GameName {
        let board = fen.split_whitespace().next().unwrap_or_default();
        self.game.unwrap_or(match board.matches('/').count() {
            9 => GameName::Xiangqi,
            _ => GameName::Chess,
        })
    }
}

/// The game that a word names a table of; `None` for numbers of men.
fn game_of_word(word: &str) -> Option<GameName> {
    let lower = word.to_ascii_lowercase();
    let men = lower.strip_prefix("all").unwrap_or(&lower);
    if men.bytes().all(|byte| byte.is_ascii_digit()) {
        None
    } else if lower.contains(['-', 'a', 'e', 'h', 'c', 'g']) {
        Some(GameName::Xiangqi)
    } else {
        Some(GameName::Chess)
    }
}

/// The metric that a user names, else that of the game.
///
/// # Errors
/// When the game has no such distances.
pub(super) fn metric<G: TableGame>(name: Option<MetricName>) -> Result<Metric, Failure> {
    let metric = name.map_or(G::METRIC, Metric::from);
    check_metrics::<G>(&[metric])?;
    Ok(metric)
}

/// Fails where a game does not have one of some metrics.
pub(super) fn check_metrics<G: TableGame>(metrics: &[Metric]) -> Result<(), Failure> {
    let Some(lacking) = metrics.iter().find(|metric| !G::METRICS.contains(metric)) else {
        return Ok(());
    };
    let has = G::METRICS.iter().filter(|metric| **metric != Metric::Wdl);
    let has: Vec<&str> = has.map(|metric| metric.name()).collect();
    Err(Failure::BadInput(format!(
        "{} has no {}: say {}",
        G::NAME,
        lacking.name(),
        has.join(" or ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_their_game() {
        for (word, game) in [
            ("KRPvKR", Some(GameName::Chess)),
            ("kqkr", Some(GameName::Chess)),
            ("cp-aaee", Some(GameName::Xiangqi)),
            ("c-k", Some(GameName::Xiangqi)),
            ("KRPvKAABB", Some(GameName::Xiangqi)),
            ("KCKA", Some(GameName::Xiangqi)),
            ("all4", None),
            ("ALL5", None),
            ("all", None),
            ("4", None),
        ] {
            assert_eq!(game_of_word(word), game, "{word}");
        }
    }

    #[test]
    fn boards_tell_their_game() {
        let any = GameArgument { game: None };
        assert_eq!(any.of_fen("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), GameName::Chess);
        let xiangqi = "3k4R/R8/9/9/9/9/9/9/9/4K4 b";
        assert_eq!(any.of_fen(xiangqi), GameName::Xiangqi);
        assert_eq!(any.of_fen(""), GameName::Chess);
    }
}
