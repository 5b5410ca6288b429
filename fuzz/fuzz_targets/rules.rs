//! Rule files: an error is one line; what is read is printed as a file that reads back the same.
#![no_main]

use duchamp_proofs::freezer::Rules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match Rules::parse(text) {
    Ok(rules) => {
        let file = rules.to_toml();
        let again = Rules::parse(&file).expect("printed rules are right");
        assert_eq!(again.to_toml(), file);
    }
    Err(error) => assert_eq!(error.to_string().lines().count(), 1),
});
