//! `duchamp completions SHELL`: a script with which a shell completes commands, options and their values.

use super::Failure;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

/// What `duchamp completions` takes.
#[derive(clap::Args)]
#[command(after_long_help = "\
Where the script goes:
  bash        mkdir -p ~/.local/share/bash-completion/completions
              duchamp completions bash > ~/.local/share/bash-completion/completions/duchamp
  zsh         duchamp completions zsh > DIR/_duchamp   (a folder of $fpath)
  fish        duchamp completions fish > ~/.config/fish/completions/duchamp.fish
  elvish      duchamp completions elvish > ~/.config/elvish/lib/duchamp.elv, then `use duchamp`
  powershell  duchamp completions powershell >> $PROFILE")]
pub(super) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(arguments: &Arguments, program: &mut Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, program, "duchamp", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
