//! The slow verification: on a good table and on ones with one wrong value.

use super::{material, solve};
use duchamp_base::Control;
use duchamp_chess_tables::{Chess, Solved, Store, Verified, Verifier, VerifyOptions};
use duchamp_retro::{Code, Side};
use duchamp_tablebase::{CellId, Form, Index, Rules, write_table};
use std::sync::Arc;

/// Writes KRvK with one legal cell of `side` changed, and verifies it.
fn verify_with(side: Side, change: impl Fn(Code) -> Option<Code>) -> Verified {
    let material = material("KRvK");
    let control = Control::new(1);
    let solved = solve(material);
    let layout = Arc::clone(solved.index());
    let mut codes: Vec<Vec<Code>> = layout
        .stored_sides()
        .iter()
        .map(|&side| solved.side(side).codes.to_vec())
        .collect();
    let changed = (0..Index::cells(&*layout)).find_map(|cell| {
        Chess::position(&layout, CellId { side, cell })?;
        let code = codes[side.index()][cell as usize];
        Some((cell, change(code)?))
    });
    if let Some((cell, code)) = changed {
        codes[side.index()][cell as usize] = code;
    }
    let solved = Solved::from_codes(layout, codes);
    let dir = tempfile::tempdir().expect("a folder");
    write_table::<Chess>(Form::Direct, &solved, dir.path(), &control).expect("written");
    let store = Store::open(dir.path());
    let options = VerifyOptions::default();
    let results = Verifier::new(&store).verify(&[material], &options, &control, &mut |_| {});
    results.expect("verified").remove(0)
}

#[test]
fn right_tables_pass_and_wrong_values_are_found() {
    assert_eq!(verify_with(Side::First, |_| None).errors, 0);
    let longer = |code: Code| (code == Code::win(5)).then_some(Code::win(6));
    assert!(verify_with(Side::First, longer).errors > 0);
    let drawn = |code: Code| code.is_win().then_some(Code::DRAW);
    assert!(verify_with(Side::First, drawn).errors > 0);
    let lost = |code: Code| (code == Code::DRAW).then_some(Code::loss(3));
    assert!(verify_with(Side::Second, lost).errors > 0);
    let saved = |code: Code| code.is_loss().then_some(Code::DRAW);
    assert!(verify_with(Side::Second, saved).errors > 0);
}
