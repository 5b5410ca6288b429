//! Command lines as OpenBench writes them: each argument is a line of UCI, such as `"genfens 8 seed 1 book None" quit`.
//!
//! They become arguments of the ordinary subcommands. All others stay as they are.

use std::ffi::OsString;

/// What stands before the file of a network.
const EVAL_FILE: &str = "setoption name EvalFile value ";

/// The program's arguments, its name first, with lines of UCI translated:
///
/// | argument | becomes |
/// |---|---|
/// | `setoption name EvalFile value FILE`, before one of the next two | the option `--net FILE` |
/// | `bench` | stays |
/// | `genfens N seed S book FILE ...` | `genfens N --seed S --book FILE ...` |
/// | `quit`, at the end | nothing |
pub(super) fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let given: Vec<OsString> = given.collect();
    translated(&given).unwrap_or(given)
}

/// `None` if these are no lines of UCI.
fn translated(given: &[OsString]) -> Option<Vec<OsString>> {
    let (program, mut lines) = given.split_first()?;
    let mut net = None;
    if let [first, rest @ ..] = lines
        && let Some(file) = first.to_str().and_then(|it| it.strip_prefix(EVAL_FILE))
    {
        net = Some(file.trim());
        lines = rest;
    }
    let (line, rest) = lines.split_first()?;
    let line = line.to_str()?;
    let mut words = line.split_whitespace();
    let mut found = vec![program.clone()];
    match words.next()? {
        // A subcommand's own arguments pass through.
        "genfens" if words.clone().next().is_some() => found.extend(genfens(line)),
        "bench" if net.is_some() => found.extend(line.split_whitespace().map(OsString::from)),
        _ => return None,
    }
    if let Some(net) = net {
        found.extend(["--net", net].map(OsString::from));
    }
    found.extend(rest.iter().filter(|it| *it != "quit").cloned());
    Some(found)
}

/// `genfens N seed S book FILE` in words, with `seed` and `book` as options.
fn genfens(line: &str) -> impl Iterator<Item = OsString> {
    line.split_whitespace().map(|word| match word {
        "seed" => "--seed".into(),
        "book" => "--book".into(),
        other => other.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translate(given: &[&str]) -> Vec<String> {
        let given = given.iter().map(OsString::from);
        let found = arguments(std::iter::once("duchamp".into()).chain(given));
        let text = |it: &OsString| it.to_str().expect("text").to_owned();
        found[1..].iter().map(text).collect()
    }

    #[test]
    fn lines_of_uci_become_arguments() {
        let genfens = "genfens 8 seed 42 book Books/a.epd --chess960";
        let words = "genfens 8 --seed 42 --book Books/a.epd --chess960";
        let words: Vec<&str> = words.split(' ').collect();
        assert_eq!(translate(&[genfens, "quit"]), words);
        let net = "setoption name EvalFile value /tmp/a b.net";
        let with_net = [&words[..], &["--net", "/tmp/a b.net"]].concat();
        assert_eq!(translate(&[net, genfens, "quit"]), with_net);
        assert_eq!(
            translate(&[net, "bench", "quit"]),
            ["bench", "--net", "/tmp/a b.net"]
        );
    }

    #[test]
    fn other_arguments_stay() {
        for given in [
            &[][..],
            &["bench"],
            &["bench", "5"],
            &["genfens", "8", "--seed", "1"],
            &["genfens"],
            &["quit"],
            &["setoption name EvalFile value a", "tb", "list"],
            &["tb", "probe", "8/8/8/8/8/2k5/8/1K1Q4 w - - 0 1"],
        ] {
            assert_eq!(translate(given), given);
        }
    }
}
