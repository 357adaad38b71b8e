//! Calls of `vprintf`: the text of every thread that prints is made before any is printed.

use crate::batch::plan::{Print, Step};
use crate::batch::run::{Bailout, Cta};
use crate::memory::Access;
use crate::output;
use crate::printf::{self, Arguments};
use margay_isa::WARP;
use std::sync::atomic::Ordering::Relaxed;

/// A thread may not read what it is to print, or prints too much: the golden engine says so.
struct Refused;

impl Cta<'_> {
    /// Prints in all threads that take part, in their order. Nothing is printed if one of them cannot.
    pub(super) fn print(&mut self, print: &Print) -> Result<(), Bailout> {
        let part = self.part(print.guard);
        let (mut texts, mut kept, most) = (Vec::new(), 0, self.job.most_output());
        let made = part.try_each(|t| {
            let made = self.text_of(print, t).ok()?;
            kept += output::kept(&made.0);
            texts.push((t, made));
            (self.job.printed.load(Relaxed) + kept <= most).then_some(())
        });
        self.done_with(part);
        made.ok_or(Bailout { pc: print.pc })?;
        // Other workers may have printed meanwhile.
        if self.job.printed.fetch_add(kept, Relaxed) + kept > most {
            self.job.printed.fetch_sub(kept, Relaxed);
            return Err(Bailout { pc: print.pc });
        }
        for (t, (text, count)) in texts {
            let (member, thread) = (t as u32 / self.job.threads, t as u32 % self.job.threads);
            self.outputs[member as usize].print(thread, &text);
            if let Some((ty, place)) = print.to {
                self.lines.set(ty, place, t, count.into());
            }
        }
        Ok(())
    }

    /// What a thread prints, and how many arguments its format takes.
    fn text_of(&mut self, print: &Print, thread: usize) -> Result<(Vec<u8>, u32), Refused> {
        let [format, at] = [&print.format, &print.arguments].map(|source| self.read(source, thread) as u64);
        if format == 0 {
            return Ok((Vec::new(), u32::MAX));
        }
        let reach = self.plan.origins.of(print.pc).reach;
        let mut arguments = InMemory { at, thread, reach, cta: self };
        let format = arguments.text(format)?;
        let (text, count) = printf::format(&format, &mut arguments)?;
        if text.len() > printf::LONGEST { Err(Refused) } else { Ok((text, count)) }
    }

    /// Blocks of which threads run have passed a barrier that all of their threads wait at.
    pub(super) fn pass_barrier(&mut self) {
        if !self.plan.prints {
            return;
        }
        // Blocks that print are of whole warps where several run together.
        let own = (self.job.threads as usize).div_ceil(WARP);
        for (output, running) in self.outputs.iter_mut().zip(self.lines.running().chunks(own)) {
            if running.iter().any(|bits| *bits != 0) {
                output.pass_barrier();
            }
        }
    }

    /// Whether a loop must go turn by turn, since barriers in it count.
    pub(super) fn counts_barriers(&self, steps: &[Step]) -> bool {
        let is_barrier = |step: &Step| matches!(step, Step::Barrier { .. } | Step::Reduce { .. });
        self.plan.prints && steps.iter().any(is_barrier)
    }
}

/// Arguments that lie in a thread's memory one after the other, each aligned as its size asks.
struct InMemory<'c, 'a> {
    at: u64,
    thread: usize,
    /// The node whose part of local memory is the last that may be read.
    reach: u32,
    cta: &'c mut Cta<'a>,
}

impl InMemory<'_, '_> {
    fn load(&mut self, address: u64, bytes: u64) -> Result<u64, Refused> {
        let found = self.cta.find(Access::Read, (None, self.reach), address, bytes).ok_or(Refused)?;
        Ok(self.cta.element(found, address, bytes as u32, self.thread))
    }
}

impl Arguments for InMemory<'_, '_> {
    type Error = Refused;

    fn next(&mut self, bytes: u64) -> Result<u64, Refused> {
        let address = self.at.checked_next_multiple_of(bytes).unwrap_or(0);
        let value = self.load(address, bytes)?;
        self.at = address.wrapping_add(bytes);
        Ok(value)
    }

    fn text(&mut self, address: u64) -> Result<Vec<u8>, Refused> {
        let mut text = Vec::new();
        while text.len() < printf::LONGEST_TEXT {
            match self.load(address.wrapping_add(text.len() as u64), 1)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}
