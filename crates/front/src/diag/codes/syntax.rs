//! P1xx: syntax.

use super::{Code, Entry};

/// More diagnostics than are kept.
pub const TOO_MANY: Code = Code::new(&Entry {
    code: "P100",
    title: "too many diagnostics",
    explanation: "Only the first thousand diagnostics of a file are kept. Fix some of them and run again; \
                  often one missing character causes many.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// Something else should stand here.
pub const EXPECTED: Code = Code::new(&Entry {
    code: "P101",
    title: "syntax error",
    explanation: "The source does not follow PTX's grammar here. The message says what was expected and what \
                  was found. Parsing continues at the next statement, so that all errors are found in one \
                  run.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { mov.u32 %r1 %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<3>; mov.u32 %r1, %r2; }\n",
});

/// A brace, bracket or parenthesis that nothing closes.
pub const UNCLOSED: Code = Code::new(&Entry {
    code: "P102",
    title: "bracket is not closed",
    explanation: "Every `{`, `[` and `(` needs its `}`, `]` or `)`. The second label shows the one that was \
                  opened.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { ret;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { ret; }\n",
});

/// A directive that does not exist.
pub const UNKNOWN_DIRECTIVE: Code = Code::new(&Entry {
    code: "P103",
    title: "unknown directive",
    explanation: "A statement that starts with a dot is a directive, and none has this name. Not every \
                  directive is allowed everywhere: `.version` belongs to the module, `.maxntid` between a \
                  kernel's parameters and its body.",
    bad: ".version 8.0\n.target sm_80\n.golbal .u32 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n",
});

/// A directive where it does not belong.
pub const MISPLACED: Code = Code::new(&Entry {
    code: "P104",
    title: "not allowed here",
    explanation: "The directive or statement exists, but not here: instructions go inside the body of a \
                  function, functions and `.version` outside.",
    bad: ".version 8.0\n.target sm_80\nret;\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { ret; }\n",
});

/// A word that says what another has said already.
pub const REPEATED: Code = Code::new(&Entry {
    code: "P105",
    title: "given twice",
    explanation: "A declaration can have one state space, one type, one alignment and at most one of \
                  `.extern`, `.visible`, `.weak` and `.common`.",
    bad: ".version 8.0\n.target sm_80\n.global .u32 .s32 x;\n",
    good: ".version 8.0\n.target sm_80\n.global .u32 x;\n",
});

/// Nesting without end.
pub const TOO_DEEP: Code = Code::new(&Entry {
    code: "P106",
    title: "nested too deeply",
    explanation: "Blocks, parentheses and braces may be nested 128 deep. No compiler writes more, and the \
                  limit keeps malicious files from exhausting memory.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// A list without end.
pub const TOO_LONG: Code = Code::new(&Entry {
    code: "P107",
    title: "too many operands",
    explanation: "An instruction has a handful of operands, and a vector or list has at most a few hundred \
                  elements. margay stops reading after 4096.",
    bad: "",
    good: ".version 8.0\n.target sm_80\n",
});

/// A selector that cannot stand here.
pub const MISPLACED_SELECTOR: Code = Code::new(&Entry {
    code: "P108",
    title: "selector not allowed here",
    explanation: "A selector such as `.b0`, `.h10` or `.x` picks a part of one register. It comes directly \
                  after the register's name, once; constants, vectors and `_` do not take one.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; vadd.u32.u32.u32 %r1, 5.b0, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; vadd.u32.u32.u32 %r1, %r3.b0, %r2; }\n",
});

/// A name where only constants may stand.
pub const NOT_CONSTANT: Code = Code::new(&Entry {
    code: "P109",
    title: "not a constant",
    explanation: "Operators combine constants, not registers or variables: there is no `%r1 + %r2` in PTX, \
                  use an instruction. Only addresses can add to a name: `[%rd1 + 4]`, `table + 16`. Only `-` \
                  and `!` may come before a name.",
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
