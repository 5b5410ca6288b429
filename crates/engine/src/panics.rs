//! What breaks down in the background is told of, and the engine goes on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does some work; the message of the panic if it breaks down, after which nothing that it was changing may be used.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| reason(&*panic))
}

fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn the_reason_is_told() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| panic!("words")), Err::<(), _>("words".to_owned()));
        let number = std::hint::black_box(3);
        let formatted = caught(|| panic!("number {number}"));
        assert_eq!(formatted, Err::<(), _>("number 3".to_owned()));
    }
}
