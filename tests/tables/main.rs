//! Endgame tables: what is solved, kept in files, read back, and survives damage and kills.

#[path = "../common/mod.rs"]
mod common;

mod attacks;
mod damage;
mod five_men;
mod kill;
mod lists;
mod made_up;
mod processes;
mod solver;
mod values;
