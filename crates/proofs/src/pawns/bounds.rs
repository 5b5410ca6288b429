//! What is known of a structure: placements that the attacker surely wins, and those that he may win at best.

use arrayvec::ArrayVec;

use super::exits::{Exit, Kind, Mover, exits};
use super::kings::{Game, Won};
use super::rows::{Rows, neighbours};
use super::scene::{Ground, Scene};
use super::spots::Spots;
use duchamp_base::Plies;
use duchamp_chess::{Bitboard, Square, attacks};

/// All bounds.
const BOUNDS: [Bound; 3] = [Bound::Low, Bound::Hope, Bound::High];

/// Which bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// Proved wins: the unknown counts as not won.
    Low,
    /// Wins that further work may prove: what can still be looked into counts as won, what cannot as not won.
    Hope,
    /// Wins not disproved: the unknown counts as won.
    High,
}

/// Proved and possible wins of the attacker.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: Won,
    pub(super) hope: Won,
    pub(super) high: Won,
    /// The most plies that a proved win takes to its next exit or the mate.
    pub(super) longest: Plies,
}

impl Bounds {
    /// Nothing can be won.
    pub(super) const DEAD: Bounds = Bounds {
        low: Won::NONE,
        hope: Won::NONE,
        high: Won::NONE,
        longest: Plies(0),
    };

    pub(super) fn of(&self, bound: Bound) -> &Won {
        match bound {
            Bound::Low => &self.low,
            Bound::Hope => &self.hope,
            Bound::High => &self.high,
        }
    }
}

/// Where the bounds of other structures are looked up.
pub(super) trait Known {
    /// The bounds of a structure, if any are known.
    fn bounds(&self, scene: Scene) -> Option<&Bounds>;

    /// Placements that the attacker wins, the defender to move, with a new queen of the attacker on `square`; and
    /// whether that is all that a table can tell.
    fn queened(&self, scene: Scene, square: Square) -> Option<(&Rows, bool)>;

    /// Placements that the attacker may win at best, he to move, with a new queen of the defender on `square`.
    fn conceded(&self, scene: Scene, square: Square) -> Option<&Rows>;

    /// Whether promotions that their tables leave open are tried move by move.
    fn trying(&self) -> bool;

    /// What is known of single placements just after a promotion.
    fn spots(&self, scene: Scene, square: Square, mover: Mover) -> Option<&Spots>;
}

/// A structure after an exit.
struct After<'k> {
    ground: Ground,
    bounds: Option<&'k Bounds>,
}

impl<'k> After<'k> {
    fn of(scene: Scene, known: &'k dyn Known) -> After<'k> {
        // A bare king cannot win.
        let bounds = match scene.attack.is_empty() {
            true => Some(const { &Bounds::DEAD }),
            false => known.bounds(scene),
        };
        After {
            ground: Ground::of(scene),
            bounds,
        }
    }

    /// All rows of what the attacker wins, by who is to move.
    fn rows(&self, bound: Bound, to_move: Mover) -> Rows {
        match (self.bounds, to_move) {
            (Some(bounds), Mover::Attacker) => bounds.of(bound).attacker.clone(),
            (Some(bounds), Mover::Defender) => bounds.of(bound).defender.clone(),
            (None, _) if bound == Bound::Low => Rows::EMPTY,
            (None, Mover::Attacker) => self.ground.attacker(),
            (None, Mover::Defender) => self.ground.defender(),
        }
    }

    /// A row of what the attacker, to move, wins.
    #[inline]
    fn attacker(&self, bound: Bound, king: Square) -> Bitboard {
        match (self.bounds, bound) {
            (Some(bounds), bound) => bounds.of(bound).attacker[king],
            (None, Bound::Low) => Bitboard::EMPTY,
            (None, Bound::Hope | Bound::High) => self.ground.attacker_row(king),
        }
    }

    /// A row of what the attacker wins, the defender to move.
    #[inline]
    fn defender(&self, bound: Bound, king: Square) -> Bitboard {
        match (self.bounds, bound) {
            (Some(bounds), bound) => bounds.of(bound).defender[king],
            (None, Bound::Low) => Bitboard::EMPTY,
            (None, Bound::Hope | Bound::High) => self.ground.defender_row(king),
        }
    }
}

/// A structure with all its exits.
pub(super) struct Stage {
    pub(super) ground: Ground,
    pub(super) exits: Vec<Exit>,
    /// Placements at which the defender to move has a legal exit.
    movable: Rows,
}

impl Stage {
    pub(super) fn of(scene: Scene) -> Stage {
        let ground = Ground::of(scene);
        let exits = exits(scene);
        let mut movable = Rows::EMPTY;
        for exit in exits.iter().filter(|exit| exit.mover == Mover::Defender) {
            let after = Ground::of(exit.to);
            for king in Square::ALL {
                let row = ground.defender_row(king);
                movable[king] |= defender_may(row, &after, exit, king);
            }
        }
        Stage {
            ground,
            exits,
            movable,
        }
    }

    /// Where the defender, to move, is stalemated, captures en passant ignored.
    fn stalemates(&self) -> Rows {
        Rows::by(|king| {
            let steps = neighbours(self.ground.attacker_row(king));
            self.ground.defender_row(king) - (self.ground.attacked | steps | self.movable[king])
        })
    }

    /// What is known of each exit, in the order of `exits`.
    pub(super) fn outlooks(&self, known: &dyn Known) -> Vec<Outlook<'_>> {
        self.outlooks_by(|_| known)
    }

    /// The same where what is known depends on whose exit it is.
    pub(super) fn outlooks_by<'k>(
        &self,
        known: impl Fn(Mover) -> &'k dyn Known,
    ) -> Vec<Outlook<'_>> {
        let (attacker, defender) = (self.ground.attacker(), self.ground.defender());
        let mut outlooks: Vec<Outlook<'_>> = self.exits.iter().map(Outlook::of).collect();
        for outlook in &mut outlooks {
            let mover = outlook.exit.mover;
            let consequence = Consequence::of(&self.ground, outlook.exit, known(mover));
            match mover {
                Mover::Attacker => consequence.tell_attacker(&attacker, outlook),
                Mover::Defender => consequence.tell_defender(&defender, outlook),
            }
        }
        outlooks
    }

    /// The kings' game when each exit is taken at the bound that `bound` names for it by its number.
    pub(super) fn game(&self, outlooks: &[Outlook<'_>], bound: impl Fn(usize) -> Bound) -> Game {
        let mut wins = Rows::EMPTY;
        let mut escapes = Rows::EMPTY;
        for (number, outlook) in outlooks.iter().enumerate() {
            let won = outlook.won(bound(number));
            match outlook.exit.mover {
                Mover::Attacker => wins.update([won], |wins, [won]| wins | won),
                Mover::Defender => escapes.update([&outlook.may, won], |escapes, [may, won]| {
                    escapes | (may - won)
                }),
            };
        }
        Game::new(&self.ground, wins, &escapes, &self.movable)
    }

    /// Bounds of the structure from those of its successors.
    pub(super) fn solve(&self, known: &dyn Known) -> Bounds {
        let outlooks = self.outlooks(known);
        let (low, longest) = self.game(&outlooks, |_| Bound::Low).solve_in_time();
        // What is won by less is won by more, so each goes on where the one before ended.
        let mut hope = low.clone();
        self.game(&outlooks, |_| Bound::Hope)
            .close(&mut hope, |_| {});
        let mut high = hope.clone();
        self.game(&outlooks, |_| Bound::High)
            .close(&mut high, |_| {});
        Bounds {
            low,
            hope,
            high,
            longest,
        }
    }
}

/// What is known of an exit, for all placements of the kings.
pub(super) struct Outlook<'e> {
    pub(super) exit: &'e Exit,
    /// For an exit of the defender: from where it is legal.
    pub(super) may: Rows,
    /// Where the attacker wins after the exit, by bound; if the exit is the attacker's, only where it is legal.
    won: [Rows; 3],
}

impl<'e> Outlook<'e> {
    fn of(exit: &'e Exit) -> Outlook<'e> {
        Outlook {
            exit,
            may: Rows::EMPTY,
            won: [const { Rows::EMPTY }; 3],
        }
    }

    #[inline]
    pub(super) fn won(&self, bound: Bound) -> &Rows {
        &self.won[bound as usize]
    }
}

/// Where an exit leads to.
struct Consequence<'k, 'e> {
    ground: &'e Ground,
    exit: &'e Exit,
    after: After<'k>,
    /// After the captures en passant.
    taken: ArrayVec<After<'k>, 2>,
    /// Where a double step leaves the opponent no move but the capture en passant.
    stale: Option<Box<Rows>>,
    queened: Option<&'k Rows>,
    conceded: Option<&'k Rows>,
    spots: Option<&'k Spots>,
    /// Of a promotion nothing more is looked for at present.
    settled: bool,
}

impl<'k, 'e> Consequence<'k, 'e> {
    fn of(ground: &'e Ground, exit: &'e Exit, known: &'k dyn Known) -> Consequence<'k, 'e> {
        let mut outlook = Consequence {
            ground,
            exit,
            after: After::of(exit.to, known),
            taken: ArrayVec::new(),
            stale: None,
            queened: None,
            conceded: None,
            spots: None,
            settled: false,
        };
        match &exit.kind {
            Kind::King(_) => {}
            Kind::Pawn { passants, .. } => {
                outlook.taken = passants
                    .iter()
                    .map(|&scene| After::of(scene, known))
                    .collect();
                if exit.mover == Mover::Attacker && !passants.is_empty() {
                    outlook.stale = Some(Box::new(Stage::of(exit.to).stalemates()));
                }
            }
            Kind::Promotion(square) => {
                outlook.spots = known.spots(exit.to, *square, exit.mover);
                match exit.mover {
                    Mover::Attacker => {
                        let queened = known.queened(exit.to, *square);
                        outlook.queened = queened.map(|(won, _)| won);
                        outlook.settled = !known.trying() && queened.is_some_and(|(_, all)| all);
                    }
                    Mover::Defender => {
                        outlook.conceded = known.conceded(exit.to, *square);
                        outlook.settled = !known.trying();
                    }
                }
            }
        }
        outlook
    }

    /// Fills in what is known of an exit of the attacker; `legal` are the placements with him to move.
    fn tell_attacker(&self, legal: &Rows, outlook: &mut Outlook<'_>) {
        for bound in BOUNDS {
            let won = &mut outlook.won[bound as usize];
            match &self.exit.kind {
                Kind::King(square) => {
                    let after = self.after.defender(bound, *square);
                    for king in attacks::king(*square) {
                        won[king] = legal[king] & after;
                    }
                }
                Kind::Pawn { crossed, .. } => {
                    *won = self.pawn_won(bound);
                    won.update([legal], |won, [legal]| (won & legal) - *crossed);
                    for king in *crossed {
                        won[king] = Bitboard::EMPTY;
                    }
                }
                Kind::Promotion(square) => {
                    for king in Square::ALL {
                        if *square != king && !self.ground.in_check(king) {
                            let row = self.won_by_promotion(bound, king, *square);
                            won[king] = (row & legal[king]) - Bitboard::of(*square);
                        }
                    }
                }
            }
        }
    }

    /// Where the attacker wins after his pawn's step or capture, whether it is legal or not.
    fn pawn_won(&self, bound: Bound) -> Rows {
        let mut won = self.after.rows(bound, Mover::Defender);
        if let Some(stale) = &self.stale {
            won.update([stale], |won, [stale]| won | stale);
        }
        // The capture is legal wherever it is possible: before the double step the defender's king was not in check from any
        // other pawn.
        for after in &self.taken {
            for king in Square::ALL {
                won[king] &= after.attacker(bound, king);
            }
        }
        won
    }

    /// Fills in what is known of an exit of the defender; `legal` are the placements with him to move.
    fn tell_defender(&self, legal: &Rows, outlook: &mut Outlook<'_>) {
        let may = &mut outlook.may;
        for king in Square::ALL {
            if legal[king].any() {
                may[king] = defender_may(legal[king], &self.after.ground, self.exit, king);
            }
        }
        for bound in BOUNDS {
            let won = &mut outlook.won[bound as usize];
            match &self.exit.kind {
                Kind::King(square) => {
                    for king in Square::ALL {
                        if self.after.attacker(bound, king).has(*square) {
                            won[king] = may[king];
                        }
                    }
                }
                Kind::Pawn { .. } => {
                    *won = self.after.rows(bound, Mover::Attacker);
                    // Or the attacker takes en passant.
                    for after in &self.taken {
                        for king in Square::ALL {
                            won[king] |= after.defender(bound, king);
                        }
                    }
                    won.update([may], |won, [may]| won & may);
                }
                Kind::Promotion(square) => {
                    for king in Square::ALL {
                        if may[king].any() {
                            won[king] = may[king] & self.lost_by_promotion(bound, king, *square);
                        }
                    }
                }
            }
        }
    }

    fn won_by_promotion(&self, bound: Bound, king: Square, square: Square) -> Bitboard {
        let won = self.queened.map_or(Bitboard::EMPTY, |won| won[king]);
        // The king takes the new piece at once, whatever it is.
        let guarded = self.after.ground.attacked.has(square) || attacks::king(king).has(square);
        let open = if guarded || self.after.attacker(bound, king).has(square) {
            Bitboard::FULL
        } else {
            !attacks::king(square)
        };
        self.with_spots(bound, king, |_| won, open)
    }

    /// The bound of a promotion, given what is won and what may be, from what is known of single placements besides.
    fn with_spots(
        &self,
        bound: Bound,
        king: Square,
        won: impl Fn(Bound) -> Bitboard,
        open: Bitboard,
    ) -> Bitboard {
        let row = |rows: fn(&Spots) -> &Rows| {
            self.spots
                .map_or(Bitboard::EMPTY, |spots| rows(spots)[king])
        };
        let low = won(Bound::Low) | row(|spots| &spots.won);
        match bound {
            Bound::Low => low,
            Bound::Hope => {
                let hope = if self.settled { won(Bound::Hope) } else { open };
                low | (hope - (row(|spots| &spots.held) | row(|spots| &spots.tired)))
            }
            Bound::High => open - row(|spots| &spots.held),
        }
    }

    fn lost_by_promotion(&self, bound: Bound, king: Square, square: Square) -> Bitboard {
        // The attacker's king takes the new piece at once, whatever it is.
        let taken = |bound| match attacks::king(square).has(king) {
            true => self.after.defender(bound, square),
            false => Bitboard::EMPTY,
        };
        // Without pawns the attacker can only take.
        let open = match self.conceded {
            _ if self.exit.to.attack.is_empty() => taken(bound),
            Some(open) => open[king],
            None => Bitboard::FULL,
        };
        self.with_spots(bound, king, taken, open)
    }
}

/// The defender's squares, of a row of legal ones, from which he may play an exit. `after` is the structure that it leads to.
#[inline]
fn defender_may(row: Bitboard, after: &Ground, exit: &Exit, king: Square) -> Bitboard {
    match &exit.kind {
        Kind::King(square) if after.attacker_row(king).has(*square) => row & attacks::king(*square),
        Kind::Pawn { crossed, .. } if !crossed.has(king) => {
            (row & after.attacker_row(king)) - *crossed
        }
        Kind::Promotion(square) if *square != king => {
            row - (after.attacked | Bitboard::of(*square))
        }
        _ => Bitboard::EMPTY,
    }
}
