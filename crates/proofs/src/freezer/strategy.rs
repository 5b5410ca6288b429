//! What to play: moves in order, and the tree of what the opponent may try against the strategy.

use super::exit_value::Origin;
use super::restricted::{KnownValue, Restricted};
use duchamp_base::Value;
use duchamp_chess::{Move, Position};
use std::collections::{HashMap, VecDeque};

/// A legal move and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Its value as its mover sees it.
    pub known: KnownValue,
}

impl Restricted {
    /// The legal moves of a position that lies in a restricted table, the best first; none elsewhere.
    ///
    /// Among equals the bound side prefers what ends matters without an assumption, its opponent what leaves the fewest
    /// good answers.
    #[must_use]
    pub fn choices(&self, position: &Position) -> Vec<Choice> {
        let ours = position.turn() == self.rules().bound;
        let mut choices: Vec<(i32, usize, Choice)> = self
            .valued_moves(position)
            .map(|choice| {
                let second = match choice.known.from {
                    _ if ours => plainness(choice.known.from),
                    Origin::Restricted(_) => self.answers(&position.play(choice.mv)),
                    from => usize::MAX - plainness(from),
                };
                (-choice.known.value.rank(), second, choice)
            })
            .collect();
        choices.sort_by_key(|&(rank, second, _)| (rank, second));
        choices.into_iter().map(|(_, _, choice)| choice).collect()
    }

    /// The legal moves with their values.
    fn valued_moves(&self, position: &Position) -> impl Iterator<Item = Choice> {
        let moves = position.legal_moves().into_iter();
        moves.filter_map(|mv| {
            let known = self.move_value(position, mv)?;
            Some(Choice { mv, known })
        })
    }

    /// How many moves are as good as the best, but for distances.
    pub(super) fn answers(&self, position: &Position) -> usize {
        let results = || {
            self.valued_moves(position)
                .map(|choice| choice.known.value.wdl())
        };
        let best = results().max();
        results().filter(|wdl| Some(*wdl) == best).count()
    }

    /// The tree of what may happen from a position: one move for the bound side, all moves for its opponent, the first
    /// the one that resists best. It has about `most` moves, and the answer to the last move of each line that is cut; what is nearer
    /// to the main line comes first.
    #[must_use]
    pub fn strategy(&self, start: &Position, most: usize) -> Strategy {
        let mut growing = Growing {
            frozen: self,
            most,
            seen: HashMap::new(),
            tree: Strategy {
                start: *start,
                nodes: vec![StrategyNode {
                    parent: None,
                    position: *start,
                    choice: None,
                    next: Vec::new(),
                    end: End::Cut,
                }],
                only: Vec::new(),
            },
        };
        growing.seen.insert(start.key(), 0);
        let mut lines = VecDeque::from([0]);
        while let Some(node) = lines.pop_front() {
            growing.follow(node, &mut lines);
        }
        growing.tree
    }
}

/// What matters for the bound side among moves of the same value: less is better.
fn plainness(from: Origin) -> usize {
    match from {
        Origin::Ended => 0,
        Origin::Table => 1,
        Origin::Restricted(number) => 2 + number,
        Origin::Rule(_) => usize::MAX - 1,
        Origin::Unknown => usize::MAX,
    }
}

/// Why a line of a strategy goes no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It does go on.
    Goes,
    /// The move leaves the restricted table; its [`KnownValue::from`] tells how.
    Left,
    /// The position is treated elsewhere in the tree, at this node.
    Again(usize),
    /// The tree was large enough.
    Cut,
}

/// A position of a strategy, with the move that led to it.
#[derive(Clone, Debug)]
pub struct StrategyNode {
    /// The node before it; none at the start.
    pub parent: Option<usize>,
    /// The position.
    pub position: Position,
    /// The move before it, valued as its mover sees it; none at the start.
    pub choice: Option<Choice>,
    /// The nodes of the moves that are looked at, the main one first.
    pub next: Vec<usize>,
    /// Whether it goes on.
    pub end: End,
}

/// What the bound side plays against everything, as far as the tree goes.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Where it begins.
    pub start: Position,
    /// The nodes, the start first.
    pub nodes: Vec<StrategyNode>,
    /// Nodes whose move was the bound side's only good one among several.
    pub only: Vec<usize>,
}

impl Strategy {
    /// Whether every move of the opponent's is answered to the end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.nodes.iter().all(|node| node.end != End::Cut)
    }
}

/// A strategy that is being made.
struct Growing<'a> {
    frozen: &'a Restricted,
    most: usize,
    /// Where each position is treated.
    seen: HashMap<u64, usize>,
    tree: Strategy,
}

impl Growing<'_> {
    /// Follows the main line from a node to its end; what the opponent could play instead is put into `lines`.
    fn follow(&mut self, mut node: usize, lines: &mut VecDeque<usize>) {
        while self.tree.nodes[node].end == End::Cut {
            let position = self.tree.nodes[node].position;
            let ours = position.turn() == self.frozen.rules().bound;
            if self.tree.nodes.len() >= self.most && !ours {
                // Where a line is cut the reader still knows what to play.
                return;
            }
            let mut choices = self.frozen.choices(&position);
            if ours {
                let only = choices.len() > 1 && self.frozen.answers(&position) == 1;
                choices = self.answer(&position, &choices).into_iter().collect();
                if only {
                    self.tree.only.push(self.tree.nodes.len());
                }
            }
            self.tree.nodes[node].end = match choices.is_empty() {
                true => End::Left,
                false => End::Goes,
            };
            let first = self.tree.nodes.len();
            for choice in choices {
                self.add(node, choice);
            }
            lines.extend(first + 1..self.tree.nodes.len());
            if first == self.tree.nodes.len() {
                return;
            }
            node = first;
        }
    }

    /// The bound side's move: among the best one that leads to what is treated already, if there is any.
    fn answer(&self, position: &Position, choices: &[Choice]) -> Option<Choice> {
        let best = choices.first()?;
        let same = choices.iter().filter(|choice| {
            choice.known.value == best.known.value
                && matches!(choice.known.from, Origin::Restricted(_))
        });
        let known = |choice: &&Choice| self.seen.contains_key(&position.play(choice.mv).key());
        let again = match best.known.from {
            Origin::Restricted(_) if best.known.value == Value::Draw => {
                same.copied().find(|c| known(&c))
            }
            _ => None,
        };
        Some(again.unwrap_or(*best))
    }

    fn add(&mut self, parent: usize, choice: Choice) {
        let number = self.tree.nodes.len();
        let position = self.tree.nodes[parent].position.play(choice.mv);
        let end = match choice.known.from {
            Origin::Restricted(_) => match self.seen.get(&position.key()) {
                Some(&other) => End::Again(other),
                None => {
                    self.seen.insert(position.key(), number);
                    End::Cut
                }
            },
            _ => End::Left,
        };
        self.tree.nodes.push(StrategyNode {
            parent: Some(parent),
            position,
            choice: Some(choice),
            next: Vec::new(),
            end,
        });
        self.tree.nodes[parent].next.push(number);
    }
}
