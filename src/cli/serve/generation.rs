//! `POST /generate?spec=&metric=`: tables generated while the client listens.

use super::reply::{Answer, Refusal, Reply};
use super::request::Request;
use super::shelf::{Claim, Shelf, refusal};
use super::tables::Wanted;
use crate::cli::crew;
use crate::cli::tb_game::{TableGame, names};
use crate::cli::tb_generate::Solving;
use crate::cli::tb_input::in_game;
use duchamp_base::Control;
use duchamp_tablebase::Progress;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::channel;

/// The least time between two reports of progress.
const PAUSE: Duration = Duration::from_millis(250);

/// `POST /generate?spec=&metric=`
pub(super) fn generate(shelf: &Arc<Shelf>, request: &Request, control: &Arc<Control>) -> Answer {
    if !shelf.allow_generate {
        return Err(Refusal::new(
            403,
            "generating is off: start the server with --allow-generate",
        ));
    }
    let spec = request.need("spec")?;
    in_game!(request.game_of(spec)?, begin(shelf, spec, request, control))
}

fn begin<G: TableGame>(
    shelf: &Arc<Shelf>,
    spec: &str,
    request: &Request,
    control: &Arc<Control>,
) -> Answer {
    let Wanted {
        store,
        keys,
        options,
        forecast,
    } = Wanted::<G>::new(shelf, spec, request.metric::<G>()?, control)?;
    if let Some(warning) = forecast.warnings().into_iter().next() {
        return Err(Refusal::new(507, warning));
    }
    let busy = || {
        Refusal::new(
            409,
            "tables are being generated already: wait until they are ready",
        )
    };
    let claim: Claim = shelf.claim_generation().ok_or_else(busy)?;
    let (events, heard) = channel(64);
    let control = Arc::clone(control);
    let work = move || {
        let mut last = None;
        let mut solving = Solving::new();
        let mut tell = |progress: &Progress<G::Key>| {
            solving.note(progress);
            if last.is_some_and(|last: Instant| last.elapsed() < PAUSE) {
                return;
            }
            last = Some(Instant::now());
            // A slow reader misses some.
            let told = json!({
                "fraction": progress.share,
                "text": solving.in_words(),
                "seconds_left": progress.left.as_secs_f64(),
            });
            let _ = events.try_send(event("progress", &told));
        };
        let done = crew::on_threads(&control, || {
            G::generate(&store, &keys, &options, None, &control, &mut tell)
        });
        let end = match done.map_err(refusal) {
            Ok(Ok(summary)) => {
                let made: Vec<G::Key> = summary.made.iter().map(|made| made.key).collect();
                event("done", &json!({ "generated": names(&made) }))
            }
            Ok(Err(error)) => event("failed", &json!({ "error": error.to_string() })),
            Err(refusal) => event("failed", &json!({ "error": refusal.text })),
        };
        drop(claim);
        // The last event waits for a slow reader.
        let _ = events.blocking_send(end);
    };
    std::thread::Builder::new()
        .name("generation".to_owned())
        .spawn(work)
        .map_err(Refusal::failed)?;
    Ok(Reply::Events(heard))
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
