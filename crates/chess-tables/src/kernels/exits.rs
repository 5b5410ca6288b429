//! The moves that leave a slice: captures, promotions and pawn pushes, and the tables or slices that
//! they lead into.
//!
//! For each kind of exit a [`Remap`] gives the new places of the pieces; [`seeds`](super::seeds) finds the exits of a
//! row.

use super::super::layout::{Layout, MAX_PIECES, Rows};
use super::super::material::Material;
use super::super::pawns::MAX_PAWNS;
use super::remap::{Kind, PieceIndex, Remap, Squares, raise};
use duchamp_chess::{Board, ByColor, Color, Piece, Position, Role, Setup, Square};
use duchamp_retro::Code;
use duchamp_tablebase::{View, Worth};

/// The exits of a material.
#[derive(Debug)]
pub struct Exits<'a, W: Worth> {
    pub(crate) layout: &'a Layout,
    /// The kind of each piece, the lane piece last.
    pub(super) pieces: Vec<Piece>,
    /// By [`Exits::number`], into finished tables.
    pub(super) plans: Vec<Option<Remap<'a, Code>>>,
    /// By the colour that moves, into earlier slices of the same table.
    pub(super) pushes: [Option<Remap<'a, W::Own>>; 2],
}

/// Roles that a pawn may become, by number from 1 in [`Exits::number`].
pub(super) const PROMOTIONS: [Role; 4] = Role::PROMOTIONS;

impl<'a, W: Worth> Exits<'a, W> {
    /// The exits of a table whose done slices are `own`; `sub` finds the finished tables.
    pub(crate) fn new(
        layout: &'a Layout,
        own: View<'a, Layout, W::Own>,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
    ) -> Exits<'a, W> {
        let mut exits = Exits::of_kinds(layout, sub, |_| true);
        // Where no slice is done, or none is at hand, no push has a value.
        if layout.pawns().pawns() > 0 && !own.codes[0].is_empty() {
            exits.pushes = Color::ALL.map(|mover| exits.plan(Kind::push(mover), |_| Some(own)));
        }
        exits
    }

    /// The captures of a table only, promoting ones among them; none of them en passant.
    pub(crate) fn captures(
        layout: &'a Layout,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
    ) -> Exits<'a, W> {
        Exits::of_kinds(layout, sub, |kind| kind.captured.is_some())
    }

    /// The exits that lead to finished tables, of the kinds that are `wanted`.
    fn of_kinds(
        layout: &'a Layout,
        sub: &dyn Fn(Material) -> Option<View<'a, Layout, Code>>,
        wanted: impl Fn(&Kind) -> bool,
    ) -> Exits<'a, W> {
        let mut pieces: Vec<Piece> = layout.fixed(0).pieces.iter().map(|man| man.0).collect();
        pieces.push(layout.lane_piece());
        let mut exits = Exits {
            layout,
            plans: Vec::new(),
            pushes: [const { None }; 2],
            pieces,
        };
        let count = exits.pieces.len();
        exits
            .plans
            .resize_with((count + 2) * (1 + 4 * count), || None);
        for kind in exits.kinds().into_iter().filter(wanted) {
            let number = exits.number(kind);
            exits.plans[number] = exits.plan(kind, sub);
        }
        exits
    }

    /// All kinds of exits that these pieces have.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for mover in Color::ALL {
            let capturable = |&m: &PieceIndex| {
                self.pieces[usize::from(m)].color != mover
                    && self.pieces[usize::from(m)].role != Role::King
            };
            let captures = (0..self.pieces.len() as PieceIndex)
                .filter(capturable)
                .map(Some)
                .chain([None]);
            for captured in captures {
                if captured.is_some() {
                    kinds.push(Kind {
                        mover,
                        captured,
                        promoted: None,
                    });
                }
                for (pawn, _) in self
                    .pieces
                    .iter()
                    .enumerate()
                    .filter(|(_, m)| m.color == mover && m.role == Role::Pawn)
                {
                    kinds.extend(PROMOTIONS.map(|role| Kind {
                        mover,
                        captured,
                        promoted: Some((pawn as PieceIndex, role)),
                    }));
                }
            }
        }
        kinds
    }

    /// The place of a kind's plan.
    #[inline]
    pub(super) fn number(&self, kind: Kind) -> usize {
        let count = self.pieces.len();
        let captured = kind
            .captured
            .map_or(count + kind.mover.index(), usize::from);
        let promoted = kind.promoted.map_or(0, |(pawn, role)| {
            1 + 4 * usize::from(pawn) + (role.index() - 1)
        });
        captured * (1 + 4 * count) + promoted
    }

    /// How the pieces are placed in the table that a kind of exit leads into. `None` if that table is
    /// not at hand.
    fn plan<V>(
        &self,
        kind: Kind,
        view: impl FnOnce(Material) -> Option<View<'a, Layout, V>>,
    ) -> Option<Remap<'a, V>> {
        let after = |m: usize| match kind.promoted {
            Some((pawn, role)) if usize::from(pawn) == m => Piece {
                role,
                ..self.pieces[m]
            },
            _ => self.pieces[m],
        };
        let left: Vec<usize> = (0..self.pieces.len())
            .filter(|&m| kind.captured.map(usize::from) != Some(m))
            .collect();
        let mut counts = ByColor([[0; 5]; 2]);
        for &m in left.iter().filter(|&&m| after(m).role != Role::King) {
            counts[after(m).color][after(m).role.index()] += 1;
        }
        let (material, mut swapped) = Material::of_counts(counts);
        let view = view(material)?;
        let mut turn = if swapped { kind.mover } else { !kind.mover };
        if view.first_only && turn == Color::Black {
            turn = Color::White;
            swapped = !swapped;
        }
        let color = |c: Color| if swapped { !c } else { c };
        let mut free: Vec<usize> = left;
        let mut take = |piece: Piece| {
            let at = free.iter().position(|&m| {
                after(m)
                    == Piece {
                        color: color(piece.color),
                        role: piece.role,
                    }
            })?;
            Some(free.remove(at) as PieceIndex)
        };
        let king = |color| Piece {
            color,
            role: Role::King,
        };
        let kings = [take(king(Color::White))?, take(king(Color::Black))?];
        let (mut pawns, mut pieces) = ([0; MAX_PAWNS], [0; MAX_PIECES]);
        let slices = view.index.pawns();
        for (i, slot) in pawns[..slices.pawns()].iter_mut().enumerate() {
            *slot = take(Piece {
                color: if i < slices.white() {
                    Color::White
                } else {
                    Color::Black
                },
                role: Role::Pawn,
            })?;
        }
        let lane_piece = (view.index.rows() == Rows::Pairs).then(|| view.index.lane_piece());
        let mut piece_count = 0;
        for &piece in view.index.indexed_pieces().iter().chain(&lane_piece) {
            pieces[piece_count] = take(piece)?;
            piece_count += 1;
        }
        Some(Remap {
            view,
            flip: if swapped { 56 } else { 0 },
            turn: turn.index(),
            kings,
            pawns,
            pawn_count: slices.pawns(),
            pieces,
            piece_count,
        })
    }

    /// The lane piece's place among the pieces.
    pub(super) fn lane_piece(&self) -> PieceIndex {
        self.pieces.len() as PieceIndex - 1
    }
}

impl<W: Worth> Exits<'_, W> {
    /// What a capture or promotion is worth; `None` if it is illegal.
    pub(super) fn converting(&self, kind: Kind, squares: &Squares) -> Option<W::Cell> {
        let plan = self.plans[self.number(kind)].as_ref()?;
        let (code, cursed) = plan.at(plan.view.index.any_cell(&plan.placement(squares))?)?;
        Some(W::converting(code, cursed))
    }

    /// The value after a push, as the side then to move sees it; `None` if the push is illegal.
    pub(super) fn pushed(&self, mover: Color, squares: &Squares) -> Option<W::Cell> {
        let plan = self.pushes[mover.index()].as_ref()?;
        let (own, cursed) = plan.at(plan.view.index.any_cell(&plan.placement(squares))?)?;
        Some(W::stored(own, cursed))
    }

    /// Raises the values of some cells to what a capture or promotion gives. The cells are squares
    /// of the lane piece, and after the exit those of the piece `free`: itself, or who captures it.
    pub(super) fn line(
        &self,
        kind: Kind,
        squares: &Squares,
        free: PieceIndex,
        cells: u64,
        values: &mut [W::Cell; 64],
    ) {
        let Some(plan) = &self.plans[self.number(kind)] else {
            return;
        };
        if let Some((word, symmetry)) = plan.word_of(squares, free)
            && plan.cursed(word) == 0
        {
            let mut line = plan.word(word).map(|code| W::converting(code, false));
            let mut cells = cells;
            if symmetry.is_none() {
                cells &= !plan.void(word);
            } else {
                line = symmetry.undo_all(&line);
                cells &= !symmetry.undo(plan.void(word));
            }
            raise(values, &line, cells);
            return;
        }
        // Few cells of other lines are sooner looked up one by one.
        if cells.count_ones() >= 16
            && !plan.has_cursed()
            && let Some((line, void)) = plan.gathered(squares, free)
        {
            let line = line.map(|code| W::converting(code, false));
            raise(values, &line, cells & !void);
            return;
        }
        plan.line(squares, free, cells, |bit, code, cursed| {
            values[bit] = values[bit].max(W::converting(code, cursed));
        });
    }

    /// Whether a side has no legal move (en passant aside), by the rules of the chess room.
    pub(super) fn is_stuck(&self, turn: Color, squares: &Squares) -> bool {
        let mut board = Board::EMPTY;
        for (&man, &square) in self.pieces.iter().zip(squares) {
            board.put(man, Square::wrapping(square.into()));
        }
        let position = Position::from_setup(&Setup {
            board,
            turn,
            ..Setup::EMPTY
        });
        position.is_ok_and(|position| position.legal_moves().is_empty())
    }
}
