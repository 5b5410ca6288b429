//! What other programs and short means may do to the tables: files cut off while they are in use, pipes and folders in
//! place of files, links in place of locks, limits of the system. One line is told, nothing ends, nothing is lost.
#![cfg(unix)]

use crate::common::Random;
use crate::common::program::{PROGRAM, text};
use crate::damage::{SPECS, copy, files, make, no_wrong_answer, questions};
use duchamp_chess_tables::Prober;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A program that runs so long hangs.
const HANG_GUARD: Duration = Duration::from_secs(120);

/// Runs a shell's line with `$DUCHAMP` and the tables in `folder`; fails if it takes too long.
fn shell(folder: &Path, line: &str) -> Output {
    let mut child = Command::new("bash")
        .args(["-c", line])
        .env("DUCHAMP", PROGRAM)
        .env("DUCHAMP_TABLEBASES", folder)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash runs");
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > HANG_GUARD {
            let _ = child.kill();
            panic!("it hangs: {line}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("it has ended")
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo runs").success());
}

#[test]
fn a_file_that_is_cut_off_in_use_is_not_believed() {
    let [good, bad] = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    make(good.path());
    let questions = questions(good.path());
    let names = files(good.path());
    let mut random = Random::new(11);
    for round in 0..200 {
        copy(good.path(), bad.path());
        let tables = Prober::open(bad.path());
        if round % 2 == 0 {
            // Blocks are known to be whole, and may be in the caches.
            for (position, value) in &questions {
                assert_eq!(tables.probe(position), Ok(*value));
            }
        }
        let name = names[round % names.len()].file_name().expect("a name");
        let file = File::options().write(true).open(bad.path().join(name));
        let file = file.expect("the file of a table");
        let length = file.metadata().expect("a file").len();
        let left = random.below(length as usize) as u64;
        // All of a page that is still there in part reads as before.
        file.set_len(if round % 3 == 0 { 0 } else { left })
            .expect("cut off");
        no_wrong_answer(&tables, &questions);
        no_wrong_answer(&tables, &questions);
    }
}

#[test]
fn pipes_and_folders_in_place_of_files_hold_nobody_up() {
    let folder = tempfile::tempdir().expect("a folder");
    make(folder.path());
    let before = questions(folder.path());
    let at = |name: &str| folder.path().join(name);
    for name in ["KPvK.wdl", "KQvK.dtm", "KRvK.lock", "KBvK.sub", "KNvKN.dtm"] {
        let _ = fs::remove_file(at(name));
        pipe(&at(name));
    }
    no_wrong_answer(&Prober::open(folder.path()), &before);
    let probe = shell(
        folder.path(),
        "\"$DUCHAMP\" tb probe '8/8/8/8/8/3k4/3P4/3K4 w - - 0 1'",
    );
    assert_eq!(probe.status.code(), Some(1), "{}", text(&probe.stderr));
    let list = shell(folder.path(), "\"$DUCHAMP\" tb list");
    assert!(list.status.success(), "{}", text(&list.stderr));
    // Files take the place of pipes; what stands in the way of the lock is named.
    let line = format!("\"$DUCHAMP\" tb generate {SPECS} --quiet");
    let made = shell(folder.path(), &line);
    assert!(made.status.success(), "{}", text(&made.stderr));
    no_wrong_answer(&Prober::open(folder.path()), &before);
    fs::remove_file(at("KRvK.dtm")).expect("removed");
    let told = shell(folder.path(), &line);
    let errors = text(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("KRvK") && errors.contains("no file: remove it"),
        "{errors}"
    );
    fs::remove_file(at("KRvK.lock")).expect("removed");
    fs::remove_file(at("KPvK.wdl")).expect("removed");
    fs::create_dir(at("KPvK.wdl")).expect("created");
    fs::write(at("KPvK.wdl/letter"), "dear").expect("written");
    no_wrong_answer(&Prober::open(folder.path()), &before);
    let told = shell(folder.path(), &line);
    let errors = text(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{errors}");
    assert!(errors.contains("KPvK"), "{errors}");
    assert_eq!(fs::read(at("KPvK.wdl/letter")).expect("kept"), b"dear");
}

#[test]
fn a_lock_that_is_a_link_keeps_what_it_leads_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let diary = folder.path().join("diary");
    fs::write(&diary, "secret").expect("written");
    std::os::unix::fs::symlink(&diary, folder.path().join("KQvK.lock")).expect("linked");
    let told = shell(folder.path(), "\"$DUCHAMP\" tb generate KQvK --quiet");
    assert_eq!(told.status.code(), Some(1));
    let errors = text(&told.stderr);
    assert!(
        errors.contains("KQvK") && errors.contains("remove it"),
        "{errors}"
    );
    assert_eq!(fs::read(&diary).expect("readable"), b"secret");
}

#[test]
fn the_longest_length_of_files_is_an_error_and_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = shell(
        folder.path(),
        "ulimit -f 100; \"$DUCHAMP\" tb generate 4 --quiet",
    );
    let errors = text(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.to_lowercase().contains("file too large"), "{errors}");
    // What was whole by then stays, and the next run makes the rest.
    let made = shell(folder.path(), "\"$DUCHAMP\" tb generate 3 --quiet");
    assert!(made.status.success(), "{}", text(&made.stderr));
}

/// With any amount of address space the program does its work or says in one line why not.
#[test]
fn little_address_space_is_an_error_and_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut done = 0;
    for kilobytes in (40_000..400_000).step_by(30_000) {
        let told = shell(
            folder.path(),
            &format!("ulimit -v {kilobytes}; \"$DUCHAMP\" tb generate 3 KRvKB --force --quiet"),
        );
        let errors = text(&told.stderr);
        match told.status.code() {
            Some(0) => done += 1,
            Some(1 | 2) => assert_eq!(errors.lines().count(), 1, "{kilobytes}: {errors}"),
            // Too little for the system to start a program at all.
            code => assert!(kilobytes < 60_000, "{kilobytes}: {code:?}: {errors}"),
        }
    }
    assert!(done > 0, "some of them suffice");
}

/// The same of the engine, which plays on.
#[test]
fn an_engine_with_little_address_space_plays() {
    for kilobytes in [90_000, 120_000, 150_000, 250_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!(
            "ulimit -v {kilobytes}; printf 'uci\\nisready\\nposition startpos\\ngo nodes 5000\\n' | \"$DUCHAMP\""
        );
        let told = shell(folder.path(), &line);
        let lines = text(&told.stdout);
        assert!(told.status.success(), "{kilobytes}: {:?}", told.status);
        assert!(lines.contains("bestmove "), "{kilobytes}: {lines}");
    }
}

/// Where not even that is to be had there is one line, and no panic.
#[test]
fn an_engine_without_a_thread_ends_with_a_line() {
    for kilobytes in [30_000, 40_000, 50_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let line = format!("ulimit -v {kilobytes}; echo 'go nodes 5000' | \"$DUCHAMP\"");
        let told = shell(folder.path(), &line);
        let errors = text(&told.stderr);
        assert!(
            matches!(told.status.code(), Some(0 | 1)),
            "{kilobytes}: {:?}: {errors}",
            told.status
        );
        assert!(!errors.contains("panicked"), "{kilobytes}: {errors}");
        if !told.status.success() {
            let last = errors.lines().last().unwrap_or_default();
            assert!(last.starts_with("duchamp: "), "{kilobytes}: {errors}");
        }
    }
}

/// An ending that no prover settles in seconds, with more and more pawn structures.
const OPEN_ENDING: &str = "5k2/p5p1/Pp6/4P3/1P1p4/7K/2P5/8 b - - 0 1";

/// Commands that take more and more memory end with what they have, or with one line.
#[test]
fn commands_with_little_address_space_end_with_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = shell(
        folder.path(),
        "\"$DUCHAMP\" tb generate KRvKP KPPvK --quiet",
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    let games = "\"$DUCHAMP\" datagen --games 8 --nodes 100 --out 8.games --quiet";
    let made = shell(folder.path(), games);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let pawns = format!("pawns \"{OPEN_ENDING}\" --seconds 2");
    let commands = [
        "tb stats KPPvK",
        "tb verify KRvKP --sample 50000 --quiet",
        "train --data 8.games --net 8.net --hidden 2048 --epochs 1 --validation-every 2 --quiet",
        pawns.as_str(),
    ];
    let mut ended = [0; 2];
    for command in commands {
        for kilobytes in [80_000, 120_000, 200_000] {
            let line = format!("ulimit -v {kilobytes}; \"$DUCHAMP\" {command}");
            let told = shell(folder.path(), &line);
            let errors = text(&told.stderr);
            let code = told.status.code();
            assert!(matches!(code, Some(0 | 1)), "{line}: {code:?}: {errors}");
            // A single line, or one a second of progress.
            let short = |line: &&str| line.contains("no more memory");
            let lines = errors.lines().filter(short).count();
            assert_eq!(lines as i32, code.unwrap_or(-1), "{line}: {errors}");
            ended[usize::from(code == Some(1))] += 1;
        }
    }
    assert!(ended.iter().all(|&count| count > 0), "{ended:?}");
}

/// What is proved of a pawn ending depends on memory, whether the engine plays on does not.
#[test]
fn a_proof_without_memory_ends_and_the_engine_plays_on() {
    let folder = tempfile::tempdir().expect("a folder");
    for kilobytes in [80_000, 120_000, 200_000] {
        let line = format!(
            "ulimit -v {kilobytes}; (printf 'setoption name Hash value 1\\nposition fen {OPEN_ENDING}\\ngo movetime 2500\\n'; \
             sleep 3; printf 'position startpos\\ngo nodes 5000\\n'; sleep 1) | \"$DUCHAMP\""
        );
        let told = shell(folder.path(), &line);
        let lines = text(&told.stdout);
        assert!(told.status.success(), "{kilobytes}: {}", text(&told.stderr));
        assert_eq!(
            lines.matches("bestmove ").count(),
            2,
            "{kilobytes}: {lines}"
        );
    }
}
