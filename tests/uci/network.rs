//! Networks through the option `EvalFile` and `bench --net`.

use crate::common::client::Client;
use crate::common::program::{duchamp, out};
use duchamp_chess::Position;
use duchamp_eval::network::{Architecture, Head, Inputs, Network};
use std::path::PathBuf;

fn network(seed: u64) -> Network {
    let shape = Architecture {
        inputs: Inputs::new(true),
        hidden: 64,
        outputs: 8,
        scale: 400,
        head: Head::Output,
    };
    Network::synthetic(shape, seed).expect("a sound shape")
}

/// A file with these bytes in a folder of its own.
fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a net of mine.net");
    std::fs::write(&file, bytes).expect("the file can be written");
    (folder, file)
}

/// The final number of `eval`, in pawns as White sees it.
fn eval(client: &mut Client) -> String {
    client.send("eval");
    let lines = client.sync();
    let last = lines.last().expect("an answer");
    let rest = last.strip_prefix("Final evaluation ");
    let rest = rest.unwrap_or_else(|| panic!("{lines:#?}"));
    rest.split(' ').next().expect("a number").to_owned()
}

/// The nodes of a search from the start position.
fn nodes(client: &mut Client) -> String {
    client.send("ucinewgame");
    client.send("position startpos");
    client.send("go depth 7");
    let lines = client.expect("bestmove");
    let last = lines.iter().rfind(|line| line.contains(" nodes "));
    let (_, rest) = last.and_then(|l| l.split_once(" nodes ")).expect("nodes");
    rest.split(' ').next().expect("a number").to_owned()
}

#[test]
fn a_file_replaces_the_evaluation_until_it_is_emptied() {
    let network = network(5);
    let (_folder, path) = file(&network.to_bytes());
    let mut client = Client::ready();
    let built_in = (eval(&mut client), nodes(&mut client));
    client.send(&format!("setoption name EvalFile value {}", path.display()));
    client.send("position startpos");
    let expected = network.value(&Position::start()).0;
    let told = eval(&mut client);
    // In pawns or in hundredths.
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let told_digits = digits(&told).trim_start_matches('0').to_owned();
    assert_eq!(told_digits, expected.abs().to_string(), "{told}");
    let used = nodes(&mut client);
    assert_ne!(used, built_in.1);
    assert_eq!(used, nodes(&mut client), "reproducible");
    // A bad file changes nothing.
    client.send("setoption name EvalFile value /no/such/file.net");
    assert_eq!(client.sync().len(), 1);
    assert_eq!((eval(&mut client), nodes(&mut client)), (told, used));
    client.send("setoption name EvalFile value <empty>");
    assert_eq!((eval(&mut client), nodes(&mut client)), built_in);
    assert!(client.quit().success());
}

#[test]
fn bad_files_are_told_in_one_line() {
    let bytes = network(6).to_bytes();
    let mut damaged = bytes.clone();
    damaged[5000] ^= 1;
    let files = [
        file(&damaged),
        file(&bytes[..bytes.len() / 2]),
        file(b"DUCHNET1"),
        file(b""),
    ];
    let mut paths: Vec<String> = files.iter().map(|(_, f)| f.display().to_string()).collect();
    paths.extend(["/no/such/file.net".to_owned(), "/".to_owned()]);
    let mut client = Client::ready();
    let before = eval(&mut client);
    for path in &paths {
        client.send(&format!("setoption name EvalFile value {path}"));
        let lines = client.sync();
        let [line] = &lines[..] else {
            panic!("{path}: {lines:?}");
        };
        assert!(line.starts_with("info string EvalFile: "), "{line}");
        assert_eq!(eval(&mut client), before);

        let output = duchamp(client.folder.path(), &["bench", "1", "--net", path]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    assert!(client.quit().success());
}

#[test]
fn the_bench_takes_a_network() {
    let (folder, path) = file(&network(7).to_bytes());
    let signature = |net: &[&str]| {
        let text = out(folder.path(), &[&["bench", "4"], net].concat());
        let last = text.lines().last().expect("a last line");
        last.split(' ').next().expect("nodes").to_owned()
    };
    let net = ["--net", path.to_str().expect("plain text")];
    assert_eq!(signature(&net), signature(&net));
    assert_ne!(signature(&net), signature(&[]));
}
