//! Structures that endgame tables know.

use super::bounds::Bounds;
use super::kings::Won;
use super::rows::Rows;
use super::scene::{Ground, Scene};
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Bitboard, Color, FIFTY_MOVES, Oracle, Piece, Position, Role, Setup, Square};

/// The pawns of a structure on the board: colours do not matter to a table, so the attacker plays White.
fn pawns(scene: Scene) -> Setup {
    let mut setup = Setup::EMPTY;
    let role = Role::Pawn;
    for (color, pawns) in [(Color::White, scene.attack), (Color::Black, scene.defend)] {
        for square in pawns {
            setup.board.put(Piece { color, role }, square);
        }
    }
    setup
}

/// Adds the kings, and says who is to move.
fn place(mut setup: Setup, white: Square, black: Square, turn: Color) -> Setup {
    setup.turn = turn;
    for (color, square) in [(Color::White, white), (Color::Black, black)] {
        let role = Role::King;
        setup.board.put(Piece { color, role }, square);
    }
    setup
}

/// Whether there is a table of a structure: asked about one placement of the kings.
pub(super) fn is_known(scene: Scene, oracle: &dyn Oracle) -> bool {
    let legal = Ground::of(scene).attacker();
    let placement = Square::ALL.into_iter().find_map(|white| {
        let black = legal[white].first()?;
        Position::from_setup(&place(pawns(scene), white, black, Color::White)).ok()
    });
    placement.is_some_and(|position| oracle.wdl(&position).is_some())
}

/// A value for the side to move, as White sees it.
pub(super) fn for_white(wdl: Wdl, turn: Color) -> Wdl {
    match turn {
        Color::White => wdl,
        Color::Black => -wdl,
    }
}

/// The bounds of a structure with what tables say where they are open; `None` if the tables do not know all of that. Only open
/// placements are looked up: that takes as long as solving dozens of them.
pub(super) fn bounds(scene: Scene, known: &Bounds, oracle: &dyn Oracle) -> Option<Bounds> {
    let setup = pawns(scene);
    let read = |turn: Color, low: &Rows, high: &Rows| {
        let (mut low, mut high) = (low.clone(), high.clone());
        for white in Square::ALL {
            for black in high[white] - low[white] {
                let here = Bitboard::of(black);
                let wdl = match Position::from_setup(&place(setup, white, black, turn)) {
                    Ok(position) => oracle.wdl(&position)?,
                    Err(_) => Wdl::Draw,
                };
                let wdl = for_white(wdl, turn);
                if wdl == Wdl::Win {
                    low[white] |= here;
                }
                if wdl <= Wdl::Draw {
                    high[white] = high[white] - here;
                }
            }
        }
        Some([low, high])
    };
    let [low, high] = read(Color::White, &known.low.attacker, &known.high.attacker)?;
    let [lost, yielding] = read(Color::Black, &known.low.defender, &known.high.defender)?;
    let low = Won {
        attacker: low,
        defender: lost,
    };
    let high = Won {
        attacker: high,
        defender: yielding,
    };
    Some(Bounds {
        hope: low.clone(),
        low,
        high,
        // Tables of results tell no distance: only a fresh counter makes such a win sure.
        longest: Plies(FIFTY_MOVES),
    })
}
