//! A server as a child process, and a client that shares no code with it.

use crate::common::program::PROGRAM;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.body).expect("JSON")
    }
}

impl Server {
    /// With the tables of a folder.
    pub(crate) fn new(folder: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(PROGRAM)
            .args(["serve", "--listen", "127.0.0.1:0", "--dir"])
            .arg(folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("http://").expect("an address");
        let address = address.trim_end_matches('/').to_owned();
        Server { child, address }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        let patience = Some(Duration::from_secs(180));
        stream.set_read_timeout(patience).expect("a socket");
        stream
    }

    /// Sends bytes and reads until the server closes.
    pub(crate) fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that has seen enough closes before all is written.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A request with further header lines, each with its line end.
    pub(crate) fn request(&self, method: &str, target: &str, headers: &str) -> Answer {
        let host = &self.address;
        let text = self.raw(
            format!(
                "{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"
            )
            .as_bytes(),
        );
        parsed(&text)
    }

    /// Interrupts it, and waits for its exit code.
    #[cfg(unix)]
    pub(crate) fn interrupted(&mut self) -> Option<i32> {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        assert!(sent.expect("kill runs").success());
        self.child.wait().expect("it ends").code()
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        self.request("GET", target, "")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer from its bytes; chunks are put together.
pub(crate) fn parsed(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Answer {
        status: status.unwrap_or(0),
        head: head.to_owned(),
        body: if chunked {
            joined(body)
        } else {
            body.to_owned()
        },
    }
}

fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        let Some(chunk) = rest.get(..length).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        body += chunk;
        chunks = rest.get(length + 2..).unwrap_or("");
    }
    body
}

/// A folder of all tables of three men and KPvKP in all metrics, and the xiangqi ending of a chariot against two advisors.
/// It stays, so that a second run finds them.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explorer");
        for spec in [&["3", "KPvKP"][..], &["c-aa"]] {
            let output = Command::new(PROGRAM)
                .args(["tb", "generate"])
                .args(spec)
                .args(["--metric", "all", "--dir"])
                .arg(&folder)
                .output()
                .expect("the program runs");
            assert!(output.status.success(), "{output:?}");
        }
        folder
    })
}

/// A server of these tables.
pub(crate) fn server() -> Server {
    Server::new(folder(), &[])
}

/// A FEN as a parameter.
pub(crate) fn escaped(fen: &str) -> String {
    fen.replace(' ', "_")
}
