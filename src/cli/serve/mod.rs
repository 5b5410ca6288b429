//! `duchamp serve`: tables, proofs and generation over HTTP, and a page to look at them.

mod category;
mod freezer;
mod generation;
mod http;
mod known;
mod legal;
mod list;
mod lists;
mod memo;
mod page;
mod pawns;
mod reply;
mod request;
mod routes;
mod shape;
mod shelf;
mod standard;
mod tables;
mod xiangqi;

use super::Failure;
use super::crew::{self, Watch};
use super::failure::say;
use super::tb_input::Dir;
use super::tb_missing;
use super::tb_syzygy;
use duchamp_tablebase::GenerateOptions;
use routes::Routes;
use shelf::Shelf;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// Threads that answer requests; each may wait for a disk.
const ANSWERING: usize = 16;
/// The time between two looks at whether an interrupt has come, and whether work is over.
const TICK: Duration = Duration::from_millis(50);

/// The interface is that of lichess's tablebase server (`/standard?fen=`), and more; see docs/EXPLORER.md. Ctrl-C ends it.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The address and port to listen at; port 0 takes a free one. Others than 127.0.0.1 let other machines in
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// Let the page generate tables that are missing
    #[arg(long)]
    allow_generate: bool,
    #[command(flatten)]
    dir: Dir,
    /// Folders of Syzygy files, for positions that our tables do not have, separated as in SyzygyPath
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
    /// The most memory for generation, in MiB
    #[arg(long, value_name = "MIB", default_value_t = GenerateOptions::DEFAULT_MEMORY)]
    memory: u64,
    /// Threads of statistics, proofs and generation [default: one a core]
    #[arg(long, value_parser = crew::threads)]
    threads: Option<usize>,
}

/// An address and a port as people write them, `localhost:8080` included.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| "name an address and a port, such as 127.0.0.1:8080".to_owned())
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let watch = Watch::new(arguments.threads)?;
    let threads = watch.control.threads();
    let mut shelf = Shelf::new(&arguments.dir, threads)?;
    shelf.allow_generate = arguments.allow_generate;
    shelf.memory = arguments.memory;
    let syzygy = arguments.syzygy.as_deref().map(tb_syzygy::open);
    shelf.syzygy = syzygy.transpose()?;
    let shelf = Arc::new(shelf);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(ANSWERING)
        .build()
        .map_err(Failure::failed)?;
    runtime.block_on(async {
        let cannot = |error: std::io::Error| {
            let listen = arguments.listen;
            Failure::Failed(format!(
                "cannot listen at {listen}: {error}; --listen names another address"
            ))
        };
        let listener = tokio::net::TcpListener::bind(arguments.listen);
        let listener = listener.await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        if shelf.is_empty() {
            say(&tb_missing::none(shelf.chess().store()));
        }
        let mut out = std::io::stdout();
        writeln!(out, "http://{address}/")?;
        out.flush()?;
        tokio::spawn(http::serve(
            listener,
            Arc::new(Routes::new(Arc::clone(&shelf))),
        ));
        while !watch.control.is_cancelled() {
            tokio::time::sleep(TICK).await;
        }
        // A generation keeps what it has; a second interrupt does not wait.
        while shelf.cancel_all() {
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    })
}
