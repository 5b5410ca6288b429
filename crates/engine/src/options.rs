//! The options, typed: what there is, within which limits, and what is set.
//!
//! Names and text belong to the protocol; here an option is an [`OptionId`] and a value a
//! [`Setting`], checked against the option's [`Kind`].

use super::rules_error::FreezerError;
use super::table_format::TableFormat;
use super::table_request::RequestError;
use duchamp_chess_tables::{GenerateOptions, MAX_LARGE_MEN, MAX_MEN, SyzygyTables};
use duchamp_eval::EvaluationError;
use duchamp_search::{MAX_ELO, MIN_ELO};
use std::path::PathBuf;
use std::time::Duration;

/// An option of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OptionId {
    /// A file to which all input and output is logged; empty for none. Protocols keep it, nothing changes here.
    DebugLogFile,
    /// Size of the hash table in MiB.
    Hash,
    /// Search threads.
    Threads,
    /// Lines to report.
    MultiPv,
    /// The GUI may ask to think on the opponent's time. Nothing changes here: `go ponder` is enough.
    Ponder,
    /// Time lost between engine and clock, in milliseconds a move.
    MoveOverhead,
    /// Forget what earlier searches found.
    ClearHash,
    /// Castling is written king takes rook.
    Chess960,
    /// Lines carry expected results.
    ShowWdl,
    /// Analysis, not play.
    AnalyseMode,
    /// Play as weakly as [`OptionId::Elo`] says.
    LimitStrength,
    /// The rating to play at.
    Elo,
    /// A file with a network that replaces the built-in one, or `material` for an evaluation that counts material only; empty
    /// for the built-in one.
    EvalFile,
    /// Where endgame tables lie; empty for the usual place.
    TablebasePath,
    /// Missing tables of up to so many men are generated when the engine starts; 0 for none.
    StartupMen,
    /// Tables of more men are neither generated nor used.
    MaxMen,
    /// Memory for generating tables, in MiB.
    TableMemory,
    /// Generate the tables that become reachable from the position on the board.
    TablesOnDemand,
    /// The format of the files that [`OptionId::GenerateTables`] writes.
    TableFormat,
    /// Generate these tables, or stop generation.
    GenerateTables,
    /// Folders of Syzygy tables; empty for none.
    SyzygyPath,
    /// The least remaining depth at which positions of as many men as the largest Syzygy table are probed, in plies.
    SyzygyProbeDepth,
    /// Positions of more men are not probed in Syzygy tables; 0 for none at all.
    SyzygyProbeLimit,
    /// Wins that the 50-move rule draws are draws.
    SyzygyFiftyMoveRule,
    /// Prove pawn endings.
    PawnProofs,
    /// Memory for the proofs of pawn endings, in MiB.
    PawnProofHash,
    /// A file of rules for a restricted position; empty for none. Search uses it once it is solved.
    FreezerRules,
}

/// What values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// On or off.
    Check {
        /// The value at start.
        default: bool,
    },
    /// A number within limits.
    Spin {
        /// The value at start.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Choice {
        /// The place of the word at start.
        default: usize,
        /// The words.
        words: &'static [&'static str],
    },
    /// A text, empty at start.
    Text,
    /// No value: an action.
    Button,
}

/// A value for an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// For [`Kind::Check`].
    Flag(bool),
    /// For [`Kind::Spin`].
    Number(i64),
    /// For [`Kind::Choice`]: the place of the word.
    Choice(usize),
    /// For [`Kind::Text`].
    Text(String),
    /// For [`Kind::Button`].
    Press,
}

/// Why a setting was refused.
#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// The number is outside the option's limits.
    #[error("{value} is not within {min} to {max}")]
    OutOfRange {
        /// What was asked for.
        value: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// The setting is of another kind than the option.
    #[error("this option takes another kind of value")]
    WrongKind,
    /// The tables to generate could not be read or are too large.
    #[error(transparent)]
    Tables(#[from] RequestError),
    /// A file of rules could not be read or used.
    #[error(transparent)]
    Freezer(#[from] FreezerError),
    /// A network could not be read.
    #[error(transparent)]
    Network(#[from] EvaluationError),
}

impl OptionId {
    /// All options, in the order in which they are declared to a GUI.
    pub const ALL: [OptionId; 27] = [
        OptionId::DebugLogFile,
        OptionId::Hash,
        OptionId::Threads,
        OptionId::MultiPv,
        OptionId::Ponder,
        OptionId::MoveOverhead,
        OptionId::ClearHash,
        OptionId::Chess960,
        OptionId::ShowWdl,
        OptionId::AnalyseMode,
        OptionId::LimitStrength,
        OptionId::Elo,
        OptionId::EvalFile,
        OptionId::TablebasePath,
        OptionId::StartupMen,
        OptionId::MaxMen,
        OptionId::TableMemory,
        OptionId::TablesOnDemand,
        OptionId::TableFormat,
        OptionId::GenerateTables,
        OptionId::SyzygyPath,
        OptionId::SyzygyProbeDepth,
        OptionId::SyzygyProbeLimit,
        OptionId::SyzygyFiftyMoveRule,
        OptionId::PawnProofs,
        OptionId::PawnProofHash,
        OptionId::FreezerRules,
    ];

    /// Its kind, default and limits.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            OptionId::Hash => Kind::Spin {
                default: 16,
                min: 1,
                max: 1 << 20,
            },
            OptionId::Threads => Kind::Spin {
                default: 1,
                min: 1,
                max: 512,
            },
            OptionId::MultiPv => Kind::Spin {
                default: 1,
                min: 1,
                max: 256,
            },
            OptionId::MoveOverhead => Kind::Spin {
                default: 20,
                min: 0,
                max: 5000,
            },
            OptionId::Elo => Kind::Spin {
                default: 1800,
                min: MIN_ELO as i64,
                max: MAX_ELO as i64,
            },
            OptionId::StartupMen => Kind::Spin {
                default: 4,
                min: 0,
                max: MAX_MEN as i64,
            },
            OptionId::MaxMen => Kind::Spin {
                default: MAX_MEN as i64,
                min: 0,
                max: MAX_LARGE_MEN as i64,
            },
            OptionId::TableMemory => Kind::Spin {
                default: GenerateOptions::DEFAULT_MEMORY as i64,
                min: 64,
                max: 1 << 20,
            },
            OptionId::PawnProofHash => Kind::Spin {
                default: 64,
                min: 1,
                max: 1 << 20,
            },
            OptionId::SyzygyProbeDepth => Kind::Spin {
                default: 1,
                min: 1,
                max: 100,
            },
            OptionId::SyzygyProbeLimit => Kind::Spin {
                default: 7,
                min: 0,
                max: 7,
            },
            OptionId::TableFormat => Kind::Choice {
                default: 0,
                words: &TableFormat::NAMES,
            },
            OptionId::PawnProofs | OptionId::SyzygyFiftyMoveRule => Kind::Check { default: true },
            OptionId::Ponder
            | OptionId::Chess960
            | OptionId::ShowWdl
            | OptionId::AnalyseMode
            | OptionId::LimitStrength
            | OptionId::TablesOnDemand => Kind::Check { default: false },
            OptionId::DebugLogFile
            | OptionId::EvalFile
            | OptionId::TablebasePath
            | OptionId::GenerateTables
            | OptionId::SyzygyPath
            | OptionId::FreezerRules => Kind::Text,
            OptionId::ClearHash => Kind::Button,
        }
    }

    /// Checks a setting against the option's kind and limits.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`] or [`OptionError::WrongKind`].
    pub fn check(self, setting: &Setting) -> Result<(), OptionError> {
        match (self.kind(), setting) {
            (Kind::Spin { min, max, .. }, &Setting::Number(value))
                if !(min..=max).contains(&value) =>
            {
                Err(OptionError::OutOfRange { value, min, max })
            }
            (Kind::Choice { words, .. }, &Setting::Choice(place)) if place >= words.len() => {
                Err(OptionError::WrongKind)
            }
            (Kind::Check { .. }, Setting::Flag(_))
            | (Kind::Spin { .. }, Setting::Number(_))
            | (Kind::Choice { .. }, Setting::Choice(_))
            | (Kind::Text, Setting::Text(_))
            | (Kind::Button, Setting::Press) => Ok(()),
            _ => Err(OptionError::WrongKind),
        }
    }

    const fn default_number(self) -> i64 {
        match self.kind() {
            Kind::Spin { default, .. } => default,
            _ => 0,
        }
    }
}

/// What is set. Each field is the option of that name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// In MiB.
    pub hash: usize,
    /// At least 1.
    pub threads: usize,
    /// At least 1.
    pub multipv: usize,
    /// A move.
    pub move_overhead: Duration,
    /// See [`OptionId::Chess960`].
    pub chess960: bool,
    /// See [`OptionId::ShowWdl`].
    pub show_wdl: bool,
    /// See [`OptionId::AnalyseMode`].
    pub analyse: bool,
    /// See [`OptionId::LimitStrength`].
    pub limit_strength: bool,
    /// See [`OptionId::Elo`].
    pub elo: u16,
    /// The folders of tables, the first of which is written to; none for the usual place.
    pub table_paths: Vec<PathBuf>,
    /// 0 for none.
    pub startup_men: u32,
    /// See [`OptionId::MaxMen`].
    pub max_men: u32,
    /// In MiB.
    pub table_memory: usize,
    /// See [`OptionId::TablesOnDemand`].
    pub tables_on_demand: bool,
    /// See [`OptionId::TableFormat`].
    pub table_format: TableFormat,
    /// Separated folders; empty for none.
    pub syzygy_path: String,
    /// In plies, at least 1.
    pub syzygy_probe_depth: u32,
    /// 0 for none.
    pub syzygy_probe_limit: u32,
    /// See [`OptionId::SyzygyFiftyMoveRule`].
    pub syzygy_fifty_move_rule: bool,
    /// See [`OptionId::PawnProofs`].
    pub pawn_proofs: bool,
    /// In MiB.
    pub pawn_proof_hash: usize,
}

impl Default for Options {
    fn default() -> Options {
        let number = |id: OptionId| usize::try_from(id.default_number()).unwrap_or(0);
        Options {
            hash: number(OptionId::Hash),
            threads: number(OptionId::Threads),
            multipv: number(OptionId::MultiPv),
            move_overhead: Duration::from_millis(number(OptionId::MoveOverhead) as u64),
            chess960: false,
            show_wdl: false,
            analyse: false,
            limit_strength: false,
            elo: number(OptionId::Elo) as u16,
            table_paths: Vec::new(),
            startup_men: number(OptionId::StartupMen) as u32,
            max_men: number(OptionId::MaxMen) as u32,
            table_memory: number(OptionId::TableMemory),
            tables_on_demand: false,
            table_format: TableFormat::Own,
            syzygy_path: String::new(),
            syzygy_probe_depth: number(OptionId::SyzygyProbeDepth) as u32,
            syzygy_probe_limit: number(OptionId::SyzygyProbeLimit) as u32,
            syzygy_fifty_move_rule: true,
            pawn_proofs: true,
            pawn_proof_hash: number(OptionId::PawnProofHash),
        }
    }
}

impl Options {
    /// Stores a setting that passed [`OptionId::check`]; actions and the like change nothing here.
    pub(super) fn store(&mut self, id: OptionId, setting: &Setting) {
        match (id, setting) {
            (OptionId::Chess960, &Setting::Flag(on)) => self.chess960 = on,
            (OptionId::ShowWdl, &Setting::Flag(on)) => self.show_wdl = on,
            (OptionId::AnalyseMode, &Setting::Flag(on)) => self.analyse = on,
            (OptionId::LimitStrength, &Setting::Flag(on)) => self.limit_strength = on,
            (OptionId::TablesOnDemand, &Setting::Flag(on)) => self.tables_on_demand = on,
            (OptionId::PawnProofs, &Setting::Flag(on)) => self.pawn_proofs = on,
            (OptionId::SyzygyFiftyMoveRule, &Setting::Flag(on)) => self.syzygy_fifty_move_rule = on,
            (OptionId::TableFormat, &Setting::Choice(place)) => {
                self.table_format = TableFormat::ALL[place];
            }
            (OptionId::SyzygyPath, Setting::Text(path)) => self.syzygy_path.clone_from(path),
            (OptionId::TablebasePath, Setting::Text(path)) => {
                self.table_paths = SyzygyTables::folders(path);
            }
            (_, &Setting::Number(value)) => self.store_number(id, value.unsigned_abs()),
            _ => {}
        }
    }

    fn store_number(&mut self, id: OptionId, value: u64) {
        match id {
            OptionId::Hash => self.hash = value as usize,
            OptionId::Threads => self.threads = value as usize,
            OptionId::MultiPv => self.multipv = value as usize,
            OptionId::MoveOverhead => self.move_overhead = Duration::from_millis(value),
            OptionId::Elo => self.elo = value as u16,
            OptionId::StartupMen => self.startup_men = value as u32,
            OptionId::MaxMen => self.max_men = value as u32,
            OptionId::SyzygyProbeDepth => self.syzygy_probe_depth = value as u32,
            OptionId::SyzygyProbeLimit => self.syzygy_probe_limit = value as u32,
            OptionId::PawnProofHash => self.pawn_proof_hash = value as usize,
            OptionId::TableMemory => self.table_memory = value as usize,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_allowed_and_stored() {
        let mut options = Options::default();
        for id in OptionId::ALL {
            match id.kind() {
                Kind::Spin { default, min, max } => {
                    assert!(min <= default && default <= max, "{id:?}");
                    assert!(id.check(&Setting::Number(default)).is_ok());
                    assert!(id.check(&Setting::Number(max + 1)).is_err());
                    let press = id.check(&Setting::Press);
                    assert!(matches!(press, Err(OptionError::WrongKind)));
                    options.store(id, &Setting::Number(default));
                }
                Kind::Check { default } => options.store(id, &Setting::Flag(default)),
                Kind::Choice { default, words } => {
                    let beyond = id.check(&Setting::Choice(words.len()));
                    assert!(matches!(beyond, Err(OptionError::WrongKind)));
                    assert!(id.check(&Setting::Choice(default)).is_ok());
                    options.store(id, &Setting::Choice(default));
                }
                Kind::Text => options.store(id, &Setting::Text(String::new())),
                Kind::Button => options.store(id, &Setting::Press),
            }
        }
        assert_eq!(options, Options::default());
    }
}
