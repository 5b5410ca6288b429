//! The `engine` room.
