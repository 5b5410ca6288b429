//! Probing: the value of a position and of its moves.
//!
//! A probe is exact for the position as given: en-passant captures, which no table knows, are looked
//! at one ply ahead; positions with castling rights have no value; Black and White change places as the
//! table needs. The 50-move counter is not regarded.
//!
//! The length of a win is stored. The length of a loss is one more than the longest win among the
//! successors, found by playing every move.

use super::format::FormatError;
use super::format_wdl::Outcome;
use super::material::Material;
use super::tables::Tables;
use crate::base::{Plies, Value, Wdl};
use crate::chess::{Move, MoveKind, Oracle, Position};

/// Why a position has no value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProbeError {
    /// Tables know no castling.
    #[error("castling rights: no table knows such positions")]
    Castling,
    /// No table has so many men.
    #[error("{0} men are more than any table has")]
    TooManyMen(u32),
    /// The table is not there (yet).
    #[error("table {0} is missing")]
    Missing(Material),
    /// The table is damaged; it is not used any more.
    #[error("table {material}: {source}")]
    Damaged {
        /// The table.
        material: Material,
        /// What was found.
        source: FormatError,
    },
}

/// A legal move and its value as the side that plays it sees it, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The move.
    pub mv: Move,
    /// Its value.
    pub value: Value,
}

impl Tables {
    /// The value of a position with its distance to mate.
    ///
    /// # Errors
    /// When it has castling rights, too many men, or its table (or one that its moves lead to) is
    /// missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Value, ProbeError> {
        check(position)?;
        if position.ep_square().is_some() {
            return Ok(self
                .probe_moves(position)?
                .first()
                .map_or(Value::Draw, |best| best.value));
        }
        self.stored(position)
    }

    /// Win, draw or loss of a position.
    ///
    /// # Errors
    /// As [`Tables::probe`].
    #[inline]
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        check(position)?;
        if position.ep_square().is_some() {
            return self.wdl_with_ep(position);
        }
        self.outcome(position)
    }

    /// All legal moves with their values, the best first; none if the game is over.
    ///
    /// # Errors
    /// As [`Tables::probe`].
    pub fn probe_moves(&self, position: &Position) -> Result<Vec<MoveValue>, ProbeError> {
        check(position)?;
        let mut moves = Vec::new();
        for mv in position.legal_moves() {
            let value = self.probe(&position.play(mv))?.before_move();
            moves.push(MoveValue { mv, value });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.value.rank()));
        Ok(moves)
    }

    /// The value without regard to en passant.
    fn stored(&self, position: &Position) -> Result<Value, ProbeError> {
        match self.outcome(position)? {
            Wdl::Win => self.win(position),
            Wdl::Loss => self.loss(position),
            _ => Ok(Value::Draw),
        }
    }

    fn win(&self, position: &Position) -> Result<Value, ProbeError> {
        let (material, table, swapped) = self.find(position)?;
        let table = table.ok_or(ProbeError::Missing(material))?;
        let index = table
            .layout
            .locate_as(position.board(), position.turn(), swapped);
        let k = index
            .ok_or(FormatError::Header("index"))
            .and_then(|index| table.win(index));
        match k.map_err(|error| self.damaged(material, error))? {
            Some(k) => Ok(Value::Win(Plies(2 * u16::from(k) + 1))),
            None => Err(self.damaged(material, FormatError::Header("no win"))),
        }
    }

    /// The longest resistance, all successors being won for the other side.
    fn loss(&self, position: &Position) -> Result<Value, ProbeError> {
        let mut longest = 0;
        for mv in position.legal_moves() {
            // The values are consistent unless a file is wrong; a wrong one still gives no panic.
            if let Value::Win(plies) = self.probe(&position.play(mv))? {
                longest = longest.max(plies.0 + 1);
            }
        }
        Ok(Value::Loss(Plies(longest)))
    }

    #[inline]
    fn outcome(&self, position: &Position) -> Result<Wdl, ProbeError> {
        if position.is_insufficient_material() {
            return Ok(Wdl::Draw);
        }
        let (material, table, swapped) = self.find(position)?;
        let Some(table) = table else {
            return Err(ProbeError::Missing(material));
        };
        let index = table
            .layout
            .locate_as(position.board(), position.turn(), swapped);
        match index
            .ok_or(FormatError::Header("index"))
            .and_then(|index| table.outcome(index))
        {
            Ok(Outcome::Win) => Ok(Wdl::Win),
            Ok(Outcome::Draw) => Ok(Wdl::Draw),
            Ok(Outcome::Loss) => Ok(Wdl::Loss),
            Err(error) => Err(self.damaged(material, error)),
        }
    }

    #[inline]
    fn find(
        &self,
        position: &Position,
    ) -> Result<(Material, Option<&super::store::Table>, bool), ProbeError> {
        self.by_counts(position.material_counts())
            .ok_or_else(|| ProbeError::TooManyMen(position.occupied().count()))
    }

    /// The table's value holds for every move but the en-passant captures; where these are the only
    /// moves it counts for nothing, as it takes the position for mate or stalemate.
    #[cold]
    fn wdl_with_ep(&self, position: &Position) -> Result<Wdl, ProbeError> {
        let mut best: Option<Wdl> = None;
        let mut others = false;
        for mv in position.legal_moves() {
            if mv.kind() == MoveKind::EnPassant {
                best = best.max(Some(-self.probe_wdl(&position.play(mv))?));
            } else {
                others = true;
            }
        }
        if others {
            best = best.max(Some(self.outcome(position)?));
        }
        Ok(best.unwrap_or(Wdl::Draw))
    }

    #[cold]
    fn damaged(&self, material: Material, source: FormatError) -> ProbeError {
        self.retire(material, &source);
        ProbeError::Damaged { material, source }
    }
}

#[inline]
fn check(position: &Position) -> Result<(), ProbeError> {
    if position.has_castling_rights() {
        Err(ProbeError::Castling)
    } else {
        Ok(())
    }
}

impl Oracle for Tables {
    fn max_men(&self) -> u32 {
        self.largest()
    }

    #[inline]
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.probe_wdl(position).ok()
    }

    fn dtm(&self, position: &Position) -> Option<Value> {
        self.probe(position).ok()
    }
}
