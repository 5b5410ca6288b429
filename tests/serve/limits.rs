//! What a server does with requests that it should not answer.

use crate::server::{Server, folder, server};
use duchamp_base::Random;
use std::io::{Read, Write};

#[test]
fn other_hosts_are_refused() {
    let server = server();
    let ask = |host: &str| {
        server
            .raw(format!("GET /tables.json HTTP/1.1\r\n{host}Connection: close\r\n\r\n").as_bytes())
    };
    for host in [
        "Host: evil.example\r\n",
        "Host: 127.0.0.1.evil.example\r\n",
        "Host: 10.0.0.1\r\n",
        "",
    ] {
        assert!(
            ask(host).starts_with("HTTP/1.1 403") || ask(host).starts_with("HTTP/1.1 400"),
            "{host}"
        );
    }
    for host in [
        "Host: localhost:8080\r\n",
        "Host: 127.0.0.1\r\n",
        "Host: [::1]:9\r\n",
    ] {
        assert!(ask(host).starts_with("HTTP/1.1 200"), "{host}");
    }
}

#[test]
fn methods_and_headers() {
    let server = server();
    let answer = server.get("/tables.json");
    let head = answer.head.to_ascii_lowercase();
    for line in [
        "content-type: application/json",
        "x-content-type-options: nosniff",
        "content-security-policy: default-src 'self'",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    // Pages of other origins may read values, not what tells where this machine keeps its files.
    let open = |path| {
        let head = server.get(path).head.to_ascii_lowercase();
        head.contains("access-control-allow-origin: *")
    };
    assert!(open("/standard?fen=8/8/8/8/8/2k5/8/KQ6_w_-_-_0_1"));
    assert!(!open("/tables.json") && !open("/forecast?spec=KQvKR"));
    let only_head = server.request("HEAD", "/tables.json", "");
    assert_eq!((only_head.status, only_head.body.as_str()), (200, ""));
    assert_eq!(server.request("DELETE", "/tables.json", "").status, 405);
    assert_eq!(
        server.request("POST", "/generate?spec=KQvKR", "").status,
        403
    );
    // No page of another origin may be allowed to send the header.
    let preflight = server.request("OPTIONS", "/generate", "Origin: http://evil.example\r\n");
    assert_eq!(preflight.status, 405);
    assert!(
        !preflight
            .head
            .to_ascii_lowercase()
            .contains("allow-headers")
    );
    let off = server.request(
        "POST",
        "/generate?spec=KQvKR",
        "X-Duchamp: 1\r\nContent-Length: 0\r\n",
    );
    assert_eq!(off.status, 403);
    assert!(off.body.contains("--allow-generate"), "{off:?}");
    for path in [
        "/nothing",
        "/../Cargo.toml",
        "/stats/../../x.json",
        "/stats/KQvK",
        "/freezer/none.json",
    ] {
        let answer = server.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
    }
}

/// A picture or a frame of another site starts no work here; its links to the page lead there.
#[test]
fn other_sites_start_no_work() {
    let server = server();
    let ask = |path: &str, site: &str| {
        let header = format!("Sec-Fetch-Site: {site}\r\n");
        server.request("GET", path, &header).status
    };
    let position = "/standard?fen=8/8/8/8/8/2k5/8/KQ6_w_-_-_0_1";
    for path in ["/", "/?tables", "/app.js", position] {
        assert_eq!(ask(path, "cross-site"), 200, "{path}");
    }
    for path in ["/tables.json", "/stats/KQvK.json", "/legal?fen=8_w"] {
        assert_eq!(ask(path, "cross-site"), 403, "{path}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(ask("/tables.json", site), 200, "{site}");
    }
}

#[test]
fn lengths_are_limited() {
    let server = server();
    let long = server.get(&format!("/standard?fen={}", "8".repeat(5_000)));
    assert_eq!(long.status, 400);
    // The page reads its address by itself.
    let page = server.get(&format!("/?fen={}", "8".repeat(5_000)));
    assert_eq!(page.status, 200);
    let huge = server.get(&format!("/standard?fen={}", "8".repeat(1 << 20)));
    assert_ne!(huge.status, 200, "{huge:?}");
    let many = "X-A: b\r\n".repeat(10_000);
    assert_ne!(server.request("GET", "/tables.json", &many).status, 200);
    assert_eq!(server.get("/tables.json").status, 200);
}

/// Seeded junk: the server answers or closes, and goes on.
#[test]
fn junk_is_survived() {
    let server = Server::new(folder(), &[]);
    let mut random = Random::new(2026);
    let good = b"GET /standard?fen=8/8/8/8/8/2k5/8/KQ6_w_-_-_0_1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    for round in 0..400 {
        let mut bytes = good.to_vec();
        match round % 4 {
            0 => {
                for _ in 0..=random.below(8) {
                    let at = random.below(bytes.len());
                    bytes[at] = random.below(256) as u8;
                }
            }
            1 => bytes.truncate(random.below(bytes.len())),
            2 => {
                let at = random.below(bytes.len());
                let more = (0..random.below(64)).map(|_| random.below(256) as u8);
                let more: Vec<u8> = more.collect();
                bytes.splice(at..at, more);
            }
            _ => {
                // Any parameters of all paths.
                let paths = [
                    "standard",
                    "line",
                    "legal",
                    "xiangqi",
                    "pawns",
                    "forecast",
                    "stats/KQvK.json",
                    "longest/KQvK.json",
                ];
                let fen: String = (0..random.below(90))
                    .map(|_| {
                        *random.pick(&[
                            'k', 'K', 'p', 'P', 'q', 'R', '/', '8', '1', '_', 'w', 'b', '-', '%',
                            '9', 'c', '&', '=', '+',
                        ])
                    })
                    .collect();
                let path = random.pick(&paths);
                bytes = format!("GET /{path}?fen={fen}&seconds=0&spec={fen}&limit=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").into_bytes();
            }
        }
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        // What is cut off waits for more: that we send none is an end.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(
            !answer.starts_with(b"HTTP/1.1 500"),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
    }
    assert_eq!(server.get("/tables.json").status, 200);
}

/// Work for a client that has gone away ends, also if it had sent more behind its request.
#[test]
fn nobody_works_for_who_has_left() {
    let server = Server::new(folder(), &["--threads", "1"]);
    let open = "8/2p2pp1/1p1k1p2/1P3P2/p1P2KP1/P4P1p/7P/8_w";
    let request = format!(
        "GET /pawns?fen={open}&seconds=60 HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n"
    );
    let ask = || {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    };
    // As many as may run or wait; one more is refused once they do.
    let clients: Vec<_> = (0..5).map(|_| ask()).collect();
    loop {
        let mut one_more = ask();
        let soon = Some(std::time::Duration::from_millis(200));
        one_more.set_read_timeout(soon).expect("a socket");
        let mut answer = [0; 12];
        if one_more.read_exact(&mut answer).is_ok() {
            assert_eq!(&answer, b"HTTP/1.1 503");
            break;
        }
    }
    drop(clients);
    // If the proofs went on, this would wait for five minutes, longer than any answer is waited for.
    let start = std::time::Instant::now();
    loop {
        let status = server.get("/stats/KRvK.json").status;
        if status == 200 {
            break;
        }
        // Until the proofs have noticed.
        assert!(status == 503 && start.elapsed().as_secs() < 180, "{status}");
    }
}

#[test]
fn an_address_in_use_is_one_line() {
    let server = server();
    let output = std::process::Command::new(crate::common::program::PROGRAM)
        .args(["serve", "--listen", &server.address])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("cannot listen") && told.lines().count() == 1,
        "{told}"
    );
}
