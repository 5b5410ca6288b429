//! What several tests share: random positions, the program as a process, rows of data files.

#![allow(dead_code, unreachable_pub)] // Every test binary compiles all of it and uses some.

pub mod client;
pub mod pawns;
pub mod program;

use std::collections::HashMap;
use std::path::PathBuf;

pub use duchamp_base::Random;
use duchamp_chess::{Move, MoveKind, Position, Setup};

/// An empty folder for what the tests of one process share. It stays when they end, as statics are never dropped; those of
/// a day ago and more are removed.
pub fn shared_folder(name: &str) -> PathBuf {
    let all = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&all).expect("a folder");
    for other in std::fs::read_dir(&all).expect("a folder").flatten() {
        let made = other.metadata().and_then(|data| data.modified()).ok();
        let age = made.and_then(|made| made.elapsed().ok());
        if age.is_some_and(|age| age.as_secs() > 24 * 3600) {
            let _ = std::fs::remove_dir_all(other.path());
        }
    }
    // A name that no process has had before, not its number, which comes again.
    tempfile::tempdir_in(all).expect("a folder").keep()
}

/// Random numbers as `tests/uci` draws them.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = Random::new(self.0).next_u64();
        self.0
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        Random::new(self.next()).below(n)
    }
}

/// The start position of ordinary chess or, every other time, one of Chess960.
pub fn random_start(rng: &mut Random) -> Position {
    let number = if rng.below(2) == 0 {
        518
    } else {
        rng.below(960)
    };
    Position::from_setup(&Setup::chess960(number as u16).expect("below 960")).expect("legal")
}

/// Plays random games and shows every position, with the move that led to it, until `count` have
/// been shown. Games end after `plies` or when there is no move.
pub fn random_walks(
    rng: &mut Random,
    count: usize,
    plies: usize,
    mut show: impl FnMut(&Position, Option<(&Position, Move)>),
) {
    let mut shown = 0;
    loop {
        let mut position = random_start(rng);
        show(&position, None);
        for _ in 0..plies {
            shown += 1;
            if shown >= count {
                return;
            }
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // En-passant captures are rare: take them when they come.
            let rare = moves.iter().find(|mv| mv.kind() == MoveKind::EnPassant);
            let mv = *rare.unwrap_or(rng.pick(&moves));
            let next = position.play(mv);
            show(&next, Some((&position, mv)));
            position = next;
        }
    }
}

/// The rows of a data file: fields by the names in its first row; lines that begin with `#` are left out.
pub fn rows(text: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("a row of names").split(',').collect();
    lines
        .map(|line| names.iter().copied().zip(line.split(',')).collect())
        .collect()
}
