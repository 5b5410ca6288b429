use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::Instant;

use duchamp_base::Control;
use duchamp_tablebase::{Metric, Solved, SubTables, View, solve_distances, trivial};

use super::super::file::SyzygyKind;
use super::values::TableValues;
use crate::game::Chess;
use crate::layout::Layout;
use crate::machinery::solve;
use crate::material::Material;

struct Map(BTreeMap<Material, Arc<Solved<Layout>>>);
impl SubTables<Layout> for Map {
    fn get(&self, key: Material) -> Option<Arc<Solved<Layout>>> {
        self.0.get(&key).cloned()
    }
}

/// All tables that a material depends on, the smaller ones first.
fn all_below(material: Material) -> Vec<Material> {
    let mut all = material.children();
    let mut at = 0;
    while at < all.len() {
        for child in all[at].children() {
            if !all.contains(&child) {
                all.push(child);
            }
        }
        at += 1;
    }
    all.sort_by_key(|child| (child.men(), child.pawns()));
    all
}

#[test]
fn sizes() {
    let control = Control::new(2);
    let names =
        std::env::var("SYZ").unwrap_or("KQvK KRvK KPvK KBNvK KQvKR KRvKP KPvKP KPPvK KBBvK".into());
    let out = std::env::var("SYZOUT").unwrap_or("/tmp/syz".into());
    fs::create_dir_all(&out).unwrap();
    let mut below = Map(BTreeMap::new());
    let mut sums = [[0u64; 2]; 2];
    for name in names.split(' ') {
        let material: Material = name.parse().unwrap();
        let t = Instant::now();
        for child in all_below(material).into_iter().chain([material]) {
            if below.0.contains_key(&child) {
                continue;
            }
            let table = Arc::new(solve(child, &below, &control).unwrap());
            solve_distances::<Chess>(Metric::Dtz, &table, &below, &control, &mut |_, _| {})
                .unwrap();
            below.0.insert(child, table);
        }
        let solved = below.get(material).unwrap();
        let t1 = t.elapsed();
        let layout = Arc::clone(solved.index());
        let mut values = TableValues::new(&layout);
        let mut at = [0usize; 2];
        let t = Instant::now();
        solve_distances::<Chess>(Metric::Dtz, &solved, &below, &control, &mut |side, part| {
            values.take(side.index(), at[side.index()], part).unwrap();
            at[side.index()] += part.cells.len();
        })
        .unwrap();
        let t2 = t.elapsed();
        let t = Instant::now();
        let tables: Vec<_> = all_below(material)
            .into_iter()
            .map(|m| (m, below.get(m).unwrap()))
            .chain([(Material::BARE, Arc::new(trivial::<Chess>(Material::BARE)))])
            .collect();
        let sub = |m: Material| {
            tables
                .iter()
                .find(|(k, _)| *k == m)
                .map(|(_, t)| View::of(t))
        };
        values.finish(&solved, &sub, &control).unwrap();
        let t3 = t.elapsed();
        for kind in SyzygyKind::ALL {
            let t = Instant::now();
            let bytes = super::table::file(kind, &layout, &values, &control).unwrap();
            let mut bytes2 = bytes.clone();
            bytes2.extend([0; 16]);
            fs::write(format!("{out}/{name}.{}", kind.extension()), &bytes2).unwrap();
            let reference = fs::metadata(format!(
                "{}/{name}.{}",
                std::env::var("SYZREF").unwrap_or("/work/shared/syzygy34".into()),
                kind.extension()
            ))
            .map_or(0, |m| m.len());
            println!(
                "{name}.{} {} reference {reference} {:.3} solve {t1:?} dtz {t2:?} values {t3:?} file {:?}",
                kind.extension(),
                bytes2.len(),
                bytes2.len() as f64 / reference as f64,
                t.elapsed()
            );
            sums[kind as usize][0] += bytes2.len() as u64;
            sums[kind as usize][1] += reference;
        }
    }
    println!(
        "TOTAL wdl {:.4} dtz {:.4} {sums:?}",
        sums[0][0] as f64 / sums[0][1] as f64,
        sums[1][0] as f64 / sums[1][1] as f64
    );
}
