//! What moves that leave a restricted table are worth.
//!
//! In this order: mate and stalemate are what they are; tables and restricted tables with fewer pieces know; a rule says; the bound
//! side's captures into what is known are looked at; and what nobody knows is lost for the bound side. A rule that is an
//! assumption is checked by whatever table covers the position, and gives way to it.

use super::layout::TableLayout;
use super::rules::{CaptureRule, RuleId, Rules, Ruling, Taken, Verdict};
use super::solved::Solved;
use super::structures::may_be_passed;
use super::tally::Tally;
use duchamp_base::Wdl;
use duchamp_chess::{Color, Move, MoveKind, Oracle, Position, Role, Square, within_fifty_moves};

/// Where a verdict comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A restricted table, by number.
    Restricted(usize),
    /// A table with fewer pieces.
    Table,
    /// Mate, stalemate or too little material.
    Ended,
    /// A rule.
    Rule(RuleId),
    /// Nothing is known: taken as lost for the bound side.
    Unknown,
}

/// A verdict and where it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    pub(super) from: Origin,
}

/// What values positions outside a restricted table.
#[derive(Clone, Copy)]
pub(super) struct ExitEvaluator<'a> {
    pub(super) rules: &'a Rules,
    pub(super) oracle: &'a dyn Oracle,
    /// Restricted tables with fewer pieces or pawns, solved.
    pub(super) boxes: &'a [Solved],
    pub(super) tally: &'a Tally,
}

/// How a restricted table is left.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// By a capture or promotion: of one piece of the restricted table, and the one it takes if it takes one.
    Material(usize, Option<usize>),
    /// To a square that is not allowed.
    Square(usize),
    /// By a double step of the bound side's that could be taken en passant.
    Passed,
}

impl ExitEvaluator<'_> {
    /// What a legal move leads to if it leaves the restricted table; `None` if it stays inside. `men` are the pieces of the restricted table on their
    /// squares.
    pub(super) fn exit(
        &self,
        layout: &TableLayout,
        position: &Position,
        men: &[u8; 64],
        mv: Move,
    ) -> Option<Finding> {
        let way = self.way(layout, position, men, mv)?;
        let after = position.play(mv);
        if let Some(ended) = ended(&after) {
            return Some(ended);
        }
        let unknown = Finding {
            verdict: Verdict::lost_for(self.rules.bound),
            from: Origin::Unknown,
        };
        Some(match way {
            Way::Passed => unknown,
            Way::Square(man) => self.ruled(self.outside(layout, man, mv.to()), &after),
            Way::Material(man, taken) => self.known(&after).unwrap_or_else(|| {
                let ruling = if layout.men[man].allowed.has(mv.to()) || mv.promotion().is_some() {
                    self.changed(layout, taken, &after, mv)
                } else {
                    self.outside(layout, man, mv.to())
                };
                let ruled = self.ruled(ruling, &after);
                let answered = self.answered(&after).unwrap_or(unknown);
                self.better(answered, ruled)
            }),
        })
    }

    fn way(
        &self,
        layout: &TableLayout,
        position: &Position,
        men: &[u8; 64],
        mv: Move,
    ) -> Option<Way> {
        let (from, to) = (mv.from(), mv.to());
        let man = usize::from(men[from.index()]);
        let enemies = position.color(!position.turn());
        let taken = match mv.kind() {
            MoveKind::EnPassant => Some(Square::at(to.file(), from.rank())),
            _ => enemies.has(to).then_some(to),
        };
        let taken = taken.map(|square| usize::from(men[square.index()]));
        if taken.is_some() || mv.promotion().is_some() {
            return Some(Way::Material(man, taken));
        }
        if !layout.men[man].allowed.has(to) {
            return Some(Way::Square(man));
        }
        let pawns = enemies & position.role(Role::Pawn);
        let passed = layout.men[man].piece.role == Role::Pawn
            && position.turn() == self.rules.bound
            && may_be_passed(position.turn(), from, to, pawns);
        passed.then_some(Way::Passed)
    }

    /// What the rules say of a piece on a square that is not allowed.
    fn outside(&self, layout: &TableLayout, man: usize, to: Square) -> Ruling {
        match layout.men[man].rule {
            Some(rule) => self.rules.outside(&self.rules.men[rule], to),
            None => self.rules.worst(),
        }
    }

    /// What the rules say of a capture or promotion.
    fn changed(
        &self,
        layout: &TableLayout,
        taken: Option<usize>,
        after: &Position,
        mv: Move,
    ) -> Ruling {
        let rules = self.rules;
        if let Some(role) = mv.promotion() {
            let rule = rules.promotions.iter().find(|rule| {
                rule.color == !after.turn()
                    && rule.squares.has(mv.to())
                    && rule.roles.contains(&role)
            });
            return rule.map_or(rules.worst(), |rule| Ruling {
                verdict: if takers(after, mv.to()).next().is_some() {
                    rule.taken
                } else {
                    rule.verdict
                },
                rule: Some(rule.rule),
            });
        }
        let Some(taken) = taken else {
            return rules.worst();
        };
        let man = &layout.men[taken];
        let start = man.rule.map(|rule| rules.men[rule].square);
        let fits = |rule: &&CaptureRule| {
            rule.squares.has(mv.to())
                && rule.taken.iter().any(|taken| match *taken {
                    Taken::Kind(piece) => piece == man.piece,
                    Taken::Man(square) => Some(square) == start,
                })
        };
        rules
            .captures
            .iter()
            .find(fits)
            .map_or(rules.worst(), |rule| Ruling {
                verdict: exchanged(rule, after, mv.to()),
                rule: Some(rule.rule),
            })
    }

    /// A ruling as a finding; an assumption is held against any table that covers the position.
    fn ruled(&self, ruling: Ruling, after: &Position) -> Finding {
        let Some(rule) = ruling.rule else {
            return Finding {
                verdict: ruling.verdict,
                from: Origin::Unknown,
            };
        };
        let mut finding = Finding {
            verdict: ruling.verdict,
            from: Origin::Rule(rule),
        };
        let lost = Verdict::lost_for(self.rules.bound);
        let truth = if ruling.verdict == lost {
            None
        } else {
            self.asked(after)
        };
        let contradicted = truth.is_some_and(|truth| {
            truth != ruling.verdict && ruling.verdict.worse_for(truth, self.rules.bound) == truth
        });
        self.tally
            .used(rule, truth.is_some(), contradicted.then_some(after));
        if let Some(truth) = truth
            && contradicted
        {
            finding = Finding {
                verdict: truth,
                from: Origin::Table,
            };
        }
        finding
    }

    /// What the bound side, to move, gets by a capture or promotion into what is known.
    fn answered(&self, after: &Position) -> Option<Finding> {
        if after.turn() != self.rules.bound {
            return None;
        }
        let mut moves = duchamp_chess::MoveList::new();
        after.captures(&mut moves);
        moves
            .into_iter()
            .filter_map(|mv| {
                let last = after.play(mv);
                ended(&last).or_else(|| self.known(&last))
            })
            .reduce(|a, b| self.better(a, b))
    }

    /// The better of two lower bounds for the bound side; the first if they are alike.
    fn better(&self, a: Finding, b: Finding) -> Finding {
        if a.verdict.worse_for(b.verdict, self.rules.bound) == b.verdict {
            a
        } else {
            b
        }
    }

    /// What tables or restricted tables with fewer pieces know.
    pub(super) fn known(&self, position: &Position) -> Option<Finding> {
        if position.occupied().count() <= self.rules.tables.max_men
            && let Some(verdict) = self.asked(position)
        {
            return Some(Finding {
                verdict,
                from: Origin::Table,
            });
        }
        self.boxed(position)
    }

    /// The best that restricted tables know of a position after a capture or promotion. As with tables, a win for the bound
    /// side that may come too late for the 50-move rule counts as a draw.
    pub(super) fn boxed(&self, position: &Position) -> Option<Finding> {
        let won = Verdict::won_for(self.rules.bound);
        let known = self.boxes.iter().filter_map(|solved| {
            let value = solved.value(position)?;
            let told = verdict(value.wdl(), position.turn());
            let late = value
                .plies()
                .is_some_and(|plies| !within_fifty_moves(plies, 0));
            Some(Finding {
                verdict: if told == won && late {
                    Verdict::Draw
                } else {
                    told
                },
                from: Origin::Restricted(solved.number),
            })
        });
        known.reduce(|a, b| self.better(a, b))
    }

    /// A table's word as a bound for the bound side: what the 50-move rule changes counts against it.
    fn asked(&self, position: &Position) -> Option<Verdict> {
        let wdl = self.oracle.wdl(position)?;
        let ours = if position.turn() == self.rules.bound {
            wdl
        } else {
            -wdl
        };
        let ours = match ours {
            Wdl::Win => Wdl::Win,
            Wdl::Draw | Wdl::CursedWin => Wdl::Draw,
            Wdl::BlessedLoss | Wdl::Loss => Wdl::Loss,
        };
        Some(verdict(ours, self.rules.bound))
    }
}

/// A result for a side as White sees it.
pub(super) fn verdict(wdl: Wdl, side: Color) -> Verdict {
    match (wdl, side) {
        (Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss, _) => Verdict::Draw,
        (Wdl::Win, side) => Verdict::won_for(side),
        (Wdl::Loss, side) => Verdict::lost_for(side),
    }
}

/// The result of a game that is over.
pub(super) fn ended(position: &Position) -> Option<Finding> {
    let verdict = if position.has_legal_move() {
        position
            .is_insufficient_material()
            .then_some(Verdict::Draw)?
    } else if position.in_check() {
        Verdict::lost_for(position.turn())
    } else {
        Verdict::Draw
    };
    Some(Finding {
        verdict,
        from: Origin::Ended,
    })
}

/// Legal captures on a square.
fn takers(position: &Position, square: Square) -> impl Iterator<Item = Move> + use<> {
    let mut moves = duchamp_chess::MoveList::new();
    position.captures(&mut moves);
    moves
        .into_iter()
        .filter(move |mv| mv.to() == square && mv.kind() != MoveKind::EnPassant)
}

/// Which verdict of a rule counts after a capture on a square.
fn exchanged(rule: &CaptureRule, after: &Position, square: Square) -> Verdict {
    let mut any = false;
    for mv in takers(after, square) {
        any = true;
        if takers(&after.play(mv), square).next().is_none() {
            return rule.recapture;
        }
    }
    if any { rule.second } else { rule.verdict }
}

#[cfg(test)]
mod tests {
    use super::super::chain::lay_out;
    use super::super::layout::ROW;
    use super::super::rules::Goal;
    use super::*;
    use duchamp_chess::NoOracle;
    use duchamp_retro::{Cell, Wide};

    /// A restricted table in which White wins everything, in so many plies if he is to move.
    fn all_won(layout: &TableLayout, bound: Color, plies: u16) -> Solved {
        let words = layout.rows() * ROW;
        let legal = Color::ALL.map(|turn| {
            let legal = |word: usize| {
                let place = (word < layout.words).then(|| layout.place(word)).flatten();
                place.map_or(0, |place| layout.legal(turn, &place))
            };
            (0..words).map(legal).collect()
        });
        let win = <Wide as Cell>::win(plies).expect("short");
        let loss = <Wide as Cell>::loss(plies + 1).expect("short");
        let cells = [win, loss].map(|cell| vec![[cell; 64]; words]);
        Solved::new(0, layout.clone(), bound, (legal, cells))
    }

    #[test]
    fn late_wins_of_other_restricted_tables_are_not_claimed() {
        let fens = ["w", "b"].map(|turn| format!("8/8/8/3k4/8/8/8/KQ6 {turn} - - 0 1"));
        let positions = fens.map(|fen| Position::from_fen(&fen).expect("legal"));
        let tally = Tally::new(0);
        for (bound, plies, expected) in [
            (Color::White, 99, Verdict::Win),
            (Color::White, 101, Verdict::Draw),
            // That the bound side may not lose yet is no draw for it.
            (Color::Black, 101, Verdict::Win),
        ] {
            let rules = Rules::free(positions[0], bound, Goal::Win);
            let chain = lay_out(&rules, 1 << 20).expect("a restricted table");
            let evaluator = ExitEvaluator {
                rules: &rules,
                oracle: &NoOracle,
                boxes: &[all_won(&chain.layouts[0], bound, plies)],
                tally: &tally,
            };
            for position in &positions {
                let found = evaluator.boxed(position).expect("it is there");
                assert_eq!(
                    found.verdict,
                    expected,
                    "{bound:?} {plies} {}",
                    position.fen()
                );
            }
        }
    }
}
