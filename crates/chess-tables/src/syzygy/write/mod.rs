//! Writing Syzygy files of tables that are solved to zeroing.
//!
//! `values` says what each position may have stored, `orders` chooses how positions follow one another, `places` reads
//! them in that order (`arranged` copies cells so that they lie in it), `runs` takes what need not be stored as what stands
//! beside it, `pairing` learns what `rules` apply, `coding` makes bits of it, `table` puts files together.

mod arranged;
mod coding;
mod counter;
mod export;
mod orders;
mod pairing;
mod places;
mod rules;
mod runs;
mod table;
mod values;

pub use export::SyzygyExporter;

#[cfg(test)]
mod tests;
