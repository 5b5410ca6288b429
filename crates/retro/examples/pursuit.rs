//! Solves a pursuit on a graph, a game with loops, with a [`Slice`] of its own.
//!
//! ```text
//! $ cargo run --release -p duchamp-retro --example pursuit
//! path of 9: the cop to move wins 72 of 72; longest win: 15 plies
//! circle of 9: the cop to move wins 18 of 72; longest win: 1 plies
//! 8 x 8 grid: the cop to move wins 224 of 4032; longest win: 1 plies
//! strip of 30: the cop to move wins 870 of 870; longest win: 29 plies
//! ```
//!
//! A cop and a robber stand on vertices and move in turn, along an edge or not at all. The cop wins when he steps on
//! the robber's vertex. He wins from everywhere if and only if removing corners, one after the other, leaves one
//! vertex; a corner is a vertex with a neighbour that is joined to all its other neighbours (R. Nowakowski and P.
//! Winkler, "Vertex-to-vertex pursuit in a graph", Discrete Mathematics 43, 1983). On a circle of four or more vertices
//! the robber runs for ever: such positions are drawn.
//!
//! First is the cop, Second the robber. A row is the cop's vertex, a bit of its only word the robber's. So one
//! operation moves 64 robbers at a time, and the cop's move is an `or` of words.

use duchamp_retro::{
    Bits, Control, Halt, Layer, Plies, RowSet, RowWords, Seed, Side, Slice, Value, Wide, laws,
    solve_in_memory,
};

/// A graph of at most 64 vertices.
struct Graph {
    /// By vertex, the set of its neighbours and itself.
    near: Vec<u64>,
}

impl Graph {
    fn new(vertices: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Graph {
        assert!((1..=64).contains(&vertices), "a vertex is a bit of a word");
        let mut near: Vec<u64> = (0..vertices).map(|vertex| 1 << vertex).collect();
        for (a, b) in edges {
            near[a] |= 1 << b;
            near[b] |= 1 << a;
        }
        Graph { near }
    }

    fn path(n: usize) -> Graph {
        Graph::new(n, (1..n).map(|i| (i - 1, i)))
    }

    fn circle(n: usize) -> Graph {
        Graph::new(n, (0..n).map(|i| (i, (i + 1) % n)))
    }

    fn grid(n: usize) -> Graph {
        let right = (0..n * n).filter(|i| i % n > 0).map(|i| (i - 1, i));
        let down = (n..n * n).map(|i| (i - n, i));
        Graph::new(n * n, right.chain(down))
    }

    /// A path whose vertices are also joined with the next but one: triangles in a row.
    fn strip(n: usize) -> Graph {
        let next = (1..n).map(|i| (i - 1, i));
        Graph::new(n, next.chain((2..n).map(|i| (i - 2, i))))
    }

    fn near(&self, set: u64) -> u64 {
        Bits(set).fold(0, |all, vertex| all | self.near[vertex])
    }

    /// The positions of a row that have a move of `mover` into a set, which `words` looks up by row.
    fn movers(&self, mover: Side, cop: usize, words: impl Fn(usize) -> u64) -> u64 {
        match mover {
            Side::First => Bits(self.near[cop]).fold(0, |set, to| set | words(to)),
            // The robber does not move once he is caught.
            Side::Second => self.near(words(cop)) & !(1 << cop),
        }
    }
}

impl Slice for Graph {
    type Cell = Wide;

    fn rows(&self) -> usize {
        self.near.len()
    }

    fn row_words(&self) -> usize {
        1
    }

    fn seed(&self, side: Side, cop: usize, seed: Seed<'_, Wide>) {
        let vertices = !0 >> (64 - self.near.len());
        let caught = 1 << cop;
        // It is the robber's turn when he has been caught, and he does not step on the cop's vertex himself.
        match side {
            Side::First => seed.legal[0] = vertices & !caught,
            Side::Second => {
                seed.legal[0] = vertices;
                seed.lost_if_stuck[0] = caught;
            }
        }
    }

    fn sources(&self, mover: Side, cop: usize, rows: &mut RowSet) {
        match mover {
            Side::First => Bits(self.near[cop]).for_each(|from| rows.add(from)),
            Side::Second => rows.add(cop),
        }
    }

    fn unmove(&self, mover: Side, cop: usize, to: &Layer, into: &mut RowWords) {
        into.add(0, self.movers(mover, cop, |row| to.word(row, 0)));
    }

    fn stuck(&self, mover: Side, cop: usize, candidates: &mut RowWords, open: &[u64]) {
        let (words, _) = candidates.parts();
        words[0] &= !self.movers(mover, cop, |row| open[row]);
    }
}

/// The longest chase that the robber cannot escape, and how many positions with the cop to move are wins, of how many.
fn chase(graph: &Graph) -> Result<(Plies, usize, usize), Halt> {
    laws::check(graph, 1_000, 1).expect("a graph obeys the laws");
    let solution = solve_in_memory(graph, &Control::new(1))?;
    let positions = (0..graph.rows() * 64).filter_map(|p| solution.value(Side::First, p));
    let (mut longest, mut wins, mut all) = (Plies(0), 0, 0);
    for value in positions {
        all += 1;
        if let Value::Win(plies) = value {
            longest = longest.max(plies);
            wins += 1;
        }
    }
    Ok((longest, wins, all))
}

fn main() -> Result<(), Halt> {
    let graphs = [
        ("path of 9", Graph::path(9)),
        ("circle of 9", Graph::circle(9)),
        ("8 x 8 grid", Graph::grid(8)),
        ("strip of 30", Graph::strip(30)),
    ];
    for (name, graph) in &graphs {
        let (Plies(longest), wins, all) = chase(graph)?;
        println!("{name}: the cop to move wins {wins} of {all}; longest win: {longest} plies");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cop_wins_where_corners_can_be_taken_away() {
        let won = |graph: &Graph| {
            let (_, wins, all) = chase(graph).expect("not cancelled");
            wins == all
        };
        assert!(won(&Graph::path(64)) && won(&Graph::strip(20)) && won(&Graph::circle(3)));
        assert!(!won(&Graph::circle(4)) && !won(&Graph::grid(2)) && !won(&Graph::grid(5)));
    }

    #[test]
    fn on_a_path_the_cop_walks_to_the_other_end() {
        // The robber waits at the end: nine vertices are eight steps, and a reply to each but the last.
        assert_eq!(chase(&Graph::path(9)).expect("solved").0, Plies(15));
    }

    #[test]
    fn on_a_circle_only_neighbours_are_caught() {
        let (longest, wins, all) = chase(&Graph::circle(9)).expect("solved");
        assert_eq!((longest, wins, all), (Plies(1), 18, 72));
    }
}
