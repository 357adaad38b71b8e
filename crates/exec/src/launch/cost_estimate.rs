//! How long a kernel's blocks took last: whether another launch is worth more than one worker.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Time of a worker for a block, in the last launch that ended well.
#[derive(Default)]
pub(crate) struct LaunchCost {
    /// In picoseconds; 0 if there was no such launch.
    block: AtomicU64,
}

impl LaunchCost {
    /// How long one worker will take for so many blocks, if they are like the last ones.
    pub(super) fn expected(&self, blocks: u64) -> Option<Duration> {
        let block = self.block.load(Relaxed);
        (block > 0).then(|| Duration::from_nanos((u128::from(block) * u128::from(blocks) / 1000) as u64))
    }

    /// Keeps how long workers took together for so many blocks.
    pub(super) fn note(&self, time: Duration, blocks: u64) {
        let block = time.as_nanos() * 1000 / u128::from(blocks.max(1));
        self.block.store(block.clamp(1, u64::MAX.into()) as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_expected_to_take_as_long_as_the_last_ones() {
        let pace = LaunchCost::default();
        assert_eq!(pace.expected(7), None);
        pace.note(Duration::from_micros(30), 300);
        assert_eq!(pace.expected(1000), Some(Duration::from_micros(100)));
        pace.note(Duration::ZERO, 1 << 40);
        assert_eq!(pace.expected(1), Some(Duration::ZERO));
        pace.note(Duration::MAX, 1);
        assert!(pace.expected(u64::MAX).is_some());
    }
}
