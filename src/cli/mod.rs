//! The subcommands, one file each. Without a subcommand the program speaks UCI.
//!
//! Results go to stdout, progress and messages to stderr. Exit code 0: done; 1: the answer is a failure;
//! 2: bad input. Each error is one line. If nobody reads stdout any more, a command ends without a message.

mod bench;
mod columns;
mod completions;
mod crew;
mod datagen;
mod datagen_endings;
mod datagen_files;
mod datagen_off_game;
mod datagen_rescore;
mod datagen_rework;
mod duel;
mod failure;
mod fen;
mod freeze;
mod freeze_auto;
mod freeze_solve;
mod freeze_svg;
mod freeze_walk;
mod genfens;
mod help;
mod man;
mod men_svg;
mod net;
mod openbench;
mod outputs;
mod papers;
mod pawns;
mod pawns_answers;
mod pawns_course;
mod pawns_find;
mod pawns_limit;
mod pawns_plan;
mod pawns_plan_answer;
mod pawns_plan_text;
mod pawns_range;
mod pawns_report;
mod pawns_suite;
mod pawns_svg;
mod pawns_system;
mod perft;
mod progress;
mod serve;
mod snakefile;
mod spsa;
mod svg;
mod tb;
mod tb_chess;
mod tb_clock;
mod tb_counts;
mod tb_export;
mod tb_forecast;
mod tb_game;
mod tb_generate;
mod tb_input;
mod tb_job;
mod tb_line;
mod tb_list;
mod tb_lists;
mod tb_longest;
mod tb_missing;
mod tb_plan;
mod tb_plot;
mod tb_probe;
mod tb_stats;
mod tb_syzygy;
mod tb_values;
mod tb_verify;
mod tb_verify_syzygy;
mod tb_words;
mod tb_xiangqi;
mod tb_zugzwangs;
mod train;
mod train_plot;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub use failure::Failure;
use failure::say;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "duchamp",
    version,
    long_version = help::version(),
    about = "A UCI chess engine that generates its own endgame tables.",
    after_help = "Without a command it speaks UCI on stdin and stdout, as chess GUIs expect."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

// What `--help` shows of each is a line of `help::GROUPS`.
#[derive(Subcommand)]
enum Command {
    /// Search fixed positions with one thread; print the node count and the speed
    Bench(bench::Arguments),
    /// Count the leaf nodes of the move tree, for each move and in all
    Perft(perft::Arguments),
    /// Print random balanced openings as FENs, in the form that OpenBench reads
    Genfens(genfens::Arguments),
    /// Generate self-play games for training; count, merge and print them
    Datagen(datagen::Arguments),
    /// Train a network (NNUE) on such games
    Train(train::Arguments),
    /// Play matches between two evaluations or two sets of search parameters
    Duel(duel::Arguments),
    /// Tune the parameters of the search by SPSA
    Spsa(spsa::Arguments),
    /// Generate, probe, verify and list endgame tables
    Tb(tb::Arguments),
    /// Prove the value of a pawn ending; find key and corresponding squares
    Pawns(pawns::Arguments),
    /// Prove a position of many pieces, given constraints on piece movement
    Freeze(freeze::Arguments),
    /// Serve tables, proofs and a page to look at them over HTTP
    Serve(serve::Arguments),
    /// Compare the tables with those of published papers
    Papers(papers::Arguments),
    /// Print a script that completes commands and options in a shell
    Completions(completions::Arguments),
    /// Print the manual page of a command, or write all pages
    Man(man::Arguments),
}

/// The description of the command line: the source of `--help`, manual pages and completions.
fn command() -> clap::Command {
    help::grouped(Cli::command())
}

/// Runs the subcommand that the program's arguments name; `None` if they name none.
///
/// Bad arguments end the process with code 2, `--help` and `--version` with 0.
#[must_use]
pub fn run() -> Option<ExitCode> {
    let matches = command().get_matches_from(openbench::arguments(std::env::args_os()));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match cli.command? {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Genfens(arguments) => genfens::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Duel(arguments) => duel::run(&arguments),
        Command::Spsa(arguments) => spsa::run(&arguments),
        Command::Tb(arguments) => tb::run(&arguments),
        Command::Pawns(arguments) => pawns::run(&arguments),
        Command::Freeze(arguments) => freeze::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Papers(arguments) => papers::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, &mut command()),
        Command::Man(arguments) => man::run(&arguments, command()),
    };
    Some(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::ClosedPipe) {
                say(&format!("duchamp: {failure}"));
            }
            failure.exit_code()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::command;
    use super::help::{GROUPS, WIDTH};
    use clap::Command;

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
            "spoilt",
            "steepness",
            "tells",
            "told",
            "twins",
        ];
        let mut found = Vec::new();
        each_command(&mut |name, command| {
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
    const FORMER: [(&str, &str); 12] = [
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
