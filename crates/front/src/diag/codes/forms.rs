//! P3xx: words and forms.

use super::{Code, Entry};

/// An opcode that does not exist.
pub const UNKNOWN_OPCODE: Code = Code::new(&Entry {
    code: "P301",
    title: "unknown instruction",
    explanation: "This is not an opcode of any PTX version up to the newest that margay reads. Opcodes are \
                  written in lower case.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; ad.u32 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// A word that PTX does not have.
pub const UNKNOWN_WORD: Code = Code::new(&Entry {
    code: "P302",
    title: "unknown modifier",
    explanation: "No PTX instruction has this modifier. Modifiers are written in lower case.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u23 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// A word that has no place in the instruction.
pub const MISPLACED_WORD: Code = Code::new(&Entry {
    code: "P303",
    title: "modifier not allowed here",
    explanation: "PTX has this modifier, but this instruction does not take it, or not together with the \
                  modifiers before it, or not twice. The help shows the closest form; `margay forms OPCODE` \
                  lists all of them.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.wide.u32 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// A word that must be there.
pub const MISSING_WORD: Code = Code::new(&Entry {
    code: "P304",
    title: "missing modifier",
    explanation: "The instruction is incomplete: a modifier that chooses its type, mode or operation is \
                  missing. It has no default.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; mul.u32 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; mul.lo.u32 %r0, %r1, %r2; }\n",
});

/// A mode that does not come first.
pub const MODE_NOT_FIRST: Code = Code::new(&Entry {
    code: "P305",
    title: "mode must come first",
    explanation: "The modifiers of these instructions may come in any order, but `.hi`, `.lo` and `.wide` \
                  come directly after the opcode. There must be no space before them, nor before other \
                  modifiers that are effectively part of the opcode, such as `.to` in `cvta.to` or `.red` in \
                  `bar.red`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; mul.u32.lo %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; mul.lo.u32 %r0, %r1, %r2; }\n",
});

/// Too many or too few operands.
pub const OPERAND_COUNT: Code = Code::new(&Entry {
    code: "P306",
    title: "wrong number of operands",
    explanation: "The form of the instruction that the modifiers choose takes a different number of \
                  operands. Modifiers such as `.add` require one more.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, %r2; }\n",
});

/// Words that do not go together.
pub const RULE: Code = Code::new(&Entry {
    code: "P307",
    title: "modifiers cannot be combined",
    explanation: "The instruction takes each of these modifiers, but the manual does not allow them \
                  together, or not with this type. The message says which rule is broken.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u64 %rd<4>; mul.wide.u64 %rd0, %rd1, %rd2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u64 %rd<4>; mul.lo.u64 %rd0, %rd1, %rd2; }\n",
});

/// A selector that the operand does not take.
pub const SELECTOR: Code = Code::new(&Entry {
    code: "P308",
    title: "selector not allowed",
    explanation: "Selectors such as `.b0`, `.h1` or `.b3210` pick parts of a 32-bit register in video \
                  instructions. The form in the help shows which operands take one, and which selectors. \
                  Other instructions have none.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1.b0, %r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; vadd.u32.u32.u32 %r0, %r1.b0, %r2; }\n",
});

/// A sign that the operand does not take.
pub const SIGN: Code = Code::new(&Entry {
    code: "P309",
    title: "sign not allowed",
    explanation: "Only `vmad` takes a minus before a register, and only a few instructions take a `!` before \
                  a predicate. Elsewhere use `neg` or `not` first. A minus before a constant belongs to the \
                  constant and is allowed everywhere.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r1, -%r2; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; sub.u32 %r0, %r1, %r2; }\n",
});

/// Brackets missing, or too many.
pub const ADDRESS_EXPECTED: Code = Code::new(&Entry {
    code: "P310",
    title: "brackets missing or not allowed",
    explanation: "Memory operands are written in brackets: `[%rd1 + 4]`, `[x]`. Registers and constants that \
                  are used as values are not.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.u32 %r0, %rd1; }\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.u32 %r0, [%rd1]; }\n",
});

/// One destination or two.
pub const PAIR: Code = Code::new(&Entry {
    code: "P311",
    title: "pair of destinations",
    explanation: "Some instructions write two registers, joined by a bar: `setp.lt.s32 %p0|%p1, a, b`. Others \
                  write one.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0|%r1, %r2, %r3; }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { .reg .u32 %r<4>; add.u32 %r0, %r2, %r3; }\n",
});

pub(super) const TABLE: &[Code] = &[
    UNKNOWN_OPCODE,
    UNKNOWN_WORD,
    MISPLACED_WORD,
    MISSING_WORD,
    MODE_NOT_FIRST,
    OPERAND_COUNT,
    RULE,
    SELECTOR,
    SIGN,
    ADDRESS_EXPECTED,
    PAIR,
];
