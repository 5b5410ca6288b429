//! What several subcommands take: a folder of tables, a metric, materials, a position.

use super::Failure;
use super::tb_game::TableGame;
use clap::{Args, ValueEnum};
use duchamp_chess::Position;
use duchamp_chess_tables::{Material, Metric, Prober, default_dir, parse_specs};
use duchamp_tablebase::Store;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the tables are.
#[derive(Args)]
pub(super) struct Dir {
    /// The folder of tables [default: $DUCHAMP_TABLEBASES, else `tablebases` beside the program or up to
    /// three folders above, else the user's data folder]
    #[arg(long)]
    dir: Option<PathBuf>,
}

impl Dir {
    /// The tables of chess.
    pub(super) fn open(&self) -> Prober {
        Prober::new(self.store())
    }

    /// The tables of a game.
    pub(super) fn store<G: TableGame>(&self) -> Arc<Store<G>> {
        Store::open(&self.dir.clone().unwrap_or_else(default_dir))
    }
}

/// What distances count.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MetricName {
    /// Plies to mate
    Dtm,
    /// Plies to mate, or to a capture or promotion that keeps the result
    Dtc,
    /// Plies to mate, capture or pawn move, with the 50-move rule
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

/// The tables that a list of words names.
pub(super) fn keys<G: TableGame>(words: &[String]) -> Result<Vec<G::Key>, Failure> {
    duchamp_tablebase::parse_specs::<G>(&words.join(" ")).map_err(Failure::bad_input)
}

/// The materials that a list of words names; those in the folder if there are no words.
pub(super) fn materials(words: &[String], tables: &Prober) -> Result<Vec<Material>, Failure> {
    if words.is_empty() {
        return Ok(tables
            .store()
            .list()
            .iter()
            .map(|table| table.key)
            .collect());
    }
    parse_specs(&words.join(" ")).map_err(Failure::bad_input)
}

/// The one table that a word names.
pub(super) fn material(word: &str) -> Result<Material, Failure> {
    match parse_specs(word).map_err(Failure::bad_input)?[..] {
        [material] => Ok(material),
        _ => Err(Failure::BadInput(format!(
            "{word} names several tables: name one, such as KRvKN"
        ))),
    }
}

/// The position of words that make a FEN.
pub(super) fn position(words: &[String]) -> Result<Position, Failure> {
    Position::from_fen(&words.join(" ")).map_err(Failure::bad_input)
}
