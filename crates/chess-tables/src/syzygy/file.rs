//! One Syzygy file, `.rtbw` or `.rtbz`.

use std::path::Path;

use arrayvec::ArrayVec;
use duchamp_base::{Mapped, Wdl};
use duchamp_chess::{ByColor, Color, Position, Role};

use super::checksum::checksum;
use super::numbering::{Lead, MAX_MEN, Man, Numbering, leading_pawn};
use super::pairs::Pairs;
use super::reader::{Damaged, Reader};
use crate::material::Material;

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyzygyKind {
    /// `.rtbw`: results.
    Wdl,
    /// `.rtbz`: distances to zeroing.
    Dtz,
}

impl SyzygyKind {
    /// Both.
    pub const ALL: [SyzygyKind; 2] = [SyzygyKind::Wdl, SyzygyKind::Dtz];

    /// The ending of the files' names.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            SyzygyKind::Wdl => "rtbw",
            SyzygyKind::Dtz => "rtbz",
        }
    }

    /// The first bytes of the files.
    pub(super) const fn magic(self) -> [u8; 4] {
        match self {
            SyzygyKind::Wdl => [0x71, 0xE8, 0x23, 0x5D],
            SyzygyKind::Dtz => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// Flags of a sub-table of distances.
pub(super) mod flags {
    /// Black to move is stored.
    pub(in super::super) const BLACK: u8 = 1;
    /// Values are ranks in a list.
    pub(in super::super) const MAPPED: u8 = 2;
    /// Wins are stored in plies, not in moves.
    pub(in super::super) const WINS_IN_PLIES: u8 = 4;
    /// Losses are stored in plies.
    pub(in super::super) const LOSSES_IN_PLIES: u8 = 8;
    /// The lists have numbers of two bytes.
    pub(in super::super) const WIDE: u8 = 16;
}

/// Identical pieces that stand together in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PieceRun {
    color: Color,
    role: Role,
    len: u8,
}

/// A sub-table with one side to move.
#[derive(Debug)]
struct Part {
    numbering: Numbering,
    /// The men of the numbering.
    runs: ArrayVec<PieceRun, MAX_MEN>,
    flags: u8,
    pairs: Pairs,
    /// Of distances: where the lists of wins, losses, cursed wins and blessed losses begin in the file, and their lengths.
    lists: [(usize, usize); 4],
}

/// The table of one material in a file.
#[derive(Debug)]
pub(super) struct SyzygyFile {
    bytes: Mapped,
    symmetric: bool,
    /// Sub-tables by file of the leading pawn; one without pawns. Of each the sides to move that are stored.
    parts: ArrayVec<ArrayVec<Part, 2>, 4>,
}

/// What a file says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored<T> {
    Value(T),
    /// The file has the other side to move only.
    OtherSide,
}

impl SyzygyFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// In words: why it cannot be opened or read.
    pub(super) fn open(
        path: &Path,
        material: Material,
        kind: SyzygyKind,
    ) -> Result<SyzygyFile, String> {
        let bytes = Mapped::open(path).map_err(|error| error.to_string())?;
        SyzygyFile::read(bytes, material, kind).map_err(|damaged| damaged.to_string())
    }

    /// Reads the header of a file.
    pub(super) fn read(
        bytes: Mapped,
        material: Material,
        kind: SyzygyKind,
    ) -> Result<SyzygyFile, Damaged> {
        if bytes.len() % 64 != 16 || bytes[..4] != kind.magic() {
            return Err(Damaged("no Syzygy table of this kind"));
        }
        let mut file = SyzygyFile {
            symmetric: material.is_symmetric(),
            parts: ArrayVec::new(),
            bytes: Mapped::from(Vec::new()),
        };
        // Without the checksum.
        let mut reader = Reader::new(&bytes[..bytes.len() - 16]);
        file.read_header(&mut reader, material, kind)?;
        file.bytes = bytes;
        Ok(file)
    }

    fn read_header(
        &mut self,
        reader: &mut Reader<'_>,
        material: Material,
        kind: SyzygyKind,
    ) -> Result<(), Damaged> {
        const SPLIT: u8 = 1;
        const PAWNS: u8 = 2;
        reader.skip(4)?;
        let layout = reader.u8()?;
        let pawns = material.pawns() > 0;
        let split = layout & SPLIT != 0;
        if (layout & PAWNS != 0) != pawns || (kind == SyzygyKind::Wdl && split == self.symmetric) {
            return Err(Damaged("it is of another material"));
        }
        let sides = if kind == SyzygyKind::Wdl && split {
            2
        } else {
            1
        };
        let both = Color::ALL
            .iter()
            .all(|&color| material.count(color, Role::Pawn) > 0);
        let mut numberings = ArrayVec::<ArrayVec<Numbering, 2>, 4>::new();
        for file in 0..if pawns { 4 } else { 1 } {
            let place = reader.u8()?;
            let pawn_place = if both { reader.u8()? } else { 0xFF };
            let men = reader.bytes(material.men() as usize)?;
            let of_side = |side: usize| {
                let half = |byte: u8| byte >> (4 * side) & 0xF;
                let men: ArrayVec<Man, MAX_MEN> = men
                    .iter()
                    .filter_map(|&byte| Man::from_bits(half(byte)))
                    .collect();
                let fits = counts(&men) == Some(material);
                let places = [half(place), half(pawn_place)];
                let numbering = Numbering::new(&men, places, file).filter(|_| fits);
                numbering.ok_or(Damaged("order of the men"))
            };
            numberings.push((0..sides).map(of_side).collect::<Result<_, _>>()?);
        }
        reader.align(2);
        for numberings in numberings {
            let mut parts = ArrayVec::new();
            for numbering in numberings {
                let (flags, pairs) = Pairs::read(reader, numbering.len())?;
                parts.push(Part {
                    runs: PieceRun::all(numbering.men()),
                    numbering,
                    flags,
                    pairs,
                    lists: Default::default(),
                });
            }
            self.parts.push(parts);
        }
        self.check_leaders()?;
        let parts = &mut self.parts;
        if kind == SyzygyKind::Dtz {
            for part in parts.iter_mut().flatten() {
                part.read_lists(reader)?;
            }
            reader.align(2);
        }
        for place in [Pairs::place_index, Pairs::place_sizes, Pairs::place_data] {
            for part in parts.iter_mut().flatten() {
                place(&mut part.pairs, reader)?;
            }
        }
        Ok(())
    }

    /// The leading pawns name the sub-table, so they must be the same in all of a side.
    fn check_leaders(&self) -> Result<(), Damaged> {
        let leaders = |parts: &ArrayVec<Part, 2>| -> ArrayVec<Option<PieceRun>, 2> {
            parts
                .iter()
                .map(|part| part.runs.first().copied())
                .collect()
        };
        let mut all = self.parts.iter().map(leaders);
        let first = all.next();
        match all.all(|leaders| Some(leaders) == first) {
            true => Ok(()),
            false => Err(Damaged("sub-tables with different leading pawns")),
        }
    }

    /// Whether all that was read was in the file: another program may have made it shorter meanwhile.
    #[inline]
    fn sure(&self) -> Result<(), Damaged> {
        match self.bytes.is_cut() {
            true => Err(Damaged("cut off while it was in use")),
            false => Ok(()),
        }
    }

    /// Whether the checksum at the end is right.
    pub(super) fn has_right_checksum(&self) -> bool {
        let right = self
            .bytes
            .split_last_chunk()
            .is_some_and(|(rest, told)| checksum(rest) == *told);
        right && self.sure().is_ok()
    }

    /// The stored result of a position with these men. Captures are not considered.
    #[inline]
    pub(super) fn wdl(&self, position: &Position, swapped: bool) -> Result<Wdl, Damaged> {
        let (part, index, _) = self.find(position, swapped, false);
        let value = part.pairs.value(&self.bytes, index)?;
        self.sure()?;
        Ok(match value {
            0 => Wdl::Loss,
            1 => Wdl::BlessedLoss,
            2 => Wdl::Draw,
            3 => Wdl::CursedWin,
            4 => Wdl::Win,
            _ => return Err(Damaged("a value")),
        })
    }

    /// The stored distance to zeroing of a position with these men that has this result, no draw: plies, at least 1,
    /// counted from 1 again for cursed wins and blessed losses. Captures and pawn moves are not considered.
    pub(super) fn dtz(
        &self,
        position: &Position,
        swapped: bool,
        wdl: Wdl,
    ) -> Result<Stored<u16>, Damaged> {
        let (part, index, turn) = self.find(position, swapped, true);
        let stored = Color::ALL[usize::from(part.flags & flags::BLACK)];
        let any_side = self.symmetric && part.numbering.lead() != Lead::Pawns;
        if stored != turn && !any_side {
            return Ok(Stored::OtherSide);
        }
        let value = part.pairs.value(&self.bytes, index)?;
        let distance = part.distance(&self.bytes, value, wdl);
        self.sure()?;
        distance.map(Stored::Value)
    }

    /// The sub-table of a position, its index there, and the side to move in the colours of the file.
    #[inline]
    fn find(&self, position: &Position, swapped: bool, one_side: bool) -> (&Part, u64, Color) {
        let swap = swapped || (self.symmetric && position.turn() == Color::Black);
        let flip = if swap { 56 } else { 0 };
        let turn = if swap {
            !position.turn()
        } else {
            position.turn()
        };
        let side = if one_side { 0 } else { turn.index() };
        let of = |parts: &'_ ArrayVec<Part, 2>| side.min(parts.len() - 1);
        let mut squares = [0; MAX_MEN];
        let first = &self.parts[0];
        let mut part = &first[of(first)];
        let (mut runs, mut filled, mut turned) = (&part.runs[..], 0, flip);
        if part.numbering.lead() == Lead::Pawns {
            let leaders = runs[0];
            filled = usize::from(leaders.len);
            leaders.fill(position, swap, flip, &mut squares[..filled]);
            let (file, mirrored) = leading_pawn(&mut squares[..filled]);
            if mirrored {
                squares[..filled].iter_mut().for_each(|square| *square ^= 7);
                turned ^= 7;
            }
            part = &self.parts[file][of(&self.parts[file])];
            runs = &part.runs[1..];
        }
        for run in runs {
            let end = filled + usize::from(run.len);
            run.fill(position, swap, turned, &mut squares[filled..end]);
            filled = end;
        }
        (part, part.numbering.index(&mut squares), turn)
    }
}

impl PieceRun {
    fn all(men: &[Man]) -> ArrayVec<PieceRun, MAX_MEN> {
        let runs = men.chunk_by(|one, other| one == other).map(|men| PieceRun {
            color: men[0].color(),
            role: men[0].role(),
            len: men.len() as u8,
        });
        runs.collect()
    }

    /// The squares of the men, each turned as `turn` says.
    #[inline]
    fn fill(self, position: &Position, swap: bool, turn: u8, into: &mut [u8]) {
        let color = if swap { !self.color } else { self.color };
        let mut men = position.of(color, self.role);
        for slot in into {
            let Some(square) = men.first() else {
                return;
            };
            men = men - square.into();
            *slot = square.index() as u8 ^ turn;
        }
    }
}

/// The material that men make.
fn counts(men: &[Man]) -> Option<Material> {
    let mut counts = ByColor([[0; 5]; 2]);
    let mut kings = [0; 2];
    for man in men {
        if man.is_king() {
            kings[man.color().index()] += 1;
        } else {
            counts[man.color()][man.role().index()] += 1;
        }
    }
    let (material, swapped) = Material::of_counts(counts);
    (kings == [1, 1] && !swapped).then_some(material)
}

impl Part {
    fn read_lists(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        if self.flags & flags::MAPPED == 0 {
            return Ok(());
        }
        let wide = self.flags & flags::WIDE != 0;
        if wide {
            reader.align(2);
        }
        for list in &mut self.lists {
            let len = if wide {
                usize::from(reader.u16()?)
            } else {
                usize::from(reader.u8()?)
            };
            *list = (reader.at(), len);
            reader.skip(len as u64 * if wide { 2 } else { 1 })?;
        }
        Ok(())
    }

    /// The distance in plies that a stored value means.
    fn distance(&self, file: &[u8], mut value: u16, wdl: Wdl) -> Result<u16, Damaged> {
        let (list, exact) = match wdl {
            Wdl::Win => (0, flags::WINS_IN_PLIES),
            Wdl::Loss => (1, flags::LOSSES_IN_PLIES),
            Wdl::CursedWin => (2, 0),
            Wdl::BlessedLoss => (3, 0),
            Wdl::Draw => return Err(Damaged("a draw has no distance")),
        };
        if self.flags & flags::MAPPED != 0 {
            let (start, len) = self.lists[list];
            let at = usize::from(value);
            if at >= len {
                return Err(Damaged("a distance that is not in the list"));
            }
            value = if self.flags & flags::WIDE != 0 {
                u16::from_le_bytes([file[start + 2 * at], file[start + 2 * at + 1]])
            } else {
                file[start + at].into()
            };
        }
        if self.flags & exact == 0 {
            value = value.checked_mul(2).ok_or(Damaged("a distance"))?;
        }
        value.checked_add(1).ok_or(Damaged("a distance"))
    }
}
