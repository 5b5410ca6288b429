//! Duchamp: a UCI chess engine that makes its own endgame tables.
//!
//! The rooms, from the ground up (each may import only from rooms below it;
//! `tests/architecture.rs` enforces the table in `docs/ARCHITECTURE.md`):
//!
//! - [`base`]: files, locks, checksums, progress; knows no game.
//! - [`chess`]: board, moves, un-moves, notation, and the [`chess::Oracle`] trait.
//! - [`retro`]: the set-wise retrograde solver; knows no game.
//! - [`tablebase`]: endgame tables: index, kernels, files, generation, probing.
//! - [`pawns`]: pawn endings: exact bounds by proof, corresponding squares.
//! - [`eval`]: static evaluation.
//! - [`search`]: alpha-beta search.
//! - [`selfplay`]: games of the engine against itself, and their files.
//! - [`train`]: the trainer of networks.
//! - [`engine`]: joins them: options, positions, tables, search; no text protocol.
//! - [`uci`]: the UCI protocol.
//! - [`cli`]: the subcommands.

pub mod base;
pub mod chess;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod freezer;
pub mod pawns;
pub mod retro;
pub mod search;
pub mod selfplay;
pub mod tablebase;
pub mod train;
pub mod uci;
