//! Which handler answers which path.

use super::http::{Router, Verb};
use super::reply::{Answer, Refusal, Reply};
use super::request::Request;
use super::shelf::Shelf;
use super::{freezer, generation, legal, lists, page, pawns, standard, tables, xiangqi};
use duchamp_base::Control;
use std::sync::Arc;

/// All paths.
pub(super) struct Routes {
    shelf: Arc<Shelf>,
}

impl Routes {
    pub(super) fn new(shelf: Arc<Shelf>) -> Routes {
        Routes { shelf }
    }

    fn get(&self, request: &Request, control: &Arc<Control>) -> Answer {
        // The page reads its address by itself, whatever stands there.
        if let Some(file) = page::file(&request.path) {
            return Ok(file);
        }
        // Whatever a picture of another site names would have this machine work.
        if request.foreign && !self.is_public(request) {
            return Err(Refusal::new(
                403,
                "pages of other sites may not ask for this: type the address yourself",
            ));
        }
        request.check_lengths()?;
        let shelf = &*self.shelf;
        shelf.refresh();
        match request.path.as_str() {
            "/standard" => standard::standard(shelf, request),
            "/standard/mainline" => standard::mainline(shelf, request),
            "/xiangqi" => xiangqi::xiangqi(shelf, request),
            "/legal" => legal::legal(request),
            "/line" => legal::line(shelf, request),
            "/tables.json" => tables::tables(shelf),
            "/forecast" => tables::forecast(shelf, request, control),
            "/pawns" => pawns::pawns(shelf, request, control),
            "/freezer.json" => freezer::examples(),
            path => match in_folder(path) {
                Some(("stats", name)) => tables::stats(shelf, name, request, control),
                Some(("longest", name)) => lists::longest(shelf, name, request, control),
                Some(("zugzwangs", name)) => lists::zugzwangs(shelf, name, request, control),
                Some(("freezer", name)) => freezer::example(shelf, name, control),
                _ => Err(Refusal::missing("there is no such page")),
            },
        }
    }

    fn post(&self, request: &Request, control: &Arc<Control>) -> Answer {
        request.check_lengths()?;
        match request.path.as_str() {
            "/generate" => generation::generate(&self.shelf, request, control),
            _ => Err(Refusal::missing("only /generate takes a POST")),
        }
    }
}

/// `/stats/KQvK.json` as `stats` and `KQvK`.
fn in_folder(path: &str) -> Option<(&str, &str)> {
    let (folder, file) = path.strip_prefix('/')?.split_once('/')?;
    Some((folder, file.strip_suffix(".json")?))
}

impl Router for Routes {
    fn answer(self: Arc<Self>, verb: Verb, request: &Request, control: &Arc<Control>) -> Reply {
        let answer = match verb {
            Verb::Get => self.get(request, control),
            Verb::Post => self.post(request, control),
        };
        answer.unwrap_or_else(|refusal| {
            // One line, whatever the error said.
            let text = refusal.text.replace(char::is_control, " ");
            Refusal { text, ..refusal }.into()
        })
    }

    fn is_public(&self, request: &Request) -> bool {
        ["/standard", "/standard/mainline", "/xiangqi"].contains(&request.path.as_str())
    }

    fn control(&self) -> Arc<Control> {
        self.shelf.control()
    }
}
