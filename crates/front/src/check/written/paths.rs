//! Where a register is first read unwritten: the paths from a function's start, with what guards and branches tell of predicates.

use super::blocks::Blocks;
use super::matter::matters;
use super::predicates::Predicates;
use super::uses::{self, Use};
use super::ways::Ways;
use crate::module::{Function, RegisterId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is wrong with a register; instructions by their numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// No instruction writes it.
    Never { read: u32 },
    /// It is always unwritten when the read is first reached.
    Before { read: u32, write: u32 },
    /// On some paths it is.
    May { read: u32, write: u32, fork: Option<Fork> },
}

/// A branch of which one way leads past the write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fork {
    pub(super) at: u32,
    /// Whether that way is taken by jumping; none if there are several ways.
    pub(super) taken: Option<bool>,
}

/// Following the paths would take too long.
pub(super) struct TooMuch;

/// So often a block is looked at again before no more is distinguished there.
const PATIENCE: u32 = 8;

/// Follows paths through a function, for one register after the other.
pub(super) struct Paths<'f> {
    function: &'f Function,
    blocks: &'f Blocks,
    predicates: &'f Predicates,
    events: HashMap<RegisterId, Vec<Event>>,
}

/// A reachable instruction that names the register.
#[derive(Clone, Copy)]
struct Event {
    at: u32,
    reads: bool,
    writes: bool,
}

/// What is known at the start of a block.
struct Entered {
    ways: Ways,
    /// The block from which it was first reached unwritten.
    from: Option<u32>,
    visits: u32,
}

impl<'f> Paths<'f> {
    pub(super) fn new(
        function: &'f Function,
        blocks: &'f Blocks,
        predicates: &'f Predicates,
        candidates: &[RegisterId],
    ) -> Paths<'f> {
        let mut events: HashMap<RegisterId, Vec<Event>> =
            candidates.iter().map(|id| (*id, Vec::new())).collect();
        for block in (0..blocks.count() as u32).filter(|block| blocks.is_reached(*block)) {
            for at in blocks.code(block) {
                uses::each(&function.code[at as usize], &mut |role, id| {
                    let Some(events) = events.get_mut(&id) else { return };
                    if events.last().is_none_or(|last| last.at != at) {
                        events.push(Event { at, reads: false, writes: false });
                    }
                    if let Some(last) = events.last_mut() {
                        last.reads |= role == Use::Read;
                        last.writes |= role == Use::Write;
                    }
                });
            }
        }
        Paths { function, blocks, predicates, events }
    }

    /// The first read, in the order of the text, at which the register can be unwritten and its value can show.
    pub(super) fn first(&self, id: RegisterId, effort: &mut u64) -> Result<Option<Found>, TooMuch> {
        let Some(events) = self.events.get(&id) else { return Ok(None) };
        let shows = |at: u32| matters(&self.function.code[at as usize], id);
        if events.iter().all(|event| !event.writes) {
            let read = events.iter().map(|event| event.at).find(|at| shows(*at));
            return Ok(read.map(|read| Found::Never { read }));
        }
        let (unwritten, entered) = self.follow(events, effort)?;
        let Some(read) = unwritten.into_iter().find(|at| shows(*at)) else { return Ok(None) };
        spend(effort, 4 * self.blocks.count() as u64)?;
        Ok(Some(self.explain(events, read, &entered)))
    }

    /// The reads at which the register can be unwritten, and what is known of the blocks on the way.
    fn follow(
        &self,
        events: &[Event],
        effort: &mut u64,
    ) -> Result<(BTreeSet<u32>, BTreeMap<u32, Entered>), TooMuch> {
        let mut reads = BTreeSet::new();
        let mut entered = BTreeMap::from([(0, Entered { ways: Ways::unwritten(), from: None, visits: 0 })]);
        let mut open = BTreeSet::from([0]);
        while let Some(block) = open.pop_first() {
            spend(effort, 1)?;
            let Some(here) = entered.get_mut(&block) else { continue };
            here.visits += 1;
            if here.visits > PATIENCE {
                here.ways = Ways::unwritten();
            }
            let ways = here.ways.clone();
            let ways = self.through(block, ways, events, &mut reads);
            for edge in self.blocks.after(block).iter().filter(|_| !ways.is_empty()) {
                let mut ways = ways.clone();
                if let Some(fact) = edge.when.and_then(|guard| self.predicates.fact(guard)) {
                    ways.assume(fact);
                }
                if ways.is_empty() {
                    continue;
                }
                let there = entered.entry(edge.to).or_insert_with(|| Entered {
                    ways: Ways::default(),
                    from: Some(block),
                    visits: 0,
                });
                if there.visits <= PATIENCE && there.ways.join(&ways) {
                    open.insert(edge.to);
                }
            }
        }
        Ok((reads, entered))
    }

    /// What is known at the end of a block. Reads that can find the register unwritten are noted.
    fn through(&self, block: u32, mut ways: Ways, events: &[Event], reads: &mut BTreeSet<u32>) -> Ways {
        let code = self.blocks.code(block);
        let mut past = code.start;
        let first = events.partition_point(|event| event.at < code.start);
        for event in events[first..].iter().take_while(|event| event.at < code.end) {
            ways.forget(|predicate| self.predicates.is_written(predicate, past..event.at));
            past = event.at;
            let guard = self.function.code[event.at as usize].guard;
            let fact = guard.and_then(|guard| self.predicates.fact(guard));
            if event.reads && fact.map_or(!ways.is_empty(), |fact| ways.allow(fact)) {
                reads.insert(event.at);
            }
            match (event.writes, guard, fact) {
                (false, ..) | (true, Some(_), None) => {}
                (true, None, _) => ways.clear(),
                (true, Some(_), Some(fact)) => {
                    ways.assume(super::ways::Fact { value: !fact.value, ..fact });
                }
            }
        }
        ways.forget(|predicate| self.predicates.is_written(predicate, past..code.end));
        ways
    }

    /// Whether that is so on all paths to the read, and if not, where those with a write part from the others.
    fn explain(&self, events: &[Event], read: u32, entered: &BTreeMap<u32, Entered>) -> Found {
        let target = self.blocks.holding(read);
        let writes: Vec<u32> = events.iter().filter(|event| event.writes).map(|event| event.at).collect();
        let nearest = |among: &[u32]| {
            let behind = among.partition_point(|at| *at < read);
            among.get(behind.saturating_sub(1)).or(writes.first()).copied().unwrap_or(read)
        };
        // Blocks that come before the read is first reached, and of these those with a write that the read can follow.
        let ahead = self.flood(&[0], |block| block != target, |block| self.successors(block));
        let back = self.flood(&[target], |_| true, |block| self.blocks.before(block).to_vec());
        let in_time = |at: &u32| {
            let block = self.blocks.holding(*at);
            (block == target && *at < read)
                || (block != target && ahead.contains(&block) && back.contains(&block))
        };
        let in_time: Vec<u32> = writes.iter().copied().filter(in_time).collect();
        if in_time.is_empty() {
            return Found::Before { read, write: nearest(&writes) };
        }
        let written: Vec<u32> = in_time.iter().map(|at| self.blocks.holding(*at)).collect();
        let leads = self.flood(&written, |block| block != target, |block| self.blocks.before(block).to_vec());
        let (mut block, mut fork) = (target, None);
        while let Some(from) = entered.get(&block).and_then(|entered| entered.from) {
            let edges = self.blocks.after(from);
            let others =
                edges.iter().any(|edge| edge.to != block && edge.to != target && leads.contains(&edge.to));
            if others && fork.is_none() {
                let jumps = edges.iter().find(|edge| edge.to == block).map(|edge| edge.jumps);
                let at = self.blocks.code(from).end - 1;
                fork = Some(Fork { at, taken: jumps.filter(|_| edges.len() == 2) });
            }
            block = from;
        }
        Found::May { read, write: nearest(&in_time), fork }
    }

    fn successors(&self, block: u32) -> Vec<u32> {
        self.blocks.after(block).iter().map(|edge| edge.to).collect()
    }

    /// The blocks that are reached from these, going on only from those that may be passed.
    fn flood(
        &self,
        from: &[u32],
        passes: impl Fn(u32) -> bool,
        next: impl Fn(u32) -> Vec<u32>,
    ) -> BTreeSet<u32> {
        let mut found: BTreeSet<u32> = from.iter().copied().collect();
        let mut open: Vec<u32> = found.iter().copied().collect();
        let start = open.len();
        let mut looked = 0;
        while let Some(block) = open.pop() {
            looked += 1;
            if looked > start && !passes(block) {
                continue;
            }
            open.extend(next(block).into_iter().filter(|block| found.insert(*block)));
        }
        found
    }
}

fn spend(effort: &mut u64, blocks: u64) -> Result<(), TooMuch> {
    *effort = effort.checked_sub(blocks).ok_or(TooMuch)?;
    Ok(())
}
