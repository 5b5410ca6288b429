//! Any bytes become lines, and any line a command or a note: nothing panics, no note has two lines.

#![no_main]

use duchamp::uci::{Line, Lines, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = Lines::new(data);
    while let Ok(Some(line)) = lines.next_line() {
        if let Line::Text(text) = line {
            assert!(parse(&text).notes.iter().all(|note| !note.contains('\n')));
        }
    }
});
