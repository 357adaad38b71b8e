//! The passes over instructions, before they become values: calls are inlined, local memory is promoted to registers, numbers of
//! barriers are found, blocks that follow each other are joined, and short arms of branches are if-converted.

use crate::batch::compile::if_convert::if_convert;
use crate::batch::compile::inline::{Inlined, inline};
use crate::batch::compile::known_barriers::known_barriers;
use crate::batch::compile::promote::promote;
use crate::batch::compile::request::CompileRequest;
use crate::batch::origins::Origins;
use crate::code::{Action, Code, Op};

/// A kernel's code after these passes.
pub(super) struct Transformed {
    /// None if it is as it was.
    code: Option<Code>,
    origins: Option<Origins>,
}

pub(super) fn transform(request: &CompileRequest) -> Transformed {
    if !request.may_transform {
        return Transformed { code: None, origins: None };
    }
    let mut done = Transformed { code: None, origins: None };
    for pass in [inline, promote] {
        if let Some(Inlined { code, origins }) = pass(&done.request(request)) {
            done = Transformed { code: Some(code), origins: Some(origins) };
        }
    }
    for pass in [known_barriers, straighten, if_convert] {
        if let Some(code) = pass(&done.request(request)) {
            done.code = Some(code);
        }
    }
    done
}

/// The code with branches to the next instruction left out; none if there are none.
fn straighten(request: &CompileRequest) -> Option<Code> {
    let leads_on = |(pc, op): (usize, &Op)| matches!(op.action, Action::Branch(to) if to as usize == pc + 1);
    let branches: Vec<usize> =
        request.code.ops.iter().enumerate().filter(|one| leads_on(*one)).map(|(pc, _)| pc).collect();
    if branches.is_empty() {
        return None;
    }
    let mut code = request.code.clone();
    branches.into_iter().for_each(|pc| code.ops[pc] = Op { guard: None, action: Action::Nothing });
    Some(code)
}

impl Transformed {
    /// What the plan is made for from here on.
    pub(super) fn request<'a>(&'a self, request: &CompileRequest<'a>) -> CompileRequest<'a> {
        let code = self.code.as_ref().unwrap_or(request.code);
        CompileRequest { code, origins: self.origins.as_ref(), ..*request }
    }
}
