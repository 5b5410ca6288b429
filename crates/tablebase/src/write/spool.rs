//! Coded distances whose values come slice by slice: they wait in a scratch file, packed, until the models of all of them
//! are learnt.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::coders::Coders;
use super::encode::{DistanceTarget, EncodeError, classes};
use crate::format::{BlockWriter, CODED_WORDS, ClassPart, Learner, Metric, SideCounts};
use crate::index::Index;
use crate::values::Part;
use duchamp_base::files::WholeFile;
use duchamp_base::{Control, Passage, Scroll};
use duchamp_retro::{Bits, Wide};

/// Words of a group, the unit in which values wait.
pub(super) const GROUP: usize = CODED_WORDS as usize;
/// Groups that each thread works on before they are written.
const ABREAST: usize = 2;

/// The groups of one side to move so far.
struct SideSpool<'a, I> {
    groups: Vec<Passage>,
    /// What the sample has taken of them.
    learner: Learner<'a, I>,
}

/// All groups of a table.
pub(super) struct Spool<'a, I> {
    scroll: Scroll,
    sides: Vec<SideSpool<'a, I>>,
}

impl<'a, I: Index> Spool<'a, I> {
    /// An empty one; its scratch file lies in a folder.
    pub(super) fn new(index: &'a I, metric: Metric, scratch: &Path) -> io::Result<Spool<'a, I>> {
        let side = |&color| SideSpool {
            groups: Vec::new(),
            learner: Learner::new(index, color, metric),
        };
        Ok(Spool {
            scroll: Scroll::new_in(scratch)?,
            sides: index.stored_sides().iter().map(side).collect(),
        })
    }

    /// Takes the next groups of a side, which begin at word `first`. `trapped` are the numbers of those that store all
    /// their wins.
    pub(super) fn take(
        &mut self,
        target: &DistanceTarget<'a, I>,
        (side, first): (usize, usize),
        part: Part<'_, Wide>,
        trapped: &BTreeSet<usize>,
        control: &Control,
    ) -> Result<(), EncodeError> {
        let omitting = target.metric.spec().omits_immediate_wins;
        let step = GROUP * ABREAST * rayon::current_num_threads();
        let batches = part.void.chunks(step).zip(part.cells.chunks(step));
        for (batch, (void, cells)) in batches.enumerate() {
            let (scroll, learner) = (&self.scroll, &self.sides[side].learner);
            let groups = void.par_chunks(GROUP).zip(cells.par_chunks(GROUP));
            let taken = groups.enumerate().map(|(n, (void, cells))| {
                control.check()?;
                let first = first + batch * step + n * GROUP;
                let mut parts = classes(target.index, target.metric, first, Part { void, cells });
                let omits = omitting && !trapped.contains(&(first / GROUP));
                if omits {
                    parts[0].free = immediate(&parts[0]);
                }
                let passage = scroll.append(&to_bytes(omits, &parts))?;
                Ok((passage, learner.heard(first, &parts)))
            });
            let taken: Vec<_> = taken.collect::<Result<_, EncodeError>>()?;
            let side = &mut self.sides[side];
            for (passage, heard) in taken {
                side.groups.push(passage);
                if let Some(heard) = heard {
                    let before = side.learner.fresh();
                    side.learner = std::mem::replace(&mut side.learner, before).merged(&heard);
                }
            }
        }
        Ok(())
    }

    /// Codes all groups and writes the file.
    pub(super) fn finish(
        self,
        target: &DistanceTarget<'a, I>,
        mut writer: BlockWriter,
        counts: [SideCounts; 2],
        control: &Control,
    ) -> Result<WholeFile, EncodeError> {
        let (groups, learners): (Vec<_>, Vec<_>) = self
            .sides
            .into_iter()
            .map(|side| (side.groups, side.learner))
            .unzip();
        let encoders = learners.into_par_iter().map(Learner::finish).collect();
        let coders = Coders::new(target.index, target.metric, encoders);
        let batch = ABREAST * rayon::current_num_threads();
        for (side, groups) in groups.iter().enumerate() {
            for (number, passages) in groups.chunks(batch).enumerate() {
                let coded = passages.par_iter().enumerate().map(|(n, &passage)| {
                    control.check()?;
                    let first = (number * batch + n) * GROUP;
                    let mut bytes = Vec::new();
                    self.scroll.read(passage, &mut bytes)?;
                    let (omits, parts) = from_bytes(&bytes)?;
                    Ok(coders.group(side, first, omits, &parts))
                });
                let coded: Vec<Vec<u8>> = coded.collect::<Result<_, EncodeError>>()?;
                coded.iter().try_for_each(|block| writer.push(block))?;
            }
        }
        Ok(writer.finish(&target.header(Some(coders.held), counts))?)
    }
}

/// The wins in one ply: their number is 0.
fn immediate(wins: &ClassPart) -> Vec<u64> {
    let words = wins.class.iter().zip(wins.numbers.as_chunks::<64>().0);
    let set = words.map(|(&class, numbers)| {
        let zeros = numbers.iter().enumerate();
        class & zeros.fold(0, |set, (bit, &number)| set | u64::from(number == 0) << bit)
    });
    set.collect()
}

/// A group as it waits: whether it omits immediate wins, its words, and of both classes the words and the numbers, low
/// bytes before high ones.
fn to_bytes(omits: bool, parts: &[ClassPart; 2]) -> Vec<u8> {
    let mut bytes = vec![u8::from(omits)];
    bytes.extend_from_slice(&(parts[0].class.len() as u32).to_le_bytes());
    for part in parts {
        bytes.extend(part.class.iter().flat_map(|word| word.to_le_bytes()));
        for byte in 0..2 {
            let words = part.class.iter().zip(part.numbers.as_chunks::<64>().0);
            let numbers = words.flat_map(|(&class, numbers)| Bits(class).map(|bit| numbers[bit]));
            bytes.extend(numbers.map(|number| number.to_le_bytes()[byte]));
        }
    }
    bytes
}

/// Reads what [`to_bytes`] has written.
fn from_bytes(bytes: &[u8]) -> io::Result<(bool, [ClassPart; 2])> {
    let bad = || io::Error::from(io::ErrorKind::InvalidData);
    let (&omits, bytes) = bytes.split_first().ok_or_else(bad)?;
    let (words, mut bytes) = bytes.split_first_chunk::<4>().ok_or_else(bad)?;
    let words = u32::from_le_bytes(*words) as usize;
    let mut parts: [ClassPart; 2] = Default::default();
    for part in &mut parts {
        let (class, rest) = bytes.split_at_checked(8 * words).ok_or_else(bad)?;
        let class = class.as_chunks().0.iter();
        part.class = class.map(|word| u64::from_le_bytes(*word)).collect();
        let count: usize = part
            .class
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum();
        let (low, rest) = rest.split_at_checked(count).ok_or_else(bad)?;
        let (high, rest) = rest.split_at_checked(count).ok_or_else(bad)?;
        let mut numbers = low.iter().zip(high);
        part.numbers = vec![0; 64 * words];
        for (&word, cells) in part.class.iter().zip(part.numbers.as_chunks_mut::<64>().0) {
            for (bit, (&low, &high)) in Bits(word).zip(numbers.by_ref()) {
                cells[bit] = u16::from_le_bytes([low, high]);
            }
        }
        bytes = rest;
    }
    if omits != 0 {
        parts[0].free = immediate(&parts[0]);
    }
    Ok((omits != 0, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_read_again() {
        let part = |class: Vec<u64>, number: fn(usize) -> u16| ClassPart {
            numbers: (0..64 * class.len())
                .map(|cell| match class[cell / 64] >> (cell % 64) & 1 {
                    0 => 0,
                    _ => number(cell),
                })
                .collect(),
            class,
            free: Vec::new(),
        };
        let wins = part(vec![0, !0, 0x8000_0000_0000_0001], |cell| (cell % 5) as u16);
        let losses = part(vec![!0, 0, 2], |cell| (cell * 777) as u16);
        for omits in [false, true] {
            let bytes = to_bytes(omits, &[wins.clone(), losses.clone()]);
            let (told, [first, second]) = from_bytes(&bytes).expect("as written");
            assert_eq!(told, omits);
            assert_eq!((&first.class, &first.numbers), (&wins.class, &wins.numbers));
            assert_eq!(
                (&second.class, &second.numbers),
                (&losses.class, &losses.numbers)
            );
            let zeros = wins.numbers[64..128]
                .iter()
                .filter(|&&number| number == 0)
                .count();
            let free = first
                .free
                .get(1)
                .map_or(0, |word| word.count_ones() as usize);
            assert_eq!(free, if omits { zeros } else { 0 });
            assert!(from_bytes(&bytes[..bytes.len() / 2]).is_err());
        }
    }
}
