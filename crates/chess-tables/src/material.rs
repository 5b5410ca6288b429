//! Which pieces are on the board: the name of a table.

use duchamp_chess::{Board, ByColor, Color, Role};
use std::fmt;
use std::str::FromStr;

/// The roles other than the king, strongest first: the order of names.
const STRONGEST_FIRST: [Role; 5] = [
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];
/// The most pieces of a material that has a name, kings included; tables have fewer.
const MOST_NAMED: u32 = 8;

/// The pieces of both sides, wherever they stand; each side has one king. At most 8 men.
///
/// In a *canonical* material White is the stronger side: more pieces, then the stronger ones. Every constructor but
/// [`Material::flipped`] gives a canonical one.
///
/// ```
/// use duchamp_chess_tables::Material;
///
/// let material: Material = "krvkrp".parse()?;
/// assert_eq!(material.name(), "KRPvKR");
/// assert_eq!(material.men(), 5);
/// assert_eq!(Material::all(5).len(), 110);
/// # Ok::<(), duchamp_chess_tables::ParseMaterialError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    /// Per colour, per role from pawn to queen.
    counts: ByColorCounts,
}

type ByColorCounts = [[u8; 5]; 2];

/// Why a text names no material. Each variant holds the text, cut to 24 characters.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseMaterialError {
    /// A letter other than K, Q, R, B, N, P and one `v`.
    #[error("`{0}` is not a material such as KRPvKR")]
    Letters(String),
    /// Not one king on each side.
    #[error("`{0}` does not have one king on each side")]
    Kings(String),
    /// More pieces than any table has.
    #[error("`{0}` has more than {MOST_NAMED} men")]
    TooMany(String),
}

impl Material {
    /// The two kings alone.
    pub const BARE: Material = Material {
        counts: [[0; 5]; 2],
    };

    /// The canonical material with so many pieces of each role, pawn to queen in the order of [`Role`]; the flag is
    /// true if colours were swapped.
    #[must_use]
    pub fn of_counts(counts: ByColor<[u8; 5]>) -> (Material, bool) {
        let material = Material { counts: counts.0 };
        let swapped = material.strength(Color::White) < material.strength(Color::Black);
        (
            if swapped {
                material.flipped()
            } else {
                material
            },
            swapped,
        )
    }

    /// The canonical material of a board, and whether its White is the board's Black.
    #[must_use]
    pub fn of(board: &Board) -> (Material, bool) {
        let side = |color: Color| {
            let mut counts = [0; 5];
            for role in STRONGEST_FIRST {
                counts[role.index()] = board.of(color, role).count() as u8;
            }
            counts
        };
        Material::of_counts(ByColor([side(Color::White), side(Color::Black)]))
    }

    /// What decides which side is White: pieces, then the strongest pieces.
    fn strength(&self, color: Color) -> (u8, [u8; 5]) {
        let counts = &self.counts[color.index()];
        (
            counts.iter().sum(),
            STRONGEST_FIRST.map(|role| counts[role.index()]),
        )
    }

    /// Number of pieces of a colour and role (of a king 1).
    #[must_use]
    pub fn count(&self, color: Color, role: Role) -> u8 {
        self.counts[color.index()]
            .get(role.index())
            .copied()
            .unwrap_or(1)
    }

    /// Number of pieces, kings included.
    #[must_use]
    pub fn men(&self) -> u32 {
        2 + self
            .counts
            .iter()
            .flatten()
            .map(|&n| u32::from(n))
            .sum::<u32>()
    }

    /// Number of pawns of both colours.
    #[must_use]
    pub fn pawns(&self) -> u32 {
        Color::ALL
            .iter()
            .map(|&c| u32::from(self.count(c, Role::Pawn)))
            .sum()
    }

    /// Whether both sides have the same pieces.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// The same pieces with colours swapped; not canonical unless symmetric.
    #[must_use]
    pub fn flipped(&self) -> Material {
        Material {
            counts: [self.counts[1], self.counts[0]],
        }
    }

    /// The name, such as `KRPvKR`.
    #[must_use]
    pub fn name(&self) -> String {
        self.to_string()
    }

    /// The canonical materials one capture or promotion away, each once, fewer pieces first. The bare
    /// kings are not among them.
    #[must_use]
    pub fn children(&self) -> Vec<Material> {
        let mut children = Vec::new();
        let mut add = |counts: ByColorCounts| {
            let child = Material::of_counts(ByColor(counts)).0;
            if child != Material::BARE && child != *self && !children.contains(&child) {
                children.push(child);
            }
        };
        for mover in [0, 1] {
            let captures = (0..5)
                .filter(|&r| self.counts[1 - mover][r] > 0)
                .map(Some)
                .chain([None]);
            for capture in captures {
                let mut after = self.counts;
                if let Some(role) = capture {
                    after[1 - mover][role] -= 1;
                    add(after);
                }
                if self.counts[mover][Role::Pawn.index()] > 0 {
                    after[mover][Role::Pawn.index()] -= 1;
                    for role in Role::PROMOTIONS {
                        let mut promoted = after;
                        promoted[mover][role.index()] += 1;
                        add(promoted);
                    }
                }
            }
        }
        children.sort_by_key(|child| (child.men(), child.pawns(), *child));
        children
    }

    /// All canonical materials with so many men (kings included, 3 to 8; else none), those without pawns first: 5 with
    /// three pieces, 30 with four, 110 with five, 365 with six.
    #[must_use]
    pub fn all(men: u32) -> Vec<Material> {
        let mut all = Vec::new();
        if (3..=MOST_NAMED).contains(&men) {
            spread([[0; 5]; 2], 0, men - 2, &mut all);
        }
        all.sort_by_key(|m| {
            (
                m.pawns(),
                std::cmp::Reverse(m.strength(Color::White)),
                std::cmp::Reverse(m.strength(Color::Black)),
            )
        });
        all
    }
}

/// Deals `left` pieces to the ten kinds from `kind` on, in every way.
fn spread(counts: ByColorCounts, kind: usize, left: u32, all: &mut Vec<Material>) {
    if kind == 10 {
        let (material, swapped) = Material::of_counts(ByColor(counts));
        if left == 0 && !swapped {
            all.push(material);
        }
        return;
    }
    for n in 0..=left {
        let mut counts = counts;
        counts[kind / 5][kind % 5] = n as u8;
        spread(counts, kind + 1, left - n, all);
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            f.write_str(if color == Color::White { "K" } else { "vK" })?;
            for role in STRONGEST_FIRST {
                for _ in 0..self.count(color, role) {
                    write!(f, "{}", role.upper())?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads `KRPvKR` and `KRPKR`, letters of a side in any order, either side first, either case.
impl FromStr for Material {
    type Err = ParseMaterialError;

    fn from_str(text: &str) -> Result<Material, ParseMaterialError> {
        let shown = || text.chars().take(24).collect::<String>();
        let mut counts = [[0u8; 5]; 2];
        let mut kings = [0, 0];
        let mut side = 0;
        let mut men = 0u32;
        for (at, letter) in text.chars().enumerate() {
            match letter {
                'v' | 'V' if at > 0 && kings == [1, 0] && side == 0 => side = 1,
                'k' | 'K' => {
                    side = usize::from(at > 0 && kings[0] > 0);
                    kings[side] += 1;
                    men += 1;
                }
                _ => {
                    let role = Role::from_char(letter)
                        .filter(|_| at > 0)
                        .ok_or_else(|| ParseMaterialError::Letters(shown()))?;
                    if side == 1 && kings[1] == 0 {
                        return Err(ParseMaterialError::Kings(shown()));
                    }
                    men += 1;
                    counts[side][role.index()] = counts[side][role.index()].saturating_add(1);
                }
            }
            if men > MOST_NAMED {
                return Err(ParseMaterialError::TooMany(shown()));
            }
        }
        if kings != [1, 1] {
            return Err(ParseMaterialError::Kings(shown()));
        }
        Ok(Material::of_counts(ByColor(counts)).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(name: &str) -> Material {
        name.parse().expect(name)
    }

    #[test]
    fn names_are_canonical() {
        for (text, name) in [
            ("KRPKR", "KRPvKR"),
            ("krvkrp", "KRPvKR"),
            ("KvKQ", "KQvK"),
            ("KPKQ", "KQvKP"),
            ("KNKB", "KBvKN"),
            ("KPPKQ", "KPPvKQ"),
            ("KK", "KvK"),
        ] {
            assert_eq!(material(text).name(), name);
        }
        for bad in [
            "",
            "K",
            "KQ",
            "QKK",
            "KQKQK",
            "KXK",
            "KQvvK",
            "vKK",
            "KvQK",
            "KQQQQQQQK",
            "é",
        ] {
            assert!(bad.parse::<Material>().is_err(), "{bad}");
        }
    }

    #[test]
    fn counts_of_materials() {
        assert_eq!([3, 4, 5].map(|men| Material::all(men).len()), [5, 30, 110]);
        assert!(Material::all(2).is_empty());
        for m in Material::all(4) {
            assert_eq!(material(&m.name()), m);
            assert_eq!(m.men(), 4);
        }
    }

    #[test]
    fn children_by_capture_and_promotion() {
        let names = |name: &str| {
            material(name)
                .children()
                .iter()
                .map(Material::name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("KQvK"), Vec::<String>::new());
        assert_eq!(names("KQvKR"), ["KQvK", "KRvK"]);
        let mut kp = names("KPvK");
        kp.sort();
        assert_eq!(kp, ["KBvK", "KNvK", "KQvK", "KRvK"]);
        // 4 promotions, 4 capturing ones, the two captures.
        let mut krkp = names("KRvKP");
        krkp.sort();
        assert_eq!(
            krkp,
            [
                "KBvK", "KNvK", "KPvK", "KQvK", "KQvKR", "KRvK", "KRvKB", "KRvKN", "KRvKR"
            ]
        );
    }
}
