//! The findings of a launch: one for every pair of instructions, with the lowest place and threads that were seen.

use super::finding::{Act, Finding, Sanitizer};
use crate::launch::Job;
use margay_front::module::{FunctionId, InstructionId};
use std::collections::BTreeMap;

/// The instructions of a module, numbered through; a copy reads at one number and writes at the next.
pub(super) struct Sites {
    /// The first number of each function.
    first: Vec<u32>,
}

impl Sites {
    pub(super) fn new(job: &Job) -> Sites {
        let mut next = 0;
        let mut begin = |instructions: usize| {
            let first = next;
            // One more for the return behind the last instruction.
            next += 2 * (instructions as u32 + 1);
            first
        };
        Sites { first: job.module.functions().iter().map(|function| begin(function.code.len())).collect() }
    }

    /// The number of an instruction.
    #[inline]
    pub(super) fn number(&self, function: u32, instruction: u32) -> u32 {
        self.first[function as usize] + 2 * instruction
    }

    fn place(&self, site: u32) -> (u32, u32) {
        let function = self.first.partition_point(|first| *first <= site) - 1;
        (function as u32, (site - self.first[function]) / 2)
    }
}

/// An instruction that a thread of a block has executed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Actor {
    pub(super) site: u32,
    pub(super) block: u64,
    pub(super) thread: u32,
}

/// Findings, by what found them and where.
#[derive(Default)]
pub(super) struct Log {
    entries: BTreeMap<(Sanitizer, u32, u32, u32), Entry>,
}

struct Entry {
    message: String,
    /// The address that it is about, and who acted.
    at: (u64, Vec<Actor>),
    whats: Vec<String>,
    count: u64,
}

impl Log {
    /// Notes what actors did at an address; `tell` says what is wrong, and what each did. Two actors are in the order of
    /// their sites.
    pub(super) fn note(
        &mut self,
        sanitizer: Sanitizer,
        address: u64,
        actors: &[Actor],
        tell: impl FnOnce() -> (String, Vec<String>),
    ) {
        self.note_about(0, sanitizer, address, actors, tell);
    }

    /// The same; findings about different matters are kept apart where the same instructions have them.
    pub(super) fn note_about(
        &mut self,
        matter: u32,
        sanitizer: Sanitizer,
        address: u64,
        actors: &[Actor],
        tell: impl FnOnce() -> (String, Vec<String>),
    ) {
        let site = |k: usize| actors.get(k).or(actors.first()).map_or(u32::MAX, |actor| actor.site);
        let key = (sanitizer, site(0), site(1), matter);
        let at = (address, actors.to_vec());
        match self.entries.get_mut(&key) {
            Some(entry) => {
                entry.count += 1;
                if at < entry.at {
                    (entry.at, (entry.message, entry.whats)) = (at, tell());
                }
            }
            None => {
                let (message, whats) = tell();
                self.entries.insert(key, Entry { message, at, whats, count: 1 });
            }
        }
    }

    /// All findings, by sanitizer and place.
    pub(super) fn findings(self, job: &Job, sites: &Sites) -> Vec<Finding> {
        let act = |(actor, what): (Actor, String)| {
            let (function, instruction) = sites.place(actor.site);
            Act {
                what,
                function: FunctionId(function),
                function_name: job.module.functions()[function as usize].name.clone(),
                instruction: InstructionId(instruction),
                thread: job.block.at(u64::from(actor.thread)),
                block: job.place(actor.block),
            }
        };
        let finding = |((sanitizer, ..), entry): ((Sanitizer, u32, u32, u32), Entry)| Finding {
            sanitizer,
            message: entry.message,
            acts: entry.at.1.into_iter().zip(entry.whats).map(act).collect(),
            count: entry.count,
        };
        self.entries.into_iter().map(finding).collect()
    }
}
