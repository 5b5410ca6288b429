//! What a rule file says, once it has been read: plain data.

use duchamp_chess::{Bitboard, Color, Piece, Position, Role, Square};
use serde::Deserialize;

/// How a game ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Black wins.
    Loss,
    /// Nobody wins.
    Draw,
    /// White wins.
    Win,
}

impl Verdict {
    /// The name in files and answers; always as White sees it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Loss => "loss",
            Verdict::Draw => "draw",
            Verdict::Win => "win",
        }
    }

    /// Lost for one side.
    #[must_use]
    pub const fn lost_for(color: Color) -> Verdict {
        match color {
            Color::White => Verdict::Loss,
            Color::Black => Verdict::Win,
        }
    }

    /// Won for one side.
    #[must_use]
    pub const fn won_for(color: Color) -> Verdict {
        match color {
            Color::White => Verdict::Win,
            Color::Black => Verdict::Loss,
        }
    }

    /// The worse of two for a side.
    #[must_use]
    pub fn worse_for(self, other: Verdict, color: Color) -> Verdict {
        match color {
            Color::White => self.min(other),
            Color::Black => self.max(other),
        }
    }
}

/// What is to be proved for the bound side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// That it wins.
    Win,
    /// That it does not lose.
    Draw,
}

impl Goal {
    /// The name in files and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Goal::Win => "win",
            Goal::Draw => "draw",
        }
    }

    /// The least verdict that reaches it for a side.
    #[must_use]
    pub const fn verdict(self, bound: Color) -> Verdict {
        match self {
            Goal::Win => Verdict::won_for(bound),
            Goal::Draw => Verdict::Draw,
        }
    }
}

/// The number of a rule in [`Rules::sources`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u16);

/// A verdict and the rule that gave it; `None` stands for the default, a loss for the bound side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ruling {
    /// What it says.
    pub verdict: Verdict,
    /// Who says so.
    pub rule: Option<RuleId>,
}

/// Where a rule stands and what it says, for reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSource {
    /// Line of the file, from 1; 0 if the rule does not come from a file.
    pub line: usize,
    /// The rule in words, such as "White's queen leaves e1-h4: loss".
    pub text: String,
    /// Whether it could favour the bound side, so that what follows from it is no proof.
    pub assumed: bool,
}

/// Squares that a piece shall not stand on, and what follows if it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The squares.
    pub squares: Bitboard,
    /// What follows.
    pub ruling: Ruling,
}

/// The rules for one piece of the start position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManRule {
    /// Where it stands at the start.
    pub square: Square,
    /// What it is.
    pub piece: Piece,
    /// Where it may stand. What it cannot reach need not be taken out.
    pub allowed: Bitboard,
    /// Verdicts on squares that are not allowed; those that are named nowhere lose for the bound side.
    pub outside: Vec<Outside>,
}

/// What a rule about captures is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Every piece of this kind.
    Kind(Piece),
    /// The piece that stood here at the start.
    Man(Square),
}

/// The verdict on captures that no table knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaptureRule {
    /// What is taken; any of them.
    pub taken: Vec<Taken>,
    /// Where it is taken.
    pub squares: Bitboard,
    /// If the taker cannot be taken.
    pub verdict: Verdict,
    /// If it can, and the second taker cannot.
    pub recapture: Verdict,
    /// If that one can be taken, too.
    pub second: Verdict,
    /// The rule's number.
    pub rule: RuleId,
}

/// The verdict on promotions that no table knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PromotionRule {
    /// Whose pawn.
    pub color: Color,
    /// Where it promotes.
    pub squares: Bitboard,
    /// To what.
    pub roles: Vec<Role>,
    /// What follows.
    pub verdict: Verdict,
    /// What follows if the new piece can be taken at once.
    pub taken: Verdict,
    /// The rule's number.
    pub rule: RuleId,
}

/// Which tables may be asked about positions with fewer pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables {
    /// The most pieces, kings included; 0: none.
    pub max_men: u32,
    /// Whether missing ones are made.
    pub make: bool,
}

/// A rule file.
#[derive(Clone, Debug)]
pub struct Rules {
    /// A name or comment, for reports.
    pub title: Option<String>,
    /// Where the game starts.
    pub start: Position,
    /// Whose restrictions are taken for granted; what is proved holds for this side.
    pub bound: Color,
    /// What is to be proved.
    pub goal: Goal,
    /// One for each piece of the start, by square from a1.
    pub men: Vec<ManRule>,
    /// The first that fits counts.
    pub captures: Vec<CaptureRule>,
    /// The first that fits counts.
    pub promotions: Vec<PromotionRule>,
    /// Which tables may be asked.
    pub tables: Tables,
    /// How many captures or promotions in a row lead into further restricted tables with the same rules, where no table knows;
    /// 0: none.
    pub chain: u32,
    /// All rules that give verdicts.
    pub sources: Vec<RuleSource>,
}

impl Rules {
    /// The rules without any restriction, for a win or a draw of `bound`.
    #[must_use]
    pub fn free(start: Position, bound: Color, goal: Goal) -> Rules {
        let men = start.occupied().into_iter().filter_map(|square| {
            let piece = start.at(square)?;
            Some(ManRule {
                square,
                piece,
                allowed: Bitboard::FULL,
                outside: Vec::new(),
            })
        });
        Rules {
            title: None,
            bound,
            goal,
            men: men.collect(),
            captures: Vec::new(),
            promotions: Vec::new(),
            tables: Tables {
                max_men: 4,
                make: true,
            },
            chain: 0,
            sources: Vec::new(),
            start,
        }
    }

    /// What follows if a piece stands where it is not allowed.
    #[must_use]
    pub fn outside(&self, man: &ManRule, square: Square) -> Ruling {
        let named = man
            .outside
            .iter()
            .find(|outside| outside.squares.has(square));
        named.map_or(self.worst(), |outside| outside.ruling)
    }

    /// What is said of things that no rule is about.
    #[must_use]
    pub fn worst(&self) -> Ruling {
        Ruling {
            verdict: Verdict::lost_for(self.bound),
            rule: None,
        }
    }

    /// The rules that are assumptions.
    pub fn assumptions(&self) -> impl Iterator<Item = &RuleSource> {
        self.sources.iter().filter(|source| source.assumed)
    }
}
