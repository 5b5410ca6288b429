//! Tables of text with straight columns.

use std::io::{self, Write};

/// How the cells of a column are aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with a heading; columns are as wide as what they hold.
pub(super) struct Columns {
    heads: Vec<(String, Side)>,
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    Rule,
}

impl Columns {
    pub(super) fn new(heads: impl IntoIterator<Item = (&'static str, Side)>) -> Columns {
        Columns {
            heads: heads
                .into_iter()
                .map(|(head, side)| (head.to_owned(), side))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; cells that it lacks are empty.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    /// Adds a horizontal rule.
    pub(super) fn rule(&mut self) {
        self.rows.push(Row::Rule);
    }

    /// Writes the table, two blanks between columns, none at the ends of lines.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let widths: Vec<usize> = (0..self.heads.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| match row {
                    Row::Cells(cells) => cells.get(column),
                    Row::Rule => None,
                });
                let all = cells.chain([&self.heads[column].0]);
                all.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let line = |cells: &[String]| {
            let mut line = String::new();
            for (column, (&width, (_, side))) in widths.iter().zip(&self.heads).enumerate() {
                let cell = cells.get(column).map_or("", String::as_str);
                let gap = if column == 0 { "" } else { "  " };
                line += &match side {
                    Side::Left => format!("{gap}{cell:width$}"),
                    Side::Right => format!("{gap}{cell:>width$}"),
                };
            }
            line.truncate(line.trim_end().len());
            line
        };
        let heads: Vec<String> = self.heads.iter().map(|(head, _)| head.clone()).collect();
        writeln!(out, "{}", line(&heads))?;
        let rule = "-".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1));
        writeln!(out, "{rule}")?;
        for row in &self.rows {
            match row {
                Row::Cells(cells) => writeln!(out, "{}", line(cells))?,
                Row::Rule => writeln!(out, "{rule}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_straight() {
        let mut columns =
            Columns::new([("name", Side::Left), ("n", Side::Right), ("", Side::Left)]);
        columns.row(["a", "1", "x"].map(String::from));
        columns.rule();
        columns.row(["long name", "1234"].map(String::from));
        let mut out = Vec::new();
        columns.write(&mut out).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(
            text,
            "name          n\n------------------\na             1  x\n------------------\nlong name  1234\n"
        );
    }
}
