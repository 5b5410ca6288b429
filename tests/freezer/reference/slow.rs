//! What rules say, worked out slowly: cozy-chess's moves, a table of all placements of labelled pieces, and rounds over all
//! of them until nothing changes. Shares no code with the freezer but the rules as data.
//!
//! Verdicts are numbers as the bound side sees them: 1 won, 0 drawn, -1 lost.

use std::collections::{BTreeSet, HashMap};

use super::homes::{Home, Man, Value, Way, bound, color_of, has, piece_of};
use cozy_chess::{Board, Color, GameStatus, Move, Piece, Square};
use duchamp_base::Wdl;
use duchamp_chess::{Faults, Oracle, Position, Setup};
use duchamp_proofs::freezer::{Rules, Ruling, Taken, Verdict};

/// How often things came up.
#[derive(Default, Debug)]
pub(crate) struct Seen(pub(crate) HashMap<&'static str, u64>);

impl Seen {
    fn note(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

/// Rules, solved slowly.
pub(crate) struct Slow<'a> {
    rules: &'a Rules,
    oracle: &'a dyn Oracle,
    pub(crate) homes: Vec<Home>,
    pub(crate) seen: Seen,
}

/// The same position for the freezer.
pub(crate) fn position(board: &Board) -> Position {
    // Three men may give check.
    let setup: Setup = board.to_string().parse().expect("a FEN");
    Position::from_setup_forgiving(&setup, Faults::FORGIVABLE).expect("a legal position")
}

impl<'a> Slow<'a> {
    /// Solves rules; `None` if that takes more than so many placements.
    pub(crate) fn solve(rules: &'a Rules, oracle: &'a dyn Oracle, most: usize) -> Option<Slow<'a>> {
        let mut slow = Slow {
            rules,
            oracle,
            homes: Vec::new(),
            seen: Seen::default(),
        };
        let men = rules.men.iter().enumerate().map(|(i, man)| Man {
            color: color_of(man.piece.color),
            piece: piece_of(man.piece.role),
            allowed: man.allowed.0,
            rule: Some(i),
        });
        let mut open: Vec<Home> = Vec::new();
        let squares = rules.men.iter().map(|man| 1 << man.square.index());
        let mut men: Vec<(Man, u64)> = men.zip(squares).collect();
        let bishops = |man: &mut (Man, u64)| {
            if man.0.piece == Piece::Bishop {
                let dark = |square: u32| (square / 8 + square % 8).is_multiple_of(2);
                let alike = (0..64).filter(|&to| dark(to) == dark(man.1.trailing_zeros()));
                man.0.allowed &= alike.map(|to| 1 << to).sum::<u64>();
            }
        };
        men.iter_mut().for_each(bishops);
        slow.add(&mut open, &men, 0);
        let mut left = most;
        while let Some(at) = (0..open.len()).max_by_key(|&i| {
            let pawns = open[i].men.iter().filter(|man| man.piece == Piece::Pawn);
            (open[i].men.len(), pawns.count())
        }) {
            let mut home = open.swap_remove(at);
            home.find_structures(rules);
            home.find_reach(rules);
            home.enumerate(rules, left)?;
            left = left.checked_sub(home.nodes.len())?;
            if home.depth < rules.chain {
                for men in home.children(super::homes::bound(rules)) {
                    if men.len() > rules.tables.max_men as usize {
                        slow.add(&mut open, &men, home.depth + 1);
                    }
                }
            }
            slow.homes.push(home);
        }
        slow.homes.reverse();
        for i in 0..slow.homes.len() {
            slow.evaluate_exits(i);
            slow.rounds(i);
        }
        Some(slow)
    }

    /// Notes that a box is reached with these men on these squares: one for a pawn, all that are possible for a piece.
    fn add(&self, open: &mut Vec<Home>, men: &[(Man, u64)], depth: u32) {
        let mut men = men.to_vec();
        men.sort_by_key(|(man, _)| (man.color as u8, man.piece as u8, man.allowed, man.rule));
        let structure: Vec<u8> = men
            .iter()
            .filter(|(man, _)| man.piece == Piece::Pawn)
            .map(|&(_, square)| square.trailing_zeros() as u8)
            .collect();
        let (men, from): (Vec<Man>, Vec<u64>) = men.into_iter().unzip();
        match open.iter_mut().find(|home| home.men == men) {
            Some(home) => {
                home.depth = home.depth.min(depth);
                home.starts.insert(structure);
                for (old, new) in home.from.iter_mut().zip(from) {
                    *old |= new;
                }
            }
            None => open.push(Home {
                reach: vec![0; men.len()],
                men,
                depth,
                starts: BTreeSet::from([structure]),
                from,
                passed: HashMap::new(),
                numbers: HashMap::new(),
                nodes: Vec::new(),
            }),
        }
    }

    /// The values of all moves out of a box.
    fn evaluate_exits(&mut self, at: usize) {
        for number in 0..self.homes[at].nodes.len() {
            let exits = std::mem::take(&mut self.homes[at].nodes[number].exits);
            let worth = exits
                .iter()
                .map(|(mv, after, way)| self.exit(at, *mv, after, *way));
            let worth = worth.collect();
            let node = &mut self.homes[at].nodes[number];
            (node.exits, node.worth) = (exits, worth);
        }
    }

    /// What a move out of a box is worth.
    fn exit(&mut self, at: usize, mv: Move, after: &Board, way: Way) -> i8 {
        if let Some(over) = self.over(after) {
            return over;
        }
        let men = |man: usize| self.homes[at].men[man];
        match way {
            Way::Passed => {
                self.seen.note("double step that could be passed");
                -1
            }
            Way::Square(man) => {
                let ruling = self.outside(men(man), mv.to as u8);
                self.checked(ruling, after)
            }
            Way::Material { man, taken } => {
                let (man, taken) = (men(man), taken.map(men));
                if let Some(known) = self.known(after) {
                    return known;
                }
                let ruling = if let Some(to) = mv.promotion {
                    self.promoted(man, to, mv, after)
                } else if has(man.allowed, mv.to as u8) {
                    self.captured(taken.expect("nothing else is left"), mv, after)
                } else {
                    self.outside(man, mv.to as u8)
                };
                let ruled = self.checked(ruling, after);
                ruled.max(self.answer(after))
            }
        }
    }

    /// Mate, stalemate, too little material.
    fn over(&self, board: &Board) -> Option<i8> {
        match board.status() {
            GameStatus::Won if board.side_to_move() == bound(self.rules) => return Some(-1),
            GameStatus::Won => return Some(1),
            GameStatus::Drawn => return Some(0),
            GameStatus::Ongoing => {}
        }
        let strong = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook);
        if !(strong | board.pieces(Piece::Queen)).is_empty() {
            return None;
        }
        let squares: Vec<Square> = board.pieces(Piece::Bishop).into_iter().collect();
        let colors: BTreeSet<u8> = squares
            .iter()
            .map(|&square| (square as u8 / 8 + square as u8 % 8) % 2)
            .collect();
        let knights = board.pieces(Piece::Knight).len();
        let dead = match (knights, squares.len()) {
            (0, _) => colors.len() <= 1,
            (1, 0) => true,
            _ => false,
        };
        dead.then_some(0)
    }

    /// What a table says, as a lower bound.
    fn table(&self, board: &Board) -> Option<i8> {
        let wdl = self.oracle.wdl(&position(board))?;
        let ours = board.side_to_move() == bound(self.rules);
        Some(match (wdl, ours) {
            (Wdl::Win, true) | (Wdl::Loss, false) => 1,
            (Wdl::Loss | Wdl::BlessedLoss, true) | (Wdl::Win | Wdl::CursedWin, false) => -1,
            _ => 0,
        })
    }

    /// What tables or smaller boxes say.
    fn known(&mut self, board: &Board) -> Option<i8> {
        if board.occupied().len() <= self.rules.tables.max_men
            && let Some(table) = self.table(board)
        {
            self.seen.note("table");
            return Some(table);
        }
        let values = self.values(board);
        let ours = board.side_to_move() == bound(self.rules);
        let best = values.into_iter().map(|value| match value {
            None => 0,
            // Later it may come too late for the 50-move rule.
            Some((won, plies)) if won == ours => i8::from(plies <= 100),
            Some(_) => -1,
        });
        let best = best.max();
        if best.is_some() {
            self.seen.note("smaller box");
        }
        best
    }

    /// The values of all labellings of a board in all boxes that are solved.
    pub(crate) fn values(&self, board: &Board) -> Vec<Value> {
        let mut values = Vec::new();
        for home in &self.homes {
            if home.men.len() == board.occupied().len() as usize {
                home.label(board, &mut Vec::new(), &mut |key| {
                    if let Some(&number) = home.numbers.get(key) {
                        values.push(home.nodes[number as usize].value);
                    }
                });
            }
        }
        values
    }

    fn sign(&self, verdict: Verdict) -> i8 {
        let white = match verdict {
            Verdict::Win => 1,
            Verdict::Draw => 0,
            Verdict::Loss => -1,
        };
        if bound(self.rules) == Color::White {
            white
        } else {
            -white
        }
    }

    /// A rule's verdict, which gives way to a table that says less; no rule: lost.
    fn checked(&mut self, verdict: Option<Verdict>, after: &Board) -> i8 {
        let Some(verdict) = verdict else { return -1 };
        let verdict = self.sign(verdict);
        match self.table(after) {
            Some(table) if table < verdict => {
                self.seen.note("contradicted assumption");
                table
            }
            _ => verdict,
        }
    }

    fn outside(&mut self, man: Man, to: u8) -> Option<Verdict> {
        let rule = &self.rules.men[man.rule?];
        let named = rule.outside.iter().find(|out| has(out.squares.0, to))?;
        self.seen.note("outside rule");
        let Ruling { verdict, rule } = named.ruling;
        rule.map(|_| verdict)
    }

    fn promoted(&mut self, man: Man, to: Piece, mv: Move, after: &Board) -> Option<Verdict> {
        let rules = self.rules;
        let rule = rules.promotions.iter().find(|rule| {
            color_of(rule.color) == man.color
                && has(rule.squares.0, mv.to as u8)
                && rule.roles.iter().any(|&role| piece_of(role) == to)
        })?;
        self.seen.note("promotion rule");
        if takers(after, mv.to).is_empty() {
            Some(rule.verdict)
        } else {
            self.seen.note("promoted man can be taken");
            Some(rule.taken)
        }
    }

    fn captured(&mut self, taken: Man, mv: Move, after: &Board) -> Option<Verdict> {
        let rules = self.rules;
        let rule = rules.captures.iter().find(|rule| {
            has(rule.squares.0, mv.to as u8)
                && rule.taken.iter().any(|kind| match *kind {
                    Taken::Kind(piece) => {
                        color_of(piece.color) == taken.color && piece_of(piece.role) == taken.piece
                    }
                    Taken::Man(square) => taken.rule.is_some_and(|i| rules.men[i].square == square),
                })
        })?;
        let again = takers(after, mv.to);
        if again.is_empty() {
            self.seen.note("capture rule");
            Some(rule.verdict)
        } else if again.iter().any(|board| takers(board, mv.to).is_empty()) {
            self.seen.note("recapture");
            Some(rule.recapture)
        } else {
            self.seen.note("second recapture");
            Some(rule.second)
        }
    }

    /// The best that the bound side's captures and promotions lead to, if it is to move.
    fn answer(&mut self, after: &Board) -> i8 {
        if after.side_to_move() != bound(self.rules) {
            return -1;
        }
        let mut best = -1;
        for board in noisy(after) {
            let worth = self.over(&board).or_else(|| self.known(&board));
            best = best.max(worth.unwrap_or(-1));
        }
        if best > -1 {
            self.seen.note("answer");
        }
        best
    }

    /// Goes over all placements until no value changes.
    fn rounds(&mut self, at: usize) {
        let bound = bound(self.rules);
        let home = &mut self.homes[at];
        for round in 0..=u16::MAX {
            let mut changed = false;
            for number in 0..home.nodes.len() {
                let node = &home.nodes[number];
                if node.value.is_some() {
                    continue;
                }
                let turn = node.board.side_to_move();
                let sign = if turn == bound { 1 } else { -1 };
                let next = node
                    .inside
                    .iter()
                    .map(|&next| home.nodes[next as usize].value);
                let won = round == 1 && node.worth.contains(&sign)
                    || next
                        .clone()
                        .any(|value| value.is_some_and(|(won, plies)| !won && plies + 1 == round));
                let stuck = node.inside.is_empty() && node.exits.is_empty();
                let lost = if stuck {
                    let passed = home.passed[&home.structure(&node.squares)] && turn == bound;
                    if passed && round == 0 && node.board.checkers().is_empty() {
                        self.seen.note("stalemate after a double step");
                    }
                    passed || !node.board.checkers().is_empty()
                } else {
                    round > 0
                        && node.worth.iter().all(|&worth| worth == -sign)
                        && next
                            .clone()
                            .all(|value| value.is_some_and(|(won, plies)| won && plies < round))
                };
                if won || lost {
                    home.nodes[number].value = Some((won, round));
                    changed = true;
                }
            }
            if !changed && round > 0 {
                return;
            }
        }
    }
}

/// The boards after each legal capture or promotion.
fn noisy(board: &Board) -> Vec<Board> {
    let mut boards = Vec::new();
    board.generate_moves(|moves| {
        for mv in moves {
            let enemies = board.colors(!board.side_to_move());
            let passing = moves.piece == Piece::Pawn && mv.from.file() != mv.to.file();
            if enemies.has(mv.to) || mv.promotion.is_some() || passing {
                let mut after = board.clone();
                after.play_unchecked(mv);
                boards.push(after);
            }
        }
        false
    });
    boards
}

/// The boards after each legal capture on a square.
fn takers(board: &Board, square: Square) -> Vec<Board> {
    let mut boards = Vec::new();
    board.generate_moves(|moves| {
        for mv in moves {
            if mv.to == square && board.colors(!board.side_to_move()).has(square) {
                let mut after = board.clone();
                after.play_unchecked(mv);
                boards.push(after);
            }
        }
        false
    });
    boards
}
