//! Xiangqi endgame tables: generates, probes and verifies them with the solver of `duchamp-tablebase`.

mod aliases;
mod attacks;
mod audit;
mod defenders;
mod duplicates;
mod game;
mod geometry;
mod kernels;
mod layout;
mod legality;
mod look;
mod machinery;
mod material;
mod numbering;
mod pairs;
mod paper;
mod pawns;
mod rules;
mod walk;

pub use aliases::{
    FileEvent, Forecast, GenerateError, Made, ProbeError, Progress, SolveError, Solved, SpecError,
    Store, Summary, TableInfo, Verified, VerifyError, parse_specs,
};
pub use game::Xiangqi;
pub use layout::Layout;
pub use machinery::{Generator, Verifier, side_stats};
pub use material::{Material, ParseMaterialError};
pub use paper::{Pawns, WuBeal, paper_size, wu_beal};

/// The example of the README, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
