//! Instructions that threads carry out one by one, by their page's function.

use crate::batch::plan::{PerThread, Target};
use crate::batch::run::Cta;
use crate::code::{Function, MAX_RESULTS};
use margay_isa::{Args, Bits, MAX_SOURCES, Trace};

impl Cta<'_> {
    /// Carries an instruction out in every thread that runs; in one of them where all have the same operands.
    pub(super) fn each(&mut self, each: &PerThread) {
        let threads = if each.uniform { 1 } else { self.threads };
        for t in 0..threads {
            if !each.uniform && !self.is_running(t) {
                continue;
            }
            let mut args: Args = [0; MAX_SOURCES];
            for (arg, source) in args.iter_mut().zip(&each.sources) {
                *arg = self.read(source, t);
            }
            let mut results = [0; MAX_RESULTS];
            match each.function {
                Function::One(f) => results = [f(&each.inst, &args); MAX_RESULTS],
                Function::Stages(f) => results = [f(&each.inst, &args, &mut Trace::off()); MAX_RESULTS],
                Function::Many(f) => f(&each.inst, &args, &mut results[..each.results.len()]),
            }
            for (target, bits) in each.results.iter().zip(results) {
                self.write_as(target, t, bits, each.uniform);
            }
        }
    }

    /// Writes a result for one thread, or for all of them.
    fn write_as(&mut self, target: &Target, thread: usize, bits: Bits, all: bool) {
        if !all {
            return self.write(target, thread, bits);
        }
        if let Some((ty, place)) = target.low {
            self.set_all(ty, place, bits as u64);
        }
        if let Some((ty, place)) = target.high {
            self.set_all(ty, place, (bits >> 64) as u64);
        }
    }
}
