//! Proofs about pawn endings against tables, positions with known results and a slow judge.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use duchamp::base::{Value, Wdl};
use duchamp::chess::{Color, Oracle, Position};
use duchamp::pawns::{Budget, Prover, Verdict};
use duchamp::tablebase::Tables;

/// Tables of up to so many men.
struct Limited(Arc<Tables>, u32);

impl Oracle for Limited {
    fn max_men(&self) -> u32 {
        self.1.min(Oracle::max_men(&*self.0))
    }
    fn wdl(&self, position: &Position) -> Option<Wdl> {
        if position.occupied().count() <= self.1 { self.0.wdl(position) } else { None }
    }
    fn dtm(&self, position: &Position) -> Option<Value> {
        if position.occupied().count() <= self.1 { self.0.dtm(position) } else { None }
    }
}

#[test]
fn suite() {
    let tables = Tables::open(Path::new("/work/pt"));
    let men: u32 = std::env::var("MEN").map_or(4, |m| m.parse().unwrap());
    let secs: f64 = std::env::var("SECS").map_or(1.0, |m| m.parse().unwrap());
    let text = std::fs::read_to_string("/work/shared/facts/pawn_endings.csv").unwrap();
    for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let position = Position::from_fen(f[0]).unwrap();
        let me = position.turn();
        let mut out = String::new();
        for attacker in [me, !me] {
            let mut prover = Prover::new(Arc::new(Limited(tables.clone(), men)));
            let start = Instant::now();
            let budget = Budget { structures: 200_000, time: Some(Duration::from_secs_f64(secs)) };
            let v = prover.prove(&position, attacker, budget);
            out += &format!("{:?} n={} {:.0}ms; ", v, prover.structures(), start.elapsed().as_secs_f64()*1e3);
        }
        println!("{:60} {:5} {:22} {:6}| {}", f[0], f[2], f[6], f[9], out);
    }
}

#[test]
fn small_against_tables() {
    let tables = Tables::open(Path::new("/work/pt"));
    let mut rng = 12345u64;
    let mut next = move || { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; rng };
    let mut stats = [[0u32; 3]; 3];
    let men: u32 = std::env::var("MEN").map_or(3, |m| m.parse().unwrap());
    let mut provers = [Prover::new(Arc::new(Limited(tables.clone(), men))), Prover::new(Arc::new(Limited(tables.clone(), men)))];
    let start = Instant::now();
    for _ in 0..3000 {
        let mut squares = std::collections::BTreeMap::new();
        for (c, pawn) in [('K', false), ('k', false), ('P', true), (if next() % 2 == 0 { 'P' } else { 'p' }, true)] {
            loop {
                let s = (next() % 64) as usize;
                if pawn && (s < 8 || s >= 56) || squares.contains_key(&s) { continue }
                squares.insert(s, c);
                break;
            }
        }
        let mut fen = String::new();
        for r in (0..8).rev() {
            let mut empty = 0;
            for f in 0..8 {
                match squares.get(&(r * 8 + f)) {
                    Some(c) => { if empty > 0 { fen += &empty.to_string(); empty = 0 } fen.push(*c) }
                    None => empty += 1,
                }
            }
            if empty > 0 { fen += &empty.to_string() }
            if r > 0 { fen.push('/') }
        }
        fen += if next() % 2 == 0 { " w - - 0 1" } else { " b - - 0 1" };
        let Ok(position) = Position::from_fen(&fen) else { continue };
        let truth = tables.wdl(&position).unwrap();
        for attacker in [Color::White, Color::Black] {
            let seen = if attacker == position.turn() { truth } else { -truth };
            let verdict = provers[attacker as usize].prove(&position, attacker, Budget { structures: 1_000_000, time: Some(Duration::from_millis(20)) }).unwrap();
            let v = match verdict { Verdict::Won(_) => 0, Verdict::NotWon => 1, Verdict::Open => 2 };
            stats[v][if seen == Wdl::Win { 0 } else { 1 }] += 1;
            match verdict {
                Verdict::Won(_) => assert_eq!(seen, Wdl::Win, "{fen} {attacker:?}"),
                Verdict::NotWon => assert_ne!(seen, Wdl::Win, "{fen} {attacker:?}"),
                Verdict::Open => {}
            }
        }
    }
    println!("won {:?} notwon {:?} open {:?} (columns: truly won, not) {} structures {:?}", stats[0], stats[1], stats[2], provers[0].structures() + provers[1].structures(), start.elapsed());
}
