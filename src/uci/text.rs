//! Words of a line: numbers in them, and themselves cut short for messages.

/// A whole number, saturating; of `1000.5` the part before the point.
pub(super) fn number(word: &str) -> Option<i64> {
    let whole = match word.split_once('.') {
        Some((whole, part)) if part.bytes().all(|b| b.is_ascii_digit()) => whole,
        Some(_) => return None,
        None => word,
    };
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let limit = if whole.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(whole.parse().unwrap_or(limit))
}

/// At most sixty characters of a text, for messages.
pub(super) fn short(text: &str) -> String {
    let mut result: String = text.chars().take(60).collect();
    if result.len() < text.len() {
        result.push_str("...");
    }
    result
}
