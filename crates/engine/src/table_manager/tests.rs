//! Waiting for tables: for the right ones, as long as they come, and no longer than wanted.

use super::*;
use std::sync::mpsc::channel;

/// Ends a test that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn materials(names: &[&str]) -> Vec<Material> {
    let table = |name: &&str| name.parse().expect("a material");
    names.iter().map(table).collect()
}

/// A manager that generates nothing by itself, and the folder of its tables.
fn manager() -> (Arc<TableManager>, tempfile::TempDir) {
    manager_with(Arc::new(|_| {}))
}

/// The same that sends its events to `sink`.
fn manager_with(sink: Sink) -> (Arc<TableManager>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        table_paths: vec![folder.path().to_owned()],
        startup_men: 0,
        ..Options::default()
    };
    let manager = TableManager::new(Arc::clone(&sink), &options, Syzygy::new(sink));
    manager.open();
    (manager, folder)
}

/// Waits on another thread; what it returns is sent.
fn wait(
    manager: &Arc<TableManager>,
    wanted: &[Material],
    control: &Arc<Control>,
) -> std::sync::mpsc::Receiver<Result<(), Cancelled>> {
    let (sender, done) = channel();
    let (manager, control) = (Arc::clone(manager), Arc::clone(control));
    let wanted = wanted.to_vec();
    std::thread::spawn(move || sender.send(manager.wait_for(&wanted, &control)));
    done
}

#[test]
fn tables_that_nobody_makes_are_not_waited_for() {
    let (manager, _folder) = manager();
    let control = Arc::new(Control::new(1));
    manager.set_pace(Pace::Paused);
    let large = TableRequest::Generate(materials(&["KRvKR"]));
    manager.request(large, TableFormat::Own).expect("allowed");
    for wanted in [materials(&[]), materials(&["KBNvK", "KPvK"])] {
        let done = wait(&manager, &wanted, &control);
        assert_eq!(done.recv_timeout(PATIENCE), Ok(Ok(())), "{wanted:?}");
    }
    assert!(manager.describe().generating);
    manager.close();
}

#[test]
fn waiting_ends_when_cancelled_or_when_the_tables_are_there() {
    let (manager, _folder) = manager();
    let [stopped, patient] = [(); 2].map(|()| Arc::new(Control::new(1)));
    manager.set_pace(Pace::Paused);
    let wanted = materials(&["KRvK", "KQvK"]);
    let request = TableRequest::Generate(wanted.clone());
    manager.request(request, TableFormat::Own).expect("allowed");
    let first = wait(&manager, &wanted, &stopped);
    let second = wait(&manager, &wanted, &patient);
    stopped.cancel();
    manager.wake();
    assert_eq!(first.recv_timeout(PATIENCE), Ok(Err(Cancelled)));
    assert!(second.try_recv().is_err() && !manager.has_all(&wanted));
    manager.set_pace(Pace::Full);
    assert_eq!(second.recv_timeout(PATIENCE), Ok(Ok(())));
    assert!(manager.has_all(&wanted));
    manager.close();
}

#[test]
fn waiting_ends_when_the_making_is_stopped() {
    let (manager, _folder) = manager();
    manager.set_pace(Pace::Paused);
    let wanted = materials(&["KRvK"]);
    let request = TableRequest::Generate(wanted.clone());
    manager.request(request, TableFormat::Own).expect("allowed");
    let done = wait(&manager, &wanted, &Arc::new(Control::new(1)));
    manager
        .request(TableRequest::Stop, TableFormat::Own)
        .expect("allowed");
    assert_eq!(done.recv_timeout(PATIENCE), Ok(Ok(())));
    assert!(!manager.has_all(&wanted));
    manager.close();
}

/// At the end of the input nobody is left to ask what became of a request.
#[test]
fn the_end_of_what_was_asked_for_is_told_once() {
    for (asked, told) in [(materials(&["KRvKR"]), 1), (Vec::new(), 0)] {
        let closed = Arc::new(Mutex::new(0));
        let count = Arc::clone(&closed);
        let (manager, _folder) = manager_with(Arc::new(move |event| {
            if matches!(event, Event::Tables(TableNews::Closed)) {
                *count.lock().expect("no panic while held") += 1;
            }
        }));
        manager.set_pace(Pace::Paused);
        if !asked.is_empty() {
            let request = TableRequest::Generate(asked);
            manager.request(request, TableFormat::Own).expect("allowed");
        }
        manager.close();
        manager.close();
        assert_eq!(*closed.lock().expect("no panic while held"), told);
    }
}
