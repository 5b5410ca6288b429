//! Legal moves, checks and WXF notation against Fairy-Stockfish's Python module pyffish, move for move on random positions of games
//! and random placements.
//!
//! `DUCHAMP_PYTHON` names the Python that has it (`python3` if not set): `python3 -m venv DIR && DIR/bin/pip install pyffish`.
//! Without it the ordinary tests print a line and pass; the ignored one fails.

mod common;

use common::{Random, random_placement, random_walks};
use duchamp_xiangqi::{Position, RankBase};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// Exit code of the script if Python lacks the module.
const NOT_INSTALLED: i32 = 3;

/// One position in two from games, the others random placements.
fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut rng = Random::new(seed);
    let mut all: Vec<Position> = (0..count / 2).map(|_| random_placement(&mut rng)).collect();
    // Every ninth position of the games, so that they are not all alike.
    let mut seen = 0;
    random_walks(&mut rng, count.div_ceil(2) * 9, 250, |position, _| {
        seen += 1;
        if seen % 9 == 0 {
            all.push(*position);
        }
    });
    all
}

/// What the script prints for each position, or why there is nothing.
fn ask(positions: &[Position], options: &[&str]) -> Result<Vec<String>, String> {
    let python = std::env::var("DUCHAMP_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/reference/xiangqi.py"
    );
    let mut child = Command::new(&python)
        .arg(script)
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{python} cannot be started: {error}"))?;
    let fens: String = positions.iter().map(|p| p.fen() + "\n").collect();
    let mut stdin = child.stdin.take().expect("piped");
    // It ends early where the module is missing.
    let writer = thread::spawn(move || stdin.write_all(fens.as_bytes()).is_ok());
    let output = child.wait_with_output().expect("it runs");
    let written = writer.join().expect("no panic");
    if output.status.code() == Some(NOT_INSTALLED) {
        return Err(format!(
            "pyffish is not installed for {python}; pip install pyffish, or name another Python in DUCHAMP_PYTHON"
        ));
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && written,
        "{}: {errors}",
        output.status
    );
    let text = String::from_utf8(output.stdout).expect("text");
    Ok(text.lines().map(str::to_owned).collect())
}

fn compare(positions: &[Position], answers: &[String]) {
    assert_eq!(positions.len(), answers.len());
    let mut moves = 0;
    for (position, answer) in positions.iter().zip(answers) {
        let moves_here = position.legal_moves();
        let texts = moves_here.iter().map(|mv| mv.uci(RankBase::One));
        let mut ours: Vec<String> = texts.collect();
        ours.sort();
        moves += ours.len();
        ours.insert(0, u8::from(position.in_check()).to_string());
        assert_eq!(ours.join(" "), *answer, "{position}");
    }
    println!("{} positions, {moves} moves", positions.len());
    assert!(moves > 20 * positions.len(), "{moves}");
}

#[test]
fn five_hundred_positions() {
    let positions = positions(41, 500);
    match ask(&positions, &[]) {
        Ok(answers) => compare(&positions, &answers),
        Err(why) => println!("skipped: {why}"),
    }
}

/// Every text of pyffish is read as its move, and ours is the same but for one case: where one piece stands behind another we always
/// write the sign, as the federation says, and pyffish writes the file if the other piece would leave the board by the same step.
#[test]
fn notation_of_forty_positions() {
    let positions = positions(42, 40);
    let answers = match ask(&positions, &["--wxf"]) {
        Ok(answers) => answers,
        Err(why) => return println!("skipped: {why}"),
    };
    assert_eq!(positions.len(), answers.len());
    let (mut equal, mut differ) = (0, 0);
    for (position, answer) in positions.iter().zip(&answers) {
        for pair in answer.split(' ').skip(1) {
            let (mv, wxf) = pair.split_once(':').expect("a move and its notation");
            let mv = position.parse_move_in(mv, RankBase::One).expect("legal");
            assert_eq!(position.parse_wxf(wxf), Ok(mv), "{wxf} {position}");
            let ours = position.wxf(mv);
            equal += u32::from(ours == wxf);
            differ += u32::from(ours != wxf);
            let sign = matches!(ours.as_bytes()[1], b'+' | b'-');
            assert!(
                ours == wxf || sign && ours[2..] == wxf[2..],
                "{ours} {wxf} {position}"
            );
        }
    }
    assert!(equal > 500 && differ < equal / 50, "{equal} {differ}");
}

#[test]
#[ignore = "20,000 positions: about a minute, and needs pyffish"]
fn twenty_thousand_positions() {
    let positions = positions(43, 20_000);
    let answers = ask(&positions, &[]).expect("pyffish answers");
    compare(&positions, &answers);
}
