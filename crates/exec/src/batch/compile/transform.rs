//! The passes over instructions, before they become values: calls are inlined, local memory is promoted to registers, functions
//! that call themselves get their activations, numbers of barriers are found, blocks that follow each other are joined, and short
//! arms of branches are if-converted.

use crate::batch::compile::analysis::analyse;
use crate::batch::compile::if_convert::if_convert;
use crate::batch::compile::inline::{Inlined, activate, inline};
use crate::batch::compile::known_barriers::known_barriers;
use crate::batch::compile::promote::promote;
use crate::batch::compile::request::CompileRequest;
use crate::batch::origins::Origins;
use crate::code::{Action, Code, Op};

/// A kernel's code after these passes.
#[derive(Default)]
pub(super) struct Transformed {
    /// None if it is as it was.
    code: Option<Code>,
    origins: Option<Origins>,
}

/// All passes.
pub(super) fn transform(request: &CompileRequest) -> Transformed {
    let mut done = first_passes(request);
    let then = done.request(request);
    if request.may_transform
        && let (Some(code), _) = if_convert(&then, || analyse(&then))
    {
        done.code = Some(code);
    }
    done
}

/// All but if-conversion, which alone asks how many CTAs are executed as one batch.
pub(super) fn first_passes(request: &CompileRequest) -> Transformed {
    let mut done = Transformed::default();
    if !request.may_transform {
        return done;
    }
    for pass in [inline, promote, activate] {
        if let Some(Inlined { code, origins }) = pass(&done.request(request)) {
            done = Transformed { code: Some(code), origins: Some(origins) };
        }
    }
    if let Some(code) = known_barriers(&done.request(request)) {
        done.code = Some(code);
    }
    let branches = idle_branches(done.request(request).code);
    if !branches.is_empty() {
        let code = done.code.get_or_insert_with(|| request.code.clone());
        branches.into_iter().for_each(|pc| code.ops[pc] = Op { guard: None, action: Action::Nothing });
    }
    done
}

/// The branches to the next instruction.
fn idle_branches(code: &Code) -> Vec<usize> {
    let leads_on = |(pc, op): &(usize, &Op)| matches!(op.action, Action::Branch(to) if to as usize == pc + 1);
    code.ops.iter().enumerate().filter(leads_on).map(|(pc, _)| pc).collect()
}

impl Transformed {
    /// What the plan is made for from here on.
    pub(super) fn request<'a>(&'a self, request: &CompileRequest<'a>) -> CompileRequest<'a> {
        let code = self.code.as_ref().unwrap_or(request.code);
        CompileRequest { code, origins: self.origins.as_ref(), ..*request }
    }
}
