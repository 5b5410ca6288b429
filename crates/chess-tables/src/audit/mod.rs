//! Fast verification of whole tables: 64 positions at a time, by moves forward only.
//!
//! Nothing of the solver takes part: no un-moves, no levels, no kernels, no exits prepared in advance; only the
//! numbering of cells is shared. Every cell is checked by what its moves lead to, the same way for mates, wins, draws
//! and losses (`moves`), out of the decoded files (`shelf`). Files store wins with their length and losses
//! without, so a table is gone through twice (`run`): first each loss gets its length, the longest among
//! the wins that its moves lead to, which shows that all of them lose; then wins and draws are compared with the
//! best of their moves.
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
