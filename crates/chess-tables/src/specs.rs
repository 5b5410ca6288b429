//! Lists of tables as people write them: `KQPKQ`, `KRPvKR, 4`, `all5`.

use super::material::{Material, ParseMaterialError};
use super::tables::{LARGEST_MEN, MAX_MEN};

/// What a list of tables says wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// Nothing named.
    #[error("no table named: say a material such as KRPvKR, a number of men such as 4, or all5")]
    Empty,
    /// A number of men that has no tables.
    #[error("there are no tables of {0} men: say 3 to {1}")]
    Men(String, u32),
    /// A word that is no material.
    #[error(transparent)]
    Material(#[from] ParseMaterialError),
    /// A material with too many men or none to win with.
    #[error("{0} is no table: tables have 3 to {1} men, or {LARGEST_MEN} without pawns")]
    Size(Material, u32),
}

/// Reads a list of tables, parted by blanks or commas. A number stands for all tables of so many men,
/// `all5` for all of up to so many. Each table comes once, in the order named.
///
/// # Errors
/// When a word is none of these.
pub fn parse_specs(text: &str) -> Result<Vec<Material>, SpecError> {
    parse_specs_within(text, MAX_MEN)
}

/// As [`parse_specs`], for plans that may go beyond the tables of this program: up to `largest` men.
///
/// # Errors
/// As [`parse_specs`].
pub fn parse_specs_within(text: &str, largest: u32) -> Result<Vec<Material>, SpecError> {
    let mut materials = Vec::new();
    for word in text
        .split([' ', ',', '\t', ';'])
        .filter(|word| !word.is_empty())
    {
        let lower = word.to_ascii_lowercase();
        if let Some(men) = lower.strip_prefix("all") {
            let most = men_of(men, word, largest)?;
            materials.extend((3..=most).flat_map(Material::all));
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            materials.extend(Material::all(men_of(word, word, largest)?));
        } else {
            let material: Material = word.parse()?;
            if !(3..=largest).contains(&material.men()) && !material.has_table() {
                return Err(SpecError::Size(material, largest));
            }
            materials.push(material);
        }
    }
    if materials.is_empty() {
        return Err(SpecError::Empty);
    }
    let mut seen = std::collections::HashSet::new();
    materials.retain(|material| seen.insert(*material));
    Ok(materials)
}

fn men_of(digits: &str, word: &str, largest: u32) -> Result<u32, SpecError> {
    let men = digits
        .parse()
        .ok()
        .filter(|men| (3..=largest).contains(men));
    men.ok_or_else(|| SpecError::Men(word.chars().take(24).collect(), largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let count = |text: &str| parse_specs(text).map(|list| list.len());
        assert_eq!(count("KQPKQ"), Ok(1));
        assert_eq!(count("3, 4 KQK"), Ok(35));
        assert_eq!(count("all4"), Ok(35));
        assert_eq!(count("ALL5"), Ok(145));
        assert_eq!(count(" , "), Err(SpecError::Empty));
        assert_eq!(parse_specs_within("6", 6).map(|list| list.len()), Ok(365));
        for bad in [
            "2",
            "9",
            "all",
            "all99999999999",
            "KK",
            "KQQQKQQ",
            "hello",
            "KQ",
        ] {
            assert!(parse_specs(bad).is_err(), "{bad}");
        }
    }
}
