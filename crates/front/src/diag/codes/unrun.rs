//! P9xx: legal PTX that is not run.

use super::{Code, Entry};

/// An instruction that margay checks but does not run.
pub const NOT_RUN: Code = Code::new(&Entry {
    code: "P902",
    title: "checked but not run",
    explanation: "The instruction is legal, and margay checks its modifiers and operands, but does not run \
                  it yet. A launch is refused if the kernel can reach it. There is no other way to write it yet.",
    bad: ".version 8.1\n.target sm_90\n.entry k() { .reg .pred %p; .reg .u64 %rd; mov.u64 %rd, 8; multimem.red.add.u32 [%rd], 1; ret; }\n",
    good: "",
});

/// A function that a kernel can call and that has no body.
pub const NO_BODY: Code = Code::new(&Entry {
    code: "P903",
    title: "declared but not defined",
    explanation: "The function is declared and called, but the module has no body for it. Such a module is \
                  legal: another module may define the function. A launch is refused if the kernel can reach \
                  the call.",
    bad: ".version 8.0\n.target sm_80\n.extern .func f();\n.entry k() { call f; ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f() { ret; }\n.entry k() { call f; ret; }\n",
});

pub(super) const TABLE: &[Code] = &[NOT_RUN, NO_BODY];
