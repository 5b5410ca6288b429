//! `duchamp train` from files of games to a network that the engine can read.

use crate::common::program::duchamp;
#[cfg(unix)]
use crate::common::program::{interrupted, text};
use duchamp_base::Random;
use duchamp_chess::Position;
use duchamp_eval::network::Network;
use duchamp_training::selfplay::{Block, GameRecord, GameWriter, ScoredMove, Termination};
use std::path::Path;
use std::process::Output;

/// Writes random games whose scores are the material balance.
fn write_games(path: &Path, games: u64) {
    let game = |number| {
        let mut random = Random::of(5, number);
        let mut position = Position::start();
        let mut plies = Vec::new();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let men = |color| position.color(color).count() as i16;
            let score = 100 * (men(position.turn()) - men(!position.turn()));
            plies.push(ScoredMove { mv, score });
            position.advance(mv);
        }
        GameRecord {
            start: GameRecord::ORDINARY,
            random: Vec::new(),
            plies,
            off_game: Vec::new(),
            half_points: 1,
            ending: Termination::Length,
        }
    };
    let block = Block {
        seed: 5,
        first: 0,
        stretch: games as u32,
        generator: "test".into(),
        games: (0..games).map(game).collect(),
    };
    let mut writer = GameWriter::open(path, |_| ()).expect("opened");
    writer.append(&block).expect("written");
}

fn train(folder: &Path, arguments: &str) -> Output {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    duchamp(folder, &[&["train"], &words[..]].concat())
}

#[test]
fn games_become_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_games(&folder.join("games"), 200);
    let common = "--data games --hidden 32 --output-buckets 2 --epochs 3 --batch-size 512 --lr 0.01 --td-lambda 0 \
                  --validation-every 20";
    let output = train(
        folder,
        &format!("{common} --net a.net --threads 1 --plot a.svg"),
    );
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("200 games, ") && lines[0].contains(" in check"));
    assert!(lines[3].starts_with("epoch   1/3  loss "), "{told}");
    assert!(lines[6].starts_with("a.net: validation loss 0.0") && lines.len() == 7);

    let bytes = std::fs::read(folder.join("a.net")).expect("the network");
    let network = Network::from_bytes(&bytes).expect("a sound one");
    let shape = network.shape();
    assert_eq!((shape.hidden, shape.outputs, shape.scale), (32, 2, 400));
    assert!(shape.inputs.is_mirrored());
    let settings = " decay 0.01/2 wdl 0 td 0 power 2 seed 1 max 2000";
    assert!(network.label().ends_with(settings), "{}", network.label());
    let value = |fen| network.value(&Position::from_fen(fen).expect("legal")).0;
    let up = value("rnbqkbnr/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let down = value("rnbqkbnr/8/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    assert!(up > 200 && down < -200, "eight men more: {up}, {down}");
    let picture = std::fs::read_to_string(folder.join("a.svg")).expect("the picture");
    assert_eq!(picture.matches("<circle").count(), 3);

    // The same with other threads; and from the checkpoint, where nothing is left to do.
    for more in ["--threads 2", "--resume a.net.checkpoint"] {
        let output = train(folder, &format!("{common} --net b.net {more}"));
        assert!(output.status.success(), "{output:?}");
        let same = std::fs::read(folder.join("b.net")).expect("the network");
        assert!(same == bytes, "{more}");
    }

    // On from the network, so slowly that hardly a number changes.
    let on = format!("{common} --lr 0.0000001 --final-lr 0 --net c.net --from a.net");
    let output = train(folder, &on.replace("--lr 0.01 ", ""));
    assert!(output.status.success(), "{output:?}");
    let next = Network::load(&folder.join("c.net")).expect("the network");
    assert!(next.label().contains(" from "), "{}", next.label());
    let numbers = network.parameters().hidden_weights;
    let changed = |(a, b): (&i16, &i16)| (a - b).abs() > 1;
    let next = next.parameters().hidden_weights;
    assert!(!numbers.iter().zip(&next).any(changed));
}

#[test]
fn mistakes_are_told_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_games(&folder.join("games"), 60);
    std::fs::copy(
        "crates/eval/src/network/default.net",
        folder.join("wide.net"),
    )
    .expect("copied");
    let games = "--data games --net a.net";
    let bad = [
        ("--data none --net a.net --hidden 32", "none: "),
        ("--data . --net a.net --hidden 32", ".: "),
        (&format!("{games} --hidden 33"), "33 hidden units"),
        (&format!("{games} --hidden 32 --king-buckets 3"), "for 3"),
        (
            &format!("{games} --hidden 32 --output-buckets 9"),
            "9 output",
        ),
        (
            &format!("{games} --hidden 32 --wdl-weight 1.5"),
            "WDL weight",
        ),
        (&format!("{games} --hidden 32 --td-lambda 1.5"), "td-lambda"),
        (&format!("{games} --hidden 32 --lr NaN"), "learning rate"),
        (
            &format!("{games} --hidden 32 --final-lr 0.1"),
            "final learning rate",
        ),
        (&format!("{games} --hidden 32 --epochs 0"), "epoch"),
        (&format!("{games} --hidden 32 --min-ply 500"), "too few"),
        (
            &format!("{games} --hidden 32 --resume games"),
            "not a checkpoint",
        ),
        (
            &format!("{games} --hidden 32 --from games"),
            "not a network",
        ),
        (
            &format!("{games} --hidden 32 --from none.net"),
            "none.net: ",
        ),
        (
            &format!("{games} --hidden 32 --from wide.net"),
            "more hidden units",
        ),
    ];
    for (arguments, told) in bad {
        let output = train(folder, arguments);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert!(error.contains(told), "{arguments}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
    }
    let output = train(folder, "--data games --net none/a.net --hidden 32");
    assert_eq!(output.status.code(), Some(1));
}

/// Whatever else has the name of an output stays as it was.
#[test]
fn only_files_of_their_own_kind_are_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_games(&folder.join("games"), 60);
    write_games(&folder.join("more"), 10);
    std::fs::write(folder.join("KQvK.wdl"), "DUCHTABL, and more").expect("written");
    std::fs::write(folder.join("notes"), "mine").expect("written");
    let network = "crates/eval/src/network/default.net";
    std::fs::copy(network, folder.join("o.net")).expect("copied");
    let files = ["games", "more", "KQvK.wdl", "notes", "o.net"];
    let contents = || files.map(|file| std::fs::read(folder.join(file)).expect("there"));
    let before = contents();
    for arguments in [
        "--net games",
        "--net more",
        "--net notes",
        "--net a.net --checkpoint more",
        "--net a.net --checkpoint KQvK.wdl",
        "--net a.net --plot KQvK.wdl",
        "--net a.net --plot more",
        "--net a.net --compare o.net --plot o.net",
        "--net a.net --compare o.net --checkpoint o.net",
        "--net o.net --from o.net",
        "--net o.net --off-game 1 --off-game-net o.net",
        "--net a.net --resume notes --plot notes",
    ] {
        let output = train(folder, &format!("--data games --hidden 32 {arguments}"));
        let error = String::from_utf8(output.stderr).expect("text");
        assert!(!output.status.success(), "{arguments}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        assert!(contents() == before, "{arguments}");
        assert!(!folder.join("a.net.checkpoint").exists(), "{arguments}");
    }
}

/// The same command once more, without `--resume`, does not throw away what was learnt.
#[cfg(unix)]
#[test]
fn a_stopped_training_is_not_begun_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_games(&folder.join("games"), 60);
    let line = "train --data games --net a.net --hidden 32 --epochs 4000000 --validation-every 4";
    let words: Vec<&str> = line.split(' ').collect();
    let (output, _) = interrupted(folder, &words);
    let told = text(&output.stderr);
    assert!(
        told.contains("--resume a.net.checkpoint continues"),
        "{told}"
    );
    let checkpoint = folder.join("a.net.checkpoint");
    let before = std::fs::read(&checkpoint).expect("a checkpoint");
    let output = duchamp(folder, &words);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("add --resume a.net.checkpoint to go on"),
        "{told}"
    );
    assert!(std::fs::read(&checkpoint).expect("still there") == before);
    // Nobody else writes to a checkpoint that is named.
    let lock = duchamp_base::LockFile::try_acquire_beside(&folder.join("one.ck"));
    let _lock = lock.expect("no error").expect("free");
    let output = train(
        folder,
        "--data games --net b.net --hidden 32 --checkpoint one.ck",
    );
    let told = text(&output.stderr);
    assert!(told.contains("another process writes to it"), "{told}");
}
