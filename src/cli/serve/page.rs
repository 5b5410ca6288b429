//! The page: its files, which are part of the program.

use super::reply::{Body, Reply};

/// A file by its path.
macro_rules! files {
    ($($path:literal => $name:literal, $media:expr;)*) => {
        &[$(($path, $media, include_bytes!(concat!("page/", $name)) as &[u8])),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

const FILES: &[(&str, &str, &[u8])] = files![
    "/api.js" => "api.js", SCRIPT;
    "/app.js" => "app.js", SCRIPT;
    "/board.css" => "board.css", STYLE;
    "/board.js" => "board.js", SCRIPT;
    "/dom.js" => "dom.js", SCRIPT;
    "/explorer.css" => "explorer.css", STYLE;
    "/explorer.js" => "explorer.js", SCRIPT;
    "/fen.js" => "fen.js", SCRIPT;
    "/freezer.js" => "freezer.js", SCRIPT;
    "/games.js" => "games.js", SCRIPT;
    "/generate.js" => "generate.js", SCRIPT;
    "/ground.js" => "ground.js", SCRIPT;
    "/histogram.js" => "histogram.js", SCRIPT;
    "/icon.svg" => "icon.svg", PICTURE;
    "/" => "index.html", HTML;
    "/keys.js" => "keys.js", SCRIPT;
    "/line.js" => "line.js", SCRIPT;
    "/lists.css" => "lists.css", STYLE;
    "/material.js" => "material.js", SCRIPT;
    "/moves.js" => "moves.js", SCRIPT;
    "/paged.js" => "paged.js", SCRIPT;
    "/pawns.js" => "pawns.js", SCRIPT;
    "/pieces.js" => "pieces.js", SCRIPT;
    "/plan.js" => "plan.js", SCRIPT;
    "/promotion.js" => "promotion.js", SCRIPT;
    "/setup.js" => "setup.js", SCRIPT;
    "/squares.js" => "squares.js", SCRIPT;
    "/style.css" => "style.css", STYLE;
    "/tables.js" => "tables.js", SCRIPT;
    "/theme.js" => "theme.js", SCRIPT;
    "/value.js" => "value.js", SCRIPT;
    "/words.js" => "words.js", SCRIPT;
];

/// `/` and what it loads.
pub(super) fn file(path: &str) -> Option<Reply> {
    let &(_, media, bytes) = FILES.iter().find(|(other, ..)| *other == path)?;
    Some(Reply::Whole {
        status: 200,
        media,
        body: Body::Static(bytes),
    })
}
