//! Looks at barrier objects: they become waits for the end of a phase. A look may be answered late; only where no thread can go on does the
//! golden engine say that a phase is not over.

use crate::batch::compile::inline::{Behind, Inliner, pass};
use crate::batch::origins::{Origin, Role};
use crate::code::{Action, ObjectChange, ObjectStep, Op, Source, Target};

/// Whether an instruction is a look whose answer is wanted.
pub(super) fn is_look(action: &Action) -> bool {
    matches!(action, Action::Object(step) if step.asks())
}

impl Inliner<'_> {
    /// A wait, and an answer that is always the same.
    pub(super) fn look(&mut self, node: u32, pc: u32, op: &Op, step: &ObjectStep) {
        let mut step = step.clone();
        let ObjectChange::Wait(wait) = &mut step.change else { return };
        let answer = std::mem::replace(&mut wait.target, Target::Sink);
        let Target::Register { slot, .. } = answer else {
            return self.push(op.clone(), self.own(node, pc));
        };
        let mut behind = Behind::default();
        let own = self.own(node, pc);
        self.skip(own, op.guard, &mut behind);
        self.needs(op.guard, None);
        let counts = op.guard.is_none();
        let waits = Op { guard: None, action: Action::Object(Box::new(step)) };
        self.push(waits, Origin { counts, paid: !counts, ..own });
        let told = Origin { counts: false, role: Role::Tells(slot), ..self.own(node, pc + 1) };
        self.push(pass::set(Source::Constant(1), answer), told);
        self.arrive(behind);
    }
}
