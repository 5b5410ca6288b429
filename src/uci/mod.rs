//! The `uci` room.
