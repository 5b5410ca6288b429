//! The two passes over each table, and which tables are at hand for them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::duplicates::Duplicates;
use super::immediate_wins::{self, OmittingBlocks};
use super::lanes::{DRAW, Lanes, NONE, UNKNOWN, UNKNOWN_WIN, set_of, value};
use super::moves::{Mover, Word, attacked, back_up};
use super::promotions::promotions;
use super::reading::read_slices;
use super::routes::{Loaded, Set, Side};
use super::shelf::Shelved;
use crate::aliases::{Store, VerifyError};
use crate::game::Chess;
use crate::layout::Layout;
use crate::material::Material;
use crate::sides::side as side_of;
use duchamp_base::{Cancelled, Control, Gauge, Plies, Value};
use duchamp_chess::Color;
use duchamp_retro::{Bits, Wide};
use duchamp_tablebase::{
    Audit, CellId, Metric, SideCounts, Verifiable, Wrong, found_damaged, verifiable,
};

/// Words that a thread takes at a time.
const CHUNK: usize = 512;

/// What counts the words of passes, and what may cancel them.
type Steering<'s> = (&'s Gauge, &'s Control);

/// Verifies tables of one metric, one after another, and remembers what the next ones need.
pub(crate) struct ChessAudit<'t> {
    store: &'t Store,
    metric: Metric,
    scratch: PathBuf,
    /// Tables of up to so many men are kept in memory as a whole.
    small: u32,
    /// Small tables with the lengths of their losses; the table at work and slices of those that it promotes to.
    set: Set,
    shelf: BTreeMap<Material, Shelved>,
}

impl<'t> ChessAudit<'t> {
    /// For the tables of a folder; what does not fit into memory goes into nameless files in `scratch`.
    pub(crate) fn new(store: &'t Store, metric: Metric, scratch: &Path) -> ChessAudit<'t> {
        ChessAudit {
            store,
            metric,
            scratch: scratch.to_owned(),
            small: 4,
            set: Set::from([(Material::BARE, bare_kings())]),
            shelf: BTreeMap::new(),
        }
    }

    /// The same that takes even small tables for large ones.
    #[cfg(test)]
    pub(super) fn with_small(self, small: u32) -> ChessAudit<'t> {
        ChessAudit { small, ..self }
    }

    /// As [`duchamp_tablebase::Audit::verify`].
    fn verify_table(
        &mut self,
        material: Material,
        keep: bool,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        self.prepare(material, true, steering.1)?;
        let mut table = self.read(material)?;
        let mut counts = vec![SideCounts::default(); table.sides.len()];
        let layout = Arc::clone(&table.layout);
        // What is filled in, and compared.
        let passes = if self.metric == Metric::Dtz { 4 } else { 2 };
        steering
            .0
            .start((passes * counts.len() * layout.words()) as u64);
        for wave in layout.pawns().waves() {
            self.bring(&layout, wave.clone())?;
            table = self.fill_in(table, wave.clone(), steering, wrong)?;
            self.set.insert(material, table);
            for (side, counts) in counts.iter_mut().enumerate() {
                counts.add(&self.compare(&layout, side, wave.clone(), steering, wrong)?);
            }
            table = self.take(material)?;
            self.put_away(material);
        }
        if keep {
            self.keep(material, table)?;
        }
        Ok(counts)
    }

    /// The backed-up values of a table by stored side, lengths of losses included.
    fn backed(
        &mut self,
        material: Material,
        control: &Control,
    ) -> Result<Vec<Vec<u16>>, VerifyError> {
        self.prepare(material, self.needs_whole(material)?, control)?;
        let table = self.derive(material, control)?;
        Ok(table.sides.into_iter().map(|side| side.cells).collect())
    }

    /// Has at hand what a table needs: small tables in memory, others, on request, on the shelf.
    fn prepare(
        &mut self,
        material: Material,
        large: bool,
        control: &Control,
    ) -> Result<(), VerifyError> {
        for child in material.children() {
            let here = self.set.contains_key(&child) || self.shelf.contains_key(&child);
            if here || (child.men() > self.small && !large) {
                continue;
            }
            self.prepare(child, self.needs_whole(child)?, control)?;
            let table = self.derive(child, control)?;
            self.keep(child, table)?;
        }
        Ok(())
    }

    /// Whether what a file omits takes more of the tables that its moves lead to than their files hold. The lengths of wins
    /// suffice for those of losses; but whether the 50-move rule draws a loss only its length shows.
    fn needs_whole(&self, material: Material) -> Result<bool, VerifyError> {
        let mut whole = self.metric == Metric::Dtz;
        for material in material.children().into_iter().chain([material]) {
            let table = verifiable(self.store, material, self.metric)?;
            for side in 0..table.index.sides().len() {
                let holds = table.holds(self.metric, side);
                let holds = holds.map_err(|source| found_damaged(self.store, material, source))?;
                whole |= !holds[0];
            }
        }
        Ok(whole)
    }

    fn derive(&mut self, material: Material, control: &Control) -> Result<Loaded, VerifyError> {
        let mut table = self.read(material)?;
        let layout = Arc::clone(&table.layout);
        for wave in layout.pawns().waves() {
            self.bring(&layout, wave.clone())?;
            let steering = (&Gauge::default(), control);
            table = self.fill_in(table, wave.clone(), steering, &|_, _, _| {})?;
            self.put_away(material);
        }
        Ok(table)
    }

    fn keep(&mut self, material: Material, table: Loaded) -> Result<(), VerifyError> {
        if material.men() <= self.small {
            self.set.insert(material, table);
        } else {
            let shelved = Shelved::new(&table, &self.scratch).map_err(VerifyError::Scratch)?;
            self.shelf.insert(material, shelved);
        }
        Ok(())
    }

    fn take(&mut self, material: Material) -> Result<Loaded, VerifyError> {
        self.set
            .remove(&material)
            .ok_or(VerifyError::Missing(material))
    }

    /// Drops the slices of large tables.
    fn put_away(&mut self, material: Material) {
        let small = self.small;
        self.set
            .retain(|other, _| other.men() <= small && *other != material);
    }

    fn read(&self, material: Material) -> Result<Loaded, VerifyError> {
        let table = verifiable(self.store, material, self.metric)?;
        let layout = Arc::clone(&table.index);
        let mut sides = Vec::new();
        for side in 0..layout.sides().len() {
            let mut cells = vec![NONE; layout.words() * 64];
            read_slices(table, self.metric, side, 0..layout.slices(), &mut cells)
                .map_err(|source| found_damaged(self.store, material, source))?;
            sides.push(Side::whole(&layout, cells));
        }
        Ok(Loaded { layout, sides })
    }

    /// Brings the slices of large tables into memory that pawns of a wave's slices promote to.
    fn bring(&mut self, layout: &Layout, wave: Range<usize>) -> Result<(), VerifyError> {
        if layout.material().men() <= self.small {
            return Ok(());
        }
        for slice in wave {
            for promotion in promotions(layout, slice) {
                let child = promotion.material;
                let table = verifiable(self.store, child, self.metric)?;
                let Some((slice, _)) = table.index.pawns().find(&promotion.pawns) else {
                    continue;
                };
                let loaded = self.set.entry(child).or_insert_with(|| Loaded {
                    layout: Arc::clone(&table.index),
                    sides: table
                        .index
                        .sides()
                        .iter()
                        .map(|_| Side::empty(&table.index))
                        .collect(),
                });
                let number = promotion.side.min(loaded.sides.len() - 1);
                let side = &mut loaded.sides[number];
                let Some(room) = side.add(slice) else {
                    continue;
                };
                let cells = &mut side.cells[room];
                match self.shelf.get(&child) {
                    Some(shelved) => shelved
                        .read(number, slice, cells)
                        .map_err(VerifyError::Scratch)?,
                    None => {
                        read_slices(table, self.metric, number, slice..slice + 1, cells)
                            .map_err(|source| found_damaged(self.store, child, source))?;
                    }
                }
            }
        }
        // Tables that only later waves promote to.
        for child in layout.material().children() {
            if child.men() > self.small && !self.set.contains_key(&child) {
                let table = verifiable(self.store, child, self.metric)?;
                let layout = Arc::clone(&table.index);
                let sides = layout
                    .sides()
                    .iter()
                    .map(|_| Side::empty(&layout))
                    .collect();
                self.set.insert(child, Loaded { layout, sides });
            }
        }
        Ok(())
    }

    /// Pass one: what files leave out of some slices, from the values that moves lead to. The
    /// lengths of the losses or wins that they do not hold; to zeroing first the immediate wins, for which mates are found before.
    fn fill_in(
        &mut self,
        mut table: Loaded,
        wave: Range<usize>,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<Loaded, VerifyError> {
        let (layout, store) = (Arc::clone(&table.layout), self.store);
        let material = layout.material();
        if self.metric == Metric::Dtz {
            let mates = |mover: &Mover<'_>, _: &Duplicates<'_>, word, backed: &mut Lanes| {
                immediate_wins::find_mates(mover, word, backed);
            };
            table = self.fill_with(table, wave.clone(), steering, &mates)?;
            let omitting = OmittingBlocks::of(verifiable(store, material, self.metric)?)
                .map_err(|source| found_damaged(store, material, source))?;
            let wins = |mover: &Mover<'_>,
                        duplicates: &Duplicates<'_>,
                        word,
                        backed: &mut Lanes| {
                if omitting.has(mover.side(), word) {
                    immediate_wins::fill_wins(mover, duplicates.kept(word), word, backed, wrong);
                }
            };
            table = self.fill_with(table, wave.clone(), steering, &wins)?;
        }
        let losses = |mover: &Mover<'_>, duplicates: &Duplicates<'_>, word, backed: &mut Lanes| {
            fill_word(mover, duplicates, word, backed, wrong);
        };
        self.fill_with(table, wave, steering, &losses)
    }

    /// Gives cells of some slices new backed-up values, word by word.
    fn fill_with(
        &mut self,
        table: Loaded,
        wave: Range<usize>,
        (gauge, control): Steering<'_>,
        fill: &(dyn Fn(&Mover<'_>, &Duplicates<'_>, usize, &mut Lanes) + Sync),
    ) -> Result<Loaded, VerifyError> {
        let layout = Arc::clone(&table.layout);
        let material = layout.material();
        self.set.insert(material, table);
        let words = wave.start * layout.slice_words()..wave.end * layout.slice_words();
        let duplicates = Duplicates::new(&layout);
        for (side, &color) in layout.sides().iter().enumerate() {
            let mut table = self.take(material)?;
            let mut cells = std::mem::take(&mut table.sides[side].cells);
            if table.sides.len() == 1 {
                // It is read while it is written to.
                table.sides[side].cells = cells.clone();
            }
            self.set.insert(material, table);
            let mover = self.mover(&layout, color)?;
            let part = &mut cells[words.start * 64..words.end * 64];
            part.par_chunks_mut(CHUNK * 64)
                .enumerate()
                .try_for_each(|(chunk, cells)| {
                    control.check()?;
                    let first = words.start + chunk * CHUNK;
                    for (n, backed) in cells.as_chunks_mut().0.iter_mut().enumerate() {
                        fill(&mover, &duplicates, first + n, backed);
                    }
                    gauge.add(cells.len() as u64 / 64);
                    Ok::<(), Cancelled>(())
                })?;
            duplicates.fill(wave.clone(), part);
            let mut table = self.take(material)?;
            table.sides[side].cells = cells;
            self.set.insert(material, table);
        }
        self.take(material)
    }

    fn mover<'a>(&'a self, layout: &'a Layout, side: Color) -> Result<Mover<'a>, VerifyError> {
        let mover = Mover::new(layout, self.metric, side, &self.set);
        mover.ok_or(VerifyError::Missing(layout.material()))
    }

    /// Pass two: draws of some slices, and what of wins and losses the file holds, against their moves.
    fn compare(
        &self,
        layout: &Layout,
        side: usize,
        wave: Range<usize>,
        (gauge, control): Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<SideCounts, VerifyError> {
        let color = layout.sides()[side];
        let mover = self.mover(layout, color)?;
        let table = &self.set[&layout.material()];
        let file = verifiable(self.store, layout.material(), self.metric)?;
        let holds = file
            .holds(self.metric, side)
            .map_err(|source| found_damaged(self.store, layout.material(), source))?;
        let limit = self.metric.spec().draw_after;
        let duplicates = Duplicates::new(layout);
        let words = wave.start * layout.slice_words()..wave.end * layout.slice_words();
        let part = &table.sides[side].cells[words.start * 64..words.end * 64];
        let counts = part
            .par_chunks(CHUNK * 64)
            .enumerate()
            .map(|(chunk, cells)| {
                control.check()?;
                let mut counts = SideCounts::default();
                let first = words.start + chunk * CHUNK;
                for (n, backed) in cells.as_chunks().0.iter().enumerate() {
                    let told = (backed, holds, limit);
                    compare_word(&mover, &duplicates, first + n, told, &mut counts, wrong);
                }
                gauge.add(cells.len() as u64 / 64);
                Ok(counts)
            })
            .try_reduce(SideCounts::default, |mut a, b| {
                a.add(&b);
                Ok::<_, Cancelled>(a)
            })?;
        Ok(counts)
    }
}

impl Verifiable for Chess {
    fn audit<'s>(
        store: &'s Store,
        metric: Metric,
        scratch: &Path,
    ) -> Option<Box<dyn Audit<Chess> + 's>> {
        Some(Box::new(ChessAudit::new(store, metric, scratch)))
    }
}

impl Audit<Chess> for ChessAudit<'_> {
    fn retain(&mut self, needed: &dyn Fn(Material) -> bool) {
        self.set
            .retain(|&material, _| material == Material::BARE || needed(material));
        self.shelf.retain(|&material, _| needed(material));
    }

    fn verify(
        &mut self,
        key: Material,
        keep: bool,
        steering: Steering<'_>,
        wrong: Wrong<'_>,
    ) -> Result<Vec<SideCounts>, VerifyError> {
        self.verify_table(key, keep, steering, wrong)
    }

    fn values(&mut self, key: Material, control: &Control) -> Result<Vec<Vec<Wide>>, VerifyError> {
        // Backed-up values, which become those of the cells where they lie.
        let sides = self.backed(key, control)?.into_iter().map(|cells| {
            let mut cells: Vec<Wide> = bytemuck::cast_vec(cells);
            cells
                .par_iter_mut()
                .for_each(|cell| *cell = wide(value(cell.0)));
            cells
        });
        Ok(sides.collect())
    }
}

/// A value in two bytes, for it fits: it came from there.
fn wide(value: Value) -> Wide {
    match value {
        Value::Win(Plies(plies)) => Wide::win(plies),
        Value::Draw => Wide::DRAW,
        Value::Loss(Plies(plies)) => Wide::loss(plies),
    }
}

/// Kings alone: a draw.
fn bare_kings() -> Loaded {
    let layout = Arc::new(Layout::new(Material::BARE));
    let mut cells = vec![NONE; layout.words() * 64];
    for (word, backed) in cells.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        for bit in Bits(super::moves::legal(
            &layout,
            &layout.fixed(word),
            Color::White,
        )) {
            backed[bit] = DRAW;
        }
    }
    let sides = vec![Side::whole(&layout, cells)];
    Loaded { layout, sides }
}

fn fill_word(
    mover: &Mover<'_>,
    duplicates: &Duplicates<'_>,
    number: usize,
    backed: &mut Lanes,
    wrong: Wrong<'_>,
) {
    let mut wanted = set_of(backed, |it| it == UNKNOWN || it == UNKNOWN_WIN);
    if wanted != 0 {
        wanted &= duplicates.kept(number);
    }
    if wanted == 0 {
        return;
    }
    let found = by_moves(mover, number, wanted);
    for bit in Bits(wanted) {
        let lost = backed[bit] == UNKNOWN;
        if found[bit] != DRAW && (found[bit] > DRAW) == lost {
            backed[bit] = found[bit];
        } else {
            let cell = (number * 64 + bit) as u64;
            let told = match lost {
                true => Value::Loss(Plies(0)),
                false => Value::Win(Plies(1)),
            };
            wrong(
                CellId {
                    side: side_of(mover.side()),
                    cell,
                },
                told,
                value(found[bit]),
            );
        }
    }
}

fn compare_word(
    mover: &Mover<'_>,
    duplicates: &Duplicates<'_>,
    number: usize,
    (backed, holds, draw_after): (&Lanes, [bool; 2], Option<u16>),
    counts: &mut SideCounts,
    wrong: Wrong<'_>,
) {
    let kept = duplicates.kept(number);
    let legal = set_of(backed, |backed_up| backed_up != NONE) & kept;
    if legal == 0 {
        return;
    }
    let lost = set_of(backed, |backed_up| backed_up > DRAW) & kept;
    let drawn = set_of(backed, |backed_up| backed_up == DRAW) & kept;
    let won = legal & !lost & !drawn;
    // Values count one ply more; losses are upside down.
    let late = draw_after.map_or(u16::MAX, |limit| limit + 1);
    let count = |set: u64| u64::from(set.count_ones());
    counts.add(&SideCounts {
        won: count(won),
        cursed: count(won & set_of(backed, |it| it > late)),
        blessed: count(lost & set_of(backed, |it| it != UNKNOWN && !it > late)),
        drawn: count(drawn),
        lost: count(lost),
        longest_win: longest(
            backed,
            |backed_up| if backed_up < DRAW { backed_up } else { NONE },
        ),
        longest_loss: longest(backed, |backed_up| {
            if backed_up > DRAW && backed_up != UNKNOWN {
                !backed_up
            } else {
                NONE
            }
        }),
        ..SideCounts::default()
    });
    // What is worked out from the moves need not be compared with them.
    let mut wanted = drawn;
    for (held, set) in holds.into_iter().zip([won, lost]) {
        wanted |= if held { set } else { 0 };
    }
    if wanted == 0 {
        return;
    }
    let found = by_moves(mover, number, wanted);
    let mut different = 0;
    for bit in 0..64 {
        different |= u64::from(found[bit] != backed[bit]) << bit;
    }
    for bit in Bits(different & wanted) {
        let cell = (number * 64 + bit) as u64;
        wrong(
            CellId {
                side: side_of(mover.side()),
                cell,
            },
            value(backed[bit]),
            value(found[bit]),
        );
    }
}

/// The backed-up values of the wanted cells of a word, from all moves.
fn by_moves(mover: &Mover<'_>, number: usize, wanted: u64) -> Lanes {
    let layout = mover.layout();
    let fixed = layout.fixed(number);
    let word = Word {
        number,
        fixed: &fixed,
        wanted,
    };
    back_up(&mover.best(&word), attacked(layout, &fixed, mover.side()))
}

/// The longest distance of those that a function gives, which counts one ply more.
fn longest(backed: &Lanes, plies: impl Fn(u16) -> u16) -> u16 {
    let longest = backed
        .iter()
        .fold(0, |longest, &backed_up| plies(backed_up).max(longest));
    longest.saturating_sub(1)
}
