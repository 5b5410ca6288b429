//! What a user may ask of the table manager, typed; the text of an option is read here and goes no further.

use duchamp_chess_tables::{MAX_LARGE_MEN, Material, SpecError, parse_specs};
use std::str::FromStr;

/// A request about the generation of tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TableRequest {
    /// Nothing is to be done.
    Nothing,
    /// These are to be generated.
    Generate(Vec<Material>),
    /// All generation is to stop.
    Stop,
}

/// Why a request about tables was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RequestError {
    /// The list cannot be read.
    #[error(transparent)]
    List(#[from] SpecError),
    /// A table has more men than tables may have.
    #[error("{table} has {} men, TBMaxMen is {most}{}", table.men(), advice(*table))]
    TooLarge {
        /// The table.
        table: Material,
        /// The most men, as [`OptionId::MaxMen`](super::OptionId::MaxMen) says.
        most: u32,
    },
}

/// What to do about a table with more men than `TBMaxMen`.
fn advice(table: Material) -> String {
    match table.men() {
        men if men <= MAX_LARGE_MEN => format!(": set it to {men} first"),
        _ => String::new(),
    }
}

impl FromStr for TableRequest {
    type Err = RequestError;

    /// Reads a list of tables, or `stop`; an empty list asks for nothing.
    fn from_str(text: &str) -> Result<TableRequest, RequestError> {
        let text = text.trim();
        if text.is_empty() {
            Ok(TableRequest::Nothing)
        } else if text.eq_ignore_ascii_case("stop") {
            Ok(TableRequest::Stop)
        } else {
            Ok(TableRequest::Generate(parse_specs(text)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_stop_are_read() {
        assert_eq!("  ".parse(), Ok(TableRequest::Nothing));
        assert_eq!(" Stop".parse(), Ok(TableRequest::Stop));
        let tables = ["KQvK", "KRvK"].map(|name| name.parse().expect("a material"));
        assert_eq!(
            "KQK, krvk".parse(),
            Ok(TableRequest::Generate(tables.to_vec()))
        );
        let error = "nonsense".parse::<TableRequest>();
        assert!(matches!(error, Err(RequestError::List(_))), "{error:?}");
    }
}
