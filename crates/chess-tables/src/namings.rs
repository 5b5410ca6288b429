//! How many positions a cell stands for when identical pieces are distinguished.

use duchamp_chess::{Color, Role};
use duchamp_tablebase::CellId;

use crate::layout::Layout;

/// How many positions a cell stands for when identical pieces are distinguished.
///
/// Swapping the names of identical pieces gives another position of the same class, unless the position
/// is its own mirror image along the diagonal: then each two ways to name them are one.
pub(crate) fn namings(layout: &Layout, at: CellId) -> u64 {
    let material = layout.material();
    let groups = Color::ALL
        .into_iter()
        .flat_map(|color| Role::PROMOTIONS.map(|role| material.count(color, role)));
    let all: u64 = groups
        .map(|count| (1..=u64::from(count)).product::<u64>())
        .product();
    if all == 1 {
        return 1;
    }
    let Some((board, _)) = layout.place(at) else {
        return all;
    };
    let mut moved = false;
    let own_image = material.pawns() == 0
        && board.occupied().into_iter().all(|square| {
            moved |= square.flip_diagonal() != square;
            board.at(square.flip_diagonal()) == board.at(square)
        });
    if own_image && moved { all / 2 } else { all }
}
