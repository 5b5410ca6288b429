//! The shape of answers that both games share: a position, its moves, and why it has no value.

use super::category::Category;
use serde::Serialize;
use std::cmp::Reverse;

/// A position with its moves, the best first.
#[derive(Serialize)]
pub(super) struct PositionInfo<I, M> {
    #[serde(flatten)]
    pub(super) info: I,
    pub(super) moves: Vec<M>,
    /// Why the category is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unknown: Option<Unknown>,
}

/// Why there is no value: a word for programs, a sentence for people.
#[derive(Serialize)]
pub(super) struct Unknown {
    pub(super) reason: &'static str,
    pub(super) text: String,
}

/// Whether of moves with these categories, the best and the next, the best alone keeps the result.
pub(super) fn is_only(best: Category, next: Category) -> bool {
    best < next && ![best, next].contains(&Category::Unknown)
}

/// Shorter is better for who wins, longer for who loses: negative distances (the opponent loses) first, the shortest first; then
/// those without; then positive ones, the longest first.
pub(super) fn tightening(distance: Option<i32>) -> (Reverse<Option<i32>>, Option<Reverse<i32>>) {
    let negative = distance.filter(|plies| *plies < 0);
    let positive = distance.filter(|plies| *plies > 0);
    (Reverse(negative), positive.map(Reverse))
}
