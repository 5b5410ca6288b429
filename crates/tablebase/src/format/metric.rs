//! What the values of a table count: metrics as data.

use duchamp_base::{Plies, Value};

/// What a table file holds. All distances count plies (half-moves) from the position at hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl = 0,
    /// Distance to mate.
    Dtm = 1,
    /// Distance to conversion: to mate, or to a capture or promotion by either side into a position
    /// of the same result.
    Dtc = 2,
    /// Distance to zeroing: to mate, capture or pawn move by either side, with the 50-move rule. A
    /// distance above 100 is a cursed win or a blessed loss.
    Dtz = 3,
}

/// Plies without capture or pawn move after which a game is drawn, where a metric has the 50-move rule in it.
pub(crate) const DRAW_AFTER: u16 = 100;

/// How a metric counts, and how files store it: metrics are data.
///
/// ```
/// use duchamp_tablebase::Metric;
///
/// let spec = Metric::Dtm.spec();
/// assert_eq!(spec.name, "dtm"); // as in KRPvKR.dtm
/// assert!(spec.odd_wins); // the winner makes the last move
/// assert_eq!(spec.draw_after, None); // no 50-move rule
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MetricSpec {
    /// The name, which is also the file ending.
    pub name: &'static str,
    /// Whether only mate ends the count, so that every win takes an odd number of plies.
    pub odd_wins: bool,
    /// Plies without a zeroing move after which the game is drawn (100 for the 50-move rule of chess): longer wins are
    /// cursed, longer losses blessed. `None`: the metric disregards such a rule.
    pub draw_after: Option<u16>,
    /// Whether files omit wins in one ply, which their moves show, and choose an order of the cells for each block.
    pub omits_immediate_wins: bool,
    /// Words of a block of distances: 128 are 8,192 cells, decoded in a few microseconds. Blocks to conversion and
    /// zeroing are larger: they compress to less, and search does not read them.
    pub block_words: u32,
    /// How blocks are written, as the header stores it. Form 0 of `.dtz` files stored all wins.
    pub coding: u32,
    /// The level of Zstandard. Measured: to mate the levels 1 and 3 give nearly the same size, and 1 takes 20 % less
    /// time; to zeroing level 6 saves a fifth and takes three times the time, which is little beside solving.
    pub level: i32,
}

/// By [`Metric`].
static SPECS: [MetricSpec; 4] = {
    const DTM: MetricSpec = MetricSpec {
        name: "dtm",
        odd_wins: true,
        draw_after: None,
        omits_immediate_wins: false,
        block_words: 128,
        coding: 0,
        level: 1,
    };
    [
        MetricSpec { name: "wdl", ..DTM },
        DTM,
        MetricSpec {
            name: "dtc",
            odd_wins: false,
            block_words: 256,
            ..DTM
        },
        MetricSpec {
            name: "dtz",
            odd_wins: false,
            draw_after: Some(DRAW_AFTER),
            omits_immediate_wins: true,
            block_words: 256,
            coding: 1,
            level: 6,
        },
    ]
};

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 4] = [Metric::Wdl, Metric::Dtm, Metric::Dtc, Metric::Dtz];
    /// The metrics with a distance.
    pub const DISTANCES: [Metric; 3] = [Metric::Dtm, Metric::Dtc, Metric::Dtz];

    /// How it counts and is kept.
    #[must_use]
    #[inline]
    pub fn spec(self) -> &'static MetricSpec {
        &SPECS[self as usize]
    }

    /// The name, which is also the file ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }
}

/// Counts of the positions with one side to move, each symmetry class once.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SideCounts {
    /// Positions won for the side to move, cursed wins among them.
    pub won: u64,
    /// Drawn positions.
    pub drawn: u64,
    /// Lost positions, mates and blessed losses among them.
    pub lost: u64,
    /// Indices that stand for no position.
    pub void: u64,
    /// Cursed wins: known with DTZ only, else 0.
    pub cursed: u64,
    /// Blessed losses: known with DTZ only, else 0.
    pub blessed: u64,
    /// The longest win in plies, 0 if there is none.
    pub longest_win: u16,
    /// The longest loss in plies, 0 if there is none.
    pub longest_loss: u16,
}

impl SideCounts {
    /// Counts one more position; a win or loss of more than `draw_after` plies is cursed or blessed.
    pub(crate) fn count(&mut self, value: Value, draw_after: Option<u16>) {
        let late = |plies: Plies| u64::from(draw_after.is_some_and(|limit| plies.0 > limit));
        match value {
            Value::Win(plies) => {
                self.won += 1;
                self.cursed += late(plies);
                self.longest_win = self.longest_win.max(plies.0);
            }
            Value::Draw => self.drawn += 1,
            Value::Loss(plies) => {
                self.lost += 1;
                self.blessed += late(plies);
                self.longest_loss = self.longest_loss.max(plies.0);
            }
        }
    }

    /// Adds what another part of the same side counts.
    pub fn add(&mut self, part: &SideCounts) {
        self.won += part.won;
        self.drawn += part.drawn;
        self.lost += part.lost;
        self.void += part.void;
        self.cursed += part.cursed;
        self.blessed += part.blessed;
        self.longest_win = self.longest_win.max(part.longest_win);
        self.longest_loss = self.longest_loss.max(part.longest_loss);
    }

    /// Legal positions.
    #[must_use]
    pub const fn legal(&self) -> u64 {
        self.won + self.drawn + self.lost
    }
}
