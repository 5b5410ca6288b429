//! The hand-crafted evaluation by kinds of terms, for people who want to know why a position is worth what it is.

use super::mix::Mix;
use super::tapered::TaperedScore;
use super::terms::*;
use super::trace::Tracer;
use super::weights::WEIGHTS;
use duchamp_chess::{ByColor, Color};

/// Terms that are shown together. Each group of [`GROUPS`] but those of a king's danger is in one row.
const ROWS: &[(&str, &[Group])] = &[
    ("Material", &[MATERIAL]),
    ("Piece-square tables", &[SQUARE]),
    ("Imbalance", &[BISHOP_PAIR, KNIGHT_PAWNS, ROOK_PAWNS]),
    (
        "Mobility",
        &[
            KNIGHT_MOBILITY,
            BISHOP_MOBILITY,
            ROOK_MOBILITY,
            QUEEN_MOBILITY,
        ],
    ),
    (
        "Pieces",
        &[
            OUTPOST,
            OUTPOST_NEAR,
            BEHIND_PAWN,
            KING_DISTANCE,
            BISHOP_PAWNS,
            LONG_DIAGONAL,
            ROOK_OPEN,
            ROOK_HALF_OPEN,
            ROOK_SEVENTH,
            ROOK_TRAPPED,
            QUEEN_EXPOSED,
        ],
    ),
    (
        "Pawns",
        &[ISOLATED, DOUBLED, BACKWARD, PHALANX, GUARDED, CANDIDATE],
    ),
    (
        "Passed pawns",
        &[
            PASSED,
            PASSED_FREE,
            PASSED_SAFE,
            PASSED_RUNS,
            PASSED_OWN_KING,
            PASSED_ENEMY_KING,
            PASSED_PUSHED,
            PASSED_HELD,
            UNSTOPPABLE,
        ],
    ),
    (
        "Threats",
        &[
            THREAT_BY_PAWN,
            THREAT_BY_MINOR,
            THREAT_BY_ROOK,
            THREAT_BY_KING,
            HANGING,
            THREAT_BY_PUSH,
            CONTESTED,
            QUEEN_HUNT,
        ],
    ),
    ("Space", &[SPACE]),
    (
        "King shelter",
        &[
            SHELTER,
            STORM,
            STORM_BLOCKED,
            CASTLING,
            KING_TO_PAWN,
            PAWNLESS_FLANK,
        ],
    ),
    ("Tempo", &[TEMPO]),
    ("Complexity", &[COMPLEXITY]),
];

/// The row of a king's danger, which is squared and so cannot be a sum of weights.
const KING_DANGER: &str = "King danger";

/// Where a term is shown.
fn row_of(term: Term) -> Option<usize> {
    ROWS.iter()
        .position(|(_, groups)| groups.iter().any(|group| group.holds(term)))
}

/// The part of one kind of terms in the evaluation, in centipawns for middlegame and endgame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BreakdownRow {
    /// What kind.
    pub name: &'static str,
    /// What White gets.
    pub white: TaperedScore,
    /// What Black gets.
    pub black: TaperedScore,
}

/// The hand-crafted evaluation by kinds of terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakdown {
    /// The kinds; White's numbers minus Black's add up to [`Breakdown::sum`].
    pub rows: Vec<BreakdownRow>,
    /// All terms, as White sees them.
    pub sum: TaperedScore,
    /// How the two halves of the sum become one number.
    pub mix: Mix,
    /// That number: centipawns as White sees them.
    pub total: i32,
}

/// Adds up what each side gets, by row.
pub(super) struct Recorder {
    rows: ByColor<[TaperedScore; ROWS.len()]>,
    danger: ByColor<TaperedScore>,
    /// Whether the endgame's complexity was counted; if not, it cancels the whole endgame score.
    complex: bool,
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder {
            rows: ByColor([[TaperedScore::ZERO; ROWS.len()]; 2]),
            danger: ByColor::default(),
            complex: false,
        }
    }
}

impl Tracer for Recorder {
    const RECORDS: bool = true;

    fn term(&mut self, side: Color, term: Term, count: i32) {
        self.complex |= COMPLEXITY.holds(term);
        if let Some(row) = row_of(term) {
            self.rows[side][row] += WEIGHTS[term.0 as usize] * count;
        }
    }

    fn danger(&mut self, side: Color, term: Term, count: i32) {
        self.danger[side] += WEIGHTS[term.0 as usize] * count;
    }

    fn no_danger(&mut self, side: Color) {
        self.danger[side] = TaperedScore::ZERO;
    }
}

impl Recorder {
    /// The breakdown of an evaluation that came to `total`; `loss` says what a king's danger costs.
    pub(super) fn finish(
        self,
        total: i32,
        mix: Mix,
        loss: impl Fn(TaperedScore) -> TaperedScore,
    ) -> Breakdown {
        let [white, black] = Color::ALL.map(|side| self.rows[side]);
        let row = |(index, &(name, _)): (usize, &(&'static str, _))| BreakdownRow {
            name,
            white: white[index],
            black: black[index],
        };
        let mut rows: Vec<BreakdownRow> = ROWS.iter().enumerate().map(row).collect();
        let complexity = rows.pop().expect("it is the last row");
        rows.push(BreakdownRow {
            name: KING_DANGER,
            white: -loss(self.danger[Color::White]),
            black: -loss(self.danger[Color::Black]),
        });
        let add = |sum: TaperedScore, row: &BreakdownRow| sum + row.white - row.black;
        let before = rows.iter().fold(TaperedScore::ZERO, add);
        rows.push(if self.complex {
            complexity
        } else {
            // Counted for the side that is ahead, whose advantage in the endgame it takes away.
            let ahead = before.endgame();
            let taken = |ahead: i32| TaperedScore::new(0, -ahead.max(0) as i16);
            BreakdownRow {
                white: taken(ahead),
                black: taken(-ahead),
                ..complexity
            }
        });
        Breakdown {
            sum: rows.iter().fold(TaperedScore::ZERO, add),
            rows,
            mix,
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Classical, Evaluator, FULL_PHASE};
    use super::*;
    use duchamp_chess::Position;

    #[test]
    fn every_group_is_in_one_row() {
        for group in GROUPS.iter().filter(|group| group.one() < FIRST_DANGER) {
            for index in 0..usize::from(group.len) {
                let rows = ROWS
                    .iter()
                    .flat_map(|(_, groups)| groups.iter())
                    .filter(|it| it.holds(group.at(index)));
                assert_eq!(rows.count(), 1, "{}", group.name);
            }
        }
    }

    /// The rows add up to the evaluation that search uses, with all that is mixed into it.
    #[test]
    fn rows_add_up_to_the_evaluation() {
        let mut classical = Classical::new();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
            "r1bq1rk1/pp3p1p/2n1p1pQ/3pP1N1/3P4/2PB4/PP3PPP/R3K2R b KQ - 0 1",
            "8/5pk1/4p1p1/1R5p/r6P/5PP1/5K2/8 w - - 2 41",
            "8/8/1p1k4/p1pP4/P1P2K2/1P6/8/8 w - - 0 1",
            "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
            // Nearly even: complexity takes the whole endgame score away.
            "8/4k3/8/3n4/8/3N4/4K3/8 b - - 0 1",
            "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let breakdown = classical.breakdown(&position);
            let (sum, mix) = (breakdown.sum, breakdown.mix);
            let add = |sum: TaperedScore, row: &BreakdownRow| sum + row.white - row.black;
            assert_eq!(
                breakdown.rows.iter().fold(TaperedScore::ZERO, add),
                sum,
                "{fen}"
            );
            let endgame = sum.endgame() * mix.scale / 64;
            let mixed = sum.middlegame() * mix.phase + endgame * (FULL_PHASE - mix.phase);
            assert_eq!(mixed / FULL_PHASE + mix.extra, breakdown.total, "{fen}");
            let score = classical.evaluate(&position).0;
            let white = if position.turn() == Color::White {
                score
            } else {
                -score
            };
            if !position.is_insufficient_material() {
                assert_eq!(white, breakdown.total, "{fen}");
            }
        }
    }
}
