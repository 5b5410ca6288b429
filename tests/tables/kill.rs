//! A five-man generation killed at random moments, repeatedly: files with their final names are whole and
//! right, and every run goes on where the last one was.
//!
//! Takes some minutes: `cargo test --release --test tables kill:: -- --ignored --nocapture`. All metrics of a table of five
//! men and of tables with pawns, 100 kills, unless `DUCHAMP_KILLS` sets another number, `DUCHAMP_KILL_SPECS` the tables
//! (`KRPKR`: five men with a pawn, 20 kills in about as long a time), `DUCHAMP_KILL_METRIC` what they count,
//! `DUCHAMP_KILL_PROGRAM` another build.

use crate::common::Random;
use crate::common::program::PROGRAM;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// In so little memory pawn tables lie in scratch.
const MEMORY: &str = "400";

fn start(folder: &Path, specs: &str, metric: &str) -> Child {
    let mut command = Command::new(setting("DUCHAMP_KILL_PROGRAM", PROGRAM));
    command.args(["tb", "generate", "--memory", MEMORY, "--metric", metric]);
    command.args(specs.split(' ')).arg("--dir").arg(folder);
    command
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Length and checksum of every file in a folder.
fn contents(folder: &Path) -> BTreeMap<String, (usize, u64)> {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    files
        .map(|file| {
            let bytes = fs::read(file.path()).expect("readable");
            let name = file.file_name().to_string_lossy().into_owned();
            (name, (bytes.len(), duchamp_base::checksum(&bytes)))
        })
        .collect()
}

/// Between 0 and 1.
fn share(rng: &mut Random) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

#[test]
#[ignore = "some minutes"]
fn killed_at_a_hundred_moments() {
    let specs = setting("DUCHAMP_KILL_SPECS", "KRBKR KRPK KPKP");
    let metric = setting("DUCHAMP_KILL_METRIC", "all");
    let kills: u32 = setting("DUCHAMP_KILLS", "100").parse().expect("a number");
    let (whole, folder) = (tempfile::tempdir(), tempfile::tempdir());
    let (whole, folder) = (whole.expect("a folder"), folder.expect("a folder"));
    let begin = Instant::now();
    assert!(
        start(whole.path(), &specs, &metric)
            .wait()
            .expect("ends")
            .success()
    );
    let (right, length) = (contents(whole.path()), begin.elapsed());
    println!("{} files in {length:?}", right.len());

    let mut rng = Random::new(2026);
    let (mut completed, mut parts) = (0, 0);
    for round in 0..kills {
        let mut child = start(folder.path(), &specs, &metric);
        // Mostly soon, now and then after everything should be done.
        let pause = length.mul_f64(1.2 * share(&mut rng).powi(3));
        std::thread::sleep(pause.max(Duration::from_millis(5)));
        let done = child.try_wait().expect("asked").is_some();
        child.kill().expect("killed");
        child.wait().expect("dead");
        let mut tables = 0;
        for (name, content) in contents(folder.path()) {
            match right.get(&name) {
                Some(true_content) => {
                    assert_eq!(content, *true_content, "{name} after kill {round}");
                    tables += 1;
                }
                None if name.ends_with(".part") => parts += 1,
                None => assert!(name.ends_with(".lock"), "{name} after kill {round}"),
            }
        }
        println!("kill {round} after {pause:?}: {tables} files");
        if done {
            // Begin with something missing again.
            completed += 1;
            for name in right.keys() {
                if share(&mut rng) < 0.4 {
                    fs::remove_file(folder.path().join(name)).expect("removable");
                }
            }
        }
    }
    assert!(
        start(folder.path(), &specs, &metric)
            .wait()
            .expect("ends")
            .success()
    );
    assert_eq!(
        contents(folder.path()),
        right,
        "the last run makes all and sweeps all"
    );
    println!(
        "{completed} runs were complete before their kill, {parts} unfinished files were left"
    );
}
