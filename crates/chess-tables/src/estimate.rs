//! The cost of a table before it is generated: cells, time, memory, disk. Also for materials that are too large to be
//! generated.
//!
//! The figures per cell are measured on the tables of five men, see docs/lab/performance.md and docs/lab/six_men.md.

use std::time::Duration;

use super::game::Chess;
use super::material::Material;
use duchamp_chess::{Color, Role};
use duchamp_tablebase::{Estimate, Game, Metric, NANOSECONDS, Needs, large_memory, most_at_once};

/// King pairs without and with pawns.
const PAIRS: [u64; 2] = [462, 3612];

/// Bits a cell in the files of all tables of up to four men and of five, by metric, as measured (docs/lab/tables.md).
const FILE_BITS: [[f64; 4]; 2] = [[0.41, 0.70, 0.42, 0.20], [0.063, 0.28, 0.17, 0.092]];

/// Bits of scratch files a cell of a table of six men without pawns (KRNvKNN) and with pawns.
const SCRATCH_BITS: [f64; 2] = [3.4, 1.6];

/// Bits a cell that such a table leaves for larger ones: KQRvKRP took 1.7, KQRvKRB 1.6.
const LEFT_BITS: f64 = 1.7;

/// Nanoseconds of one thread that solving and encoding take for a cell of a table of six men: KQQQvKQ took 28, KRNvKNN 48.
const LARGE_NANOSECONDS: u64 = 40;

/// The same without files: solving, and what is left for larger tables (docs/lab/six_men.md).
const LARGE_SOLVING: u64 = 20;

/// What a further distance takes, in times of the first.
const FURTHER: u64 = 1;

/// Sizes of a table in words a side: all slices and one.
struct Shape {
    slices: u64,
    slice_words: u64,
}

impl Shape {
    fn of(material: Material) -> Shape {
        let count = |color, role| u64::from(material.count(color, role));
        let [white, black] = Color::ALL.map(|color| count(color, Role::Pawn));
        let pieces = u64::from(material.men()) - 2 - white - black;
        let slice_words = match pieces.checked_sub(1) {
            // Both kings and all pieces but the one that the bits of a word stand for.
            Some(others) => PAIRS[usize::from(white + black > 0)] << (6 * others),
            // One king; the bits stand for the other.
            None => 64,
        };
        Shape {
            slices: slices(white, black),
            slice_words,
        }
    }

    fn words(&self) -> u64 {
        self.slices * self.slice_words
    }

    fn needs(&self, distances: &[Metric]) -> Needs {
        // How many slices make a wave is not worked out: a tenth is more than most have.
        let wave = self.slices.div_ceil(10);
        Needs::of_words(self.words(), self.slice_words, wave, distances)
    }
}

/// Placements of pawns, of each and its mirror image one: half of all placements and of those that are their own image
/// (by Burnside's lemma).
fn slices(white: u64, black: u64) -> u64 {
    let all = choose(48, white) * choose(48 - white, black);
    let even = white.is_multiple_of(2) && black.is_multiple_of(2);
    let own = if even {
        choose(24, white / 2) * choose(24 - white / 2, black / 2)
    } else {
        0
    };
    (all + own) / 2
}

fn choose(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |product, i| product * (n + 1 - i) / i)
}

/// The cost of generating a table of up to 8 men with files of these distances; the `.wdl` file is always included. Tables of
/// six men take more memory on more `threads`.
///
/// ```
/// use duchamp_chess_tables::{Metric, estimate};
///
/// let cost = estimate("KRPvKR".parse()?, &[Metric::Dtm], 2);
/// assert_eq!(cost.slices, 24); // the pawn's squares on four files
/// assert!(cost.least_memory < cost.memory); // bytes
/// # Ok::<(), duchamp_chess_tables::ParseMaterialError>(())
/// ```
#[must_use]
pub fn estimate(material: Material, distances: &[Metric], threads: usize) -> Estimate {
    let shape = Shape::of(material);
    let sides = if material.is_symmetric() { 1 } else { 2 };
    let cells = sides * shape.words() * 64;
    let needs = shape.needs(distances);
    let children = material.children();
    let values = |child: &Material| Shape::of(*child).needs(&[]).values;
    let below: u64 = children.iter().map(values).sum();
    let small = children.iter().filter(|child| !Chess::is_large(**child));
    let small_below: u64 = small.map(values).sum();
    let pawns = (material.pawns() as usize).min(NANOSECONDS.len() - 1);
    let [nanoseconds, solving] = match Chess::is_large(material) {
        true => [LARGE_NANOSECONDS, LARGE_SOLVING],
        false => [NANOSECONDS[pawns]; 2],
    };
    let files = [Metric::Wdl].iter().chain(distances);
    let file_bits = FILE_BITS[usize::from(material.men() > 4)];
    let bits: f64 = files.map(|metric| file_bits[*metric as usize]).sum();
    let large = Chess::is_large(material);
    let least_memory = match large {
        true => large_memory::<Chess>(material, distances, threads),
        false => needs.least(),
    };
    let scratch = if large {
        SCRATCH_BITS[usize::from(material.pawns() > 0)]
    } else {
        0.0
    };
    let solved = 1 + FURTHER
        * distances
            .iter()
            .filter(|metric| **metric != Metric::Dtm)
            .count() as u64;
    Estimate {
        slices: shape.slices,
        cells,
        memory: match large {
            true => least_memory + small_below,
            false => needs.heap(1) + below,
        },
        least_memory,
        scratch: (cells as f64 * scratch / 8.0) as u64,
        left: if large {
            (cells as f64 * LEFT_BITS / 8.0) as u64
        } else {
            0
        },
        time: Duration::from_nanos(solved * cells * nanoseconds),
        solving: Duration::from_nanos(solved * cells * solving),
        disk: (cells as f64 * bits / 8.0) as u64,
    }
}

/// Bytes that generating tables of six men takes on the disk at one time besides their files: scratch files, and what the
/// tables among them leave for others.
#[must_use]
pub fn scratch_bytes(tables: &[Material]) -> u64 {
    let cost = |table: Material| estimate(table, &[Metric::Dtm], 2);
    let large = tables.iter().filter(|table| Chess::is_large(**table));
    let large: Vec<Material> = large.copied().collect();
    most_at_once(
        &large,
        |table| cost(table).scratch,
        |table| cost(table).left,
    )
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::*;

    #[test]
    fn sizes_are_those_of_the_tables() {
        for material in (3..=5).flat_map(Material::all) {
            let layout = Layout::new(material);
            let estimate = estimate(material, &[Metric::Dtm], 2);
            assert_eq!(estimate.slices, layout.slices() as u64, "{material}");
            let sides = layout.sides().len() as u64;
            assert_eq!(estimate.cells, layout.cells() * sides, "{material}");
            assert!(estimate.least_memory <= estimate.memory, "{material}");
        }
    }

    #[test]
    fn six_men_can_be_estimated() {
        let all = Material::all(6);
        assert_eq!(all.len(), 365);
        let cells: u64 = all
            .iter()
            .map(|material| estimate(*material, &[], 2).cells)
            .sum();
        assert!(cells > 1 << 42);
    }

    #[test]
    fn what_is_left_for_larger_tables_is_dropped_when_they_are_solved() {
        let tables = |names: &[&str]| -> Vec<Material> {
            let parse = |name: &&str| name.parse().expect("a table");
            names.iter().map(parse).collect()
        };
        let cost = |name: &str| estimate(name.parse().expect("a table"), &[Metric::Dtm], 2);
        // KQRvKRR leaves its values for both, KQRvKRQ for the first only.
        let both = tables(&["KQRvKRP", "KQRvKQR", "KQRvKRR", "KRRvKRP"]);
        let all: u64 = both.iter().map(|table| cost(&table.to_string()).left).sum();
        let [first, second] = ["KQRvKRP", "KRRvKRP"].map(cost);
        let [queens, rooks] = ["KQRvKQR", "KQRvKRR"].map(|name| cost(name).left);
        let most = [
            first.scratch + queens + rooks,
            second.scratch + rooks,
            cost("KQRvKRR").scratch + queens + rooks,
        ];
        let bytes = scratch_bytes(&both);
        assert_eq!(Some(&bytes), most.iter().max());
        assert!(bytes < all);
        // Nothing is left of one table, and nothing is large among five men.
        assert_eq!(scratch_bytes(&tables(&["KRRvKRP"])), second.scratch);
        assert_eq!(scratch_bytes(&tables(&["KRPvKR", "KRRvKR"])), 0);
    }
}
