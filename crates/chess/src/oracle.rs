//! The trait through which a search looks up exact values, whatever their source.

use super::Position;
use duchamp_base::{Value, Wdl};

/// A source of exact values of some positions, such as endgame tables.
///
/// Values ignore the halfmove clock of the position (as if it were zero) and are exact for the position as given,
/// en-passant rights included. `None` means that the value is not known: other material, a table that does not exist
/// yet, castling rights. Several threads call the methods at once, and an answer may change from `None` to a value.
///
/// # Examples
/// ```
/// use duchamp_chess::{Oracle, Position, Value, Wdl};
///
/// /// Two bare kings are a draw.
/// struct BareKings;
///
/// impl Oracle for BareKings {
///     fn max_men(&self) -> u32 {
///         2
///     }
///     fn wdl(&self, position: &Position) -> Option<Wdl> {
///         self.dtm(position).map(Value::wdl)
///     }
///     fn dtm(&self, position: &Position) -> Option<Value> {
///         (position.board().men() == 2).then_some(Value::Draw)
///     }
/// }
///
/// let position = Position::from_fen("8/8/8/4k3/8/8/8/K7 w - - 0 1")?;
/// assert_eq!(BareKings.wdl(&position), Some(Wdl::Draw));
/// assert_eq!(BareKings.wdl(&Position::start()), None);
/// # Ok::<(), duchamp_chess::FenError>(())
/// ```
pub trait Oracle: Send + Sync {
    /// The most men (kings included) that any answer covers now; 0 when nothing can be answered.
    /// Search does not query positions with more.
    fn max_men(&self) -> u32;

    /// Win, draw or loss for the side to move. Faster than [`Oracle::dtm`].
    fn wdl(&self, position: &Position) -> Option<Wdl>;

    /// The value for the side to move, with its distance to mate in plies.
    fn dtm(&self, position: &Position) -> Option<Value>;

    /// The distance to the next capture, pawn move or mate that keeps the result, in plies as Syzygy tables count it:
    /// positive for wins, negative for losses, 0 for draws, above 100 (below -100) where the 50-move rule draws from a
    /// fresh clock. It may be one ply too short, except where that would hide a draw by the 50-move rule.
    ///
    /// Most sources have no such distances; they keep this default, which answers `None`.
    fn dtz(&self, _position: &Position) -> Option<i32> {
        None
    }
}

/// An oracle without any values.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoOracle;

impl Oracle for NoOracle {
    fn max_men(&self) -> u32 {
        0
    }
    fn wdl(&self, _: &Position) -> Option<Wdl> {
        None
    }
    fn dtm(&self, _: &Position) -> Option<Value> {
        None
    }
}
