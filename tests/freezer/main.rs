//! The freezer against what is published, tables, and a slow reference solver of random rules.

#[path = "../common/mod.rs"]
mod common;

mod free;
mod known;
mod pause;
mod reference;
