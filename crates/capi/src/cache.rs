//! Things kept by the text that they were made from, the last ones used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What was made of texts, at most so many and of so many bytes in all.
pub struct Cache<T> {
    most: usize,
    most_bytes: usize,
    kept: Mutex<Kept<T>>,
}

struct Kept<T> {
    by_text: HashMap<Arc<[u8]>, (u64, Arc<T>)>,
    bytes: usize,
    /// Counts uses.
    now: u64,
}

impl<T> Cache<T> {
    pub fn new(most: usize, most_bytes: usize) -> Cache<T> {
        Cache { most, most_bytes, kept: Mutex::new(Kept { by_text: HashMap::new(), bytes: 0, now: 0 }) }
    }

    /// What is kept of a text, or what `make` makes of it, which is kept then. A failure is not kept.
    pub fn get<E>(&self, text: &[u8], make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(found) = self.find(text) {
            return Ok(found);
        }
        // Others go on meanwhile; two that make the same thing at once both do.
        let made = Arc::new(make()?);
        self.keep(text, made.clone());
        Ok(made)
    }

    fn find(&self, text: &[u8]) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.now += 1;
        let now = kept.now;
        let (used, found) = kept.by_text.get_mut(text)?;
        *used = now;
        Some(found.clone())
    }

    fn keep(&self, text: &[u8], made: Arc<T>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.now;
        if kept.by_text.insert(text.into(), (now, made)).is_none() {
            kept.bytes += text.len();
        }
        while kept.by_text.len() > self.most || kept.bytes > self.most_bytes {
            let oldest = kept.by_text.iter().min_by_key(|(_, (used, _))| *used).map(|(text, _)| text.clone());
            let Some(oldest) = oldest else { return };
            kept.bytes -= oldest.len();
            kept.by_text.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_used_are_kept() {
        let cache = Cache::new(2, 100);
        let made = Mutex::new(Vec::new());
        let get = |text: &str| {
            let make = || {
                made.lock().unwrap().push(text.to_string());
                Ok::<usize, ()>(text.len())
            };
            *cache.get(text.as_bytes(), make).unwrap()
        };
        for text in ["a", "bb", "a", "ccc", "a", "bb"] {
            assert_eq!(get(text), text.len());
        }
        assert_eq!(*made.lock().unwrap(), ["a", "bb", "ccc", "bb"]);
        get(&"d".repeat(101));
        get("a");
        assert_eq!(made.lock().unwrap().len(), 6, "what is too large leaves no room for others");
    }

    #[test]
    fn a_failure_is_not_kept() {
        let cache = Cache::new(2, 100);
        assert_eq!(cache.get(b"x", || Err::<u8, _>(7)), Err(7));
        assert_eq!(cache.get(b"x", || Ok::<u8, u8>(8)).map(|x| *x), Ok(8));
    }
}
