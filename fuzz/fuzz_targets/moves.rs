//! Moves in SAN and UCI, one a line, played from the start position: only legal moves are read, and
//! each can be written and read again.
#![no_main]

use duchamp_chess::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut position = Position::start();
    for line in text.lines().take(100) {
        let read = [position.parse_san(line).ok(), position.parse_uci(line).ok()];
        for mv in read.into_iter().flatten() {
            assert!(position.is_legal(mv));
            assert_eq!(position.parse_san(&position.san(mv)), Ok(mv));
            assert_eq!(position.parse_uci(&mv.uci(false)), Ok(mv));
        }
        if let Some(mv) = read.into_iter().flatten().next() {
            position.advance(mv);
        }
    }
});
