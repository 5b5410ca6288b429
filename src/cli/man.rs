//! `duchamp man [COMMAND...] [--out DIR]`: manual pages from the description of the command line.

use super::Failure;
use super::outputs;
use clap::Command;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What `duchamp man` takes.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  duchamp man tb generate | man -l -
  duchamp man --out ~/.local/share/man/man1")]
pub(super) struct Arguments {
    /// The command whose page is printed, for instance `tb generate`; without one, the page of the program
    command: Vec<String>,
    /// Write the pages of the program and of every command into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// Prints one page or writes all of them.
pub(super) fn run(arguments: &Arguments, program: Command) -> Result<(), Failure> {
    let mut root = program.disable_help_subcommand(true);
    // Gives each command its full name, such as `duchamp-tb-generate`.
    root.build();
    match &arguments.out {
        Some(folder) => {
            duchamp_base::files::create_folder(folder).map_err(|error| failed(folder, &error))?;
            let count = write_all(&root, folder)?;
            writeln!(std::io::stdout(), "{count} pages in {}", folder.display())?;
        }
        None => {
            let mut command = &root;
            for word in &arguments.command {
                command = command.find_subcommand(word).ok_or_else(|| {
                    Failure::BadInput(format!("no command {}", arguments.command.join(" ")))
                })?;
            }
            std::io::stdout().write_all(&page(command)?)?;
        }
    }
    Ok(())
}

/// Writes the page of a command and those of its subcommands; how many.
fn write_all(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    outputs::write(&path, page(command)?)?;
    let mut count = 1;
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        count += write_all(command, folder)?;
    }
    Ok(count)
}

fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let man = Man::new(command.clone())
        .source(concat!("duchamp ", env!("CARGO_PKG_VERSION")))
        .manual("Duchamp");
    man.render(&mut page).map_err(Failure::failed)?;
    Ok(page)
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}
