//! An ending solved in memory by the rules of the early papers: plies to mate, or to a capture or pawn move that keeps
//! the result, without the 50-move rule.
//!
//! The distance is DTZ without cursed wins (and, without pawns, DTC). The results are by slice, that is by placement of
//! the pawns, which no table file has. With [`Promotions::QueenOnly`] pawns become queens only, as in K. Thompson,
//! "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986.

use rayon::prelude::*;
use std::sync::Arc;

use super::census::{Census, Regard, of_words};
use super::game::Chess;
use super::layout::Layout;
use super::material::Material;
use super::positions::position_of;
use super::sides::side as side_of;
use crate::aliases::{ProbeError, SolveError, Solved};
use crate::{FormatError, Prober};
use duchamp_base::{Cancelled, Control, Plies, Value, Wdl};
use duchamp_chess::{Color, Move, Position, Role, Square};
use duchamp_retro::{Cell, Code, Wide};
use duchamp_tablebase::{
    CellId, Metric, Subs, ToDecision, Whole, before_move, solve_whole, trivial,
};

/// The pieces that a pawn may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotions {
    /// By the rules of chess.
    All,
    /// A queen.
    QueenOnly,
}

/// Why an ending was not solved.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A smaller table is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The solver stopped for another reason.
    #[error(transparent)]
    Solve(SolveError),
}

/// A move with its value as its mover sees it, counted from before the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurveyedMove {
    /// The move.
    pub mv: Move,
    /// Its value: a capture or pawn move that wins or loses is worth one ply.
    pub value: Value,
}

/// An ending solved in memory to mate, capture or pawn move, without the 50-move rule, as papers of the 1980s count.
pub struct Survey<'t> {
    prober: &'t Prober,
    promotions: Promotions,
    layout: Arc<Layout>,
    values: Whole<Wide>,
}

impl std::fmt::Debug for Survey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Survey")
            .field("material", &self.material())
            .field("promotions", &self.promotions)
            .finish_non_exhaustive()
    }
}

impl<'t> Survey<'t> {
    /// Solves a material on the current rayon pool; its values take 2 bytes for each cell and side to move. Needs the
    /// `.wdl` files of [`Material::children`].
    ///
    /// # Errors
    /// When cancelled or when a smaller table cannot be read.
    pub fn new(
        prober: &'t Prober,
        material: Material,
        promotions: Promotions,
        control: &Control,
    ) -> Result<Survey<'t>, SurveyError> {
        let mut subs = Subs::<Chess>::new();
        subs.insert(Material::BARE, Arc::new(trivial::<Chess>(Material::BARE)));
        let allowed = |child: &Material| {
            promotions == Promotions::All || !is_under_promotion(material, *child)
        };
        for child in material.children().into_iter().filter(allowed) {
            subs.insert(child, Arc::new(outcomes(prober, child)?));
        }
        let layout = Arc::new(Layout::new(material));
        let solved = solve_whole::<Chess, ToDecision>(&layout, &subs, control);
        let values = solved.map_err(|error| match error {
            SolveError::Cancelled(cancelled) => SurveyError::Cancelled(cancelled),
            error => SurveyError::Solve(error),
        })?;
        Ok(Survey {
            prober,
            promotions,
            layout,
            values,
        })
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.layout.material()
    }

    /// The value of a position. Of other pieces than the survey's: the result of the tables, as a win or loss in 0
    /// plies.
    ///
    /// # Errors
    /// When a table is missing or damaged.
    pub fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        if position.ep_square().is_some() {
            return Ok(self
                .moves(position)?
                .first()
                .map_or(Value::Draw, |best| best.value));
        }
        match self.layout.locate(position.board(), position.turn()) {
            Some(CellId { side, cell }) => {
                Ok(self.values.cells[side.index()][cell as usize].value())
            }
            None => Ok(match self.prober.probe_wdl(position)? {
                Wdl::Win | Wdl::CursedWin => Value::Win(Plies(0)),
                Wdl::Draw => Value::Draw,
                Wdl::Loss | Wdl::BlessedLoss => Value::Loss(Plies(0)),
            }),
        }
    }

    /// The values of all moves that [`Promotions`] allows, the best first.
    ///
    /// # Errors
    /// As [`Survey::value`].
    pub fn moves(&self, position: &Position) -> Result<Vec<SurveyedMove>, ProbeError> {
        let mut moves = Vec::new();
        for mv in position.legal_moves() {
            if self.promotions == Promotions::QueenOnly
                && mv.promotion().is_some_and(|role| role != Role::Queen)
            {
                continue;
            }
            let after = self.value(&position.play(mv))?;
            let deciding = position.is_capture(mv) || position.moved_role(mv) == Role::Pawn;
            let value = before_move(Metric::Dtc, deciding, after);
            moves.push(SurveyedMove { mv, value });
        }
        moves.sort_by_key(|entry| std::cmp::Reverse(entry.value.rank()));
        Ok(moves)
    }

    /// The words of the slices with a pawn on a square (of all slices if none is given).
    fn words(&self, pawn: Option<Square>) -> Vec<std::ops::Range<usize>> {
        let n = self.layout.slice_words();
        let has = |slice: usize| {
            pawn.is_none_or(|pawn| {
                let squares = self.layout.pawns().squares(slice);
                squares
                    .first()
                    .is_some_and(|&square| usize::from(square) == pawn.index())
            })
        };
        let slices = (0..self.layout.slices()).filter(|&slice| has(slice));
        slices.map(|slice| slice * n..(slice + 1) * n).collect()
    }

    /// The longest win of the side to move in plies, 0 if there is none; of positions with White's (first) pawn on a
    /// square, if one is given.
    #[must_use]
    pub fn longest_win(&self, side: Color, pawn: Option<Square>) -> Plies {
        let cells = &self.values.cells[side.index()];
        let longest = |words: std::ops::Range<usize>| {
            let wins = cells[words.start * 64..words.end * 64].par_iter();
            wins.filter(|&&cell| cell > Wide::DRAW).min().copied()
        };
        let worst = self.words(pawn).into_iter().filter_map(longest).min();
        worst
            .and_then(|cell| cell.value().plies())
            .unwrap_or_default()
    }

    /// Wins and positions counted over the index; those with White's (first) pawn on a square, if one is given.
    #[must_use]
    pub fn census(&self, side: Color, pawn: Option<Square>) -> Census {
        let cells = self.values.cells[side.index()].as_chunks::<64>().0;
        let count = |words| {
            of_words(&self.layout, side, words, Regard::All, |word| {
                Wide::above(&cells[word], Wide::DRAW) & !self.values.void[side.index()][word]
            })
        };
        self.words(pawn)
            .into_iter()
            .map(count)
            .fold(Census::default(), Census::add)
    }

    /// All positions, each symmetry class once, that `side`, to move, wins in so many plies.
    #[must_use]
    pub fn won_in(&self, side: Color, plies: Plies) -> Vec<Position> {
        let Some(value) = <Wide as Cell>::win(plies.0) else {
            return Vec::new();
        };
        let cells = self.values.cells[side.index()].as_chunks::<64>().0;
        let words = (0..cells.len()).into_par_iter().flat_map_iter(|word| {
            let set = Wide::equal(&cells[word], value) & !self.values.void[side.index()][word];
            duchamp_retro::Bits(set & self.layout.canonical(word)).filter_map(move |bit| {
                let cell = (word * 64 + bit) as u64;
                let (board, turn) = self.layout.place(CellId {
                    side: side_of(side),
                    cell,
                })?;
                position_of(board, turn)
            })
        });
        words.collect()
    }
}

/// Whether a material arises only by promotion to less than a queen.
fn is_under_promotion(material: Material, child: Material) -> bool {
    // The names of materials begin with the stronger side, so the sides may be exchanged.
    [false, true].iter().all(|&exchanged| {
        Color::ALL.iter().any(|&color| {
            let of_child = if exchanged { !color } else { color };
            let more = |role| child.count(of_child, role) > material.count(color, role);
            [Role::Rook, Role::Bishop, Role::Knight]
                .into_iter()
                .any(more)
        })
    })
}

/// A table's outcomes, read from its `.wdl` file: the shortest win, a draw or the shortest loss.
fn outcomes(prober: &Prober, material: Material) -> Result<Solved, ProbeError> {
    let table = prober
        .store()
        .table(material)
        .ok_or(ProbeError::Missing(material))?;
    let damaged = |source: FormatError| ProbeError::Damaged {
        key: material,
        source,
    };
    let mut sides = Vec::new();
    for side in 0..table.index.sides().len() {
        let words = table.words(side).map_err(damaged)?;
        let mut codes = vec![Code::DRAW; words.len() * 64];
        let cells = codes.as_chunks_mut::<64>().0.par_iter_mut();
        cells.zip(&words).for_each(|(cells, word)| {
            Code::write(cells, word.won, Code::win(0));
            Code::write(cells, word.lost, Code::loss(1));
        });
        sides.push(codes);
    }
    Ok(Solved::from_codes(Arc::clone(&table.index), sides))
}
