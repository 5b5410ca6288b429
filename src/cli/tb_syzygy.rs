//! What Syzygy files say of a position and its moves, beside our own tables or alone.

use std::collections::HashMap;
use std::io::Write;

use duchamp_base::Wdl;
use duchamp_chess::Position;
use duchamp_chess_tables::{SyzygyDtz, SyzygyError, SyzygyKind, SyzygyTables};
use serde::Serialize;

use super::Failure;

/// The files of folders, as `SyzygyPath` names them; refuses folders without any.
pub(super) fn open(path: &str) -> Result<SyzygyTables, Failure> {
    let tables = SyzygyTables::open(SyzygyTables::folders(path));
    if tables.count(SyzygyKind::Wdl) == 0 {
        return Err(Failure::BadInput(format!(
            "no Syzygy files (.rtbw) of 3 to 7 men in {path}: name the folders that hold them, separated by `:` (on Windows `;`)"
        )));
    }
    Ok(tables)
}

/// What the files say of a position or a move.
#[derive(Clone, Copy, Serialize)]
pub(super) struct SyzygyObject {
    /// The result; of a move for the side that plays it.
    syzygy_wdl: &'static str,
    /// The distance to zeroing as the files count it, with its sign; null where only `.rtbw` files are there.
    syzygy_dtz: Option<i32>,
    #[serde(skip)]
    wdl: Wdl,
}

impl SyzygyObject {
    fn new(wdl: Wdl, dtz: Option<SyzygyDtz>) -> SyzygyObject {
        SyzygyObject {
            syzygy_wdl: wdl.name(),
            syzygy_dtz: dtz.map(|dtz| dtz.0),
            wdl,
        }
    }

    /// `win, DTZ 11`
    pub(super) fn in_words(self) -> String {
        match self.syzygy_dtz {
            Some(dtz) if self.wdl != Wdl::Draw => format!("{}, DTZ {dtz}", self.syzygy_wdl),
            _ => self.syzygy_wdl.to_owned(),
        }
    }
}

/// What the files say of a position and of its moves.
pub(super) struct SyzygyValues {
    position: Position,
    pub(super) value: SyzygyObject,
    /// By the move as UCI writes it.
    pub(super) moves: HashMap<String, SyzygyObject>,
}

#[derive(Serialize)]
struct MoveObject {
    uci: String,
    san: String,
    #[serde(flatten)]
    value: SyzygyObject,
}

#[derive(Serialize)]
struct PositionObject<'a> {
    fen: &'a str,
    #[serde(flatten)]
    value: SyzygyObject,
    moves: Vec<MoveObject>,
}

impl SyzygyValues {
    /// # Errors
    /// When a file that is needed for results is missing or damaged.
    pub(super) fn of(
        tables: &SyzygyTables,
        position: &Position,
    ) -> Result<SyzygyValues, SyzygyError> {
        let wdl = tables.wdl(position)?;
        // Without distances the results are worth printing, too.
        let distances = tables.move_distances(position).ok();
        let by_move: HashMap<_, _> = distances.into_iter().flatten().collect();
        let moves = position.legal_moves().into_iter().map(|mv| {
            let wdl = -tables.wdl(&position.play(mv))?;
            let value = SyzygyObject::new(wdl, by_move.get(&mv).copied());
            Ok((mv.uci(false), value))
        });
        Ok(SyzygyValues {
            position: *position,
            value: SyzygyObject::new(wdl, tables.dtz(position).ok()),
            moves: moves.collect::<Result<_, SyzygyError>>()?,
        })
    }

    /// The moves, the best first.
    fn ranked(&self) -> Vec<MoveObject> {
        let moves = self.position.legal_moves();
        let mut moves: Vec<MoveObject> = moves
            .into_iter()
            .filter_map(|mv| {
                let uci = mv.uci(false);
                Some(MoveObject {
                    value: *self.moves.get(&uci)?,
                    san: self.position.san(mv),
                    uci,
                })
            })
            .collect();
        // The shortest win; the longest loss.
        moves.sort_by_key(|mv| (-(mv.value.wdl as i32), mv.value.syzygy_dtz));
        moves
    }

    /// One JSON object, of a position that our own tables do not have.
    pub(super) fn json(&self, fen: &str) -> Result<String, Failure> {
        let object = PositionObject {
            fen,
            value: self.value,
            moves: self.ranked(),
        };
        serde_json::to_string(&object).map_err(Failure::failed)
    }

    /// Prints the values of a position that our own tables do not have.
    pub(super) fn print(&self, out: &mut impl Write) -> Result<(), Failure> {
        writeln!(out, "Syzygy: {}", self.value.in_words())?;
        for group in self
            .ranked()
            .chunk_by(|one, other| one.value.wdl == other.value.wdl)
        {
            writeln!(out, "{}", super::tb_clock::headline(group[0].value.wdl))?;
            for MoveObject { san, value, .. } in group {
                let line = match value.syzygy_dtz {
                    Some(dtz) if value.wdl != Wdl::Draw => format!("  {san:8} DTZ {dtz}"),
                    _ => format!("  {san}"),
                };
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}
