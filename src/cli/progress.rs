//! Progress of long commands, on stderr: a bar on a terminal, else a line every few seconds, or JSON lines.
//!
//! A command flattens [`ProgressArguments`] into its own, starts a [`Display`] and updates its [`Report`] from any thread.
//! Lines are printed by a thread of their own, so that a job which reports nothing for a while is not silent.

use clap::{Args, ValueEnum};
use duchamp_base::{Gauge, human};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two looks at the part at work for a bar.
const BAR: Duration = Duration::from_millis(250);
/// The time between two plain lines: at most ten seconds are promised.
const LINES: Duration = Duration::from_secs(5);
/// The time between two JSON lines.
const OBJECTS: Duration = Duration::from_secs(1);
/// Steps of a bar whose end is known.
const STEPS: u64 = 1000;

/// How a command shows progress.
#[derive(Args, Clone, Copy, Default, Debug)]
pub(super) struct ProgressArguments {
    /// Print no progress, only results and errors
    #[arg(long)]
    quiet: bool,
    /// How to show progress on stderr
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "auto",
        conflicts_with = "quiet"
    )]
    progress: Style,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
enum Style {
    /// A bar on a terminal, else a line every five seconds
    #[default]
    Auto,
    /// A line every five seconds
    Plain,
    /// A JSON object a line, every second: command, state (running, done, stopped), done, total, unit,
    /// share (0 to 1), text, elapsed_seconds, left_seconds; what is unknown is null
    Json,
}

/// How far a job is. What is unknown stays `None`.
#[derive(Clone, Default, Debug)]
pub(super) struct Report {
    /// Units that are done.
    pub(super) done: u64,
    /// Units in all.
    pub(super) total: Option<u64>,
    /// The done share of all work, 0 to 1, where it is more exact than `done` of `total`.
    pub(super) share: Option<f64>,
    /// What counts the part at work, and how much of all work that part is: what is done of it is added to the share.
    pub(super) part: Option<(Arc<Gauge>, f64)>,
    /// The time left, where the job estimates it better than by the share.
    pub(super) left: Option<Duration>,
    /// What is being worked on, for people; may be empty.
    pub(super) text: String,
}

impl Report {
    fn share(&self) -> Option<f64> {
        let by_units = || {
            let total = self.total.filter(|total| *total > 0)?;
            Some(self.done as f64 / total as f64)
        };
        let part = self.part.as_ref();
        let part = part.and_then(|(gauge, weight)| Some(gauge.share()? * weight));
        self.share
            .or_else(by_units)
            .map(|share| (share + part.unwrap_or(0.0)).clamp(0.0, 1.0))
    }
}

/// Shows the progress of one job until dropped.
pub(super) struct Display {
    shared: Arc<Shared>,
    /// Dropped to end the printing thread.
    end: Option<Sender<()>>,
    printer: Option<JoinHandle<()>>,
}

struct Shared {
    command: &'static str,
    unit: &'static str,
    start: Instant,
    state: Mutex<State>,
    shape: Shape,
}

#[derive(Default)]
struct State {
    report: Report,
    /// The share at the first report, when and whether there was one: a resumed job does not begin at 0.
    first: Option<(f64, Instant)>,
    reported: bool,
    finished: bool,
}

enum Shape {
    Hidden,
    Bar(ProgressBar),
    Plain,
    Json,
}

impl ProgressArguments {
    /// Whether only results and errors are printed.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Starts to show the progress of a command, which counts `unit`s (a plural: `tables`).
    pub(super) fn start(&self, command: &'static str, unit: &'static str) -> Display {
        let terminal = std::io::stderr().is_terminal();
        let shape = match self.progress {
            _ if self.quiet => Shape::Hidden,
            Style::Auto if terminal => Shape::Bar(bar()),
            Style::Auto | Style::Plain => Shape::Plain,
            Style::Json => Shape::Json,
        };
        let every = match shape {
            Shape::Json => OBJECTS,
            Shape::Bar(_) => BAR,
            Shape::Plain | Shape::Hidden => LINES,
        };
        Display::new(command, unit, shape, every, |line| {
            // Nobody may be reading: the job goes on.
            let _ = writeln!(std::io::stderr(), "{line}");
        })
    }
}

/// A bar that becomes visible with the first report.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(style(false));
    bar
}

fn style(bounded: bool) -> ProgressStyle {
    let template = if bounded {
        "{percent:>3} % {wide_bar} {msg}"
    } else {
        "{elapsed_precise} {spinner} {msg}"
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Display {
    fn new(
        command: &'static str,
        unit: &'static str,
        shape: Shape,
        every: Duration,
        print: impl Fn(String) + Send + 'static,
    ) -> Display {
        let shown = !matches!(shape, Shape::Hidden);
        if let Shape::Bar(bar) = &shape {
            bar.enable_steady_tick(BAR);
        }
        let shared = Arc::new(Shared {
            command,
            unit,
            start: Instant::now(),
            state: Mutex::default(),
            shape,
        });
        let (end, ended) = channel::<()>();
        // Where the system gives no thread the job goes on without a report.
        let printer = shown.then(|| {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("progress".to_owned());
            thread.spawn(move || {
                // Soon: a job that is over by then needs no line.
                let mut wait = every.min(Duration::from_millis(200));
                while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    match &shared.shape {
                        Shape::Bar(bar) => {
                            let state = shared.state();
                            if state.reported {
                                state.show(bar, shared.unit);
                            }
                        }
                        _ => print(shared.line("running")),
                    }
                    wait = every;
                }
                let state = shared.state();
                let (reported, finished) = (state.reported, state.finished);
                drop(state);
                if reported && matches!(shared.shape, Shape::Json) {
                    print(shared.line(if finished { "done" } else { "stopped" }));
                }
            })
        });
        let printer = printer.and_then(Result::ok);
        Display {
            shared,
            end: Some(end),
            printer,
        }
    }

    /// Changes the report; may be called often, on any thread.
    pub(super) fn update(&self, change: impl FnOnce(&mut Report)) {
        let mut state = self.shared.state();
        change(&mut state.report);
        state.reported = true;
        if state.first.is_none()
            && let Some(share) = state.report.share()
        {
            state.first = Some((share, Instant::now()));
            if let Shape::Bar(bar) = &self.shared.shape {
                bar.set_length(STEPS);
                bar.set_style(style(true));
            }
        }
        if let Shape::Bar(bar) = &self.shared.shape {
            state.show(bar, self.shared.unit);
        }
    }

    /// Runs `print`, which writes to the terminal, while no bar is there.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shared.shape {
            Shape::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Ends the display of a job that is done; one that is dropped without was stopped or has failed.
    pub(super) fn finish(self) {
        self.shared.state().finished = true;
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(printer) = self.printer.take() {
            let _ = printer.join();
        }
        if let Shape::Bar(bar) = &self.shared.shape {
            bar.finish_and_clear();
        }
    }
}

impl State {
    /// Moves a bar to where the job is.
    fn show(&self, bar: &ProgressBar, unit: &str) {
        if let Some(share) = self.report.share() {
            bar.set_position((share * STEPS as f64) as u64);
        }
        bar.set_message(self.in_words(unit));
    }

    /// The time left: the job's own estimate, else by what was done since the first report.
    fn left(&self) -> Option<Duration> {
        let by_share = || {
            let (first, since) = self.first?;
            let share = self.report.share()?;
            let left = (1.0 - share) / (share - first);
            (share > first)
                .then(|| Duration::try_from_secs_f64(since.elapsed().as_secs_f64() * left).ok())?
        };
        self.report.left.or_else(by_share)
    }

    /// The report in words: `3 of 35 tables, KRvK, 20 s left`. Parts that are unknown are omitted.
    fn in_words(&self, unit: &str) -> String {
        let Report { done, total, .. } = self.report;
        let counted = match total {
            Some(total) => format!("{done} of {total} {unit}"),
            None if done > 0 => format!("{done} {unit}"),
            None => String::new(),
        };
        let left = self.left();
        let left = left.map_or(String::new(), |left| format!("{} left", human::span(left)));
        let parts = [counted, self.report.text.clone(), left];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line to print now.
    fn line(&self, name: &str) -> String {
        let state = self.state();
        let (report, elapsed) = (&state.report, self.start.elapsed());
        if matches!(self.shape, Shape::Json) {
            return serde_json::json!({
                "command": self.command,
                "state": name,
                "done": report.done,
                "total": report.total,
                "unit": self.unit,
                "share": report.share(),
                "text": report.text,
                "elapsed_seconds": elapsed.as_secs_f64(),
                "left_seconds": state.left().map(|left| left.as_secs_f64()),
            })
            .to_string();
        }
        let share = report.share();
        let share = share.map(|share| format!("{:.0} %", (share * 100.0).floor()));
        let words = Some(state.in_words(self.unit)).filter(|words| !words.is_empty());
        let time = (elapsed.as_secs() > 0).then(|| format!("{} elapsed", human::span(elapsed)));
        let parts: Vec<String> = [share, words, time].into_iter().flatten().collect();
        if parts.is_empty() {
            return format!("{}: started", self.command);
        }
        format!("{}: {}", self.command, parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a job that updates its report `updates` times, a pause after each.
    fn lines(shape: Shape, pause: Duration, updates: u64, finish: bool) -> Vec<String> {
        let printed = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&printed);
        let every = Duration::from_millis(20);
        let display = Display::new("tb generate", "tables", shape, every, move |line| {
            sink.lock().expect("no panic").push(line);
        });
        for done in 1..=updates {
            display.update(|report| {
                report.total = Some(4);
                report.done = done;
                report.text = "KRvK".to_owned();
            });
            std::thread::sleep(pause);
        }
        if finish {
            display.finish();
        } else {
            drop(display);
        }
        printed.lock().expect("no panic").clone()
    }

    #[test]
    fn lines_come_although_the_job_reports_nothing_new() {
        let lines = lines(Shape::Plain, Duration::from_millis(300), 1, true);
        assert!(lines.len() >= 3, "{lines:?}");
        for line in &lines {
            assert!(
                line.starts_with("tb generate: 25 %, 1 of 4 tables, KRvK"),
                "{line}"
            );
        }
    }

    #[test]
    fn json_lines_have_stable_keys_and_say_how_it_ended() {
        for (finish, state) in [(true, "done"), (false, "stopped")] {
            let lines = lines(Shape::Json, Duration::from_millis(60), 3, finish);
            let objects: Vec<serde_json::Value> = lines
                .iter()
                .map(|line| serde_json::from_str(line).expect("an object"))
                .collect();
            let last = objects.last().expect("a line");
            assert_eq!((&last["state"], &last["done"]), (&state.into(), &3.into()));
            let mut keys: Vec<&String> = last.as_object().expect("an object").keys().collect();
            keys.sort();
            assert_eq!(
                keys.iter().map(|key| key.as_str()).collect::<Vec<_>>(),
                [
                    "command",
                    "done",
                    "elapsed_seconds",
                    "left_seconds",
                    "share",
                    "state",
                    "text",
                    "total",
                    "unit"
                ]
            );
            assert!(last["left_seconds"].as_f64().is_some_and(|left| left > 0.0));
        }
    }

    /// What is not known leaves no gap: no `, ,` where no table is being solved.
    #[test]
    fn unknown_parts_are_omitted() {
        let mut state = State::default();
        assert_eq!(state.in_words("tables"), "");
        state.report.done = 3;
        assert_eq!(state.in_words("games"), "3 games");
        state.report.total = Some(35);
        assert_eq!(state.in_words("tables"), "3 of 35 tables");
        state.report.left = Some(Duration::from_secs(20));
        assert_eq!(state.in_words("tables"), "3 of 35 tables, 20 s left");
    }

    /// What is counted of the part at work shows although nobody updates the report.
    #[test]
    fn the_part_at_work_counts() {
        let gauge = Arc::new(Gauge::default());
        let report = Report {
            share: Some(0.5),
            part: Some((Arc::clone(&gauge), 0.2)),
            ..Report::default()
        };
        assert_eq!(report.share(), Some(0.5));
        gauge.start(4);
        gauge.add(2);
        let share = report.share().expect("known");
        assert!((share - 0.6).abs() < 1e-9, "{share}");
    }

    #[test]
    fn a_resumed_job_is_not_taken_for_a_fast_one() {
        let now = Instant::now();
        let state = State {
            report: Report {
                done: 75,
                total: Some(100),
                ..Report::default()
            },
            first: Some((0.5, now.checked_sub(Duration::from_secs(10)).unwrap_or(now))),
            ..State::default()
        };
        let left = state.left().expect("known").as_secs_f64();
        assert!((9.0..12.0).contains(&left), "{left}");
    }
}
