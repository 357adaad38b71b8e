//! The barrier of a cluster: threads arrive, and wait for all others that have not ended (manual, section 9.7.13.3).

use super::Cta;
use super::thread::State;
use crate::code::GateStep;
use crate::trap::TrapKind;

impl Cta<'_> {
    /// Thread `t` has come to the cluster's barrier.
    pub(super) fn come_to_gate(&mut self, t: usize, step: &GateStep) -> Result<(), TrapKind> {
        match (step.waits, self.threads[t].arrived) {
            (false, Some(_)) => {
                let text = "the thread arrives at the cluster's barrier again without having waited at it";
                return Err(TrapKind::Barrier(text.into()));
            }
            (true, None) => {
                let text = "the thread waits at the cluster's barrier without having arrived at it";
                return Err(TrapKind::Barrier(text.into()));
            }
            (false, None) => {
                let phase = self.shared.gate.phase;
                self.threads[t].arrived = Some(phase);
                if let Some(watch) = &mut self.watch {
                    watch.arrive_at_gate(t as u32, phase, step.strength);
                }
                self.shared.gate.arrive();
                self.resume(t, std::iter::empty());
            }
            (true, Some(phase)) if phase == self.shared.gate.phase => self.threads[t].state = State::Gate,
            (true, Some(phase)) => self.pass_gate(t, phase),
        }
        Ok(())
    }

    /// Lets threads go on for which the cluster's barrier is complete; whether any does.
    pub(super) fn pass_those_at_gate(&mut self) -> bool {
        let phase = self.shared.gate.phase;
        let mut any = false;
        for t in 0..self.threads.len() {
            if self.threads[t].state == State::Gate
                && let Some(arrived) = self.threads[t].arrived.filter(|arrived| *arrived != phase)
            {
                self.pass_gate(t, arrived);
                any = true;
            }
        }
        any
    }

    /// Thread `t` has waited for the end of a phase.
    fn pass_gate(&mut self, t: usize, phase: u64) {
        self.threads[t].arrived = None;
        if let Some(watch) = &mut self.watch {
            watch.pass_gate(t as u32, phase);
        }
        self.resume(t, std::iter::empty());
    }

    /// Nobody waits any more for thread `t` at the cluster's barrier.
    pub(super) fn leave_gate(&mut self, t: usize) {
        let here = self.threads[t].arrived == Some(self.shared.gate.phase);
        self.shared.gate.end(here);
    }
}

#[cfg(test)]
mod tests {
    use crate::golden::shared::Gate;

    #[test]
    fn it_is_complete_when_all_have_arrived_that_have_not_ended() {
        let mut gate = Gate::new(3);
        gate.arrive();
        gate.arrive();
        assert_eq!((gate.phase, gate.missing()), (0, 1));
        gate.end(false);
        assert_eq!((gate.phase, gate.missing()), (1, 2));
        gate.arrive();
        gate.end(true);
        assert_eq!((gate.phase, gate.missing()), (1, 1));
        gate.arrive();
        assert_eq!((gate.phase, gate.missing()), (2, 1));
        gate.end(false);
        assert_eq!(gate.phase, 2);
    }
}
