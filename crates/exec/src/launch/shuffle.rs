//! Another order of blocks than the default, drawn from a seed: which begins next, which goes on, and for how long.

use crate::random::Random;

/// At most so many blocks have begun and not ended, as long as they end.
const MOST_BEGUN: u64 = 16;
/// Turns without the end of a block before one more may begin.
const PATIENCE: u64 = 1 << 8;
/// Turns are up to 2 to this power steps long.
const LONGEST: u64 = 14;

/// What the seeded order has drawn and will draw.
pub(super) struct Shuffle {
    random: Random,
    blocks: u64,
    /// The block numbered `k` in the order of their beginning is `first + k * stride`, modulo all.
    first: u64,
    stride: u64,
    /// How many have begun.
    begun: u64,
    /// How many may be on their way.
    width: u64,
    /// Turns since a block ended.
    idle: u64,
}

/// What comes next.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// This block begins.
    Begin(u64),
    /// That of the blocks on their way goes on which has this number among them.
    GoOn(usize),
    /// All have ended.
    Nothing,
}

impl Shuffle {
    pub(super) fn new(seed: u64, blocks: u64) -> Shuffle {
        let mut random = Random::new(seed, u64::MAX);
        let first = random.below(blocks);
        let mut stride = 1 + random.below(blocks);
        while common_divisor(stride, blocks) > 1 {
            stride = 1 + random.below(blocks);
        }
        let width = 1 + random.below(MOST_BEGUN);
        Shuffle { random, blocks, first, stride, begun: 0, width, idle: 0 }
    }

    /// What comes next while so many are on their way, of at most `holds`.
    pub(super) fn next(&mut self, on_their_way: usize, holds: u64) -> Next {
        let way = on_their_way as u64;
        let may_begin = self.begun < self.blocks && way < self.width.min(holds);
        if way == 0 && !may_begin {
            return Next::Nothing;
        }
        if may_begin && (way == 0 || self.random.below(2) == 0) {
            let product = u128::from(self.begun) * u128::from(self.stride) + u128::from(self.first);
            self.begun += 1;
            return Next::Begin((product % u128::from(self.blocks)) as u64);
        }
        self.idle += 1;
        if self.idle > PATIENCE {
            // They may wait for one that has not begun.
            (self.idle, self.width) = (0, self.width + 1);
        }
        Next::GoOn(self.random.below(way) as usize)
    }

    /// How many steps the next turn has.
    pub(super) fn steps(&mut self) -> u64 {
        let longest = self.random.below(LONGEST + 1);
        1 + self.random.below(1 << longest)
    }

    /// A block has ended.
    pub(super) fn ended(&mut self) {
        self.idle = 0;
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_begins_once_in_any_order() {
        let mut orders = Vec::new();
        for seed in 0..20 {
            let mut shuffle = Shuffle::new(seed, 12);
            let (mut order, mut way) = (Vec::new(), 0);
            loop {
                match shuffle.next(way, 3) {
                    Next::Begin(block) => {
                        order.push(block);
                        way += 1;
                    }
                    Next::GoOn(k) => {
                        assert!(k < way && way <= 3);
                        way -= 1;
                        shuffle.ended();
                    }
                    Next::Nothing => break,
                }
            }
            orders.push(order.clone());
            order.sort();
            assert_eq!(order, (0..12).collect::<Vec<_>>());
        }
        orders.sort();
        orders.dedup();
        assert!(orders.len() > 10);
    }

    #[test]
    fn blocks_that_only_wait_are_joined_by_all_others() {
        let mut shuffle = Shuffle::new(1, 100);
        let mut way = 0;
        while way < 100 {
            way += usize::from(matches!(shuffle.next(way, 1000), Next::Begin(_)));
        }
    }

    #[test]
    fn a_grid_of_any_size_has_an_order() {
        for blocks in [1, 2, 3, 1 << 40, u64::MAX] {
            assert!(matches!(Shuffle::new(5, blocks).next(0, 1), Next::Begin(block) if block < blocks));
        }
    }
}
