//! The tables that others depend on.

use std::collections::BTreeSet;

use crate::index::TableKey;

/// `tables` and all that they depend on through children that `follow` accepts, and so on.
pub fn closure<K: TableKey>(
    tables: impl IntoIterator<Item = K>,
    follow: impl Fn(K) -> bool,
) -> BTreeSet<K> {
    let mut all = BTreeSet::new();
    let mut open: Vec<K> = tables.into_iter().collect();
    while let Some(key) = open.pop() {
        if all.insert(key) {
            let children = key.children().into_iter();
            open.extend(children.filter(|&child| !all.contains(&child) && follow(child)));
        }
    }
    all
}

/// Tables in an order in which each can be solved, each once.
pub fn in_order<K: TableKey>(tables: impl IntoIterator<Item = K>) -> Vec<K> {
    let mut tables: Vec<K> = tables.into_iter().collect();
    // What a table needs has fewer men or, after a promotion, fewer pawns.
    tables.sort_by_key(|key| (key.men(), key.pawns(), *key));
    tables.dedup();
    tables
}
