//! Tests whether addresses lie in global or in constant memory.

use crate::batch::plan::SpaceTest;
use crate::batch::run::Cta;
use margay_isa::uop::Type;

impl Cta<'_> {
    /// Tests the address of every thread that runs; one where it is the same in all.
    pub(super) fn test_space(&mut self, test: &SpaceTest) {
        let Some(to) = test.to else { return };
        let lies = |cta: &Self, thread: usize| {
            let address = cta.read(&test.address, thread) as u64;
            match test.is_global {
                true => cta.job.lies_in_global(address),
                false => cta.job.memory.is_constant(address),
            }
        };
        if test.address.low.1.stride == 0 {
            return self.set_all(Type::Pred, to, lies(self, 0).into());
        }
        for t in 0..self.threads {
            if self.is_running(t) {
                let holds = lies(self, t);
                self.lines.set(Type::Pred, to, t, holds.into());
            }
        }
    }
}
