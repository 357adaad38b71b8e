//! P6xx: control flow, values on its paths, and accesses.

use super::{Code, Entry};

/// A label in a block that cannot be entered.
pub const LABEL_OUT_OF_REACH: Code = Code::new(&Entry {
    code: "P601",
    title: "label is in another block",
    explanation: "A label is visible in its own block and in the blocks inside it. A branch cannot go into a \
                  block from outside.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { bra inside; { inside: ret; } }\n",
    good: ".version 8.0\n.target sm_80\n.entry k() { { bra inside; inside: ret; } }\n",
});

/// A register that no instruction writes.
pub const NEVER_WRITTEN: Code = Code::new(&Entry {
    code: "P602",
    title: "register is read but never written",
    explanation: "The value of a register is undefined until an instruction has written it: on a device it \
                  is whatever the hardware register held before. Nothing in the function writes this one, so \
                  each read gets such a value. Reads whose result does not depend on the value, as in \
                  `xor.b32 %r1, %r0, %r0`, are not reported.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n    .reg .u32 %r<2>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [out];\n    add.u32 %r1, %r0, 1;\n    st.global.u32 [%rd], %r1;\n}\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n    .reg .u32 %r<2>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [out];\n    mov.u32 %r0, 41;\n    add.u32 %r1, %r0, 1;\n    st.global.u32 [%rd], %r1;\n}\n",
});

/// A register that is not written on every path to a read.
pub const MAYBE_UNWRITTEN: Code = Code::new(&Entry {
    code: "P603",
    title: "register may be read before it is written",
    explanation: "Some path through the function leads to this read without writing the register, so its \
                  value is undefined. Guards and branches on a predicate that has not changed since are \
                  taken into account: `@%p mov.u32 %r0, 1;` followed by `@%p st.global.u32 [%rd], %r0;` is \
                  correct.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n    .reg .pred %p;\n    .reg .u32 %r<2>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [out];\n    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p, %r1, 9;\n    @%p bra store;\n    mov.u32 %r0, 1;\nstore:\n    st.global.u32 [%rd], %r0;\n}\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out) {\n    .reg .pred %p;\n    .reg .u32 %r<2>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [out];\n    mov.u32 %r1, %tid.x;\n    mov.u32 %r0, 0;\n    setp.gt.u32 %p, %r1, 9;\n    @%p bra store;\n    mov.u32 %r0, 1;\nstore:\n    st.global.u32 [%rd], %r0;\n}\n",
});

/// An access at a constant offset outside its variable.
pub const OUTSIDE_VARIABLE: Code = Code::new(&Entry {
    code: "P604",
    title: "access outside its variable",
    explanation: "The address is a variable plus a constant, and some of the bytes accessed there do not \
                  belong to the variable: the constant is too large or negative, or the access has more \
                  bytes than are left. What follows or precedes a variable in memory is unspecified. \
                  Assemblers accept it; on a device it reads or overwrites another variable or parameter.",
    bad: ".version 8.0\n.target sm_80\n.shared .align 4 .u32 a[4];\n.entry k() {\n    .reg .u32 %r;\n    mov.u32 %r, 7;\n    st.shared.u32 [a+16], %r;\n}\n",
    good: ".version 8.0\n.target sm_80\n.shared .align 4 .u32 a[4];\n.entry k() {\n    .reg .u32 %r;\n    mov.u32 %r, 7;\n    st.shared.u32 [a+12], %r;\n}\n",
});

/// A sum that may be joined with a product.
pub const FUSIBLE: Code = Code::new(&Entry {
    code: "P605",
    title: "sum may take its product unrounded",
    explanation: "Without a rounding word on the multiplication and on the addition, an assembler may join \
                  them into one instruction that rounds once, so that the result differs in its last bits. \
                  ptxas does so unless it is called with `--fmad=false`. margay rounds twice, as written, \
                  unless `--contract` is given. `.rn` on one of them forbids it; `fma.rn` demands it. \
                  `margay check --contract` looks for such sums.",
    bad: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n    .reg .f32 %f<4>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.f32 %f1, [%rd];\n    mul.f32 %f2, %f1, %f1;\n    add.f32 %f3, %f2, %f1;\n    st.global.f32 [%rd], %f3;\n}\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n    .reg .f32 %f<4>;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.f32 %f1, [%rd];\n    mul.rn.f32 %f2, %f1, %f1;\n    add.rn.f32 %f3, %f2, %f1;\n    st.global.f32 [%rd], %f3;\n}\n",
});

pub(super) const TABLE: &[Code] =
    &[LABEL_OUT_OF_REACH, NEVER_WRITTEN, MAYBE_UNWRITTEN, OUTSIDE_VARIABLE, FUSIBLE];
