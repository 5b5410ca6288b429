//! The `eval` room.
