//! An ending solved in memory by the rules of the early papers: how long until mate, or until a move
//! that cannot be taken back decides, without the 50-move rule.
//!
//! The distance is that of DTZ without cursed wins (and, without pawns, of DTC). Wins are asked
//! slice by slice, a slice being a placement of the pawns, which no table file tells. With
//! [`Promotions::QueenOnly`] pawns become queens only, as in tables of Thompson (1986).

use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

use super::census::{self, Census, Regard};
use super::domain::ChessSlice;
use super::format::FormatError;
use super::kernels::exits::Exits;
use super::kernels::plan::View;
use super::kernels::worth::Worth;
use super::layout::{Index, Layout};
use super::material::Material;
use super::probe::ProbeError;
use super::solve::bare_kings;
use super::solved::Solved;
use super::tables::Tables;
use duchamp_base::{Cancelled, Control, Plies, Value, Wdl};
use duchamp_chess::{Color, Move, Position, Role, Square};
use duchamp_retro::{Cell, Code, Half, Halt, Wide};

/// What a pawn may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotions {
    /// By the rules of chess.
    All,
    /// A queen.
    QueenOnly,
}

/// Distance to mate, capture or pawn move.
#[derive(Clone, Copy, Debug)]
struct ToDecision;

/// The worth of a deciding move by the value it leads to.
fn decided(after: Value) -> u16 {
    match after {
        Value::Loss(_) => Wide::win(1).0,
        Value::Draw => Wide::DRAW.0,
        Value::Win(_) => Wide::loss(1).0,
    }
}

impl Worth for ToDecision {
    type Cell = u16;
    type Own = u16;

    #[inline(always)]
    fn converting(code: u8, _: bool) -> u16 {
        decided(Code(code).value())
    }

    #[inline(always)]
    fn stored(own: u16, _: bool) -> u16 {
        own
    }

    #[inline(always)]
    fn push(after: u16) -> u16 {
        decided(after.value())
    }
}

/// Why an ending could not be surveyed.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// Stopped from outside.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A smaller table is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The solver stopped for another reason.
    #[error("{0}: {1}")]
    Halted(Material, Halt),
}

/// A move with its value as the side sees it that makes it, counted from before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurveyedMove {
    /// The move.
    pub mv: Move,
    /// Its value: a deciding move is worth one ply.
    pub value: Value,
}

/// A solved ending.
pub struct Survey<'t> {
    tables: &'t Tables,
    promotions: Promotions,
    layout: Arc<Layout>,
    cells: [Vec<u16>; 2],
    void: [Vec<u64>; 2],
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
    /// Solves a material on the current pool. Needs the `.wdl` files of [`Material::children`].
    ///
    /// # Errors
    /// When cancelled or when a smaller table cannot be read.
    pub fn new(
        tables: &'t Tables,
        material: Material,
        promotions: Promotions,
        control: &Control,
    ) -> Result<Survey<'t>, SurveyError> {
        let mut subs: HashMap<Material, Solved> = HashMap::new();
        subs.insert(Material::BARE, bare_kings());
        let allowed = |child: &Material| {
            promotions == Promotions::All || !is_under_promotion(material, *child)
        };
        for child in material.children().into_iter().filter(allowed) {
            subs.insert(child, outcomes(tables, child)?);
        }
        let layout = Arc::new(Layout::new(material));
        let words = layout.words();
        let mut survey = Survey {
            tables,
            promotions,
            cells: [vec![0; words * 64], vec![0; words * 64]],
            void: [vec![0; words], vec![0; words]],
            layout: Arc::clone(&layout),
        };
        for wave in layout.pawns().waves() {
            control.check()?;
            survey.solve_wave(wave.clone(), &subs, control)?;
        }
        Ok(survey)
    }

    fn solve_wave(
        &mut self,
        wave: std::ops::Range<usize>,
        subs: &HashMap<Material, Solved>,
        control: &Control,
    ) -> Result<(), SurveyError> {
        let layout = &*self.layout;
        let n = layout.slice_words();
        let done = wave.start * n;
        let [white, black] = self.cells.each_mut();
        let (white_done, white) = white.split_at_mut(done * 64);
        let (black_done, black) = black.split_at_mut(done * 64);
        let [white_void, black_void] = self.void.each_mut();
        let (white_void_done, white_void) = white_void.split_at_mut(done);
        let (black_void_done, black_void) = black_void.split_at_mut(done);
        let own = View {
            layout,
            codes: [white_done, black_done],
            void: [white_void_done, black_void_done],
            cursed: [None; 2],
            white_only: false,
        };
        let exits = Exits::<ToDecision>::new(layout, own, &|child| subs.get(&child).map(View::of));
        let parts = white.chunks_mut(n * 64).zip(black.chunks_mut(n * 64));
        let parts = parts.zip(white_void.chunks_mut(n).zip(black_void.chunks_mut(n)));
        let jobs: Vec<_> = wave.zip(parts).collect();
        let solved = jobs.into_par_iter().try_for_each(
            |(slice, ((white, black), (white_legal, black_legal)))| {
                let halves = [
                    Half {
                        cells: white.as_chunks_mut().0,
                        legal: &mut *white_legal,
                    },
                    Half {
                        cells: black.as_chunks_mut().0,
                        legal: &mut *black_legal,
                    },
                ];
                duchamp_retro::solve(
                    &ChessSlice::new(layout, slice, &exits),
                    halves,
                    None,
                    control,
                )?;
                let legal = white_legal.iter_mut().chain(black_legal);
                legal.for_each(|word| *word = !*word);
                Ok::<(), Halt>(())
            },
        );
        solved.map_err(|halt| match halt {
            Halt::Cancelled(cancelled) => cancelled.into(),
            halt => SurveyError::Halted(self.layout.material(), halt),
        })
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.layout.material()
    }

    /// The value of a position; of other men than the survey's what the tables say, as a win or
    /// loss in 0 plies: it is decided.
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
            Some(Index { side, cell }) => Ok(self.cells[side.index()][cell as usize].value()),
            None => Ok(match self.tables.probe_wdl(position)? {
                Wdl::Win | Wdl::CursedWin => Value::Win(Plies(0)),
                Wdl::Draw => Value::Draw,
                Wdl::Loss | Wdl::BlessedLoss => Value::Loss(Plies(0)),
            }),
        }
    }

    /// Every move that the survey's rules allow, the best first.
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
            let value = if deciding {
                decided(after).value()
            } else {
                after.before_move()
            };
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

    /// The longest win of a side that is to move, in plies; with White's (first) pawn on a square, if
    /// one is given.
    #[must_use]
    pub fn longest_win(&self, side: Color, pawn: Option<Square>) -> Plies {
        let cells = &self.cells[side.index()];
        let longest = |words: std::ops::Range<usize>| {
            let wins = cells[words.start * 64..words.end * 64].par_iter();
            wins.filter(|&&cell| cell > u16::DRAW).min().copied()
        };
        let worst = self.words(pawn).into_iter().filter_map(longest).min();
        worst
            .and_then(|cell| cell.value().plies())
            .unwrap_or_default()
    }

    /// Wins and positions counted over the index.
    #[must_use]
    pub fn census(&self, side: Color, pawn: Option<Square>) -> Census {
        let cells = self.cells[side.index()].as_chunks::<64>().0;
        let count = |words| {
            census::of_words(&self.layout, side, words, Regard::All, |word| {
                u16::above(&cells[word], u16::DRAW) & !self.void[side.index()][word]
            })
        };
        self.words(pawn)
            .into_iter()
            .map(count)
            .fold(Census::default(), Census::add)
    }

    /// All positions, each symmetry class once, with `side` to move that are won in so many plies.
    #[must_use]
    pub fn won_in(&self, side: Color, plies: Plies) -> Vec<Position> {
        let Some(value) = u16::win(plies.0) else {
            return Vec::new();
        };
        let cells = self.cells[side.index()].as_chunks::<64>().0;
        let words = (0..cells.len()).into_par_iter().flat_map_iter(|word| {
            let set = u16::equal(&cells[word], value) & !self.void[side.index()][word];
            duchamp_retro::Bits(set & self.layout.canonical(word)).filter_map(move |bit| {
                let cell = (word * 64 + bit) as u64;
                let (board, turn) = self.layout.place(Index { side, cell })?;
                super::dense::position_of(board, turn)
            })
        });
        words.collect()
    }
}

/// Whether a material arises only by promotion to less than a queen.
fn is_under_promotion(material: Material, child: Material) -> bool {
    let pieces = |m: Material| {
        [Role::Rook, Role::Bishop, Role::Knight]
            .map(|role| Color::ALL.iter().map(|&c| m.count(c, role)).sum::<u8>())
    };
    pieces(child)
        .iter()
        .zip(pieces(material))
        .any(|(&after, before)| after > before)
}

/// A table's outcomes, read from its `.wdl` file: the shortest win, a draw or the shortest loss.
fn outcomes(tables: &Tables, material: Material) -> Result<Solved, ProbeError> {
    let table = tables
        .table(material)
        .ok_or(ProbeError::Missing(material))?;
    let damaged = |source: FormatError| ProbeError::Damaged { material, source };
    let mut sides = Vec::new();
    for side in 0..table.layout.sides().len() {
        let words = table.words(side).map_err(damaged)?;
        let mut codes = vec![Code::DRAW.0; words.len() * 64];
        let cells = codes.as_chunks_mut::<64>().0.par_iter_mut();
        cells.zip(&words).for_each(|(cells, word)| {
            u8::write(cells, word.won, Code::win(0).0);
            u8::write(cells, word.lost, Code::loss(1).0);
        });
        sides.push(codes);
    }
    Ok(Solved::from_codes(Arc::clone(&table.layout), sides))
}
