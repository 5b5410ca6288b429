//! Fast verification of whole tables: 64 positions at a time, by moves forward only.
//!
//! Nothing of the solver takes part: no un-moves, no levels, no kernels, no exits prepared in advance; only the
//! numbering of cells is shared. Every cell is checked by what its moves lead to, the same way for mates, wins, draws
//! and losses (`moves`), out of the decoded files (`shelf`). Of each winner a file stores the lengths of his wins or of
//! the losses against him, so a table is gone through twice (`run`): first what has no length gets that of the best of
//! its moves, which shows its result, too; then draws and what has a length are compared with the best of their moves.
//!
//! A cell holds a *backed-up value*: its value as the side sees it that moves there, one ply more, in 16 bits, the
//! greater the better; 0 where it is no legal position. So the value of a position is the greatest backed-up value
//! among its successors, illegal moves fall out by themselves, and 0 means no move at all.

mod duplicates;
mod immediate_wins;
mod lanes;
mod moves;
mod promotions;
mod reading;
mod routes;
mod run;
mod shelf;
#[cfg(test)]
mod tests;
