//! The `tablebase` room.
