//! `duchamp serve` from outside: its interface, its limits, generation while the client listens.

#[path = "../common/mod.rs"]
mod common;

mod generate;
mod limits;
mod lists;
mod server;
mod standard;
