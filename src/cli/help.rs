//! The help of the program: its commands in groups, the width of lines, the version.

use clap::Command;
use clap::builder::styling::Styles;
use std::env::consts::{ARCH, OS};
use std::fmt::Write;
use std::sync::LazyLock;

/// The widest line of help, in columns, however wide the terminal is.
pub(super) const WIDTH: usize = 100;

/// The commands by what people do with them.
pub(super) const GROUPS: [(&str, &[&str]); 5] = [
    ("Endgame tables", &["tb", "serve", "papers"]),
    ("Proofs beyond the tables", &["pawns", "freeze"]),
    ("Test the engine", &["bench", "perft", "duel"]),
    (
        "Train and tune it",
        &["datagen", "genfens", "train", "spsa"],
    ),
    ("Set up the shell", &["completions", "man"]),
];

/// A description of the command line whose help lists the commands in groups.
pub(super) fn grouped(command: Command) -> Command {
    let command = command.max_term_width(WIDTH);
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut list = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(list, "{header}{heading}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {literal}{name:<11}{literal:#}  {about}");
        }
        list.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// The version, and for what the program was built.
pub(super) fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let checks = if cfg!(debug_assertions) {
            "with debug assertions (slow)"
        } else {
            "without debug assertions"
        };
        let (version, arch, os) = (env!("CARGO_PKG_VERSION"), ARCH, OS);
        format!("{version}\nbuilt for {arch} {os}, {checks}")
    });
    &VERSION
}
