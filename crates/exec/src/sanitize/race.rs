//! Data races: accesses to the same bytes by two threads, at least one of them a write, that nothing orders.
//!
//! Two strong accesses do not race if each one's scope reaches the other's thread (manual, section 8.7). Two stores of the
//! same value are no finding either: whichever comes last, memory is the same.

use super::clock::COPIES;
use super::happens_before::{Place, Released, Threads};
use super::shadow::{Shadow, Touch};
use crate::code::{Copies, Reach, Strength};
use crate::memory::Access;
use margay_isa::WARP;

/// So many accesses of one instruction are kept for the same bytes: of different blocks and warps, as far as possible.
const SAME_SITE: usize = 4;
/// So many accesses are kept for the same bytes.
const MOST: usize = 24;

/// What is kept for all blocks.
#[derive(Default)]
pub(super) struct Race {
    released: Released,
    global: Shadow,
    /// How each site accesses memory, as far as it has.
    ways: Vec<Way>,
}

/// What is kept for a block while it runs.
pub(super) struct BlockRace {
    pub(super) threads: Threads,
}

/// What is kept for the shared memory of a cluster while its blocks run.
#[derive(Default)]
pub(super) struct ClusterRace {
    pub(super) released: Released,
    shadow: Shadow,
}

/// Which blocks there are beside the one of an access.
#[derive(Clone, Copy)]
pub(super) struct Beside {
    /// Blocks of a cluster.
    pub(super) cluster: u64,
    /// Blocks of the grid.
    pub(super) all: u64,
}

/// How an instruction accesses memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) access: Option<Access>,
    pub(super) strength: Strength,
    pub(super) bytes: u64,
    /// Whether it goes on beside its thread.
    pub(super) beside: bool,
}

/// An access that is judged.
pub(super) struct Visit<'v> {
    pub(super) site: u32,
    pub(super) block: u64,
    pub(super) thread: u32,
    /// How it is known to be made, if it is made beside the thread, which goes on.
    pub(super) copies: Option<Copies>,
    pub(super) place: Place,
    pub(super) way: Way,
    /// What memory holds after a write: `width` bytes at an address.
    pub(super) value: &'v dyn Fn(u64, u32) -> u32,
}

/// An access that races with the one that is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rival {
    pub(super) site: u32,
    pub(super) block: u64,
    pub(super) thread: u32,
    /// The first of the bytes that both touch.
    pub(super) address: u64,
}

impl BlockRace {
    pub(super) fn new(block: u64, cluster: u64, threads: usize) -> BlockRace {
        BlockRace { threads: Threads::new(block, cluster, threads) }
    }
}

impl Race {
    /// How a site accesses memory.
    pub(super) fn way(&self, site: u32) -> Way {
        self.ways.get(site as usize).copied().unwrap_or_default()
    }

    /// Whether there were more accesses than can be kept.
    pub(super) fn is_overflown(&self) -> bool {
        self.global.is_overflown()
    }

    /// Forgets what was done with global memory that has been taken anew.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        self.global.forget(address, bytes);
    }

    /// Judges an access and remembers it. Gives the accesses that race with it, one of each site.
    pub(super) fn judge(
        &mut self,
        of: &mut BlockRace,
        near: &mut ClusterRace,
        visit: &Visit,
        blocks: Beside,
    ) -> Vec<Rival> {
        let (site, thread, place) = (visit.site as usize, visit.thread, visit.place);
        if self.ways.len() <= site {
            self.ways.resize(site + 1, Way::default());
        }
        self.ways[site] = visit.way;
        let (strength, access) = (visit.way.strength, visit.way.access);
        let Race { global, ways, released } = self;
        let (shadow, released) = match place.shared {
            true => (&mut near.shadow, &mut near.released),
            false => (global, released),
        };
        let threads = &mut of.threads;
        if strength.strong && access != Some(Access::Write) {
            threads.read(thread, place, strength, released);
        }
        let mut rivals: Vec<Rival> = Vec::new();
        let (who, moment) = match visit.copies {
            Some(line) => (thread + COPIES, threads.copy(thread, line)),
            None => (thread, threads.now(thread)),
        };
        let now = Touch {
            block: visit.block,
            moment,
            site: visit.site,
            lanes: 1 << (who as usize % WARP),
            value: 0,
            warp: (who as usize / WARP) as u8,
        };
        let passing = blocks.all == 1 || place.shared && blocks.cluster == 1;
        let judge = Judge { threads, ways, thread, passing, cluster: blocks.cluster };
        shadow.visit(place.address, place.bytes, |address, width, list| {
            let value = match access {
                Some(Access::Read) => 0,
                _ => (visit.value)(address, width as u32),
            };
            judge.list(list, Touch { value, ..now }, &mut |old, thread| {
                if !rivals.iter().any(|rival| rival.site == old.site) {
                    let thread = if thread < COPIES { thread } else { thread - COPIES };
                    rivals.push(Rival { site: old.site, block: old.block, thread, address });
                }
            });
        });
        if strength.strong && access != Some(Access::Read) {
            let atomic = access == Some(Access::Atomic);
            threads.write(thread, place, strength, atomic, released);
        }
        rivals
    }

    /// A fence of a thread.
    pub(super) fn fence(&mut self, of: &mut BlockRace, thread: u32, strength: Strength) {
        of.threads.fence(thread, strength);
    }
}

struct Judge<'j> {
    threads: &'j Threads,
    ways: &'j [Way],
    thread: u32,
    /// Whether accesses that all threads of the block know of can race with no other.
    passing: bool,
    /// Blocks of a cluster.
    cluster: u64,
}

impl Judge<'_> {
    /// Compares an access with those before it, and puts it among them.
    fn list(&self, list: &mut Vec<Touch>, now: Touch, found: &mut dyn FnMut(&Touch, u32)) {
        let mut merged = false;
        list.retain_mut(|old| {
            let same_moment = (old.block, old.moment, old.warp) == (now.block, now.moment, now.warp);
            if same_moment && (old.site, old.value) == (now.site, now.value) {
                old.lanes |= now.lanes;
                merged = true;
                return true;
            }
            let rival = self.unordered(old, now.block);
            let Some(rival) = rival else {
                let passed = self.passing && self.has_passed(old, now.block);
                // What races with the old access races with the new one of the same instruction.
                return old.site != now.site && !passed;
            };
            let ways = [old.site, now.site].map(|site| self.ways[site as usize]);
            if conflict(ways, self.between(old.block, now.block), old.value == now.value) {
                found(old, rival);
            }
            true
        });
        if !merged {
            list.push(now);
            thin(list, now.site);
        }
    }

    /// How far it is from one block to another.
    fn between(&self, a: u64, b: u64) -> Reach {
        match a == b {
            true => Reach::Block,
            false if a / self.cluster == b / self.cluster => Reach::Cluster,
            false => Reach::Device,
        }
    }

    /// Whether all threads of the block know of an earlier access.
    fn has_passed(&self, old: &Touch, block: u64) -> bool {
        let by_thread = u32::from(old.warp) < COPIES / WARP as u32;
        by_thread && old.block == block && old.moment <= self.threads.floor()
    }

    /// A thread of an earlier access that nothing orders before this one.
    fn unordered(&self, old: &Touch, block: u64) -> Option<u32> {
        if self.has_passed(old, block) {
            return None;
        }
        let lanes = (0..WARP as u32).filter(|lane| old.lanes >> lane & 1 == 1);
        let mut threads = lanes.map(|lane| u32::from(old.warp) * WARP as u32 + lane);
        threads.find(|other| !self.threads.knows(self.thread, old.block, *other, old.moment))
    }
}

/// Whether two accesses that nothing orders race.
fn conflict([a, b]: [Way; 2], between: Reach, same_value: bool) -> bool {
    let both = |access: Access| a.access == Some(access) && b.access == Some(access);
    let strong = a.strength.strong && b.strength.strong;
    let reach = a.strength.reach.min(b.strength.reach) >= between;
    !(both(Access::Read) || strong && reach || both(Access::Write) && same_value)
}

/// Drops accesses where there are too many of a site, or of all.
fn thin(list: &mut Vec<Touch>, site: u32) {
    let of_site = |list: &[Touch]| list.iter().filter(|touch| touch.site == site).count();
    if of_site(list) > SAME_SITE {
        let of_block = |block: u64| list.iter().filter(|t| t.site == site && t.block == block).count();
        let same = list.iter().enumerate().filter(|(_, touch)| touch.site == site);
        let drop = same.max_by_key(|(_, touch)| (of_block(touch.block), touch.block, touch.warp));
        if let Some((drop, _)) = drop {
            list.remove(drop);
        }
    }
    if list.len() > MOST {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEAK: Strength = Strength { strong: false, acquires: false, releases: false, reach: Reach::Block };
    const STRONG: Strength = Strength { strong: true, reach: Reach::Device, ..WEAK };
    const NEAR: Strength = Strength { strong: true, ..WEAK };

    fn way(access: Access, strength: Strength) -> Way {
        Way { access: Some(access), strength, bytes: 4, beside: false }
    }

    #[test]
    fn two_accesses_conflict_unless_both_read_or_both_are_strong_for_each_other() {
        use Access::{Atomic, Read, Write};
        let cluster = Strength { reach: Reach::Cluster, ..STRONG };
        for (a, b, between, same_value, wanted) in [
            (way(Read, WEAK), way(Read, WEAK), Reach::Block, false, false),
            (way(Read, WEAK), way(Write, WEAK), Reach::Block, true, true),
            (way(Write, WEAK), way(Write, WEAK), Reach::Block, false, true),
            (way(Write, WEAK), way(Write, WEAK), Reach::Block, true, false),
            (way(Atomic, STRONG), way(Atomic, STRONG), Reach::Device, false, false),
            (way(Atomic, NEAR), way(Atomic, NEAR), Reach::Block, false, false),
            (way(Atomic, NEAR), way(Atomic, STRONG), Reach::Device, false, true),
            (way(Atomic, STRONG), way(Write, WEAK), Reach::Block, true, true),
            (way(Atomic, STRONG), way(Read, WEAK), Reach::Block, true, true),
            (way(Read, STRONG), way(Write, STRONG), Reach::Device, false, false),
            (way(Atomic, cluster), way(Atomic, STRONG), Reach::Cluster, false, false),
            (way(Atomic, cluster), way(Atomic, STRONG), Reach::Device, false, true),
            (way(Atomic, NEAR), way(Atomic, cluster), Reach::Cluster, false, true),
        ] {
            assert_eq!(conflict([a, b], between, same_value), wanted, "{a:?} {b:?}");
            assert_eq!(conflict([b, a], between, same_value), wanted, "{b:?} {a:?}");
        }
    }

    #[test]
    fn of_many_readers_those_of_different_blocks_are_kept() {
        let mut list = Vec::new();
        for (block, warp) in (0..6).flat_map(|block| (0..3).map(move |warp| (block, warp))) {
            list.push(Touch { block, moment: 1, site: 5, lanes: 1, value: 0, warp });
            thin(&mut list, 5);
        }
        assert_eq!(list.len(), SAME_SITE);
        assert!((0..4).all(|block| list.iter().any(|touch| touch.block == block)));
    }
}
