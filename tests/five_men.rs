//! All five-man tables of a folder against published maxima. Ignored: the folder must be made first.
//!
//! `duchamp tb generate all5 --dir DIR && DUCHAMP_FIVE=DIR cargo test --release --test five_men -- --ignored --nocapture`

use duchamp::tablebase::{Material, Metric, Tables};
use std::path::Path;

/// Longest mates from both sides to move against two published lists.
#[test]
#[ignore = "needs all five-man tables in $DUCHAMP_FIVE"]
fn longest_mates_are_the_published_ones() {
    let dir = std::env::var("DUCHAMP_FIVE").expect("DUCHAMP_FIVE names the folder of tables");
    let tables = Tables::open(Path::new(&dir));
    let list = tables.list();
    let rows = include_str!("data/max_dtm_five.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1);
    let (mut compared, mut different) = (0, Vec::new());
    for row in rows {
        let fields: Vec<&str> = row.split(',').collect();
        let material: Material = fields[0].parse().expect("a material");
        let info = list.iter().find(|info| info.material == material);
        let info = info.unwrap_or_else(|| panic!("{material} is not there"));
        let counts = info.file(Metric::Dtm).expect("distances to mate").counts;
        let longest = counts
            .iter()
            .map(|side| side.longest_win.max(side.longest_loss))
            .max()
            .unwrap_or(0);
        compared += 1;
        let moves = [counts[0].longest_win, counts[1].longest_win].map(|plies| plies.div_ceil(2));
        for (what, published, ours) in [
            ("plies of either side", fields[2], longest),
            ("moves, White to move and win", fields[3], moves[0]),
            ("moves, Black to move and win", fields[4], moves[1]),
        ] {
            if published
                .parse::<u16>()
                .is_ok_and(|published| published != ours)
            {
                different.push(format!(
                    "{material}: {what}: published {published}, here {ours}"
                ));
            }
        }
    }
    println!("{compared} endings compared");
    for line in &different {
        println!("{line}");
    }
    assert!(compared >= 80, "{compared}");
    // Disputed: the two sources contradict each other on the first, and on the second one of them
    // contradicts us (docs/TESTING.md).
    let disputed = ["KBPvKN: moves, White", "KQPvKR: moves, White"];
    different.retain(|line| !disputed.iter().any(|start| line.starts_with(start)));
    assert!(different.is_empty(), "{} differences", different.len());
}
