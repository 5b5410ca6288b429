//! Waiting for tables: for the right ones, as long as they come, and no longer than wanted.

use super::*;
use std::sync::mpsc::channel;

/// Ends a test that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

fn materials(names: &[&str]) -> Vec<Material> {
    let table = |name: &&str| name.parse().expect("a material");
    names.iter().map(table).collect()
}

/// A keeper that makes nothing by itself, and the folder of its tables.
fn keeper() -> (Arc<Keeper>, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = Options {
        table_path: Some(folder.path().to_owned()),
        startup_men: 0,
        ..Options::default()
    };
    let keeper = Keeper::new(Arc::new(|_| {}), &options);
    keeper.open();
    (keeper, folder)
}

/// Waits on another thread; what it returns is sent.
fn wait(
    keeper: &Arc<Keeper>,
    wanted: &[Material],
    control: &Arc<Control>,
) -> std::sync::mpsc::Receiver<Result<(), Cancelled>> {
    let (sender, done) = channel();
    let (keeper, control) = (Arc::clone(keeper), Arc::clone(control));
    let wanted = wanted.to_vec();
    std::thread::spawn(move || sender.send(keeper.wait_for(&wanted, &control)));
    done
}

#[test]
fn tables_that_nobody_makes_are_not_waited_for() {
    let (keeper, _folder) = keeper();
    let control = Arc::new(Control::new(1));
    keeper.set_pace(Pace::Paused);
    let large = TableRequest::Make(materials(&["KRvKR"]));
    keeper.request(large).expect("allowed");
    for wanted in [materials(&[]), materials(&["KBNvK", "KPvK"])] {
        let done = wait(&keeper, &wanted, &control);
        assert_eq!(done.recv_timeout(PATIENCE), Ok(Ok(())), "{wanted:?}");
    }
    assert!(keeper.describe().making);
    keeper.close();
}

#[test]
fn waiting_ends_when_cancelled_or_when_the_tables_are_there() {
    let (keeper, _folder) = keeper();
    let [stopped, patient] = [(); 2].map(|()| Arc::new(Control::new(1)));
    keeper.set_pace(Pace::Paused);
    let wanted = materials(&["KRvK", "KQvK"]);
    let request = TableRequest::Make(wanted.clone());
    keeper.request(request).expect("allowed");
    let first = wait(&keeper, &wanted, &stopped);
    let second = wait(&keeper, &wanted, &patient);
    stopped.cancel();
    keeper.wake();
    assert_eq!(first.recv_timeout(PATIENCE), Ok(Err(Cancelled)));
    assert!(second.try_recv().is_err() && !keeper.has_all(&wanted));
    keeper.set_pace(Pace::Full);
    assert_eq!(second.recv_timeout(PATIENCE), Ok(Ok(())));
    assert!(keeper.has_all(&wanted));
    keeper.close();
}

#[test]
fn waiting_ends_when_the_making_is_stopped() {
    let (keeper, _folder) = keeper();
    keeper.set_pace(Pace::Paused);
    let wanted = materials(&["KRvK"]);
    let request = TableRequest::Make(wanted.clone());
    keeper.request(request).expect("allowed");
    let done = wait(&keeper, &wanted, &Arc::new(Control::new(1)));
    keeper.request(TableRequest::Stop).expect("allowed");
    assert_eq!(done.recv_timeout(PATIENCE), Ok(Ok(())));
    assert!(!keeper.has_all(&wanted));
    keeper.close();
}
