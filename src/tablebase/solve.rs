//! Solves one table: its slices wave by wave, those nearer to promotion first.

use super::domain::ChessSlice;
use super::kernels::exits::{Exits, View};
use super::layout::Layout;
use super::material::Material;
use super::solved::{SolveError, Solved, SolvedSide, SubTables};
use crate::base::Control;
use crate::chess::Color;
use crate::retro::{self, Code, Half, Halt};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Finds the value of every position of a material, with distances to mate in plies.
///
/// The tables of [`Material::children`] are taken from `tables`. Work is shared on the current rayon
/// pool; the result does not depend on its size.
///
/// # Errors
/// If cancelled, if a sub-table cannot be had, or if a distance is too long for a [`Code`].
pub fn solve(
    material: Material,
    tables: &dyn SubTables,
    control: &Control,
) -> Result<Solved, SolveError> {
    let mut subs: HashMap<Material, Arc<Solved>> = HashMap::new();
    subs.insert(Material::BARE, Arc::new(bare_kings()));
    for child in material.children() {
        let table = tables.get(child).map_err(|reason| SolveError::Missing {
            material,
            child,
            reason,
        })?;
        subs.insert(child, table);
    }
    let layout = Layout::new(material);
    let words = layout.words();
    let mut codes = [vec![[0u8; 64]; words], vec![[0u8; 64]; words]];
    let mut void = [vec![0u64; words], vec![0u64; words]];
    for wave in layout.pawns().waves() {
        control.check()?;
        let (first, len) = (
            wave.start * layout.slice_words(),
            wave.len() * layout.slice_words(),
        );
        let [white, black] = &mut codes;
        let (white_done, white) = white.split_at_mut(first);
        let (black_done, black) = black.split_at_mut(first);
        let [white_void, black_void] = &mut void;
        let (white_void_done, white_void) = white_void.split_at_mut(first);
        let (black_void_done, black_void) = black_void.split_at_mut(first);
        let own = View {
            layout: &layout,
            codes: [white_done.as_flattened(), black_done.as_flattened()],
            void: [white_void_done, black_void_done],
            white_only: false,
        };
        let exits = Exits::new(&layout, own, &|child| {
            subs.get(&child).map(|table| &**table)
        });
        let n = layout.slice_words();
        let parts = white[..len].chunks_mut(n).zip(black[..len].chunks_mut(n));
        let parts = parts.zip(
            white_void[..len]
                .chunks_mut(n)
                .zip(black_void[..len].chunks_mut(n)),
        );
        let jobs: Vec<_> = wave.clone().zip(parts).collect();
        let job =
            |(slice, ((white, black), (white_legal, black_legal))): (usize, SliceParts<'_>)| {
                let halves = [
                    Half {
                        codes: &mut *white,
                        legal: &mut *white_legal,
                    },
                    Half {
                        codes: &mut *black,
                        legal: &mut *black_legal,
                    },
                ];
                retro::solve(&ChessSlice::new(&layout, slice, &exits), halves, control)?;
                white_legal
                    .iter_mut()
                    .chain(black_legal)
                    .for_each(|word| *word = !*word);
                Ok::<(), Halt>(())
            };
        let solved = if jobs.len() > 1 {
            jobs.into_par_iter().try_for_each(job)
        } else {
            jobs.into_iter().try_for_each(job)
        };
        solved.map_err(|halt| match halt {
            Halt::Cancelled(cancelled) => SolveError::Cancelled(cancelled),
            Halt::TooLong => SolveError::TooLong(material),
        })?;
    }
    let sides = codes.into_iter().zip(void).take(layout.sides().len());
    let sides = sides
        .map(|(codes, void)| SolvedSide {
            void,
            codes: codes.into_flattened(),
        })
        .collect();
    Ok(Solved::new(Arc::new(layout), sides))
}

/// One slice's part of the arrays: values of both sides, then legal positions of both.
type SliceParts<'a> = (
    (&'a mut [[u8; 64]], &'a mut [[u8; 64]]),
    (&'a mut [u64], &'a mut [u64]),
);

/// The table of the two kings alone: all drawn.
fn bare_kings() -> Solved {
    let layout = Arc::new(Layout::new(Material::BARE));
    let codes = vec![Code::DRAW.0; layout.words() * 64];
    debug_assert_eq!(layout.sides(), [Color::White]);
    Solved::from_codes(layout, vec![codes])
}
