//! Wu and Beal's table: the rows as printed, ours beside them, and what explains a difference.

use super::super::Failure;
use super::super::columns::{Columns, Side};
use duchamp_base::human;
use duchamp_xiangqi_tables::{Material, Pawns, WuBeal};
use std::io::{self, Write};

/// The table as printed, with its source.
const ROWS: &str = include_str!("wu_beal.csv");

/// Rows that the paper or its scan prints under another name.
const NAMES: [(&str, &str); 4] = [
    (
        "cpp-aaee",
        "printed as cgp-aaee; its real size is that of cpp-aaee, which the paper's list of sizes has",
    ),
    (
        "hpp-aee",
        "printed as hpp-ae; its real size is that of hpp-aee",
    ),
    (
        "aagp-aee",
        "printed as aagp-ae; its real size is that of aagp-aee",
    ),
    (
        "egg-aee",
        "printed as egg-ae; its real size is that of egg-aee",
    ),
];

/// The whole figures that the paper prints of aegp-aaee, and of its high pawn: Red to move won and drawn, Black to move
/// drawn and lost.
const WHOLE: [(Pawns, [u64; 4]); 2] = [
    (
        Pawns::Anywhere,
        [3_675_404_592, 1_536_511_488, 2_632_685_192, 2_579_230_888],
    ),
    (
        Pawns::High,
        [1_836_755_904, 7_324_704, 201_247_072, 1_642_833_536],
    ),
];
/// The row that they are of.
pub(super) const LARGEST: &str = "aegp-aaee";

/// A row of the paper.
pub(super) struct Row {
    /// The ending, ` highpawn` after it where the row counts high pawns only.
    pub(super) name: String,
    pub(super) material: Material,
    pub(super) pawns: Pawns,
    /// Not printed of high pawns.
    db_size: Option<u64>,
    real_size: u64,
    dtc: u16,
    /// Red to move won, drawn; Black to move drawn, lost, as printed.
    percents: [String; 4],
}

/// A row beside ours, `None` where the table is missing.
pub(super) struct Compared {
    pub(super) row: Row,
    pub(super) ours: Option<WuBeal>,
}

/// All rows.
pub(super) fn rows() -> Result<Vec<Row>, Failure> {
    let lines = ROWS
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.skip(1).map(row).collect()
}

fn row(line: &str) -> Result<Row, Failure> {
    let wrong = || Failure::Failed(format!("no row of the paper: {line}"));
    let fields: Vec<&str> = line.split(',').collect();
    let [name, db_size, real_size, dtc, percents @ ..] = &fields[..] else {
        return Err(wrong());
    };
    let percents: [&str; 4] = percents.try_into().map_err(|_| wrong())?;
    let ending = name.split(' ').next().unwrap_or_default();
    Ok(Row {
        name: (*name).to_owned(),
        material: ending.parse().map_err(Failure::failed)?,
        pawns: if name.ends_with(" highpawn") {
            Pawns::High
        } else {
            Pawns::Anywhere
        },
        db_size: db_size.parse().ok(),
        real_size: real_size.parse().map_err(|_| wrong())?,
        dtc: dtc.parse().map_err(|_| wrong())?,
        percents: percents.map(str::to_owned),
    })
}

/// The four columns of counts.
fn counts(ours: &WuBeal) -> [u64; 4] {
    [ours.rtm_win, ours.rtm_draw, ours.btm_draw, ours.btm_loss]
}

/// The same in percent of the real size, to two digits.
fn percents(ours: &WuBeal) -> [String; 4] {
    let all = ours.real_size.max(1) as f64;
    counts(ours).map(|count| format!("{:.2}", 100.0 * count as f64 / all))
}

impl Compared {
    /// The columns in which ours differs, with both values.
    fn differences(&self) -> Vec<String> {
        let Some(ours) = &self.ours else {
            return Vec::new();
        };
        let row = &self.row;
        let mut columns = vec![
            (
                "real size",
                row.real_size.to_string(),
                ours.real_size.to_string(),
            ),
            ("dtc", row.dtc.to_string(), ours.dtc_moves.to_string()),
        ];
        if let Some(size) = row.db_size {
            columns.push(("db size", size.to_string(), ours.db_size.to_string()));
        }
        let names = ["RTM win", "RTM draw", "BTM draw", "BTM loss"];
        for ((name, paper), ours) in names.into_iter().zip(&row.percents).zip(percents(ours)) {
            columns.push((name, paper.clone(), ours));
        }
        columns
            .into_iter()
            .filter(|(_, paper, ours)| paper != ours)
            .map(|(name, paper, ours)| format!("{name} {paper} in the paper, {ours} here"))
            .collect()
    }

    /// The end of the row: `equal`, `differs`, `missing`.
    fn verdict(&self) -> &'static str {
        match &self.ours {
            None => "missing",
            Some(_) if self.differences().is_empty() => "equal",
            Some(_) => "differs",
        }
    }

    pub(super) fn json(&self) -> serde_json::Value {
        let row = &self.row;
        let [rtm_win, rtm_draw, btm_draw, btm_loss] = &row.percents;
        let ours = self.ours.as_ref().map(|ours| {
            serde_json::json!({
                "db_size": ours.db_size, "real_size": ours.real_size, "dtc_moves": ours.dtc_moves,
                "rtm_win": ours.rtm_win, "rtm_draw": ours.rtm_draw, "rtm_loss": ours.rtm_loss,
                "btm_draw": ours.btm_draw, "btm_loss": ours.btm_loss,
                "percent": percents(ours),
            })
        });
        serde_json::json!({
            "ending": row.material.to_string(),
            "high_pawn": row.pawns == Pawns::High,
            "paper": {
                "db_size": row.db_size, "real_size": row.real_size, "dtc_moves": row.dtc,
                "percent": [rtm_win, rtm_draw, btm_draw, btm_loss],
            },
            "ours": ours,
            "verdict": self.verdict(),
            "differences": self.differences(),
        })
    }

    /// The cells of the paper's line and of ours.
    fn cells(&self) -> [Vec<String>; 2] {
        let grouped = |count: u64| human::grouped(count, ',');
        let row = &self.row;
        let mut paper = vec![
            row.name.clone(),
            "paper".to_owned(),
            row.db_size.map_or(String::new(), grouped),
            grouped(row.real_size),
            row.dtc.to_string(),
        ];
        paper.extend(row.percents.iter().cloned());
        paper.push(String::new());
        let mut own = vec![String::new(), "ours".to_owned()];
        match &self.ours {
            Some(ours) => {
                let db_size = row.db_size.map(|_| grouped(ours.db_size));
                own.push(db_size.unwrap_or_default());
                own.push(grouped(ours.real_size));
                own.push(ours.dtc_moves.to_string());
                own.extend(percents(ours));
            }
            None => own.resize(9, String::new()),
        }
        own.push(self.verdict().to_owned());
        [paper, own]
    }
}

const HEADS: [(&str, Side); 10] = [
    ("ending", Side::Left),
    ("", Side::Left),
    ("db size", Side::Right),
    ("real size", Side::Right),
    ("dtc", Side::Right),
    ("RTM win %", Side::Right),
    ("RTM draw %", Side::Right),
    ("BTM draw %", Side::Right),
    ("BTM loss %", Side::Right),
    ("", Side::Left),
];

/// Writes the rows as text.
pub(super) fn write_text(all: &[Compared], out: &mut impl Write) -> io::Result<()> {
    let mut columns = Columns::new(HEADS);
    for compared in all {
        for cells in compared.cells() {
            columns.row(cells);
        }
    }
    columns.write(out)
}

/// Writes the rows as a table of Markdown.
pub(super) fn write_markdown(all: &[Compared], out: &mut impl Write) -> io::Result<()> {
    let heads = HEADS.map(|(head, _)| head).join(" | ");
    writeln!(out, "| {heads} |")?;
    let rules = HEADS.map(|(_, side)| if side == Side::Left { "---" } else { "---:" });
    writeln!(out, "| {} |", rules.join(" | "))?;
    for compared in all {
        for cells in compared.cells() {
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
    }
    Ok(())
}

/// Writes what the rows come to: differences with their reasons, and names that print has wrong.
pub(super) fn write_notes(all: &[Compared], out: &mut impl Write) -> io::Result<()> {
    let count = |verdict| all.iter().filter(|one| one.verdict() == verdict).count();
    writeln!(
        out,
        "{} rows: {} equal to every printed digit, {} different, {} missing",
        all.len(),
        count("equal"),
        count("differs"),
        count("missing")
    )?;
    for compared in all {
        let name = &compared.row.name;
        if let Some((_, why)) = NAMES.iter().find(|(ending, _)| ending == name) {
            writeln!(out, "  {name}: {why}")?;
        }
        for difference in compared.differences() {
            writeln!(out, "  {name}: {difference}; no reason is known")?;
        }
    }
    writeln!(
        out,
        "Percentages are of the real size: ordered placements of all men on squares of their own, kings not facing. Where\n\
         Red can take the king with Red to move, the position counts as won in 0."
    )
}

/// Writes the eight whole figures that the paper prints of its largest ending, beside ours.
pub(super) fn write_whole(all: &[Compared], out: &mut impl Write) -> io::Result<()> {
    for (pawns, printed) in WHOLE {
        let found = all
            .iter()
            .find(|one| one.row.material.to_string() == LARGEST && one.row.pawns == pawns);
        let Some(ours) = found.and_then(|one| one.ours.as_ref()) else {
            continue;
        };
        let what = if pawns == Pawns::High {
            ", high pawn"
        } else {
            ""
        };
        writeln!(out, "{LARGEST}{what}, in whole numbers:")?;
        let names = ["RTM win", "RTM draw", "BTM draw", "BTM loss"];
        for ((name, paper), ours) in names.into_iter().zip(printed).zip(counts(ours)) {
            let verdict = if paper == ours { "equal" } else { "differs" };
            writeln!(
                out,
                "  {name:8}  paper {:>13}  ours {:>13}  {verdict}",
                human::grouped(paper, ','),
                human::grouped(ours, ',')
            )?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_xiangqi_tables::paper_size;

    #[test]
    fn all_rows_are_read_and_have_the_papers_index() {
        let rows = rows().expect("rows");
        assert_eq!(rows.len(), 39);
        for row in rows {
            assert!(
                row.pawns == Pawns::High || row.db_size.is_some(),
                "{}",
                row.name
            );
            if let Some(size) = row.db_size {
                assert_eq!(paper_size(row.material), size, "{}", row.name);
            }
        }
    }
}
