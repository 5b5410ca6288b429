//! Solving in little memory gives the values of solving in memory, and ends cleanly.

use super::cell::Cell;
use super::code::{Code, Wide};
use super::halt::Halt;
use super::lists::Lists;
use super::minimax::{Random, chain, random_game, solved};
use super::scrolls::solve_scrolled;
use super::slice::{Side, Slice};
use duchamp_base::{Control, Scroll};

fn scroll() -> Scroll {
    Scroll::new_in(&std::env::temp_dir()).expect("a scratch file")
}

fn agrees<C: Cell>(seed: u64) {
    let mut random = Random(seed);
    for game in 0..150 {
        let (size, moves) = (40 + random.below(3000), 1 + game % 5);
        let lists: Lists<C> = random_game(&mut random, size, moves);
        let expected = solved(&lists, None);
        let found = solve_scrolled(&lists, scroll(), &Control::new(1)).expect("solved");
        let words = lists.rows();
        let (mut void, mut cells) = (Vec::new(), Vec::new());
        for side in Side::ALL {
            // Whole and in parts that cut through chunks.
            for step in [words, 1 + words / 3] {
                for start in (0..words).step_by(step) {
                    let end = words.min(start + step);
                    found
                        .read(side, start..end, &mut void, &mut cells)
                        .expect("readable");
                    let expected = &expected[side.index()][start * 64..end * 64];
                    assert!(cells.as_flattened() == expected, "game {game}, {side:?}");
                    for (at, node) in lists.nodes(side).iter().enumerate() {
                        if (start..end).contains(&(at / 64)) {
                            let void = void[at / 64 - start] >> (at % 64) & 1 != 0;
                            assert_eq!(void, !node.legal, "game {game}, {side:?} {at}");
                        }
                    }
                }
            }
        }
        assert!(found.footprint().scratch > 0);
    }
}

#[test]
fn little_memory_gives_the_same_values() {
    agrees::<Code>(42);
    agrees::<Wide>(43);
}

#[test]
fn cancelling_and_too_long_wins() {
    let control = Control::new(1);
    control.cancel();
    let halt = solve_scrolled(&chain::<Wide>(300), scroll(), &control);
    assert!(matches!(halt, Err(Halt::Cancelled(_))), "{halt:?}");
    let halt = solve_scrolled(&chain::<Code>(300), scroll(), &Control::new(1));
    assert!(matches!(halt, Err(Halt::TooLong)), "{halt:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_error() {
    let mut random = Random(5);
    let lists: Lists<Wide> = random_game(&mut random, 200_000, 3);
    let halt = solve_scrolled(&lists, Scroll::full(), &Control::new(1));
    let told = halt.map(|_| ()).map_err(|halt| halt.to_string());
    assert!(
        told.as_ref()
            .is_err_and(|text| text.contains("No space left")),
        "{told:?}"
    );
}
