//! Xiangqi position by position: what probing and verification need, computed by the board of [`duchamp_xiangqi`].

use std::ops::ControlFlow;
use std::path::Path;

use duchamp_base::{Plies, Value};
use duchamp_retro::Side;
use duchamp_tablebase::{Audit, CellId, Metric, MoveFacts, Rules, Verifiable, before_move};
use duchamp_xiangqi::{Board, Color, Move, Piece, Position, Role, Square};

use crate::aliases::Store;
use crate::audit::Forward;
use crate::game::Xiangqi;
use crate::geometry::{bit, flip};
use crate::layout::{Layout, Placement, Squares};

/// The side of a colour: Red is the first.
const fn side(color: Color) -> Side {
    match color {
        Color::Red => Side::First,
        Color::Black => Side::Second,
    }
}

/// The board of a placement.
fn board(layout: &Layout, placement: &Placement) -> Board {
    let mut board = Board::EMPTY;
    let mut put = |color, role, square: u8| {
        board.put(Piece { color, role }, Square::wrapping(square.into()));
    };
    let camps = layout.pairs().camps();
    for ((color, camp), number) in Color::ALL.into_iter().zip(camps).zip(placement.defenders) {
        let men = camp.get(number);
        put(color, Role::King, men.king);
        men.advisors
            .iter()
            .for_each(|&square| put(color, Role::Advisor, square));
        men.elephants
            .iter()
            .for_each(|&square| put(color, Role::Elephant, square));
    }
    for (role, &square) in layout.attackers().zip(&placement.attackers) {
        put(Color::Red, role, square);
    }
    board
}

/// The placement of a board; `exchanged`: its Black is the table's Red. `None` if the men are not the table's.
fn placement(layout: &Layout, board: &Board, exchanged: bool) -> Option<Placement> {
    let color = |black: bool| {
        if black != exchanged {
            Color::Black
        } else {
            Color::Red
        }
    };
    let squares = |black: bool, role: Role| {
        let set = board.of(color(black), role);
        let own = crate::geometry::squares(set.0);
        own.map(move |square| if exchanged { flip(square) } else { square })
    };
    let camps = layout.pairs().camps();
    let mut defenders = [0; 2];
    for (i, camp) in camps.into_iter().enumerate() {
        let men = |role| -> Squares { squares(i == 1, role).collect() };
        let king = *men(Role::King).first()?;
        defenders[i] = camp.find(king, &men(Role::Advisor), &men(Role::Elephant))?;
    }
    let mut attackers = Squares::new();
    let (mut before, mut left) = (None, 0u128);
    for role in layout.attackers() {
        if before != Some(role) {
            left = squares(false, role).fold(0, |set, square| set | bit(square));
            before = Some(role);
        }
        let square = crate::geometry::squares(left).next()?;
        left &= !bit(square);
        attackers.push(square);
    }
    Some(Placement {
        defenders,
        attackers,
    })
}

/// What a move does to the distances.
pub(crate) fn facts(position: &Position, mv: Move) -> MoveFacts<Move> {
    let capture = position.is_capture(mv);
    MoveFacts {
        mv,
        converts: capture,
        zeroes: capture,
        unstored: false,
    }
}

impl Rules for Xiangqi {
    type Position = Position;
    type Move = Move;

    fn position(index: &Layout, at: CellId) -> Option<Position> {
        let cell = at.cell as usize;
        let placement = index.placement(cell)?;
        if index.cell_of(&placement)? != cell {
            return None;
        }
        let turn = match at.side {
            Side::First => Color::Red,
            Side::Second => Color::Black,
        };
        Position::new(board(index, &placement), turn).ok()
    }

    fn code(position: &Position) -> u64 {
        position.material_counts()
    }

    fn cell(index: &Layout, position: &Position, exchanged: bool) -> Option<CellId> {
        let placement = placement(index, position.board(), exchanged)?;
        let turn = side(position.turn());
        Some(CellId {
            side: if exchanged { turn.other() } else { turn },
            cell: index.cell_of(&placement)? as u64,
        })
    }

    fn men(position: &Position) -> u32 {
        position.board().occupied().count()
    }

    fn is_dead_draw(position: &Position) -> bool {
        let attackers = [Role::Horse, Role::Chariot, Role::Cannon, Role::Pawn];
        let mut men = Color::ALL
            .into_iter()
            .flat_map(|color| attackers.map(|role| (color, role)));
        men.all(|(color, role)| position.board().of(color, role).is_empty())
    }

    fn moves(position: &Position, mut each: impl FnMut(MoveFacts<Move>) -> ControlFlow<()>) {
        for mv in position.legal_moves() {
            if each(facts(position, mv)).is_break() {
                return;
            }
        }
    }

    fn play(position: &Position, mv: Move) -> Position {
        position.play(mv)
    }

    /// A side without a legal move has lost, in check or not.
    fn stuck(_: &Position) -> Value {
        Value::Loss(Plies(0))
    }

    fn mates(position: &Position, mv: Move) -> bool {
        !position.play(mv).has_legal_move()
    }

    /// A defender's capture into a position that is still lost adds nothing to the distance to conversion.
    fn before(metric: Metric, facts: &MoveFacts<Move>, after: Value) -> Option<Value> {
        if metric == Metric::Dtc && facts.converts && matches!(after, Value::Win(_)) {
            return None;
        }
        Some(before_move(metric, facts.ends(metric), after))
    }

    fn notation(position: &Position) -> String {
        position.fen()
    }
}

impl Verifiable for Xiangqi {
    /// Where all distances fit into bytes.
    fn audit<'s>(
        store: &'s Store,
        metric: Metric,
        _scratch: &Path,
    ) -> Option<Box<dyn Audit<Xiangqi> + 's>> {
        const LONGEST: u16 = 253;
        let fits = store.list().iter().all(|table| {
            let counts = table.file(metric).map(|file| file.counts);
            counts.is_none_or(|counts| counts.iter().all(|side| side.longest_win <= LONGEST))
        });
        fits.then(|| Box::new(Forward::new(store, metric)) as Box<dyn Audit<Xiangqi> + 's>)
    }
}
