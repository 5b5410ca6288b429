//! The `retro` room.
