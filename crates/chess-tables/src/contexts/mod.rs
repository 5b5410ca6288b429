//! The contexts of the coded form of results: what the rules of chess show of a cell before its value is decoded.

mod plane;
mod scene;

pub(crate) use plane::{COMMON, Walk, setting_bits};
