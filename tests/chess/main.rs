//! The rules of chess: moves, un-moves, notation and damaged input, against published counts and cozy-chess.

#[path = "../common/mod.rs"]
mod common;

mod cozy;
mod fuzz;
mod perft;
mod rules;
mod unmoves;
