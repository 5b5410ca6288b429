//! A list of positions as it is kept, and the part of it that is asked for.

use super::reply::Refusal;
use super::request::Request;
use duchamp_base::Plies;
use std::collections::BTreeMap;

/// The most positions of a page.
const PAGE: u64 = 500;
/// Of a list so many positions are kept and can be seen; all are counted.
const MOST: usize = 100_000;

/// Positions of a table that have something in common, in the table's order.
#[derive(Default)]
pub(super) struct List {
    /// The length of the wins, of a list of wins.
    pub(super) plies: Option<Plies>,
    /// All there are, of each kind.
    counts: BTreeMap<&'static str, u64>,
    /// The first of them, each with its kind.
    kept: Vec<(Box<str>, &'static str)>,
}

impl List {
    /// A list of wins, as yet empty.
    pub(super) fn of_wins(plies: Option<Plies>) -> List {
        List {
            plies,
            ..List::default()
        }
    }

    /// Adds a position.
    pub(super) fn push(&mut self, kind: &'static str, notation: impl FnOnce() -> String) {
        *self.counts.entry(kind).or_default() += 1;
        if self.kept.len() < MOST {
            self.kept.push((notation().into(), kind));
        }
    }

    /// How many there are, of a kind or of all.
    pub(super) fn count(&self, kind: Option<&str>) -> u64 {
        let counts = self.counts.iter();
        let counts = counts.filter(|(name, _)| kind.is_none_or(|kind| kind == **name));
        counts.map(|(_, count)| count).sum()
    }

    /// A part of the list.
    pub(super) fn page<'l>(
        &'l self,
        page: &Page,
        kind: Option<&'l str>,
    ) -> impl Iterator<Item = &'l (Box<str>, &'static str)> {
        let listed = self.kept.iter();
        let listed = listed.filter(move |(_, name)| kind.is_none_or(|kind| kind == *name));
        listed.skip(page.offset).take(page.limit)
    }
}

/// Which part of a list is wanted.
pub(super) struct Page {
    offset: usize,
    limit: usize,
}

impl Page {
    pub(super) fn of(request: &Request) -> Result<Page, Refusal> {
        Ok(Page {
            offset: request.number("offset", 0, MOST as u64)? as usize,
            limit: request.number("limit", 50, PAGE)? as usize,
        })
    }
}
