//! P5xx: version and target.

use super::{Code, Entry};

/// A module that does not say its version.
pub const NO_VERSION: Code = Code::new(&Entry {
    code: "P501",
    title: "no version",
    explanation: "A module begins with the version of PTX that it is written in, such as `.version 8.0`.",
    bad: ".target sm_80\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A version that there never was.
pub const UNKNOWN_VERSION: Code = Code::new(&Entry {
    code: "P502",
    title: "no such version",
    explanation: "PTX has versions 1.0 to 1.5, 2.0 to 2.3, 3.0 to 3.2, 4.0 to 4.3, 5.0, 5.1, 6.0 to 6.5, 7.0 \
                  to 7.8, 8.0 to 8.8 and 9.0 to 9.5, as far as margay knows.",
    bad: ".version 8.9\n.target sm_80\n",
    good: ".version 8.8\n.target sm_80\n",
});

/// A module that does not say its target.
pub const NO_TARGET: Code = Code::new(&Entry {
    code: "P503",
    title: "no target",
    explanation: "Behind `.version` a module names the architecture it is for, such as `.target sm_90`.",
    bad: ".version 8.0\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A target that there is not.
pub const UNKNOWN_TARGET: Code = Code::new(&Entry {
    code: "P504",
    title: "no such target",
    explanation: "Targets are architectures such as `sm_80`, `sm_90a`, `sm_120f`, and options such as `debug` \
                  and `texmode_independent`.",
    bad: ".version 8.0\n.target sm_81\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// A target newer than the version.
pub const TARGET_TOO_NEW: Code = Code::new(&Entry {
    code: "P505",
    title: "target needs a newer version",
    explanation: "Each target exists from a version of PTX on. Raise `.version`, or name an older target; code \
                  for an older target runs on newer ones too.",
    bad: ".version 7.0\n.target sm_90\n",
    good: ".version 7.8\n.target sm_90\n",
});

/// Something that came with a later version.
pub const NEEDS_VERSION: Code = Code::new(&Entry {
    code: "P506",
    title: "needs another version",
    explanation: "The instruction, word, register or directive exists from a later version of PTX on than the \
                  module says, or has gone with an earlier one.",
    bad: ".version 5.0\n.target sm_60\n.entry k() { .reg .b32 %r<4>; fns.b32 %r0, %r1, %r2, 1; }\n",
    good: ".version 6.0\n.target sm_60\n.entry k() { .reg .b32 %r<4>; fns.b32 %r0, %r1, %r2, 1; }\n",
});

/// Something that the target does not have.
pub const NEEDS_TARGET: Code = Code::new(&Entry {
    code: "P507",
    title: "needs another target",
    explanation: "The instruction or word exists on newer architectures only, or on those of one family, which \
                  a letter behind the number names: `sm_120a`, `sm_120f`.",
    bad: ".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<4>; add.u16x2 %r0, %r1, %r2; }\n",
    good: ".version 8.0\n.target sm_90\n.entry k() { .reg .b32 %r<4>; add.u16x2 %r0, %r1, %r2; }\n",
});

/// An address size that is neither 32 nor 64.
pub const ADDRESS_SIZE: Code = Code::new(&Entry {
    code: "P508",
    title: "no such address size",
    explanation: "Addresses have 32 or 64 bits; without `.address_size` they have 32.",
    bad: ".version 8.0\n.target sm_80\n.address_size 16\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n",
});

/// Directives out of their order, or twice.
pub const ORDER: Code = Code::new(&Entry {
    code: "P509",
    title: "directive out of order",
    explanation: "A module says `.version`, `.target` and `.address_size` once each, in this order \
                  and before everything else; `.target` names the architecture before options.",
    bad: ".target sm_80\n.version 8.0\n",
    good: ".version 8.0\n.target sm_80\n",
});

/// Addresses that are too short for the target.
pub const SHORT_ADDRESS: Code = Code::new(&Entry {
    code: "P510",
    title: "addresses of 32 bits are gone",
    explanation: "From sm_90 on, global memory and generic addresses take 64 bits: a module says `.address_size 64`, and \
                  addresses there are in registers of 64 bits. In shared, local, constant and parameter memory, 32 bits \
                  still do.",
    bad: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .u32 %r<4>; ld.global.u32 %r0, [%r1]; }\n",
    good: ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .u32 %r<4>; .reg .u64 %rd<2>; ld.global.u32 %r0, [%rd1]; }\n",
});

/// A module for debugging without what debuggers need.
pub const NO_DEBUG_DATA: Code = Code::new(&Entry {
    code: "P511",
    title: "no debug data",
    explanation: "A module whose `.target` says `debug` has sections for debuggers, such as `.debug_info`; ptxas takes none \
                  without. margay does, and runs it.",
    bad: ".version 8.0\n.target sm_80, debug\n",
    good: ".version 8.0\n.target sm_80, debug\n.section .debug_info { .b8 0 }\n",
});

/// Addresses of 64 bits where the module does not say so.
pub const NO_ADDRESS_SIZE: Code = Code::new(&Entry {
    code: "P512",
    title: "no address size",
    explanation: "A module without `.address_size` has addresses of 32 bits, whatever its registers have. This one \
                  holds addresses in registers of 64 bits, so `.address_size 64` was most likely \
                  forgotten. Assemblers accept it; margay expects 4 bytes for each buffer of such a kernel.",
    bad: ".version 8.0\n.target sm_80\n.entry k(.param .u64 p) {\n    .reg .u32 %r;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.u32 %r, [%rd];\n    st.global.u32 [%rd+4], %r;\n}\n",
    good: ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {\n    .reg .u32 %r;\n    .reg .u64 %rd;\n    ld.param.u64 %rd, [p];\n    ld.global.u32 %r, [%rd];\n    st.global.u32 [%rd+4], %r;\n}\n",
});

pub(super) const TABLE: &[Code] = &[
    NO_VERSION,
    UNKNOWN_VERSION,
    NO_TARGET,
    UNKNOWN_TARGET,
    TARGET_TOO_NEW,
    NEEDS_VERSION,
    NEEDS_TARGET,
    ADDRESS_SIZE,
    ORDER,
    SHORT_ADDRESS,
    NO_DEBUG_DATA,
    NO_ADDRESS_SIZE,
];
