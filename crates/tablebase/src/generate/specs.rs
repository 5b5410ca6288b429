//! Lists of tables as people write them: `KQPKQ`, `KRPvKR, 4`, `all5`.

use crate::game::Game;
use crate::index::TableKey;

/// What is wrong with a list of tables.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError<K: TableKey> {
    /// It names no table.
    #[error(
        "no table named: name a table such as {0}, 4 for all 4-man tables, or all4 for all of 3 and 4 men"
    )]
    Empty(&'static str),
    /// A number of men that has no tables, and the fewest and the most that have.
    #[error("no set of tables of {0} men: say {1} to {2}, and name larger tables one by one")]
    Men(String, u32, u32),
    /// `all` without a number of men; the fewest and the most that there are.
    #[error("`all` needs a number of men: all{1} stands for all tables of {0} to {1} men")]
    All(u32, u32),
    /// A word that is no key.
    #[error(transparent)]
    Key(K::Err),
    /// A key with more or fewer men than tables have.
    #[error("{key} is no table: tables have {least} to {most} men")]
    Size {
        /// The key.
        key: K,
        /// The fewest men of a table.
        least: u32,
        /// The most men of a table.
        most: u32,
    },
    /// A key that has no table although its men are not too many.
    #[error("{0} has no table: name one such as {1}")]
    NoTable(K, &'static str),
}

/// Reads a list of tables, separated by spaces, tabs, commas or semicolons. A number stands for all tables of so many
/// men, `all5` for all of up to five. Each table comes once, in the order named.
///
/// # Errors
/// When the list is empty, or when a word is no key or number of men that has tables.
pub fn parse_specs<G: Game>(text: &str) -> Result<Vec<G::Key>, SpecError<G::Key>> {
    let keys = parse_specs_within::<G>(text, G::MAX_MEN)?;
    match keys.iter().find(|&&key| !G::has_table(key)) {
        Some(&key) => Err(SpecError::NoTable(key, G::EXAMPLE)),
        None => Ok(keys),
    }
}

/// As [`parse_specs`], for up to `largest` men: for estimates of tables that cannot be generated.
///
/// # Errors
/// As [`parse_specs`].
pub fn parse_specs_within<G: Game>(
    text: &str,
    largest: u32,
) -> Result<Vec<G::Key>, SpecError<G::Key>> {
    let mut keys = Vec::new();
    for word in text
        .split([' ', ',', '\t', ';'])
        .filter(|word| !word.is_empty())
    {
        let lower = word.to_ascii_lowercase();
        if lower == "all" {
            return Err(SpecError::All(G::MIN_MEN, largest));
        }
        if let Some(men) = lower.strip_prefix("all") {
            let most = men_of::<G>(men, word, largest)?;
            keys.extend((G::MIN_MEN..=most).flat_map(G::all));
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            keys.extend(G::all(men_of::<G>(word, word, largest)?));
        } else {
            let key: G::Key = word.parse().map_err(SpecError::Key)?;
            if !(G::MIN_MEN..=largest).contains(&key.men()) && !G::has_table(key) {
                return Err(SpecError::Size {
                    key,
                    least: G::MIN_MEN,
                    most: largest.max(G::MAX_LARGE_MEN),
                });
            }
            keys.push(key);
        }
    }
    if keys.is_empty() {
        return Err(SpecError::Empty(G::EXAMPLE));
    }
    let mut seen = std::collections::HashSet::new();
    keys.retain(|key| seen.insert(*key));
    Ok(keys)
}

fn men_of<G: Game>(digits: &str, word: &str, largest: u32) -> Result<u32, SpecError<G::Key>> {
    let men = digits
        .parse()
        .ok()
        .filter(|men| (G::MIN_MEN..=largest).contains(men));
    men.ok_or_else(|| SpecError::Men(word.chars().take(24).collect(), G::MIN_MEN, largest))
}
