//! Numbers as people read them: spans of time, sizes of files, digits in groups.

use std::time::Duration;

/// A span of time in one or two units: `4.2 s`, `3 min 20 s`, `5 h 12 min`, `3 days 4 h`.
#[must_use]
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let whole = seconds.round() as u64;
    match whole {
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        ..60 => format!("{whole} s"),
        60..600 => format!("{} min {} s", whole / 60, whole % 60),
        600..3600 => format!("{} min", whole.div_ceil(60)),
        3600..172_800 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} days {} h", whole / 86_400, whole % 86_400 / 3600),
    }
}

/// A size in bytes with three digits that matter, in powers of 1000: `812 B`, `45.2 kB`, `1.30 GB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    for unit in ["kB", "MB", "GB", "TB"] {
        value /= 1000.0;
        // What would round to 1000 belongs to the next unit.
        if value < 999.5 || unit == "TB" {
            let digits = if value < 9.995 {
                2
            } else if value < 99.95 {
                1
            } else {
                0
            };
            return format!("{value:.digits$} {unit}");
        }
    }
    unreachable!("the last unit takes everything")
}

/// A number with its digits in groups of three, parted by `separator`.
#[must_use]
pub fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 ply`, `41 plies`.
///
/// ```
/// # use duchamp_base::human::counted;
/// assert_eq!(counted(1, "ply", "plies"), "1 ply");
/// assert_eq!(counted(0, "ply", "plies"), "0 plies");
/// ```
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let thing = if number == 1 { one } else { many };
    format!("{number} {thing}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let told = [0.04, 9.96, 59.4, 60.0, 599.0, 601.0, 7260.0, 200_000.0];
        let told = told.map(|seconds| span(Duration::from_secs_f64(seconds)));
        let expected = [
            "0.0 s",
            "10 s",
            "59 s",
            "1 min 0 s",
            "9 min 59 s",
            "11 min",
            "2 h 1 min",
            "2 days 7 h",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn sizes() {
        let told = [
            0,
            999,
            1000,
            45_249,
            999_600,
            1_300_000_000,
            5_000_000_000_000_000,
        ]
        .map(size);
        let expected = [
            "0 B", "999 B", "1.00 kB", "45.2 kB", "1.00 MB", "1.30 GB", "5000 TB",
        ];
        assert_eq!(told, expected);
        assert_eq!(grouped(1_234_567, ' '), "1 234 567");
        assert_eq!(grouped(123, ' '), "123");
    }
}
