//! A slow solver by plain value iteration, in the place of the kernels until they are there.
use super::layout::{Index, Layout};
use super::material::Material;
use super::solved::*;
use crate::base::Control;
use crate::chess::{Position, Setup};
use crate::retro::Code;
use std::sync::Arc;
pub(super) fn solve(
    material: Material,
    subs: &dyn SubTables,
    control: &Control,
) -> Result<Solved, SolveError> {
    let layout = Arc::new(Layout::new(material));
    let n = layout.cells();
    let pos = |side, cell| {
        let (board, turn) = layout.place(Index { side, cell })?;
        if layout.canonical((cell / 64) as usize) >> (cell % 64) & 1 == 0 {
            return None;
        }
        let (board, turn) = (board, turn);
        Position::from_setup(&Setup {
            board,
            turn,
            ..Setup::EMPTY
        })
        .ok()
    };
    let mut val: Vec<Vec<u8>> = layout
        .sides()
        .iter()
        .map(|_| vec![128u8; n as usize])
        .collect();
    let mut known: Vec<Vec<bool>> = layout
        .sides()
        .iter()
        .map(|_| vec![false; n as usize])
        .collect();
    let mut quiet = 0;
    let mut level = 0u32;
    while quiet < 70 {
        control.check()?;
        let mut changes = vec![];
        for (s, &side) in layout.sides().iter().enumerate() {
            for cell in 0..n {
                if known[s][cell as usize] {
                    continue;
                }
                let Some(p) = pos(side, cell) else { continue };
                let mut best: Option<u8> = None;
                let mut open = false;
                for mv in p.legal_moves() {
                    let c = p.play(mv);
                    let (m, swapped) = Material::of(c.board());
                    let code = if m == Material::BARE {
                        Some(Code::DRAW)
                    } else if m == material {
                        let i = layout.locate_as(c.board(), c.turn(), swapped).unwrap();
                        let s = i.side.index().min(layout.sides().len() - 1);
                        known[s][i.cell as usize].then(|| Code(val[s][i.cell as usize]))
                    } else {
                        let sub = subs.get(m).unwrap();
                        let i = sub
                            .layout()
                            .locate_as(c.board(), c.turn(), swapped)
                            .unwrap();
                        Some(sub.get(i).unwrap())
                    };
                    match code {
                        None => open = true,
                        Some(c) => best = best.max(Some(c.before_move().0)),
                    }
                }
                let code = match best {
                    None if !open => {
                        if p.in_check() {
                            0
                        } else {
                            128
                        }
                    }
                    None => continue,
                    Some(b) => {
                        if b > 128 {
                            b
                        } else if open {
                            continue;
                        } else {
                            b
                        }
                    }
                };
                let d = if code > 128 {
                    2 * (255 - code as u32) + 1
                } else if code < 128 {
                    2 * code as u32
                } else {
                    0
                };
                if d <= level && code != 128 {
                    changes.push((s, cell, code));
                }
            }
        }
        quiet = if changes.is_empty() { quiet + 1 } else { 0 };
        for (s, c, v) in changes {
            val[s][c as usize] = v;
            known[s][c as usize] = true;
        }
        level += 1;
        if quiet > 3 && level > 60 {
            break;
        }
    }
    Ok(Solved::from_codes(layout, val))
}
