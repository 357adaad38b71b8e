//! Which bytes of some memory have ever been written.

/// A bit for every byte. Fresh memory has none.
#[derive(Clone, Default, Debug)]
pub(crate) struct Written {
    /// Every byte below this one is written.
    whole: u64,
    /// A bit for every byte, as far as one has been written.
    bits: Vec<u64>,
}

impl Written {
    /// Whether all bytes of a range are written.
    #[inline]
    pub(crate) fn has(&self, at: u64, bytes: u64) -> bool {
        at + bytes <= self.whole || self.missing(at, bytes) == 0
    }

    /// How many bytes of a range are not written.
    pub(crate) fn missing(&self, at: u64, bytes: u64) -> u64 {
        let from = at.max(self.whole);
        words(from, at + bytes).map(|(k, mask)| u64::from((mask & !self.word(k)).count_ones())).sum()
    }

    /// Notes that bytes are written.
    pub(crate) fn set(&mut self, at: u64, bytes: u64) {
        if at <= self.whole && bytes > 8 {
            self.whole = self.whole.max(at + bytes);
            return;
        }
        self.raise(at.max(self.whole), at + bytes);
    }

    /// Notes that all of so many bytes are written.
    pub(crate) fn set_all(&mut self, bytes: u64) {
        *self = Written { whole: bytes, bits: Vec::new() };
    }

    /// Makes bytes fresh again.
    pub(crate) fn clear(&mut self, at: u64, bytes: u64) {
        let end = at + bytes;
        if at < self.whole {
            let whole = std::mem::replace(&mut self.whole, at);
            // What lay below the old mark had no bits of its own.
            self.raise(end, whole);
        }
        for (k, mask) in words(at, end) {
            if let Some(word) = self.bits.get_mut(k) {
                *word &= !mask;
            }
        }
    }

    fn raise(&mut self, from: u64, to: u64) {
        for (k, mask) in words(from, to) {
            if k >= self.bits.len() {
                self.bits.resize(k + 1, 0);
            }
            self.bits[k] |= mask;
        }
    }

    fn word(&self, k: usize) -> u64 {
        self.bits.get(k).copied().unwrap_or(0)
    }
}

/// The words of a range of bits, each with the bits in it.
fn words(from: u64, to: u64) -> impl Iterator<Item = (usize, u64)> {
    let last = if from < to { to.div_ceil(64) } else { from / 64 };
    (from / 64..last).map(move |k| {
        let low = u64::MAX << from.saturating_sub(64 * k).min(63);
        let high = u64::MAX >> (64 - (to - 64 * k).min(64));
        (k as usize, low & high)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_as_it_was_made_last() {
        let (mut written, mut model) = (Written::default(), [false; 400]);
        let mut seed = 7u64;
        for _ in 0..4_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 33) % 400;
            let bytes = ((seed >> 50) % 90).min(400 - at);
            let range = at as usize..(at + bytes) as usize;
            match seed >> 20 & 3 {
                0 => {
                    written.clear(at, bytes);
                    model[range].fill(false);
                }
                1 => {
                    written.set(at, bytes);
                    model[range].fill(true);
                }
                _ => {
                    let missing = model[range].iter().filter(|byte| !**byte).count() as u64;
                    assert_eq!((written.missing(at, bytes), written.has(at, bytes)), (missing, missing == 0));
                }
            }
        }
    }
}
