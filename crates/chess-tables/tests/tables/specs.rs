//! Lists of tables as people write them.

use duchamp_chess_tables::{SpecError, parse_specs, parse_specs_within};

#[test]
fn lists() {
    let count = |text: &str| parse_specs(text).map(|list| list.len());
    assert_eq!(count("KQPKQ"), Ok(1));
    assert_eq!(count("3, 4 KQK"), Ok(35));
    assert_eq!(count("all4"), Ok(35));
    assert_eq!(count("ALL5"), Ok(145));
    assert_eq!(count(" , "), Err(SpecError::Empty("KRPvKR")));
    assert_eq!(parse_specs_within("6", 6).map(|list| list.len()), Ok(365));
    for bad in [
        "2",
        "9",
        "all",
        "all99999999999",
        "KK",
        "KQQQKQQ",
        "hello",
        "KQ",
    ] {
        assert!(parse_specs(bad).is_err(), "{bad}");
    }
}
