//! EPD lines: what is read can be written and read again.
#![no_main]

use duchamp_chess::{Epd, Position};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(epd) = text.parse::<Epd>() else { return };
    let again: Epd = epd.to_string().parse().expect("our own EPD");
    assert_eq!(again.operations, epd.operations);
    if let Ok(position) = Position::from_setup(&epd.setup) {
        _ = epd.moves("bm", &position);
        _ = epd.line("pv", &position);
    }
});
