//! The ways two kings can stand: the rows of a table.
//!
//! Without pawns the board has eight symmetries, so White's king can be brought into the triangle
//! a1-d1-d4 and, if it stands on the diagonal, Black's on or below it: 462 pairs of kings that do
//! not touch. With pawns the mirror of the files is used up by the leading pawn, and all 3,612
//! pairs are rows.

use super::symmetry::Symmetry;
use duchamp_chess::Color;
use std::sync::OnceLock;

/// A row reached by a king's step, and the symmetry that brings the board into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The row.
    pub(crate) row: u16,
    /// Turns the board after the step into the row's.
    pub(crate) symmetry: Symmetry,
}

/// All king pairs of one kind, their numbers and their steps.
#[derive(Debug)]
pub(crate) struct KingPairs {
    /// White's and Black's king by row.
    squares: Vec<[u8; 2]>,
    /// Row and symmetry by `white * 64 + black`; `None` where the kings touch.
    index: Vec<Option<Step>>,
    /// Per colour of the king that steps: where each row's steps begin in `steps`.
    starts: [Vec<u32>; 2],
    steps: [Vec<Step>; 2],
}

impl KingPairs {
    /// The 462 pairs of tables without pawns.
    pub(crate) fn symmetric() -> &'static KingPairs {
        static PAIRS: OnceLock<KingPairs> = OnceLock::new();
        PAIRS.get_or_init(|| KingPairs::new(true))
    }

    /// All 3,612 pairs.
    pub(crate) fn all() -> &'static KingPairs {
        static PAIRS: OnceLock<KingPairs> = OnceLock::new();
        PAIRS.get_or_init(|| KingPairs::new(false))
    }

    fn new(symmetric: bool) -> KingPairs {
        let normal = |white: u8, black: u8| {
            if symmetric {
                normalise(white, black)
            } else {
                Symmetry::NONE
            }
        };
        let mut pairs = KingPairs {
            squares: Vec::new(),
            index: vec![None; 64 * 64],
            starts: [vec![0], vec![0]],
            steps: [Vec::new(), Vec::new()],
        };
        for white in 0..64u8 {
            for black in 0..64u8 {
                if apart(white, black) && normal(white, black).is_none() {
                    let row = pairs.squares.len() as u16;
                    pairs.squares.push([white, black]);
                    pairs.index[usize::from(white) * 64 + usize::from(black)] = Some(Step {
                        row,
                        symmetry: Symmetry::NONE,
                    });
                }
            }
        }
        for white in 0..64u8 {
            for black in 0..64u8 {
                let symmetry = normal(white, black);
                if apart(white, black) && !symmetry.is_none() {
                    let (w, b) = (symmetry.square(white), symmetry.square(black));
                    let row = pairs.index[usize::from(w) * 64 + usize::from(b)]
                        .map_or(0, |step| step.row);
                    pairs.index[usize::from(white) * 64 + usize::from(black)] =
                        Some(Step { row, symmetry });
                }
            }
        }
        for row in 0..pairs.squares.len() {
            let [white, black] = pairs.squares[row];
            for color in Color::ALL {
                let from = if color == Color::White { white } else { black };
                for to in (0..64).filter(|&to| to != from && !apart(from, to)) {
                    let step = if color == Color::White {
                        pairs.find(to, black)
                    } else {
                        pairs.find(white, to)
                    };
                    pairs.steps[color.index()].extend(step);
                }
                // Steps that need no symmetry first: they are the cheap ones.
                let start = *pairs.starts[color.index()].last().unwrap_or(&0) as usize;
                pairs.steps[color.index()][start..].sort_by_key(|step| !step.symmetry.is_none());
                pairs.starts[color.index()].push(pairs.steps[color.index()].len() as u32);
            }
        }
        pairs
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// White's and Black's king in a row.
    #[inline]
    pub(crate) fn kings(&self, row: usize) -> [u8; 2] {
        self.squares[row]
    }

    /// The row of two kings and the symmetry into it; `None` if they touch or coincide.
    #[inline]
    pub(crate) fn find(&self, white: u8, black: u8) -> Option<Step> {
        self.index[usize::from(white & 63) * 64 + usize::from(black & 63)]
    }

    /// Where the king of `color` can step from a row, ignoring other pieces.
    #[inline]
    pub(crate) fn steps(&self, color: Color, row: usize) -> &[Step] {
        let starts = &self.starts[color.index()];
        &self.steps[color.index()][starts[row] as usize..starts[row + 1] as usize]
    }
}

/// Whether two kings neither touch nor coincide.
fn apart(a: u8, b: u8) -> bool {
    let (df, dr) = ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3));
    df.max(dr) > 1
}

/// Brings White's king into the triangle a1-d1-d4, and Black's on or below the diagonal if White's is on it.
fn normalise(white: u8, black: u8) -> Symmetry {
    let (files, ranks) = (white & 7 > 3, white >> 3 > 3);
    let half = Symmetry::new(files, ranks, false);
    let above = |s: u8| (s >> 3).cmp(&(s & 7));
    let diagonal = above(half.square(white))
        .then(above(half.square(black)))
        .is_gt();
    Symmetry::new(files, ranks, diagonal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_steps() {
        for (pairs, rows) in [(KingPairs::symmetric(), 462), (KingPairs::all(), 3612)] {
            assert_eq!(pairs.len(), rows);
            for white in 0..64u8 {
                for black in 0..64u8 {
                    let Some(step) = pairs.find(white, black) else {
                        assert!(!apart(white, black));
                        continue;
                    };
                    assert_eq!(
                        pairs.kings(step.row.into()),
                        [white, black].map(|s| step.symmetry.square(s))
                    );
                }
            }
            // A step can be taken back: the relation between rows is symmetric.
            for color in Color::ALL {
                for row in 0..rows {
                    for step in pairs.steps(color, row) {
                        assert!(
                            pairs
                                .steps(color, step.row.into())
                                .iter()
                                .any(|back| usize::from(back.row) == row)
                        );
                    }
                }
            }
        }
    }
}
