//! The description of the whole command line: what `--help`, the manual pages and the completions are made from.

use super::Cli;
use clap::builder::styling::Styles;
use clap::{Command, CommandFactory};
use std::env::consts::{ARCH, OS};
use std::fmt::Write;
use std::sync::LazyLock;

/// The widest line of help, in columns, however wide the terminal is.
const WIDTH: usize = 100;

/// The commands by what people do with them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Endgame tables", &["tb", "papers"]),
    ("Proofs beyond the tables", &["pawns", "freeze"]),
    ("Test the engine", &["bench", "perft", "duel"]),
    ("Train and tune it", &["datagen", "train", "tune", "spsa"]),
    ("Set up the shell", &["completions", "man"]),
];

/// The description of the command line.
pub(super) fn command() -> Command {
    let command = Cli::command().max_term_width(WIDTH);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_has_no_fault() {
        command().debug_assert();
    }

    /// Calls `check` with each command of the program and its full name, such as `duchamp tb probe`.
    fn each_command(check: &mut impl FnMut(&str, &mut Command)) {
        fn walk(name: &str, command: &mut Command, check: &mut impl FnMut(&str, &mut Command)) {
            check(name, command);
            for command in command.get_subcommands_mut() {
                let name = format!("{name} {}", command.get_name());
                walk(&name, command, check);
            }
        }
        let mut root = command().disable_help_subcommand(true);
        root.build();
        walk("duchamp", &mut root, check);
    }

    #[test]
    fn no_line_of_help_is_wider_than_a_page() {
        let mut commands = 0;
        each_command(&mut |name, command| {
            commands += 1;
            let texts = [command.render_help(), command.render_long_help()];
            for text in texts.map(|text| text.to_string()) {
                for line in text.lines() {
                    assert!(line.chars().count() <= WIDTH, "{name}: {line}");
                }
            }
        });
        assert!(commands > 20, "{commands}");
    }

    #[test]
    fn everything_is_described() {
        each_command(&mut |name, command| {
            let about = command.get_about().map(ToString::to_string);
            assert!(about.is_some_and(|about| !about.is_empty()), "{name}");
            for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
                let help = argument.get_help().map(ToString::to_string);
                let help = help.unwrap_or_default();
                assert!(!help.is_empty(), "{name}: {}", argument.get_id());
                // Longer ones belong into the second paragraph, which only `--help` shows.
                assert!(help.len() <= 200, "{name}: {help}");
            }
        });
    }

    #[test]
    fn help_speaks_as_the_field_does() {
        let replaced = [
            "aside",
            "asides",
            "asked",
            "asks",
            "judge",
            "judged",
            "judges",
            "knows",
            "made",
            "maker",
            "makes",
            "merit",
            "spoilt",
            "steepness",
            "strayer",
            "tells",
            "told",
            "twins",
        ];
        let mut found = Vec::new();
        each_command(&mut |name, command| {
            if name == "duchamp freeze" {
                return;
            }
            let text = command.render_long_help().to_string().to_lowercase();
            for line in text.lines() {
                let mut words = line.split(|c: char| !c.is_alphanumeric());
                if words.any(|word| replaced.contains(&word))
                    || ["by hand", "by-hand", "like men"]
                        .iter()
                        .any(|it| line.contains(it))
                {
                    found.push(format!("{name}: {}", line.trim()));
                }
            }
        });
        assert!(
            found.is_empty(),
            "the field says it otherwise:\n{}",
            found.join("\n")
        );
    }

    /// Words that people may have typed, and what they are called now.
    const FORMER: [(&str, &str); 14] = [
        ("datagen asides a --out b", "datagen off-game a --out b"),
        (
            "datagen --out a --asides 20",
            "datagen --out a --off-game 20",
        ),
        (
            "datagen --out a --random 4 8",
            "datagen --out a --random-plies 4 8",
        ),
        (
            "datagen --out a --chess960 5",
            "datagen --out a --chess960-percent 5",
        ),
        (
            "datagen endings a --men 5 6",
            "datagen endings a --pieces 5 6",
        ),
        ("train --share 0.5", "train --wdl-weight 0.5"),
        ("train --batch 512", "train --batch-size 512"),
        ("train --rate 0.01", "train --lr 0.01"),
        ("train --final-rate 0.01", "train --final-lr 0.01"),
        ("train --decay 0.1", "train --weight-decay 0.1"),
        ("train --neighbours 2", "train --off-game 2"),
        ("train --judges 20", "train --validation-every 20"),
        (
            "tune a --out b --share 0.5 --rate 2",
            "tune a --out b --wdl-weight 0.5 --lr 2",
        ),
        ("tune a --out b --hold 2", "tune a --out b --l2 2"),
    ];

    #[test]
    fn former_names_are_still_read() {
        let needed = ["--data", "a", "--net", "b", "--hidden", "32"];
        let parsed = |line: &str| {
            let words = ["duchamp"].into_iter().chain(line.split(' '));
            let more = needed.into_iter().filter(|_| line.starts_with("train"));
            let matches = command().try_get_matches_from(words.chain(more));
            matches.unwrap_or_else(|error| panic!("{line}: {error}"))
        };
        for (former, now) in FORMER {
            assert_eq!(
                format!("{:?}", parsed(former)),
                format!("{:?}", parsed(now)),
                "{former}"
            );
        }
    }

    #[test]
    fn each_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        let command = command();
        let all = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut all: Vec<&str> = all.map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
