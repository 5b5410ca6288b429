//! The restricted tables that a restricted table leads to by captures and promotions, with the same rules for the pieces that are left.

use super::layout::{LayoutError, Man, TableLayout};
use super::rules::Rules;
use duchamp_chess::{Bitboard, Color, Piece, Role, Square, attacks};
use std::collections::{BTreeMap, BTreeSet};

/// The pieces of a restricted table still to be laid out, in a fixed order, and the structures that its pawns can start in.
type Key = Vec<(Color, Role, u64, Option<usize>)>;

/// A restricted table still to be laid out.
struct Open {
    men: Vec<Man>,
    /// By piece, squares on which it can stand at first.
    from: Vec<Bitboard>,
    starts: BTreeSet<Vec<Square>>,
    /// Captures and promotions from the start.
    depth: u32,
}

/// All restricted tables of a set of rules, each before those that lead to it: the last one holds the start.
pub(super) struct Chain {
    pub(super) layouts: Vec<TableLayout>,
    /// Restricted tables left out because they are too large. Leaving one out is sound: what leads there is not known.
    pub(super) left_out: usize,
    /// The pieces of the tables that may be asked.
    pub(super) tables: BTreeSet<Vec<Piece>>,
}

/// Lays out the restricted tables. None but the first gets more than `most` entries.
pub(super) fn lay_out(rules: &Rules, most: u64) -> Result<Chain, LayoutError> {
    let mut open: BTreeMap<(usize, usize, Key), Open> = BTreeMap::new();
    add(&mut open, start_men(rules), 0);
    let mut chain = Chain {
        layouts: Vec::new(),
        left_out: 0,
        tables: BTreeSet::new(),
    };
    // Restricted tables with more pieces come first, then those with more pawns, so that all that leads to a restricted table comes before it.
    while let Some((_, next)) = open.pop_last() {
        let starts: Vec<_> = next.starts.into_iter().collect();
        let checked = match next.depth {
            0 => rules.start.role(Role::King),
            // The pawn may just have taken.
            _ => Bitboard::FULL,
        };
        let layout = match TableLayout::new(next.men, &next.from, &starts, checked, rules.bound) {
            Ok(layout) if next.depth == 0 || layout.entries() <= most => layout,
            Err(error) if next.depth == 0 => return Err(error),
            _ => {
                chain.left_out += 1;
                continue;
            }
        };
        for child in children(&layout, rules.bound) {
            if child.men.len() <= rules.tables.max_men as usize {
                chain.tables.insert(pieces(&child.men));
            } else {
                chain.tables.extend(retaken(&child.men, rules));
                if next.depth < rules.chain {
                    add(&mut open, child, next.depth + 1);
                }
            }
        }
        chain.layouts.push(layout);
    }
    chain.layouts.reverse();
    Ok(chain)
}

/// The pieces of a restricted table, in order.
fn pieces(men: &[Man]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = men.iter().map(|man| man.piece).collect();
    pieces.sort_unstable();
    pieces
}

/// The pieces of the tables that one more capture by the bound side leads to.
fn retaken<'a>(men: &'a [Man], rules: &'a Rules) -> impl Iterator<Item = Vec<Piece>> + 'a {
    let takeable = move |&i: &usize| {
        let piece = men[i].piece;
        men.len() == rules.tables.max_men as usize + 1
            && piece.color != rules.bound
            && piece.role != Role::King
    };
    (0..men.len()).filter(takeable).map(|i| {
        let mut left = men.to_vec();
        left.remove(i);
        pieces(&left)
    })
}

/// Pieces with their rules, where they can stand at first, and the structures of the pawns, in the order of the pieces.
struct Child {
    men: Vec<Man>,
    from: Vec<Bitboard>,
    starts: Vec<Vec<Square>>,
}

/// The pieces of the start.
fn start_men(rules: &Rules) -> Child {
    let men = rules.men.iter().enumerate();
    let men = men.map(|(i, rule)| Man {
        piece: rule.piece,
        allowed: rule.allowed & of_color(rule.piece, rule.square),
        rule: Some(i),
    });
    let pawns = rules.men.iter().filter(|man| man.piece.role == Role::Pawn);
    Child {
        men: men.collect(),
        from: rules.men.iter().map(|man| man.square.into()).collect(),
        starts: vec![pawns.map(|man| man.square).collect()],
    }
}

/// Squares that a piece on a square can ever get to.
fn of_color(piece: Piece, square: Square) -> Bitboard {
    match piece.role {
        Role::Bishop if Bitboard::DARK.has(square) => Bitboard::DARK,
        Role::Bishop => !Bitboard::DARK,
        Role::Pawn => {
            // Forwards, to either side by captures.
            let ahead = |to: &Square| {
                let (from, to) = (square.relative(piece.color), to.relative(piece.color));
                let up = to.rank().index() as i32 - from.rank().index() as i32;
                up >= (to.file().index() as i32 - from.file().index() as i32).abs()
                    && to.rank().index() < 7
            };
            Bitboard::FULL.into_iter().filter(ahead).collect()
        }
        _ => Bitboard::FULL,
    }
}

/// Adds a restricted table, or what one that is there can start from.
fn add(open: &mut BTreeMap<(usize, usize, Key), Open>, child: Child, depth: u32) {
    let Child { men, from, starts } = child;
    let key = |man: &Man| (man.piece.color, man.piece.role, man.allowed.0, man.rule);
    let mut order: Vec<usize> = (0..men.len()).collect();
    order.sort_by_key(|&i| key(&men[i]));
    let is_pawn = |i: &usize| men[*i].piece.role == Role::Pawn;
    let old: Vec<usize> = (0..men.len()).filter(is_pawn).collect();
    let pawns: Vec<usize> = order
        .iter()
        .filter(|i| is_pawn(i))
        .filter_map(|i| old.iter().position(|at| at == i))
        .collect();
    let sorted: Vec<Man> = order.iter().map(|&i| men[i]).collect();
    let key = (men.len(), pawns.len(), sorted.iter().map(key).collect());
    let entry = open.entry(key).or_insert_with(|| Open {
        from: vec![Bitboard::EMPTY; sorted.len()],
        men: sorted,
        starts: BTreeSet::new(),
        depth,
    });
    entry.depth = entry.depth.min(depth);
    for (squares, &i) in entry.from.iter_mut().zip(&order) {
        *squares |= from[i];
    }
    let sorted = |squares: Vec<Square>| pawns.iter().map(|&i| squares[i]).collect();
    entry.starts.extend(starts.into_iter().map(sorted));
}

/// What a restricted table leads to by one capture or promotion.
fn children(layout: &TableLayout, bound: Color) -> Vec<Child> {
    let mut children = Vec::new();
    let men = &layout.men;
    for (taken, victim) in men.iter().enumerate() {
        if victim.piece.role != Role::King {
            let starts = after_captures(layout, taken);
            children.push(without(layout, &[taken], Some(taken), starts));
        }
    }
    for &pawn in &layout.pawns {
        let color = men[pawn].piece.color;
        let last = Bitboard::rank(duchamp_chess::back_rank(!color));
        let takeable = (0..men.len()).filter(|&i| {
            let man = &men[i].piece;
            man.color != color
                && !matches!(man.role, Role::King | Role::Pawn)
                && (layout.squares(i) & last).any()
        });
        for taken in std::iter::once(None).chain(takeable.map(Some)) {
            let starts = after_promotion(layout, pawn, taken);
            if starts.is_empty() {
                continue;
            }
            // The bound side does without underpromotions; those of the other side all count.
            let roles = if color == bound {
                &Role::PROMOTIONS[..1]
            } else {
                &Role::PROMOTIONS[..]
            };
            for &role in roles {
                let gone = [pawn, taken.unwrap_or(pawn)];
                let mut child = without(layout, &gone, None, starts.clone());
                child.men.push(Man {
                    piece: Piece { color, role },
                    allowed: Bitboard::FULL,
                    rule: None,
                });
                child.from.push(last);
                children.push(child);
            }
        }
    }
    children
}

/// The pieces of a restricted table without some; where one is taken, the others' pieces can stand too.
fn without(
    layout: &TableLayout,
    gone: &[usize],
    taken: Option<usize>,
    starts: Vec<Vec<Square>>,
) -> Child {
    let left: Vec<usize> = (0..layout.men.len())
        .filter(|man| !gone.contains(man))
        .collect();
    let from = |&man: &usize| match taken {
        Some(taken) if layout.men[taken].piece.color != layout.men[man].piece.color => {
            layout.squares(man) | layout.squares(taken)
        }
        _ => layout.squares(man),
    };
    Child {
        men: left.iter().map(|&man| layout.men[man]).collect(),
        from: left.iter().map(from).collect(),
        starts,
    }
}

/// Which pawn of the structures a piece is.
fn pawn_number(layout: &TableLayout, man: usize) -> Option<usize> {
    layout.pawns.iter().position(|&pawn| pawn == man)
}

/// The structures after a piece was taken, by a piece or by a pawn.
fn after_captures(layout: &TableLayout, taken: usize) -> Vec<Vec<Square>> {
    let number = pawn_number(layout, taken);
    let victim = &layout.men[taken];
    let mut after = BTreeSet::new();
    for structure in &layout.structures.all {
        let mut squares = structure.squares.clone();
        if let Some(number) = number {
            squares.remove(number);
        }
        let others: Vec<usize> = layout
            .pawns
            .iter()
            .copied()
            .filter(|&pawn| pawn != taken)
            .collect();
        let occupied: Bitboard = squares.iter().copied().collect();
        // Where the piece can be taken, and an en-passant capture's square behind it.
        let mut targets = match number {
            Some(number) => Bitboard::from(structure.squares[number]),
            None => layout.squares(taken) - occupied,
        };
        if let Some(number) = number {
            let square = structure.squares[number];
            let seen = square.relative(victim.piece.color);
            if seen.rank().index() == 3 {
                let back = if victim.piece.color == Color::White {
                    -1
                } else {
                    1
                };
                targets |= square
                    .offset(0, back)
                    .map_or(Bitboard::EMPTY, Bitboard::from);
            }
        }
        for (i, &pawn) in others.iter().enumerate() {
            let taker = &layout.men[pawn];
            if taker.piece.color == victim.piece.color {
                continue;
            }
            let takes = attacks::pawn(taker.piece.color, squares[i]);
            for to in (takes & targets & taker.allowed) - occupied {
                if to.relative(taker.piece.color).rank().index() < 7 {
                    let mut moved = squares.clone();
                    moved[i] = to;
                    after.insert(moved);
                }
            }
        }
        after.insert(squares);
    }
    after.into_iter().collect()
}

/// The structures after a pawn promoted, perhaps by taking a piece.
fn after_promotion(layout: &TableLayout, pawn: usize, taken: Option<usize>) -> Vec<Vec<Square>> {
    let color = layout.men[pawn].piece.color;
    let Some(number) = pawn_number(layout, pawn) else {
        return Vec::new();
    };
    let mut after = BTreeSet::new();
    for structure in &layout.structures.all {
        let square = structure.squares[number];
        let takes =
            taken.is_none_or(|taken| (attacks::pawn(color, square) & layout.squares(taken)).any());
        if square.relative(color).rank().index() == 6 && takes {
            let mut squares = structure.squares.clone();
            squares.remove(number);
            after.insert(squares);
        }
    }
    after.into_iter().collect()
}
