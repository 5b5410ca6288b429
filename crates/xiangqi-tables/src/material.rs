//! The names of tables: which men are on the board besides the kings.
//!
//! Names are those of Wu and Beal: the attackers' men, a hyphen, the other side's men, in the order `a e h c g p`
//! (advisor, elephant, horse, **c**hariot, **g**unner or cannon, pawn); the kings are not written, but a side without
//! other men is written `k`. `aegp-aaee` is advisor, elephant, cannon and pawn against all four defenders.
//!
//! Letters of UCI in upper case are read, too: `KRPvKAABB`. There C is the cannon and R the chariot.

use std::fmt;
use std::str::FromStr;

use duchamp_xiangqi::Role;

/// The kinds of men besides kings, in the order of names.
const ROLES: [Role; 6] = [
    Role::Advisor,
    Role::Elephant,
    Role::Horse,
    Role::Chariot,
    Role::Cannon,
    Role::Pawn,
];

/// The letters of the kinds in names.
const LETTERS: [char; 6] = ['a', 'e', 'h', 'c', 'g', 'p'];

/// The most men of each kind that a side has.
const MOST: [u8; 6] = [2, 2, 2, 2, 2, 5];

/// The men of one side besides the king, by the place in [`ROLES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Men([u8; 6]);

impl Men {
    fn attackers(self) -> u8 {
        self.0[2..].iter().sum()
    }

    fn all(self) -> u8 {
        self.0.iter().sum()
    }
}

/// The name of a table: the men of an ending in which one side attacks and the other has advisors and elephants only.
///
/// ```
/// use duchamp_xiangqi_tables::Material;
///
/// let material: Material = "aegp-aaee".parse().expect("a material");
/// assert_eq!(material, "KAECP-KAAEE".parse().expect("the same in letters of UCI"));
/// assert_eq!("aaee-aegp".parse(), Ok(material)); // the attacker comes first
/// assert_eq!((material.to_string(), material.men()), ("aegp-aaee".to_owned(), 10));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    red: Men,
    black: Men,
}

/// Why a word names no table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseMaterialError {
    /// A letter that no man has.
    #[error(
        "{word}: no xiangqi man has the letter {letter}; say k a e h c g p (c is the chariot, g the cannon), or in \
         upper case K A B N R C P (R is the chariot, C the cannon)"
    )]
    Letter {
        /// The word, shortened.
        word: String,
        /// The letter.
        letter: char,
    },
    /// Not two sides.
    #[error("{0}: name both sides, such as cp-aaee or KRPvKAABB; write k for a bare king")]
    Sides(String),
    /// More men than a side has, or two kings.
    #[error("{word}: a side has at most {most} of {letter}")]
    TooMany {
        /// The word, shortened.
        word: String,
        /// The letter of the kind.
        letter: char,
        /// How many there can be.
        most: u8,
    },
    /// Neither side has a man that attacks.
    #[error("{0}: no side can attack, so every position is drawn and there is no table")]
    NoAttacker(String),
    /// Both sides have men that attack.
    #[error(
        "{0}: both sides can attack, so rules about perpetual check and chase decide such positions, which depend on \
         the moves before: there are tables only where one side has nothing but advisors and elephants"
    )]
    BothAttack(String),
}

impl Material {
    /// How many men of a kind a side has besides the king; `black`: the side without attackers.
    #[must_use]
    pub fn count(&self, black: bool, role: Role) -> u8 {
        let men = if black { self.black } else { self.red };
        match ROLES.iter().position(|&other| other == role) {
            Some(place) => men.0[place],
            None => 1,
        }
    }

    /// Advisors and elephants of a side.
    pub(crate) fn defenders(&self, black: bool) -> [u8; 2] {
        let men = if black { self.black } else { self.red };
        [men.0[0], men.0[1]]
    }

    /// The number of men that attack: horses, chariots, cannons, pawns.
    #[must_use]
    pub fn attackers(&self) -> u32 {
        self.red.attackers().into()
    }

    /// The number of pawns.
    #[must_use]
    pub fn pawns(&self) -> u32 {
        self.red.0[5].into()
    }

    /// The number of men, kings included.
    #[must_use]
    pub fn men(&self) -> u32 {
        2 + u32::from(self.red.all()) + u32::from(self.black.all())
    }

    /// The material with one man less; `None` if there is none, or no attacker left.
    #[must_use]
    pub fn without(&self, black: bool, role: Role) -> Option<Material> {
        let place = ROLES.iter().position(|&other| other == role)?;
        let mut less = *self;
        let men = if black {
            &mut less.black
        } else {
            &mut less.red
        };
        men.0[place] = men.0[place].checked_sub(1)?;
        (less.red.attackers() > 0).then_some(less)
    }

    /// The materials that one capture leads to, fewer men first: without an attacker, or without a defender of the
    /// other side. Endings without attackers are drawn and have no table.
    #[must_use]
    pub fn children(&self) -> Vec<Material> {
        let own = ROLES[2..].iter().map(|&role| self.without(false, role));
        let other = ROLES[..2].iter().map(|&role| self.without(true, role));
        let mut children: Vec<Material> = own.chain(other).flatten().collect();
        children.sort_by_key(|child| (child.men(), child.pawns(), *child));
        children
    }

    /// All materials of so many men, kings included.
    #[must_use]
    pub fn all(men: u32) -> Vec<Material> {
        let mut all = Vec::new();
        let ranges = MOST.map(|most| 0..=most);
        let [a, e, h, c, g, p] = ranges.clone();
        for (a, e) in a.flat_map(|a| e.clone().map(move |e| (a, e))) {
            for (h, c) in h.clone().flat_map(|h| c.clone().map(move |c| (h, c))) {
                for (g, p) in g.clone().flat_map(|g| p.clone().map(move |p| (g, p))) {
                    let red = Men([a, e, h, c, g, p]);
                    for (a, e) in (0..=2).flat_map(|a| (0..=2).map(move |e| (a, e))) {
                        let black = Men([a, e, 0, 0, 0, 0]);
                        let material = Material { red, black };
                        if red.attackers() > 0 && material.men() == men {
                            all.push(material);
                        }
                    }
                }
            }
        }
        all.sort_by_key(|material| (material.attackers(), material.pawns(), *material));
        all
    }

    /// How many ways there are to name identical men: the product of the factorials of the counts.
    #[must_use]
    pub fn orders(&self) -> u64 {
        let counts = self.red.0.iter().chain(&self.black.0);
        counts
            .map(|&count| (1..=u64::from(count)).product::<u64>())
            .product()
    }

    /// The number of the men: as `material_counts` of a position gives it, `exchanged` with Black as the attacker.
    pub(crate) fn code(&self, exchanged: bool) -> u64 {
        let mut code = 0;
        for black in [false, true] {
            for role in Role::ALL {
                let place = role.index() + if black != exchanged { 7 } else { 0 };
                code |= u64::from(self.count(black, role)) << (4 * place);
            }
        }
        code
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |men: Men| {
            let letters = LETTERS.iter().zip(men.0);
            let all: String = letters
                .flat_map(|(&letter, count)| std::iter::repeat_n(letter, count.into()))
                .collect();
            if all.is_empty() { "k".to_owned() } else { all }
        };
        f.pad(&format!("{}-{}", side(self.red), side(self.black)))
    }
}

impl FromStr for Material {
    type Err = ParseMaterialError;

    fn from_str(word: &str) -> Result<Material, ParseMaterialError> {
        let short = || -> String { word.chars().take(24).collect() };
        let sides = split(word).ok_or_else(|| ParseMaterialError::Sides(short()))?;
        let mut men = [Men::default(); 2];
        for (side, men) in sides.into_iter().zip(&mut men) {
            for (i, letter) in side.chars().enumerate() {
                if matches!(letter, 'k' | 'K') {
                    if i > 0 {
                        return Err(ParseMaterialError::TooMany {
                            word: short(),
                            letter,
                            most: 1,
                        });
                    }
                    continue;
                }
                let place = place(letter).ok_or_else(|| ParseMaterialError::Letter {
                    word: short(),
                    letter,
                })?;
                men.0[place] += 1;
                if men.0[place] > MOST[place] {
                    return Err(ParseMaterialError::TooMany {
                        word: short(),
                        letter,
                        most: MOST[place],
                    });
                }
            }
        }
        match men.map(|men| men.attackers() > 0) {
            [false, false] => Err(ParseMaterialError::NoAttacker(short())),
            [true, true] => Err(ParseMaterialError::BothAttack(short())),
            [true, false] => Ok(Material {
                red: men[0],
                black: men[1],
            }),
            [false, true] => Ok(Material {
                red: men[1],
                black: men[0],
            }),
        }
    }
}

/// Both sides of a name: around a hyphen, around `v`, or from the second king on.
fn split(word: &str) -> Option<[&str; 2]> {
    let word = word.trim();
    if let Some((red, black)) = word.split_once('-').or_else(|| word.split_once(['v', 'V'])) {
        return (!red.is_empty() || !black.is_empty()).then_some([red, black]);
    }
    let second = word.char_indices().skip(1);
    let mut second = second.filter(|&(_, letter)| matches!(letter, 'k' | 'K'));
    let (at, _) = second.next()?;
    Some([&word[..at], &word[at..]])
}

/// The kind of a letter: those of Wu and Beal in lower case, those of UCI and WXF in upper case.
fn place(letter: char) -> Option<usize> {
    Some(match letter {
        'a' | 'A' => 0,
        'e' | 'E' | 'b' | 'B' => 1,
        'h' | 'H' | 'n' | 'N' => 2,
        'c' | 'r' | 'R' => 3,
        'g' | 'G' | 'C' => 4,
        'p' | 'P' => 5,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_both_alphabets() {
        for (word, name) in [
            ("cp-aaee", "cp-aaee"),
            ("kcp-kaaee", "cp-aaee"),
            ("KRPvKAABB", "cp-aaee"),
            ("KRPKAABB", "cp-aaee"),
            ("KCPvKAAEE", "gp-aaee"),
            ("aaee-pc", "cp-aaee"),
            ("c-k", "c-k"),
            ("c-", "c-k"),
            ("KRK", "c-k"),
            ("eagp-eeaa", "aegp-aaee"),
            ("KNvK", "h-k"),
        ] {
            let material: Material = word.parse().unwrap_or_else(|e| panic!("{word}: {e}"));
            assert_eq!(material.to_string(), name, "{word}");
            assert_eq!(name.parse(), Ok(material));
        }
    }

    #[test]
    fn wrong_names_say_what_is_wrong() {
        for (word, part) in [
            ("cq-aaee", "letter q"),
            ("ccc-aaee", "at most 2"),
            ("c-h", "perpetual"),
            ("aa-ee", "no side can attack"),
            ("cp", "name both sides"),
            ("", "name both sides"),
            ("-", "name both sides"),
            ("kkc-k", "at most 1"),
            ("cp-aaée", "letter é"),
        ] {
            let error = word.parse::<Material>().expect_err(word).to_string();
            assert!(error.contains(part), "{word}: {error}");
            assert!(!error.contains('\n'));
        }
    }

    #[test]
    fn children_are_one_capture_away() {
        let names = |name: &str| -> Vec<String> {
            let material: Material = name.parse().expect("a material");
            material
                .children()
                .iter()
                .map(Material::to_string)
                .collect()
        };
        assert_eq!(names("c-k"), Vec::<String>::new());
        let mut of_cp = names("cp-ae");
        of_cp.sort();
        assert_eq!(of_cp, ["c-ae", "cp-a", "cp-e", "p-ae"]);
    }

    #[test]
    fn all_of_three_men_are_four() {
        let all: Vec<String> = Material::all(3).iter().map(Material::to_string).collect();
        assert_eq!(all.len(), 4);
        assert!(all.contains(&"c-k".to_owned()) && all.contains(&"p-k".to_owned()));
    }
}
