//! Files that a command writes where its user says: checked before any work, written whole.

use super::Failure;
use duchamp_base::files;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Fails unless every output can be written, and none is an input or another output.
pub(super) fn check<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let outputs: Vec<&PathBuf> = outputs.into_iter().collect();
    for (n, output) in outputs.iter().enumerate() {
        check_no_input(output, inputs)?;
        if outputs[..n]
            .iter()
            .any(|other| files::are_one(output, other))
        {
            let text = format!("two outputs are one file: {}", output.display());
            return Err(Failure::bad_input(text));
        }
    }
    outputs
        .into_iter()
        .try_for_each(|output| files::check_target(output).map_err(|error| failed(output, &error)))
}

/// As [`check`], for pictures and texts, which also take the place of no data of Duchamp.
pub(super) fn check_texts<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf> + Clone,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    check(outputs.clone(), inputs)?;
    match outputs.into_iter().find(|output| holds_data(output)) {
        Some(output) => {
            let why = "a file with data of Duchamp has this name: choose another one";
            Err(Failure::failed(format!("{}: {why}", output.display())))
        }
        None => Ok(()),
    }
}

/// Fails where a file has the name of an output that is no such file itself; `label` is how they begin, `what` what they are.
pub(super) fn check_replaces(output: &Path, label: &[u8], what: &str) -> Result<(), Failure> {
    let start = beginning(output, label.len() as u64);
    if !start.is_empty() && start != label {
        let why = format!("a file that is no {what} has this name: choose another one");
        return Err(Failure::failed(format!("{}: {why}", output.display())));
    }
    Ok(())
}

/// Whether a file begins as tables, games, networks and checkpoints do.
fn holds_data(file: &Path) -> bool {
    beginning(file, 4).eq_ignore_ascii_case(b"DUCH")
}

/// The first bytes of a file, so many or all that it has; none if it cannot be read.
fn beginning(file: &Path, bytes: u64) -> Vec<u8> {
    let mut start = Vec::new();
    let read = files::open_regular(file).and_then(|file| file.take(bytes).read_to_end(&mut start));
    if read.is_err() {
        start.clear();
    }
    start
}

/// Fails if an output is one of the inputs.
pub(super) fn check_no_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    if inputs.iter().any(|input| files::are_one(output, input)) {
        let text = format!("{} is both input and output", output.display());
        return Err(Failure::bad_input(text));
    }
    Ok(())
}

/// Writes a whole file; what had its name is there until the new one is complete.
pub(super) fn write(file: &Path, contents: impl AsRef<[u8]>) -> Result<(), Failure> {
    files::write_atomic(file, contents.as_ref()).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!("{}: {error}", file.display()))
}
