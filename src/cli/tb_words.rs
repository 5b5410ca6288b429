//! Values of tables in words.

use super::tb_game::TableGame;
use duchamp_base::{Plies, Wdl, human};
use duchamp_chess_tables::{Metric, ProbedValues, SideCounts, ZugzwangCounts, ZugzwangKind};

/// What the distances of a metric lead to.
pub(super) const fn end_of(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl | Metric::Dtm => "mate",
        Metric::Dtc => "conversion",
        Metric::Dtz => "zeroing",
    }
}

/// A distance in words: `69 plies (35 moves)`.
pub(super) fn length(plies: Plies) -> String {
    let counted = |count: u16, one: &str, more: &str| {
        let unit = if count == 1 { one } else { more };
        format!("{count} {unit}")
    };
    let moves = counted(plies.moves(), "move", "moves");
    format!("{} ({moves})", counted(plies.0, "ply", "plies"))
}

/// The longest win of a table, either side to move; `None` if nothing is won.
pub(super) fn longest_win(counts: &[SideCounts]) -> Option<Plies> {
    let longest = counts.iter().map(|side| side.longest_win).max();
    longest.filter(|plies| *plies > 0).map(Plies)
}

/// Counts of mutual zugzwangs: the sum, then those of each kind that occurs.
pub(super) fn zugzwangs(counts: &ZugzwangCounts) -> String {
    let kinds = ZugzwangKind::ALL.into_iter();
    let kinds = kinds.filter(|kind| counts.of(*kind) > 0);
    let kinds: Vec<String> = kinds
        .map(|kind| format!("{} {}", counts.of(kind), kind.name()))
        .collect();
    match counts.total() {
        0 => "0".to_owned(),
        total => format!("{total} ({})", kinds.join(", ")),
    }
}

/// The values of a position in words: a headline, then the distances.
pub(super) fn in_words<G: TableGame>(position: &G::Position, values: ProbedValues) -> String {
    let side = G::SIDES[G::turn(position).index()];
    if values.wdl == Wdl::Draw {
        return "draw".to_owned();
    }
    if let Some(ended) = G::ended(position) {
        return format!("{side} is {ended}");
    }
    let mut text = match values.wdl {
        Wdl::Win => format!("{side} wins"),
        Wdl::CursedWin => format!("{side} wins, but the 50-move rule makes it a draw"),
        Wdl::BlessedLoss => format!("{side} loses, but the 50-move rule makes it a draw"),
        Wdl::Loss | Wdl::Draw => format!("{side} loses"),
    };
    let mate = match values.wdl {
        Wdl::Win | Wdl::CursedWin => "mate",
        _ => "mated",
    };
    let mut mark = ':';
    for (what, plies) in [
        (mate, values.dtm),
        ("conversion", values.dtc),
        ("capture or pawn move", values.dtz),
    ] {
        if let Some(plies) = plies {
            let moves = human::counted(plies.moves().into(), "move", "moves");
            let plies = human::counted(plies.0.into(), "ply", "plies");
            text += &format!("{mark} {what} in {moves} ({plies})");
            mark = ',';
        }
    }
    text
}

/// So many tables.
pub(super) fn tables(count: usize) -> String {
    human::counted(count as u64, "table", "tables")
}
