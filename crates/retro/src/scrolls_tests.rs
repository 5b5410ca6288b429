//! Solving in little memory gives the values of solving in memory, and ends cleanly.

use super::cell::Cell;
use super::code::{Code, Wide};
use super::halt::Halt;
use super::lists::{ListedPosition, Lists};
use super::minimax::{Random, chain, random_game, solved};
use super::scrolls::solve_scrolled;
use super::slice::{Side, Slice};
use duchamp_base::{Control, Plies, Scroll, Value};

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

/// The longest exits that can be sorted keep their lengths; longer ones are refused, not taken for each other.
#[test]
fn exits_have_a_longest() {
    let position = |exit| ListedPosition {
        legal: true,
        lost_if_stuck: false,
        moves: Vec::new(),
        exit,
    };
    let game = |plies: u16| {
        let [win, loss] = [Wide::win(plies), Wide::loss(plies)];
        let shorter = [Wide::win(plies - 1), Wide::loss(plies - 1)];
        let first = [win, loss].into_iter().chain(shorter).map(position);
        Lists::new([first.collect(), vec![position(win)]])
    };
    let solved = |plies| solve_scrolled(&game(plies), scroll(), &Control::new(1));
    let found = solved(1_023).expect("solved");
    let (mut void, mut cells) = (Vec::new(), Vec::new());
    found
        .read(Side::First, 0..1, &mut void, &mut cells)
        .expect("readable");
    let values = cells[0][..4].iter().map(|cell| cell.value());
    let expected = [
        Value::Win(Plies(1_023)),
        Value::Loss(Plies(1_023)),
        Value::Win(Plies(1_022)),
        Value::Loss(Plies(1_022)),
    ];
    assert!(values.eq(expected), "{:?}", &cells[0][..4]);
    for plies in [1_024, 1_500, 4_000] {
        let halt = solved(plies);
        assert!(matches!(halt, Err(Halt::TooLong)), "{plies}: {halt:?}");
    }
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

/// Rows of any number of words, powers of two or not, give the values of rows of one word, in memory and in little.
#[test]
fn rows_of_any_length_give_the_same_values() {
    let mut random = Random(77);
    for (game, row_words) in [3, 18, 162, 5, 648, 1000].into_iter().enumerate() {
        // Several chunks of rows, the last of them short.
        let size = (row_words as u64 * 64 * 70).min(150_000) + random.below(5000);
        let lists: Lists<Wide> = random_game(&mut random, size, 1 + game as u64 % 4);
        let rows = Lists::in_rows(row_words, Side::ALL.map(|side| lists.nodes(side).to_vec()));
        super::laws::check(&rows, 20, 3).expect("laws");
        let expected = solved(&lists, None);
        let [first, second] = solved(&rows, None);
        let whole = [first, second].map(|mut cells| {
            cells.truncate(expected[0].len());
            cells
        });
        assert!(whole == expected, "{row_words}");
        let found = solve_scrolled(&rows, scroll(), &Control::new(1)).expect("solved");
        assert_eq!(found.stride() % row_words, 0);
        let (mut void, mut cells) = (Vec::new(), Vec::new());
        for side in Side::ALL {
            let words = lists.rows();
            let step = 1 + words / 3;
            for start in (0..words).step_by(step) {
                let end = words.min(start + step);
                found
                    .read(side, start..end, &mut void, &mut cells)
                    .expect("readable");
                let expected = &expected[side.index()][start * 64..end * 64];
                assert!(cells.as_flattened() == expected, "{row_words}, {side:?}");
            }
        }
    }
}

/// A chunk is about as long whatever the words of a row: long rows alone, short ones together.
#[test]
fn chunks_are_about_as_long_for_all_rows() {
    for row_words in 1..3000 {
        let lists: Lists<Wide> = Lists::in_rows(row_words, [Vec::new(), Vec::new()]);
        let shape = super::shape::Shape::of(&lists);
        let words = shape.chunk_words();
        assert!(words.is_multiple_of(row_words), "{row_words}");
        let most = 1024.max(row_words);
        assert!(
            (64..=most).contains(&words) || row_words < 8,
            "{row_words}: {words}"
        );
    }
}
