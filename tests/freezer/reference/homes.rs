//! The restricted tables of the slow reference solver: all placements of labelled pieces, and where their moves lead.

use std::collections::{BTreeSet, HashMap};

use cozy_chess::{BitBoard, Board, BoardBuilder, Color, Move, Piece, Square};
use duchamp_chess::Role;
use duchamp_proofs::freezer::Rules;

/// A piece of a restricted table: what it is, where it may stand, which piece of the start it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Man {
    pub(crate) color: Color,
    pub(crate) piece: Piece,
    pub(crate) allowed: u64,
    pub(crate) rule: Option<usize>,
}

/// The squares of the men of a box, in its order, and who moves.
pub(crate) type Key = (Vec<u8>, Color);

/// A value as the side to move sees it, with plies; nothing: drawn.
pub(crate) type Value = Option<(bool, u16)>;

/// How a move leaves a restricted table (an exit).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Material { man: usize, taken: Option<usize> },
    Square(usize),
    Passed,
}

/// What is known of a labelled placement.
pub(crate) struct Placed {
    pub(crate) board: Board,
    pub(crate) squares: Vec<u8>,
    pub(crate) inside: Vec<u32>,
    pub(crate) exits: Vec<(Move, Board, Way)>,
    pub(crate) worth: Vec<i8>,
    pub(crate) value: Value,
}

/// A restricted table: all placements of its pieces.
pub(crate) struct Home {
    pub(crate) men: Vec<Man>,
    pub(crate) depth: u32,
    pub(crate) starts: BTreeSet<Vec<u8>>,
    /// By man, where it can stand at first and where it can get to from there, other men that move thought away.
    pub(crate) from: Vec<u64>,
    pub(crate) reach: Vec<u64>,
    /// Whether a double step of the unbound side's may have led to a structure.
    pub(crate) passed: HashMap<Vec<u8>, bool>,
    pub(crate) numbers: HashMap<Key, u32>,
    pub(crate) nodes: Vec<Placed>,
}

pub(crate) fn bound(rules: &Rules) -> Color {
    match rules.bound {
        duchamp_chess::Color::White => Color::White,
        duchamp_chess::Color::Black => Color::Black,
    }
}

pub(crate) fn piece_of(role: Role) -> Piece {
    match role {
        Role::Pawn => Piece::Pawn,
        Role::Knight => Piece::Knight,
        Role::Bishop => Piece::Bishop,
        Role::Rook => Piece::Rook,
        Role::Queen => Piece::Queen,
        Role::King => Piece::King,
    }
}

pub(crate) fn color_of(color: duchamp_chess::Color) -> Color {
    match color {
        duchamp_chess::Color::White => Color::White,
        duchamp_chess::Color::Black => Color::Black,
    }
}

pub(crate) fn has(set: u64, square: u8) -> bool {
    set >> square & 1 != 0
}

/// One rank forward, in squares.
pub(crate) fn ahead(color: Color) -> i32 {
    if color == Color::White { 8 } else { -8 }
}

/// Ranks from the pawn's own first.
pub(crate) fn rank(color: Color, square: u8) -> u8 {
    if color == Color::White {
        square / 8
    } else {
        7 - square / 8
    }
}

impl Home {
    /// All structures that pawn moves lead to, the pieces put aside.
    pub(crate) fn find_structures(&mut self, rules: &Rules) {
        let pawns: Vec<Man> = self.pawns().collect();
        let mut waiting: Vec<Vec<u8>> = self.starts.iter().cloned().collect();
        for start in &waiting {
            self.passed.insert(start.clone(), false);
        }
        while let Some(from) = waiting.pop() {
            for (i, pawn) in pawns.iter().enumerate() {
                let step = ahead(pawn.color);
                let one = (i32::from(from[i]) + step) as u8;
                if from.contains(&one) || rank(pawn.color, one) == 7 {
                    continue;
                }
                let mut targets = vec![(one, false)];
                let two = i32::from(one) + step;
                if rank(pawn.color, from[i]) == 1 && !from.contains(&(two as u8)) {
                    let beside = pawns.iter().zip(&from).any(|(other, &square)| {
                        other.color != pawn.color
                            && square / 8 == two as u8 / 8
                            && (square % 8).abs_diff(two as u8 % 8) == 1
                    });
                    if !(beside && pawn.color == bound(rules)) {
                        targets.push((two as u8, beside));
                    }
                }
                for (to, beside) in targets {
                    if has(pawn.allowed, to) {
                        let mut next = from.clone();
                        next[i] = to;
                        let passed = self.passed.entry(next.clone()).or_insert_with(|| {
                            waiting.push(next);
                            false
                        });
                        *passed |= beside;
                    }
                }
            }
        }
    }

    /// Where each man can get to inside a box: past all men but the pawns that never move. Kings do not step into what
    /// those guard; in the start or right after a capture they may stand there.
    pub(crate) fn find_reach(&mut self, rules: &Rules) {
        let structures: Vec<Vec<u8>> = self.passed.keys().cloned().collect();
        let fixed: Vec<(Man, u8)> = self
            .pawns()
            .enumerate()
            .filter(|(i, _)| {
                structures
                    .iter()
                    .all(|other| other[*i] == structures[0][*i])
            })
            .map(|(i, man)| (man, structures[0][i]))
            .collect();
        let walls: u64 = fixed.iter().map(|(_, square)| 1 << square).sum();
        let mut pawn = 0;
        for (i, man) in self.men.iter().enumerate() {
            if man.piece == Piece::Pawn {
                self.reach[i] = structures
                    .iter()
                    .fold(0, |set, other| set | 1 << other[pawn]);
                pawn += 1;
                continue;
            }
            let mut squares = man.allowed & !walls;
            if man.piece == Piece::King && self.depth == 0 {
                let guards = fixed.iter().filter(|(pawn, _)| pawn.color != man.color);
                let guarded = guards.fold(0, |set, &(pawn, square)| {
                    set | cozy_chess::get_pawn_attacks(square_of(square), pawn.color).0
                });
                squares &= !guarded | rules.start.role(Role::King).0;
            }
            let mut reach = self.from[i] & squares;
            loop {
                let more = (0..64u8)
                    .filter(|&at| has(reach, at))
                    .fold(reach, |set, at| set | jumps(man.piece, at, walls) & squares);
                if more == reach {
                    break;
                }
                reach = more;
            }
            self.reach[i] = reach;
        }
    }

    /// All placements and their moves. `None` if there are more than `most`.
    pub(crate) fn enumerate(&mut self, rules: &Rules, most: usize) -> Option<()> {
        let mut structures: Vec<Vec<u8>> = self.passed.keys().cloned().collect();
        structures.sort();
        for structure in &structures {
            let mut squares = Vec::new();
            if !self.place(structure, &mut squares, most) {
                return None;
            }
        }
        for number in 0..self.nodes.len() {
            let board = self.nodes[number].board.clone();
            let squares = self.nodes[number].squares.clone();
            let mut moves = Vec::new();
            board.generate_moves(|list| {
                moves.extend(list);
                false
            });
            for mv in moves {
                self.follow(rules, number, &board, &squares, mv);
            }
        }
        Some(())
    }

    /// Puts the men that are left on all their squares.
    pub(crate) fn place(&mut self, structure: &[u8], squares: &mut Vec<u8>, most: usize) -> bool {
        if squares.len() == self.men.len() {
            for turn in [Color::White, Color::Black] {
                if let Some(board) = build(&self.men, squares, turn) {
                    let number = self.nodes.len() as u32;
                    self.numbers.insert((squares.clone(), turn), number);
                    self.nodes.push(Placed {
                        board,
                        squares: squares.clone(),
                        inside: Vec::new(),
                        exits: Vec::new(),
                        worth: Vec::new(),
                        value: None,
                    });
                }
            }
            return self.nodes.len() <= most;
        }
        let man = self.men[squares.len()];
        let men = &self.men[..squares.len()];
        let pawn = men.iter().filter(|man| man.piece == Piece::Pawn).count();
        let list: Vec<u8> = if man.piece == Piece::Pawn {
            vec![structure[pawn]]
        } else {
            let reach = self.reach[squares.len()];
            let free = |to: &u8| has(reach, *to) && !structure.contains(to);
            (0..64).filter(free).collect()
        };
        for square in list {
            if !squares.contains(&square) {
                squares.push(square);
                let fits = self.place(structure, squares, most);
                squares.pop();
                if !fits {
                    return false;
                }
            }
        }
        true
    }

    /// Notes where a move leads.
    pub(crate) fn follow(
        &mut self,
        rules: &Rules,
        number: usize,
        board: &Board,
        squares: &[u8],
        mv: Move,
    ) {
        let (from, to) = (mv.from as u8, mv.to as u8);
        let at = |square: u8| squares.iter().position(|&other| other == square);
        let man = at(from).expect("a man moves");
        let taken = at(to);
        let moved = self.men[man];
        let mut after = board.clone();
        after.play_unchecked(mv);
        let way = if taken.is_some() || mv.promotion.is_some() {
            Way::Material { man, taken }
        } else if !has(moved.allowed, to) {
            Way::Square(man)
        } else if moved.piece == Piece::Pawn
            && moved.color == bound(rules)
            && from.abs_diff(to) == 16
            && self.men.iter().zip(squares).any(|(other, &square)| {
                other.piece == Piece::Pawn
                    && other.color != moved.color
                    && square / 8 == to / 8
                    && (square % 8).abs_diff(to % 8) == 1
            })
        {
            Way::Passed
        } else {
            let mut squares = squares.to_vec();
            squares[man] = to;
            let next = self.numbers[&(squares, !board.side_to_move())];
            self.nodes[number].inside.push(next);
            return;
        };
        self.nodes[number].exits.push((mv, after, way));
    }

    pub(crate) fn pawns(&self) -> impl Iterator<Item = Man> {
        self.men
            .iter()
            .copied()
            .filter(|man| man.piece == Piece::Pawn)
    }

    pub(crate) fn structure(&self, squares: &[u8]) -> Vec<u8> {
        let men = self.men.iter().zip(squares);
        men.filter(|(man, _)| man.piece == Piece::Pawn)
            .map(|(_, &square)| square)
            .collect()
    }

    /// Every way in which the men of the box can be those of a board.
    pub(crate) fn label(&self, board: &Board, squares: &mut Vec<u8>, show: &mut impl FnMut(&Key)) {
        let Some(man) = self.men.get(squares.len()) else {
            if squares.len() == board.occupied().len() as usize {
                show(&(squares.clone(), board.side_to_move()));
            }
            return;
        };
        for square in board.colored_pieces(man.color, man.piece) {
            if has(man.allowed, square as u8) && !squares.contains(&(square as u8)) {
                squares.push(square as u8);
                self.label(board, squares, show);
                squares.pop();
            }
        }
    }

    /// The men, and the squares on which they can stand, to which a capture or promotion may lead; pieces in the way are
    /// thought away.
    pub(crate) fn children(&self, bound: Color) -> Vec<Vec<(Man, u64)>> {
        let mut children = Vec::new();
        for structure in self.passed.keys() {
            let mut squares = structure.iter();
            let place = |(&man, &reach): (&Man, &u64)| match man.piece {
                Piece::Pawn => (man, 1 << squares.next().expect("a square for each pawn")),
                _ => (man, reach),
            };
            let men: Vec<(Man, u64)> = self.men.iter().zip(&self.reach).map(place).collect();
            for taken in (0..men.len()).filter(|&i| men[i].0.piece != Piece::King) {
                self.taken(&men, structure, taken, bound, &mut children);
            }
            for (i, &(man, from)) in men.iter().enumerate() {
                if man.piece == Piece::Pawn && rank(man.color, from.trailing_zeros() as u8) == 6 {
                    let mut rest = men.clone();
                    rest.remove(i);
                    children
                        .extend(promoted(man, bound).map(|new| [rest.clone(), vec![new]].concat()));
                }
            }
        }
        children
    }

    /// What captures of one man lead to.
    fn taken(
        &self,
        men: &[(Man, u64)],
        structure: &[u8],
        taken: usize,
        bound: Color,
        children: &mut Vec<Vec<(Man, u64)>>,
    ) {
        let (victim, at) = men[taken];
        let pawn = |man: &Man| man.piece == Piece::Pawn;
        let without = |gone: usize| {
            let left = men.iter().enumerate();
            left.filter(move |(j, _)| *j != taken && *j != gone)
                .map(|(_, man)| *man)
        };
        // Any piece of the other side may have taken it.
        let taker = |(man, squares): (Man, u64)| {
            let took = man.color != victim.color && !pawn(&man);
            (
                man,
                if took {
                    squares | self.reach[taken]
                } else {
                    squares
                },
            )
        };
        children.push(without(taken).map(taker).collect());
        for (i, &(man, from)) in men.iter().enumerate() {
            if man.color == victim.color || !pawn(&man) {
                continue;
            }
            let from = from.trailing_zeros() as u8;
            for to in cozy_chess::get_pawn_attacks(square_of(from), man.color) {
                let to = to as u8;
                let passed = (i32::from(to) - ahead(man.color)) as u8;
                let there = if pawn(&victim) {
                    let passed = has(at, passed) && rank(victim.color, passed) == 3;
                    has(at, to) || passed && !structure.contains(&to)
                } else {
                    has(at, to) && !structure.contains(&to)
                };
                if there && rank(man.color, to) == 7 {
                    children
                        .extend(promoted(man, bound).map(|new| without(i).chain([new]).collect()));
                } else if there && has(man.allowed, to) {
                    let moved = [(man, 1 << to)];
                    children.push(without(i).map(taker).chain(moved).collect());
                }
            }
        }
    }

    /// Each placement: the board, its value, and each move with its value or the number it leads to.
    pub(crate) fn boards(&self) -> impl Iterator<Item = (&Board, Value)> {
        self.nodes.iter().map(|node| (&node.board, node.value))
    }

    /// Moves out of the box from a placement, with their worth for the bound side.
    pub(crate) fn exits(&self, number: usize) -> Vec<(Move, i8)> {
        let node = &self.nodes[number];
        let moves = node.exits.iter().map(|(mv, ..)| *mv);
        moves.zip(node.worth.iter().copied()).collect()
    }
}

/// What a pawn may become, and where; the bound side makes queens only.
pub(crate) fn promoted(pawn: Man, bound: Color) -> impl Iterator<Item = (Man, u64)> {
    let last = if pawn.color == Color::White {
        0xFF << 56
    } else {
        0xFF
    };
    let roles = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
    let queens = pawn.color == bound;
    let roles = roles.into_iter();
    let roles = roles.filter(move |&role| !queens || role == Piece::Queen);
    roles.map(move |piece| {
        let new = Man {
            piece,
            allowed: !0,
            rule: None,
            ..pawn
        };
        (new, last)
    })
}

/// Squares that a piece attacks.
pub(crate) fn jumps(piece: Piece, from: u8, walls: u64) -> u64 {
    let (from, walls) = (square_of(from), BitBoard(walls));
    let rook = cozy_chess::get_rook_moves(from, walls);
    let bishop = cozy_chess::get_bishop_moves(from, walls);
    match piece {
        Piece::Knight => cozy_chess::get_knight_moves(from).0,
        Piece::King => cozy_chess::get_king_moves(from).0,
        Piece::Rook => rook.0,
        Piece::Bishop => bishop.0,
        _ => (rook | bishop).0,
    }
}

pub(crate) fn square_of(square: u8) -> Square {
    Square::index(square.into())
}

/// The board of a placement, if it is legal.
pub(crate) fn build(men: &[Man], squares: &[u8], turn: Color) -> Option<Board> {
    // cozy-chess lets kings touch.
    let mut kings = men
        .iter()
        .zip(squares)
        .filter(|(man, _)| man.piece == Piece::King);
    let (Some((_, a)), Some((_, b))) = (kings.next(), kings.next()) else {
        return None;
    };
    if (a / 8).abs_diff(b / 8) <= 1 && (a % 8).abs_diff(b % 8) <= 1 {
        return None;
    }
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = turn;
    for (man, &square) in men.iter().zip(squares) {
        builder.board[usize::from(square)] = Some((man.piece, man.color));
    }
    builder.build().ok()
}
