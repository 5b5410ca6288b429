//! The engine without its protocol: commands in, events out.

use duchamp_chess::{Game, Position};
use duchamp_engine::{Engine, Event, Limits, OptionError, OptionId, Setting};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(180);

/// an engine that generates no tables, with an empty table folder of its own.
fn engine() -> (Engine, Receiver<Event>, tempfile::TempDir) {
    let (sender, events) = channel();
    let sender = Mutex::new(sender);
    let mut engine = Engine::new(Arc::new(move |event| {
        let _ = sender.lock().expect("no panic while held").send(event);
    }))
    .expect("a thread");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_string_lossy().into_owned();
    engine
        .set(OptionId::StartupMen, Setting::Number(0))
        .expect("allowed");
    engine
        .set(OptionId::TablebasePath, Setting::Text(path))
        .expect("allowed");
    (engine, events, folder)
}

/// The events up to the next best move, that one last.
fn answer(events: &Receiver<Event>) -> Vec<Event> {
    let mut heard = Vec::new();
    loop {
        heard.push(events.recv_timeout(PATIENCE).expect("an answer"));
        if matches!(heard.last(), Some(Event::Best { .. })) {
            return heard;
        }
    }
}

#[test]
fn a_search_tells_lines_and_then_one_best_move() {
    let (mut engine, events, _folder) = engine();
    engine.go(Limits::depth(4));
    let heard = answer(&events);
    let Some(Event::Best {
        best: Some(best), ..
    }) = heard.last()
    else {
        panic!("{heard:?}");
    };
    assert!(engine.game().current().is_legal(*best));
    let lines = heard
        .iter()
        .filter(|event| matches!(event, Event::Line(_)))
        .count();
    assert!(lines >= 1);
    engine.finish();
    assert!(!engine.is_searching());
    assert!(events.try_recv().is_err());
}

#[test]
fn settings_are_checked_and_kept() {
    let (mut engine, _events, _folder) = engine();
    let before = engine.options().clone();
    let error = engine.set(OptionId::Hash, Setting::Number(0));
    assert!(matches!(
        error,
        Err(OptionError::OutOfRange { value: 0, .. })
    ));
    assert!(matches!(
        engine.set(OptionId::Hash, Setting::Flag(true)),
        Err(OptionError::WrongKind)
    ));
    assert!(
        engine
            .set(
                OptionId::GenerateTables,
                Setting::Text("nonsense".to_owned())
            )
            .is_err()
    );
    assert_eq!(engine.options(), &before);
    engine
        .set(OptionId::Hash, Setting::Number(2))
        .expect("allowed");
    assert_eq!(engine.options().hash, 2);
}

#[test]
fn a_new_game_is_at_the_start() {
    let (mut engine, _events, _folder) = engine();
    let position = Position::from_fen("8/8/8/8/8/2k5/8/K6R w - - 0 1").expect("legal");
    engine.set_game(Game::new(position));
    assert_eq!(engine.game().current(), &position);
    assert_eq!(engine.exact_value(), None);
    engine.new_game();
    assert_eq!(engine.game().current(), &Position::start());
}

#[test]
fn dropping_an_engine_ends_its_search() {
    let (mut engine, events, _folder) = engine();
    engine.go(Limits {
        infinite: true,
        ..Limits::default()
    });
    drop(engine);
    assert!(matches!(answer(&events).last(), Some(Event::Best { .. })));
}

#[test]
fn shutting_down_stops_everything() {
    let (mut engine, events, _folder) = engine();
    engine.go(Limits {
        ponder: true,
        ..Limits::default()
    });
    engine.shut_down(PATIENCE);
    assert!(!engine.is_searching());
    assert_eq!(
        answer(&events)
            .iter()
            .filter(|event| matches!(event, Event::Best { .. }))
            .count(),
        1
    );
}
