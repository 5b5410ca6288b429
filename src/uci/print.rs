//! Events of the engine as lines of text.
//!
//! Lines carry their parts in the order that GUIs and match runners know: depth, seldepth, multipv,
//! score (with bound and `wdl`), nodes, nps, hashfull, tbhits, time, and the moves last.

use duchamp_base::{Value, Wdl, human};
use duchamp_chess::{Account, File, Move, Position, Proven, Rank, Square};
use duchamp_engine::{
    Bound, FreezerNews, Line, Material, ReportedScore, Settled, SyzygyNews, SyzygyValue, TableNews,
    TableState,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// How lines are to look, as options set it.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Style {
    /// Castling is written king takes rook.
    pub chess960: bool,
    /// Scores carry expected results.
    pub wdl: bool,
}

/// An `info` line.
pub(super) fn line(line: &Line, style: Style) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {}",
        line.depth, line.seldepth, line.multipv
    );
    text.push_str(" score ");
    text.push_str(&score(line.score));
    text.push_str(match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if style.wdl {
        let wdl = line.wdl;
        let _ = write!(text, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss);
    }
    let time = line.time.as_millis();
    let _ = write!(
        text,
        " nodes {} nps {} hashfull {} tbhits {} time {time}",
        line.nodes, line.nps, line.hashfull, line.tbhits
    );
    if !line.pv.is_empty() {
        text.push_str(" pv");
        for &mv in &line.pv {
            text.push(' ');
            text.push_str(&mv.uci(style.chess960));
        }
    }
    text
}

/// A score: `cp 31` or `mate -4`.
pub(super) fn score(score: ReportedScore) -> String {
    match score {
        ReportedScore::Centipawns(value) => format!("cp {value}"),
        ReportedScore::Mate(moves) => format!("mate {moves}"),
    }
}

/// An `info` line about the root move being searched.
pub(super) fn current(depth: u32, mv: Move, number: usize, style: Style) -> String {
    format!(
        "info depth {depth} currmove {} currmovenumber {number}",
        mv.uci(style.chess960)
    )
}

/// A `bestmove` line; `(none)` where there is no legal move.
pub(super) fn best(best: Option<Move>, ponder: Option<Move>, style: Style) -> String {
    match (best, ponder) {
        (None, _) => "bestmove (none)".to_owned(),
        (Some(best), None) => format!("bestmove {}", best.uci(style.chess960)),
        (Some(best), Some(ponder)) => {
            let (best, ponder) = (best.uci(style.chess960), ponder.uci(style.chess960));
            format!("bestmove {best} ponder {ponder}")
        }
    }
}

/// News of a restricted position that is being solved.
pub(super) fn freezer(news: &FreezerNews) -> String {
    match news {
        FreezerNews::Started { tables, entries } => {
            format!("freezer: solving restricted tables ({tables}, {entries} entries)")
        }
        FreezerNews::Finished {
            bound,
            wins,
            assumptions,
            time,
        } => {
            let proved = match wins {
                Some(true) => format!("{bound:?} wins"),
                Some(false) => format!("at least a draw for {bound:?}"),
                None => "nothing is proved".to_owned(),
            };
            let basis = match assumptions {
                0 => String::new(),
                1 => " under one assumption".to_owned(),
                n => format!(" under {n} assumptions"),
            };
            let seconds = time.as_secs_f64();
            format!("freezer: solved in {seconds:.1} s; start position: {proved}{basis}")
        }
    }
}

/// What a proof has settled, as the side to move sees it.
pub(super) fn settled(settled: &Settled) -> String {
    let Proven { least, most, plies } = settled.proven;
    let value = match (least, most) {
        (Wdl::Win, _) => "won",
        (_, Wdl::Loss) => "lost",
        (Wdl::Draw, Wdl::Draw) => "drawn",
        (Wdl::Draw, _) => "not lost",
        (_, Wdl::Win) => "nothing yet",
        _ => "not won",
    };
    let Account { claim, work } = &settled.account;
    let mut text = format!("{claim}: {value} for the side to move");
    if least == most && least != Wdl::Draw {
        let moves = plies.0.div_ceil(2);
        let _ = write!(text, "; a capture, pawn move or mate within {moves} moves");
    }
    let seconds = settled.time.as_secs_f64();
    let _ = write!(text, "; {work}, {seconds:.3} s");
    text
}

/// An `info string` line: one line whatever the text holds.
pub(super) fn string(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("info string {}", text.trim())
}

/// News of the generation of tables.
pub(super) fn tables(news: &TableNews) -> String {
    match news {
        TableNews::Started {
            tables,
            folder,
            time,
            bytes,
            large,
            syzygy,
            startup,
        } => {
            let whose = if *startup { "missing endgame " } else { "" };
            let off = if *startup {
                "; TBStartupMen 0 turns this off"
            } else {
                ""
            };
            let size = match bytes {
                0 => String::new(),
                bytes => format!(", {} on disk", human::size(*bytes)),
            };
            let large = large.map_or(String::new(), |(memory, scratch)| {
                let [memory, scratch] = [memory, scratch].map(human::size);
                format!(", {scratch} more while it lasts, at least {memory} of memory")
            });
            format!(
                "Generating {} in {}{}: about {}{size}{large}{off}",
                human::counted(
                    *tables as u64,
                    &format!("{whose}table"),
                    &format!("{whose}tables")
                ),
                folder.display(),
                syzygy_folder(syzygy.as_ref(), folder),
                human::span(*time),
            )
        }
        TableNews::Demanded { table } => {
            format!("Generating {table}, which becomes reachable")
        }
        TableNews::Progress {
            table,
            elsewhere,
            done,
            total,
            share,
            left,
        } => {
            let percent = share * 100.0;
            let left = human::span(*left);
            let what = if *elsewhere {
                format!("Waiting for {table}, which another process generates")
            } else {
                format!("Generating {table}")
            };
            format!("{what}: {done} of {total} tables done, {percent:.0} %, about {left} left")
        }
        TableNews::Finished {
            generated: 0,
            present,
            folder,
            syzygy,
            ..
        } => format!(
            "Generated nothing: {} already present in {}{}{}",
            human::counted(*present as u64, "table", "tables"),
            folder.display(),
            syzygy_folder(syzygy.as_ref().map(|it| &it.0), folder),
            unread(syzygy.as_ref())
        ),
        TableNews::Finished {
            generated,
            present,
            bytes,
            folder,
            syzygy,
            time,
        } => {
            let present = match present {
                0 => String::new(),
                n => format!("; {n} already present"),
            };
            format!(
                "Generated {} in {} ({}) in {}{}{present}{}",
                human::counted(*generated as u64, "table", "tables"),
                human::span(*time),
                human::size(*bytes),
                folder.display(),
                syzygy_folder(syzygy.as_ref().map(|it| &it.0), folder),
                unread(syzygy.as_ref())
            )
        }
        TableNews::Stopped => "Generation stopped; finished tables are kept".to_owned(),
        TableNews::Closed => CLOSED.to_owned(),
    }
}

/// What is said where the program ends before tables that were asked for are there.
const CLOSED: &str = "Generation ends with the program; finished tables are kept, and the same request generates the rest";

/// Where Syzygy files go, where our own go to `folder` or nowhere.
fn syzygy_folder(syzygy: Option<&PathBuf>, folder: &Path) -> String {
    match syzygy {
        None => String::new(),
        Some(syzygy) if syzygy == folder => " (Syzygy files)".to_owned(),
        Some(syzygy) => format!(" and, as Syzygy files, in {}", syzygy.display()),
    }
}

/// What is to be done before Syzygy files that were written are read.
fn unread(syzygy: Option<&(PathBuf, bool)>) -> String {
    match syzygy {
        Some((folder, false)) => format!("; to use them, set SyzygyPath to {}", folder.display()),
        _ => String::new(),
    }
}

/// What was found in the folders of Syzygy tables, and which files are missing, a line each.
pub(super) fn syzygy(news: &SyzygyNews) -> Vec<String> {
    let list = |folders: &[PathBuf]| {
        let names = folders.iter().map(|folder| folder.display().to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut found = match (news.wdl + news.dtz, news.folders.as_slice()) {
        (0, []) => "SyzygyPath names no folder".to_owned(),
        (0, folders) => format!("Found no Syzygy files in {}", list(folders)),
        _ => format!(
            "Found {} WDL and {} DTZ Syzygy files (up to {}-man)",
            news.wdl, news.dtz, news.men
        ),
    };
    if news.unreadable == news.folders && !news.folders.is_empty() {
        found.push_str(", which cannot be read");
    } else if !news.unreadable.is_empty() {
        let _ = write!(found, "; cannot read {}", list(&news.unreadable));
    }
    let mut lines = vec![found];
    if !news.missing.is_empty() {
        let shown = news.missing.iter().take(MOST_MISSING);
        let names: Vec<String> = shown.map(|table| format!("{table}.rtbw")).collect();
        let more = match news.missing.len().saturating_sub(MOST_MISSING) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!(
            "Missing Syzygy files: {}{more}; positions that capture or promote into them are not probed",
            names.join(", ")
        ));
    }
    lines
}

/// How many missing files a line names.
const MOST_MISSING: usize = 8;

/// What Syzygy tables say of a position, for people.
pub(super) fn syzygy_value(value: SyzygyValue) -> String {
    let SyzygyValue { wdl, dtz } = value;
    match dtz {
        Some(dtz) => format!("{}, DTZ {dtz}", wdl.name()),
        None => wdl.name().to_owned(),
    }
}

/// How a table that is missing can be generated.
pub(super) fn missing_table(table: Material) -> String {
    format!("{table} is missing; to generate it: setoption name GenerateTB value {table}")
}

/// Which tables there are.
pub(super) fn table_state(state: &TableState) -> String {
    let more = if state.generating {
        "; generating more"
    } else {
        ""
    };
    let folder = state.folder.display();
    match state.ready {
        0 if state.generating => format!("no tables in {folder}{more}"),
        0 => format!(
            "no tables in {folder}; to generate those of up to 4 men: setoption name GenerateTB value 4"
        ),
        ready => format!(
            "{} of up to {} men in {folder}{more}",
            human::counted(ready as u64, "table", "tables"),
            state.men
        ),
    }
}

/// An exact value, for people.
pub(super) fn value(value: Value) -> String {
    match value {
        Value::Win(plies) => format!(
            "the side to move mates in {plies} plies ({} moves)",
            plies.moves()
        ),
        Value::Draw => "draw".to_owned(),
        Value::Loss(plies) => format!(
            "the side to move is mated in {plies} plies ({} moves)",
            plies.moves()
        ),
    }
}

/// The board as lines of text, White at the bottom.
pub(super) fn board(position: &Position) -> Vec<String> {
    let mut lines = Vec::new();
    for rank in Rank::ALL.into_iter().rev() {
        let mut line = format!("{} ", rank.to_char());
        for file in File::ALL {
            line.push(' ');
            line.push(
                position
                    .at(Square::at(file, rank))
                    .map_or('.', |piece| piece.to_char()),
            );
        }
        lines.push(line);
    }
    lines.push("   a b c d e f g h".to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_engine::WinDrawLoss;
    use std::time::Duration;

    fn sample() -> Line {
        let castle = Move::castle(Square::E1, Square::H1);
        Line {
            depth: 12,
            seldepth: 20,
            multipv: 1,
            score: ReportedScore::Mate(-200),
            bound: Bound::Lower,
            wdl: WinDrawLoss {
                win: 1,
                draw: 2,
                loss: 997,
            },
            nodes: 1000,
            time: Duration::from_millis(50),
            nps: 20000,
            hashfull: 3,
            tbhits: 4,
            pv: vec![
                castle,
                Move::promote(Square::A7, Square::A8, duchamp_chess::Role::Queen),
            ],
        }
    }

    #[test]
    fn lines_have_their_parts_in_order() {
        let style = Style {
            chess960: false,
            wdl: true,
        };
        assert_eq!(
            line(&sample(), style),
            "info depth 12 seldepth 20 multipv 1 score mate -200 lowerbound wdl 1 2 997 nodes 1000 nps 20000 \
             hashfull 3 tbhits 4 time 50 pv e1g1 a7a8q"
        );
        let style = Style {
            chess960: true,
            wdl: false,
        };
        let other = Line {
            bound: Bound::Exact,
            score: ReportedScore::Centipawns(-7),
            pv: Vec::new(),
            ..sample()
        };
        assert_eq!(
            line(&other, style),
            "info depth 12 seldepth 20 multipv 1 score cp -7 nodes 1000 nps 20000 hashfull 3 tbhits 4 time 50"
        );
    }

    #[test]
    fn castling_follows_the_option() {
        let castle = Move::castle(Square::E8, Square::A8);
        assert_eq!(
            (castle.uci(false), castle.uci(true)),
            ("e8c8".to_owned(), "e8a8".to_owned())
        );
        let odd = Move::castle(Square::B1, Square::C1);
        assert_eq!(odd.uci(false), "b1c1");
        assert_eq!(best(None, None, Style::default()), "bestmove (none)");
        assert_eq!(
            best(Some(castle), Some(castle), Style::default()),
            "bestmove e8c8 ponder e8c8"
        );
        assert_eq!(string("a\nb"), "info string a b");
    }
}
