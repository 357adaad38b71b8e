//! Bytes kept in 64-bit words: atomic ones for memory that all threads see, plain ones for memory of one CTA or thread.
//!
//! PTX is little-endian and its accesses of 1, 2, 4 and 8 bytes are aligned, so that each lies in one word. Offsets and
//! lengths are checked by the callers; a wrong one could only panic. Among workers every load acquires and every store releases,
//! so that what PTX orders by the semantics of an access is ordered; fences do the rest.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// The low `8 * bytes` bits.
#[inline]
fn mask(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// Bytes that several host threads read and write at once.
#[derive(Default)]
pub(crate) struct Words(Box<[AtomicU64]>);

impl Words {
    /// So many zero bytes; `None` if the host has no room.
    pub(crate) fn zeroed(bytes: u64) -> Option<Words> {
        let count = usize::try_from(bytes.div_ceil(8)).ok()?;
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize_with(count, || AtomicU64::new(0));
        Some(Words(words.into_boxed_slice()))
    }

    /// All words.
    pub(crate) fn all(&self) -> &[AtomicU64] {
        &self.0
    }

    /// The value of 1, 2, 4 or 8 aligned bytes.
    #[inline]
    pub(crate) fn load(&self, at: u64, bytes: u32) -> u64 {
        self.0[(at / 8) as usize].load(Acquire) >> (at % 8 * 8) & mask(bytes)
    }

    /// Writes 1, 2, 4 or 8 aligned bytes; what else is in the word stays as other threads leave it.
    #[inline]
    pub(crate) fn store(&self, at: u64, bytes: u32, value: u64) {
        let word = &self.0[(at / 8) as usize];
        if bytes == 8 {
            return word.store(value, Release);
        }
        let shift = at % 8 * 8;
        let (mask, value) = (mask(bytes) << shift, (value & mask(bytes)) << shift);
        let mut old = word.load(Relaxed);
        while let Err(now) = word.compare_exchange_weak(old, old & !mask | value, Release, Relaxed) {
            old = now;
        }
    }

    /// Puts what `change` makes of 1, 2, 4 or 8 aligned bytes in their place, in one step. Gives what they were.
    #[inline]
    pub(crate) fn update(&self, at: u64, bytes: u32, mut change: impl FnMut(u64) -> u64) -> u64 {
        let word = &self.0[(at / 8) as usize];
        let shift = at % 8 * 8;
        let mask = mask(bytes);
        let mut old = word.load(Relaxed);
        loop {
            let value = old >> shift & mask;
            let new = old & !(mask << shift) | (change(value) & mask) << shift;
            match word.compare_exchange_weak(old, new, AcqRel, Relaxed) {
                Ok(_) => return value,
                Err(now) => old = now,
            }
        }
    }

    /// A copy of some bytes, at any alignment.
    pub(crate) fn bytes(&self, at: u64, count: u64) -> Vec<u8> {
        let (mut at, end) = (at, at + count);
        let mut out = Vec::with_capacity(count as usize);
        while at < end {
            let skip = at % 8;
            let take = (8 - skip).min(end - at);
            let word = self.0[(at / 8) as usize].load(Relaxed).to_le_bytes();
            out.extend_from_slice(&word[skip as usize..(skip + take) as usize]);
            at += take;
        }
        out
    }

    /// Writes some bytes, at any alignment.
    pub(crate) fn set_bytes(&self, at: u64, bytes: &[u8]) {
        let head = ((8 - at % 8) % 8).min(bytes.len() as u64) as usize;
        let (head, rest) = bytes.split_at(head);
        let (words, tail) = rest.as_chunks::<8>();
        let body = at + head.len() as u64;
        let single = |at: u64, bytes: &[u8]| {
            bytes.iter().enumerate().for_each(|(k, b)| self.store(at + k as u64, 1, u64::from(*b)));
        };
        single(at, head);
        for (k, word) in words.iter().enumerate() {
            self.0[body as usize / 8 + k].store(u64::from_le_bytes(*word), Relaxed);
        }
        single(body + 8 * words.len() as u64, tail);
    }
}

/// Bytes that one host thread has to itself.
pub(crate) trait Private {
    /// The value of 1, 2, 4 or 8 aligned bytes.
    fn load(&self, at: u64, bytes: u32) -> u64;
    /// Writes 1, 2, 4 or 8 aligned bytes.
    fn store(&mut self, at: u64, bytes: u32, value: u64);
}

impl Private for [u64] {
    #[inline]
    fn load(&self, at: u64, bytes: u32) -> u64 {
        self[(at / 8) as usize] >> (at % 8 * 8) & mask(bytes)
    }

    #[inline]
    fn store(&mut self, at: u64, bytes: u32, value: u64) {
        let shift = at % 8 * 8;
        let word = &mut self[(at / 8) as usize];
        *word = *word & !(mask(bytes) << shift) | (value & mask(bytes)) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_agree_with_a_byte_array() {
        let (atomic, mut plain, mut bytes) = (Words::zeroed(64).unwrap(), [0u64; 8], [0u8; 64]);
        let mut seed = 1u64;
        for _ in 0..5_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let width = 1 << (seed >> 60 & 3);
            let at = (seed >> 40 & 63) / width * width;
            let span = at as usize..(at + width) as usize;
            let value = seed.rotate_left(17);
            atomic.store(at, width as u32, value);
            plain.store(at, width as u32, value);
            bytes[span.clone()].copy_from_slice(&value.to_le_bytes()[..width as usize]);
            assert_eq!(atomic.load(at, width as u32), plain.load(at, width as u32));
        }
        assert_eq!(atomic.bytes(0, 64), bytes);
    }

    #[test]
    fn byte_ranges_may_begin_and_end_anywhere() {
        for (from, count) in (0..20).flat_map(|from| (0..30).map(move |count| (from, count))) {
            let words = Words::zeroed(64).unwrap();
            let data: Vec<u8> = (1..=count).collect();
            words.set_bytes(from, &data);
            let all = words.bytes(0, 64);
            let end = from as usize + data.len();
            assert_eq!(&all[from as usize..end], data);
            assert!(all[..from as usize].iter().chain(&all[end..]).all(|b| *b == 0));
            assert_eq!(words.bytes(from, u64::from(count)), data);
        }
    }

    #[test]
    fn neighbours_in_one_word_do_not_lose_each_others_writes() {
        let words = Words::zeroed(8).unwrap();
        std::thread::scope(|scope| {
            for lane in 0..4 {
                let words = &words;
                scope.spawn(move || (0..=20_000).for_each(|k| words.store(2 * lane, 2, k)));
            }
        });
        assert_eq!(words.load(0, 8), 0x4e20_4e20_4e20_4e20);
    }

    #[test]
    fn updates_by_several_workers_all_count() {
        let words = Words::zeroed(16).unwrap();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let words = &words;
                scope.spawn(move || {
                    for _ in 0..10_000 {
                        words.update(2, 2, |old| old + 1);
                        words.update(4, 4, |old| old + 2);
                        words.update(8, 8, |old| old + (1 << (16 * worker)));
                    }
                });
            }
        });
        assert_eq!((words.load(2, 2), words.load(4, 4), words.load(0, 2)), (40_000, 80_000, 0));
        assert_eq!(words.load(8, 8), 0x2710_2710_2710_2710);
    }
}
