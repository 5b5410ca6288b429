//! `duchamp pawns --suite FILE`: how many positions of a list are proved, and whether the list agrees.

use super::pawns_course::Course;
use super::pawns_range::{Provers, Range};
use super::{Failure, crew};
use duchamp_base::files;
use duchamp_chess::Position;
use duchamp_chess_tables::Prober;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The bytes that a list may have at most.
const LONGEST_LIST: u64 = 256 << 20;

/// What is wrong with a row about another ending.
const NOT_PAWNS: &str = "not an ending of kings and pawns";

/// How a list is gone through.
pub(super) struct Suite<'a> {
    pub(super) tables: Prober,
    /// The most structures, for each side.
    pub(super) structures: usize,
    /// The most time for a position, on one thread.
    pub(super) time: Duration,
    pub(super) json: bool,
    pub(super) course: &'a Course,
}

/// A position of the list.
#[derive(Debug)]
struct Row {
    fen: String,
    position: Position,
    /// The value that the list tells; `None`: unknown.
    result: Option<i8>,
    /// How far the list is sure of it: `exact`, or something else.
    verified: String,
    /// Bounds that the list tells as proved.
    bounds: Option<Range>,
}

/// What came of a row, as JSON: stable names.
#[derive(Serialize)]
struct RowAnswer<'a> {
    fen: &'a str,
    result: Option<i8>,
    verified: &'a str,
    exact: Option<&'static str>,
    bounds: [i8; 2],
    contradicted: bool,
    structures: usize,
    queens: usize,
    seconds: f64,
}

/// Counts over rows.
#[derive(Default, Serialize)]
struct Sum {
    rows: usize,
    /// The value is proved.
    proved: usize,
    /// The value, or a bound, is proved.
    bounded: usize,
    /// The list tells another value.
    contradicted: usize,
    /// The longest time of a row whose value is proved.
    slowest_proved: f64,
    seconds: f64,
}

/// What came of all rows so far.
#[derive(Default)]
struct Tally<'r> {
    sum: Sum,
    by_verified: BTreeMap<String, Sum>,
    /// Rows that are contradicted, with what is proved.
    finds: Vec<(&'r Row, Range)>,
    /// How many of them the list calls exact.
    wrong: usize,
}

/// The sums as JSON.
#[derive(Serialize)]
struct SumAnswer<'a> {
    sum: &'a Sum,
    by_verified: &'a BTreeMap<String, Sum>,
}

impl Suite<'_> {
    /// Goes through the list. A proof against a row that the list calls exact is a failure; one against another row is a
    /// find.
    pub(super) fn run(&self, file: &Path) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = files::read_text(file, LONGEST_LIST)
            .map_err(|error| Failure::BadInput(failed(&error)))?;
        let rows = rows(&text).map_err(|error| Failure::BadInput(failed(&error)))?;
        let mut out = std::io::stdout().lock();
        let mut tally = Tally::default();
        if !self.json {
            writeln!(
                out,
                "result proved  by the list      structures  queens seconds"
            )?;
        }
        for (number, row) in rows.iter().enumerate() {
            self.course.count(number, rows.len());
            let start = Instant::now();
            let mut provers = Provers::with_handle(&self.tables, self.course.handle());
            let range = provers.range_in_turns(&row.position, self.structures, self.time);
            let range = range.ok_or_else(|| {
                let words = format!("{}: {NOT_PAWNS}", row.fen);
                Failure::BadInput(failed(&words))
            })?;
            if self.course.is_stopped() {
                self.write_end(&mut out, &tally)?;
                return Err(Failure::Failed(format!(
                    "stopped after {number} of {} rows; nothing is kept. To start again: {}",
                    rows.len(),
                    crew::this_command()
                )));
            }
            let seconds = start.elapsed().as_secs_f64();
            let [structures, queens] = provers.work();
            let contradicted = tally.add(row, range, seconds);
            let answer = RowAnswer {
                fen: &row.fen,
                result: row.result,
                verified: &row.verified,
                exact: range.exact(),
                bounds: [range.low, range.high],
                contradicted,
                structures,
                queens,
                seconds,
            };
            if self.json {
                let text = serde_json::to_string(&answer).map_err(Failure::failed)?;
                writeln!(out, "{text}")?;
            } else {
                answer.write(&mut out)?;
            }
        }
        self.write_end(&mut out, &tally)?;
        match tally.wrong {
            0 => Ok(()),
            wrong => Err(Failure::Failed(format!(
                "{wrong} rows that are called exact are contradicted"
            ))),
        }
    }

    /// Writes what came of all rows that were gone through.
    fn write_end(&self, out: &mut impl Write, tally: &Tally<'_>) -> Result<(), Failure> {
        let Tally {
            sum, by_verified, ..
        } = tally;
        if self.json {
            let answer = SumAnswer { sum, by_verified };
            let text = serde_json::to_string(&answer).map_err(Failure::failed)?;
            writeln!(out, "{text}")?;
            return Ok(());
        }
        write_sums(out, sum, by_verified)?;
        for (row, range) in &tally.finds {
            let word = word(row.result);
            writeln!(
                out,
                "{}: {word} by the list ({}), proved: {}",
                row.fen,
                row.verified,
                range.describe()
            )?;
        }
        Ok(())
    }
}

impl<'r> Tally<'r> {
    /// Counts a row; whether a proof contradicts it.
    fn add(&mut self, row: &'r Row, range: Range, seconds: f64) -> bool {
        let contradicted = row.contradicted(range);
        self.sum.add(range, contradicted, seconds);
        let of_kind = self.by_verified.entry(row.verified.clone()).or_default();
        of_kind.add(range, contradicted, seconds);
        if contradicted {
            self.wrong += usize::from(row.verified == "exact");
            self.finds.push((row, range));
        }
        contradicted
    }
}

impl Row {
    /// Whether a proof contradicts the list.
    fn contradicted(&self, range: Range) -> bool {
        let outside = |low, high| high < range.low || low > range.high;
        self.result.is_some_and(|result| outside(result, result))
            || self.bounds.is_some_and(|told| outside(told.low, told.high))
    }
}

impl RowAnswer<'_> {
    fn write(&self, out: &mut impl Write) -> Result<(), Failure> {
        let proved = match (self.exact, self.bounds) {
            (Some(exact), _) => exact,
            (None, [0, _]) => ">=draw",
            (None, [_, 0]) => "<=draw",
            _ => "?",
        };
        writeln!(
            out,
            "{:6} {proved:6} {} {:15.15} {:11} {:7} {:7.2}  {}",
            word(self.result),
            if self.contradicted { "!" } else { " " },
            self.verified,
            self.structures,
            self.queens,
            self.seconds,
            self.fen
        )?;
        Ok(())
    }
}

impl Sum {
    fn add(&mut self, range: Range, contradicted: bool, seconds: f64) {
        self.rows += 1;
        self.bounded += usize::from(range != Range::OPEN);
        self.contradicted += usize::from(contradicted);
        self.seconds += seconds;
        if range.exact().is_some() {
            self.proved += 1;
            self.slowest_proved = self.slowest_proved.max(seconds);
        }
    }
}

fn write_sums(
    out: &mut impl Write,
    sum: &Sum,
    by_verified: &BTreeMap<String, Sum>,
) -> Result<(), Failure> {
    writeln!(
        out,
        "\n{:28} rows proved bounded contradicted slowest proof    seconds",
        ""
    )?;
    let kinds = by_verified.iter().map(|(name, sum)| (name.as_str(), sum));
    for (name, sum) in kinds.chain([("all", sum)]) {
        writeln!(
            out,
            "{name:28} {:4} {:6} {:7} {:12} {:11.2} s {:8.1} s",
            sum.rows, sum.proved, sum.bounded, sum.contradicted, sum.slowest_proved, sum.seconds
        )?;
    }
    Ok(())
}

fn word(result: Option<i8>) -> &'static str {
    match result {
        Some(1) => "win",
        Some(0) => "draw",
        Some(_) => "loss",
        None => "?",
    }
}

/// The positions of a list: comment lines, a line of names, and rows.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    // Some programs put a byte order mark in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let (_, head) = lines.next().ok_or("no line of names")?;
    let head = fields(head);
    let column = |name: &str| head.iter().position(|field| field == name);
    let needed = |name: &str| column(name).ok_or_else(|| format!("no column {name}"));
    let (fen, result, verified) = (needed("fen")?, needed("result_stm")?, needed("verified")?);
    let told = column("exact_bounds_stm");
    let row = |line: &str| {
        let fields = fields(line);
        let field = |place: usize| fields.get(place).map_or("", String::as_str);
        let position = super::fen::position(field(fen)).map_err(|error| error.to_string())?;
        if position.pieces().any() {
            return Err(format!("{}: {NOT_PAWNS}", field(fen)));
        }
        Ok(Row {
            fen: field(fen).into(),
            position,
            result: match field(result) {
                "win" => Some(1),
                "draw" => Some(0),
                "loss" => Some(-1),
                "?" => None,
                other => return Err(format!("{other:?} is no result")),
            },
            verified: field(verified).into(),
            bounds: told.and_then(|told| bounds(field(told))),
        })
    };
    lines
        .map(|(number, line)| row(line).map_err(|error| format!("line {}: {error}", number + 1)))
        .collect()
}

/// Bounds such as `-1..0`.
fn bounds(text: &str) -> Option<Range> {
    let (low, high) = text.split_once("..")?;
    Some(Range {
        low: low.parse().ok()?,
        high: high.parse().ok()?,
    })
}

/// The fields of a line of comma-separated values; those with commas are quoted, quotes in them doubled.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut previous = ' ';
    for c in line.chars() {
        let last = fields.len() - 1;
        match c {
            '"' => {
                if !quoted && previous == '"' {
                    fields[last].push('"');
                }
                quoted = !quoted;
            }
            ',' if !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
        previous = c;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_be_quoted() {
        assert_eq!(fields("a,,b"), ["a", "", "b"]);
        assert_eq!(fields("\"a, b\",c"), ["a, b", "c"]);
        assert_eq!(fields("\"a \"\"b\"\"\",\"\""), ["a \"b\"", ""]);
    }

    #[test]
    fn lists_are_read_with_what_they_claim() {
        // Castling rights without a meaning are dropped, as everywhere.
        let text = "\u{feff}# a comment\nfen,result_stm,verified,exact_bounds_stm\n8/8/8/3pK3/2kP4/8/8/8 w KQ - 0 1,loss,exact,-1..-1\n\
                    8/8/8/3pK3/2kP4/8/8/8 b - - 0 1,?,conflict,-1..0\n";
        let rows = rows(text).expect("a list");
        let [known, unknown] = &rows[..] else {
            panic!("{rows:?}")
        };
        assert_eq!((known.result, known.verified.as_str()), (Some(-1), "exact"));
        let range = |low, high| Range { low, high };
        assert!(!known.contradicted(range(-1, 0)) && known.contradicted(range(0, 1)));
        assert!(!unknown.contradicted(range(-1, 1)) && unknown.contradicted(range(1, 1)));
    }

    #[test]
    fn bad_lists_are_told_in_one_line() {
        for (text, expected) in [
            ("", "no line of names"),
            ("fen,result_stm\n", "no column verified"),
            ("fen,result_stm,verified\nx,win,exact\n", "line 2: "),
            (
                "fen,result_stm,verified\n8/8/8/3pK3/2kP4/8/8/8 w - - 0 1,lost,exact\n",
                "line 2: \"lost\" is no result",
            ),
            (
                "fen,result_stm,verified\n# one more\n8/8/8/3pK3/2kP4/8/8/Q7 w - - 0 1,win,exact\n",
                "line 3: 8/8/8/3pK3/2kP4/8/8/Q7 w - - 0 1: not an ending of kings and pawns",
            ),
        ] {
            let error = rows(text).expect_err(text);
            assert!(
                error.starts_with(expected) && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
