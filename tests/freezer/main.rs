//! The freezer against what is published, tables, and a slow judge of random rules.

#[path = "../common/mod.rs"]
mod common;

mod free;
mod judge;
mod known;
mod pause;
