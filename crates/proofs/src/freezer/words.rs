//! Pieces and rules in words, for reports and messages.

use super::exit_value::{Origin, verdict};
use super::restricted::{KnownValue, Proof, Restricted};
use super::rules::{Goal, Taken, Verdict};
use super::squares::name_squares;
use duchamp_chess::{Bitboard, Color, Piece, Position, Role, Square};

impl Restricted {
    /// What is proved, in a sentence, with the assumptions counted.
    #[must_use]
    pub fn headline(&self) -> String {
        let rules = self.rules();
        let bound = rules.bound;
        let value = self.value(&rules.start);
        let what = match self.proof() {
            Proof::NotProved => {
                let more = value.and_then(|known| self.proved(known, rules.start.turn()));
                let aim = match rules.goal {
                    Goal::Win => "wins",
                    Goal::Draw => "does not lose",
                };
                let least = match more {
                    Some(_) => format!("; at least {bound:?} does not lose"),
                    None => String::new(),
                };
                return format!("Not proved that {bound:?} {aim}{least}");
            }
            Proof::Proved(Verdict::Draw) => format!("{bound:?} does not lose"),
            Proof::Proved(_) => {
                let plies_left = value.and_then(|known| known.value.plies());
                let plies_left = plies_left.map_or(String::new(), |n| {
                    let moves = match n.moves() {
                        1 => String::new(),
                        moves => format!(" ({moves} moves)"),
                    };
                    format!(" in {}{moves} to mate or to an exit", plies(n.0))
                });
                format!("{bound:?} wins{plies_left}")
            }
        };
        match rules.assumptions().count() {
            0 => format!("Proved: {what}"),
            1 => format!("If one assumption is right: {what}"),
            n => format!("If {n} assumptions are right: {what}"),
        }
    }

    /// What a value proves, as White sees it; `None`: nothing.
    #[must_use]
    pub fn proved(&self, known: KnownValue, side: Color) -> Option<Verdict> {
        let found = verdict(known.value.wdl(), side);
        let lost = found == Verdict::lost_for(self.rules().bound);
        (!lost || known.from == Origin::Ended).then_some(found)
    }

    /// The value of a position or of one of its moves in words, always of the bound side.
    #[must_use]
    pub fn tell(&self, known: KnownValue, position: &Position) -> String {
        let side = position.turn();
        let home = self.value(position).map(|known| known.from);
        let bound = self.rules().bound;
        let what = match self.proved(known, side) {
            None => "not proved".to_owned(),
            Some(Verdict::Draw) if known.from == Origin::Ended => "drawn".to_owned(),
            Some(Verdict::Draw) => format!("{bound:?} holds"),
            Some(_) if known.from == Origin::Ended => "mate".to_owned(),
            Some(_) => match known.value.plies() {
                Some(n) if home == Some(known.from) => {
                    format!("{bound:?} wins, {}", plies(n.0))
                }
                _ => format!("{bound:?} wins"),
            },
        };
        match known.from {
            Origin::Restricted(number) if home != Some(known.from) => {
                // A move into another restricted table.
                let name = self.plan().boxes.get(number).map(|(name, _)| name.as_str());
                format!("{what} (restricted table {})", name.unwrap_or_default())
            }
            Origin::Restricted(_) | Origin::Ended => what,
            Origin::Table => format!("{what} (table)"),
            Origin::Unknown => format!("{what} (nothing known)"),
            Origin::Rule(rule) => match self.rules().sources.get(usize::from(rule.0)) {
                Some(source) => {
                    let how = if source.assumed { "assumed" } else { "rule" };
                    match source.line {
                        0 => format!("{what} ({how}: {})", source.text),
                        line => format!("{what} ({how} in line {line})"),
                    }
                }
                None => what,
            },
        }
    }
}

/// A number of plies in words.
fn plies(n: u16) -> String {
    match n {
        1 => "1 ply".into(),
        n => format!("{n} plies"),
    }
}

/// All kinds of pieces of some sides that can be taken.
pub(super) fn kinds(colors: &[Color]) -> impl Iterator<Item = Piece> {
    colors.iter().flat_map(|&color| {
        let roles = Role::ALL.into_iter().filter(|role| *role != Role::King);
        roles.map(move |role| Piece { color, role })
    })
}

/// A piece's kind in words: `white pawn`.
pub(super) fn name_piece(piece: Piece) -> String {
    format!("{:?} {:?}", piece.color, piece.role).to_lowercase()
}

/// A piece of the start in words: `White's pawn`, with its square if there are several of the kind.
pub(super) fn name_man(start: &Position, square: Square) -> String {
    let Some(piece) = start.at(square) else {
        return square.to_string();
    };
    let role = format!("{:?}", piece.role).to_lowercase();
    let from = match start.of(piece.color, piece.role).many() {
        true => format!(" from {square}"),
        false => String::new(),
    };
    format!("{:?}'s {role}{from}", piece.color)
}

pub(super) fn name_taken(start: &Position, taken: &[Taken]) -> String {
    let has_all = |colors: &[Color]| kinds(colors).all(|kind| taken.contains(&Taken::Kind(kind)));
    if has_all(&Color::ALL) {
        return "a piece".into();
    }
    let mut names = Vec::new();
    let whole = Color::ALL.into_iter().find(|color| has_all(&[*color]));
    names.extend(whole.map(|color| format!("a piece of {color:?}'s")));
    for one in taken {
        match one {
            Taken::Kind(kind) if whole == Some(kind.color) => {}
            Taken::Kind(kind) => names.push(format!("a {}", name_piece(*kind))),
            Taken::Man(square) => names.push(name_man(start, *square)),
        }
    }
    names.join(" or ")
}

/// ` on e4`; nothing for all squares.
pub(super) fn on(squares: Bitboard) -> String {
    match squares {
        Bitboard::FULL => String::new(),
        squares => format!(" on {}", name_squares(squares)),
    }
}
