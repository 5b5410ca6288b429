//! Answers that took long are kept: whoever turns a page does not wait for the whole table again.

use crate::cli::crew::locked;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The latest answers, by what was asked. Tables are the same whenever they are generated, so no answer grows old.
pub(super) struct Memo<V> {
    most: usize,
    kept: Mutex<VecDeque<(String, Arc<V>)>>,
}

impl<V> Memo<V> {
    /// Keeps `most` answers; those that nobody asked for longest go first.
    pub(super) fn new(most: usize) -> Memo<V> {
        Memo {
            most,
            kept: Mutex::default(),
        }
    }

    /// The answer to a question, if it is kept.
    pub(super) fn get(&self, question: &str) -> Option<Arc<V>> {
        let mut kept = locked(&self.kept);
        let place = kept.iter().position(|(other, _)| other == question)?;
        let entry = kept.remove(place)?;
        let answer = Arc::clone(&entry.1);
        kept.push_back(entry);
        Some(answer)
    }

    /// Keeps an answer.
    pub(super) fn put(&self, question: &str, answer: Arc<V>) {
        let mut kept = locked(&self.kept);
        kept.retain(|(other, _)| other != question);
        kept.push_back((question.to_owned(), answer));
        if kept.len() > self.most {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asked_for_longest_goes_first() {
        let memo = Memo::new(2);
        memo.put("a", Arc::new(1));
        memo.put("b", Arc::new(2));
        assert_eq!(memo.get("a").as_deref(), Some(&1));
        memo.put("c", Arc::new(3));
        memo.put("c", Arc::new(4));
        assert_eq!(memo.get("b"), None);
        assert_eq!(memo.get("a").as_deref(), Some(&1));
        assert_eq!(memo.get("c").as_deref(), Some(&4));
    }
}
