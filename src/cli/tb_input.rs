//! What several subcommands take: a game, a folder of tables, a metric, materials, a position.

use super::Failure;
use super::tb_game::{TableGame, distances_of};
use clap::{Args, ValueEnum};
use duchamp_chess_tables::{Prober, default_dir};
use duchamp_tablebase::{Metric, Store, parse_specs};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

/// The game of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum GameName {
    /// Chess: KRPvKR; FENs of eight ranks
    Chess,
    /// Xiangqi (Chinese chess): cp-aaee or KRPvKAABB; FENs of ten ranks
    Xiangqi,
}

/// Calls a function that is generic over the game.
macro_rules! in_game {
    ($game:expr, $function:ident($($argument:expr),*)) => {
        match $game {
            $crate::cli::tb_input::GameName::Chess => {
                $function::<duchamp_chess_tables::Chess>($($argument),*)
            }
            $crate::cli::tb_input::GameName::Xiangqi => {
                $function::<duchamp_xiangqi_tables::Xiangqi>($($argument),*)
            }
        }
    };
}
pub(super) use in_game;

/// Which game.
#[derive(Args)]
pub(super) struct GameOption {
    /// The game [default: xiangqi if a material has a hyphen or one of the letters a, e, h, c, g, or the FEN
    /// has ten ranks; else chess]
    #[arg(long, value_enum)]
    game: Option<GameName>,
}

impl GameOption {
    /// The game of tables as a user names them.
    ///
    /// # Errors
    /// When some are chess and some xiangqi.
    pub(super) fn of_specs<'a>(
        &self,
        specs: impl IntoIterator<Item = &'a String>,
    ) -> Result<GameName, Failure> {
        if let Some(game) = self.game {
            return Ok(game);
        }
        let mut named: [Option<&str>; 2] = [None; 2];
        let words = specs
            .into_iter()
            .flat_map(|spec| spec.split([' ', ',', '\t', ';']));
        for word in words.filter(|word| !word.is_empty()) {
            if let Some(game) = game_of_word(word) {
                named[game as usize].get_or_insert(word);
            }
        }
        match named {
            [Some(chess), Some(xiangqi)] => Err(Failure::BadInput(format!(
                "{} is a material of chess, {} one of xiangqi: name tables of one game, or say which with --game",
                short(chess),
                short(xiangqi)
            ))),
            [_, Some(_)] => Ok(GameName::Xiangqi),
            _ => Ok(GameName::Chess),
        }
    }

    /// The game of a FEN.
    pub(super) fn of_fen(&self, words: &[String]) -> GameName {
        let fen = words.join(" ");
        self.game.unwrap_or_else(|| game_of_fen(&fen))
    }

    /// The game that the user named, if any.
    pub(super) fn named(&self) -> Option<GameName> {
        self.game
    }

    /// Refuses xiangqi, for commands of chess.
    ///
    /// # Errors
    /// When the user named it, or a material of it.
    pub(super) fn only_chess(&self, command: &str, spec: &String) -> Result<(), Failure> {
        match self.of_specs([spec])? {
            GameName::Chess => Ok(()),
            GameName::Xiangqi => Err(Failure::BadInput(format!(
                "`tb {command}` is for chess only; `tb stats` counts xiangqi tables and gives their longest wins"
            ))),
        }
    }
}

fn short(word: &str) -> String {
    word.chars().take(24).collect()
}

/// The game of a material; `None` of a word that may be either's, such as `all4`.
pub(super) fn game_of_word(word: &str) -> Option<GameName> {
    let lower = word.to_ascii_lowercase();
    let number = lower.strip_prefix("all").unwrap_or(&lower);
    if number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let xiangqi = lower.contains(['a', 'e', 'h', 'c', 'g', '-']);
    Some(if xiangqi {
        GameName::Xiangqi
    } else {
        GameName::Chess
    })
}

/// The game of a FEN: ten ranks, or a gap of nine squares, are of xiangqi.
pub(super) fn game_of_fen(fen: &str) -> GameName {
    let board = fen.split_whitespace().next().unwrap_or_default();
    if board.matches('/').count() == 9 || board.contains('9') {
        GameName::Xiangqi
    } else {
        GameName::Chess
    }
}

/// Where the tables are.
#[derive(Args)]
pub(super) struct Dir {
    /// The folder of tables [default: $DUCHAMP_TABLEBASES, else `tablebases` beside the program or up to
    /// three folders above, else the user's data folder]
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Dir {
    pub(super) fn path(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(default_dir)
    }

    /// The tables of a game; none where there is no such folder yet.
    ///
    /// # Errors
    /// When something else than a folder is there, or one that cannot be read.
    pub(super) fn store<G: TableGame>(&self) -> Result<Arc<Store<G>>, Failure> {
        let path = self.path();
        match std::fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                let text = format!("{} is no folder; name the folder of tables", path.display());
                Err(Failure::BadInput(text))
            }
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::Failed(format!(
                "the folder of tables {} cannot be read: {error}",
                path.display()
            ))),
            _ => Ok(Store::open(&path)),
        }
    }

    /// The tables of chess, as [`Dir::store`].
    ///
    /// # Errors
    /// As there.
    pub(super) fn open(&self) -> Result<Prober, Failure> {
        Ok(Prober::new(self.store()?))
    }
}

/// What distances count.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MetricName {
    /// Plies to mate
    Dtm,
    /// Plies to mate, or to a capture or promotion that keeps the result; in xiangqi the winner's only
    Dtc,
    /// Plies to mate, capture or pawn move, with the 50-move rule; chess only
    Dtz,
}

impl From<MetricName> for Metric {
    fn from(name: MetricName) -> Metric {
        match name {
            MetricName::Dtm => Metric::Dtm,
            MetricName::Dtc => Metric::Dtc,
            MetricName::Dtz => Metric::Dtz,
        }
    }
}

/// The metric that the user named, else the game's usual one.
///
/// # Errors
/// When the game has no such distances.
pub(super) fn metric_of<G: TableGame>(name: Option<MetricName>) -> Result<Metric, Failure> {
    let metric = name.map_or(G::METRIC, Metric::from);
    check_metrics::<G>(&[metric])?;
    Ok(metric)
}

/// Fails where a game has no distances of a metric.
pub(super) fn check_metrics<G: TableGame>(metrics: &[Metric]) -> Result<(), Failure> {
    let Some(metric) = metrics.iter().find(|metric| !G::METRICS.contains(metric)) else {
        return Ok(());
    };
    let known: Vec<&str> = distances_of::<G>().into_iter().map(Metric::name).collect();
    Err(Failure::BadInput(format!(
        "{} tables have no {} files: say --metric {}",
        G::NAME,
        metric.name(),
        known.join(" or ")
    )))
}

/// The materials that a list of words names; those in the folder if there are no words.
pub(super) fn materials<G: TableGame>(
    words: &[String],
    store: &Store<G>,
) -> Result<Vec<G::Key>, Failure> {
    if words.is_empty() {
        return Ok(store.list().iter().map(|table| table.key).collect());
    }
    parse_specs::<G>(&words.join(" ")).map_err(Failure::bad_input)
}

/// The one table that a word names.
pub(super) fn material<G: TableGame>(word: &str) -> Result<G::Key, Failure> {
    match parse_specs::<G>(word).map_err(Failure::bad_input)?[..] {
        [material] => Ok(material),
        _ => Err(Failure::BadInput(format!(
            "{word} names several tables: name one, such as KRvKN"
        ))),
    }
}

/// The position of words that make a FEN.
pub(super) fn position<G: TableGame>(words: &[String]) -> Result<G::Position, Failure> {
    G::read(&words.join(" ")).map_err(Failure::BadInput)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_its_game() {
        use GameName::{Chess, Xiangqi};
        for (word, game) in [
            ("KRPvKR", Some(Chess)),
            ("kqk", Some(Chess)),
            ("4", None),
            ("all4", None),
            ("ALL5", None),
            ("c-k", Some(Xiangqi)),
            ("cp-aaee", Some(Xiangqi)),
            ("KRPvKAABB", Some(Xiangqi)),
            ("KCPKAAEE", Some(Xiangqi)),
        ] {
            assert_eq!(game_of_word(word), game, "{word}");
        }
    }

    #[test]
    fn a_fen_of_ten_ranks_is_xiangqi() {
        let fens = [
            ("8/8/8/8/8/2k5/8/K6R w", GameName::Chess),
            ("4k4/9/9/9/9/9/9/9/9/4K3R w", GameName::Xiangqi),
            ("3k5/8R/8R/8R/8R/8R/8R/8R/8R/4K4 w", GameName::Xiangqi),
            ("", GameName::Chess),
        ];
        for (fen, game) in fens {
            assert_eq!(game_of_fen(fen), game, "{fen}");
        }
    }
}
