//! How long a kernel's launches took, alone and with the help of others: whether the next one is worth more than one worker.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Others are not called for less: one saves half of it at most, and it takes a third until he works.
pub(super) const WORTH: Duration = Duration::from_micros(60);
/// Others are called for more without being weighed: the least that they save is more than it takes to call them.
const LONG: Duration = Duration::from_millis(1);
/// One in so many launches is run the way that seems slower: what else the machine does changes.
const TRIAL: u32 = 64;
/// After so many launches in a row that others were not called for, a launch is prepared for one worker.
const SETTLED: u32 = 8;
/// Sizes of launches that are told apart: powers of two of blocks.
const SIZES: usize = 64;

/// What launches of a kernel cost.
pub(crate) struct LaunchCost {
    /// By the power of two below the number of blocks.
    sizes: [Cost; SIZES],
    /// Whether a launch has ended well: the first one takes longer.
    is_warm: AtomicBool,
}

impl Default for LaunchCost {
    fn default() -> LaunchCost {
        LaunchCost { sizes: std::array::from_fn(|_| Cost::default()), is_warm: AtomicBool::new(false) }
    }
}

/// What launches of about one size cost.
#[derive(Default)]
struct Cost {
    /// Of one worker.
    alone: Pace,
    /// Of all that may work.
    together: Pace,
    /// Launches for which they were weighed against each other.
    weighed: AtomicU32,
    /// Launches in a row that were too short to call others for.
    short: AtomicU32,
}

/// How to run a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Advice {
    /// Nothing is known of such launches.
    Unknown,
    /// One worker does best, and takes about so long.
    Alone(Duration),
    /// Others are to be called at once.
    Together,
}

/// Who worked on a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Help {
    /// One worker.
    None,
    /// All, from the beginning.
    AtOnce,
    /// So many in all, called after one had worked so long and ended so many blocks.
    Later(u32, Duration, u64),
}

impl LaunchCost {
    /// How to run a launch of so many blocks for which others can be called.
    pub(super) fn advice(&self, blocks: u64) -> Advice {
        let cost = self.of(blocks);
        let Some(alone) = cost.alone.of(blocks) else { return Advice::Unknown };
        let together = match cost.together.of(blocks) {
            _ if alone <= WORTH => return Advice::Alone(alone),
            Some(together) if alone <= LONG => together,
            _ => return Advice::Together,
        };
        let is_trial = cost.weighed.fetch_add(1, Relaxed) % TRIAL == 1;
        if (together < alone) != is_trial { Advice::Together } else { Advice::Alone(alone) }
    }

    /// Whether one worker will do the next launch of so many blocks alone, so that none need be left for others.
    pub(super) fn is_for_one(&self, blocks: u64) -> bool {
        let cost = self.of(blocks);
        if cost.short.load(Relaxed) >= SETTLED {
            return true;
        }
        let (Some(alone), Some(together)) = (cost.alone.of(blocks), cost.together.of(blocks)) else {
            return false;
        };
        // As `advice` will weigh them, which is not asked where there is but one worker.
        let is_trial = cost.weighed.load(Relaxed) % TRIAL == 1;
        let is_alone = alone > WORTH && alone <= LONG && (together < alone) == is_trial;
        if is_alone {
            cost.weighed.fetch_add(1, Relaxed);
        }
        is_alone
    }

    /// Keeps how long a launch took that ended well, the time until all had ended included.
    pub(super) fn note(&self, time: Duration, blocks: u64, help: Help) {
        if !self.is_warm.swap(true, Relaxed) {
            return;
        }
        let cost = self.of(blocks);
        match help {
            Help::None => cost.alone.note(time, blocks),
            Help::AtOnce => cost.together.note(time, blocks),
            // Until one worker has done such a launch, what he does of it tells how long he would take, or else what all did.
            Help::Later(_, time, done) if done > 0 => cost.alone.guess(time, done),
            Help::Later(workers, ..) => cost.alone.guess(time.saturating_mul(workers), blocks),
        }
        // By what is known by now: one launch that something held up is no long one.
        match help == Help::None && cost.alone.of(blocks).is_some_and(|alone| alone <= WORTH) {
            true => cost.short.fetch_add(1, Relaxed),
            false => cost.short.swap(0, Relaxed),
        };
    }

    fn of(&self, blocks: u64) -> &Cost {
        &self.sizes[blocks.max(1).ilog2() as usize]
    }
}

/// Time for a block.
#[derive(Default)]
struct Pace {
    /// In picoseconds; 0 if it is not known.
    block: AtomicU64,
    /// Whether it was made up from something else.
    is_guess: AtomicBool,
}

impl Pace {
    /// How long so many blocks will take, if it is known.
    fn of(&self, blocks: u64) -> Option<Duration> {
        let block = self.block.load(Relaxed);
        (block > 0).then(|| Duration::from_nanos((u128::from(block) * u128::from(blocks) / 1000) as u64))
    }

    /// Learns from a launch: soon where it was faster than was known, in small steps where it was slower, since whatever else
    /// the machine does makes a launch slow now and then, and none fast.
    fn note(&self, time: Duration, blocks: u64) {
        let (new, old) = (per_block(time, blocks), self.block.load(Relaxed));
        let learned = match old {
            _ if self.is_guess.swap(false, Relaxed) => new,
            0 => new,
            _ if new < old => old - (old - new).div_ceil(2),
            _ => new.min(old.saturating_add(old / 8 + 1)),
        };
        self.block.store(learned, Relaxed);
    }

    /// Takes this if nothing is known.
    fn guess(&self, time: Duration, blocks: u64) {
        if self.block.load(Relaxed) == 0 {
            self.is_guess.store(true, Relaxed);
            self.block.store(per_block(time, blocks), Relaxed);
        }
    }
}

fn per_block(time: Duration, blocks: u64) -> u64 {
    let block = time.as_nanos() * 1000 / u128::from(blocks.max(1));
    block.clamp(1, u64::MAX.into()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: u64 = 100;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// After a launch that is not counted.
    fn warm() -> LaunchCost {
        let cost = LaunchCost::default();
        cost.note(us(9_000), BLOCKS, Help::None);
        cost
    }

    /// How many of so many launches others are called for, which take so long alone and together.
    fn called(cost: &LaunchCost, alone: u64, together: u64, launches: u32) -> u32 {
        let mut called = 0;
        for _ in 0..launches {
            match cost.advice(BLOCKS) {
                Advice::Together => {
                    called += 1;
                    cost.note(us(together), BLOCKS, Help::AtOnce);
                }
                Advice::Alone(_) | Advice::Unknown => cost.note(us(alone), BLOCKS, Help::None),
            }
        }
        called
    }

    #[test]
    fn the_first_launch_tells_nothing() {
        let cost = warm();
        assert_eq!(cost.advice(BLOCKS), Advice::Unknown);
        cost.note(us(50), BLOCKS, Help::None);
        assert_eq!(cost.advice(BLOCKS), Advice::Alone(us(50)));
        assert_eq!(cost.advice(BLOCKS + 20), Advice::Alone(us(60)));
        assert_eq!(cost.advice(10 * BLOCKS), Advice::Unknown);
    }

    #[test]
    fn others_are_called_only_where_that_was_faster() {
        assert_eq!(called(&warm(), 36, 20, 640), 0);
        assert_eq!(called(&warm(), 100, 120, 641), 1 + 10);
        assert_eq!(called(&warm(), 100, 70, 641), 640 - 10);
        assert_eq!(called(&warm(), 2_000, 3_000, 641), 640);
    }

    #[test]
    fn it_is_noticed_when_the_machine_changes() {
        let cost = warm();
        called(&cost, 100, 70, 641);
        assert!(called(&cost, 100, 150, 1_000) < 100);
        assert!(called(&cost, 100, 50, 10_000) > 9_000);
    }

    #[test]
    fn a_launch_that_something_held_up_changes_little() {
        let cost = warm();
        called(&cost, 40, 70, 10);
        cost.note(us(5_000), BLOCKS, Help::None);
        assert_eq!(cost.advice(BLOCKS), Advice::Alone(us(45)));
    }

    #[test]
    fn one_who_has_called_others_tells_how_long_he_would_have_taken() {
        let cost = warm();
        cost.note(us(300), BLOCKS, Help::Later(2, us(10), 2));
        cost.note(us(300), 1, Help::Later(2, us(60), 0));
        assert_eq!((cost.advice(BLOCKS), cost.advice(1)), (Advice::Together, Advice::Together));
        assert_eq!((cost.of(BLOCKS).alone.of(2), cost.of(1).alone.of(1)), (Some(us(10)), Some(us(600))));
        cost.note(us(70), BLOCKS, Help::None);
        assert_eq!(cost.of(BLOCKS).alone.of(BLOCKS), Some(us(70)));
    }

    #[test]
    fn a_launch_is_for_one_once_some_were_short() {
        let cost = warm();
        for _ in 0..SETTLED {
            assert!(!cost.is_for_one(BLOCKS));
            cost.note(us(20), BLOCKS, Help::None);
        }
        assert!(cost.is_for_one(BLOCKS) && !cost.is_for_one(10 * BLOCKS));
        cost.note(us(500), BLOCKS, Help::None);
        assert!(cost.is_for_one(BLOCKS), "one that was held up");
        cost.note(us(200), BLOCKS, Help::Later(2, us(60), 10));
        assert!(!cost.is_for_one(BLOCKS));
    }

    #[test]
    fn a_launch_is_for_one_who_was_faster_but_for_trials() {
        let cost = warm();
        cost.note(us(100), BLOCKS, Help::AtOnce);
        cost.note(us(90), BLOCKS, Help::None);
        let (mut for_one, mut called) = (0, 0);
        for _ in 0..640 {
            match cost.is_for_one(BLOCKS) {
                true => for_one += 1,
                false => called += u32::from(cost.advice(BLOCKS) == Advice::Together),
            }
        }
        assert_eq!((for_one, called), (630, 10));
        // Then others gain something, and it is found out.
        for _ in 0..640 {
            match cost.is_for_one(BLOCKS) || cost.advice(BLOCKS) != Advice::Together {
                true => cost.note(us(90), BLOCKS, Help::None),
                false => cost.note(us(50), BLOCKS, Help::AtOnce),
            }
        }
        let alone = (0..640).filter(|_| cost.is_for_one(BLOCKS) || cost.advice(BLOCKS) != Advice::Together);
        assert_eq!(alone.count(), 10);
    }

    #[test]
    fn any_time_and_any_number_of_blocks_will_do() {
        let cost = warm();
        for (time, blocks) in [(Duration::ZERO, 1 << 40), (Duration::MAX, 1), (us(1), u64::MAX), (us(1), 0)] {
            cost.note(time, blocks, Help::None);
            assert!(cost.advice(blocks) != Advice::Unknown);
        }
        assert!(cost.of(1).alone.of(u64::MAX).is_some());
    }
}
