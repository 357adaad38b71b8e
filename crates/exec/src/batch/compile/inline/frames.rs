//! Accesses at unknown addresses in functions that call themselves: to frames of a thread's activations, or elsewhere.

use crate::batch::compile::inline::activations::{Expansion, mask, register, set};
use crate::batch::compile::liveness;
use crate::batch::origins::Origin;
use crate::code::{Action, CallerFrames, FrameTest, Guard, Op, Source, Target, Transfer};
use margay_front::module::Space;
use std::ops::Range;

/// Parts of a function's frames that are looked at, at most.
const MOST: usize = 4;

impl Expansion<'_> {
    /// An access that may be to frames of this activation or of those that have called it, as two: one that is the golden engine's
    /// where it is to local memory beyond the first activation, and one to what the test tells to be there.
    ///
    /// The second one cannot fail, so that whoever makes the access again has not made it.
    pub(super) fn access(&mut self, root: usize, op: Op, origin: Origin, (lies, test): (u32, FrameTest)) {
        let not_counted = Origin { counts: false, ..origin };
        let mut again = Vec::new();
        liveness::reads(&op, &mut |slot| again.push(slot));
        again.extend(self.also_read.remove(&(self.ops.len() as u32)).into_iter().flatten());
        let test = Action::TestFrames(Box::new(test));
        let (outside, inside) = match op.guard {
            None => {
                self.push_inside(root, Op { guard: None, action: test }, not_counted);
                (Guard { slot: lies, runs_if: 0 }, Guard { slot: lies, runs_if: 1 })
            }
            Some(_) => {
                let apart = self.slot(1);
                let target = Target::Register { slot: apart, spread: 0, mask: 1 };
                let lies_not = Action::Equals(Box::new((register(lies, 1), target, 0)));
                for (slot, action) in [(lies, test), (apart, lies_not)] {
                    self.push_inside(root, set(Source::Constant(0), slot, 1, 0), not_counted);
                    self.push_inside(root, Op { guard: op.guard, action }, not_counted);
                }
                (Guard { slot: apart, runs_if: 1 }, Guard { slot: lies, runs_if: 1 })
            }
        };
        self.also_reads(&again);
        self.push_inside(root, Op { guard: Some(outside), ..op.clone() }, not_counted);
        let origin = Origin { reach: self.stack_node(root), ..origin };
        self.push_inside(root, Op { guard: Some(inside), ..op }, origin);
    }

    /// Whether such an access of a node is to frames that lie in memory, and the slot that tells; none if it never is.
    pub(super) fn frame_test<T>(
        &mut self,
        root: usize,
        reach: u32,
        access: &Transfer<T>,
    ) -> Option<(u32, FrameTest)> {
        let window = match access.space {
            Some(Space::Local) => 0,
            None => self.request.layout.local.base,
            Some(_) => return None,
        };
        let size = access.size();
        let (stack, from) = (self.roots[root].stack, self.origins.node(self.roots[root].node).local);
        if stack.step == 0 || !size.is_power_of_two() {
            return None;
        }
        let parts = |node: u32| -> Vec<Range<u64>> {
            let own = |range: &Range<u64>| range.start.max(from)..range.end.max(from);
            let holds = |range: &Range<u64>| range.end - range.start >= size;
            self.origins.in_memory(node).iter().map(own).filter(holds).take(MOST).collect()
        };
        let current = parts(reach);
        let sites = &self.roots[root].sites;
        let step = sites.first()?.distance;
        let are_alike = sites.iter().all(|site| site.distance == step);
        let callers = sites
            .iter()
            .map(|site| parts(site.caller.node))
            .reduce(|some, others| common(&some, &others, size));
        let callers = callers.filter(|parts| are_alike && !parts.is_empty());
        if current.is_empty() && callers.is_none() {
            return None;
        }
        let lies = self.slot(1);
        let test = FrameTest {
            address: access.address.clone(),
            offset: access.offset,
            mask: access.mask,
            window,
            size,
            distance: register(stack.distance, u32::BITS),
            current,
            callers: callers.map(|parts| CallerFrames { from, step, parts }),
            target: Target::Register { slot: lies, spread: 0, mask: mask(1) },
        };
        Some((lies, test))
    }
}

/// What lies in parts of both lists, if an access of so many bytes can.
fn common(some: &[Range<u64>], others: &[Range<u64>], size: u64) -> Vec<Range<u64>> {
    let both = |a: &Range<u64>, b: &Range<u64>| a.start.max(b.start)..a.end.min(b.end);
    let all = some.iter().flat_map(|a| others.iter().map(move |b| both(a, b)));
    all.filter(|range| range.end >= range.start + size).collect()
}
