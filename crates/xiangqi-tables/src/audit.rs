//! A fast verification of whole tables by moves forward only.
//!
//! The values of a table and of those that its captures lead to lie in memory, a byte a cell. Every legal position is
//! put together from the numbering, moved by the attacks of `duchamp-xiangqi`, and what its moves lead to is compared
//! with what the file says. No kernel, no un-move and no level loop takes part. Files store no lengths of losses: those
//! of a side are found first, from the other side's wins, and the wins are compared with what follows from them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};

use duchamp_base::{Control, Gauge, Plies, Value};
use duchamp_retro::{Bits, Code, Side, Wide};
use duchamp_tablebase::{Audit, CODED_BLOCK, Index, Metric, SideCounts, Wrong};
use rayon::prelude::*;

use crate::aliases::{Store, VerifyError};
use crate::game::Xiangqi;
use crate::geometry::squares;
use crate::layout::Layout;
use crate::look::{Held, Look, Place, RowMen};
use crate::material::Material;

/// Words that a thread reads at a time: whole blocks of a file.
const CHUNK: usize = 64 * CODED_BLOCK;

/// What counts the rows that are looked at, and what may cancel that.
type Steering<'s> = (&'s Gauge, &'s Control);

/// Verifies tables of one metric, one after another, and remembers what the next ones need.
pub(crate) struct Forward<'s> {
    store: &'s Store,
    metric: Metric,
    held: BTreeMap<Material, Held>,
}

impl<'s> Forward<'s> {
    pub(crate) fn new(store: &'s Store, metric: Metric) -> Forward<'s> {
        Forward {
            store,
            metric,
            held: BTreeMap::new(),
        }
    }

    /// Reads a table, with lengths of wins; losses have none yet.
    fn read(&self, material: Material, control: &Control) -> Result<Held, VerifyError> {
        let table = self
            .store
            .table(material)
            .ok_or(VerifyError::Missing(material))?;
        let damaged = |source| VerifyError::Damaged {
            key: material,
            source,
        };
        let layout = Layout::new(material);
        let block = self.metric.spec().block_words as usize;
        let mut codes = [(); 2].map(|()| vec![Code::DRAW; layout.words() * 64]);
        for (side, codes) in codes.iter_mut().enumerate() {
            codes
                .par_chunks_mut(64 * CHUNK)
                .enumerate()
                .try_for_each(|(chunk, codes)| {
                    control.check()?;
                    let first = chunk * CHUNK;
                    let mut words = codes.as_chunks_mut::<64>().0.iter_mut();
                    let each = |word: duchamp_tablebase::Word| {
                        if let Some(codes) = words.next() {
                            Bits(word.won).for_each(|bit| codes[bit] = Code::win(0));
                            Bits(word.lost).for_each(|bit| codes[bit] = Code::loss(0));
                        }
                    };
                    let count = codes_words(layout.words(), first);
                    table
                        .read_words(side, first..first + count, each)
                        .map_err(damaged)
                })?;
            let blocks = codes.par_chunks_mut(64 * block).enumerate();
            blocks.try_for_each(|(number, codes)| {
                control.check()?;
                let wins = table
                    .block_lengths(self.metric, side, number)
                    .map_err(damaged)?;
                for (code, &plies) in codes
                    .iter_mut()
                    .zip(&wins)
                    .filter(|(code, _)| code.is_win())
                {
                    *code = won_in(plies);
                }
                Ok::<(), VerifyError>(())
            })?;
            layout.fill_duplicates(codes);
        }
        Ok(Held { layout, codes })
    }

    /// Has a table with all lengths; those of its children too if the metric asks for them.
    fn complete(&mut self, material: Material, control: &Control) -> Result<Held, VerifyError> {
        self.bring_children(material, control)?;
        let mut held = self.read(material, control)?;
        let steering = (&Gauge::default(), control);
        self.fill_in(&mut held, steering, &|_, _, _| {})?;
        Ok(held)
    }

    fn bring_children(&mut self, material: Material, control: &Control) -> Result<(), VerifyError> {
        for child in material.children() {
            if !self.held.contains_key(&child) {
                // To conversion a capture counts by the result alone.
                let held = if self.metric == Metric::Dtc {
                    self.read(child, control)?
                } else {
                    self.complete(child, control)?
                };
                self.held.insert(child, held);
            }
        }
        Ok(())
    }

    /// Finds the lengths of the losses of a table that was read; compares the values with Black to move with what the
    /// file has, and counts them.
    fn fill_in(
        &self,
        held: &mut Held,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<SideCounts, VerifyError> {
        self.fill_red_losses(held, steering.1)?;
        let (black, counts) = self.black_values(held, steering, wrong)?;
        held.codes[1] = black;
        held.layout.fill_duplicates(&mut held.codes[1]);
        Ok(counts)
    }

    /// Gives Red's losses their lengths by his moves, if there are any: only a stalemate beats him, which few endings
    /// allow.
    fn fill_red_losses(&self, held: &mut Held, control: &Control) -> Result<(), VerifyError> {
        let read = &*held;
        let stored = &read.codes[0];
        if !stored.par_iter().any(|code| code.is_loss()) {
            return Ok(());
        }
        let found: Vec<AtomicU8> = stored.iter().map(|code| AtomicU8::new(code.0)).collect();
        let steering = (&Gauge::default(), control);
        self.each_position(read, Side::First, steering, &|look, cell| {
            if !stored[cell].is_loss() {
                return stored[cell];
            }
            let value = look.red();
            // What is no loss is told when all of Red's values are compared.
            if value.is_loss() {
                found[cell].store(value.0, Ordering::Relaxed);
            }
            value
        })?;
        held.codes[0] = codes_of(found);
        held.layout.fill_duplicates(&mut held.codes[0]);
        Ok(())
    }

    /// The values with Black to move by the moves that he has, compared with what the file has.
    fn black_values(
        &self,
        held: &Held,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<(Vec<Code>, SideCounts), VerifyError> {
        let cells = held.codes[1].len();
        let found: Vec<AtomicU8> = (0..cells).map(|_| AtomicU8::new(Code::DRAW.0)).collect();
        let counts = self.each_position(held, Side::Second, steering, &|look, cell| {
            let value = look.black();
            found[cell].store(value.0, Ordering::Relaxed);
            let stored = held.codes[1][cell];
            // Losses have no lengths yet.
            if stored != value && !(stored.is_loss() && value.is_loss()) {
                wrong(cell_id(Side::Second, cell), stored.value(), value.value());
            }
            value
        })?;
        Ok((codes_of(found), counts))
    }

    /// Compares a table that was read with what its moves lead to; finds the lengths of its losses.
    fn compare(
        &self,
        held: &mut Held,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        let rows = held.layout.pawns().len() * held.layout.pairs().len();
        steering.0.start(2 * rows as u64);
        let black = self.fill_in(held, steering, wrong)?;
        let red = self.each_position(held, Side::First, steering, &|look, cell| {
            let (stored, found) = (held.codes[0][cell], look.red());
            if stored != found {
                wrong(cell_id(Side::First, cell), stored.value(), found.value());
            }
            found
        })?;
        Ok(vec![red, black])
    }

    /// Calls `f` with every legal canonical position of a table with a side to move, and counts the values that it
    /// returns.
    fn each_position(
        &self,
        held: &Held,
        side: Side,
        (gauge, control): Steering<'_>,
        f: &(dyn Fn(&Look<'_>, usize) -> Code + Sync),
    ) -> Result<SideCounts, VerifyError> {
        let layout = &held.layout;
        let rows = layout.pairs().len();
        let of_row = |number: usize| {
            control.check()?;
            let mut counts = SideCounts::default();
            let (slice, row) = (number / rows, number % rows);
            let men = RowMen::new(layout, row);
            for lane in 0..layout.lanes() {
                let Some(squares_of) = layout.lane_squares_of(slice, lane) else {
                    continue;
                };
                let mut all = squares_of.clone();
                all.push(0);
                let image = layout.lane_of(&all, true).map_or(lane, |found| found.1);
                let place = Place {
                    slice,
                    lane,
                    image,
                    first: layout.first_cell(slice, row, lane),
                };
                let kept = layout.canonical_lane(slice, row, lane, &squares_of);
                for square in squares(kept & layout.lane_squares()) {
                    let mut attackers = squares_of.clone();
                    attackers.push(square);
                    let look = Look::new((&self.held, self.metric), held, &men, &place, attackers);
                    if let Some(look) = look.filter(|look| side == Side::Second || !look.in_check())
                    {
                        let cell = place.first + usize::from(square);
                        add(&mut counts, f(&look, cell));
                    }
                }
            }
            gauge.add(1);
            Ok::<_, VerifyError>(counts)
        };
        let rows = (0..layout.pawns().len() * rows).into_par_iter().map(of_row);
        let mut counts = rows.try_reduce(SideCounts::default, |mut a, b| {
            a.add(&b);
            Ok(a)
        })?;
        counts.void = layout.cells() - counts.legal();
        Ok(counts)
    }
}

/// The value of a win of so many plies by the file; if no win takes so many, a draw, which is not what its moves give.
fn won_in(plies: u16) -> Code {
    Code::of(Value::Win(Plies(plies))).unwrap_or(Code::DRAW)
}

fn codes_of(found: Vec<AtomicU8>) -> Vec<Code> {
    let found = found.into_iter().map(|code| Code(code.into_inner()));
    found.collect()
}

/// How many words from `first` on a chunk has.
fn codes_words(words: usize, first: usize) -> usize {
    CHUNK.min(words - first)
}

fn cell_id(side: Side, cell: usize) -> duchamp_tablebase::CellId {
    duchamp_tablebase::CellId {
        side,
        cell: cell as u64,
    }
}

impl Audit<Xiangqi> for Forward<'_> {
    fn retain(&mut self, needed: &dyn Fn(Material) -> bool) {
        self.held.retain(|&material, _| needed(material));
    }

    fn verify(
        &mut self,
        key: Material,
        keep: bool,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        self.bring_children(key, steering.1)?;
        let mut held = self.read(key, steering.1)?;
        let counts = self.compare(&mut held, steering, wrong)?;
        if keep {
            self.held.insert(key, held);
        }
        Ok(counts)
    }

    fn values(&mut self, key: Material, control: &Control) -> Result<Vec<Vec<Wide>>, VerifyError> {
        let held = self.complete(key, control)?;
        let wide = |codes: Vec<Code>| {
            codes
                .into_par_iter()
                .map(|code| match code.value() {
                    Value::Win(plies) => Wide::win(plies.0),
                    Value::Draw => Wide::DRAW,
                    Value::Loss(plies) => Wide::loss(plies.0),
                })
                .collect()
        };
        Ok(held.codes.map(wide).into())
    }
}

/// Counts a position by its value.
fn add(counts: &mut SideCounts, code: Code) {
    match code.value() {
        Value::Win(plies) => {
            counts.won += 1;
            counts.longest_win = counts.longest_win.max(plies.0);
        }
        Value::Draw => counts.drawn += 1,
        Value::Loss(plies) => {
            counts.lost += 1;
            counts.longest_loss = counts.longest_loss.max(plies.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machinery::Generator;
    use duchamp_tablebase::GenerateOptions;
    use std::sync::atomic::AtomicU64;

    /// A length that no win can have is not taken for one that is right.
    #[test]
    fn false_lengths_are_no_wins() {
        assert_eq!([1, 3, 253].map(won_in), [0, 1, 126].map(Code::win));
        for plies in [0, 2, 254, 255, u16::MAX] {
            assert_eq!(won_in(plies), Code::DRAW, "{plies}");
        }
    }

    /// Right tables have no errors; each value that is changed is found, in both metrics. In aah-k and aah-a Red may be
    /// stalemated, so Black wins.
    #[test]
    fn changed_values_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path());
        let (control, gauge) = (Control::new(2), Gauge::default());
        let metrics = [Metric::Dtc, Metric::Dtm];
        let options = GenerateOptions {
            metrics: metrics.to_vec(),
            ..GenerateOptions::default()
        };
        let names = ["cp-k", "h-ae", "gg-a", "aah-k", "aah-a"];
        let wanted = names.map(|name| name.parse::<Material>().expect("a material"));
        Generator::new(&store)
            .run(&wanted, &options, &control, &mut |_| {})
            .expect("generated");
        for metric in metrics {
            for material in wanted {
                let errors = AtomicU64::new(0);
                let wrong = |_, _, _| {
                    errors.fetch_add(1, Ordering::Relaxed);
                };
                let mut audit = Forward::new(&store, metric);
                audit
                    .verify(material, false, (&gauge, &control), &wrong)
                    .expect("read");
                assert_eq!(errors.load(Ordering::Relaxed), 0, "{material} {metric:?}");
                let mut held = audit.read(material, &control).expect("read");
                let layout = &held.layout;
                let kept = |side, cell: usize| {
                    (layout.legal(side, cell / 64) & layout.canonical(cell / 64)) >> (cell % 64) & 1
                        != 0
                };
                let some = |side: Side| (0..layout.words() * 64).find(|&cell| kept(side, cell));
                let [red, black] = Side::ALL.map(|side| some(side).expect("a position"));
                let won = (0..layout.words() * 64)
                    .find(|&cell| kept(Side::Second, cell) && held.codes[1][cell].is_win());
                let beats_red = material.to_string().starts_with("aah");
                assert_eq!(won.is_some(), beats_red, "{material}");
                let code = &mut held.codes[0][red];
                *code = if *code == Code::DRAW {
                    Code::win(40)
                } else {
                    Code::DRAW
                };
                audit
                    .compare(&mut held, (&gauge, &control), &wrong)
                    .expect("compared");
                let found = errors.swap(0, Ordering::Relaxed);
                assert!(found > 0, "{material} {metric:?}: red {red}");
                let mut held = audit.read(material, &control).expect("read");
                let code = &mut held.codes[1][black];
                *code = if *code == Code::DRAW {
                    Code::loss(0)
                } else {
                    Code::DRAW
                };
                audit
                    .compare(&mut held, (&gauge, &control), &wrong)
                    .expect("compared");
                assert!(
                    errors.swap(0, Ordering::Relaxed) > 0,
                    "{material} {metric:?}: black {black}"
                );
                let Some(won) = won else { continue };
                let mut held = audit.read(material, &control).expect("read");
                held.codes[1][won] = Code::win(40);
                audit
                    .compare(&mut held, (&gauge, &control), &wrong)
                    .expect("compared");
                assert!(
                    errors.load(Ordering::Relaxed) > 0,
                    "{material} {metric:?}: black won {won}"
                );
            }
        }
    }
}
