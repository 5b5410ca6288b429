//! The engine as GUIs and match runners see it: a child process driven by lines.

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod commands;
mod demand;
mod engine;
mod flow;
mod freezer;
mod fuzz;
mod gui;
mod network;
mod options;
mod reproducible;
mod syzygy;
mod syzygy_games;
mod table_format;
mod tables;
