//! P1xx: syntax.

use super::{Code, Entry};

/// More diagnostics than are kept.
pub const TOO_MANY: Code = Code::new(&Entry {
    code: "P100",
    title: "too many diagnostics",
    explanation: "Only the first thousand diagnostics of a text are kept. Repair some of them and look again; often one \
                  missing sign causes many.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// Something else should stand here.
pub const EXPECTED: Code = Code::new(&Entry {
    code: "P101",
    title: "something else is expected here",
    explanation: "The text does not follow PTX's grammar here. The message says what may stand at this place and what was \
                  found. Reading goes on at the next statement, so that all errors are found at once.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { mov.u32 %r1 %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<3>; mov.u32 %r1, %r2; }\n",
});

/// A brace, bracket or parenthesis that nothing closes.
pub const UNCLOSED: Code = Code::new(&Entry {
    code: "P102",
    title: "bracket is not closed",
    explanation: "Every `{`, `[` and `(` needs its `}`, `]` or `)`. The second label shows where the open one stands.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { ret;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { ret; }\n",
});

/// A directive that does not exist.
pub const UNKNOWN_DIRECTIVE: Code = Code::new(&Entry {
    code: "P103",
    title: "unknown directive",
    explanation: "A statement that begins with a dot is a directive, and there is none of this name. Not every directive \
                  may stand everywhere: `.version` belongs to the module, `.maxntid` between a kernel's parameters and \
                  its body.",
    bad: ".version 8.0\n.target sm_80\n.golbal .u32 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n",
});

/// A directive where it does not belong.
pub const MISPLACED: Code = Code::new(&Entry {
    code: "P104",
    title: "does not belong here",
    explanation: "The directive or statement exists, but not at this place: instructions belong into the body of a function, \
                  functions and `.version` outside of all bodies.",
    bad: ".version 8.0\n.target sm_80\nret;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { ret; }\n",
});

/// A word that says what another has said already.
pub const REPEATED: Code = Code::new(&Entry {
    code: "P105",
    title: "said twice",
    explanation: "A declaration has one state space, one type, one alignment and at most one of `.extern`, `.visible`, \
                  `.weak` and `.common`.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 .s32 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n",
});

/// Nesting without end.
pub const TOO_DEEP: Code = Code::new(&Entry {
    code: "P106",
    title: "nested too deeply",
    explanation: "Blocks, parentheses and braces may be nested 128 deep. No compiler writes more, and a limit keeps \
                  malicious texts from exhausting memory.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// A list without end.
pub const TOO_LONG: Code = Code::new(&Entry {
    code: "P107",
    title: "too many operands",
    explanation: "An instruction has a handful of operands, and a vector or list of them at most a few hundred elements. More \
                  than 4096 are not read.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// A selector that cannot stand here.
pub const MISPLACED_SELECTOR: Code = Code::new(&Entry {
    code: "P108",
    title: "selector does not belong here",
    explanation: "A selector such as `.b0`, `.h10` or `.x` picks a part of one register. It stands directly behind the \
                  register's name, once; constants, vectors and `_` have none.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; vadd.u32.u32.u32 %r1, 5.b0, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; vadd.u32.u32.u32 %r1, %r3.b0, %r2; }\n",
});

/// A name where only constants may stand.
pub const NOT_CONSTANT: Code = Code::new(&Entry {
    code: "P109",
    title: "not a constant",
    explanation: "Operators join constants, not registers or variables: PTX has no `%r1 + %r2`, that is what instructions are \
                  for. Only addresses add to a name: `[%rd1 + 4]`, `table + 16`. Before a name only `-` and `!` may stand.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; not.b32 %r1, ~%r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; not.b32 %r1, %r2; }\n",
});

pub(super) const TABLE: &[Code] = &[
    TOO_MANY,
    EXPECTED,
    UNCLOSED,
    UNKNOWN_DIRECTIVE,
    MISPLACED,
    REPEATED,
    TOO_DEEP,
    TOO_LONG,
    MISPLACED_SELECTOR,
    NOT_CONSTANT,
];
