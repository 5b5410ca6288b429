//! A fast verification of whole tables by moves forward only.
//!
//! The values of a table and of those that its captures lead to lie in memory, a byte a cell. Every legal position is
//! put together from the numbering, moved by the attacks of `duchamp-xiangqi`, and what its moves lead to is compared
//! with what the file says. No kernel, no un-move and no level loop takes part. Files store no lengths of losses: those
//! are found first, then the wins are compared with them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};

use duchamp_base::{Control, Plies, Value};
use duchamp_retro::{Bits, Code, Side, Wide};
use duchamp_tablebase::{Audit, CODED_BLOCK, Index, Metric, SideCounts, Wrong};
use duchamp_xiangqi::{Bitboard, Color, Role, Square, attacks};
use rayon::prelude::*;

use crate::aliases::{Store, VerifyError};
use crate::defenders::Camp;
use crate::game::Xiangqi;
use crate::geometry::{FILES, between, bit, squares};
use crate::layout::{Layout, Placement, Squares};
use crate::material::Material;

/// Words that a thread reads at a time: whole blocks of a file.
const CHUNK: usize = 64 * CODED_BLOCK;

/// The values of a table, by side to move.
struct Held {
    layout: Layout,
    codes: [Vec<Code>; 2],
}

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
            if side == 0 {
                let blocks = codes.par_chunks_mut(64 * block).enumerate();
                blocks.try_for_each(|(number, codes)| {
                    control.check()?;
                    let wins = table.block_wins(self.metric, 0, number).map_err(damaged)?;
                    for (code, &plies) in codes
                        .iter_mut()
                        .zip(&wins)
                        .filter(|(code, _)| code.is_win())
                    {
                        *code = Code::of(Value::Win(Plies(plies))).unwrap_or(*code);
                    }
                    Ok::<(), VerifyError>(())
                })?;
            }
            layout.fill_duplicates(codes);
        }
        Ok(Held { layout, codes })
    }

    /// Has a table with all lengths; those of its children too if the metric asks for them.
    fn complete(&mut self, material: Material, control: &Control) -> Result<Held, VerifyError> {
        self.bring_children(material, control)?;
        let mut held = self.read(material, control)?;
        held.codes[1] = self.losses(&held, control, &|_, _, _| {})?.0;
        held.layout.fill_duplicates(&mut held.codes[1]);
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

    /// The values with Black to move by the moves that he has, compared with the results that the file has.
    fn losses(
        &self,
        held: &Held,
        control: &Control,
        wrong: Wrong<'_>,
    ) -> Result<(Vec<Code>, SideCounts), VerifyError> {
        let cells = held.codes[1].len();
        let found: Vec<AtomicU8> = (0..cells).map(|_| AtomicU8::new(Code::DRAW.0)).collect();
        let counts = self.each_position(held, Side::Second, control, &|look, cell| {
            let value = look.black();
            found[cell].store(value.0, Ordering::Relaxed);
            let stored = held.codes[1][cell];
            if stored.is_loss() != value.is_loss() || stored.is_win() {
                wrong(cell_id(Side::Second, cell), stored.value(), value.value());
            }
            value
        })?;
        let found = found.into_iter().map(|code| Code(code.into_inner()));
        Ok((found.collect(), counts))
    }

    /// Compares a table that was read with what its moves lead to; finds the lengths of its losses.
    fn compare(
        &self,
        held: &mut Held,
        control: &Control,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        let (lost, black) = self.losses(held, control, wrong)?;
        held.codes[1] = lost;
        held.layout.fill_duplicates(&mut held.codes[1]);
        let red = self.each_position(held, Side::First, control, &|look, cell| {
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
        control: &Control,
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
                let kept = layout.canonical_lane(slice, row, lane, &squares_of);
                for square in squares(kept & layout.lane_squares()) {
                    let mut attackers = squares_of.clone();
                    attackers.push(square);
                    let look = Look::new(self, held, &men, attackers);
                    if let Some(look) = look.filter(|look| side == Side::Second || !look.in_check())
                    {
                        let cell = layout.first_cell(slice, row, lane) + usize::from(square);
                        add(&mut counts, f(&look, cell));
                    }
                }
            }
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

/// The defenders of a row and where each of them may go.
struct RowMen {
    numbers: [u16; 2],
    kings: [u8; 2],
    occupied: [u128; 2],
    /// By side: from, onto, and the placement after it, as far as the side's own men allow.
    steps: [Vec<(u8, u8, u16)>; 2],
}

impl RowMen {
    fn new(layout: &Layout, row: usize) -> RowMen {
        let numbers = layout.pairs().numbers(row);
        let placements = layout.pairs().get(row);
        let camps = layout.pairs().camps();
        let steps = [0, 1].map(|side| {
            let men = placements[side];
            let roles = [Role::King].into_iter();
            let roles = roles.chain(men.advisors.iter().map(|_| Role::Advisor));
            let roles = roles.chain(men.elephants.iter().map(|_| Role::Elephant));
            let from = [men.king]
                .into_iter()
                .chain(men.advisors.clone())
                .chain(men.elephants.clone());
            let mut steps = Vec::new();
            for (role, from) in roles.zip(from) {
                let color = Color::ALL[side];
                let at = Square::wrapping(from.into());
                let onto = attacks::moves(role, color, at, Bitboard(men.occupied));
                for onto in squares(onto.0 & !men.occupied) {
                    let to = Camp::moved(camps[side], numbers[side], from, onto);
                    steps.extend(to.map(|to| (from, onto, to)));
                }
            }
            steps
        });
        RowMen {
            numbers,
            kings: placements.map(|men| men.king),
            occupied: placements.map(|men| men.occupied),
            steps,
        }
    }
}

/// A position of a table, and the tables to look up.
struct Look<'a> {
    tables: &'a BTreeMap<Material, Held>,
    metric: Metric,
    held: &'a Held,
    men: &'a RowMen,
    attackers: Squares,
    occupied: u128,
}

impl<'a> Look<'a> {
    /// `None` if two men share a square or the kings face each other.
    fn new(
        audit: &'a Forward<'_>,
        held: &'a Held,
        men: &'a RowMen,
        attackers: Squares,
    ) -> Option<Look<'a>> {
        let mut occupied = men.occupied[0] | men.occupied[1];
        for &square in &attackers {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        (!facing(men.kings, occupied)).then_some(Look {
            tables: &audit.held,
            metric: audit.metric,
            held,
            men,
            attackers,
            occupied,
        })
    }

    /// Whether Black's king is attacked.
    fn in_check(&self) -> bool {
        attacked(
            &self.held.layout,
            self.men.kings[1],
            self.occupied,
            &self.attackers,
            None,
        )
    }

    /// The cell of a placement in this table.
    fn own(&self, defenders: [u16; 2], attackers: &Squares) -> Option<usize> {
        let placement = Placement {
            defenders,
            attackers: attackers.clone(),
        };
        self.held.layout.any_cell(&placement)
    }

    /// What a move of Black's leads to: the value for Red, or `None` if the move is illegal.
    fn black_move(&self, from: u8, onto: u8, to: u16) -> Option<(Code, bool)> {
        let layout = &self.held.layout;
        let occupied = self.occupied & !bit(from) | bit(onto);
        let king = if from == self.men.kings[1] {
            onto
        } else {
            self.men.kings[1]
        };
        let taken = self.attackers.iter().position(|&square| square == onto);
        if facing([self.men.kings[0], king], occupied)
            || attacked(layout, king, occupied, &self.attackers, taken)
        {
            return None;
        }
        let defenders = [self.men.numbers[0], to];
        let Some(taken) = taken else {
            let cell = self.own(defenders, &self.attackers)?;
            return Some((self.held.codes[0][cell], false));
        };
        let role = layout.attackers().nth(taken)?;
        let Some(child) = layout.material().without(false, role) else {
            return Some((Code::DRAW, true));
        };
        let child = &self.tables[&child];
        // The same men in the order of the smaller table.
        let mut left: Vec<(Role, u8)> = layout
            .attackers()
            .zip(self.attackers.iter().copied())
            .collect();
        left.remove(taken);
        let mut attackers = Squares::new();
        for role in child.layout.attackers() {
            let at = left.iter().position(|man| man.0 == role)?;
            attackers.push(left.remove(at).1);
        }
        let cell = child.layout.any_cell(&Placement {
            defenders,
            attackers,
        })?;
        Some((child.codes[0][cell], true))
    }

    /// The value with Black to move.
    fn black(&self) -> Code {
        let mut best = Code::loss(0);
        for &(from, onto, to) in &self.men.steps[1] {
            // Between an elephant's squares lies its eye.
            let eye = middle(from, onto);
            if eye.is_some_and(|eye| self.occupied & bit(eye) != 0) {
                continue;
            }
            match self.black_move(from, onto, to) {
                None => {}
                Some((after, true)) if self.metric == Metric::Dtc && after.is_win() => {}
                Some((after, _)) => best = best.max(after.before_move()),
            }
        }
        best
    }

    /// The value with Red to move.
    fn red(&self) -> Code {
        let layout = &self.held.layout;
        let [red, black] = self.men.numbers;
        let kings = self.men.kings;
        let mut best = Code::loss(0);
        let mut raise = |after: Code, converts: bool| {
            let ends = converts && self.metric == Metric::Dtc && after.is_loss();
            best = best.max(if ends {
                Code::win(0)
            } else {
                after.before_move()
            });
        };
        for &(from, onto, to) in &self.men.steps[0] {
            let eye = middle(from, onto);
            if self.occupied & bit(onto) != 0
                || eye.is_some_and(|eye| self.occupied & bit(eye) != 0)
            {
                continue;
            }
            let king = if from == kings[0] { onto } else { kings[0] };
            if !facing([king, kings[1]], self.occupied & !bit(from) | bit(onto))
                && let Some(cell) = self.own([to, black], &self.attackers)
            {
                raise(self.held.codes[1][cell], false);
            }
        }
        let own = self.men.occupied[0]
            | self
                .attackers
                .iter()
                .fold(0, |set, &square| set | bit(square));
        for (i, role) in layout.attackers().enumerate() {
            let from = self.attackers[i];
            let at = Square::wrapping(from.into());
            let onto = attacks::moves(role, Color::Red, at, Bitboard(self.occupied));
            for onto in squares(onto.0 & !own) {
                if facing(kings, self.occupied & !bit(from) | bit(onto)) {
                    continue;
                }
                let mut attackers = self.attackers.clone();
                attackers[i] = onto;
                if self.men.occupied[1] & bit(onto) == 0 {
                    if let Some(cell) = self.own([red, black], &attackers) {
                        raise(self.held.codes[1][cell], false);
                    }
                } else if let Some(after) = self.captured(onto, attackers) {
                    raise(after, true);
                }
            }
        }
        best
    }

    /// The value with Black to move after Red has captured the defender on a square.
    fn captured(&self, onto: u8, attackers: Squares) -> Option<Code> {
        let layout = &self.held.layout;
        let [red, black] = self.men.numbers;
        let camp = layout.pairs().camps()[1];
        let role = if camp.get(black).advisors.contains(&onto) {
            Role::Advisor
        } else {
            Role::Elephant
        };
        let child = &self.tables[&layout.material().without(true, role)?];
        let left = camp.without(black, onto, child.layout.pairs().camps()[1])?;
        let cell = child.layout.any_cell(&Placement {
            defenders: [red, left],
            attackers,
        })?;
        Some(child.codes[1][cell])
    }
}

/// The square in the middle of an elephant's move.
fn middle(from: u8, onto: u8) -> Option<u8> {
    let far = (from % FILES).abs_diff(onto % FILES) == 2;
    far.then(|| (from + onto) / 2)
}

/// Whether kings face each other.
fn facing([red, black]: [u8; 2], occupied: u128) -> bool {
    red % FILES == black % FILES && between(red, black) & occupied == 0
}

/// Whether Red's attackers attack a square; the one `taken` is gone.
fn attacked(
    layout: &Layout,
    square: u8,
    occupied: u128,
    attackers: &Squares,
    taken: Option<usize>,
) -> bool {
    let target = bit(square);
    layout
        .attackers()
        .zip(attackers)
        .enumerate()
        .any(|(i, (role, &from))| {
            Some(i) != taken
                && attacks::moves(
                    role,
                    Color::Red,
                    Square::wrapping(from.into()),
                    Bitboard(occupied),
                )
                .0 & target
                    != 0
        })
}

impl Audit<Xiangqi> for Forward<'_> {
    fn retain(&mut self, needed: &dyn Fn(Material) -> bool) {
        self.held.retain(|&material, _| needed(material));
    }

    fn verify(
        &mut self,
        key: Material,
        keep: bool,
        control: &Control,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        self.bring_children(key, control)?;
        let mut held = self.read(key, control)?;
        let counts = self.compare(&mut held, control, wrong)?;
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

    /// Right tables have no errors; each value that is changed is found, in both metrics.
    #[test]
    fn changed_values_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path());
        let control = Control::new(2);
        let metrics = [Metric::Dtc, Metric::Dtm];
        let options = GenerateOptions {
            metrics: metrics.to_vec(),
            ..GenerateOptions::default()
        };
        let names = ["cp-k", "h-ae", "gg-a"];
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
                    .verify(material, false, &control, &wrong)
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
                let worse = |code: Code| {
                    if code == Code::DRAW {
                        Code::win(40)
                    } else {
                        Code::DRAW
                    }
                };
                held.codes[0][red] = worse(held.codes[0][red]);
                audit
                    .compare(&mut held, &control, &wrong)
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
                    .compare(&mut held, &control, &wrong)
                    .expect("compared");
                assert!(
                    errors.load(Ordering::Relaxed) > 0,
                    "{material} {metric:?}: black {black}"
                );
            }
        }
    }
}
