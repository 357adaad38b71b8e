//! P2xx: names and scopes.

use super::{Code, Entry};

/// A name that nothing declares.
pub const UNDEFINED: Code = Code::new(&Entry {
    code: "P201",
    title: "name is not declared",
    explanation: "Every register, variable and function must be declared before it is used (labels: anywhere \
                  in their block). Numbered registers count from 0: `.reg .u32 %r<4>;` declares `%r0` to \
                  `%r3`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r4; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r3; }\n",
});

/// A name that is taken.
pub const DUPLICATE: Code = Code::new(&Entry {
    code: "P202",
    title: "name is declared twice",
    explanation: "Within a scope a name means one thing, whether register, variable, parameter, label or \
                  function. A block in braces is a scope of its own: a name may be declared again there and \
                  hides the outer one.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; .reg .u32 %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; { .reg .u32 %r2; } }\n",
});

/// A name of the wrong sort.
pub const WRONG_KIND: Code = Code::new(&Entry {
    code: "P203",
    title: "name of the wrong kind",
    explanation: "The name is declared, but it is of the wrong kind for this place: a variable where a \
                  register is needed, a register where a label is needed, and so on. Variables are read with \
                  `ld` and written with `st`; `mov` gives their address.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, x; }\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n.entry k() { .reg .u32 %r<4>; ld.global.u32 %r2, [x]; add.u32 %r0, %r1, %r2; }\n",
});

/// Two declarations that say different things.
pub const DISAGREE: Code = Code::new(&Entry {
    code: "P204",
    title: "declarations do not match",
    explanation: "A function may be declared any number of times and then defined once, a variable may be \
                  declared `.extern` and then defined; all of them must have the same state space, types, \
                  sizes, parameters, results and linkage.",
    bad: ".version 8.0\n.target sm_80\n.func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f(.param .b64 a);\n.func f(.param .b64 a) { ret; }\n",
});

/// A range of registers without measure.
pub const TOO_MANY_REGISTERS: Code = Code::new(&Entry {
    code: "P205",
    title: "too many registers",
    explanation: "One declaration may have up to 16,777,216 numbered registers. No thread can use that many, \
                  so the count is most likely a typo.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4000000000>; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; }\n",
});

/// A declaration in a space that cannot hold it.
pub const BAD_SPACE: Code = Code::new(&Entry {
    code: "P206",
    title: "declaration not allowed here",
    explanation: "Registers, local variables and parameters are declared in functions; global, constant and \
                  shared variables may also be declared outside. The state space of special registers cannot \
                  hold variables.",
    bad: ".version 8.0\n.target sm_80\n.local .u32 x;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .local .u32 x; }\n",
});

/// A function that is declared here and defined nowhere.
pub const NO_DEFINITION: Code = Code::new(&Entry {
    code: "P207",
    title: "function has no body",
    explanation: "A function without `.extern` belongs to this module: its declaration must be followed by a \
                  definition, or by an `.alias` that says which function it is.",
    bad: ".version 8.0\n.target sm_80\n.func f();\n.entry k() { call f; ret; }\n",
    good: ".version 8.0\n.target sm_80\n.func f();\n.entry k() { call f; ret; }\n.func f() { ret; }\n",
});

pub(super) const TABLE: &[Code] =
    &[UNDEFINED, DUPLICATE, WRONG_KIND, DISAGREE, TOO_MANY_REGISTERS, BAD_SPACE, NO_DEFINITION];
