//! Reads the FENs of arguments and files.

use duchamp_chess::{Faults, FenError, Position, Setup};

/// The position of a FEN. Castling rights and en-passant squares without a meaning, which board editors leave behind, are
/// dropped, as over UCI and HTTP.
///
/// # Errors
/// If the text is no FEN or the position cannot be.
pub(super) fn position(fen: &str) -> Result<Position, FenError> {
    let setup: Setup = fen.parse()?;
    let position = Position::from_setup_forgiving(&setup, Faults::CASTLING | Faults::EN_PASSANT)?;
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_without_a_meaning_are_dropped() {
        let read = position("4k3/8/8/8/8/8/8/4K2Q w KQkq e6 0 1").expect("a position");
        assert_eq!(read.fen(), "4k3/8/8/8/8/8/8/4K2Q w - - 0 1");
        assert!(position("4k3/8/8/8/8/8/8/4K2R w K - 0 1").is_ok_and(|p| p.has_castling_rights()));
        let told = position("8/8/8/8/8/8/8/4K2Q w - - 0 1").map_err(|error| error.to_string());
        assert_eq!(
            told.err().as_deref(),
            Some("impossible position: Black does not have exactly one king")
        );
    }
}
