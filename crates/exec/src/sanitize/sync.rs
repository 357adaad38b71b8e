//! Misuse of barriers and of operations of a warp that does not stop a kernel, but has no meaning.

use super::finding::Sanitizer;
use super::log::{Actor, Log};

/// Barriers of a block.
const BARRIERS: usize = 16;

/// A thread that has come to a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comer {
    pub(crate) thread: u32,
    pub(crate) function: u32,
    pub(crate) instruction: u32,
    /// Whether its instruction promises that all threads of the warp execute it together.
    pub(crate) aligned: bool,
    /// Whether it goes on without waiting.
    pub(crate) passes: bool,
}

/// What is known of a block's barriers.
#[derive(Default)]
pub(super) struct BlockSync {
    /// The first thread that has arrived at each since it was complete, and the warps that have.
    open: [Option<(Actor, u32)>; BARRIERS],
}

impl BlockSync {
    /// Threads of a warp have arrived at a barrier.
    pub(super) fn arrive(&mut self, log: &mut Log, barrier: u8, warp: usize, comers: &[(Actor, Comer)]) {
        let Some((first, _)) = comers.iter().min_by_key(|(actor, _)| *actor) else { return };
        let other =
            comers.iter().filter(|(actor, _)| actor.site != first.site).min_by_key(|(actor, _)| *actor);
        if let Some((other, _)) = other
            && comers.iter().any(|(_, comer)| comer.aligned)
        {
            log.note(Sanitizer::Sync, u64::from(barrier), &[*first, *other], || {
                let text = format!(
                    "divergent barrier {barrier}: threads of one warp arrive by different instructions, \
                     which promise that all execute the same"
                );
                (text, vec!["arrival".into(); 2])
            });
        }
        let (_, warps) = self.open[usize::from(barrier)].get_or_insert((*first, 0));
        if *warps >> warp & 1 == 1 {
            log.note(Sanitizer::Sync, u64::from(barrier), &[*first], || {
                let text = format!("a warp arrives at barrier {barrier} again before it is complete");
                (text, vec!["second arrival".into()])
            });
        }
        *warps |= 1 << warp;
    }

    /// A barrier is complete for these threads; others count as arrived because they have ended.
    pub(super) fn complete(&mut self, log: &mut Log, barrier: u8, waiting: &[Actor], ended: &[Actor]) {
        let arrived = self.open[usize::from(barrier)].take().map(|(first, _)| first);
        let waiter = waiting.iter().min().copied();
        let (Some(here), Some(gone)) = (waiter.or(arrived), ended.iter().min()) else { return };
        log.note(Sanitizer::Sync, u64::from(barrier), &[here, *gone], || {
            let (n, plural) = (ended.len(), if ended.len() == 1 { " has" } else { "s have" });
            let text = format!("barrier {barrier} completes only because {n} thread{plural} ended");
            (text, vec![if waiter.is_some() { "wait" } else { "arrival" }.into(), "end".into()])
        });
    }

    /// The block has ended.
    pub(super) fn end(&self, log: &mut Log) {
        for (barrier, (first, warps)) in
            self.open.iter().enumerate().filter_map(|(k, open)| Some((k, (*open)?)))
        {
            log.note(Sanitizer::Sync, barrier as u64, &[first], || {
                let (n, plural) =
                    (warps.count_ones(), if warps.count_ones() == 1 { " has" } else { "s have" });
                let text = format!(
                    "barrier {barrier} is never complete: {n} warp{plural} arrived when the block ends"
                );
                (text, vec!["arrival".into()])
            });
        }
    }
}

/// A lane reads one that takes no part in its operation.
pub(super) fn absent(log: &mut Log, reader: Actor, name: &str, from: usize, mask: Option<u32>, exists: bool) {
    log.note(Sanitizer::Sync, from as u64, &[reader], || {
        let why = match mask {
            Some(mask) if mask >> from & 1 == 0 => format!("is not in the member mask {mask:#010x}"),
            _ if !exists => "the block does not have".into(),
            Some(_) => "has ended".into(),
            None => "takes no part".into(),
        };
        let text = format!("`{name}` reads lane {from}, which {why}: the result is undefined");
        (text, vec!["read".into()])
    });
}

/// A mask names lanes that the block does not have.
pub(super) fn missing(log: &mut Log, actor: Actor, name: &str, mask: u32, lanes: u32) {
    log.note_about(1, Sanitizer::Sync, 0, &[actor], || {
        let named = listed(mask & !lanes);
        let text =
            format!("`{name}` names {named} in its member mask {mask:#010x}, which the block does not have");
        (text, vec!["execution".into()])
    });
}

/// Lanes in words: `lane 3`, `lanes 16 to 31`, `lanes 3, 5, 16 to 31`.
fn listed(lanes: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..u32::BITS).filter(|lane| lanes >> lane & 1 == 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let run = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let plural = if lanes.count_ones() == 1 { "lane" } else { "lanes" };
    format!("{plural} {}", runs.iter().map(run).collect::<Vec<_>>().join(", "))
}
