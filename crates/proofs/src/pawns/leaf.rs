//! Structures that endgame tables know.

use super::bounds::Bounds;
use super::kings::Won;
use super::rows::Rows;
use super::scene::{Ground, Scene};
use duchamp_base::{Plies, Wdl};
use duchamp_chess::{Bitboard, Color, FIFTY_MOVES, Oracle, Piece, Position, Role, Setup, Square};

/// The bounds of a structure from tables; `None` if they do not know all of it.
pub(super) fn bounds(scene: Scene, oracle: &dyn Oracle) -> Option<Bounds> {
    let ground = Ground::of(scene);
    let mut setup = Setup::EMPTY;
    for (color, pawns) in [(Color::White, scene.attack), (Color::Black, scene.defend)] {
        for square in pawns {
            setup.board.put(
                Piece {
                    color,
                    role: Role::Pawn,
                },
                square,
            );
        }
    }
    // Colours do not matter to a table, so the attacker plays White.
    let won = |turn: Color, legal: Rows| {
        let mut low = Rows::EMPTY;
        let mut high = Rows::EMPTY;
        for white in Square::ALL {
            for black in legal[white] {
                let mut setup = setup;
                setup.turn = turn;
                setup.board.put(
                    Piece {
                        color: Color::White,
                        role: Role::King,
                    },
                    white,
                );
                setup.board.put(
                    Piece {
                        color: Color::Black,
                        role: Role::King,
                    },
                    black,
                );
                let Ok(position) = Position::from_setup(&setup) else {
                    continue;
                };
                let wdl = oracle.wdl(&position)?;
                let wdl = if turn == Color::White { wdl } else { -wdl };
                let place = Bitboard::of(black);
                if wdl == Wdl::Win {
                    low[white] |= place;
                }
                if wdl > Wdl::Draw {
                    high[white] |= place;
                }
            }
        }
        Some([low, high])
    };
    let [low, high] = won(Color::White, ground.attacker())?;
    let [lost, yielding] = won(Color::Black, ground.defender())?;
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
