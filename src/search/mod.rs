//! The `search` room.
