//! Numbers that look random and repeat: a counter, mixed (SplitMix64).

/// Where the sequence stands.
pub(crate) struct Random(u64);

impl Random {
    /// The sequence that a seed and the number of something that has a sequence of its own begin.
    pub(crate) fn new(seed: u64, of: u64) -> Random {
        Random(mix(seed) ^ mix(!of))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k as u64 + 1) as usize);
        }
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_a_limit_comes_up() {
        let mut random = Random::new(1, 2);
        let mut seen = [0; 7];
        (0..700).for_each(|_| seen[random.below(7) as usize] += 1);
        assert!(seen.iter().all(|n| (50..200).contains(n)), "{seen:?}");
    }

    #[test]
    fn neighbouring_seeds_and_owners_begin_apart() {
        let first = |seed, of| Random::new(seed, of).next();
        let mut all: Vec<u64> = (0..40).flat_map(|seed| (0..40).map(move |of| first(seed, of))).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1600);
    }

    #[test]
    fn shuffling_loses_nothing() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(3, 0).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
