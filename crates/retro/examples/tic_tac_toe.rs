//! Solves tic-tac-toe from lists of moves.
//!
//! ```text
//! $ cargo run --release -p duchamp-retro --example tic_tac_toe
//! empty board, X to move: Some(Draw)
//! X to move: 1830 wins, 441 draws, 468 losses
//! O to move: 1006 wins, 627 draws, 1106 losses
//! X in a corner, O beside it: Some(Win(Plies(5)))
//! ```
//!
//! First is X, Second is O. A position is the number that its nine squares make in base 3 (0 empty, 1 X, 2 O). An ended
//! game is a position, too: the side to move has lost if the opponent has three in a row, and the game is drawn if the
//! board is full. Tic-tac-toe has no loops, since each move fills a square; `pursuit` solves a game that has.

use duchamp_retro::lists::{ListedPosition, Lists};
use duchamp_retro::{Code, Control, Halt, Side, Solution, Value, solve_in_memory};

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

type Board = [u8; 9];

fn mark(side: Side) -> u8 {
    1 + side.index() as u8
}

fn board(number: usize) -> Board {
    let mut rest = number;
    std::array::from_fn(|_| {
        let square = (rest % 3) as u8;
        rest /= 3;
        square
    })
}

fn number(board: &Board) -> usize {
    board
        .iter()
        .rev()
        .fold(0, |number, &square| 3 * number + usize::from(square))
}

fn has_line(board: &Board, side: Side) -> bool {
    LINES
        .iter()
        .any(|line| line.iter().all(|&square| board[square] == mark(side)))
}

/// The position with a number and `side` to move, with its moves.
fn node(number_of_board: usize, side: Side) -> ListedPosition<Code> {
    let board = board(number_of_board);
    let count = |side| board.iter().filter(|&&square| square == mark(side)).count();
    let in_turn = count(Side::First) == count(Side::Second) + side.index();
    if !in_turn || has_line(&board, side) {
        return ListedPosition::VOID;
    }
    let lost = has_line(&board, side.other());
    let free = (0..9).filter(|&square| board[square] == 0 && !lost);
    let after = free.map(|square| {
        let mut after = board;
        after[square] = mark(side);
        number(&after) as u32
    });
    ListedPosition {
        lost_if_stuck: lost,
        moves: after.collect(),
        ..ListedPosition::LEGAL
    }
}

fn solve() -> Result<Solution<Code>, Halt> {
    let nodes = Side::ALL.map(|side| (0..3usize.pow(9)).map(|n| node(n, side)).collect());
    solve_in_memory(&Lists::new(nodes), &Control::new(1))
}

/// How many positions are won, drawn and lost for `side` to move.
fn counts(solution: &Solution<Code>, side: Side) -> [usize; 3] {
    let mut counts = [0; 3];
    for value in (0..3usize.pow(9)).filter_map(|number| solution.value(side, number)) {
        counts[match value {
            Value::Win(_) => 0,
            Value::Draw => 1,
            Value::Loss(_) => 2,
        }] += 1;
    }
    counts
}

fn main() -> Result<(), Halt> {
    let solution = solve()?;
    println!(
        "empty board, X to move: {:?}",
        solution.value(Side::First, 0)
    );
    for side in Side::ALL {
        let [wins, draws, losses] = counts(&solution, side);
        let name = if side == Side::First { 'X' } else { 'O' };
        println!("{name} to move: {wins} wins, {draws} draws, {losses} losses");
    }
    let value = solution.value(Side::First, number(&[1, 2, 0, 0, 0, 0, 0, 0, 0]));
    println!("X in a corner, O beside it: {value:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use duchamp_retro::Plies;

    #[test]
    fn tic_tac_toe_is_drawn() {
        let solution = solve().expect("not cancelled");
        assert_eq!(solution.value(Side::First, 0), Some(Value::Draw));
        // The known number of positions that can be reached.
        let all = Side::ALL.map(|side| counts(&solution, side).iter().sum::<usize>());
        assert_eq!(all.iter().sum::<usize>(), 5_478);
        let value = solution.value(Side::First, number(&[1, 2, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(value, Some(Value::Win(Plies(5))));
    }
}
