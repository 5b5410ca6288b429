//! Each side has a queen: what comes of it, from above (`may.rs`) and from below (`sure.rs`), by the same game (`field.rs`).

mod field;
mod may;
mod sure;

#[cfg(test)]
mod tests;

pub(super) use field::Queens;
pub(super) use may::Pairs;
pub(super) use sure::{Stand, Sures};
