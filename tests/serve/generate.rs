//! Generation while the client listens.

use crate::server::Server;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const ASK: &str = "X-Duchamp: 1\r\nContent-Length: 0\r\n";

#[test]
fn a_table_is_generated_and_used_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::new(folder.path(), &["--allow-generate"]);
    let fen = "/standard?fen=8/8/8/8/8/2k5/8/KQ6_w_-_-_0_1";
    assert_eq!(server.get(fen).json()["category"], "unknown");
    let answer = server.request("POST", "/generate?spec=KQvK&metric=dtz", ASK);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer
            .head
            .to_ascii_lowercase()
            .contains("text/event-stream")
    );
    let last = answer
        .body
        .trim_end()
        .rsplit("\n\n")
        .next()
        .unwrap_or_default();
    assert!(
        last.starts_with("event: done\ndata: ") && last.contains("KQvK"),
        "{answer:?}"
    );
    let value = server.get(fen).json();
    assert_eq!(value["category"], "win");
    assert!(value["dtz"].is_i64());
    for spec in ["KQQQQQQvK", "all14&game=xiangqi"] {
        let wrong = server.request("POST", &format!("/generate?spec={spec}"), ASK);
        assert_eq!(wrong.status, 400, "{wrong:?}");
    }
}

/// A generation of some seconds that has begun; dropping the stream ends the connection.
fn begun(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let request = format!(
        "POST /generate?spec=all4 HTTP/1.1\r\nHost: {}\r\n{ASK}\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut begin = [0; 64];
    stream.read_exact(&mut begin).expect("an answer");
    assert!(begin.starts_with(b"HTTP/1.1 200"));
    stream
}

/// One generation at a time; who goes away cancels his.
#[test]
fn a_client_that_goes_away_cancels() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::new(folder.path(), &["--allow-generate", "--threads", "1"]);
    let stream = begun(&server);
    let busy = server.request("POST", "/generate?spec=KQvK", ASK);
    assert_eq!(busy.status, 409, "{busy:?}");
    drop(stream);
    // The claim comes back as soon as the work has noticed.
    let start = Instant::now();
    loop {
        let again = server.request("POST", "/generate?spec=KQvK", ASK);
        if again.status == 200 {
            assert!(again.body.contains("event: done"), "{again:?}");
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(180), "{again:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// An interrupt ends the server in good order, in the midst of a generation too: what is ready is kept, nothing half done stays.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut server = Server::new(folder.path(), &["--allow-generate", "--threads", "1"]);
    let _stream = begun(&server);
    assert_eq!(server.interrupted(), Some(0));
    for file in std::fs::read_dir(folder.path()).expect("a folder") {
        let name = file.expect("a file").file_name();
        let name = name.to_string_lossy();
        let ending = name.rsplit('.').next();
        assert!(
            ["wdl", "dtm", "lock"].contains(&ending.unwrap_or_default()),
            "{name}"
        );
    }
}
