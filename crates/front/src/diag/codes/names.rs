//! P2xx: names and scopes.

use super::{Code, Entry};

/// A name that nothing declares.
pub const UNDEFINED: Code = Code::new(&Entry {
    code: "P201",
    title: "name is not declared",
    explanation: "Every register, variable, function and label is declared before it is used (labels: anywhere \
                  in their block). Numbered registers count from 0: `.reg .u32 %r<4>;` declares `%r0` to \
                  `%r3`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r4; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r3; }\n",
});

/// A name that is taken.
pub const DUPLICATE: Code = Code::new(&Entry {
    code: "P202",
    title: "name is declared twice",
    explanation: "In one scope a name stands for one thing, whether register, variable, parameter, label or \
                  function. A block in braces is a scope of its own: there a name may be declared anew and \
                  hides the outer one.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; .reg .u32 %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; { .reg .u32 %r2; } }\n",
});

/// A name of the wrong sort.
pub const WRONG_KIND: Code = Code::new(&Entry {
    code: "P203",
    title: "name stands for something else",
    explanation: "The name is declared, but it is not of the sort that is wanted here: a variable where a \
                  register must stand, a register where a label must stand, and so on. Variables are read with \
                  `ld` and written with `st`; `mov` gives their address.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, x; }\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; ld.global.u32 %r2, [x]; add.u32 %r0, %r1, %r2; }\n",
});

/// Two declarations that say different things.
pub const DISAGREE: Code = Code::new(&Entry {
    code: "P204",
    title: "declarations do not agree",
    explanation: "A function may be declared any number of times and then defined once, a variable may be \
                  declared `.extern` and then defined; all of them must name the same space, types, sizes, \
                  parameters, results and linkage.",
    bad: ".version 8.0\n.target sm_80\n.func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f(.param .b64 a);\n.func f(.param .b64 a) { ret; }\n",
});

/// A range of registers without measure.
pub const TOO_MANY_REGISTERS: Code = Code::new(&Entry {
    code: "P205",
    title: "too many registers",
    explanation: "One declaration may have up to 16,777,216 numbered registers. No thread can use as many: the \
                  count is most likely a slip.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4000000000>; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; }\n",
});

/// A declaration in a space that cannot hold it.
pub const BAD_SPACE: Code = Code::new(&Entry {
    code: "P206",
    title: "not declared here",
    explanation: "Registers, local variables and parameters belong into functions; global, constant and shared \
                  variables may stand outside too. The space of special registers holds no variables.",
    bad: ".version 8.0\n.target sm_80\n.local .u32 x;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .local .u32 x; }\n",
});

/// A function that is declared here and defined nowhere.
pub const NO_DEFINITION: Code = Code::new(&Entry {
    code: "P207",
    title: "function has no body",
    explanation: "A function without `.extern` is the module's own: behind its declaration comes its definition, \
                  or an `.alias` says which function it is.",
    bad: ".version 8.0\n.target sm_80\n.func f();\n.entry k() { call f; ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f();\n.entry k() { call f; ret; }\n.func f() { ret; }\n",
});

pub(super) const TABLE: &[Code] =
    &[UNDEFINED, DUPLICATE, WRONG_KIND, DISAGREE, TOO_MANY_REGISTERS, BAD_SPACE, NO_DEFINITION];
