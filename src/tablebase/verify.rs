//! Checking finished tables, position by position, by the rules of chess.
//!
//! For every cell of a table: is it a legal position, what do its legal moves lead to (looked up in the
//! files), and does the best of that agree with the file? Un-moves, level loops and word kernels play no
//! part. Values that agree everywhere at one ply are right everywhere: distances fall by one
//! along every best line, so each ends in a mate, and what is called a draw has no way into a win.
//! Also compared: the number of legal positions with the counts in the header.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::dense::{Dense, DenseSet, Reader, legal_position};
use super::format::FormatError;
use super::layout::Index;
use super::material::Material;
use super::tables::Tables;
use crate::base::{Cancelled, Control};
use crate::chess::Position;

/// Words that a thread takes at a time.
const CHUNK: usize = 64;

/// What the verification of one table found.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The table.
    pub material: Material,
    /// Legal positions looked at, each symmetry class once, both sides to move.
    pub positions: u64,
    /// Positions whose value does not agree with their moves, and wrong counts.
    pub errors: u64,
    /// The first error found, in words.
    pub first: Option<String>,
    /// Wall time.
    pub elapsed: Duration,
}

/// Why a verification ended early.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A table is not there, or one that its moves lead to.
    #[error("table {0} is missing")]
    Missing(Material),
    /// A file cannot be read.
    #[error("table {material}: {source}")]
    Damaged {
        /// The table.
        material: Material,
        /// What was found.
        source: FormatError,
    },
}

/// Errors of one table.
#[derive(Default)]
struct Errors {
    count: AtomicU64,
    first: Mutex<Option<String>>,
}

impl Errors {
    fn add(&self, text: impl FnOnce() -> String) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(text);
    }
}

impl Tables {
    /// Verifies tables on the threads of the current pool; `each` is told the result of each.
    ///
    /// # Errors
    /// When cancelled, or when a file is missing or damaged.
    pub fn verify(
        &self,
        materials: &[Material],
        control: &Control,
        each: &mut dyn FnMut(&Verified),
    ) -> Result<Vec<Verified>, VerifyError> {
        let mut results = Vec::new();
        let mut set = DenseSet::new();
        let mut order = materials.to_vec();
        order.sort_by_key(|material| (material.men(), material.pawns(), *material));
        for (n, &material) in order.iter().enumerate() {
            // Only tables that are still needed stay in memory.
            set.retain(|kept, _| {
                order[n..]
                    .iter()
                    .any(|later| later.children().contains(kept))
            });
            let verified = self.verify_one(material, &mut set, control)?;
            each(&verified);
            results.push(verified);
        }
        Ok(results)
    }

    /// Brings the tables that a material's moves lead to into memory, with lengths of losses.
    pub(super) fn read_children(
        &self,
        material: Material,
        set: &mut DenseSet,
        control: &Control,
    ) -> Result<(), VerifyError> {
        for child in material.children() {
            if !set.contains_key(&child) {
                self.read_children(child, set, control)?;
                let mut dense = self.read_dense(child)?;
                dense.fill_losses(set, control, &|_| {})?;
                set.insert(child, dense);
            }
        }
        Ok(())
    }

    pub(super) fn read_dense(&self, material: Material) -> Result<Dense, VerifyError> {
        let table = self.table(material).ok_or(VerifyError::Missing(material))?;
        Dense::read(table).map_err(|source| {
            self.retire(material, &source);
            VerifyError::Damaged { material, source }
        })
    }

    fn verify_one(
        &self,
        material: Material,
        set: &mut DenseSet,
        control: &Control,
    ) -> Result<Verified, VerifyError> {
        let start = Instant::now();
        self.read_children(material, set, control)?;
        let errors = Errors::default();
        let mut dense = self.read_dense(material)?;
        dense.fill_losses(set, control, &|position| {
            errors.add(|| {
                format!(
                    "{}: said to be lost, but not every move loses",
                    position.fen()
                )
            });
        })?;
        let table = self.table(material).ok_or(VerifyError::Missing(material))?;
        let counts = table.wdl.header().counts;
        let longest: u16 = counts
            .iter()
            .map(|side| side.longest_win.max(side.longest_loss))
            .max()
            .unwrap_or(0);
        let mut positions = 0;
        for (side, &color) in dense.layout.sides().iter().enumerate() {
            let legal = AtomicU64::new(0);
            let reader = Reader {
                me: &dense,
                mine: None,
                all: set,
            };
            let words = dense.layout.words();
            (0..words.div_ceil(CHUNK))
                .into_par_iter()
                .try_for_each(|chunk| {
                    control.check()?;
                    let mut seen = 0;
                    for cell in chunk * CHUNK * 64..words.min((chunk + 1) * CHUNK) * 64 {
                        let index = Index {
                            side: color,
                            cell: cell as u64,
                        };
                        let Some(position) = legal_position(&dense.layout, index) else {
                            continue;
                        };
                        seen += 1;
                        check(&position, index, &dense, &reader, longest, &errors);
                    }
                    legal.fetch_add(seen, Ordering::Relaxed);
                    Ok::<(), Cancelled>(())
                })?;
            let legal = legal.into_inner();
            positions += legal;
            let told = counts[side].won + counts[side].drawn + counts[side].lost;
            if told != legal {
                errors.add(|| {
                    format!("{material}: {legal} legal positions, but the file counts {told}")
                });
            }
        }
        set.insert(material, dense);
        Ok(Verified {
            material,
            positions,
            errors: errors.count.into_inner(),
            first: errors
                .first
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            elapsed: start.elapsed(),
        })
    }
}

/// Compares a position with its moves.
fn check(
    position: &Position,
    index: Index,
    dense: &Dense,
    reader: &Reader<'_>,
    longest: u16,
    errors: &Errors,
) {
    let told = dense.get(index);
    let found = reader.by_moves(position);
    if told != found {
        errors.add(|| {
            format!(
                "{}: {:?} by the table, {:?} by its moves",
                position.fen(),
                told.value(),
                found.value()
            )
        });
    } else if told.value().plies().is_some_and(|plies| plies.0 > longest) {
        errors.add(|| {
            format!(
                "{}: {:?} is longer than the file's longest",
                position.fen(),
                told.value()
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode::encode;
    use super::super::format::Metric;
    use super::super::solve::solve;
    use super::super::solved::{Solved, SubTables};
    use super::*;
    use crate::chess::Color;
    use crate::retro::Code;
    use std::sync::Arc;

    struct NoTables;

    impl SubTables for NoTables {
        fn get(&self, _: Material) -> Result<Arc<Solved>, String> {
            Err("none".to_owned())
        }
    }

    /// Writes KRvK with one legal cell of `side` changed, and verifies it.
    fn verify_with(side: Color, change: impl Fn(Code) -> Option<Code>) -> Verified {
        let material: Material = "KRvK".parse().expect("a material");
        let control = Control::new(1);
        let solved = solve(material, &NoTables, &control).expect("solved");
        let layout = Arc::clone(solved.layout());
        let mut codes: Vec<Vec<u8>> = layout
            .sides()
            .iter()
            .map(|&side| solved.side(side).codes.to_vec())
            .collect();
        let changed = (0..layout.cells()).find_map(|cell| {
            legal_position(&layout, Index { side, cell })?;
            let code = Code(codes[side.index()][cell as usize]);
            Some((cell, change(code)?))
        });
        if let Some((cell, code)) = changed {
            codes[side.index()][cell as usize] = code.0;
        }
        let encoded = encode(&Solved::from_codes(layout, codes), &control).expect("encoded");
        let dir = tempfile::tempdir().expect("a folder");
        let tables = Tables::open(dir.path());
        let write = |metric, bytes: &[u8]| tables.folder().write(material, metric, bytes);
        write(Metric::Wdl, &encoded.wdl).expect("written");
        write(Metric::Dtm, &encoded.dtm).expect("written");
        tables.rescan();
        let results = tables.verify(&[material], &control, &mut |_| {});
        results.expect("verified").remove(0)
    }

    #[test]
    fn right_tables_pass_and_wrong_values_are_found() {
        assert_eq!(verify_with(Color::White, |_| None).errors, 0);
        let longer = |code: Code| (code == Code::win(5)).then_some(Code::win(6));
        assert!(verify_with(Color::White, longer).errors > 0);
        let drawn = |code: Code| code.is_win().then_some(Code::DRAW);
        assert!(verify_with(Color::White, drawn).errors > 0);
        let lost = |code: Code| (code == Code::DRAW).then_some(Code::loss(3));
        assert!(verify_with(Color::Black, lost).errors > 0);
        let saved = |code: Code| code.is_loss().then_some(Code::DRAW);
        assert!(verify_with(Color::Black, saved).errors > 0);
    }
}
