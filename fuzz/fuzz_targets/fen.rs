//! FENs: what is read can be written and read again, and every legal move keeps the position sound.
#![no_main]

use duchamp_chess::{Faults, Position, Setup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(setup) = text.parse::<Setup>() else {
        return;
    };
    assert_eq!(setup.fen().parse(), Ok(setup));
    assert_eq!(setup.shredder_fen().parse(), Ok(setup));
    let Ok(position) = Position::from_setup_forgiving(&setup, Faults::FORGIVABLE) else {
        return;
    };
    position.validate().expect("consistent");
    for mv in position.legal_moves() {
        assert!(position.is_legal(mv));
        position.play(mv).validate().expect("consistent");
    }
});
