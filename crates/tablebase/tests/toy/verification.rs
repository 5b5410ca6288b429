//! Verification position by position, in memory and in little of it.

use std::sync::Arc;

use duchamp_base::Control;
use duchamp_retro::Code;
use duchamp_tablebase::{
    AllSubs, Form, Index, Metric, Solved, Store, SubTables, Verifier, VerifyOptions, write_table,
};

use crate::game::Toy;
use crate::key::Key;
use crate::{copied, key};

/// Wrong values are found in as many places whether what lies below a table is in memory or probed in its files: those
/// of a table, and of those that lead to it.
#[test]
fn little_memory_finds_the_same_errors() {
    let folder = copied();
    let verify = |metrics: &[Metric], memory| {
        let store = Store::<Toy>::open(folder.path());
        let keys: Vec<Key> = store.list().iter().map(|table| table.key).collect();
        let options = VerifyOptions {
            metrics: metrics.to_vec(),
            memory,
            ..VerifyOptions::default()
        };
        let verified = Verifier::new(&store).verify(&keys, &options, &Control::new(1), &mut |_| {});
        let results = verified.expect("readable").into_iter();
        let facts = results.map(|one| (one.key, one.metric, one.positions, one.errors));
        facts.collect::<Vec<_>>()
    };
    let right = verify(&Metric::DISTANCES, None);
    assert!(right.len() == 21 && right.iter().all(|result| result.3 == 0));
    assert_eq!(right, verify(&Metric::DISTANCES, Some(0)));
    // Every fortieth win is two plies longer.
    let control = Control::new(1);
    let subs = AllSubs::<Toy>::new(key("KRRvK"), &control).expect("solved");
    let krvk = subs.get(key("KRvK")).expect("solved");
    let codes = krvk.index().stored_sides().iter().map(|&side| {
        let codes = krvk.side(side).codes.iter().enumerate();
        let wrong = codes.map(|(at, &code)| match code {
            Code(130..) if at % 40 < 3 => Code(code.0 - 1),
            code => code,
        });
        wrong.collect()
    });
    let wrong = Solved::from_codes(Arc::clone(krvk.index()), codes.collect());
    for ending in ["dtc", "dtz"] {
        std::fs::remove_file(folder.path().join(format!("KRvK.{ending}"))).expect("removed");
    }
    write_table::<Toy>(Form::Direct, &wrong, folder.path(), &control).expect("written");
    let found = verify(&[Metric::Dtm], None);
    assert_eq!(found, verify(&[Metric::Dtm], Some(0)));
    let errors = |name: &str| found.iter().find(|one| one.0 == key(name)).map(|one| one.3);
    for name in ["KRvK", "KRRvK", "KRvKR"] {
        assert!(errors(name) > Some(0), "{name}: {found:?}");
    }
}
